"""The pictures of the documentation: what its gallery says of the profiles is what they do."""

import json
import re

import pytest

from docs import pictures
from docs.pictures import PAGES, PROFILES, Row, rows_of, scores_of, stages, wanted_texts
from tests.builders import REPOSITORY

TEXT = (REPOSITORY / "docs" / "gallery.md").read_text("utf-8")

#: What the gallery says in words: a page, the profiles, the beginnings of texts, and the share of them that is kept.
SAID = [
    ("article", ("justext", "boilerpipe"), ("I took that ferry",), 1),
    ("article", ("boilerpipe",), ("Five stories from",), 1),
    ("article", ("justext",), ("Five stories from",), 0),
    ("article", ("justext", "article", "learned-article", "auto"), ("The last night ferry stays",), 0),
    ("article", ("learned", "boilerpipe"), ("The last night ferry stays",), 1),
    ("article", ("article", "learned", "learned-article"), ("Five stories from", "I took that ferry"), 0),
    ("article", ("article",), ("“If it goes",), 0),
    ("forum", ("justext",), ("Does the flue", "No, just the pipe", "If it still goes out"), 0),
    ("forum", ("learned", "auto"), ("Does the flue", "No, just the pipe", "If it still goes out", "Cowl is up"), 1),
    ("product", ("justext", "article", "learned", "learned-article", "auto"), ("£148.00",), 0),
    ("product", ("boilerpipe",), ("£148.00",), 1),
    ("documentation", ("justext", "learned"), ("from quaypost", "Option"), 1),
    ("listing", ("learned", "learned-article", "auto"), ("Thinking of a new boiler",), 1),
    ("japanese", ("justext",), ("毎朝六時",), 1),
    ("japanese", ("justext",), ("ねじは",), 0),
    ("japanese", ("learned", "learned-article"), ("ねじは",), 1),
]


def row(page: str, beginning: str) -> Row:
    return next(row for row in rows_of(page) if row.block.text.startswith(beginning))


@pytest.mark.parametrize("page", PAGES)
def test_what_a_reader_wants_is_on_the_page(page: str) -> None:
    wanted = [row.block.text for row in rows_of(page) if row.is_wanted]
    assert len(wanted) == len(wanted_texts(page))


@pytest.mark.parametrize(("page", "profiles", "beginnings", "kept"), SAID)
def test_profiles_do_what_the_gallery_says(
    page: str, profiles: tuple[str, ...], beginnings: tuple[str, ...], kept: int
) -> None:
    found = {(profile, text): row(page, text).kept[profile] for profile in profiles for text in beginnings}
    assert found == dict.fromkeys(found, kept)


@pytest.mark.parametrize(("page", "title"), PAGES.items(), ids=PAGES)
def test_the_profile_to_take_is_the_best(page: str, title: str) -> None:
    said = re.search(rf"^## {title}\n\n\*\*Take ([^*]+)\*\*", TEXT, re.MULTILINE)
    assert said is not None
    scores = scores_of(page)
    taken = [scores[name] for name in re.findall("`([^`]+)`", said[1])]
    best = max(score.f1 for score in scores.values())
    assert max(score.f1 for score in taken) == best
    assert all(score.f1 > best - 0.03 for score in taken)


def test_only_one_picture_finds_nothing_with_justext() -> None:
    assert [page for page in PAGES if not scores_of(page)["justext"].recall] == ["listing"]


@pytest.mark.parametrize("page", PAGES)
def test_a_picture_has_a_mark_for_each_block_and_profile(page: str) -> None:
    picture = pictures.draw(page)
    for profile in PROFILES:
        marked = len(re.findall(rf'title="{profile}: ', picture))
        together = len(re.findall('class="jt-aside">dropped by all', picture))
        assert marked + together == picture.count("<details")


def test_the_passes_show_each_way_of_a_block() -> None:
    blocks, found = stages()
    assert list(found) == ["blocks", "context-free", "headings", "neighbours", "headings-again"]
    ways = {
        block.text: [class_ and class_.value for class_ in classes]
        for block, *classes in zip(blocks, *(stage.classes for stage in found.values()), strict=True)
    }
    assert ways["Town council opens the old bridge"] == [None, "short", "near_good", "good", "good"]
    assert ways["What the flood had done"] == [None, "short", "near_good", "bad", "good"]
    assert ways["“We never thought that it would take so long.”"] == [None, "short", "short", "bad", "bad"]
    assert [block.block_class for block in blocks] == list(found["headings-again"].classes)


def test_files_beside_are_pages_and_reports() -> None:
    files = dict(pictures.files_beside())
    assert len(files) == 2 * len(PAGES)
    for page in PAGES:
        views = re.findall('<script type="application/json".*?>(.*?)</script>', files[f"gallery/{page}-report.html"])
        assert [json.loads(view)["name"] for view in views] == list(PROFILES)


def test_the_colours_are_those_of_the_reports() -> None:
    light, dark = pictures.style().split("html[data-theme='dark']")
    assert "--good: #12694a" in light
    assert "--good: #7fd6ab" in dark
