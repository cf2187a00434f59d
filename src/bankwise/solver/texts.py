"""Texts in any notation: whose words they are, and what they mean on a tile.

Whose words they are can be seen, so nobody has to say it:

    #ttg.blocked<{..}>                                triton
    #iree_codegen.xor_shuffle<..>, mma_layout<..>     iree
    swizzle<[32, 64], ..>, {M : $T0 % 16 : 1 : 1}     wave
    (8,64):(64,1), Sw<3,4,3> o ..                     cute
    (n:5 m:4) reg = m0 ..                             linear (:mod:`bankwise.algebra.layout`)
    mfma_f32_16x16x16_f16, m16n8k16.f16               matrix
    make_.., tile_distribution_encoding, <1 | ..>     ck
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from bankwise.algebra import layout as linear_layout
from bankwise.algebra.address import Identity
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation import ck, cute, iree, triton, wave
from bankwise.notation.mfma import Mfma, Operand, mfma, operand
from bankwise.notation.nvidia_mma import MMA_SYNC, fragment
from bankwise.notation.values import (
    Distribution,
    Mapped,
    Memory,
    Notation,
    from_linear,
    memory_from_linear,
)

ROW_MAJOR = "row-major"
"""The one text that is no framework's: elements in the order of the tile."""

_SIGNS: tuple[tuple[Notation, re.Pattern[str]], ...] = (
    ("triton", re.compile(r"\s*#ttg\.")),
    ("iree", re.compile(r"\s*(#iree_|iree-codegen-|(xor_shuffle|rotate_rows|nested_layout)\s*<)")),
    ("iree", re.compile(r"\s*mma_layout\s*<")),
    ("wave", re.compile(r"\s*(swizzle\s*<|\{)")),
    ("ck", re.compile(r"\s*<|.*(make_|tile_distribution_encoding|constexpr)", re.DOTALL)),
    ("matrix", re.compile(r"\s*(v_|v?mfma|m\d+n\d+k\d+)", re.IGNORECASE)),
    ("linear", re.compile(r"\s*\(\s*[A-Za-z]+\s*:\s*\d+")),
    ("cute", re.compile(r"\s*(Sw|S|Swizzle)\s*[<(]|\s*SW_\d|\s*\(|\s*_?\d+\s*:")),
)
_PADDING = re.compile(r"iree-codegen-gpu-reduce-bank-conflicts\{padding-bits=(\d{1,6})\}")


@dataclass(frozen=True, slots=True)
class Setting:
    """What a text does not say itself: machine, element size, numbers for names, threads.

    ``workgroup``: threads in x, y, z, which Wave's ``$T0 $T1 $T2`` number. ``operand``: of a
    matrix instruction.
    """

    machine: Machine
    element_bits: int
    symbols: Mapping[str, int]
    workgroup: tuple[int, int, int]
    operand: Operand = "A"


def notations() -> tuple[str, ...]:
    """The names of the notations."""
    return get_args(Notation)


def notation_of(text: str) -> Notation:
    """In whose words a text is, by its looks. :class:`InputError` where that cannot be seen."""
    for notation, sign in _SIGNS:
        if sign.match(text):
            return notation
    start = text.strip()[:40]
    raise InputError(
        f"in whose words is {start!r}?",
        hint='say it: notation = "ck", one of ' + ", ".join(notations()),
    )


def read_distribution(
    text: str, notation: Notation, shape: tuple[int, ...], names: Sequence[str], setting: Setting
) -> Distribution | Refusal:
    """Who holds which element of a tile of ``shape`` (axes ``names``).

    The distribution may be of a smaller tile, which is then moved piece by piece. A Refusal where
    the notation itself is in dispute; :class:`InputError` for a text that means something else.
    """
    lanes = setting.machine.wave_size
    match notation:
        case "ck":
            return ck.encoding(text, setting.symbols)
        case "triton":
            return triton.distribution(triton.parse_distributed(text), shape)
        case "wave":
            index = wave.parse_index(text)
            return wave.distribution(
                index, shape, workgroup=setting.workgroup, lanes=lanes, symbols=setting.symbols
            )
        case "cute":
            where = cute.parse(text)
            if not isinstance(where, cute.StridedLayout):
                raise InputError(f"{text.strip()!r} is swizzled: a thread-value layout is not")
            return cute.thread_value(where, shape, lanes=lanes)
        case "linear":
            found = linear_layout.parse(text)
            _check_names([name for name, _ in found.outputs], names)
            return from_linear(found)
        case "iree":
            return _iree(text, setting)
        case "matrix":
            return _matrix(text.strip(), setting)


def read_memory(
    text: str, notation: Notation, shape: tuple[int, ...], names: Sequence[str], setting: Setting
) -> Memory | Refusal:
    """Where the elements of a tile of ``shape`` (axes ``names``) lie.

    Raises :class:`InputError` for a text that means something else, or another tile.
    """
    found: Memory | Refusal
    match notation:
        case "ck":
            found = ck.descriptor(text, setting.symbols)
        case "triton":
            found = triton.memory(triton.parse_shared(text), shape)
        case "wave":
            found = wave.parse_swizzle(text)
        case "cute":
            found = cute.memory(cute.parse(text))
        case "iree":
            padding = _PADDING.fullmatch(text.strip())
            if padding:
                return iree.padded(shape, setting.element_bits, int(padding[1]))
            found = Mapped(shape, iree.swizzle(text))
        case "linear":
            stated = linear_layout.parse(text)
            _check_names([name for name, _ in stated.inputs], names)
            found = memory_from_linear(stated)
        case "matrix":
            raise InputError(f"{text.strip()!r} is a matrix instruction, no memory layout")
    if not isinstance(found, Refusal) and found.shape != shape:
        raise InputError(
            f"this layout is of a tile {list(found.shape)}, not {list(shape)}",
            hint="the last axis of the tile is the fastest; `axes` turns a tile",
        )
    return found


def row_major(shape: tuple[int, ...]) -> Memory:
    """Elements in the order of the tile."""
    return Mapped(shape, Identity())


def _iree(text: str, setting: Setting) -> Distribution | Refusal:
    found = iree.parse(text)
    if isinstance(found, Refusal):
        return found
    if isinstance(found, iree.NestedLayout):
        return found.spread(lanes=setting.machine.wave_size)
    if isinstance(found, Mfma):
        return operand(found, setting.operand)
    raise InputError(
        f"{text.strip()!r} is a memory layout, no distribution",
        hint="nested_layout<..> or mma_layout<..>",
    )


def _matrix(text: str, setting: Setting) -> Distribution | Refusal:
    if text in MMA_SYNC:
        return fragment(text, "C" if setting.operand == "D" else setting.operand)
    found = mfma(text)
    return found if isinstance(found, Refusal) else operand(found, setting.operand)


def _check_names(found: Sequence[str], names: Sequence[str]) -> None:
    """A layout names its dimensions, the fastest first: they must be those of the tile."""
    if list(reversed(found)) != list(names):
        raise InputError(
            f"the layout is over {', '.join(found)}; the tile is over {', '.join(names[::-1])} "
            "(fastest first)",
            hint='name the axes of the tile, last one fastest: dims = ["m", "n"]',
        )
