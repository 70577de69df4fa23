# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True, cdivision=True
"""Find words that stand beside content, compute what the second pass looks at, and ask its trees.

It gives what :func:`scrapy_justext.core.learned.second.read_markers`,
:func:`scrapy_justext.core.learned.second.features_in_python` and
:meth:`scrapy_justext.core.learned.trees.Trees.log_odds_in_python` give, where it says what the numbers are.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memcpy, memset

from scrapy_justext.core.kernel.features cimport Rooms, numbers_in


cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    bint PyUnicode_IS_ASCII(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, void* data, Py_ssize_t index) nogil
    bint Py_UNICODE_ISALNUM(Py_UCS4 character) nogil
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 character) nogil
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil
    const char* SOURCE_DIGEST


#: SHA-256 of the source that this was compiled from.
DIGEST = SOURCE_DIGEST.decode()

cdef enum:
    # The nodes that words and strings begin at; 0 stands for none.
    WORDS = 1
    STRINGS = 2
    # Blocks that trees are asked for together.
    TOGETHER = 256


cdef bytes zeros(Py_ssize_t size):
    cdef bytes made = PyBytes_FromStringAndSize(NULL, size)
    memset(PyBytes_AS_STRING(made), 0, size)
    return made


cdef struct Edge:
    # What a character leads to from a node.
    unsigned int node
    unsigned int character
    unsigned int to


cdef inline bint is_word(unsigned int character) noexcept:
    """Return whether a character belongs to a word, as regular expressions have it."""
    if character < 128:
        return c"a" <= character <= c"z" or c"0" <= character <= c"9" or character == c"_"
    return Py_UNICODE_ISALNUM(character)


cdef inline unsigned int hashed(unsigned int before, unsigned int character) noexcept:
    """Return the hash of a word that has one character more."""
    return (before + character) * 0x9E3779B1u


cdef enum:
    # A bit for each value that the first two bytes of the hash of a word may have.
    BYTES_OF_HASHES = 1 << 13
    # Characters that are read of a text: in lower case, they may be three times as many as it has.
    MOST_READ = 400
    # Spaces behind its end, as many as a date is looked for ahead.
    BEHIND = 6


cdef struct Text:
    # A text in lower case, and whether its characters belong to words.
    unsigned int[MOST_READ + BEHIND] at
    bint[MOST_READ + BEHIND] in_word
    Py_ssize_t size
    bint is_ascii


cdef int read_text(Text* to, str given) except -1:
    """Read a text."""
    cdef Py_ssize_t i
    cdef unsigned int character
    cdef int form
    cdef void* data
    to.is_ascii = PyUnicode_IS_ASCII(given)
    if not to.is_ascii:
        given = given.lower()
    to.size = len(given)
    if to.size > MOST_READ:
        raise ValueError("a long text")
    form, data = PyUnicode_KIND(given), PyUnicode_DATA(given)
    for i in range(to.size):
        character = PyUnicode_READ(form, data, i)
        if c"A" <= character <= c"Z":
            character |= 0x20
        to.at[i] = character
        to.in_word[i] = is_word(character)
    for i in range(to.size, to.size + BEHIND):
        to.at[i] = c" "
        to.in_word[i] = False
    return 0


cdef class MarkerReader:
    """Finds the markers in texts.

    ``phrases``: by word, or words with a space between them: their kinds as bits.
    ``strings``: the same of what is sought inside words, where there are characters from ``sought_inside`` on.
    ``date_bit``: the kind of dates; ``date_words``: what stands behind the number of a year or a month.
    ``longest``: how many characters a text may have.
    """

    # A tree of characters: its edges are found by node and character, in a table that is half empty.  It is large, so
    # that words are only looked for if one of their hash is there: a bit for each hash, and most words have none.
    cdef bytes edge_room, bit_room
    cdef unsigned char[BYTES_OF_HASHES] first_words
    cdef Edge* edges
    cdef unsigned int* bits
    cdef unsigned int mask, count
    cdef unsigned int sought_inside, date_bit
    cdef str date_words
    cdef Py_ssize_t longest

    def __init__(
        self, dict phrases, dict strings, str sought_inside, unsigned int date_bit, str date_words, Py_ssize_t longest
    ):
        cdef unsigned int hash_of
        cdef Py_ssize_t most = STRINGS + 1 + sum(map(len, phrases)) + sum(map(len, strings)), size = 1
        while size < 2 * most:
            size *= 2
        self.edge_room, self.bit_room = zeros(size * sizeof(Edge)), zeros(most * sizeof(unsigned int))
        self.edges = <Edge*> PyBytes_AS_STRING(self.edge_room)
        self.bits = <unsigned int*> PyBytes_AS_STRING(self.bit_room)
        self.mask, self.count = size - 1, STRINGS + 1
        self.sought_inside, self.date_bit = ord(sought_inside), date_bit
        self.date_words, self.longest = date_words, longest
        for first, table in ((WORDS, phrases), (STRINGS, strings)):
            for phrase, kinds in table.items():
                self.add(first, phrase, kinds)
        for phrase in phrases:
            hash_of = 0
            for character in phrase.partition(" ")[0]:
                hash_of = hashed(hash_of, ord(character))
            self.first_words[hash_of >> 19] |= 1 << (hash_of >> 16 & 7)

    cdef inline Edge* edge(self, unsigned int node, unsigned int character) noexcept:
        """Return where the edge from a node stands, or is to stand."""
        cdef unsigned int place = ((node * 0x9E3779B1u + character * 0x85EBCA6Bu) >> 7) & self.mask
        cdef Edge* found = self.edges + place
        while found.to and not (found.node == node and found.character == character):
            place = (place + 1) & self.mask
            found = self.edges + place
        return found

    cdef int add(self, unsigned int node, str phrase, unsigned int kinds) except -1:
        cdef Edge* edge
        cdef unsigned int character
        for character in map(ord, phrase):
            edge = self.edge(node, character)
            if not edge.to:
                edge.node, edge.character, edge.to = node, character, self.count
                self.count += 1
            node = edge.to
        self.bits[node] |= kinds
        return 0

    def read(self, list texts) -> bytes:
        """Return the kinds of markers in each text: unsigned integers, a bit a kind; those of long ones are 0."""
        cdef Py_ssize_t count = len(texts), i
        cdef bytes made = zeros(count * sizeof(unsigned int))
        cdef unsigned int* found = <unsigned int*> PyBytes_AS_STRING(made)
        cdef Text read
        cdef str text
        for i in range(count):
            text = texts[i]
            if len(text) <= self.longest:
                read_text(&read, text)
                found[i] = self.kinds_in(&read)
        return made

    cdef unsigned int kinds_in(self, const Text* text) noexcept:
        """Return the kinds of the markers in a text."""
        cdef Py_ssize_t i, start = 0
        cdef unsigned int kinds = 0, hash_of = 0
        cdef bint was_word = False, is_sought = False
        # The last word ends where the text does.
        for i in range(text.size + 1):
            if text.in_word[i]:
                if not was_word:
                    start, hash_of = i, 0
                hash_of = hashed(hash_of, text.at[i])
                if is_digit(text.at[i]) and not kinds & self.date_bit and self.is_date(text, i, was_word):
                    kinds |= self.date_bit
            elif was_word and self.first_words[hash_of >> 19] >> (hash_of >> 16 & 7) & 1:
                kinds |= self.phrases_at(text, start)
            was_word = text.in_word[i]
            is_sought |= text.at[i] >= self.sought_inside
        return kinds | self.strings_in(text) if is_sought else kinds

    cdef unsigned int phrases_at(self, const Text* text, Py_ssize_t i) noexcept:
        """Return the kinds of the word, and of the phrases, that begin at a place."""
        cdef unsigned int node = WORDS, kinds = 0
        while True:
            while text.in_word[i]:
                node = self.edge(node, text.at[i]).to
                if not node:
                    return kinds
                i += 1
            kinds |= self.bits[node]
            node = self.edge(node, c" ").to
            if not node:
                return kinds
            while i < text.size and not text.in_word[i]:
                i += 1

    cdef bint is_date(self, const Text* text, Py_ssize_t i, bint was_word) noexcept:
        """Return whether what begins with a digit looks like a date or a time."""
        cdef const unsigned int* at = text.at + i
        if at[1] == c":":
            return is_digit(at[2]) and is_digit(at[3])
        if is_date_mark(at[1]):
            # A number of one digit or two, between marks.
            return is_digit(at[2]) and (
                is_date_mark(at[3]) and is_digit(at[4])
                or is_digit(at[3]) and is_date_mark(at[4]) and is_digit(at[5])
            )
        if not text.is_ascii and self.is_date_word(at[2] if Py_UNICODE_ISSPACE(at[1]) else at[1]):
            return True
        # A year of two centuries.
        return (
            not was_word and (at[0] == c"1" and at[1] == c"9" or at[0] == c"2" and at[1] == c"0")
            and is_digit(at[2]) and is_digit(at[3]) and not text.in_word[i + 4]
        )

    cdef bint is_date_word(self, unsigned int character) noexcept:
        return <Py_UCS4> character in self.date_words

    cdef unsigned int strings_in(self, const Text* text) noexcept:
        """Return the kinds of the strings in a text: at each place of the longest, behind which the search goes on."""
        cdef Py_ssize_t start = 0, i, end
        cdef unsigned int kinds = 0, node, last
        while start < text.size:
            node, last, i, end = STRINGS, 0, start, start + 1
            while i < text.size:
                node = self.edge(node, text.at[i]).to
                if not node:
                    break
                i += 1
                if self.bits[node]:
                    last, end = self.bits[node], i
            kinds |= last
            start = end
        return kinds


cdef inline bint is_digit(unsigned int character) noexcept:
    return c"0" <= character <= c"9" or (character >= 128 and Py_UNICODE_ISDECIMAL(character))


cdef inline bint is_date_mark(unsigned int character) noexcept:
    return character == c"." or character == c"/" or character == c"-"


cdef struct Sums:
    # Sums over some blocks.
    double blocks
    double units
    # Units and 1 times the probability.
    double good
    double first
    # Units times how far the probability is above one half.
    double margin


cdef inline void add(Sums* to, const Sums* more) noexcept:
    to.blocks += more.blocks
    to.units += more.units
    to.good += more.good
    to.first += more.first
    to.margin += more.margin


cdef inline void subtract(Sums* to, const Sums* less) noexcept:
    to.blocks -= less.blocks
    to.units -= less.units
    to.good -= less.good
    to.first -= less.first
    to.margin -= less.margin


cdef inline double mean_of(const Sums* sums) noexcept:
    return sums.good / max(sums.units, 1)


cdef enum:
    # Features of each group.
    OF_ELEMENT = 3
    OF_GROUP = 2
    OF_ORDER = 6
    OF_SECTION = 3
    OF_BEST = 7
    OF_PAGE = 7
    OF_MARKER = 6


cdef class SecondComputer:
    """Computes the features of the second pass.

    ``constants``: by name those of :mod:`scrapy_justext.core.learned.second`, and where it finds what in the features
    of the first pass.
    """

    cdef Py_ssize_t rows, own_rows, levels, kinds, far, near, units, heading_level, is_prose
    cdef const Py_ssize_t[::1] offsets, windows, sides, taken

    def __init__(self, dict constants):
        self.own_rows, self.levels, self.kinds = constants["own_rows"], constants["levels"], constants["kinds"]
        self.far, self.near = constants["far"], constants["near"]
        self.units, self.heading_level = constants["units"], constants["heading_level"]
        self.is_prose = constants["is_sentence_like"]
        self.offsets, self.windows, self.sides = constants["offsets"], constants["windows"], constants["sides"]
        self.taken = constants["taken"]
        # Of the first pass there are so many.
        self.rows = 1 + max(*constants["taken"], self.units, self.heading_level, self.is_prose)
        if self.kinds > 8 * <Py_ssize_t> sizeof(unsigned int):
            raise ValueError("more kinds of markers than there are bits")
        # As many as are written.
        if self.own_rows != (
            1 + OF_ELEMENT * self.levels + 2 * OF_GROUP + len(self.offsets) + len(self.windows) + 2 * len(self.sides)
            + OF_ORDER + OF_SECTION + OF_BEST + OF_PAGE + OF_MARKER * self.kinds
        ):
            raise ValueError(f"another table of features, of {self.own_rows} rows")

    def compute(self, const float[:, ::1] numbers, const float[::1] first, columns, element, bytes markers) -> bytes:
        """Return the features of at least one block: floats, a row a feature, a column a block.

        ``numbers``: the features of the first pass; ``first``: its probabilities; ``columns``: the page's elements;
        ``element``: by block the number of its element; ``markers``: by block the kinds of its markers.
        """
        return SecondPage(self, numbers, first, columns, element, markers).computed()


cdef class SecondPage(Rooms):
    """The blocks of one page."""

    cdef SecondComputer computer
    cdef Py_ssize_t count
    cdef const float[:, ::1] numbers
    cdef const float[::1] first
    cdef const Py_ssize_t[::1] parents, ends, classes, paths, element
    cdef const unsigned int* markers
    # Of each block; of those before each, and at the end of all; ...
    cdef Sums* blocks
    cdef Sums* before
    # ... of those in elements before each, of those in each element, class, path and section.
    cdef Sums* before_elements
    cdef Sums* inside
    cdef Sums* of_classes
    cdef Sums* of_paths
    cdef Sums* of_sections
    # By element: the next one around it that holds more blocks.
    cdef Py_ssize_t* around
    # By block the last heading up to here, -1 for none; how many blocks before have a marker.
    cdef Py_ssize_t* headings
    cdef Py_ssize_t* marked_before
    cdef double good
    # The next row.
    cdef float* next

    def __cinit__(
        self, SecondComputer computer, const float[:, ::1] numbers, const float[::1] first, columns, element,
        bytes markers,
    ):
        cdef Py_ssize_t elements, i
        self.computer, self.numbers, self.first, self.element = computer, numbers, first, element
        self.parents, self.ends = columns.parents, columns.ends
        self.classes, self.paths = columns.classes, columns.paths
        self.count, elements = len(first), len(self.parents)
        if not self.count or numbers.shape[1] != self.count or len(self.element) != self.count:
            raise ValueError("columns of different lengths")
        if PyBytes_GET_SIZE(markers) != self.count * <Py_ssize_t> sizeof(unsigned int) or len(self.ends) != elements:
            raise ValueError("columns of different lengths")
        if numbers.shape[0] < computer.rows:
            raise ValueError("features that are not there")
        self.rooms.append(markers)
        self.markers = <const unsigned int*> PyBytes_AS_STRING(markers)
        self.blocks = <Sums*> self.room(self.count * sizeof(Sums))
        self.before = <Sums*> self.room((self.count + 1) * sizeof(Sums))
        self.of_sections = <Sums*> self.room(self.count * sizeof(Sums))
        self.headings = <Py_ssize_t*> self.room(self.count * sizeof(Py_ssize_t))
        self.marked_before = <Py_ssize_t*> self.room((self.count + 1) * sizeof(Py_ssize_t))
        self.before_elements = <Sums*> self.room((elements + 1) * sizeof(Sums))
        self.inside = <Sums*> self.room(elements * sizeof(Sums))
        self.around = <Py_ssize_t*> self.room(elements * sizeof(Py_ssize_t))
        self.of_classes = <Sums*> self.room(numbers_in(self.classes, elements) * sizeof(Sums))
        self.of_paths = <Sums*> self.room(numbers_in(self.paths, elements) * sizeof(Sums))
        self.read_blocks()
        self.read_elements()

    cdef int read_blocks(self) except -1:
        cdef Py_ssize_t i, element, heading = -1
        cdef Sums* block
        for i in range(self.count):
            block = self.blocks + i
            block.blocks = 1
            block.first = self.first[i]
            block.units = max(self.numbers[self.computer.units, i], 1)
            block.good = block.first * block.units
            block.margin = (block.first - 0.5) * block.units
            if self.numbers[self.computer.heading_level, i] > 0:
                heading = i
            self.headings[i] = heading
            element = self.element[i]
            self.before[i + 1] = self.before[i]
            add(self.before + i + 1, block)
            # Bounds are checked by what is read first.
            add(self.of_classes + self.classes[element], block)
            add(self.of_paths + self.paths[element], block)
            add(self.before_elements + element + 1, block)
            add(self.of_sections + max(heading, 0), block)
        self.good = max(self.before[self.count].good, 1)
        return 0

    cdef int read_elements(self) except -1:
        """Sum over the blocks of each element; find the next one around it that holds more."""
        cdef Py_ssize_t number, parent, count = len(self.parents)
        for number in range(count):
            add(self.before_elements + number + 1, self.before_elements + number)
        for number in range(count):
            if not number < self.ends[number] <= count:
                raise ValueError("an element that ends nowhere")
            self.inside[number] = self.before_elements[self.ends[number]]
            subtract(self.inside + number, self.before_elements + number)
        for number in range(1, count):
            parent = self.parents[number]
            if not 0 <= parent < number:
                raise ValueError("an element before its parent")
            # Those between hold the same blocks.
            self.around[number] = (
                parent if self.inside[parent].blocks > self.inside[number].blocks else self.around[parent]
            )
        return 0

    cdef bytes computed(self):
        cdef Py_ssize_t i, row
        cdef bytes made = PyBytes_FromStringAndSize(
            NULL, (self.computer.own_rows + len(self.computer.taken)) * self.count * sizeof(float)
        )
        self.next = <float*> PyBytes_AS_STRING(made)
        self.put_neighbour(0)
        self.put_elements()
        self.put_group(self.of_classes, self.classes)
        self.put_group(self.of_paths, self.paths)
        for i in range(len(self.computer.offsets)):
            self.put_neighbour(self.computer.offsets[i])
        for i in range(len(self.computer.windows)):
            self.put_span(-self.computer.windows[i], self.computer.windows[i])
        for i in range(len(self.computer.sides)):
            self.put_span(-self.computer.sides[i], -1)
            self.put_span(1, self.computer.sides[i])
        self.put_order()
        self.put_section()
        self.put_best()
        self.put_page()
        for i in range(self.computer.kinds):
            self.put_marker(i)
        for i in range(len(self.computer.taken)):
            row = self.computer.taken[i]
            memcpy(self.row(), &self.numbers[row, 0], self.count * sizeof(float))
        return made

    cdef inline float* row(self) noexcept:
        """Return the next row."""
        cdef float* row = self.next
        self.next += self.count
        return row

    cdef void put_all(self, double value) noexcept:
        """Put a feature that all blocks share."""
        cdef float* row = self.row()
        cdef Py_ssize_t i
        for i in range(self.count):
            row[i] = <float> value

    cdef void put_elements(self) noexcept:
        """Put the features of the elements that a block stands in, those of each feature from the inside out."""
        cdef Py_ssize_t i, level, element, levels = self.computer.levels
        cdef float* rows = self.next
        cdef Sums* inside
        self.next += OF_ELEMENT * levels * self.count
        for i in range(self.count):
            element = self.element[i]
            for level in range(levels):
                inside = self.inside + element
                rows[level * self.count + i] = <float> mean_of(inside)
                rows[(levels + level) * self.count + i] = <float> (inside.first / max(inside.blocks, 1))
                rows[(2 * levels + level) * self.count + i] = <float> (inside.good / self.good)
                element = self.around[element]

    cdef int put_group(self, const Sums* sums, const Py_ssize_t[::1] groups) except -1:
        """Put the features of the blocks of a class, or of a path."""
        cdef float* mean = self.row()
        cdef float* share = self.row()
        cdef const Sums* group
        cdef Py_ssize_t i
        for i in range(self.count):
            group = sums + groups[self.element[i]]
            mean[i] = <float> mean_of(group)
            share[i] = <float> (group.good / self.good)
        return 0

    cdef int put_neighbour(self, Py_ssize_t offset) except -1:
        """Put the probability of the block so far ahead; 0 outside the page."""
        cdef float* row = self.row()
        cdef Py_ssize_t i
        for i in range(self.count):
            row[i] = self.first[i + offset] if 0 <= i + offset < self.count else 0
        return 0

    cdef void put_span(self, Py_ssize_t start, Py_ssize_t end) noexcept:
        """Put the mean of the blocks from ``start`` to ``end``, counted from each."""
        cdef float* row = self.row()
        cdef Py_ssize_t i
        cdef Sums* low
        cdef Sums* high
        for i in range(self.count):
            low = self.before + min(max(i + start, 0), self.count)
            high = self.before + min(max(i + end + 1, 0), self.count)
            row[i] = <float> ((high.good - low.good) / max(high.units - low.units, 1))

    cdef int put_order(self) except -1:
        """Put the features of what comes before and ahead."""
        cdef Py_ssize_t i, last = -self.computer.far - 1, following = self.count + self.computer.far
        cdef double until, sum_of_improbable = 0, all_good = self.before[self.count].good
        cdef double* improbable = <double*> self.room(self.count * sizeof(double))
        cdef float* good_before = self.row()
        cdef float* good_after = self.row()
        cdef float* from_good = self.row()
        cdef float* to_good = self.row()
        cdef float* gap_before = self.row()
        cdef float* gap_after = self.row()
        for i in range(self.count):
            if self.blocks[i].first >= 0.5:
                last = i
            else:
                sum_of_improbable += self.blocks[i].units
            improbable[i] = sum_of_improbable
            until = self.before[i + 1].good
            good_before[i] = <float> ((until - self.blocks[i].good) / self.good)
            good_after[i] = <float> ((all_good - until) / self.good)
            from_good[i] = min(i - last, self.computer.far)
            gap_before[i] = <float> (improbable[i] - improbable[last] if last >= 0 else -1)
        for i in range(self.count - 1, -1, -1):
            if self.blocks[i].first >= 0.5:
                following = i
            to_good[i] = min(following - i, self.computer.far)
            gap_after[i] = <float> (improbable[following] - improbable[i] if following < self.count else -1)
        return 0

    cdef void put_section(self) noexcept:
        """Put the features of the section, which begins with a heading."""
        cdef float* heading_first = self.row()
        cdef float* mean = self.row()
        cdef float* section_first = self.row()
        cdef Py_ssize_t i, heading
        for i in range(self.count):
            heading = max(self.headings[i], 0)
            heading_first[i] = <float> (self.blocks[heading].first if self.headings[i] >= 0 else -1)
            mean[i] = <float> mean_of(self.of_sections + heading)
            section_first[i] = <float> self.blocks[min(heading + 1, self.count - 1)].first

    cdef int put_best(self) except -1:
        """Put the features of the run and of the element in which probable text most exceeds improbable text."""
        cdef Py_ssize_t i, lowest = 0, start = 0, end = 1, best = 0, first, last
        cdef double margin, most = 0
        cdef Sums of_best
        cdef float* in_run = self.row()
        cdef float* to_run = self.row()
        cdef float* from_run = self.row()
        cdef float* in_best
        for i in range(self.count):
            if self.before[i].margin < self.before[lowest].margin:
                lowest = i
            margin = self.before[i + 1].margin - self.before[lowest].margin
            if i == 0 or margin > most:
                most, start, end = margin, lowest, i + 1
        for i in range(self.count):
            in_run[i] = start <= i < end
            to_run[i] = min(max(start - i, 0), self.computer.far)
            from_run[i] = min(max(i - end + 1, 0), self.computer.far)
        self.put_all((self.before[end].good - self.before[start].good) / self.good)
        # The innermost of those with the highest sum.
        for i in range(len(self.parents)):
            if self.inside[i].margin >= self.inside[best].margin:
                best = i
        in_best = self.row()
        first, last = best, self.ends[best]
        memset(&of_best, 0, sizeof(of_best))
        for i in range(self.count):
            in_best[i] = first <= self.element[i] < last
            if in_best[i]:
                add(&of_best, self.blocks + i)
        self.put_all(of_best.good / self.good)
        self.put_all(mean_of(&of_best))
        return 0

    cdef int put_page(self) except -1:
        """Put the features that are the same for all blocks of the page."""
        cdef Sums* page = self.before + self.count
        cdef Py_ssize_t i, probable = 0
        cdef double sure = 0, prose = 0, h1 = -1
        for i in range(self.count - 1, -1, -1):
            if self.numbers[self.computer.heading_level, i] == 1:
                h1 = self.blocks[i].first
        for i in range(self.count):
            probable += self.blocks[i].first >= 0.5
            sure += abs(self.blocks[i].first - 0.5) * self.blocks[i].units
            prose += self.blocks[i].good * self.numbers[self.computer.is_prose, i]
        self.put_all(page.good)
        self.put_all(page.good / page.units)
        self.put_all(page.first / self.count)
        self.put_all(probable)
        self.put_all(sure / page.units)
        self.put_all(h1)
        self.put_all(prose / self.good)
        return 0

    cdef void put_marker(self, Py_ssize_t kind) noexcept:
        """Put the features of the markers of one kind."""
        cdef Py_ssize_t i, count = self.count, far = self.computer.far, near = self.computer.near
        cdef Py_ssize_t last = -far - 1, following = count + far, marked = 0
        cdef Py_ssize_t* before = self.marked_before
        cdef float* since = self.row()
        cdef float* until = self.row()
        cdef float* before_it = self.row()
        cdef float* after_it = self.row()
        cdef float* around_it = self.row()
        cdef float* under_heading = self.row()
        for i in range(count):
            if self.markers[i] >> kind & 1:
                marked += 1
            before[i + 1] = marked
        if not marked:
            # As most are.
            for i in range(2 * count):
                since[i] = far
            memset(before_it, 0, 4 * count * sizeof(float))
            return
        for i in range(count):
            if before[i + 1] > before[i]:
                last = i
            since[i] = min(i - last, far)
            before_it[i] = before[i]
            after_it[i] = marked - before[i + 1]
            around_it[i] = before[min(i + near + 1, count)] - before[max(i - near, 0)]
            under_heading[i] = self.headings[i] >= 0 and self.markers[self.headings[i]] >> kind & 1
        for i in range(count - 1, -1, -1):
            if before[i + 1] > before[i]:
                following = i
            until[i] = min(following - i, far)


cdef struct Trees:
    # How many there are, and the levels of each; what is asked, of how many features; what the leaves add.
    Py_ssize_t count, levels, features
    const short* columns
    const float* borders
    const float* leaves


cdef Trees trees_of(
    const float[:, ::1] features, const short[:, ::1] columns, const float[:, ::1] borders, const float[:, ::1] leaves
) except *:
    """Return trees that can be asked for blocks; the arrays must be kept as long as they are."""
    cdef Trees trees
    cdef Py_ssize_t tree, level
    trees.count, trees.levels, trees.features = columns.shape[0], columns.shape[1], features.shape[0]
    trees.columns, trees.borders, trees.leaves = NULL, NULL, NULL
    if borders.shape[0] != trees.count or borders.shape[1] != trees.levels or leaves.shape[0] != trees.count:
        raise ValueError("trees of different sizes")
    # The number of a leaf is a byte.
    if trees.levels > 8 or leaves.shape[1] != 1 << trees.levels:
        raise ValueError("trees with too few leaves")
    for tree in range(trees.count):
        for level in range(trees.levels):
            if not 0 <= columns[tree, level] < trees.features:
                raise ValueError("features that are not there")
    if trees.count:
        trees.leaves = &leaves[0, 0]
        if trees.levels:
            trees.columns, trees.borders = &columns[0, 0], &borders[0, 0]
    return trees


cdef void find_leaves(
    const Trees* trees, Py_ssize_t tree, const float* features, Py_ssize_t stride, Py_ssize_t size, unsigned char* found
) noexcept:
    """Find the leaves of some blocks in a tree.  ``stride``: how far apart the features of a block are."""
    cdef Py_ssize_t level, i
    cdef unsigned char digit
    cdef float border
    cdef const float* row
    memset(found, 0, size)
    for level in range(trees.levels):
        row = features + trees.columns[tree * trees.levels + level] * stride
        border, digit = trees.borders[tree * trees.levels + level], 1 << level
        for i in range(size):
            found[i] |= digit if row[i] > border else 0


def log_odds(
    const float[:, ::1] features, const short[:, ::1] columns, const float[:, ::1] borders, const float[:, ::1] leaves
) -> bytes:
    """Return what trees give for each block (column): floats.

    ``columns``, ``borders``, ``leaves``: those of :class:`~scrapy_justext.core.learned.trees.Trees`.
    """
    cdef Trees trees = trees_of(features, columns, borders, leaves)
    cdef Py_ssize_t count = features.shape[1], tree, start, i, size
    cdef unsigned char[TOGETHER] found
    cdef const float* of_tree
    cdef bytes made = zeros(count * sizeof(float))
    cdef float* result = <float*> PyBytes_AS_STRING(made)
    for start in range(0, count, TOGETHER):
        size = min(count - start, TOGETHER)
        for tree in range(trees.count):
            find_leaves(&trees, tree, &features[0, start] if trees.levels else NULL, count, size, found)
            of_tree = trees.leaves + (tree << trees.levels)
            for i in range(size):
                result[start + i] += of_tree[found[i]]
    return made


def weights(
    const float[:, ::1] features, const short[:, ::1] columns, const float[:, ::1] borders, const float[:, ::1] leaves
) -> bytes:
    """Return how much each feature raised what trees give for each block: a row of floats for each row of ``features``.

    The arguments are those of :func:`log_odds`.
    """
    cdef Trees trees = trees_of(features, columns, borders, leaves)
    cdef Py_ssize_t count = features.shape[1], tree, level, start, i, size
    cdef unsigned char other
    cdef const float* of_tree
    cdef const unsigned char* leaf
    cdef float* row
    cdef bytes made = zeros(trees.features * count * sizeof(float)), room = zeros(trees.count * TOGETHER)
    cdef float* result = <float*> PyBytes_AS_STRING(made)
    cdef unsigned char* found = <unsigned char*> PyBytes_AS_STRING(room)
    for start in range(0, count, TOGETHER):
        size = min(count - start, TOGETHER)
        for tree in range(trees.count):
            find_leaves(
                &trees, tree, &features[0, start] if trees.levels else NULL, count, size, found + tree * TOGETHER
            )
        # Level by level, as numpy sums them: the sums are to be the same to the last bit.
        for level in range(trees.levels):
            other = 1 << level
            for tree in range(trees.count):
                of_tree, leaf = trees.leaves + (tree << trees.levels), found + tree * TOGETHER
                row = result + trees.columns[tree * trees.levels + level] * count + start
                for i in range(size):
                    row[i] += (of_tree[leaf[i]] - of_tree[leaf[i] ^ other]) / 2
    return made
