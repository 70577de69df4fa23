cimport cython


@cython.final
cdef class _Asked:
    cdef Py_ssize_t rows, count, trees, levels
    cdef const short[::1] columns
    cdef const float[::1] borders, leaves, features
    cdef int[::1] reached
    @cython.locals(features="const float[::1]", reached="int[::1]")
    cdef void _find(self) except *
    @cython.locals(leaves="const float[::1]", reached="const int[::1]", result="float[::1]")
    cpdef object log_odds(self)
    @cython.locals(leaves="const float[::1]", reached="const int[::1]", result="float[::1]")
    cpdef object weights(self)
