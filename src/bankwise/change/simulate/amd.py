"""Running one workgroup of AMD assembly: waves in step where they can, values as terms.

The waves whose next instruction stands first in the text go on; within a wave the execution mask
decides. Integers, masks and exchanges between lanes are what the follower of machine code makes of
them; memory and everything else is done here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bankwise.change.simulate.constants import with_constants
from bankwise.change.simulate.floats import computed, is_number, matrix
from bankwise.change.simulate.group import SimulatedGroup, argument_bytes, simulated_group
from bankwise.change.simulate.launches import SimulatedLaunch, Simulator
from bankwise.change.simulate.memory import TOO_LONG, Unsupported
from bankwise.change.simulate.vectors import global_access, shared_access
from bankwise.read.amd.decode import decode_kernel
from bankwise.read.amd.dialect import AMD
from bankwise.read.amd.parse import AmdInstruction, AmdKernel
from bankwise.read.follow.decoded import Decoded
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.values import Unknown
from bankwise.read.launch.facts import Size

MOST_STEPS = 60_000
"""Instructions of one workgroup that are run."""

_NOTHING = re.compile(
    r"s_(?:waitcnt|nop|sleep|setprio|icache|dcache|inst_pref|clause|delay_alu|sethalt|ttrace)"
    r"|buffer_(?:wbl2|inv|wbinvl1)|v_nop|s_code_end|ds_nop"
)
TAG = "bankwise_"
"""How a tag of the text begins, which is no instruction."""

_Does = Callable[[SimulatedGroup], None] | None


def _written(
    text: str, name: str, setting: SimulatedLaunch, index: Size, salt: int
) -> tuple[dict[int, int], int]:
    group = simulated_group(_kernel(text, name), _decoded(text, name), setting, index, salt)
    before = dict(group.memory.written)
    steps = run_group(group)
    held = group.memory.written.items()
    return {at: word for at, word in held if before.get(at) != word}, steps


def _passed(
    text: str, name: str, setting: SimulatedLaunch, index: Size
) -> tuple[frozenset[str], str]:
    """The tags that a workgroup comes by: :class:`bankwise.change.simulate.launches.Simulator`."""
    passed: set[str] = set()
    try:
        group = simulated_group(_kernel(text, name), _decoded(text, name), setting, index, 1)
        passed = group.passed
        run_group(group)
    except Unsupported as error:
        return frozenset(passed), str(error)
    return frozenset(passed), ""


def _given(text: str, name: str, setting: SimulatedLaunch) -> bytes:
    found = argument_bytes(_kernel(text, name), setting, {})
    return bytes(found[at] for at in sorted(found))


@lru_cache(maxsize=4)
def _kernel(text: str, name: str) -> AmdKernel:
    (kernel,) = (one for one in AMD.kernels(text, "", name) if one.name == name)
    return with_constants(kernel, text)


@lru_cache(maxsize=4)
def _decoded(text: str, name: str) -> Decoded:
    return decode_kernel(_kernel(text, name))


AMD_SIMULATOR = Simulator(
    _written, _given, lambda text, name: tuple(AMD.parameters(_kernel(text, name))), _passed
)


def run_group(group: SimulatedGroup) -> int:
    """Run a workgroup to its end; how many instructions that took.

    Raises :class:`Unsupported` for what is not simulated, and for one that does not end.
    """
    operations, steps = group.kernel.operations, group.decoded.program.steps
    exists = np.asarray(group.state.active[:, :1]).reshape(-1)
    shape, end = group.state.active.shape, len(operations)
    following = np.where(exists, 0, end)
    waits = np.zeros(len(exists), np.bool_)
    does: list[_Does | str] = [""] * end
    plain = [_is_plain(op, step) for op, step in zip(operations, steps, strict=False)]
    last: NDArray[np.bool_] | None = None
    taken = 0
    while taken < MOST_STEPS:
        going = (following < end) & ~waits
        if not going.any():
            if not waits.any():
                return taken
            waits[:] = False
            taken += 1
            continue
        at = int(following[going].min())
        now = going & (following == at)
        if last is None or (now != last).any():
            group.state.active, last = np.broadcast_to(now[:, None], shape), now
        ran = _straight(group, does, plain, at, MOST_STEPS - taken if (now == going).all() else 1)
        taken += max(1, ran)
        following[now] += max(1, ran)
        if ran:
            continue
        step = steps[at]
        if step.flow == "end":
            following[now] = end
        elif step.flow in ("jump", "branch"):
            following[now & _taken(group, step, shape[0])] = step.target
        else:
            waits[now] = True
    raise Unsupported(f"a workgroup that {TOO_LONG} {MOST_STEPS:,} instructions")


def _straight(
    group: SimulatedGroup, does: list[_Does | str], plain: Sequence[bool], at: int, most: int
) -> int:
    """Run the instructions from one on that are ``plain``, so many at ``most``; how many ran."""
    number = at
    while number < len(plain) and plain[number] and number - at < most:
        _act(group, does, number)
        number += 1
    return number - at


def _is_plain(op: AmdInstruction, step: ProgramStep) -> bool:
    """Whether all waves go on behind an instruction, whatever others do."""
    ways = step.flow in ("end", "jump", "branch")
    return not ways and not op.name.startswith("s_barrier")


def _act(group: SimulatedGroup, does: list[_Does | str], at: int) -> None:
    """Run an instruction that is no way and no barrier; ``does``: what those do that were
    reached."""
    action = does[at]
    if isinstance(action, str):
        op, step = group.kernel.operations[at], group.decoded.program.steps[at]
        action = does[at] = _does(group, at, op, step)
    if action is not None:
        action(group)


def _taken(group: SimulatedGroup, step: ProgramStep, waves: int) -> NDArray[np.bool_]:
    if step.condition is None:
        return np.ones(waves, np.bool_)
    found = step.condition(group.state)
    if isinstance(found, Unknown):
        raise Unsupported(f"the branch at line {step.line}: {found}")
    return np.broadcast_to(found[:, :1], (waves, 1)).reshape(-1)


def _does(group: SimulatedGroup, at: int, op: AmdInstruction, step: ProgramStep) -> _Does:
    """What an instruction does; None if nothing."""
    if _NOTHING.match(op.name):
        return None
    if op.name.startswith(TAG):
        return lambda group: _passes(group, f"{op.name[len(TAG) :]} {op.operands[0]}")
    if at in group.decoded.refusals or step.flow == "lost":
        raise Unsupported(op.name)
    touched = group.decoded.touches.get(at)
    if touched is not None:
        return shared_access(op, touched, step)
    if op.name.startswith(("global_", "flat_", "buffer_")):
        return global_access(op)
    if op.name.startswith(("v_mfma", "v_smfmac")):
        return matrix(op)
    if op.name.startswith("v_") and is_number(op):
        return computed(op, step)
    if step.run is not None and step.followed:
        return _followed(step)
    if op.name.startswith("v_") and not re.match(r"v_cmpx|v_permlane|v_movrel", op.name):
        return computed(op, step)
    raise Unsupported(op.name)


def _passes(group: SimulatedGroup, tag: str) -> None:
    if group.lanes().any():
        group.passed.add(tag)


def _followed(step: ProgramStep) -> _Does:
    """As the follower does it; what it leaves unknown, such as a carry, who reads it refuses."""
    run, moves = step.run, step.name.startswith(("v_mov", "v_cndmask", "s_mov", "v_read"))
    assert run is not None

    def does(group: SimulatedGroup) -> None:
        exact = moves and any(name in group.exact for name in step.reads)
        run(group.state)
        for name in step.writes:
            (group.exact.add if exact else group.exact.discard)(name)

    return does
