"""Profiles: named bundles of segmentation tags, rules or a trained model, passes and thresholds.

======================  =================================================================================
``justext``             the published algorithm on the block-level elements of today's HTML
``justext-3.0``         what ``justext`` 3.0 gives, block for block, for corpora that must be reproduced; without
                        its losses: it drops text below about 250 elements, and raises on empty pages
``justext-java``        the Java port by WizeNoze: H1 is good, images are blocks
``article``             ``justext``, then the HTML-tree filter
``boilerpipe``          Boilerpipe's block classifier
``boilerpipe-article``  ``boilerpipe``, then the HTML-tree filter: the method of the filter's paper
``learned``             a trained model in place of the rules: keeps all main content
``learned-article``     a trained model that keeps only the body of an article
``auto``                for each page ``learned`` or ``learned-article``: the one that is expected to be better
======================  =================================================================================

Every profile ends with the tree filter and with the passes that drop repeated text and keep the headline.  Each does
nothing unless its parameter asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from scrapy_justext.core import boilerpipe, context_sensitive, whole_page
from scrapy_justext.core.blocks import BlockTable, Decisions, Measurements
from scrapy_justext.core.context_free import classify_as_java, classify_as_published, classify_modern, kinds_by_rules
from scrapy_justext.core.parameters import PARAMETERS, PROSE, Parameter, Part, Thresholds
from scrapy_justext.core.reading.rules import JAVA, LENIENT, MODERN, READINGS, REFERENCE, WITHOUT_KINDS, TagRules
from scrapy_justext.exceptions import UnknownNameError

if TYPE_CHECKING:
    from scrapy_justext.core.context_sensitive import Pass

#: Blocks, their measurements, thresholds -> context-free decisions.
Classifier = Callable[[BlockTable, Measurements, Thresholds], Decisions]


@dataclass(frozen=True, slots=True)
class Profile:
    """How a page is cut into blocks, and what decides their classes.

    ``classify``: the rules that give the context-free classes; None where a trained model does.
    ``by_stopwords``: whether the rules look at stop words.
    ``unspaced``: whether languages without spaces are measured in their own way.
    ``calibrated``: whether the languages with spaces have stop-word densities of their own.
    ``models``: the names of the trained models, the first of which judges in place of rules.
    ``reads_data``: whether JSON-LD and embedded state are read where the page shows next to nothing.
    ``chooses``: two profiles, one of which judges a page in its place.  It is the second if the first takes the page
    for a possible article (:data:`ARTICLE_FROM`) and the second is expected to reach as good an F1; else the first.
    They differ in models, passes, thresholds and names alone.
    """

    name: str
    tags: TagRules
    classify: Classifier | None
    passes: tuple[Pass, ...]
    thresholds: Thresholds = field(default_factory=Thresholds)
    by_stopwords: bool = True
    unspaced: bool = True
    calibrated: bool = False
    models: tuple[str, ...] = ()
    reads_data: bool = False
    chooses: tuple[Profile, ...] = ()

    def with_ruby(self) -> Profile:
        """Return the same profile, to which the readings of words are text."""
        chooses = tuple(profile.with_ruby() for profile in self.chooses)
        return replace(self, tags=self.tags.without_removal(READINGS), chooses=chooses)

    def used_under(self, thresholds: Thresholds) -> set[str]:
        """Return the names of the parameters that make a difference under these thresholds."""
        # Even where a model judges the rest, rules judge code, formulas and tables if a parameter asks for it.
        by_rules = _OF_KIND_RULES if self.tags.kinds and kinds_by_rules(thresholds) else frozenset()
        return {*self.parameters, *by_rules}

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters that the profile uses, by name; None is no value if the profile has a default."""
        passes = {*self.passes}
        has = {
            Part.STOPWORDS: self.by_stopwords,
            Part.MODEL: bool(self.models),
            Part.RUNS: context_sensitive.keep_runs in passes,
            Part.HEADINGS: not passes.isdisjoint({context_sensitive.promote, context_sensitive.restore}),
            Part.KINDS: self.tags.kinds,
            Part.JAVA: context_sensitive.promote_images in passes,
            Part.PAGE: True,
        }
        return {
            name: parameter if getattr(self.thresholds, name) is None else parameter.without_none()
            for name, parameter in PARAMETERS.items()
            if has[parameter.part]
        }


#: What the rules for code, formulas and tables look at.
_OF_KIND_RULES = frozenset({"length_low", "length_high", "max_link_density"})

#: The profile whose page model tells the types of pages, whichever judges them.
TYPED_BY = "learned"

#: The least probability of an article from which the second model is asked, and by how much its expected F1 may be
#: lower than that of the first: chosen on folds.
ARTICLE_FROM, ARTICLE_AHEAD = 0.5, 0.03

#: The passes of all profiles, which do nothing unless a parameter asks for them.
_LAST = (whole_page.drop_beside, context_sensitive.select, whole_page.drop_repeated, whole_page.keep_headline)
#: The passes after the promotion of headings: all that ``justext-3.0`` has, where that promotion does nothing.
_PASSES = (context_sensitive.resolve, context_sensitive.restore, *_LAST)
_JUSTEXT = (
    context_sensitive.join,
    context_sensitive.keep_runs,
    context_sensitive.promote,
    context_sensitive.resolve,
    context_sensitive.restore,
    context_sensitive.lead,
    *_LAST,
)
_JAVA = (context_sensitive.promote, context_sensitive.promote_images, *_PASSES)
_LEARNED = (
    context_sensitive.resolve,
    whole_page.fall_back,
    context_sensitive.restore,
    context_sensitive.keep_answers,
    context_sensitive.lead,
    *_LAST,
)
_PROSE = Thresholds(good_run=200, linked_prose=True, drop_beside=True)
_ARTICLE = Thresholds(tree_depth=2)
#: A model judges code, formulas and tables like all other blocks.
_MODEL = Thresholds(code=PROSE, formulas=PROSE, tables=PROSE, drop_repeated=True)
_ALL_CONTENT = replace(_MODEL, keep_headline=True)

_TRAINED = tuple(
    Profile(name, LENIENT, None, passes, thresholds, by_stopwords=False, models=(name,), reads_data=True)
    for name, passes, thresholds in (
        ("learned", (context_sensitive.keep_tables, *_LEARNED), _ALL_CONTENT),
        ("learned-article", _LEARNED, _MODEL),
    )
)

_ROWS = (
    Profile("justext", MODERN, classify_modern, _JUSTEXT, _PROSE, calibrated=True),
    Profile("justext-3.0", REFERENCE, classify_as_published, _PASSES, unspaced=False),
    Profile("justext-java", JAVA, classify_as_java, _JAVA),
    Profile("article", MODERN, classify_modern, _JUSTEXT, replace(_PROSE, tree_depth=2), calibrated=True),
    Profile("boilerpipe", WITHOUT_KINDS, boilerpipe.classify, _LAST, by_stopwords=False),
    Profile("boilerpipe-article", WITHOUT_KINDS, boilerpipe.classify, _LAST, _ARTICLE, by_stopwords=False),
    *_TRAINED,
    replace(_TRAINED[0], name="auto", models=tuple(profile.name for profile in _TRAINED), chooses=_TRAINED),
)

PROFILES: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in _ROWS})


def find_profile(name: object) -> Profile:
    """Return the profile of that name.  Raises :class:`UnknownNameError` with close matches."""
    if isinstance(name, str) and name in PROFILES:
        return PROFILES[name]
    raise UnknownNameError("profile", name, "profile", PROFILES)
