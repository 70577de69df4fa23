"""Take the pictures of the inspector that the documentation shows: ``python -m docs.screenshots``.

Needs playwright and Chromium (``pip install -e '.[dev]'``).  The pages are those of the demo site and of the gallery.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parent
IMAGES = DOCS / "images"
ARTICLE = DOCS.parent / "example_project" / "demo_site" / "pages" / "news" / "harbour-bridge.html"
COMMAND = [str(Path(sys.executable).with_name("scrapy")), "justext"]

#: The pages of the tuner, by the names that it shows; the first is looked at.
TUNED = ("forum.html", "article.html", "documentation.html", "japanese.html")
#: What is chosen there, and the block that is looked at.
CHOSEN = {"length_high": 60, "length_low": 20}
LOOKED_AT = "Cowl is up"


@contextmanager
def tab(browser: Any, scheme: str, width: int, height: int) -> Iterator[Any]:
    """Open a tab of a size, light or dark."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    yield context.new_page()
    context.close()


def save(page: Any, name: str) -> None:
    """Save what a tab shows, in as many colours as it takes: few."""
    with Image.open(BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").quantize(96, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)


def take_reports(browser: Any, folder: Path) -> None:
    """Take the report on an article: light on a wide screen, dark on a smaller one."""
    report = folder / "report.html"
    subprocess.run([*COMMAND, str(ARTICLE), "--html", str(report)], check=True, cwd=folder)
    for scheme, width, height in (("light", 1500, 860), ("dark", 1200, 800)):
        with tab(browser, scheme, width, height) as page:
            page.goto(report.as_uri())
            page.get_by_role("option").filter(has_text="For the first time since 2005").first.click()
            page.keyboard.press("Escape")
            save(page, f"report-{scheme}.png")


def take_tuner(browser: Any, folder: Path) -> None:
    """Take the tuner while two thresholds are tried on four pages, light and dark."""
    for name in TUNED:
        shutil.copy(DOCS / "gallery" / name, folder)
    serving = subprocess.Popen(
        [*COMMAND, *TUNED, "--serve"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert serving.stdout is not None
        address = next(match[0] for line in serving.stdout if (match := re.search(r"http://\S+", line)))
        for scheme in ("light", "dark"):
            with tab(browser, scheme, 1400, 900) as page:
                page.goto(address)
                for name, value in CHOSEN.items():
                    number = page.locator(f"#tn-of-{name}").locator("xpath=following-sibling::input[@type='number']")
                    number.fill(str(value))
                    number.press("Enter")
                    page.wait_for_timeout(500)
                page.get_by_role("option").filter(has_text=LOOKED_AT).first.click()
                page.wait_for_timeout(500)
                save(page, f"tuner-{scheme}.png")
    finally:
        serving.terminate()
        serving.wait()


def main() -> None:
    """Take them all."""
    with sync_playwright() as running, TemporaryDirectory() as folder:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take_reports(browser, Path(folder))
        take_tuner(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
