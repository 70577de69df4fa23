"""A page that is judged, as plain data: some of its blocks can be judged otherwise later, by what is known then.

It can wait, or come from another process.  Markdown alone is written from the tree, which stays where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scrapy_justext.core.markdown.document import to_markdown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_justext.core.blocks import Decision, Figures
    from scrapy_justext.core.context import Context, Pass
    from scrapy_justext.core.data import DataText
    from scrapy_justext.core.elements import Elements
    from scrapy_justext.core.paths import Paths
    from scrapy_justext.languages import LanguageChoice


@dataclass(frozen=True, slots=True)
class Tree:
    """What Markdown is written from; None where it was left behind in another process."""

    elements: Elements | None

    def __reduce__(self) -> tuple[type[Tree], tuple[None]]:
        return Tree, (None,)


class JudgedPage(NamedTuple):
    """All that an extraction is made of."""

    context: Context
    figures: Sequence[Figures]
    probabilities: Sequence[float | None]
    passes: tuple[Pass, ...]
    final: Sequence[Decision]
    """The decisions that the passes left."""
    paths: Sequence[Paths]
    data: DataText | None
    """The blocks from the page's data, which stay as they are."""
    data_figures: Sequence[Figures]
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
