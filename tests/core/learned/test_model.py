"""Model files: what is shipped, and what is refused."""

import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scrapy_justext import extract
from scrapy_justext.core.learned.classifier import weigh
from scrapy_justext.core.learned.model import FOLDER, SHAPES, features_digest, load_model, save_model, shipped_model
from scrapy_justext.core.learned.second import SECOND_FEATURES
from scrapy_justext.core.learned.table import FEATURES
from scrapy_justext.core.learned.trees import Trees
from scrapy_justext.exceptions import JustextError, ModelError
from tests.core.learned.pages import PAGE, computed

NAMES = ["learned", "learned-article"]


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_models_say_what_they_are(name: str) -> None:
    model = shipped_model(name)
    assert model.name == name
    assert model.version
    assert 0 < model.near_good <= model.good < 1


def test_the_shipped_models_take_less_than_a_megabyte() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.npz")) <= 1_000_000
    assert {path.stem for path in FOLDER.glob("*.npz")} == {*NAMES, *(f"{name}-pages" for name in NAMES)}
    assert len(features_digest()) == 64


def test_a_saved_model_judges_as_before(tmp_path: Path) -> None:
    model = shipped_model("learned")
    save_model(tmp_path / "m.npz", model, {"data": ["x"]})
    features = computed(PAGE)
    loaded = load_model(tmp_path / "m.npz")
    assert weigh(features, loaded).probabilities == weigh(features, model).probabilities
    assert replace(loaded, arrays={}, trees=None) == replace(model, arrays={}, trees=None)


def test_a_second_pass_is_saved_with_the_model(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    columns = random.integers(0, len(SECOND_FEATURES), (20, 6)).astype(np.int16)
    trees = Trees(columns, random.random((20, 6), np.float32), random.normal(size=(20, 64)).astype(np.float16))
    model = replace(shipped_model("learned"), trees=trees)
    save_model(tmp_path / "m.npz", model, {})
    loaded = load_model(tmp_path / "m.npz").trees
    assert loaded is not None
    assert (loaded.columns == columns).all()
    assert (loaded.leaves == trees.leaves).all()
    assert np.abs(loaded.borders - trees.borders).max() < 1e-6


def changed(tmp_path: Path, **changes: Any) -> Path:
    """The shipped model with other arrays, or another header."""
    with np.load(FOLDER / "learned.npz") as archive:
        arrays: dict[str, Any] = dict(archive)
    header = json.loads(arrays["header"].tobytes())
    header.update(changes.pop("header", {}))
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    arrays.update(changes)
    path = tmp_path / "changed.npz"
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


SIZES = {name: array.shape for name, array in shipped_model("learned").arrays.items()}

#: A file with two passes, whose trees are wrong.
TWO = {"format": 2, "second_features": sha256("\n".join(row.name for row in SECOND_FEATURES).encode()).hexdigest()}
TREES: dict[str, Any] = {
    "header": TWO,
    "tree_columns": np.zeros((2, 3)),
    "tree_borders": np.zeros((2, 3)),
    "tree_leaves": np.zeros((2, 8)),
}

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"header": {"format": 99}}, "has format 99, this version reads 1 and 2"),
    ({"header": {"features": "x"}}, "was made for other features than those of this version: train it again"),
    ({"header": {"format": 2, "second_features": "x"}},
     "was made for other features than those of this version: train it again"),
    ({"header": TWO, "tree_columns": None}, "has no numbers as tree_columns"),
    ({"header": {"good": 1.5}}, "good = 1.5 is no probability"),
    ({"header": {"good": "high"}}, "good = 'high' is no probability"),
    ({"header": {"good": 0.2, "near_good": 0.3}}, "near_good = 0.3 is above good = 0.2"),
    ({"w1": None}, "has no numbers as w1"),
    ({"b1": np.array(["x"])}, "has no numbers as b1"),
    ({"scale": np.full(3, np.nan)}, "has no numbers as scale"),
    ({"w1": np.zeros((3, 4, 64), np.float32)}, "w1 has the shape (3, 4, 64)"),
    ({"b2": np.zeros((3, 1), np.float32)}, "b2 has the shape (3, 1)"),
    ({"header": {"good": True}}, "good = True is no probability"),
    ({"header": {"format": True}}, "has format True, this version reads 1 and 2"),
    ({**TREES, "tree_columns": None}, "has no numbers as tree_columns"),
    ({**TREES, "tree_columns": np.zeros((2, 4))}, "tree_borders has the shape (2, 3)"),
    ({**TREES, "tree_columns": np.zeros(())}, "tree_columns has the shape ()"),
    ({**TREES, "tree_borders": np.zeros((3, 3))}, "tree_borders has the shape (3, 3)"),
    ({**TREES, "tree_leaves": np.zeros((2, 4))}, "tree_leaves has the shape (2, 4)"),
    ({**TREES, "tree_columns": np.zeros((2, 0)), "tree_borders": np.zeros((2, 0))},
     "tree_columns has the shape (2, 0)"),
    ({**TREES, "tree_columns": np.zeros((2, 9)), "tree_borders": np.zeros((2, 9))},
     "tree_columns has the shape (2, 9)"),
    ({**TREES, "tree_columns": np.full((2, 3), 40_000.0)}, "has trees that ask for features that are not there"),
    ({**TREES, "tree_columns": np.full((2, 3), -1.0)}, "has trees that ask for features that are not there"),
    ({**TREES, "tree_leaves": np.full((2, 8), np.inf)}, "has no numbers as tree_leaves"),
    ({"center": np.full(len(FEATURES), 1e300)}, "has numbers above 1e+06 as center"),
    ({"scale": np.zeros(len(FEATURES))}, "has a scale below 0.001"),
    ({"scale": np.full(len(FEATURES), -1.0)}, "has a scale below 0.001"),
    ({name: np.zeros([0 if letter == "s" else size for letter, size in zip(shape, SIZES[name], strict=False)]) for name,
     shape in SHAPES.items() if "s" in shape}, "has no networks"),
    ({name: np.zeros([0 if letter == "h" else size for letter, size in zip(shape, SIZES[name], strict=False)]) for name,
     shape in SHAPES.items() if "h" in shape}, "has no networks"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "problem"), WRONG, ids=[f"{', '.join(changes)}: {problem}" for changes, problem in WRONG]
)
def test_a_wrong_model_is_refused_with_its_file_and_what_is_wrong(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    path = changed(tmp_path, **changes)
    with pytest.raises(ModelError) as caught:
        load_model(path)
    assert str(caught.value) == f"the model {path} {problem}"
    assert isinstance(caught.value, JustextError)


def of_objects(path: Path) -> None:
    np.savez(path, header=np.array([object()], dtype=object))


#: Makes a file that is none of a model.
NO_ARCHIVES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_bytes(b"no archive"),
    "torn": lambda path: path.write_bytes(b"PK\x03\x04 torn"),
    "half of one": lambda path: path.write_bytes((FOLDER / "learned.npz").read_bytes()[:100_000]),
    "of objects": of_objects,
}


@pytest.mark.parametrize("make", NO_ARCHIVES.values(), ids=NO_ARCHIVES)
def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, make: Callable[[Path], object]) -> None:
    path = tmp_path / "m.npz"
    make(path)
    with pytest.raises(ModelError, match="cannot be read") as caught:
        load_model(path)
    assert caught.value.subject == path


def test_damage_anywhere_is_a_model_error(tmp_path: Path) -> None:
    whole = (FOLDER / "learned.npz").read_bytes()
    path = tmp_path / "m.npz"
    names = whole.rfind(b"PK\x01\x02")
    for position in [*range(0, len(whole), len(whole) // 40), *range(names, len(whole), 3)]:
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0xFF]) + whole[position + 1 :])
        with suppress(ModelError):
            weigh(computed(PAGE), load_model(path))
    np.save(tmp_path / "m.npy", np.zeros(3))
    with pytest.raises(ModelError, match="cannot be read"):
        load_model(tmp_path / "m.npy")


def test_memory_stays_small_beside_the_page() -> None:
    page = "<ul>" + "<li>a" * 20_000
    computed("<p>a")
    tracemalloc.start()
    extract(page, profile="learned", language="English")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000 * 6_000
