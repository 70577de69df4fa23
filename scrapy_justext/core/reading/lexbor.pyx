# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Parse a page as browsers do, by lexbor, and read its nodes.

Selectolax brings lexbor, and exports its functions.  Nodes are read where lexbor has them, by their layout in its
headers, so only with the versions of :data:`LAYOUTS`.  No object is made for an element.
"""

cimport cython
from cpython cimport array
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.unicode cimport PyUnicode_AsUTF8
from libc.string cimport memset, strcmp, strlen

from scrapy_justext.core.reading.nodes cimport Nodes
from scrapy_justext.core.reading.walk cimport (
    IS_CLASS, MOST_KNOWN, Name, NodeReader, WrittenNodes, decoded, flags_of, flags_with, known_as,
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

cdef int DOCUMENT = values.DOCUMENT, COMMENT = values.COMMENT, INSTRUCTION = values.INSTRUCTION
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
    const unsigned char* data
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
    return (<DomText*> node).data


cdef int text_flags(DomNode* node) except -1:
    """Return the flags of the text from a node on: 0 for none at all."""
    cdef int found = 0
    cdef DomNode* part = text_from(node)
    while part is not NULL:
        found = flags_with(found, data_of(part))
        part = text_from(part.next)
    return flags_of(found, joined_text(node) if found & IS_BLANK else None)


cdef str joined_text(DomNode* node):
    """Return the text from a node on."""
    cdef str found = None
    node = text_from(node)
    while node is not NULL:
        if data_of(node) is not NULL:
            found = decoded(data_of(node)) if found is None else found + decoded(data_of(node))
        node = text_from(node.next)
    return "" if found is None else found


cdef inline const unsigned char* value_of(DomAttribute* attribute) noexcept:
    if attribute.value is NULL or attribute.value.data is NULL:
        return <const unsigned char*> ""
    return attribute.value.data


cdef DomNode* beside(DomNode* node) noexcept:
    """Return the node itself, or the next beside it that is a node to us; NULL if there is none."""
    while node is not NULL and node.type not in (ELEMENT, COMMENT_NODE, INSTRUCTION_NODE):
        node = node.next
    return node


@cython.final
cdef class LexborNodes(WrittenNodes):
    """The nodes of a page that lexbor parsed."""

    cdef Document document
    cdef DomNode** places
    # The number of the name of TEMPLATE, whose content stands apart.
    cdef int template

    def __dealloc__(self):
        PyMem_Free(self.places)

    cdef inline DomNode* place(self, int node) noexcept:
        return NULL if self.places is NULL or node <= 0 or node >= self.count else self.places[node]

    cdef inline DomNode* inside(self, int node) noexcept:
        """Return the first node inside an element, of any kind."""
        cdef DomNode* place = self.place(node)
        if place is NULL or self.tag[node] < 0:
            return NULL
        if self.tag[node] == self.template and (<DomTemplate*> place).content is not NULL and place.first_child is NULL:
            return (<DomTemplate*> place).content.first_child
        return place.first_child

    cdef DomNode* text_at(self, int node) noexcept:
        """Return where the text begins that is that of a token of the flow."""
        if node >= 0:
            return text_from(self.inside(node))
        return text_from(self.places[~node].next) if self.place(~node) is not NULL and self.parent[~node] > 0 else NULL

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
        cdef DomNode* place = self.place(node)
        return "" if place is NULL or place.type != COMMENT_NODE else decoded(data_of(place))

    cpdef object element(self, int node):
        return None

    cpdef str attribute(self, int node, str name):
        cdef DomNode* place = self.place(node)
        cdef DomAttribute* found
        cdef const char* sought
        cdef str value
        cdef size_t size
        if place is NULL or self.tag[node] < 0:
            return None
        if self._long and (node, name) in self._long:
            return self._long[node, name]
        sought = PyUnicode_AsUTF8(name)
        found = (<DomElement*> place).first_attribute
        while found is not NULL:
            if strcmp(sought, <const char*> name_of_attribute(found, &size)) == 0:
                value = decoded(value_of(found))
                if len(value) > LONG:
                    self._long[node, name] = value
                return value
            found = found.next
        return None

    cpdef list items(self, int node):
        cdef DomNode* place = self.place(node)
        cdef DomAttribute* attribute
        cdef size_t size
        cdef list found = []
        attribute = NULL if place is NULL or self.tag[node] < 0 else (<DomElement*> place).first_attribute
        while attribute is not NULL:
            found.append((decoded(name_of_attribute(attribute, &size)), decoded(value_of(attribute))))
            attribute = attribute.next
        return found

    def reordered(self, order, columns):
        cdef LexborNodes made = LexborNodes(columns, self.names, [])
        cdef int node, count = 0
        made.original, made.order, made.document, made.template = self, order, self.document, self.template
        made.places = <DomNode**> PyMem_Realloc(NULL, len(order) * sizeof(DomNode*))
        if made.places is NULL:
            raise MemoryError
        for node in order:
            made.places[count] = self.place(node)
            count += 1
        return made

    def let_go(self, names):
        """Keep all: nobody else has the page, so it cannot change."""
        self.written()


@cython.final
cdef class LexborReader(NodeReader):
    """Parses pages and reads their nodes."""

    cdef int template

    def __init__(self, watched):
        NodeReader.__init__(self, watched)
        self.template = watched.names.index("template")

    def read(self, bytes data) -> tuple[Nodes, bool]:
        """Return the nodes of a page in UTF-8, and whether it nests so deep that the rest was left out."""
        cdef Document document = Document(data)
        cdef DomNode** places = NULL
        cdef DomNode** moved
        cdef DomNode* node = beside((<DomNode*> document.document).first_child)
        cdef DomNode* first
        cdef Name[MOST_KNOWN] known, known_attributes
        cdef list names = list(self.names)
        cdef dict others = {}
        cdef Py_ssize_t room = 0, count = 1
        cdef int around = 0, flags, signs
        cdef array.array tags, parents, ends, all_flags, all_signs, empty = array.array("i")
        cdef int* tag = NULL
        cdef int* parent = NULL
        cdef int* end = NULL
        cdef LexborNodes made
        memset(known, 0, sizeof(known))
        memset(known_attributes, 0, sizeof(known_attributes))
        tags, parents, ends, all_flags, all_signs = [array.clone(empty, 0, False) for _ in range(5)]
        try:
            while True:
                if count + 1 >= room:
                    room = 512 if room == 0 else 2 * room
                    moved = <DomNode**> PyMem_Realloc(places, room * sizeof(DomNode*))
                    if moved is NULL:
                        raise MemoryError
                    places = moved
                    for column in (tags, parents, ends, all_flags, all_signs):
                        array.resize(column, room)
                    tag, parent, end = tags.data.as_ints, parents.data.as_ints, ends.data.as_ints
                    if count == 1:
                        places[0] = NULL
                        tag[0], parent[0] = DOCUMENT, -1
                        all_flags.data.as_ints[0] = all_signs.data.as_ints[0] = 0
                if node is NULL:
                    break
                places[count] = node
                parent[count] = around
                flags = signs = 0
                first = node.first_child
                if node.type == ELEMENT:
                    tag[count] = self.number_of(node, known, names, others)
                    signs = self.look_at(<DomElement*> node, known_attributes, &flags)
                    if tag[count] == self.template and first is NULL and (<DomTemplate*> node).content is not NULL:
                        first = (<DomTemplate*> node).content.first_child
                    if tag[count] != self.script and tag[count] != self.style:
                        flags |= text_flags(first)
                else:
                    tag[count] = COMMENT if node.type == COMMENT_NODE else INSTRUCTION
                    first = NULL
                if around:
                    flags |= text_flags(node.next) << BEHIND
                all_flags.data.as_ints[count] = flags
                all_signs.data.as_ints[count] = signs
                count += 1
                # The next in document order.
                first = beside(first)
                if first is not NULL:
                    around = count - 1
                    node = first
                    continue
                end[count - 1] = count
                first = beside(node.next)
                while first is NULL and around:
                    node = places[around]
                    end[around] = count
                    around = parent[around]
                    first = beside(node.next)
                node = first
            end[0] = count
            for column in (tags, parents, ends, all_flags, all_signs):
                array.resize(column, count)
            made = LexborNodes((tags, parents, ends, all_flags, all_signs), names, [])
            made.document, made.template = document, self.template
            made.places, places = places, NULL
            return made, document.is_cut
        finally:
            PyMem_Free(places)

    cdef int number_of(self, DomNode* node, Name* known, list names, dict others) except -1:
        """Return the number of an element's name; one that is new gets the next number."""
        # Lexbor has a number for each name, which is no address for those that it knows.
        cdef const unsigned char* key = <const unsigned char*> ((node.local_name << 4) | 1)
        cdef Name* place = known_as(known, key, NULL)
        cdef size_t size
        if place.name != key:
            place[0] = Name(key, NULL, self.number_of_name(decoded(name_of_element(node, &size)), names, others))
        return place.number

    cdef int look_at(self, DomElement* element, Name* known, int* flags) except -1:
        """Return what an element's class tells; set what its other attributes tell."""
        cdef DomAttribute* attribute = element.first_attribute
        cdef const unsigned char* key
        cdef Name* place
        cdef size_t size
        cdef int signs = 0
        while attribute is not NULL:
            key = <const unsigned char*> ((attribute.node.local_name << 4) | 1)
            place = known_as(known, key, <const unsigned char*> attribute.node.prefix)
            if place.name != key or place.namespace != <const unsigned char*> attribute.node.prefix:
                place[0] = Name(
                    key, <const unsigned char*> attribute.node.prefix,
                    self.telling.get(decoded(name_of_attribute(attribute, &size)), 0),
                )
            if place.number == IS_CLASS:
                signs = self.classes.told_by(value_of(attribute))
            elif place.number:
                flags[0] |= self.flags_of_value(place.number, value_of(attribute))
            attribute = attribute.next
        return signs
