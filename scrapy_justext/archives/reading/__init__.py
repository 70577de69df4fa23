"""Readers: a binary file, or a folder, to records in their order, from any place in it."""
