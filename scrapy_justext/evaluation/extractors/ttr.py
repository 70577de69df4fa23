"""The text-to-tag ratio of lines, and the lines that it takes for content: the extractor ``ttr``.

Source: Weninger and Hsu, "Text extraction from the web via text-to-tag ratio" (2008).  Scripts and comments are
stripped and empty lines dropped.  A line's ratio is the number of its ASCII characters outside tags, divided by the
number of its tags where it has any.  The ratios are smoothed; lines above the standard deviation of the smoothed
ratios are content.

Where the source leaves a choice:

* the radius of smoothing is :data:`RADIUS`; a line near an end is smoothed over the lines that there are;
* the standard deviation is the population's;
* white space at the ends of a line, which is indentation, does not count as characters; a character reference counts
  as it is written;
* a tag that goes over several lines belongs to the line that it starts in; ``<`` that starts no tag is text;
* style sheets stay: the source strips scripts and comments only.
"""

from __future__ import annotations

import re
from html import unescape
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from scrapy_justext import core
from scrapy_justext.evaluation.extractors.base import FunctionExtractor, digest_files

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Lines on each side that a line's ratio is averaged with.
RADIUS = 2

#: A script without its end goes to the end of the page, as it does in a browser; so does a comment.
_STRIPPED = re.compile(r"<script\b.*?(?:</script\s*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[a-z/!?][^<>]*>", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


def make_ttr() -> FunctionExtractor:
    """Return the extractor."""
    code = digest_files([Path(__file__)])
    return FunctionExtractor("ttr", core.__version__, lambda document, _: content_text(document.text), code)


def content_text(html: str) -> str:
    """Return the text of the lines that are content, those without text left out."""
    lines = split_lines(html)
    if not lines:
        return ""
    smoothed = smooth([ratio for _, ratio in lines], RADIUS)
    # Faster than statistics.pstdev, which computes with fractions.
    mean = fmean(smoothed)
    deviation = sqrt(fmean((ratio - mean) ** 2 for ratio in smoothed))
    return "\n".join(text for (text, _), ratio in zip(lines, smoothed, strict=True) if ratio > deviation and text)


def split_lines(html: str) -> list[tuple[str, float]]:
    r"""Return the text and the ratio of each line that is not empty, scripts and comments stripped.

    >>> split_lines("<p>Caf\u00e9, <b>bars</b>\n\n<br>")
    [('Café, bars', 3.0), ('', 0.0)]
    """
    stripped = _STRIPPED.sub("", html)
    joined = _TAG.sub(lambda tag: _LINE_END.sub(" ", tag[0]), stripped)
    return [_measure(line.strip()) for line in _LINE_END.split(joined) if line.strip()]


def _measure(line: str) -> tuple[str, float]:
    outside, tags = _TAG.subn("", line)
    characters = len(_NON_ASCII.sub("", outside))
    text = " ".join(unescape(_TAG.sub(" ", line)).split())
    return text, characters / max(tags, 1)


def smooth(values: Sequence[float], radius: int) -> list[float]:
    """Return the mean of each value and of those at most ``radius`` away from it.

    >>> smooth([0, 3, 6, 0], 1)
    [1.5, 3.0, 3.0, 3.0]
    """
    return [fmean(values[max(0, line - radius) : line + radius + 1]) for line in range(len(values))]
