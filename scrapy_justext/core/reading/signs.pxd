cdef int _WIDTH
cdef unsigned int _FACTOR, _LAST_PLACE
