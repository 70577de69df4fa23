"""Rules of hidden elements that are added to the code, in one place, hold compiled and in Python, and are told of."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scrapy_justext.core.reading.loading import PURE
from tests.builders import REPOSITORY

TABLE = re.compile(r"^HIDING = \(", re.MULTILINE)
STORY = "It was the best of times, it was the worst of times, it was the age of wisdom. " * 5
PAGE = (
    f'<p>{STORY}<p data-ad>All of it is in our shop: {STORY}</p><input data-ad placeholder="Your address">'
    f"<p role=banner>This is our shop: {STORY}</p>"
)
#: Shows the page in all ways.
SHOWING = """
from tests.inspection.running import status_here
status_here("page.html", "--language=en")
for option in ("--blocks", "--html=-"):
    print("\\0", end="", flush=True)
    status_here("page.html", "--language=en", option)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hold a copy of the package with two rules more, and a page."""
    folder = tmp_path_factory.mktemp("hidden")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "scrapy_justext", folder / "scrapy_justext", ignore=ignored)
    (folder / "stoplists").symlink_to(REPOSITORY / "stoplists")
    rules = folder / "scrapy_justext" / "core" / "reading" / "rules.py"
    # The values of ROLE tell, of others, that no rule need look at them.
    is_banner = 'lambda nodes, node: nodes.attribute(node, "role") == "banner"'
    added = rf'\g<0>Hiding("data-ad", lambda nodes, node: True), Hiding("role", {is_banner}), '
    changed, count = TABLE.subn(added, rules.read_text("utf-8"))
    assert count == 1
    rules.write_text(changed, "utf-8")
    # Compiled, it would have the rules of before; those that are compiled beside it ask it by name.
    for compiled in (*rules.parent.glob("rules.*.so"), *rules.parent.glob("rules.*.pyd")):
        compiled.unlink()
    (folder / "page.html").write_text(PAGE, "utf-8")
    return folder


@pytest.mark.full
@pytest.mark.parametrize("pure", ["0", "1"])
def test_added_rules_of_hidden_elements_hold_everywhere(pure: str, folder: Path) -> None:
    variables = os.environ | {PURE: pure, "PYTHONPATH": str(REPOSITORY)}
    # The copy is in the folder, which is looked into first.
    command = [sys.executable, "-c", SHOWING]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=True)
    text, blocks, report = done.stdout.split("\0")
    assert text == f"{STORY.strip()}\n"
    assert "\nremoved: 2 hidden elements (" in blocks
    # The rendering shows controls, though they make no blocks, but no hidden ones.
    assert "<!DOCTYPE html>" in report
    assert "Your address" not in report
