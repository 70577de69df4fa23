"""What the report says, as values: tables, distributions, comparisons."""
