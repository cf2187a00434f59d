"""Functions and templates of ``ck_tile`` and of C++ that headers call, by name.

Each takes template arguments and arguments that are all known. Semantics: ROCm/composable_kernel,
include/ck_tile/core: ``static_encoding_pattern.hpp`` (e55b1548), ``tile_distribution_encoding.hpp``
(8e22e1ae).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import gcd, lcm
from typing import Any

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.notation.ck.encoding import Encoding
from bankwise.notation.ck.factories import FACTORIES, Value, make_encoding
from bankwise.notation.ck.text import TEMPLATES
from bankwise.read.ck.values import Anything, TypeWord

Arguments = Sequence[Anything]


def _whole(values: Arguments, name: str) -> list[int]:
    if not all(isinstance(v, int) for v in values):
        raise InputError(f"{name} takes whole numbers")
    return list(values)


def _quotient(name: str, fold: Callable[[int, int], int]) -> Callable[[Arguments], int]:
    def of(values: Arguments) -> int:
        numbers = _whole(values, name)
        if len(numbers) != 2 or numbers[1] < 1:
            raise InputError(f"{name} takes a number and a divisor of 1 and more")
        return fold(*numbers)

    return of


def _reduce(fold: Callable[..., int], name: str) -> Callable[[Arguments], int]:
    def of(values: Arguments) -> int:
        if not values:
            raise InputError(f"{name} of nothing")
        return fold(*_whole(values, name)) if len(values) > 1 else _whole(values, name)[0]

    return of


def _with_offset(values: Arguments) -> Value:
    """The offset of a buffer moves everything alike: only its alignment could be felt."""
    if len(values) < 3 or not isinstance(values[2], int) or values[2] % 16:
        raise InputError("a descriptor that does not begin at a multiple of 16 elements")
    rest = [*values[:2], *values[3:]]
    return FACTORIES["make_naive_tensor_descriptor"](rest)


def embed(both: Arguments) -> Encoding:
    """``make_embed_tile_distribution_encoding(outer, inside)``: every factor of the inner one
    behind those of the outer one; the warps are of the outer one, the lanes of the inner one."""
    if len(both) != 2 or not all(isinstance(one, Encoding) for one in both):
        raise InputError("two tile distributions are embedded into each other")
    outer, inside = both
    if len(outer.factors) != len(inside.factors):
        raise InputError("tile distributions of different rank are embedded into each other")
    before = [len(outer.replication), *map(len, outer.factors)]

    def moved(majors: Sequence[int], minors: Sequence[int]) -> tuple[int, ...]:
        return tuple(n + before[m] for m, n in zip(majors, minors, strict=True))

    pairs = zip(inside.parts_major, inside.parts_minor, strict=True)
    return Encoding(
        (*outer.replication, *inside.replication),
        tuple((*a, *b) for a, b in zip(outer.factors, inside.factors, strict=True)),
        (*outer.parts_major, *inside.parts_major),
        (*outer.parts_minor, *(moved(*pair) for pair in pairs)),
        (*outer.registers_major, *inside.registers_major),
        (*outer.registers_minor, *moved(inside.registers_major, inside.registers_minor)),
    )


_PATTERNS: Mapping[str, tuple[tuple[int, int, int], str]] = {
    "thread_raked": ((0, 1, 2), "warps lanes rounds"),
    "warp_raked": ((0, 2, 1), "warps rounds lanes"),
    "block_raked": ((1, 2, 0), "rounds warps lanes"),
}
"""Of the three factors of the rows: which ones number warps, lanes and rounds."""


PATTERN_NAMES = ("TileDistributionEncodingPattern2D", "tile_distribution_encoding_pattern_2d")
"""Before and after CK renamed it; as its functions, ``MakeShuffled2DStaticTileDistribution``."""


def pattern(values: Arguments, machine: Machine, *, shuffled: bool) -> Encoding:
    """``TileDistributionEncodingPattern2D<BlockSize, Y, X, Vec, Pattern>``: rows of X, ``Vec``
    elements a lane, a warp as many rows as it has lanes for."""
    kinds = [v for v in values if isinstance(v, TypeWord)]
    numbers = _whole([v for v in values if not isinstance(v, TypeWord)], "the 2D pattern")
    if len(kinds) != 1 or kinds[0].name not in _PATTERNS or len(numbers) not in (4, 5):
        raise InputError(
            "TileDistributionEncodingPattern2D takes four numbers and a pattern",
            hint="one of " + ", ".join(_PATTERNS),
        )
    if len(numbers) == 5 and numbers[4] != 1:
        raise InputError("TileDistributionEncodingPattern2D with several wave groups is not read")
    block, rows, row, vector = numbers[:4]
    warps, lanes = block // machine.wave_size, machine.wave_size
    vector = min(vector, rows * row // max(1, warps * lanes))
    along = row // max(vector, 1)
    down = lanes // max(along, 1)
    rounds = rows // max(1, down * warps)
    if (
        vector < 1
        or along * vector != row
        or down * along != lanes
        or down * warps * rounds != rows
    ):
        raise InputError(
            f"{block} threads do not cover {rows} x {row} elements by vectors of {vector}"
        )
    (of_warps, of_lanes, of_rounds), order = _PATTERNS[kinds[0].name]
    lengths = {"warps": warps, "lanes": down, "rounds": rounds}
    factors = (tuple(lengths[word] for word in order.split()), (along, vector))
    y, x = (2, 1) if shuffled else (1, 2)
    registers = ((x, 1), (y, of_rounds)) if shuffled else ((y, of_rounds), (x, 1))
    return Encoding(
        (1,),
        factors[::-1] if shuffled else factors,
        ((y,), (y, x)),
        ((of_warps,), (of_lanes, 0)),
        tuple(major for major, _ in registers),
        tuple(minor for _, minor in registers),
    )


FUNCTIONS: Mapping[str, Callable[[list[Any]], Anything]] = {
    **FACTORIES,
    "make_naive_tensor_descriptor_with_offset": _with_offset,
    "max": _reduce(max, "max"),
    "min": _reduce(min, "min"),
    "gcd": _reduce(gcd, "gcd"),
    "lcm": _reduce(lcm, "lcm"),
    "integer_divide_ceil": _quotient("integer_divide_ceil", lambda a, b: -(-a // b)),
    "integer_divide_floor": _quotient("integer_divide_floor", lambda a, b: a // b),
    "integer_least_multiple": _quotient("integer_least_multiple", lambda a, b: -(-a // b) * b),
    "make_embed_tile_distribution_encoding": embed,
    "make_multi_index": tuple,
}
"""By their last name."""


def template(name: str, inside: list[Anything]) -> Anything | None:
    """The value of ``name<..>``, None for a template that is not CK's own."""
    if name == "tile_distribution_encoding":
        return make_encoding(inside)
    if name in ("sequence", "tuple", "multi_index", "array"):
        return tuple(inside)
    if name in (*TEMPLATES, "integral_constant", "remove_cvref_t", "remove_cv_t") and inside:
        return inside[-1]
    if name in ("tuple_element_t", "tuple_element") and len(inside) == 2:
        return _element(inside[1], inside[0])
    if name in ("is_same_v", "is_same") and len(inside) == 2:
        return int(inside[0] == inside[1])
    if name in ("conditional_t", "conditional") and len(inside) == 3:
        return inside[1] if inside[0] else inside[2]
    return None


def _element(whole: Anything, place: Anything) -> Anything | None:
    """Of a tuple; what is no tuple is the only one of its elements."""
    elements = whole if isinstance(whole, tuple) else (whole,)
    known = isinstance(place, int) and 0 <= place < len(elements)
    return elements[place] if known else None


def asked(name: str, machine: Machine) -> int | None:
    """What a function without arguments asks the target."""
    known = {
        "get_warp_size": machine.wave_size,
        "get_n_dwords_per_128b": 4,
        "get_n_words_per_128b": 4,
    }
    if name == "get_n_lds_banks":
        return machine.instruction("ds_read_b128").banks
    return known.get(name)
