"""Colours by what they are for, light and dark.

A chart is drawn in the light ones; in a page their places are taken by custom properties, so that a chart follows the
reader's choice.  Kinds are told apart by luminance and hatches, never by hue alone.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Shade(NamedTuple):
    """A colour in light and in dark surroundings; no two light ones are equal."""

    light: str
    dark: str


SHADES: Mapping[str, Shade] = MappingProxyType(
    {
        "surface": Shade("#ffffff", "#14181d"),
        "ink": Shade("#1c2128", "#e6ebf0"),
        "muted": Shade("#56606b", "#a3aeb9"),
        "grid": Shade("#d9dee3", "#333b44"),
        # From the loudest to the quietest: four steps of luminance, each with a hatch of its own.
        "step-1": Shade("#1f5a94", "#8fc1f2"),
        "step-2": Shade("#7fabd6", "#4d81b5"),
        "step-3": Shade("#c3d9ee", "#2c4a68"),
        "step-4": Shade("#eff5fb", "#1d2a37"),
        # A failure is no shade of the others.
        "failure": Shade("#3a3030", "#f0dcd6"),
    }
)

SURFACE = SHADES["surface"].light
INK = SHADES["ink"].light
MUTED = SHADES["muted"].light
GRID = SHADES["grid"].light
STEP_1 = SHADES["step-1"].light
STEP_2 = SHADES["step-2"].light
STEP_3 = SHADES["step-3"].light
STEP_4 = SHADES["step-4"].light
FAILURE = SHADES["failure"].light
