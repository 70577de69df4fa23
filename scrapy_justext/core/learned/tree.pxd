cimport cython

from scrapy_justext.core.reading.nodes cimport Nodes

cdef list _READERS
cdef dict _TAG_BITS
cdef int _READ_CHARACTERS, IS_DESCRIBED


@cython.final
cdef class _Reader:
    cdef Nodes page
    cdef int count, _class
    cdef readonly int groups
    cdef int[::1] nodes, parents, ends, paths, depths, classes, alike, own, all
    cdef readonly list sets
    cdef dict _numbers, _inline
    cdef list _classes, _sets_of_classes, _unions
    @cython.locals(sizes="int[::1]", paths=dict, families=dict)
    cpdef void read(self) except *
    @cython.locals(name=str, value=str, css_class=str, classes=dict)
    cdef int _names(self, int node) except -1
    cdef int _number(self, object names) except -1
    @cython.locals(unions=dict)
    cdef int _union(self, int left, int right) except -1
    cdef int _inline_names(self, int node, int stop) except -1
