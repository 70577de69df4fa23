# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True
"""Read what Markdown needs of a page beside its blocks: the styled text of some of them, and where they stand.

It gives what :func:`scrapy_justext.core.markdown.styled.read_flat` finds in a flattened page.  A tree is walked once, by
the treatments that its :class:`~scrapy_justext.core.kernel.tree.TreeWriter` has for each element; but only the chunks
that are wanted are written.  There is no recursion on the depth of a page, and no step of the walk looks at all that is
around it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memset, strlen

from scrapy_justext.core.kernel.tree cimport (
    MOST_KNOWN, XML_ELEMENT_NODE, XML_PI_NODE, Buffer, Known, Memory, NameTable, Treatment, TreeWriter, ValueMemory,
    attribute_of, beginning_of, decoded, document_of, is_text, made_element, node_of, place_of, sole_text, write_bytes,
    write_text, write_told, xmlAttr, xmlNode,
)

from scrapy_justext.core.marks import IMAGE, INLINE, LINK, PLAIN, SOURCE, UNLINK


cdef extern from *:
    const char* SOURCE_DIGEST


#: SHA-256 of the source that this was compiled from.
DIGEST = SOURCE_DIGEST.decode()

cdef bytes INLINE_MARK = INLINE.encode()
cdef char LINK_CODE = ord(LINK), UNLINK_CODE = ord(UNLINK), PLAIN_CODE = ord(PLAIN), IMAGE_CODE = ord(IMAGE)
cdef Py_ssize_t SIZE_OF_SOURCE = len((INLINE + SOURCE).encode())


cdef enum Looked:
    # What is looked at of elements of a name, to tell whether they say where their blocks stand.
    NOTHING, ITS_NAME, ITS_CLASS


cdef class Name:
    """What is known of elements of a name."""

    cdef Looked looked
    cdef bint is_figure, is_pre
    # Whether it may be block-level, or an image.
    cdef bint may_count


cdef struct Around:
    # What is around the text at hand: the innermost block-level element with its number, and how many elements are open
    # in and around it; the chunks in which the innermost FIGURE and the innermost link began, and the number of the
    # innermost element that holds its images.
    xmlNode* node
    Py_ssize_t element, depth, figure, link, holder


cdef struct Open:
    # An open element, what was around it, and whether its start is written.
    PyObject* treatment
    xmlNode* node
    PyObject* name
    Around around
    # The innermost element at or around it that says where its text stands, once that is known.
    xmlNode* place
    bint is_placed
    bint is_block, is_style, is_figure, is_written


cdef class Wanted:
    """Numbers in ascending order, of which the next one is known."""

    cdef list numbers
    cdef Py_ssize_t next, at

    def __init__(self, numbers):
        self.numbers = sorted(numbers)
        self.next = self.numbers[0] if self.numbers else -1
        self.at = 0

    cdef bint takes(self, Py_ssize_t number) except -1:
        """Return whether a number is wanted; numbers must come in ascending order."""
        if number != self.next:
            return False
        self.at += 1
        self.next = self.numbers[self.at] if self.at < len(self.numbers) else -1
        return True


cdef inline char code_of(bytes mark, bytes kind) noexcept:
    """Return the code of the first mark of a kind, a byte; 0 if there is another mark or none."""
    cdef const char* text = PyBytes_AS_STRING(mark)
    cdef const char* sought = PyBytes_AS_STRING(kind)
    if PyBytes_GET_SIZE(mark) < 4 or text[0] != sought[0] or text[1] != sought[1] or text[2] != sought[2]:
        return 0
    return text[3]


cdef bint may_count(Treatment treatment) except -1:
    """Return whether an element may be block-level, or an image; ``treatment``: with all that its tests may lead to."""
    if treatment is None:
        return False
    if treatment.test is not None:
        return may_count(treatment.then) or may_count(treatment.otherwise)
    return treatment.is_block or code_of(treatment.start, INLINE_MARK) == IMAGE_CODE


cdef bint holds_elements(const xmlNode* node) noexcept:
    cdef const xmlNode* child = node.children
    while child is not NULL:
        if child.type == XML_ELEMENT_NODE:
            return True
        child = child.next
    return False


cdef class StyleReader:
    """Reads pages by one set of rules.

    ``writer``: that of the rules, which ask for styles.
    ``names``: of the elements that say by themselves where their blocks stand; ``by_class``: of those whose CLASS may.
    ``says``: tells of a CLASS whether it does.
    """

    cdef TreeWriter writer
    cdef NameTable names
    # What is told of values of CLASS.
    cdef ValueMemory met
    # That of all other names.
    cdef Name others
    cdef object says

    def __init__(self, TreeWriter writer, names, by_class, says):
        cdef Name name
        self.writer = writer
        self.says = says
        self.met = ValueMemory()
        found = {}
        for key in {*writer.names.kept, *(one.encode() for one in {*names, *by_class})}:
            one = key.decode()
            name = Name()
            name.looked = ITS_NAME if one in names else ITS_CLASS if one in by_class else NOTHING
            name.is_figure, name.is_pre = one == "figure", one == "pre"
            name.may_count = any([may_count(treatment) for treatment in writer.names.kept.get(key, writer.others)])
            found[one] = name
        self.names = NameTable(found)
        self.others = Name()
        self.others.may_count = any([may_count(treatment) for treatment in writer.others])

    def read(self, element, chunks, in_text, numbers, holders, Py_ssize_t last) -> tuple:
        """Return the texts of chunks, the images that stand alone, where FIGUREs end, and where elements stand.

        ``chunks``: the numbers of those whose text is wanted; ``in_text``: those of all that have text.
        ``numbers``: of the block-level elements that are wanted; ``holders``: of those that hold their images.
        ``last``: the number of the last chunk that matters.

        An image is its chunk, the number of the element around it, the chunk in which the FIGURE around it begins, the
        number of its holder, None without, what its attributes tell, and whether a link around it begins in the chunk.
        Of elements, themselves are given, and apart from these the innermost that says where their blocks stand, which
        may be themselves; None without.  Of each of the latter, too, the innermost such element around it.
        """
        cdef Reading reading = Reading.__new__(Reading)
        reading.reader = self
        reading.document = document_of(element)
        reading.chunks, reading.numbers, reading.holders = Wanted(chunks), Wanted(numbers), Wanted(holders)
        reading.in_text = in_text
        reading.last = last
        reading.run(node_of(element))
        return reading.texts, reading.images, reading.figures, reading.nodes, reading.places, reading.outer


cdef class Reading:
    """Reads one page."""

    cdef StyleReader reader
    cdef object document
    cdef Wanted chunks, numbers, holders
    cdef object in_text
    cdef Py_ssize_t last
    cdef list texts, images
    cdef dict figures, nodes, places, outer
    cdef Buffer buffer
    cdef Memory open
    cdef Around around
    # The number of the chunk at hand, that of the last block-level element, and how many of the open elements, from the
    # outermost on, are written or need not be.
    cdef Py_ssize_t chunk, opened, told
    # Whether the chunk at hand is wanted, and whether one has been.
    cdef bint is_wanted, has_text
    cdef Known[MOST_KNOWN] known, named
    cdef xmlNode* top

    def __cinit__(self):
        self.buffer.start = NULL
        self.texts, self.images = [], []
        self.figures, self.nodes, self.places, self.outer = {}, {}, {}, {}
        self.open = Memory(sizeof(Open))
        memset(&self.around, 0, sizeof(self.around))
        memset(self.known, 0, sizeof(self.known))
        memset(self.named, 0, sizeof(self.named))
        self.around.link = self.around.holder = -1

    def __dealloc__(self):
        PyMem_Free(self.buffer.start)

    cdef int run(self, xmlNode* element) except -1:
        cdef xmlNode* node = beginning_of(element, &self.top)
        self.buffer.size, self.buffer.room = 0, 1 << 12
        self.buffer.start = <char*> PyMem_Malloc(self.buffer.room)
        if self.buffer.start is NULL:
            raise MemoryError
        # Text outside of all block-level elements stands in the element that is read.
        self.around.node = element
        if self.numbers.takes(0):
            self.nodes[0] = self.places[0] = made_element(self.document, element)
        self.is_wanted = self.has_text = self.chunks.takes(0)
        while node is not NULL and not self.is_done():
            if node.type == XML_ELEMENT_NODE:
                if self.enter(node):
                    node = node.children
                    continue
            elif self.is_wanted and is_text(node):
                if node.content is not NULL:
                    write_text(&self.buffer, node.content)
            elif self.is_wanted and node.type == XML_PI_NODE:
                write_bytes(&self.buffer, self.reader.writer.instruction)
            while node != self.top and node.next is NULL and self.open.count:
                node = node.parent
                self.leave()
            node = NULL if node == self.top else node.next
        self.end_text()
        return 0

    cdef bint is_done(self) noexcept:
        """Return whether nothing follows that matters: images count up to the end of their FIGURE or holder."""
        return self.chunk > self.last and not self.around.figure and self.around.holder < 0

    cdef bint enter(self, xmlNode* node) except -1:
        """Begin an element; return whether what is inside is read."""
        cdef int mode = 0
        cdef Treatment treatment
        cdef Name name = self.name_of(node)
        cdef Open* open
        cdef char code
        if not self.is_wanted and not name.may_count and not holds_elements(node):
            # Whatever is written of it, nobody asks.
            return False
        if self.open.count:
            open = <Open*> self.open.start + self.open.count - 1
            mode = (<Treatment> open.treatment).below
        treatment = self.reader.writer.treatment_of(node, self.top, mode, self.known)
        if treatment is None:
            return False
        open = <Open*> self.open.added()
        memset(open, 0, sizeof(open[0]))
        open.treatment, open.node, open.around = <PyObject*> treatment, node, self.around
        # The reader holds it.
        open.name = <PyObject*> name
        open.is_block = treatment.is_block
        code = code_of(treatment.end, INLINE_MARK)
        open.is_style = code == UNLINK_CODE or code == PLAIN_CODE
        if open.is_block:
            self.opened += 1
            self.around.node, self.around.element, self.around.depth = node, self.opened, self.open.count
            if self.holders.takes(self.opened) or name.is_pre:
                self.around.holder = self.opened
            self.next_chunk()
            if name.is_figure:
                open.is_figure = True
                self.around.figure = self.chunk
        else:
            code = code_of(treatment.start, INLINE_MARK)
            if code == LINK_CODE:
                self.around.link = self.chunk
            if self.is_wanted:
                self.write_start(open)
                self.told = self.open.count
            elif code == IMAGE_CODE and self.chunk not in self.in_text:
                self.add_image(treatment, node)
        if open.is_block and self.numbers.takes(self.opened):
            self.add_element(self.opened)
        if treatment.below >= 0 and node.children is not NULL:
            return True
        self.leave()
        return False

    cdef int leave(self) except -1:
        """End the innermost open element."""
        cdef Open* open = <Open*> self.open.taken()
        if open.is_figure:
            self.figures[self.around.figure] = self.chunk + 1
        self.around = open.around
        self.told = min(self.told, self.open.count)
        if open.is_block:
            self.next_chunk()
        elif open.is_written if open.is_style else self.is_wanted:
            write_bytes(&self.buffer, (<Treatment> open.treatment).end)
        return 0

    cdef int next_chunk(self) except -1:
        """Begin a chunk; if it is wanted, write the starts of the styles that are open there and not written yet."""
        cdef Open* open
        self.chunk += 1
        self.is_wanted = self.chunks.takes(self.chunk)
        if self.is_wanted:
            self.end_text()
            self.has_text = True
            while self.told < self.open.count:
                open = <Open*> self.open.start + self.told
                if open.is_style:
                    self.write_start(open)
                self.told += 1
        return 0

    cdef int end_text(self) except -1:
        """Take the text of the last wanted chunk, if there is one."""
        if self.has_text:
            self.texts.append(PyUnicode_DecodeUTF8(self.buffer.start, self.buffer.size, "replace"))
        self.buffer.size = 0
        return 0

    cdef int write_start(self, Open* open) except -1:
        cdef Treatment treatment = <Treatment> open.treatment
        write_bytes(&self.buffer, treatment.start)
        if treatment.told:
            write_told(&self.buffer, treatment, open.node, self.top)
        open.is_written = True
        return 0

    cdef int add_image(self, Treatment treatment, xmlNode* node) except -1:
        """Add an image that stands in no text."""
        cdef size_t begin = self.buffer.size
        cdef Around* around = &self.around
        write_told(&self.buffer, treatment, node, self.top)
        told = PyUnicode_DecodeUTF8(
            self.buffer.start + begin, self.buffer.size - begin - SIZE_OF_SOURCE, "replace"
        )
        self.buffer.size = begin
        holder = None if around.holder < 0 else around.holder
        self.images.append((self.chunk, around.element, around.figure, holder, told, around.link == self.chunk))
        self.add_element(around.element)
        return 0

    cdef int add_element(self, Py_ssize_t number) except -1:
        """Add the innermost block-level element, and the innermost at or around it that says where its text stands."""
        cdef xmlNode* place
        if number in self.nodes:
            return 0
        place = self.place()
        element = made_element(self.document, self.around.node)
        self.nodes[number] = element
        if place != self.around.node:
            element = None if place is NULL else made_element(self.document, place)
        self.places[number] = element
        return 0

    cdef xmlNode* place(self) except? NULL:
        """Return the innermost element that says where text in the innermost block-level element stands.

        Few elements have wanted ones inside; only these are looked at, each once.
        """
        cdef Open* open = <Open*> self.open.start
        cdef Py_ssize_t at = self.around.depth
        cdef xmlNode* place
        while at > 0 and not open[at - 1].is_placed:
            at -= 1
        place = NULL if at == 0 else open[at - 1].place
        while at < self.around.depth:
            if self.says_place(open[at].node, <Name> open[at].name):
                around = None if place is NULL else made_element(self.document, place)
                place = open[at].node
                self.outer[made_element(self.document, place)] = around
            open[at].place, open[at].is_placed = place, True
            at += 1
        return place

    cdef Name name_of(self, xmlNode* node):
        cdef size_t at = place_of(node.name)
        if node.ns is not NULL:
            return self.reader.others
        if self.named[at].name != node.name:
            self.named[at].what = self.reader.names.what_of(node.name)
            self.named[at].name = node.name
            if self.named[at].what is NULL:
                self.named[at].what = <PyObject*> self.reader.others
        return <Name> self.named[at].what

    cdef bint says_place(self, xmlNode* node, Name name) except -1:
        """Return whether an element may say where its blocks stand."""
        cdef xmlAttr* found
        cdef const unsigned char* value
        cdef size_t size, place
        cdef int known
        if name.looked != ITS_CLASS:
            return name.looked == ITS_NAME
        found = attribute_of(node, b"class")
        if found is NULL or found.children is NULL:
            return False
        if attribute_of(node, b"data-callout") is not NULL:
            return True
        value = sole_text(found)
        if value is NULL:
            # Such as an entity: whoever asks looks closer.
            return True
        size = strlen(<const char*> value)
        known = self.reader.met.known(value, size, &place)
        if known < 0:
            known = bool(self.reader.says(decoded(value)))
            self.reader.met.remember(value, size, place, known)
        return known
