from scrapy_justext.core.reading.nodes cimport Nodes

cdef dict _READERS, _TAG_BITS
cdef int _READ_CHARACTERS


cdef class ElementColumns:
    cdef Nodes page
    cdef int[::1] nodes
    cdef readonly int count, groups
    cdef readonly int[::1] parents, ends, paths, depths, classes, alike
    cdef readonly list own_names, all_names
    cdef dict _classes, _inline
    cdef list _class_names
    cdef int _class
    cdef void _read(self) except *
    cdef object _names(self, int node)
    cdef object _inline_names(self, int node, int stop)
