"""Training: labels, folds, the gradient, and that the same pages give the same model."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from scrapy_justext.core.learned.model import Model, load_model
from scrapy_justext.crawl.sites import registered_domain
from scrapy_justext.evaluation.extractors.base import save_counts
from scrapy_justext.evaluation.extractors.names import TRAINED, find_extractor
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.exceptions import ExtractorError
from tests.builders import REPOSITORY
from tests.core.learned.pages import COLUMNS, document
from training import published
from training.labels import block_weights, soft_labels, words_of
from training.network import Batch, Recipe, _gradients, make_model, new_weights, sigmoid
from training.samples import FOLDS, fold_of, make_sample, make_samples
from training.scoring import best_limit, extractor_with, score_page
from training.train import main, save_folds
from training.validated import VARIABLE

if TYPE_CHECKING:
    from pathlib import Path

QUICK = Recipe(hidden=8, epochs=30, pages=4)
DOCUMENTS = [document(number) for number in range(12)]


@cache
def quick_model(seed: int = 0) -> Model:
    return make_model(make_samples(DOCUMENTS), QUICK, (seed, seed + 1), name="quick")


def test_the_same_pages_give_the_same_model() -> None:
    first, second, other = quick_model(), quick_model.__wrapped__(), quick_model(5)
    assert all((first.arrays[name] == second.arrays[name]).all() for name in first.arrays)
    assert any((first.arrays[name] != other.arrays[name]).any() for name in first.arrays)


def test_a_model_learns_what_it_is_shown() -> None:
    extractor = extractor_with("learned", quick_model())
    unseen = document(50)
    scores = score_page(unseen, extractor, (0.5,), "bag")
    assert scores[0.5].f1 > 0.95
    assert best_limit([scores]) == 0.5


def test_labels_are_shares_of_the_gold_text() -> None:
    gold = words_of("to be or not to be that is the question")
    blocks = [words_of(text) for text in ("Home", "to be or not to be", "that is it", "")]
    assert soft_labels(blocks, gold).tolist() == pytest.approx([0, 1, 2 / 3, 0])


def test_a_block_out_of_order_is_found_by_its_trigrams() -> None:
    first, second = words_of("one two three four five six seven"), words_of("a b c d e f g h i")
    assert soft_labels([second, first], [*first, *second]).tolist() == [1, 1]


def test_a_text_that_stands_twice_is_in_the_gold_text_once() -> None:
    text = words_of("one two three four five six seven")
    assert sorted(soft_labels([text, text], text).tolist()) == [0, 1]


@pytest.mark.parametrize("page", [
    "<pre class=python><span>def  f(a):</span>\n    return <b>a</b> + 1\n</pre>",
    "<pre class=hljs><span data-line=1>def f(a):</span><span data-line=2>    return a + 1</span></pre>",
    "<table><tr><th>def f<th>(a)<tr><td> return<td>a + 1</table>",
])  # fmt: skip
def test_code_and_tables_are_found_in_gold_texts_with_other_white_space(page: str) -> None:
    plain = document(2)
    html = plain.html.replace(b"</article>", page.encode() + b"</article>")
    sample = make_sample(replace(plain, html=html, gold=f"{plain.gold}\ndef f(a):\treturn a\n+ 1"))
    assert sample is not None
    is_code_or_table = sample.inputs[:, [COLUMNS["is_code"], COLUMNS["is_table"]]].any(axis=1)
    assert sample.labels[is_code_or_table].tolist() == [1]


def test_the_blocks_of_a_page_weigh_one_together() -> None:
    weights = block_weights(np.array([10.0, 400.0, 4000.0]))
    assert weights.sum() == pytest.approx(1)
    assert weights[0] < weights[1] == weights[2]


def test_a_site_is_in_one_fold() -> None:
    assert registered_domain("https://a.b.example.co.uk/x") == registered_domain("http://example.co.uk") != ""
    folds = [fold_of(labelled) for labelled in DOCUMENTS]
    assert set(folds) <= set(range(FOLDS))
    assert len(set(folds)) > 1


def test_gradients_are_the_slopes_of_the_loss() -> None:
    random = np.random.default_rng(3)
    x = random.standard_normal((5, 4)).astype(np.float32)
    y = random.random(5, dtype=np.float32)
    batch = Batch(x, y, np.full(5, 0.2, np.float32), np.array([0, 3]))
    weights = new_weights(4, 3, random)
    recipe = Recipe(hidden=3, dropout=0.0, input_dropout=0.0)
    gradients = _gradients(weights, batch, recipe, random)

    def loss() -> float:
        total = 0.0
        for rows in (slice(0, 3), slice(3, 5)):
            first = np.maximum(x[rows] @ weights["w1"] + weights["b1"], 0)
            page = first.mean(axis=0) @ weights["mean"] + first.max(axis=0) @ weights["most"] + weights["b2"]
            second = np.maximum(first @ weights["own"] + page, 0)
            p = sigmoid((second @ weights["w3"])[:, 0] + weights["b3"][0]).astype(np.float64)
            total -= float((batch.w[rows] * (y[rows] * np.log(p) + (1 - y[rows]) * np.log(1 - p))).sum())
        return total

    for name, gradient in gradients.items():
        position = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        step = 1e-2
        before = weights[name][position]
        weights[name][position] = before + step
        above = loss()
        weights[name][position] = before - step
        below = loss()
        weights[name][position] = before
        assert (above - below) / (2 * step) == pytest.approx(float(gradient[position]), rel=0.05, abs=1e-4), name


def write_set(folder: Path) -> None:
    (folder / "html").mkdir(parents=True)
    lines = []
    for labelled in DOCUMENTS:
        (folder / "html" / f"{labelled.id}.html").write_bytes(labelled.html)
        lines.append(
            f'{{"id": "{labelled.id}", "url": "{labelled.url}", "page_type": "article", "main_content": "'
            + labelled.gold.replace("\n", "\\n")
            + '"}'
        )
    (folder / "gold.jsonl").write_text("\n".join(lines))


@pytest.mark.parametrize("given", [None, "0.35"])
def test_the_command_validates_trains_and_writes_a_model(tmp_path: Path, given: str | None) -> None:
    write_set(tmp_path / "set")
    command = [sys.executable, "-m", "training.train", "--jobs", "1", "--out", str(tmp_path / "m.npz")]
    data = [f"wcxb:{tmp_path / 'set'}", *(["--good", given] if given else [])]
    done = subprocess.run([*command, *data], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "| all | 12 |" in done.stdout
    validated = done.stdout.partition("good_probability ")[2].split()[0]
    assert validated != given
    assert load_model(tmp_path / "m.npz").good == float(given or validated)


def test_the_command_for_published_methods(tmp_path: Path) -> None:
    write_set(tmp_path / "set")
    for folder in ("first", "second"):
        command = [sys.executable, "-m", "training.published", f"wcxb:{tmp_path / 'set'}", "--jobs", "1"]
        folders = ["--out", str(tmp_path / folder), "--folds", str(tmp_path / folder / "folds")]
        subprocess.run([*command, *folders], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    files = sorted(path.relative_to(tmp_path / "first") for path in (tmp_path / "first").rglob("*.xz"))
    assert len(files) == len(TRAINED) * (1 + FOLDS)
    for file in files:
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()
    unseen = document(50)
    for name, load in TRAINED.items():
        text = load(tmp_path / "first" / f"{name}.json.xz")(unseen.text)
        assert (MEASURES["bag"](unseen.gold, text).f1 or 0) > 0.8, name


def test_the_command_for_published_methods_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["published", f"wcxb:{tmp_path}", "--out", str(tmp_path / "models")])
    with pytest.raises(SystemExit, match="has no folder html"):
        published.main()
    assert not (tmp_path / "models").exists()


def test_features_that_were_met_seldom_are_left_out() -> None:
    counted = Counter({"a": 1, "b": 3}), Counter({"a": 2, "b": 0, "c": 2})
    assert published.kept_counts(counted, 3) == {"a": (1, 2), "b": (3, 0)}


def test_tokens_of_other_pages_than_articles_are_not_counted() -> None:
    labelled = DOCUMENTS[0]
    counts = [published.count_tokens(replace(labelled, page_type=kind)) for kind in ("article", None, "forum")]
    assert counts[0] == counts[1]
    assert counts[0][0][""] > 0
    assert counts[2] == (Counter(), Counter())


def test_the_command_says_what_is_wrong_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["train", "nothing:x"])
    with pytest.raises(SystemExit, match="unknown kind of data set") as caught:
        main()
    assert isinstance(caught.value.code, str)  # which is printed, and exits with status 1


class TestValidatedExtractors:
    def test_each_page_is_judged_by_the_model_of_its_fold(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = quick_model()
        # Nothing is good in fold 0, all is in the others.
        save_folds(tmp_path, "learned", [model] * FOLDS, [1.0, *[0.0] * (FOLDS - 1)])
        monkeypatch.setenv(VARIABLE, str(tmp_path))
        extractor = find_extractor("training.validated:learned")
        texts = dict.fromkeys(range(FOLDS), "")
        for labelled in DOCUMENTS:
            texts[fold_of(labelled)] += extractor(labelled, None)
        assert not texts[0]
        assert any(fold_of(labelled) == 0 for labelled in DOCUMENTS)
        assert any(texts.values())

    def test_published_methods_are_judged_by_the_models_of_the_other_folds(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for fold in range(FOLDS):
            # Every token of a page in fold 0 is probably no content; of all others, it is.
            save_counts(tmp_path / f"mss-fold-{fold}.json.xz", {"": (1, 3) if fold == 0 else (3, 1)})
            for name in ("ncleaner", "ncleaner-nonlexical"):
                save_counts(tmp_path / f"{name}-fold-{fold}.json.xz", {})
        monkeypatch.setenv(VARIABLE, str(tmp_path))
        extractor = find_extractor("training.validated:mss")
        assert {(fold_of(labelled) == 0, not extractor(labelled, None)) for labelled in DOCUMENTS} == {
            (True, True),
            (False, False),
        }
        for name in ("ncleaner", "ncleaner_nonlexical"):
            assert find_extractor(f"training.validated:{name}")(DOCUMENTS[0], None)

    def test_the_folder_must_be_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(VARIABLE, raising=False)
        with pytest.raises(ExtractorError, match="JUSTEXT_FOLDS is not set"):
            find_extractor("training.validated:learned_article")
