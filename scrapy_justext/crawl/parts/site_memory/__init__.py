"""What the pages of a site have in common is boilerplate: blocks that many of them hold are bad.

* :mod:`memory`: which blocks are bad, and the two looks at a page;
* :mod:`fingerprints`: the texts of a page as numbers;
* :mod:`store`: how many pages of a site held a block, in the process and on disk; :mod:`shared`: the same in Redis;
* :mod:`held_items`: items that wait until more is known of their site.
"""
