# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True, cdivision=True
"""Measure texts by their characters, and compute the features of blocks that are numbers, one block after the other.

It gives what :func:`scrapy_justext.core.learned.characters.measure_in_python` and
:func:`scrapy_justext.core.learned.features.numbers_in_python` give, where it says what the numbers are.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memset


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

    cdef int measure_one(self, str text, double* column, Py_ssize_t step) except -1:
        cdef int form = PyUnicode_KIND(text)
        cdef void* data = PyUnicode_DATA(text)
        cdef Py_ssize_t size = len(text), i, at
        cdef Py_ssize_t words = 0, ends = 0, commas = 0, digits = 0, upper = 0, capitalised = 0, letters = 0, marks = 0
        cdef Py_ssize_t bars = 0, currencies = 0, copyrights = 0, questions = 0, endless = 0
        cdef double units = 0, unspaced_units = 0
        # The kinds of the character at hand, of the one before and the one behind; beside a text there is space.
        cdef unsigned short space = self.space, letter = self.letter, ends_sentence = self.strong_end | self.weak_end
        cdef unsigned short kind = space, before, behind, first = 0, last = 0
        # Whether the characters at hand, before and behind are ends of sentences; "..." is one end.
        cdef bint ends_behind, is_end = False, was_end = False
        cdef const float* units_of = &self.units[0]
        cdef const unsigned short* kinds_of = &self.kinds[0]
        # The last entries of the tables are for all higher characters.
        cdef Py_UCS4 last_entry = len(self.units) - 1, character, following = 0
        if size:
            following = min(PyUnicode_READ(form, data, 0), last_entry)
            behind = first = kinds_of[following]
        for i in range(size):
            character = following
            before = kind
            kind = behind
            units += units_of[character]
            if i + 1 < size:
                following = min(PyUnicode_READ(form, data, i + 1), last_entry)
                behind = kinds_of[following]
            else:
                behind = space
            if kind == letter:
                letters += 1
                words += (before & space) != 0
                was_end, is_end = is_end, False
                continue
            was_end = is_end
            is_end = False
            if kind & self.unspaced:
                unspaced_units += units_of[character]
            elif before & space and not kind & space:
                words += 1
            if kind == space:
                continue
            if kind & ends_sentence:
                is_end = self.may_end(kind, behind)
                if is_end and i + 1 < size and behind & ends_sentence:
                    ends_behind = (behind & self.strong_end) != 0
                    if not ends_behind and i + 2 < size:
                        ends_behind = self.may_end(
                            behind, kinds_of[min(PyUnicode_READ(form, data, i + 2), last_entry)]
                        )
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


cdef struct Sums:
    # Sums over some blocks; sentence-like blocks alone have units in prose.
    double units
    double blocks
    double links
    double prose
    double headings


cdef inline void add(Sums* to, const Sums* more) noexcept:
    to.units += more.units
    to.blocks += more.blocks
    to.links += more.links
    to.prose += more.prose
    to.headings += more.headings


cdef inline Sums between(const Sums* before, const Sums* at) noexcept:
    """Return the sums of what lies between two places, of which the sums before are known."""
    cdef Sums found
    found.units = max(at.units - before.units, 0)
    found.blocks = max(at.blocks - before.blocks, 0)
    found.links = max(at.links - before.links, 0)
    found.prose = max(at.prose - before.prose, 0)
    found.headings = max(at.headings - before.headings, 0)
    return found


cdef inline double links_in(const Sums* sums) noexcept:
    return sums.links / max(sums.units, 1)


cdef struct Block:
    Sums sums
    double link_density
    double ends
    Py_ssize_t element
    Py_ssize_t css_class
    Py_ssize_t parent
    Py_ssize_t level
    bint is_prose
    bint is_code
    bint is_table
    # The first block with its text, and how often that text stands on the page, there alone.
    Py_ssize_t first
    Py_ssize_t repeats
    # The last H1 and heading up to here; -1 for none.
    Py_ssize_t h1
    Py_ssize_t heading


cdef enum:
    # Features in each group.
    OF_BLOCK = 33
    OF_POSITION = 29
    OF_ELEMENT = 10
    OF_NEIGHBOUR = 8
    OF_WINDOW = 3


cdef struct Cells:
    # Where the next feature of a block is written: a row each, a column a block.
    float* next
    Py_ssize_t step


cdef inline void put(Cells* to, double value) noexcept:
    to.next[0] = <float> value
    to.next += to.step


cdef class FeatureComputer:
    """Computes the features of blocks that are numbers.

    ``constants``: by name those of :mod:`scrapy_justext.core.learned.features` and its table of features.
    """

    cdef TextMeasurer measurer
    cdef double prose_units, prose_link_density, never
    cdef Py_ssize_t rows, levels, shortest_title, longest_title
    cdef const Py_ssize_t[::1] offsets, windows
    cdef tuple code
    cdef str table

    def __init__(self, TextMeasurer measurer, dict constants):
        self.measurer = measurer
        self.rows, self.levels = constants["rows"], constants["levels"]
        self.prose_units, self.prose_link_density = constants["prose_units"], constants["prose_link_density"]
        self.never = constants["never"]
        self.offsets, self.windows = constants["offsets"], constants["windows"]
        self.code, self.table = constants["code"], constants["table"]
        self.shortest_title, self.longest_title = min(constants["title_part"]), max(constants["title_part"])
        # As many as are written.
        if self.rows != (
            OF_BLOCK + OF_POSITION + OF_ELEMENT * self.levels + OF_NEIGHBOUR * len(self.offsets)
            + OF_WINDOW * len(self.windows)
        ):
            raise ValueError(f"another table of features, of {self.rows} rows")

    def compute(self, segments, columns, str title) -> bytes:
        """Return the features of at least one block: floats, a row a feature, a column a block.

        ``columns``: the page's elements; ``title``: the page's, in lower case.
        """
        return Page(self, segments, columns, title).computed()


cdef class Rooms:
    """What has room for what is computed of a page."""

    def __cinit__(self):
        self.rooms = []

    cdef char* room(self, Py_ssize_t size) except NULL:
        """Return so many bytes, which are 0; they are there as long as this is."""
        cdef bytes made = PyBytes_FromStringAndSize(NULL, size)
        memset(PyBytes_AS_STRING(made), 0, size)
        self.rooms.append(made)
        return PyBytes_AS_STRING(made)


cdef class Page(Rooms):
    """The blocks of one page."""

    cdef FeatureComputer computer
    cdef Py_ssize_t count, h1s, first_prose, last_prose
    cdef str title
    cdef list texts
    cdef const int[::1] tags
    cdef const Py_ssize_t[::1] parents, ends, paths, alike, depths, classes
    cdef double* measured
    cdef Block* blocks
    # Of the blocks before each, and at the end of all; of those in elements before each, ...
    cdef Sums* before
    cdef Sums* before_elements
    # ... and of those in each element, class and path.
    cdef Sums* inside
    cdef Sums* of_classes
    cdef Sums* of_paths
    # By element: the next one around it that holds more blocks.
    cdef Py_ssize_t* around
    cdef double page_units, page_prose

    def __cinit__(self, FeatureComputer computer, segments, columns, str title):
        cdef Py_ssize_t elements
        cdef bytes measured
        self.computer, self.title = computer, title
        self.texts, self.tags = segments.collapsed, segments.tags_count
        self.parents, self.ends, self.paths = columns.parents, columns.ends, columns.paths
        self.alike, self.depths, self.classes = columns.alike, columns.depths, columns.classes
        self.count, elements = len(self.texts), len(self.parents)
        for column in (segments.position, segments.link_characters, segments.element, self.tags):
            if len(column) != self.count:
                raise ValueError("columns of different lengths")
        measured = computer.measurer.measure(self.texts)
        self.rooms.append(measured)
        self.measured = <double*> PyBytes_AS_STRING(measured)
        self.blocks = <Block*> self.room(self.count * sizeof(Block))
        self.before = <Sums*> self.room((self.count + 1) * sizeof(Sums))
        self.before_elements = <Sums*> self.room((elements + 1) * sizeof(Sums))
        self.inside = <Sums*> self.room(elements * sizeof(Sums))
        self.around = <Py_ssize_t*> self.room(elements * sizeof(Py_ssize_t))
        self.of_classes = <Sums*> self.room(numbers_in(self.classes, elements) * sizeof(Sums))
        self.of_paths = <Sums*> self.room(numbers_in(self.paths, elements) * sizeof(Sums))
        self.read_blocks(segments.position, segments.link_characters, segments.element)
        self.find_repeats()
        self.read_elements()

    cdef inline double text(self, Row row, Py_ssize_t i) noexcept:
        """Return a measurement of a block's text."""
        return self.measured[row * self.count + i]

    cdef int read_blocks(self, list positions, const int[::1] links, const int[::1] elements) except -1:
        cdef FeatureComputer computer = self.computer
        cdef Py_ssize_t i, level = 0, h1 = -1, heading = -1
        cdef bint is_code = False, is_table = False
        cdef Block* block
        cdef object position, last = None
        self.first_prose, self.last_prose = self.count, -1
        for i in range(self.count):
            position = positions[i]
            if position is not last:
                last, level = position, position.heading_level
                is_code, is_table = position.kind in computer.code, position.kind == computer.table
            block = self.blocks + i
            block.level, block.is_code, block.is_table = level, is_code, is_table
            block.element = elements[i]
            block.css_class, block.parent = self.classes[block.element], self.parents[block.element]
            block.ends = self.text(ENDS, i)
            block.link_density = min(links[i] / max(self.text(CHARACTERS, i), 1), 1)
            block.sums.units = self.text(UNITS, i)
            block.sums.blocks = 1
            block.sums.links = block.sums.units * block.link_density
            block.is_prose = (
                block.sums.units >= computer.prose_units and block.link_density < computer.prose_link_density
                and block.ends > 0 and not (is_code or is_table)
            )
            if block.is_prose:
                block.sums.prose = block.sums.units
                self.first_prose, self.last_prose = min(self.first_prose, i), i
            if level > 0:
                block.sums.headings = 1
                heading = i
            if level == 1:
                self.h1s += 1
                h1 = i
            block.h1, block.heading = h1, heading
            self.before[i + 1] = self.before[i]
            add(self.before + i + 1, &block.sums)
            add(self.before_elements + block.element + 1, &block.sums)
            add(self.of_classes + block.css_class, &block.sums)
            add(self.of_paths + self.paths[block.element], &block.sums)
        self.page_units = max(self.before[self.count].units, 1)
        self.page_prose = max(self.before[self.count].prose, 1)
        return 0

    cdef int find_repeats(self) except -1:
        cdef dict seen = {}
        cdef Py_ssize_t i
        for i in range(self.count):
            self.blocks[i].first = seen.setdefault(self.texts[i], i)
            self.blocks[self.blocks[i].first].repeats += 1
        return 0

    cdef int read_elements(self) except -1:
        """Sum over the blocks of each element; find the next one around it that holds more."""
        cdef Py_ssize_t number, parent, outermost, count = len(self.parents)
        for number in range(count):
            add(self.before_elements + number + 1, self.before_elements + number)
        for number in range(count):
            if not number < self.ends[number] <= count:
                raise ValueError("an element that ends nowhere")
            self.inside[number] = between(self.before_elements + number, self.before_elements + self.ends[number])
        for number in range(1, count):
            parent = self.parents[number]
            if not 0 <= parent < number:
                raise ValueError("an element before its parent")
            # Those between hold the same blocks.
            outermost = self.inside[parent].blocks > self.inside[number].blocks
            self.around[number] = parent if outermost else self.around[parent]
        return 0

    cdef bytes computed(self):
        cdef Py_ssize_t i, rows = self.computer.rows
        cdef bytes made = PyBytes_FromStringAndSize(NULL, rows * self.count * sizeof(float))
        cdef float* start = <float*> PyBytes_AS_STRING(made)
        cdef Cells cells
        cells.step = self.count
        for i in range(self.count):
            cells.next = start + i
            self.put_block(i, &cells)
            self.put_position(i, &cells)
            self.put_elements(i, &cells)
            self.put_neighbours(i, &cells)
        return made

    cdef int put_block(self, Py_ssize_t i, Cells* to) except -1:
        cdef Block* block = self.blocks + i
        cdef double units = max(self.text(UNITS, i), 1), words = max(self.text(WORDS, i), 1)
        cdef double characters = max(self.text(CHARACTERS, i), 1)
        put(to, self.text(UNITS, i))
        put(to, self.text(WORDS, i))
        put(to, block.link_density)
        put(to, block.sums.links)
        put(to, units / words)
        put(to, block.ends)
        put(to, 100 * block.ends / units)
        put(to, units / max(block.ends, 1))
        put(to, self.text(COMMAS, i))
        put(to, 100 * self.text(COMMAS, i) / units)
        put(to, self.text(DIGITS, i) / characters)
        put(to, self.text(UPPER, i) / characters)
        put(to, self.text(CAPITALISED, i) / words)
        put(to, self.text(LETTERS, i) / characters)
        put(to, self.text(MARKS, i) / characters)
        put(to, self.text(BARS, i))
        put(to, self.text(CURRENCIES, i))
        put(to, min(self.text(COPYRIGHTS, i), 1))
        put(to, self.text(QUESTIONS, i))
        put(to, self.text(ENDS_SENTENCE, i))
        put(to, self.text(ENDS_COLON, i))
        put(to, self.text(BEGINS_UPPER, i))
        put(to, self.text(BEGINS_DIGIT, i))
        put(to, self.tags[i])
        put(to, self.tags[i] / words)
        put(to, self.blocks[block.first].repeats)
        put(to, block.first < i)
        put(to, block.level)
        put(to, block.level > 0)
        put(to, self.is_in_title(self.texts[i]))
        put(to, block.is_prose)
        put(to, block.is_code)
        put(to, block.is_table)
        return 0

    cdef bint is_in_title(self, str text) except -1:
        # No text gets shorter in lower case.
        if not self.computer.shortest_title <= len(text) <= min(self.computer.longest_title, len(self.title)):
            return False
        return text.lower() in self.title

    cdef int put_position(self, Py_ssize_t i, Cells* to) except -1:
        cdef Block* block = self.blocks + i
        cdef Sums* before = self.before + i
        cdef Sums* page = self.before + self.count
        cdef Sums* alike = self.of_classes + block.css_class
        cdef Sums* same_path = self.of_paths + self.paths[block.element]
        cdef Py_ssize_t heading = max(block.heading, 0)
        put(to, i / <double> self.count)
        put(to, before.units / self.page_units)
        put(to, before.units)
        put(to, self.count)
        put(to, self.page_units)
        put(to, page.links / self.page_units)
        put(to, page.prose)
        put(to, page.prose / self.page_units)
        put(to, i - self.first_prose)
        put(to, self.last_prose - i)
        put(to, before.prose / self.page_prose)
        put(to, i < self.first_prose)
        put(to, i > self.last_prose)
        put(to, self.depths[block.element])
        put(to, i - block.h1 if block.h1 >= 0 else self.computer.never)
        put(to, block.h1 >= 0)
        put(to, self.h1s)
        put(to, i - block.heading if block.heading >= 0 else self.computer.never)
        put(to, self.blocks[heading].level)
        put(to, before.prose - self.before[heading].prose)
        put(to, alike.units)
        put(to, alike.blocks)
        put(to, links_in(alike))
        put(to, alike.prose / self.page_prose)
        put(to, same_path.blocks)
        put(to, same_path.units / self.page_units)
        put(to, links_in(same_path))
        put(to, same_path.prose / self.page_prose)
        put(to, same_path.units / same_path.blocks)
        return 0

    cdef int put_elements(self, Py_ssize_t i, Cells* to) except -1:
        """Put the features of the elements that a block stands in: each of them from the inside out."""
        cdef Py_ssize_t element = self.blocks[i].element, level, levels = self.computer.levels
        cdef Sums* inside
        cdef double units, start
        cdef Cells cells
        cells.step = to.step * levels
        for level in range(levels):
            inside = self.inside + element
            units, start = max(inside.units, 1), self.before_elements[element].units
            cells.next = to.next + level * to.step
            put(&cells, inside.units)
            put(&cells, inside.units / self.page_units)
            put(&cells, inside.links / units)
            put(&cells, inside.blocks)
            put(&cells, inside.prose / self.page_prose)
            put(&cells, inside.prose / units)
            put(&cells, inside.headings / max(inside.blocks, 1))
            put(&cells, self.alike[element])
            put(&cells, min(max((self.before[i].units - start) / units, 0), 1))
            put(&cells, start / self.page_units)
            element = self.around[element]
        to.next += OF_ELEMENT * cells.step
        return 0

    cdef int put_neighbours(self, Py_ssize_t i, Cells* to) except -1:
        """Put the features of single neighbours, each of them by offset, and of windows, each of them by size."""
        cdef Block* block = self.blocks + i
        cdef Block nothing
        cdef Block* beside
        cdef Cells cells
        cdef Py_ssize_t at, offset, size
        cdef Sums sums
        cdef bint is_there
        cells.step = to.step * len(self.computer.offsets)
        memset(&nothing, 0, sizeof(nothing))
        for at in range(len(self.computer.offsets)):
            offset = self.computer.offsets[at]
            is_there = 0 <= i + offset < self.count
            beside = block + offset if is_there else &nothing
            cells.next = to.next + at * to.step
            put(&cells, beside.sums.units)
            put(&cells, beside.link_density)
            put(&cells, beside.ends)
            put(&cells, is_there and beside.css_class == block.css_class)
            put(&cells, is_there and beside.parent == block.parent)
            put(&cells, beside.level > 0)
            put(&cells, beside.is_prose)
            put(&cells, beside.is_code or beside.is_table)
        to.next += OF_NEIGHBOUR * cells.step
        cells.step = to.step * len(self.computer.windows)
        for at in range(len(self.computer.windows)):
            size = self.computer.windows[at]
            sums = between(self.before + max(i - size, 0), self.before + min(i + size + 1, self.count))
            cells.next = to.next + at * to.step
            put(&cells, sums.prose / max(sums.units, 1))
            put(&cells, links_in(&sums))
            put(&cells, sums.units / (2 * size + 1))
        return 0


cdef Py_ssize_t numbers_in(const Py_ssize_t[::1] column, Py_ssize_t count) except -1:
    """Return how many numbers a column of so many values counts up to."""
    cdef Py_ssize_t i, most = 0
    if len(column) != count:
        raise ValueError("columns of different lengths")
    for i in range(count):
        if column[i] < 0:
            raise ValueError("a number below 0")
        most = max(most, column[i] + 1)
    return most


def renumbered(const Py_ssize_t[::1] numbers, const int[::1] places) -> tuple:
    """Return the different numbers at some places, and for each place which of these it is: columns as bytes."""
    cdef Py_ssize_t count = len(places), most = numbers_in(numbers, len(numbers)), different = 0, i, number
    cdef bytes known = PyBytes_FromStringAndSize(NULL, most * sizeof(Py_ssize_t))
    cdef bytes used = PyBytes_FromStringAndSize(NULL, min(most, count) * sizeof(Py_ssize_t))
    cdef bytes found = PyBytes_FromStringAndSize(NULL, count * sizeof(Py_ssize_t))
    cdef Py_ssize_t* of_number = <Py_ssize_t*> PyBytes_AS_STRING(known)
    for i in range(most):
        of_number[i] = -1
    for i in range(count):
        number = numbers[places[i]]
        if of_number[number] < 0:
            (<Py_ssize_t*> PyBytes_AS_STRING(used))[different] = number
            of_number[number] = different
            different += 1
        (<Py_ssize_t*> PyBytes_AS_STRING(found))[i] = of_number[number]
    return used[: different * sizeof(Py_ssize_t)], found
