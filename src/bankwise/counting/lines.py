"""Copies past the cache (``cp.async.cg``, ``LDGSTS.BYPASS``): whole lines arrive, not lanes.

What such a copy takes does not follow from banks. A line of 128 bytes comes from memory as four
sectors of 32 bytes, each of two pieces of 16, and is turned before it is stored:

    sectors 0 1 2 3 -> 2 3 0 1    one pass: a rotation; likewise a reflection (1 0 3 2)
    pieces  0 1 2 3 4 5 6 7 -> 1 0 3 2 5 4 7 6    one pass: the halves of every sector swapped
    pieces  0 1 2 3 4 5 6 7 -> 1 2 3 4 5 6 7 0    two: even pieces become odd ones, and odd even

Two pieces of one sector that fill one sector, in either order, move as one. Of one line, pieces of
the same kind (a whole sector, or the same half going to the same half) that fill one line of shared
memory move in one pass where sectors keep their distance on the ring of four. Of lanes with one
destination the first one's piece moves. Where the sources are not known they are taken to be
neighbouring pieces, lane by lane, from a line's start on; :func:`line_ends` has the least and the
most that other sources could make of it.

Measured on an H200 with known sources: 1,061 + 100 copies, not one otherwise
(tests/data/h200_lines.csv, h200_sources.csv). No bank-conflict counter counts any of it: nothing
is extra. ncu's source page shows the passes, and as "excessive" those beyond the bytes.
"""

from __future__ import annotations

import numpy as np

from bankwise.counting.access import BoolArray, IntArray
from bankwise.hardware.machine import Instruction

PIECE_BYTES = 16
_SECTOR = 2
_LINE = 8
"""Pieces of a sector and of a line."""
LINE_BYTES = PIECE_BYTES * _LINE


def line_passes(
    row: Instruction,
    offsets: IntArray,
    mask: BoolArray,
    sources: IntArray | None = None,
) -> IntArray:
    """Passes of each phase of ``row``, a phase being the lanes that read one line.

    ``offsets``: the destinations, ``mask``: the lanes that copy, both [accesses, lanes].
    ``sources``: the place of each lane's piece in its line, counted in pieces, [lanes]; default
    neighbouring pieces. Returns integers [accesses, phases].
    """
    place = np.arange(offsets.shape[-1]) % _LINE if sources is None else sources
    groups = np.array(row.phases)
    moved = mask & ~_repeated(offsets, mask)
    return _units(offsets[:, groups] // PIECE_BYTES, moved[:, groups], place[groups])


def line_ends(row: Instruction, offsets: IntArray, mask: BoolArray) -> tuple[IntArray, IntArray]:
    """The fewest and the most passes under any sources: a pass for each line of shared memory, and
    one for each destination. Arguments as above; two arrays of integers [accesses]."""
    served = np.isin(np.arange(offsets.shape[-1]), row.phases)
    moved = mask & served
    once = moved & ~_repeated(offsets, moved)
    lines = offsets // LINE_BYTES
    fewest = (once & ~_repeated(lines, once)).sum(axis=-1)
    return np.asarray(fewest), np.asarray(once.sum(axis=-1))


def _repeated(offsets: IntArray, mask: BoolArray) -> BoolArray:
    """Lanes that have what an earlier lane of ``mask`` has."""
    lane = np.arange(offsets.shape[-1])
    same = (offsets[:, :, None] == offsets[:, None, :]) & mask[:, None, :]
    repeated: BoolArray = (same & (lane[None, :] < lane[:, None])).any(axis=-1)
    return repeated


def _units(pieces: IntArray, moved: BoolArray, place: IntArray) -> IntArray:
    """Passes [accesses, phases] of destinations [accesses, phases, lanes], counted in pieces."""
    earlier = np.tri(place.shape[-1], k=-1, dtype=np.bool_)
    both = moved[..., :, None] & moved[..., None, :]
    partner = both & ((place[:, :, None] ^ place[:, None, :]) == 1)
    partner &= (pieces[..., :, None] ^ pieces[..., None, :]) == 1
    whole = partner.any(axis=-1)
    leads = moved & ~(partner & earlier).any(axis=-1)
    swapped = (pieces ^ place) & 1
    half = np.where(whole, 2, place & 1)
    kind = half * 2 + swapped
    alike = (kind[..., :, None] == kind[..., None, :]) & (
        pieces[..., :, None] // _LINE == pieces[..., None, :] // _LINE
    )
    turned = _apart(place) == _apart(pieces)
    led = (alike & turned & leads[..., None, :] & earlier).any(axis=-1)
    passes: IntArray = (leads & ~led).sum(axis=-1)
    return passes


def _apart(pieces: IntArray) -> IntArray:
    """How far the sectors of two pieces lie apart on the ring of a line's four."""
    sectors = _LINE // _SECTOR
    sector = pieces % _LINE // _SECTOR
    steps = (sector[..., :, None] - sector[..., None, :]) % sectors
    return np.asarray(np.minimum(steps, sectors - steps))
