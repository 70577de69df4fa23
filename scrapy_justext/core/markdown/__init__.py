"""Good blocks as Markdown: valid CommonMark, with tables as GitHub has them.

:mod:`.structure` finds where a block stands, :mod:`.inline` writes its text on one line, and :mod:`.document` puts the
blocks together.  What Markdown cannot say is left out, never text: rendered, the document has the text of the blocks.
"""
