"""Text that another page of the crawl has said before: repeated blocks, repeated pages.

The rule is that of onion (Pomikálek, *Removing Boilerplate and Duplicate Content from Web Corpora*, 2011): a paragraph
repeats others if more than half of its n-grams were seen before, a page if more than half of its text does.

* :mod:`ngrams`: the texts of a page as numbers;
* :mod:`table`: which page held an n-gram first, in the process and in JOBDIR; :mod:`shared`: the same in Redis;
* :mod:`detection`: which blocks of a page are repeated, whether the page is, and which page was the first.
"""
