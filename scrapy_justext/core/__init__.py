"""The algorithm: trees in, values out.

Nothing here knows Scrapy, asks the time or writes a log.
"""

__version__ = "0.1.0"
