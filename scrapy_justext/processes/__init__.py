"""Extraction in other processes than the crawl's: pages in, plain data out.

``tasks`` says what is done with a page, ``worker`` is what runs in a process, ``pool`` keeps the processes at work.
"""
