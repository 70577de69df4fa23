cimport cython

from scrapy_justext.core.reading.nodes cimport Nodes

cdef dict _READERS, _TAG_BITS
cdef int _READ_CHARACTERS


@cython.final
cdef class _Reader:
    cdef Nodes page
    cdef int count, _class
    cdef readonly int groups
    cdef int[::1] nodes, parents, ends, paths, depths, classes
    cdef readonly list own_names, all_names
    cdef dict _classes, _inline
    cdef list _class_names
    cpdef void read(self) except *
    cdef object _names(self, int node)
    cdef object _inline_names(self, int node, int stop)
