"""Words that stand beside content in many languages: by what they tell of a block, a language's words and phrases.

:mod:`.second` looks for them in short blocks.  How they were found stands with them, in ``markers.txt``.
"""

from __future__ import annotations

from pathlib import Path

from scrapy_justext.core.text import read_sections

#: Words and phrases, separated by commas, in lower case.
MARKERS = {
    kind: dict(line.split(": ", 1) for line in lines)
    for kind, lines in read_sections(Path(__file__).with_suffix(".txt")).items()
}
