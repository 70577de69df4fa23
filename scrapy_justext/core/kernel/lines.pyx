# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=True
"""Write text with marks as one line of Markdown.

It gives what :mod:`scrapy_justext.core.markdown.inline` makes of the runs of a text; what is written stands there, and
why.  Here no object is made for a run, and each character is looked at a fixed number of times.
"""

from cpython.mem cimport PyMem_Free, PyMem_Realloc
from cpython.unicode cimport PyUnicode_FromKindAndData
from libc.string cimport memset

from unicodedata import category

from scrapy_justext.core.marks import BOLD, BREAK, FIXED_WIDTH, IMAGE, INLINE, ITALIC, LINK, MATH, PLAIN, UNLINK
from scrapy_justext.core.markdown.inline import ESCAPED, ESCAPED_IN_PLACES
from scrapy_justext.core.kernel.tree cimport Memory


cdef extern from *:
    const char* SOURCE_DIGEST
    enum:
        PyUnicode_4BYTE_KIND
    Py_UCS4* PyUnicode_AsUCS4(object text, Py_UCS4* to, Py_ssize_t room, int with_end) except NULL


#: SHA-256 of the source that this was compiled from.
DIGEST = SOURCE_DIGEST.decode()

cdef Py_UCS4 MARK = ord(INLINE)
cdef Py_UCS4 LINK_CODE = ord(LINK), UNLINK_CODE = ord(UNLINK), PLAIN_CODE = ord(PLAIN), BREAK_CODE = ord(BREAK)
cdef Py_UCS4 BOLD_CODE = ord(BOLD), ITALIC_CODE = ord(ITALIC), FIXED_WIDTH_CODE = ord(FIXED_WIDTH)
cdef Py_UCS4 IMAGE_CODE = ord(IMAGE), MATH_CODE = ord(MATH)

cdef enum:
    # No character: it stands at the ends of a line.
    NOTHING = 0x110000


cdef enum Kind:
    # What the characters at hand are: text to be escaped, code, or Markdown that stands as it is.
    TEXT, SPAN, MARKUP


cdef struct Style:
    # Where a link leads, as the number of its address, -1 outside links; and what else there is.
    Py_ssize_t link
    bint is_bold, is_italic, is_code


cdef struct Run:
    # A part of the text in one style.  Of a gap, only the character counts that it is; of the reference to a footnote,
    # only its number, which is -1 for all else.
    Py_ssize_t start, end
    Style style
    bint is_break
    Py_UCS4 gap
    Py_ssize_t note


cdef struct Characters:
    Py_UCS4* start
    Py_ssize_t size, room


cdef int grow(Characters* to, Py_ssize_t needed) except -1:
    cdef Py_ssize_t room = max(2 * to.room, needed, 256)
    cdef Py_UCS4* moved = <Py_UCS4*> PyMem_Realloc(to.start, room * sizeof(Py_UCS4))
    if moved is NULL:
        raise MemoryError
    to.start, to.room = moved, room
    return 0


cdef inline int put(Characters* to, Py_UCS4 character) except -1:
    if to.size == to.room:
        grow(to, to.size + 1)
    to.start[to.size] = character
    to.size += 1
    return 0


cdef int put_all(Characters* to, str text) except -1:
    cdef Py_UCS4 character
    for character in text:
        put(to, character)
    return 0


cdef inline bint is_word(Py_UCS4 character) noexcept:
    return character.isalnum() or character == u"_"


cdef enum Escape:
    # Whether a character of ASCII is escaped: never, always, or by what is around it; or it is a line feed.
    NEVER, ALWAYS, IN_PLACES, FEED


cdef unsigned char[128] ESCAPES
for code, sign in enumerate(map(chr, range(128))):
    ESCAPES[code] = (
        ALWAYS if sign in ESCAPED else IN_PLACES if sign in ESCAPED_IN_PLACES else FEED if sign == "\n" else NEVER
    )


cdef inline Escape escape_of(Py_UCS4 character) noexcept:
    return <Escape> ESCAPES[character] if character < 128 else NEVER


cdef bint begins_entity(const Py_UCS4* text, Py_ssize_t at, Py_ssize_t end) noexcept:
    """Return whether an entity begins at an ampersand."""
    cdef Py_ssize_t first
    at += 1
    if at < end and text[at] == u"#":
        at += 1
    first = at
    while at < end and is_word(text[at]):
        at += 1
    return first < at < end and text[at] == u";"


cdef int put_escaped(Characters* to, const Py_UCS4* text, Py_ssize_t end, str line_break) except -1:
    """Write a text of some length, with ``line_break`` in place of line feeds."""
    cdef Py_ssize_t at
    cdef Escape escape
    for at in range(end):
        escape = escape_of(text[at])
        if escape == FEED:
            put_all(to, line_break)
            continue
        if escape == ALWAYS or (escape == IN_PLACES and means_something(text, at, end)):
            put(to, u"\\")
        put(to, text[at])
    return 0


cdef bint means_something(const Py_UCS4* text, Py_ssize_t at, Py_ssize_t end) noexcept:
    """Return whether an underscore or ampersand does where it stands: not inside of a word, or before an entity."""
    if text[at] == u"&":
        return begins_entity(text, at, end)
    return not (at > 0 and text[at - 1].isalnum() and at + 1 < end and text[at + 1].isalnum())


cdef bint is_punctuation(Py_UCS4 character, str categories) except -1:
    """Return whether a character is of one of some categories; symbols of ASCII are punctuation."""
    if character < 0x80:
        return 0x20 < character < 0x7f and not character.isalnum()
    return category(chr(character))[0] in categories


cdef bint sets_apart(Py_UCS4 character) except -1:
    return character == NOTHING or character.isspace() or is_punctuation(character, "P")


def is_whole(str text) -> bool:
    """Return whether a text with marks can be written by itself: what begins in it ends in it.

    Nor has it formulas and images.
    """
    cdef Py_ssize_t at, depth = 0, end = len(text)
    cdef Py_UCS4 code
    for at in range(end - 1):
        if text[at] != MARK:
            continue
        code = text[at + 1]
        if code == MATH_CODE or code == IMAGE_CODE:
            return False
        if code == UNLINK_CODE or code == PLAIN_CODE:
            depth -= 1
            if depth < 0:
                return False
        elif code == LINK_CODE or code == BOLD_CODE or code == ITALIC_CODE or code == FIXED_WIDTH_CODE:
            depth += 1
    return depth == 0


cdef class LineWriter:
    """Writes lines of one page.

    ``resolve``: gives the destinations of its links; ``is_reference``: tells of the text of a link to a footnote whether
    it is that of a reference.
    """

    cdef object resolve, is_reference
    # The labels of footnotes, by the addresses that lead there.
    cdef public dict labels
    cdef Memory styles, runs, shown
    cdef list addresses, targets, notes
    cdef dict address_numbers, target_numbers
    # The text, what is written, and the characters of one kind that are to be written next.
    cdef Characters text, written, part
    cdef Kind kind
    cdef str line_break

    def __cinit__(self, resolve, is_reference):
        self.resolve, self.is_reference = resolve, is_reference
        self.labels = {}
        self.styles, self.runs, self.shown = Memory(sizeof(Style)), Memory(sizeof(Run)), Memory(sizeof(Run))
        self.addresses, self.targets, self.notes = [], [], []
        self.address_numbers, self.target_numbers = {}, {}

    def __dealloc__(self):
        PyMem_Free(self.text.start)
        PyMem_Free(self.written.start)
        PyMem_Free(self.part.start)

    def plain_line(self, str text) -> str:
        """Return a text without marks, and with single spaces, as Markdown."""
        cdef Py_UCS4 character
        for character in text:
            if escape_of(character) != NEVER:
                break
        else:
            # As most are.
            return text
        self.take(text)
        self.written.size = 0
        put_escaped(&self.written, self.text.start, self.text.size, " ")
        return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, self.written.start, self.written.size)

    def line(self, str text, str line_break, *, bint in_heading) -> str:
        """Return a text with marks as Markdown; :func:`is_whole` must say that it can be.

        ``line_break``: what is written of a BR; ``in_heading``: whether all is bold anyway.
        """
        self.line_break = line_break
        self.shown.count = 0
        self.written.size = self.part.size = 0
        self.read(text, in_heading)
        self.find_targets(text)
        self.collapse()
        self.write()
        return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, self.written.start, self.written.size)

    def near_references(self, str text) -> list:
        """Return the addresses in the same page that links lead to whose text is that of a reference."""
        cdef Run* runs
        cdef Py_ssize_t begin = 0, end
        found = []
        self.read(text, False)
        runs = <Run*> self.runs.start
        while begin < self.runs.count:
            end = self.end_of_link(begin)
            if runs[begin].style.link >= 0:
                address = self.addresses[runs[begin].style.link]
                if address.startswith("#") and self.is_reference(self.text_of(text, begin, end)):
                    found.append(address)
            begin = end
        return found

    cdef Py_ssize_t end_of_link(self, Py_ssize_t begin) noexcept:
        """Return where the runs end that lead to the same address as the one at ``begin``."""
        cdef Run* runs = <Run*> self.runs.start
        cdef Py_ssize_t end = begin + 1
        while end < self.runs.count and runs[end].style.link == runs[begin].style.link:
            end += 1
        return end

    cdef str text_of(self, str text, Py_ssize_t begin, Py_ssize_t end):
        """Return the text of some runs."""
        cdef Run* runs = <Run*> self.runs.start
        cdef list parts = []
        for i in range(begin, end):
            parts.append(text[runs[i].start:runs[i].end])
        return "".join(parts)

    cdef int take(self, str text) except -1:
        """Take a text, whose characters are looked at in their places."""
        self.text.size = len(text)
        if self.text.room < self.text.size:
            grow(&self.text, self.text.size)
        if self.text.size:
            PyUnicode_AsUCS4(text, self.text.start, self.text.room, False)
        return 0

    cdef int read(self, str text, bint in_heading) except -1:
        """Read the runs."""
        cdef Style style
        cdef Py_ssize_t at, end, size
        cdef Py_UCS4 code
        self.take(text)
        size = self.text.size
        self.runs.count = self.styles.count = 0
        style.link = -1
        style.is_bold = style.is_italic = style.is_code = False
        at = self.end_of_part(0)
        self.add_run(0, at, style, False)
        while at + 1 < size:
            code = self.text.start[at + 1]
            end = self.end_of_part(at + 2)
            if code == LINK_CODE or code == BOLD_CODE or code == ITALIC_CODE or code == FIXED_WIDTH_CODE:
                (<Style*> self.styles.added())[0] = style
            if code == LINK_CODE:
                # The text of the link follows behind another mark.
                style.link = number_of(text[at + 2:end], self.addresses, self.address_numbers)
                at = end
                continue
            if code == BOLD_CODE:
                style.is_bold = not in_heading
            elif code == ITALIC_CODE:
                style.is_italic = True
            elif code == FIXED_WIDTH_CODE:
                style.is_code = True
            elif (code == UNLINK_CODE or code == PLAIN_CODE) and self.styles.count:
                style = (<Style*> self.styles.taken())[0]
            elif code == BREAK_CODE:
                self.add_run(at + 2, at + 2, style, True)
            self.add_run(at + 2, end, style, False)
            at = end
        return 0

    cdef Py_ssize_t end_of_part(self, Py_ssize_t at) noexcept:
        """Return where the next mark is, or the end."""
        while at < self.text.size and self.text.start[at] != MARK:
            at += 1
        return at

    cdef int add_run(self, Py_ssize_t start, Py_ssize_t end, Style style, bint is_break) except -1:
        cdef Run* run
        if is_break or start < end:
            run = <Run*> self.runs.added()
            run.start, run.end, run.style, run.is_break, run.gap, run.note = start, end, style, is_break, NOTHING, -1
        return 0

    cdef int find_targets(self, str text) except -1:
        """Put the numbers of destinations in place of those of addresses; each link asks for its own once.

        References to footnotes stand for themselves.
        """
        cdef Run* runs = <Run*> self.runs.start
        cdef Py_ssize_t i, begin = 0, end, target, left = 0
        while begin < self.runs.count:
            end = self.end_of_link(begin)
            target = -1
            if runs[begin].style.link >= 0:
                address = self.addresses[runs[begin].style.link]
                if address in self.labels and self.is_reference(self.text_of(text, begin, end)):
                    memset(&runs[left], 0, sizeof(Run))
                    runs[left].style.link, runs[left].gap = -1, NOTHING
                    runs[left].note = len(self.notes)
                    self.notes.append(f"[^{self.labels[address]}]")
                    left += 1
                    begin = end
                    continue
                destination = self.resolve(address)
                if destination is not None:
                    target = number_of(destination, self.targets, self.target_numbers)
            for i in range(begin, end):
                runs[left] = runs[i]
                runs[left].style.link = target
                left += 1
            begin = end
        self.runs.count = left
        return 0

    cdef int collapse(self) except -1:
        """Leave the text of each run that is shown without the white space around it, which gaps stand for."""
        cdef Run* runs = <Run*> self.runs.start
        cdef Run run
        cdef Py_UCS4 gap = NOTHING
        cdef Style around
        cdef bint ends_in_space
        cdef Py_ssize_t i
        for i in range(self.runs.count):
            run = runs[i]
            if run.is_break:
                gap, around = u"\n", run.style
                continue
            if run.note >= 0:
                if gap != NOTHING and self.shown.count:
                    self.add_gap(gap, around)
                (<Run*> self.shown.added())[0] = run
                gap = NOTHING
                continue
            if gap == NOTHING and self.text.start[run.start].isspace():
                gap, around = u" ", run.style
            ends_in_space = self.text.start[run.end - 1].isspace()
            while run.start < run.end and self.text.start[run.start].isspace():
                run.start += 1
            if run.start == run.end:
                continue
            while self.text.start[run.end - 1].isspace():
                run.end -= 1
            if gap != NOTHING and self.shown.count:
                self.add_gap(gap, around)
            (<Run*> self.shown.added())[0] = run
            gap = NOTHING
            if ends_in_space:
                gap, around = u" ", run.style
        return 0

    cdef int add_gap(self, Py_UCS4 gap, Style around) except -1:
        cdef Run* run = <Run*> self.shown.added()
        run.start = run.end = 0
        run.is_break = False
        run.style, run.gap, run.note = around, gap, -1
        run.style.is_code = False
        return 0

    cdef int write(self) except -1:
        """Write what is shown, with the markup of links."""
        cdef Run* shown = <Run*> self.shown.start
        cdef Py_ssize_t begin = 0, end, first, behind, count = self.shown.count
        while begin < count:
            end = begin + 1
            while end < count and shown[end].style.link == shown[begin].style.link:
                end += 1
            if shown[begin].style.link < 0:
                self.write_emphasised(begin, end, u")" if begin else NOTHING, u"[" if end < count else NOTHING)
            else:
                first, behind = self.without_gaps(begin, end)
                self.write_runs(begin, first)
                if first < behind:
                    self.begin(MARKUP)
                    put(&self.part, u"[")
                    self.write_emphasised(first, behind, u"[", u"]")
                    self.begin(MARKUP)
                    put_all(&self.part, "](")
                    put_all(&self.part, self.targets[shown[begin].style.link])
                    put(&self.part, u")")
                    self.write_runs(behind, end)
            begin = end
        self.end_part()
        return 0

    cdef (Py_ssize_t, Py_ssize_t) without_gaps(self, Py_ssize_t begin, Py_ssize_t end):
        """Return where the runs begin and end that are left without the gaps before and behind."""
        cdef Run* shown = <Run*> self.shown.start
        while begin < end and shown[begin].gap != NOTHING:
            begin += 1
        while end > begin and shown[end - 1].gap != NOTHING:
            end -= 1
        return begin, end

    cdef int write_emphasised(self, Py_ssize_t begin, Py_ssize_t end, Py_UCS4 before, Py_UCS4 after) except -1:
        """Write runs with the markup of their emphasis; ``before``, ``after``: the characters around them."""
        cdef Run* shown = <Run*> self.shown.start
        cdef Py_ssize_t i = begin, next, first, behind, signs
        cdef Py_UCS4 follows
        cdef bint is_marked
        while i < end:
            next = i + 1
            signs = signs_of(&shown[i].style)
            while next < end and signs_of(&shown[next].style) == signs:
                next += 1
            first, behind = self.without_gaps(i, next)
            follows = u" " if behind < next else self.edge(next, False) if next < end else after
            is_marked = signs and first < behind and self.flanks(u" " if i < first else before, first, behind, follows)
            self.write_runs(i, first)
            if is_marked:
                self.write_signs(signs)
            self.write_runs(first, behind)
            if is_marked:
                self.write_signs(signs)
            self.write_runs(behind, next)
            # A group of nothing but gaps has all of them at its beginning.
            before = u" " if first < behind < next else u"*" if is_marked else self.edge(next - 1, True)
            i = next
        return 0

    cdef bint flanks(self, Py_UCS4 before, Py_ssize_t first, Py_ssize_t behind, Py_UCS4 after) except -1:
        """Return whether delimiters around runs are read as beginning and end of emphasis."""
        if before == u"*":
            return False
        if is_punctuation(self.edge(first, False), "PS") and not sets_apart(before):
            return False
        return not is_punctuation(self.edge(behind - 1, True), "PS") or sets_apart(after)

    cdef Py_UCS4 edge(self, Py_ssize_t number, bint is_last) except? NOTHING:
        """Return the first or last character of a run as it is written, or one of its kind."""
        cdef Run* run = <Run*> self.shown.start + number
        if run.gap != NOTHING:
            return run.gap
        if run.note >= 0:
            return u"]" if is_last else u"["
        if run.style.is_code:
            return u"`"
        return self.text.start[run.end - 1 if is_last else run.start]

    cdef int write_signs(self, Py_ssize_t count) except -1:
        self.begin(MARKUP)
        for _ in range(count):
            put(&self.part, u"*")
        return 0

    cdef int write_runs(self, Py_ssize_t begin, Py_ssize_t end) except -1:
        cdef Run* run
        cdef Py_ssize_t i, at
        cdef Py_UCS4 character
        cdef bint is_space, was_space
        for i in range(begin, end):
            run = <Run*> self.shown.start + i
            if run.note >= 0:
                self.begin(MARKUP)
                put_all(&self.part, self.notes[run.note])
                continue
            self.begin(SPAN if run.style.is_code else TEXT)
            if run.gap != NOTHING:
                put(&self.part, run.gap)
                continue
            was_space = False
            for at in range(run.start, run.end):
                character = self.text.start[at]
                is_space = character.isspace()
                if not is_space:
                    put(&self.part, character)
                elif not was_space:
                    put(&self.part, u" ")
                was_space = is_space
        return 0

    cdef int begin(self, Kind kind) except -1:
        """Begin characters of a kind, unless those at hand are of it."""
        if kind != self.kind:
            self.end_part()
            self.kind = kind
        return 0

    cdef int end_part(self) except -1:
        """Write the characters at hand."""
        cdef Py_UCS4 last = self.written.start[self.written.size - 1] if self.written.size else NOTHING
        cdef Py_ssize_t begin = 0
        if not self.part.size:
            return 0
        if self.kind == TEXT:
            if last == u"]" and (self.part.start[0] == u"(" or self.part.start[0] == u":"):
                # Behind a reference, neither a link's address nor a footnote.
                put(&self.written, u"\\")
                put(&self.written, self.part.start[0])
                begin = 1
            put_escaped(&self.written, self.part.start + begin, self.part.size - begin, self.line_break)
        else:
            if self.part.start[0] == u"[" and (last == u"!" or last == u"^"):
                # No image, and no footnote.
                self.written.start[self.written.size - 1] = u"\\"
                put(&self.written, last)
            if self.kind == SPAN:
                self.write_span()
            else:
                self.copy_part()
        self.part.size = 0
        return 0

    cdef int copy_part(self) except -1:
        for i in range(self.part.size):
            put(&self.written, self.part.start[i])
        return 0

    cdef int write_span(self) except -1:
        """Write the characters at hand as code."""
        cdef Py_ssize_t i, longest = 0, backticks = 0
        cdef bint is_padded = self.part.start[0] == u"`" or self.part.start[self.part.size - 1] == u"`"
        for i in range(self.part.size):
            backticks = backticks + 1 if self.part.start[i] == u"`" else 0
            longest = max(longest, backticks)
        self.write_fence(longest + 1)
        if is_padded:
            put(&self.written, u" ")
        self.copy_part()
        if is_padded:
            put(&self.written, u" ")
        self.write_fence(longest + 1)
        return 0

    cdef int write_fence(self, Py_ssize_t count) except -1:
        for _ in range(count):
            put(&self.written, u"`")
        return 0


cdef Py_ssize_t number_of(str text, list texts, dict numbers) except -1:
    """Return the number of a text among some; it is added if it is none of them."""
    number = numbers.get(text)
    if number is None:
        number = numbers[text] = len(texts)
        texts.append(text)
    return number


cdef inline Py_ssize_t signs_of(const Style* style) noexcept:
    """Return how many asterisks are around text in a style."""
    return 2 * style.is_bold + style.is_italic
