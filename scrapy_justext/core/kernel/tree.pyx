# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True
"""Write a tree as one string, without a Python object for a node.

This walks the nodes of libxml2 that lxml's elements stand for.  It reads their fields and calls no function of
libxml2, so it links none, and goes with whatever libxml2 lxml has.  It has no recursion on the depth of a page.

What is written of which element comes from :func:`scrapy_justext.core.treatments.treatments`, the same table that the
stylesheet is made of.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memchr, memcmp, memcpy, memset, strcmp, strlen, strncmp, strrchr, strstr

from functools import cache

from lxml import etree

from scrapy_justext.core.marks import BLOCK, FIXED_WIDTH, INLINE, WHOLE
from scrapy_justext.core.kernel.expressions import EntityError, Operation, Path, parse
from scrapy_justext.core.tags import FIRST_CLASS, SPACED_CLASS


cdef extern from *:
    const char* SOURCE_DIGEST


#: The size of lxml's elements; one that lays them out otherwise has another.
SIZE_OF_ELEMENT = sizeof(TreeElement)
#: SHA-256 of the source that this was compiled from.
DIGEST = SOURCE_DIGEST.decode()


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


cdef object document_of(object element):
    return <object> (<TreeElement*> <PyObject*> element).document


cdef object made_element(object document, xmlNode* node):
    """Return the element of lxml that stands for a node."""
    return element_of(document, node)


# Nodes, as XPath sees them.  ``top`` is the element that is read with nothing around it, NULL for a whole document.


cdef bint is_text(const xmlNode* node) noexcept:
    return node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE


cdef inline xmlNode* parent_of(const xmlNode* node, const xmlNode* top) noexcept:
    """Return the element around a node, or NULL."""
    if node == top or node.parent is NULL or node.parent.type != XML_ELEMENT_NODE:
        return NULL
    return node.parent


cdef xmlAttr* attribute_of(const xmlNode* node, bytes name) noexcept:
    """Return the attribute of a name that is in no namespace, or NULL."""
    cdef const char* sought = PyBytes_AS_STRING(name)
    cdef const char* at_hand
    cdef xmlAttr* attribute = node.properties if node.type == XML_ELEMENT_NODE else NULL
    while attribute is not NULL:
        at_hand = <const char*> attribute.name
        # Most differ in the first letter.
        if at_hand[0] == sought[0] and strcmp(at_hand, sought) == 0 and attribute.ns is NULL:
            return attribute
        attribute = attribute.next
    return NULL


cdef const unsigned char* sole_text(const xmlAttr* attribute) noexcept:
    """Return the value of an attribute; NULL if it has several parts, such as an entity, or none."""
    cdef const xmlNode* inside = attribute.children
    if inside is NULL or inside.next is not NULL or not is_text(inside):
        return NULL
    return inside.content


cdef xmlNode* next_in(xmlNode* node, const xmlNode* around) noexcept:
    """Return the node behind ``node`` in document order, below ``around``; NULL behind the last."""
    if node.type == XML_ELEMENT_NODE and node.children is not NULL:
        return node.children
    while node != around:
        if node.next is not NULL:
            return node.next
        node = node.parent
    return NULL


cdef xmlNode* beginning_of(xmlNode* node, xmlNode** top) noexcept:
    """Return the first node to be read where ``node`` is given; set ``top``.

    With the first element of a document, what is beside it is read, too.
    """
    cdef xmlNode* first = node
    top[0] = node
    if node.parent is not NULL and node.parent.type != XML_ELEMENT_NODE:
        first = node.parent.children
        while first is not NULL and first.type != XML_ELEMENT_NODE:
            first = first.next
        if first == node:
            top[0] = NULL
            return node.parent.children
    return node


cdef str decoded(const unsigned char* text):
    return PyUnicode_DecodeUTF8(<const char*> text, strlen(<const char*> text), "replace")


cdef bytes bytes_of(const unsigned char* text):
    return PyBytes_FromStringAndSize(<const char*> text, strlen(<const char*> text))


cdef str joined_text(xmlNode* around):
    """Return all text below a node.

    Raises EntityError if there is an entity in it: its text stands in the document's DTD, which may be gone.
    """
    cdef list parts = []
    cdef xmlNode* node = around.children
    if node is not NULL and node.next is NULL and is_text(node):
        return "" if node.content is NULL else decoded(node.content)
    while node is not NULL:
        if is_text(node) and node.content is not NULL:
            parts.append(decoded(node.content))
        elif node.type == XML_ENTITY_REF_NODE:
            raise EntityError
        node = next_in(node, around)
    return "".join(parts)


cdef str value_of(xmlNode* node):
    """Return a node's text, as XPath has it."""
    if node is NULL:
        return ""
    if is_text(node):
        return "" if node.content is NULL else decoded(node.content)
    return joined_text(node)


cdef const unsigned char* sole_text_of(const xmlNode* node) noexcept:
    """Return the text of an attribute that has but one part; NULL for others and for all other nodes."""
    if node is NULL or node.type != XML_ATTRIBUTE_NODE:
        return NULL
    return sole_text(<const xmlAttr*> node)


cdef size_t size_of_beginning(const unsigned char* text, size_t length) noexcept:
    """Return how many bytes the first characters of a text have."""
    cdef size_t size = 0, characters = 0
    while text[size]:
        characters += text[size] & 0xC0 != 0x80
        if characters > length:
            break
        size += 1
    return size


cdef str beginning_of_value(xmlNode* node, Py_ssize_t length):
    """Return the first characters of a node's text; many elements may ask for those of one long attribute."""
    cdef const unsigned char* content = sole_text_of(node)
    if content is NULL:
        return value_of(node)[:length]
    return PyUnicode_DecodeUTF8(<const char*> content, size_of_beginning(content, length), "replace")[:length]


cdef str name_of(const xmlNode* node):
    cdef str name = decoded(node.name)
    if node.ns is not NULL and node.ns.prefix is not NULL:
        return f"{decoded(node.ns.prefix)}:{name}"
    return name


cdef str one_space(str text):
    # White space of XML, which is less than Python's.
    if " " not in text and "\t" not in text and "\n" not in text and "\r" not in text:
        return text
    return " ".join([word for word in text.replace("\t", " ").replace("\n", " ").replace("\r", " ").split(" ") if word])


cdef size_t normalized(char* text, size_t size) noexcept:
    """Collapse the white space of XML in a text, where it stands; return how many bytes are left."""
    cdef size_t at, kept = 0
    cdef bint is_behind_space = False
    for at in range(size):
        if text[at] == c" " or text[at] == c"\t" or text[at] == c"\n" or text[at] == c"\r":
            is_behind_space = True
            continue
        if is_behind_space and kept:
            text[kept] = c" "
            kept += 1
        is_behind_space = False
        text[kept] = text[at]
        kept += 1
    return kept


# Expressions


cdef class Expression:
    """Something that is asked of an element: whether it holds, or its text."""

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        return bool(self.text(node, top))

    cdef str text(self, xmlNode* node, xmlNode* top):
        raise NotImplementedError

    cdef int put(self, xmlNode* node, xmlNode* top, Buffer* buffer) except -1:
        """Write the text in UTF-8."""
        return write_bytes(buffer, self.text(node, top).encode("utf-8", "replace"))


cdef class Literal(Expression):
    cdef str value
    cdef bytes encoded

    def __init__(self, str value):
        self.value = value
        self.encoded = value.encode()

    cdef str text(self, xmlNode* node, xmlNode* top):
        return self.value

    cdef int put(self, xmlNode* node, xmlNode* top, Buffer* buffer) except -1:
        return write_bytes(buffer, self.encoded)


cdef enum Axis:
    CHILD, ATTRIBUTE, SELF, PARENT, BEFORE, BEHIND


_AXES = {
    "child": CHILD, "attribute": ATTRIBUTE, "self": SELF, "parent": PARENT, "preceding-sibling": BEFORE,
    "following-sibling": BEHIND,
}


cdef class Step:
    cdef Axis axis
    cdef list names
    cdef bint any_element, any_node, only_text, is_first
    cdef list predicates

    def __init__(self, step):
        self.axis = _AXES[step.axis]
        self.names = [name.encode() for name in step.names]
        self.any_element = "*" in step.names
        self.any_node = "node()" in step.names
        self.only_text = "text()" in step.names
        self.is_first = step.is_first
        self.predicates = [compiled(predicate) for predicate in step.predicates]

    cdef bint fits(self, xmlNode* node, xmlNode* top) except -1:
        """Return whether a node is one of those that the step asks for, predicates apart."""
        cdef bytes name
        if self.only_text:
            return is_text(node)
        if self.any_node:
            # To XPath, entities and what XInclude leaves are none.
            return is_text(node) or node.type in (XML_ELEMENT_NODE, XML_COMMENT_NODE, XML_PI_NODE)
        if node.type != XML_ELEMENT_NODE:
            return False
        if self.any_element:
            return True
        if node.ns is NULL:
            for name in self.names:
                if strcmp(<const char*> node.name, PyBytes_AS_STRING(name)) == 0:
                    return True
        return False

    cdef bint is_passed(self, xmlNode* node, xmlNode* top) except -1:
        cdef Expression predicate
        for predicate in self.predicates:
            if not predicate.holds(node, top):
                return False
        return True


cdef class PathTo(Expression):
    """A path; it is known by the first node that it leads to."""

    cdef list steps

    def __init__(self, path):
        self.steps = [Step(step) for step in path.steps]

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        cdef xmlNode* found = NULL
        self.find(0, node, top, &found)
        return found is not NULL

    cdef str text(self, xmlNode* node, xmlNode* top):
        cdef xmlNode* found = NULL
        self.find(0, node, top, &found)
        return value_of(found)

    cdef int put(self, xmlNode* node, xmlNode* top, Buffer* buffer) except -1:
        cdef xmlNode* found = NULL
        cdef const unsigned char* value
        self.find(0, node, top, &found)
        value = sole_text_of(found)
        if value is NULL:
            return write_bytes(buffer, value_of(found).encode("utf-8", "replace"))
        return write(buffer, <const char*> value, strlen(<const char*> value))

    cdef int find(self, Py_ssize_t number, xmlNode* node, xmlNode* top, xmlNode** found) except -1:
        """Look for the first node that the path leads to, from the step of a number on."""
        cdef Step step = self.steps[number]
        cdef xmlNode* reached
        if step.axis == ATTRIBUTE:
            # It begins as all nodes do.
            found[0] = <xmlNode*> attribute_of(node, step.names[0])
            return 0
        reached = first_on(step.axis, node, top)
        while reached is not NULL:
            if step.fits(reached, top):
                if step.is_passed(reached, top):
                    if number + 1 == len(self.steps):
                        found[0] = reached
                    else:
                        self.find(number + 1, reached, top, found)
                    if found[0] is not NULL:
                        return 0
                if step.is_first:
                    return 0
            reached = following_on(step.axis, reached)
        return 0


cdef class AttributeOf(PathTo):
    """The path to an attribute of the element itself."""

    cdef bytes name

    def __init__(self, path):
        PathTo.__init__(self, path)
        self.name = (<Step> self.steps[0]).names[0]

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        return attribute_of(node, self.name) is not NULL


cdef xmlNode* first_on(Axis axis, xmlNode* node, xmlNode* top) noexcept:
    if axis == CHILD:
        return node.children if node.type == XML_ELEMENT_NODE else NULL
    if axis == SELF:
        return node
    if axis == PARENT:
        return parent_of(node, top)
    if node == top:
        return NULL
    return node.prev if axis == BEFORE else node.next


cdef xmlNode* following_on(Axis axis, xmlNode* node) noexcept:
    if axis == CHILD or axis == BEHIND:
        return node.next
    if axis == BEFORE:
        return node.prev
    return NULL


cdef class Junction(Expression):
    """``and`` and ``or``."""

    cdef Expression first
    cdef list others
    cdef bint decides

    def __init__(self, list parts, bint decides):
        self.first, *self.others = parts
        self.decides = decides

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        cdef Expression part
        if self.first.holds(node, top) == self.decides:
            return self.decides
        for part in self.others:
            if part.holds(node, top) == self.decides:
                return self.decides
        return not self.decides


cdef class Not(Expression):
    cdef Expression inner

    def __init__(self, Expression inner):
        self.inner = inner

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        return not self.inner.holds(node, top)


cdef enum Way:
    EQUALS, CONTAINS, STARTS_WITH


_WAYS = {"=": EQUALS, "contains": CONTAINS, "starts-with": STARTS_WITH}


cdef class Compared(Expression):
    """Two texts: equal, or the first has the second in it, at its start or anywhere."""

    cdef Expression left, right
    cdef Way way

    def __init__(self, str way, Expression left, Expression right):
        self.way = _WAYS[way]
        self.left = left
        self.right = right

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        cdef Buffer left, right
        if self.way == EQUALS and isinstance(self.left, PathTo) and not self.left.holds(node, top):
            return False
        left.start = right.start = NULL
        try:
            put_whole(self.left, node, top, &left)
            put_whole(self.right, node, top, &right)
            if self.way == CONTAINS:
                return strstr(left.start, right.start) is not NULL
            if self.way == STARTS_WITH:
                return strncmp(left.start, right.start, right.size - 1) == 0
            return strcmp(left.start, right.start) == 0
        finally:
            PyMem_Free(left.start)
            PyMem_Free(right.start)


cdef int put_whole(Expression expression, xmlNode* node, xmlNode* top, Buffer* buffer) except -1:
    """Write the text of an expression, and NUL behind it; ``buffer``: a new one, which the caller frees."""
    open_buffer(buffer, SMALL_TEXT)
    expression.put(node, top, buffer)
    return write(buffer, "", 1)


cdef class AttributeCompared(Compared):
    """An attribute of the element with a literal; the same, on bytes."""

    cdef bytes attribute, literal

    def __init__(self, str way, Expression left, Expression right):
        Compared.__init__(self, way, left, right)
        self.attribute = (<AttributeOf> left).name
        self.literal = (<Literal> right).value.encode()

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        cdef xmlAttr* found = attribute_of(node, self.attribute)
        cdef const char* text = ""
        cdef const char* literal = PyBytes_AS_STRING(self.literal)
        if found is NULL:
            return self.way != EQUALS and not self.literal
        if found.children is not NULL:
            text = <const char*> sole_text(found)
            if text is NULL:
                return Compared.holds(self, node, top)
        if self.way == EQUALS:
            return strcmp(text, literal) == 0
        if self.way == STARTS_WITH:
            return strncmp(text, literal, PyBytes_GET_SIZE(self.literal)) == 0
        return strstr(text, literal) is not NULL


cdef enum:
    # Words that are looked for at once, and values of the hash of three bytes.
    MOST_WORDS = 256
    MOST_BEGINNINGS = 2048


cdef class Words:
    """Words that are looked for in texts, all of them at once."""

    cdef list words
    # Those of less than three bytes.
    cdef list short
    # By the first byte, the number of a word that begins so, and by this that of another one; 0 for none.
    cdef unsigned char[256] first
    cdef unsigned char[MOST_WORDS] following
    # By a hash of three bytes, whether a word begins so: most texts have no such bytes.
    cdef unsigned char[MOST_BEGINNINGS] begin_a_word

    def __init__(self, words):
        cdef bytes word
        cdef list encoded = sorted({text.encode() for text in words})
        self.words = [word for word in encoded if len(word) > 2]
        self.short = [word for word in encoded if len(word) <= 2]
        if b"" in encoded or len(encoded) >= MOST_WORDS:
            raise ValueError("an empty word, or too many")
        memset(self.first, 0, sizeof(self.first))
        memset(self.begin_a_word, 0, sizeof(self.begin_a_word))
        for number, word in enumerate(self.words, 1):
            self.following[number] = self.first[<unsigned char> word[0]]
            self.first[<unsigned char> word[0]] = number
            self.begin_a_word[hash_of_three(<const unsigned char*> PyBytes_AS_STRING(word))] = True

    cdef bint are_in(self, const unsigned char* text) noexcept:
        """Return whether one of them is in a text."""
        cdef PyObject* word
        cdef const char* begin
        cdef Py_ssize_t i
        cdef unsigned char number
        for i in range(PyList_GET_SIZE(self.short)):
            word = PyList_GET_ITEM(self.short, i)
            if strstr(<const char*> text, PyBytes_AS_STRING(<bytes> word)) is not NULL:
                return True
        for i in range(<Py_ssize_t> strlen(<const char*> text) - 2):
            if self.begin_a_word[hash_of_three(text + i)]:
                number = self.first[text[i]]
                while number:
                    word = PyList_GET_ITEM(self.words, number - 1)
                    begin = PyBytes_AS_STRING(<bytes> word)
                    if strncmp(<const char*> text + i, begin, PyBytes_GET_SIZE(<bytes> word)) == 0:
                        return True
                    number = self.following[number]
        return False


cdef inline size_t hash_of_three(const unsigned char* text) noexcept:
    """Return a number for three bytes; a fourth, be it the NUL behind them, is read with them."""
    cdef unsigned int four
    memcpy(&four, text, sizeof(four))
    # The highest eleven bits of the product, as MOST_BEGINNINGS asks for.
    return <unsigned int> ((four & THREE_BYTES) * 0x9E3779B1U) >> 21


cdef unsigned int THREE_BYTES
memcpy(&THREE_BYTES, b"\xff\xff\xff\0", sizeof(THREE_BYTES))


cdef class ContainsAny(Expression):
    """Whether a text has one of some words in it: ``contains``, joined by ``or``."""

    cdef Expression inner
    cdef Words words

    def __init__(self, Expression inner, words):
        self.inner = inner
        self.words = Words(words)

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        cdef Buffer text
        text.start = NULL
        try:
            put_whole(self.inner, node, top, &text)
            return self.words.are_in(<const unsigned char*> text.start)
        finally:
            PyMem_Free(text.start)


cdef class AttributeContainsAny(ContainsAny):
    """The same of an attribute of the element; nothing is copied."""

    cdef bytes attribute

    def __init__(self, AttributeOf inner, words):
        ContainsAny.__init__(self, inner, words)
        self.attribute = inner.name

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        cdef xmlAttr* found = attribute_of(node, self.attribute)
        cdef const unsigned char* text
        if found is NULL or found.children is NULL:
            return False
        text = sole_text(found)
        return ContainsAny.holds(self, node, top) if text is NULL else self.words.are_in(text)


cdef class Shorter(Expression):
    """``string-length(x) < number``."""

    cdef Expression inner
    cdef Py_ssize_t limit

    def __init__(self, Expression inner, Py_ssize_t limit):
        self.inner = inner
        self.limit = limit

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        return len(self.inner.text(node, top)) < self.limit


cdef class Name(Expression):
    cdef PathTo path

    def __init__(self, PathTo path):
        self.path = path

    cdef str text(self, xmlNode* node, xmlNode* top):
        cdef xmlNode* found = node
        if self.path is not None:
            found = NULL
            self.path.find(0, node, top, &found)
        return "" if found is NULL else name_of(found)


cdef class Concat(Expression):
    cdef list parts

    def __init__(self, list parts):
        self.parts = parts

    cdef str text(self, xmlNode* node, xmlNode* top):
        cdef Expression part
        cdef list texts = []
        for part in self.parts:
            texts.append(part.text(node, top))
        return "".join(texts)

    cdef int put(self, xmlNode* node, xmlNode* top, Buffer* buffer) except -1:
        cdef Expression part
        for part in self.parts:
            part.put(node, top, buffer)
        return 0


cdef class Spaced(Expression):
    """``normalize-space``."""

    cdef Expression inner

    def __init__(self, Expression inner):
        self.inner = inner

    cdef str text(self, xmlNode* node, xmlNode* top):
        return one_space(value_of(node) if self.inner is None else self.inner.text(node, top))

    cdef int put(self, xmlNode* node, xmlNode* top, Buffer* buffer) except -1:
        cdef size_t begin = buffer.size
        if self.inner is None:
            return Expression.put(self, node, top, buffer)
        self.inner.put(node, top, buffer)
        buffer.size = begin + normalized(buffer.start + begin, buffer.size - begin)
        return 0


cdef class Beginning(Expression):
    """``substring(x, 1, length)``."""

    cdef Expression inner
    cdef Py_ssize_t length

    def __init__(self, Expression inner, Py_ssize_t length):
        self.inner = inner
        self.length = length

    cdef str text(self, xmlNode* node, xmlNode* top):
        cdef xmlNode* found = NULL
        if isinstance(self.inner, PathTo):
            (<PathTo> self.inner).find(0, node, top, &found)
            return beginning_of_value(found, self.length)
        return self.inner.text(node, top)[: self.length]

    cdef int put(self, xmlNode* node, xmlNode* top, Buffer* buffer) except -1:
        cdef size_t begin = buffer.size
        cdef xmlNode* found = NULL
        cdef const unsigned char* value
        if not isinstance(self.inner, PathTo):
            return Expression.put(self, node, top, buffer)
        (<PathTo> self.inner).find(0, node, top, &found)
        value = sole_text_of(found)
        if value is NULL:
            return write_bytes(buffer, beginning_of_value(found, self.length).encode("utf-8", "replace"))
        return write(buffer, <const char*> value, size_of_beginning(value, self.length))


cdef class Before(Expression):
    """``substring-before``."""

    cdef Expression inner, mark

    def __init__(self, Expression inner, Expression mark):
        self.inner = inner
        self.mark = mark

    cdef str text(self, xmlNode* node, xmlNode* top):
        before, found, _ = self.inner.text(node, top).partition(self.mark.text(node, top))
        return before if found else ""

    cdef int put(self, xmlNode* node, xmlNode* top, Buffer* buffer) except -1:
        cdef Buffer inner, mark
        cdef const char* found
        inner.start = mark.start = NULL
        try:
            put_whole(self.inner, node, top, &inner)
            put_whole(self.mark, node, top, &mark)
            found = strstr(inner.start, mark.start)
            return 0 if found is NULL else write(buffer, inner.start, found - inner.start)
        finally:
            PyMem_Free(inner.start)
            PyMem_Free(mark.start)


cdef class Translated(Expression):
    cdef Expression inner
    cdef dict table

    def __init__(self, Expression inner, str before, str after):
        self.inner = inner
        self.table = {}
        for i, character in enumerate(before):
            self.table.setdefault(ord(character), after[i] if i < len(after) else None)

    cdef str text(self, xmlNode* node, xmlNode* top):
        return self.inner.text(node, top).translate(self.table)


cdef enum:
    # Room for the texts that are compared; most are shorter.
    SMALL_TEXT = 512
    # Bytes of a value that is remembered.
    LONGEST_VALUE = 500


cdef class ValueMemory:
    """Remembers for values of an attribute whether something holds; many elements have the same value."""

    def __init__(self):
        self.values = [None] * MOST_VALUES

    cdef int known(self, const unsigned char* value, size_t size, size_t* place) except -2:
        """Return what holds for a value, -1 if that is not known; set ``place`` to where it is to be remembered."""
        cdef bytes met
        place[0] = hash_of(value, size) % MOST_VALUES
        met = self.values[place[0]]
        if (
            met is None or <size_t> PyBytes_GET_SIZE(met) != size
            or memcmp(PyBytes_AS_STRING(met), value, size) != 0
        ):
            return -1
        return self.answers[place[0]]

    cdef int remember(self, const unsigned char* value, size_t size, size_t place, bint answer) except -1:
        if size <= LONGEST_VALUE:
            self.values[place] = PyBytes_FromStringAndSize(<const char*> value, size)
            self.answers[place] = answer
        return 0


cdef size_t hash_of(const unsigned char* text, size_t size) noexcept:
    """Return a number that is seldom the same for two texts."""
    cdef unsigned long long hash = size, word
    while size >= sizeof(word):
        memcpy(&word, text, sizeof(word))
        hash = (hash ^ word) * MIXER
        hash ^= hash >> 32
        text += sizeof(word)
        size -= sizeof(word)
    word = 0
    memcpy(&word, text, size)
    hash = (hash ^ word) * MIXER
    return <size_t> (hash ^ (hash >> 32))


cdef unsigned long long MIXER = 0x9E3779B97F4A7C15ULL


cdef class Remembered(Expression):
    """A test that one attribute of the element decides."""

    cdef Expression inner
    cdef bytes attribute
    cdef ValueMemory met
    # What holds without the attribute, -1 if that is not known.
    cdef int without

    def __init__(self, Expression inner, str attribute):
        self.inner = inner
        self.attribute = attribute.encode()
        self.met = ValueMemory()
        self.without = -1

    cdef bint holds(self, xmlNode* node, xmlNode* top) except -1:
        cdef xmlAttr* found = attribute_of(node, self.attribute)
        cdef const unsigned char* value
        cdef size_t size, place
        cdef int known
        if found is NULL:
            if self.without < 0:
                self.without = self.inner.holds(node, top)
            return self.without
        value = sole_text(found)
        if value is NULL:
            return self.inner.holds(node, top)
        size = strlen(<const char*> value)
        known = self.met.known(value, size, &place)
        if known < 0:
            known = self.inner.holds(node, top)
            self.met.remember(value, size, place, known)
        return known


def deciding(tree) -> set:
    """Return the attributes of the element itself that an expression looks at; with None for whatever else it does."""
    if isinstance(tree, Path):
        [*around, last] = tree.steps
        return {last.names[0] if not around and last.axis == "attribute" else None}
    if not isinstance(tree, Operation):
        return set()
    if not tree.arguments:
        return {None}
    return set().union(*map(deciding, tree.arguments))


def with_joined(tree):
    """Return a tree in which an ``or`` looks through a text once for all words that it is to have in it."""
    if not isinstance(tree, Operation) or tree.name != "or":
        return tree
    cdef dict words = {}
    cdef list others = []
    for one in alternatives_of(tree):
        if isinstance(one, Operation) and one.name == "contains" and _is_word(one.arguments[1]):
            words.setdefault(one.arguments[0], []).append(one.arguments[1])
        else:
            others.append(one)
    joined = [Operation(CONTAINS_ANY, (text, *some)) for text, some in words.items()] + others
    return joined[0] if len(joined) == 1 else Operation("or", tuple(joined))


def _is_word(tree) -> bool:
    return isinstance(tree, str) and tree != ""


def alternatives_of(tree) -> list:
    """Return the alternatives of an ``or``, also of those in it; anything else is the only one."""
    if not isinstance(tree, Operation) or tree.name != "or":
        return [tree]
    return [one for argument in tree.arguments for one in alternatives_of(argument)]


#: The name of an operation that XPath has not: whether the first argument has one of the others in it.
CONTAINS_ANY = "contains any"


def compiled_test(tree) -> Expression:
    """Return a test of an element, with what it gives for a value of an attribute remembered."""
    tree = with_joined(tree)
    attributes = deciding(tree)
    found = compiled(tree)
    # These are as quick.
    if isinstance(found, (PathTo, AttributeCompared, AttributeContainsAny)):
        return found
    if len(attributes) == 1 and None not in attributes:
        return Remembered(found, *attributes)
    if isinstance(found, Junction):
        return Junction([compiled_test(argument) for argument in tree.arguments], tree.name == "or")
    return found


def compiled(tree) -> Expression:
    """Return an expression that :func:`~scrapy_justext.core.kernel.expressions.parse` has made a tree of.

    Raises ValueError for one that cannot be evaluated.
    """
    if isinstance(tree, str):
        return Literal(tree)
    if isinstance(tree, Path):
        return (AttributeOf if len(tree.steps) == 1 and tree.steps[0].axis == "attribute" else PathTo)(tree)
    if not isinstance(tree, Operation):
        raise ValueError(f"{tree!r} is no value")
    tree = with_joined(tree)
    name, arguments = tree.name, list(tree.arguments)
    if name == CONTAINS_ANY:
        text = compiled(arguments[0])
        return (AttributeContainsAny if isinstance(text, AttributeOf) else ContainsAny)(text, arguments[1:])
    if name == "<":
        left, limit = arguments
        if not isinstance(left, Operation) or left.name != "string-length" or not isinstance(limit, int):
            raise ValueError("only string-length() can be less than a number")
        return Shorter(compiled(left.arguments[0]), limit)
    if name == "substring":
        if arguments[1] != 1 or not isinstance(arguments[2], int):
            raise ValueError("only the beginning of a text can be asked for")
        return Beginning(compiled(arguments[0]), arguments[2])
    inner = [compiled(argument) for argument in arguments]
    if name in ("and", "or"):
        return Junction(inner, name == "or")
    if name == "not":
        return Not(inner[0])
    if name in _WAYS:
        is_simple = isinstance(inner[0], AttributeOf) and isinstance(inner[1], Literal)
        return (AttributeCompared if is_simple else Compared)(name, inner[0], inner[1])
    if name == "name":
        return Name(inner[0] if inner else None)
    if name == "concat":
        return Concat(inner)
    if name == "normalize-space":
        return Spaced(inner[0] if inner else None)
    if name == "substring-before":
        return Before(inner[0], inner[1])
    if name == "translate":
        return Translated(inner[0], arguments[1], arguments[2])
    raise ValueError(f"{name}() is not known")


# The tables of tags have the same expressions for many tags.


@cache
def expression_of(text) -> Expression:
    return compiled(parse(text))


def text_of(element, str expression) -> str:
    """Return the text that an XPath expression gives for an element; one of few, as they are remembered.

    Raises :class:`~scrapy_justext.core.kernel.expressions.EntityError` where there is an entity in it.
    """
    return (<Expression> expression_of(expression)).text(node_of(element), NULL)


@cache
def test_of(text) -> Expression:
    return compiled_test(parse(text))


# What is written


cdef class Treatment:
    """What is written of an element: by a test, or as it is."""

    def __init__(self, treatment, dict modes):
        self.below = -1
        if hasattr(treatment, "test"):
            self.test = test_of(treatment.test)
            self.then = _treatment(treatment.then, modes)
            self.otherwise = _treatment(treatment.otherwise, modes)
            return
        self.start, self.end = treatment.start.encode(), treatment.end.encode()
        self.is_block = treatment.start.startswith(BLOCK)
        behind = [end for _, end in treatment.told]
        self.is_code = treatment.start.startswith(INLINE + FIXED_WIDTH) or INLINE + WHOLE in behind
        self.told = [(expression_of(expression), behind.encode()) for expression, behind in treatment.told]
        if treatment.below is not None:
            self.below = modes[treatment.below]


def _treatment(treatment, dict modes):
    return None if treatment is None else Treatment(treatment, modes)


@cache
def _class_words(str test):
    """Return words of which an element's class has one for a test to hold; None if it may hold without."""
    return _words(parse(test))


def _words(tree):
    if not isinstance(tree, Operation):
        return None
    if tree.name in ("and", "or"):
        found = [_words(argument) for argument in tree.arguments]
        known = [words for words in found if words is not None]
        if tree.name == "and":
            # All of it has to hold, so the words of any part will do.
            return known[0] if known else None
        return frozenset().union(*known) if len(known) == len(found) else None
    if tree.name not in _WAYS:
        return None
    text, part = tree.arguments
    if part == _FIRST_CLASS and isinstance(text, str) and "  " not in text:
        # Without a class it is two spaces.
        return frozenset(text.split())
    if text in (_CLASS, _SPACED_CLASS) and isinstance(part, str):
        return frozenset(part.split()) or None
    return None


_CLASS = parse("@class")
_SPACED_CLASS = parse(SPACED_CLASS)
_FIRST_CLASS = parse(f"concat(' ', {FIRST_CLASS}, ' ')")


def _without_classes(treatment, list needed):
    """Return a treatment of elements of whose tests none holds that asks for a class; add to ``needed`` the words."""
    if not hasattr(treatment, "test"):
        return treatment
    words = _class_words(treatment.test)
    if words is None:
        return treatment._replace(
            then=_without_classes(treatment.then, needed), otherwise=_without_classes(treatment.otherwise, needed)
        )
    needed.append(words)
    return _without_classes(treatment.otherwise, needed)


def _outer_treatment(treatment, dict modes):
    """Return a treatment that looks through an element's class once, as most classes decide nothing."""
    cdef list needed = []
    cdef Treatment made
    rest = _without_classes(treatment, needed)
    if len(needed) < 2:
        return _treatment(treatment, modes)
    made = Treatment.__new__(Treatment)
    made.below = -1
    made.test = AttributeContainsAny(compiled(_CLASS), frozenset().union(*needed))
    made.then = _treatment(treatment, modes)
    made.otherwise = _treatment(rest, modes)
    return made


cdef int open_buffer(Buffer* buffer, size_t room) except -1:
    buffer.size, buffer.room = 0, room
    buffer.start = <char*> PyMem_Malloc(room)
    if buffer.start is NULL:
        raise MemoryError
    return 0


cdef int grow(Buffer* buffer, size_t needed) except -1:
    cdef size_t room = buffer.room * 2
    while room < needed:
        room *= 2
    cdef char* moved = <char*> PyMem_Realloc(buffer.start, room)
    if moved is NULL:
        raise MemoryError
    buffer.start = moved
    buffer.room = room
    return 0


cdef inline int write(Buffer* buffer, const char* text, size_t size) except -1:
    if size > buffer.room - buffer.size:
        grow(buffer, buffer.size + size)
    memcpy(buffer.start + buffer.size, text, size)
    buffer.size += size
    return 0


cdef int write_bytes(Buffer* buffer, bytes text) except -1:
    return write(buffer, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


cdef int write_text(Buffer* buffer, const unsigned char* text) except -1:
    """Write a text of the page, with U+FFFD in place of the characters that are our marks."""
    cdef size_t begin
    # Older versions of libxml2 leave bytes that are no UTF-8 in a tree.  What is behind a comment completes nothing.
    if text[0] & 0xC0 == 0x80:
        write(buffer, "\xEF\xBF\xBD", 3)
    begin = buffer.size
    write(buffer, <const char*> text, strlen(<const char*> text))
    replace_marks(buffer, begin)
    return 0


cdef void replace_marks(Buffer* buffer, size_t begin) noexcept:
    """Put U+FFFD in place of the characters that are our marks, from a place on."""
    cdef unsigned char* at = <unsigned char*> buffer.start + begin
    cdef unsigned char* end = <unsigned char*> buffer.start + buffer.size
    while True:
        # U+FDD0 and U+FDD1 are EF B7 90 and EF B7 91.
        at = <unsigned char*> memchr(at, 0xEF, end - at)
        if at is NULL or end - at < 3:
            return
        if at[1] == 0xB7 and (at[2] == 0x90 or at[2] == 0x91):
            at[1] = 0xBF
            at[2] = 0xBD
        at += 1


cdef class Memory:
    """Room for structs of one size that grows."""

    def __cinit__(self, Py_ssize_t size):
        self.size = size
        self.room = 256
        self.start = <char*> PyMem_Malloc(self.room * size)
        if self.start is NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.start)

    cdef void* added(self) except NULL:
        """Return the place of one more; those before may have moved."""
        cdef char* moved
        if self.count == self.room:
            moved = <char*> PyMem_Realloc(self.start, 2 * self.room * self.size)
            if moved is NULL:
                raise MemoryError
            self.start = moved
            self.room *= 2
        self.count += 1
        return self.start + (self.count - 1) * self.size

    cdef void* taken(self) noexcept:
        """Return the place of the last one, which is none of them any more; there must be one."""
        self.count -= 1
        return self.start + self.count * self.size


cdef struct Open:
    PyObject* treatment
    int mode


cdef class NameTable:
    """What is known of some names, found without a Python object for the name."""

    def __cinit__(self):
        self.places = NULL

    def __init__(self, dict known):
        cdef size_t size = 16, place
        cdef bytes name
        # The places do not hold their objects.
        self.kept = {text.encode(): what for text, what in known.items()}
        while size < 2 * <size_t> len(self.kept) + 1:
            size *= 2
        self.mask = size - 1
        self.places = <Known*> PyMem_Calloc(size, sizeof(Known))
        if self.places is NULL:
            raise MemoryError
        for name, what in self.kept.items():
            place = hash_of(<const unsigned char*> PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)) & self.mask
            while self.places[place].name is not NULL:
                place = (place + 1) & self.mask
            self.places[place] = Known(<const unsigned char*> PyBytes_AS_STRING(name), <PyObject*> what)

    def __dealloc__(self):
        PyMem_Free(self.places)

    cdef PyObject* what_of(self, const unsigned char* name) noexcept:
        """Return what is known of a name, which this keeps; NULL for another name."""
        cdef size_t place = hash_of(name, strlen(<const char*> name)) & self.mask
        while self.places[place].name is not NULL:
            if strcmp(<const char*> self.places[place].name, <const char*> name) == 0:
                return self.places[place].what
            place = (place + 1) & self.mask
        return NULL


cdef size_t place_of(const unsigned char* name) noexcept:
    """Return where a name is remembered."""
    return ((<size_t> name >> 3) ^ (<size_t> name >> 11)) % MOST_KNOWN


cdef class Watcher:
    """Is told of the elements that are written: whether they are block-level, and where what is inside ends."""

    cdef int enter(self, xmlNode* node, bint is_block, bint has_inside) except -1:
        raise NotImplementedError

    cdef int leave(self) except -1:
        return 0


cdef inline bint is_white(const char* text, size_t size) noexcept:
    """Return whether a text is but white space of HTML."""
    cdef const char* end = text + size
    cdef unsigned long long eight
    while text < end:
        if text[0] == c" " and end - text >= 8:
            # Most of it indents lines.
            memcpy(&eight, text, 8)
            if eight == 0x2020202020202020ULL:
                text += 8
                continue
        if text[0] != c" " and text[0] != c"\n" and text[0] != c"\t" and text[0] != c"\r" and text[0] != c"\f":
            return False
        text += 1
    return True


cdef class TreeWriter:
    """Writes trees by one set of rules.

    ``by_mode``: for each mode what is written of elements, by their names.
    ``instruction``: what is written of a processing instruction.
    """

    def __init__(self, dict by_mode, str instruction):
        cdef dict numbers = {mode: number for number, mode in enumerate(by_mode)}
        cdef list tables = [
            {name: _outer_treatment(one, numbers) for name, one in table.items()} for table in by_mode.values()
        ]
        self.modes = len(tables)
        self.instruction = instruction.encode()
        self.others = tuple([table["*"] for table in tables])
        self.names = NameTable(
            {name: tuple([table.get(name, table["*"]) for table in tables]) for table in tables for name in table}
        )

    def write(self, element, TreeSearch search=None, Watcher watcher=None, bint drops_blank=False) -> str | None:
        """Return the text below an element with marks, as :func:`~scrapy_justext.core.flattening.flatten` does.

        ``search``: what is looked for on the way, in all that is below, written or not; None is returned where it is.
        ``watcher``: what is told of the elements on the way.
        ``drops_blank``: whether the text between two marks of block-level elements is left out where it is but white
        space, which is a fifth of most pages.  In code and between its lines it parts words, so that all stays that
        stands in a PRE, or behind the first other element of code.
        """
        cdef xmlNode* top
        cdef xmlNode* first = beginning_of(node_of(element), &top)
        cdef Buffer buffer
        open_buffer(&buffer, 1 << 14)
        try:
            if not self.write_nodes(first, top, &buffer, search, watcher, drops_blank):
                return None
            if watcher is not None:
                watcher.is_done = True
            return PyUnicode_DecodeUTF8(buffer.start, buffer.size, "replace")
        finally:
            PyMem_Free(buffer.start)

    cdef bint write_nodes(
        self, xmlNode* node, xmlNode* top, Buffer* buffer, TreeSearch search, Watcher watcher, bint drops_blank
    ) except -1:
        """Write nodes; return False, in the midst of them, where ``search`` finds something."""
        cdef Known[MOST_KNOWN] known, signs
        cdef int mode = 0
        cdef Treatment treatment
        cdef Memory stack = Memory(sizeof(Open))
        cdef Open* around
        cdef bint has_inside
        # Where the text behind the last mark of a block-level element begins, and whether it is but white space.
        cdef size_t begun = buffer.size, size
        cdef bint is_blank = True
        memset(known, 0, sizeof(known))
        memset(signs, 0, sizeof(signs))
        while node is not NULL:
            if node.type == XML_ELEMENT_NODE:
                if search is not None and search.is_at(node, signs):
                    return False
                treatment = self.treatment_of(node, top, mode, known)
                if treatment is not None:
                    has_inside = treatment.below >= 0 and node.children is not NULL
                    drops_blank = drops_blank and not treatment.is_code
                    if treatment.is_block and drops_blank and is_blank and not mode:
                        buffer.size = begun
                    write_bytes(buffer, treatment.start)
                    begun = buffer.size
                    is_blank = treatment.is_block and not treatment.told
                    if treatment.told:
                        write_told(buffer, treatment, node, top)
                    if watcher is not None:
                        watcher.enter(node, treatment.is_block, has_inside)
                    if has_inside:
                        around = <Open*> stack.added()
                        around.treatment = <PyObject*> treatment
                        around.mode = mode
                        mode = treatment.below
                        node = node.children
                        continue
                    write_bytes(buffer, treatment.end)
                    if treatment.is_block:
                        begun = buffer.size
                        is_blank = True
                # What is not written may hold a sign for what is.
                if search is not None and search.finds_below(node, signs):
                    return False
            elif is_text(node):
                if node.content is not NULL:
                    size = strlen(<const char*> node.content)
                    if is_white(<const char*> node.content, size):
                        write(buffer, <const char*> node.content, size)
                    else:
                        write_text(buffer, node.content)
                        is_blank = False
            elif node.type == XML_PI_NODE:
                write_bytes(buffer, self.instruction)
                is_blank = False
            while node != top and node.next is NULL and stack.count:
                node = node.parent
                around = <Open*> stack.taken()
                treatment = <Treatment> around.treatment
                if treatment.is_block and drops_blank and is_blank and not mode:
                    buffer.size = begun
                mode = around.mode
                write_bytes(buffer, treatment.end)
                begun = buffer.size
                is_blank = treatment.is_block
                if watcher is not None:
                    watcher.leave()
            node = NULL if node == top else node.next
        return True

    cdef Treatment treatment_of(self, xmlNode* node, xmlNode* top, int mode, Known* known):
        """Return what is written of an element, by its tests; None for nothing."""
        cdef Treatment treatment
        cdef size_t at
        if node.ns is not NULL:
            treatment = <Treatment> self.others[mode]
        else:
            at = place_of(node.name)
            if known[at].name != node.name:
                known[at].what = self.names.what_of(node.name)
                known[at].name = node.name
                if known[at].what is NULL:
                    known[at].what = <PyObject*> self.others
            treatment = <Treatment> (<tuple> known[at].what)[mode]
        while treatment is not None and treatment.test is not None:
            treatment = treatment.then if treatment.test.holds(node, top) else treatment.otherwise
        return treatment


cdef int write_told(Buffer* buffer, Treatment treatment, xmlNode* node, xmlNode* top) except -1:
    """Write what an element's attributes tell."""
    cdef Expression expression
    cdef bytes behind
    cdef size_t begin
    for expression, behind in treatment.told:
        begin = buffer.size
        expression.put(node, top, buffer)
        replace_marks(buffer, begin)
        write_bytes(buffer, behind)
    return 0


cdef class Sign:
    """An attribute that holds one of some words, and in which a pattern is found."""

    cdef bytes attribute
    cdef Words words
    cdef object search
    # Which values the pattern is found in.
    cdef ValueMemory met

    def __init__(self, sign):
        self.attribute = sign.attribute.encode()
        self.words = Words(sign.words)
        if sign.pattern is not None:
            self.search = sign.pattern.search
            self.met = ValueMemory()

    cdef bint is_at(self, const xmlNode* node) except -1:
        cdef xmlAttr* found = attribute_of(node, self.attribute)
        cdef const unsigned char* value
        cdef size_t size, place
        cdef int known
        if found is NULL or found.children is NULL:
            return False
        value = sole_text(found)
        if value is NULL:
            # Whoever asks looks closer.
            return True
        if not self.words.are_in(value):
            return False
        if self.met is None:
            return True
        size = strlen(<const char*> value)
        known = self.met.known(value, size, &place)
        if known < 0:
            known = self.search(decoded(value)) is not None
            self.met.remember(value, size, place, known)
        return known


cdef class TreeSearch:
    """Looks for elements by their names and signs; where there are none, the name is enough."""

    def __init__(self, dict signs):
        self.signs = NameTable({name: [Sign(sign) for sign in some] for name, some in signs.items()})

    def finds(self, element) -> bool:
        """Return whether there is one at or below ``element``, whatever its namespace or prefix is."""
        cdef xmlNode* top = node_of(element)
        cdef Known[MOST_KNOWN] known
        memset(known, 0, sizeof(known))
        return self.is_at(top, known) or self.finds_below(top, known)

    cdef bint is_at(self, const xmlNode* node, Known* known) except -1:
        """Return whether an element is one."""
        cdef size_t at = place_of(node.name)
        cdef const char* behind_prefix
        cdef Sign sign
        if known[at].name != node.name:
            # Without XML, a prefix is a part of the name.
            behind_prefix = strrchr(<const char*> node.name, c":")
            known[at].what = self.signs.what_of(
                node.name if behind_prefix is NULL else <const unsigned char*> behind_prefix + 1
            )
            known[at].name = node.name
        if known[at].what is NULL:
            return False
        for sign in <list> known[at].what:
            if sign.is_at(node):
                return True
        return not <list> known[at].what

    cdef bint finds_below(self, xmlNode* top, Known* known) except -1:
        cdef xmlNode* node = next_in(top, top)
        while node is not NULL:
            if node.type == XML_ELEMENT_NODE and self.is_at(node, known):
                return True
            node = next_in(node, top)
        return False
