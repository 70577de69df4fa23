cimport cython

from scrapy_justext.core.reading.nodes cimport Nodes


cdef class Flow:
    cdef readonly Nodes page
    cdef readonly object rules
    cdef readonly str codes
    cdef readonly int[::1] nodes
    cdef readonly list texts, elements
    cpdef str text(self, int i)
    cpdef int place(self, int i)


cdef class _Rows:
    cdef readonly object rules
    cdef readonly list starts, removed, keeps
    cdef readonly dict ends
    cdef int[::1] tests
    cdef int others, image, preformatted
    cdef str start_of(self, Nodes page, int node, int mode, bint is_formula)
    cdef str _removal(self, Nodes page, int node, int mode, str name, bint is_formula)
    cdef str _kind_of(self, Nodes page, int node, int mode, str name)


@cython.final
cdef class _Walk:
    cdef Nodes page
    cdef _Rows rows
    cdef dict formulas
    cdef bint removes_hidden, is_by_node
    cdef list starts, codes, texts, elements, ends, modes
    cdef int[::1] nodes
    cdef int count, around, end, mode
    cdef int _enter(self, int node) except -1
    cdef str _start(self, int node, int number)
    cdef void _open(self, int node, int number, str code) except *
    cdef void _leave(self) except *
    cdef void _add_tail(self, int node) except *
    cdef void _add_formulas(self, int node) except *
    cdef void _add(self, str code, int node, str text=*) except *
