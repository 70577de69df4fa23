"""How good an extractor is, on which pages, and where it fails: the optional extra ``[evaluation]``.

Nothing else in the package imports it.  ``python -m scrapy_justext.evaluation`` is its command line.
"""
