"""What ``bankwise fix`` changes as one: the allocations that share a storage, in all kernels.

An allocation belongs to its kernel, a ``memref.global`` to every function that asks for it: what
one of them does to the rows, all of them must do.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import field

from bankwise.ask.analysis import Analysis
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity

if TYPE_CHECKING:
    from bankwise.change.rewrite.group import Group, Issues
    from bankwise.change.rewrite.plan import GroupPlan

Key = tuple[str, str]
"""A group: its kernels and its allocations, as texts."""


class OwnedGroup(ByIdentity, frozen=True, eq=False):
    """Allocations that must share one map, with all of their accesses in ``analyses``.

    ``known``: what was planned of it already, and is remembered."""

    analyses: tuple[Analysis, ...]
    group: Group
    issues: Issues
    known: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels."""
        return tuple(analysis.kernel.name for analysis in self.analyses)

    @property
    def key(self) -> Key:
        """What names it."""
        return ", ".join(self.kernels), self.group.names

    @property
    def machine(self) -> Machine:
        """The GPU of all of its kernels."""
        return self.analyses[0].machine

    def plan(self, policy: str, *, shorter: bool = False) -> GroupPlan | Refusal:
        """The best layouts of it, or why none may be applied; parameters as of its function."""
        from bankwise.change.rewrite.plan import plan

        key = (policy, shorter)
        if key not in self.known:
            asked = self.group, self.issues, self.machine, policy
            self.known[key] = plan(*asked, shorter=shorter)
        found: GroupPlan | Refusal = self.known[key]
        return found

    def _undivided(self) -> Refusal | None:
        """Why a pool of bytes is one allocation, of elements of many kinds."""
        from bankwise.read.mlir.kernels import operations
        from bankwise.read.mlir.pools import undivided

        first = self.group.allocations[0]
        sizes = {site.access.element_bytes for site in self.group.accesses}
        if first.element_bytes != 1 or len(first.shape) != 1 or sizes == {1}:
            return None
        reasons = filter(None, map(undivided, operations(self.analyses[0].kernel.op)))
        reason = next(reasons, "")
        return Refusal(f"{self.group.names}: {reason}", first.location) if reason else None

    @property
    def unknown(self) -> Refusal | None:
        """Why it may not be touched: an access that was not analysed could be one of its own."""
        if any(analysis.machine != self.machine for analysis in self.analyses):
            reason = "kernels for different GPUs share it"
            return Refusal(f"{self.group.names}: {reason}", self.group.allocations[0].location)
        blockers = (found for each in self.analyses for found in _blockers(each))
        first = next(blockers, None)
        if first is None:
            return self._undivided()
        reason = f"not all accesses of this kernel are known: {first.reason}"
        return Refusal(f"{self.group.names}: {reason}", first.location)


def owned(analyses: Sequence[Analysis]) -> tuple[OwnedGroup, ...]:
    """All groups, those of one storage joined, in program order."""
    if len(analyses) != 1:
        return _owned(analyses)
    (one,) = analyses
    if "owned" not in one.known:
        one.known["owned"] = _owned(analyses)
    found: tuple[OwnedGroup, ...] = one.known["owned"]
    return found


def _owned(analyses: Sequence[Analysis]) -> tuple[OwnedGroup, ...]:
    from bankwise.change.rewrite.group import groups, joined

    storages: dict[Hashable, list[tuple[Analysis, Group]]] = {}
    for analysis in analyses:
        shared = _globals(analysis)
        for number, group in enumerate(groups(analysis.extraction, analysis.joins)):
            names = frozenset(a.name for a in group.allocations)
            module = analysis.kernel.op.parent
            own: Hashable = (analysis.kernel.op, number)
            key = (module, names) if names <= shared else own
            storages.setdefault(key, []).append((analysis, group))
    found = []
    for parts in storages.values():
        those = tuple(analysis for analysis, _ in parts)
        if len(parts) == 1:
            found.append(OwnedGroup(those, parts[0][1], those[0].issues))
        else:
            found.append(OwnedGroup(those, *joined([(g, a.issues) for a, g in parts])))
    return tuple(found)


def _globals(analysis: Analysis) -> frozenset[str]:
    from bankwise.read.mlir.kernels import operations

    asked = (op for op in operations(analysis.kernel.op) if op.name == "memref.get_global")
    return frozenset(str(op.attributes["name"].value) for op in asked)


def _blockers(analysis: Analysis) -> Iterator[Refusal]:
    """What was not analysed, unless it is an access to allocations that are known.

    Such a one is rewritten like the others, wherever it goes: only its passes are not known.
    """
    unseen = analysis.extraction.unseen
    known = {each.site.access.location for each in unseen if each.allocations is not None}
    yield from (r for r in analysis.extraction.refusals if r.location not in known)
    for each in unseen:
        if each.allocations is None:
            reason = f"{each.site.access.operation} may touch any workgroup memory"
            yield Refusal(reason, each.site.access.location)
