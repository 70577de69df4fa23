"""What the pages of a site have in common is boilerplate: blocks that many of them hold are bad.

* :mod:`memory`: which blocks are bad, and which items wait until more is known of their site;
* :mod:`store`: the texts of a page as numbers, and how many pages of a site held each, in the process and on disk;
* :mod:`shared`: the same in Redis.
"""
