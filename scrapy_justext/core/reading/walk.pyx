# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Read a tree into nodes without a Python object for an element: what :func:`.nodes.read_in_python` gives.

This walks the nodes of libxml2 that lxml's elements stand for.  It reads their fields and calls no function of
libxml2, so it links none, and goes with whatever libxml2 lxml has.  It has no recursion on the depth of a page.  The
texts of a block are joined here, too.
"""

cimport cython
from cpython cimport array
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memcpy, strcmp, strlen, strpbrk

from scrapy_justext.core.reading.nodes cimport Nodes

from os import urandom

from lxml import etree

from scrapy_justext.core.reading import nodes as values


cdef extern from "libxml/tree.h":
    ctypedef enum xmlElementType:
        XML_ELEMENT_NODE
        XML_TEXT_NODE
        XML_CDATA_SECTION_NODE
        XML_ENTITY_REF_NODE
        XML_PI_NODE
        XML_COMMENT_NODE
        XML_XINCLUDE_START
        XML_XINCLUDE_END

    ctypedef struct xmlNs:
        const unsigned char* href
        const unsigned char* prefix

    ctypedef struct xmlAttr:
        const unsigned char* name
        xmlNode* children
        xmlAttr* next
        xmlNs* ns

    ctypedef struct xmlNode:
        xmlElementType type
        const unsigned char* name
        xmlNode* children
        xmlNode* parent
        xmlNode* next
        xmlNode* prev
        xmlNs* ns
        unsigned char* content
        xmlAttr* properties


cdef extern from *:
    """
    /* The beginning of lxml's _Element. */
    typedef struct {
        PyObject_HEAD
        PyObject *document;
        xmlNode *node;
        PyObject *tag;
    } TreeElement;
    """
    ctypedef struct TreeElement:
        PyObject* document
        xmlNode* node


cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8(object text) except NULL
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL


cdef Py_ssize_t LONG = values.LONG
#: The size of lxml's elements; one that lays them out otherwise has another.
SIZE_OF_ELEMENT = sizeof(TreeElement)

cdef int DOCUMENT = values.DOCUMENT, COMMENT = values.COMMENT, INSTRUCTION = values.INSTRUCTION, ENTITY = values.ENTITY
cdef int HAS_TEXT = values.HAS_TEXT, HAS_SPACE = values.HAS_SPACE, IS_BLANK = values.IS_BLANK
cdef int MAY_BE_TEX = values.MAY_BE_TEX, HAS_UNSEEN = values.HAS_UNSEEN, BEHIND = values.BEHIND
cdef int MAY_BE_HIDDEN = values.MAY_BE_HIDDEN, IS_ADDRESSED = values.IS_ADDRESSED
cdef bytes NEARBY = values.NEARBY.encode()

cdef xmlNode* node_of(object element) except NULL:
    # What only claims to be an element by its ``__class__`` has no node.
    if not issubclass(type(element), etree._Element):
        raise TypeError(f"no element: {element!r}")
    cdef xmlNode* node = (<TreeElement*> <PyObject*> element).node
    if node is NULL:
        raise ValueError("an element without a node")
    return node


cdef void* capsule_of(str name, bytes signature) except NULL:
    """Return a function that lxml offers to compiled code."""
    try:
        return PyCapsule_GetPointer(etree.__pyx_capi__[name], signature)
    except (AttributeError, KeyError, ValueError) as error:
        raise ImportError(f"lxml {etree.__version__} has no {name} that is known") from error


ctypedef object (*ElementOf)(object document, xmlNode* node)
cdef ElementOf element_of = <ElementOf> capsule_of(
    "elementFactory", b"struct LxmlElement *(struct LxmlDocument *, xmlNode *)"
)


cdef inline bint is_text(const xmlNode* node) noexcept:
    return node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE


cdef inline const xmlNode* text_from(const xmlNode* node) noexcept:
    """Return the node itself or the next beside it that is text, as lxml reads text on; NULL if there is none."""
    while node is not NULL and not is_text(node):
        if node.type != XML_XINCLUDE_START and node.type != XML_XINCLUDE_END:
            return NULL
        node = node.next
    return node


cdef inline int white_space_at(const unsigned char* at) noexcept:
    """Return how many bytes a character takes if it is white space to Python; else 0."""
    if at[0] <= c" ":
        return at[0] == c" " or c"\t" <= at[0] <= c"\r" or at[0] >= 0x1C
    if at[0] < 0xC2 or at[0] > 0xE3:
        return 0
    if at[0] == 0xC2:
        return 2 if at[1] == 0x85 or at[1] == 0xA0 else 0
    if at[0] == 0xE2 and at[1] == 0x80:
        return 3 if 0x80 <= at[2] <= 0x8A or at[2] == 0xA8 or at[2] == 0xA9 or at[2] == 0xAF else 0
    if at[0] == 0xE2:
        return 3 if at[1] == 0x81 and at[2] == 0x9F else 0
    if at[0] == 0xE1:
        return 3 if at[1] == 0x9A and at[2] == 0x80 else 0
    return 3 if at[0] == 0xE3 and at[1] == 0x80 and at[2] == 0x80 else 0


#: By the first byte of a character, whether it may be white space.
cdef bint[256] MAY_BE_SPACE
for first_byte in range(256):
    MAY_BE_SPACE[first_byte] = first_byte in (0xC2, 0xE1, 0xE2, 0xE3) or (first_byte < 128 and chr(first_byte).isspace())


#: What formulas have, and the first bytes of what is not shown.
cdef char* SIGNS = b"$\\\xc2\xe2\xef"


cdef inline bint is_unseen(const char* at) noexcept:
    """Return whether a character is one of those in :data:`~scrapy_justext.core.text.UNSEEN`."""
    cdef const unsigned char* byte = <const unsigned char*> at
    if byte[0] == 0xC2:
        return byte[1] == 0xAD
    if byte[0] == 0xEF:
        return byte[1] == 0xBB and byte[2] == 0xBF
    return byte[0] == 0xE2 and ((byte[1] == 0x80 and byte[2] == 0x8B) or (byte[1] == 0x81 and byte[2] == 0xA0))


cdef int flags_with(int flags, const unsigned char* at) noexcept:
    """Return the flags of a text with those of its next part; IS_BLANK if only the text as a whole tells whether."""
    cdef const char* sign
    if at is NULL or not at[0]:
        return flags
    flags |= HAS_SPACE
    while at[0] == c" " or at[0] == c"\n" or at[0] == c"\t" or at[0] == c"\r" or at[0] == c"\f":
        at += 1
    if at[0] and not flags & HAS_TEXT:
        flags |= HAS_TEXT | (IS_BLANK if white_space_at(at) else 0)
    sign = strpbrk(<const char*> at, SIGNS)
    while sign is not NULL:
        flags |= MAY_BE_TEX if sign[0] == c"$" or sign[0] == c"\\" else HAS_UNSEEN * is_unseen(sign)
        sign = strpbrk(sign + 1, SIGNS)
    return flags


cdef int flags_of(int flags, str text) noexcept:
    """Return the flags of a whole text; ``text``: None unless it may be blank."""
    if text is not None and not text.isspace():
        flags &= ~IS_BLANK
    return flags if not flags & HAS_TEXT else flags & ~HAS_SPACE


cdef int text_flags(const xmlNode* node) except -1:
    """Return the flags of the text from a node on: 0 for none at all."""
    cdef int flags = 0
    cdef const xmlNode* part = text_from(node)
    while part is not NULL:
        flags = flags_with(flags, part.content)
        part = text_from(part.next)
    return flags_of(flags, joined_text(node) if flags & IS_BLANK else None)


cdef str decoded(const unsigned char* text):
    return PyUnicode_DecodeUTF8(<const char*> text, strlen(<const char*> text), "replace")


cdef str joined_text(const xmlNode* node):
    """Return the text from a node on."""
    cdef str text = None
    node = text_from(node)
    while node is not NULL:
        if node.content is not NULL:
            text = decoded(node.content) if text is None else text + decoded(node.content)
        node = text_from(node.next)
    return "" if text is None else text


cdef const unsigned char* sole_text(const xmlAttr* attribute) noexcept:
    """Return the value of an attribute; NULL if it has several parts, such as an entity."""
    cdef const xmlNode* inside = attribute.children
    if inside is NULL:
        return <const unsigned char*> ""
    if inside.next is not NULL or not is_text(inside):
        return NULL
    return <const unsigned char*> "" if inside.content is NULL else inside.content


cdef xmlNode* beside(xmlNode* node) noexcept:
    """Return the node itself, or the next beside it that is a node to us; NULL if there is none."""
    while node is not NULL:
        if node.type in (XML_ELEMENT_NODE, XML_COMMENT_NODE, XML_PI_NODE, XML_ENTITY_REF_NODE):
            return node
        node = node.next
    return NULL


cdef xmlNode* first_beside(xmlNode* node) noexcept:
    while node.prev is not NULL:
        node = node.prev
    return beside(node)


@cython.final
cdef class Memory:
    """Remembers what the values of an attribute tell; many elements of many pages have the same.

    A value is known again by two numbers alone: those of the hash function NH with a secret key (Black and others,
    "UMAC", 1999).  Whatever pages have, two values share both once in 2**64 times.
    """

    def __cinit__(self, tell):
        self.tell = tell
        memcpy(self.key, PyBytes_AS_STRING(urandom(sizeof(self.key))), sizeof(self.key))

    cdef int told_by(self, const unsigned char* value) except -1:
        cdef size_t size = strlen(<const char*> value), at = 0
        cdef unsigned long long first = size, second = 0
        cdef unsigned int[2] part
        cdef unsigned int* key = self.key
        cdef Met* met
        if size > LONGEST_VALUE:
            return self.tell(decoded(value))
        while at < size:
            part[0] = part[1] = 0
            memcpy(part, value + at, min(size - at, sizeof(part)))
            first += <unsigned long long> (part[0] + key[0]) * (part[1] + key[1])
            second += <unsigned long long> (part[0] + key[2]) * (part[1] + key[3])
            at += sizeof(part)
            key += 2
        met = &self.met[(first >> 32) % MOST_VALUES]
        if met.first and (met.first != first or met.second != second):
            # Each has a second place, if another has its first.
            met = &self.met[(second >> 32) % MOST_VALUES]
        if met.first != first or met.second != second:
            met.told = self.tell(decoded(value))
            met.first, met.second = first, second
        return met.told


cdef Name* known_as(Name* known, const unsigned char* name, const unsigned char* namespace) noexcept:
    """Return the place of a name: where it stands, or else where it is to be put, in place of another if need be."""
    cdef size_t place = ((<size_t> name >> 3) ^ (<size_t> name >> 12)) % MOST_KNOWN
    cdef int steps = MOST_STEPS
    while steps and known[place].name is not NULL and (known[place].name != name or known[place].namespace != namespace):
        place = (place + 1) % MOST_KNOWN
        steps -= 1
    return &known[place]


cdef class WrittenNodes(Nodes):
    """Nodes whose texts are joined here."""

    def __cinit__(self):
        # All else is 0.
        self.begin_text()

    def __dealloc__(self):
        PyMem_Free(self.text_written)
        PyMem_Free(self.places)

    cdef void* place(self, int node) noexcept:
        """Return where the parser has a node; NULL for node 0, for what is no node, and once the page is let go of."""
        return NULL if self.places is NULL or node < 0 or node >= self.count else self.places[node]

    def reordered(self, order, columns):
        cdef WrittenNodes made = type(self)(columns, self.names, [])
        cdef int node, count = 0
        made.original, made.order, made.document = self, order, self.document
        made.places = <void**> PyMem_Realloc(NULL, len(order) * sizeof(void*))
        if made.places is NULL:
            raise MemoryError
        for node in order:
            made.places[count] = self.place(node)
            count += 1
        return made

    cdef void begin_text(self) noexcept:
        self.length = 0
        # There is none at the start.
        self.after_space = True
        self.is_space_linked = self.in_word = False
        self.linked = self.link_words = 0

    cdef int write_bytes(self, const unsigned char* at, size_t size, bint is_linked) except -1:
        cdef const unsigned char* end = at + size
        cdef const unsigned char* begin
        cdef char* moved
        cdef int width
        if self.length + size + 1 > self.room:
            moved = <char*> PyMem_Realloc(self.text_written, 2 * (self.length + size + 256))
            if moved is NULL:
                raise MemoryError
            self.text_written, self.room = moved, 2 * (self.length + size + 256)
        while at < end:
            width = white_space_at(at)
            if width:
                at += width
                if not self.after_space:
                    self.after_space, self.is_space_linked, self.in_word = True, is_linked, False
                continue
            if self.after_space and self.length:
                self.text_written[self.length] = c" "
                self.length += 1
                self.linked += self.is_space_linked
            self.link_words += is_linked and not self.in_word
            self.after_space, self.in_word = False, is_linked
            begin = at
            while at < end and not (MAY_BE_SPACE[at[0]] and white_space_at(at)):
                at += 1
                # A single space goes along with the words around it; in links, words are counted.
                if at < end - 1 and at[0] == c" " and not is_linked and not MAY_BE_SPACE[at[1]]:
                    at += 1
            memcpy(self.text_written + self.length, begin, at - begin)
            self.length += at - begin
            if is_linked:
                while begin < at:
                    # A character has one byte that begins it.
                    self.linked += (begin[0] & 0xC0) != 0x80
                    begin += 1
        return 0

    cpdef object write_text(self, str text, bint is_linked):
        cdef Py_ssize_t size
        cdef const char* encoded = PyUnicode_AsUTF8AndSize(text, &size)
        self.write_bytes(<const unsigned char*> encoded, size, is_linked)

    cpdef tuple written(self):
        cdef str text = PyUnicode_DecodeUTF8(self.text_written, self.length, "replace") if self.length else ""
        cdef tuple written = (text, self.linked, self.link_words)
        self.begin_text()
        return written

    def let_go(self, names):
        Nodes.let_go(self, names)
        PyMem_Free(self.text_written)
        PyMem_Free(self.places)
        self.text_written, self.room, self.places, self.document = NULL, 0, NULL, None
        self.begin_text()


@cython.final
cdef class TreeNodes(WrittenNodes):
    """The nodes of a tree of lxml, which must not change while they are read."""

    cpdef object write(self, int node, bint is_linked):
        cdef const xmlNode* part = self.text_at(node)
        while part is not NULL:
            if part.content is not NULL:
                self.write_bytes(part.content, strlen(<const char*> part.content), is_linked)
            part = text_from(part.next)

    cdef const xmlNode* text_at(self, int node) noexcept:
        """Return where the text begins that is that of a token of the flow."""
        cdef xmlNode* place = <xmlNode*> self.place(node if node >= 0 else ~node)
        if place is NULL:
            return NULL
        if node >= 0:
            return text_from(place.children) if self.tag[node] >= 0 else NULL
        return text_from(place.next) if self.parent[~node] > 0 else NULL

    cpdef str attribute(self, int node, str name):
        cdef xmlNode* place = <xmlNode*> self.place(node)
        cdef xmlAttr* attr
        cdef const char* sought
        cdef const unsigned char* value
        cdef str decoded_value
        if self.places is NULL or (self._long and (node, name) in self._long):
            return Nodes.attribute(self, node, name)
        if place is NULL or self.tag[node] < 0 or place.properties is NULL:
            return None
        sought = PyUnicode_AsUTF8(name)
        attr = place.properties
        while attr is not NULL:
            if attr.ns is NULL and sought[0] == attr.name[0] and strcmp(sought, <const char*> attr.name) == 0:
                value = sole_text(attr)
                decoded_value = self.element(node).get(name) if value is NULL else decoded(value)
                if len(decoded_value) > LONG:
                    self._long[node, name] = decoded_value
                return decoded_value
            attr = attr.next
        return None

    cpdef list items(self, int node):
        cdef xmlNode* place = <xmlNode*> self.place(node)
        cdef xmlAttr* attribute
        cdef const unsigned char* value
        cdef list items = []
        if self.places is NULL:
            return Nodes.items(self, node)
        attribute = NULL if place is NULL or self.tag[node] < 0 else place.properties
        while attribute is not NULL:
            value = sole_text(attribute)
            if attribute.ns is not NULL or value is NULL:
                return self.element(node).items()
            items.append((decoded(attribute.name), decoded(value)))
            attribute = attribute.next
        return items

    cpdef str text(self, int node):
        return joined_text(self.text_at(node))

    cpdef str tail(self, int node):
        return "" if node < 0 else joined_text(self.text_at(~node))

    cpdef object element(self, int node):
        cdef xmlNode* place = <xmlNode*> self.place(node)
        return None if place is NULL else element_of(self.document, place)

    def numbers(self, elements):
        cdef list sought = [<size_t> node_of(element) for element in elements]
        cdef dict nodes = dict.fromkeys(sought, 0)
        cdef int node
        for node in range(1, self.count if self.places is not NULL else 0):
            if self.tag[node] >= 0 and not nodes.get(<size_t> self.places[node], -1):
                nodes[<size_t> self.places[node]] = node
        return [nodes[place] for place in sought]


cdef class NodeReader:
    """What readings of pages share; ``watched`` is what is looked for meanwhile."""

    def __init__(self, watched):
        self.telling = {}
        for told, names in (
            (values.IS_DESCRIBED, watched.describing), (values.IS_UNQUOTED, [values.UNQUOTED]), (IS_ADDRESS, ["href"]),
            (IS_CLASS, ["class"]), (MAY_BE_HIDDEN, watched.hiding), (HIDES_BY_VALUE, watched.hiding_by_value),
        ):
            for name in names:
                self.telling[name] = self.telling.get(name, 0) | told
        self.classes, self.hiding_values = Memory(watched.signs), Memory(watched.may_hide)
        self.names = watched.names
        self.numbers = {name: number for number, name in enumerate(watched.names)}
        self.script, self.style, self.template = map(self.names.index, [*sorted(values.SOURCES), "template"])

    cdef int tell(self, int told, const unsigned char* value, Description* description) except -1:
        """Tell of a node what one of its attributes tells by its name, and by its value."""
        description.flags |= told & ~TOLD_BY_VALUE
        if told & IS_CLASS:
            description.signs = self.classes.told_by(value)
        if told & HIDES_BY_VALUE and self.hiding_values.told_by(value):
            description.flags |= MAY_BE_HIDDEN
        if told & IS_ADDRESS and value[0] and value[0] not in NEARBY:
            description.flags |= IS_ADDRESSED
        return 0


cdef class PageReading:
    """Reads the nodes of a page, whatever parser made it."""

    def __cinit__(self, NodeReader reader):
        # All else is 0.
        self.reader, self.names, self.others = reader, list(reader.names), {}

    cdef int describe(self, void* node, bint is_inside, Description* description) except -1:
        """Tell what a node is; ``is_inside``: whether it stands in another one, so that text may stand behind it."""
        raise NotImplementedError

    cdef void* behind(self, void* node) noexcept:
        """Return the next node beside one; NULL if there is none."""
        return NULL

    cdef int number_of_name(self, str name) except -1:
        """Return the number of a name on this page; one that is new gets the next number."""
        cdef object number = self.reader.numbers.get(name)
        if number is None:
            number = self.others.get(name)
        if number is None:
            number = self.others[name] = len(self.names)
            self.names.append(name)
        return number

    cdef WrittenNodes nodes(self, type kind, void* node):
        """Return the nodes from one on, of a class of nodes, in document order; NULL for none."""
        cdef void** places = NULL
        cdef void** moved
        cdef Description description
        cdef Py_ssize_t room = 0, count = 1
        cdef int around = 0
        cdef array.array tags, parents, ends, all_flags, all_signs, empty = array.array("i")
        cdef int* parent = NULL
        cdef int* end = NULL
        cdef WrittenNodes made
        tags, parents, ends, all_flags, all_signs = [array.clone(empty, 0, False) for _ in range(5)]
        try:
            while True:
                if count + 1 >= room:
                    room = 512 if room == 0 else 2 * room
                    moved = <void**> PyMem_Realloc(places, room * sizeof(void*))
                    if moved is NULL:
                        raise MemoryError
                    places = moved
                    for column in (tags, parents, ends, all_flags, all_signs):
                        array.resize(column, room)
                    parent, end = parents.data.as_ints, ends.data.as_ints
                    if count == 1:
                        places[0] = NULL
                        tags.data.as_ints[0], parent[0] = DOCUMENT, -1
                        all_flags.data.as_ints[0] = all_signs.data.as_ints[0] = 0
                if node is NULL:
                    break
                places[count] = node
                parent[count] = around
                description = Description(0, 0, 0, NULL)
                self.describe(node, around > 0, &description)
                tags.data.as_ints[count] = description.tag
                all_flags.data.as_ints[count], all_signs.data.as_ints[count] = description.flags, description.signs
                count += 1
                # The next in document order.
                if description.first is not NULL:
                    around = count - 1
                    node = description.first
                    continue
                end[count - 1] = count
                description.first = self.behind(node)
                while description.first is NULL and around:
                    node = places[around]
                    end[around] = count
                    around = parent[around]
                    description.first = self.behind(node)
                node = description.first
            end[0] = count
            for column in (tags, parents, ends, all_flags, all_signs):
                array.resize(column, count)
            made = kind((tags, parents, ends, all_flags, all_signs), self.names, [])
            made.places, places = places, NULL
            return made
        finally:
            PyMem_Free(places)


@cython.final
cdef class TreeReader(NodeReader):
    """Reads trees."""

    def read(self, root) -> Nodes:
        """Return the nodes of a tree, or of the part of one at and below ``root``."""
        cdef xmlNode* top = node_of(root)
        cdef TreeReading reading = TreeReading(self)
        cdef WrittenNodes made
        reading.document = <object> (<TreeElement*> <PyObject*> root).document
        if top.parent is not NULL and top.parent.type != XML_ELEMENT_NODE:
            top = first_beside(top)
        else:
            reading.part = top
        made = reading.nodes(TreeNodes, top)
        made.document = reading.document
        return made


@cython.final
cdef class TreeReading(PageReading):
    """Reads the nodes of a tree."""

    cdef object document
    # The element that is read with what is in it alone; NULL for a whole tree.
    cdef xmlNode* part

    cdef int describe(self, void* place, bint is_inside, Description* description) except -1:
        cdef xmlNode* node = <xmlNode*> place
        if node.type == XML_ELEMENT_NODE:
            description.tag = self.number_of(node)
            if node.properties is not NULL:
                self.read_attributes(node, description)
            if node.children is not NULL:
                if description.tag != self.reader.script and description.tag != self.reader.style:
                    description.flags |= text_flags(node.children)
                description.first = beside(node.children)
        elif node.type == XML_COMMENT_NODE:
            description.tag = COMMENT
        else:
            description.tag = INSTRUCTION if node.type == XML_PI_NODE else ENTITY
        if is_inside:
            description.flags |= text_flags(node.next) << BEHIND
        return 0

    cdef void* behind(self, void* node) noexcept:
        return NULL if node == <void*> self.part else <void*> beside((<xmlNode*> node).next)

    cdef int number_of(self, xmlNode* node) except -1:
        """Return the number of an element's name; one that is new gets the next number."""
        cdef const unsigned char* namespace = NULL if node.ns is NULL else node.ns.href
        cdef Name* place = known_as(self.known, node.name, namespace)
        cdef str name
        if place.name == node.name and place.namespace == namespace:
            return place.number
        name = decoded(node.name) if namespace is NULL else f"{{{decoded(namespace)}}}{decoded(node.name)}"
        place[0] = Name(node.name, namespace, self.number_of_name(name))
        return place.number

    cdef int read_attributes(self, xmlNode* node, Description* description) except -1:
        cdef xmlAttr* attribute = node.properties
        cdef const unsigned char* value
        cdef bytes whole
        cdef Name* place
        while attribute is not NULL:
            place = known_as(self.known_attributes, attribute.name, NULL)
            if place.name != attribute.name:
                place[0] = Name(attribute.name, NULL, self.reader.telling.get(decoded(attribute.name), 0))
            if place.number and attribute.ns is NULL:
                value = sole_text(attribute) if place.number & TOLD_BY_VALUE else NULL
                if value is NULL and place.number & TOLD_BY_VALUE:
                    whole = element_of(self.document, node).get(decoded(attribute.name)).encode()
                    value = whole
                self.reader.tell(place.number, value, description)
            attribute = attribute.next
        return 0
