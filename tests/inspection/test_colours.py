"""Texts and signs stand out from what is behind them, computed from the colours themselves."""

from __future__ import annotations

import re

import pytest

from scrapy_justext.inspection.view import frame_style, style

TEXTS = [
    *[("ink", behind) for behind in ("surface", "panel", "good-tint", "hit")],
    *[("surface", "ink"), ("muted", "surface"), ("muted", "panel"), ("accent", "surface"), ("accent", "good-tint")],
    *[(name, f"{name}-tint") for name in ("good", "near-good", "short", "bad")],
    ("good", "surface"),
]
#: Edges, outlines and bands.
SIGNS = [
    *[(name, behind) for name in ("good", "near-good", "short", "bad", "ink") for behind in ("surface", "panel")],
    *[(name, behind) for name in ("edge", "accent") for behind in ("surface", "panel")],
    ("accent", "good-tint"),
]

LIGHT, DARK = re.findall(r":root \{(.*?)\}", style(), re.DOTALL)[:2]
SCHEMES = {
    "light": dict(re.findall(r"--([\w-]+): (#\w{6});", LIGHT)),
    "dark": dict(re.findall(r"--([\w-]+): (#\w{6});", DARK)),
}


def luminance(colour: str) -> float:
    """Relative luminance as the WCAG define it."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(colour: str, other: str) -> float:
    light, dark = sorted([luminance(colour), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_is_the_most() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("text", "behind"), TEXTS, ids="-".join)
def test_texts_can_be_read(scheme: str, text: str, behind: str) -> None:
    assert contrast(SCHEMES[scheme][text], SCHEMES[scheme][behind]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("sign", "behind"), SIGNS, ids="-".join)
def test_signs_can_be_seen(scheme: str, sign: str, behind: str) -> None:
    assert contrast(SCHEMES[scheme][sign], SCHEMES[scheme][behind]) >= 3


def test_both_schemes_have_the_same_colours() -> None:
    assert SCHEMES["light"].keys() == SCHEMES["dark"].keys()
    assert not set(SCHEMES["light"].values()) & set(SCHEMES["dark"].values())


def test_every_colour_that_is_used_is_there_and_none_stands_elsewhere() -> None:
    for sheet in (style(), frame_style()):
        used = set(re.findall(r"var\(--([\w-]+)\)", sheet))
        assert used <= SCHEMES["light"].keys()
        assert re.findall(r"#[0-9a-f]{3,8}\b", sheet) == re.findall(r"#[0-9a-f]{6}\b", LIGHT + DARK)
