"""What compiled modules are typed with: to mypy, plain Python types."""

int = int
bint = bool
double = float
float = float
Py_ssize_t = int
Py_UCS4 = str
