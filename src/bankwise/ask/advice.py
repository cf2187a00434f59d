"""What to do about the conflicts of emitted code: one layout for each shared buffer.

``bankwise check`` cannot rewrite the source of assembly. It can say which layout of a buffer would
serve all of its accesses together, and prove it: the buffers are found from the bytes touched
(:mod:`bankwise.read.buffers`), the layout by the solver (:mod:`bankwise.solver.flat`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bankwise.counting.cost import Cost
from bankwise.errors import Refusal
from bankwise.hardware.machine import Instruction, Machine
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.buffers import Buffer, Use, buffers, together
from bankwise.show.values import Optimum
from bankwise.solver.flat import Answer, Flat, best_flat, best_padding, reduced
from bankwise.solver.flat_text import formula, notation
from bankwise.solver.folds import Demand, Piece

MOST_SEARCHES = 12
"""Different buffers of one kernel that are searched; a kernel has two or three."""

_COPIES = ("dma", "async")
_BANK_ROW = 256


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a kernel comes from: its framework, and the TTGIR text beside it, if there is one."""

    framework: str = ""
    ttgir: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """``optima``: of each buffer; ``notes``: why there is none for some."""

    optima: tuple[Optimum, ...] = ()
    notes: tuple[str, ...] = ()


def advise(kernel: AssemblyKernel, gpu: Machine, origin: Origin) -> Advice:
    """One layout for each shared buffer of a kernel, or why there is no telling."""
    why = _unseen(kernel)
    found = Refusal(why) if why else buffers(kernel.accesses, gpu)
    if isinstance(found, Refusal):
        return Advice(notes=(f"no layout is suggested: {found}",))
    optima: list[Optimum] = []
    notes: list[str] = []
    for buffer in _alike(found, kernel, gpu):
        flat = _flat(buffer, gpu, _room(buffer, found, kernel))
        if len(optima) == MOST_SEARCHES:
            names = ", ".join(buffer.names)
            notes.append(f"no layout of {names} was searched: {MOST_SEARCHES} buffers were")
        elif flat.demands:
            answer = best_flat(flat, gpu, adjacent=origin.framework == "ck")
            optima.append(_optimum(buffer, flat, answer, kernel, gpu, origin))
    return Advice(_joined(optima), tuple(notes))


def _alike(found: Sequence[Buffer], kernel: AssemblyKernel, gpu: Machine) -> tuple[Buffer, ...]:
    """Buffers with the same accesses as the parts of one: they get the same answer."""
    same: dict[object, list[Buffer]] = {}
    for buffer in found:
        flat = _flat(buffer, gpu, _room(buffer, found, kernel))
        same.setdefault((buffer.allocation, _key(flat)), []).append(buffer)
    return tuple(together(group) if len(group) > 1 else group[0] for group in same.values())


def _unseen(kernel: AssemblyKernel) -> str:
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


def _room(buffer: Buffer, all_buffers: Sequence[Buffer], kernel: AssemblyKernel) -> int:
    """Bytes from the start of a part that no other part uses; 0 if the end of memory is unknown."""
    starts = [
        start for b in all_buffers if b.allocation == buffer.allocation for start, _ in b.parts
    ]
    ends = [*starts, kernel.lds_bytes or 0]
    rooms = [min((e - start for e in ends if e > start), default=0) for start, _ in buffer.parts]
    return min(rooms)


def _flat(buffer: Buffer, gpu: Machine, room: int) -> Flat:
    """The buffer in the largest elements (8 bytes at most) that every access consists of."""
    bits = 8
    for use in buffer.uses:
        bits |= use.access.access.width_bytes
        bits |= int(np.bitwise_or.reduce(use.offsets_bytes[use.active], initial=0))
    element = bits & -bits
    copies = [u for u in buffer.uses if u.access.access.kind in _COPIES]
    fixed = [
        Piece(use.offsets_bytes[use.active] // element, use.access.access.width_bytes // element)
        for use in copies
    ]
    waves = [
        Piece(offsets[active] // element, use.access.access.width_bytes // element)
        for use in copies
        if use.access.access.kind == "dma"
        for offsets, active in zip(use.offsets_bytes, use.active, strict=True)
        if active.any()
    ]
    demands = tuple(_demand(u, gpu, element) for u in buffer.uses if u not in copies)
    size = _size(buffer.size_bytes, room)
    return Flat(demands, -(-size // element), element, tuple(fixed), tuple(waves))


def _size(touched: int, room: int) -> int:
    """The bytes touched, up to a whole row of the banks where nothing else lies there."""
    for unit in (_BANK_ROW, 16):
        whole = -(-touched // unit) * unit
        if whole <= room:
            return whole
    return touched


def _demand(use: Use, gpu: Machine, element: int) -> Demand:
    width = use.access.access.width_bytes
    row = _one_address(gpu, gpu.instruction(use.access.instruction))
    return Demand(
        row, use.offsets_bytes // element, use.active, width // element, 0, use.executions
    )


def _one_address(gpu: Machine, row: Instruction) -> Instruction:
    """Two-address forms are served address by address: as the row of one of them."""
    if row.addresses == 1:
        return row
    stem = row.name.replace("2st64_", "_").replace("2addr_stride64_", "").replace("2addr_", "")
    same = gpu.instructions.get(stem.replace("2_", "_"))
    alike = same and (same.width_bytes, same.banks, same.phases, same.merge) == (
        row.width_bytes,
        row.banks,
        row.phases,
        row.merge,
    )
    return same if same is not None and alike else replace(row, addresses=1)


def _key(flat: Flat) -> object:
    """Equal for buffers with the same accesses, but for translations over F2."""
    demands = sorted(
        (d.instruction.name, d.span, d.weight, d.elements.tobytes(), d.active.tobytes())
        for d in reduced(flat.demands)
    )
    pieces = sorted((p.span, (p.elements ^ p.elements[0]).tobytes()) for p in flat.fixed)
    return (flat.elements, flat.element_bytes, tuple(demands), tuple(pieces))


def _optimum(
    buffer: Buffer,
    flat: Flat,
    answer: Answer,
    kernel: AssemblyKernel,
    gpu: Machine,
    origin: Origin,
) -> Optimum:
    best = answer.best
    helps = best.passes < best.passes_before
    found = Optimum(
        buffer.names,
        Cost(best.passes_before, best.ideal),
        Cost(best.passes, best.ideal),
        best.optimal,
        best.how,
        address=formula(flat, best.address) if helps else "",
        notation=_notation(flat, answer, origin) if helps else "",
        certificate=best.certificate,
    )
    notes = list(_restrictions(buffer)) if helps else []
    if best.passes > best.ideal:
        notes += _padding(buffer, flat, answer, kernel, gpu)
    return replace(found, notes=tuple(notes))


def _notation(flat: Flat, answer: Answer, origin: Origin) -> str:
    if origin.framework == "triton" and origin.ttgir:
        from bankwise.ask.advice_triton import shared_encoding

        size = flat.elements * flat.element_bytes
        found = shared_encoding(origin.ttgir, size, flat.element_bytes, answer.best.address)
        if found:
            return found
    return notation(flat, answer.fold, origin.framework)


def _restrictions(buffer: Buffer) -> Iterator[str]:
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
        yield (
            f"{one.instruction} (line {one.access.location.line}) transposes what "
            f"{one.access.width_bytes}-byte units hold: these stay whole; its phases are assumed"
        )
    two = next((u.access for u in buffer.uses if u.second), None)
    if two is not None:
        yield (
            f"{two.instruction} (line {two.access.location.line}) has two addresses a constant "
            "apart: where the layout changes their distance it becomes two instructions"
        )
    if any(not u.access.counted for u in buffer.uses):
        yield "how often some of its accesses run is not known: each of their patterns counts once"


def _padding(
    buffer: Buffer, flat: Flat, answer: Answer, kernel: AssemblyKernel, gpu: Machine
) -> list[str]:
    """What padding would bring where a layout of the same size leaves conflicts."""
    copies = len(buffer.parts)
    rest = max(0, (kernel.lds_bytes or buffer.parts[-1][1]) - buffer.size_bytes * copies)
    found = best_padding(flat, (gpu.lds_bytes - rest) // copies)
    if found is None or found[1] >= answer.best.passes:
        return []
    padding, passes = found
    more = (flat.elements - 1) // padding.row * padding.pad * flat.element_bytes * copies
    return [f"padded, {formula(flat, padding)}: {passes:,} passes for {more:,} bytes more"]


def _joined(optima: Sequence[Optimum]) -> tuple[Optimum, ...]:
    """Buffers that are ideal as they are need one line together."""
    free = [o for o in optima if o.present.passes == o.present.ideal]
    rest = [o for o in optima if o.present.passes > o.present.ideal]
    if len(free) > 1:
        names = tuple(name for o in free for name in o.allocations)
        cost = sum((o.present for o in free), Cost())
        free = [replace(free[0], allocations=names, present=cost, best=cost)]
    return (*rest, *free)
