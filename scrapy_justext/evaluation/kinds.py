r"""How much of a page's code, formulas, tables and images an extractor's Markdown keeps.

``code``, ``formulas``, ``table-text`` and ``text`` are WebMainBench's ``code_edit``, ``formula_edit``, ``table_edit``
and ``text_edit``; ``tables`` is TEDS [T]; ``images`` is an F1.

[T]: Zhong, ShafieiBavani and Jimeno Yepes, "Image-based table recognition: data, model, and evaluation" (2020).

All but ``images`` are similarities: 1 less the edit distance, divided by the size of the greater side.  The size of the
greater side less the distance is the part that both sides share.  Divided by the size of the gold standard it is the
recall, divided by that of the retrieved side the precision.  The similarity is the smaller of the two, and stands where
other measures have F1.

A page is compared kind by kind: all code of it at once, in the order of the page, as WebMainBench does.  TEDS gets the
tables of a page as one tree, where WebMainBench takes the first table only.  A page does not count for a kind that its
gold standard lacks.  It counts as 0 where nothing of the kind was retrieved.

Markdown is that of CommonMark with pipe tables, footnotes, TeX between dollars, and HTML: it is rendered, so a table is
the same in pipes and in HTML.  A dollar with a space inside or a digit outside is money, as in pandoc.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from scrapy_justext.core.parsing import parse_html
from scrapy_justext.core.reading.rules import MODERN
from scrapy_justext.evaluation import measures
from scrapy_justext.evaluation.measures import MARKDOWN, MEASURES, SNIPPET_MEASURE, SNIPPETS, TEXT, Measure, Scores
from scrapy_justext.evaluation.registry import Registry
from scrapy_justext.exceptions import ParameterError, require

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scrapy_justext.evaluation.datasets.documents import Document, Snippets

#: Characters of a kind that are compared, from the start: the distance takes time in the product of both lengths.
MOST_CHARACTERS = 200_000
#: Characters of Markdown that are read.
MOST_MARKDOWN = 2_000_000
#: The most nodes of a tree, and the most pairs of a node in one tree and a node in the other: those of two tables of
#: 350 cells.  The library takes about 20 µs for a pair, and 0.1 µs for a pair of nodes of the same tree.
MOST_NODES, MOST_PAIRS = 2_000, 150_000


class TableCell(NamedTuple):
    """A cell of a table: its text in one line, and how many columns and rows it goes over."""

    text: str
    columns: int = 1
    rows: int = 1


TableRows = tuple[tuple[TableCell, ...], ...]


@dataclass(frozen=True, slots=True)
class MarkdownContent:
    """What a Markdown document holds, by kind, in its order.

    ``formulas``: TeX without its dollars and without white space.  ``tables``: their rows, without tables inside of
    others.  ``images``: address and ALT of each.  ``text``: a line for each block, without code, formulas and tables;
    ``whole``: the same with them.
    """

    code: Sequence[str] = ()
    formulas: Sequence[str] = ()
    tables: Sequence[TableRows] = ()
    images: Sequence[tuple[str, str]] = ()
    text: str = ""
    whole: str = ""


# Reading.

#: A tag or a comment, where Markdown has HTML.
_MARKUP = re.compile(r"(<!--.*?(?:-->|\Z)|<[/!?a-z][^<>]*>)", re.IGNORECASE | re.DOTALL)
#: Tags that stay there; others are left out, so that none can swallow what comes after it.
_KEPT = re.compile(
    r"</?(?:table|caption|thead|tbody|tfoot|tr|t[dh]|pre|img|br|p|div|[uo]l|li|h[1-6])(?![\w-])", re.IGNORECASE
)
#: Attributes that stay: a parser takes too long for a tag with thousands.
_ATTRIBUTE = re.compile(r"""\s(src|alt|colspan|rowspan)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""", re.IGNORECASE)
_VERBATIM = re.compile(r"<(/?)(?:pre|code)(?![\w-])", re.IGNORECASE)
#: A formula there, where Markdown's parser finds none.
_DOLLARS = re.compile(r"\$\$([^$]+)\$\$|(?<![\\\d$])\$(?=[^\s$])([^$]*)(?<![\s\\])\$(?!\d)")
#: The elements that begin and end a line.
_BREAKS = MODERN.block_level | {"br"}
#: What formulas are rendered to.
_TEX = "tex"
_CELLS = ("td", "th")
_OUTER_TABLES: Any = etree.XPath("//table[not(ancestor::table)]")
_SPAN = re.compile(r"\d{1,4}", re.ASCII)


def check_libraries() -> None:
    """Raise :class:`LibraryNotInstalledError` if a library that reads or compares Markdown is missing."""
    for library in ("markdown_it", "mdit_py_plugins", "apted", "rapidfuzz"):
        require(library, "evaluation")


@lru_cache(maxsize=4)
def read_markdown(markdown: str) -> MarkdownContent:
    """Return what a Markdown document holds; kept, as several measures ask for the same."""
    root = parse_html(_renderer().render(markdown[:MOST_MARKDOWN])).root
    if root is None:
        return MarkdownContent()
    code = (_code(str(element.xpath("string()"))) for element in root.iter("pre"))
    formulas = ("".join(str(element.xpath("string()")).split()) for element in root.iter(_TEX))
    return MarkdownContent(
        code=tuple(filter(None, code)),
        formulas=tuple(filter(None, formulas)),
        # A table without a cell is a tag that somebody wrote about.
        tables=tuple(filter(None, map(_table, _OUTER_TABLES(root)))),
        images=tuple((image.get("src", ""), " ".join(image.get("alt", "").split())) for image in root.iter("img")),
        text=text_lines(root, lambda element, is_kept: is_kept and element.tag not in ("pre", "table", _TEX)),
        whole=text_lines(root),
    )


def whole_text(markdown: str) -> str:
    r"""Return the plain text of a Markdown document, a line for each block and each cell of a table.

    >>> whole_text("# A *title*\n\n- one [link](/a)\n\n```\ncode\n```\n")
    'A title\none link\ncode'
    """
    return read_markdown(markdown).whole


_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def escape_text(text: str) -> str:
    r"""Return plain text as Markdown in which each line is a paragraph, and nothing is markup.

    >>> print(escape_text("a $x$\n\n  # b"))
    a \$x\$
    <BLANKLINE>
    \# b
    """
    return "\n\n".join(_PUNCTUATION.sub(r"\\\1", line.strip()) for line in text.splitlines() if line.strip())


@cache
def _renderer() -> Any:
    """Return what renders Markdown to HTML, with formulas as elements of their own and little of the HTML in it."""
    library: Any = require("markdown_it", "evaluation")
    dollars: Any = require("mdit_py_plugins.dollarmath", "evaluation")
    footnotes: Any = require("mdit_py_plugins.footnote", "evaluation")
    markdown: Any = library.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    markdown.use(dollars.dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    markdown.use(footnotes.footnote_plugin, inline=False, move_to_end=False)

    def formula(_: object, tokens: Sequence[Any], index: int, *__: object) -> str:
        content, number = (escape(str(text)) for text in (tokens[index].content, tokens[index].info))
        return f"<{_TEX}>{content}</{_TEX}>" + (f" ({number})" if number else "")

    def html(_: object, tokens: Sequence[Any], index: int, *__: object) -> str:
        return _plain_html(str(tokens[index].content))

    rules = {
        **dict.fromkeys(("math_inline", "math_inline_double"), formula),
        **dict.fromkeys(("math_block", "math_block_label"), lambda *given: f"<div>{formula(*given)}</div>"),
        **dict.fromkeys(("html_inline", "html_block"), html),
        "footnote_ref": lambda *_: "",
        "footnote_reference_open": lambda *_: "<div>",
        "footnote_reference_close": lambda *_: "</div>",
    }
    for name, rule in rules.items():
        markdown.add_render_rule(name, rule)
    return markdown


def _plain_html(html: str) -> str:
    """Return HTML without the tags that do not count, and with formulas as elements, outside code."""
    parts = _MARKUP.split(html)
    verbatim = 0
    for index, part in enumerate(parts):
        if index % 2:
            tag = _VERBATIM.match(part)
            verbatim += 0 if tag is None else -1 if tag[1] else 1
            kept = _KEPT.match(part)
            # The first of two attributes of one name counts.
            attributes = {name.lower(): f" {name}={value}" for name, value in reversed(_ATTRIBUTE.findall(part))}
            parts[index] = f"{kept[0]}{''.join(attributes.values())}>" if kept else ""
        else:
            text = part.replace("<", "&lt;")
            formula = rf"<{_TEX}>\g<1>\g<2></{_TEX}>"
            parts[index] = text if verbatim > 0 else _DOLLARS.sub(formula, text)
    return "".join(parts)


def _code(text: str) -> str:
    """Return code without what cannot be seen: empty lines around it, white space at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _table(element: etree._Element) -> TableRows:
    """Return the rows of a table; those of a table in a cell are text of this cell."""
    rows: list[list[TableCell]] = []
    inside = 0
    for event, part in etree.iterwalk(element, events=("start", "end"), tag=("tr", *_CELLS)):
        is_cell = part.tag in _CELLS
        if event == "end":
            inside -= is_cell
        elif is_cell:
            inside += 1
            if inside == 1 and rows:
                spans = _span(part, "colspan"), _span(part, "rowspan")
                rows[-1].append(TableCell(" ".join(text_lines(part).split()), *spans))
        elif not inside:
            rows.append([])
    return tuple(tuple(row) for row in rows if row)


def _span(element: etree._Element, name: str) -> int:
    value = element.get(name, "").strip()
    return max(1, int(value)) if _SPAN.fullmatch(value) else 1


def text_lines(
    root: etree._Element,
    keeps: Callable[[etree._Element, bool], bool] = lambda _, is_kept: is_kept,
    read: Callable[[str], str] = str,
) -> str:
    """Return the text of an element, a line for each block.

    ``keeps``: whether text in an element is kept, from the element and whether that around it is; ``read``: what a
    piece of text is before it is cut into lines.
    """
    pieces: list[str] = []
    kept = [True]
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start":
            kept.append(keeps(element, kept[-1]))
        elif event == "end":
            kept.pop()
        pieces.append("\n" if element.tag in _BREAKS else "")
        # The tail of the root stands behind it.
        text = element.text if event == "start" else element.tail if element is not root else None
        pieces.append(read(text) if text and kept[-1] else "")
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    return "\n".join(filter(None, lines))


# Measures over pairs of Markdown texts.


def _similarity(relevant: int, retrieved: int, distance: float) -> Scores:
    """Return the scores of an edit distance between two sides of these sizes."""
    greater = max(relevant, retrieved)
    if not relevant or not retrieved:
        return _or_nothing(measures.score_sizes(relevant, retrieved, 0))
    # The sum of many costs of a distance may be a little too great.
    common = max(0.0, greater - distance)
    sizes = measures.Sizes(relevant, retrieved, round(common))
    case = measures.OK if common else measures.MISMATCH
    return Scores(common / retrieved, common / relevant, common / greater, case, sizes)


def _or_nothing(scores: Scores) -> Scores:
    """Return scores; 0 if the gold standard has something of a kind, and nothing of it was retrieved."""
    return scores._replace(f1=0.0) if scores.case in (measures.RETRIEVED_EMPTY, measures.MISMATCH) else scores


def compare_texts(gold: str, retrieved: str) -> Scores:
    """Compare the characters of two texts by Levenshtein's distance."""
    distances: Any = require("rapidfuzz.distance", "evaluation")
    gold, retrieved = gold[:MOST_CHARACTERS], retrieved[:MOST_CHARACTERS]
    return _similarity(len(gold), len(retrieved), distances.Levenshtein.distance(gold, retrieved))


def _table_text(tables: Sequence[TableRows]) -> str:
    """Return the texts of cells, a tab between two of them and a line for each row."""
    return "\n".join("\t".join(cell.text for cell in row) for table in tables for row in table)


def score_images(gold: str, retrieved: str, **_: object) -> Scores:
    """Count the images in both by the names of their files, or by their ALTs where these have more in common."""
    sides = read_markdown(gold).images, read_markdown(retrieved).images
    common = []
    for part in (0, 1):
        names = ((image[part].rpartition("/")[2] for image in images) for images in sides)
        first, second = (Counter(filter(None, of_side)) for of_side in names)
        common.append((first & second).total())
    return _or_nothing(measures.score_sizes(len(sides[0]), len(sides[1]), max(common)))


# TEDS.


#: A node of the tree of tables: a page of tables, a table of rows, a row of cells, or a cell.
_Node = Any


def _height(node: _Node) -> int:
    """Return how many kinds of nodes are below one; there is no table without a row, and no row without a cell."""
    return 0 if isinstance(node, TableCell) else 1 + _height(node[0])


class _Costs:
    """Costs of changing one tree into another [T].  TH and TD are the same: a table in pipes has to have a heading."""

    valuecls = float

    def __init__(self) -> None:
        distances: Any = require("rapidfuzz.distance", "evaluation")
        self._distance: Callable[[str, str], float] = lru_cache(MOST_PAIRS)(distances.Levenshtein.normalized_distance)

    def delete(self, _: _Node) -> float:
        return 1.0

    insert = delete

    def rename(self, first: _Node, second: _Node) -> float:
        if _height(first) != _height(second):
            return 1.0
        if not isinstance(first, TableCell) or first == second:
            return 0.0
        return 1.0 if first[1:] != second[1:] else self._distance(first.text, second.text)

    def children(self, node: _Node) -> Sequence[_Node]:
        return () if isinstance(node, TableCell) else node


def score_tables(gold: str, retrieved: str, **_: object) -> Scores:
    """Compare the trees of tables (TEDS); their texts, with the case ``too_large``, where that would take too long."""
    sides = read_markdown(gold).tables, read_markdown(retrieved).tables
    first, second = (sum(1 + len(table) + sum(map(len, table)) for table in tables) for tables in sides)
    if sides[0] == sides[1] or not first or not second:
        return _similarity(first, second, 0)
    texts = [_table_text(tables) for tables in sides]
    is_small = max(first, second) <= MOST_NODES and first * second <= MOST_PAIRS
    if not is_small or max(map(len, texts)) > MOST_CHARACTERS:
        scores = compare_texts(*texts)
        return scores._replace(case=measures.TOO_LARGE) if scores.case == measures.OK else scores
    library: Any = require("apted", "evaluation")
    # The root, which both pages have, is not counted.
    return _similarity(first, second, library.APTED(*sides, _Costs()).compute_edit_distance())


# All measures.

_SIMILARITY = (
    "The figure in the place of F1 is the similarity: 1 less the edit distance, divided by the length of the longer"
    " text."
)
_TREES = (
    "Trees of tables, rows and cells with their texts (TEDS). The figure in the place of F1 is the similarity: 1 less"
    " the edit distance of the trees, divided by the nodes of the larger one. Tables that would take too long are"
    " compared as text."
)
_IMAGES = "Images, by the names of their files or by their ALTs, whichever has more in common."

#: Pages of these cases are part of the means of measures over Markdown.
_COUNTED = frozenset({measures.OK, measures.TOO_LARGE, measures.MISMATCH, measures.RETRIEVED_EMPTY})
#: Kinds that an extractor may invent: it retrieved some from pages whose gold standard has none.
INVENTED = ("code", "formulas", "tables", "images")


def _edit_measure(name: str, text_of: Callable[[MarkdownContent], str], meaning: str) -> Measure:
    """Return the measure that compares some text of two Markdown documents."""

    def score(gold: str, retrieved: str, **_: object) -> Scores:
        return compare_texts(text_of(read_markdown(gold)), text_of(read_markdown(retrieved)))

    return Measure(name, score, f"{meaning} {_SIMILARITY}", MARKDOWN, _COUNTED)


_OF_MARKDOWN = (
    _edit_measure("code", lambda content: "\n".join(content.code), "Fenced and indented code."),
    _edit_measure(
        "formulas", lambda content: "\n".join(content.formulas), "TeX between dollars, without its white space."
    ),
    Measure("tables", score_tables, _TREES, MARKDOWN, _COUNTED),
    _edit_measure("table-text", lambda content: _table_text(content.tables), "The texts of tables, a line a row."),
    Measure("images", score_images, _IMAGES, MARKDOWN, _COUNTED),
    _edit_measure("text", lambda content: content.text, "What is neither code nor formula nor table."),
)
#: Measures over pairs of Markdown texts.
KIND_MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _OF_MARKDOWN}
#: All measures, those of texts first.  Other packages add a :class:`Measure` by an entry point.
ALL_MEASURES: Registry[Measure] = Registry(
    "measure",
    "measure",
    {**MEASURES, SNIPPET_MEASURE.name: SNIPPET_MEASURE, **KIND_MEASURES},
    "scrapy_justext.measures",
)


@cache
def all_measures() -> Mapping[str, Measure]:
    """Return all measures by their names; raise :class:`ParameterError` for one that cannot be loaded."""
    try:
        return {name: ALL_MEASURES.find(name) for name in ALL_MEASURES.names()}
    except (ImportError, AttributeError) as error:
        raise ParameterError("measure", ALL_MEASURES.group, f"one cannot be loaded: {error}") from error


def comparisons(document: Document, retrieved: str) -> Iterator[tuple[Measure, str | Snippets, str]]:
    """Yield measures with the two sides that they compare: a gold standard, and what was retrieved.

    Where the gold standard is Markdown, what was retrieved is Markdown, too; measures of texts get the texts of both.
    Where it is snippets there is no text to compare with.
    """
    sides: dict[str, tuple[str | Snippets, str]] = {}
    if document.snippets is not None:
        sides[SNIPPETS] = document.snippets, retrieved
    elif document.markdown is None:
        sides[TEXT] = document.gold, retrieved
    else:
        sides |= {TEXT: (document.gold, whole_text(retrieved)), MARKDOWN: (document.markdown, retrieved)}
    yield from ((measure, *sides[measure.form]) for measure in all_measures().values() if measure.form in sides)
