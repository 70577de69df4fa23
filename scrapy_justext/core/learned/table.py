"""List the names in markup that features look for, and the features in the order of their columns.  Only data.

The reason of a block names its features by their meanings.
"""

from __future__ import annotations

from typing import NamedTuple

#: By word: the patterns that stand for it in class, id, role and itemprop.  Patterns are compared with the parts of an
#: attribute's value: ``postContent-main`` has the parts post, content and main.  A pattern equals a whole part; with a
#: star (``sidebar*``), it may stand anywhere in a part.
WORDS = {
    "comment": "comment* cmt cmnt disqus* kommentar* commentaire* comentario*",
    "reply": "reply* replies respond respon*",
    "sidebar": "sidebar* side rail aside* sidenav secondary",
    "foot": "foot* bottom colophon",
    "nav": "nav* menubar pager pagination* paging pagenav",
    "menu": "menu* dropdown* submenu megamenu",
    "ad": "ad ads advert* adsense adslot adunit banner-ad gpt dfp taboola* outbrain*",
    "sponsor": "sponsor* partner partners affiliate*",
    "social": "social* facebook twitter linkedin whatsapp pinterest instagram follow",
    "share": "share* sharing addtoany* addthis* sharedaddy",
    "related": "related* similar more readmore jp-relatedposts",
    "recommend": "recommend* suggest* popular trending recent latest crosssell upsell upsells",
    "promo": "promo* cta calltoaction offer offers deal deals campaign",
    "cookie": "cookie* gdpr ccpa onetrust* cookiebot*",
    "consent": "consent* privacy* cmp",
    "banner": "banner* announcement* notice alert alerts toast",
    "breadcrumb": "breadcrumb* crumb crumbs",
    "tag": "tag tags tagcloud taglist keyword keywords topics label labels chip badge",
    "category": "category* categories cat taxonomy archive archives",
    "widget": "widget* gadget portlet",
    "modal": "modal* popup* overlay* lightbox* dialog drawer offcanvas tooltip",
    "newsletter": "newsletter* subscribe* subscription* signup mailchimp optin mailinglist",
    "login": "login* signin register account auth user-menu",
    "header": "header* head top topbar masthead toolbar",
    "hidden": "hidden hide sr visually invisible screenreader* collapse collapsed none",
    "teaser": "teaser* excerpt* preview snippet blurb intro lede standfirst dek kicker",
    "byline": "byline* postmeta entrymeta dateline articlemeta",
    "author": "author* bio avatar profile vcard writer contributor",
    "date": "date time published timestamp posted updated pubdate",
    "caption": "caption* credit figcaption credits legend",
    "image": "image* img photo photos picture gallery* thumb* slideshow figure media",
    "slider": "slider* carousel* slide slides swiper* slick splide* flickity owl",
    "video": "video* player audio podcast",
    "meta": "meta info details stats data attributes",
    "search": "search* filter filters facet* sort sorting refine",
    "rating": "rating* stars star vote* votes score like likes helpful",
    "price": "price* pricing cost sale discount amount currency",
    "cart": "cart* basket checkout buy purchase wishlist minicart addtocart shop stock",
    "shipping": "shipping delivery returns warranty payment policy policies terms legal",
    "form": "form* field fields input contact contacts submit select option options",
    "button": "button* btn* toggle* link links action actions control controls",
    "copyright": "copyright* copy disclaimer* imprint rights",
    "language": "language* lang locale country region currencies translate",
    "map": "map location address hours store stores directions phone tel email",
    "print": "print noprint pdf download downloads export",
    "skip": "skip skiplink backtotop scroll totop",
    "toc": "toc tableofcontents contents outline anchor jump onthispage localtoc",
    "error": "error* warning noscript loading loader spinner placeholder skeleton",
    "content": "content* contenido inhalt contenu innhold",
    "article": "article* artikel* articulo news newsitem articlebody storybody",
    "post": "post* posting hentry blogpost",
    "entry": "entry* hentry hfeed",
    "body": "body* articlebody bodytext postbody copytext",
    "main": "main* primary center middle principal",
    "text": "text* txt paragraph prose richtext rte wysiwyg typography copy",
    "story": "story* feature-body longform",
    "title": "title* headline* heading* subtitle subhead* h1 h2 h3",
    "description": "description* desc summary overview about abstract specifications",
    "product": "product* sku variant pdp woocommerce* item-page",
    "spec": "spec specs specification* attribute features-list technical ingredients properties",
    "thread": "thread* topic* forum* board viewtopic discussion* conversation*",
    "message": "message* msg* bbp* bbcode postcontent postrow cooked phpbb",
    "signature": "signature* sig quote* blockquote quoted edited",
    "user": "user* member* username poster postprofile membership",
    "answer": "answer* accepted reponse solution",
    "question": "question* faq* qa accordion* collapsible",
    "doc": "doc docs document* documentation manual guide wiki* mw reference api",
    "markdown": "markdown* md rst sphinx* docusaurus theme vp gitbook readthedocs",
    "code": "code* highlight* pre syntax prism hljs terminal console snippet",
    "section": "section* sec part chapter segment",
    "feature": "feature* benefit* services service solutions usp advantages",
    "hero": "hero* jumbotron splash cover billboard stage",
    "testimonial": "testimonial* client clients customer customers case logos team staff",
    "tab": "tab* tabs panel* pane tabpanel",
    "card": "card* tile* box boxes teasers",
    "grid": "grid* masonry flex flexbox mosaic",
    "column": "col column* columns row rows cols",
    "item": "item* element entry-item listitem",
    "list": "list* listing* feed results result stream index directory collection*",
    "review": "review* feedback opinion opinions rezension",
    "table": "table* datatable grid-table cell",
    "wrapper": "wrap* wrapper* container* inner outer holder layout page site root",
    "block": "block* module* component* wp elementor* builder vc et divi fusion*",
    "recipe": "recipe* ingredient* instruction* directions nutrition method",
    "event": "event* schedule calendar program agenda venue",
    "job": "job* career* vacancy position salary apply",
    "note": "note* footnote* references reflist citation* infobox sidenote callout admonition",
    "brand": "brand* logo* site-title sitename tagline slogan",
    "step": "step* process howto timeline phase",
}

_TAGS = (
    "a address article aside blockquote body button caption center dd details dialog div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header label legend li main menu nav noscript ol option p pre search section "
    "select span summary table tbody td textarea tfoot th thead tr ul"
)
#: Elements, for the blocks inside them.
TAGS = tuple(_TAGS.split())

#: States: hidden by style, from screen readers (``aria-hidden``), by the attribute ``hidden``.
STATES = ("not displayed", "not read out", "not shown")

NAMES = (*TAGS, *WORDS, *STATES)


class Feature(NamedTuple):
    """A column.

    ``is_flag``: it is 0 or 1.  A reason names it without its value where it is 1, and not at all where it is 0.
    """

    name: str
    meaning: str
    is_flag: bool = False


def _rows(*rows: tuple[str, str]) -> tuple[Feature, ...]:
    """Make features of names and meanings; a question mark behind a meaning makes a flag."""
    return tuple(Feature(name, meaning.rstrip("?"), meaning.endswith("?")) for name, meaning in rows)


_BLOCK = _rows(
    ("units", "length"),
    ("words", "words"),
    ("link_density", "link density"),
    ("link_units", "length inside links"),
    ("units_per_word", "length of words"),
    ("ends", "sentence ends"),
    ("ends_per_100", "sentence ends by length"),
    ("units_per_end", "length of sentences"),
    ("commas", "commas"),
    ("commas_per_100", "commas by length"),
    ("digit_share", "share of digits"),
    ("upper_share", "share of capitals"),
    ("capitalised_share", "share of capitalised words"),
    ("letter_share", "share of letters"),
    ("mark_share", "share of marks"),
    ("bars", "bars and bullets"),
    ("currencies", "currency signs"),
    ("copyrights", "copyright sign?"),
    ("questions", "question marks"),
    ("ends_sentence", "closes a sentence?"),
    ("ends_colon", "ends with a colon?"),
    ("begins_upper", "begins with a capital?"),
    ("begins_digit", "begins with a digit?"),
    ("tags", "inline elements"),
    ("tags_per_word", "inline elements a word"),
    ("repeats", "times the text stands on the page"),
    ("is_repeated", "stood further up already?"),
    ("heading_level", "heading level"),
    ("is_heading", "heading?"),
    ("in_title", "part of the page's title?"),
    ("is_sentence_like", "sentence-like?"),
    ("is_code", "code or formula?"),
    ("is_table", "table of data?"),
)

_POSITION = _rows(
    ("index_share", "position among the blocks"),
    ("units_before_share", "share of the page before"),
    ("units_before", "text before"),
    ("blocks", "blocks on the page"),
    ("page_units", "length of the page"),
    ("page_link_density", "link density of the page"),
    ("page_prose", "sentence-like text of the page"),
    ("page_prose_share", "share of sentence-like text on the page"),
    ("from_first_prose", "blocks since the first sentence-like one"),
    ("to_last_prose", "blocks to the last sentence-like one"),
    ("prose_before", "share of the sentence-like text before"),
    ("before_prose", "before all sentence-like text?"),
    ("after_prose", "after all sentence-like text?"),
    ("depth", "depth"),
    ("from_h1", "blocks since H1"),
    ("h1_before", "after H1?"),
    ("h1s", "H1 on the page"),
    ("from_heading", "blocks since a heading"),
    ("last_level", "level of the last heading"),
    ("prose_since_heading", "sentence-like text since a heading"),
    ("class_units", "text in elements of the same class"),
    ("class_blocks", "blocks in elements of the same class"),
    ("class_link_density", "link density of elements of the same class"),
    ("class_prose_share", "share of sentence-like text in elements of the same class"),
    ("path_blocks", "blocks with the same path"),
    ("path_units_share", "share of the page in blocks with the same path"),
    ("path_link_density", "link density of blocks with the same path"),
    ("path_prose_share", "share of sentence-like text in blocks with the same path"),
    ("path_mean_units", "mean length of blocks with the same path"),
)

#: What the elements around a block are called, from the inside out.
LEVEL_NAMES = (
    "its element", "its parent", "its grandparent", "its great-grandparent", "the fourth element around it",
    "the fifth element around it",
)  # fmt: skip
#: How many elements that a block stands in are measured: its own, and ancestors.  An ancestor that holds no more blocks
#: than the element below is passed over.
LEVELS = len(LEVEL_NAMES)

#: Features of each of these elements.
_OF_ELEMENT = (
    ("units", "text in {}"),
    ("share", "share of the page in {}"),
    ("link_density", "link density of {}"),
    ("blocks", "blocks in {}"),
    ("prose_share", "share of sentence-like text in {}"),
    ("prose_density", "density of sentence-like text in {}"),
    ("heading_share", "share of headings in {}"),
    ("alike", "elements beside {} that are like it"),
    ("place", "position in {}"),
    ("start", "where {} starts"),
)

_ELEMENTS = tuple(
    Feature(f"{name}_{level}", meaning.format(element))
    for name, meaning in _OF_ELEMENT
    for level, element in enumerate(LEVEL_NAMES)
)

#: Positions of neighbours, counted from the block.
OFFSETS = (-3, -2, -1, 1, 2, 3)
_OF_NEIGHBOUR = (
    ("units", "length of the block {}"),
    ("link_density", "link density of the block {}"),
    ("ends", "sentence ends of the block {}"),
    ("same_class", "same class as the block {}?"),
    ("same_parent", "same parent as the block {}?"),
    ("is_heading", "heading {}?"),
    ("is_prose", "sentence-like block {}?"),
    ("is_code_or_table", "code, formula or table {}?"),
)
#: Blocks on each side of a window.
WINDOWS = (2, 6, 15)
_OF_WINDOW = (
    ("prose_density", "density of sentence-like text"),
    ("link_density", "link density"),
    ("mean_units", "mean length"),
)


_NEIGHBOURS = _rows(
    *(
        (f"{name}_{offset:+d}", meaning.format(f"{abs(offset)} {'before' if offset < 0 else 'ahead'}"))
        for name, meaning in _OF_NEIGHBOUR
        for offset in OFFSETS
    ),
    *(
        (f"{name}_window_{2 * size + 1}", f"{meaning} of the {2 * size + 1} blocks around it")
        for name, meaning in _OF_WINDOW
        for size in WINDOWS
    ),
)


def _flags(prefix: str, where: str) -> tuple[Feature, ...]:
    """Return a flag for each of the names; tags are in capitals, to tell NAV from the word nav."""
    return (
        *(Feature(f"{prefix}_{tag.upper()}", f"{where} {tag.upper()}", True) for tag in TAGS),
        *(Feature(f"{prefix}_{word}", f"{where} an element named {word}", True) for word in WORDS),
        *(Feature(f"{prefix}_{state}", f"{where} an element that is {state}", True) for state in STATES),
    )


#: Features that are the same for all blocks of a page, and explain none of them.
PAGE_FEATURES = frozenset({"blocks", "page_units", "page_link_density", "page_prose", "page_prose_share", "h1s"})

NUMBERS = (*_BLOCK, *_POSITION, *_ELEMENTS, *_NEIGHBOURS)
FEATURES = (*NUMBERS, *_flags("own", "in"), *_flags("inside", "inside"))
