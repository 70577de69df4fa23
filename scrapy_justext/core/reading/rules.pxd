from scrapy_justext.core.reading.nodes cimport Nodes

cdef int ACTIONS, BOX, CODEMIRROR, COPY, EDIT_LINK, PANEL, PERMALINK, TOOLTIP
cdef int _LITTLE, _LEAST_PROSE, _LITTLE_TEXT, _MOST_SAID

cdef bint _is_little(Nodes nodes, int node) except -1
cdef bint _is_much(Nodes nodes, int node, int part) except -1
cpdef bint is_set_aside(Nodes nodes, int node) except -1
cpdef bint leads_nowhere(Nodes nodes, int node) except -1
cpdef bint is_plain_button(Nodes nodes, int node) except -1
cdef bint _asks(Nodes nodes, int node) except -1
cdef bint _is_control_alone(Nodes nodes, int node) except -1
cdef bint _is_said_beside(Nodes nodes, int node) except -1
