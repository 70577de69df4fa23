"""Make harder copies of labelled pages, so that models rely on no class name, no language and no clean end of a text.

* *Spliced*: comments, teasers and promotions of other pages stand in an article, and behind it.
* *Renamed*: classes and ids are away, or made-up words stand for them, as if they were foreign.
* *Rewritten*: the text is in another script; labels such as "Reply" are in a language that has it.
"""

from __future__ import annotations

import re
from hashlib import sha256
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from lxml.html import builder

from scrapy_justext.core.learned.second import MARKERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lxml.html import HtmlElement

#: How many copies of each kind are made of a page, on the average.
SPLICED, RENAMED, REWRITTEN = 0.2, 0.12, 0.15

_NAMED = ("class", "id", "role", "itemprop")
_UNSEEN = frozenset({"script", "style", "noscript", "template", "textarea"})


class Sources(NamedTuple):
    """Texts of other pages."""

    posts: Sequence[str]
    """What people write in forums."""
    headlines: Sequence[str]
    """Links to other pages."""
    texts: Sequence[str]
    """Paragraphs of articles."""
    promotions: Sequence[str]
    """Sentences that are no content."""


def random_of(*names: str) -> Random:
    """Return randomness that is the same for the same names."""
    return Random(int(sha256("\0".join(names).encode()).hexdigest(), 16))


# Splicing.


def splice(content: Sequence[HtmlElement], sources: Sources, random: Random) -> bool:
    """Put comments, teasers and promotions among and behind the elements that hold an article's text.

    Return whether there are comments among them.
    """
    content = [element for element in content if element.getparent() is not None]
    if not content:
        return False
    container = _common_ancestor(content)
    makers: list[Callable[[Sources, Random], HtmlElement]] = [_comments, _teasers, _promotion]
    chosen = random.sample(makers, random.randint(1, len(makers)))
    for make in chosen:
        made = make(sources, random)
        if make is not _comments and random.random() < 0.5:
            random.choice(content).addnext(made)
        elif container.tag != "body" and container.getparent() is not None and random.random() < 0.5:
            container.addnext(made)
        else:
            container.append(made)
    return _comments in chosen


def _common_ancestor(elements: Sequence[HtmlElement]) -> HtmlElement:
    paths = [[*reversed([*element.iterancestors()])] for element in elements]
    common = paths[0][0]
    for level in zip(*paths, strict=False):
        if any(ancestor is not level[0] for ancestor in level):
            break
        common = level[0]
    return common


#: Class names of a list and its items, in several languages; none in half of the copies.
_COMMENT_NAMES = (
    ("comments", "comment"),
    ("comment-list", "comment-body"),
    ("kommentare", "kommentar"),
    ("disqus", "post"),
)
_TEASER_NAMES = (("related", "teaser"), ("recommended", "card"), ("mais-lidas", "item"), ("more-news", "story"))
_LISTS = (("div", "div"), ("ul", "li"), ("section", "article"), ("div", "p"))


def _labels(kind: str, random: Random) -> str:
    phrase: str = random.choice(MARKERS[kind]["en"].split(", "))
    return phrase.capitalize()


def _list(
    heading: HtmlElement | None, items: Iterable[HtmlElement], names: Sequence[tuple[str, str]], random: Random
) -> HtmlElement:
    outer, inner = random.choice(_LISTS)
    outer_name, inner_name = random.choice(names) if random.random() < 0.5 else (None, None)
    made = builder.E(outer)
    if outer_name:
        made.set("class", outer_name)
    if heading is not None:
        made.append(heading)
    for item in items:
        wrapped = builder.E(inner)
        if inner_name:
            wrapped.set("class", inner_name)
        wrapped.extend(item)
        made.append(wrapped)
    return made


def _heading(text: str, random: Random) -> HtmlElement:
    return builder.E(random.choice(("h2", "h3", "h4", "div", "p")), text)


def _comments(sources: Sources, random: Random) -> HtmlElement:
    count = random.randint(2, 10)
    reply, tags = _labels("reply", random), random.choice((("span", "span"), ("div", "p"), ("b", "i")))
    heading = _heading(f"{count} {_labels('comment', random)}", random)

    def comment() -> HtmlElement:
        name = random.choice(sources.headlines).split()[0]
        day, month, year = random.randint(1, 28), random.randint(1, 12), random.randint(2010, 2024)
        when = f"{day}.{month}.{year} {random.randint(0, 23)}:{random.randint(10, 59)}"
        made = builder.E(
            "div",
            builder.E(tags[0], name),
            builder.E(tags[1], when),
            builder.E(random.choice(("p", "div")), random.choice(sources.posts)),
        )
        if random.random() < 0.7:
            made.append(builder.E("a", reply, href="#"))
        return made

    return _list(heading, [comment() for _ in range(count)], _COMMENT_NAMES, random)


def _teasers(sources: Sources, random: Random) -> HtmlElement:
    with_text = random.random() < 0.5
    heading = (
        _heading(_labels(random.choice(("related", "popular", "more")), random), random)
        if random.random() < 0.7
        else None
    )

    def teaser() -> HtmlElement:
        link = builder.E("a", random.choice(sources.headlines), href="/")
        made = builder.E("div", builder.E(random.choice(("h3", "h4", "p", "div")), link))
        if with_text:
            made.append(builder.E("p", random.choice(sources.texts)[: random.randint(60, 200)]))
        return made

    return _list(heading, [teaser() for _ in range(random.randint(2, 8))], _TEASER_NAMES, random)


def _promotion(sources: Sources, random: Random) -> HtmlElement:
    return builder.E(random.choice(("p", "div", "aside")), random.choice(sources.promotions))


# Renaming.

_SYLLABLES = [first + second for first in "bdfgklmprstvz" for second in "aeiou"]


def rename(root: HtmlElement, random: Random) -> None:
    """Remove the names of elements, or replace each name by a made-up word, everywhere the same."""
    seed = str(random.random())
    is_away = random.random() < 0.5
    for element in root.iter("*"):
        for attribute in _NAMED:
            value = element.get(attribute)
            if value is None:
                continue
            if is_away:
                del element.attrib[attribute]
            else:
                element.set(attribute, " ".join(_made_up(word, seed) for word in value.split()))


def _made_up(word: str, seed: str) -> str:
    random = random_of(seed, word)
    return "".join(random.choice(_SYLLABLES) for _ in range(random.randint(2, 4)))


# Rewriting.

_LATIN = "abcdefghijklmnopqrstuvwxyz"
#: Languages whose labels are taken, with letters for those of English.
_LETTERS = {
    "ru": "абцдефгхийклмнопярстувшжыз",
    "el": "αβψδεφγηιξκλμνοπχρστθωςυζη",
    "ar": "ابتدهفغحيجكلمنوپقرستعثصخزظ",
    "he": "אבצדהפגחיטכלמנופקרשתעוסזעצ",
    "hi": "अबचदएफगहइजकलमनओपखरसतउवयशझठ",
}
#: Frequent Chinese characters.
_HAN = (
    "的一是不了人在有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长"
    "知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市"
)
_ENGLISH = {phrase: kind for kind, languages in MARKERS.items() for phrase in languages["en"].split(", ")}
_LABEL = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _ENGLISH), key=len, reverse=True))})\b", re.IGNORECASE)
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")
_STOPS = str.maketrans({".": "。", ",": "，", "!": "！", "?": "？", ":": "："})


def is_latin(text: str) -> bool:
    """Return whether nearly all of a text is of the letters that :func:`rewrite` knows."""
    return len(text.encode("ascii", "ignore")) > 0.95 * len(text)


def rewrite(root: HtmlElement, random: Random) -> None:
    """Put the text in another script, with labels of one of its languages."""
    language = random.choice((*_LETTERS, "zh", "ja"))
    if language in _LETTERS:
        letters = _LETTERS[language]
        table = str.maketrans(_LATIN + _LATIN.upper(), letters + letters.upper())

        def change(text: str) -> str:
            return _translated(text, language).translate(table)
    else:

        def change(text: str) -> str:
            return _in_han(_translated(text, language))

    for element in root.iter():
        if isinstance(element.tag, str) and element.tag not in _UNSEEN and element.text:
            element.text = change(element.text)
        if element.tail:
            element.tail = change(element.tail)


def _translated(text: str, language: str) -> str:
    """Return a short text with its labels in the language."""
    if len(text) > 100:
        return text

    def label(match: re.Match[str]) -> str:
        phrases = MARKERS[_ENGLISH[match.group().lower()]][language].split(", ")
        return phrases[len(match.group()) % len(phrases)]

    return _LABEL.sub(label, text)


def _in_han(text: str) -> str:
    def characters(match: re.Match[str]) -> str:
        random = random_of(match.group().lower())
        return "".join(random.choice(_HAN) for _ in range(1 if len(match.group()) < 4 else 2))

    changed = _LATIN_WORD.sub(characters, text)
    if changed != text:
        changed = re.sub(r"(?<=[^\x00-\x7f])([.,!?:])(?=\s|$)", lambda match: match.group().translate(_STOPS), changed)
        changed = re.sub(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])", "", changed)
    return changed
