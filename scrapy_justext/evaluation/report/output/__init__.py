"""How the report is written down: Markdown with charts beside it, and HTML that holds all."""
