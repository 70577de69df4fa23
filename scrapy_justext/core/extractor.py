"""From a page to its extraction: the only entrance to the engine.

* :meth:`Extractor.read` does all that does not depend on thresholds: it parses a page, cuts it into blocks, chooses the
  language, asks the trained model, and applies the user's rules.
* :meth:`Extractor.judge` gives the blocks their classes.  It is cheap: many thresholds can be tried on a page.
* :meth:`JudgedPage.extraction` returns what users see.
"""

from __future__ import annotations

from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.blocks import BAD, GOOD, BlockTable, Decision, Decisions, Late
from scrapy_justext.core.context_free import decide_by_kind, measure
from scrapy_justext.core.context_sensitive import Context, heading_paths, number_groups
from scrapy_justext.core.extraction import BlockColumns, Extraction
from scrapy_justext.core.languages import (
    LanguageChoice,
    choice_of,
    choose_language,
    declared_tags,
    on_purpose,
    other_languages,
)
from scrapy_justext.core.markdown.document import ATTRIBUTES, good_document, to_markdown
from scrapy_justext.core.markdown.html import to_html
from scrapy_justext.core.markdown.tables import HTML
from scrapy_justext.core.metadata import read_metadata
from scrapy_justext.core.options import Options, make_options
from scrapy_justext.core.overrides import choose
from scrapy_justext.core.parsing import is_response, parse_html
from scrapy_justext.core.parts import NO_METADATA, Metadata
from scrapy_justext.core.profiles import ARTICLE_AHEAD, ARTICLE_FROM, TYPED_BY
from scrapy_justext.core.reading.flow import find_beside
from scrapy_justext.core.reading.head import declared_languages, page_title, whole_page
from scrapy_justext.core.reading.page import read_blocks
from scrapy_justext.core.reading.paths import NO_PATHS, element_paths
from scrapy_justext.core.stoplists import find_library
from scrapy_justext.core.structured_data import DataBlocks, find_data, find_missing, shows_little
from scrapy_justext.core.tags import CODE, TABLE
from scrapy_justext.core.unsegmented import measure_unspaced
from scrapy_justext.core.whole_page import fall_back, fell_back, find_headline
from scrapy_justext.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typing_extensions import Unpack

    from scrapy_justext.core.blocks import Measurements
    from scrapy_justext.core.context_sensitive import Pass
    from scrapy_justext.core.encodings import EncodingChoice
    from scrapy_justext.core.language_table import Language
    from scrapy_justext.core.learned.classifier import ModelOutput
    from scrapy_justext.core.learned.features import Features
    from scrapy_justext.core.learned.model import Model
    from scrapy_justext.core.learned.pages import PageModel, PageOpinion
    from scrapy_justext.core.options import Choices, Criteria, Parameters
    from scrapy_justext.core.parameters import GivenThresholds, Thresholds
    from scrapy_justext.core.parsing import Page
    from scrapy_justext.core.reading.flow import Flow
    from scrapy_justext.core.reading.nodes import Nodes
    from scrapy_justext.core.reading.paths import Paths
    from scrapy_justext.core.reading.rules import TagRules
    from scrapy_justext.core.stoplists import StoplistSource

_SENTENCE = "It was the best of times, it was the worst of times, it was the age of wisdom and of foolishness. "
#: A page with a menu, and paragraphs that are long enough to be content: a process extracts it before real ones, so
#: that stop words, language detector and model are loaded.  It declares no language, which would save the detector.
WARM_UP_PAGE = (
    "<!DOCTYPE html><html><head><title>Two cities</title></head><body><ul><li><a href=/>Home</a></ul>"
    f"<article><h1>Two cities</h1><p>{_SENTENCE * 5}</p><p>{_SENTENCE * 4}</p></article></body></html>"
)
#: The kinds of blocks that hold names and numbers rather than sentences.
_LISTS = frozenset({CODE, TABLE})


class ReadPage(NamedTuple):
    """A page with everything that does not depend on thresholds."""

    segments: BlockTable
    measured: Callable[[], Measurements]
    """Returns the measurements of the blocks, also of stop words; nothing is measured before the first call."""
    model_output: ModelOutput | None
    """What the trained model makes of the blocks; None for a profile without one, and for a page without blocks."""
    language: LanguageChoice
    declared_language: str | None
    """The first language tag that the page or its headers declare."""
    overrides: Mapping[int, Decision]
    """What the user's rules decided, by the indices of the blocks."""
    read: Callable[[], Nodes | None] | None
    """Reads the tree once more; None for a page without one, and after :meth:`without_tree`."""
    flow: Flow | None
    """The tokens that the blocks are made of, without the tree; None where ``read`` is None."""
    data: DataBlocks | None
    """The texts in JSON-LD and embedded state, if the profile reads them and the blocks hold next to nothing."""
    title: str
    url: str | None
    is_cut: bool
    profile: str
    """The profile that was chosen for the page; the extractor's own if that chooses none."""
    page_type: Callable[[], tuple[str, float]] | None = None
    """Returns the type of the page and its probability; None where nobody tells it."""
    metadata: Metadata = NO_METADATA
    """What the page declares about itself, where it was asked for."""
    encoding: EncodingChoice | None = None
    """None for a page that came as text or as a tree."""
    paths: Mapping[int, Paths] = {}
    """Those of elements, by their numbers; empty where they were not asked for."""
    beside: bytes = b""
    """For each block 1 if it stands beside the text by its markup, else 0; empty for a page without blocks."""
    groups: Mapping[int, Sequence[int]] = {}
    """For each depth of the tree filter, the group of each block; only after :meth:`without_tree`."""

    def without_tree(self, depths: Iterable[int]) -> ReadPage:
        """Return the page without its tree, which takes most of the memory.

        ``depths``: the depths of the tree filter that may be used on it.  Documents and profiles that read structured
        data need the tree.
        """
        if self.flow is None:
            return self
        groups = {depth: number_groups(self.flow, self.segments, depth) for depth in depths}
        return self._replace(read=None, flow=None, groups=groups)

    def __reduce__(self) -> tuple[object, ...]:
        # Trees, and the tokens that read them, cannot be sent.
        return ReadPage, tuple(self._replace(read=None, flow=None))


class JudgedPage(NamedTuple):
    """A page with the classes of its blocks: plain data."""

    page: ReadPage
    """Without its tree, and without its tokens unless documents were asked for."""
    context: Context
    opinion: PageOpinion | None
    """What a page model makes of the page; None for a profile without one, and for a page without blocks."""
    passes: tuple[Pass, ...]
    final: Decisions
    """The decisions that the passes left."""
    data: DataBlocks | None
    """The blocks that structured data add; no pass changes them."""
    tables: str
    """What is written of tables in Markdown."""
    documents: Mapping[str, str] = {}
    """The good blocks as Markdown or HTML, by the fields of the extraction that were asked for."""

    def with_decisions(self, decisions: Mapping[int, Decision]) -> JudgedPage:
        """Return the page with other decisions for some blocks, and with what follows for their neighbours.

        Blocks that the user's rules decided stay as they are.
        """
        context = self.context.with_decisions(decisions)
        return self._replace(context=context, final=context.pass_through(self.passes)).with_documents()

    def with_bad(self, reasons: Mapping[int, str]) -> JudgedPage:
        """Return the page with some blocks made bad for ``reasons``, by index; their neighbours keep their classes."""
        count, data = len(self.final), self.data
        rows = {i: Decision(BAD, reason) for i, reason in reasons.items()}
        if data is not None:
            of_data = {i - count: row for i, row in rows.items() if i >= count}
            data = data._replace(decisions=data.decisions.with_rows(of_data))
        of_page = {i: row for i, row in rows.items() if i < count}
        return self._replace(final=self.final.with_rows(of_page), data=data).with_documents()

    def with_documents(self) -> JudgedPage:
        """Return the page with the documents that were asked for; as it is if there are no tokens."""
        page, context = self.page, self.context
        if page.flow is None:
            return self
        pieces = good_document(
            page.flow,
            context.segments,
            self.final,
            url=page.url,
            data=() if self.data is None else self.data.good,
            headline=find_headline(context, self.final),
        )
        write = {"markdown": lambda: to_markdown(pieces, tables=self.tables), "html": lambda: to_html(pieces)}
        return self._replace(documents={name: write[name]() for name in self.documents})

    def extraction(self) -> Extraction:
        """Return what users see of the page."""
        page, context, opinion = self.page, self.context, self.opinion
        encoding, encoding_source, encoding_reason = page.encoding or (None, None, None)
        are_good, language = self.final.are_good, page.language.code
        roles = {} if opinion is None else {"role": partial(opinion.roles, are_good)}
        columns = _columns(context, page.measured, self.final, roles, language=language, paths=page.paths)
        if self.data is not None:
            origin, segments, decided, measured = self.data
            assert measured is not None
            of_data, count = Context(segments, decided, context.thresholds), len(segments)
            makers = {
                "role": lambda: ["content" if good else "other" for good in decided.are_good],
                "origin": lambda: [origin] * count,
            }
            added = _columns(of_data, lambda: measured, decided, makers, language=language, first=columns.count)
            columns = BlockColumns.joined([columns, added])
        of_page: dict[str, Callable[[], object]] = {}
        if opinion is not None:
            has_data = self.data is not None
            of_page["confidence"] = lambda: opinion.confidence(are_good, has_data=has_data)
        if (page_type := page.page_type) is not None:
            of_page |= {"page_type": lambda: page_type()[0], "page_type_probability": lambda: page_type()[1]}
        columns.of_page = of_page
        return Extraction.of_columns(
            columns,
            language=language,
            language_source=page.language.source,
            language_reason=page.language.reason,
            declared_language=page.declared_language,
            profile=page.profile,
            title=page.title,
            url=page.url,
            is_cut=page.is_cut,
            metadata=page.metadata,
            is_fallback=fall_back in self.passes and fell_back(context, self.final),
            **self.documents,
            encoding=encoding,
            encoding_source=encoding_source,
            encoding_reason=encoding_reason,
        )


class Extractor:
    """Extracts pages with one choice of options, which is checked once.

    ``choices``: the same as for :func:`extract`, with the same defaults.
    ``options``: what :func:`~scrapy_justext.core.options.make_options` returns, in their place.
    ``model``: a trained model in place of the profile's own, for a profile that has one.
    Raises :class:`~scrapy_justext.exceptions.ParameterError` for a choice that is not allowed.

    >>> Extractor(language="English").extract("<title>Two cities</title>").title
    'Two cities'
    """

    def __init__(
        self, options: Options | None = None, *, model: Model | None = None, **choices: Unpack[Choices]
    ) -> None:
        if options is None:
            options = make_options(**choices)
        elif choices:
            raise TypeError(f"either options or choices, not both: {', '.join(choices)}")
        if not isinstance(options, Options):
            raise ParameterError("options", options, "must be what make_options returns; choices have names")
        self.options = options
        if model is not None and len(options.profile.models) != 1:
            allowed = "must be learned or learned-article where a model is given"
            raise ParameterError("profile", options.profile.name, allowed)
        self._given_model = model
        self._chooses = tuple(map(Extractor, self.options.chooses))
        self._criteria: dict[Language | None, Criteria] = {}

    def with_thresholds(self, **thresholds: Unpack[GivenThresholds]) -> Extractor:
        """Return an extractor with some other thresholds; it can judge pages that this one read."""
        return Extractor(self.options.with_thresholds(**thresholds), model=self._given_model)

    def chosen_for(self, page: ReadPage) -> Extractor:
        """Return the extractor with the profile that was chosen for a page: this one if its profile chooses none."""
        return next((choice for choice in self._chooses if choice.options.profile.name == page.profile), self)

    def extract(
        self, page: Page, *, encoding: str | None = None, url: str | None = None, languages: Sequence[str] = ()
    ) -> Extraction:
        """Return the extraction of a page; the arguments are those of :meth:`read`."""
        # Nobody changes the tree in between.
        return self.judge(self._read_page(page, encoding, url, languages)).extraction()

    def judge_page(
        self, page: Page, *, encoding: str | None = None, url: str | None = None, languages: Sequence[str] = ()
    ) -> JudgedPage:
        """Read and judge a page; the arguments are those of :meth:`read`."""
        return self.judge(self.read(page, encoding=encoding, url=url, languages=languages))

    def read(
        self, page: Page, *, encoding: str | None = None, url: str | None = None, languages: Sequence[str] = ()
    ) -> ReadPage:
        """Read a page: do everything that does not depend on thresholds.

        ``page``: text, bytes, an lxml element, which is left as it was, or a response that holds text, such as Scrapy's
        ``TextResponse``, whose tree is used.
        ``encoding``: that of bytes, from an HTTP header.  A byte order mark overrules it; it overrules what the bytes
        and the page itself say.
        ``url``: kept in the extraction; Markdown and HTML resolve relative links against it.  The default is a
        response's own.
        ``languages``: the language tags in the HTTP headers.

        Raises :class:`~scrapy_justext.exceptions.PageError` for a ``page`` of a wrong type or an ``encoding`` that
        cannot be used; its :class:`~scrapy_justext.exceptions.PageLimitError` for a page with more than ``max_blocks``
        blocks, or with so many attributes in an element that it takes long to parse; and
        :class:`~scrapy_justext.exceptions.ModelError` for a model that cannot be loaded.
        """
        read = self._read_page(page, encoding, url, languages)
        if read.flow is not None:
            # Until the page is judged, others may change the tree.
            read.flow.let_go(ATTRIBUTES if self.options.documents else frozenset())
        return read

    def _read_page(self, page: Page, encoding: str | None, url: str | None, languages: Sequence[str]) -> ReadPage:
        options = self.options
        parsed, rules = parse_html(page, encoding, options.parser), options.profile.tags
        segments = BlockTable()
        url = page.url if url is None and is_response(page) and hasattr(page, "url") else url
        title, tags, metadata = "", [*languages], NO_METADATA
        flow = data = None
        nodes = parsed.read()
        if nodes is not None:
            segments, flow = _read(nodes, rules, options.max_blocks)
            whole = whole_page(nodes)
            title = page_title(whole)
            tags += declared_languages(whole)
            if options.metadata:
                metadata = read_metadata(whole, url, guess_from=parsed.root if options.guess_dates else None)
            if options.profile.reads_data and shows_little(segments):
                data = find_data(nodes, flow.rules, options.selection)
        declared = declared_tags(tags)
        language = _choose_language(segments, data, declared, options)
        model_output, profile, page_type = self._weigh(segments, flow, title)
        if nodes is not None and options.page_types and not options.profile.models:
            *_, page_type = _typer()._weigh(*_read(nodes, _typer().options.profile.tags, None), title)
        return ReadPage(
            segments=segments,
            measured=Late(partial(measure_blocks, segments, self._criteria_for(language.language))),
            model_output=model_output,
            language=language,
            declared_language=declared[0] if declared else None,
            overrides=choose(options.selection, segments, flow) if options.selection and flow else {},
            read=None if nodes is None else parsed.read,
            flow=flow,
            data=data,
            title=title,
            url=url,
            is_cut=parsed.is_cut,
            profile=profile,
            page_type=page_type,
            metadata=metadata,
            encoding=parsed.encoding,
            beside=find_beside(flow, segments) if flow else b"",
            paths=element_paths(flow, parsed.root, segments.element) if options.paths and flow else {},
        )

    def judge(self, page: ReadPage) -> JudgedPage:
        """Return a page with the classes of its blocks.

        It may have been read by another extractor, if only the thresholds differ.
        """
        chosen = self.chosen_for(page)
        if chosen is not self:
            return chosen.judge(page)
        options, profile = self.options, self.options.profile
        thresholds = self.thresholds_for(page.language.language)
        context = self._context(page, thresholds)
        # A page may have text in its data where it has no good blocks: that comes before the fallback.
        passes = tuple(apply for apply in profile.passes if apply is not fall_back)
        final = context.pass_through(passes)
        data, flow = None, page.flow
        if profile.reads_data and page.read is not None and flow is not None:
            data = find_missing(context, final, page.read, flow.rules, options.selection, page.data)
        if data is not None:
            criteria = self._criteria_for(page.language.language)
            data = data._replace(measurements=measure_blocks(data.segments, criteria))
        elif passes != profile.passes:
            passes = profile.passes
            if GOOD.code not in context.context_free.classes:
                final = context.pass_through(passes)
        # A crawl may hold the page for long: what is not needed any more is let go of.
        kept = page._replace(model_output=None, data=None, read=None, flow=flow if options.documents else None)
        return JudgedPage(
            page=kept._replace(profile=profile.name),
            context=context,
            opinion=None if page.model_output is None else page.model_output.opinion,
            passes=passes,
            final=final,
            data=data,
            tables=options.markdown_tables,
            documents=dict.fromkeys(options.documents, ""),
        ).with_documents()

    def thresholds_for(self, language: Language | None) -> Thresholds:
        """Return the thresholds in force on pages in a language, with those of its script and of the trained model.

        ``language``: None for a page that is judged without stop words.
        """
        return self._criteria_for(language).thresholds

    def _criteria_for(self, language: Language | None) -> Criteria:
        """Return what pages in a language are judged by; it is found once, since every page asks for it."""
        criteria = self._criteria.get(language)
        if criteria is None:
            criteria = self.options.criteria(language)
            if self.options.profile.models:
                from scrapy_justext.core.learned.classifier import with_limits  # noqa: PLC0415 (it needs numpy)

                criteria = criteria._replace(thresholds=with_limits(criteria.thresholds, self._models[0]))
            self._criteria[language] = criteria
        return criteria

    def language_of(self, extraction: Extraction) -> Language | None:
        """Return the language whose stop words an extraction was judged by; None without stop words."""
        has_none = extraction.language_source == "fallback" or self.options.candidates == ()
        return None if has_none else self.options.library.find(extraction.language)

    @cached_property
    def _models(self) -> tuple[Model, PageModel | None]:
        """Return the model that judges blocks, and that which judges pages, trained on what the profile's own says."""
        if self._given_model is not None:
            return self._given_model, None
        # Imported when a page needs them: they need numpy, whose import takes a tenth of a second.
        from scrapy_justext.core.learned.model import shipped_model  # noqa: PLC0415
        from scrapy_justext.core.learned.pages import shipped_page_model  # noqa: PLC0415

        name = self.options.profile.models[0]
        return shipped_model(name), shipped_page_model(name)

    def _weigh(
        self, segments: BlockTable, flow: Flow | None, title: str
    ) -> tuple[ModelOutput | None, str, Callable[[], tuple[str, float]] | None]:
        """Return what a trained model makes of a page's blocks, the profile that judges them, and its type."""
        chosen, *for_articles = self._chooses or (self,)
        if not segments or flow is None or not self.options.profile.models:
            return None, chosen.options.profile.name, None
        from scrapy_justext.core.learned.classifier import weigh  # noqa: PLC0415 (it needs numpy)
        from scrapy_justext.core.learned.features import compute  # noqa: PLC0415

        features, (model, page_model) = compute(segments, flow, title), chosen._models
        log_odds = model.log_odds(features)
        output = weigh(features, model, page_model, log_odds)
        page_type = None
        if output.opinion is not None:
            is_told = chosen.options.profile.name == TYPED_BY
            page_type = Late(output.opinion.page_type if is_told else partial(_page_type, features))
            if for_articles and output.opinion.type_probabilities()["article"] >= ARTICLE_FROM:
                [other] = for_articles
                # The model for articles has the networks of the other one, too, and they come first.
                of_articles = weigh(features, *other._models, other._models[0].log_odds(features, log_odds), output)
                if of_articles.expected_f1 >= output.expected_f1 - ARTICLE_AHEAD:
                    chosen, output = other, of_articles
        return output, chosen.options.profile.name, page_type

    def _context(self, page: ReadPage, thresholds: Thresholds) -> Context:
        """Return what the passes start from."""
        classify, depth = self.options.profile.classify, thresholds.tree_depth
        probabilities: Sequence[float | None] = [None] * len(page.segments)
        if classify is not None:
            context_free = classify(page.segments, page.measured(), thresholds)
        elif page.model_output is None:
            context_free = Decisions()
        else:
            context_free = page.model_output.decide(thresholds)
            probabilities = page.model_output.probabilities
        if self.options.profile.tags.kinds:
            context_free = decide_by_kind(context_free, page.segments, page.measured, thresholds)
        groups = None if depth is None else page.groups.get(depth)
        if depth is not None and page.flow is not None:
            groups = number_groups(page.flow, page.segments, depth)
        context = Context(
            page.segments,
            context_free,
            thresholds,
            groups=groups,
            probabilities=probabilities,
            title=page.title,
            beside=page.beside,
        )
        return context.with_decisions(page.overrides)


def extract(  # noqa: PLR0913 (help shows what can be chosen)
    page: Page,
    *,
    language: str | Sequence[str] = "auto",
    stoplist: StoplistSource | None = None,
    profile: str = "justext",
    encoding: str | None = None,
    url: str | None = None,
    paths: bool = False,
    markdown: bool = False,
    html: bool = False,
    markdown_tables: str = HTML,
    metadata: bool = False,
    guess_dates: bool = False,
    page_types: bool = False,
    ruby: bool = False,
    parser: str = "lxml",
    max_blocks: int | None = None,
    **parameters: Unpack[Parameters],
) -> Extraction:
    """Return the clean text of an HTML page, with all its blocks and why each is content or boilerplate.

    ``page``, ``encoding``, ``url``: as for :meth:`Extractor.read`.
    ``language`` to ``max_blocks``: see :class:`~scrapy_justext.core.options.Choices`.
    ``parameters``: those of :class:`~scrapy_justext.core.parameters.Thresholds`, by default the profile's;
    ``stoplists_dir``; and rules of your own, ``keep_css``, ``drop_css``, ``drop_text``.

    Raises :class:`~scrapy_justext.exceptions.JustextError` for a parameter that is not allowed, for a ``page`` of a
    wrong type, and for one that takes too much, see :meth:`Extractor.read`.  A page without text gives an extraction
    without blocks.

    >>> extract("<p>Home<p>" + "It was the best of times, it was the worst of times. " * 5).paragraphs
    ['It was the best of times, ...']
    """
    extractor = Extractor(
        language=language,
        stoplist=stoplist,
        profile=profile,
        paths=paths,
        markdown=markdown,
        html=html,
        markdown_tables=markdown_tables,
        metadata=metadata,
        guess_dates=guess_dates,
        page_types=page_types,
        ruby=ruby,
        parser=parser,
        max_blocks=max_blocks,
        **parameters,
    )
    return extractor.extract(page, encoding=encoding, url=url)


@lru_cache(maxsize=1)
def _typer() -> Extractor:
    return Extractor(profile=TYPED_BY)


def _page_type(features: Features) -> tuple[str, float]:
    """Return the type of a page by the one profile that tells it, and its probability."""
    from scrapy_justext.core.learned.classifier import weigh  # noqa: PLC0415 (it needs numpy)

    opinion = weigh(features, *_typer()._models).opinion
    assert opinion is not None
    return opinion.page_type()


def _read(page: Nodes, rules: TagRules, most: int | None) -> tuple[BlockTable, Flow]:
    """Return the blocks of a page and its tokens; by other rules if its own show next to nothing."""
    segments, flow = read_blocks(page, rules, most)
    if rules.where_little is not None and shows_little(segments):
        more, more_flow = read_blocks(page, rules.where_little, most)
        if not shows_little(more):
            return more, more_flow
    return segments, flow


def measure_blocks(segments: BlockTable, criteria: Criteria) -> Measurements:
    """Measure blocks: look for stop words between spaces or, in a script without spaces, anywhere."""
    if criteria.script is None:
        return measure(segments, criteria.stopwords)
    return measure_unspaced(segments, criteria.stopwords, criteria.script)


def _choose_language(
    segments: BlockTable, data: DataBlocks | None, declared: Sequence[str], options: Options
) -> LanguageChoice:
    candidates = options.candidates
    if candidates is not None and len(candidates) == 1:
        return choice_of(candidates[0], "given", "given")
    samples = _samples(segments) + (_samples(data.segments) if data else [])
    choice = choose_language(samples, declared, options.library, candidates or None)
    if candidates == ():
        return on_purpose(choice, "none: stop words do not count")._replace(language=None)
    if options.stopwords is not None and choice.source == "fallback":
        return on_purpose(choice, "judged by own stop words")
    return choice


def _samples(segments: BlockTable) -> list[str]:
    """Return the texts that show a page's language, with little of code and tables: pages may have nothing else."""
    are_preformatted, kinds = map(segments.of_position, ("preformatted", "kind"))
    # Most pages have none of it.
    if _LISTS.isdisjoint(kinds) and not any(are_preformatted):
        return segments.collapsed
    return [
        text[: len(text) // 8] if is_preformatted or kind in _LISTS else text
        for text, is_preformatted, kind in zip(segments.collapsed, are_preformatted, kinds, strict=True)
    ]


def _columns(
    context: Context,
    measured: Callable[[], Measurements],
    decisions: Decisions,
    more: Mapping[str, Callable[[], Sequence[Any]]],
    *,
    language: str,
    paths: Mapping[int, Paths] = MappingProxyType({}),
    first: int = 0,
) -> BlockColumns:
    """Return the fields of blocks; what is not given is None.

    ``more``: what makes other columns; ``language``: the page's; ``first``: the index of the first block.
    """
    segments, count = context.segments, len(context.segments)

    def path(name: str) -> list[str | None]:
        return [getattr(paths.get(element, NO_PATHS), name) for element in segments.element]

    images = partial(segments.of_extras, "image_url")
    return BlockColumns(
        count,
        {
            "text": lambda: segments.text,
            "block_class": decisions.block_classes,
            "context_free_class": context.context_free.block_classes,
            "reason": lambda: decisions.reasons,
            "is_heading": lambda: list(map(bool, segments.of_position("heading_level"))),
            "heading_level": partial(segments.of_position, "heading_level"),
            "tag": partial(segments.of_position, "tag"),
            "link_density": lambda: measured().link_density,
            "stopword_density": lambda: measured().stopword_density,
            "word_count": lambda: measured().word_count,
            "characters": lambda: measured().characters,
            "link_characters": lambda: segments.link_characters,
            "tags_count": lambda: segments.tags_count,
            "index": lambda: range(first, first + count),
            "xpath": partial(path, "xpath"),
            "dom_path": partial(path, "dom_path"),
            "image_url": images,
            "image_alt": lambda: [
                None if url is None else alt for url, alt in zip(images(), segments.text, strict=True)
            ],
            "probability": lambda: context.probabilities or [None] * count,
            "origin": lambda: ["page"] * count,
            "kind": partial(segments.of_position, "kind"),
            "code_language": partial(segments.of_extras, "code_language"),
            "heading_path": lambda: heading_paths(segments, decisions, find_headline(context, decisions)),
            "role": lambda: [None] * count,
            "language": lambda: other_languages(segments.collapsed, language, find_library()),
            **more,
        },
    )
