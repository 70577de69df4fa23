"""Whole archives cleaned: WARC, folders of HTML, JSON Lines and Parquet in, JSON Lines and Parquet out.

The parent process reads records (:mod:`.reading`) and hands chunks of them to processes that extract their pages and
encode the rows (:mod:`.work`); it appends what comes back, in the order of the input, and notes how far it got
(:mod:`.writing`), so that a run that was ended in any way can go on.  The output is the same, byte for byte, whatever
the number of processes and of interruptions.
"""
