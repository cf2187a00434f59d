"""What a changed text may cost beside its passes: instructions, registers, blocks on a unit.

Fewer passes are a gain where shared memory is what a kernel waits for. A text that keeps more
registers, or executes more instructions, may be slower though its conflicts are gone: nothing here
knows by how much, so it is said, with the numbers, and how to know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from msgspec.structs import replace

from bankwise.ask.every_launch import (
    Passes,
    emitted_cost,
    every_launch,
    fitting,
    key_of,
    over,
    resident,
)
from bankwise.hardware.machine import machine
from bankwise.hardware.occupancy import Occupancy, Resource
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.names import short

_MANY = 1.5
"""How many times the instructions of a text are told. Measured on an H200: a tiled SGEMM with 1.8
times the instructions, and 128 registers for 96, ran at 0.95 of its speed without its conflicts."""

_OFTEN = 2
"""How many times the waits for global memory are told. Measured on an H200: a product of a matrix
and a vector, whose waves wait 320 times for 96 with a fold, took 38.3 us for 33.6."""

_LATENCY = 480
"""Cycles of a load from global memory, on an H100. Source: Luo et al., "Dissecting the NVIDIA
Hopper Architecture through Microbenchmarking", 2024."""


def dear(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> tuple[str, ...]:
    """Where a change may cost more than it saves, in words: instructions that take longer to issue
    than the passes that they save, fewer blocks on a unit, or many more instructions."""
    kernels = zip(before, after, strict=True)
    return *_issued(before, after), *(told for pair in kernels for told in _more(*pair))


def _issued(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> Iterator[str]:
    old, new = emitted_cost(before), emitted_cost(after)
    if not before or not new.is_dear(old, machine(before[0].target)):
        return
    keys = [key_of(one) for one in before]
    more, less = (
        abs(over(now, keys) - over(then, keys)) / max(1, over(then, keys))
        for now, then in ((new.near, old.near), (new.passes, old.passes))
    )
    yield f"{more:.0%} more instructions are executed for {less:.0%} fewer passes"


def _more(before: AssemblyKernel, after: AssemblyKernel) -> Iterator[str]:
    """What a kernel takes more of than before, so much that it may be slower."""
    if taken := _taken(before, after):
        yield f"{short(before.name)} may be slower though it has fewer conflicts ({taken})"


def _taken(before: AssemblyKernel, after: AssemblyKernel) -> str:
    """The same as numbers alone."""
    fit, fits = resident(before), resident(after)
    fewer = fit is not None and fits is not None and _is_crowded(fit, fits)
    many = _times_as_long(before, after) > _MANY
    waits = _waits_longer(before, after)
    if not fewer and not many and not waits:
        return ""
    taken = [f"{before.instructions:,} -> {after.instructions:,} instructions"] * many
    if _registers(before, after) > 0:
        taken.append(f"{before.registers} -> {after.registers} registers")
    if fewer:
        assert fit is not None
        assert fits is not None
        taken += _shared(before, after, fits.limited_by)
        taken.append(f"{fit.workgroups} -> {fits.workgroups} blocks fit a unit")
    if waits:
        old, new = before.loads, after.loads
        taken.append(f"{old.most} -> {new.most} loads of global memory in flight")
    return ", ".join(taken)


def _is_crowded(fit: Occupancy, fits: Occupancy) -> bool:
    """Whether fewer blocks fit for want of registers; a fifth fewer for want of anything else."""
    few = fits.workgroups < fit.workgroups
    return few and (
        "vector registers" in fits.limited_by or 5 * fits.workgroups <= 4 * fit.workgroups
    )


def _waits_longer(before: AssemblyKernel, after: AssemblyKernel) -> bool:
    """Whether waves wait for global memory so much more often that it takes half as many cycles as
    passes are saved, if all blocks that fit a unit wait at one time."""
    old, new = before.loads.waits, after.loads.waits
    if new < _OFTEN * old or not old:
        return False
    passes = (sum(emitted_cost((replace(k, others=()),)).passes.values()) for k in (before, after))
    waves = -(-prod(after.workgroup_size) // int(machine(after.target).wave_size))
    cycles = _LATENCY * (new - old) / waves / max(1, fitting(after))
    return 2 * cycles >= next(passes) - next(passes)


def _registers(before: AssemblyKernel, after: AssemblyKernel) -> int:
    """How many more a thread keeps."""
    return (after.registers or 0) - (before.registers or 0) if before.registers else 0


def _shared(
    before: AssemblyKernel, after: AssemblyKernel, limited_by: Sequence[Resource]
) -> list[str]:
    """The shared bytes, where these leave room for fewer blocks."""
    old, new = before.lds_bytes or 0, after.lds_bytes or 0
    if "shared memory" not in limited_by or new <= old:
        return []
    return [f"{old:,} -> {new:,} shared bytes"]


def slower(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> str:
    """Which kernel takes so much more than before that it may be slower, and of what; empty if none
    does."""
    each = ((old, _taken(old, new)) for old, new in zip(before, after, strict=True))
    return next((f"{short(old.name)} takes {taken}" for old, taken in each if taken), "")


def crowded(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> bool:
    """Whether fewer blocks of a kernel fit a unit."""
    return any(fitting(new) < fitting(old) for old, new in zip(before, after, strict=True))


def heavy(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> bool:
    """Whether fewer than half as many blocks of a kernel fit a unit, or it is twice as long."""
    both = list(zip(before, after, strict=True))
    return any(2 * fitting(new) < fitting(old) or _times_as_long(old, new) > 2 for old, new in both)


def waiting(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> bool:
    """Whether the waves of a kernel wait for global memory a quarter more often, beside as many
    blocks as fit a unit. Source: benchmarks/h200_in_flight.py: on an H200 12 such folds took
    0.99 to 1.90 times as long as pads that save as many passes, 12 others 0.93 to 1.11."""
    both = zip(before, after, strict=True)
    return any(
        4 * new.loads.waits * max(1, fitting(old)) > 5 * old.loads.waits * max(1, fitting(new)) > 0
        for old, new in both
    )


def unrolled(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> bool:
    """Whether a kernel has many more instructions, and executes no more."""
    both = zip(before, after, strict=True)
    return any(_length(*pair) > _MANY >= _times_as_long(*pair) for pair in both)


def thinly(
    before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel], passes: tuple[Passes, Passes]
) -> str:
    """Which kernel loses more of its blocks on a unit than of its ``passes``, before and after, in
    words; empty if none does. Where shared memory is what it waits for, a unit then has less to
    do meanwhile, and where it is not, nothing was saved."""
    for old, new in zip(before, after, strict=True):
        fit, fits = fitting(old), fitting(new)
        keys = {key_of(one) for one in every_launch((old,))}
        then, now = (over(one, keys) for one in passes)
        if fits < fit and now * fit > then * fits:
            return (
                f"{fits} blocks of {short(old.name)} would fit a unit for {fit}, with "
                f"{now:,} passes for {then:,}"
            )
    return ""


def _times_as_long(before: AssemblyKernel, after: AssemblyKernel) -> float:
    """How many times as long a text is; 1 of one that executes no more, whose loops the compiler
    unrolled. Measured on an H200: an SGEMM of 832 instructions for 312, of which 2 % fewer are
    executed, took 3.52 ms for 4.33; with the same pads and 320, 3 % more, it took 4.02."""
    return 1.0 if 0 < after.executed <= before.executed else _length(before, after)


def _length(before: AssemblyKernel, after: AssemblyKernel) -> float:
    old, new = before.instructions, after.instructions
    return new / old if old and new is not None else 0.0
