"""Extraction in other processes than the crawl's: pages in, plain data out.

``tasks`` says what is done with a page, ``worker`` is what runs in a process, ``feeders`` keep processes at work, and
``pool`` is what a crawl sees of them.
"""
