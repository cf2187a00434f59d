"""``bankwise fix policy.hpp``: another descriptor in the header's words, proved on both texts.

For several GPUs it is one text: a layout that is counted for each of them, and worse on none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from bankwise.ask.check_ck import counted_report
from bankwise.ask.ck_cases import CkCase, CkPlan, cases
from bankwise.ask.ck_names import one_size
from bankwise.ask.ck_plans import plan, sizing
from bankwise.ask.ck_reading import CkReading, read_header
from bankwise.ask.kernel_report import check_report
from bankwise.change.ck import HeaderEdit, Planned, applied, edits, proved
from bankwise.errors import Location, Refusal
from bankwise.files import check_placed, read_text
from bankwise.identity import ByIdentity
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
from bankwise.show.fixing import Change, FixReport, Status, Verdict
from bankwise.show.patch import unified_patch
from bankwise.show.values import CheckReport, KernelReport


class _ForGpu(ByIdentity, frozen=True, eq=False):
    """A header for one GPU: read, and its tiles counted. ``suffix``: what tells its tiles apart
    from those for another one."""

    reading: CkReading
    found: tuple[CkCase | Refusal, ...]
    suffix: str = ""

    @property
    def report(self) -> CheckReport:
        """What is counted, under names that tell the GPU where there are several."""
        plain = counted_report(self.reading, self.found)
        return replace(plain, kernels=tuple(_renamed(k, self.suffix) for k in plain.kernels))


def fix_ck_file(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`bankwise.ask.fix.fix_file` for CK headers.

    Raises :class:`InputError` where nothing of the header can be judged.
    """
    if output not in ("", "-"):
        check_placed(Path(output))
    text = read_text(file)
    before = _for_gpus(file, text, options)
    plans, refusals, changes = _chosen(before)
    fixed = applied(text, changes)
    after = _for_gpus(file, fixed, options, changed=True) if plans else before
    return FixReport(
        before=_whole([one.report for one in before]),
        after=_whole([one.report for one in after]),
        changes=tuple(_changes(before, plans)),
        refusals=refusals,
        verdicts=tuple(_verdicts(before, after, plans)),
        source_text=text,
        fixed_text=fixed,
        patch=unified_patch(file, text, fixed),
        accept_sampled=True,
        notes=tuple(_notes(after, plans)),
    )


def planned_of(plans: Iterable[CkPlan]) -> Planned:
    """What the functions of some plans have to give, by their places."""
    return {
        str(one.location): (plan.memory, plan.descriptor)
        for plan in plans
        for one in plan.tile.layouts
    }


def _for_gpus(
    file: Path, text: str, options: Options, *, changed: bool = False
) -> tuple[_ForGpu, ...]:
    """The header read for each GPU that is named."""
    names = tuple(dict.fromkeys((options.target, *options.targets)))
    found = []
    for name in names:
        reading = read_header(file, text, replace(options, target=name), changed=changed)
        suffix = f" [{name}]" if len(names) > 1 else ""
        found.append(_ForGpu(reading, cases(reading), suffix))
    return tuple(found)


def _renamed(kernel: KernelReport, suffix: str) -> KernelReport:
    """A tile and its accesses under names that say for which GPU they are counted."""
    accesses = (
        replace(
            one,
            kernel=f"{one.kernel}{suffix}",
            allocations=tuple(f"{name}{suffix}" for name in one.allocations),
        )
        for one in kernel.accesses
    )
    return replace(kernel, name=f"{kernel.name}{suffix}", accesses=tuple(accesses))


def _whole(reports: Sequence[CheckReport]) -> CheckReport:
    """The reports for all GPUs as one; what is said of all of them is said once."""
    first = reports[0]
    if len(reports) == 1:
        return first
    findings = dict.fromkeys(one for report in reports for one in report.findings)
    refusals = dict.fromkeys(one for report in reports for one in report.refusals)
    notes = dict.fromkeys(note for report in reports for note in report.notes)
    kernels = [kernel for report in reports for kernel in report.kernels]
    return check_report(
        first.file, first.policy, kernels, findings=findings, refusals=refusals, notes=notes
    )


def _together(before: Sequence[_ForGpu]) -> Iterator[tuple[CkCase, ...] | Refusal]:
    """Each tile for all GPUs; or why its text does not serve all of them."""
    counted = [[one for one in gpu.found if isinstance(one, CkCase)] for gpu in before]
    first, *others = counted
    for case in first:
        same = [next((one for one in other if _alike(case, one)), None) for other in others]
        known = tuple(one for one in same if one is not None)
        yield (case, *known) if len(known) == len(others) else _apart(case)
    named = {one.tile.name for one in first}
    yield from (_apart(one) for other in others for one in other if one.tile.name not in named)


def _alike(one: CkCase, other: CkCase) -> bool:
    """Whether both are made by the same statements."""
    return _words(one) == _words(other)


def _words(case: CkCase) -> list[tuple[Location, str]]:
    source = case.reading.run.source
    return [(one.location, source.of(one.node)) for one in case.tile.layouts]


def _apart(case: CkCase) -> Refusal:
    reason = f"{case.tile.name}: not all GPUs compile the same statements of it: ask for each"
    return Refusal(reason, case.tile.location)


def _chosen(
    before: Sequence[_ForGpu],
) -> tuple[list[tuple[CkPlan, ...]], tuple[Refusal, ...], tuple[HeaderEdit, ...]]:
    """The plans that can be written, each for all GPUs, why others cannot, and the edits."""
    chosen: list[tuple[CkPlan, ...]] = []
    refusals: list[Refusal] = []
    changes: list[HeaderEdit] = []
    for together in _together(before):
        better = together if isinstance(together, Refusal) else plan(together)
        if isinstance(better, Refusal) or not better:
            refusals += [better] if isinstance(better, Refusal) else []
            continue
        found = _edits(better)
        if isinstance(found, Refusal):
            refusals.append(found)
            continue
        chosen.append(better)
        changes += found
    return chosen, tuple(refusals), tuple(changes)


def _edits(plans: Sequence[CkPlan]) -> tuple[HeaderEdit, ...] | Refusal:
    """Those of all functions that make the layout of a plan for some GPUs: all or none."""
    one = plans[0]
    name = one.tile.name
    source = one.case.reading.run.source
    if not one.has_room:
        check = "; `bankwise check` prints the text" if len(plans) == 1 else ""
        reason = (
            f"{name}: the descriptor takes {one.more_elements:,} elements more, and nothing in "
            f"this header sizes LDS by it: {sizing(one.case)}{check}"
        )
        return Refusal(reason, one.tile.location)
    found: list[HeaderEdit] = []
    for function, names in zip(one.tile.layouts, one.names, strict=True):
        made = edits(source, function, one.descriptor, names)
        if isinstance(made, Refusal):
            return made
        found += made
    return tuple(found)


def _verdicts(
    before: Sequence[_ForGpu], after: Sequence[_ForGpu], plans: Sequence[tuple[CkPlan, ...]]
) -> Iterator[Verdict]:
    """The proof for each GPU."""
    for n, (old, new) in enumerate(zip(before, after, strict=True)) if plans else ():
        planned = planned_of(each[n] for each in plans)
        said = proved(old.reading.made, new.reading.made, planned)
        status: Status = "failed" if isinstance(said, Refusal) else "passed"
        gpu = f"for {old.suffix[2:-1]} " if old.suffix else ""
        yield Verdict("proof", status, f"{gpu}{said}")


def _notes(after: Sequence[_ForGpu], plans: Sequence[tuple[CkPlan, ...]]) -> Iterator[str]:
    """Under which conditions the text serves."""
    for one in (each[0] for each in plans):
        for function, names in zip(one.tile.layouts, one.names, strict=True):
            yield from one_size(function.name, one.descriptor, names)
        if one.longer:
            yield one.longer
    if any(each[0].more_elements > 0 for each in plans):
        yield from _room(after)


def _room(after: Sequence[_ForGpu]) -> Iterator[str]:
    """Where layouts that got longer may no longer fit beside each other."""
    for gpu in after:
        size = sum(kernel.lds_bytes for kernel in gpu.report.kernels)
        chip = gpu.reading.run.said.machine
        if size > chip.lds_bytes:
            yield (
                f"all layouts of this header together take {size:,} bytes, a workgroup on "
                f"{chip.name} has {chip.lds_bytes:,}: they fit if they are not all alive at once"
            )


def _changes(before: Sequence[_ForGpu], plans: Sequence[tuple[CkPlan, ...]]) -> Iterator[Change]:
    for each in plans:
        for gpu, one in zip(before, each, strict=True):
            names = tuple(f"{function.name}{gpu.suffix}" for function in one.tile.layouts)
            name, costs = f"{one.tile.name}{gpu.suffix}", (one.before, one.after)
            yield Change(name, names, one.words, *costs, one.tried, "", str(one.known))
