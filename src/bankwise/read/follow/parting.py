"""Lanes that part at a branch whose condition is known: which side runs, and where they meet."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.counting.access import BoolArray
from bankwise.read.follow.attempt import Attempt, StartAgain
from bankwise.read.follow.early import early_join
from bankwise.read.follow.mixing import groups_of, unsure_groups
from bankwise.read.follow.paths import Path, apart, split, split_at_barriers
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.values import Unknown, because


def part_known(run: Attempt, path: Path, step: ProgramStep, taken: BoolArray) -> Path | None:
    """Some lanes branch and others do not, up to where those meet that are left; the path of the
    others, if they are warps of their own that never wait for each other. Where nobody knows
    which meet, or where, the branch is open for lanes of one warp."""
    join, ways = run.program.joins[path.block], run.program.blocks[path.block].after
    rest = path.state.active & ~taken
    both = bool((taken.any(axis=1) & rest.any(axis=1)).any())
    if run.program.gathers.told:
        return _part_at_barriers(run, path, ways, taken, rest if both else None)
    early = early_join(run.program, path.block)
    if early is None:
        groups = groups_of(run.program, path.block, join, both)
        split(path, join, ways, taken, groups=groups)
        return None
    unsure = next((run.open[line] for line in early.lines if line in run.open), None)
    if early.join is not None and unsure is None:
        groups = groups_of(run.program, path.block, early.join, both)
        split(path, early.join, ways, taken, early.towards, groups)
        return None
    if both:
        where = Unknown("where lanes meet of which some end before", step.line)
        raise StartAgain({step.line: because(unsure) if unsure else where}, run.rung)
    split(path, join, ways, taken)
    return None


def _part_at_barriers(
    run: Attempt, path: Path, ways: Sequence[int], taken: BoolArray, rest: BoolArray | None
) -> Path | None:
    """The same where the text says where they meet. ``rest``: who does not branch, where both sides
    have lanes of one warp."""
    program, block = run.program, path.block
    if rest is not None:
        run.partings.note(program, block, taken, rest)
        lanes = path.state.active
        unsure = unsure_groups(program, block, run.partings, path.groups, lanes)
        path.groups = {**path.groups, **unsure}
    places = run.partings.meeting(program, block).places
    if places:
        groups = groups_of(program, block, program.joins[block], rest is not None)
        split_at_barriers(path, places, ways, taken, groups)
        return None
    waits = path.region is not None and path.region.join not in program.endings
    if rest is None and not waits and not path.frames:
        return apart(path, ways, taken)
    split(path, len(program.blocks), ways, taken)
    return None
