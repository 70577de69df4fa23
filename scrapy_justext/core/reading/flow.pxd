cimport cython

from scrapy_justext.core.reading.nodes cimport Nodes

cdef int BEHIND, HAS_TEXT, HAS_SPACE, HAS_UNSEEN, INSTRUCTION, IS_ADDRESSED, IS_BLANK, MAY_BE_HIDDEN
cdef int SET_ASIDE, _USUAL, _KEEPING, _IN_CODE
cdef Py_UCS4 _NONE


@cython.final
cdef class Flow:
    cdef readonly Nodes page
    cdef readonly object rules
    cdef readonly str codes
    cdef readonly int[::1] nodes
    cdef readonly dict own
    cdef object _elements
    cpdef str text(self, int i)
    cpdef object write(self, int i, bint is_linked)
    cpdef bint is_blank(self, int i)
    cpdef int text_flags(self, int i)
    cpdef int place(self, int i)
    cdef void _put_starts(self, int[::1] to) except *


@cython.final
cdef class _Rows:
    cdef readonly object rules
    cdef readonly str starts
    cdef readonly unsigned char[::1] ends
    cdef readonly list removed
    cdef int[::1] tests, keeps
    cdef int others, image, preformatted, link
    cdef bint kinds, images
    cdef Py_UCS4 start_of(self, Nodes page, int node, int mode, bint is_formula) except? 0
    cdef Py_UCS4 _removal(self, Nodes page, int node, int mode, str name, bint is_formula) except? 0
    cdef Py_UCS4 _kind_of(self, Nodes page, int node, int mode, str name) except? 0


@cython.final
cdef class _Walk:
    cdef Nodes page
    cdef _Rows rows
    cdef dict formulas
    cdef bint removes_hidden, is_by_node
    cdef str starts
    cdef dict own
    cdef unsigned char[::1] codes, open, modes
    cdef int[::1] nodes
    cdef int count, around, end, mode, depth
    cdef int _enter(self, int node) except -1
    cdef Py_UCS4 _start(self, int node, int number) except? 0
    cdef void _open(self, int node, int number, Py_UCS4 code) except *
    cdef void _leave(self) except *
    cdef void _add_tail(self, int node) except *
    cdef void _add_text(self, int node, int flags) except *
    cdef void _add_formulas(self, int node) except *
    cdef void _add_own(self, Py_UCS4 code, int node, str text) except *
    cdef void _add(self, Py_UCS4 code, int node) except *
    cdef void _put(self, unsigned char code, int node) except *


cdef bint _leads(dict table, str name, Nodes page, int node) except -1
cdef Py_UCS4 _start_of_link(Nodes page, int node, int mode) except? 0
cdef void _take_marks(const unsigned char[::1] by_node, const int[::1] nodes, const int[::1] elements, unsigned char[::1] marks) except *
