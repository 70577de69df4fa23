"""What is known of blocks, each in a column of its own, to the rows that blocks are made of."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.blocks import Block, Decision, make_blocks
from scrapy_justext.core.context_free import measure
from scrapy_justext.core.context_sensitive import Context, heading_paths, number_groups
from scrapy_justext.core.elements import Elements, element_paths
from scrapy_justext.core.languages import (
    OWN_STOPLIST,
    LanguageChoice,
    Lists,
    choose_among,
    choose_language,
    declared_tags,
    given,
)
from scrapy_justext.core.markdown.document import to_markdown
from scrapy_justext.core.options import Options, make_options
from scrapy_justext.core.overrides import choose
from scrapy_justext.core.parsing import Parsed, declared_languages, page_title, parse_html
from scrapy_justext.core.reading import segment_and_count
from scrapy_justext.core.structured_data import PAGE, Data, Shown, find_data, shows_little, supplement
from scrapy_justext.core.unsegmented import measure_unspaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lxml import etree

    from scrapy_justext.core.blocks import Measurements, Segment
    from scrapy_justext.core.context_sensitive import Pass
    from scrapy_justext.core.elements import Paths
    from scrapy_justext.core.options import Judging
    from scrapy_justext.core.parameters import Thresholds
    from scrapy_justext.core.profiles import Profile
    from scrapy_justext.core.stoplists import StoplistSource
    from scrapy_justext.core.structured_data import DataText


class Columns(NamedTuple):
    """What is known of blocks, a value each."""

    segments: Sequence[Segment]
    measurements: Sequence[Measurements]
    context_free: Sequence[Decision]
    decisions: Sequence[Decision]
    probabilities: Sequence[float | None]


def rows(
    columns: Columns, paths: Sequence[Paths], *, start: int = 0, origin: str = PAGE
) -> Iterator[tuple[object, ...]]:
    """What blocks are made of: the values of their fields, in order.  ``start``: the number of the first one."""
    values = enumerate(zip(*columns, heading_paths(columns.segments, columns.decisions), strict=True), start)
    for index, (one, figure, (before, _, _), (final, reason, _), probability, above) in values:
        text, _, link_characters, _, tags_count, tag, level, _, _, element, _, image_url = one
        characters, word_count, _, link_density, stopword_density = figure
        xpath, dom_path = paths[element] if paths else (None, None)
        yield (
            text,
            final,
            before,
            reason,
            level > 0,
            level,
            tag,
            link_density,
            stopword_density,
            word_count,
            characters,
            link_characters,
            tags_count,
            index,
            xpath,
            dom_path,
            image_url,
            None if image_url is None else text,
            probability,
            origin,
            above,
        )


# What is done once for a page, however often it is judged: it is cut into blocks, which are measured.
#
# Thresholds have no say here, so that they can be tried on a prepared page; the language has, since the stop words that
# are counted are its own.

#: Characters of the longest blocks that the language is detected on, and how many blocks at the most.
SAMPLE_CHARACTERS = 600
SAMPLE_BLOCKS = 5


class Prepared(NamedTuple):
    """A page as far as no threshold has a say: in blocks, which are measured."""

    segments: Sequence[Segment]
    measurements: Sequence[Measurements]
    thresholds: Thresholds
    """Those for the page's language: see :meth:`Options.judging`."""
    choice: LanguageChoice
    chosen: Mapping[int, Decision]
    """The decisions of the user's rules, by the indices of their blocks."""
    elements: Elements | None
    """None for a page without a tree."""
    title: str
    data: Data | None
    """What JSON-LD and embedded state hold, where the profile reads them and the blocks hold next to nothing."""


def prepare(parsed: Parsed, options: Options, *, declared: Sequence[str] = ()) -> Prepared:
    """Cut a parsed page into blocks and measure them: all that need not be done again for other thresholds."""
    root, tags = parsed.root, options.profile.tags
    segments: list[Segment] = []
    title = ""
    elements = data = None
    if root is not None:
        segments, count = segment_and_count(root, tags)
        title = page_title(root)
        declared = [*declared, *declared_languages(root)]
        elements = Elements(root, tags, count)
        if options.profile.reads_data and shows_little(segments):
            data = find_data(elements, options.selection)
    choice = _choose_language([*segments, *data.segments] if data else segments, options, declared)
    judging = options.judging(choice.language)
    measurements = measure_blocks(segments, judging)
    chosen = choose(options.selection, segments, elements) if options.selection and elements else {}
    return Prepared(segments, measurements, judging.thresholds, choice, chosen, elements, title, data)


def measure_blocks(segments: Sequence[Segment], judging: Judging) -> list[Measurements]:
    """Measure blocks, with stop words found between spaces or, where the script has no spaces, anywhere."""
    if judging.script is None:
        return measure(segments, judging.stopwords)
    return measure_unspaced(segments, judging.stopwords, judging.script)


def _choose_language(segments: Sequence[Segment], options: Options, declared: Sequence[str]) -> LanguageChoice:
    candidates = options.candidates
    if candidates is not None and len(candidates) == 1:
        return given(candidates[0])
    if options.stopwords is not None:
        return OWN_STOPLIST
    sample = _sample(segments)
    tags = declared_tags(declared)
    lists = Lists(options.library.find, options.library.words)
    if candidates is None:
        return choose_language(sample, tags, lists)
    return choose_among(candidates, sample, tags, lists)


def _sample(segments: Sequence[Segment]) -> str:
    """Text to tell the language by: that of the longest blocks."""
    longest = sorted((one.collapsed for one in segments), key=len, reverse=True)
    return " ".join(longest[:SAMPLE_BLOCKS])[:SAMPLE_CHARACTERS]


# A page that is judged, as plain data: some of its blocks can be judged otherwise later, by what is known then.
#
# It can wait, or come from another process.  Markdown alone is written from the tree, which stays where it is.


@dataclass(frozen=True, slots=True)
class Tree:
    """What Markdown is written from; None where it was left behind in another process."""

    elements: Elements | None

    def __reduce__(self) -> tuple[type[Tree], tuple[None]]:
        return Tree, (None,)


class JudgedPage(NamedTuple):
    """All that an extraction is made of."""

    context: Context
    measurements: Sequence[Measurements]
    probabilities: Sequence[float | None]
    passes: tuple[Pass, ...]
    final: Sequence[Decision]
    """The decisions that the passes left."""
    paths: Sequence[Paths]
    data: DataText | None
    """The blocks from the page's data, which stay as they are."""
    data_measurements: Sequence[Measurements]
    choice: LanguageChoice
    profile: str
    title: str
    url: str | None
    is_cut: bool
    tree: Tree
    """Empty unless Markdown was asked for."""
    markdown: str = ""

    def judged_again(self, decisions: Mapping[int, Decision]) -> JudgedPage:
        """The page with other decisions for some blocks, and what follows from them for their neighbours.

        Blocks that the user's rules decided stay as they are.
        """
        context = self.context.chosen(decisions)
        return self._replace(context=context, final=context.pass_through(self.passes)).with_markdown()

    def with_markdown(self) -> JudgedPage:
        """The page with its good blocks as Markdown; as it is where there is no tree to write it from."""
        if self.tree.elements is None:
            return self
        added = () if self.data is None else self.data.good
        markdown = to_markdown(self.tree.elements, self.context.segments, self.final, url=self.url, data=added)
        return self._replace(markdown=markdown)


# From a page to its clean text: the passes in order.


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found on a page: plain data, no tree, no node."""

    blocks: tuple[Block, ...]
    """Every block in document order, boilerplate too."""
    language: str
    """ISO 639 code of the stoplist used; of the page where that language has none (``fallback``);
    ``und`` where nothing tells."""
    language_source: str
    """``given``, ``detected``, ``declared`` or ``fallback`` (judged without stop words)."""
    language_reason: str
    """Why this language, in words."""
    profile: str
    title: str
    """The TITLE's text; dates and authors are left to other libraries."""
    url: str | None = None
    is_cut: bool = False
    """The parser dropped the end of the page, which nests deeper than 2,048 elements."""
    markdown: str = ""
    """The good blocks as Markdown; empty unless it was asked for."""

    @property
    def paragraphs(self) -> list[str]:
        """The texts of the good blocks."""
        # An image without ALT has no text.
        return [block.text for block in self.blocks if block.is_good and block.text]

    @property
    def text(self) -> str:
        """The paragraphs, with a blank line between them."""
        return "\n\n".join(self.paragraphs)

    @property
    def good_characters(self) -> int:
        """Characters in good blocks."""
        return sum(block.characters for block in self.blocks if block.is_good)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain JSON values: dicts, lists, str, numbers, booleans, None."""
        return {
            "text": self.text,
            "paragraphs": self.paragraphs,
            "blocks": blocks_to_dicts(self.blocks),
            **{field.name: getattr(self, field.name) for field in fields(self) if field.name != "blocks"},
        }


BLOCK_FIELDS = tuple(field.name for field in fields(Block))

#: What makes plain JSON values of the fields that hold others.
_PLAIN: dict[str, Callable[[Any], Any]] = {
    "block_class": attrgetter("value"),
    "context_free_class": attrgetter("value"),
    "heading_path": list,
}


def blocks_to_dicts(blocks: Iterable[Block], names: Sequence[str] = BLOCK_FIELDS) -> list[dict[str, Any]]:
    """Some fields of each block as plain JSON values."""
    blocks = tuple(blocks)
    # Field by field: dicts that have their keys are filled faster than dicts that grow.
    empty: dict[str, Any] = dict.fromkeys(names)
    rows = [empty.copy() for _ in blocks]
    for name in names:
        values = map(attrgetter(name), blocks)
        for row, value in zip(rows, map(_PLAIN[name], values) if name in _PLAIN else values, strict=True):
            row[name] = value
    return rows


def extract(  # noqa: PLR0913 (all but the page are keywords with a default)
    page: str | bytes | etree._Element,
    *,
    language: str | Sequence[str] = "auto",
    stoplist: StoplistSource | None = None,
    profile: str = "justext",
    encoding: str | None = None,
    url: str | None = None,
    paths: bool = False,
    markdown: bool = False,
    **knobs: Any,
) -> Extraction:
    """The clean text of an HTML page, with all its blocks and why each is content or boilerplate.

    ``page``: text, bytes, or an lxml element, which is left as it was.  Bytes are decoded by byte order
    mark, then ``encoding``, then the page's own declaration, then detection.
    ``language``: an English name or ISO 639 code; several, of which one is chosen for the page; ``"auto"``: one
    of all.
    ``stoplist``: words in place of the language's: a path, several ``Path``, or an iterable of words.
    ``profile``: one of :data:`~scrapy_justext.core.profiles.PROFILES`.
    ``url``: kept in the result, and what relative links are resolved against in Markdown.
    ``paths``: whether blocks get their ``xpath`` and ``dom_path``, which take time.
    ``markdown``: whether the result gets its ``markdown``.
    ``knobs``: fields of :class:`~scrapy_justext.core.parameters.Thresholds`, the profile's where left out;
    and ``keep_css``, ``drop_css`` (CSS selectors of elements whose blocks are good, or bad, before their
    neighbours are judged), ``drop_text`` (regular expressions, searched in the text of blocks that are bad):
    each a string or several.  What is dropped is dropped also inside of what is kept.

    Raises :class:`~scrapy_justext.exceptions.JustextError` for a parameter that is not allowed, and for
    a ``page`` that is none.  A page without text gives an extraction without blocks.

    >>> extract("<p>Home<p>" + "It was the best of times, it was the worst of times. " * 5).paragraphs
    ['It was the best of times, ...']
    """
    options = make_options(
        language=language,
        stoplist=stoplist,
        profile=profile,
        paths=paths,
        markdown=markdown,
        knobs=knobs,
    )
    return extract_parsed(parse_html(page, encoding), options, url=url)


class Judged(NamedTuple):
    """The classes of a page's blocks: those that their own texts earned, and the final ones."""

    context_free: Sequence[Decision]
    final: Sequence[Decision]
    probabilities: Sequence[float | None]


def extract_parsed(
    parsed: Parsed, options: Options, *, url: str | None = None, declared: Sequence[str] = ()
) -> Extraction:
    """The clean text of a parsed page.  ``declared``: languages that something else than the page says."""
    return extract_prepared(parsed, prepare(parsed, options, declared=declared), options, url=url)


def extract_prepared(parsed: Parsed, prepared: Prepared, options: Options, *, url: str | None = None) -> Extraction:
    """The clean text of a page that was prepared by options that differed in nothing but thresholds."""
    prepared = prepared._replace(thresholds=options.judging(prepared.choice.language).thresholds)
    return extraction_of(judge_page(parsed, prepared, options, url=url))


def judge_page(parsed: Parsed, prepared: Prepared, options: Options, *, url: str | None = None) -> JudgedPage:
    """A page with the classes of its blocks, which can be judged again without its tree."""
    profile, root = options.profile, parsed.root
    context, probabilities = _classify(prepared, profile, prepared.thresholds)
    final = context.pass_through(profile.passes)
    data = None
    if profile.reads_data and prepared.elements is not None:
        shown = Shown(prepared.segments, final, probabilities, prepared.chosen)
        data = supplement(shown, prepared.elements, options.selection, prepared.data)
    data_measurements = [] if data is None else measure_blocks(data.segments, options.judging(prepared.choice.language))
    return JudgedPage(
        context=context,
        measurements=prepared.measurements,
        probabilities=probabilities,
        passes=profile.passes,
        final=final,
        paths=element_paths(root, profile.tags) if options.paths and root is not None else [],
        data=data,
        data_measurements=data_measurements,
        choice=prepared.choice,
        profile=profile.name,
        title=prepared.title,
        url=url,
        is_cut=parsed.is_cut,
        tree=Tree(prepared.elements if options.markdown else None),
    ).with_markdown()


def extraction_of(page: JudgedPage) -> Extraction:
    """What is found on a judged page."""
    context = page.context
    columns = Columns(context.segments, page.measurements, context.context_free, page.final, page.probabilities)
    found = list(rows(columns, page.paths))
    if page.data is not None:
        decided = page.data.decisions
        columns = Columns(page.data.segments, page.data_measurements, decided, decided, [None] * len(decided))
        found += rows(columns, [], start=len(found), origin=page.data.origin)
    return Extraction(
        blocks=make_blocks(found),
        language=page.choice.code,
        language_source=page.choice.source,
        language_reason=page.choice.reason,
        profile=page.profile,
        title=page.title,
        url=page.url,
        is_cut=page.is_cut,
        markdown=page.markdown,
    )


def judge(prepared: Prepared, profile: Profile, thresholds: Thresholds) -> Judged:
    """The classes of a page's blocks."""
    context, probabilities = _classify(prepared, profile, thresholds)
    return Judged(context.context_free, context.pass_through(profile.passes), probabilities)


def _classify(prepared: Prepared, profile: Profile, thresholds: Thresholds) -> tuple[Context, Sequence[float | None]]:
    """What the passes start from, and the probabilities of the blocks."""
    elements, depth = prepared.elements, thresholds.tree_depth
    context_free = profile.classify(prepared.segments, prepared.measurements, thresholds, elements)
    groups = None if depth is None or elements is None else number_groups(elements, prepared.segments, depth)
    context = Context(prepared.segments, context_free, thresholds, groups=groups)
    return context.chosen(prepared.chosen), [decision.probability for decision in context_free]


def part_of(extraction: Extraction, part: str, which: str = "all", block_fields: Sequence[str] = BLOCK_FIELDS) -> Any:
    """Return a part of an extraction as plain JSON values; of the blocks, those ``which`` are ``good`` or ``all``."""
    if part != "blocks":
        return getattr(extraction, part)
    return blocks_to_dicts((block for block in extraction.blocks if which == "all" or block.is_good), block_fields)
