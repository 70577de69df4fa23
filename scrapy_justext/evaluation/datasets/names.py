"""Data sets by their kinds, as ``KIND:PATH``.

Other packages add kinds by entry points of the group ``scrapy_justext.datasets``: the kind as name, and a callable that
takes a ``Path`` and returns a :class:`~scrapy_justext.evaluation.datasets.documents.DataSet` or raises a
:class:`DataSetError`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.datasets.benchmarks import (
    open_article_benchmark,
    open_labelled,
    open_magic_html,
    open_trafilatura,
    open_wcxb,
)
from scrapy_justext.evaluation.datasets.cleaneval import open_cleaneval, open_daniel
from scrapy_justext.evaluation.datasets.documents import DataSet
from scrapy_justext.evaluation.datasets.files import leave_out, open_pairs
from scrapy_justext.evaluation.datasets.l3s import open_l3s
from scrapy_justext.evaluation.datasets.markdown import open_kinds, open_webmainbench
from scrapy_justext.evaluation.datasets.marks import open_marks
from scrapy_justext.exceptions import DataSetError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ENTRY_POINTS = "scrapy_justext.datasets"

Opener = Callable[[Path], DataSet]

#: The kinds that are built in.
KINDS: Mapping[str, Opener] = MappingProxyType(
    {
        "article-benchmark": open_article_benchmark,
        "cleaneval": open_cleaneval,
        "daniel": open_daniel,
        "kinds": open_kinds,
        "l3s-gn1": open_l3s,
        "labelled": open_labelled,
        "magic-html": open_magic_html,
        "marks": open_marks,
        "pairs": open_pairs,
        "trafilatura": open_trafilatura,
        "wcxb": open_wcxb,
        "webmainbench": open_webmainbench,
    }
)


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds, those of other packages too."""
    return tuple(sorted({*KINDS, *entry_points(group=ENTRY_POINTS).names}))


def open_data_set(spec: str, without: Iterable[str] = ()) -> DataSet:
    """Open the data set that ``KIND:PATH`` names.

    ``without``: other data sets, named so, too; pages that one of them has, byte for byte, are left out.

    Raise :class:`UnknownNameError` for an unknown kind, with those of similar names, and :class:`DataSetError` for
    a folder that is missing, of another layout, or without any page that has its gold standard.
    """
    kind, colon, path = spec.partition(":")
    if not colon or not kind or not path:
        raise DataSetError("dataset", spec, f"must be KIND:PATH, with a KIND of {', '.join(kinds())}")
    opener = KINDS.get(kind) or _opener_of_others(kind)
    return leave_out(opener(Path(path).expanduser()), map(open_data_set, without))


def open_data_sets(specs: Iterable[str], without: Iterable[str] = ()) -> list[tuple[DataSet, tuple[str, ...]]]:
    """Open several data sets, each once; of those that have the same page, byte for byte, only the first keeps it.

    ``without``: as for :func:`open_data_set`, of all.  Each set is given with the names of those whose pages it lacks.
    """
    given, common = list(dict.fromkeys(specs)), tuple(dict.fromkeys(without))
    opened: list[tuple[DataSet, tuple[str, ...]]] = []
    for number, spec in enumerate(given):
        whole = open_data_set(spec, common)
        data_set = leave_out(whole, (other for other, _ in opened))
        opened.append((data_set, common if data_set is whole else (*common, *given[:number])))
    return opened


def _opener_of_others(kind: str) -> Opener:
    found = next(iter(entry_points(group=ENTRY_POINTS, name=kind)), None)
    if found is None:
        raise UnknownNameError("dataset", kind, "kind of data set", kinds())
    try:
        opener: Opener = found.load()
    except (ImportError, AttributeError) as error:
        raise DataSetError("dataset", kind, f"the reader {found.value} cannot be loaded: {error}") from error
    return opener
