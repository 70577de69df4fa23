cimport cython

from scrapy_justext.core.learned.sums cimport Sums

cdef int _FAR, _NEAR, _LEVELS, _OF_MARKER, _OF_MARKERS, _OF_PAGE, _DATE_BIT, _BEGINS
cdef dict _PHRASES, _STRINGS, _LENGTHS
cdef frozenset _INSIDE
cdef double _PROBABLE


cdef int _kinds_in(str text) except -1
cdef int _strings_in(str text) except -1


@cython.final
cdef class _SecondPass:
    cdef int count, step, run_start, run_end, best
    cdef Sums blocks, all_units, all_good, all_first, margins
    cdef const int[::1] asked, element, ends, parents, depths, paths, classes, holders, markers, offsets, windows, sides
    cdef int[::1] heading, last, following, under, branches, joins, marked, marked_before, marked_next
    cdef const double[::1] first, units, good
    cdef const float[::1] level, is_prose, link_units
    cdef double[::1] improbable, section_good, section_units, section_links, section_blocks
    cdef double total, best_good, best_mean
    cdef float[::1] out
    cdef Py_ssize_t at
    cpdef void write(self) except *
    cdef inline void _put(self, double value) noexcept
    cdef void _survey(self) except *
    @cython.locals(before="const double[::1]")
    cdef void _find_best_run(self) except *
    @cython.locals(inside="const double[::1]")
    cdef void _find_best_element(self) except *
    cdef void _find_headings_above(self) except *
    cdef void _find_branches(self) except *
    cdef bint _is_in_best(self, int i) except -1
    cdef double[::1] _of_page(self)
    cdef void _put_elements(self, int i) except *
    cdef void _put_neighbours(self, int i) except *
    cdef void _put_span(self, int start, int end) except *
    cdef void _put_order(self, int i) except *
    cdef void _put_section(self, int i) except *
    cdef void _put_branch(self, int element) except *
    cdef void _put_best(self, int i) except *
    cdef void _put_page(self, const double[::1] of_page) except *
    @cython.locals(marked="int[::1]", before="int[::1]", following="int[::1]", out="float[::1]")
    cdef void _put_markers(self, int kind) except *
