"""Good blocks as Markdown: valid CommonMark, with tables as GitHub has them.

* :mod:`runs`: the text of each good block, cut where links, emphasis or code begin and end;
* :mod:`inline`: runs to one line of Markdown, escaped;
* :mod:`links`: what stands in HREF and SRC to destinations;
* :mod:`positions`: the lists, quotes, tables and PREs that an element stands in;
* :mod:`tables`: the cells of a table, and whether it can be a table of Markdown;
* :mod:`document`: all of it together.

What Markdown cannot say is left out, never text: rendered back, the document has the text of the blocks.
"""
