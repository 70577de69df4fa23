"""The memory of one process: what it counts, what it forgets, what it takes, and its file."""

import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext.crawl.parts.site_memory.memory import SIZE, Fingerprints
from scrapy_justext.crawl.parts.site_memory.store import SITE_SIZE, VERSION, LocalStore, Sightings, Table, load, save
from scrapy_justext.exceptions import SiteMemoryError
from tests.builders import full_disk
from tests.crawl.site_memory.pages import seen, visit_all


def store(blocks: int = 1000, all_blocks: int = 100_000) -> LocalStore:
    return LocalStore(blocks=blocks, all_blocks=all_blocks)


def test_the_same_address_is_one_page_and_so_are_the_same_texts() -> None:
    memory = store()
    for _ in range(3):
        sightings = memory.visit("example.com", seen("a b", "/1"))
    assert sightings == Sightings(1, [1, 1])
    assert memory.visit("example.com", seen("a c", "/1")) == Sightings(1, [1, 0])
    # It is known by what it holds now, too.
    assert memory.visit("example.com", seen("a c", "/2")) == Sightings(1, [1, 0])


def test_sites_are_apart() -> None:
    memory = store()
    visit_all(memory, "a b", "a c")
    assert visit_all(memory, "a", site="other.example") == Sightings(1, [1])
    assert memory.recall("example.com", seen("a b c x")) == Sightings(2, [2, 1, 1, 0])
    assert memory.recall("no.example", seen("a b")) == Sightings(0, [0, 0])
    # To recall is to change nothing.
    assert memory.recall("example.com", seen("d")) == memory.recall("example.com", seen("d")) == Sightings(2, [0])


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6), min_size=1, max_size=25))
def test_it_counts_as_a_table_of_sets_does(pages: list[list[str]]) -> None:
    memory = store()
    counts: Counter[str] = Counter()
    known: set[tuple[str, ...]] = set()
    for texts in pages:
        if tuple(texts) not in known:
            counts.update(set(texts))
        known.add(tuple(texts))
        sightings = memory.visit("example.com", seen(" ".join(texts)))
        assert sightings == Sightings(len(known), [counts[text] for text in texts])


def test_what_was_seen_longest_ago_is_forgotten_first() -> None:
    memory = store(blocks=16)
    visit_all(memory, *(f"all old{n}" for n in "abcd"), *(f"all new{n}" for n in "abcd"))
    assert len(memory.sites["example.com"]) <= 16
    sightings = memory.recall("example.com", seen("all olda oldb newc newd"))
    assert sightings == Sightings(8, [8, 0, 0, 1, 1])


def test_of_one_age_what_fewer_pages_held_is_forgotten_first() -> None:
    memory = store(blocks=8)
    visit_all(memory, "a b", "a b", "a b c", "a b c d e f g h")
    held_by = memory.recall("example.com", seen("a b c d e f g h")).held_by
    assert held_by[:3] == [3, 3, 2]
    assert sum(held_by[3:]) < 5


def test_a_page_of_too_many_blocks_is_bounded_too() -> None:
    memory = store(blocks=10)
    visit_all(memory, words(100))
    assert len(memory.sites["example.com"]) <= 10


def test_of_too_many_sites_the_one_visited_longest_ago_is_forgotten() -> None:
    memory = store(all_blocks=3 * (SITE_SIZE + 3))
    for site in ("a", "b", "c", "a", "d"):
        visit_all(memory, "x", site=site)
    assert list(memory.sites) == ["c", "a", "d"]
    visit_all(memory, words(500), site="e")
    assert list(memory.sites) == ["e"]


def test_it_is_the_same_for_the_same_order_of_pages(tmp_path: Path) -> None:
    for name in ("one", "two"):
        memory = LocalStore(blocks=50, all_blocks=1000)
        for number in range(300):
            visit_all(memory, f"all part{'x' * (number % 7)} own{'x' * number}", site=f"site{number % 3}")
        save(tmp_path / name, memory.sites)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(("sites", "pages", "blocks"), [(1, 500, 20), (500, 5, 5)])
def test_a_block_takes_less_than_100_bytes(sites: int, pages: int, blocks: int) -> None:
    numbers = iter(range(1 << 60))
    tracemalloc.start()
    try:
        memory = LocalStore(blocks=1 << 30, all_blocks=1 << 30)
        for site in range(sites):
            for _ in range(pages):
                found = [next(numbers).to_bytes(SIZE, "big") for _ in range(blocks + 2)]
                memory.visit(f"site{site}.example", Fingerprints((found[0], found[1]), found[2:], range(blocks)))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(map(len, memory.sites.values())) == sites * pages * (blocks + 2)
    assert taken / (sites * pages * blocks) < 100


class TestFile:
    def test_it_gives_back_all_that_was_saved(self, tmp_path: Path) -> None:
        path = tmp_path / "memory"
        memory = LocalStore(blocks=50, all_blocks=10_000, save=lambda sites: save(path, sites))
        visit_all(memory, "a b", "a c", site="bücher.example")
        visit_all(memory, *(f"x {y}" for y in words(40).split()))
        memory.close()
        two = LocalStore(blocks=50, all_blocks=10_000, sites=load(path))
        assert list(two.sites) == list(memory.sites)
        for texts in ("x w z", "a b"):
            assert visit_all(two, texts) == visit_all(memory, texts)
        assert two.recall("bücher.example", seen("a b")) == Sightings(2, [2, 1])

    def test_no_file_and_one_of_nothing_are_no_memory(self, tmp_path: Path) -> None:
        assert load(tmp_path / "memory") == {}
        save(tmp_path / "memory", {})
        assert load(tmp_path / "memory") == {}

    def test_it_is_saved_at_times(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("scrapy_justext.crawl.parts.site_memory.store.SAVE_EVERY", 3)
        saved: list[int] = []
        memory = LocalStore(blocks=50, all_blocks=1000, save=lambda sites: saved.append(sites["example.com"].pages))
        visit_all(memory, *(f"a b{n}" for n in "abcdefg"))
        assert saved == [3, 6]
        memory.close()
        assert saved == [3, 6, 7]

    @pytest.mark.parametrize("size", [0, 1, 100, -1, -100], ids=str)
    def test_a_file_that_was_cut_is_named(self, tmp_path: Path, size: int) -> None:
        path = self.saved(tmp_path)
        path.write_bytes(path.read_bytes()[:size])
        with pytest.raises(SiteMemoryError, match="is damaged") as error:
            load(path)
        assert str(error.value) == f"the site memory {path} is damaged, or no memory of sites; delete it to begin anew"

    def test_a_byte_that_was_changed_is_noticed(self, tmp_path: Path) -> None:
        path = self.saved(tmp_path)
        data = path.read_bytes()
        keys = data.index(b"keys.npy") + 200
        path.write_bytes(data[:keys] + bytes([data[keys] ^ 1]) + data[keys + 1 :])
        with pytest.raises(SiteMemoryError, match="is damaged"):
            load(path)

    @pytest.mark.parametrize("by", [-1, 1], ids=["before", "after"])
    def test_another_version_is_refused(self, by: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = self.saved(tmp_path)
        monkeypatch.setattr("scrapy_justext.crawl.parts.site_memory.store.VERSION", VERSION + by)
        with pytest.raises(SiteMemoryError, match="is of another version"):
            load(path)

    def test_a_folder_is_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(SiteMemoryError, match="cannot be read: Is a directory"):
            load(tmp_path)

    def test_what_was_there_stays_when_saving_fails(self, tmp_path: Path) -> None:
        path = self.saved(tmp_path)
        before = path.read_bytes()
        with full_disk(), pytest.raises(OSError, match="No space left"):
            save(path, {"other": Table.empty()})
        assert path.read_bytes() == before

    def saved(self, folder: Path) -> Path:
        path = folder / "memory.npz"
        memory = LocalStore(blocks=5000, all_blocks=10_000, save=lambda sites: save(path, sites))
        visit_all(memory, *(f"a {b}" for b in words(40).split()))
        memory.close()
        return path


def words(count: int) -> str:
    """So many words, no two the same."""
    return " ".join("w" * number for number in range(1, count + 1))
