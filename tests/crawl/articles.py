"""Made-up sites with texts of several pages: articles, which are joined, and what looks like them, which is not."""

from collections.abc import Sequence
from typing import NamedTuple

SENTENCES = (
    "It was said in the town that the old bridge had been there before any of the houses, and that it would still be "
    "there when all of them were gone, which was what the people on the other side of the river had always hoped.",
    "Nobody knew who had built it, but there was not a child who could not tell you what had been seen under it in the "
    "winter of the great flood, when the water was so high that the boats were tied to the windows of the school.",
    "In the summer it was so low that you could walk from one side to the other without getting your feet wet; "
    "this was how the market came to be on both of them, and why the two halves of it never agreed on a price.",
    "When the mayor had the stones counted, there were more of them than there had been in his father's time, and he "
    "wrote to the capital to ask whether a bridge can grow, but the answer that he got was about something else.",
)
MENU = "".join(
    f'<li><a href="/{name.lower()}">{name}</a></li>' for name in ("Home", "News", "Sport", "Weather", "Legal")
)
RELATED = "".join(
    f'<p><a href="/other/{n}">{text}</a></p>'
    for n, text in enumerate(
        ("Why the ferry does not sail on Mondays any more", "What the lighthouse keeper saw that night")
    )
)
FOOTER = "<p>All rights reserved, the publisher</p><p><a href='/imprint'>Imprint</a></p>"


def text(number: int, name: str = "") -> str:
    """The text of a page."""
    return f"{SENTENCES[(number - 1) % len(SENTENCES)]} This was part {number} of the story{name}."


def html(title: str, content: str, *, head: str = "", links: str = "", related: str = RELATED) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{title}</title>{head}</head><body><ul>{MENU}</ul>'
        f"{content}<div>{links}</div><div>{related}</div>{FOOTER}</body></html>"
    )


def links(*addresses: str) -> str:
    return " ".join(f'<a href="{address}">{n}</a>' for n, address in enumerate(addresses, 1))


class Shape(NamedTuple):
    """The pages of a site by their paths, the first one first."""

    pages: dict[str, str]
    joined: int
    """How many of them are an article; 1 for pages that stand alone."""

    @property
    def first(self) -> str:
        return next(iter(self.pages))


def article(paths: Sequence[str], *, titles: Sequence[str] = (), head: bool = False, repeated: str = "") -> Shape:
    """An article whose pages link to one another.  ``repeated``: what each of them repeats."""
    pages = {}
    for n, path in enumerate(paths, 1):
        following = f'<link rel="next" href="{paths[n]}">' if head and n < len(paths) else ""
        title = titles[n - 1] if titles else "The bridge that grows – The Averley Courier"
        content = f"<h1>The bridge that grows</h1>{repeated}<p>{text(n)}</p>"
        pages[path] = html(title, content, head=following, links="" if head else links(*paths))
    return Shape(pages, len(paths))


def teasers(page: int) -> str:
    return "".join(
        f'<h2><a href="/story/{page}-{n}">Story number {n} of page {page}, and its long headline</a></h2>'
        f"<p>{SENTENCES[n]}</p>"
        for n in range(4)
    )


def posts(page: int) -> str:
    return "".join(
        f'<h2><a href="/post/{page}-{n}">Post {page}{n}</a></h2><p>{text(n + 1, f", post {page}{n}")}</p>'
        for n in range(3)
    )


def several(
    paths: Sequence[str], contents: Sequence[str], title: str = "News – The Averley Courier", **how: str
) -> Shape:
    """Pages that are numbered, and no article."""
    pages = {
        path: html(title, content, links=links(*paths), **how) for path, content in zip(paths, contents, strict=True)
    }
    return Shape(pages, 1)


def part(number: int, name: str = "") -> str:
    return f"<h1>The bridge that grows</h1><p>{text(number, name)}</p>"


PARTS = '{"@type": "Article", "hasPart": [{"@id": "/j/bridge/2"}]}'
SUMMARY = f"<p>{SENTENCES[3]}</p>"

SHAPES: dict[str, Shape] = {
    "a query": article(["/a/bridge", "/a/bridge?page=2", "/a/bridge?page=3"]),
    "a query beside another": article(["/b/show?id=7", "/b/show?id=7&p=2"]),
    "a path": article(["/c/bridge", "/c/bridge/2", "/c/bridge/3"]),
    "a path with a word": article(["/d/bridge/", "/d/bridge/page/2/", "/d/bridge/page/3/"]),
    "a number before the extension": article(["/e/bridge.html", "/e/bridge-2.html", "/e/bridge-3.html"]),
    "a comma": article(["/f/bridge,1.html", "/f/bridge,2.html"]),
    "rel=next alone": article(["/g/bridge", "/g/bridge/2", "/g/bridge/3"], head=True),
    "rel=next in words": article(["/h/bridge", "/h/bridge/second-part"], head=True),
    "a next that leads back": Shape(
        {
            f"/w/bridge{path}": html("The bridge", part(n), head=f'<link rel="next" href="/w/bridge/{following}">')
            for n, (path, following) in enumerate(
                [("", "second-part"), ("/second-part", "third-part"), ("/third-part", "second-part")], 1
            )
        },
        3,
    ),
    "titles with numbers": article(
        ["/i/bridge?seite=1", "/i/bridge?seite=2"],
        titles=["Die Brücke, die wächst – Kurier", "Die Brücke, die wächst – Seite 2 von 2 – Kurier"],
    ),
    "JSON-LD": Shape(
        {
            "/j/bridge": html("The bridge", part(1), head=f'<script type="application/ld+json">{PARTS}</script>'),
            "/j/bridge/2": html("The bridge", part(2)),
        },
        2,
    ),
    "a summary on each page": article(["/k/bridge", "/k/bridge/2"], repeated=SUMMARY),
    "another post as rel=next": Shape(
        {
            "/l/bridge": html(
                "The bridge",
                part(1),
                head='<link rel="next" href="/l/ferry">',
                links=links("/l/bridge", "/l/bridge/2/"),
            ),
            "/l/bridge/2/": html("The bridge – Page 2", part(2)),
        },
        2,
    ),
    "a listing": several(["/m/news", "/m/news?page=2"], [teasers(1), teasers(2)]),
    "posts in full": several(["/n/blog", "/n/blog/page/2"], [posts(1), posts(2)]),
    "comments": several(
        ["/o/bridge", "/o/bridge?cpage=2", "/o/bridge/comment-page-2"], [part(1), part(2), part(3)], "The bridge"
    ),
    "chapters": Shape(
        {
            f"/p/chapter-{n}": html(title, part(n), links=links("/p/chapter-1", "/p/chapter-2"))
            for n, title in enumerate(["How to cross a river", "Stones and their weight"], 1)
        },
        1,
    ),
    "the same text": several(["/q/bridge", "/q/bridge?page=2"], [part(1), part(1)], "The bridge"),
    "another template": Shape(
        {
            "/r/bridge": html("The bridge", part(1), links=links("/r/bridge", "/r/bridge/2")),
            "/r/bridge/2": f"<title>The bridge</title><body>{part(2)}<p>Log in</p><p>Forgot it?</p><p>Join us</p>",
        },
        1,
    ),
    "goods": several(
        ["/s/shop", "/s/shop?p=2"],
        [
            f"<p>{text(1)}</p>" + "".join(f'<h3><a href="/i/{page}{n}">Kettle {page}{n}</a></h3>' for n in range(6))
            for page in (1, 2)
        ],
        "Kettles",
    ),
    "another host": Shape(
        {"/t/bridge": html("The bridge", part(1), head='<link rel="next" href="http://localhost:1/t/bridge/2">')}, 1
    ),
    "the second page alone": Shape(
        {
            "/u/bridge?page=2": html(
                "The bridge", part(2), links=links("/u/bridge", "/u/bridge?page=2", "/u/bridge?page=3")
            ),
            "/u/bridge?page=3": html("The bridge", part(3)),
        },
        1,
    ),
}
