"""Copy atoms, MMA atoms and what is tiled of them, by the heads of their terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from bankwise.notation.cute.copies import (
    CopyAtom,
    MmaAtom,
    TiledMma,
    copy_atom,
    mma_atom,
    mma_copy,
    tiled_copy,
)
from bankwise.notation.cute.strided import StridedLayout, layout
from bankwise.notation.cute.tuples import flatten
from bankwise.read.cute.evaluate import CuteEvaluation, Form, Slice, TypeName, UnreadError, Value
from bankwise.read.cute.terms import CuteTerm, Scope

BITS: Mapping[str, int] = {
    **dict.fromkeys(("half_t", "bfloat16_t", "half", "__half", "nv_bfloat16", "Float16"), 16),
    **dict.fromkeys(("BFloat16", "uint16_t", "int16_t", "__nv_bfloat16"), 16),
    **dict.fromkeys(("float", "int", "tfloat32_t", "Float32", "int32_t", "uint32_t"), 32),
    **dict.fromkeys(("unsigned", "TFloat32", "Int32"), 32),
    **dict.fromkeys(("double", "int64_t", "uint64_t", "complex<float>", "Float64"), 64),
    **dict.fromkeys(("int8_t", "uint8_t", "float_e4m3_t", "float_e5m2_t", "char", "Int8"), 8),
    **dict.fromkeys(("Float8E4M3FN", "Float8E5M2"), 8),
    **dict.fromkeys(("uint128_t", "uint4", "float4", "int4"), 128),
}
"""Of types, by the last part of their name."""


def bits_of(value: Value) -> int:
    """The bits of a type; 0 where they are not known. An integer is the bits of one."""
    if isinstance(value, int):
        return value
    return BITS.get(value.name.rpartition("::")[2], 0) if isinstance(value, TypeName) else 0


def is_nested(value: Value) -> bool:
    """Whether a value is a shape, or strides."""
    if isinstance(value, tuple):
        return bool(value) and all(map(is_nested, value))
    return isinstance(value, int) and value >= 0


def _copy_atom(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``Copy_Atom<Op<T>, E>``; ``make_copy_atom(op, type, num_bits_per_copy=..)`` is made so."""
    operation, element = ev.all(term.types, scope)[:2]
    if not isinstance(operation, TypeName):
        raise UnreadError("a copy operation is wanted", term)
    values = operation.arguments
    bits = next((v if isinstance(v, int) else bits_of(v) for v in values), 0)
    return copy_atom(operation.name.rpartition("::")[2], bits_of(element), bits)


def _made_atom(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``make_copy_atom(op, type, num_bits_per_copy=..)`` of the DSL."""
    operation, element, *bits = ev.all(term.arguments or (), scope)
    if not isinstance(operation, TypeName):
        raise UnreadError("a copy operation is wanted", term)
    width = bits[0] if bits and isinstance(bits[0], int) else bits_of(element)
    return copy_atom(operation.name, bits_of(element), width)


def _load_matrix(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``LdMatrix8x8x16bOp(transpose, num_matrices)``, ``StMatrix8x8x16bOp``; by C++'s name."""
    transposed, many = (*ev.all(term.arguments or (), scope), 0, 1)[:2]
    load = term.head.startswith("Ld")
    front, word = ("SM75", "LDSM") if load else ("SM90", "STSM")
    kind = f"U16x{2 * many}_{word}_T" if transposed else f"U32x{many}_{word}_N"
    return TypeName(f"{front}_{kind}")


def _mma_op(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``MmaF16BF16Op(type, accumulator, (16, 8, 16))``, ``MmaUniversalOp(type)``; C++'s name."""
    element, *rest = ev.all(term.arguments or (), scope)
    if term.head == "MmaUniversalOp":
        return TypeName("UniversalFMA", (element,))
    if not rest or not is_nested(rest[-1]):
        raise UnreadError("the shape of an MMA is wanted", term)
    return mma_atom(f"SM80_{'x'.join(map(str, flatten(rest[-1])))}_F32F16F16F32_TN")


def _mma_atom(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    (operation, *_) = ev.all((*term.types, *(term.arguments or ())), scope)
    if isinstance(operation, MmaAtom):
        return operation
    if not isinstance(operation, TypeName):
        raise UnreadError("an MMA operation is wanted", term)
    return mma_atom(operation.name.rpartition("::")[2])


def _tiled_mma(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``TiledMMA<Atom, Threads, Tile>`` and ``make_tiled_mma``."""
    given = ev.all((*term.types, *(term.arguments or ())), scope)
    atom = given[0]
    if isinstance(atom, TypeName):
        atom = mma_atom(atom.name.rpartition("::")[2])
    if not isinstance(atom, MmaAtom):
        raise UnreadError("an MMA operation is wanted", term)
    if not atom.fragment and isinstance(given[0], TypeName):
        atom = replace(atom, element_bits=max(map(bits_of, given[0].arguments), default=0))
        ev.wanted.update(v.name for v in given[0].arguments if not bits_of(v))
    threads = given[1] if len(given) > 1 else layout((1, 1, 1))
    if not isinstance(threads, StridedLayout) or threads.rank > 3:
        raise UnreadError("threads of an MMA that are no layout of M, N, K", term)
    across = [*(mode.size for mode in threads.modes()), 1, 1][:3]
    m, n, k = (one * many for one, many in zip(atom.shape, across, strict=True))
    asked = given[2] if len(given) > 2 else ()
    if not isinstance(asked, tuple) or not all(isinstance(one, int | TypeName) for one in asked):
        raise UnreadError("a permuted tile of an MMA", term)
    tile = [
        t if isinstance(t, int) else s
        for t, s in zip((*asked, *(TypeName("_"),) * 3), (m, n, k), strict=False)
    ]
    return TiledMma(atom, threads, (tile[0], tile[1], tile[2]))


def _tiled_copy(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    atom, *rest = ev.all(term.arguments or (), scope)
    if not isinstance(atom, CopyAtom) or not all(isinstance(r, StridedLayout) for r in rest):
        raise UnreadError("a copy atom and layouts of threads and values are wanted", term)
    return tiled_copy(atom, rest[0], rest[1] if len(rest) > 1 else layout(1, 0))


def _mma_copy(operand: Any) -> Form:
    def form(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
        atom, mma, *_ = ev.all(term.arguments or (), scope)
        if not isinstance(atom, CopyAtom) or not isinstance(mma, TiledMma):
            raise UnreadError("a copy atom and a tiled MMA are wanted", term)
        return mma_copy(atom, mma, operand)

    return form


def _slice(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    return Slice(ev.value((term.arguments or ())[0], scope))


COPY_FORMS: Mapping[str, Form] = {
    "Copy_Atom": _copy_atom,
    "make_copy_atom": _made_atom,
    **dict.fromkeys(("LdMatrix8x8x16bOp", "StMatrix8x8x16bOp"), _load_matrix),
    **dict.fromkeys(("MmaF16BF16Op", "MmaUniversalOp"), _mma_op),
    "MMA_Atom": _mma_atom,
    **dict.fromkeys(("TiledMMA", "make_tiled_mma"), _tiled_mma),
    **dict.fromkeys(("make_tiled_copy", "make_tiled_copy_tv"), _tiled_copy),
    **{f"make_tiled_copy_{operand}": _mma_copy(operand) for operand in ("A", "B", "C")},
    **dict.fromkeys((".get_slice", ".get_thread_slice", ".thread_slice"), _slice),
}
"""What is known of the heads of copies and MMAs."""
