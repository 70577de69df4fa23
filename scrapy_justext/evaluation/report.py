"""The command ``report``: write what a run has measured for people to read, as Markdown and as one page of HTML.

One template says what is in the report; each form has the macros that write the parts.  All that comes from a page, a
data set or an extractor is escaped, in Markdown and in HTML.  Only templates, charts and what :func:`mark_run` makes
are markup.  The page of HTML needs nothing else: no script, no file beside it, no network.  The charts of the Markdown
lie in a folder beside it, where GitHub and others find them.

**The documents on which the two best extractors differ most.**  Documents are compared by F1.  An extractor that gave
no text, no right word, or failed counts with an F1 of 0.  Documents without content in the gold standard have no F1,
and are left out.  The gold text is read out of the data set, the retrieved texts out of the folder of the run.

Texts are compared word by word.  A word is a case-folded run of letters and digits; in scripts without spaces each
character is a word.  What lies between words belongs to the word before it.  Equal runs are found as in the measure
``sequence``, without difflib's ``autojunk``.  Long runs are cut in their middle, long texts at their end.
"""

from __future__ import annotations

import re
from html import escape
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from scrapy_justext.crawl.commands import on_lines
from scrapy_justext.evaluation import tables
from scrapy_justext.evaluation.charts import SHADES, draw_charts
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.kinds import ALL_MEASURES, whole_text
from scrapy_justext.evaluation.measures import BOTH_EMPTY, RELEVANT_EMPTY, matching_blocks
from scrapy_justext.evaluation.scoring import FAILED, read_results
from scrapy_justext.evaluation.statistics import RESAMPLES
from scrapy_justext.evaluation.store import open_results
from scrapy_justext.exceptions import JustextError, ParameterError, StoreError, UnknownNameError
from scrapy_justext.files import explaining, write_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Mapping, Sequence

    from scrapy_justext.evaluation.charts import Chart
    from scrapy_justext.evaluation.datasets.documents import DataSet
    from scrapy_justext.evaluation.scoring import DataSetResults, DocumentScores, MeasureResults, RunResults
    from scrapy_justext.evaluation.store import DataSetRecord

MARKDOWN_FILE = "report.md"
HTML_FILE = "report.html"
CHARTS_FOLDER = "charts"

#: Documents that are shown of them.
SHOWN_DOCUMENTS = 5

# Kinds of runs: words in both texts, a note on what is left out, words that the gold standard lacks, and words of the
# gold standard that the first, the second or both extractors missed.
EQUAL, CUT, EXTRA = "equal", "cut", "extra"
MISSED_FIRST, MISSED_SECOND, MISSED_BOTH = ("missed-first", "missed-second", "missed-both")

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~&#!$])")
#: Elements that Markdown shows too; styles it does not.
_ELEMENTS = {EXTRA: "ins", MISSED_BOTH: "del", MISSED_FIRST: "del", MISSED_SECOND: "del", CUT: "em"}
_SIGNS = {MISSED_FIRST: "¹", MISSED_SECOND: "²"}

#: The colours of charts within a page, for its ``color-scheme``.
_IN_PAGES = {light: f"light-dark({light}, {dark})" for light, dark in SHADES.values()}
_COLOUR = re.compile("|".join(_IN_PAGES))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add("dir", type=Path, metavar="DIR", help="folder of a run; report.md and report.html go there")
    measure = f"compares the two best extractors: {', '.join(ALL_MEASURES.names())} (default: %(default)s)"
    add("--measure", default="sequence", metavar="NAME", help=measure)
    figures = "write the table by --measure and its charts there, too, for other pages to include"
    add("--figures", type=Path, metavar="FOLDER", help=figures)
    names = "what --figures calls extractors; may be repeated"
    add("--names", nargs="+", action="extend", default=[], metavar="NAME=SHOWN", help=names)


def execute(arguments: argparse.Namespace) -> int:
    """Write the report and print its files; raise :class:`JustextError` for what cannot be done as asked."""
    results = read_results(arguments.dir)
    names = _parse_names(arguments.names, results.extractors)
    ALL_MEASURES.find(arguments.measure)
    written = write_report(results, arguments.measure)
    if arguments.figures is not None:
        written += write_figures(arguments.figures, results, arguments.measure, names)
    for path in written:
        print(path)
    return 0


def _parse_names(given: Sequence[str], known: Collection[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for text in given:
        name, _, shown = text.rpartition("=")
        if name not in known:
            raise UnknownNameError("names", name, "extractor of this run", known)
        if not shown or shown in (*known, *names.values()):
            raise ParameterError("names", text, "must be NAME=SHOWN, with another name than those of the run")
        names[name] = shown
    return names


def write_report(results: RunResults, compared_by: str) -> list[Path]:
    """Write Markdown, its charts and HTML into the folder of a run, and return the paths of the two reports.

    ``compared_by``: the measure by which the two best extractors are compared document by document.
    All is made before the first file is written.  Raises :class:`StoreError`.
    """
    pairs = {of.name: compare_documents(results.folder, of, compared_by) for of in results.data_sets}
    names = enumerate((data_set.name for data_set in results.data_sets), 1)
    anchors = {name: f"d{number}-{_slug(name)}".rstrip("-") for number, name in names}
    charts = {
        measured.subject: draw_charts(f"{anchors[data_set.name]}-{name}", measured)
        for data_set in results.data_sets
        for name, measured in data_set.measures.items()
    }
    files = {f"{CHARTS_FOLDER}/{chart.name}.svg": chart.svg for drawn in charts.values() for chart in drawn.values()}
    values = {"data_sets": results.data_sets, "anchors": anchors, "charts": charts, "pairs": pairs}
    values |= {"compared_by": compared_by, "run_facts": _describe_run(results)}
    for name, macros, escape_text in ((MARKDOWN_FILE, "markdown.j2", escape_markdown), (HTML_FILE, "html.j2", str)):
        text = environment_of(escape_text).get_template("report.j2").render(values, macros=macros)
        files[name] = re.sub(r"\n{3,}", "\n\n", text)
    return _write(results.folder, files)[-2:]


def write_figures(folder: Path, results: RunResults, measure: str, names: Mapping[str, str]) -> list[Path]:
    """Write what other pages can include of a measure, and return the paths: for each data set a table, and charts.

    ``SET-MEASURE.md`` is the table of means, below what was run; ``SET-MEASURE-types.svg`` and ``-time.svg`` are charts
    in colours that follow the page around them.  ``names``: what extractors are called in them.  Raises
    :class:`StoreError`.
    """
    files: dict[str, str] = {}
    for data_set in results.data_sets:
        if measure not in data_set.measures:
            continue
        name = f"{_slug(data_set.name)}-{measure}"
        shown = data_set.measures[measure].renamed(names)
        extractors = "; ".join(f"{row.extractor} {row.version}".strip() for row in shown.rows)
        facts = {**_describe_run(results), "Extractors": extractors, **_describe_data_set(data_set)}
        values = {"table": tables.figures_table(shown), "facts": facts}
        files[f"{name}.md"] = environment_of(escape_markdown).get_template("figures.md.j2").render(values)
        charts = draw_charts(name, shown)
        for kind in ("types", "time"):
            if kind in charts:
                files[f"{name}-{kind}.svg"] = inline(charts[kind])
    return _write(folder, files)


def _write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write texts into files below a folder, and return their paths.  Raises :class:`StoreError`."""
    paths = [folder / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        with explaining(path, "written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, f"{text.strip()}\n".encode("utf-8", "replace"))
    return paths


def _slug(data_set: str) -> str:
    """Return what stands for a data set in names of files and anchors.

    >>> _slug("wcxb-dev"), _slug("Überall/da")
    ('wcxb-dev', 'berall-da')
    """
    return re.sub(r"[^a-z0-9]+", "-", data_set.lower()).strip("-")[:40]


def environment_of(escape_text: Callable[[str], str]) -> Environment:
    """Return what renders the templates of a form of the report, and escapes what is no markup."""
    environment = Environment(
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else escape_text(value),
        keep_trailing_newline=True,
        lstrip_blocks=True,
        loader=PackageLoader(__package__),
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(html=lambda text: Markup(escape(" ".join(text.split()))), inline=inline, mark=mark_run)
    environment.tests.update(web_address=is_web_address)
    environment.globals.update(
        tables=tables, shades=SHADES, resamples=RESAMPLES, describe_data_set=_describe_data_set, zip=zip
    )
    return environment


def _describe_run(results: RunResults) -> dict[str, str]:
    """Say what was run, and how."""
    extractors = ", ".join(f"{name} {version}".strip() for name, version in results.extractors.items())
    return {"Extractors": extractors, "Language": results.run.language or "not given"}


def _describe_data_set(data_set: DataSetResults) -> dict[str, str]:
    """Say what a data set is."""
    return {"Pages": f"{data_set.pages:,}", "Kind": data_set.record.kind, "Digest": data_set.record.digest[:16]}


def is_web_address(url: str) -> bool:
    """Return True if a link may lead to an address; False for any that does something else, such as to run a script.

    >>> is_web_address("https://example.org/a"), is_web_address("javascript:alert(1)")
    (True, False)
    """
    return url.lower().startswith(("http://", "https://"))


def escape_markdown(text: str) -> Markup:
    r"""Make a text plain in Markdown, on one line.

    >>> print(escape_markdown("a*b* | <i>"))
    a\*b\* \| \<i\>
    """
    return Markup(_MARKDOWN.sub(r"\\\1", " ".join(text.split())))


def mark_run(text: str, kind: str) -> Markup:
    """Return words in the element of their kind; line breaks as elements: Markdown ends HTML at an empty line."""
    text = _SIGNS.get(kind, "") + text
    shown = "<br>".join(escape(line) for line in text.splitlines()) + ("<br>" if text.endswith("\n") else "")
    return Markup(shown if kind == EQUAL else f"<{_ELEMENTS[kind]}>{shown}</{_ELEMENTS[kind]}>")


def inline(chart: Chart) -> Markup:
    """Return a chart whose colours follow the page around it, as wide as the page allows."""
    opening, rest = chart.svg.split(">", 1)
    opening = re.sub(r' (?:width|height)="[^"]*"', "", opening)
    # Colours are replaced in styles alone: in a text they are what somebody wrote.
    styled = re.sub(r'style="[^"]*"', lambda style: _COLOUR.sub(lambda colour: _IN_PAGES[colour[0]], style[0]), rest)
    # matplotlib and lxml have escaped every name in it.
    return Markup(f"{opening}>{styled}")


# The documents on which the two best extractors differ most.

#: Words of a run that are shown: when there are more, its middle is cut out.
SHOWN_EQUAL, SHOWN_DIFFERENT = 40, 160
#: Words of a text that are shown.
SHOWN_WORDS = 700
#: Characters of a word, with what follows it, that are shown.
_LONGEST_PIECE = 120
#: Words of a text that are compared; the rest is cut off.
COMPARED_WORDS = 20_000

_DENSE = "\u2e80-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_DENSE}]|[^\W{_DENSE}]+")
#: Empty lines, and how a line is set in, say nothing here.
_BREAK = re.compile(r"\s*[\r\n]\s*")

#: The kind of a gold word by whether the first and the second extractor found it.
_MISSED = {(True, True): EQUAL, (False, True): MISSED_FIRST, (True, False): MISSED_SECOND, (False, False): MISSED_BOTH}


#: A kind, and words that stand together and are of it; of kind ``cut``: a note on what is left out.
WordRun = tuple[str, str]
#: A gold text and what two extractors retrieved, as runs of words.
MarkedTexts = tuple[tuple[WordRun, ...], tuple[WordRun, ...], tuple[WordRun, ...]]


class DocumentDifference(NamedTuple):
    """A document, and how two extractors did on it; ``note``: why there are no texts, or a remark on them."""

    first: DocumentScores
    second: DocumentScores
    url: str | None = None
    texts: MarkedTexts | None = None
    note: str = ""

    @property
    def id(self) -> str:
        """The document's id."""
        return self.first.id

    @property
    def value(self) -> float:
        """The first extractor's F1 less the second one's."""
        return (self.first.f1 or 0.0) - (self.second.f1 or 0.0)

    @property
    def title(self) -> str:
        """The heading of the document's texts."""
        shown = ("no F1" if scores.f1 is None else f"F1 {scores.f1:.3f}" for scores in (self.first, self.second))
        figures = map("{}: {}".format, (self.first.extractor, self.second.extractor), shown)
        return f"{self.id} ({'; '.join(figures)})"


class ExtractorPair(NamedTuple):
    """Two extractors, and the pages on which they differ most; ``note``: why there are none, or no texts."""

    data_set: str
    measure: str
    first: str
    second: str
    differences: tuple[DocumentDifference, ...]
    note: str

    @property
    def marks(self) -> dict[str, str]:
        """What the kinds of runs in the texts mean."""
        missed = {MISSED_BOTH: "both", MISSED_FIRST: f"{self.first} alone", MISSED_SECOND: f"{self.second} alone"}
        return {EXTRA: "not in the gold standard", **{kind: f"missed by {by}" for kind, by in missed.items()}}


def compare_documents(folder: Path, data_set: DataSetResults, measure: str) -> ExtractorPair | None:
    """Return the documents on which the two best extractors by a measure differ most; None if fewer have figures.

    ``folder``: that of the run.  The documents have their texts where these are still as they were measured.
    """
    results = data_set.measures.get(measure)
    if results is None or len(results.rows) < 2:
        return None
    first, second = (row.extractor for row in results.rows[:2])
    differences = find_differences(results, first, second)[:SHOWN_DOCUMENTS]
    note = ""
    if not differences:
        note = "They differ on no page that both were run on."
    else:
        try:
            opened = _open_as_measured(data_set.record)
        except StoreError as error:
            note = f"Texts cannot be shown side by side: {error}."
        else:
            differences = [_add_texts(difference, opened, folder) for difference in differences]
    return ExtractorPair(data_set.name, measure, first, second, tuple(differences), note)


def _open_as_measured(record: DataSetRecord) -> DataSet:
    """Return a data set; raise :class:`StoreError` where its gold texts are no longer those of the run."""
    try:
        data_set = open_data_set(f"{record.kind}:{record.path}", record.without)
    except (JustextError, OSError) as error:
        raise StoreError(f"the data set can no longer be read: {error}") from error
    if data_set.digest != record.digest:
        raise StoreError(f"the data set in {record.path} has changed since the run")
    return data_set


def find_differences(results: MeasureResults, first: str, second: str) -> list[DocumentDifference]:
    """Return the documents that both were run on and that differ, those with the greatest difference of F1 first."""
    others = {scores.id: scores for scores in results.scores[second]}
    pairs = [DocumentDifference(scores, others[scores.id]) for scores in results.scores[first] if scores.id in others]
    without_gold = {RELEVANT_EMPTY, BOTH_EMPTY}
    differing = [pair for pair in pairs if pair.value and not {pair.first.case, pair.second.case} & without_gold]
    return sorted(differing, key=lambda pair: (-abs(pair.value), pair.id))


def _add_texts(difference: DocumentDifference, data_set: DataSet, run_folder: Path) -> DocumentDifference:
    document = data_set.load(difference.id)
    difference = difference._replace(url=document.url)
    if document.snippets is not None:
        return difference._replace(note="The gold standard of this page is snippets, not a text.")
    texts: list[str] = []
    for scores in (difference.first, difference.second):
        try:
            text = open_results(run_folder, scores.dataset, scores.extractor).read_text(scores.id)
        except (OSError, UnicodeDecodeError):
            # A failed extraction leaves no text, and is worth seeing beside the one that did not fail.
            if scores.case != FAILED:
                return difference._replace(note=f"The text of {scores.extractor} is no longer in the run's folder.")
            difference = difference._replace(note=f"{difference.note} {scores.extractor} failed on this page.".strip())
            text = ""
        texts.append(text if document.markdown is None else whole_text(text))
    return difference._replace(texts=mark_texts(document.gold, *texts))


def mark_texts(gold: str, first: str, second: str) -> MarkedTexts:
    """Mark the words that one of two retrieved texts lacks, or has beyond the gold standard."""
    gold_words, first_words, second_words = (_split(text) for text in (gold, first, second))
    gold_first, kept_first = _match(gold_words, first_words)
    gold_second, kept_second = _match(gold_words, second_words)
    return (
        _to_runs(gold_words, [_MISSED[matched] for matched in zip(gold_first, gold_second, strict=True)]),
        _to_runs(first_words, [EQUAL if kept else EXTRA for kept in kept_first]),
        _to_runs(second_words, [EQUAL if kept else EXTRA for kept in kept_second]),
    )


#: The pieces of a text, cut before each word, the words to compare, and how many words are not compared.
_SplitText = tuple[list[str], list[str], int]


def _split(text: str) -> _SplitText:
    """Cut a text before each word but the first; what stands before the first word stays with it."""
    text = on_lines(_BREAK.sub("\n", text.strip()))
    words = list(_WORD.finditer(text))
    edges = [0, *(word.start() for word in words[1:]), len(text)] if words else []
    pieces = [text[low:high] for low, high in pairwise(edges[: COMPARED_WORDS + 1])]
    shown = [piece if len(piece) <= _LONGEST_PIECE else piece[: _LONGEST_PIECE - 1] + "… " for piece in pieces]
    return (shown, [word[0].casefold() for word in words[: len(shown)]], len(words) - len(shown))


def _match(gold: _SplitText, retrieved: _SplitText) -> tuple[list[bool], list[bool]]:
    """Return for each word of both texts whether it is in a matching block."""
    sides = [False] * len(gold[1]), [False] * len(retrieved[1])
    for match in matching_blocks(gold[1], retrieved[1], autojunk=False):
        for side, start in zip(sides, (match.a, match.b), strict=True):
            side[start : start + match.size] = [True] * match.size
    return sides


def _to_runs(words: _SplitText, kinds: Sequence[str]) -> tuple[WordRun, ...]:
    """Return the runs of words of one kind, without the middle of long runs and the end of long texts."""
    pieces, _, left_out = words
    runs: list[WordRun] = []
    start, room = 0, SHOWN_WORDS
    for kind, group in groupby(kinds):
        if not room:
            break
        run = pieces[start : start + len(list(group))]
        shown = min(len(run), room, SHOWN_EQUAL if kind == EQUAL else SHOWN_DIFFERENT)
        tail = shown // 2 if shown < len(run) else 0
        runs.append((kind, "".join(run[: shown - tail])))
        runs += [_cut(len(run) - shown)] if shown < len(run) else []
        runs += [(kind, "".join(run[-tail:]))] if tail else []
        start += len(run)
        room -= shown
    rest = len(pieces) - start + left_out
    return (*runs, _cut(rest)) if rest else tuple(runs)


def _cut(words: int) -> WordRun:
    return CUT, f"[{words:,} {'word' if words == 1 else 'words'} left out]"
