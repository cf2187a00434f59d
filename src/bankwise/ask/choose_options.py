"""The layouts and distributions that ``explain choose`` counts on a user's own spec."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Padded
from bankwise.ask.coalesce import row
from bankwise.ask.spec import counted
from bankwise.ask.spec_moves import moves
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import BANK_BYTES
from bankwise.hardware.policies import WIDEST_BYTES
from bankwise.notation import ck
from bankwise.notation.accesses import cut_vectors
from bankwise.notation.values import Distribution, DistributionTable, Mapped, Memory
from bankwise.read.tile_file.question import (
    GlobalAccess,
    Held,
    TileQuestion,
    WrittenAccess,
    WrittenLayout,
)
from bankwise.show.choosing import Option
from bankwise.show.coalescing import CoalesceRow
from bankwise.solver.general import Listed
from bankwise.solver.units import UnitUse


def option(spec: TileQuestion, name: str, label: str, operations: int = 0) -> Option | Refusal:
    """Count LDS and the first global store; a Refusal where an access cannot be counted."""
    report = counted(spec)
    if report.check.refusals:
        return report.check.refusals[0]
    accesses = report.check.kernels[0].accesses
    return Option(
        name,
        label,
        sum(a.cost.passes for a in accesses),
        sum(a.cost.extra for a in accesses),
        sum(a.instructions * a.waves for a in accesses),
        report.footprint_bytes,
        operations,
        _stored(spec),
        tuple(f.rule for f in report.check.findings),
    )


def _stored(spec: TileQuestion) -> CoalesceRow | None:
    """The first global write, counted."""
    access = store_of(spec)
    found = None if access is None else row(spec, access)
    return None if isinstance(found, Refusal) else found


def store_of(spec: TileQuestion) -> GlobalAccess | None:
    """The first global write."""
    return next((g for g in spec.globals if g.op == "write"), None)


def under(spec: TileQuestion, address: AddressMap) -> TileQuestion | Refusal:
    """The spec with its tile through an address map; what moves at once stays as wide."""
    assert spec.layout is not None, "checked before"
    kept = []
    for access in spec.accesses:
        moved = moves(spec, access, spec.layout)
        if isinstance(moved, Refusal):
            return moved
        kept.append(replace(access, layout=None, vector=len(moved[0].registers)))
    return replace(spec, layout=_mapped(spec, address), accesses=tuple(kept))


def _mapped(spec: TileQuestion, address: AddressMap) -> WrittenLayout:
    assert spec.layout is not None, "checked before"
    return WrittenLayout(
        str(address), "address map", Mapped(spec.shape, address), spec.layout.location
    )


def one_word_longer(spec: TileQuestion) -> AddressMap:
    """The source's padding: a word per row, so that rows of whole words step through all banks."""
    return Padded(spec.shape[-1], max(1, BANK_BYTES // spec.element_bytes))


def xor_descriptors(spec: TileQuestion) -> tuple[tuple[int, ck.TensorDescriptor], ...]:
    """CK's XOR descriptor of the tile for 32 and 64 banks, packs of 16 bytes; where it has one."""
    if len(spec.shape) != 2:
        return ()
    m, k = spec.shape
    found: list[tuple[int, ck.TensorDescriptor]] = []
    for banks in (32, 64):
        try:
            made = ck.xor_descriptor(
                m,
                k,
                banks=banks,
                element_bytes=spec.element_bytes,
                pack=max(1, WIDEST_BYTES // spec.element_bytes),
            )
        except InputError:
            # The rows of LDS or the packs do not divide the tile: no such descriptor exists.
            continue
        found.append((banks, made))
    return tuple(found)


def with_memory(spec: TileQuestion, memory: Memory, text: str) -> TileQuestion:
    """The spec with another memory layout."""
    assert spec.layout is not None, "checked before"
    layout = WrittenLayout(text, "ck", memory, spec.layout.location)
    plain = tuple(replace(a, layout=None) for a in spec.accesses)
    return replace(spec, layout=layout, accesses=plain)


def vector_store(spec: TileQuestion) -> TileQuestion | Refusal:
    """The spec with the widest global store: what tutorial kernel 10 does to kernel 08.

    Where a lane's registers lie side by side in the output already, the store takes them at once.
    Else registers change places with lanes, in the store and in the read that fills them.
    """
    store = store_of(spec)
    if store is None:
        return Refusal("the spec has no [[global]] write")
    held, memory = store.held.distribution, store.layout.memory
    if isinstance(held, Refusal):
        return held
    if isinstance(memory, Refusal):
        return memory
    if held.shape != memory.shape:
        return Refusal("the store goes over the tile piece by piece")
    now = _vector(held, memory, spec, store.vector)
    natural = _vector(held, memory, spec, None)
    if natural > now:
        return _with_store(spec, store, held, natural)
    return _exchanged(spec, store, held, memory, now)


def _vector(held: Distribution, memory: Memory, spec: TileQuestion, vector: int | None) -> int:
    cut = cut_vectors(held, memory, element_bytes=spec.element_bytes, vector=vector)
    return cut.width_bytes // spec.element_bytes


def _exchanged(
    spec: TileQuestion, store: GlobalAccess, held: Distribution, memory: Memory, now: int
) -> TileQuestion | Refusal:
    reader = _filling(spec, store)
    if reader is None:
        return Refusal("no read of the tile holds what the store writes")
    best = min(WIDEST_BYTES // spec.element_bytes, held.registers)
    if best <= now:
        return Refusal(f"the store is as wide as its {held.registers} registers allow")
    if held.registers != best or best & (best - 1):
        return Refusal(f"{held.registers} registers are not one vector of {best}")
    for low in range(held.lanes.bit_length() - best.bit_length() + 1):
        turned = DistributionTable(held.shape, exchange(held.coordinates(), low))
        if _vector(turned, memory, spec, None) == best:
            return _with_both(spec, store, reader, turned, low)
    return Refusal("no lanes step through the output's fastest axis")


def exchange(table: IntArray, low: int) -> IntArray:
    """Registers and as many lanes, those of the lane bits from ``low`` on, change places."""
    waves, lanes, registers, rank = table.shape
    inner = 1 << low
    cut = table.reshape(waves, lanes // registers // inner, registers, inner, registers, rank)
    swapped: IntArray = np.swapaxes(cut, 2, 4).reshape(table.shape)
    return swapped


def _filling(spec: TileQuestion, store: GlobalAccess) -> WrittenAccess | None:
    """The read whose registers the store writes: the same distribution over the same tile."""
    mine = _on_tile(store.held)
    for access in spec.accesses:
        theirs = _on_tile(access.held) if access.op == "read" else None
        if mine is not None and theirs is not None and np.array_equal(mine, theirs):
            return access
    return None


def _on_tile(held: Held | Listed | UnitUse) -> IntArray | None:
    if not isinstance(held, Held) or isinstance(held.distribution, Refusal):
        return None
    found: IntArray = held.distribution.coordinates()[..., np.argsort(held.axes)]
    return found


def _with_store(
    spec: TileQuestion, store: GlobalAccess, held: Distribution, vector: int
) -> TileQuestion:
    wide = replace(store, held=replace(store.held, distribution=held), vector=vector)
    return replace(spec, globals=tuple(wide if g is store else g for g in spec.globals))


def _with_both(
    spec: TileQuestion, store: GlobalAccess, reader: WrittenAccess, turned: Distribution, low: int
) -> TileQuestion:
    known = reader.held
    assert isinstance(known, Held), "it was compared"
    assert not isinstance(known.distribution, Refusal), "it was compared"
    table = exchange(known.distribution.coordinates(), low)
    held = replace(known, distribution=DistributionTable(known.distribution.shape, table))
    other = replace(reader, held=held, vector=None)
    wide = _with_store(spec, store, turned, turned.registers)
    return replace(wide, accesses=tuple(other if a is reader else a for a in spec.accesses))
