"""Make pages of kinds and languages that labelled sets have few of; it is known what is content in them.

A page is built of the markup that sites have: an encyclopedia's notes and boxes, documentation, papers, laws, recipes,
live blogs, questions with answers, interviews, transcripts, newsletters in tables, lists, forums with quotes, news with
comments and teasers as list items.  It stands in one of three layouts: landmarks, nested DIVs, or tables as until 2012.
Words are a language's stop words and made-up ones, which no feature can tell from others; labels such as "Comments" are
those of the markers.

An element with a role says what its blocks are.  The same number gives the same page.  Pages are trained on and never
scored.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from lxml.etree import tostring
from lxml.html import builder

from scrapy_justext.core.learned.second import MARKERS
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.evaluation.datasets.documents import Document
from training.harder import random_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from lxml.html import HtmlElement

#: How many pages are made, and what each of them counts beside a labelled one.
COUNT, WEIGHT = 500, 0.3
#: The attribute that says what the blocks in an element are; two of these roles are content.
ROLE = "data-role"
CONTENT, POST = "content", "post"
#: By language: letters of its made-up words, each a syllable; none where stop words are joined without spaces.
_LANGUAGES = {
    "en": "ba den for ing lar mo nes per rit sal ton ver", "de": "bau ber dung ge hof kei lich mann schaft ung ver weg",
    "fr": "bien cour eau ent ien lieu mar oir port tion ver", "es": "ado cion des lla mar nes rio sol tor vida",
    "pt": "ão bra des eira lho mar nha rio sol vel", "it": "bel chia gli mento nova one ra sco tto via",
    "nl": "bij dijk gen heid huis lijk oor sch ver waar", "pl": "brz cze dni kow nie owa prz ski sto wie",
    "cs": "čes dní hod kov le ní ost pří ství vý", "tr": "ağı bil dır gün iş kar lar mış sız yol",
    "id": "an ber dan kan mem nya per sa ti ung", "vi": "bình chính đường giá hành không lượng mới nước thành",
    "el": "αν βου δη εί κα λο μα νο πο ση τα χρο", "ru": "вод гор дел ени кон лен нов ост пер ств",
    "uk": "вод гор діл ємо жит ків нов ові під ськ", "ar": "با تر جم دول سا عمل قا كت مد نا",
    "fa": "ام باز پر تا خان دار روز شه کار می", "he": "אב בית דר הל חד כת מש נו של תו",
    "hi": "का घर जन दे नग पर भार मा रा सम", "ko": "가다 나라 도시 마을 바람 사람 여름 자리 하루 학교",
    "ja": "山田 東京 計画 時間 会社 新しい 記事 する なった 開発",
    "zh": "城市 发展 人民 时间 公司 新闻 研究 技术 工作 学生",
    "th": "ประ เทศ การ งาน ความ บ้าน เมือง น้ำ คน วัน",
}  # fmt: skip
_UNSPACED = frozenset({"ja", "zh", "th"})
_STOPS = {"ja": "。、", "zh": "。，", "th": "  ", "hi": "।,", "ar": ".،", "fa": ".،"}
#: By part of a page: classes that sites give it.  Half of all pages have them, the others have made-up ones or none.
_NAMES = {
    "content": ("entry-content", "article__body", "post-content", "mw-parser-output", "story-text", "main-column"),
    "nav": ("nav-menu", "main-navigation", "menu", "navbar-nav", "site-links"),
    "header": ("site-header", "masthead", "top-bar"),
    "footer": ("site-footer", "footer-widgets", "bottom"),
    "sidebar": ("sidebar", "widget-area", "rail"),
    "comments": ("comments-area", "comment-list", "discussion", "responses"),
    "related": ("related-posts", "more-stories", "recommended", "read-next"),
    "promo": ("newsletter-signup", "promo-box", "subscribe", "cta"),
    "byline": ("byline", "entry-meta", "article-info"),
    "consent": ("cookie-banner", "consent", "gdpr-notice"),
}


class _Writer:
    """Writes texts in a language, and names elements as one site does."""

    def __init__(self, language: str, random: Random) -> None:
        self.language, self.random = language, random
        self.space = "" if language in _UNSPACED else " "
        self.stop, self.comma = tuple(_STOPS.get(language, ".,"))
        self.naming = random.choice(("class", "class", "made-up", "none"))
        self.stopwords, self.syllables = _words_of(language), _LANGUAGES[language].split()

    def words(self, least: int, most: int) -> str:
        random = self.random
        count = random.randint(least, most)
        return self.space.join(
            random.choice(self.stopwords)
            if self.stopwords and random.random() < 0.45
            else "".join(random.choices(self.syllables, k=random.randint(1, 1 if self.language == "ko" else 4)))
            for _ in range(count)
        )

    def title(self, least: int = 3, most: int = 9) -> str:
        return _capital(self.words(least, most))

    def name(self) -> str:
        return " ".join(_capital("".join(self.random.choices(self.syllables, k=2))) for _ in range(2))

    def sentence(self) -> str:
        text = self.title(5, 14)
        if self.random.random() < 0.6:
            text += self.comma + self.space + self.words(3, 12)
        return text + (self.stop if self.random.random() < 0.9 else "?")

    def text(self, least: int = 1, most: int = 6) -> str:
        return self.space.join(self.sentence() for _ in range(self.random.randint(least, most)))

    def label(self, kind: str) -> str:
        return _capital(self.random.choice(MARKERS[kind][self.language].split(", ")))

    def date(self) -> str:
        random = self.random
        return f"{random.randint(1, 28)}.{random.randint(1, 12)}.{random.randint(2001, 2024)}" + random.choice(
            ("", f" {random.randint(0, 23)}:{random.randint(10, 59)}")
        )

    def link(self, text: str) -> HtmlElement:
        return builder.E("a", text, href=f"/{self.random.randint(1, 9999)}")

    def e(
        self, tag: str, *children: HtmlElement | str, part: str = "", role: str = "", **attributes: str
    ) -> HtmlElement:
        made = builder.E(tag, *children, **attributes)
        if part and self.naming != "none":
            names = _NAMES[part]
            known = names[hash_of(self.naming, part, self.language) % len(names)]
            made.set("class", known if self.naming == "class" else f"css-{hash_of(part, known) % 99999:x}")
        if role:
            made.set(ROLE, role)
        return made

    def some(self, least: int, most: int) -> range:
        return range(self.random.randint(least, most))

    def list_of(self, items: Sequence[HtmlElement | str], tag: str = "ul", *, role: str = "") -> HtmlElement:
        return self.e(tag, *(self.e("li", item) for item in items), role=role)

    def paragraphs(self, least: int, most: int, role: str = CONTENT) -> list[HtmlElement]:
        return [self.e("p", *self._with_inline(self.text()), role=role) for _ in self.some(least, most)]

    def _with_inline(self, text: str) -> list[HtmlElement | str]:
        if self.random.random() < 0.7 or len(text) < 80:
            return [text]
        at = self.random.randint(20, 60)
        return [text[:at], self.link(text[at : at + 12]), text[at + 12 :]]

    def heading(self, level: int = 2) -> HtmlElement:
        return self.e(f"h{level}", self.title(1, 6), role=CONTENT)

    def table(self, rows: range, columns: int) -> HtmlElement:
        def cell(row: int, column: int) -> str:
            return self.title(1, 3) if not row or not column else f"{self.random.randint(1, 9999)}"

        lines = (
            self.e("tr", *(self.e("td" if row else "th", cell(row, column)) for column in range(columns)))
            for row in rows
        )
        return self.e("table", *lines, role=CONTENT)


def hash_of(*names: str) -> int:
    """Return a number that is the same for the same names."""
    return random_of(*names).getrandbits(30)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _words_of(language: str) -> list[str]:
    library = find_library()
    known = library.find(language)
    return sorted(word for word in library.words(known) if len(word) < 9)[:300] if known else []


# Content.


def _article(w: _Writer) -> Iterator[HtmlElement]:
    if w.random.random() < 0.6:
        yield w.e(w.random.choice(("p", "h2", "div")), w.text(1, 2), role=CONTENT)
    for _ in w.some(2, 5):
        yield from w.paragraphs(2, 5)
        if w.random.random() < 0.4:
            yield w.heading()
        if w.random.random() < 0.3:
            yield w.e("blockquote", w.e("p", w.text(1, 2)), role=CONTENT)
        if w.random.random() < 0.4:
            yield w.random.choice((_promotion, _teasers))(w)


def _encyclopedia(w: _Writer) -> Iterator[HtmlElement]:
    yield w.table(w.some(4, 12), 2)
    yield from w.paragraphs(1, 3)
    for _ in w.some(3, 7):
        yield w.heading()
        yield from w.paragraphs(1, 4)
        if w.random.random() < 0.3:
            yield w.list_of([w.title(2, 8) + f" ({w.random.randint(1950, 2023)})" for _ in w.some(4, 25)], role=CONTENT)
        if w.random.random() < 0.2:
            yield w.table(w.some(4, 15), w.random.randint(3, 6))
    yield w.heading()
    # Most people who label pages leave sources out, and keep notes that say something.
    if w.random.random() < 0.5:
        yield w.list_of([f"↑ {w.text(1, 2)}" for _ in w.some(3, 15)], "ol", role=CONTENT)
    else:
        yield w.list_of([w.e("span", w.name(), ": ", w.link(w.title()), ", ", w.date()) for _ in w.some(5, 40)], "ol")


def _disambiguation(w: _Writer) -> Iterator[HtmlElement]:
    yield w.e("p", w.title(2, 6) + ":", role=CONTENT)
    for _ in w.some(1, 4):
        yield w.list_of([w.e("span", w.link(w.title(1, 4)), ", ", w.words(2, 8)) for _ in w.some(3, 9)], role=CONTENT)


def _documentation(w: _Writer) -> Iterator[HtmlElement]:
    for _ in w.some(3, 8):
        yield w.heading(w.random.randint(2, 3))
        yield from w.paragraphs(1, 3)
        if w.random.random() < 0.5:
            code = "\n".join(f"{w.random.choice(w.syllables)} = call({w.random.randint(0, 99)})" for _ in w.some(1, 9))
            yield w.e("pre", w.e("code", code), role=CONTENT)
        if w.random.random() < 0.4:
            yield w.list_of([w.text(1, 1) for _ in w.some(3, 8)], w.random.choice(("ul", "ol")), role=CONTENT)
        if w.random.random() < 0.2:
            yield w.table(w.some(3, 9), 3)


def _law(w: _Writer) -> Iterator[HtmlElement]:
    for number in w.some(5, 25):
        yield w.e(w.random.choice(("h3", "p", "b")), f"§ {number + 1} {w.title(1, 4)}", role=CONTENT)
        for part in w.some(1, 4):
            yield w.e("p", f"({part + 1}) {w.text(1, 3)}", role=CONTENT)


def _recipe(w: _Writer) -> Iterator[HtmlElement]:
    yield from w.paragraphs(1, 3)
    yield w.heading()
    yield w.list_of([f"{w.random.randint(1, 500)} g {w.words(1, 3)}" for _ in w.some(4, 14)], role=CONTENT)
    yield w.heading()
    yield w.list_of([w.text(1, 3) for _ in w.some(3, 9)], w.random.choice(("ol", "ul")), role=CONTENT)
    yield w.e("div", f"{w.random.randint(1, 50)}/5 ★")


def _live_blog(w: _Writer) -> Iterator[HtmlElement]:
    for _ in w.some(5, 25):
        parts = [w.e("time", w.date(), role="byline"), w.heading(3), *w.paragraphs(1, 3)]
        yield w.e(w.random.choice(("div", "article", "section")), *parts, w.link(w.label("share")))


def _answers(w: _Writer) -> Iterator[HtmlElement]:
    yield w.e("div", *w.paragraphs(1, 3, POST))
    for _ in w.some(1, 6):
        votes = w.e("div", str(w.random.randint(0, 300)))
        yield w.e(
            "div",
            votes,
            w.e("div", *w.paragraphs(1, 4, POST)),
            w.e("div", w.name(), role="byline"),
            w.link(w.label("reply")),
        )


def _interview(w: _Writer) -> Iterator[HtmlElement]:
    names = [w.name(), w.name()]
    tag = w.random.choice(("p", "div"))
    for number in w.some(8, 40):
        speaker = w.e(w.random.choice(("b", "strong")), names[number % 2] + ":")
        yield w.e(tag, speaker, " " + w.text(1, 4 if number % 2 else 1), role=CONTENT)


def _product(w: _Writer) -> Iterator[HtmlElement]:
    yield w.e("div", f"{w.random.randint(1, 999)},00 €")
    yield w.e("button", w.label("shop"))
    yield from w.paragraphs(1, 3)
    yield w.list_of([w.title(3, 9) for _ in w.some(3, 8)], role=CONTENT)
    yield w.table(w.some(4, 12), 2)


def _collection(w: _Writer) -> Iterator[HtmlElement]:
    yield from w.paragraphs(0, 2)
    for _ in w.some(6, 24):
        title = w.e("h3", w.link(w.title(2, 7)), role=CONTENT)
        yield w.e(
            w.random.choice(("div", "article")), title, w.e("p", w.text(1, 2), role=CONTENT), w.e("span", w.date())
        )


def _forum(w: _Writer) -> Iterator[HtmlElement]:
    tag = w.random.choice(("div", "li", "article"))
    posts = []
    for _ in w.some(3, 15):
        body = w.e("div", *w.paragraphs(1, 3, POST))
        if w.random.random() < 0.4:
            body.insert(0, w.e("blockquote", w.e("p", w.text(1, 3)), role=POST))
        user = w.e("div", w.link(w.name()), w.e("span", f"{w.label('posted')} {w.date()}"), role="byline")
        posts.append(w.e(tag, user, body, w.list_of([w.link(w.label("reply")), w.link(w.label("share"))])))
    yield w.e("ol" if tag == "li" else "div", *posts)


def _paper(w: _Writer) -> Iterator[HtmlElement]:
    yield w.e("div", *(w.e("span", w.name(), w.e("sup", "1"), ", ") for _ in w.some(2, 6)), role="byline")
    yield w.e("div", w.heading(), *w.paragraphs(1, 1))
    for section in w.some(3, 7):
        yield w.e("h2", f"{section + 1}. {w.title(1, 4)}", role=CONTENT)
        yield from w.paragraphs(2, 5)
        if w.random.random() < 0.4:
            caption = w.e("figcaption", w.text(1, 2), role=CONTENT)
            yield w.e("figure", w.e("img", src="figure.png"), caption)
        if w.random.random() < 0.2:
            yield w.table(w.some(4, 12), w.random.randint(3, 6))
    sources = [f"{w.name()} ({w.random.randint(1950, 2023)}). {w.title(4, 10)}." for _ in w.some(8, 40)]
    yield w.e("div", w.e("h2", w.title(1, 1)), w.list_of(sources, "ol"))


def _transcript(w: _Writer) -> Iterator[HtmlElement]:
    names = [w.name() for _ in w.some(2, 4)]
    tags = w.random.choice((("div", "div", "span", "div"), ("table", "tr", "td", "td"), ("dl", "div", "dt", "dd")))
    lines = []
    for minute in w.some(10, 50):
        who = w.e(tags[2], f"[00:{minute:02}:{w.random.randint(10, 59)}] {w.random.choice(names)}", role=CONTENT)
        lines.append(w.e(tags[1], who, w.e(tags[3], w.text(1, 5), role=CONTENT)))
    yield w.e(tags[0], *lines)


def _newsletter(w: _Writer) -> Iterator[HtmlElement]:
    def laid_out(*children: HtmlElement) -> HtmlElement:
        return w.e("table", w.e("tr", w.e("td", *children)))

    for _ in w.some(3, 9):
        heading = w.heading(w.random.randint(2, 3))
        yield laid_out(laid_out(heading, *w.paragraphs(1, 3), w.e("p", w.link(w.label("more")))))
        if w.random.random() < 0.2:
            yield laid_out(_promotion(w))
    yield laid_out(w.e("p", w.text(1, 2), " ", w.link(w.label("subscribe")), role="legal"))


#: By kind: the page type, and what makes its content.
KINDS: dict[str, tuple[str, Callable[[_Writer], Iterator[HtmlElement]]]] = {
    "news": ("article", _article), "interview": ("article", _interview), "live": ("article", _live_blog),
    "encyclopedia": ("documentation", _encyclopedia), "names": ("documentation", _disambiguation),
    "documentation": ("documentation", _documentation), "law": ("documentation", _law),
    "recipe": ("article", _recipe), "answers": ("forum", _answers), "forum": ("forum", _forum),
    "product": ("product", _product), "collection": ("collection", _collection),
    "paper": ("documentation", _paper), "transcript": ("article", _transcript), "newsletter": ("article", _newsletter),
}  # fmt: skip


# What stands around it.


def _promotion(w: _Writer) -> HtmlElement:
    box = w.e(w.random.choice(("div", "aside", "section")), w.e("p", w.text(1, 2)), part="promo")
    box.append(w.link(w.label("subscribe")))
    return box


def _teasers(w: _Writer) -> HtmlElement:
    with_text = w.random.random() < 0.5
    items = [w.e("div", w.link(w.title(4, 10)), *([w.e("p", w.text(1, 1))] if with_text else [])) for _ in w.some(3, 8)]
    return w.e("div", w.e("h3", w.label("related")), w.list_of(items), part="related", role="related")


def _comments(w: _Writer) -> HtmlElement:
    items = []
    for _ in w.some(2, 9):
        head = w.e(w.random.choice(("div", "b", "span")), w.name(), " ", w.date())
        items.append(w.e("div", head, w.e(w.random.choice(("p", "div")), w.text(1, 4)), w.link(w.label("reply"))))
    return w.e("section", w.e("h3", w.label("comment")), w.list_of(items), part="comments", role="comment")


def _consent(w: _Writer) -> HtmlElement:
    return w.e(
        "div",
        w.e("p", f"{w.label('cookie')}: {w.text(1, 3)}"),
        w.e("button", w.title(1, 2)),
        part="consent",
        role="consent",
    )


def _page(w: _Writer, page_type: str, content: Sequence[HtmlElement]) -> HtmlElement:
    """Return a page in one of the layouts."""
    title = w.title()
    menu = w.list_of([w.link(w.title(1, 2)) for _ in w.some(5, 20)], role="navigation")
    byline = w.e("div", f"{w.label('author')}: {w.name()}, {w.date()}", part="byline", role="byline")
    body = [w.e("h1", title, role="headline"), byline, w.e("div", *content, part="content")]
    if page_type == "article":
        body += [make(w) for make in (_teasers, _comments, _promotion) if w.random.random() < 0.5]
    if w.random.random() < 0.5:
        body.append(w.e("p", *(w.link(w.title(1, 1)) for _ in w.some(2, 6))))
    beside = [
        w.e("div", w.e("h4", w.label("popular")), w.list_of([w.link(w.title()) for _ in w.some(3, 9)]), role="related")
    ]
    beside += [_promotion(w)] if w.random.random() < 0.5 else []
    foot = [
        w.e("p", f"© 2019 {w.name()}. {w.label('legal')}", role="legal"),
        w.list_of([w.link(w.title(1, 3)) for _ in range(6)], role="navigation"),
    ]
    page = w.e("body")
    layout = w.random.choice(("landmarks", "divs", "tables"))
    if layout == "tables":
        links = w.e("td", *(part for item in menu for part in (*item, w.e("br"))), role="navigation")
        row = w.e("tr", links, w.e("td", *body), w.e("td", *beside))
        page.append(w.e("table", w.e("tr", w.e("td", w.title(1, 3))), row, w.e("tr", w.e("td", *foot))))
    else:
        tags = ("header", "main", "aside", "footer") if layout == "landmarks" else ("div",) * 4
        page.append(w.e(tags[0], w.link(w.name()), w.e("nav" if layout == "landmarks" else "div", menu, part="nav")))
        page.append(w.e(tags[1], *body))
        page.append(w.e(tags[2], *beside, part="sidebar"))
        page.append(w.e(tags[3], *foot, part="footer"))
    if w.random.random() < 0.3:
        page.insert(w.random.choice((0, len(page))), _consent(w))
    root = builder.E("html", builder.E("head", builder.E("title", title)), page)
    root.set("lang", w.language)
    return root


def made_page(number: int) -> Document:
    """Return a page with what is content in it as its gold text, and the type of its kind."""
    kind = [*KINDS][number % len(KINDS)]
    random = random_of("made", str(number))
    writer = _Writer(random.choice([*_LANGUAGES]), random)
    page_type, make = KINDS[kind]
    root = _page(writer, page_type, [*make(writer)])
    content = root.xpath(f"//*[@{ROLE}='{CONTENT}' or @{ROLE}='{POST}']")
    gold = "\n".join("\n".join(element.itertext()) for element in content)
    html = tostring(root, encoding="utf-8", method="html")
    return Document(f"made-{kind}-{number}", html, "utf-8", "data set", 1.0, gold, page_type=page_type)
