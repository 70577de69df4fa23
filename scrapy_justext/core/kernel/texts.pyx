# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True
"""Measure texts by their characters, one after the other.

It gives what :func:`scrapy_justext.core.learned.characters.measure_in_python` gives, by the same table of characters.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize


cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, void* data, Py_ssize_t index) nogil
    const char* SOURCE_DIGEST


#: SHA-256 of the source that this was compiled from.
DIGEST = SOURCE_DIGEST.decode()

cdef enum Row:
    UNITS, WORDS, ENDS, COMMAS, DIGITS, UPPER, CAPITALISED, LETTERS, MARKS, BARS, CURRENCIES, COPYRIGHTS, QUESTIONS
    ENDS_SENTENCE, ENDS_COLON, BEGINS_UPPER, BEGINS_DIGIT, CHARACTERS, ROWS


cdef class TextMeasurer:
    """Measures texts.

    ``units``, ``kinds``: by code point; the last entry is for all higher ones.
    ``bits``: by the name of a kind its bit.
    ``units_of_word``, ``units_of_sentence``: where a script has no words, or no sentence ends.
    """

    cdef const float[::1] units
    cdef const unsigned short[::1] kinds
    cdef double units_of_word, units_of_sentence
    cdef unsigned short strong_end, weak_end, comma, colon, bar, quote, copyright, question
    cdef unsigned short letter, upper, digit, space, mark, currency, unspaced, endless

    def __init__(
        self, const float[::1] units, const unsigned short[::1] kinds, dict bits, double units_of_word,
        double units_of_sentence,
    ):
        if len(units) != len(kinds):
            raise ValueError("tables of different lengths")
        self.units, self.kinds = units, kinds
        self.units_of_word, self.units_of_sentence = units_of_word, units_of_sentence
        self.strong_end, self.weak_end, self.comma = bits["strong_end"], bits["weak_end"], bits["comma"]
        self.colon, self.bar, self.quote = bits["colon"], bits["bar"], bits["quote"]
        self.copyright, self.question, self.letter = bits["copyright"], bits["question"], bits["letter"]
        self.upper, self.digit, self.space = bits["upper"], bits["digit"], bits["space"]
        self.mark, self.currency = bits["mark"], bits["currency"]
        self.unspaced, self.endless = bits["unspaced"], bits["endless"]

    def measure(self, list texts) -> bytes:
        """Return the measurements in the order of
        :class:`~scrapy_justext.core.learned.characters.TextMeasurements`: a row each, a column a text.
        """
        cdef Py_ssize_t count = len(texts), i
        cdef bytes made = PyBytes_FromStringAndSize(NULL, ROWS * count * sizeof(double))
        cdef double* columns = <double*> PyBytes_AS_STRING(made)
        cdef str text
        for i in range(count):
            text = texts[i]
            self.measure_one(text, columns + i, count)
        return made

    cdef inline Py_ssize_t place(self, Py_UCS4 character) noexcept:
        return min(<Py_ssize_t> character, self.units.shape[0] - 1)

    cdef int measure_one(self, str text, double* column, Py_ssize_t step) except -1:
        cdef int form = PyUnicode_KIND(text)
        cdef void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t size = len(text), i, at
        cdef Py_ssize_t words = 0, ends = 0, commas = 0, digits = 0, upper = 0, capitalised = 0, letters = 0, marks = 0
        cdef Py_ssize_t bars = 0, currencies = 0, copyrights = 0, questions = 0, endless = 0
        cdef double units = 0, unspaced_units = 0
        # The kinds of the character at hand, of the one before and the one behind; beside a text there is space.
        cdef unsigned short kind = self.space, before, behind, first = 0, last = 0
        # Whether the characters at hand, before and behind are ends of sentences; "..." is one end.
        cdef bint ends_behind, is_end = False, was_end = False
        if size:
            behind = first = self.kinds[self.place(PyUnicode_READ(form, data, 0))]
        for i in range(size):
            before = kind
            kind = behind
            units += self.units[self.place(PyUnicode_READ(form, data, i))]
            if i + 1 < size:
                behind = self.kinds[self.place(PyUnicode_READ(form, data, i + 1))]
            else:
                behind = self.space
            if kind == self.letter:
                letters += 1
                words += (before & self.space) != 0
                was_end, is_end = is_end, False
                continue
            was_end = is_end
            is_end = False
            if kind & self.unspaced:
                unspaced_units += self.units[self.place(PyUnicode_READ(form, data, i))]
            elif before & self.space and not kind & self.space:
                words += 1
            if kind & (self.strong_end | self.weak_end):
                is_end = self.may_end(kind, behind)
                if is_end and i + 1 < size and behind & (self.strong_end | self.weak_end):
                    ends_behind = (behind & self.strong_end) != 0
                    if not ends_behind and i + 2 < size:
                        ends_behind = self.may_end(behind, self.kinds[self.place(PyUnicode_READ(form, data, i + 2))])
                    is_end = not (ends_behind or i + 2 == size)
                ends += is_end
            if kind & self.upper:
                upper += 1
                capitalised += (before & self.space) != 0
            letters += (kind & self.letter) != 0
            digits += (kind & self.digit) != 0
            commas += (kind & self.comma) != 0
            marks += (kind & self.mark) != 0
            bars += (kind & self.bar) != 0
            currencies += (kind & self.currency) != 0
            copyrights += (kind & self.copyright) != 0
            questions += (kind & self.question) != 0
            endless += (kind & self.endless) != 0
        if size:
            last = kind
        column[UNITS * step] = units
        column[WORDS * step] = words + unspaced_units / self.units_of_word
        column[ENDS * step] = units / self.units_of_sentence if 2 * endless > letters else ends
        column[COMMAS * step] = commas
        column[DIGITS * step] = digits
        column[UPPER * step] = upper
        column[CAPITALISED * step] = capitalised
        column[LETTERS * step] = letters
        column[MARKS * step] = marks
        column[BARS * step] = bars
        column[CURRENCIES * step] = currencies
        column[COPYRIGHTS * step] = copyrights
        column[QUESTIONS * step] = questions
        column[ENDS_SENTENCE * step] = is_end or (last & self.quote and was_end)
        column[ENDS_COLON * step] = (last & self.colon) != 0
        column[BEGINS_UPPER * step] = (first & self.upper) != 0
        column[BEGINS_DIGIT * step] = (first & self.digit) != 0
        column[CHARACTERS * step] = size
        return 0

    cdef inline bint may_end(self, unsigned short kind, unsigned short behind) noexcept:
        """Return whether a character ends a sentence, whatever ends it behind."""
        return kind & self.strong_end or (kind & self.weak_end and behind & (self.space | self.quote))
