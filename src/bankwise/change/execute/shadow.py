"""The memory of the memory: what is known about every element of an LDS buffer.

The executor runs all waves in lockstep, one operation after the other. That is one legal schedule
of many; the shadow finds where another schedule could give another result.

*Time* is counted in barriers: ``epoch`` of a wave = barriers it has passed. An event of wave a at
epoch x comes before an event of another wave b at epoch y exactly if x < y, because the barrier
that b passed last cannot open before a has arrived at it (a vector clock in one number). Waves may
be skewed: a wave that passes an extra barrier runs one epoch ahead, and all of this stays true.
Within one wave, program order is order.

* *poison*: reading an element that nobody has written;
* *race*: reading what another wave wrote, or overwriting what another wave wrote or read, without
  ``x < y``. Writing the value that is already there is no race between writers, whoever wrote it;
* *dma*: a direct-to-LDS copy is finished when its issuing wave has waited for it. Until then nobody
  may read or overwrite its elements, not even the issuing wave (LDS operations and such copies of
  one thread can be reordered: llvm/llvm-project#142018); after the wait it is a write at the epoch
  of the wait.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bankwise.counting.access import BoolArray, IntArray
from bankwise.identity import ByIdentity

PENDING = np.int32(2**31 - 1)
"""Epoch of a write that nobody has waited for: later than all others."""
_NEVER = np.int32(-1)


class Shadow(ByIdentity, frozen=True, eq=False):
    """Arrays over the granules of one buffer (a granule is one element as it was allocated).

    ``epoch``: of the last write, -1 if never written, ``PENDING`` while a copy is under way.
    ``writers``: bit w is set if wave w wrote the present value in that epoch. ``dma``: number of
    the copy that wrote it, 0 for ordinary stores. ``read``: [waves, granules] epoch of the last
    read, but for the ``recent`` ones, which are entered when somebody asks. ``latest_read``: an
    upper bound of both over the waves, to look no further.
    """

    epoch: npt.NDArray[np.int32]
    writers: npt.NDArray[np.uint64]
    dma: npt.NDArray[np.int32]
    read: npt.NDArray[np.int32]
    latest_read: npt.NDArray[np.int32]
    recent: list[GranuleAccess]


class GranuleAccess(ByIdentity, frozen=True, eq=False):
    """One access: granule, wave of the thread that touches it and epoch of that wave, each ``[n]``.

    A thread that touches several granules appears once for each of them. Waves are numbered in
    their workgroup. ``earliest``, ``latest``: no wave is
    in an epoch before, or behind.
    """

    granule: IntArray
    wave: IntArray
    now: npt.NDArray[np.int32]
    earliest: int
    latest: int


def new_shadow(granules: int, waves: int) -> Shadow:
    """A buffer of poison."""
    assert waves <= 64, f"a workgroup of {waves} waves"
    return Shadow(
        np.full(granules, _NEVER, np.int32),
        np.zeros(granules, np.uint64),
        np.zeros(granules, np.int32),
        np.full((waves, granules), _NEVER, np.int32),
        np.full(granules, _NEVER, np.int32),
        [],
    )


class Problems(ByIdentity, frozen=True, eq=False):
    """Which touches of an access are wrong, per kind: bool [n].

    ``copy``: [n] the number of the copy that had written the granule, 0 if none had.
    """

    poison: BoolArray
    race: BoolArray
    dma: BoolArray
    copy: npt.NDArray[np.int32]


def read(shadow: Shadow, touch: GranuleAccess) -> Problems:
    """Note a read and say what is wrong with it."""
    written = shadow.epoch[touch.granule]
    late = written >= touch.now
    shadow.latest_read[touch.granule] = touch.latest
    shadow.recent[:] = [r for r in shadow.recent if r.latest >= touch.earliest] + [touch]
    if not late.any():
        return Problems(written == _NEVER, late, late, written)
    copy = shadow.dma[touch.granule]
    wrong = late & (~_written_by_own_wave(shadow, touch) | (written == PENDING))
    return Problems(written == _NEVER, wrong & (copy == 0), wrong & (copy > 0), copy)


def write(
    shadow: Shadow, touch: GranuleAccess, same: BoolArray, dma: IntArray | None = None
) -> Problems:
    """Note a write and say what is wrong with it.

    ``same``: bool [n], the value written is bit for bit the one that was there. ``dma``: [n] the
    number of the copy that writes, None for an ordinary store.
    """
    now = touch.now
    written = shadow.epoch[touch.granule]
    late = written >= now
    wrong = np.zeros_like(late)
    copy = shadow.dma[touch.granule]
    if late.any():
        alone = shadow.writers[touch.granule] == _bit(touch.wave)
        in_order = alone & ((written != PENDING) | (dma is not None))
        wrong = late & ~same & ~in_order
    overwritten = _read_by_others(shadow, touch, now) & ~same
    shared = late & same
    _set_writers(shadow, touch, shared)
    shadow.epoch[touch.granule] = now if dma is None else PENDING
    shadow.dma[touch.granule] = 0 if dma is None else dma
    return Problems(
        np.zeros_like(late), wrong & (copy == 0) | overwritten, wrong & (copy > 0), copy
    )


def atomic(shadow: Shadow, touch: GranuleAccess) -> Problems:
    """Note an atomic update: ordered with other atomics by definition, so only poison is judged."""
    poison = shadow.epoch[touch.granule] == _NEVER
    copy = shadow.dma[touch.granule]
    _set_writers(shadow, touch, np.ones(len(touch.granule), np.bool_))
    shadow.epoch[touch.granule] = touch.now
    shadow.dma[touch.granule] = 0
    nothing = np.zeros_like(poison)
    return Problems(poison, nothing, nothing, copy)


def finish(shadow: Shadow, granules: IntArray, dma: IntArray, epoch: npt.NDArray[np.int32]) -> None:
    """The copies that have written these granules by the numbers ``dma`` are complete: their waves
    waited for them at ``epoch``. A granule that another copy has overwritten is not theirs."""
    mine = shadow.dma[granules] == dma
    shadow.epoch[granules[mine]] = epoch[mine]


def _bit(wave: IntArray) -> npt.NDArray[np.uint64]:
    return np.left_shift(np.uint64(1), wave.astype(np.uint64))


def _written_by_own_wave(shadow: Shadow, touch: GranuleAccess) -> BoolArray:
    return np.asarray(shadow.writers[touch.granule] & _bit(touch.wave) != 0)


def _read_by_others(shadow: Shadow, touch: GranuleAccess, now: npt.NDArray[np.int32]) -> BoolArray:
    """Has another wave read the granule in the present epoch of the writer, or later?"""
    suspects = np.flatnonzero(shadow.latest_read[touch.granule] >= now)
    found = np.zeros(len(touch.granule), np.bool_)
    if len(suspects):
        for noted in shadow.recent:
            shadow.read[noted.wave, noted.granule] = noted.now
        shadow.recent.clear()
        last = shadow.read[:, touch.granule[suspects]]
        others = np.arange(len(last))[:, None] != touch.wave[suspects]
        found[suspects] = ((last >= now[suspects]) & others).any(axis=0)
    return found


def _set_writers(shadow: Shadow, touch: GranuleAccess, shared: BoolArray) -> None:
    """Enter the writing waves; ``shared``: beside those that wrote the same value before."""
    granules, bits = touch.granule, _bit(touch.wave)
    shadow.writers[granules[~shared] if shared.any() else granules] = 0
    while len(granules):
        entered = shadow.writers[granules] | bits
        shadow.writers[granules] = entered
        lost = shadow.writers[granules] & bits == 0
        granules, bits = granules[lost], bits[lost]
