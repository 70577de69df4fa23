from scrapy_justext.core.learned.tree cimport ElementColumns


cdef class Sums:
    cdef readonly double[::1] before, before_elements, inside, of_classes, of_paths
    cdef void _add(self, const double[::1] weights, const int[::1] element, ElementColumns columns) except *


cdef void _find_holders(ElementColumns columns, Sums blocks, int[::1] found) except *
