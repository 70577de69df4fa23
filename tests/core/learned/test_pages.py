"""What is told of a page as a whole: its type, and the F1 to be expected."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_justext import Extraction, Extractor, extract
from scrapy_justext.core.extraction import part_of
from scrapy_justext.core.learned import pages
from scrapy_justext.core.learned.classifier import ModelOutput, weigh
from scrapy_justext.core.learned.model import FOLDER, Model, shipped_model
from scrapy_justext.core.learned.pages import (
    INPUTS,
    OUTPUTS,
    PAGE_TYPES,
    ROLES,
    Logistic,
    PageModel,
    PageOpinion,
    load_page_model,
    save_page_model,
    shipped_page_model,
)
from scrapy_justext.core.profiles import ARTICLE_AHEAD, PROFILES
from scrapy_justext.exceptions import ModelError, ParameterError
from tests.core.learned.pages import ARTICLE, PAGE, THREAD, computed

LEARNED = [name for name, profile in PROFILES.items() if profile.models]
EVERY = pytest.mark.parametrize("profile", LEARNED)


@EVERY
def test_an_extraction_tells_type_and_confidence(profile: str) -> None:
    found = extract(ARTICLE, profile=profile, language="en")
    assert found.page_type == "article"
    assert found.page_type_probability is not None
    assert 1 / len(PAGE_TYPES) < found.page_type_probability <= 1
    assert found.confidence is not None
    assert 0.7 < found.confidence <= 1


def test_only_articles_are_judged_by_the_profile_for_them() -> None:
    assert extract(THREAD, profile="learned", language="en").page_type == "forum"
    assert {name: judged_by(page) for name, page in PAGES.items()} == {
        "article": "learned-article", "forum": "learned", "nothing": "learned", "no article": "learned",
    }  # fmt: skip


PAGES = {"article": ARTICLE, "forum": THREAD, "nothing": "", "no article": PAGE.replace("article>", "div>")}


def judged_by(page: str) -> str:
    return extract(page, profile="auto", language="en").profile


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize(
    "options",
    [
        {"markdown": True, "paths": True},
        {"keep_headline": True, "drop_repeated": False},
        {"keep_headline": False, "tree_depth": 2},
        {"good_probability": 0.9, "near_good_probability": 0.1},
        {"good_probability": 1.0, "fallback_probability": 0.1},
        {"language": "zh", "max_heading_distance": 0, "drop_css": "h1"},
    ],
    ids=str,
)
def test_auto_gives_what_the_profile_that_it_takes_gives(page: str, options: dict[str, Any]) -> None:
    found = extract(page, profile="auto", **options)
    expected = extract(page, profile=found.profile, **options)
    assert found.to_dict() == expected.to_dict()
    assert (found.confidence, found.page_type) == (expected.confidence, expected.page_type)


@pytest.mark.parametrize(
    ("article", "expected_f1", "profile"),
    [(0.499, 0.9, "learned"), (0.5, 0.801, "learned-article"), (0.5, 0.799, "learned"), (0.9, 0.5, "learned")],
)
def test_auto_takes_the_profile_of_which_more_is_expected(
    article: float, expected_f1: float, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PageOpinion, "type_probabilities", lambda _: {"article": article, "forum": 1 - article})
    values = {"learned": 0.8, "learned-article": expected_f1 - ARTICLE_AHEAD}
    monkeypatch.setattr(ModelOutput, "expected_f1", property(lambda output: values[output.model.name]))
    assert [judged_by(page) for page in (ARTICLE, THREAD)] == [profile, profile]


def test_what_auto_read_is_judged_under_other_thresholds() -> None:
    reader = Extractor(profile="auto", language="en")
    for page in (ARTICLE, THREAD):
        read = reader.read(page)
        for headline in (True, False):
            found = reader.with_thresholds(keep_headline=headline).judge(read).extraction()
            expected = extract(page, profile=found.profile, language="en", keep_headline=headline)
            assert found.to_dict() == expected.to_dict()
            assert reader.chosen_for(read).options.profile.name == found.profile


def test_auto_asks_the_model_for_articles_on_articles_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    second_pass = Model.second_pass

    def ask(model: Model, *arguments: Any) -> Any:
        asked.append(model.name)
        return second_pass(model, *arguments)

    monkeypatch.setattr(Model, "second_pass", ask)
    assert judged_by(ARTICLE) == "learned-article"
    assert asked == ["learned", "learned-article"]
    del asked[:]
    assert judged_by(THREAD) == "learned"
    assert asked == ["learned"]


def test_the_model_for_articles_has_the_networks_of_the_other_one() -> None:
    general, for_articles = map(shipped_model, PROFILES["auto"].models)
    for name, values in general.arrays.items():
        shared = for_articles.arrays[name]
        assert np.array_equal(values, shared if name in ("center", "scale") else shared[: general.networks])


@pytest.mark.parametrize("profile", [name for name in PROFILES if name not in LEARNED])
def test_profiles_without_a_model_tell_nothing(profile: str) -> None:
    found = extract(ARTICLE, profile=profile, language="en")
    assert (found.confidence, found.page_type, found.page_type_probability) == (None, None, None)


@pytest.mark.parametrize("page", ["", "<title>x</title>"])
def test_a_page_without_blocks_tells_nothing(page: str) -> None:
    found = extract(page, profile="learned")
    assert (found.confidence, found.page_type, found.page_type_probability) == (None, None, None)


def test_a_model_that_was_given_has_no_page_model() -> None:
    extractor = Extractor(profile="learned", language="en", model=shipped_model("learned"))
    assert extractor.extract(ARTICLE).confidence is None


@pytest.mark.parametrize("profile", [name for name in PROFILES if name not in ("learned", "learned-article")])
def test_only_a_profile_with_one_model_takes_another(profile: str) -> None:
    with pytest.raises(ParameterError, match=f"profile = '{profile}': must be learned or learned-article"):
        Extractor(profile=profile, model=shipped_model("learned"))


def test_what_is_good_decides_on_the_confidence() -> None:
    usual, everything, nothing = (
        extract(ARTICLE, profile="learned", language="en", good_probability=limit).confidence or 0.0
        for limit in (0.5, 0.0, 1.0)
    )
    assert usual > everything > nothing


@EVERY
def test_it_is_found_when_somebody_asks(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = extract(ARTICLE, profile=profile, language="en")
    looked: list[object] = []
    type_inputs = pages.type_inputs

    def count(*arguments: Any) -> Any:
        looked.append(arguments)
        return type_inputs(*arguments)

    monkeypatch.setattr(pages, "type_inputs", count)
    assert found.text
    assert found.blocks[0].reason
    assert looked == []
    assert (found.page_type, found.confidence is None, found.page_type_probability is None) == ("article", False, False)
    # The model of learned tells the type; in auto it has chosen the profile before.
    assert len(looked) == {"learned": 1, "learned-article": 2, "auto": 0}[profile]


@EVERY
def test_it_survives_json_and_pickle(profile: str) -> None:
    known = extract(ARTICLE, profile=profile, language="en")
    values = (known.confidence, known.page_type, known.page_type_probability)
    for made in (
        pickle.loads(pickle.dumps(extract(ARTICLE, profile=profile, language="en"))),
        Extraction.from_dict(json.loads(json.dumps(known.to_dict()))),
    ):
        assert (made.confidence, made.page_type, made.page_type_probability) == values
    judged = Extractor(profile=profile, language="en").judge_page(ARTICLE)
    assert pickle.loads(pickle.dumps(judged)).extraction() == known


def test_a_large_page_is_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    features = computed(ARTICLE)
    probabilities = np.array(weigh(features, shipped_model("learned")).probabilities)
    whole = pages.type_inputs(*pages.means_of(features), probabilities)
    monkeypatch.setattr(pages, "_TOGETHER", 3)
    parts = pages.type_inputs(*pages.means_of(features), probabilities)
    assert np.allclose(whole[1], parts[1], atol=1e-5)


@pytest.mark.parametrize("good", [b"\0", b"\1"])
def test_the_expected_f1_of_one_block(good: bytes) -> None:
    features = computed("<p>Harbour")
    opinion = PageOpinion(features, np.array([0.9], np.float32), [0.9], shipped_page_model("learned"))
    assert 0 <= opinion.confidence(good, has_data=False) <= 1
    assert sum(opinion.type_probabilities().values()) == pytest.approx(1)


COMMENTS = "".join(
    f"<li class=comment><b class=author>Ann {n}</b> <time>May {n}, 2020 10:{n}0</time><p>I liked how the {n} crews "
    "told of it, and I have one question: where is it now?</p><a href=#>Reply</a></li>"
    for n in range(1, 5)
)
RIGHTS = "© 2020 Harbour News. All rights reserved"
COMMENTED = ARTICLE.replace("© x", RIGHTS).replace(
    "</article>", f"</article><div id=comments><h3>4 Comments</h3><ul>{COMMENTS}</ul></div>"
)
#: A comment as most sites write it: lines of its author, its date and a button around its text.
SIGNED = """<div class=comment><div class=comment-author>Peter</div><div class=comment-date>2 February 2025</div>
<p>{}</p><a href=#>Reply</a></div>"""


@EVERY
def test_comments_stand_apart(profile: str) -> None:
    found = extract(COMMENTED, profile=profile, language="en")
    assert len([text for text in found.comments if text.startswith("I liked")]) == 4
    assert not [text for text in found.comments if "came in with the tide" in text]
    assert part_of(found, "comments") == found.comments
    roles = [row["role"] for row in part_of(found, "blocks", block_fields=["text", "role"])]
    assert roles == [block.role for block in found.blocks] == found.column("role")
    assert extract(COMMENTED, language="en").comments == []
    assert {*extract(COMMENTED, language="en").column("role")} == {None}


@EVERY
def test_comments_are_what_people_say(profile: str) -> None:
    texts = ["About time.", "I remember riding that train to school, and it was never late in all those years."]
    comments = "".join(map(SIGNED.format, texts))
    page = ARTICLE.replace("</article>", f"</article><section class=comments><h2>2 comments</h2>{comments}</section>")
    assert extract(page, profile=profile, language="en").comments == texts


def test_blocks_have_roles() -> None:
    roles = {block.text: block.role for block in extract(COMMENTED, profile="learned-article", language="en").blocks}
    assert roles["Home"] == "navigation"
    assert {role for text, role in roles.items() if "came in with the tide" in text} == {"content"}
    assert roles[RIGHTS] == "legal"
    of_thread = {block.text: block.role for block in extract(THREAD, profile="learned", language="en").blocks}
    assert {role for text, role in of_thread.items() if "came in with the tide" in text} == {"post"}


def test_a_block_that_is_made_bad_is_content_no_more() -> None:
    found = extract(COMMENTED, profile="learned", language="en")
    roles = found.column("role")
    changed = found.with_bad({roles.index("content"): "repeated", roles.index("legal"): "repeated"})
    assert changed.column("role") == ["other" if i == roles.index("content") else role for i, role in enumerate(roles)]


@given(are_good=st.binary(min_size=3, max_size=3))
def test_a_class_leaves_some_roles_only(are_good: bytes) -> None:
    flags = bytes(byte & 1 for byte in are_good)
    features = computed("<p>Harbour<p>Night<p>Storm")
    first = np.array([0.9, 0.5, 0.1], np.float32)
    roles = PageOpinion(features, first, first.tolist(), shipped_page_model("learned")).roles(flags)
    assert all(role in ROLES for role in roles)
    for role, is_good in zip(roles, flags, strict=True):
        assert role not in (("navigation", "related", "legal", "consent", "other") if is_good else ("content",))


@EVERY
def test_the_shipped_files_are_small(profile: str) -> None:
    assert (FOLDER / f"{PROFILES[profile].models[0]}-pages.npz").stat().st_size < 35_000


def small_model(**changes: Any) -> PageModel:
    parts = {
        part: Logistic(np.zeros(n), np.ones(n), np.zeros((n, OUTPUTS[part])), np.zeros(OUTPUTS[part]))
        for part, n in INPUTS.items()
    }
    return PageModel(**{**parts, "types": parts["types"]._replace(**changes)})


class TestFiles:
    def test_a_file_gives_the_same_model(self, tmp_path: Path) -> None:
        model = shipped_page_model("learned")
        save_page_model(tmp_path / "x.npz", model, {"name": "x"})
        loaded = load_page_model(tmp_path / "x.npz")
        features = computed(PAGE)
        probabilities = weigh(features, shipped_model("learned")).probabilities
        first = np.array(probabilities, np.float32)
        types = [PageOpinion(features, first, probabilities, of).type_probabilities() for of in (model, loaded)]
        assert types[0] == pytest.approx(types[1])

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"bias": np.zeros(3)}, r"types_bias has the shape \(3,\)"),
            ({"weights": np.zeros((2, 7))}, r"types_weights has the shape \(2, 7\)"),
            ({"center": np.full(INPUTS["types"], np.nan)}, "has no numbers as types_center"),
            ({"scale": np.zeros(INPUTS["types"])}, "has a scale below 0.01"),
        ],
    )
    def test_a_broken_one_is_an_error(self, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
        path = tmp_path / "x.npz"
        save_page_model(path, small_model(**changes), {})
        with pytest.raises(ModelError, match=message):
            load_page_model(path)

    def test_one_that_is_not_there_or_of_other_features(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "x.npz"
        monkeypatch.setattr("scrapy_justext.core.learned.model.features_digest", lambda: "other")
        save_page_model(path, small_model(), {})
        monkeypatch.undo()
        with pytest.raises(ModelError, match="train it again"):
            load_page_model(path)
        with pytest.raises(ModelError, match="cannot be read"):
            load_page_model(tmp_path / "none.npz")
