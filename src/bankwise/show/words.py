"""How sure a number is, in the same words everywhere: terminal, JSON, SARIF, annotations, pages."""

from __future__ import annotations

from collections.abc import Iterator

from bankwise.counting.bound import Bound
from bankwise.counting.counted import AccessReport, Added, Sureness
from bankwise.errors import Location
from bankwise.hardware.machine import machine
from bankwise.read.assembly import Opener
from bankwise.read.names import short
from bankwise.show.values import AsEmitted, CheckReport, KernelReport, OtherLaunch

COLOURS: dict[Sureness, str] = {"none": "green", "possible": "yellow", "sure": "red"}


def kernel_verdict(kernel: KernelReport, report: CheckReport) -> str:
    """What the counter adds for one workgroup of a kernel of ``report``, and what is open."""
    refused = report.refused(kernel)
    faults = sum(r.fault for r in refused)
    left = still_open(kernel, len(refused) - faults)
    counter = machine(kernel.target).counter
    known = conclusion(kernel.conflict, bool(refused or left))
    line = f"{faulting(faults)}{known}: {counter} += {adds(kernel.added)}"
    here = "in the workgroup that was counted" if _one_workgroup(kernel) else f"per {kernel.each}"
    return "; ".join((f"{line} {here}", *left))


def verdict(report: CheckReport) -> str:
    """The last line. Kernels are never added up: no workgroup runs several of them."""
    if not report.kernels:
        return "nothing was counted"
    if len(report.kernels) == 1:
        return kernel_verdict(report.kernels[0], report)
    many = len(report.kernels)
    alike = sum(k.conflict == report.conflict for k in report.kernels)
    some = f"{many}" if report.conflict == "none" else f"{alike} of {many}"
    first = faulting(sum(r.fault for r in report.refusals))
    line = f"{first}{conclusion(report.conflict, not report.accounted)} in {some} kernels"
    worst = report.ranked[0]
    return line if report.conflict == "none" else f"{line}; the worst is {short(worst.name)}"


def faulting(many: int) -> str:
    """What stands before a verdict of which so many accesses fault; empty for none."""
    return f"{many} access{'es fault' if many > 1 else ' faults'}; " * bool(many)


def conclusion(conflict: Sureness, left: bool, none: str = "no conflicts") -> str:
    """``left``: something is open. ``none``: what no conflict is called."""
    if conflict == "none":
        return f"{none} in what is known" if left else none
    return "conflicts" if conflict == "sure" else "possible conflicts"


def still_open(kernel: KernelReport, refused: int) -> tuple[str, ...]:
    """What stands between a kernel's count and a promise; ``refused``: places not analysed."""
    found = []
    if refused:
        found.append(f"{refused} not analysed")
    for level in ("unknown", "assumed"):
        names = dict.fromkeys(a.instruction for a in kernel.accesses if a.evidence == level)
        if names:
            found.append(f"{level}: the rule of {', '.join(names)}")
    if kernel.assumed and kernel.accesses:
        found.append(f"assumed: {kernel.assumed}")
    if _one_workgroup(kernel):
        found.append("other workgroups touch other places, which are not counted")
    return tuple(found)


def assumptions(report: CheckReport) -> Iterator[tuple[Location, str]]:
    """What is open beside refusals, at the kernel that it is of."""
    for kernel in report.ranked:
        for left in still_open(kernel, 0):
            yield kernel.location, f"{kernel.name}: {left}"


def not_checked(report: CheckReport) -> tuple[str, ...]:
    """The notes of a folder that say which of its files were not checked, and why."""
    return tuple(note for note in report.notes if note.startswith("left out"))


def _one_workgroup(kernel: KernelReport) -> bool:
    return any(a.one_workgroup for a in kernel.accesses)


def adds(found: Added) -> str:
    """What a conflict counter adds: ``0 known, 12,288 assumed (rule unknown)``. Of a rule by which
    nothing conflicts there is nothing to add: :func:`still_open` names it."""
    ends, assumed = found.known.ends.extra, found.assumed
    text = str(ends) if ends.exact else f"{ends} ({found.known.extra:,} as followed)"
    if assumed is None or assumed.ends.extra.high == 0:
        return text
    unknown = "rule" if assumed.ends.extra.exact else "rule and executions"
    return f"{text} known, {assumed.extra:,} assumed ({unknown} unknown)"


def compiled_line(found: AsEmitted) -> str:
    """What was counted, and what the source says of it."""
    return f"counted as {found.compiler} emits it; counted from the source: {adds(found.source)}"


def cell(bound: Bound) -> str:
    """A number in a column."""
    return str(bound).replace("between ", "").replace(" and ", " to ")


def doubt(access: AccessReport) -> str:
    """Why an answer is not sure, be it a conflict or none; empty if it is."""
    if access.assumed:
        return f"assumed: the rule of {access.instruction} is unknown"
    if access.conflict != "possible":
        return ""
    if access.over_launches == "possible":
        return "possible: not with every launch that was tried"
    extra = access.run.ends.extra
    many = "an unknown number of" if extra.high is None else f"at most {extra.high:,}"
    return f"possible: {many} extra passes per workgroup"


def other_launch(other: OtherLaunch) -> str:
    """A kernel under another launch, in a line."""
    size = ",".join(map(str, other.workgroup_size))
    return f"with {size} ({other.said or 'assumed, too'}) the counter adds {adds(other.added)}"


def opener(found: Opener) -> str:
    """What would open how much: ``--arg n=1024 opens 478 accesses and counts 3``."""
    parts = [f"opens {_accesses(found.opens)}"] if found.opens else []
    parts += [f"counts the executions of {found.counts}"] if found.counts else []
    return f"{found.option} {' and '.join(parts)}"


def _accesses(number: int) -> str:
    return f"{number:,} access" + ("es" if number != 1 else "")
