"""A newspaper's site: a front page, listings and feeds of tags with leads, articles, copies, an article of three pages.

Every text is made up of its own name, so that no two of them have five words in common.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

_FUNCTION = (
    "the", "of", "and", "to", "a", "in", "that", "it", "was", "for", "on", "as", "with", "his", "her", "they", "had",
    "at", "which", "be", "by", "this", "not", "but", "from", "or",
)  # fmt: skip
_CONTENT = (
    "river", "bridge", "baker", "school", "winter", "market", "mayor", "stone", "letter", "boat", "lantern", "garden",
    "teacher", "village", "harvest", "church", "horse", "train", "window", "storm", "summer", "field", "kitchen",
    "doctor", "sailor", "miller", "forest", "shepherd", "painter", "library", "clock", "island",
)  # fmt: skip

SITE_NAME = "The Averley Courier"
LEGAL = "All rights reserved, the publisher"


#: What a heading among the paragraphs begins with.
HEADING = "### "


def prose(name: str, words: int) -> str:
    """A paragraph of so many words that is like no other."""
    numbers = random.Random(name)
    chosen = [numbers.choice(_CONTENT if i % 2 else _FUNCTION) for i in range(words)]
    chosen[0] = chosen[0].capitalize()
    return " ".join(chosen) + "."


@dataclass(frozen=True)
class Article:
    """What stands in an article."""

    path: str
    headline: str
    paragraphs: Sequence[str]
    #: The paths of its pages, and how many paragraphs each of them has.
    pages: Sequence[tuple[str, int]] = field(default=())

    @property
    def lead(self) -> str:
        return self.paragraphs[0]

    @property
    def text(self) -> str:
        """What an item is to have, word by word."""
        return "\n\n".join([self.headline, *(text.removeprefix(HEADING) for text in self.paragraphs)])


def make_article(number: int, paragraphs: int = 6) -> Article:
    name = f"article {number}"
    texts = [prose(f"{name}, paragraph {i}", 45 + 5 * (i % 3)) for i in range(paragraphs)]
    return Article(f"/news/{number}", prose(f"{name}, headline", 7).rstrip("."), texts)


#: Two of them are shorter than what the front page says.
ARTICLES = [*(make_article(number) for number in range(1, 21)), make_article(21, 1), make_article(22, 2)]
LONG = Article(
    "/long/bridge",
    "How the bridge was built, and why it fell",
    [prose(f"long, paragraph {i}", 50) for i in range(9)],
    [("/long/bridge", 3), ("/long/bridge/2", 3), ("/long/bridge/3", 3)],
)
POSTS = [
    replace(post, paragraphs=[*post.paragraphs[:2], f"{HEADING}How it went on, {post.path}", *post.paragraphs[2:]])
    for post in (make_article(number, 4) for number in range(31, 35))
]
ALL = [*ARTICLES, LONG, *POSTS]
TEXTS = {article.path: article.text for article in ALL}


def _page(title: str, content: str, links: Iterable[str] = ()) -> str:
    menu = "".join(f'<li><a href="{path}">{name}</a></li>' for name, path in (("Home", "/"), ("News", "/news")))
    more = "".join(f'<li><a href="{path}">{number}</a></li>' for number, path in enumerate(links, 1))
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{title}</title></head><body><nav><ul>{menu}</ul></nav>'
        f"<main>{content}</main><ul>{more}</ul><footer><p>{LEGAL}</p><p><a href='/imprint'>Imprint</a></p></footer>"
        "</body></html>"
    )


#: How listings show an article.
SHAPES = {
    "cards": '<article><h2><a href="{0.path}">{0.headline}</a></h2><p>{0.lead}</p></article>',
    "more": '<div><h3>{0.headline}</h3><p>{0.lead}</p><a href="{0.path}">Read more</a></div>',
    "list": '<li><a href="{0.path}">{0.headline}</a><p>{0.lead}</p></li>',
    "image": '<article><a href="{0.path}"><img src="{0.path}.jpg"></a><h3>{0.headline}</h3><p>{0.lead}</p></article>',
    "stretched": '<div><a class="card" href="{0.path}"></a><h3>{0.headline}</h3><p>{0.lead}</p></div>',
    "inside": '<div><h3>{0.headline}</h3><p>{0.lead} <a href="{0.path}">Read more</a></p></div>',
    "date": '<div><h2><a href="{0.path}">{0.headline}</a></h2><h4>The third of May</h4><p>{0.lead}</p></div>',
    "break": '<p><a href="{0.path}">{0.headline}</a><br>{0.lead}</p>',
    "whole": '<a href="{0.path}"><h3>{0.headline}</h3><p>{0.lead}</p></a>',
}
ARCHIVES = ["/blog", "/blog/may", "/blog/jane", "/blog/bridges", "/blog/all"]


def _teasers(articles: Iterable[Article], shape: str) -> str:
    return "".join(SHAPES[shape].format(article) for article in articles)


def _texts(paragraphs: Iterable[str]) -> str:
    return "".join(
        f"<h3>{text.removeprefix(HEADING)}</h3>" if text.startswith(HEADING) else f"<p>{text}</p>"
        for text in paragraphs
    )


def _article(article: Article, paragraphs: Sequence[str], links: Sequence[str] = ()) -> str:
    texts = _texts(paragraphs)
    byline = '<p class="byline">By <a href="/people/jane">Jane Doe</a></p>'
    title = f"{article.headline} – {SITE_NAME}"
    return _page(title, f"<article><h1>{article.headline}</h1>{byline}{texts}</article>", links)


def _print_view(article: Article) -> str:
    texts = _texts(article.paragraphs)
    return f"<title>{article.headline}</title><body><h1>{article.headline}</h1>{texts}</body>"


def make_pages(shape: str | None = None) -> dict[str, str]:
    """The pages of the site; ``shape``: how all listings show articles."""
    by_tag = {f"/tag/{number}": ARTICLES[number * 3 : number * 3 + 1 + number % 3] for number in range(6)}
    listings = {f"/news?page={number}": ARTICLES[number * 8 - 8 : number * 8] for number in (1, 2, 3)}
    links = [*listings, *by_tag, *ARCHIVES, LONG.path, *(article.path for article in POSTS)]
    front = f"<h1>{SITE_NAME}</h1>" + _teasers([*ARTICLES[:10], *ARTICLES[-2:]], shape or "cards")
    # The same under two addresses.
    pages = dict.fromkeys(("/", "/index.html"), _page(SITE_NAME, front, links))
    for path, articles in listings.items():
        pages[path] = _page(f"News – {SITE_NAME}", f"<h1>News</h1>{_teasers(articles, shape or 'more')}", listings)
    for path, articles in by_tag.items():
        pages[path] = _page(f"{path} – {SITE_NAME}", f"<h1>Tag</h1><ul>{_teasers(articles, shape or 'list')}</ul>")
    in_full = "".join(f'<h2><a href="{post.path}">{post.headline}</a></h2>{_texts(post.paragraphs)}' for post in POSTS)
    for path in ARCHIVES:
        pages[path] = _page(f"{path} – {SITE_NAME}", in_full)
    for article in [*ARTICLES, *POSTS]:
        pages[article.path] = _article(article, article.paragraphs, [f"{article.path}/print"])
        pages[f"{article.path}/print"] = _print_view(article)
    first = 0
    for path, count in LONG.pages:
        texts = LONG.paragraphs[first : first + count]
        pages[path] = _article(LONG, texts, [path for path, _ in LONG.pages])
        first += count
    return pages


PAGES = make_pages()
#: What announces articles.
LISTINGS = [path for path in PAGES if not path.startswith(("/news/", "/long/"))]
PRINT_VIEWS = [path for path in PAGES if path.endswith("/print")]
