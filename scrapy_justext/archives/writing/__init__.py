"""What becomes of rows: their formats, the output while it is unfinished, the journal, the summary."""
