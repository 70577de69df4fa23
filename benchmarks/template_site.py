"""Make up sites, one for each of ten languages: pages of one template, whose boilerplate reads like content.

The sentences are the demo site's.  The article of a page is drawn from those of its language by the page's number: no
two are the same, and each is the same every time.  The template's texts are drawn once for each language.
"""

from __future__ import annotations

import re
from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.pages import DEMO_PAGES
from scrapy_justext import extract

if TYPE_CHECKING:
    from collections.abc import Iterator

LANGUAGES = ("en", "ar", "cs", "de", "el", "es", "fr", "hi", "ko", "ru")
_SENTENCE_END = re.compile(r"(?<=[.!?।؟])\s+")
#: Characters: shorter sentences are headlines, longer ones could not be split.
_LENGTHS = range(40, 300)

_TEMPLATE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title></head><body>
<header><ul>{menu}</ul><p>{banner}</p></header>
<main><h1>{title}</h1>
<p>{date}</p>
{article}
<aside><p>{subscribe}</p><p>{teaser}</p></aside></main>
<footer><p>{about}</p><p>{legal}</p><p><a href="/legal">Legal</a></p></footer>
</body></html>
"""


class Page(NamedTuple):
    """A made-up page: its address, its HTML, and the text that is to be found in it."""

    url: str
    html: str
    gold: str


def make_pages(language: str, count: int) -> Iterator[Page]:
    """Yield the first pages of a language's site."""
    for number in range(count):
        random = Random(f"article {language} {number}")
        title = _text(random, language, 1)
        paragraphs = [_text(random, language, random.randint(2, 5)) for _ in range(random.randint(4, 9))]
        html = _TEMPLATE.format(
            language=language,
            title=title,
            menu="".join(f'<li><a href="/section/{entry}">Section {entry}</a></li>' for entry in range(30)),
            date=f"{number % 28 + 1}.{number % 12 + 1}.2024",
            article="\n".join(f"<p>{paragraph}</p>" for paragraph in paragraphs),
            **_template_texts(language),
        )
        yield Page(f"http://{language}.example/{number}", html, "\n".join([title, *paragraphs]))


@cache
def _template_texts(language: str) -> dict[str, str]:
    """Return what all pages of a language have in common."""
    random = Random(f"template {language}")
    lengths = {"banner": 3, "subscribe": 3, "teaser": 2, "about": 4, "legal": 4}
    return {name: _text(random, language, sentences) for name, sentences in lengths.items()}


def _text(random: Random, language: str, sentences: int) -> str:
    return " ".join(random.sample(_sentences(language), sentences))


@cache
def _sentences(language: str) -> list[str]:
    """Return the sentences of a language's pages on the demo site."""
    folders = ["blog", "docs", "history", "news", "wiki"] if language == "en" else [language]
    files = sorted(file for folder in folders for file in (DEMO_PAGES / folder).rglob("*.html"))
    texts = [text for file in files for text in extract(file.read_text("utf-8")).paragraphs]
    sentences = dict.fromkeys(sentence for text in texts for sentence in _SENTENCE_END.split(text))
    return [sentence for sentence in sentences if len(sentence) in _LENGTHS]
