"""Profiles: what sets one apart from another, and what is no profile."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_justext import extract
from scrapy_justext.core.profiles import PROFILES
from scrapy_justext.exceptions import UnknownNameError
from tests.builders import judging, letters, prose

GOOD = prose(201, stopwords=8)
BAD = prose(300, stopwords=0)


def classes(page: str | bytes, **options: Any) -> str:
    return letters([b.block_class for b in extract(page, **{"language": "English"} | options).blocks])


def test_the_heading_before_a_good_block_is_rescued_before_or_after_the_context() -> None:
    # Between BAD and NEAR_GOOD the pre-pass makes the heading the border of the good side ...
    page = f"<p>{BAD}</p><p>short</p><h2>Title</h2><p>{GOOD}</p>"
    assert classes(page) == "B B G G"
    # ... and 3.0 restores it later.
    assert classes(page, profile="justext-3.0") == "B B G G"


def test_the_pre_pass_is_off_in_justext_3() -> None:
    # Promoted, the heading makes the short block behind it good; restored, it does not.
    page = f"<p>{BAD}</p><h2>Title</h2><p>short</p><p>{GOOD}</p>"
    assert classes(page) == "B G G G"
    assert classes(page, profile="justext-3.0") == "B G B G"


def test_blocks_are_cut_at_the_elements_of_the_profile() -> None:
    page = "<section>A</section><section>B</section>"
    assert [b.text for b in extract(page, language="English").blocks] == ["A", "B"]
    assert [b.text for b in extract(page, language="English", profile="justext-3.0").blocks] == ["AB"]


@pytest.mark.parametrize("profile", PROFILES)
def test_the_result_names_its_profile(profile: str) -> None:
    assert extract("<p>x", language="English", profile=profile).profile in judging(profile)


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ("justext-3", "profile = 'justext-3': unknown profile; did you mean justext-3.0 or justext?"),
        ("Justext", "profile = 'Justext': unknown profile; did you mean justext"),
        (None, "profile = None: unknown profile; known are justext"),
        (["justext"], "profile = ['justext']: unknown profile; did you mean justext"),
    ],
    ids=str,
)
def test_an_unknown_profile_is_an_error(profile: Any, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        extract("<p>x", profile=profile)
    assert str(caught.value).startswith(message.rstrip("?"))
