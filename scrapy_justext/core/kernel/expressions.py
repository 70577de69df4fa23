"""Parse the part of XPath 1.0 that the tables of tags use, for the compiled reader.

The tables are the one definition of what is tested and told; XSLT reads them as they are.  The compiled reader calls no
function of libxml2, so it evaluates them itself.  What it does not know is an error here, before any page is read.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The functions that are known, each with the numbers of its arguments.
FUNCTIONS = {
    "concat": range(2, 99),
    "contains": range(2, 3),
    "name": range(2),
    "normalize-space": range(2),
    "not": range(1, 2),
    "starts-with": range(2, 3),
    "string-length": range(1, 2),
    "substring": range(3, 4),
    "substring-before": range(2, 3),
    "translate": range(3, 4),
}
AXES = ("child", "attribute", "self", "parent", "preceding-sibling", "following-sibling")
_SHORT_STEPS = {".": ("self", "node()"), "..": ("parent", "node()")}


class EntityError(Exception):
    """A text with an entity is asked for, which only libxml2 can resolve."""


class Step(NamedTuple):
    """A step of a path: which nodes it goes to from a node."""

    axis: str
    names: tuple[str, ...]
    """Names of elements or of an attribute; ``*`` for all elements, ``text()`` for text."""
    predicates: tuple[Expression, ...] = ()
    is_first: bool = False
    """Only the first node on the axis."""


class Path(NamedTuple):
    """Steps from the element at hand."""

    steps: tuple[Step, ...]


class Operation(NamedTuple):
    """A function or an operator, by its name, with what it is applied to."""

    name: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = "Path | Operation | str | int"


@cache
def parse(expression: str) -> Expression:
    """Return the tree of an expression.

    Raises ValueError for what is not among the part of XPath that is known.

    >>> parse("not(@hidden)")
    Operation(name='not', arguments=(Path(steps=(Step(axis='attribute', names=('hidden',), ...),)),))
    """
    tokens = list(_tokens(expression))
    parser = _Descent(tokens)
    result = parser.alternatives()
    if parser.next:
        raise ValueError(f"{parser.next!r} is not expected in {expression!r}")
    return result


_TOKEN = re.compile(r"\s*('[^']*'|\"[^\"]*\"|\d+|::|\.\.|[A-Za-z_][\w-]*(?:\(\))?(?!\w)|[()\[\]@/*=<|,.])")


def _tokens(expression: str) -> Iterator[str]:
    position = 0
    while position < len(expression.rstrip()):
        token = _TOKEN.match(expression, position)
        if token is None:
            raise ValueError(f"{expression[position:]!r} is not known in {expression!r}")
        yield token[1]
        position = token.end()


class _Descent:
    """Reads tokens from the first to the last, by recursive descent."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens[::-1]

    @property
    def next(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def take(self, *expected: str) -> str:
        """Return the next token if it is one of some; else nothing."""
        return self._tokens.pop() if self.next in expected else ""

    def need(self, *expected: str) -> None:
        if not self.take(*expected):
            raise ValueError(f"{self.next!r} instead of {' or '.join(expected)}")

    def alternatives(self) -> Expression:
        return self._joined("or", self._all_of)

    def _all_of(self) -> Expression:
        return self._joined("and", self._compared)

    def _joined(self, operator: str, part: Callable[[], Expression]) -> Expression:
        parts = [part()]
        while self.take(operator):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Operation(operator, tuple(parts))

    def _compared(self) -> Expression:
        left = self._union()
        operator = self.take("=", "<")
        return Operation(operator, (left, self._union())) if operator else left

    def _union(self) -> Expression:
        """Return a value, or the path that several paths are that differ in the names of their only step."""
        first = self._value()
        names: tuple[str, ...] = ()
        while self.take("|"):
            other = self._value()
            names += _only_name(other)
        if not names:
            return first
        return Path((Step("child", _only_name(first) + names),))

    def _value(self) -> Expression:
        token = self.next
        if token[:1] in ("'", '"'):
            return self._tokens.pop()[1:-1]
        if token.isdecimal():
            return int(self._tokens.pop())
        if self.take("("):
            inside = self.alternatives()
            self.need(")")
            return inside
        if token.removesuffix("()") in FUNCTIONS:
            return self._call()
        steps = [self._step()]
        while self.take("/"):
            steps.append(self._step())
        return Path(tuple(steps))

    def _call(self) -> Expression:
        name, empty = self._tokens.pop(), "()"
        arguments: list[Expression] = []
        if not name.endswith(empty):
            self.need("(")
            arguments.append(self.alternatives())
            while self.take(","):
                arguments.append(self.alternatives())
            self.need(")")
        name = name.removesuffix(empty)
        if len(arguments) not in FUNCTIONS[name]:
            raise ValueError(f"{len(arguments)} arguments for {name}()")
        return Operation(name, tuple(arguments))

    def _step(self) -> Step:
        axis = "child"
        if self.take("@"):
            axis = "attribute"
        token = self._tokens.pop() if self._tokens else ""
        if self.take("::"):
            axis, token = token, self._tokens.pop()
        if token in _SHORT_STEPS:
            axis, token = _SHORT_STEPS[token]
        if axis not in AXES or not (token in ("*", "text()", "node()") or token.replace("-", "").isidentifier()):
            raise ValueError(f"{axis}::{token} is no step")
        predicates: list[Expression] = []
        is_first = False
        while self.take("["):
            predicate = self.alternatives()
            self.need("]")
            if predicate == 1 and not predicates and not is_first:
                is_first = True
            elif isinstance(predicate, int):
                raise ValueError("only the first position can be asked for")
            else:
                predicates.append(predicate)
        return Step(axis, (token,), tuple(predicates), is_first)


def _only_name(expression: Expression) -> tuple[str, ...]:
    """Return the names of children that a path goes to, if it does no more."""
    if isinstance(expression, Path) and expression.steps == (Step("child", expression.steps[0].names),):
        return expression.steps[0].names
    raise ValueError("only names of children can be joined by |")
