"""What classes tell, by the parts of their words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core.reading import signs
from scrapy_justext.core.reading.signs import signs_of_class

WORDS = st.sampled_from(
    ["line", "x-line", "lineno", "ln", "copy", "clipboard", "mathjax", "wp-math", "post-body", "é", "CodeMirror"]
)
CLASSES = st.lists(WORDS | st.text(max_size=6), max_size=5).map(" ".join)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("", 0),
        ("post body", 0),
        ("lineno", signs.GUTTER | signs.NUMBERS | signs.CODE_CELL),
        # A part with spaces around is a whole word.
        ("ln", signs.GUTTER),
        ("kiln", 0),
        ("code-line\tfirst", signs.LINE),
        # Formulas, in whatever case, at the beginning of a word or behind a hyphen.
        ("MathJax_Display", signs.FORMULA),
        ("wp-MATH", signs.FORMULA),
        ("aftermath context latexes", 0),
        ("tex", signs.FORMULA | signs.DRAWN),
        # An editor is told by the first word.
        ("CodeMirror wide", signs.CODEMIRROR | signs.EDITOR),
        ("wide CodeMirror", signs.CODEMIRROR),
    ],
)
def test_a_class_has_the_signs_of_its_words(names: str, expected: int) -> None:
    assert signs_of_class(names) == expected


@given(CLASSES)
def test_no_sign_depends_on_other_words_but_that_of_editors(names: str) -> None:
    together = 0
    for word in names.split():
        together |= signs_of_class(f"x {word}")
    assert signs_of_class(f"x {names}") == together


@given(CLASSES)
def test_white_space_of_any_kind_is_between_words(names: str) -> None:
    assert signs_of_class(re.sub(" ", "\n\t ", names)) == signs_of_class(names)
