# cython: language_level=3
"""What other compiled modules take from :mod:`.features`."""


cdef class Rooms:
    cdef list rooms
    cdef char* room(self, Py_ssize_t size) except NULL


cdef Py_ssize_t numbers_in(const Py_ssize_t[::1] column, Py_ssize_t count) except -1
