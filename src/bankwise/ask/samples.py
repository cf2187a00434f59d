"""Accesses whose address only an argument decides that nobody gave: counted with a sampled value.

How often they run is not known, and a conflict of them is only possible. An access that no sample
executes stays refused.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from bankwise.counting.bound import Bound
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport, Sureness
from bankwise.counting.kernel import Kernel
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel, Opener
from bankwise.read.follow.openers import place_of

Sampled = tuple[tuple[AccessReport, ...], tuple[AssemblyKernel, ...], tuple[Refusal, ...]]


def with_samples(
    found: AssemblyKernel, gpu: Machine, kernel_of: Callable[[AssemblyKernel], Kernel]
) -> Sampled:
    """The accesses that samples alone answer, the samples that do, and the refusals that are left
    of ``found``."""
    known = {place_of(one) for one in found.accesses}
    reports: list[AccessReport] = []
    used: list[AssemblyKernel] = []
    left = list(found.refusals)
    for sample in found.sampled:
        opened = [one for one in sample.accesses if place_of(one) not in known and not one.unknown]
        known |= set(map(place_of, opened))
        counted, uncounted = count_kernel(kernel_of(_with(sample, opened)), gpu)
        note = f"as with {sample_of(found)(sample)}, which is assumed"
        reports += (_marked(one, note) for one in counted)
        used += [sample] if counted else []
        said = {name for one in opened for name in _names(one)}
        left = [one for one in left if (one.location, _named(one)) not in said]
        left += uncounted
    return tuple(reports), tuple(used), tuple(left)


def _with(sample: AssemblyKernel, opened: list[AssemblyAccess]) -> AssemblyKernel:
    return replace(sample, accesses=tuple(map(_once, opened)))


def _once(found: AssemblyAccess) -> AssemblyAccess:
    """An access whose executions nobody knows."""
    access = found.access
    times = (replace(one, executions=1, really=Bound(0, None)) for one in access.patterns)
    return replace(found, access=replace(access, patterns=tuple(times)), counted=False)


def _marked(found: AccessReport, note: str) -> AccessReport:
    doubted: Sureness = "none" if found.conflict == "none" else "possible"
    notes = "; ".join(filter(None, (found.note, note)))
    return replace(found, note=notes, over_launches=doubted)


def _names(found: AssemblyAccess) -> list[tuple[object, str]]:
    """How a refusal of this access would begin."""
    access = found.access
    label = access.note.partition(";")[0]
    return [(access.location, name) for name in (label, found.instruction, access.written)]


def _named(refusal: Refusal) -> str:
    return refusal.reason.partition(":")[0]


def sample_of(found: AssemblyKernel) -> Callable[[AssemblyKernel], str]:
    """The arguments that a sample has beyond those of ``found``, as they would be given."""
    known = found.launch.arguments

    def said(sample: AssemblyKernel) -> str:
        given = sample.launch.arguments.items()
        more = {k: n for k, n in given if k not in known and isinstance(n, int)}
        return Opener(more, 0, 0).option

    return said
