"""The C++ that CK's ``Make...Descriptor`` and ``Make...Distribution`` functions are written in.

A program is a list of ``constexpr`` definitions, of variables or of functions without arguments,
and one value, which may be ``return``ed; without one it means its last function. Values are whole
numbers, tuples, transforms, descriptors and encodings; everything is computed while it is read, as
the C++ compiler does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from bankwise.notation.ck.descriptor import Indices
from bankwise.notation.ck.encoding import Encoding
from bankwise.notation.ck.factories import FACTORIES, Value, describe, make_encoding
from bankwise.notation.reader import Cursor, Token, placed, unknown

_TYPES = ("auto", "index_t", "int", "long_index_t")
_QUALIFIERS = ("static", "constexpr", "const", "inline", "CK_TILE_HOST_DEVICE")
TEMPLATES = (
    "number",
    "constant",
    "long_number",
    "sequence",
    "tuple",
    "tile_distribution_encoding",
)
COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
Operators = Mapping[str, Callable[[int, int], int]]

SUMS: Operators = {"+": operator.add, "-": operator.sub}
PRODUCTS: Operators = {
    "*": operator.mul,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
}
"""C++ rounds quotients towards zero."""

_SHORT = "<1 | (1,4,16),(4,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>"


def read(cursor: Cursor, names: Mapping[str, int]) -> Value:
    """The value of a program; ``names``: the numbers it may use without defining them.

    Raises :class:`InputError` with the place of what is not understood.
    """
    return _ProgramReader(cursor, dict(names)).program()


class _ProgramReader:
    """One program: its cursor, and the names defined so far."""

    def __init__(self, cursor: Cursor, names: dict[str, Value]) -> None:
        self.cursor = cursor
        self.names = names

    def program(self) -> Value:
        """Definitions and the value that is returned, or stands alone; else the last function's."""
        cursor = self.cursor
        last = self._definitions()
        if cursor.token.kind == "end" and last is not None:
            return last
        cursor.accept("return")
        value = self._short() if cursor.ahead("<") else self._value()
        cursor.accept(";")
        cursor.finish("definitions, then one value: constexpr index_t kM = 64; return ...;")
        return value

    def _definitions(self) -> Value | None:
        """Read definitions; the value of the last one if it was a function."""
        last: Value | None = None
        while self.cursor.token.text in (*_QUALIFIERS, *_TYPES):
            last = self._definition()
        return last

    def _definition(self) -> Value | None:
        """``constexpr index_t kM = 64;``, or a function without arguments, which is evaluated."""
        cursor = self.cursor
        while cursor.token.text in (*_TYPES, *_QUALIFIERS):
            cursor.next()
        name = cursor.name("constexpr index_t kM = 64;").text
        if cursor.accept("("):
            cursor.expect(")", "a function without arguments")
            self.names[f"{name}()"] = value = self._function()
            return value
        while True:
            cursor.expect("=", "constexpr index_t kM = 64;")
            self.names[name] = self._value()
            if not cursor.accept(","):
                break
            name = cursor.name("constexpr index_t kM = 64, kK = 32;").text
        cursor.expect(";")
        return None

    def _function(self) -> Value:
        """``{ definitions return value; }``; its names are its own."""
        with self.cursor.nested():
            self.cursor.expect("{")
            inside = _ProgramReader(self.cursor, dict(self.names))
            inside._definitions()
            self.cursor.expect("return")
            value = inside._value()
            self.cursor.expect(";")
            self.cursor.expect("}")
        return value

    def _value(self, angle: bool = False) -> Value:
        """A conditional. ``angle``: inside <...>, where > ends the list and compares nothing."""
        with self.cursor.nested():
            first = self._compared(angle)
            if not self.cursor.accept("?"):
                return first
            yes = self._value()
            self.cursor.expect(":")
            no = self._value(angle)
            return yes if first else no

    def _compared(self, angle: bool) -> Value:
        left = self._folded(SUMS, lambda: self._folded(PRODUCTS, self._unary))
        while self.cursor.token.text in COMPARISONS:
            token = self.cursor.token
            if angle and token.text in "<>":
                break
            self.cursor.next()
            right = self._folded(SUMS, lambda: self._folded(PRODUCTS, self._unary))
            left = int(COMPARISONS[token.text](self._int(left, token), self._int(right, token)))
        return left

    def _folded(self, operators: Operators, operand: Callable[[], Value]) -> Value:
        left = operand()
        while self.cursor.token.text in operators:
            token = self.cursor.next()
            right = self._int(operand(), token)
            if token.text in "/%" and right == 0:
                raise self.cursor.error("division by zero", token=token)
            left = operators[token.text](self._int(left, token), right)
            if abs(left) >= 1 << 62:
                raise self.cursor.error("the number does not fit 63 bits", token=token)
        return left

    def _unary(self) -> Value:
        token = self.cursor.token
        if self.cursor.accept("-"):
            with self.cursor.nested():
                return -self._int(self._unary(), token)
        return self._primary()

    def _primary(self) -> Value:
        cursor = self.cursor
        if cursor.token.kind == "number":
            return cursor.number()
        if cursor.accept("("):
            value = self._value()
            cursor.expect(")")
            return value
        return self._named(cursor.name("a number, a name or a factory such as make_tuple(...)"))

    def _named(self, token: Token) -> Value:
        cursor = self.cursor
        name = token.text.removeprefix("ck_tile::")
        if name in TEMPLATES and cursor.accept("<"):
            return self._template(name, token)
        if name == "sizeof":
            cursor.expect("(")
            name = f"sizeof({cursor.name('sizeof(DataType)').text})"
            cursor.expect(")")
        elif name in FACTORIES and cursor.accept("("):
            return self._made(token, FACTORIES[name], self._list(")", angle=False))
        elif cursor.ahead("(", ")"):
            cursor.next()
            cursor.next()
            name += "()"
        if name not in self.names:
            known = (*self.names, *FACTORIES, *TEMPLATES)
            raise unknown(cursor, Token("name", name, token.location), "name", known)
        self._braces()
        return self.names[name]

    def _template(self, name: str, token: Token) -> Value:
        inside = self._list(">", angle=True)
        self._braces()
        if name == "tile_distribution_encoding":
            return self._made(token, make_encoding, inside)
        if name in ("sequence", "tuple"):
            return tuple(inside)
        if len(inside) != 1:
            raise self.cursor.error(f"{name}<> holds one number, not {len(inside)}", token=token)
        return self._int(inside[0], token)

    def _list(self, closing: str, *, angle: bool) -> list[Value]:
        found: list[Value] = []
        while not self.cursor.accept(closing):
            if found:
                self.cursor.expect(",")
            found.append(self._value(angle))
        return found

    def _braces(self) -> None:
        if self.cursor.accept("{"):
            self.cursor.expect("}")

    def _made(
        self, token: Token, make: Callable[[list[Value]], Value], inside: list[Value]
    ) -> Value:
        return placed(self.cursor, token, lambda: make(inside))

    def _int(self, value: Value, token: Token) -> int:
        if not isinstance(value, int):
            raise self.cursor.error(f"a number expected, not {describe(value)}", token=token)
        return value

    def _short(self) -> Encoding:
        """``<replication | factors | majors | minors | majors | minors>``."""
        cursor = self.cursor
        start = cursor.expect("<")
        parts: list[Value] = []
        for i in range(6):
            if i:
                cursor.expect("|", "six parts: " + _SHORT)
            parts.append(self._groups() if i in (1, 2, 3) else self._numbers())
        cursor.expect(">", _SHORT)
        found = self._made(start, make_encoding, parts)
        assert isinstance(found, Encoding)
        return found

    def _groups(self) -> Indices:
        found: list[tuple[int, ...]] = []
        while self.cursor.accept("("):
            found.append(self._numbers())
            self.cursor.expect(")", _SHORT)
            if not self.cursor.accept(","):
                break
        return tuple(found)

    def _numbers(self) -> tuple[int, ...]:
        found: list[int] = []
        while self.cursor.token.kind == "number" or (found and self.cursor.ahead(",")):
            if found:
                self.cursor.expect(",", _SHORT)
            found.append(self.cursor.number(_SHORT))
        return tuple(found)
