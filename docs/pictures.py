"""Draw the pictures of the documentation: what becomes of example pages, computed by the package itself.

The pages of the gallery lie in ``docs/gallery``, each with the text that a reader wants of it: ``NAME.html`` and
``NAME.md``, a data set of the kind ``kinds``.  ``docs/conf.py`` puts the pictures into the pages of the site.
"""

from __future__ import annotations

import re
from collections import defaultdict
from difflib import SequenceMatcher
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.blocks import BAD, CLASS_OF, GOOD
from scrapy_justext.core.context_sensitive import promote, resolve, restore
from scrapy_justext.core.options import make_options
from scrapy_justext.core.tags import TABLE
from scrapy_justext.crawl.commands import colours
from scrapy_justext.crawl.settings import configure
from scrapy_justext.inspection.pages import read_page
from scrapy_justext.inspection.terminal import align
from scrapy_justext.inspection.view import report_on

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy_justext.core.blocks import BlockClass, Decisions
    from scrapy_justext.core.extraction import Block
    from scrapy_justext.inspection.pages import Inspection

DOCS = Path(__file__).parent
GALLERY = DOCS / "gallery"

#: The pages of the gallery, in its order, with what they are called.
PAGES = {
    "article": "Article",
    "forum": "Forum thread",
    "product": "Product page",
    "documentation": "Documentation",
    "listing": "Front page",
    "japanese": "Japanese article",
}

#: The profiles that are compared.
PROFILES = ("justext", "boilerpipe", "article", "learned", "learned-article", "auto")
#: The one whose blocks are the rows: it removes the least of a page, and cuts it no finer than the others.
_ROWS_OF = "learned"


class Row(NamedTuple):
    """A block of a page, and what became of it."""

    block: Block
    is_wanted: bool
    """Whether a reader wants it."""
    kept: dict[str, float]
    """The share of its text that each profile keeps."""
    reasons: dict[str, tuple[str, ...]]
    """Why, for each profile; several where the profile cuts the text finer."""

    @property
    def is_lost_on_all(self) -> bool:
        """Whether nobody wants it, and no profile keeps it."""
        return not self.is_wanted and not any(self.kept.values())


class Score(NamedTuple):
    """How well a profile does on a page, in shares of characters."""

    recall: float
    """Of what a reader wants, what is kept."""
    added: float
    """Of what is kept, what nobody wants."""

    @property
    def f1(self) -> float:
        """The harmonic mean of what was found and of what is right."""
        right = 1 - self.added
        return 2 * self.recall * right / (self.recall + right) if self.recall else 0.0


@cache
def inspections(name: str) -> dict[str, Inspection]:
    """Judge a page by all profiles that are compared."""
    page = read_page(str(_file_of(name)), configure({}))
    return {profile: page._replace(name=profile).inspect(make_options(profile=profile)) for profile in PROFILES}


def _file_of(name: str) -> Path:
    return GALLERY / f"{name}.html" if name in PAGES else DOCS / f"{name}.html"


def wanted_texts(name: str) -> list[str]:
    """Return what a reader wants of a page of the gallery, a text for each block."""
    _, _, gold = (GALLERY / f"{name}.md").read_text("utf-8").split("---\n", 2)
    texts = []
    for number, part in enumerate(re.split(r"^```.*\n", gold, flags=re.MULTILINE)):
        texts += [part] if number % 2 else re.split(r"\n{2,}|\n(?=- )", part.strip())
    return [text for text in texts if text.strip()]


def _letters(text: str) -> str:
    """Return letters and digits alone: what Markdown and the page have in common."""
    return re.sub(r"[\W_]+", "", text).lower()


@cache
def rows_of(name: str) -> list[Row]:
    """Return the blocks of a page of the gallery, in its order."""
    judged = inspections(name)
    base = judged[_ROWS_OF]
    beside: dict[str, defaultdict[int, list[Block | None]]] = {profile: defaultdict(list) for profile in judged}
    for profile, inspection in judged.items():
        for row in align(base, inspection):
            if row.left is not None:
                beside[profile][row.left.index].append(row.right)
    blocks = base.extraction.blocks
    wanted = _wanted(blocks, wanted_texts(name))
    return [
        Row(
            block,
            block.index in wanted,
            {profile: _share_kept(of_block[block.index]) for profile, of_block in beside.items()},
            {profile: _reasons(of_block[block.index]) for profile, of_block in beside.items()},
        )
        for block in blocks
    ]


def _wanted(blocks: Sequence[Block], texts: Sequence[str]) -> set[int]:
    """Return the indices of the blocks with the texts that a reader wants, which stand in the same order."""
    own, theirs = [_letters(block.text) for block in blocks], [_letters(text) for text in texts]
    matches = SequenceMatcher(None, own, theirs, autojunk=False).get_matching_blocks()
    return {index for match in matches for index in range(match.a, match.a + match.size)}


def _share_kept(blocks: Sequence[Block | None]) -> float:
    there = [block for block in blocks if block is not None]
    total = sum(block.characters for block in there)
    return sum(block.characters for block in there if block.is_good) / total if total else 0.0


def _reasons(blocks: Sequence[Block | None]) -> tuple[str, ...]:
    reasons = ("not there: its elements are removed" if block is None else block.reason for block in blocks)
    return tuple(dict.fromkeys(reasons))


@cache
def scores_of(name: str) -> dict[str, Score]:
    """Return how well each profile does on a page of the gallery."""
    rows = rows_of(name)
    wanted = sum(row.block.characters for row in rows if row.is_wanted)
    scores = {}
    for profile in PROFILES:
        kept = [(row.is_wanted, row.block.characters * row.kept[profile]) for row in rows]
        right = sum(characters for is_wanted, characters in kept if is_wanted)
        total = sum(characters for _, characters in kept)
        scores[profile] = Score(right / wanted, 1 - right / total if total else 0.0)
    return scores


# The picture of a page: a row for each block, a column for each profile.

#: The marks of what was kept or dropped, rightly or not: a sign, and how it is read.
_MARKS = {
    (True, "all"): ("kept", "✓", "kept"),
    (True, "part"): ("half", "½", "kept in part"),
    (True, "none"): ("lost", "−", "lost"),
    (False, "all"): ("extra", "+", "kept, though nobody wants it"),
    (False, "part"): ("extra", "+", "kept in part, though nobody wants it"),
    (False, "none"): ("dropped", "·", "dropped"),
}

LEGEND = """<p class="jt-legend"><span><b class="jt-mark" data-mark="kept">✓</b> kept</span>
<span><b class="jt-mark" data-mark="dropped">·</b> dropped</span>
<span><b class="jt-mark" data-mark="lost">−</b> lost, though a reader wants it</span>
<span><b class="jt-mark" data-mark="extra">+</b> kept, though nobody wants it</span></p>"""


def draw_page(name: str) -> str:
    """Return the picture of a page of the gallery."""
    lines = [_head(name)]
    for is_dropped, group in groupby(rows_of(name), lambda row: row.is_lost_on_all):
        rows = list(group)
        lines += [_draw_dropped(rows)] if is_dropped and len(rows) > 1 else map(_draw_row, rows)
    taken = inspections(name)["auto"].extraction.profile
    note = (
        f"Choose a block to see why. <code>auto</code> takes <code>{taken}</code> for this page. "
        f'Look at <a href="gallery/{name}.html">the page</a>, and at <a href="gallery/{name}-report.html">the '
        "inspector’s report</a> on it by each profile."
    )
    caption = f"<figcaption>{note}</figcaption>"
    return f'<figure class="jt-gallery">{LEGEND}\n{"".join(lines)}\n{caption}</figure>'


def _head(name: str) -> str:
    titles = "".join(f"<span>{profile}</span>" for profile in PROFILES)
    scores = scores_of(name)
    best = max(score.f1 for score in scores.values())
    cells = "".join(_score_cell(score, is_best=score.f1 == best) for score in scores.values())
    return (
        f'<div class="jt-line jt-heads"><span></span>{titles}</div>'
        '<div class="jt-line jt-scores"><span>finds <small>of what a reader wants</small><br>'
        f"adds <small>of what nobody wants</small></span>{cells}</div>\n"
    )


def _score_cell(score: Score, *, is_best: bool) -> str:
    best = " data-best" if is_best else ""
    return f"<span{best}>{_percent(score.recall)}<br>{_percent(score.added)}</span>"


def _percent(share: float) -> str:
    """Write a share; only nothing is 0 %, and only all is 100 %."""
    rounded = min(max(round(100 * share), 0 if share == 0 else 1), 100 if share == 1 else 99)
    return f"{rounded}%"


def _draw_row(row: Row) -> str:
    marks = {profile: _mark(row, profile) for profile in PROFILES}
    cells = "".join(
        f'<span class="jt-mark" data-mark="{mark}" title="{profile}: {note}"><i>{sign}</i>'
        f'<span class="jt-aside">{profile}: {note}; </span></span>'
        for profile, (mark, sign, note) in marks.items()
    )
    reasons = "".join(
        f'<dt data-mark="{mark}">{profile}: {note}</dt><dd>{"; ".join(map(escape, row.reasons[profile]))}</dd>'
        for profile, (mark, _, note) in marks.items()
    )
    wanted = " data-wanted" if row.is_wanted else ""
    return (
        f'<details{wanted}><summary class="jt-line">{_text(row.block)}{cells}</summary><dl>{reasons}</dl></details>\n'
    )


def _mark(row: Row, profile: str) -> tuple[str, str, str]:
    share = row.kept[profile]
    return _MARKS[row.is_wanted, "all" if share == 1 else "part" if share else "none"]


def _draw_dropped(rows: Sequence[Row]) -> str:
    """Return one row for blocks that all profiles rightly drop."""
    texts = " · ".join(escape(row.block.text) for row in rows)
    cells = '<span class="jt-mark" data-mark="dropped"><i>·</i></span>' * len(PROFILES)
    reasons = "".join(
        f"<dt>{escape(row.block.text)}</dt><dd>justext: {escape('; '.join(row.reasons['justext']))}</dd>"
        for row in rows
    )
    return (
        f'<details><summary class="jt-line"><span class="jt-said"><span>{texts}</span></span>{cells}'
        f'<span class="jt-aside">dropped by all</span></summary><dl>{reasons}</dl></details>\n'
    )


def _text(block: Block) -> str:
    link = " data-link" if block.link_density > 0.5 else ""
    text = escape(block.text)
    if block.kind == TABLE:
        text = text.replace("\t", " │ ")
    return f'<span class="jt-said" data-kind="{block.kind}"{link}><span>{text}</span></span>'


def draw_summary() -> str:
    """Return the table of how well each profile does on each page of the gallery."""
    heads = "".join(f"<th>{profile}</th>" for profile in PROFILES)
    lines = []
    for name, title in PAGES.items():
        scores = scores_of(name)
        best = max(score.f1 for score in scores.values())
        cells = "".join(
            f"<td{' data-best' if score.f1 == best else ''}>{_percent(score.recall)}"
            f" <small>+{_percent(score.added)}</small></td>"
            for score in scores.values()
        )
        lines.append(f'<tr><th><a href="#{title.lower().replace(" ", "-")}">{title}</a></th>{cells}</tr>')
    return (
        '<div class="wy-table-responsive"><table class="jt-summary"><thead><tr><th>page</th>'
        f"{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def files_beside() -> Iterator[tuple[str, str]]:
    """Yield the files that the gallery links to, by their names: the pages, and the reports on them."""
    for name in PAGES:
        yield f"gallery/{name}.html", (GALLERY / f"{name}.html").read_text("utf-8")
        yield f"gallery/{name}-report.html", report_on([*inspections(name).values()])


# The picture of the passes: the same blocks after each of them.

#: The page that they are shown on.
_PASSES = "passes"

_WIDTH, _LINE, _MARGIN = 400, 42, 22
#: Characters that fit in a line.
_SAID, _NOTED = 40, 62

#: What each class is called on a badge, as in the report.
_BADGES = {"good": "✓ good", "near_good": "≈ near-good", "short": "… short", "bad": "✗ bad"}


class Stage(NamedTuple):
    """What a step of the algorithm leaves."""

    classes: tuple[BlockClass | None, ...]
    """None before anything was decided."""
    reasons: tuple[str, ...]


@cache
def stages() -> tuple[tuple[Block, ...], dict[str, Stage]]:
    """Return the blocks of the page of the passes, and what each step leaves of them."""
    inspection = inspections(_PASSES)["justext"]
    blocks, context = inspection.extraction.blocks, inspection.judged.context
    steps = {
        "blocks": Stage((None,) * len(blocks), tuple(f"<{block.tag}>" for block in blocks)),
        "context-free": _stage(context.context_free),
    }
    names = {promote: "headings", resolve: "neighbours", restore: "headings-again"}
    decisions = context.context_free
    for apply in inspection.judged.passes:
        decisions = apply(context, decisions)
        if apply in names:
            steps[names[apply]] = _stage(decisions)
    return blocks, steps


def _stage(decisions: Decisions) -> Stage:
    return Stage(tuple(CLASS_OF[code] for code in decisions.classes), tuple(decisions.reasons))


def draw_stage(name: str) -> str:
    """Return the picture of what a step leaves; what it changed is told, all else is quiet."""
    blocks, steps = stages()
    stage = steps[name]
    before = steps[list(steps)[max(0, list(steps).index(name) - 1)]]
    parts = []
    for number, block in enumerate(blocks):
        is_changed = stage.classes[number] is not before.classes[number]
        note = stage.reasons[number] if is_changed or name == "blocks" else ""
        # Of a reason, what this step added.
        note = note.removeprefix(before.reasons[number]).removeprefix("; ") or note
        is_quiet = name not in {"blocks", "context-free"} and not is_changed
        parts.append(_draw_block(number, block, stage.classes[number], note, is_quiet=is_quiet))
    if name == "neighbours":
        parts += [_draw_arrow(*arrow) for arrow in _arrows(before.classes)]
    height = len(blocks) * _LINE
    described = escape(
        "; ".join(
            f"{block.text[:30]}: {class_.value.replace('_', '-') if class_ else reason}"
            for block, class_, reason in zip(blocks, stage.classes, stage.reasons, strict=True)
        )
    )
    return (
        f'<svg class="jt-passes" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{described}">'
        f"{''.join(parts)}</svg>"
    )


def _draw_block(number: int, block: Block, class_: BlockClass | None, note: str, *, is_quiet: bool) -> str:
    top = number * _LINE
    text = " ".join(block.text.split())
    said = escape(text if len(text) <= _SAID else f"{text[: _SAID - 1]}…")
    note = escape(note if len(note) <= _NOTED else f"{note[: _NOTED - 1]}…")
    name = "none" if class_ is None else class_.value
    badge = "" if class_ is None else _BADGES[name]
    size = f"{block.characters} characters" if class_ is None else ""
    return (
        f'<g data-class="{name}"{" data-quiet" if is_quiet else ""}>'
        f'<rect x="{_MARGIN}" y="{top + 2}" width="{_WIDTH - _MARGIN}" height="{_LINE - 4}" rx="4"/>'
        f'<rect class="edge" x="{_MARGIN}" y="{top + 2}" width="5" height="{_LINE - 4}"/>'
        f'<text x="{_MARGIN + 12}" y="{top + 18}"{" class=heading" if block.is_heading else ""}>{said}</text>'
        f'<text class="told" x="{_MARGIN + 12}" y="{top + 33}">{note}</text>'
        f'<text class="badge" x="{_WIDTH - 8}" y="{top + 18}" text-anchor="end">{badge or size}</text></g>'
    )


def _arrows(classes: Sequence[BlockClass | None]) -> Iterator[tuple[int, int]]:
    """Yield from which decided block to which undecided one next to it an arrow leads."""
    for decided, group in groupby(range(len(classes)), lambda number: classes[number] in {GOOD, BAD}):
        run = list(group)
        if not decided:
            yield from ((run[0] - 1, run[0]), (run[-1] + 1, run[-1]))


def _draw_arrow(start: int, end: int) -> str:
    middle = _LINE // 2
    a, b = start * _LINE + middle, end * _LINE + middle
    tip = 5 if b > a else -5
    return f'<path class="arrow" d="M{_MARGIN - 2} {a + tip} H8 V{b - tip} H{_MARGIN - 3} m-5 -4 l5 4 l-5 4"/>'


def style() -> str:
    """Return the colours of the inspector's reports, for the theme's switch between light and dark."""
    light, dark = re.findall(r":root \{(.*?)\}", colours(), re.DOTALL)
    return f"html {{{light} color-scheme: light; }}\nhtml[data-theme='dark'] {{{dark} color-scheme: dark; }}\n"


def draw(what: str) -> str:
    """Return a picture: ``summary``, a page of the gallery, a step of the algorithm, or the chart in a file."""
    if what.endswith(".svg"):
        return f'<figure class="jt-chart">{(DOCS / what).read_text("utf-8")}</figure>'
    if what == "summary":
        return draw_summary()
    return draw_page(what) if what in PAGES else draw_stage(what)


def sources(what: str) -> Iterable[Path]:
    """Return the files that a picture is made from."""
    if what.endswith(".svg"):
        return [DOCS / what]
    names = PAGES if what == "summary" else [what] if what in PAGES else ()
    return [GALLERY / f"{name}.{kind}" for name in names for kind in ("html", "md")] or [_file_of(_PASSES)]
