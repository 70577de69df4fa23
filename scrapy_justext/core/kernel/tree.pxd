# cython: language_level=3
"""What other compiled modules take from :mod:`.tree`: the nodes of libxml2, and what is written of elements."""

from cpython.ref cimport PyObject


cdef extern from "libxml/tree.h":
    ctypedef enum xmlElementType:
        XML_ELEMENT_NODE
        XML_ATTRIBUTE_NODE
        XML_TEXT_NODE
        XML_CDATA_SECTION_NODE
        XML_ENTITY_REF_NODE
        XML_PI_NODE
        XML_COMMENT_NODE

    ctypedef struct xmlNs:
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


cdef xmlNode* node_of(object element) except NULL
cdef bint is_text(const xmlNode* node) noexcept
cdef str decoded(const unsigned char* text)
cdef bytes bytes_of(const unsigned char* text)
cdef size_t place_of(const unsigned char* name) noexcept
cdef xmlNode* beginning_of(xmlNode* node, xmlNode** top) noexcept
cdef xmlAttr* attribute_of(const xmlNode* node, bytes name) noexcept
cdef const unsigned char* sole_text(const xmlAttr* attribute) noexcept
cdef object document_of(object element)
cdef object made_element(object document, xmlNode* node)

cdef struct Buffer:
    char* start
    size_t size
    size_t room


cdef int write_bytes(Buffer* buffer, bytes text) except -1
cdef int write_text(Buffer* buffer, const unsigned char* text) except -1


cdef enum:
    # Names of elements that are remembered by their addresses, which a document has once for each.
    MOST_KNOWN = 256


cdef struct Known:
    const unsigned char* name
    # What is known of elements of the name.
    PyObject* what


cdef class Memory:
    cdef char* start
    cdef Py_ssize_t count, room, size
    cdef void* added(self) except NULL
    cdef void* taken(self) noexcept


cdef class Expression:
    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1
    cdef str text(self, xmlNode* node, xmlNode* top)
    cdef int put(self, xmlNode* node, xmlNode* top, Buffer* buffer) except -1


cdef enum:
    # Values of an attribute that are remembered.
    MOST_VALUES = 1 << 12


cdef class ValueMemory:
    cdef list values
    cdef unsigned char[MOST_VALUES] answers
    cdef int known(self, const unsigned char* value, size_t size, size_t* place) except -2
    cdef int remember(self, const unsigned char* value, size_t size, size_t place, bint answer) except -1


cdef class Treatment:
    cdef Expression test
    cdef Treatment then, otherwise
    cdef bytes start, end
    cdef list told
    cdef int below
    # Whether it begins a block-level element, and whether it begins code outside of a PRE.
    cdef bint is_block, is_code


cdef class NameTable:
    cdef dict kept
    # By a hash of their names; more than half are free.
    cdef Known* places
    cdef size_t mask
    cdef PyObject* what_of(self, const unsigned char* name) noexcept


cdef class TreeSearch:
    cdef NameTable signs
    cdef bint is_at(self, const xmlNode* node, Known* known) except -1
    cdef bint finds_below(self, xmlNode* top, Known* known) except -1


cdef class Watcher:
    # Whether a whole tree was written meanwhile.
    cdef bint is_done
    cdef int enter(self, xmlNode* node, bint is_block, bint has_inside) except -1
    cdef int leave(self) except -1


cdef class TreeWriter:
    cdef NameTable names
    cdef tuple others
    cdef bytes instruction
    cdef int modes
    cdef bint write_nodes(
        self, xmlNode* node, xmlNode* top, Buffer* buffer, TreeSearch search, Watcher watcher, bint drops_blank
    ) except -1
    cdef Treatment treatment_of(self, xmlNode* node, xmlNode* top, int mode, Known* known)


cdef int write_told(Buffer* buffer, Treatment treatment, xmlNode* node, xmlNode* top) except -1
