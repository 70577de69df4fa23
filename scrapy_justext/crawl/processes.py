"""What the processes of a pool do with pages: what goes in, and how the result travels.

Nothing here needs Scrapy, whose import would delay every process.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from scrapy_justext.core.blocks import make_blocks
from scrapy_justext.core.extractor import BLOCK_FIELDS, Extraction, Extractor
from scrapy_justext.core.parsing import decode_response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy_justext.core.extractor import JudgedPage
    from scrapy_justext.core.options import Options

Result = TypeVar("Result")

#: Blocks that travel together.  The crawl stands still while it unpickles them, a millisecond or two.
PIECE = 500


class RawPage(NamedTuple):
    """A page as it came.

    ``encoding``: by which a response decodes its body; None for HTML that did not come as a response;
    ``declared``: languages that something else than the page says.
    """

    html: str | bytes
    encoding: str | None = None
    url: str | None = None
    declared: tuple[str, ...] = ()

    def judge(self, options: Options) -> JudgedPage:
        """Return the page with the classes of its blocks."""
        html = self.html
        if self.encoding is not None and isinstance(html, bytes):
            html = decode_response(html, self.encoding)
        extractor = Extractor(options)
        return extractor.judge(extractor.read(html, url=self.url, languages=self.declared))


@dataclass(frozen=True, slots=True)
class Task(Generic[Result]):
    """What is done with a page, as functions of modules: a process is told their names.

    ``run``: makes the result, in the process; ``split``: cuts it there into plain pieces, each of which is
    unpickled quickly; ``join``: the result of the pieces again, in the crawl.
    """

    run: Callable[[RawPage, Options], Result]
    split: Callable[[Result], Iterable[object]]
    join: Callable[[Iterable[Any]], Result]


def _extract(page: RawPage, options: Options) -> Extraction:
    return page.judge(options).extraction()


_OF_PAGE = tuple(field.name for field in fields(Extraction) if field.name != "blocks")
#: The values of a block, in order: a tenth of the cost of pickling the block.
_row = attrgetter(*BLOCK_FIELDS)


def split_extraction(extraction: Extraction) -> Iterator[object]:
    """What holds for the page, then rows of its blocks' values, :data:`PIECE` at a time."""
    yield {name: getattr(extraction, name) for name in _OF_PAGE}
    rows = map(_row, extraction.blocks)
    while piece := list(islice(rows, PIECE)):
        yield piece


def join_extraction(pieces: Iterable[Any]) -> Extraction:
    """The extraction that was split."""
    of_page, *rows = pieces
    return Extraction(blocks=make_blocks(chain.from_iterable(rows)), **of_page)


def split_judged(page: JudgedPage) -> Iterator[object]:
    """The page without its blocks, then what is known of these, :data:`PIECE` at a time."""
    read, context = page.page, page.context
    yield page._replace(
        page=read._replace(segments=(), measurements=(), elements=None),
        context=replace(context, segments=(), context_free=()),
        probabilities=(),
        final=(),
    )
    rows = zip(read.segments, read.measurements, context.context_free, page.probabilities, page.final, strict=True)
    while piece := list(islice(rows, PIECE)):
        yield piece


def join_judged(pieces: Iterable[Any]) -> JudgedPage:
    """The page that was split."""
    page: JudgedPage
    page, *rows = pieces
    segments, measurements, context_free, probabilities, final = (
        list(column) for column in (zip(*chain.from_iterable(rows), strict=True) if rows else [()] * 5)
    )
    context = replace(page.context, segments=segments, context_free=context_free)
    read = page.page._replace(segments=segments, measurements=measurements)
    return page._replace(page=read, context=context, probabilities=probabilities, final=final)


EXTRACT = Task(_extract, split_extraction, join_extraction)
JUDGE = Task(RawPage.judge, split_judged, join_judged)
