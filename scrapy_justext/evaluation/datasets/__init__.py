"""Data sets of labelled pages, each read by a module of its own."""
