"""What asynchronous units do to a tile: operands of wgmma and tcgen05, boxes of TMA.

A unit does not take any layout: it addresses canonical ones alone
(:mod:`bankwise.notation.cute.canonical`), so it constrains the answer. Which of them are admissible
for a unit, and why the others are not, is decided here; :mod:`bankwise.solver.modes` chooses.

Source: PTX ISA, wgmma and tcgen05 (matrix descriptors, transposition, K of 32 bytes, packing of
4- and 6-bit types in shared memory); CUDA driver API, cuTensorMapEncodeTiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import BANK_BYTES, Direction, Machine
from bankwise.notation.cute.canonical import DEPTH_BYTES, CanonicalLayout
from bankwise.notation.cute.hopper import GROUP_BYTES, MODES, ROWS, Major
from bankwise.solver.problem import Request

UnitKind = Literal["operand", "bulk"]

UNIT_ROWS: Mapping[str, UnitKind] = {
    "wgmma": "operand",
    "tcgen05": "operand",
    "tma.load": "bulk",
    "tma.store": "bulk",
}
"""The instruction rows of units that a question may name."""

MOST_BOX = 256
"""Elements of a box along one dimension."""

_PACKED_BOX = 128
_LEAST_BYTES = 512
"""What 32 lanes of 16 bytes read: four core matrices."""
_LANE_BITS = 5


_BOTH = ("wgmma", "tcgen05")
_LATER = ("tcgen05",)


class UnitType(Struct, frozen=True):
    """A type of numbers as units see it.

    ``bits``: in shared memory; 16 packed numbers of 4 or 6 bits lie in 16 bytes, the rest of which
    is a gap. ``cute``, ``tensor_map``: its names there. ``taken``: the matrix units that multiply
    it; ``turned``: those that take it MN-major in one of the four modes. ``packed``: with gaps.
    """

    name: str
    bits: int
    cute: str
    tensor_map: str
    taken: tuple[str, ...] = ()
    turned: tuple[str, ...] = ()
    packed: bool = False


UNIT_TYPES: Mapping[str, UnitType] = {
    one.name: one
    for one in (
        UnitType("f16", 16, "half_t", "FLOAT16", _BOTH, _BOTH),
        UnitType("bf16", 16, "bfloat16_t", "BFLOAT16", _BOTH, _BOTH),
        UnitType("f32", 32, "float", "FLOAT32"),
        UnitType("tf32", 32, "tfloat32_t", "TFLOAT32", _BOTH),
        UnitType("e4m3", 8, "float_e4m3_t", "UINT8", _BOTH, _LATER),
        UnitType("e5m2", 8, "float_e5m2_t", "UINT8", _BOTH, _LATER),
        UnitType("s8", 8, "int8_t", "UINT8", _BOTH, _LATER),
        UnitType("u8", 8, "uint8_t", "UINT8", _BOTH, _LATER),
        UnitType("e2m3", 8, "float_e2m3_unpacksmem_t", "16U6_ALIGN16B", _LATER, _LATER, True),
        UnitType("e3m2", 8, "float_e3m2_unpacksmem_t", "16U6_ALIGN16B", _LATER, _LATER, True),
        UnitType("e2m1", 8, "float_e2m1_unpacksmem_t", "16U4_ALIGN16B", _LATER, _LATER, True),
    )
}
"""By name; the default of a width is the first that the unit takes."""


class UnitUse(Struct, frozen=True):
    """One unit and the tile. ``axes``: M or N and K of an operand; outer and inner of a box.

    ``rows``: M or N of one matrix instruction; 0 of a box. ``major``: of an operand, "" for any
    that its type allows.
    """

    name: str
    op: Direction
    instruction: str
    axes: tuple[str, str]
    element: UnitType
    rows: int = 0
    major: Major | Literal[""] = ""

    @property
    def kind(self) -> UnitKind:
        """A matrix instruction's operand, or a bulk copy."""
        return UNIT_ROWS[self.instruction]

    @property
    def space(self) -> str:
        """Where CuTe has its atoms."""
        return "UMMA" if self.instruction == "tcgen05" else "GMMA"

    @property
    def majors(self) -> tuple[Major, ...]:
        """Those that are stated, or that the type allows."""
        if self.major:
            return (self.major,)
        return ("K", "MN") if self.instruction in self.element.turned else ("K",)

    def major_if(self, inner: str) -> Major:
        """The operand's major-ness where this dimension is the contiguous one."""
        return "K" if inner == self.axes[1] else "MN"

    def allows(self, inner: str) -> bool:
        """Whether this dimension may be the contiguous one."""
        if self.kind == "bulk":
            return inner == self.axes[1]
        return self.major_if(inner) in self.majors

    def refuses(self, layout: CanonicalLayout, inner: str) -> str:
        """Why this unit does not take a layout; empty if it does."""
        if self.kind == "bulk":
            return _no_box(self, layout)
        major = self.major_if(inner)
        if major == "MN" and self.rows % layout.row:
            return f"{self.rows} of M or N are no multiple of its {layout.row} elements"
        try:
            _ = layout.descriptor(major).bits
        except InputError as error:
            return error.message
        return ""


def _no_box(unit: UnitUse, layout: CanonicalLayout) -> str:
    if layout.row > MOST_BOX:
        return f"a box has {MOST_BOX} elements along a dimension at most, a row {layout.row}"
    if unit.element.packed and layout.row != _PACKED_BOX:
        return f"a box of {unit.element.name} has rows of {_PACKED_BOX} elements, not {layout.row}"
    return ""


class BoxRows(Struct, frozen=True):
    """What a bulk copy of the whole tile costs: ``boxes`` of ``rows`` rows in all.

    ``box``: outer and inner elements of one. ``cycles``: of all rows, as the machine file has them
    measured; None if it has not.
    """

    name: str
    box: tuple[int, int]
    boxes: int
    rows: int
    row_bytes: int
    cycles: float | None
    tensor_map_type: str


def box_rows(unit: UnitUse, layout: CanonicalLayout, tiles: int, machine: Machine) -> BoxRows:
    """The boxes, outer by inner, that fill or read ``tiles`` tiles of a layout."""
    every = layout.outer * layout.inner // layout.row
    outer = layout.outer if layout.order == "outward" else ROWS
    height = min(outer, MOST_BOX)
    word = unit.instruction.replace(".", "_")
    rate = machine.facts.get(f"{word}_cycles_per_row_{layout.row_bytes}")
    cycles = None if rate is None else every * tiles * rate.value
    boxes = -(-outer // height) * (layout.outer // outer) * (layout.inner // layout.row)
    return BoxRows(
        unit.name,
        (height, layout.row),
        boxes * tiles,
        every * tiles,
        layout.row_bytes,
        cycles,
        f"CU_TENSOR_MAP_DATA_TYPE_{unit.element.tensor_map}",
    )


def other_axis(unit: UnitUse, inner: str) -> str:
    """The one of a unit's two dimensions that is not contiguous."""
    return unit.axes[0] if inner == unit.axes[1] else unit.axes[1]


def odd_dimension(shape: Shape) -> Refusal | None:
    """Why the modes of a tile are not looked at; None for one of powers of two."""
    odd = next(((n, s) for n, s in shape.dims if s & (s - 1)), None)
    return odd and Refusal(f"{odd[1]} elements along {odd[0]}: modes are tried on powers of two")


def unit_request(unit: UnitUse, layout: CanonicalLayout, shape: Shape, inner: str) -> Request:
    """What a unit touches in this layout, 32 lanes of 16 bytes in an execution.

    Of an operand four core matrices, a lane for each row; of a copy pieces in the order of its box.
    Either takes its row's 128 bytes a pass, in any canonical layout.
    """
    bits = _coordinate_bits(shape)
    wide = (GROUP_BYTES * 8 // shape.element_bits).bit_length() - 1
    vector, outer = bits[inner][:wide], bits[other_axis(unit, inner)]
    first = outer[: ROWS.bit_length() - 1]
    if unit.kind == "bulk":
        first = [*bits[inner][wide : layout.row.bit_length() - 1], *outer]
    rest = [b for name in bits for b in bits[name] if b not in vector and b not in first]
    moved = [*first, *rest]
    lanes, steps = tuple(moved[:_LANE_BITS]), tuple(moved[_LANE_BITS:])
    return Request(unit.name, unit.op, lanes, tuple(vector), steps, 1, unit.instruction)


def operand_request(unit: UnitUse, shape: Shape, inner: str) -> Request:
    """The same of an operand, which has no box: its core matrices are those of every mode."""
    lengths = dict(shape.dims)
    width = GROUP_BYTES * 8 // shape.element_bits
    plain = MODES["none"]
    outer = lengths[other_axis(unit, inner)]
    layout = CanonicalLayout(plain, shape.element_bits, outer, lengths[inner], width)
    return unit_request(unit, layout, shape, inner)


def operand_note(unit: UnitUse, machine: Machine) -> str:
    """What one matrix instruction reads."""
    depth = DEPTH_BYTES * 8 // unit.element.bits
    size = unit.rows * DEPTH_BYTES
    passes = size // (machine.instruction(unit.instruction).banks * BANK_BYTES)
    return (
        f"{unit.name}: one {unit.instruction} reads {unit.rows} x {depth} elements, "
        f"{size:,} bytes: {passes} passes in every mode"
    )


def _coordinate_bits(shape: Shape) -> dict[str, list[int]]:
    place, bits = 0, {}
    for name, size in shape.dims:
        bits[name] = [1 << place + i for i in range(size.bit_length() - 1)]
        place += size.bit_length() - 1
    return bits


def type_faults(unit: UnitUse, sizes: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Keys of a unit that no machine executes, with the reason."""
    depth = DEPTH_BYTES * 8 // unit.element.bits
    size = sizes[unit.axes[0]] * sizes[unit.axes[1]] * unit.element.bits // 8
    if size < _LEAST_BYTES:
        yield "instruction", f"a tile of {size} bytes: {_LEAST_BYTES} is the least looked at"
    if unit.kind == "bulk":
        return
    if unit.instruction not in unit.element.taken:
        yield "type", f"{unit.instruction} does not multiply {unit.element.name}"
    if unit.major == "MN" and unit.instruction not in unit.element.turned:
        yield "major", f"{unit.instruction} takes {unit.element.name} K-major in these modes"
    if sizes[unit.axes[1]] % depth:
        yield "axes", f"{sizes[unit.axes[1]]} along K: an instruction takes {depth}"
    if unit.rows % ROWS or not 0 < unit.rows <= MOST_BOX or sizes[unit.axes[0]] % unit.rows:
        yield "shape", f"{unit.rows} of {sizes[unit.axes[0]]} along M or N: multiples of {ROWS}"
