"""Good blocks as Markdown: valid CommonMark, with tables as GitHub has them.

:mod:`.pieces` finds the good blocks and their texts, :mod:`.structure` where a block stands, :mod:`.inline` writes its
text on one line, :mod:`.tables` writes tables, with :mod:`.html` where Markdown has no signs, and :mod:`.document` puts
all together.  What Markdown cannot say is left out, never text: rendered, the document has the text of the blocks.
"""
