"""Reading CuTe layouts as CUTLASS, its Python DSL and pycute print them.

(8,64):(64,1)              (_8,(_2,_4)):(_64,(_1,_2))              (8, 64):(64, 1)
Sw<3,4,3> o 0 o (8,64):(64,1)            S<3,4,3> o 0 o ..         SW_3_4_3 o 0 o ..
Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)
(Swizzle(3, 4, 3)) o {0} o ((8, 64) : (64, 1))
"""

from __future__ import annotations

import re

from bankwise.notation.cute.strided import StridedLayout
from bankwise.notation.cute.swizzle import ComposedLayout, CuteLayout, Swizzle
from bankwise.notation.cute.tuples import Nested, congruent, flatten, text
from bankwise.notation.linear import is_power_of_two
from bankwise.notation.reader import Cursor, Token, placed

WHAT = "cute layout"
"""The name of the text in the locations of errors."""

_HINT = "a layout is shape:stride, (8,64):(64,1), perhaps behind Sw<3,4,3> o 0 o"
_SWIZZLES = ("Sw", "S", "Swizzle")
_STATIC = re.compile(r"_\d{1,18}")
_PYCUTE = re.compile(r"SW_(\d{1,4})_(\d{1,4})_(\d{0,4})")
_MAX_LEAVES = 64
_MAX_SIZE = 1 << 40


def parse(source: str) -> CuteLayout:
    """Read a layout, with or without a swizzle in front.

    Raises :class:`~bankwise.errors.InputError` with line and column for anything else, and for a
    swizzle outside CuTe's domain.
    """
    cursor = Cursor(source, WHAT)
    wrapped = cursor.ahead("(", "Swizzle") or cursor.ahead("(", "Sw")
    if wrapped:
        cursor.expect("(")
    found: CuteLayout
    if cursor.token.kind == "name" and not _STATIC.fullmatch(cursor.token.text):
        found = _composed(cursor, wrapped)
    else:
        found = _strided(cursor)
    cursor.finish()
    return found


def parse_swizzle(source: str) -> Swizzle:
    """Read ``Sw<3,4,3>``, ``Swizzle<3,4,3>`` or ``SW_3_4_3``."""
    cursor = Cursor(source, WHAT)
    found = _swizzle(cursor)
    cursor.finish()
    return found


def _composed(cursor: Cursor, wrapped: bool) -> ComposedLayout:
    swizzle = _swizzle(cursor)
    if wrapped:
        cursor.expect(")")
    cursor.expect("o", _HINT)
    offset, bits = 0, 0
    if cursor.ahead("smem_ptr"):
        offset, bits = _pointer(cursor)
        cursor.expect("o", _HINT)
    elif not wrapped or cursor.ahead("{"):
        braces = cursor.accept("{")
        offset = _integer(cursor)
        if braces:
            cursor.expect("}")
        cursor.expect("o", _HINT)
    if wrapped:
        cursor.expect("(")
    inner = _strided(cursor)
    if wrapped:
        cursor.expect(")")
    return ComposedLayout(swizzle, offset, inner, bits)


def _pointer(cursor: Cursor) -> tuple[int, int]:
    """Read ``smem_ptr[16b](unset)``: (base in bytes, element bits)."""
    hint = "a pointer is smem_ptr[16b](unset), the element size in bits"
    cursor.expect("smem_ptr")
    cursor.expect("[", hint)
    at = cursor.token
    bits = cursor.number(hint)
    if not is_power_of_two(bits) or bits > 128:
        raise cursor.error(f"elements of {bits} bits", hint, at)
    cursor.expect("b", hint)
    cursor.expect("]", hint)
    cursor.expect("(", hint)
    base = 0 if cursor.accept("unset") else cursor.number(hint)
    cursor.expect(")", hint)
    return base, bits


def _swizzle(cursor: Cursor) -> Swizzle:
    token = cursor.name("a swizzle is Sw<B,M,S>")
    packed = _PYCUTE.fullmatch(token.text)
    if packed is not None:
        numbers = [int(n) for n in packed.groups() if n]
        if len(numbers) == 2:
            cursor.expect("-", "a swizzle is SW_B_M_S")
            numbers.append(-cursor.number())
    elif token.text in _SWIZZLES:
        numbers = _arguments(cursor)
    else:
        raise cursor.error(f"unknown map {token.text!r}", "a swizzle is Sw<B,M,S>", token)
    return placed(cursor, token, lambda: Swizzle(*numbers))


def _arguments(cursor: Cursor) -> list[int]:
    """Read ``<3,4,3>`` or ``(3,4,3)``; the last one may be negative."""
    close = ">" if cursor.accept("<") else ")"
    if close == ")":
        cursor.expect("(", "a swizzle is Sw<B,M,S>")
    bits = cursor.number()
    cursor.expect(",")
    base = cursor.number()
    cursor.expect(",")
    sign = -1 if cursor.accept("-") else 1
    shift = sign * cursor.number()
    cursor.expect(close)
    return [bits, base, shift]


def _strided(cursor: Cursor) -> StridedLayout:
    at = cursor.token
    shape = _nested(cursor)
    if 0 in flatten(shape):
        raise cursor.error(f"the shape {text(shape)} has a mode of size 0", token=at)
    cursor.expect(":", _HINT)
    second = cursor.token
    stride = _nested(cursor)
    if not congruent(shape, stride):
        raise cursor.error(
            f"the strides {text(stride)} are not nested like the shape {text(shape)}", _HINT, second
        )
    found = StridedLayout(shape, stride)
    _check_size(cursor, found, at)
    return found


def _check_size(cursor: Cursor, found: StridedLayout, at: Token) -> None:
    if len(found.leaves()) > _MAX_LEAVES or max(found.size, found.cosize) > _MAX_SIZE:
        raise cursor.error(f"{found} is too large for a GPU tile", token=at)


def _nested(cursor: Cursor) -> Nested:
    """Read an integer or a tuple of such."""
    if not cursor.accept("("):
        return _integer(cursor)
    parts: list[Nested] = []
    with cursor.nested():
        while not cursor.accept(")"):
            if parts:
                cursor.expect(",", _HINT)
                if cursor.accept(")"):
                    break
            parts.append(_nested(cursor))
    if not parts:
        raise cursor.error("an empty tuple", _HINT)
    return tuple(parts)


def _integer(cursor: Cursor) -> int:
    """Read ``8`` or the static ``_8``."""
    if cursor.token.kind == "name" and _STATIC.fullmatch(cursor.token.text):
        value = int(cursor.next().text[1:])
    else:
        value = cursor.number(_HINT)
    if cursor.ahead("@"):
        raise cursor.error(
            "a scaled basis such as 1@0 is a coordinate, no offset",
            "give the layout of the shared memory, not of the TMA coordinates",
        )
    return value
