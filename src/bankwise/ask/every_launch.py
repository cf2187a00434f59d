"""The launches that a change has to serve: all that are known of a kernel, or were tried.

The accesses of all of them are priced together, and none pays for another: no launch of any kernel
may take more passes than before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import prod

from msgspec.structs import replace

from bankwise.ask.check_assembly import counted_kernel
from bankwise.hardware.machine import Machine, machine
from bankwise.hardware.occupancy import Occupancy, Usage, occupancy
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.launch.boxes import where
from bankwise.read.names import short
from bankwise.solver.plan import Plan

LaunchKey = tuple[str, str, str]
"""A kernel's name, how it is launched, and which of its blocks, where they differ."""

Passes = Mapping[LaunchKey, int]
"""Of a workgroup, by kernel and launch."""


def key_of(kernel: AssemblyKernel) -> LaunchKey:
    """By which a kernel under one launch is found again in another text."""
    return kernel.name, str(kernel.launch), where(kernel.boxes, kernel.launch.grid)


def every_launch(kernels: Sequence[AssemblyKernel]) -> tuple[AssemblyKernel, ...]:
    """Kernels under each of their launches, the one that is shown first."""
    return tuple(replace(one, others=()) for kernel in kernels for one in (kernel, *kernel.others))


def other_launches(
    kernels: Sequence[AssemblyKernel], keep: Callable[[AssemblyKernel], bool]
) -> tuple[AssemblyKernel, ...]:
    """Kernels with those of their other launches that are kept."""
    return tuple(replace(k, others=tuple(filter(keep, k.others))) for k in kernels)


class EmittedCost(ByIdentity, frozen=True, eq=False):
    """What compiled kernels take: ``passes``, ``executed`` instructions of shared memory; ``near``:
    instructions at all that are executed where shared memory is touched; ``open``: launches of
    which it is not known how often every access runs."""

    passes: Passes
    executed: Mapping[LaunchKey, int]
    near: Mapping[LaunchKey, int]
    open: frozenset[LaunchKey]

    def beside(self, before: EmittedCost) -> tuple[int, int]:
        """Passes and executed instructions of shared memory, less than they were; of launches that
        both have."""
        return _less(before.passes, self.passes), _less(before.executed, self.executed)

    def nearer(self, before: EmittedCost) -> int:
        """Instructions at all, less than they were."""
        return _less(before.near, self.near)

    def is_dear(self, before: EmittedCost, gpu: Machine) -> bool:
        """Whether the instructions that were added take at least as many cycles to issue as passes
        are saved, if every SIMD of a unit issues one a cycle."""
        simds = int(gpu.fact("simds_per_unit"))
        return self.nearer(before) > 0 and self.nearer(before) >= -simds * self.beside(before)[0]

    def longer_busy(self, before: EmittedCost, gpu: Machine) -> str:
        """Of a text that :meth:`is_dear`: which launch keeps the busier of two units longer than
        before, in words; empty if none does. Shared memory serves a pass a cycle, each SIMD issues
        one instruction."""
        if not self.is_dear(before, gpu):
            return ""
        simds = int(gpu.fact("simds_per_unit"))
        for key in sorted(self.passes.keys() & before.passes.keys()):
            then, now = (max(c.passes[key], c.near[key] / simds) for c in (before, self))
            if now > then:
                busier = "shared memory" if before.passes[key] == then else "it"
                return (
                    f"a block of {short(key[0])} would issue instructions for {now:,.0f} cycles, "
                    f"where {busier} took {then:,.0f}"
                )
        return ""

    def is_laden(self, before: EmittedCost, gpu: Machine) -> bool:
        """Whether a launch executes a tenth more than before, and issues for longer than its passes
        take: then a map with fewer instructions in each index may be the faster one."""
        simds = int(gpu.fact("simds_per_unit"))
        return any(
            10 * self.near[key] > 11 * before.near[key] and self.near[key] > simds * passes
            for key, passes in self.passes.items()
            if key in before.near
        )


def _less(now: Passes, then: Passes) -> int:
    return sum(then[key] - now[key] for key in now.keys() & then.keys())


def emitted_cost(kernels: Sequence[AssemblyKernel]) -> EmittedCost:
    """Of every launch."""
    launches = every_launch(kernels)
    counted = {key_of(one): counted_kernel(one, machine(one.target)) for one in launches}
    return EmittedCost(
        {key: report.whole.passes for key, report in counted.items()},
        {key_of(one): sum(map(_executed, one.accesses)) for one in launches},
        {key_of(one): one.executed for one in launches},
        frozenset(key for key, report in counted.items() if not report.counted),
    )


def _executed(found: AssemblyAccess) -> int:
    return sum(p.executions * len(p.active) for p in found.access.patterns)


def planned(plan: Plan, owners: Sequence[LaunchKey], what: str = "passes") -> Passes:
    """What a plan takes, or its ``ideal``; ``owners``: whose each of its accesses is."""
    found: dict[LaunchKey, int] = defaultdict(int)
    for use, owner in zip(plan.cost.uses, owners, strict=True):
        passes = use.weight * getattr(use, what)
        assert passes.denominator == 1, "executed so many times"
        found[owner] += passes.numerator
    return found


def summed(found: Iterable[Passes]) -> Passes:
    """What several arrays take together."""
    sums: Counter[LaunchKey] = Counter()
    for one in found:
        sums.update(one)
    return sums


def paying(now: Passes, then: Passes) -> str:
    """Which launch takes more than before, in words; empty if none does. No launch of any kernel
    pays for another: those that both have are compared."""
    more = [key for key in now if then.get(key, 0) > now[key]]
    if not more:
        return ""
    worst = max(more, key=lambda key: then[key] - now[key])
    return f"a block of {short(worst[0])} would take {now[worst]:,} -> {then[worst]:,} passes"


def none_worse(now: Passes, then: Passes) -> bool:
    """Whether no launch of any kernel takes more passes than before."""
    return not paying(now, then)


def serves(now: Passes, then: Passes) -> bool:
    """Whether fewer passes are taken in all, and not more in any launch."""
    return sum(then.values()) < sum(now.values()) and none_worse(now, then)


def over(passes: Passes, keys: Collection[LaunchKey]) -> int:
    """The passes of some launches."""
    return sum(passes.get(key, 0) for key in keys)


def shown(launches: Sequence[AssemblyKernel]) -> tuple[LaunchKey, ...]:
    """The launch of each kernel that a report shows, of :func:`every_launch`."""
    return tuple({one.name: key_of(one) for one in reversed(launches)}.values())


def believed(launches: Sequence[AssemblyKernel]) -> set[LaunchKey]:
    """Those that are shown, and all that are no guess: a change has to help in one of them."""
    return {*shown(launches), *(key_of(one) for one in launches if not one.launch.assumed)}


def block(kernel: AssemblyKernel) -> str:
    """As ``--workgroup-size`` takes it."""
    return ",".join(map(str, kernel.workgroup_size))


def launches_together(owners: Iterable[LaunchKey]) -> str:
    """Behind what is known of a plan: over how many launches, and kinds of their blocks, where that
    is more than each one."""
    keys = dict.fromkeys(owners)
    launches = Counter(name for name, _ in dict.fromkeys((one[:2]) for one in keys))
    many, kinds = (max(found.values(), default=1) for found in (launches, _kinds(keys)))
    said = [f"{many} launches"] * (many > 1) + [f"{kinds} kinds of blocks"] * (kinds > 1)
    return f"; over {' of '.join(reversed(said))} together" if said else ""


def _kinds(keys: Iterable[LaunchKey]) -> Counter[str]:
    """How many kinds of blocks each kernel has in the launch in which they are the most."""
    each = Counter(one[:2] for one in keys)
    found: Counter[str] = Counter()
    for (name, _), many in each.items():
        found[name] = max(found[name], many)
    return found


def resident(kernel: AssemblyKernel) -> Occupancy | None:
    """What fits a unit, by shared memory and registers; None of blocks of unknown size."""
    threads = prod(kernel.workgroup_size)
    used = (kernel.lds_bytes or 0) + (kernel.launch.shared_bytes or 0)
    usage = Usage(threads, used, kernel.registers)
    return occupancy(machine(kernel.target), usage) if threads else None


def fitting(kernel: AssemblyKernel) -> int:
    """The blocks that fit a unit; 0 of unknown size."""
    found = resident(kernel)
    return 0 if found is None else found.workgroups
