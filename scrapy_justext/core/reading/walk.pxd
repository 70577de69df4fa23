from scrapy_justext.core.reading.nodes cimport Nodes

cdef enum:
    # Names that are known by their addresses, of which a document has one for each; and values that are remembered.
    MOST_KNOWN = 512
    MOST_STEPS = 16
    MOST_VALUES = 1 << 16
    # A key for four bytes each, and some more.
    LONGEST_VALUE = 512
    MOST_KEYS = 132
    # CLASS, HREF, and the attributes that hide by their values; all of these.
    IS_CLASS = 1 << 16
    IS_ADDRESS = 1 << 17
    HIDES_BY_VALUE = 1 << 18
    TOLD_BY_VALUE = 7 << 16

cdef struct Name:
    const unsigned char* name
    const unsigned char* namespace
    int number


cdef struct Met:
    unsigned long long first, second
    int told


cdef class Memory:
    cdef object tell
    cdef unsigned int[MOST_KEYS] key
    cdef Met[MOST_VALUES] met
    cdef int told_by(self, const unsigned char* value) except -1


cdef class WrittenNodes(Nodes):
    # Where the parser has each node, and its page, which they are a part of; NULL and None once they are let go of.
    cdef void** places
    cdef object document
    # What is written: UTF-8, its length, and the room for it.
    cdef char* text_written
    cdef size_t length, room
    # Whether it ends with white space, which is not written yet, and whether that began inside a link; whether it ends
    # within a word in a link; and how many characters and words are in links.
    cdef bint after_space, is_space_linked, in_word
    cdef int linked, link_words
    cdef void* place(self, int node) noexcept
    cdef void begin_text(self) noexcept
    cdef int write_bytes(self, const unsigned char* at, size_t size, bint is_linked) except -1


cdef struct Description:
    # What a node is, and the first node inside it; NULL without.
    int tag, flags, signs
    void* first


cdef class NodeReader:
    # By the names of attributes that are looked for, what they tell; the names that have the same numbers on all pages.
    cdef dict telling, numbers
    cdef Memory classes, hiding_values
    cdef object names
    # Those of the elements whose text is not looked at, and whose content lexbor keeps apart.
    cdef int script, style, template
    cdef int tell(self, int told, const unsigned char* value, Description* description) except -1


cdef class PageReading:
    cdef NodeReader reader
    cdef Name[MOST_KNOWN] known, known_attributes
    # The names on the page, and the numbers of those that not all pages have.
    cdef list names
    cdef dict others
    cdef int describe(self, void* node, bint is_inside, Description* description) except -1
    cdef void* behind(self, void* node) noexcept
    cdef int number_of_name(self, str name) except -1
    cdef WrittenNodes nodes(self, type kind, void* node)


cdef int flags_with(int flags, const unsigned char* at) noexcept
cdef int flags_of(int flags, str text) noexcept
cdef str decoded(const unsigned char* text)
cdef Name* known_as(Name* known, const unsigned char* name, const unsigned char* namespace) noexcept
