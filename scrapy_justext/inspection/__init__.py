"""What happened to a page: which block got which class, why, and what to change.

Nothing else in the package imports this folder.
"""
