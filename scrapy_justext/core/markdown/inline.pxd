cimport cython


@cython.final
cdef class TextRun:
    cdef readonly str text, kind
    cdef public str destination
    cdef readonly bint is_bold, is_italic, is_code
    cdef readonly object image
    cpdef TextRun with_text(self, str text, str kind=*)
    cpdef TextRun leading_to(self, str destination)
    cpdef TextRun without_code(self, str text)
    cpdef bint is_plain(self)
    cpdef str written(self)


@cython.final
cdef class _LineWriter:
    cdef str line_break, kind
    cdef bint is_bold
    cdef list parts, texts
    cpdef str line(self, list[TextRun] runs)
    cdef void add_link(self, list[TextRun] runs, str destination) except *
    cdef void add_emphasised(self, list[TextRun] runs, str before, str after) except *
    cdef str signs_of(self, TextRun run)
    cdef void add_all(self, list[TextRun] runs) except *
    cdef void add(self, str text, str kind) except *
    cdef void end_part(self) except *


cdef tuple _without_gaps(list[TextRun] runs)
cdef bint _flanks(str before, list[TextRun] inner, str after) except -1
cdef str _edge(TextRun run, Py_ssize_t at)
cpdef list collapsed_runs(runs)
