cdef int _LAST_PLACE

cdef int _with_next(int place, int character) noexcept
