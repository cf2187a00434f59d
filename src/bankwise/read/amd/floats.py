"""Division of integers as LLVM emits it: an estimate in 32-bit floating point, then corrections.

    v_cvt_f32_u32_e32 v3, s2            the divisor
    v_rcp_iflag_f32_e32 v3, v3          its reciprocal, within one unit in the last place
    v_mul_f32_e32 v3, 0x4f7ffffe, v3
    v_cvt_u32_f32_e32 v3, v3            an estimate of 2**32 / s2, which integers correct

Conversions, products, sums and fused products are those of IEEE 754, rounded to nearest even, which
a kernel may change; then, and where a number is subnormal, nothing is known. The reciprocal is
within one unit in the last place, by no public rule: it is followed as each of the numbers that it
may be, and what is touched must be the same with all (:data:`RECIPROCAL_ERRORS`).
Source: AMD CDNA3 ISA, chapter VOP1 to VOP3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from msgspec import Struct

from bankwise.read.amd.lanes import Run, put
from bankwise.read.amd.operands import Operand, bare, operand, value
from bankwise.read.amd.parse import AmdInstruction, AmdKernel
from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import State, read, running
from bankwise.read.follow.values import Array, Unknown, Value

RECIPROCAL_ERRORS = (0, 1, -1)
"""What a reciprocal is: the nearest number, the next one above the truth, the next one below."""

ERROR = "error of v_rcp_f32"
"""The register that holds which of them, as a number of 32 bits."""

Function = Callable[..., Array]

_SIGN, _REST = np.uint32(0x80000000), np.uint32(0x7FFFFFFF)
_LEAST = 2.0**-126
_RECIPROCALS = ("v_rcp_iflag_f32", "v_rcp_f32")


def uses_reciprocals(op: AmdInstruction) -> bool:
    """Whether its result depends on how the machine rounds."""
    return op.name in _RECIPROCALS


def rounds_to_nearest(kernel: AmdKernel) -> bool:
    """Whether the kernel leaves rounding as it is by default. Denormals may be switched."""
    if kernel.bits("float_round_mode_32"):
        return False
    return not any(
        op.name.startswith(("s_round_mode", "s_setreg"))
        and not re.search(r"HW_REG_MODE, 4, [24]\)|HW_REG_(?!MODE)", ",".join(op.operands))
        for op in kernel.operations
    )


def floating(op: AmdInstruction, to: Operand) -> Run | None:
    """What a floating-point instruction of integer division does; None if it is none of them."""
    function, count = _FUNCTIONS.get(op.name, (None, 0))
    if function is None and op.name not in _RECIPROCALS:
        return None
    sources = [_SignedOperand.of(text) for text in op.operands[1:]]
    if op.name in ("v_fmac_f32", "v_mac_f32"):
        sources.append(_SignedOperand(to))
    if op.name in _RECIPROCALS and len(sources) == 1:
        return partial(_reciprocal, sources[0], to)
    if function is None or count != len(sources) or op.encoding in ("dpp", "e64_dpp", "sdwa"):
        return None

    def run(state: State) -> None:
        put(state, to, _checked(apply(function, *(s.value(state) for s in sources)), op))

    return run


def comparison(name: str) -> Function | None:
    """v_cmp_*_f32: of the bits of two numbers."""
    test = _COMPARISONS.get(name)
    return None if test is None else lambda x, y: test(_float(x), _float(y))


def float_sources(op: AmdInstruction, first: int) -> list[Callable[[State], Value]]:
    """The operands from ``first`` on, with their signs."""
    return [_SignedOperand.of(text).value for text in op.operands[first:]]


class _SignedOperand(Struct, frozen=True):
    """``-|v3|``: a register or number, without its sign, negated."""

    plain: Operand
    negated: bool = False
    absolute: bool = False

    @staticmethod
    def of(text: str) -> _SignedOperand:
        inner = bare(text)
        return _SignedOperand(
            operand(inner), text.startswith(("-", "neg")), "|" in text or "abs" in text
        )

    def value(self, state: State) -> Value:
        if self.plain.number is not None:
            found: Value = value(state, self.plain)
        else:
            found = value(state, self.plain, 0, running(state))
        if self.absolute:
            found = apply(lambda x: x & _REST, found)
        if self.negated and self.plain.number is None:
            found = apply(lambda x: x ^ _SIGN, found)
        return found


def _reciprocal(source: _SignedOperand, to: Operand, state: State) -> None:
    error = read(state, ERROR)
    put(state, to, apply(_inverse, source.value(state), error))


def _inverse(x: Array, error: Array) -> Array:
    with np.errstate(all="ignore"):
        found = np.float32(1) / _float(x)
        rest = 1 / _float(x).astype(np.float64) - found
        above, below = (np.nextafter(found, np.float32(end)) for end in (np.inf, -np.inf))
    exact = np.abs(rest) <= np.abs(found) * 2.0**-50
    upper = np.where(exact | (rest > 0), above, found)
    lower = np.where(exact | (rest < 0), below, found)
    off = np.where(error == 0, found, np.where(error == 1, upper, lower))
    normal = np.isfinite(found) & (np.abs(found) >= _LEAST)
    return _bits(np.where(normal, off, found))


def _checked(found: Value, op: AmdInstruction) -> Value:
    """Unknown where a number is subnormal: the machine may take it for 0."""
    if isinstance(found, Unknown) or op.name.startswith(("v_cvt_u32", "v_cvt_i32")):
        return found
    size = np.abs(_float(found))
    if ((size > 0) & (size < _LEAST)).any():
        return Unknown(f"a subnormal result of {op.name}", op.line)
    return found


def _float(x: Array) -> Array:
    return np.ascontiguousarray(x, np.uint32).view(np.float32)


def _bits(x: Array) -> Array:
    return np.ascontiguousarray(x, np.float32).view(np.uint32)


def _on_floats(function: Function) -> Function:
    def run(*sources: Array) -> Array:
        with np.errstate(all="ignore"):
            return _bits(function(*(_float(x) for x in sources)))

    return run


def _fused(x: Array, y: Array, z: Array) -> Array:
    """``x * y + z``, rounded once: the sum is rounded to odd in 64 bits, then to 32."""
    product, addend = x.astype(np.float64) * y.astype(np.float64), z.astype(np.float64)
    total = product + addend
    part = total - product
    rest = (product - (total - part)) + (addend - part)
    even = (total.view(np.int64) & 1) == 0
    toward = np.where(rest > 0, np.inf, -np.inf)
    inexact = np.isfinite(total) & (rest != 0) & even
    return np.where(inexact, np.nextafter(total, toward), total).astype(np.float32)


def _to_integer(low: float, high: float) -> Function:
    """Toward zero, cut to what fits; 0 for what is no number."""

    def run(x: Array) -> Array:
        number = np.nan_to_num(_float(x).astype(np.float64), nan=0.0, posinf=high, neginf=low)
        return np.clip(np.trunc(number), low, high).astype(np.int64).astype(np.uint32)

    return run


def _byte(n: int) -> Function:
    return lambda x: _bits(((x >> np.uint32(8 * n)) & np.uint32(0xFF)).astype(np.float32))


_FUNCTIONS: Mapping[str, tuple[Function, int]] = {
    "v_cvt_f32_u32": (lambda x: _bits(x.astype(np.float32)), 1),
    "v_cvt_f32_i32": (lambda x: _bits(x.view(np.int32).astype(np.float32)), 1),
    **{f"v_cvt_f32_ubyte{n}": (_byte(n), 1) for n in range(4)},
    "v_cvt_u32_f32": (_to_integer(0, 2**32 - 1), 1),
    "v_cvt_i32_f32": (_to_integer(-(2**31), 2**31 - 1), 1),
    "v_trunc_f32": (_on_floats(np.trunc), 1),
    "v_floor_f32": (_on_floats(np.floor), 1),
    "v_add_f32": (_on_floats(np.add), 2),
    "v_sub_f32": (_on_floats(np.subtract), 2),
    "v_subrev_f32": (_on_floats(lambda x, y: y - x), 2),
    "v_mul_f32": (_on_floats(np.multiply), 2),
    "v_fma_f32": (_on_floats(_fused), 3),
    "v_fmac_f32": (_on_floats(_fused), 3),
    "v_fmamk_f32": (_on_floats(_fused), 3),
    "v_fmaak_f32": (_on_floats(_fused), 3),
}
"""Of bits, with how many sources."""

_COMPARISONS: Mapping[str, Function] = {
    "lt": np.less,
    "eq": np.equal,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lg": lambda x, y: (x < y) | (x > y),
    "neq": np.not_equal,
    "nge": lambda x, y: ~(x >= y),
    "ngt": lambda x, y: ~(x > y),
    "nle": lambda x, y: ~(x <= y),
    "nlt": lambda x, y: ~(x < y),
    "nlg": lambda x, y: ~((x < y) | (x > y)),
    "o": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "u": lambda x, y: np.isnan(x) | np.isnan(y),
}
