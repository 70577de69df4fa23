"""List the names in markup that features look for.  Only data; :mod:`.tree` reads it."""

from __future__ import annotations

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
