"""The report on a run, as Markdown and as one page of HTML.

The modules follow the data: ``results`` reads and compares what a run has measured, ``differences`` marks where texts
differ, ``tables`` and ``charts`` show the figures, ``output`` writes the two reports.
"""
