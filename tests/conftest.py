"""What all tests share: how hypothesis runs, processes that start quickly, and that Ctrl-C reaches what they start."""

import gc
import os
import re
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from scrapy_justext import workers
from tests import products

settings.register_profile(
    "quick", deadline=None, derandomize=True, max_examples=20, suppress_health_check=[HealthCheck.too_slow]
)
# ``--hypothesis-profile=steady`` and ``thorough`` try more.
settings.register_profile("steady", settings.get_profile("quick"), max_examples=40)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=100)
settings.load_profile("quick")


PACKAGE = Path(__file__).parents[1] / "scrapy_justext"


def pytest_sessionstart() -> None:
    """End a run whose compiled code is not that of the checkout."""
    sources = [(file, source) for file in PACKAGE.rglob("*.so") for source in _sources(file)]
    if old := sorted({source.name for file, source in sources if source.stat().st_mtime > file.stat().st_mtime}):
        pytest.exit(f"{', '.join(old)} changed since it was compiled: pip install -e . again", returncode=3)


def _sources(compiled: Path) -> list[Path]:
    """Return what a module was compiled of, also the types that it takes from others."""
    own = list(compiled.parent.glob(f"{compiled.name.partition('.')[0]}.p[yx]*"))
    text = "".join(source.read_text("utf-8") for source in own if source.suffix in (".pxd", ".pyx"))
    taken = re.findall(r"^from scrapy_justext\.(\S+) cimport", text, re.MULTILINE)
    return [*own, *(PACKAGE / f"{name.replace('.', '/')}.pxd" for name in taken)]


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the processes of pools forked off one that has loaded what they need."""
    # Not loaded by those who do without Scrapy.
    from tests import forked  # noqa: PLC0415

    # Before the pool's threads ask for it, several at a time.
    forked.address()
    monkeypatch.setattr(workers, "subprocess", forked.SUBPROCESS)


def pytest_configure(config: pytest.Config) -> None:
    """Collect no cases that the default run deselects: there are thousands.  Have processes keep the order of tests."""
    products.IS_WHOLE = config.option.markexpr != "not full"
    config.option.loadscopereorder = False


#: Modules whose few tests take long, in the full run, the longest first.
_LONG = ["test_docs_commands.py", "test_training.py", "test_run.py", "test_command.py", "test_benchmarks.py"]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with modules that take long, for which else all processes but one would wait, then with the largest."""
    counts = Counter(item.path for item in items)
    ranks = {name: rank - len(_LONG) for rank, name in enumerate(_LONG)}
    items.sort(key=lambda item: (ranks.get(item.path.name, 0), -counts[item.path]))


#: A module whose tests the default run leaves out, all of them.
_IS_FULL = re.compile(r"^pytestmark = .*pytest\.mark\.full\b", re.MULTILINE)
#: What a module has of which the default run leaves out some.
_HAS_FULL = re.compile(r"mark\.full\b|\b(?:in_part|in_turn|pairs_of)\(")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out modules of which no test is asked for: each process would import them."""
    asked = config.option.markexpr
    if collection_path.suffix != ".py":
        return None
    if not collection_path.name.startswith("test_"):
        # An example in a docstring has no mark.
        return asked == "full" or None
    text = collection_path.read_text("utf-8")
    is_left_out = _IS_FULL.search(text) if asked == "not full" else asked == "full" and not _HAS_FULL.search(text)
    return True if is_left_out else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without garbage collections; what tests are made of stays to the end, so none later is to look at it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the number of workers for ``-n auto``: one more than cores, since many tests wait for other processes."""
    return (os.cpu_count() or 1) + 1


# A shell without job control has its background jobs ignore SIGINT, and all that they start inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
