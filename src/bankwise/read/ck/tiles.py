"""Layouts of LDS together with who stores into them and who loads, as questions about a tile.

CK's policies pair them by name, and the pipelines keep to the names: what is loaded from memory
by ``MakeADramTileDistribution`` is stored into ``MakeALdsBlockDescriptor``; a ``Shuffled`` one is
stored instead where a tile is transposed in registers; ``Reg`` and ``Load`` distributions read. If
the header has no reader, the warp GEMM reads: its operands are known by its tile
(:func:`bankwise.read.ck.values.operand`), as ``BlockGemmASmemBSmemCRegV1`` places them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from math import prod

from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.identity import ByIdentity
from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.ck.encoding import Encoding
from bankwise.read.ck.evaluate import HeaderEvaluation
from bankwise.read.ck.find import CkFunction
from bankwise.read.ck.known import embed
from bankwise.read.ck.values import SIZES, CxxFrame, TypeWord, Unsaid, operand
from bankwise.read.tile_file.question import (
    Held,
    SolveOptions,
    TileQuestion,
    WrittenAccess,
    WrittenLayout,
)

_SECOND = ("B", "K", "V")
"""Operands whose rows are columns of the result."""
_NAMES = {1: ("k",), 2: ("m", "k")}
_TILE, _WARPS = "WarpTile", "BlockWarps"
WARP_GEMM = tuple(f"{gemm}{word}" for gemm in ("", "Gemm0", "Gemm1") for word in (_TILE, _WARPS))
GEMM_EXAMPLE = f"--dim {_TILE}=32,32,16 --dim {_WARPS}=2,2,1"
"""What is said of a warp GEMM, which no header names."""


class CkTile(ByIdentity, frozen=True, eq=False):
    """One layout of LDS. ``layouts``: the functions that make it, all the same memory; ``uses``:
    distributions with the direction they move in; ``read_by``: the operand of a warp GEMM."""

    name: str
    layouts: tuple[CkFunction, ...]
    uses: tuple[tuple[Direction, CkFunction], ...]

    @property
    def location(self) -> Location:
        """Where its first layout is made."""
        return self.layouts[0].location

    @property
    def functions(self) -> tuple[CkFunction, ...]:
        """All that it is said by."""
        return (*self.layouts, *(use for _, use in self.uses))


def tiles(made: Sequence[CkFunction], run: HeaderEvaluation) -> tuple[CkTile, ...]:
    """The layouts of a header, those of one operand together."""
    layouts: dict[tuple[int, str, bool], list[CkFunction]] = {}
    for one in (one for one in made if one.layout and not _helps(one, made, run)):
        base = one.operand.removesuffix("T") if one.transposed else one.operand
        start = 0 if one.owner.node is None else one.owner.node.start_byte
        layouts.setdefault((start, base, one.shuffled or one.transposed), []).append(one)
    users = [one for one in made if not one.layout and not isinstance(one.value, TensorDescriptor)]
    return tuple(
        CkTile(own[0].name, tuple(own), _uses(own, base, turned, users, run))
        for (_, base, turned), own in layouts.items()
    )


def _helps(one: CkFunction, made: Sequence[CkFunction], run: HeaderEvaluation) -> bool:
    """Whether it only makes layouts for other functions, which say what it leaves open."""
    callers = (other for other in made if other.node is not one.node)
    return isinstance(one.value, Unsaid) and any(
        f"{one.name}<" in run.source.of(other.node) for other in callers
    )


def _uses(
    layouts: list[CkFunction],
    base: str,
    turned: bool,
    users: list[CkFunction],
    run: HeaderEvaluation,
) -> tuple[tuple[Direction, CkFunction], ...]:
    names = (base, "Input", "In") if not base else (base, f"{base}T") if turned else (base,)
    mine = [one for one in users if one.operand in names]
    near = [one for one in mine if one.owner is layouts[0].owner]
    mine = near or mine
    shuffled = [one for one in mine if one.shuffled]
    plain = [one for one in mine if not one.shuffled and not one.transposed]
    stored = shuffled if shuffled and (turned or _is_turned(base, run)) else _stored(plain)
    loaded = [one for one in mine if one.transposed] if turned else _loaded(plain)
    only = {one.only for one in layouts}
    found: list[tuple[Direction, CkFunction]] = []
    found += [("write", one) for one in stored[:1] if only != {"read"}]
    found += [("read", one) for one in loaded if only != {"write"}]
    return tuple(found)


def _stored(plain: list[CkFunction]) -> list[CkFunction]:
    return [one for one in plain if one.only != "read" or "Dram" in one.name]


def _loaded(plain: list[CkFunction]) -> list[CkFunction]:
    return [one for one in plain if one.only == "read" and "Dram" not in one.name]


def _is_turned(base: str, run: HeaderEvaluation) -> bool:
    """Whether the answers say that the operand lies across in memory; without one it does."""
    said = run.said.said_of(f"{base}Layout", f"Layout{base}", f"{base}sLayoutTuple")
    across = "ColumnMajor" if base == "A" else "RowMajor"
    return not isinstance(said, TypeWord) or said.name == across


def open_in(tile: CkTile, run: HeaderEvaluation) -> frozenset[str]:
    """What of a tile nobody says."""
    values = [one.value for one in tile.functions]
    kind = element_bytes(tile, run)
    return frozenset().union(*(v.names for v in (*values, kind) if isinstance(v, Unsaid)))


def element_bytes(tile: CkTile, run: HeaderEvaluation) -> int | Unsaid:
    """Bytes of an element: of the type that the operand's name begins. :class:`InputError` for a
    type that the user says and whose size nobody knows."""
    base = tile.layouts[0].operand
    names = [f"{base.removesuffix('T')}DataType", f"{base}DataType", "DataType"]
    owner = tile.layouts[0].owner
    for name in dict.fromkeys(names):
        found = run.member(owner, name, CxxFrame({}, owner, run.whole)) or run.said.said_of(name)
        if isinstance(found, TypeWord) and found.name in SIZES:
            return SIZES[found.name]
        if isinstance(found, int) and 1 <= found <= 16:
            return found
        if isinstance(found, TypeWord) and found == run.said.said_of(name):
            raise _unknown_type(name, found)
    return Unsaid(frozenset([names[0]]))


def _unknown_type(name: str, said: TypeWord) -> InputError:
    near = get_close_matches(said.name, SIZES, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    sizes = f"a type of CK or C++, or its bytes: --dim {name}=2"
    return InputError(f"--dim {name}={said.name}: no type of a known size", hint=hint + sizes)


def question(
    tile: CkTile, run: HeaderEvaluation, layouts: Sequence[TensorDescriptor] = ()
) -> TileQuestion | Refusal:
    """The tile as a question, or why it is none. ``layouts``: instead of its own."""
    for one in tile.functions:
        if isinstance(one.value, Refusal):
            return Refusal(f"{one.name}: {one.value.reason}", one.value.location or one.location)
    made = tuple(layouts) or tuple(
        one.value for one in tile.layouts if isinstance(one.value, TensorDescriptor)
    )
    shape, machine = made[0].shape, run.said.machine
    if any(one.shape != shape for one in made):
        reason = f"{_listed(tile)} see one memory through different axes"
        return Refusal(f"{reason}, which is not judged", tile.location)
    bytes_ = element_bytes(tile, run)
    assert isinstance(bytes_, int), "asked before"
    accesses = _accesses(tile, run, made)
    if isinstance(accesses, Refusal):
        return accesses
    return TileQuestion(
        file=run.source.file,
        title=tile.name,
        machine=machine,
        shape=shape,
        dims=_NAMES.get(len(shape)) or tuple(f"d{n}" for n in range(len(shape))),
        element_bits=bytes_ * 8,
        stages=(),
        policy="",
        layout=_layout(tile, made, "write"),
        accesses=accesses,
        globals=(),
        launch=None,
        published={},
        options=SolveOptions(),
    )


def _accesses(
    tile: CkTile, run: HeaderEvaluation, made: Sequence[TensorDescriptor]
) -> tuple[WrittenAccess, ...] | Refusal:
    """Who stores and who loads, or why that is not known."""
    shape, machine = made[0].shape, run.said.machine
    accesses = [
        _access(use, op, _layout(tile, made, op), machine)
        for op, use in tile.uses
        if isinstance(use.value, Encoding)
    ]
    read = _by_warp_gemm(tile, shape, run)
    if isinstance(read, Encoding):
        held = Held(str(read), "ck", _axes(shape), read)
        layout, name = _layout(tile, made, "read"), "operand of the warp GEMM"
        accesses.append(WrittenAccess(name, "read", held, layout, None, 1, tile.location))
    wrong = next((a for a in accesses if not _fits(a, shape, machine)), None)
    if wrong is not None:
        theirs = _distribution(wrong)
        return Refusal(
            f"{wrong.name} is of {list(theirs.shape)} elements and {theirs.lanes} lanes, "
            f"the layout of {list(shape)} on {machine.name}",
            wrong.location,
        )
    _check_warps(accesses, tile, run)
    missing = next((w for w in ("write", "read") if all(a.op != w for a in accesses)), None)
    return tuple(accesses) if missing is None else _nobody(tile, missing, read)


def _check_warps(accesses: Sequence[WrittenAccess], tile: CkTile, run: HeaderEvaluation) -> None:
    """:class:`InputError` where the answers say another block than an access is made for."""
    said, lanes = run.said.values, run.said.machine.wave_size
    block = next((key for key in said if key.split("::")[-1] == "kBlockSize"), "")
    warps = next((n for n in (f"{_gemm(tile)}{_WARPS}", _WARPS) if n in said), "")
    sizes = {one.name: _distribution(one).waves * lanes for one in accesses}
    sizes |= {f"--dim {block}": said[block]} if isinstance(said.get(block), int) else {}
    if len(set(sizes.values())) < 2 or not (block or warps):
        return
    words = [f"{name} is of {threads} threads" for name, threads in sizes.items()]
    hints = [f"say --dim {block}={next(iter(sizes.values()))}"] if block else []
    if warps:
        threads = prod(said[warps]) * lanes
        product = " x ".join(map(str, said[warps]))
        hints = [f"{warps} is {product} warps of {lanes} lanes, {threads} threads"]
        hints += [f"say other {warps}" + (f", or --dim {block}={threads}" if block else "")]
    raise InputError(", ".join(words), location=tile.location, hint="; ".join(hints))


def _layout(tile: CkTile, made: Sequence[TensorDescriptor], op: Direction) -> WrittenLayout:
    """The layout as those see it that move in one direction."""
    chosen = next((n for n, one in enumerate(tile.layouts) if one.only == op), 0)
    one = made[min(chosen, len(made) - 1)]
    return WrittenLayout(tile.layouts[chosen].name, "ck", one, tile.layouts[chosen].location)


def _access(
    use: CkFunction, op: Direction, layout: WrittenLayout, machine: Machine
) -> WrittenAccess:
    assert isinstance(use.value, Encoding), "asked before"
    held = Held(str(use.value), "ck", _axes(use.value.shape), use.value)
    return WrittenAccess(use.name, op, held, layout, None, 1, use.location)


def _axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(range(len(shape)))


def _distribution(access: WrittenAccess) -> Encoding:
    held = access.held
    assert isinstance(held, Held), "made so"
    assert isinstance(held.distribution, Encoding)
    return held.distribution


def _fits(access: WrittenAccess, shape: tuple[int, ...], machine: Machine) -> bool:
    """Whether the tile is made of whole tiles of the distribution, by this machine's waves."""
    held = _distribution(access)
    mine = held.shape
    whole = len(mine) == len(shape) and not any(n % m for n, m in zip(shape, mine, strict=True))
    return whole and held.lanes == machine.wave_size


def _nobody(tile: CkTile, missing: str, read: Encoding | Refusal | None) -> Refusal:
    if isinstance(read, Refusal):
        return read
    words = {"write": "stores into it", "read": "loads from it"}[missing]
    first = _gemm(tile)
    hint = (
        f": if a warp GEMM does, say its tile: {GEMM_EXAMPLE} (or {first}{_TILE}, {first}{_WARPS})"
        if missing == "read"
        else ""
    )
    return Refusal(f"{_listed(tile)}: nothing in this header {words}{hint}", tile.location)


def _gemm(tile: CkTile) -> str:
    """Which of two GEMMs in a row takes the tile."""
    return "Gemm1" if tile.layouts[0].operand == "V" else "Gemm0"


def _listed(tile: CkTile) -> str:
    return " and ".join(one.name for one in tile.layouts)


def _by_warp_gemm(
    tile: CkTile, shape: tuple[int, ...], run: HeaderEvaluation
) -> Encoding | Refusal | None:
    """The operand of a warp GEMM whose tile and warps the user says; None where nobody does."""
    base, known = tile.layouts[0].operand, _said_gemm(tile, run)
    if not _for_gemm(tile) or len(shape) != 2 or len(known) != 2:
        return None
    (m, n, k), (warps_m, warps_n, warps_k) = known
    if warps_k != 1:
        return Refusal(f"{tile.name}: {warps_k} warps along k are not read", tile.location)
    rows, own, others = (n, warps_n, warps_m) if base in _SECOND else (m, warps_m, warps_n)
    try:
        warp = operand(rows, k, run.said.machine.wave_size)
        if shape[0] % (own * rows) or shape[1] % k:
            raise InputError(f"a tile of {list(shape)}: {own} warps of {rows} rows, {k} deep")
    except InputError as error:
        return Refusal(error.message, tile.location)
    factors = ((shape[0] // (own * rows), own), (shape[1] // k,))
    parts = ((0, 1), (0, 1)) if base in _SECOND else ((1, 0), (1, 0))
    outer = Encoding((others,), factors, (parts[0],), (parts[1],), (1, 2), (0, 0))
    return embed((outer, warp))


def asks_gemm(tile: CkTile, run: HeaderEvaluation) -> bool:
    """Whether nothing in the header loads the tile, and nobody says the warp GEMM that may."""
    return _for_gemm(tile) and len(_said_gemm(tile, run)) != 2


def _for_gemm(tile: CkTile) -> bool:
    return all(op != "read" for op, _ in tile.uses) and tile.layouts[0].only != "write"


def _said_gemm(tile: CkTile, run: HeaderEvaluation) -> list[tuple[int, ...]]:
    said = [run.said.said_of(f"{_gemm(tile)}{word}", word) for word in (_TILE, _WARPS)]
    return [v for v in said if isinstance(v, tuple) and len(v) == 3]


def known_open(found: Iterable[CkTile], run: HeaderEvaluation) -> tuple[str, ...]:
    """The names that nobody says, of all tiles."""
    names = frozenset().union(*(open_in(tile, run) for tile in found))
    return tuple(sorted(n for n in names if not any(m.endswith(f"::{n}") for m in names)))
