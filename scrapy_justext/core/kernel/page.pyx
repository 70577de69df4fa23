# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True
"""Look at a page before it is a tree: at its bytes, without an object for what is looked at.

:func:`is_utf_8` gives what :func:`scrapy_justext.core.encodings.is_utf_8` gives.
:func:`has_few_attributes` is sure of most pages that :func:`scrapy_justext.core.limits.check_attributes` lets pass, and
leaves the others to it: what it says follows from the same places in long tags, and the same attributes.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcpy


cdef extern from *:
    """
    /* The C library of GNU has a quick search backwards. */
    static const void* last_byte(const void* data, int byte, size_t size) {
    #ifdef __GLIBC__
        return memrchr(data, byte, size);
    #else
        const unsigned char* at = (const unsigned char*) data + size;
        while (at-- > (const unsigned char*) data)
            if (*at == byte)
                return at;
        return 0;
    #endif
    }
    """
    const void* last_byte(const void* data, int byte, size_t size) noexcept
    const char* SOURCE_DIGEST


#: SHA-256 of the source that this was compiled from.
DIGEST = SOURCE_DIGEST.decode()

ctypedef const unsigned char* Bytes

cdef enum:
    # Bytes that are looked at together.
    WORD = 8
    LINE = 4 * WORD


cdef inline Bytes behind_ascii(Bytes at, Bytes end) noexcept:
    """Return where the first byte is that is not ASCII, or one of at most so many before it as are looked at together."""
    cdef uint64_t[4] words
    while end - at >= LINE:
        memcpy(words, at, LINE)
        if (words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080ULL:
            break
        at += LINE
    return at


def is_utf_8(body, bint is_whole) -> bool:
    """Return whether bytes are UTF-8 and not all ASCII; the last character may be cut unless ``is_whole``."""
    cdef Bytes at = <Bytes> PyBytes_AsString(body)
    cdef Bytes end = at + PyBytes_GET_SIZE(body)
    cdef bint is_beyond = False
    cdef unsigned char lead, low, high
    cdef Py_ssize_t more
    while True:
        at = behind_ascii(at, end)
        while at < end and at[0] < 0x80:
            at += 1
        if at == end:
            return is_beyond
        lead = at[0]
        at += 1
        # The second byte tells what is too long, a surrogate, or beyond the last character.
        low = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
        high = 0x8F if lead == 0xF4 else 0xBF
        # Python waits for the third byte of a surrogate.
        if lead == 0xED and end - at > 1:
            high = 0x9F
        if 0xC2 <= lead <= 0xDF:
            more = 1
        elif 0xE0 <= lead <= 0xEF:
            more = 2
        elif 0xF0 <= lead <= 0xF4:
            more = 3
        else:
            return False
        while more:
            if at == end:
                return is_beyond and not is_whole
            if not low <= at[0] <= high:
                return False
            low, high = 0x80, 0xBF
            at += 1
            more -= 1
        is_beyond = True


cdef inline bint is_white(unsigned char byte) noexcept:
    return byte == c" " or byte == c"\t" or byte == c"\n" or byte == c"\f" or byte == c"\r"


cdef inline bint is_letter(unsigned char byte) noexcept:
    return c"a" <= byte <= c"z" or c"A" <= byte <= c"Z"


cdef inline Py_ssize_t last_of(unsigned char byte, Bytes data, Py_ssize_t begin, Py_ssize_t end) noexcept:
    """Return where a byte comes last; ``begin - 1`` if it is not there."""
    cdef const void* found = NULL
    if begin < end:
        found = last_byte(data + begin, byte, end - begin)
    return begin - 1 if found is NULL else <Bytes> found - data


cdef inline Py_ssize_t first_of(unsigned char byte, Bytes data, Py_ssize_t begin, Py_ssize_t end) noexcept:
    """Return where a byte comes first; ``end`` if it is not there."""
    cdef const void* found = NULL
    if begin < end:
        found = memchr(data + begin, byte, end - begin)
    return end if found is NULL else <Bytes> found - data


cdef inline Py_ssize_t behind_white(Bytes data, Py_ssize_t at, Py_ssize_t end) noexcept:
    while at < end and is_white(data[at]):
        at += 1
    return at


cdef class AttributeCount:
    """Adds up the squares of how many attributes there may be behind places in long tags."""

    cdef Bytes data
    cdef Py_ssize_t size, read, most_read, most_in_tag, cost_of_place
    cdef double squares, most_squares

    cdef bint is_known(self) noexcept:
        """Return whether all places so far are harmless."""
        return self.squares <= self.most_squares and self.read <= self.most_read

    cdef void add(self, Py_ssize_t at) noexcept:
        """Count the attributes behind a place."""
        cdef Py_ssize_t count = 0, begin = at, end
        self.read += self.cost_of_place
        while count < self.most_in_tag and self.read + count <= self.most_read:
            end = self.behind_attribute(at)
            if end == at:
                break
            at = end
            count += 1
        self.read += count
        self.squares += <double> count * count

    cdef Py_ssize_t behind_attribute(self, Py_ssize_t at) noexcept:
        """Return where the attribute ends that begins at a place; the place if there is none."""
        cdef Py_ssize_t name = at, behind
        while name < self.size and (is_white(self.data[name]) or self.data[name] == c"/"):
            name += 1
        if name == self.size or self.data[name] == c">":
            return at
        # It may begin with an equals sign.
        name += 1
        while name < self.size and not is_white(self.data[name]) and self.data[name] not in b"/>=":
            name += 1
        behind = behind_white(self.data, name, self.size)
        if behind == self.size or self.data[behind] != c"=":
            return name
        return self.behind_value(behind + 1)

    cdef Py_ssize_t behind_value(self, Py_ssize_t at) noexcept:
        """Return where the value ends that begins at a place, or white space before it."""
        cdef Py_ssize_t end
        at = behind_white(self.data, at, self.size)
        if at == self.size:
            return at
        if self.data[at] == c'"' or self.data[at] == c"'":
            end = first_of(self.data[at], self.data, at + 1, self.size)
            if end < self.size:
                return end + 1
            # Each one that does not end is looked for up to the end of the page.
            self.read += (self.size - at) // WORD
            return at
        while at < self.size and not is_white(self.data[at]) and self.data[at] != c">":
            at += 1
        return at


def has_few_attributes(
    page, Py_ssize_t harmless_tag, double most_squares, Py_ssize_t most_in_tag, Py_ssize_t most_read,
    Py_ssize_t cost_of_place,
) -> bool:
    """Return True for a page of which it is sure that it has not too many attributes; False for others, and hostile ones.

    The numbers are those that :mod:`scrapy_justext.core.limits` goes by.
    """
    cdef AttributeCount count = AttributeCount.__new__(AttributeCount)
    cdef Bytes data = <Bytes> PyBytes_AsString(page)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(page)
    cdef Py_ssize_t begin = 0, end, name
    cdef bint is_double_open = False, is_single_open = False
    count.data, count.size = data, size
    count.most_squares, count.most_in_tag = most_squares, most_in_tag
    count.most_read, count.cost_of_place = most_read, cost_of_place
    while begin + harmless_tag <= size:
        end = last_of(c">", data, begin, begin + harmless_tag)
        if end < begin:
            end = first_of(c">", data, begin + harmless_tag, size)
        if end - begin >= harmless_tag:
            name = behind_tag_name(data, begin, end, harmless_tag)
            if name:
                count.add(name)
        is_double_open = is_open(c'"', data, begin, end, is_double_open)
        is_single_open = is_open(c"'", data, begin, end, is_single_open)
        if is_double_open or is_single_open:
            add_open_values(count, begin, end + 1 if end < size else size)
        if not count.is_known():
            return False
        begin = end + 1
    return True


cdef Py_ssize_t behind_tag_name(Bytes data, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t harmless_tag) noexcept:
    """Return where the name of the first tag ends, if it is a long one; 0 if it is none, or there is none."""
    cdef Py_ssize_t start = first_of(c"<", data, begin, end), at
    while start < end and not (start + 1 < end and is_letter(data[start + 1])):
        start = first_of(c"<", data, start + 1, end)
    if start == end or end - start <= harmless_tag:
        return 0
    at = start + 2
    while at < end and not is_white(data[at]) and data[at] not in b"/>":
        at += 1
    return at


cdef bint is_open(unsigned char quote, Bytes data, Py_ssize_t begin, Py_ssize_t end, bint was_open) noexcept:
    """Return whether a quote may have begun a value: whether an equals sign is before the last one."""
    cdef Py_ssize_t last = last_of(quote, data, begin, end)
    if last < begin:
        return was_open
    # What is white to Python's bytes between the two.
    while last > begin and is_white(data[last - 1]):
        last -= 1
    return last > begin and data[last - 1] == c"="


cdef int add_open_values(AttributeCount count, Py_ssize_t begin, Py_ssize_t end) noexcept:
    """Count the attributes behind each value whose quote is open at the next ``>``."""
    cdef Bytes data = count.data
    cdef Py_ssize_t sign = first_of(c"=", data, begin, end), at
    cdef unsigned char quote
    while sign < end and count.is_known():
        at = behind_white(data, sign + 1, end)
        if at < end and (data[at] == c'"' or data[at] == c"'"):
            quote = data[at]
            at += 1
            while at < end and data[at] != quote and data[at] != c">":
                at += 1
            if at < end and data[at] == c">":
                count.add(count.behind_value(sign + 1))
        sign = first_of(c"=", data, sign + 1, end)
    return 0
