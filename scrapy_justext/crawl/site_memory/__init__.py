"""What the pages of a site have in common is boilerplate: blocks that many of them hold are bad.

* :mod:`fingerprints`: the texts of a page as numbers;
* :mod:`store`: what a memory must be able to do, and which blocks are repeated;
* :mod:`memory`: the memory of one crawl, in the process and on disk; :mod:`shared`: the same in Redis;
* :mod:`held_items`: items that wait until more is known of their site.
"""
