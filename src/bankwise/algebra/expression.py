"""Integer expressions as text: ``(lane%16)*256 + lane//16*16``.

The language is the integer part of Python's expressions, evaluated on whole index arrays at once:
``+ - * // % << >> & | ^ ~``, comparisons, ``and or not``, ``a if c else b``, ``min(..)``,
``max(..)``. ``/`` means ``//``: it is what C writes. Names are the variables given, all lanes at
once. Division and remainder round towards minus infinity, as Python's do. What C reads in another
way than Python is refused: ``&&``, ``||``, ``!``, and conditions joined by a bare ``&``.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from bankwise.errors import InputError, Location

Value = npt.NDArray[np.int64]

_MAX_SHIFT = 62
_MAX_LENGTH = 10_000

_BINARY: Mapping[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Value, Value], npt.NDArray[np.bool_]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: Mapping[str, Callable[[Value, Value], Value]] = {
    "min": np.minimum,
    "max": np.maximum,
}
_OF_C = {"&&": "and", "||": "or", "!": "not"}
_LOGIC_OF_C = re.compile(r"&&|\|\||!(?!=)")
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_HINT = "use + - * / (or //) % << >> & | ^ ~, comparisons, and, or, not"
_BRACKETS = "between conditions write `and`, `or`, or brackets around each"


class Expression(Struct, frozen=True):
    """A parsed expression. ``str(x)`` is the text it was parsed from and parses back."""

    text: str
    variables: tuple[str, ...]
    tree: ast.expr

    def __str__(self) -> str:
        return self.text

    def __call__(self, **values: npt.ArrayLike) -> Value:
        """The value for all lanes at once; one int64 array per variable, broadcast together.

        Raises :class:`InputError` where it divides by zero or shifts by a senseless amount.
        """
        arrays = {name: np.asarray(value, np.int64) for name, value in values.items()}
        shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
        with np.errstate(over="ignore"):
            result = _Evaluator(self.text, arrays).value(self.tree)
        return np.broadcast_to(result, shape)


def parse(text: str, variables: Sequence[str]) -> Expression:
    """Parse ``text``; only ``variables`` may be named in it.

    Raises :class:`InputError` with the column of what is not understood.
    """
    return _parsed(text, tuple(variables))


@lru_cache(maxsize=1024)
def _parsed(text: str, variables: tuple[str, ...]) -> Expression:
    """Once for the many cases of a sweep."""
    if len(text) > _MAX_LENGTH:
        raise InputError(f"the expression has {len(text)} characters; {_MAX_LENGTH} are allowed")
    stripped = text.strip()
    if not stripped:
        raise InputError("empty expression", hint=f"write one of {', '.join(variables)}")
    if found := _LOGIC_OF_C.search(stripped):
        place = Location("expression", 1, found.start() + 1)
        hint = f"write `{_OF_C[found[0]]}`, as Python does"
        raise InputError(f"{found[0]!r} is C's, in {stripped!r}", location=place, hint=hint)
    try:
        with warnings.catch_warnings():
            # What Python warns of ("3and 4") is refused or means what it says.
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(stripped, mode="eval").body
        _check(tree, stripped, frozenset(variables))
    except SyntaxError as error:
        place = Location("expression", 1, error.offset or 1)
        raise InputError(f"cannot read {stripped!r}: {error.msg}", location=place) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"cannot read this expression: {error}") from error
    return Expression(stripped, variables, tree)


def _check(node: ast.expr, text: str, names: frozenset[str]) -> None:
    match node:
        case ast.Constant(value=bool() | int()):
            if abs(int(node.value)) >= 2**62:  # type: ignore[arg-type]
                raise _error(node, text, "the number does not fit 63 bits")
        case ast.Name(id=name) if name in names:
            pass
        case ast.Name(id=name):
            raise _error(node, text, f"unknown name {name!r}; known: {', '.join(sorted(names))}")
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _check(left, text, names)
            _check(right, text, names)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert() | ast.Not(), operand=operand):
            _check(operand, text, names)
        case ast.Compare(left=left, ops=ops, comparators=rest) if all(
            type(o) in _COMPARE for o in ops
        ):
            _check_bits(node, text)
            for part in (left, *rest):
                _check(part, text, names)
        case ast.BoolOp(values=values):
            for part in values:
                _check(part, text, names)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            for part in (test, body, orelse):
                _check(part, text, names)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
            name in _FUNCTIONS and args
        ):
            for part in args:
                _check(part, text, names)
        case _:
            piece = ast.get_source_segment(text, node) or text
            raise _error(node, text, f"{piece!r} is not integer arithmetic")


def _check_bits(node: ast.Compare, text: str) -> None:
    """Refuse ``lane < 24 & lane % 2 == 0``: `&` is done before `<` here, and after it in C."""
    operands = [node.left, *node.comparators]
    for place, part in enumerate(operands):
        if not isinstance(part, ast.BinOp) or not isinstance(part.op, _BITS):
            continue
        between = 0 < place < len(operands) - 1
        joins = isinstance(part.left, ast.Compare) or isinstance(part.right, ast.Compare)
        if (between or joins) and not _in_brackets(part, text, first=place == 0):
            piece = ast.get_source_segment(text, part) or text
            raise _error(part, text, f"{piece!r} is worked out before it is compared", _BRACKETS)


def _in_brackets(node: ast.expr, text: str, *, first: bool) -> bool:
    """Whether an operand of a comparison, the ``first`` or another, has brackets of its own."""
    if node.lineno != node.end_lineno:
        return True
    line = text.encode().split(b"\n")[node.lineno - 1]
    if first:
        return line[node.end_col_offset :].lstrip().startswith(b")")
    return line[: node.col_offset].rstrip().endswith(b"(")


def _error(node: ast.expr, text: str, message: str, hint: str = _HINT) -> InputError:
    place = Location("expression", node.lineno, node.col_offset + 1)
    return InputError(f"{message} in {text!r}", location=place, hint=hint)


class _Evaluator:
    """Walks one expression tree over whole arrays."""

    def __init__(self, text: str, arrays: Mapping[str, Value]) -> None:
        self.text = text
        self.arrays = arrays

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=number):
                return np.asarray(number, np.int64)
            case ast.Name(id=name):
                return self.arrays[name]
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(node, op, self.value(left), self.value(right))
            case ast.UnaryOp(op=op, operand=operand):
                return _unary(op, self.value(operand))
            case ast.Compare(left=left, ops=ops, comparators=rest):
                return self._compare(left, ops, rest)
            case ast.BoolOp(op=op, values=values):
                parts = [self.value(v) != 0 for v in values]
                fold = np.logical_and if isinstance(op, ast.And) else np.logical_or
                return np.asarray(fold.reduce(np.broadcast_arrays(*parts)), np.int64)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return np.where(self.value(test) != 0, self.value(body), self.value(orelse))
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._fold(name, args)
        raise AssertionError(ast.dump(node))

    def _binary(self, node: ast.expr, op: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(op, ast.FloorDiv | ast.Div | ast.Mod) and (right == 0).any():
            raise _error(node, self.text, "division by zero")
        if isinstance(op, ast.LShift | ast.RShift) and ((right < 0) | (right > _MAX_SHIFT)).any():
            raise _error(node, self.text, f"shift by less than 0 or more than {_MAX_SHIFT}")
        return _BINARY[type(op)](left, right)

    def _compare(self, left: ast.expr, ops: list[ast.cmpop], rest: list[ast.expr]) -> Value:
        values = [self.value(v) for v in (left, *rest)]
        result = np.asarray(True)
        for op, a, b in zip(ops, values, values[1:], strict=False):
            result = result & _COMPARE[type(op)](a, b)
        return np.asarray(result, np.int64)

    def _fold(self, name: str, args: list[ast.expr]) -> Value:
        result = self.value(args[0])
        for part in args[1:]:
            result = _FUNCTIONS[name](result, self.value(part))
        return result


def _unary(op: ast.unaryop, value: Value) -> Value:
    match op:
        case ast.USub():
            return -value
        case ast.Invert():
            return ~value
        case ast.Not():
            return np.asarray(value == 0, np.int64)
    return value
