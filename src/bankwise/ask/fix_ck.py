"""``bankwise fix policy.hpp``: another descriptor in the header's words, proved on both texts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bankwise.ask.check_ck import report_of
from bankwise.ask.ck_plans import CkPlan, CkReading, read_header
from bankwise.change.ck import HeaderEdit, Planned, applied, edits, proved
from bankwise.errors import Refusal
from bankwise.files import check_writable, read_text
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
from bankwise.show.fixing import Change, FixReport, Verdict
from bankwise.show.patch import unified_patch


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
        check_writable(Path(output))
    text = read_text(file)
    reading = read_header(file, text, options)
    before, plans = report_of(reading)
    chosen, refusals, changes = _chosen(reading, plans)
    fixed = applied(text, changes)
    again = read_header(file, fixed, options) if chosen else reading
    after = report_of(again)[0] if chosen else before
    planned = planned_of(chosen)
    said = proved(reading.made, again.made, planned) if chosen else ""
    failed = isinstance(said, Refusal)
    verdicts = (Verdict("proof", "failed" if failed else "passed", str(said)),) if chosen else ()
    return FixReport(
        before=before,
        after=after,
        changes=tuple(map(_change, chosen)),
        refusals=refusals,
        verdicts=verdicts,
        source_text=text,
        fixed_text=fixed,
        patch=unified_patch(file, text, fixed),
        accept_sampled=True,
        by_line=True,
    )


def planned_of(plans: Iterable[CkPlan]) -> Planned:
    """What the functions of some plans have to give, by their places."""
    return {
        str(one.location): (plan.memory, plan.descriptor)
        for plan in plans
        for one in plan.tile.layouts
    }


def _chosen(
    reading: CkReading, plans: tuple[CkPlan, ...]
) -> tuple[tuple[CkPlan, ...], tuple[Refusal, ...], tuple[HeaderEdit, ...]]:
    """The plans that can be written, why others cannot, and the edits."""
    chosen: list[CkPlan] = []
    refusals: list[Refusal] = []
    changes: list[HeaderEdit] = []
    for one in plans:
        found = _edits(reading, one)
        if isinstance(found, Refusal):
            refusals.append(found)
            continue
        chosen.append(one)
        changes += found
    return tuple(chosen), tuple(refusals), tuple(changes)


def _edits(reading: CkReading, one: CkPlan) -> tuple[HeaderEdit, ...] | Refusal:
    """Those of all functions that make the layout: all or none."""
    name = one.tile.name
    source = reading.run.source
    sized = f"{name}<Problem>().get_element_space_size" in "".join(source.text.split())
    if one.more_elements > 0 and not sized:
        reason = (
            f"{name}: the descriptor takes {one.more_elements:,} elements more, and nothing in "
            "this header sizes LDS by it; `bankwise check` prints the text"
        )
        return Refusal(reason, one.tile.location)
    found: list[HeaderEdit] = []
    for function, names in zip(one.tile.layouts, one.names, strict=True):
        made = edits(source, function, one.descriptor, names)
        if isinstance(made, Refusal):
            return made
        found += made
    return tuple(found)


def _change(one: CkPlan) -> Change:
    names = tuple(function.name for function in one.tile.layouts)
    known = str(one.known)
    return Change(one.tile.name, names, one.words, one.before, one.after, one.tried, "", known)
