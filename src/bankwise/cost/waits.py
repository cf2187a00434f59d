"""How long matrix instructions wait for shared memory: full drains against partial waits.

An LDS instruction returns later than it issues. ``s_waitcnt lgkmcnt(N)`` holds a wave until at most
N such operations are outstanding; they end in order, so N > 0 lets the younger ones run on while a
matrix instruction uses what the older ones brought. N = 0 is a *full drain*: nothing overlaps.

    ds_read2_b32 v[86:87], v63          ds_read_b32 v125, v68
    s_waitcnt lgkmcnt(0)                ds_read_b32 v130, v99 offset:496
    v_mfma_f32_16x16x4_f32 ...          s_waitcnt lgkmcnt(1)
                                        v_mfma_f32_16x16x4_f32 ... uses v125

Left: a full drain. Right: one read may still be under way. The counters of bank conflicts cannot
tell the two apart; this module does. The text is read from top to bottom: what a loop carries over
its back edge is not followed, so the operations named outstanding at the head of a loop are those
of the way into it. ``lgkmcnt`` also counts scalar loads and messages; only LDS operations are
counted here, so the numbers are upper bounds of what is outstanding.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bankwise.read.emitted import EmittedStep

_MATRIX = ("v_mfma", "v_smfmac", "v_wmma")


class MatrixWait(Struct, frozen=True):
    """One matrix instruction.

    ``waits_for``: N of the wait since the previous matrix instruction, None if there is none.
    ``outstanding``: LDS operations that may still be under way when it issues.
    """

    line: int
    name: str
    waits_for: int | None
    outstanding: int


class Waits(Struct, frozen=True):
    """All matrix instructions of a kernel, in order."""

    matrix: tuple[MatrixWait, ...]

    @property
    def full(self) -> int:
        """Matrix instructions behind a full drain."""
        return sum(m.waits_for == 0 for m in self.matrix)

    @property
    def partial(self) -> int:
        """Matrix instructions behind a wait that lets some operations run on."""
        return sum(m.waits_for is not None and m.waits_for > 0 for m in self.matrix)

    @property
    def none(self) -> int:
        """Matrix instructions that wait for nothing new."""
        return sum(m.waits_for is None for m in self.matrix)

    @property
    def outstanding(self) -> float:
        """LDS operations under way, averaged over the matrix instructions."""
        return sum(m.outstanding for m in self.matrix) / max(len(self.matrix), 1)

    def __str__(self) -> str:
        return (
            f"{len(self.matrix)} matrix instructions: {self.full} behind a full drain, "
            f"{self.partial} behind a partial wait, {self.none} without; "
            f"{self.outstanding:.2f} LDS operations under way on average"
        )


def waits(steps: Sequence[EmittedStep]) -> Waits:
    """What each matrix instruction among ``steps`` waits for."""
    found: list[MatrixWait] = []
    outstanding = 0
    since: int | None = None
    for step in steps:
        if step.name.startswith("ds_"):
            outstanding += 1
        elif (allowed := step.waits_for) is not None:
            outstanding = min(outstanding, allowed)
            since = allowed if since is None else min(since, allowed)
        elif step.name.startswith(_MATRIX):
            found.append(MatrixWait(step.line, step.name, since, outstanding))
            since = None
    return Waits(tuple(found))


def compare_waits(before: Waits, after: Waits, extra_before: int, extra_after: int) -> str:
    """Two versions of a kernel in one line: their conflicts (``extra``) and their drains."""
    conflicts = _word(extra_before, extra_after, "conflicts")
    drains = _word(before.full, after.full, "full drains")
    return (
        f"{conflicts}, {drains} ({extra_before:,} -> {extra_after:,} extra passes; "
        f"{before.full} of {len(before.matrix)} -> {after.full} of {len(after.matrix)} matrix "
        f"instructions behind a full drain)"
    )


def _word(before: int, after: int, what: str) -> str:
    if before == after:
        return f"same {what}"
    return f"{'fewer' if after < before else 'more'} {what}"
