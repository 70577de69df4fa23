"""What the pages of a site have in common is no content: blocks that many of them hold are bad.

* :mod:`fingerprints`: the texts of a page as numbers.
* :mod:`verdicts`: which blocks are bad, from how many pages held each.
* :mod:`store`: what a memory must be able to do; :mod:`local` keeps it in the process, :mod:`files` on disk,
  :mod:`shared` in Redis.
* :mod:`looks`: the memory of one crawl.
* :mod:`waiting`: items that wait until more is known; :mod:`pipelines` sees to it that none is lost.
"""
