cimport cython

cdef unsigned long long _FIRST, _FACTOR, _LAST


@cython.final
cdef class WordCounter:
    cdef int found, chosen
    cdef unsigned long long number, last
    cdef unsigned long long[::1] numbers
    cdef void _fill(self, list[str] texts, int[::1] characters, int[::1] words, int[::1] chosen) except *
    cdef void _count_in(self, str text) except *
    cdef void _end_word(self, unsigned long long number) noexcept
    cdef Py_ssize_t _place(self, unsigned long long number) noexcept
