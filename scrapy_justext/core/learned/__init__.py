"""Classify blocks without their context by a trained model.

Features of blocks (:mod:`.features`) go through a small network (:mod:`.model`), whose probabilities become decisions
with their reasons in words (:mod:`.classifier`).  It needs NumPy, so that only the profiles with a model import it.
"""
