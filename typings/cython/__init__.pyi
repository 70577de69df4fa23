"""What compiled modules are typed with: to mypy, plain Python types."""

import builtins

int = builtins.int
float = builtins.float
bint = builtins.bool
double = builtins.float
Py_ssize_t = builtins.int
Py_UCS4 = builtins.str
uchar = builtins.int
ulonglong = builtins.int
