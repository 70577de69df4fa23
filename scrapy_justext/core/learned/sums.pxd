cimport cython


cdef class Sums:
    cdef readonly double[::1] before, before_elements, inside, of_classes, of_paths
    @cython.locals(classes="const int[::1]", paths="const int[::1]", ends="const int[::1]")
    cdef void _add(self, const double[::1] weights, const int[::1] element, object columns) except *


@cython.locals(around="int[::1]")
cpdef object holders(const int[::1] parents, Sums blocks)
