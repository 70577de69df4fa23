"""What users call by a name: kinds of data sets, extractors, measures."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Generic, TypeVar

from scrapy_justext.exceptions import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class Registry(Generic[Named]):
    """The things of one sort by their names.

    ``setting``: the option that takes the names; ``sort``: what messages call a thing; ``group``: the entry points by
    which other packages add theirs, "" where they cannot.
    """

    setting: str
    sort: str
    built_in: Mapping[str, Named]
    group: str = ""

    def names(self) -> tuple[str, ...]:
        """Return all names, those of other packages too."""
        return (*self.built_in, *(point.name for point in entry_points(group=self.group)))

    def find(self, name: str) -> Named:
        """Return what has that name; what is built in comes first.

        Raise :class:`UnknownNameError`, which suggests close names, and what another package raises when it is loaded.
        """
        if name in self.built_in:
            return self.built_in[name]
        for point in entry_points(group=self.group, name=name):
            found: Named = point.load()
            return found
        raise UnknownNameError(self.setting, name, self.sort, self.names())
