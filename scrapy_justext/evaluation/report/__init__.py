"""The report on a run, as Markdown and as one page of HTML.

The folders are the data's way: ``reading`` takes what a run has left on disk, ``figures`` makes values of it,
``charts`` draws some of them, ``output`` writes all down.
"""
