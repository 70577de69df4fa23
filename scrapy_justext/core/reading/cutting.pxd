cimport cython

from scrapy_justext.core.reading.flow cimport Flow


cdef int _ROWS, _NONE, MAY_BE_HIDDEN


@cython.final
cdef class BlockPlace:
    cdef readonly object here, rules
    cdef readonly str part
    cdef readonly list inside
    cdef readonly bint is_table, preformatted


cdef class _BlockCutter:
    cdef Flow flow
    cdef str codes
    cdef object blocks, tables
    cdef list collapsed, positions, places, formulas
    cdef int[::1] waiting, elements
    cdef BlockPlace place, run_place
    cdef int rows, depth, element, opened, links, texts, tags
    cdef Py_ssize_t begin, script
    cdef bint after_break, has_images
    cpdef object all_blocks(self)
    cpdef object read(self, object code)
    cdef Py_ssize_t _begin(self, Py_ssize_t i, Py_UCS4 token) except -1
    cdef Py_ssize_t _begin_part(self, Py_ssize_t i, str part) except -1
    cdef void _end(self, Py_ssize_t i) except *
    cdef Py_ssize_t _read_whole(self, Py_ssize_t i, str about) except -1
    cdef Py_ssize_t _read_text_of_code(self, Py_ssize_t begin, Py_ssize_t end) except -1
    cdef void _add_code(self, object code, str about, Py_ssize_t begin, Py_ssize_t end) except *
    cdef void _add_text(self, Py_ssize_t i) except *
    cdef void _add_space(self, Py_ssize_t i) except *
    cdef void _add_mark(self, Py_ssize_t i, Py_UCS4 token) except *
    cdef void _enter_select(self) except *
    cdef void _leave_select(self) except *
    cdef void _add_break(self, Py_ssize_t i) except *
    cdef void _add_formula(self, Py_ssize_t i, str formula) except *
    cdef void _finish(self, Py_ssize_t i) except *
    cdef void _add_run(self, Py_ssize_t i) except *
    cdef str _raw(self, Py_ssize_t end)
    cdef void _add(
        self, str collapsed, object position, int linked, int link_words, int tags, Py_ssize_t begin, Py_ssize_t end,
        object extras=*
    ) except *
    cdef void _add_image(self, Py_ssize_t i) except *


@cython.final
cdef class _ReferenceCutter(_BlockCutter):
    cdef bint in_link, is_broken
    cdef list nodes, parts
    cdef int linked, link_words
    cdef void _end_node(self) except *
