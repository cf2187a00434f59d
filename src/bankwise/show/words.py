"""How sure a number is, in the same words everywhere: terminal, JSON, SARIF, annotations, pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from bankwise.counting.bound import Bound
from bankwise.counting.counted import AccessReport, Added, Sureness
from bankwise.errors import Location
from bankwise.hardware.machine import Evidence, machine
from bankwise.read.assembly import Opener
from bankwise.read.names import short
from bankwise.show.values import AsEmitted, BlockClass, CheckReport, KernelReport, OtherLaunch

_BLOCK = "--workgroup-size or --launch settles it"
"""The options that settle how many threads a block has."""
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
    return "; ".join((f"{line} {here}{of_blocks(kernel)}", *left))


def of_blocks(kernel: KernelReport) -> str:
    """Of how many blocks the numbers of a kernel are, where its blocks differ, and what all of its
    launch add; empty where they do not."""
    whole = kernel.launch_added
    if whole is None or whole.bound.high == 0:
        return ""
    mine, every = kernel.classes[0].count, sum(one.count for one in kernel.classes)
    return f" in {mine:,} of {every:,} blocks, {adds(whole)} in the launch"


def blocks_line(kernel: KernelReport) -> str:
    """The classes of a kernel's blocks, each with what the counter adds for one of its blocks."""
    each = [f"{one.count:,} ({one.where}) {_each_adds(one)}" for one in kernel.classes[:_CLASSES]]
    rest = kernel.classes[_CLASSES:]
    if rest:
        most, many = max(one.added.known.extra for one in rest), sum(one.count for one in rest)
        each.append(f"{many:,} in {len(rest)} more classes at most {most:,}")
    whole = kernel.launch_added
    return f"blocks: {'; '.join(each)}: {adds(whole)} in the launch" if whole else ""


def _each_adds(one: BlockClass) -> str:
    found = adds(one.added)
    return f"adds {found}" if one.count == 1 else f"add {found} each"


_CLASSES = 8
"""Classes of blocks that are named."""


def verdict(report: CheckReport) -> str:
    """The last line. Kernels are never added up: no workgroup runs several of them."""
    if not report.kernels:
        return "nothing was counted"
    if len(report.kernels) == 1:
        return kernel_verdict(report.kernels[0], report)
    many, surest = len(report.kernels), report.conflict
    alike = sum(kernel.conflict == surest for kernel in report.kernels)
    some = f"{many}" if surest == "none" else f"{alike} of {many}"
    first = faulting(sum(refusal.fault for refusal in report.refusals))
    line = f"{first}{conclusion(surest, not report.accounted)} in {some} kernels"
    worst, maybe = report.ranked[0], sum(k.conflict == "possible" for k in report.kernels)
    line += f", possible in {maybe} more" * (surest == "sure" and maybe > 0)
    return line if surest == "none" else f"{line}; the worst is {short(worst.name)}"


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
    found += open_rules((a.ruled, a.evidence) for a in kernel.accesses)
    if kernel.assumed and kernel.accesses:
        found.append(f"assumed: {kernel.assumed}")
    if _one_workgroup(kernel):
        found.append("other workgroups touch other places, which are not counted")
    return tuple(found)


def open_rules(rules: Iterable[tuple[str, Evidence]]) -> tuple[str, ...]:
    """Which instructions nobody knows the rule of, or it is assumed; of ``rules`` by name."""
    every = dict.fromkeys(rules)
    found = {
        level: [name for name, known in every if known == level] for level in ("unknown", "assumed")
    }
    return tuple(
        f"{level}: the rule of {', '.join(names)}" for level, names in found.items() if names
    )


def mark(evidence: Evidence) -> str:
    """A sign where the rule that something is counted by is neither measured nor documented."""
    return "" if evidence in ("measured", "documented") else "?"


def doubted(rules: Iterable[tuple[str, Evidence]]) -> Iterator[str]:
    """What the sign :func:`mark` means, of ``rules`` by the name of their instruction."""
    every = dict.fromkeys(rules)
    for level in dict.fromkeys(known for _, known in every if mark(known)):
        names = [name for name, known in every if known == level]
        yield f"the rule of {', '.join(names)} is {level}"


def assumptions(report: CheckReport) -> Iterator[tuple[Location, str]]:
    """What is open beside refusals, at the kernel that it is of."""
    for kernel in report.ranked:
        for left in still_open(kernel, 0):
            yield kernel.location, assumption(kernel, left)


def assumption(kernel: KernelReport, left: str) -> str:
    """One of the things that are open of a kernel, with the option that settles it."""
    block = kernel.assumed and left.endswith(f"{kernel.assumed}") and "threads" in left
    return f"{short(kernel.name)}: {left}{f'; {_BLOCK}' if block else ''}"


def openers(
    report: CheckReport, known: Collection[tuple[str, str, str]] = ()
) -> Iterator[tuple[Location, str]]:
    """What would open most of each kernel, at the kernel; nothing of one whose file, name and
    option are ``known``."""
    for kernel in report.ranked:
        for found in kernel.openers[:1]:
            if (kernel.location.file, kernel.name, found.option) in known:
                continue
            yield kernel.location, f"{short(kernel.name)}: {opener(found)}"


def not_checked(report: CheckReport) -> tuple[str, ...]:
    """The notes of a folder that say which of its files were not checked, and why."""
    return tuple(note for note in report.notes if note.startswith("left out"))


NOT_DEFAULT = "this is not what iree-compile makes by default"
"""How a note begins that findings are of another kernel than the one that a user ships."""


def of_another_kernel(report: CheckReport) -> tuple[str, ...]:
    """The notes that say so."""
    return tuple(note for note in report.notes if note.startswith(NOT_DEFAULT))


def _one_workgroup(kernel: KernelReport) -> bool:
    return any(a.one_workgroup for a in kernel.accesses)


def several(many: int, noun: str) -> str:
    """``1 kernel``, ``2 kernels``, ``3 accesses``."""
    ending = "es" if noun.endswith("s") else "s"
    return f"{many:,} {noun}{ending * (many != 1)}"


def extra_passes(many: Bound | int) -> str:
    """``1 extra pass``, ``2 extra passes``, ``at least 1 extra passes``."""
    said = f"{many:,}" if isinstance(many, int) else cell(many)
    return f"{said} extra pass{'es' * (said != '1')}"


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


def doubt(access: AccessReport, beside: Sequence[AccessReport] = ()) -> str:
    """Why an answer is not sure, be it a conflict or none; empty if it is. ``beside``: accesses of
    the same kernel that are told with it, itself among them."""
    if access.assumed:
        return f"assumed: the rule of {access.ruled} is unknown"
    if access.conflict != "possible":
        return ""
    if access.over_launches == "possible":
        return f"possible: not with every launch that was tried; {_BLOCK}"
    most = [one.run.ends.extra.high for one in beside or (access,)]
    high = None if None in most else sum(filter(None, most))
    many = "an unknown number of" if high is None else f"at most {high:,}"
    passes = f"pass{'es' * (high != 1)}"
    said = f"possible: {many} extra {passes} per workgroup"
    return "; ".join(filter(None, (said, joined(access))))


def joined(access: AccessReport) -> str:
    """Why a number lies between two ends although every execution is known."""
    return f"{access.joins} may be joined with it: --isa says" if access.joins else ""


def other_launch(other: OtherLaunch) -> str:
    """A kernel under another launch, in a line."""
    size = ",".join(map(str, other.workgroup_size))
    left = f"; {other.refused} not analysed there" * bool(other.refused)
    where = f" in blocks {other.blocks}" if other.blocks not in ("", "all") else ""
    where += f", {adds(other.launch_added)} in the launch" if other.launch_added else ""
    grid = f" in a grid of {'x'.join(map(str, other.grid))}" if other.grid else ""
    said = f"with {size}{grid} ({other.said or 'assumed, too'})"
    return f"{said} the counter adds {adds(other.added)}{where}{left}"


def opener(found: Opener) -> str:
    """What would open how much: ``--arg n=1024, for example, opens 478 accesses``. A number that
    was tried is an example, what a workgroup's place is tried with is one of its places."""
    parts = [f"opens {_accesses(found.opens)}"] if found.opens else []
    parts += [f"counts the executions of {found.counts}"] if found.counts else []
    example = any(not str(key).startswith(_PLACES) for key in found.arguments)
    return f"{found.option}{', for example,' * example} {' and '.join(parts)}"


_PLACES = ("blockIdx", "ctaid", "workgroup_id")
"""How the names of a workgroup's place begin."""


def _accesses(number: int) -> str:
    return f"{number:,} access" + ("es" if number != 1 else "")
