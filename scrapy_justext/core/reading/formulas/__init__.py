"""Formulas: each of a page once, as TeX, in whatever form the page has it.

:mod:`.elements` finds those that are elements, :mod:`.delimiters` those that are text, and :mod:`.mathml` writes MathML
as TeX, with the commands in :mod:`.tex`.
"""
