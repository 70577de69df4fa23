"""What the tuner shows is what an extraction gives, whatever was asked before."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext import extract
from scrapy_justext.core.extraction import Extraction
from scrapy_justext.core.options import Options, make_options
from scrapy_justext.core.parameters import Thresholds
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.inspection.pages import InspectedPage
from scrapy_justext.inspection.tuner import KEPT_READS, TunedPage, Tuner, block_keys, control_of
from tests.builders import DEMO_SITE
from tests.inspection.tuner.running import PAGE, STORY, inspected, layers

CHINESE = "这是一个关于我们的城市的故事，在那里人们都很高兴，因为他们的河是很美的。" * 2
HTML = {
    **{
        name: (DEMO_SITE / name).read_text(encoding="utf-8")
        for name in ("news/night-library.html", "shop/copper-kettle.html", "forum/thread-loud-chain.html")
    },
    "german": (DEMO_SITE / "de/nachrichten/nachtzug.html").read_text(encoding="utf-8"),
    "chinese": f"<html lang=zh><p>{CHINESE}<p>菜单<p>{CHINESE * 3}<h2>题目</h2><p>{CHINESE}",
    "data": '<p>Buy<script type="application/ld+json">{"@type":"Product","description":"%s"}</script>' % (STORY * 5),
    "nothing": "<title>x",
}


@cache
def tuned_page(name: str) -> TunedPage:
    """One of each for the whole run: what was asked before must not matter."""
    return TunedPage(inspected(HTML[name], name), make_options())


shares = st.floats(0, 1).map(lambda value: round(value, 2))
lengths = st.integers(0, 500)


def pair(values: st.SearchStrategy[Any], low: str, high: str) -> st.SearchStrategy[dict[str, Any]]:
    """None of two thresholds, or both in their order, or one, where that does not cross the other's default."""
    both = st.tuples(values, values).map(lambda two: dict(zip((low, high), sorted(two), strict=True)))
    return st.just({}) | both


parameter_choices = st.builds(
    lambda *parts: {name: value for part in parts for name, value in part.items()},
    pair(lengths, "length_low", "length_high"),
    pair(shares, "stopwords_low", "stopwords_high"),
    pair(shares, "near_good_probability", "good_probability"),
    st.fixed_dictionaries(
        {},
        optional={
            "max_link_density": shares,
            "max_heading_distance": lengths,
            "tree_depth": st.sampled_from([None, 1, 2, 3, 4, 5]),
            **dict.fromkeys(
                ("no_headings", "no_headlines", "rescue_images", "drop_repeated", "keep_headline"), st.booleans()
            ),
        },
    ),
)


@pytest.mark.parametrize("profile", PROFILES)
@given(st.sampled_from(list(HTML)), parameter_choices, st.sampled_from(["auto", "English", ["de", "en"], "zh"]))
def test_a_judgement_is_an_extraction(
    profile: str, name: str, values: dict[str, Any], language: str | list[str]
) -> None:
    options = make_options(profile=profile, language=language, **values)
    assert tuned_page(name).extract(options) == extract(HTML[name], profile=profile, language=language, **values)


class Browser:
    """What the tuner's page makes of the answers."""

    def __init__(self, tuner: Tuner) -> None:
        self.tuner = tuner
        self.base = ""
        self.view: dict[str, Any] = {}

    def judge(self, **chosen: Any) -> list[tuple[Any, ...]]:
        """The blocks that are shown: text, both classes and reason."""
        [page] = self.tuner.judge({**chosen, "pages": [0], "shown": {"0": self.base}})["pages"]
        if "view" in page:
            self.base, self.view = page["base"], page["view"]
        assert page["base"] == self.base
        shown = [[block[name] for name in ("text", *SHOWN)] for block in self.view["blocks"]]
        for index, *values in page["changes"]:
            shown[index][1:] = values
        return [tuple(block) for block in shown]


SHOWN = ("block_class", "context_free_class", "reason")


def shown_of(extraction: Extraction) -> list[tuple[Any, ...]]:
    return [(b.text, b.block_class.value, b.context_free_class.value, b.reason) for b in extraction.blocks]


@pytest.mark.parametrize("name", HTML)
def test_the_browser_shows_what_an_extraction_gives(name: str, tmp_path: Path) -> None:
    browser = Browser(Tuner([inspected(HTML[name])], layers({"good_run": 200}), tmp_path / "marks.jsonl"))
    steps: list[dict[str, Any]] = [
        {},
        {"parameters": {"length_high": 500}},
        {"parameters": {"length_low": 10, "length_high": 40, "max_link_density": 1.0}},
        {"profile": "article"},
        {"profile": "justext-java", "parameters": {"rescue_images": True}},
        {"languages": "Czech"},
        {"languages": ["de", "fr"], "parameters": {"stopwords_low": 0.1, "stopwords_high": 0.1}},
        {"profile": "learned", "parameters": {"good_probability": 0.01}},
        {"profile": "learned", "parameters": {"good_probability": 1.0}},
        {"profile": "boilerpipe"},
        {},
    ]
    for step in steps:
        options = {"profile": step.get("profile", "justext"), "language": step.get("languages", "auto")}
        expected = extract(HTML[name], **options, **step.get("parameters", {}))
        assert browser.judge(**step) == shown_of(expected)


def test_only_what_changed_is_reported(tmp_path: Path) -> None:
    tuner = Tuner([inspected()], layers(), tmp_path / "marks.jsonl")
    [first] = tuner.judge({"shown": {"0": ""}})["pages"]
    assert first["changes"] == []
    assert first["view"]["name"] == "tale.html"
    [same] = tuner.judge({"shown": {"0": first["base"]}})["pages"]
    assert "view" not in same
    [other] = tuner.judge({"parameters": {"length_high": 320, "good_run": 0}, "shown": {"0": first["base"]}})["pages"]
    assert [change[0] for change in other["changes"]] == [2, 3, 4, 5, 6]
    [unseen] = tuner.judge({"parameters": {"length_high": 320, "good_run": 0}})["pages"]
    assert "changes" not in unseen
    assert {**unseen, "base": 0, "changes": 0} == {**other, "base": 0, "changes": 0}


def test_a_profile_by_which_no_crawl_would_clean_a_page_leaves_the_others(tmp_path: Path) -> None:
    many = inspected(f"<html lang=en><p>{STORY * 4}<article>" + "<section>one</section>" * 20)
    project = layers({"max_blocks": 15, "profile": "justext-3.0"})
    tuner = Tuner([many, inspected()], project, tmp_path / "marks.jsonl")
    problem = "more blocks than JUSTEXT_MAX_BLOCKS allows, 15"
    for profile, first in (("justext", problem), ("justext-3.0", None)):
        pages = tuner.judge({"profile": profile, "shown": {"0": "", "1": ""}})["pages"]
        assert [page["problem"] for page in pages] == [first, None]
        assert [page["blocks"] > 0 for page in pages] == [first is None, True]
        assert (pages[0]["view"]["notes"] == [f"not cleaned in a crawl: {problem}"]) == (first is not None)
        assert (pages[0]["good_before"], pages[0]["lost"]) == (1, int(first is not None))


def test_a_page_that_is_named_often_is_judged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuner = Tuner([inspected(), inspected()], layers(), tmp_path / "marks.jsonl")
    judged: list[TunedPage] = []
    extract = TunedPage.extract

    def counting(page: TunedPage, options: Options) -> Extraction:
        judged.append(page)
        return extract(page, options)

    monkeypatch.setattr(TunedPage, "extract", counting)
    answers = tuner.judge({"pages": [1, *[0] * 150_000, 1]})["pages"]
    assert [answer["page"] for answer in answers] == [1, 0]
    assert len(judged) == 2


def test_the_effect_on_each_page(tmp_path: Path) -> None:
    pages = [inspected(), inspected(f"<html lang=en><p>{STORY * 2}<p>{STORY * 2}<p>{STORY * 4}")]
    answer = Tuner(pages, layers(), tmp_path / "marks.jsonl").judge({"parameters": {"length_high": 320, "good_run": 0}})
    first, second = answer["pages"]
    assert (first["good_before"], first["good_after"]) == (4, 0)
    assert (first["gained"], first["lost"], len(first["changed"])) == (0, 4, 4)
    assert first["characters_before"] == extract(PAGE).good_characters
    assert (second["good_before"], second["good_after"], second["characters_after"]) == (3, 0, 0)
    tuner = Tuner(pages, layers({"length_high": 320, "good_run": 0}), tmp_path / "marks.jsonl")
    back = tuner.judge({"parameters": {"length_high": 200}})
    assert [(page["gained"], page["lost"]) for page in back["pages"]] == [(4, 0), (3, 0)]


def test_blocks_of_the_same_text_are_kept_apart() -> None:
    page = inspected(f"<html lang=en><p>{STORY * 4}<p>Twin<p>{STORY * 4}<ul><li><a href=/>Twin</a></ul>")
    tuned = TunedPage(page, make_options())
    assert [block.is_good for block in tuned.before.blocks] == [True, True, True, False]
    after = tuned.extract(make_options(max_link_density=1.0, length_low=0))
    effect = tuned.effect(after, block_keys(after.blocks))
    assert (effect["gained"], effect["lost"], effect["changed"]) == (0, 1, [1])


def test_only_so_many_ways_of_cutting_and_views_are_kept(tmp_path: Path) -> None:
    tuned = TunedPage(inspected(), make_options())
    tuner = Tuner([inspected()], layers(), tmp_path / "marks.jsonl")
    for language in ("en", "de", "fr", "cs", "ru", "es", "it", "pl", "nl", "sv", "da"):
        tuned.extract(make_options(language=language))
        tuner.judge({"languages": language, "shown": {"0": ""}})
    assert len(tuned._reads) == len(tuner._bases[0]) == KEPT_READS


@pytest.mark.parametrize("name", PROFILES)
def test_there_is_a_control_for_every_threshold_of_a_profile(name: str) -> None:
    controls = {control["name"]: control for control in map(control_of, PROFILES[name].parameters.values())}
    assert list(controls) == list(PROFILES[name].parameters)
    for control in controls.values():
        assert control["help"]
        default = getattr(PROFILES[name].thresholds, control["name"])
        assert (control["slider"] is None) == bool(control["choices"])
        if control["choices"]:
            assert default in [value for value, _ in control["choices"]]
        elif default is not None:
            assert control["slider"]["least"] <= default <= control["slider"]["most"]
        if control["partner"]:
            assert controls[control["partner"]]["partner"] == control["name"]
    names = {name for profile in PROFILES.values() for name in profile.parameters}
    assert set(Thresholds.__dataclass_fields__) == names


@pytest.mark.parametrize("profile", PROFILES)
def test_a_slider_has_no_page_read_again(profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # How long an answer takes is measured by benchmarks/tuner.py.
    html = "".join(f"<div><a href=/>Link {number}</a></div><p>{STORY * (number % 5)} {number}" for number in range(100))
    tuner = Tuner([inspected(f"<html lang=en>{html}")], layers(), tmp_path / "marks.jsonl")
    [page] = tuner.judge({"profile": profile, "shown": {"0": ""}})["pages"]
    monkeypatch.setattr(InspectedPage, "read", None)
    for length in (0, 100, 180):
        tuner.judge({"profile": profile, "parameters": {"length_low": length}, "shown": {"0": page["base"]}})
    assert page["blocks"] == 200
