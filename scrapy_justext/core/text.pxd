cdef int SLICE
cdef unsigned long long _FIRST, _FACTOR, _LAST


cpdef tuple collapse_and_count(str text)


cdef class WordCounter:
    cdef unsigned long long last
    cdef unsigned long long[::1] numbers
    cdef unsigned long long next_number(self, unsigned long long number, unsigned long long character) noexcept
    cdef Py_ssize_t place(self, unsigned long long number) noexcept
    cpdef tuple count(self, str text)
