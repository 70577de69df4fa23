"""Check once what a user chose for extractions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_justext.core.language_table import STOPWORD_DENSITIES, Language
from scrapy_justext.core.languages import NONE
from scrapy_justext.core.markdown.tables import HTML, TABLES
from scrapy_justext.core.overrides import RULE_NAMES, Rules, Selection, make_selection
from scrapy_justext.core.parameters import PARAMETERS, GivenThresholds, Thresholds, is_whole
from scrapy_justext.core.parsing import LXML, PARSERS
from scrapy_justext.core.parts import DOCUMENTS
from scrapy_justext.core.profiles import Profile, find_profile
from scrapy_justext.core.reading.loading import html5_reader
from scrapy_justext.core.stoplists import StoplistLibrary, StoplistSource, find_library, stoplist_words
from scrapy_justext.core.unsegmented import Script, script_of_words
from scrapy_justext.exceptions import LibraryNotInstalledError, ParameterError, UnknownKeyError, require

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Unpack

#: What decides the classes of blocks beside stop words.
PARAMETER_NAMES = (*PARAMETERS, *RULE_NAMES)
#: Choices that are options as they are.
_AS_CHOSEN = ("paths", "markdown_tables", "metadata", "guess_dates", "page_types", "parser", "max_blocks")
#: Types of values that are equal only if they mean the same, where their types count, too.
_COMPARED = (str, int, float, NoneType)


class Parameters(GivenThresholds, Rules, total=False):
    """What decides the classes of blocks beside language and profile; what is left out is the profile's."""

    stoplists_dir: str | Path | None
    """A folder of LANGUAGE.txt files that come before the shipped ones."""


class Choices(Parameters, total=False):
    """What a user may choose for an extraction, as keywords.

    What is left out has the default of :func:`~scrapy_justext.extract`.
    """

    language: str | Sequence[str]
    """A name, in English or in the language itself, or ISO 639 code.  Several: one of these is chosen for the page.
    ``"auto"``: one of all languages is chosen; ``"none"``: stop words do not count.
    """
    stoplist: StoplistSource | None
    """Words in place of the language's: a path, several ``Path``, or an iterable of words."""
    profile: str
    """One of ``scrapy_justext.core.profiles.PROFILES``, such as ``"learned"``."""
    paths: bool
    """Whether blocks get their ``xpath`` and ``dom_path``, which take time."""
    markdown: bool
    """Whether the extraction gets its ``markdown``."""
    html: bool
    """Whether the extraction gets its ``html``."""
    markdown_tables: str
    """How Markdown has tables whose cells hold blocks or reach over others: ``"html"`` or ``"pipes"``."""
    metadata: bool
    """Whether the extraction gets its ``metadata``."""
    guess_dates: bool
    """Whether htmldate, of the extra ``metadata``, looks for the date of pages that declare none."""
    page_types: bool
    """Whether pages get their ``page_type`` from profiles without a trained model, too, which takes about as long as
    ``learned``."""
    ruby: bool
    """Whether the readings of words, in RUBY, are text; not in ``justext-3.0`` and ``justext-java``, where they are."""
    parser: str
    """What parses bytes and text: ``"lxml"``, or ``"html5"``, which parses as browsers do, in half the time, needs
    ``scrapy-justext[html5]``, and allows no rules by CSS.  A tree is used as it is, also that of a response.
    """
    max_blocks: int | None
    """The most blocks that a page may have; one with more raises :class:`~scrapy_justext.exceptions.PageLimitError`.
    None: any number."""


#: The signature of ``extract`` repeats them.
DEFAULTS: Mapping[str, Any] = {
    "language": "auto",
    "stoplist": None,
    "profile": "justext",
    "paths": False,
    "markdown": False,
    "html": False,
    "markdown_tables": HTML,
    "metadata": False,
    "guess_dates": False,
    "page_types": False,
    "ruby": False,
    "parser": LXML,
    "max_blocks": None,
}


class Criteria(NamedTuple):
    """Stop words and thresholds for a page, and its script where that has no spaces."""

    stopwords: frozenset[str]
    thresholds: Thresholds
    script: Script | None


@dataclass(frozen=True, slots=True)
class Options:
    """How pages are to be extracted; made by :func:`make_options`, which checks what it is given."""

    profile: Profile
    thresholds: Thresholds
    chosen: Mapping[str, Any]
    """The thresholds that the user chose: they hold in every language."""
    library: StoplistLibrary
    candidates: tuple[Language, ...] | None
    """The languages to choose from; None: all; empty: stop words do not count."""
    stopwords: frozenset[str] | None
    """The user's own list; None: that of the page's language."""
    selection: Selection
    paths: bool
    documents: tuple[str, ...] = ()
    """Those of ``core.parts.DOCUMENTS`` that are written."""
    markdown_tables: str = HTML
    metadata: bool = False
    guess_dates: bool = False
    page_types: bool = False
    parser: str = LXML
    max_blocks: int | None = None
    """A page with more blocks is not extracted; None: any number is allowed."""

    @property
    def chooses(self) -> tuple[Options, ...]:
        """Return the same with each profile that the profile chooses from."""
        return tuple(replace(self, **_of_profile(profile, self.chosen)) for profile in self.profile.chooses)

    def with_thresholds(self, **thresholds: Unpack[GivenThresholds]) -> Options:
        """Return the options with some other thresholds."""
        return replace(self, **_of_profile(self.profile, {**self.chosen, **thresholds}))

    def criteria(self, language: Language | None) -> Criteria:
        """Return the stop words, thresholds and script for pages in a language.

        ``language``: None for pages that are judged without stop words, unless the user gave some.
        """
        stopwords = self.stopwords
        own: Mapping[str, float] = {}
        if stopwords is None:
            if language is None:
                thresholds = replace(self.thresholds, stopwords_low=0.0, stopwords_high=0.0)
                return Criteria(frozenset(), thresholds, None)
            stopwords = self.library.words(language)
            if self.profile.calibrated and self.library.is_shipped(language):
                own = STOPWORD_DENSITIES.get(language.code, {})
        script = script_of_words(stopwords) if self.profile.unspaced else None
        own = _not_given(own if script is None else script.thresholds, self.chosen)
        thresholds = replace(self.thresholds, **own) if own else self.thresholds
        return Criteria(stopwords, thresholds, None if script is None or script.has_spaces else script)


def make_options(**choices: Unpack[Choices]) -> Options:
    """Return the options that a user chose.  Raises :class:`ParameterError` for what is not allowed."""
    given: dict[str, Any] = {**choices}
    is_known = all(isinstance(value, _COMPARED) for value in given.values())
    return (_make_options if is_known else _make_options.__wrapped__)(**given)


# To check them takes a fifth of the time of a page, and most callers choose the same for all pages.
@lru_cache(maxsize=64, typed=True)
def _make_options(**choices: Any) -> Options:
    given: dict[str, Any] = {**DEFAULTS, **choices}
    for name in given:
        if name not in Choices.__annotations__:
            raise UnknownKeyError("", name, "parameter", Choices.__annotations__)
    if given["markdown_tables"] not in TABLES:
        raise ParameterError("markdown_tables", given["markdown_tables"], f"must be one of {', '.join(TABLES)}")
    if not isinstance(given["ruby"], bool):
        raise ParameterError("ruby", given["ruby"], "must be True or False")
    _check_parser(given)
    most = given["max_blocks"]
    if most is not None and not (is_whole(most) and most >= 0):
        raise ParameterError("max_blocks", most, "must be a whole number, 0 or more, or None")
    if given["guess_dates"]:
        try:
            require("htmldate", "metadata")
        except LibraryNotInstalledError as error:
            raise ParameterError("guess_dates", True, str(error)) from error
    profile = find_profile(given["profile"])
    if given["ruby"]:
        profile = profile.with_ruby()
    stoplist = given["stoplist"]
    library = find_library(given.get("stoplists_dir"))
    chosen = {name: given[name] for name in PARAMETERS if name in given}
    return Options(
        **_of_profile(profile, chosen),
        library=library,
        candidates=_candidates(given["language"], library, any_code=stoplist is not None),
        stopwords=None if stoplist is None else stoplist_words(stoplist),
        selection=make_selection(**{name: given[name] for name in RULE_NAMES if name in given}),
        documents=tuple(name for name in DOCUMENTS if given[name]),
        **{name: given[name] for name in _AS_CHOSEN},
    )


def _check_parser(given: Mapping[str, Any]) -> None:
    parser = given["parser"]
    if parser not in PARSERS:
        raise ParameterError("parser", parser, f"must be one of {', '.join(PARSERS)}")
    if parser == LXML:
        return
    if by_css := [name for name in ("keep_css", "drop_css") if given.get(name)]:
        raise ParameterError("parser", parser, f"must be {LXML} where {' or '.join(by_css)} finds elements")
    if given["guess_dates"]:
        raise ParameterError("parser", parser, f"must be {LXML} where guess_dates is on: htmldate reads its trees")
    try:
        html5_reader()
    except ImportError as error:
        needs = f"needs compiled code, and selectolax (pip install 'scrapy-justext[html5]'): {error}"
        raise ParameterError("parser", parser, needs) from error


def _of_profile(profile: Profile, chosen: Mapping[str, Any]) -> dict[str, Any]:
    return {"profile": profile, "thresholds": replace(profile.thresholds, **chosen), "chosen": chosen}


def _not_given(thresholds: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the thresholds of a language or script without those that the user set, and without their partners.

    A low and a high threshold go together: those of one language cannot be compared with those of another.
    """
    return {
        name: value for name, value in thresholds.items() if name not in given and PARAMETERS[name].partner not in given
    }


def _candidates(
    language: str | Sequence[str], library: StoplistLibrary, *, any_code: bool
) -> tuple[Language, ...] | None:
    """Return the languages to choose from.  ``any_code``: whether codes of languages without a list are allowed."""
    names = [language] if isinstance(language, str) else language
    if not isinstance(names, Sequence) or not names:
        allowed = 'must be a language, a list of them, "auto" or "none"'
        raise ParameterError("language", language, allowed)
    if list(names) == ["auto"]:
        return None
    if list(names) == [NONE]:
        if any_code:
            raise ParameterError("language", language, "does not go with a stoplist")
        return ()
    return tuple(
        dict.fromkeys(
            Language(name, (name,)) if any_code and is_code_without_list(name, library) else library.get(name)
            for name in names
        )
    )


def is_code_without_list(name: object, library: StoplistLibrary) -> bool:
    """Return whether a name looks like the ISO 639 code of a language that has no stoplist."""
    return isinstance(name, str) and re.fullmatch("[a-z]{2,3}", name) is not None and library.find(name) is None
