"""What to do about the conflicts of emitted code: one layout for each shared buffer.

``bankwise check`` cannot rewrite the source of assembly. It can say which layout of a buffer would
serve all of its accesses together, and prove it: the buffers are found from the bytes touched
(:mod:`bankwise.read.buffers`), the layout by the solver (:mod:`bankwise.solver.best`). There is no
tile any more, no rows and columns: a layout is ``a ^ (a >> shift & mask) ^ ..`` on byte offsets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Fold, Linear
from bankwise.algebra.address_fold import AddressFold
from bankwise.algebra.offset import Shape, footprint
from bankwise.ask.advice_pitch import row_pitch
from bankwise.ask.advice_split import split_notes
from bankwise.ask.placed_by_units import box_notes, placed_notes
from bankwise.ask.write_emitted import Origin, to_write
from bankwise.counting.access import IntArray
from bankwise.counting.cost import Cost
from bankwise.errors import Refusal
from bankwise.hardware.machine import UNITS, Instruction, Machine
from bankwise.hardware.policies import Issue, one_by_one
from bankwise.notation.padding import block_pads
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.buffers import AddressPattern, EmittedBuffer, buffers, called, together
from bankwise.show.advised import Optimum, Snippet
from bankwise.solver.address import xor_terms
from bankwise.solver.best import Best, best, certified, folds_of, legal
from bankwise.solver.flat_text import formula, notation
from bankwise.solver.plan import Plan
from bankwise.solver.spaces import (
    LINEAR,
    PADDING,
    Space,
    adjacent,
    bank_row,
    bit_folds,
)
from bankwise.solver.stacked import stacked
from bankwise.tile import COPIES, Tile, Use, runs

MOST_SEARCHES = 12
"""Different buffers of one kernel that are searched; a kernel has two or three."""

NODES = 5_000
"""Search nodes of the exact solver for one buffer; a typical one takes a few hundred."""

_BANK_ROW = 256
_BLOCKS_BYTES, _MOST_PAD = (64, 4096), 128
"""Of the blocks that pads are put behind, and of a pad."""


class Advice(Struct, frozen=True):
    """``optima``: of each buffer; ``notes``: why there is none for some; ``snippets``: what to
    write, what saves most first."""

    optima: tuple[Optimum, ...] = ()
    notes: tuple[str, ...] = ()
    snippets: tuple[Snippet, ...] = ()


def advise(kernel: AssemblyKernel, gpu: Machine, origin: Origin) -> Advice:
    """One layout for each shared buffer of a kernel, or why there is no telling."""
    why = unseen_addresses(kernel)
    found = Refusal(why) if why else buffers(kernel.accesses, gpu)
    if isinstance(found, Refusal):
        return Advice(notes=(f"no layout is suggested: {found}",))
    optima: list[Optimum] = []
    write: list[Snippet | None] = []
    notes = list(placed_notes(found, gpu))
    movable = [one for one in found if not _units(one)]
    gpu = one_by_one(gpu)
    for buffer in called(_alike(movable, kernel, gpu), kernel.variables):
        tile = flat_tile(buffer, gpu, _room(buffer, found, kernel))
        if len(optima) == MOST_SEARCHES:
            names = ", ".join(buffer.names)
            notes.append(f"no layout of {names} was searched: {MOST_SEARCHES} buffers were")
        elif any(use.counted for use in tile.uses):
            optimum, fold = _optimum(buffer, tile, kernel, gpu, origin)
            optima.append(optimum)
            write.append(to_write(optimum, buffer, fold, kernel, origin))
            notes += box_notes(found, buffer) if write[-1] else ()
    worst = sorted(filter(None, write), key=lambda one: one.after - one.before)
    return Advice(_joined(optima), tuple(notes), tuple(worst))


def _units(buffer: EmittedBuffer) -> tuple[str, ...]:
    """The instructions of asynchronous units that touch a buffer."""
    used = (use.access for use in buffer.uses if use.access.access.kind in UNITS)
    return tuple(dict.fromkeys(access.instruction for access in used))


def _alike(
    found: Sequence[EmittedBuffer], kernel: AssemblyKernel, gpu: Machine
) -> tuple[EmittedBuffer, ...]:
    """Buffers with the same accesses as the parts of one: they get the same answer."""
    same: dict[object, list[EmittedBuffer]] = {}
    for buffer in found:
        tile = flat_tile(buffer, gpu, _room(buffer, found, kernel))
        same.setdefault((buffer.allocation, _key(tile, gpu)), []).append(buffer)
    return tuple(together(group) if len(group) > 1 else group[0] for group in same.values())


def unseen_addresses(kernel: AssemblyKernel) -> str:
    """Why some access may touch any buffer; empty if all addresses are known."""
    if kernel.refusals:
        return f"not all accesses are known: {kernel.refusals[0]}"
    lost = next((a for a in kernel.accesses if a.unknown), None)
    if lost is not None:
        return (
            f"{lost.access.location}: {lost.instruction} has executions with an unknown address: "
            f"it depends on {lost.unknown}"
        )
    names = {a.access.patterns[0].allocation for a in kernel.accesses}
    if "shared" in names and len(names) > 1:
        return "absolute addresses beside named variables: which they touch is not known"
    return "; ".join(kernel.unseen)


def _room(
    buffer: EmittedBuffer, all_buffers: Sequence[EmittedBuffer], kernel: AssemblyKernel
) -> int:
    """Bytes from the start of a part that no other part uses; 0 if the end of memory is unknown."""
    starts = [
        start for b in all_buffers if b.allocation == buffer.allocation for start, _ in b.parts
    ]
    ends = [*starts, kernel.lds_bytes or 0]
    rooms = [min((e - start for e in ends if e > start), default=0) for start, _ in buffer.parts]
    return min(rooms)


def flat_tile(buffer: EmittedBuffer, gpu: Machine, room: int) -> Tile:
    """The buffer in the largest elements (8 bytes at most) that every access consists of.

    Its rows are as long as the banks are wide, where it has whole ones.
    """
    bits = 8
    for use in buffer.uses:
        bits |= use.access.access.width_bytes
        bits |= int(np.bitwise_or.reduce(use.offsets_bytes[use.active], initial=0))
    size = bits & -bits
    uses = tuple(use_of(use, gpu, size) for use in buffer.uses if use.active.any())
    elements = -(-_size(buffer.size_bytes, room) // size)
    flat = Tile(Shape((("a", elements),), 8 * size), uses)
    unit = 1 << (flat.span - 1).bit_length()
    row = min(elements & -elements, max(unit, bank_row(flat, gpu)))
    return Tile(Shape((("n", row), ("m", elements // row)), 8 * size), uses)


def use_of(use: AddressPattern, gpu: Machine, size: int) -> Use:
    """An access in elements of ``size`` bytes. What copies cost is not asked. ``gpu`` serves
    addresses :func:`~bankwise.hardware.policies.one_by_one`, as they are named here."""
    access = use.access.access
    row = _one_address(gpu, gpu.instruction(use.access.instruction))
    copies = access.kind in COPIES
    return Use(
        use.access.instruction,
        row.direction,
        runs(use.offsets_bytes // size, access.width_bytes // size),
        use.active,
        () if copies else (Issue(row.name, 0),),
        weight=use.executions * len(use.active),
        kind=access.kind,
        named=True,
    )


def _size(touched: int, room: int) -> int:
    """The bytes touched, up to a whole row of the banks where nothing else lies there."""
    for unit in (_BANK_ROW, 16):
        whole = -(-touched // unit) * unit
        if whole <= room:
            return whole
    return touched


def _one_address(gpu: Machine, row: Instruction) -> Instruction:
    """Two-address forms are served address by address: as the row of one, where it is alike."""
    stem = row.name.replace("2st64_", "_").replace("2addr_stride64_", "").replace("2addr_", "")
    same = gpu.instructions.get(stem.replace("2_", "_"))
    alike = same and (same.width_bytes, same.banks, same.phases, same.merge) == (
        row.width_bytes,
        row.banks,
        row.phases,
        row.merge,
    )
    return same if same is not None and alike else row


def _key(tile: Tile, gpu: Machine) -> object:
    """Equal for buffers with the same accesses, but for translations over F2."""
    stacks = sorted(
        (s.instruction.name, s.elements.tobytes(), s.active.tobytes(), s.weights.tobytes())
        for s in stacked(tile, gpu, translates=True)
    )
    copies = [use for use in tile.uses if not use.counted]
    starts = sorted((use.span, _shifted(use).tobytes()) for use in copies)
    return (tile.shape, tuple(stacks), tuple(starts))


def _shifted(use: Use) -> IntArray:
    first = use.elements[use.active][:, 0]
    return np.asarray(first ^ first[0])


def _best(tile: Tile, gpu: Machine, origin: Origin) -> Best | Refusal:
    """The best layout of the same size; for CK among equal folds one that it can say."""
    folds = tuple(bit_folds(tile, gpu))
    if origin.framework == "ck":
        folds = tuple(sorted(folds, key=lambda fold: not adjacent(fold)))
    return best(tile, gpu, [Space(LINEAR, folds, linear=True)], nodes=NODES, certify=False)


def _optimum(
    buffer: EmittedBuffer, tile: Tile, kernel: AssemblyKernel, gpu: Machine, origin: Origin
) -> tuple[Optimum, AddressFold | None]:
    """The best layout of one buffer, and the same as a fold of its addresses, if it is one."""
    found = legal(_best(tile, gpu, origin))
    present, (plan,) = found.present, found.plans
    helps, known = plan.passes < present.passes, found.known(plan)
    optimum = Optimum(
        buffer.names,
        present.run,
        Cost(plan.run.passes, present.run.ideal),
        known,
        address=formula(tile, plan.layout) if helps else "",
        notation=_notation(tile, plan, origin) if helps else "",
        certificate=certified(found, plan.layout),
    )
    room = _copy_room(buffer, kernel, gpu)
    pitch = row_pitch(buffer, tile, gpu, room) if present.passes > present.ideal else None
    least = plan.run.passes
    if pitch is not None and pitch.run.passes > least:
        pitch = None
    notes = list(_restrictions(buffer, gpu)) if helps or pitch else []
    if pitch is not None:
        least = pitch.run.passes
    if least > present.ideal:
        notes += _padding(buffer, tile, least, gpu, room)
        notes += split_notes(tile, gpu, plan)
    fold = address_fold(plan.layout, tile.shape.element_bits // 8) if helps else None
    return replace(optimum, notes=tuple(notes), pitch=pitch), fold


def address_fold(layout: AddressMap, unit_bytes: int) -> AddressFold | None:
    """A map of elements as one of byte addresses; None if it is no XOR of bits that stay."""
    if isinstance(layout, Fold):
        found = [layout]
    elif isinstance(layout, Linear):
        terms = xor_terms(layout.bases) or ()
        found = [one for shift, mask in terms for one in folds_of(shift, mask)]
    else:
        return None
    folds = tuple(Fold(f.divisor * unit_bytes, f.unit * unit_bytes, f.phases) for f in found)
    made = AddressFold(folds)
    whole = folds and all(f.binary and f.divisor > f.unit for f in folds)
    return made if whole and not made.read & made.changed else None


def _copy_room(buffer: EmittedBuffer, kernel: AssemblyKernel, gpu: Machine) -> int:
    """Bytes that each copy of a buffer may take, all else left as it is."""
    copies = len(buffer.parts)
    rest = max(0, (kernel.lds_bytes or buffer.parts[-1][1]) - buffer.size_bytes * copies)
    return (gpu.lds_bytes - rest) // copies


def _notation(tile: Tile, plan: Plan, origin: Origin) -> str:
    if origin.framework != "triton":
        return notation(tile, plan.layout, origin.framework)
    from bankwise.ask.advice_triton import shared_encoding

    element = tile.shape.element_bits // 8
    size = tile.shape.elements * element
    found = shared_encoding(origin.ttgir, size, element, plan.layout) if origin.ttgir else ""
    return found or notation(tile, plan.layout)  # an encoding is of a tensor, never of bytes


def _restrictions(buffer: EmittedBuffer, gpu: Machine) -> Iterator[str]:
    """What the accesses demand of a new layout, or leave open."""
    by_kind = {
        kind: [u.access for u in buffer.uses if u.access.access.kind == kind]
        for kind in ("dma", "async", "transpose")
    }
    if by_kind["dma"]:
        one = by_kind["dma"][0]
        yield (
            f"{one.instruction} (line {one.access.location.line}) fills memory in lane order: the "
            "layout goes into the global address that each lane loads, units of "
            f"{one.access.width_bytes} bytes stay whole"
        )
    if by_kind["async"]:
        one = by_kind["async"][0]
        yield f"{one.instruction} (line {one.access.location.line}) has to write to the new places"
    if by_kind["transpose"]:
        one = by_kind["transpose"][0]
        evidence = gpu.instruction(one.instruction).evidence
        yield (
            f"{one.instruction} (line {one.access.location.line}) transposes what "
            f"{one.access.width_bytes}-byte units hold: these stay whole; its phases are {evidence}"
        )
    two = next((u.access for u in buffer.uses if u.second), None)
    if two is not None:
        yield (
            f"{two.instruction} (line {two.access.location.line}) has two addresses a constant "
            "apart: where the layout changes their distance it becomes two instructions"
        )
    if any(not u.access.counted for u in buffer.uses):
        yield "how often some of its accesses run is not known: each of their patterns counts once"


def _padding(buffer: EmittedBuffer, tile: Tile, least: int, gpu: Machine, room: int) -> list[str]:
    """What padding would bring where layouts of the same size and pitches leave conflicts."""
    shape, unit = tile.shape, 1 << (tile.span - 1).bit_length()
    pads = block_pads(shape.elements, shape.element_bits, unit, _BLOCKS_BYTES, _MOST_PAD)
    fitting = tuple(p for p in pads if shape.bytes_of(footprint(shape, p)) <= room)
    found = legal(best(tile, gpu, [Space(PADDING, fitting)]))
    padded = found.plans[0]
    if padded.passes >= least:
        return []
    more = (padded.lds_bytes - found.present.lds_bytes) * len(buffer.parts)
    text = formula(tile, padded.layout)
    return [f"padded, {text}: {padded.run.passes:,} passes for {more:,} bytes more"]


def _joined(optima: Sequence[Optimum]) -> tuple[Optimum, ...]:
    """Buffers that are ideal as they are need one line together."""
    free = [o for o in optima if o.present.passes == o.present.ideal]
    rest = [o for o in optima if o.present.passes > o.present.ideal]
    if len(free) > 1:
        names = tuple(name for o in free for name in o.allocations)
        cost = sum((o.present for o in free), Cost())
        free = [replace(free[0], allocations=names, present=cost, best=cost)]
    return (*rest, *free)
