# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True
"""Cut a flattened page into blocks, and count their words, without a Python object for what is none.

:class:`Cutter` gives what :func:`scrapy_justext.core.reading.cut` gives with the readers there.  What is rare is left to
these: code, formulas, preformatted text, images.
:class:`WordCounter` gives what :func:`scrapy_justext.core.context_free.measure_texts` gives.
Strings are all that is read here; the tree is not touched.
"""

from cpython cimport array

from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from cpython.tuple cimport PyTuple_GetItem
from libc.float cimport DBL_MAX
from libc.limits cimport INT_MAX
from libc.math cimport NAN

from scrapy_justext.core.kernel.tree cimport Memory

from scrapy_justext.core.marks import (
    BEGUN, BLOCK, BREAK, CLOSE, ENDED, ENTER, FINISHED, FIXED_WIDTH, INLINE, LEAVE, LINE, LINK, PLAIN, TAG, UNLINK, UNTAG,
    WHOLE, without_styles,
)
from scrapy_justext.core.tables import LINES, PRE, TABLE


cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(Py_UCS4 character) nogil
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 character) nogil
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_MAX_CHAR_VALUE(object text)
    Py_UCS4 PyUnicode_READ(int kind, void* data, Py_ssize_t index) nogil
    void PyUnicode_WRITE(int kind, void* data, Py_ssize_t index, Py_UCS4 character) nogil
    Py_ssize_t PyUnicode_FindChar(object text, Py_UCS4 character, Py_ssize_t start, Py_ssize_t end, int way) except -2
    object PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t size)
    const char* SOURCE_DIGEST


#: SHA-256 of the source that this was compiled from.
DIGEST = SOURCE_DIGEST.decode()

ctypedef unsigned char OneByte
ctypedef unsigned short TwoBytes

#: A character of a string, of one, two or four bytes.
ctypedef fused Character:
    OneByte
    TwoBytes
    Py_UCS4

cdef enum:
    DOTTED_I = 0x130
    SIGMA = 0x3A3
    # From here on, characters are looked up in Python's own tables.
    BEHIND_LATIN = 0x100
    # Codes of elements are lower.
    MOST_CODES = 0x100
    # That are looked for in texts at once.
    MOST_SIGNS = 16
    # Of white space beyond Latin.
    FIRST_SPACE = 0x1680
    LAST_SPACE = 0x3000

# Of the hash FNV-1a.
cdef size_t BASIS = <size_t> 0xCBF29CE484222325ULL, PRIME = <size_t> 0x100000001B3ULL

cdef Py_UCS4 BLOCK_MARK = BLOCK, INLINE_MARK = INLINE
cdef Py_UCS4 CLOSE_CODE = CLOSE, LINK_CODE = LINK, UNLINK_CODE = UNLINK, TAG_CODE = TAG, BREAK_CODE = BREAK
cdef Py_UCS4 FIXED_WIDTH_CODE = FIXED_WIDTH
cdef Py_UCS4 WHOLE_CODE = WHOLE, ENTER_CODE = ENTER, LEAVE_CODE = LEAVE
cdef str BEGUN_MARK = INLINE + BEGUN, FINISHED_MARK = INLINE + FINISHED
#: By code, up to U+00FF: whether it is white space, and what it is in lower case.
cdef bint[BEHIND_LATIN] SPACES
cdef OneByte[BEHIND_LATIN] SMALL
for _code in range(BEHIND_LATIN):
    SPACES[_code] = Py_UNICODE_ISSPACE(_code)
    SMALL[_code] = <OneByte> Py_UNICODE_TOLOWER(_code)
#: By code: whether a mark is read here, be it that it changes nothing.
cdef bint[128] IS_READ
IS_READ[:] = [chr(code) in (TAG, LINK, UNLINK, BREAK, FIXED_WIDTH, PLAIN, UNTAG, LINE, ENDED) for code in range(128)]


cdef class Place:
    """A position in the tree, with what a block takes over from it."""

    cdef object position, here
    cdef str part
    cdef bint preformatted, is_told, may_be_lines
    # By the codes of elements, the places inside; NULL where nobody has been yet.  Each with a reference, but for the
    # place itself, which would live for good: the garbage collector does not look here.
    cdef PyObject* inside[MOST_CODES]

    def __init__(self, position):
        self.position = position
        self.here = position.here
        self.part = position.part
        self.preformatted = position.here.preformatted
        self.is_told = self.part in (PRE, TABLE)
        self.may_be_lines = self.part == LINES

    def __dealloc__(self):
        cdef int code
        for code in range(MOST_CODES):
            if self.inside[code] is not <PyObject*> self:
                Py_XDECREF(self.inside[code])

    cdef Place child(self, Py_UCS4 code):
        cdef Place found
        if code < MOST_CODES and self.inside[code] is not NULL:
            return <Place> self.inside[code]
        found = place_of(self.position[chr(code)])
        # Another thread may have been here meanwhile.
        if code < MOST_CODES and self.inside[code] is NULL:
            if found is not self:
                Py_INCREF(found)
            self.inside[code] = <PyObject*> found
        return found


cdef Place place_of(position):
    """Return the place that is kept with a position; threads that ask at a time may each get one of their own."""
    cdef Place found = position.place
    if found is None:
        found = position.place = Place(position)
    return found


cdef struct Around:
    # With a reference.
    PyObject* place
    Py_ssize_t element


cdef enum Gap:
    # White space before the next word.
    NONE, SPACE, LINE_FEED


cdef class Cutter:
    """Cuts one page.

    ``reader``: the :class:`~scrapy_justext.core.reading.PublishedReader`, or one of its kind, that the rules ask for.  It
    takes the blocks, and reads what is rare.
    ``tables``: the :class:`~scrapy_justext.core.tables.Tables` of the page.
    ``told``: what tells of the text of a PRE or TABLE what its attributes tell.
    """

    cdef object reader, tables, told, blocks
    cdef list collapsed, positions
    cdef array.array link_characters, link_words, tags_count, elements, starts, chunks
    cdef str flat
    cdef int kind
    cdef void* data
    cdef Py_ssize_t size
    cdef void* scratch
    cdef Py_ssize_t start, links
    # The number of the text at hand, and of the last block-level element that has begun.
    cdef Py_ssize_t number, opened
    # Whether there are lines of code outside of PREs, and other elements than PREs that are code.
    cdef bint has_code_lines, has_whole
    # Where the text at hand is, and what is around that: elements and inline SELECTs.
    cdef Place place
    cdef Memory open_places
    # Whether text is read node by node, whether there are inline SELECTs that are places, and whether marks of styles are
    # there for Markdown; else they are as those of other inline elements.
    cdef bint by_nodes, has_selects, is_styled
    # Where text is read node by node: whether the last mark of a link began one, and whether a BR has no text behind it.
    cdef bint is_linked, after_break

    def __cinit__(self):
        self.scratch = NULL

    def __init__(self, str flat, reader, tables, told):
        self.reader = reader
        self.tables = tables
        self.told = told
        self.blocks = reader.blocks
        self.collapsed = self.blocks.collapsed
        self.positions = self.blocks.position
        self.link_characters = self.blocks.link_characters
        self.link_words = self.blocks.link_words
        self.tags_count = self.blocks.tags_count
        self.elements = self.blocks.element
        self.starts = self.blocks.start
        self.chunks = self.blocks.chunk
        self.flat = flat
        self.kind = PyUnicode_KIND(flat)
        self.data = PyUnicode_DATA(flat)
        self.size = len(flat)
        self.has_code_lines = has_mark(flat, BEGUN)
        self.has_whole = has_mark(flat, WHOLE)
        # No block has more characters than the page.
        self.scratch = PyMem_Malloc((self.size + 1) * self.kind)
        if self.scratch is NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.scratch)
        # Some are left where an error has come.
        while self.open_places is not None and self.open_places.count:
            Py_XDECREF((<Around*> self.open_places.taken()).place)

    cdef inline Py_UCS4 at(self, Py_ssize_t index) noexcept:
        return PyUnicode_READ(self.kind, self.data, index)

    cdef inline void put(self, Py_ssize_t index, Py_UCS4 character) noexcept:
        """Put a character of the text at hand into ``scratch``."""
        PyUnicode_WRITE(self.kind, self.scratch, index, character)

    cdef Py_ssize_t end_of_chunk(self, Py_ssize_t begin) noexcept:
        """Return where the text ends that begins there: before the next mark of a block-level element."""
        if self.kind == sizeof(TwoBytes):
            return next_block(<const TwoBytes*> self.data, begin, self.size)
        if self.kind == sizeof(OneByte):
            return self.size
        return next_block(<const Py_UCS4*> self.data, begin, self.size)

    def cut(self, position) -> int:
        """Add the blocks to the reader's, and return how many block-level elements there are.

        ``position``: that of the root.
        """
        cdef Place place
        cdef Py_ssize_t element = 0
        cdef Py_ssize_t begin, end
        cdef Py_UCS4 code
        self.place = place_of(position)
        self.open_places = Memory(sizeof(Around))
        self.by_nodes = position.rules.text_nodes
        self.is_styled = position.rules.styled
        self.has_selects = position.rules.images and has_mark(self.flat, ENTER)
        # The root's own text comes before the first mark.
        end = self.end_of_chunk(0)
        end = self.read_text(0, end, element)
        while end < self.size:
            code = self.at(end + 1)
            begin = end + 2
            end = self.end_of_chunk(begin)
            self.number += 1
            if code == CLOSE_CODE:
                if self.place.part == TABLE:
                    self.tables.end(self.blocks)
                element = self.leave_place()
                end = self.read_text(begin, end, element)
                continue
            self.enter_place(code, element)
            place = self.place
            self.opened += 1
            element = self.opened
            if place.is_told or (place.may_be_lines and self.has_whole and self.is_whole(begin, end)):
                about, body, is_whole = self.told(place.part, self.part(begin, end))
                # What the attributes tell ends with a mark; the text behind may have had marks that the reader does not see.
                begin = min(self.next_mark(begin, end) + 2, end)
                if is_whole:
                    inside, end = self.inside_of(end)
                    chunks = [f"{code}{body}", *inside]
                    self.give()
                    self.reader.read_code(chunks, about, place.position, element, self.number)
                    self.take()
                    self.pass_over(inside)
                    self.number += 1
                    # Behind the mark of its end.
                    begin = end + 2
                    end = self.end_of_chunk(begin)
                    element = self.leave_place()
                else:
                    self.tables.begin(place.part, about, element, self.number, len(self.collapsed))
            elif place.part and not place.may_be_lines:
                self.tables.begin(place.part, "", element, self.number, len(self.collapsed))
            end = self.read_text(begin, end, element)
        self.give()
        return self.opened

    cdef int enter_place(self, Py_UCS4 code, Py_ssize_t element) except -1:
        """Go into an element, or an inline SELECT; ``element``: the number of the one around."""
        cdef Around* around = <Around*> self.open_places.added()
        Py_INCREF(self.place)
        around.place = <PyObject*> self.place
        around.element = element
        self.place = self.place.child(code)
        return 0

    cdef Py_ssize_t leave_place(self) except -1:
        """Go back to what is around; return the number of its element."""
        cdef Around* around
        if not self.open_places.count:
            raise ValueError("an element ends that has not begun")
        around = <Around*> self.open_places.taken()
        self.place = <Place> around.place
        Py_XDECREF(around.place)
        return around.element

    cdef Py_ssize_t read_text(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t element) except -1:
        """Add the blocks in a text, and the lines of code that begin in it; return where the text behind them ends."""
        cdef Py_ssize_t begun, finished
        cdef list inside
        if begin == end:
            return end
        if self.by_nodes:
            self.read_nodes(begin, end, element)
            return end
        if self.has_selects:
            self.read_selects(begin, end, element)
            return end
        while self.has_code_lines and not self.place.here.heading_level:
            begun = self.flat.find(BEGUN_MARK, begin, end)
            if begun < 0:
                break
            self.read(begin, begun, element)
            finished = self.flat.index(FINISHED_MARK, begun)
            inside = self.part(begun + 1, finished).split(BLOCK)
            self.give()
            self.reader.read_code(inside, "", self.place.position, element, self.number, is_text=True)
            self.take()
            self.pass_over(inside[1:])
            begin = finished + len(FINISHED_MARK)
            if len(inside) > 1:
                end = self.end_of_chunk(begin)
        self.read(begin, end, element)
        return end

    cdef int read_selects(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t element) except -1:
        """Add the blocks in a text with inline SELECTs, which is in those that begin or end before all text."""
        cdef Py_ssize_t first = begin, i = begin
        while i < end:
            if Py_UNICODE_ISSPACE(self.at(i)):
                i += 1
            elif self.at(i) == INLINE_MARK and self.at(i + 1) in (
                ENTER_CODE, LEAVE_CODE, TAG_CODE, LINK_CODE, UNLINK_CODE
            ):
                i += 2
                first = i
            else:
                break
        self.pass_selects(begin, first, element)
        self.read(begin, end, element)
        return self.pass_selects(first, end, element)

    cdef int pass_selects(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t element) except -1:
        """Go into and out of the inline SELECTs in a text."""
        cdef Py_UCS4 code
        while begin < end:
            if self.at(begin) == INLINE_MARK:
                begin += 1
                code = self.at(begin)
                if code == ENTER_CODE:
                    self.enter_place(code, element)
                elif code == LEAVE_CODE:
                    self.leave_place()
            begin += 1
        return 0

    cdef int read_nodes(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t element) except -1:
        """Add the blocks in a text node by node, as :class:`~scrapy_justext.core.reading.ReferenceReader` does."""
        cdef Py_ssize_t size = 0, words = 0, linked = 0, link_words = 0, tags = 0
        cdef Py_ssize_t node_end, i
        cdef Py_UCS4 character, code
        cdef bint in_word, in_space
        cdef Place place = self.place
        cdef Gap gap = NONE
        if self.is_blank(begin, end):
            return 0
        while True:
            node_end = begin
            while node_end < end and self.at(node_end) != INLINE_MARK:
                node_end += 1
            if not self.is_blank(begin, node_end):
                self.after_break = False
                in_word = in_space = False
                for i in range(begin, node_end):
                    character = self.at(i)
                    if Py_UNICODE_ISSPACE(character):
                        linked += self.is_linked and not in_space
                        in_word, in_space = False, True
                        if character == c"\n" or character == c"\r":
                            gap = LINE_FEED
                        elif gap == NONE:
                            gap = SPACE
                        continue
                    if not size or gap != NONE:
                        words += 1
                        if size:
                            self.put(size, c"\n" if gap == LINE_FEED else c" ")
                            size += 1
                    gap = NONE
                    self.put(size, character)
                    size += 1
                    linked += self.is_linked
                    link_words += self.is_linked and not in_word
                    in_word, in_space = True, False
            if node_end == end:
                break
            code = self.at(node_end + 1)
            begin = node_end + 2
            if code == BREAK_CODE and self.after_break:
                # The BRs of a separator are no elements of the block.
                self.add(size, words, linked, link_words, tags - 1, place, element)
                size = words = linked = link_words = tags = 0
                gap = NONE
            elif code == BREAK_CODE:
                self.after_break = True
                tags += 1
                gap = SPACE if gap == NONE else gap
            elif code == TAG_CODE or code == LINK_CODE or code == ENTER_CODE:
                self.after_break = False
                tags += 1
                self.is_linked = self.is_linked or code == LINK_CODE
                if code == ENTER_CODE:
                    self.enter_place(code, element)
            elif code == UNLINK_CODE:
                self.is_linked = False
            elif code == LEAVE_CODE:
                self.leave_place()
        return self.add(size, words, linked, link_words, tags, place, element)

    cdef bint is_blank(self, Py_ssize_t begin, Py_ssize_t end) noexcept:
        while begin < end and Py_UNICODE_ISSPACE(self.at(begin)):
            begin += 1
        return begin == end

    cdef int pass_over(self, list inside) except -1:
        """Count texts that are read, and the elements that begin in them."""
        cdef str one
        for one in inside:
            self.opened += one[0] != CLOSE_CODE
        self.number += len(inside)
        return 0

    cdef Py_ssize_t next_mark(self, Py_ssize_t begin, Py_ssize_t end) noexcept:
        """Return where the next mark of an inline element is; ``end`` if there is none."""
        while begin < end and self.at(begin) != INLINE_MARK:
            begin += 1
        return begin

    cdef bint is_whole(self, Py_ssize_t begin, Py_ssize_t end) noexcept:
        """Return whether attributes stand at the start of a text that tell of code."""
        begin = self.next_mark(begin, end)
        return begin < end and self.at(begin + 1) == WHOLE_CODE

    cdef str part(self, Py_ssize_t begin, Py_ssize_t end):
        """Return a part of the page, as the reader is to see it."""
        cdef str part = self.flat[begin:end]
        return part if self.is_styled else without_styles(part)

    cdef tuple inside_of(self, Py_ssize_t end):
        """Return the chunks up to the end of the element at hand, and where the mark of its end is."""
        cdef list inside = []
        cdef Py_ssize_t depth = 1, begin
        while end < self.size:
            depth += -1 if self.at(end + 1) == CLOSE_CODE else 1
            if not depth:
                return inside, end
            begin = end + 1
            end = self.end_of_chunk(begin)
            inside.append(self.part(begin, end))
        raise ValueError("an element has no end")

    cdef int give(self) except -1:
        """Have the reader know how far the page is read."""
        self.reader.start = self.start
        self.reader.links = self.links
        return 0

    cdef int take(self) except -1:
        """Go on behind what the reader has read."""
        self.start = self.reader.start
        self.links = self.reader.links
        return 0

    cdef int leave(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t element) except -1:
        """Have the reader read a text."""
        cdef str text = self.part(begin, end)
        if self.has_selects:
            # Their places are known here.
            text = text.replace(INLINE + ENTER, INLINE + TAG).replace(INLINE + LEAVE, "")
        self.give()
        self.reader.chunk = self.number
        self.reader.read(text, self.place.position, element, [])
        self.take()
        return 0

    cdef int read(self, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t element) except -1:
        """Add the blocks in a text without marks of block-level elements."""
        cdef Py_ssize_t count = len(self.collapsed), start = self.start, links = self.links
        cdef bint is_read
        if self.place.preformatted:
            return 0 if self.is_blank(begin, end) else self.leave(begin, end, element)
        if self.kind == sizeof(TwoBytes):
            is_read = self.read_in(<const TwoBytes*> self.data, begin, end, element)
        elif self.kind == sizeof(OneByte):
            is_read = self.read_in(<const OneByte*> self.data, begin, end, element)
        else:
            is_read = self.read_in(<const Py_UCS4*> self.data, begin, end, element)
        if not is_read:
            if len(self.collapsed) > count:
                self.blocks.cut_off(count)
            self.start, self.links = start, links
            self.leave(begin, end, element)
        return 0

    cdef bint read_in(
        self, const Character* text, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t element
    ) except -1:
        """Add the blocks in a text; return False, in the midst of them, at a mark that the reader is to read."""
        cdef Py_ssize_t i = begin, word, size = 0, words = 0, linked = 0, link_words = 0, tags = 0, links = self.links
        cdef Py_UCS4 code
        cdef bint in_word = False, in_link_word = False, after_break = False
        # Whether white space since the last word began inside a link; -1: there is none.
        cdef int space = -1
        cdef Character* scratch = <Character*> self.scratch
        cdef Place place = self.place
        while i < end:
            if is_space(text[i]):
                i += 1
                in_word = in_link_word = False
                if size and space < 0:
                    space = links > 0
            elif text[i] == INLINE_MARK:
                code = text[i + 1]
                i += 2
                if code == TAG_CODE or (code == FIXED_WIDTH_CODE and not self.is_styled):
                    tags += 1
                elif code == LINK_CODE:
                    tags += 1
                    links += 1
                elif code == UNLINK_CODE:
                    links -= links > 0
                elif code == BREAK_CODE:
                    if after_break:
                        # The BRs of a separator are no elements of the block.
                        self.add(size, words, linked, link_words, tags - 1, place, element)
                        size = words = linked = link_words = tags = 0
                        in_word = in_link_word = False
                        space = -1
                    else:
                        after_break = True
                        tags += 1
                        # As white space.
                        in_word = in_link_word = False
                        if size and space < 0:
                            space = links > 0
                elif self.has_selects and code == ENTER_CODE:
                    tags += 1
                elif self.has_selects and code == LEAVE_CODE:
                    pass
                elif code >= 128 or not IS_READ[<int> code]:
                    return False
            else:
                after_break = False
                if not in_word:
                    if size:
                        scratch[size] = c" "
                        size += 1
                        linked += space > 0
                    words += 1
                    in_word = True
                    space = -1
                word = i
                while i < end and text[i] != INLINE_MARK and not is_space(text[i]):
                    scratch[size] = text[i]
                    size += 1
                    i += 1
                if links:
                    linked += i - word
                    link_words += not in_link_word
                in_link_word = links > 0
        self.links = links
        self.add(size, words, linked, link_words, tags, place, element)
        return True

    cdef int add(
        self, Py_ssize_t size, Py_ssize_t words, Py_ssize_t linked, Py_ssize_t link_words, Py_ssize_t tags, Place place,
        Py_ssize_t element,
    ) except -1:
        """Add the block that stands in ``scratch``, if there is one."""
        if not size:
            return 0
        self.collapsed.append(PyUnicode_FromKindAndData(self.kind, self.scratch, size))
        self.positions.append(place.here)
        append(self.link_characters, linked)
        append(self.link_words, link_words)
        append(self.tags_count, tags)
        append(self.elements, element)
        append(self.starts, self.start)
        append(self.chunks, self.number)
        self.start += size - words + 1
        return 0


cdef inline int append(array.array column, Py_ssize_t value) except -1:
    """Add a number to a column of :class:`~scrapy_justext.core.blocks.BlockTable`."""
    cdef Py_ssize_t size = len(column)
    if value > INT_MAX:
        raise OverflowError("the page is too large")
    array.resize_smart(column, size + 1)
    column.data.as_ints[size] = <int> value
    return 0


cdef inline bint is_space(Character character) noexcept nogil:
    if character < BEHIND_LATIN:
        return SPACES[character]
    return FIRST_SPACE <= character <= LAST_SPACE and Py_UNICODE_ISSPACE(character)


cdef Py_ssize_t next_block(const Character* text, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Return where the next mark of a block-level element is; ``end`` if there is none."""
    while begin < end and text[begin] != BLOCK_MARK:
        begin += 1
    return begin


cpdef bint has_mark(str flat, str code):
    """Return whether a flattened text has an inline mark of a code that is rare in texts."""
    cdef Py_ssize_t size = len(flat)
    cdef Py_ssize_t at = PyUnicode_FindChar(flat, ord(code), 0, size, 1)
    while at >= 0:
        if at and flat[at - 1] == INLINE_MARK:
            return True
        at = PyUnicode_FindChar(flat, ord(code), at + 1, size, 1)
    return False


def count_marks(str flat) -> tuple:
    """Return how many marks of block-level elements, of BRs and of inline elements a flattened page has."""
    cdef int kind = PyUnicode_KIND(flat)
    cdef const void* data = PyUnicode_DATA(flat)
    # No string of one-byte characters has marks.
    if kind == sizeof(TwoBytes):
        return marks_in(<const TwoBytes*> data, len(flat))
    return (0, 0, 0) if kind == sizeof(OneByte) else marks_in(<const Py_UCS4*> data, len(flat))


cdef tuple marks_in(const Character* text, Py_ssize_t size):
    cdef Py_ssize_t blocks = 0, breaks = 0, inline = 0, i
    for i in range(size):
        blocks += text[i] == BLOCK_MARK
        if text[i] == INLINE_MARK:
            inline += 1
            breaks += i + 1 < size and text[i + 1] == BREAK_CODE
    return blocks, breaks, inline


cdef enum Way:
    ABOVE, AT_LEAST, BELOW


_WAYS = {">": ABOVE, ">=": AT_LEAST, "<": BELOW}


cdef struct Comparison:
    # Those of all blocks; no numbers where they are counted late.
    double* numbers
    # The column of those that are, NULL for others.
    PyObject* late
    Way way
    double limit
    # Whether it is the last one of a rule; that of a rule without any compares nothing.
    bint is_last, holds_always


def first_that_apply(list rules, Py_ssize_t count) -> bytearray:
    """Return for each block the number of the first rule all of whose comparisons hold; one always must.

    ``rules``: of each its comparisons: numbers, one for each block; ``>``, ``>=`` or ``<``; and the limit.
    """
    cdef Memory comparisons = Memory(sizeof(Comparison))
    cdef Columns columns = Columns(count)
    cdef Comparison* one = NULL
    cdef bytearray deciding = bytearray(count)
    cdef Py_ssize_t i
    cdef int number
    cdef tuple comparison
    for rule in rules:
        for comparison in rule:
            one = <Comparison*> comparisons.added()
            # A whole number may be larger than any other.
            limit = min(comparison[2], DBL_MAX)
            one[0] = Comparison(
                columns.numbers_of(comparison[0]), late_column(comparison[0]), _WAYS[comparison[1]], limit, False, False
            )
        if not rule:
            one = <Comparison*> comparisons.added()
            one[0] = Comparison(NULL, NULL, ABOVE, 0.0, False, True)
        one.is_last = True
    for i in range(count):
        number = first_rule(<Comparison*> comparisons.start, comparisons.count, i)
        if number < 0:
            raise ValueError("no rule applies")
        deciding[i] = number
    return deciding


cdef class Columns:
    """Columns as numbers, each made once."""

    cdef Py_ssize_t length
    cdef list columns, made

    def __init__(self, Py_ssize_t length):
        self.length = length
        self.columns = []
        self.made = []

    cdef double* numbers_of(self, column) except? NULL:
        """Return the numbers of a column, which are kept as long as this."""
        cdef array.array numbers
        cdef Py_ssize_t i
        for i in range(len(self.columns)):
            if self.columns[i] is column:
                return (<array.array> self.made[i]).data.as_doubles
        if len(column) != self.length:
            raise ValueError("columns of different lengths")
        numbers = array.clone(NUMBERS, self.length, False)
        self.fill(numbers.data.as_doubles, column)
        self.columns.append(column)
        self.made.append(numbers)
        return numbers.data.as_doubles

    cdef int fill(self, double* numbers, column) except -1:
        cdef Py_ssize_t i
        if isinstance(column, CountedColumn):
            for i in range(self.length):
                numbers[i] = NAN
        elif isinstance(column, array.array) and (<array.array> column).typecode == c"i":
            for i in range(self.length):
                numbers[i] = (<array.array> column).data.as_ints[i]
        elif isinstance(column, bytearray):
            for i in range(self.length):
                numbers[i] = (<bytearray> column)[i]
        else:
            for i, value in enumerate(column):
                numbers[i] = PyFloat_AS_DOUBLE(value) if type(value) is float else <Py_ssize_t> value
        return 0


cdef array.array NUMBERS = array.array("d")


cdef PyObject* late_column(column) noexcept:
    return <PyObject*> column if isinstance(column, CountedColumn) else NULL


cdef int first_rule(Comparison* comparisons, Py_ssize_t count, Py_ssize_t block) except -2:
    """Return the number of the first rule that applies to a block; -1 if none does."""
    cdef int number = 0
    cdef Py_ssize_t i
    cdef bint holds = True
    cdef double value
    for i in range(count):
        if holds and not comparisons[i].holds_always:
            value = comparisons[i].numbers[block]
            if comparisons[i].late is not NULL and value != value:
                # No number yet, and most blocks are decided before one is asked for.
                value = comparisons[i].numbers[block] = (<CountedColumn> comparisons[i].late).value(block)
            if comparisons[i].way == ABOVE:
                holds = value > comparisons[i].limit
            elif comparisons[i].way == AT_LEAST:
                holds = value >= comparisons[i].limit
            else:
                holds = value < comparisons[i].limit
        if comparisons[i].is_last:
            if holds:
                return number
            number += 1
            holds = True
    return -1


def fields_of(list rows, Py_ssize_t field) -> list:
    """Return a field of each of some tuples."""
    return [<object> PyTuple_GetItem(row, field) for row in rows]


def lengths_before(list texts) -> array.array:
    """Return how many characters of some texts there are before each of them, and in all of them."""
    cdef Py_ssize_t count = len(texts), total = 0, i
    cdef array.array before = array.clone(TOTALS, count + 1, False)
    for i in range(count):
        before.data.as_longlongs[i] = total
        total += len(<str> texts[i])
    before.data.as_longlongs[count] = total
    return before


cdef array.array TOTALS = array.array("q")


def holding_any(list texts, tuple signs) -> bytearray:
    """Return a byte for each text: whether it holds one of some signs; no more than ``MOST_SIGNS``."""
    cdef Py_ssize_t count = len(texts), number_of_signs = len(signs), i, number
    cdef bytearray are_held = bytearray(count)
    cdef Py_UCS4[MOST_SIGNS] beginnings
    cdef Py_UCS4 highest
    cdef str text
    if number_of_signs > MOST_SIGNS:
        raise ValueError("too many signs")
    for number in range(number_of_signs):
        beginnings[number] = ord((<str> signs[number])[0])
    for i in range(count):
        text = texts[i]
        highest = PyUnicode_MAX_CHAR_VALUE(text)
        for number in range(number_of_signs):
            # Most do not even hold its first character; what is ASCII alone holds none of many.
            if (
                beginnings[number] <= highest
                and PyUnicode_FindChar(text, beginnings[number], 0, len(text), 1) >= 0
                and <str> signs[number] in text
            ):
                are_held[i] = True
                break
    return are_held


cdef inline Py_UCS4 small(Character character) noexcept:
    return SMALL[character] if character < BEHIND_LATIN else Py_UNICODE_TOLOWER(character)


#: Most shares are one of these.
cdef object NONE_OF_IT = 0.0, ALL_OF_IT = 1.0


cdef inline object share(Py_ssize_t part, Py_ssize_t whole):
    """Return the share that a part has of a whole; none of nothing."""
    if not whole or not part:
        return NONE_OF_IT
    return ALL_OF_IT if part == whole else part / <double> whole


cdef struct Counts:
    Py_ssize_t words, stopwords


cdef inline OneByte sign_of(size_t hash) noexcept:
    # Its highest bits: the lowest tell the place.
    return <OneByte> (hash >> 8 * (sizeof(size_t) - 1)) or 1


cdef struct Word:
    # Where a stop word is in the text of all: the characters from ``begin`` on.
    Py_ssize_t begin, size
    size_t hash


cdef class WordCounter:
    """Counts the words of texts, and those that a stoplist holds, in lower case."""

    cdef frozenset stoplist
    cdef Word* table
    # A byte of each word's hash, 0 where there is none: most words are told by it, and it stays in the cache.
    cdef OneByte* signs
    cdef Py_UCS4* characters
    cdef size_t mask
    cdef Py_ssize_t longest

    def __cinit__(self):
        self.table = NULL
        self.signs = NULL
        self.characters = NULL

    def __init__(self, frozenset stoplist):
        cdef Py_ssize_t total = 0, i
        cdef size_t size = 16, slot, hash
        cdef Py_UCS4 character
        cdef str word
        self.stoplist = stoplist
        for word in stoplist:
            total += len(word)
            self.longest = max(self.longest, len(word))
        # No more than a third of it is full.
        while size < 3 * <size_t> len(stoplist):
            size *= 2
        self.mask = size - 1
        self.table = <Word*> PyMem_Calloc(size, sizeof(Word))
        self.signs = <OneByte*> PyMem_Calloc(size, 1)
        self.characters = <Py_UCS4*> PyMem_Malloc((total + 1) * sizeof(Py_UCS4))
        if self.table is NULL or self.signs is NULL or self.characters is NULL:
            raise MemoryError
        total = 0
        for word in stoplist:
            hash = BASIS
            for i, character in enumerate(word):
                self.characters[total + i] = character
                hash = (hash ^ <size_t> character) * PRIME
            slot = hash & self.mask
            while self.signs[slot]:
                slot = (slot + 1) & self.mask
            self.signs[slot] = sign_of(hash)
            self.table[slot] = Word(total, <Py_ssize_t> len(word), hash)
            total += len(word)

    def __dealloc__(self):
        PyMem_Free(self.table)
        PyMem_Free(self.signs)
        PyMem_Free(self.characters)

    def measure(self, list texts, const int[::1] link_characters) -> tuple:
        """Return columns of the texts' lengths, words, shares of characters in links, and shares of stop words.

        Words are counted when somebody asks for them.
        """
        cdef Py_ssize_t count = len(texts), i, length
        cdef list characters = [None] * count, link_density = [None] * count
        cdef TextCounts counts = TextCounts(self, texts)
        if link_characters.shape[0] != count:
            raise ValueError("columns of different lengths")
        for i in range(count):
            length = len(<str> texts[i])
            characters[i] = length
            link_density[i] = share(link_characters[i], length)
        return characters, CountedColumn(counts, False), link_density, CountedColumn(counts, True)

    cdef Counts count(self, str text) except *:
        cdef int kind = PyUnicode_KIND(text)
        cdef const void* data = PyUnicode_DATA(text)
        if kind == sizeof(OneByte):
            return self.count_in(<const OneByte*> data, text)
        if kind == sizeof(TwoBytes):
            return self.count_in(<const TwoBytes*> data, text)
        return self.count_in(<const Py_UCS4*> data, text)

    cdef Counts count_in(self, const Character* data, str text) except *:
        cdef Py_ssize_t i = 0, end = len(text), begin
        cdef Counts counts = Counts(0, 0)
        cdef size_t hash
        cdef bint is_odd
        while True:
            while i < end and is_space(data[i]):
                i += 1
            if i == end:
                return counts
            begin = i
            hash = BASIS
            is_odd = False
            while i < end and not is_space(data[i]):
                # Their small letters are two characters, or depend on what is around them.
                is_odd = is_odd or data[i] == DOTTED_I or data[i] == SIGMA
                hash = (hash ^ <size_t> small(data[i])) * PRIME
                i += 1
            counts.words += 1
            if is_odd:
                counts.stopwords += text[begin:i].lower() in self.stoplist
            elif i - begin <= self.longest:
                counts.stopwords += self.holds(hash, data + begin, i - begin)

    cdef bint holds(self, size_t hash, const Character* characters, Py_ssize_t size) noexcept:
        """Return whether a word is in the list."""
        cdef size_t slot = hash & self.mask
        cdef OneByte sign = sign_of(hash)
        cdef const Word* word
        cdef Py_ssize_t i
        while self.signs[slot]:
            word = &self.table[slot]
            if self.signs[slot] == sign and word.hash == hash and word.size == size:
                i = 0
                while i < size and small(characters[i]) == self.characters[word.begin + i]:
                    i += 1
                if i == size:
                    return True
            slot = (slot + 1) & self.mask
        return False


cdef class TextCounts:
    """The words of texts and the stop words among them, counted when somebody asks for those of a text."""

    cdef WordCounter counter
    cdef list texts
    # Of each text; -1 where nothing is counted yet.
    cdef array.array words, stopwords

    def __init__(self, WordCounter counter, list texts):
        cdef Py_ssize_t i
        self.counter = counter
        # What is added behind the last, or cut off, is none of these.
        self.texts = texts.copy()
        self.words = array.clone(COUNTS, len(texts), False)
        self.stopwords = array.clone(COUNTS, len(texts), False)
        for i in range(len(texts)):
            self.words.data.as_ints[i] = -1

    cdef int look(self, Py_ssize_t i) except -1:
        """Count the words of a text, unless they are counted."""
        cdef Counts counts
        if self.words.data.as_ints[i] < 0:
            counts = self.counter.count(self.texts[i])
            self.stopwords.data.as_ints[i] = <int> counts.stopwords
            self.words.data.as_ints[i] = <int> counts.words
        return 0


cdef array.array COUNTS = array.array("i")


cdef class CountedColumn:
    """How many words texts have, or the shares of stop words among them: a column whose values are made when asked for."""

    cdef TextCounts counts
    cdef bint is_share

    def __init__(self, TextCounts counts, bint is_share):
        self.counts = counts
        self.is_share = is_share

    def __len__(self) -> int:
        return len(self.counts.texts)

    cdef object value(self, Py_ssize_t i):
        """Return the value of a text, which must be there."""
        self.counts.look(i)
        if self.is_share:
            return share(self.counts.stopwords.data.as_ints[i], self.counts.words.data.as_ints[i])
        return self.counts.words.data.as_ints[i]

    def __getitem__(self, index):
        return list(self)[index] if isinstance(index, slice) else self.value(range(len(self.counts.texts))[index])

    def __iter__(self):
        cdef Py_ssize_t i
        cdef list values = []
        # No comprehension: what Cython makes of one lets go of a value twice where memory is short.
        for i in range(len(self.counts.texts)):
            values.append(self.value(i))
        return iter(values)

    def __eq__(self, other) -> bool:
        return list(self) == list(other) if isinstance(other, (CountedColumn, list)) else NotImplemented

    def __reduce__(self) -> tuple:
        return list, (list(self),)
