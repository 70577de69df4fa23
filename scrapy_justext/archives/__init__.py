"""Whole archives cleaned: WARC, folders of HTML, JSON Lines and Parquet in, JSON Lines and Parquet out.

One process reads records (:mod:`.readers`, :mod:`.warc`) and hands chunks of them to others, which extract the pages
and encode their rows (:mod:`.work`).  It appends their results, in the order of the input, and notes how far it got
(:mod:`.output`), so that a run that was ended in any way can go on.  The output is the same, byte for byte, for any
number of processes and of interruptions.
"""
