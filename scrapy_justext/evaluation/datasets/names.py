"""Data sets by their kinds, as ``KIND:PATH``.

Other packages add kinds by entry points of the group ``scrapy_justext.datasets``: the kind as name, and a callable that
takes a ``Path`` and returns a :class:`~scrapy_justext.evaluation.datasets.documents.DataSet` or raises a
:class:`DataSetError`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_justext.evaluation.datasets import corpora
from scrapy_justext.evaluation.datasets.documents import DataSet, Problem, read_data_set
from scrapy_justext.evaluation.registry import Registry
from scrapy_justext.exceptions import DataSetError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_justext.evaluation.datasets.documents import Document, Lister, Reader

Opener = Callable[[Path], DataSet]

#: What finds the pages of each kind that is built in, and what reads one of them.
_LAYOUTS: dict[str, tuple[Lister, Reader]] = {
    "article-benchmark": (corpora.find_articles, corpora.read_text),
    "cleaneval": (corpora.find_cleaneval, corpora.read_marked_blocks),
    "daniel": (corpora.find_daniel, corpora.read_marked_blocks),
    "kinds": (corpora.find_kinds, corpora.read_kinds),
    "l3s-gn1": (corpora.find_l3s, corpora.read_l3s),
    "labelled": (corpora.find_wcxb, corpora.read_text),
    "magic-html": (corpora.find_magic, corpora.read_utf8),
    "marks": (corpora.find_marks, corpora.read_marked),
    "pairs": (corpora.find_two_folders, corpora.read_text),
    "trafilatura": (corpora.find_snippets, corpora.read_snippets),
    "wcxb": (corpora.find_wcxb, corpora.read_utf8),
    "webmainbench": (corpora.find_webmainbench, corpora.read_webmainbench),
}

KINDS: Registry[Opener] = Registry(
    "dataset",
    "kind of data set",
    {kind: partial(read_data_set, kind, *layout) for kind, layout in _LAYOUTS.items()},
    "scrapy_justext.datasets",
)


def open_data_set(spec: str, without: Iterable[str] = ()) -> DataSet:
    """Open the data set that ``KIND:PATH`` names.

    ``without``: other data sets, named so, too; pages that one of them has, byte for byte, are left out.

    Raise :class:`UnknownNameError` for an unknown kind, with those of similar names, and :class:`DataSetError` for
    a folder that is missing, of another layout, or without any page that has its gold standard.
    """
    kind, colon, path = spec.partition(":")
    if not colon or not kind or not path:
        raise DataSetError("dataset", spec, f"must be KIND:PATH, with a KIND of {', '.join(KINDS.names())}")
    try:
        opener = KINDS.find(kind)
    except (ImportError, AttributeError) as error:
        raise DataSetError("dataset", kind, f"the reader of another package cannot be loaded: {error}") from error
    data_set, others = opener(Path(path).expanduser()), tuple(without)
    return _leave_out(data_set, others, map(open_data_set, others))


def open_data_sets(specs: Iterable[str], without: Iterable[str] = ()) -> list[DataSet]:
    """Open several data sets, each once; the first that has a page, byte for byte, keeps it from the others.

    ``without``: as for :func:`open_data_set`, of all.
    """
    given, common = list(dict.fromkeys(specs)), tuple(dict.fromkeys(without))
    opened: list[DataSet] = []
    for number, spec in enumerate(given):
        opened.append(_leave_out(open_data_set(spec, common), given[:number], opened))
    return opened


def _leave_out(data_set: DataSet, names: Iterable[str], others: Iterable[DataSet]) -> DataSet:
    """Leave out the pages that others have, byte for byte; raise :class:`DataSetError` where no page is left."""

    def digest_page(document: Document) -> bytes:
        return hashlib.sha256(document.html).digest()

    known = {digest_page(document) for other in others for document in other.documents}
    if not known:
        return data_set
    ids = tuple(document.id for document in data_set.documents if digest_page(document) not in known)
    if len(ids) == len(data_set.ids):
        return data_set
    if not ids:
        raise DataSetError("dataset", f"{data_set.kind}:{data_set.path}", "has no page that the other sets have not")
    left_out = tuple(Problem("in another set", name) for name in data_set.ids if name not in set(ids))
    digest = hashlib.sha256("\0".join((data_set.digest, *ids)).encode()).hexdigest()
    problems, without = (*data_set.problems, *left_out), (*data_set.without, *names)
    return replace(data_set, ids=ids, problems=problems, digest=digest, without=without)
