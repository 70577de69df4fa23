"""A newspaper's site: a front page, listings and feeds of tags with leads, articles, copies, an article of three pages.

Every text is made up of its own name, so that no two of them have five words in common.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
        return "\n\n".join([self.headline, *self.paragraphs])


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
POSTS = [make_article(number, 4) for number in range(31, 35)]
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


def _teasers(articles: Iterable[Article], shape: str) -> str:
    shapes = {
        "cards": '<article><h2><a href="{0.path}">{0.headline}</a></h2><p>{0.lead}</p></article>',
        "more": '<div><h3>{0.headline}</h3><p>{0.lead}</p><a href="{0.path}">Read more</a></div>',
        "list": '<li><a href="{0.path}">{0.headline}</a><p>{0.lead}</p></li>',
    }
    return "".join(shapes[shape].format(article) for article in articles)


def _article(article: Article, paragraphs: Sequence[str], links: Sequence[str] = ()) -> str:
    texts = "".join(f"<p>{text}</p>" for text in paragraphs)
    byline = '<p class="byline">By <a href="/people/jane">Jane Doe</a></p>'
    title = f"{article.headline} – {SITE_NAME}"
    return _page(title, f"<article><h1>{article.headline}</h1>{byline}{texts}</article>", links)


def _print_view(article: Article) -> str:
    texts = "".join(f"<p>{text}</p>" for text in article.paragraphs)
    return f"<title>{article.headline}</title><body><h1>{article.headline}</h1>{texts}</body>"


def _pages() -> dict[str, str]:
    by_tag = {f"/tag/{number}": ARTICLES[number * 3 : number * 3 + 1 + number % 3] for number in range(6)}
    listings = {f"/news?page={number}": ARTICLES[number * 8 - 8 : number * 8] for number in (1, 2, 3)}
    links = [*listings, *by_tag, "/blog", LONG.path, *(article.path for article in POSTS)]
    pages = {
        "/": _page(SITE_NAME, f"<h1>{SITE_NAME}</h1>" + _teasers([*ARTICLES[:10], *ARTICLES[-2:]], "cards"), links),
        # The same under another address.
        "/index.html": _page(
            SITE_NAME, f"<h1>{SITE_NAME}</h1>" + _teasers([*ARTICLES[:10], *ARTICLES[-2:]], "cards"), links
        ),
    }
    for path, articles in listings.items():
        pages[path] = _page(f"News – {SITE_NAME}", f"<h1>News</h1>{_teasers(articles, 'more')}", listings)
    for path, articles in by_tag.items():
        pages[path] = _page(f"{path} – {SITE_NAME}", f"<h1>Tag</h1><ul>{_teasers(articles, 'list')}</ul>")
    in_full = (
        f'<h2><a href="{post.path}">{post.headline}</a></h2>' + "".join(f"<p>{text}</p>" for text in post.paragraphs)
        for post in POSTS
    )
    pages["/blog"] = _page(f"Blog – {SITE_NAME}", "".join(in_full))
    for article in [*ARTICLES, *POSTS]:
        pages[article.path] = _article(article, article.paragraphs, [f"{article.path}/print"])
        pages[f"{article.path}/print"] = _print_view(article)
    first = 0
    for path, count in LONG.pages:
        texts = LONG.paragraphs[first : first + count]
        pages[path] = _article(LONG, texts, [path for path, _ in LONG.pages])
        first += count
    return pages


PAGES = _pages()
#: What announces articles.
LISTINGS = [path for path in PAGES if not path.startswith(("/news/", "/long/"))]
PRINT_VIEWS = [path for path in PAGES if path.endswith("/print")]
