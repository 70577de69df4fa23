"""WARC files, sound and damaged: what is found in them, with which offsets, from which place on."""

import gzip
from collections.abc import Callable, Sequence

import pytest

from tests.archives.making import common_crawl, contents, http, packed, page, page_record, read, record, url

PAGES = [page_record(number) for number in range(5)]
URLS = [url(number) for number in range(5)]


def whole(records: Sequence[bytes]) -> bytes:
    """All records in one gzip member."""
    return gzip.compress(b"".join(records), mtime=0)


LAYOUTS: dict[str, Callable[[Sequence[bytes]], bytes]] = {"plain": b"".join, "members": packed, "one member": whole}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pages_of_common_crawls_layout_are_found(layout: str) -> None:
    reads = read(LAYOUTS[layout](common_crawl(5)))
    assert contents(reads) == URLS
    assert reads[2][0].page()[:4] == (url(2), page(2).encode(), 200, ((b"Content-Type", b"text/html"),))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_reading_goes_on_behind_every_record(layout: str) -> None:
    data = LAYOUTS[layout](common_crawl(5))
    reads = read(data)
    for number, (_, behind) in enumerate(reads):
        assert read(data, behind) == reads[number + 1 :]


def test_offsets_are_those_of_the_records() -> None:
    plain, members = b"".join(PAGES), packed(PAGES)
    for plain_record, _ in read(plain):
        assert plain.startswith(PAGES[0][:40], plain_record.location.offset)
    for number, (member, _) in enumerate(read(members)):
        assert gzip.decompress(members[member.location.offset :]).startswith(PAGES[number])


def test_a_place_behind_a_sound_record_is_gone_to_and_not_read_up_to() -> None:
    reads = read(packed(PAGES))
    assert [behind[:3] for _, behind in reads] == [(0, sound.location.offset, 1) for sound, _ in reads]


BROKEN = bytearray(packed(PAGES[2:3]))
BROKEN[len(BROKEN) // 2] ^= 0xFF
MEMBERS = [packed([sound]) for sound in PAGES]

#: What is found where the third of five records is damaged.
THIRD = [*URLS[:2], "corrupt", *URLS[3:]]


def third(records: Sequence[bytes], damaged: bytes) -> bytes:
    """The records with a damaged one in place of the third."""
    return b"".join([*records[:2], damaged, *records[3:]])


#: A damaged file, and what is found in it.
DAMAGED: dict[str, tuple[bytes, list[str]]] = {
    "plain, cut at the end": (b"".join(PAGES)[:-100], [*URLS[:4], "truncated"]),
    "plain, cut in a header": (b"".join(PAGES[:4]) + PAGES[4][:20], [*URLS[:4], "truncated"]),
    "plain, cut in the middle": (third(PAGES, PAGES[2][:-80]), THIRD),
    "plain, garbage between": (third(PAGES, b"garbage " * 9), THIRD),
    "plain, garbage at the end": (b"".join(PAGES) + b"garbage", [*URLS, "corrupt"]),
    "plain, no length": (third(PAGES, PAGES[2].replace(b"Content-Length: ", b"Content-Length: x")), THIRD),
    "members, one broken": (third(MEMBERS, bytes(BROKEN)), THIRD),
    "members, wrong checksum": (third(MEMBERS, MEMBERS[2][:-8] + bytes(8)), THIRD),
    "members, first broken": (b"".join([BROKEN, *MEMBERS[3:]]), ["corrupt", *URLS[3:]]),
    "members, cut at the end": (b"".join(MEMBERS)[:-30], [*URLS[:4], "truncated"]),
    "members, cut in the middle": (third(MEMBERS, MEMBERS[2][:60]), THIRD),
    "members, garbage in one": (third(MEMBERS, packed([b"garbage " * 9])), THIRD),
    "members, garbage at the end": (b"".join(MEMBERS) + b"garbage", [*URLS, "corrupt"]),
    "no WARC at all": (b"<p>Hello, world" * 20, ["corrupt"]),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_records_are_counted_and_reading_goes_on_behind_them(case: str) -> None:
    data, expected = DAMAGED[case]
    reads = read(data)
    assert contents(reads) == expected
    for number, (_, behind) in enumerate(reads):
        assert contents(read(data, behind)) == expected[number + 1 :]


def test_a_damaged_record_has_its_own_offset() -> None:
    for case, sound in {"members, one broken": MEMBERS[:2], "plain, cut in the middle": PAGES[:2]}.items():
        damaged, _ = read(DAMAGED[case][0])[2]
        assert damaged.location.offset == sum(map(len, sound))


@pytest.mark.parametrize("end", [b"\0" * 5000, b"\r\n\r\n", b""])
def test_padding_at_the_end_is_no_damage(end: bytes) -> None:
    assert contents(read(b"".join(PAGES) + end)) == URLS
    assert contents(read(b"".join(PAGES).removesuffix(b"\r\n\r\n"))) == URLS


KINDS: dict[str, tuple[bytes, str]] = {
    "revisit": (record(http(b""), kind="revisit"), "revisit"),
    "response of another protocol": (record(b"20260101 1.2.3.4", "dns:x", "Content-Type: text/dns"), "not_http"),
    "no status": (record(b"Hello\r\n\r\n<p>world"), "not_http"),
    "too large": (record(http(b"x" * 200_000)), "too_large"),
    "resource": (record(b"<p>", url(7), "Content-Type: text/html", kind="resource"), url(7)),
    "in angle brackets": (record(http(b"<p>"), f"<{url(8)}>"), url(8)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_records(kind: str) -> None:
    data, expected = KINDS[kind]
    assert contents(read(data + PAGES[0], max_bytes=100_000)) == [expected, URLS[0]]


def test_a_resource_has_the_content_type_of_its_record() -> None:
    [(resource, _)] = read(record(b"<p>", url(7), "Content-Type: text/html; charset=koi8-r", kind="resource"))
    assert resource.page()[:4] == (url(7), b"<p>", 200, ((b"Content-Type", b"text/html; charset=koi8-r"),))
