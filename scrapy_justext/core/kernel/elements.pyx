# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True
"""Read the block-level elements of a page as numbers, without a Python object for an element.

It gives what :func:`scrapy_justext.core.learned.tree.read_in_python` gives.  A tree is walked once, by the
:class:`~scrapy_justext.core.kernel.tree.TreeWriter` that knows which elements are removed, and which are block-level.
As everywhere in compiled code, fields of libxml2's nodes are read, no function of it is called, and there is no
recursion on the depth of a page.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject
from libc.string cimport memcpy, memset

from scrapy_justext.core.kernel.tree cimport (
    MOST_KNOWN, XML_ELEMENT_NODE, Known, Memory, TreeWriter, Watcher, bytes_of, node_of, place_of, sole_text, xmlAttr, xmlNode,
)


cdef extern from *:
    const char* SOURCE_DIGEST


#: SHA-256 of the source that this was compiled from.
DIGEST = SOURCE_DIGEST.decode()

cdef enum:
    # Bytes of a set of names, a bit each.
    SET_SIZE = 24
    # Values of an attribute, and parts of values, that are remembered for the pages to come.
    MOST_VALUES = 1 << 14


cdef struct Names:
    unsigned long long words[3]


cdef inline void add(Names* to, const Names* others) noexcept:
    to.words[0] |= others.words[0]
    to.words[1] |= others.words[1]
    to.words[2] |= others.words[2]


cdef inline bint has_all(const Names* names, const Names* others) noexcept:
    return not (
        others.words[0] & ~names.words[0] | others.words[1] & ~names.words[1] | others.words[2] & ~names.words[2]
    )


cdef struct Element:
    Py_ssize_t parent
    Py_ssize_t own
    Py_ssize_t all
    Py_ssize_t path
    Py_ssize_t css_class
    Py_ssize_t depth
    # The next element of the same class.
    Py_ssize_t next


cdef struct Level:
    # An open element: the nearest block-level element around it, and the names of the inline elements from there to here,
    # if they are known.
    Py_ssize_t nearest
    bint is_known
    Names inline_names
    xmlNode* node


cdef struct Branch:
    # A tag inside a path, or of a class: there are as many as block-level elements have names, no more.
    Py_ssize_t tag
    Py_ssize_t next


cdef class Tag:
    """The name of an element: its number, and the names that it gives."""

    cdef Py_ssize_t number
    cdef Names names


cdef class Attribute:
    """An attribute that gives names.

    With what is read of it, it remembers values that were met; or parts of these, if all attributes have words.
    """

    cdef object read
    cdef dict met
    cdef bint has_words, is_class


cdef class ElementReader:
    """Reads the block-level elements of pages.

    ``writer``: of the pages' rules.
    ``tags``: by the names of elements: sets of names, as integers.
    ``readers``: by attribute: what gives the set in a value, of which the first ``most`` characters are read.
    ``word_attributes``: those whose values are read part by part; what is given gives the set in a part.
    """

    cdef dict tags
    cdef Tag other
    cdef dict attributes
    cdef Py_ssize_t most

    def __init__(self, TreeWriter writer, dict tags, dict readers, word_attributes, Py_ssize_t most):
        cdef Tag tag
        cdef Attribute attribute
        self.most = most
        self.tags = {}
        self.other = Tag()
        self.other.number = 0
        for name in [*tags, *[name.decode() for name in writer.names.kept if name.decode() not in tags]]:
            tag = Tag()
            tag.number = len(self.tags) + 1
            put(&tag.names, tags.get(name, 0).to_bytes(SET_SIZE, "little"))
            self.tags[name.encode()] = tag
        self.attributes = {}
        met = {}
        for name, read in readers.items():
            attribute = Attribute()
            attribute.read = read
            attribute.met = met.setdefault(read, {})
            attribute.has_words = name in word_attributes
            attribute.is_class = name == "class"
            self.attributes[name.encode()] = attribute


cdef int put(Names* names, bytes packed) except -1:
    if PyBytes_GET_SIZE(packed) != SET_SIZE:
        raise ValueError("no set of names")
    memcpy(names.words, PyBytes_AS_STRING(packed), SET_SIZE)
    return 0


cdef int add_names_of(Attribute attribute, bytes value, Names* names) except -1:
    """Add the names that a value, or a part of one, stands for."""
    cdef Names given
    found = attribute.met.get(value)
    if found is None:
        found = attribute.read(value.decode("utf-8", "replace")).to_bytes(SET_SIZE, "little")
        if len(attribute.met) >= MOST_VALUES:
            attribute.met.clear()
        attribute.met[value] = found
    put(&given, found)
    add(names, &given)
    return 0


cdef inline bint is_upper(char letter) noexcept:
    return 0x41 <= letter <= 0x5A


cdef inline bint is_lower(char letter) noexcept:
    return 0x61 <= letter <= 0x7A


cdef int add_words(Attribute attribute, bytes value, Names* names) except -1:
    """Add the names in a value, part by part: small letters with a capital before them, or capitals alone."""
    cdef const char* text = PyBytes_AS_STRING(value)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(value), start = 0, end
    while start < size:
        end = start
        while end < size and is_upper(text[end]):
            end += 1
        if end < size and is_lower(text[end]):
            if end > start + 1:
                # The last capital begins the next part.
                add_names_of(attribute, in_small_letters(text + start, end - 1 - start), names)
                start = end - 1
            while end < size and is_lower(text[end]):
                end += 1
        if end > start:
            add_names_of(attribute, in_small_letters(text + start, end - start), names)
        start = max(end, start + 1)
    return 0


cdef bytes in_small_letters(const char* letters, Py_ssize_t size):
    cdef bytes made = PyBytes_FromStringAndSize(letters, size)
    cdef char* at = PyBytes_AS_STRING(made)
    cdef Py_ssize_t i
    # A single letter stands for itself in Python, and is shared.
    if size == 1:
        return made.lower()
    for i in range(size):
        at[i] |= 0x20
    return made


cdef Py_ssize_t branch_of(Memory firsts, Memory branches, Py_ssize_t key, Py_ssize_t tag) except -1:
    """Return the number of a tag inside a path, or of a tag with a value of CLASS: that is ``key``."""
    cdef Branch* branch
    cdef Py_ssize_t at
    while firsts.count <= key:
        (<Py_ssize_t*> firsts.added())[0] = -1
    at = (<Py_ssize_t*> firsts.start)[key]
    while at >= 0:
        branch = <Branch*> branches.start + at
        if branch.tag == tag:
            return at
        at = branch.next
    branch = <Branch*> branches.added()
    branch.tag = tag
    branch.next = (<Py_ssize_t*> firsts.start)[key]
    (<Py_ssize_t*> firsts.start)[key] = branches.count - 1
    return branches.count - 1


cdef class ElementReading(Watcher):
    """Reads one page, of which ``root`` is given to a :class:`TreeWriter` with this."""

    cdef ElementReader reader
    cdef object element
    cdef xmlNode* root
    # The block-level element at hand.
    cdef Py_ssize_t nearest
    # Element and Level structs, Names (of sets, and of values of CLASS), and Branches.
    cdef Memory elements, levels, sets, class_names, paths, classes
    # By set, packed, and by value of CLASS: a number.
    cdef dict set_numbers, values
    # The first branches of paths and of values of CLASS.
    cdef Memory of_paths, of_values
    cdef Known[MOST_KNOWN] known, attributes
    # Whether there is something that Python is to read.
    cdef bint is_odd

    def __cinit__(self, ElementReader reader, root):
        cdef Names names
        self.reader = reader
        self.element, self.root = root, node_of(root)
        self.elements = Memory(sizeof(Element))
        self.levels = Memory(sizeof(Level))
        self.sets = Memory(sizeof(Names))
        self.class_names = Memory(sizeof(Names))
        self.paths = Memory(sizeof(Branch))
        self.classes = Memory(sizeof(Branch))
        self.of_paths = Memory(sizeof(Py_ssize_t))
        self.of_values = Memory(sizeof(Py_ssize_t))
        self.set_numbers = {}
        self.values = {}
        memset(self.known, 0, sizeof(self.known))
        memset(self.attributes, 0, sizeof(self.attributes))

        memset(&names, 0, sizeof(names))
        self.add_element(self.root, 0, &names)

    def columns(self, Py_ssize_t count):
        """Return the columns of a page's elements as bytes, and its sets of names; None for what Python is to read.

        ``count``: how many elements there are, the root apart.
        """
        if not self.is_done or self.is_odd or self.elements.count != count + 1:
            return None
        return self.made_columns()

    cdef int enter(self, xmlNode* node, bint is_block, bint has_inside) except -1:
        cdef Py_ssize_t number = self.elements.count
        cdef Level* level
        if is_block:
            self.add_element(node, self.nearest, self.inline_names(node))
        if has_inside:
            level = <Level*> self.levels.added()
            memset(level, 0, sizeof(level[0]))
            level.nearest = self.nearest
            level.node = node
            # The root's own names are those of element 0.
            level.is_known = is_block or node == self.root
            if is_block:
                self.nearest = number
        return 0

    cdef int leave(self) except -1:
        self.nearest = (<Level*> self.levels.taken()).nearest
        return 0

    cdef Names* inline_names(self, xmlNode* node) except NULL:
        """Return the names of the inline elements between an element and the block-level one around it."""
        cdef Level* levels = <Level*> self.levels.start
        cdef Py_ssize_t depth = self.levels.count, first = depth
        cdef xmlNode* above
        cdef Names* names = &self.passed
        memset(names, 0, sizeof(Names))
        if not depth:
            if node == self.root:
                # What is above the root counts for the root itself.
                above = node.parent
                while above is not NULL and above.type == XML_ELEMENT_NODE:
                    self.read_names(above, self.tag_of(above), names, NULL)
                    above = above.parent
            return names
        while first and not levels[first - 1].is_known:
            first -= 1
        if first:
            names[0] = levels[first - 1].inline_names
        while first < depth:
            self.read_names(levels[first].node, self.tag_of(levels[first].node), names, NULL)
            levels[first].inline_names = names[0]
            levels[first].is_known = True
            first += 1
        return names

    cdef Names passed

    cdef int add_element(self, xmlNode* node, Py_ssize_t parent, const Names* inline_names) except -1:
        """Add an element; the first one is the root."""
        cdef Py_ssize_t number = self.elements.count
        cdef Element* element = <Element*> self.elements.added()
        cdef Tag tag = self.tag_of(node)
        cdef Names own = inline_names[0]
        cdef Names around
        cdef Py_ssize_t value = 0
        self.read_names(node, tag, &own, &value)
        element.parent = parent
        element.next = -1
        element.own = self.number_of(&own)
        if not number:
            element.all = element.own
            element.path = element.depth = 0
        else:
            around = (<Names*> self.sets.start)[(<Element*> self.elements.start)[parent].all]
            element.all = (<Element*> self.elements.start)[parent].all
            if not has_all(&around, &own):
                add(&around, &own)
                element.all = self.number_of(&around)
            element.depth = (<Element*> self.elements.start)[parent].depth + 1
            # The root's own path is 0.
            element.path = 1 + branch_of(
                self.of_paths, self.paths, (<Element*> self.elements.start)[parent].path, tag.number
            )
        element.css_class = branch_of(self.of_values, self.classes, value, tag.number)
        return 0

    cdef Tag tag_of(self, const xmlNode* node):
        cdef size_t at
        cdef Tag tag
        if node.ns is not NULL:
            return self.reader.other
        at = place_of(node.name)
        if self.known[at].name != node.name:
            # The table holds it, too.
            tag = self.reader.tags.get(bytes_of(node.name), self.reader.other)
            self.known[at].what = <PyObject*> tag
            self.known[at].name = node.name
        return <Tag> self.known[at].what

    cdef Py_ssize_t number_of(self, const Names* names) except -1:
        """Return the number of a set of names."""
        cdef bytes packed = PyBytes_FromStringAndSize(<const char*> names.words, SET_SIZE)
        found = self.set_numbers.get(packed)
        if found is None:
            found = self.sets.count
            (<Names*> self.sets.added())[0] = names[0]
            self.set_numbers[packed] = found
        return found

    cdef int read_names(self, const xmlNode* node, Tag tag, Names* names, Py_ssize_t* css_class) except -1:
        """Add the names of an element; give the number of its CLASS, 0 for none."""
        cdef xmlAttr* found = node.properties
        cdef Attribute attribute
        cdef Py_ssize_t number
        add(names, &tag.names)
        while found is not NULL:
            if found.ns is NULL:
                attribute = self.attribute_of(found.name)
                if attribute is None:
                    pass
                elif attribute.is_class:
                    number = self.number_of_class(attribute, self.value_of(found))
                    add(names, <Names*> self.class_names.start + number - 1)
                    if css_class is not NULL:
                        css_class[0] = number
                else:
                    self.add_names_in(attribute, self.value_of(found), names)
            found = found.next
        return 0

    cdef Attribute attribute_of(self, const unsigned char* name):
        """Return the attribute of a name; None for one that gives no names."""
        cdef size_t at = place_of(name)
        cdef object found
        if self.attributes[at].name != name:
            found = self.reader.attributes.get(bytes_of(name))
            self.attributes[at].what = <PyObject*> found
            self.attributes[at].name = name
        return <Attribute> self.attributes[at].what

    cdef bytes value_of(self, const xmlAttr* attribute):
        cdef const unsigned char* value = sole_text(attribute)
        if value is not NULL:
            return bytes_of(value)
        # Such as an entity.
        self.is_odd = self.is_odd or attribute.children is not NULL
        return b""

    cdef Py_ssize_t number_of_class(self, Attribute attribute, bytes value) except -1:
        """Return the number of a value of CLASS, from 1 on; many elements of a page have the same."""
        cdef Names names
        found = self.values.get(value)
        if found is None:
            memset(&names, 0, sizeof(names))
            self.add_names_in(attribute, value, &names)
            (<Names*> self.class_names.added())[0] = names
            found = self.class_names.count
            self.values[value] = found
        return found

    cdef int add_names_in(self, Attribute attribute, bytes value, Names* names) except -1:
        """Add the names in an attribute's value."""
        cdef Py_ssize_t most = self.reader.most
        if PyBytes_GET_SIZE(value) > most:
            # A character has at most four bytes.
            value = value[: 4 * most].decode("utf-8", "ignore")[:most].encode()
        if attribute.has_words:
            return add_words(attribute, value, names)
        return add_names_of(attribute, value, names)

    cdef tuple made_columns(self):
        """Return the columns in the order of :class:`~scrapy_justext.core.learned.tree.ElementColumns`."""
        cdef Py_ssize_t count = self.elements.count, classes = self.classes.count, number, at
        cdef Element* elements = <Element*> self.elements.start
        cdef Element* element
        cdef list made = []
        cdef Py_ssize_t* columns[8]
        cdef Py_ssize_t* ends
        cdef Py_ssize_t* alike
        for at in range(8):
            made.append(PyBytes_FromStringAndSize(NULL, count * sizeof(Py_ssize_t)))
            columns[at] = <Py_ssize_t*> PyBytes_AS_STRING(made[at])
        ends, alike = columns[1], columns[5]
        for number in range(count):
            element = elements + number
            columns[0][number] = element.parent
            ends[number] = number + 1
            columns[2][number] = element.own
            columns[3][number] = element.all
            columns[4][number] = element.path
            columns[6][number] = element.depth
            columns[7][number] = element.css_class
        for number in range(count - 1, 0, -1):
            if ends[elements[number].parent] < ends[number]:
                ends[elements[number].parent] = ends[number]
        self.count_alike(alike)
        return made, PyBytes_FromStringAndSize(self.sets.start, self.sets.count * sizeof(Names))

    cdef int count_alike(self, Py_ssize_t* alike) except -1:
        """Count the children of an element's parent that have its class, class by class."""
        cdef Element* elements = <Element*> self.elements.start
        cdef Py_ssize_t count = self.elements.count, number, at
        # By class the last element, by element how many of the class at hand have it for a parent.
        cdef Py_ssize_t* last = <Py_ssize_t*> PyMem_Malloc((self.classes.count + count) * sizeof(Py_ssize_t))
        cdef Py_ssize_t* inside = last + self.classes.count
        if last is NULL:
            raise MemoryError
        for number in range(self.classes.count):
            last[number] = -1
        memset(inside, 0, count * sizeof(Py_ssize_t))
        for number in range(count):
            elements[number].next = last[elements[number].css_class]
            last[elements[number].css_class] = number
        for number in range(self.classes.count):
            at = last[number]
            while at >= 0:
                inside[elements[at].parent] += 1
                at = elements[at].next
            at = last[number]
            while at >= 0:
                alike[at] = inside[elements[at].parent]
                at = elements[at].next
            at = last[number]
            while at >= 0:
                inside[elements[at].parent] = 0
                at = elements[at].next
        PyMem_Free(last)
        return 0
