"""One browser for all tests of the folder."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.inspection.browser import started_browser


# Not for the whole session: while it runs there is an event loop, with which tests of crawls could not begin theirs.
@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    with started_browser() as started:
        yield started


@pytest.fixture(scope="module")
def tab(browser: Any) -> Iterator[Any]:
    """A page for one test after the other: to open one takes several times as long as to load another address."""
    page = browser.new_page()
    yield page
    page.close()
