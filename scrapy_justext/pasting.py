"""Settings in the form in which people paste them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scrapy_justext.settings import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping


def custom_settings(values: Mapping[str, Any]) -> str:
    """What gives a spider these settings, which are named in lower case without the prefix.

    >>> print(custom_settings({"profile": "article", "length_low": 50}))
    custom_settings = {
        "JUSTEXT_PROFILE": "article",
        "JUSTEXT_LENGTH_LOW": 50,
    }
    """
    lines = (f'    "{PREFIX}{name.upper()}": {literal(value)},\n' for name, value in values.items())
    return f"custom_settings = {{\n{''.join(lines)}}}"


def literal(value: object) -> str:
    """A value as Python spells it, strings in double quotes.

    >>> literal(["de", "fr"]), literal(None), literal(0.3)
    ('["de", "fr"]', 'None', '0.3')
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return f"[{', '.join(map(literal, value))}]" if isinstance(value, list | tuple) else repr(value)
