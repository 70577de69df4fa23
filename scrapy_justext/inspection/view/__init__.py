"""A judged page as a browser shows it: what the report and the tuner share."""

from scrapy_justext.inspection.view.assets import FRAME_STYLE_SOURCE, script, source_of, style
from scrapy_justext.inspection.view.page import page_view

__all__ = ["FRAME_STYLE_SOURCE", "page_view", "script", "source_of", "style"]
