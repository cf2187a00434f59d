"""Where copies of a text of CuTe meet layouts of shared memory.

Inside of functions ``thr.partition_S(sA)`` says it: a read of the layout of ``sA`` by the tiled
copy that ``thr`` is a slice of; ``partition_D`` is a write. A header of types alone says which
copies there are and which layouts: every copy is then held against every layout that it fits, and
the answer says that nobody said they meet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import prod

import numpy as np
from msgspec.structs import replace

from bankwise.counting.access import IntArray
from bankwise.counting.kernel import WaveInstruction
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Direction
from bankwise.identity import ByIdentity
from bankwise.notation.cute.copies import (
    WARP,
    CopyAtom,
    IssuedCopy,
    TiledCopy,
    TiledMma,
    matrix_rows,
    mma_copy,
    operand_of,
    plain,
)
from bankwise.notation.cute.strided import StridedLayout
from bankwise.notation.cute.swizzle import ComposedLayout, CuteLayout, CuteMemory
from bankwise.notation.nvidia_mma import ROW_BYTES
from bankwise.read.cute.evaluate import (
    CuteEvaluation,
    OpenNameError,
    SharedTensor,
    Slice,
    TypeName,
    UnreadError,
    Value,
)
from bankwise.read.cute.forms import elements, sizes_of
from bankwise.read.cute.terms import CuteDefinition, CuteTerm, Scope

_SHARED = re.compile(r"(?i)smem|^s[A-Z]\w*$")
_PARTS = re.compile(r"(?i)atom|noswizzle")
_STORES = re.compile(r"(?i)r2s|g2s|store")
_WIDTHS = (128, 64, 32, 16, 8)
_MOST_TILES = 4096


class CopySite(ByIdentity, frozen=True, eq=False):
    """One copy of shared memory. ``layout``: again for every answer that is tried, by what defines
    it; ``copy``: by whom. ``start``: the byte that says it; ``what``: in the author's words;
    ``name``: of the tile. ``assumed``: nobody says that they meet."""

    name: str
    what: str
    start: int
    term: CuteTerm
    scope: Scope
    copy: TiledCopy
    direction: Direction
    assumed: bool = False


def sites(ev: CuteEvaluation) -> tuple[tuple[CopySite, ...], tuple[Refusal, ...]]:
    """The copies of a text, and what is not read of it, each reason with its place."""
    refusals: list[Refusal] = []
    found: list[CopySite] = []
    for scope, call in ev.text.calls:
        given = call.arguments or ()
        if call.head in _PARTITIONS and len(given) >= 2:
            found += _guarded(ev, scope, call, refusals)
    if not found and not refusals:
        found = list(_paired(ev, refusals))
    return tuple(found), tuple(dict.fromkeys(refusals))


def _guarded(
    ev: CuteEvaluation, scope: Scope, term: CuteTerm, refusals: list[Refusal]
) -> list[CopySite]:
    place = ev.text.place(term.span.start)
    try:
        return _PARTITIONS[term.head](ev, term, scope)
    except OpenNameError as error:
        ev.asked.add(error.name)
        refusals.append(Refusal(f"the value of {error.name} is not known", place))
    except UnreadError as error:
        where = ev.text.place(error.term.span.start)
        refusals.append(Refusal(f"{error.what}: {ev.text.of(error.term.span)[:80]}", where))
    except InputError as error:
        refusals.append(Refusal(error.message, place))
    return []


def _partition(ev: CuteEvaluation, call: CuteTerm, scope: Scope) -> list[CopySite]:
    """``thr.partition_S(sA)``: of a tensor that is not of shared memory nothing."""
    owner, tensor = (call.arguments or ())[:2]
    shared = None if _is_global(ev, tensor) else ev.value(tensor, scope)
    if not isinstance(shared, SharedTensor):
        return []
    sliced = ev.value(owner, scope)
    copy = sliced.of if isinstance(sliced, Slice) else None
    if not isinstance(copy, TiledCopy):
        raise UnreadError("this is no slice of a tiled copy", owner)
    direction: Direction = "read" if call.head.endswith("_S") else "write"
    return [_site(ev, call, tensor, shared, _sized(copy, shared.bits), direction)]


def _is_global(ev: CuteEvaluation, tensor: CuteTerm) -> bool:
    """Whether a name is given a tile of global memory, however often."""
    made = (d.term for d in ev.text.definitions if d.name == tensor.head and d.term is not None)
    return any(term.head in ("local_tile", "make_identity_tensor") for term in made)


def _site(
    ev: CuteEvaluation,
    call: CuteTerm,
    tensor: CuteTerm,
    shared: SharedTensor,
    copy: TiledCopy,
    direction: Direction,
) -> CopySite:
    what = " ".join(ev.text.of(call.span).split())
    start = call.span.start
    return CopySite(tensor.head, what, start, shared.term, shared.scope, copy, direction)


def _sized(copy: TiledCopy, bits: int) -> TiledCopy:
    """With the element size of the tensor where the atom says none."""
    if copy.atom.element_bits or not bits:
        return copy
    return replace(copy, atom=replace(copy.atom, element_bits=bits))


def _operand(ev: CuteEvaluation, call: CuteTerm, scope: Scope) -> list[CopySite]:
    """``thr_mma.partition_A(sA)`` of an FMA: every thread reads its elements one by one."""
    owner, tensor = (call.arguments or ())[:2]
    shared = None if _is_global(ev, tensor) else ev.value(tensor, scope)
    if not isinstance(shared, SharedTensor):
        return []
    sliced = ev.value(owner, scope)
    mma = sliced.of if isinstance(sliced, Slice) else None
    if not isinstance(mma, TiledMma):
        raise UnreadError("this is no slice of a tiled MMA", owner)
    if _only_shape(ev, call):
        return []
    bits = _known(ev, shared.bits or mma.atom.element_bits)
    if mma.atom.fragment:
        raise UnreadError("shared memory read as the MMA holds it, by no copy atom", call)
    operand = call.head[-1]
    tile, held = operand_of(mma, "A" if operand == "A" else "B" if operand == "B" else "C")
    copy = TiledCopy(CopyAtom("UniversalCopy", bits, bits), tile, held)
    return [_site(ev, call, tensor, shared, copy, "write" if operand == "C" else "read")]


def _known(ev: CuteEvaluation, bits: int) -> int:
    """Bits of an element. Raises OpenNameError, of a type that the user can say in bits."""
    if not bits and ev.wanted:
        raise OpenNameError(min(ev.wanted))
    return bits


def _only_shape(ev: CuteEvaluation, call: CuteTerm) -> bool:
    """Whether what is partitioned only makes a fragment of registers."""
    behind = ev.text.data[call.span.stop : call.span.stop + 40].lstrip()
    before = ev.text.data[max(0, call.span.start - 40) : call.span.start].rstrip()
    return behind.startswith(b")") and b"make_fragment" in before + b"("


def _local(ev: CuteEvaluation, call: CuteTerm, scope: Scope) -> list[CopySite]:
    """``local_partition(sA, threads, thread, Step<_1, X>)``: elements one by one, threads side by
    side; read or written by whoever copies the name that it gets."""
    if len(call.arguments or ()) < 3:
        raise UnreadError("a tensor, threads and a thread are wanted", call)
    tensor, threads, _, *step = call.arguments or ()
    shared = ev.value(tensor, scope)
    if not isinstance(shared, SharedTensor):
        return []
    layout = ev.value(threads, scope)
    if not isinstance(layout, StridedLayout) or layout.rank != 2:
        raise UnreadError("threads that are no layout of two modes", threads)
    asked = step[0].types + (step[0].arguments or ()) if step else ()
    kept = [axis for axis in (0, 1) if len(asked) != 2 or asked[axis].head != "X"]
    tile = [*(layout.mode(axis).size for axis in kept), 1]
    number = np.argsort(layout.at(np.arange(layout.size)))
    places = number % layout.mode(0).size, number // layout.mode(0).size
    chosen = [*(places[axis] for axis in kept), 0 * number]
    held = np.stack(chosen[:2], axis=-1)[:, None].astype(np.int64)
    bits = _known(ev, shared.bits)
    copy = TiledCopy(CopyAtom("UniversalCopy", bits, bits), (tile[0], tile[1]), held)
    return [_site(ev, call, tensor, shared, copy, direction) for direction in _directions(ev, call)]


def _directions(ev: CuteEvaluation, call: CuteTerm) -> Iterator[Direction]:
    """What is done with the name of a partition: the source of copies is read, as operands are."""
    names = {d.name for d in ev.text.definitions if d.term is not None and d.term.span == call.span}
    found: set[Direction] = set()
    for _, other in ev.text.calls:
        given = other.arguments or ()
        for place, one in enumerate(given if other.head in ("copy", "gemm", "axpby") else ()):
            if one.head in names:
                last = place == len(given) - 1 and other.head != "gemm"
                found.add("write" if last else "read")
    yield from sorted(found)


_PARTITIONS: dict[str, Callable[[CuteEvaluation, CuteTerm, Scope], list[CopySite]]] = {
    ".partition_S": _partition,
    ".partition_D": _partition,
    **{f".partition_{operand}": _operand for operand in ("A", "B", "C")},
    "local_partition": _local,
}


def _paired(ev: CuteEvaluation, refusals: list[Refusal]) -> Iterator[CopySite]:
    """Every copy that a text names with every layout of shared memory that it fits."""
    named: list[tuple[CuteDefinition, Value]] = []
    for one in ev.text.definitions:
        if one.term is not None and not one.parameter:
            found = _guarded_value(ev, one, refusals)
            named += [] if found is None else [(one, found)]
    layouts = [
        (one, value)
        for one, value in named
        if isinstance(value, StridedLayout | ComposedLayout)
        and _SHARED.search(one.name)
        and not _PARTS.search(one.name)
        and len(sizes_of(value)) >= 2
    ]
    mmas = [(one, value) for one, value in named if isinstance(value, TiledMma)]
    seen: set[object] = set()
    for one, value in named:
        for said, copy in _copies(one, value, mmas):
            for other, where in layouts:
                alike = copy.atom, copy.held.tobytes(), other.scope, where
                if alike not in seen:
                    seen.add(alike)
                    yield from _meeting(ev, one, said, copy, other, where)


def _guarded_value(
    ev: CuteEvaluation, one: CuteDefinition, refusals: list[Refusal]
) -> Value | None:
    """The value of a definition; what is not read matters where it is a layout or a copy."""
    assert one.term is not None, "asked before"
    try:
        known = ev.definition(one.name, one.scope)
        return None if known is None else ev.defined(*known)
    except OpenNameError as error:
        if _SHARED.search(one.name) or "Copy" in one.name:
            ev.asked.add(error.name)
            place = ev.text.place(one.start)
            refusals.append(Refusal(f"{one.name}: the value of {error.name} is not known", place))
    except (UnreadError, InputError) as error:
        if _SHARED.search(one.name) or "Copy" in one.name:
            what = error.what if isinstance(error, UnreadError) else error.message
            refusals.append(Refusal(f"{one.name}: {what}", ev.text.place(one.start)))
    return None


def _copies(
    one: CuteDefinition, value: Value, mmas: list[tuple[CuteDefinition, TiledMma]]
) -> Iterator[tuple[str, TiledCopy]]:
    """A tiled copy; of an atom of matrices those of every MMA of its scope, both operands."""
    if isinstance(value, TiledCopy):
        yield one.name, value
    if isinstance(value, CopyAtom) and value.matrices and value.only == "read":
        for other, mma in mmas:
            for operand in ("A", "B"):
                if other.scope == one.scope and mma.atom.element_bits == value.element_bits:
                    said = f"{one.name} with {other.name}, operand {operand}"
                    yield said, mma_copy(value, mma, "A" if operand == "A" else "B")


def _meeting(
    ev: CuteEvaluation,
    one: CuteDefinition,
    said: str,
    copy: TiledCopy,
    other: CuteDefinition,
    where: CuteLayout,
) -> Iterator[CopySite]:
    """A copy and a layout of one scope, if the copy moves its widest pieces there."""
    direction: Direction = copy.atom.only or ("write" if _STORES.search(one.name) else "read")
    found = issued(copy, where, direction) if other.scope == one.scope else Refusal("elsewhere")
    if isinstance(found, Refusal) or copy.atom.widest > _width_bits(found[0].name):
        return
    assert other.term is not None, "it has a value"
    at = one.start, other.term, other.scope, copy, direction
    yield CopySite(other.name, said, *at, assumed=True)


def _width_bits(instruction: str) -> int:
    """Of ``ld.shared.b64``; a matrix has rows of 16 bytes."""
    return int(instruction.rpartition(".b")[2]) if ".b" in instruction else ROW_BYTES * 8


def issued(
    copy: TiledCopy, where: CuteLayout, direction: Direction
) -> tuple[WaveInstruction, ...] | Refusal:
    """The instructions of one pass over a tile of shared memory, by every warp.

    A Refusal where the copy does not fit the tile, or its pieces do not lie side by side.
    """
    bits = copy.atom.element_bits
    if not bits:
        return Refusal("the bits of its elements are not known")
    sizes = sizes_of(where)
    if not (all(copy.tile) and all(sizes) and copy.held.size):
        return Refusal("there is nothing in its tile")
    if len(sizes) < 2 or any(s % t for s, t in zip(sizes, copy.tile, strict=False)):
        return Refusal(f"tiles of {_by(copy.tile)} do not cover {_by(sizes)}")
    try:
        memory = CuteMemory(elements(where))
        options = _options(copy, direction)
    except InputError as error:
        return Refusal(error.message)
    why = Refusal("no instruction is left")
    for pieces in options:
        found = _placed(pieces, copy, memory, sizes)
        if isinstance(found, Refusal):
            why = found
        elif found:
            return found
    return why


def _by(sizes: tuple[int, ...]) -> str:
    return " x ".join(map(str, sizes))


def _options(copy: TiledCopy, direction: Direction) -> list[list[IssuedCopy]]:
    """What may be issued, the widest first: one way, but for copies that the layouts decide."""
    atom = copy.atom
    if atom.matrices:
        return [matrix_rows(copy)]
    if atom.bits:
        return [plain(copy, atom.bits, direction)]
    widths = [w for w in _WIDTHS if atom.element_bits <= w <= atom.widest]
    fits = [w for w in widths if copy.held.shape[1] * atom.element_bits % w == 0]
    return [plain(copy, width, direction) for width in fits]


def _placed(
    pieces: list[IssuedCopy], copy: TiledCopy, memory: CuteMemory, sizes: tuple[int, ...]
) -> tuple[WaveInstruction, ...] | Refusal:
    element, counts = (
        copy.atom.element_bits,
        [s // t for s, t in zip(sizes, copy.tile, strict=False)],
    )
    if prod(counts) * len(pieces) > _MOST_TILES:
        return Refusal("more instructions than are counted of one copy")
    corners = np.stack(np.unravel_index(np.arange(prod(counts)), counts), axis=-1) * copy.tile
    found: list[WaveInstruction] = []
    for piece in pieces:
        at = piece.elements[None, piece.active] + corners[:, None, None]
        rest = np.zeros((*at.shape[:-1], len(sizes) - 2), np.int64)
        places = memory.offsets(np.concatenate([at, rest], axis=-1))
        lined = places[..., :1] + np.arange(places.shape[-1])
        aligned = not (places[..., 0] * element % (8 * piece.width_bytes)).any()
        if not aligned or not np.array_equal(lined, places):
            return Refusal(f"{piece.width_bytes} bytes of {piece.name} do not lie together")
        first = np.zeros((len(corners), len(piece.active)), np.int64)
        first[:, piece.active] = places[..., 0] * element // 8
        found += [_by_warps(piece, one) for one in first]
    return tuple(found)


def _by_warps(piece: IssuedCopy, first: IntArray) -> WaveInstruction:
    missing = -len(first) % WARP
    offsets = np.concatenate([first, np.zeros(missing, np.int64)]).reshape(-1, WARP)
    active = np.concatenate([piece.active, np.zeros(missing, np.bool_)]).reshape(-1, WARP)
    return WaveInstruction(piece.name, offsets, active)


def layout_of(ev: CuteEvaluation, site: CopySite) -> CuteLayout:
    """The layout of a site, evaluated again. Raises what :meth:`CuteEvaluation.value` does."""
    found = ev.value(site.term, site.scope)
    if isinstance(found, SharedTensor):
        return found.layout
    if isinstance(found, TypeName) or not isinstance(found, StridedLayout | ComposedLayout):
        raise UnreadError("this is no layout", site.term)
    return found
