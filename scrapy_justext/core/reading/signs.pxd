cdef int _LAST_PLACE
