from scrapy_justext.core.reading.nodes cimport Nodes

cdef void _number(const int[::1] order, int[::1] numbers) except *
cdef _taken(const int[::1] column, object nodes)
cdef void _take(const int[::1] column, const int[::1] nodes, int[::1] taken) except *
cdef void _put_ends(const int[::1] parent, int[::1] ends) except *
