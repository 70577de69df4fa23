cimport cython

cdef int _STRONG_END, _WEAK_END, _COMMA, _COLON, _BAR, _QUOTE, _COPYRIGHT, _QUESTION
cdef int _LETTER, _UPPER, _DIGIT, _SPACE, _MARK, _CURRENCY, _UNSPACED, _ENDLESS, _BEYOND
cdef double _UNITS_OF_WORD, _UNITS_OF_SENTENCE


cdef class TextMeasurer:
    cdef const float[::1] _units_of
    cdef const unsigned short[::1] _kinds_of
    cdef readonly int characters, commas, digits, upper, capitalised, letters, marks, bars, currencies, copyrights
    cdef readonly int questions
    cdef readonly double units, words, ends
    cdef readonly bint ends_sentence, ends_colon, begins_upper, begins_digit
    @cython.locals(units_of="const float[::1]", kinds_of="const unsigned short[::1]")
    cpdef void measure(self, str text) except *
