"""TEMPORARY."""

with_marks = None
