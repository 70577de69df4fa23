cdef int _NONE

cdef void _divide(const int[::1] parts, const int[::1] wholes, double[::1] shares) except *
cdef void _copy(const int[::1] numbers, double[::1] to) except *
cdef void _copy_marks(const unsigned char[::1] marks, double[::1] to) except *
cdef void _compare(const double[::1] column, Py_UCS4 sign, double limit, unsigned char[::1] are_so) except *
cdef int _decide(unsigned char[::1] deciding, const unsigned char[::1] are_so, int rule) except -1
