cimport cython

from scrapy_justext.core.markdown.inline cimport TextRun
from scrapy_justext.core.reading.flow cimport Flow


@cython.final
cdef class RunReader:
    cdef Flow flow
    cdef bint by_nodes, is_plain
    cdef readonly int read
    cdef Py_ssize_t at
    cdef list open, styles
    cdef str script
    cpdef list[TextRun] runs(self, Py_ssize_t begin, Py_ssize_t end)
    cdef void pass_by(self, Py_ssize_t i, Py_UCS4 code) except *
    cdef TextRun style(self, Py_ssize_t i)
    cdef list read_runs(self, Py_ssize_t begin, Py_ssize_t end)
    cdef void add_script(self, list[TextRun] runs, Py_ssize_t i, Py_UCS4 code) except *
    cdef TextRun part(self, Py_ssize_t i, Py_UCS4 code)
    cdef void add(self, list[TextRun] runs, list[str] texts) except *
