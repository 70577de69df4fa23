cimport cython

cdef int _NONE

@cython.locals(shares="double[::1]")
cdef object _shares(const int[::1] parts, const int[::1] wholes)
cdef void _compare(const double[::1] column, Py_UCS4 sign, double limit, unsigned char[::1] are_so) except *
cdef int _decide(unsigned char[::1] deciding, const unsigned char[::1] are_so, int rule) except -1
