cdef class Nodes:
    cdef readonly int count, root
    cdef readonly int[::1] tag, parent, end, flags, signs
    cdef readonly list names
    cdef public Nodes original
    cdef public object order
    cdef list _elements, _parts, _inside
    cdef dict _kept
    cdef dict _long
    cpdef str name(self, int node)
    cpdef str attribute(self, int node, str name)
    cpdef list items(self, int node)
    cpdef str text(self, int node)
    cpdef str tail(self, int node)
    cpdef object write(self, int node, bint is_linked)
    cpdef object write_text(self, str text, bint is_linked)
    cpdef tuple written(self)
    cpdef str comment(self, int node)
    cpdef object element(self, int node)
    cpdef int first(self, int node)
    cpdef int next(self, int node)
    cdef int _element_from(self, int node, int end)
    cpdef int node_before(self, int node)
    cpdef int previous(self, int node)
    cpdef list children(self, int node)
    cpdef str string(self, int node)
    cpdef list marked(self, int sign, bytes is_named, int flag=*)
    cdef object _own(self, int node)
