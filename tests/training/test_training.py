"""Training: labels, folds, the gradient, and that the same pages give the same model."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from lxml.html import tostring

from scrapy_justext.core.learned.model import Model, load_model
from scrapy_justext.core.learned.pages import INPUTS, PAGE_TYPES, ROLES, load_page_model
from scrapy_justext.core.learned.second import KINDS, marker_bits, second_features
from scrapy_justext.crawl.sites import registered_domain
from scrapy_justext.evaluation.extractors.base import save_counts
from scrapy_justext.evaluation.extractors.names import TRAINED, find_extractor
from scrapy_justext.evaluation.measures import MEASURES
from scrapy_justext.exceptions import ExtractorError
from tests.builders import REPOSITORY, tree
from tests.core.learned.pages import COLUMNS, PROSE, computed, document
from training import published
from training.boosting import read_trees, train_trees
from training.harder import Sources, is_latin, rename, rewrite, splice
from training.labels import block_weights, parted, soft_labels, words_of
from training.made import KINDS as KINDS_OF_PAGES
from training.made import WEIGHT, made_page
from training.network import Batch, Recipe, _gradients, joined, make_model, new_weights, sigmoid
from training.pages import PageSample, fit, make_page_model, table_of_choice, tables
from training.roles import known_roles, some_of, weak_roles
from training.samples import FOLDS, Page, Sample, fold_of, make_sample, make_samples, read
from training.scoring import Score, best_limit, extractor_with, mean_by_group, score_page
from training.train import SEEDS, _is_for, main, save_folds
from training.validated import VARIABLE

pytestmark = pytest.mark.full

QUICK = Recipe(hidden=8, epochs=30, pages=4)
DOCUMENTS = [document(number) for number in range(12)]
PAGES = [Page("set", labelled) for labelled in DOCUMENTS]


@cache
def originals() -> list[Sample]:
    return [sample for sample in map(make_sample, PAGES) if sample is not None]


@cache
def quick_model(seed: int = 0) -> Model:
    return make_model(originals(), QUICK, (seed, seed + 1), name="quick")


def test_the_same_pages_give_the_same_model() -> None:
    first, second, other = quick_model(), quick_model.__wrapped__(), quick_model(5)
    assert all((first.arrays[name] == second.arrays[name]).all() for name in first.arrays)
    assert any((first.arrays[name] != other.arrays[name]).any() for name in first.arrays)


def test_a_model_learns_what_it_is_shown() -> None:
    # The paragraphs of made-up pages are much alike.
    extractor = extractor_with("learned", quick_model()).with_thresholds(drop_repeated=False)
    unseen = Page("set", document(50))
    scores = score_page(unseen, extractor, (0.5,), "bag")
    assert scores[0.5].f1 > 0.95
    assert best_limit([scores]) == 0.5


def test_labels_are_shares_of_the_gold_text_which_is_found_in_any_order_and_once() -> None:
    gold = words_of("to be or not to be that is the question")
    blocks = [words_of(text) for text in ("Home", "to be or not to be", "that is it", "")]
    assert soft_labels(blocks, gold).tolist() == pytest.approx([0, 1, 2 / 3, 0])
    first, second = words_of("one two three four five six seven"), words_of("a b c d e f g h i")
    assert soft_labels([second, first], [*first, *second]).tolist() == [1, 1]
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
    sample = make_sample(Page("set", replace(plain, html=html, gold=f"{plain.gold}\ndef f(a):\treturn a\n+ 1")))
    assert sample is not None
    is_code_or_table = sample.features.rows()[:, [COLUMNS["is_code"], COLUMNS["is_table"]]].any(axis=1)
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


def write_set(folder: Path) -> str:
    """Write the pages; the sixth one stands twice."""
    (folder / "html").mkdir(parents=True)
    lines = []
    for page in [*DOCUMENTS, replace(DOCUMENTS[5], id="again")]:
        (folder / "html" / f"{page.id}.html").write_bytes(page.html)
        gold = {"id": page.id, "url": page.url, "page_type": "article", "main_content": page.gold}
        lines.append(json.dumps(gold))
    (folder / "gold.jsonl").write_text("\n".join(lines))
    return f"wcxb:{folder}"


def run(*command: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run ``python -m`` with a module and its arguments."""
    words = [sys.executable, "-m", *map(str, command)]
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done


QUICKLY = ("--jobs", "1", "--one-pass", "--made", "6")


def test_the_command_validates_trains_and_writes_models(tmp_path: Path) -> None:
    given = ("0.35", "0.45")
    options: list[str | Path] = ["--out", tmp_path / "models", "--good", *given]
    done = run("training.train", write_set(tmp_path / "set"), *QUICKLY, *options)
    _, *parts = done.stdout.split("\n# ")
    assert [part.split()[0] for part in parts] == ["learned", "learned-article"]
    for number, part in enumerate(parts):
        assert "| set, article | 12 |" in part
        assert "| all | 12 |" in part
        validated = part.partition("good_probability ")[2].split()[0]
        assert validated not in given
        model = load_model(tmp_path / "models" / f"{part.split()[0]}.npz")
        assert model.good == float(given[number])
        # Those of articles alone come to the networks of all pages.
        assert model.networks == len(SEEDS) * (1 + number)


def test_one_command_makes_all_models(tmp_path: Path) -> None:
    out = tmp_path / "models"
    done = run("training", write_set(tmp_path / "set"), *QUICKLY, "--out", out)
    profiles = ["learned", "learned-article"]
    titles = [*profiles, *(f"page model of {profile}" for profile in profiles), "auto"]
    assert [part.split("\n")[0] for part in done.stdout.split("\n# ")[1:]] == titles
    rows = [row.split(" | ")[0] for row in done.stdout.splitlines()[-3:]]
    assert rows == ["| set", "| set, article", "| mean of the sets"]
    for profile in profiles:
        model, part = load_model(out / f"{profile}.npz"), done.stdout.partition(f"\n# {profile}\n")[2]
        assert (model.name, model.good) == (profile, float(part.partition("good_probability ")[2].split()[0]))
        assert load_page_model(out / f"{profile}-pages.npz").types.weights.any()


def test_page_models_need_those_of_the_folds(tmp_path: Path) -> None:
    done = run("training", f"wcxb:{tmp_path}", "--no-validation", status=2)
    assert "--no-validation makes no models of folds" in done.stderr


def test_pages_that_are_the_same_count_once(tmp_path: Path) -> None:
    spec = write_set(tmp_path / "set")
    assert len(read([spec, spec])) == len(DOCUMENTS)


def test_networks_of_two_models_are_averaged() -> None:
    model = quick_model()
    other = make_model(originals()[:6], QUICK, (3,), scaled_like=model)
    both = joined(model, other)
    features = originals()[0].features
    assert (other.arrays["scale"] == model.arrays["scale"]).all()
    odds = [np.log(p / (1 - p)) for p in (part.first_pass(features) for part in (model, other, both))]
    assert odds[2] == pytest.approx((2 * odds[0] + odds[1]) / 3, abs=1e-3)


class TestTables:
    def test_rows_are_sets_types_and_languages_where_a_set_has_many(self) -> None:
        groups = [("a", "a, forum", f"a, forum, {language}") for language in ("en", "zh", "zh", "ru")]
        groups += [("b", "b, article", "b, article, en")] * 5
        rows = [line.split(" | ")[0].strip("| ") for line in mean_by_group([Score(names, 1, 1, 1) for names in groups])]
        assert rows[2:] == ["a", "a, forum", "a, forum, zh", "b", "b, article", "all"]

    def test_a_set_may_have_no_english_pages(self) -> None:
        lines = mean_by_group([Score(("a", "a, article", "a, article, zh"), 1, 1, 1)] * 2)
        assert lines[4] == "| a, article, zh | 2 | 1.000 | 1.000 | 1.000 |"

    def test_in_writings_without_spaces_characters_are_words(self) -> None:
        assert words_of("Das 早晨的港口 ok") == ["das", *"早晨的港口", "ok"]
        assert words_of("아침의 항구") == ["아침의", "항구"]
        assert parted("In 春眠").split() == ["In", "春", "眠"]


def split(feature: int, border: float) -> dict[str, float]:
    return {"float_feature_index": feature, "border": border}


#: What CatBoost saves of three trees.
SAVED = {
    "oblivious_trees": [
        {"splits": [split(7, 0.5)], "leaf_values": [1, 2]},
        {"splits": [split(1, 3.0), split(2, 1e30)], "leaf_values": [1, 2, 3, 4]},
        {"splits": None, "leaf_values": [5]},
    ],
    "scale_and_bias": [2, [10]],
}


class TestTrees:
    def test_what_catboost_saves_is_read(self) -> None:
        trees = read_trees(SAVED)
        features = np.zeros((8, 3), np.float32)
        features[7, 1] = features[1, 2] = 9
        # Scaled by two, with the bias of ten.
        assert trees.log_odds(features).tolist() == [10 + 2 + 2 + 10, 10 + 4 + 2 + 10, 10 + 2 + 4 + 10]

    def test_they_learn_what_the_first_pass_did_not_find(self) -> None:
        pytest.importorskip("catboost")
        samples = originals()
        first = [np.full(sample.features.count, 0.5, np.float32) for sample in samples]
        trees = train_trees(samples[:-1], first[:-1])
        odds = trees.log_odds(second_features(samples[-1].features, first[-1]))
        assert ((odds > 0) == (samples[-1].labels > 0.5)).all()


class TestHarderCopies:
    SOURCES = Sources(
        ["I did not like it at all, said no one."],
        ["Eve: ten links"],
        ["Once there was a text."],
        ["Buy now, pay never."],
    )

    def test_copies_are_made_of_some_pages_with_the_same_labels(self) -> None:
        pages = [Page("set", document(number)) for number in range(60)]
        samples = make_samples(pages)
        copies = [sample for sample in samples if sample.is_copy]
        assert samples[: len(pages)] == [sample for sample in samples if not sample.is_copy]
        assert 5 < len(copies) < 40
        assert all(len(copy.labels) == len(copy.weights) == copy.features.count for copy in copies)
        assert {float(copy.labels.max()) for copy in copies} == {1.0}

    @pytest.mark.parametrize("seed", range(6))
    def test_what_is_spliced_in_is_no_content(self, seed: int) -> None:
        labelled = document(3)
        root = tree(labelled.text)
        has_comments = splice(root.findall(".//p"), self.SOURCES, Random(seed))
        html = tostring(root)
        assert has_comments == (self.SOURCES.posts[0].encode() in html)
        sample = make_sample(Page("set", replace(labelled, html=html)))
        plain = make_sample(Page("set", labelled))
        assert sample is not None
        assert plain is not None
        assert sample.features.count > plain.features.count
        assert (sample.labels > 0.9).sum() == (plain.labels > 0.9).sum()

    def test_comments_that_are_no_content_are_for_articles_alone(self) -> None:
        plain = originals()[0]
        copy = replace(plain, is_copy=True, has_comments=True)
        thread = replace(plain, page_type="forum")
        assert [sample for sample in (plain, copy, thread) if _is_for(None, sample)] == [plain, thread]
        assert [sample for sample in (plain, copy, thread) if _is_for("article", sample)] == [plain, copy]

    def test_names_are_away_or_made_up_the_same_for_the_same(self) -> None:
        found = set()
        for seed in range(8):
            root = tree("<p class='nav main'>a<p class=nav id=x>b<p>c")
            rename(root, Random(seed))
            first, second, _ = (p.get("class") for p in root.iter("p"))
            assert (first is None) == (second is None)
            if first is not None:
                assert first.split()[0] == second != "nav"
            found.add(first)
        assert len(found) > 4

    @pytest.mark.parametrize("seed", range(10))
    def test_rewritten_text_has_no_latin_letters_and_as_many_sentences(self, seed: int) -> None:
        labelled = document(1)
        root = tree(labelled.text)
        before = computed(labelled.text)
        rewrite(root, Random(seed))
        text = "".join(map(str, root.itertext()))
        assert not any("a" <= letter.lower() <= "z" for letter in text)
        after = computed(tostring(root, encoding="unicode"))
        ends, lengths = (COLUMNS[name] for name in ("ends", "units"))
        assert after.rows()[:, ends].tolist() == before.rows()[:, ends].tolist()
        assert after.rows()[:, lengths] == pytest.approx(before.rows()[:, lengths], rel=0.5, abs=12)

    def test_labels_are_of_the_new_language(self) -> None:
        root = tree("<p>Reply<p>Read more<p>Harbour")
        rewrite(root, Random(0))
        kinds = [[kind for n, kind in enumerate(KINDS) if marker_bits(p.text) >> n & 1] for p in root.iter("p")]
        assert "reply" in kinds[0]
        assert "more" in kinds[1]

    def test_latin_texts(self) -> None:
        assert is_latin("It’s a text in English letters, with a few others.")
        assert not is_latin("早晨的港口")


class TestMadePages:
    @pytest.mark.parametrize("number", range(2 * len(KINDS_OF_PAGES)))
    def test_what_is_content_is_found(self, number: int) -> None:
        sample = make_sample(Page("made", made_page(number)))
        assert sample is not None
        is_sure = (sample.labels > 0.9) | (sample.labels < 0.1)
        assert 0.1 < sample.labels.mean() < 0.9
        assert is_sure.mean() > 0.7
        assert made_page(number) == made_page(number)

    def test_they_are_no_pages_to_score(self) -> None:
        samples = make_samples([], made_pages=3)
        assert [(sample.data_set, sample.is_copy) for sample in samples] == [("made", True)] * 3
        assert all(sample.weights.sum() == pytest.approx(WEIGHT) for sample in samples)

    def test_their_blocks_have_roles(self) -> None:
        blocks = (("p", "So"), ("b", "Ann"), ("p", "Storm"))
        root = tree("<div data-role=comment><p>So<div data-role=byline><b>Ann</b></div></div><p>Storm")
        elements = [next(element for element in root.iter(tag) if element.text == text) for tag, text in blocks]
        assert known_roles(elements) == ["comment", "byline", "other"]


def test_names_and_words_tell_roles_of_labelled_pages() -> None:
    page = (
        f"<title>Harbour</title><ul class=menu><li><a href=/>Home</a></ul><h1>Harbour</h1><p>{PROSE * 2}"
        f"<div class=comments><p>{PROSE}</div><p class=byline>Ann Lee</p><p>© 2020, all rights reserved</p><p>Half"
    )
    features = computed(page)
    labels = np.array([0, 0, 1, 0, 0, 0, 0.5], np.float32)
    expected = ["navigation", "headline", "content", "comment", "byline", "legal", None]
    assert weak_roles(features, labels, "article") == expected
    assert weak_roles(features, labels, "forum")[2] == "post"


def test_few_blocks_of_a_role_are_taken_of_a_page() -> None:
    inputs = np.ones((9, INPUTS["roles"]), np.float32)
    rows, roles = some_of(inputs, ["content"] * 6 + ["legal", None, "legal"], "page")
    assert [ROLES[number] for number in roles] == ["content", "content", "legal", "legal"]
    assert len(rows) == 4


def test_the_command_for_published_methods(tmp_path: Path) -> None:
    spec = write_set(tmp_path / "set")
    # Pages that are the same count once.
    for folder, specs in (("first", [spec]), ("second", [spec, spec])):
        folders: list[str | Path] = ["--out", tmp_path / folder, "--folds", tmp_path / folder / "folds"]
        run("training.published", *specs, "--jobs", "1", *folders)
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
    monkeypatch.setattr(sys, "argv", ["train", "nothing:x", "--one-pass"])
    with pytest.raises(SystemExit, match="unknown kind of data set") as caught:
        main()
    assert isinstance(caught.value.code, str)  # which is printed, and exits with status 1


class TestValidatedExtractors:
    def test_each_page_is_judged_by_the_model_of_its_fold(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = quick_model()
        # Nothing is good in fold 0, all is in the others.
        never = replace(model, arrays={**model.arrays, "b3": np.full_like(model.arrays["b3"], -100)})
        save_folds(tmp_path, "learned", [never, *[model] * (FOLDS - 1)], [1.0, *[0.0] * (FOLDS - 1)])
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
        found = {(fold_of(labelled) == 0, not extractor(labelled, None)) for labelled in DOCUMENTS}
        assert found == {(True, True), (False, False)}
        for name in ("ncleaner", "ncleaner_nonlexical"):
            assert find_extractor(f"training.validated:{name}")(DOCUMENTS[0], None)

    def test_the_folder_must_be_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(VARIABLE, raising=False)
        with pytest.raises(ExtractorError, match="JUSTEXT_FOLDS is not set"):
            find_extractor("training.validated:learned_article")


# Models of pages.


def page_sample(number: int) -> PageSample:
    """A page of the first or second type, of which the first is told by one input; the second scores half."""
    is_second = number % 2
    inputs = np.random.default_rng(number).normal(scale=0.001, size=INPUTS["types"])
    inputs[5] = 3.0 * is_second
    probabilities = np.array([0.9, 0.5 if is_second else 0.1])
    good = np.array([True, bool(is_second)])
    blocks = (np.array([100.0, 100.0]), probabilities, good)
    # Blocks of the first two roles, which one input tells.
    of_blocks = np.zeros((2, INPUTS["roles"]), np.float32)
    of_blocks[1, 7] = 1
    name, roles = f"set {number % 3}", np.array([0, 1])
    return PageSample(
        name, PAGE_TYPES[is_second], number % 5, *blocks, inputs, False, 1 - is_second / 2, of_blocks, roles
    )


PAGE_SAMPLES = [page_sample(number) for number in range(60)]


def test_a_page_model_learns_what_it_is_shown() -> None:
    lines = tables(PAGE_SAMPLES)
    assert "| article | 30 | 1.00 | 1.00 |" in lines
    assert "| collection | 30 | 1.00 | 1.00 |" in lines
    assert "| comment | 60 | 1.00 | 1.00 | 0 | 0.00 | 0.00 |" in lines
    assert float(lines[-1].removeprefix("mean absolute error ")) < 0.1


def test_auto_is_scored_as_the_profile_that_it_chooses() -> None:
    by_articles = [sample._replace(f1=0.9 if sample.page_type == "article" else 0.1) for sample in PAGE_SAMPLES]
    general = [sample._replace(f1=0.5) for sample in PAGE_SAMPLES]
    lines = table_of_choice("auto", ["learned", "learned-article"], general, by_articles)
    assert lines[:2] == ["| pages | `auto` | `learned` | `learned-article` |", "| --- | --- | --- | --- |"]
    assert "| set 0 | 0.700 | 0.500 | 0.500 |" in lines
    assert "| set 0, article | 0.900 | 0.500 | 0.900 |" in lines
    assert lines[-1] == "| mean of the sets | 0.700 | 0.500 | 0.500 |"


def test_the_same_pages_give_the_same_page_model() -> None:
    first, second = make_page_model(PAGE_SAMPLES), make_page_model(PAGE_SAMPLES)
    assert (first.types.weights == second.types.weights).all()
    assert (first.f1.weights == second.f1.weights).all()
    assert (first.roles.weights == second.roles.weights).all()


def test_probabilities_are_as_frequent_as_they_say() -> None:
    inputs = np.zeros((10, 1))
    targets = np.array([[0.0, 1.0]] * 8 + [[1.0, 0.0]] * 2)
    assert fit(inputs, targets, 0.0).probabilities(inputs[0])[1] == pytest.approx(0.8, abs=0.02)
