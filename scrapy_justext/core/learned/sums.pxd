cimport cython

cdef unsigned long long _FACTOR, _ALL_BITS


@cython.final
cdef class Pairs:
    cdef unsigned long long last
    cdef int shift
    cdef unsigned long long[::1] keys
    cdef int[::1] numbers
    cdef int number(self, int left, int right, int new) except -1


cdef class Sums:
    cdef readonly double[::1] before, before_elements, inside, of_classes, of_paths
    @cython.locals(classes="const int[::1]", paths="const int[::1]", ends="const int[::1]")
    cdef void _add(self, const double[::1] weights, const int[::1] element, object columns) except *


@cython.locals(found="int[::1]")
cpdef object holders(const int[::1] parents, Sums blocks)
