"""The algorithm: trees in, values out.

Nothing here knows Scrapy, reads a file, asks the time or writes a log.
"""

__version__ = "0.1.0"
