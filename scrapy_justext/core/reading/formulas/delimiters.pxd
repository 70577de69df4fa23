from scrapy_justext.core.reading.flow cimport Flow


cdef list _stretches(Flow flow)
cdef bint _ends_stretch(Py_UCS4 code) noexcept
