cimport cython

cdef unsigned long long _FIRST, _FACTOR, _LAST
cdef int _LAST_OF_ASCII, _BETWEEN_WORDS


@cython.final
cdef class WordCounter:
    cdef unsigned long long last
    cdef unsigned long long[::1] numbers
    cdef unsigned char[::1] small
    @cython.locals(characters="int[::1]", words="int[::1]", chosen="int[::1]")
    cpdef tuple measure(self, list[str] texts)
    cdef void _count(self, str text, bint is_small, Py_ssize_t i, int[::1] words, int[::1] chosen) except *
    cdef unsigned long long _number_of(self, str word) except? 0
    cdef Py_ssize_t _place(self, unsigned long long number) noexcept


cpdef tuple count_links(list texts, list inside)
