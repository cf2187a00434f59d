"""What to set in Wave's Python, beside the text that ``fix`` writes, as far as that can say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from bankwise.algebra.address import Padded
from bankwise.ask.analysis import Analysis
from bankwise.ask.fix_groups import OwnedGroup, owned
from bankwise.errors import Refusal
from bankwise.notation.padding import PADDINGS_BYTES
from bankwise.notation.wave.settings import (
    EMITTED,
    HOST_FUNCTION,
    OVERRIDE,
    PROMOTED_BITS,
    padding_statement,
)

if TYPE_CHECKING:
    from bankwise.counting.access import Allocation
    from bankwise.solver.plan import Plan


@dataclass(frozen=True, slots=True)
class PromotedPadding:
    """Bits behind each row of every promoted tile, and what the tiles take then."""

    bits: int
    passes: int
    cycles: int
    lds_bytes: int

    def __str__(self) -> str:
        return (
            f"{self.passes:,} passes, {self.cycles:,} cycles with issue, {self.lds_bytes:,} bytes"
        )


def wave_settings(text: str, analyses: Sequence[Analysis], policy: str) -> tuple[str, ...]:
    """What a user of Wave does with the answer, in lines; nothing where Wave did not write it."""
    if HOST_FUNCTION not in text:
        return ()
    known = promoted_paddings(analyses, policy)
    if known is None:
        return (OVERRIDE,)
    now, best = known
    if best is None:
        return (OVERRIDE, f"no other padding of Wave's tiles is better than its own: {now}")
    told = f"padding alone, {best.bits} bits for {PROMOTED_BITS}: {best} (now {now})"
    return (OVERRIDE, f"{told}, after: {padding_statement(best.bits)}", EMITTED)


def promoted_paddings(
    analyses: Sequence[Analysis], policy: str
) -> tuple[PromotedPadding, PromotedPadding | None] | None:
    """Wave's own padding and the best one, if that is another; None where its own is not known."""
    found = [padded(analyses, bits, policy) for bits in (0, *(8 * n for n in PADDINGS_BYTES))]
    known = {each.bits: each for each in found if each is not None}
    now = known.get(PROMOTED_BITS)
    if now is None:
        return None
    best = min(known.values(), key=lambda each: (each.cycles, each.passes, each.lds_bytes))
    better = best.cycles < now.cycles and best.passes <= now.passes
    return now, best if better else None


def padded(analyses: Sequence[Analysis], bits: int, policy: str) -> PromotedPadding | None:
    """What all padded tiles take with so many bits behind each row; None where that is not known,
    where a tile is not padded as Wave pads, or where it would not fit."""
    groups = owned(analyses)
    plans = [_plan(each, bits, policy) for each in groups]
    found = [plan for plan in plans if plan is not None]
    if not found or len(found) < len(groups) or len(analyses) > 1:
        return None
    tiles = [tile for each in groups for tile in each.group.allocations]
    size = sum(_bytes(tile, bits) for tile in tiles)
    passes, cycles = (sum(map(int, each)) for each in zip(*map(_spent, found), strict=True))
    fits = size <= groups[0].machine.lds_bytes
    return PromotedPadding(bits, passes, cycles, size) if fits else None


def _bytes(tile: Allocation, bits: int) -> int:
    """A tile of Wave with other padding; its last row has it, too."""
    return tile.size_bytes + prod(tile.shape[:-1]) * (bits - PROMOTED_BITS) // 8


def _spent(plan: Plan) -> tuple[int, int]:
    return int(plan.passes), int(plan.passes) + (plan.issue_cycles or plan.instructions)


def _plan(owned: OwnedGroup, bits: int, policy: str) -> Plan | None:
    """A group of tiles with so many bits behind each row, issued as they are aligned then."""
    from bankwise.change.rewrite.group import tile_of
    from bankwise.change.rewrite.unpadded import Shortened, padded_rows, shortened
    from bankwise.solver.best import Best, best
    from bankwise.solver.spaces import PADDING, Space

    rows = padded_rows(owned.group)
    element = 8 * owned.group.allocations[0].element_bytes
    if owned.unknown or rows is None or (rows.pitch - rows.row) * element != PROMOTED_BITS:
        return None
    short = shortened(owned.group, rows, owned.machine, policy)
    tile = tile_of(short.group, {}) if isinstance(short, Shortened) else short
    if isinstance(tile, Refusal) or bits % element:
        return None
    space = Space(PADDING, (Padded(rows.row, bits // element),) if bits else ())
    found = best(tile, owned.machine, [space], policy=policy)
    if not isinstance(found, Best):
        return None
    if not bits:
        return found.present
    return found.plans[0] if isinstance(found.plans[0].layout, Padded) else None
