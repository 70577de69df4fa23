cimport cython


@cython.final
cdef class _Asked:
    cdef Py_ssize_t rows, count, trees, levels
    cdef const short[::1] columns
    cdef const float[::1] borders, leaves, features
    cdef unsigned char[::1] found
    cdef void _find(self) except *
    cdef void _answer(
        self, const float[::1] features, Py_ssize_t row, float border, unsigned char[::1] found, Py_ssize_t at,
        int digit
    ) noexcept
    @cython.locals(leaves="const float[::1]", found="const unsigned char[::1]")
    cdef void _add_values(self, float[::1] result) except *
    @cython.locals(leaves="const float[::1]", found="const unsigned char[::1]")
    cdef void _add_weights(self, float[::1] result) except *
    cpdef object log_odds(self)
    cpdef object weights(self)
