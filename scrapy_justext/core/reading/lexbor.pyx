# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Parse a page as browsers do, by lexbor, and read its nodes.

Selectolax brings lexbor, and exports its functions.  Nodes are read where lexbor has them, by their layout in its
headers, so only with the versions of :data:`LAYOUTS`.  No object is made for an element.
"""

cimport cython
from cpython.unicode cimport PyUnicode_AsUTF8
from libc.string cimport strcmp, strlen

from scrapy_justext.core.reading.nodes cimport Nodes
from scrapy_justext.core.reading.walk cimport (
    Description, Name, NodeReader, PageReading, WrittenNodes, decoded, flags_of, flags_with, known_as,
)

import ctypes

from selectolax import lexbor

from scrapy_justext.core.reading import nodes as values

#: The versions of lexbor whose nodes have the layout below.
LAYOUTS = frozenset({(3, 1)})

cdef enum:
    ELEMENT = 1
    TEXT = 3
    CDATA = 4
    INSTRUCTION_NODE = 7
    COMMENT_NODE = 8
    # The bytes after which a page is looked at, and how deep it may nest there.  The parser goes over all open elements
    # for each new one, and opens all formatting elements anew in each paragraph.
    CHUNK = 8192
    DEEPEST = 512

cdef int COMMENT = values.COMMENT, INSTRUCTION = values.INSTRUCTION
cdef int BEHIND = values.BEHIND, IS_BLANK = values.IS_BLANK
cdef Py_ssize_t LONG = values.LONG


cdef struct DomNode:
    void* events
    size_t local_name
    size_t prefix
    size_t namespace
    void* document
    DomNode* next
    DomNode* previous
    DomNode* parent
    DomNode* first_child
    DomNode* last_child
    void* user
    int type


cdef struct DomText:
    DomNode node
    unsigned char* data
    size_t length


cdef struct DomString:
    const unsigned char* data
    size_t length


cdef struct DomAttribute:
    DomNode node
    size_t upper_name
    size_t qualified_name
    DomString* value
    void* owner
    DomAttribute* next


cdef struct DomElement:
    DomNode node
    size_t upper_name
    size_t qualified_name
    void* is_value
    DomAttribute* first_attribute
    DomAttribute* last_attribute
    DomAttribute* id
    DomAttribute* css_class
    void* style
    void* rules
    int condition
    int state


cdef struct DomTemplate:
    DomElement element
    DomNode* content


ctypedef void* (*Create)() noexcept nogil
ctypedef unsigned int (*Step)(void* document) noexcept nogil
ctypedef unsigned int (*Parse)(void* document, const unsigned char* html, size_t size) noexcept nogil
ctypedef void* (*Destroy)(void* document) noexcept nogil
ctypedef const unsigned char* (*NameOf)(void* named, size_t* size) noexcept nogil


cdef size_t address_of(str name) except 0:
    """Return where a function of lexbor is."""
    if (lexbor.LEXBOR_VERSION_MAJOR, lexbor.LEXBOR_VERSION_MINOR) not in LAYOUTS:
        raise ImportError(f"lexbor {lexbor.LEXBOR_VERSION_MAJOR}.{lexbor.LEXBOR_VERSION_MINOR} was not tested")
    try:
        return ctypes.cast(getattr(ctypes.CDLL(lexbor.__file__), name), ctypes.c_void_p).value
    except (AttributeError, OSError) as error:
        raise ImportError(f"selectolax exports no {name} here") from error


cdef Create create = <Create> address_of("lxb_html_document_create")
cdef Step begin = <Step> address_of("lxb_html_document_parse_chunk_begin")
cdef Parse parse_chunk = <Parse> address_of("lxb_html_document_parse_chunk")
cdef Step finish = <Step> address_of("lxb_html_document_parse_chunk_end")
cdef Destroy destroy = <Destroy> address_of("lxb_html_document_destroy")
cdef NameOf name_of_element = <NameOf> address_of("lxb_dom_element_local_name")
cdef NameOf name_of_attribute = <NameOf> address_of("lxb_dom_attr_qualified_name")


@cython.final
cdef class Document:
    """A parsed page, which lives as long as its nodes."""

    cdef void* document
    cdef bint is_cut

    def __cinit__(self, bytes data):
        cdef const unsigned char* html = data
        cdef size_t size = len(data), at = 0, part
        cdef unsigned int status
        self.document = create()
        if self.document is NULL:
            raise MemoryError
        with nogil:
            status = begin(self.document)
            while status == 0 and at < size and not self.is_cut:
                part = min(size - at, <size_t> CHUNK)
                status = parse_chunk(self.document, html + at, part)
                at += part
                self.is_cut = at < size and is_deep(<DomNode*> self.document)
            if status == 0:
                status = finish(self.document)
        if status:
            raise MemoryError(f"lexbor gave up with status {status}")

    def __dealloc__(self):
        if self.document is not NULL:
            destroy(self.document)


cdef bint is_deep(DomNode* node) noexcept nogil:
    """Return whether more elements are open than browsers let be."""
    cdef int depth = 0
    while node is not NULL and depth <= DEEPEST:
        node = node.last_child
        depth += 1
    return depth > DEEPEST


cdef inline DomNode* text_from(DomNode* node) noexcept:
    return node if node is not NULL and (node.type == TEXT or node.type == CDATA) else NULL


cdef inline const unsigned char* data_of(DomNode* node) noexcept:
    cdef DomText* text = <DomText*> node
    if text.data is not NULL:
        # Of what stands in a FRAMESET lexbor keeps the white space, and lets the old text lie behind it.
        text.data[text.length] = 0
    return text.data


cdef int text_flags(DomNode* node) except -1:
    """Return the flags of the text from a node on: 0 for none at all."""
    cdef int flags = 0
    cdef DomNode* part = text_from(node)
    while part is not NULL:
        flags = flags_with(flags, data_of(part))
        part = text_from(part.next)
    return flags_of(flags, joined_text(node) if flags & IS_BLANK else None)


cdef str joined_text(DomNode* node):
    """Return the text from a node on."""
    cdef str text = None
    node = text_from(node)
    while node is not NULL:
        if data_of(node) is not NULL:
            text = decoded(data_of(node)) if text is None else text + decoded(data_of(node))
        node = text_from(node.next)
    return "" if text is None else text


cdef inline const unsigned char* value_of(DomAttribute* attribute) noexcept:
    if attribute.value is NULL or attribute.value.data is NULL:
        return <const unsigned char*> ""
    return attribute.value.data


cdef DomNode* beside(DomNode* node) noexcept:
    """Return the node itself, or the next beside it that is a node to us; NULL if there is none."""
    while node is not NULL and node.type not in (ELEMENT, COMMENT_NODE, INSTRUCTION_NODE):
        node = node.next
    return node


cdef inline DomNode* inside(DomNode* node, bint is_template) noexcept:
    """Return the first node inside an element, of any kind; the content of a TEMPLATE stands apart."""
    if is_template and node.first_child is NULL and (<DomTemplate*> node).content is not NULL:
        return (<DomTemplate*> node).content.first_child
    return node.first_child


@cython.final
cdef class LexborNodes(WrittenNodes):
    """The nodes of a page that lexbor parsed."""

    # The number of the name of TEMPLATE.
    cdef int template

    cdef DomNode* text_at(self, int node) noexcept:
        """Return where the text begins that is that of a token of the flow."""
        cdef DomNode* place = <DomNode*> self.place(node if node >= 0 else ~node)
        if place is NULL:
            return NULL
        if node >= 0:
            return text_from(inside(place, self.tag[node] == self.template)) if self.tag[node] >= 0 else NULL
        return text_from(place.next) if self.parent[~node] > 0 else NULL

    cpdef object write(self, int node, bint is_linked):
        cdef DomNode* part = self.text_at(node)
        while part is not NULL:
            if data_of(part) is not NULL:
                self.write_bytes(data_of(part), strlen(<const char*> data_of(part)), is_linked)
            part = text_from(part.next)

    cpdef str text(self, int node):
        return joined_text(self.text_at(node))

    cpdef str tail(self, int node):
        return "" if node < 0 else joined_text(self.text_at(~node))

    cpdef str comment(self, int node):
        cdef DomNode* place = <DomNode*> self.place(node)
        return "" if place is NULL or place.type != COMMENT_NODE else decoded(data_of(place))

    cpdef object element(self, int node):
        return None

    cpdef str attribute(self, int node, str name):
        cdef DomNode* place = <DomNode*> self.place(node)
        cdef DomAttribute* attr
        cdef const char* sought
        cdef str value
        cdef size_t size
        if place is NULL or self.tag[node] < 0:
            return None
        if self._long and (node, name) in self._long:
            return self._long[node, name]
        sought = PyUnicode_AsUTF8(name)
        attr = (<DomElement*> place).first_attribute
        while attr is not NULL:
            if strcmp(sought, <const char*> name_of_attribute(attr, &size)) == 0:
                value = decoded(value_of(attr))
                if len(value) > LONG:
                    self._long[node, name] = value
                return value
            attr = attr.next
        return None

    cpdef list items(self, int node):
        cdef DomNode* place = <DomNode*> self.place(node)
        cdef DomAttribute* attribute
        cdef size_t size
        cdef list items = []
        attribute = NULL if place is NULL or self.tag[node] < 0 else (<DomElement*> place).first_attribute
        while attribute is not NULL:
            items.append((decoded(name_of_attribute(attribute, &size)), decoded(value_of(attribute))))
            attribute = attribute.next
        return items

    def reordered(self, order, columns):
        cdef LexborNodes made = WrittenNodes.reordered(self, order, columns)
        made.template = self.template
        return made

    def let_go(self, names):
        """Keep all: nobody else has the page, so it cannot change."""
        self.written()


@cython.final
cdef class LexborReader(NodeReader):
    """Parses pages and reads their nodes."""

    def read(self, bytes data) -> tuple[Nodes, bool]:
        """Return the nodes of a page in UTF-8, and whether it nests so deep that the rest was left out."""
        cdef Document document = Document(data)
        cdef LexborNodes made = LexborReading(self).nodes(LexborNodes, beside((<DomNode*> document.document).first_child))
        made.document, made.template = document, self.template
        return made, document.is_cut


@cython.final
cdef class LexborReading(PageReading):
    """Reads the nodes of a page that lexbor parsed."""

    cdef int describe(self, void* place, bint is_inside, Description* description) except -1:
        cdef DomNode* node = <DomNode*> place
        cdef DomNode* first
        if node.type == ELEMENT:
            description.tag = self.number_of(node)
            self.read_attributes(<DomElement*> node, description)
            first = inside(node, description.tag == self.reader.template)
            if description.tag != self.reader.script and description.tag != self.reader.style:
                description.flags |= text_flags(first)
            description.first = beside(first)
        else:
            description.tag = COMMENT if node.type == COMMENT_NODE else INSTRUCTION
        if is_inside:
            description.flags |= text_flags(node.next) << BEHIND
        return 0

    cdef void* behind(self, void* node) noexcept:
        return beside((<DomNode*> node).next)

    cdef int number_of(self, DomNode* node) except -1:
        """Return the number of an element's name; one that is new gets the next number."""
        # Lexbor has a number for each name, which is no address for those that it knows.
        cdef const unsigned char* key = <const unsigned char*> ((node.local_name << 4) | 1)
        cdef Name* place = known_as(self.known, key, NULL)
        cdef size_t size
        if place.name != key:
            place[0] = Name(key, NULL, self.number_of_name(decoded(name_of_element(node, &size))))
        return place.number

    cdef int read_attributes(self, DomElement* element, Description* description) except -1:
        cdef DomAttribute* attribute = element.first_attribute
        cdef const unsigned char* key
        cdef Name* place
        cdef size_t size
        while attribute is not NULL:
            key = <const unsigned char*> ((attribute.node.local_name << 4) | 1)
            place = known_as(self.known_attributes, key, <const unsigned char*> attribute.node.prefix)
            if place.name != key or place.namespace != <const unsigned char*> attribute.node.prefix:
                place[0] = Name(
                    key, <const unsigned char*> attribute.node.prefix,
                    self.reader.telling.get(decoded(name_of_attribute(attribute, &size)), 0),
                )
            if place.number:
                self.reader.tell(place.number, value_of(attribute), description)
            attribute = attribute.next
        return 0
