"""Scratch that is written and read element by element: scans, atomics with results, histograms.

- ``tt.scan`` over several waves: the last lane along the axis writes the total of its wave, every
  lane reads the totals of all waves, but the very last, which nobody needs. Where all lanes read
  the same (no lane is parallel to the axis), LLVM joins neighbours to vectors of 16 bytes.
- An atomic whose result is used: whoever executed it writes the result, all that hold copies
  read it.
- ``tt.histogram``: the bins are cleared and read; which of them are counted up, data decides.

Source: triton-lang/triton 3.9, ScanOpToLLVM, HistogramOpToLLVM and the vendors' LoadStoreOpToLLVM;
no line of it is used here. Held against what 3.9.0 emits (tests/test_ttgir_kernels.py).
"""

from __future__ import annotations

from math import prod

import numpy as np
from msgspec.structs import replace

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.hardware.policies import WIDEST_BYTES, select
from bankwise.identity import ByIdentity
from bankwise.notation.linear import Bases, LinearDistribution
from bankwise.read.ttgir.lower import POLICY, Issued
from bankwise.read.ttgir.placed import idle_lanes

Both = tuple[tuple[Issued, ...], tuple[Issued, ...]]
"""What is written and what is read."""

_EVERY = np.ones((1, 1, 1), np.bool_)


def scanned(held: LinearDistribution, axis: int, size: int, machine: Machine) -> Both | Refusal:
    """The scratch of a scan over several waves; ``size``: bytes of one element. Of waves that hold
    copies the first one writes, all read."""
    if not all(any(basis) for basis in held.lane_bases):
        return Refusal("a scan over several waves of which some lanes hold copies is not modelled")
    own = [bit for bit, basis in enumerate(held.wave_bases) if any(basis)]
    table = _totals(replace(held, wave_bases=tuple(held.wave_bases[bit] for bit in own)), axis)
    waves = np.arange(held.waves)
    which = sum(((waves >> bit & 1) << n for n, bit in enumerate(own)), 0 * waves)
    first = waves == sum((which >> n & 1) << bit for n, bit in enumerate(own))
    writes = first[:, None, None] & table.last[None, None, :]
    written = _issue(machine, "write", size, table.own[which] * size, writes)
    if isinstance(written, Refusal):
        return written
    read = _read_totals(table, which, size, machine)
    return read if isinstance(read, Refusal) else (written, read)


class _WaveTotals(ByIdentity, frozen=True, eq=False):
    """The totals of a scan: ``own``: where a lane writes [waves, chunks, lanes]; ``last``: lanes
    that do; ``all``: what it reads, in its order; ``chains``: scans of one lane side by side;
    ``dense``: all lanes read the same, neighbour after neighbour."""

    own: IntArray
    last: BoolArray
    all: IntArray
    chains: int
    dense: bool


def _totals(held: LinearDistribution, axis: int) -> _WaveTotals:
    lane, lane_along = _split(held.lane_bases, axis)
    wave, wave_along = _split(held.wave_bases, axis)
    lanes = 1 << sum(not basis[axis] for basis in held.lane_bases)
    parallel = lanes << sum(not basis[axis] for basis in held.wave_bases)
    waves = held.waves * lanes // parallel
    steps = [b[axis] for b in (*held.lane_bases, *held.wave_bases) if b[axis]]
    apart = [b for b in held.register_bases if not b[axis] or b[axis] > min(steps)]
    chunk = np.arange(1 << len(apart)) * parallel * waves
    side = lane[None, :] + wave[:, None] * lanes
    own = (side + wave_along[:, None] * parallel)[:, None, :] + chunk[None, :, None]
    others = (np.arange(waves)[None, :] * parallel + chunk[:, None]).reshape(-1)
    last = lane_along == lane_along.max()
    chains = 1 << sum(not basis[axis] for basis in apart)
    return _WaveTotals(own, last, side[:, None, :] + others[None, :, None], chains, parallel == 1)


def _split(bases: Bases, axis: int) -> tuple[IntArray, IntArray]:
    """Of every index: the bits that do not move along the axis as a number, and those that do."""
    numbers = np.arange(1 << len(bases))
    found = []
    for along in (False, True):
        bits = [i for i, basis in enumerate(bases) if bool(basis[axis]) == along]
        found.append(sum(((numbers >> b & 1) << n for n, b in enumerate(bits)), 0 * numbers))
    return found[0], found[1]


def _read_totals(
    table: _WaveTotals, which: IntArray, size: int, machine: Machine
) -> tuple[Issued, ...] | Refusal:
    """Single elements, or neighbours together; NVIDIA's vectors keep the one nobody needs.
    ``which``: whose totals each wave reads."""
    totals, count = table.all[which], table.all.shape[1]
    if not table.dense:
        return _issue(machine, "read", size, totals[:, : count - table.chains] * size, _EVERY)
    needed = count if machine.vendor == "nvidia" else count - table.chains
    together = max(1, WIDEST_BYTES // size)
    found: list[Issued] = []
    for start, length in _pieces(needed, together):
        first = totals[:, start : start + 1] * size
        piece = _issue(machine, "read", length * size, first, _EVERY)
        if isinstance(piece, Refusal):
            return piece
        found += piece
    return tuple(found)


def _pieces(count: int, together: int) -> list[tuple[int, int]]:
    starts = range(0, count, together)
    return [(start, min(together, count - start)) for start in starts]


def atomic(
    held: LinearDistribution | None, size: int, machine: Machine, waves: int
) -> Both | Refusal | None:
    """The results of an atomic that are used; ``held`` None: one number. None: no scratch."""
    if held is None:
        first = np.zeros((waves, 1, machine.wave_size), np.int64)
        active = np.zeros(first.shape, np.bool_)
        active[0, 0, 0] = True
        return _both(machine, size, first, active)
    idle = idle_lanes(held)
    if not idle.any():
        return None
    return _both(machine, size, _row_major(held) * size, ~idle[:, None, :])


def _both(machine: Machine, size: int, offsets: IntArray, active: BoolArray) -> Both | Refusal:
    written = _issue(machine, "write", size, offsets, active)
    if isinstance(written, Refusal):
        return written
    read = _issue(machine, "read", size, offsets, _EVERY)
    return read if isinstance(read, Refusal) else (written, read)


def bins(held: LinearDistribution, size: int, machine: Machine) -> Both | Refusal:
    """The bins of a histogram: cleared by all threads in turn, read by whoever holds them."""
    threads = held.waves * held.lanes
    at_once = min(max(prod(held.shape), held.lanes), threads)
    rounds = -(-prod(held.shape) // at_once)
    thread = np.arange(threads).reshape(held.waves, 1, held.lanes) % at_once
    cleared = (thread + np.arange(rounds)[None, :, None] * at_once) * size
    written = _issue(machine, "write", size, cleared, _EVERY)
    read = _issue(machine, "read", size, _row_major(held) * size, _EVERY)
    if isinstance(written, Refusal):
        return written
    return read if isinstance(read, Refusal) else (written, read)


def _row_major(held: LinearDistribution) -> IntArray:
    """The row-major offset of every element: [waves, registers, lanes]."""
    coordinates = np.moveaxis(held.coordinates(), 2, 1)
    offset = np.zeros(coordinates.shape[:-1], np.int64)
    for axis, length in enumerate(held.shape):
        offset = offset * length + coordinates[..., axis]
    return offset


def _issue(
    machine: Machine, direction: Direction, width: int, offsets: IntArray, active: BoolArray
) -> tuple[Issued, ...] | Refusal:
    """Accesses of ``width`` bytes at offsets in bytes [waves, accesses, lanes]."""
    issues = select(machine, direction, width, width & -width, POLICY)
    if isinstance(issues, Refusal):
        return issues
    return tuple(
        Issued(i.instruction, "plain", direction, row.width_bytes, offsets + i.offset_bytes, active)
        for i in issues
        for row in (machine.instruction(i.instruction),)
    )
