"""In which encoding a page is, how that is known, and how sure it is."""

from __future__ import annotations

import pytest

from scrapy_justext.evaluation.datasets.encodings import decode_strictly, detect, find_encoding

GERMAN = "Die Straße führt über den Fluß nach Köln, wo die Bürger schön wohnen. " * 3
CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy. " * 5
RUSSIAN = "Съешь же ещё этих мягких французских булок да выпей чаю. " * 4
JAPANESE = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 4
BINARY = bytes(range(256)) * 3

KNOWN = {
    "a byte order mark comes first": (b"\xef\xbb\xbf<meta charset=latin-1>caf\xc3\xa9", "latin-1", "utf-8", "bom"),
    "UTF-16 by its mark": (b"\xff\xfec\x00", None, "utf-16-le", "bom"),
    "the data set's word comes before the page's": (
        b"<meta charset=koi8-r>caf\xe9",
        "windows-1252",
        "cp1252",
        "declared",
    ),
    "the Web's latin-1 is Windows'": (b"\x93quoted\x94", "ISO-8859-1", "cp1252", "declared"),
    "the page's word": (b"<meta charset=koi8-r>\xc1\xc2", None, "koi8-r", "declared"),
    "a label that means nothing": (b"<meta charset=koi8-r>\xc1\xc2", "unset", "koi8-r", "declared"),
    "a codec that is none of text": (b"<meta charset=koi8-r>\xc1\xc2", "base64", "koi8-r", "declared"),
    "UTF-8 that is declared as utf8": ("é".encode(), "utf8", "utf-8", "declared"),
}


@pytest.mark.parametrize(("page", "declared", "name", "origin"), KNOWN.values(), ids=KNOWN)
def test_known_encodings(page: bytes, declared: str | None, name: str, origin: str) -> None:
    assert find_encoding(page, declared) == (name, origin, 1.0)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "cp1252"),
        (CZECH, "cp1250"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (JAPANESE, "euc_jp"),
        (GERMAN, "utf-8"),
        ("nothing else", "ascii"),
    ],
)
def test_detected_encodings(text: str, encoding: str) -> None:
    found = find_encoding(text.encode(encoding))
    assert found is not None
    assert (found.name, found.origin) == (encoding, "detected")
    assert 0.8 < found.confidence <= 1


def test_a_detection_that_is_less_sure_says_so() -> None:
    found = find_encoding("Le café à côté était fermé, dès l’été".encode("cp1252"))
    assert found is not None
    assert (found.name, found.origin) == ("cp1252", "detected")
    assert 0.5 < found.confidence < 1


@pytest.mark.parametrize(("stray", "origin"), [(1, "declared"), (2, "detected")])
def test_a_declaration_is_believed_up_to_one_character_in_a_hundred(stray: int, origin: str) -> None:
    found = find_encoding(b"a " * (50 - stray) + b"a\xe9" * stray, "utf-8")
    assert found is not None
    assert found.origin == origin


def test_what_is_no_text_has_no_encoding() -> None:
    assert find_encoding(BINARY) is None
    assert find_encoding(BINARY, "iso-8859-1") is None
    assert find_encoding(b"\xff\xfe\x00") is None
    assert detect(b"\x00" * 9) is None


def test_strict_decoding() -> None:
    assert decode_strictly("é".encode()) == "é"
    assert decode_strictly(b"\xef\xbb\xbfa") == "a"
    assert decode_strictly("é".encode("utf-16")) == "é"
    assert decode_strictly(b"\xe9") is None
    assert decode_strictly(b"\xe9", "cp1252") == "é"
