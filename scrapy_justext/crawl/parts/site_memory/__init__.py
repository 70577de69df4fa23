"""What the pages of a site have in common is boilerplate: blocks that many of them hold are bad.

* :mod:`memory`: the texts of a page as numbers, which blocks are bad, and which items wait until more is known;
* :mod:`store`: how many pages of a site held a block, in the process and on disk;
* :mod:`shared`: the same in Redis.
"""
