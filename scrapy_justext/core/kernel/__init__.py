"""The compiled readers of pages, and what chooses between them and those in Python."""
