cdef int _NONE

cdef void _divide(const int[::1] parts, const int[::1] wholes, double[::1] shares) except *
