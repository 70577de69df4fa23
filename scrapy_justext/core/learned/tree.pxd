from scrapy_justext.core.reading.nodes cimport Nodes


cpdef tuple read_names(Nodes page, int node)


cdef class ElementColumns:
    cdef Nodes page
    cdef int[::1] nodes
    cdef readonly int count
    cdef readonly int[::1] parents, ends, paths, depths, classes, alike
    cdef readonly list own_names, all_names
    cdef dict _known
    cdef void _read(self) except *
    cdef object _inline_names(self, int node, int stop)
