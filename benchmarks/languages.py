"""Compare languages on labelled pages: ``python -m benchmarks.languages [--calibrate | --declared]``.

The pages are those of the sets ``magic-dev`` and ``chinese-dev`` beside the checkout.  Without an option, the table
has for each language what ``justext`` and trafilatura score: the means over the pages of precision, recall and F1 of
bags of words, in scripts without spaces of characters.  Both get the pages decoded.  A page's language is that of its
gold text.

With ``--calibrate``, the thresholds of Chinese are tried on a grid.  The best ones are chosen on four fifths of the
hosts, by mean F1, and scored on the pages of the others, five times.

With ``--declared``, the languages of all labelled pages are chosen twice, with the detector alone and with declared
languages that stop words confirm; the pages on which the two differ are listed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from itertools import compress, product
from statistics import mean
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from urllib.parse import urlsplit

from benchmarks.pages import CORPORA
from benchmarks.precision import Scores
from scrapy_justext import extract
from scrapy_justext.core.extractor import Extractor
from scrapy_justext.core.language_table import CONFIRMED_FROM
from scrapy_justext.core.languages import choose_language
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.unsegmented import CHINESE, SCRIPTS
from scrapy_justext.evaluation.extractors.names import whole_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SETS = ("magic-dev", "chinese-dev")
ALL_SETS = (*SETS, "newspaper-dev", "wcxb-dev")
ENCODINGS = ("utf-8", "gb18030", "big5")
FOLDS = 5
BEST = 20

GRID = {
    "length_low": (10, 15, 20),
    "length_high": (20, 25, 30, 40, 55),
    "stopwords_low": (0.06, 0.08, 0.1, 0.12, 0.14),
    "stopwords_high": (0.08, 0.1, 0.12, 0.14, 0.16),
}

#: A character of a script without spaces, or a word.
_UNSPACED = "".join(script.characters for script in SCRIPTS)
_WORD = re.compile(f"[{_UNSPACED}]|[^\\W{_UNSPACED}]+")
_LINK = re.compile(r"https?://([\w.-]+)")


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page with its gold text."""

    data_set: str
    page_type: str
    host: str
    html: str
    gold: str

    @property
    def language(self) -> str:
        """Return the code of the gold text's language."""
        return choose_language([self.gold], [], find_library(), None).code


def labelled(sets: Sequence[str] = SETS) -> Iterator[LabelledPage]:
    """Yield the pages that have a gold text."""
    for name in sets:
        for line in gzip.decompress((CORPORA / name / "gold.jsonl.gz").read_bytes()).splitlines():
            row = json.loads(line)
            html = decode(gzip.decompress((CORPORA / name / "html" / f"{row['id']}.html.gz").read_bytes()))
            if row["main_content"].strip():
                host = urlsplit(row["url"] or "").hostname or host_of(html)
                yield LabelledPage(name, row["page_type"], host, html, row["main_content"])


def decode(body: bytes) -> str:
    """Return the text of a page in the encoding in which the fewest of its bytes are invalid; declarations lie here."""
    return min((body.decode(encoding, "replace") for encoding in ENCODINGS), key=lambda text: text.count("\ufffd"))


def host_of(html: str) -> str:
    """Return the host that a page without URL links to most often."""
    hosts = Counter(_LINK.findall(html.lower())).most_common(1)
    return hosts[0][0] if hosts else ""


def bag(text: str) -> Counter[str]:
    """Count the words of a text.

    >>> bag("读了 two books")
    Counter({'读': 1, '了': 1, 'two': 1, 'books': 1})
    """
    return Counter(_WORD.findall(text.lower()))


def score(expected: Counter[str], words: Counter[str]) -> Scores:
    """Compare bags of words; ``expected`` is not empty."""
    common = (expected & words).total()
    if not common:
        return Scores(0.0, 0.0, 0.0)
    return Scores(common / words.total(), common / expected.total(), 2 * common / (expected.total() + words.total()))


def means(scores: Sequence[Scores]) -> str:
    """Return the means of precision, recall and F1, as a row of a table."""
    return "".join(f"{mean(column):8.3f}" for column in zip(*scores, strict=True))


def compare() -> None:
    """Print the table of languages."""
    from trafilatura import extract as trafilatura  # noqa: PLC0415 (only this table needs it)

    extractors: dict[str, Callable[[str], str]] = {
        "justext": lambda html: extract(html).text,
        "trafilatura": lambda html: trafilatura(whole_document(html)) or "",
    }
    rows: defaultdict[tuple[str, str, str], dict[str, list[Scores]]] = defaultdict(lambda: defaultdict(list))
    for page in labelled():
        for name, extractor in extractors.items():
            scores = score(bag(page.gold), bag(extractor(page.html)))
            rows[page.language, page.page_type, page.data_set][name].append(scores)
            rows[page.language, "", ""][name].append(scores)
    print(f"{'':34}{'pages':>6}  {'justext: P, R, F1':26}{'trafilatura: P, R, F1'}")
    for (language, page_type, data_set), by_name in sorted(rows.items()):
        title = f"  {page_type}, {data_set}" if page_type else language
        print(f"{title:34}{len(by_name['justext']):6}{means(by_name['justext'])}  {means(by_name['trafilatura'])}")


class Tried:
    """A page that was read once, to be judged under many thresholds."""

    def __init__(self, page: LabelledPage, extractor: Extractor) -> None:
        self.host = page.host
        self._read = extractor.read(page.html)
        self._bags = [bag(segment.text) for segment in self._read.segments]
        self._gold = bag(page.gold)

    def score(self, extractor: Extractor) -> Scores:
        """Score the blocks that are good under an extractor's thresholds."""
        words_found: Counter[str] = Counter()
        for words in compress(self._bags, extractor.judge(self._read).final.are_good):
            words_found.update(words)
        return score(self._gold, words_found)


def calibrate() -> None:
    """Print what the grid scores on the Chinese pages."""
    in_force: dict[str, Any] = dict(CHINESE.thresholds)
    choices: list[dict[str, Any]] = [dict(zip(GRID, values, strict=True)) for values in product(*GRID.values())]
    choices = [choice for choice in choices if choice["stopwords_low"] <= choice["stopwords_high"]]
    extractors = [Extractor(language=CHINESE.code, **choice) for choice in [in_force, *choices]]
    pages = [Tried(page, extractors[0]) for page in labelled() if page.language == CHINESE.code]
    of_force, *columns = ([page.score(extractor) for page in pages] for extractor in extractors)
    hosts = sorted({page.host for page in pages})
    folds = [hosts.index(page.host) % FOLDS for page in pages]

    print(f"{len(pages)} pages of {len(hosts)} hosts: precision, recall, F1\n")
    held_out: list[Scores] = []
    for fold in range(FOLDS):
        best = max(range(len(choices)), key=partial(_mean_f1, columns, [fold != other for other in folds]))
        scores = list(compress(columns[best], [fold == other for other in folds]))
        held_out += scores
        print(f"{f'fold {fold}, {len(scores)} pages':20}{means(scores)}  {describe(choices[best])}")
    print(f"{'all folds':20}{means(held_out)}\n\n{'in force':20}{means(of_force)}  {describe(in_force)}")
    ranks = sorted(range(len(choices)), key=partial(_mean_f1, columns, [True] * len(pages)), reverse=True)
    for rank, i in enumerate(ranks[:BEST], start=1):
        print(f"{rank:<20}{means(columns[i])}  {describe(choices[i])}")


def compare_declared() -> None:
    """Print how many pages get the language of their gold text without and with confirmed declarations."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for page in labelled(ALL_SETS):
        with patch.dict(CONFIRMED_FROM, clear=True):
            before = extract(page.html)
        after = extract(page.html)
        counts[page.language] += Counter(
            pages=1,
            before=before.language == page.language,
            after=after.language == page.language,
            confirmed=before.language_reason != after.language_reason,
        )
        if before.language != after.language:
            print(f"{page.data_set}, {page.host}: {before.language}, with confirmed declarations {after.language}")
    columns = ("pages", "before", "after", "confirmed")
    print(f"{'':10}" + "".join(f"{column:>12}" for column in columns))
    for code, row in sorted(counts.items(), key=lambda entry: -entry[1]["pages"]):
        print(f"{code:10}" + "".join(f"{row[column]:>12}" for column in columns))


def _mean_f1(columns: Sequence[Sequence[Scores]], chosen: Sequence[bool], i: int) -> float:
    return mean(scores.f1 for scores in compress(columns[i], chosen))


def describe(thresholds: Mapping[str, float]) -> str:
    """Return thresholds on a line."""
    return ", ".join(f"{name} {value:g}" for name, value in thresholds.items())


def main() -> None:
    """Print the table, or calibrate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calibrate", action="store_true", help="try thresholds of Chinese")
    parser.add_argument("--declared", action="store_true", help="compare languages with and without declarations")
    arguments = parser.parse_args()
    sets = ALL_SETS if arguments.declared else SETS
    if not all((CORPORA / name).is_dir() for name in sets):
        sys.exit(f"no labelled pages: {CORPORA} lacks {' or '.join(sets)}")
    run = calibrate if arguments.calibrate else compare_declared if arguments.declared else compare
    run()


if __name__ == "__main__":
    main()
