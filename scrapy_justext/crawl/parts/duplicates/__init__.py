"""Text that another page of the crawl has said before: repeated blocks, repeated pages.

The rule is that of onion (Pomikálek, *Removing Boilerplate and Duplicate Content from Web Corpora*, 2011): a paragraph
repeats others if more than half of its n-grams were seen before, a page if more than half of its text does.

:mod:`.detection` finds them, by :mod:`~scrapy_justext.core.ngrams` of which :mod:`.table` keeps who held each first, or
in Redis :mod:`.shared`.
"""
