"""From a tree to the blocks of a page.

* :mod:`nodes`: the page as a struct of arrays, from lxml's tree;
* :mod:`flow`: its text in order, with what begins and ends in it, as the rules of a profile say;
* :mod:`cutting`: that text as blocks.

Modules that have a ``.pxd`` beside them are compiled as they are, where there is a C compiler.
"""
