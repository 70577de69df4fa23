from scrapy_justext.core.reading.nodes cimport Nodes

cdef object _formulas(Nodes page, int node)
cdef bint _has_sign(str address) except -1
