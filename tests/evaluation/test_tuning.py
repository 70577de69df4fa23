"""The search of thresholds: what a trial gives is what a crawl would, and nothing gets worse."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from inspect import getclosurevars
from pathlib import Path
from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.core.options import make_options
from scrapy_justext.core.parameters import PARAMETERS, Thresholds
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.evaluation.__main__ import main
from scrapy_justext.evaluation.datasets.documents import DataSet, Document
from scrapy_justext.evaluation.datasets.names import open_data_set
from scrapy_justext.evaluation.measures import MEASURES, Sizes
from scrapy_justext.evaluation.tuning import (
    Label,
    Search,
    TrialSetup,
    Values,
    draw,
    label,
    mean_quality,
    moved,
    neighbours,
    quality_of,
    settings_needed,
    split,
    values_of,
)
from scrapy_justext.exceptions import EvaluationError
from tests.evaluation.builders import PAGE, STORY, complain, make_document, write_pairs
from tests.evaluation.test_gate import SMALL_SET

pytestmark = pytest.mark.usefixtures("forked_workers")


@pytest.fixture(scope="module")
def small_set() -> DataSet:
    return open_data_set(f"pairs:{SMALL_SET}")


def expected_sizes(document: Document, profile: str, **parameters: Any) -> Sizes:
    """The sizes that the extractor of the command ``run`` gets."""
    text = "\n".join(extract(document.text, profile=profile, **parameters).paragraphs)
    return MEASURES["bag"](document.gold, text).sizes


def draw_values(profile: str, chance: random.Random) -> Values:
    parameters = PROFILES[profile].parameters
    values = values_of(PROFILES[profile].thresholds, parameters)
    for name, parameter in parameters.items():
        values = moved(values, name, draw(parameter, chance))
    return values


def make_page(document: Document, profile: str = "justext") -> Callable[..., Sizes]:
    return TrialSetup([], profile).read_page(document)


class TestPages:
    @pytest.mark.parametrize("profile", PROFILES)
    @pytest.mark.parametrize("step", [9, pytest.param(3, marks=pytest.mark.full)])
    def test_a_trial_is_what_an_extraction_gives(self, small_set: DataSet, profile: str, step: int) -> None:
        chance = random.Random(7)
        trials = [{}, *(draw_values(profile, chance) for _ in range(3))]
        differing = 0
        # Of all pages, each profile has others.
        for document in map(small_set.load, small_set.ids[list(PROFILES).index(profile) % step :: step]):
            page = make_page(document, profile)
            for parameters in trials:
                sizes = page(make_options(profile=profile, **parameters))
                assert sizes == expected_sizes(document, profile, **parameters)
                differing += sizes != page(make_options(profile=profile))
        assert differing

    def test_the_tree_filter_works_without_the_tree(self, small_set: DataSet) -> None:
        for document in map(small_set.load, small_set.ids[::4]):
            page = make_page(document)
            assert getclosurevars(page).nonlocals["read"].flow is None
            for depth in range(1, 6):
                sizes = page(make_options(tree_depth=depth))
                assert sizes == expected_sizes(document, "justext", tree_depth=depth)

    def test_languages_without_spaces_have_thresholds_of_their_own(self) -> None:
        chinese = "这是一个关于我们的城市的故事，在那里人们都很高兴，因为他们的河是很美的。" * 2
        document = replace(make_document(f"<p>{chinese}<p>菜单"), gold=chinese)
        page = make_page(document)
        for parameters in ({}, {"max_link_density": 0.5}, {"length_high": 300}):
            assert page(make_options(**parameters)) == expected_sizes(document, "justext", **parameters)
        assert page(make_options()) != page(make_options(length_high=300))

    def test_a_page_without_blocks(self) -> None:
        for html in ("", "<title>x", "<!-- -->"):
            page = make_page(make_document(html))
            assert page(make_options()) == Sizes(1, 0, 0)

    def test_equal_selections_are_measured_once(self) -> None:
        page = make_page(make_document())
        assert page(make_options()) == page(make_options(length_low=69))
        assert getclosurevars(page).nonlocals["score_once"].cache_info().misses == 1


def test_means() -> None:
    sizes = [Sizes(4, 2, 2), Sizes(0, 0, 0), Sizes(3, 0, 0), Sizes(0, 3, 0), Sizes(2, 2, 0)]
    assert mean_quality(sizes, 1.0) == pytest.approx((2 / 5, 1.5 / 5, (1 + 2 / 3) / 5))
    # beta 2: 5 * 1 * 0.5 / (4 * 1 + 0.5)
    assert quality_of(sizes[0], 2.0) == pytest.approx((1.0, 0.5, 2.5 / 4.5))


def pages_of(*groups: int) -> list[Label]:
    """Pages of sites with so many pages each."""
    return [Label(0, f"{site}-{page}", f"site{site}") for site, size in enumerate(groups) for page in range(size)]


class TestSplit:
    @pytest.mark.parametrize("seed", range(5))
    def test_sites_stay_together_and_two_thirds_are_searched_on(self, seed: int) -> None:
        pages = pages_of(*[1, 2, 3, 4] * 15)
        training, validation = split(pages, seed)
        assert sorted([*training, *validation]) == sorted(pages)
        assert not {page.group for page in training} & {page.group for page in validation}
        assert len(training) == pytest.approx(100, abs=4)
        assert (training, validation) == split(pages, seed)

    def test_the_seed_matters(self) -> None:
        assert split(pages_of(*[1] * 30), 0) != split(pages_of(*[1] * 30), 1)

    @pytest.mark.parametrize("groups", [[1] * 10, [200], [200, 3], []], ids=str)
    def test_too_few(self, groups: list[int]) -> None:
        with pytest.raises(EvaluationError, match="too few to search on some and check on others"):
            split(pages_of(*groups))

    def test_the_least_that_can_be_split(self) -> None:
        assert tuple(map(len, split(pages_of(*[1] * 11)))) == (7, 4)

    @pytest.mark.parametrize(
        ("url", "group"),
        [
            ("https://news.example.co.uk/a?b", "example.co.uk"),
            ("http://www.EXAMPLE.com:80/", "example.com"),
            ("http://10.0.0.1/", "10.0.0.1"),
            (None, "3/1"),
            ("", "3/1"),
        ],
    )
    def test_groups(self, url: str | None, group: str) -> None:
        assert label(3, make_document(url=url)).group.lower() == group


class TestParameters:
    def test_only_what_a_profile_uses_is_searched(self) -> None:
        names = {name: set(profile.parameters) for name, profile in PROFILES.items()}
        page = {"tree_depth", "drop_beside", "drop_repeated", "keep_headline"}
        assert names["boilerpipe"] == names["boilerpipe-article"] == page
        trained = {"good_probability", "near_good_probability", "fallback_probability"}
        kinds = {"code", "formulas", "tables"}
        runs = {"good_run", "linked_prose"}
        assert names["justext-java"] == set(PARAMETERS) - trained - kinds - runs
        assert names["justext"] == names["article"]
        assert set(PARAMETERS) - names["justext"] == {"no_headlines", "rescue_images", *trained}
        assert names["justext-3.0"] == names["justext"] - kinds - runs
        headings = {"max_heading_distance", "no_headings"}
        assert names["learned"] == names["learned-article"] == names["auto"] == {*trained, *page, *headings, *kinds}

    def test_the_profile_s_own_depth_cannot_be_unset(self) -> None:
        depths = {name: PROFILES[name].parameters["tree_depth"].search for name in ("justext", "article")}
        assert depths["justext"] == (None, 1, 2, 3, 4, 5)
        assert depths["article"] == (1, 2, 3, 4, 5)

    @pytest.mark.parametrize("seed", range(20))
    def test_whatever_is_drawn_is_allowed(self, seed: int) -> None:
        chance = random.Random(seed)
        values = draw_values("justext-java", chance)
        Thresholds(**values)
        for level in range(6):
            for name, parameter in PROFILES["justext-java"].parameters.items():
                for value in neighbours(parameter, values[name], level):
                    Thresholds(**moved(values, name, value))

    def test_low_and_high_take_each_other_along(self) -> None:
        values = {"length_low": 70, "length_high": 200}
        assert moved(values, "length_low", 210) == {"length_low": 210, "length_high": 210}
        assert moved(values, "length_high", 60) == {"length_low": 60, "length_high": 60}
        assert moved(values, "length_low", 200) == {"length_low": 200, "length_high": 200}

    def test_both_of_a_pair_are_given_in_languages_without_spaces(self) -> None:
        own = Thresholds()
        base = replace(own, length_low=20, length_high=55)
        values = {"length_low": 25, "length_high": 55, "max_link_density": 0.2}
        assert settings_needed(values, base, own) == {"length_low": 25, "length_high": 55}
        assert settings_needed({**values, "length_low": 20}, base, own) == {}
        assert settings_needed({"length_low": 25, "length_high": 200}, own, own) == {"length_low": 25}


class TestSearch:
    def search(self, trials: int, seed: int = 0) -> tuple[Search, list[Values]]:
        """A search for a place in the middle of nowhere."""
        tried: list[Values] = []

        def evaluate(values: Values) -> float:
            tried.append(values)
            distance: float = abs(values["length_low"] - 35) / 100 + abs(values["max_link_density"] - 0.47)
            return -distance

        parameters = PROFILES["justext"].parameters
        return Search(parameters, values_of(Thresholds(), parameters), evaluate, trials, seed), tried

    def test_it_finds_the_best_and_leaves_the_rest_alone(self) -> None:
        search, _ = self.search(400)
        assert settings_needed(search.run(), Thresholds(), Thresholds()) == {"length_low": 35, "max_link_density": 0.47}

    @pytest.mark.parametrize("trials", [1, 2, 3, 5, 10, 20, 50, 150])
    def test_never_worse_than_the_start_and_within_the_budget(self, trials: int) -> None:
        search, tried = self.search(trials)
        search.run()
        assert tried[0] == search.start
        assert search.best_value >= search.evaluate(search.start)
        assert len(search.known) <= trials
        keys = [tuple(values.values()) for values in tried[:-1]]
        assert len(keys) == len(set(keys)) == len(search.known)

    def test_the_same_seed_gives_the_same_trials(self) -> None:
        runs = []
        for seed in (1, 1, 2):
            search, tried = self.search(60, seed)
            search.run()
            runs.append(tried)
        assert runs[0] == runs[1] != runs[2]

    def test_nothing_better_leaves_the_start(self) -> None:
        parameters = PROFILES["justext"].parameters
        start = values_of(Thresholds(), parameters)
        assert Search(parameters, start, lambda values: 0.5, 80).run() == start


Tune = Callable[..., str]


@pytest.fixture
def tune(capsys: pytest.CaptureFixture[str]) -> Tune:
    """Runs the command on pages; gives what it printed."""

    def run(folder: Path, *options: str, trials: int = 120) -> str:
        command = ["tune", "--dataset", f"pairs:{folder}", "--trials", str(trials), "--jobs", "1"]
        assert main([*command, *options]) == 0
        return capsys.readouterr().out

    return run


def write_set(folder: Path, content: str, pages: int = 14) -> Path:
    """Pages that all are alike, the gold text of each the same."""
    return write_pairs(folder, {str(number): content for number in range(pages)})


SHORT = " ".join(f"<p>It was the age of wisdom, it was the {number}th." for number in range(9))
WITH_SHORT = f"<ul><li><a href=/>Home</a></ul>{SHORT}"


class TestCommand:
    def test_settings_to_paste(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = write_set(tmp_path / "pages", WITH_SHORT)
        command = ["tune", "--dataset", f"pairs:{folder}", "--language", "English", "--trials", "120", "--jobs", "1"]
        assert main(command) == 0
        printed = capsys.readouterr()
        assert "9 pages of 9 sites to search on, 5 of 5 others to check on (seed 0)" in printed.out
        assert re.search(r"checked on +the profile's +0.0000 +0.0000 +0.0000", printed.out)
        assert re.search(r"On the pages to check on: \+0\.\d{4} \(99 %: \+", printed.out)
        variables: dict[str, Any] = {}
        exec(printed.out[printed.out.index("custom_settings") :], variables)
        settings = variables["custom_settings"]
        assert settings.pop("JUSTEXT_LANGUAGE") == "English"
        parameters = {name.removeprefix("JUSTEXT_").lower(): value for name, value in settings.items()}
        assert set(parameters) <= set(PARAMETERS)
        assert all(getattr(Thresholds(), name) != value for name, value in parameters.items())
        assert extract(WITH_SHORT, language="English", **parameters).text
        assert not extract(WITH_SHORT, language="English").text
        [done] = re.findall(r"(\d+) of 120 trials, best 0\.\d{4}\n", printed.err)
        assert int(done) <= 120

    def test_processes_give_what_one_gives(self, tune: Tune) -> None:
        outputs = [re.sub(r"in [\d.]+ s", "", tune(SMALL_SET, "--jobs", jobs, trials=3)) for jobs in "13"]
        assert outputs[0] == outputs[1]

    def test_nothing_better(self, tmp_path: Path, tune: Tune) -> None:
        folder = write_set(tmp_path / "pages", f"<p>{STORY}")
        assert tune(folder, trials=12).endswith("Nothing better was found: keep the profile's own thresholds.\n")

    def test_worse_on_the_pages_to_check_on(self, tmp_path: Path, tune: Tune) -> None:
        # What is content on the pages to search on is boilerplate on those to check on.
        folder = write_set(tmp_path / "pages", WITH_SHORT)
        _, validation = split([label(0, document) for document in open_data_set(f"pairs:{folder}").documents])
        for page in validation:
            (folder / "input" / f"{page.id}.html").write_text(f"{WITH_SHORT}<p>{STORY}<p>{STORY}")
            (folder / "gold" / f"{page.id}.txt").write_text(f"{STORY} {STORY}")
        printed = tune(folder, "--language", "English")
        assert "These settings are worse there than the profile's own thresholds: keep those." in printed
        assert "\ncustom_settings" not in printed
        assert "\n# custom_settings = {" in printed

    def test_precision_is_not_had_by_giving_up_on_pages(self, tmp_path: Path, tune: Tune) -> None:
        folder = write_set(tmp_path / "pages", f"{PAGE}<p>{STORY.replace('best', 'other')}")
        printed = tune(folder, "--objective", "precision", trials=40)
        figures = re.findall(r"found +(\d\.\d+) +(\d\.\d+)", printed)
        assert all(float(recall) > 0 for _, recall in figures)

    def test_fbeta(self, tmp_path: Path, tune: Tune) -> None:
        folder = write_set(tmp_path / "pages", WITH_SHORT)
        options = ["--objective", "fbeta", "--beta", "0.5", "--profile", "article"]
        printed = tune(folder, *options, trials=9)
        assert "9 pages of 9 sites to search on, 5 of 5" in printed
        assert "to be greatest: F0.5, mean" in printed
        assert re.search(r"precision +recall +F0\.5\n", printed)

    def test_a_profile_that_is_not_the_default_is_pasted_too(self, tmp_path: Path, tune: Tune) -> None:
        folder = write_set(tmp_path / "pages", WITH_SHORT)
        assert '    "JUSTEXT_PROFILE": "justext-3.0",\n' in tune(folder, "--profile", "justext-3.0")


BAD_INPUT: dict[str, tuple[list[str], str]] = {
    "profile": (["--profile", "justxet"], "did you mean justext"),
    "objective": (["--objective", "f2"], "unknown objective"),
    "language": (["--language", "Klingon"], "unknown language"),
    "beta of 0": (["--objective", "fbeta", "--beta", "0"], "beta = 0.0: must be a number above 0"),
    "beta below 0": (["--objective", "fbeta", "--beta", "-1"], "beta = -1.0"),
    "beta of nan": (["--objective", "fbeta", "--beta", "nan"], "beta = nan"),
    "beta of inf": (["--objective", "fbeta", "--beta", "inf"], "beta = inf"),
    "beta of x": (["--objective", "fbeta", "--beta", "x"], "argument --beta: invalid float value: 'x'"),
    "no beta": (["--objective", "fbeta"], "must be given with --objective fbeta"),
    "beta of f1": (["--beta", "2"], "must be given with --objective fbeta, and only then"),
    "trials": (["--trials", "0"], "'0' must be a whole number, 1 or more"),
    "jobs": (["--jobs", "many"], "'many' must be a whole number"),
    "seed": (["--seed", "-1"], "'-1' must be a whole number, 0 or more"),
    "data set": (["--dataset", "pairs:nowhere"], "no such folder"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_INPUT.values(), ids=BAD_INPUT)
def test_bad_input_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    folder = write_set(tmp_path / "pages", PAGE)
    [line] = complain(capsys, "tune", "--dataset", f"pairs:{folder}", *arguments)
    assert message in line
