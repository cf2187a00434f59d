"""The plans of one shared variable of a PTX text: folds of its bytes, priced on all accesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from bankwise.algebra.address_fold import AddressFold
from bankwise.ask.advice import NODES, address_fold, flat_tile
from bankwise.ask.every_launch import (
    LaunchKey,
    Passes,
    every_launch,
    key_of,
    launches_together,
    over,
    planned,
    serves,
)
from bankwise.change.ptx.reach import accesses_of
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity
from bankwise.read.assembly import MOST_BYTES, AssemblyAccess, AssemblyKernel
from bankwise.read.buffers import AddressPattern, EmittedBuffer, uses_of
from bankwise.read.ptx.parse import PtxKernel, Variable
from bankwise.solver.best import Best, best, legal, ranked
from bankwise.solver.spaces import LINEAR, Space, bit_folds

MOST_TRIED = 4
"""Maps of one variable that are assembled."""

MOST_PRICED = 6_000
"""Accesses of one variable; PTX of loops that are unrolled has thousands."""

_UNSIZED_BYTES = 1024
"""What the launch sizes is taken to be whole blocks of so much."""


_UNPRICED = "; executions with unknown addresses are not priced"


class VariablePlan(ByIdentity, frozen=True, eq=False):
    """One map of a variable, and the passes that it takes in each launch."""

    map: AddressFold
    passes: Passes
    optimum: str


class VariablePlans(ByIdentity, frozen=True, eq=False):
    """What can be done for a variable, the best first. ``present`` and ``ideal``: passes of it as
    it is, and without conflicts, in all its ``kernels``."""

    variable: Variable
    kernels: tuple[str, ...]
    plans: tuple[VariablePlan, ...]
    present: Passes
    ideal: Passes

    @property
    def saved(self) -> int:
        """By the best plan, in all launches together."""
        return sum(self.present.values()) - sum(self.plans[0].passes.values())


def plans_of(
    variable: Variable, texts: Sequence[PtxKernel], kernels: Sequence[AssemblyKernel], gpu: Machine
) -> VariablePlans | Refusal | None:
    """The plans of a variable of kernels, as ``texts`` and as they were followed; None where it has
    no conflicts, a Refusal where nothing is done."""
    patterns: list[AddressPattern] = []
    owners: list[LaunchKey] = []
    by_name = {one.name: one for one in texts}
    first = [key_of(one) for one in kernels]
    for kernel in (one for one in every_launch(kernels) if one.name in by_name):
        found = _patterns(variable, by_name[kernel.name], kernel, gpu)
        if not isinstance(found, Refusal):
            patterns += found
            owners += [key_of(kernel)] * sum(bool(one.active.any()) for one in found)
        elif key_of(kernel) in first:
            return Refusal(f"{variable.called}: {found.reason}", found.location)
    if not patterns:
        return None
    if len(patterns) > MOST_PRICED:
        reason = f"{len(patterns):,} different accesses; {MOST_PRICED:,} are looked at"
        return Refusal(f"{variable.called}: {reason}")
    open_ = any(p.access.unknown for p in patterns)
    size = variable.size_bytes or _touched(patterns)
    buffer = EmittedBuffer(variable.name, ((0, size),), tuple(patterns))
    tile = flat_tile(buffer, gpu, size)
    space = Space(LINEAR, tuple(bit_folds(tile, gpu)), linear=True)
    told = legal(best(tile, gpu, [space], nodes=NODES, certify=False))
    now, ideal = (planned(told.present, owners, what) for what in ("passes", "ideal"))
    if over(now, first) == over(ideal, first):
        return None
    unit = tile.shape.element_bits // 8
    better = tuple(_better(told, space, unit, owners, _UNPRICED if open_ else ""))
    plans = tuple(islice((one for one in better if not _cut(variable, one, kernels)), MOST_TRIED))
    if not plans:
        why = next((_cut(variable, one, kernels) for one in better), "")
        return Refusal(why or f"{variable.called}: no fold of its bytes takes fewer passes")
    names = tuple(name for name, *_ in dict.fromkeys(owners))
    return VariablePlans(variable, tuple(dict.fromkeys(names)), plans, now, ideal)


def _patterns(
    variable: Variable, text: PtxKernel, kernel: AssemblyKernel, gpu: Machine
) -> tuple[AddressPattern, ...] | Refusal:
    """What a kernel's accesses to a variable touch of it, as far as that is known."""
    found = accesses_of(text, frozenset({variable.name}), kernel.location.file)
    if isinstance(found, Refusal):
        return found
    lines = {text.statements[one.number].line for one in found}
    every = [one for one in seen(kernel) if one.access.location.line in lines]
    known = {one.access.location.line for one in every}
    lost = (r for r in kernel.refusals if r.location and r.location.line in lines - known)
    why = next(lost, None)
    if why is not None:
        return Refusal(f"not all accesses are known: {why}", kernel.location)
    size = variable.size_bytes or MOST_BYTES
    own = (part for one in every for part in _own(one, variable.name))
    parts = [uses_of([one], gpu, 0, size) for one in own]
    inside = [part for part in parts if not isinstance(part, Refusal)]
    outside = next((part for part in parts if isinstance(part, Refusal)), None)
    if outside is not None and not inside:
        return outside
    return tuple(replace(use, access=_open(use.access, outside)) for part in inside for use in part)


def _open(found: AssemblyAccess, outside: Refusal | None) -> AssemblyAccess:
    """An access beside one that is not priced, since on assumptions it leaves the variable."""
    return found if outside is None else replace(found, unknown=outside.reason)


def seen(kernel: AssemblyKernel) -> tuple[AssemblyAccess, ...]:
    """The accesses of a kernel; of lines that only samples of unknown arguments open, theirs."""
    found = list(kernel.accesses)
    for sample in kernel.sampled:
        known = {one.access.location.line for one in found}
        found += (one for one in sample.accesses if one.access.location.line not in known)
    return tuple(found)


def _cut(variable: Variable, plan: VariablePlan, kernels: Sequence[AssemblyKernel]) -> str:
    """Whether a launch gives a variable bytes that are no whole blocks of a map, in words."""
    if variable.size_bytes is not None:
        return ""
    block = plan.map.block
    launches = (one.launch for kernel in kernels for one in (kernel, *kernel.others))
    given = [n for launch in launches if (n := launch.shared_bytes or 0) % block]
    return "".join(
        f"{variable.called}: its launch gives {n:,} bytes, which are no whole blocks of {block}"
        for n in given[:1]
    )


def _own(found: AssemblyAccess, name: str) -> Iterator[AssemblyAccess]:
    """The patterns of an access that lie in one variable, one by one."""
    for one in found.access.patterns:
        if one.allocation == name:
            yield replace(found, access=replace(found.access, patterns=(one,)))


def _touched(patterns: Sequence[AddressPattern]) -> int:
    last = max(int(p.offsets_bytes[p.active].max()) + p.access.access.width_bytes for p in patterns)
    return -(-last // _UNSIZED_BYTES) * _UNSIZED_BYTES


def _better(
    told: Best, space: Space, unit: int, owners: Sequence[LaunchKey], more: str
) -> Iterator[VariablePlan]:
    """The plans that take fewer passes, in no launch more: the fewest first, of equals those that
    read lower bits, which leave more constants where they are."""
    every = (*told.plans, *ranked(space, told.work, {}))
    now = planned(told.present, owners)
    fewer = {p.layout: p for p in every if serves(now, planned(p, owners))}
    found = [(plan, map_) for plan in fewer.values() if (map_ := address_fold(plan.layout, unit))]
    for plan, map_ in sorted(found, key=lambda o: (o[0].passes, len(o[1].folds), o[1].reach)):
        known = f"{told.known(plan)}{launches_together(owners)}{more}"
        yield VariablePlan(map_, planned(plan, owners), known)
