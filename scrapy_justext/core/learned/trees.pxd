cimport cython


@cython.final
cdef class _Asked:
    cdef Py_ssize_t rows, count, trees, levels
    cdef const short[::1] columns
    cdef const float[::1] borders, leaves, features
    cdef unsigned char[::1] found
    @cython.locals(features="const float[::1]", found="unsigned char[::1]", digit="unsigned char")
    cdef void _find(self) except *
    @cython.locals(leaves="const float[::1]", found="const unsigned char[::1]")
    cdef void _add_values(self, float[::1] result) except *
    @cython.locals(leaves="const float[::1]", found="const unsigned char[::1]")
    cdef void _add_weights(self, float[::1] result) except *
    cpdef object log_odds(self)
    cpdef object weights(self)
