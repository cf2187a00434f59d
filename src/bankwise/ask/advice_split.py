"""What narrower instructions would bring to a buffer of emitted code, where nothing else is free.

A 16-byte store pins bank bits that two 8-byte stores leave to the reads. That is worth saying where
data and issue cycles together are fewer; where issue cycles are not known nobody can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.solver.flat_text import formula
from bankwise.solver.optimise import optimise
from bankwise.solver.plan import Plan
from bankwise.solver.spaces import LINEAR, Space, bit_folds
from bankwise.solver.stacked import lanes, stacked
from bankwise.solver.variants import splits
from bankwise.tile import Tile, Use

_NODES = 2_000
_POLICY = "iree"
"""What names the instructions of the parts."""
_MOST_LANES = 500_000
"""Lane addresses of a buffer that is looked at: a few choices are searched for each."""


def split_notes(tile: Tile, gpu: Machine, whole: Plan) -> Iterator[str]:
    """One line, if some access in parts makes fewer cycles than the best layout of the same bytes.

    ``tile``: with the instructions that were emitted; ``whole``: its best plan.
    """
    if whole.cycles is None or lanes(stacked(tile, gpu, translates=True)) > _MOST_LANES:
        return
    free = replace(tile, uses=tuple(_may_split(use, gpu) for use in tile.uses))
    if all(parts == (1,) for parts in splits(free, gpu, _POLICY)):
        return
    found = optimise(free, gpu, lambda t: _spaces(t, gpu), policy=_POLICY, nodes=_NODES)
    if isinstance(found, Refusal) or not found.chosen.splits or found.chosen.cycles is None:
        return
    plan, cycles = found.chosen, found.chosen.cycles
    if cycles < whole.cycles:
        said = ", ".join(dict.fromkeys(plan.splits))
        more = plan.instructions - whole.instructions
        yield (
            f"{said}: {formula(tile, plan.layout)}: {plan.run.passes:,} passes for {more:,} "
            f"instructions more, {int(cycles):,} data and issue cycles for {int(whole.cycles):,}"
        )


def _spaces(tile: Tile, gpu: Machine) -> Sequence[Space]:
    return [Space(LINEAR, tuple(bit_folds(tile, gpu)), linear=True)]


def _may_split(use: Use, gpu: Machine) -> Use:
    """Ordinary accesses of one address may be issued otherwise than they were."""
    rows = [gpu.instructions.get(issue.instruction) for issue in use.issues]
    alone = all(row is not None and row.addresses == 1 for row in rows)
    return replace(use, named=use.kind != "plain" or not alone)
