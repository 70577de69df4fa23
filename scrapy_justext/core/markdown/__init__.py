"""Good blocks as Markdown, valid CommonMark with tables as GitHub has them, and as HTML.

:mod:`.pieces` finds the good blocks and their texts, :mod:`.structure` where a block stands.  Two writers make
documents of them: :mod:`.document` Markdown, with :mod:`.inline` for the text of a block and :mod:`.tables` for tables,
and :mod:`.html` HTML.  What they cannot say is left out, never text: rendered, a document has the text of the blocks.
"""
