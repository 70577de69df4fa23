"""What is told of a page as a whole: its type, and the F1 to be expected."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from scrapy_justext import Extraction, Extractor, extract
from scrapy_justext.core.learned import pages
from scrapy_justext.core.learned.classifier import weigh
from scrapy_justext.core.learned.model import FOLDER, shipped_model
from scrapy_justext.core.learned.pages import (
    INPUTS,
    OUTPUTS,
    PAGE_TYPES,
    Logistic,
    PageModel,
    PageOpinion,
    load_page_model,
    save_page_model,
    shipped_page_model,
)
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.exceptions import ModelError
from tests.core.learned.pages import PAGE, computed

if TYPE_CHECKING:
    from pathlib import Path

LEARNED = [name for name, profile in PROFILES.items() if profile.models]
EVERY = pytest.mark.parametrize("profile", LEARNED)

TEXTS = [
    f"On day {n} the {name} came in with the tide, and the {name}'s crew told of the {n} storms that they had met. "
    f"Nobody on the quay believed the {name}, but all of them listened, since there were {n + 3} of them."
    for n, name in enumerate(("heron", "gannet", "plover", "curlew", "petrel", "puffin"))
]
ARTICLE = (
    "<title>Harbour</title><nav><a href=/>Home</a></nav><article class=post><h1>Harbour</h1>"
    f"<p class=byline>By Ann Lee</p>{''.join(f'<p>{text}' for text in TEXTS)}</article><footer>© x</footer>"
)
THREAD = "<title>Harbour - Forum</title><div class=thread><h1>Harbour</h1>" + "".join(
    f"<div class='post message' id=post{n}><div class=user><a class=username href=/u{n}>ann{n}</a> Posts: {n}</div>"
    f"<div class=postdate>May {n}, 2020</div><div class='message-body postbody'>{text}</div>"
    f"<div class=signature>Sailing since {n}</div><a class=reply href=#>Reply</a></div>"
    for n, text in enumerate(TEXTS)
)


@EVERY
def test_an_extraction_tells_type_and_confidence(profile: str) -> None:
    found = extract(ARTICLE, profile=profile, language="en")
    assert found.page_type == "article"
    assert found.page_type_probability is not None
    assert 1 / len(PAGE_TYPES) < found.page_type_probability <= 1
    assert found.confidence is not None
    assert 0.7 < found.confidence <= 1


def test_a_thread_is_none() -> None:
    assert extract(THREAD, profile="learned", language="en").page_type == "forum"


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
    look_at = pages.look_at

    def count(*arguments: Any) -> Any:
        looked.append(arguments)
        return look_at(*arguments)

    monkeypatch.setattr(pages, "look_at", count)
    assert found.text
    assert found.blocks[0].reason
    assert looked == []
    assert (found.page_type, found.confidence is None, found.page_type_probability is None) == ("article", False, False)
    assert len(looked) == 1


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
    whole = pages.look_at(features, probabilities)
    monkeypatch.setattr(pages, "_TOGETHER", 3)
    parts = pages.look_at(features, probabilities)
    assert np.allclose(whole[1], parts[1], atol=1e-5)


@pytest.mark.parametrize("good", [b"\0", b"\1"])
def test_the_expected_f1_of_one_block(good: bytes) -> None:
    features = computed("<p>Harbour")
    opinion = PageOpinion(features, [0.9], shipped_page_model("learned"))
    assert 0 <= opinion.confidence(good, has_data=False) <= 1
    assert sum(opinion.type_probabilities().values()) == pytest.approx(1)


@EVERY
def test_the_shipped_files_are_small(profile: str) -> None:
    assert (FOLDER / f"{PROFILES[profile].models[0]}-pages.npz").stat().st_size < 25_000


def small_model(**changes: Any) -> PageModel:
    parts = {
        part: Logistic(np.zeros(n), np.ones(n), np.zeros((n, OUTPUTS[part])), np.zeros(OUTPUTS[part]))
        for part, n in INPUTS.items()
    }
    return PageModel(parts["types"]._replace(**changes), parts["f1"])


class TestFiles:
    def test_a_file_gives_the_same_model(self, tmp_path: Path) -> None:
        model = shipped_page_model("learned")
        save_page_model(tmp_path / "x.npz", model, {"name": "x"})
        again = load_page_model(tmp_path / "x.npz")
        features = computed(PAGE)
        probabilities = weigh(features, shipped_model("learned")).probabilities
        types = [PageOpinion(features, probabilities, one).type_probabilities() for one in (model, again)]
        assert types[0] == pytest.approx(types[1])

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"bias": np.zeros(3)}, "has no 7 numbers as types_bias"),
            ({"weights": np.zeros((2, 7))}, f"has no {INPUTS['types']} x 7 numbers as types_weights"),
            ({"center": np.full(INPUTS["types"], np.nan)}, f"has no {INPUTS['types']} numbers as types_center"),
            ({"scale": np.zeros(INPUTS["types"])}, "has a scale below 0.01"),
        ],
    )
    def test_a_broken_one_is_an_error(self, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
        path = tmp_path / "x.npz"
        save_page_model(path, small_model(**changes), {})
        with pytest.raises(ModelError, match=message):
            load_page_model(path)

    def test_one_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="cannot be read"):
            load_page_model(tmp_path / "x.npz")

    def test_one_of_other_features(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "x.npz"
        monkeypatch.setattr("scrapy_justext.core.learned.model.features_digest", lambda: "other")
        save_page_model(path, small_model(), {})
        monkeypatch.undo()
        with pytest.raises(ModelError, match="train it again"):
            load_page_model(path)
