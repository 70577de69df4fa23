"""Processes that do the work of crawls, archives and evaluations, and how far that work is."""
