"""Find, read and cache stoplists.

A stoplist is a UTF-8 text file with a word a line, ``LANGUAGE.txt``.  Those that come with the library lie in the
installed package, or beside it in a checkout; a folder of the user's own comes before them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from scrapy_justext.core.language_table import LANGUAGES, OWN_NAMES, Language, normalise, primary
from scrapy_justext.exceptions import StoplistError, UnknownNameError

#: One file, several files merged, or the words themselves.
StoplistSource = str | Path | Iterable[str | Path]
_OWN_LIST = " (for a language without a list: a stoplist of your own, and the ISO 639 code)"


def shipped_folder() -> Path:
    """Return the folder of the lists that come with the library."""
    package = Path(__file__).parents[1]
    inside = package / "data" / "stoplists"
    return inside if inside.is_dir() else package.parent / "stoplists"


class StoplistLibrary:
    """The stoplists at hand: the shipped ones, and those of a folder, which come first.

    Raises :class:`StoplistError` when the folder is not there or holds no list.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self._shipped = _list_folder(shipped_folder())
        self._files = self._shipped if folder is None else self._shipped | _list_own_folder(folder)
        self._languages = {
            normalise(key): language
            for language in (Language(name, LANGUAGES.get(name, (name.lower(),))) for name in self._files)
            for key in reversed((language.name, *language.codes, *OWN_NAMES.get(language.name, ())))
        }

    @property
    def languages(self) -> list[Language]:
        """Return the languages that have a list, by name."""
        return sorted(set(self._languages.values()))

    def find(self, name: str) -> Language | None:
        """Return the language of a name or ISO 639 code, also of one such as ``pt-BR``; None for one without a list."""
        key = normalise(name)
        return self._languages.get(key) or self._languages.get(normalise(primary(name)))

    def get(self, name: object, parameter: str = "language") -> Language:
        """Return what :meth:`find` finds.  Raises :class:`UnknownNameError` with close matches if there is none."""
        language = self.find(name) if isinstance(name, str) else None
        if language is None:
            known = [language.name for language in self.languages]
            own_names = [own.replace("_", " ") for language in known for own in OWN_NAMES.get(language, ())]
            raise UnknownNameError(parameter, name, "language", known, _OWN_LIST, own_names)
        return language

    def words(self, language: Language) -> frozenset[str]:
        """Return the stop words of a language, in lower case."""
        return read_stoplist(self._files[language.name])

    def is_shipped(self, language: Language) -> bool:
        """Return whether the list of a language is the one that comes with the library."""
        return self._files[language.name] == self._shipped.get(language.name)


def find_library(folder: str | Path | None = None) -> StoplistLibrary:
    """Return the library of a folder, whose files' names are read once in a process."""
    return _library(folder) if isinstance(folder, str | Path | None) else StoplistLibrary(folder)


_library = lru_cache(maxsize=16)(StoplistLibrary)


def stoplist_words(source: StoplistSource) -> frozenset[str]:
    """Return the words of a user's own list, in lower case.

    ``source``: a path (``str`` or ``Path``), several ``Path`` merged, or an iterable of words.
    Raises :class:`StoplistError` for a file that cannot be read, and for no words at all.
    """
    if isinstance(source, str | Path):
        return read_stoplist(source)
    entries = list(source) if isinstance(source, Iterable) else [None]
    paths = [entry for entry in entries if isinstance(entry, Path)]
    if paths and len(paths) == len(entries):
        return frozenset().union(*map(read_stoplist, paths))
    if not all(isinstance(entry, str) for entry in entries):
        raise StoplistError("stoplist", source, "must be a path, a list of Path, or words")
    words = frozenset(word.strip().lower() for word in map(str, entries)) - {""}
    if not words:
        raise StoplistError("stoplist", source, "holds no word")
    return words


@lru_cache(maxsize=256)
def read_stoplist(path: str | Path) -> frozenset[str]:
    """Return the words of a file, in lower case, read once in a process.  Raises :class:`StoplistError`."""
    try:
        lines = Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
        words = frozenset(line.decode().strip().lower() for line in lines) - {""}
    except OSError as error:
        # What is meant for a word is taken for a path.
        is_text = isinstance(path, str) and isinstance(error, FileNotFoundError)
        hint = "; words are given as a list" if is_text else ""
        raise StoplistError("stoplist", str(path), f"cannot be read: {error.strerror}{hint}") from error
    except UnicodeDecodeError as error:
        raise StoplistError("stoplist", str(path), "is not UTF-8") from error
    except ValueError as error:
        raise StoplistError("stoplist", str(path), f"cannot be a path: {error}") from error
    if not words:
        raise StoplistError("stoplist", str(path), "holds no word")
    return words


def _list_folder(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.txt"))}


def _list_own_folder(folder: str | Path) -> dict[str, Path]:
    if not isinstance(folder, str | Path) or not Path(folder).is_dir():
        raise StoplistError("stoplists_dir", folder, "is not a folder")
    files = _list_folder(Path(folder))
    if not files:
        raise StoplistError("stoplists_dir", folder, "holds no LANGUAGE.txt")
    known = {normalise(key): name for name, codes in LANGUAGES.items() for key in (name, *codes, *OWN_NAMES[name])}
    return {known.get(normalise(name), name): path for name, path in files.items()}
