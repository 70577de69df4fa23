"""Compiled code finds in a page's bytes what Python finds."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.core import limits
from scrapy_justext.core.encodings import is_utf_8
from scrapy_justext.core.kernel.loading import Kernel, loaded_kernel
from tests.core.test_limits import ALLOWED, REFUSED

COMPILED = loaded_kernel()
if COMPILED.modules is None:
    pytest.skip(COMPILED.reason, allow_module_level=True)

PAGE = COMPILED.modules.page
PURE = Kernel(None, "a test")
#: The first and last characters of each length, what is too long, surrogates, and what is beyond the last character.
PARTS = [
    b"a", b"abcdefgh", b"\x80", b"\xbf", b"\xc2\x80", b"\xdf\xbf", b"\xc1\xbf", b"\xe0\xa0\x80", b"\xe0\x9f\xbf",
    b"\xed\x9f\xbf", b"\xed\xa0\x80", b"\xef\xbf\xbd", b"\xf0\x90\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80", b"\xf5", b"\xff", b"\xe0", b"\xed", b"\xf0", b"\xf4", b"\xe2\x82", b"\xf0\x9f\x98",
]  # fmt: skip
#: What tags are made of, and what only looks like a part of them.
MARKUP = ["<p", "<", ">", "=", '"', "'", " ", "\n", "/", "a", "b c", '=" ', "x='y'", 'x="y>"', "é", "<!--", "</p>"]


@pytest.mark.parametrize("is_whole", [True, False])
def test_parts_of_characters_are_utf_8_as_they_are_to_python(is_whole: bool) -> None:
    for first, second, cut in product(PARTS, [b"", *PARTS], range(3)):
        check_utf_8(b"a" + first + second, cut, is_whole)


@pytest.mark.parametrize("is_whole", [True, False])
@given(parts=st.lists(st.sampled_from(PARTS) | st.binary(max_size=12), max_size=12), cut=st.integers(0, 3))
def test_bytes_are_utf_8_as_they_are_to_python(parts: list[bytes], cut: int, is_whole: bool) -> None:
    check_utf_8(b"".join(parts), cut, is_whole)


def check_utf_8(body: bytes, cut: int, is_whole: bool) -> None:
    body = body[: len(body) - cut]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scrapy_justext.core.encodings.kernel", lambda: COMPILED)
        found = is_utf_8(body, is_whole=is_whole)
        patch.setattr("scrapy_justext.core.encodings.kernel", lambda: PURE)
        assert found is is_utf_8(body, is_whole=is_whole)


@given(parts=st.lists(st.sampled_from(MARKUP), max_size=200))
def test_it_is_sure_of_harmless_pages_only(parts: list[str]) -> None:
    page = "".join(parts).encode()
    with pytest.MonkeyPatch.context() as patch:
        # Small ones, so that small pages have too many.
        for name, value in {"_HARMLESS_TAG": 12, "_MOST_SQUARES": 40, "_MOST_IN_TAG": 7, "_MOST_READ": 500}.items():
            patch.setattr(limits, name, value)
        patch.setattr(limits, "_harmless_tag", lambda _size: limits._HARMLESS_TAG)
        patch.setattr(limits, "kernel", lambda: COMPILED)
        is_sure = limits._has_few_attributes(page)
        places = limits._count_attributes(page) if is_sure else []
        squares = sum(place.attributes**2 for place in places)
        assert not limits._decisive_places(places)
        # It counts what Python counts: places are harmless by themselves, not by being in one tag with others.
        assert squares <= limits._MOST_SQUARES


@pytest.mark.parametrize("shape", REFUSED)
def test_it_is_not_sure_of_pages_that_are_refused(monkeypatch: pytest.MonkeyPatch, shape: str) -> None:
    monkeypatch.setattr(limits, "kernel", lambda: COMPILED)
    assert not limits._has_few_attributes(REFUSED[shape].replace("\0", "").encode())


@pytest.mark.parametrize("shape", ["in tags as they are", "in several tags", "in one tag"])
def test_it_is_sure_of_pages_with_many_attributes_that_do_no_harm(monkeypatch: pytest.MonkeyPatch, shape: str) -> None:
    monkeypatch.setattr(limits, "kernel", lambda: COMPILED)
    assert limits._has_few_attributes(ALLOWED[shape].encode())


def test_what_is_no_bytes_is_refused() -> None:
    with pytest.raises(TypeError):
        PAGE.is_utf_8("text", True)
    with pytest.raises(TypeError):
        PAGE.has_few_attributes(None, 1, 1, 1, 1, 1)


def test_kinds_of_bytes_are_read() -> None:
    class Body(bytes):
        pass

    assert PAGE.is_utf_8(Body("é".encode()), True)
