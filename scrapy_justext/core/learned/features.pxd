cimport cython

from scrapy_justext.core.learned.characters cimport TextMeasurer
from scrapy_justext.core.learned.sums cimport Sums

cdef int _OF_POSITION, _OF_ELEMENTS, _OF_NEIGHBOURS, _OF_WINDOWS, _PROSE_UNITS, _SHORTEST_IN_TITLE, _LONGEST_IN_TITLE
cdef double _PROSE_LINK_DENSITY, _NEVER


@cython.locals(chosen="int[::1]", rows="int[::1]")
cdef object _name_flags(const int[::1] element, const int[::1] names, object sets)


@cython.final
cdef class _MeasuredBlocks:
    cdef int count, h1s
    cdef object columns
    cdef str title
    cdef list texts, kinds
    cdef const int[::1] element, parents, paths, classes, depths, alike, tags, link_characters, level, offsets, windows
    cdef int[::1] first, repeats
    cdef bytearray is_code, is_table, is_prose
    cdef double[::1] link_density, units, ends, link_units, prose_units, is_heading
    cdef float[::1] out
    cdef Py_ssize_t at, step
    cdef TextMeasurer text
    cdef Sums blocks
    cdef const int[::1] holders
    cdef Sums all_units, links, prose, headings
    cdef double page_units, page_prose
    cpdef object numbers(self)
    cdef inline void _put(self, double value) noexcept
    cdef void _find_repeats(self) except *
    cdef void _put_block(self, int i) except *
    cdef bint _is_in_title(self, str text) except -1
    cdef void _put_position(self) except *
    cdef void _put_elements(self, int i) except *
    cdef void _put_neighbours(self, int i) except *
