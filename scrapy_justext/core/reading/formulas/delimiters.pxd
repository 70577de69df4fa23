from scrapy_justext.core.reading.flow cimport Flow


cdef int MAY_BE_TEX
cdef list _stretches(Flow flow)
cdef bint _ends_stretch(Py_UCS4 code) noexcept
