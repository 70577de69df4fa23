"""Read texts as they are shown, collapse their white space, and count their words, in linear time."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import cython

#: The soft hyphen, the word joiner, the byte order mark; and the zero-width space.
UNSEEN = "\xad\u2060\ufeff\u200b"
#: Scripts without spaces in which the last stands between words, from Thai to Burmese, Khmer, Tai, Balinese, Javanese.
_NO_SPACES = "\u0e00-\u109f\u1780-\u17ff\u1950-\u1aaf\u1b00-\u1b7f\ua980-\ua9df\uaa60-\uaa7f"
_UNSEEN = re.compile(f"[{UNSEEN[:-1]}]|(?<![{_NO_SPACES}]){UNSEEN[-1]}(?![{_NO_SPACES}])")
_LONGEST_ENUMERATOR = 16
#: Also in Arabic, Armenian and Greek writing.
_QUESTION_MARKS = ("?", "？", "؟", "՞", "\u037e")
#: White space, and signs of buttons that open or close something, behind their words.
_ICONS = " \t\n\r+-−–—×✕✖▲▼△▽▴▾▸▶◂◀›»⌃⌄∧∨↑↓"
_LAST_OF_ASCII, _BETWEEN_WORDS = 127, 255
_SMALL = bytes(range(_LAST_OF_ASCII + 1)).lower().translate(bytes.maketrans(b" \n", bytes([_BETWEEN_WORDS] * 2)))
#: Those of the hash function FNV-1a, in 63 bits: two words have the same number about as seldom as a disk fails.
_FIRST, _FACTOR, _LAST = 0x4BF29CE484222325, 0x100000001B3, (1 << 63) - 1
#: What Unicode has raised and lowered forms of.
_SCRIPTED = "0123456789+-\u2212\u2013=ni"
_RAISED = str.maketrans(_SCRIPTED, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼ⁿⁱ")
_LOWERED = str.maketrans(_SCRIPTED, "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌ₙᵢ")
#: Ends of words that are raised: of ordinal numbers, and of abbreviations.
_ENDINGS = frozenset([
    "st", "nd", "rd", "th", "e", "er", "ers", "re", "res", "ère", "ème", "eme", "o", "a", "os", "as", "me", "mes",
    "lle", "lles", "gr", "de", "ste", "te",
])  # fmt: skip
#: What laws call their articles, before the number and behind it.
_ARTICLES = "|".join([
    r"§{1,2}", r"art\.", "arti(?:cle|kel|go|colo|colul)", "artículo", "artykuł", "артыкул", r"čl\.", "čl[áa]n[eoa]k",
    "član", r"чл\.", "чл[ае]н", "статья", "стаття", "άρθρο", "madde", "maddə", "neni", "pasal", "điều", "المادة",
    "ماده", "סעיף", "धारा", "अनुच्छेद", "มาตรา", "հոդված", "მუხლი",
])  # fmt: skip
_ARTICLES_BEHIND = r"§|člen|pants|straipsnis|gr\."
_ENUMERATOR = re.compile(
    r"\(?(?:[0-9]{1,3}[a-z]?|[A-Za-z]|[ivxlc]{1,6}|[IVXLC]{1,6})[.)]\)?|([a-z])\1\)|\[[0-9]{1,3}\]|[0-9]{1,3}°"
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}\.?|[①-⑳⑴-⒇]"
    # Paragraphs and articles of laws.
    rf"|(?i:(?:{_ARTICLES}) ?\d{{1,4}}[a-z]?\.?(?: bis| ter)?(?: ?[:–—-])?|Article premier)"
    rf"|\d{{1,4}}(?: ?[a-z])?\.? ?(?:{_ARTICLES_BEHIND})|제 ?\d{{1,4}} ?조(?:의 ?\d{{1,2}})?"
    r"|第 ?[\d〇零一二三四五六七八九十百千]{1,6} ?[条條](?:の[\d一二三四五六七八九十]{1,3})?"
)


def collapse(text: str) -> str:
    r"""Return ``text`` with one space for each run of white space, and none at its ends.

    >>> collapse("  to be,\n\tor not to be ")
    'to be, or not to be'
    """
    text = text.strip()
    # The space is the only white space that can be printed.  Most texts have no other, and to split them takes longer.
    if text.isprintable() and "  " not in text:
        return text
    return " ".join(text.split())


def as_seen(text: str) -> str:
    r"""Return a text without the characters that only tell where lines may break; those that spell words stay.

    >>> as_seen("hy\xadphen\u200bated\ufeff")
    'hyphenated'
    """
    return _UNSEEN.sub("", text)


def as_script(text: str, *, is_raised: bool) -> str:
    """Return a raised or lowered text in Unicode's characters for that; if there are none, set off by a space.

    >>> as_script("−4", is_raised=True), as_script("max", is_raised=False), as_script("th", is_raised=True)
    ('⁻⁴', ' max', 'th')
    """
    if all(character in _SCRIPTED for character in text.strip()):
        behind = text[len(text.rstrip()) :]
        # With a line break it is layout of the source.
        space = " " if behind and "\n" not in behind else ""
        return text.strip().translate(_RAISED if is_raised else _LOWERED) + space
    is_ending = is_raised and text.strip().lower() in _ENDINGS
    return f" {text}" if text[:1].isalnum() and not is_ending else text


def is_enumerator(text: str) -> bool:
    """Return whether a text only numbers what follows.

    >>> [text for text in ("1.", "(a)", "aa)", "iv)", "§ 3", "2.1", "1a.", "[2]", "Art. 5", "3 a §", "3", "1984.",
    ...  "no.") if is_enumerator(text)]
    ['1.', '(a)', 'aa)', 'iv)', '§ 3', '2.1', '1a.', '[2]', 'Art. 5', '3 a §']
    """
    return len(text) <= _LONGEST_ENUMERATOR and _ENUMERATOR.fullmatch(text) is not None


def is_question(text: str) -> bool:
    """Return whether a text has words and ends as a question; a sign of a button behind it does not count.

    >>> [text for text in ("Why?", "¿Por qué? ▾", "为什么？", "Γιατί;", "Why;", ";") if is_question(text)]
    ['Why?', '¿Por qué? ▾', '为什么？', 'Γιατί;']
    """
    text = text.rstrip(_ICONS)
    asks = text.endswith(_QUESTION_MARKS) or (text[-1:] == ";" and "\u0370" <= text[-2:-1] <= "\u03ff")
    return asks and any(map(str.isalpha, text))


class WordCounter:
    """Counts the words of collapsed texts, and those that are among some in small letters, such as stop words.

    No word is made an object: each has a number, made of its characters, by which it is looked up.
    """

    def __init__(self, words: frozenset[str]) -> None:
        #: The characters of ASCII in small letters, and a mark for those between words.
        self.small = array("B", _SMALL)
        self.last = (1 << (2 * len(words)).bit_length()) - 1
        #: A hash table: a word's number stands at the place that its last bits give, or at the first free one behind.
        self.numbers = array("Q", bytes(8 * (self.last + 1)))
        for word in words:
            # No text has others as words.
            if word.split() == [word]:
                number = self._number_of(word)
                self.numbers[self._place(number)] = number

    def measure(self, texts: list[str]) -> tuple[array[int], array[int], array[int]]:
        """Return for each text how many characters and words it has, and how many of the words are looked for.

        >>> [list(column) for column in WordCounter(frozenset(["to", "be"])).measure(["To be, or not to be"])]
        [[19], [6], [3]]
        """
        zeros = bytes(4 * len(texts))
        # Compiled, the three names are views of the arrays.
        characters, words, chosen = made = array("i", zeros), array("i", zeros), array("i", zeros)
        i: cython.Py_ssize_t
        for i in range(len(texts)):
            characters[i] = len(texts[i])
            self._count(texts[i], False, i, words, chosen)
        return made

    def _count(
        self, text: str, is_small: cython.bint, i: cython.Py_ssize_t, words: array[int], chosen: array[int]
    ) -> None:
        character: cython.Py_UCS4
        number: cython.ulonglong = _FIRST
        count: cython.int = 0
        of_chosen: cython.int = 0
        for character in text:
            code: cython.ulonglong = ord(character)
            if code <= _LAST_OF_ASCII:
                code = self.small[code]
                # In collapsed texts, words stand between spaces or line feeds.
                if code == _BETWEEN_WORDS:
                    if number != _FIRST:
                        count += 1
                        of_chosen += self.numbers[self._place(number)] != 0
                        number = _FIRST
                    continue
            elif not is_small and (character.isupper() or character.istitle()):
                # Its small letter may depend on the letters beside it; few texts have such.
                self._count(text.lower(), True, i, words, chosen)
                return
            number = (number ^ code) * _FACTOR & _LAST
        if number != _FIRST:
            count += 1
            of_chosen += self.numbers[self._place(number)] != 0
        words[i], chosen[i] = count, of_chosen

    def _number_of(self, word: str) -> int:
        number: cython.ulonglong = _FIRST
        character: cython.Py_UCS4
        for character in word:
            number = (number ^ ord(character)) * _FACTOR & _LAST
        return number

    def _place(self, number: cython.ulonglong) -> int:
        at: cython.Py_ssize_t = number & self.last
        while self.numbers[at] != 0 and self.numbers[at] != number:
            at = (at + 1) & self.last
        return at


def count_links(texts: Sequence[str], inside: Sequence[bool]) -> tuple[int, int]:
    """Count the characters and words of the collapsed text of ``texts`` that stand inside links.

    ``inside`` tells of each text whether a link is open around it.  White space between words counts as one character,
    inside or outside as its first character is.

    >>> count_links(["see ", " the  manual ", "now"], [False, True, False])
    (11, 2)
    """
    linked: cython.int = 0
    link_words: cython.int = 0
    # Whether the text so far ends inside a link, within a word.
    in_word: cython.bint = False
    # Whether it ends with white space, and whether that began inside a link; there is none at the start of a block.
    after_space: cython.bint = True
    is_space_inside: cython.bint = False
    i: cython.Py_ssize_t
    character: cython.Py_UCS4
    for i in range(len(texts)):
        text: str = texts[i]
        is_inside: cython.bint = inside[i]
        for character in text:
            if not character.isspace():
                linked += is_inside + (after_space and is_space_inside)
                link_words += is_inside and not in_word
                in_word, after_space = is_inside, False
            elif not after_space:
                in_word, after_space, is_space_inside = False, True, is_inside
    return linked, link_words


def read_sections(path: Path) -> dict[str, list[str]]:
    """Return the lines of a file by their [section], without those that are empty or begin with ``#``."""
    sections: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            sections[line[1:-1]] = []
        elif line and line[0] != "#":
            sections[next(reversed(sections))].append(line)
    return sections
