cdef int _LAST_PLACE, _WIDTH
