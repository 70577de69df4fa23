"""The tuner: a local web page on which thresholds are turned, and blocks marked right or wrong."""

from scrapy_justext.inspection.tuner.server import serve

__all__ = ["serve"]
