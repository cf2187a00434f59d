"""The plans of one shared variable of a PTX text: folds of its bytes, priced on all accesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from bankwise.algebra.address import AddressMap, Fold, Linear
from bankwise.ask.advice import NODES, flat_tile
from bankwise.change.ptx.fold import VariableFold
from bankwise.change.ptx.reach import accesses_of
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.read.assembly import MOST_BYTES, AssemblyAccess, AssemblyKernel
from bankwise.read.buffers import MOST_USES, AddressPattern, EmittedBuffer, uses_of
from bankwise.read.ptx.parse import PtxKernel, Variable
from bankwise.solver.address import xor_terms
from bankwise.solver.best import Best, best, folds_of, ranked
from bankwise.solver.spaces import LINEAR, Space, bit_folds

MOST_TRIED = 4
"""Maps of one variable that are assembled."""

_UNSIZED_BYTES = 1024
"""What the launch sizes is taken to be whole blocks of so much."""


_UNPRICED = "; executions with unknown addresses are not priced"


@dataclass(frozen=True, slots=True, eq=False)
class VariablePlan:
    """One map of a variable, and the passes that it takes."""

    folds: tuple[Fold, ...]
    passes: int
    optimum: str


@dataclass(frozen=True, slots=True, eq=False)
class VariablePlans:
    """What can be done for a variable, the best first. ``present`` and ``ideal``: passes of it as
    it is, and without conflicts, in all its ``kernels``."""

    variable: Variable
    kernels: tuple[str, ...]
    plans: tuple[VariablePlan, ...]
    present: int
    ideal: int


def plans_of(
    variable: Variable, texts: Sequence[PtxKernel], kernels: Sequence[AssemblyKernel], gpu: Machine
) -> VariablePlans | Refusal | None:
    """The plans of a variable of kernels, as ``texts`` and as they were followed; None where it has
    no conflicts, a Refusal where nothing is done."""
    patterns: list[AddressPattern] = []
    names: list[str] = []
    by_name = {one.name: one for one in kernels}
    for text in (one for one in texts if one.name in by_name):
        kernel = by_name[text.name]
        found = _patterns(variable, text, kernel, gpu)
        if isinstance(found, Refusal):
            return Refusal(f"{variable.name}: {found.reason}", found.location)
        patterns += found
        names += [kernel.name] if found else []
    if not patterns:
        return None
    if len(patterns) > MOST_USES:
        reason = f"{len(patterns):,} different accesses; {MOST_USES:,} are looked at"
        return Refusal(f"{variable.name}: {reason}")
    open_ = any(p.access.unknown for p in patterns)
    size = variable.size_bytes or _touched(patterns)
    buffer = EmittedBuffer(variable.name, ((0, size),), tuple(patterns))
    tile = flat_tile(buffer, gpu, size)
    space = Space(LINEAR, tuple(bit_folds(tile, gpu)), linear=True)
    told = best(tile, gpu, [space], nodes=NODES, certify=False)
    assert isinstance(told, Best), "every access names its instruction"
    if told.present.passes == told.present.ideal:
        return None
    unit = tile.shape.element_bits // 8
    plans = tuple(islice(_better(told, space, unit, _UNPRICED if open_ else ""), MOST_TRIED))
    if not plans:
        return Refusal(f"{variable.name}: no fold of its bytes takes fewer passes")
    now = told.present.run
    return VariablePlans(variable, tuple(names), plans, now.passes, now.ideal)


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
    own = (_own(one, variable.name) for one in every)
    return uses_of([o for o in own if o.access.patterns], gpu, 0, variable.size_bytes or MOST_BYTES)


def seen(kernel: AssemblyKernel) -> tuple[AssemblyAccess, ...]:
    """The accesses of a kernel; of lines that only samples of unknown arguments open, theirs."""
    found = list(kernel.accesses)
    for sample in kernel.sampled:
        known = {one.access.location.line for one in found}
        found += (one for one in sample.accesses if one.access.location.line not in known)
    return tuple(found)


def _own(found: AssemblyAccess, name: str) -> AssemblyAccess:
    """The patterns of an access that lie in one variable."""
    patterns = tuple(one for one in found.access.patterns if one.allocation == name)
    return replace(found, access=replace(found.access, patterns=patterns))


def _touched(patterns: Sequence[AddressPattern]) -> int:
    last = max(int(p.offsets_bytes[p.active].max()) + p.access.access.width_bytes for p in patterns)
    return -(-last // _UNSIZED_BYTES) * _UNSIZED_BYTES


def _better(told: Best, space: Space, unit: int, more: str) -> Iterator[VariablePlan]:
    """The plans that take fewer passes: the fewest first, of equals those that read lower bits,
    which leave more constants where they are."""
    every = (*told.plans, *ranked(space, told.work, {}))
    fewer = {p.layout: p for p in every if p.passes < told.present.passes}
    found = [(plan, folds) for plan in fewer.values() if (folds := _folds(plan.layout, unit))]
    for plan, folds in sorted(found, key=lambda one: (one[0].passes, _reach(one[1]))):
        yield VariablePlan(folds, plan.run.passes, str(told.known(plan)) + more)


def _reach(folds: Sequence[Fold]) -> tuple[int, int]:
    fold = VariableFold("", tuple(folds), 1)
    return len(folds), fold.reach


def _folds(layout: AddressMap, unit: int) -> tuple[Fold, ...]:
    """A map of elements as folds of bytes; none where it is no XOR of higher bits."""
    if isinstance(layout, Fold):
        found = [layout]
    elif isinstance(layout, Linear):
        found = [
            one for shift, mask in xor_terms(layout.bases) or () for one in folds_of(shift, mask)
        ]
    else:
        return ()
    folds = tuple(Fold(f.divisor * unit, f.unit * unit, f.phases) for f in found)
    made = VariableFold("", folds, 1)
    return () if made.read & made.changed or not all(f.binary for f in folds) else folds
