"""Why a counter differs from the prediction: the likeliest reason that the numbers leave.

Ordered: what makes the comparison void comes first, then what the executed instructions decide,
then what is known of the counter itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from bankwise.ask.beside.counters import Counter
from bankwise.hardware.machine import Vendor
from bankwise.show.beside import AS_PREDICTED

Seen = tuple[Counter, int, float]
"""A counter, its prediction for one workgroup, its measured sum."""

ARBITRATION = (
    "NVIDIA's counters of a whole kernel also count turns lost to other traffic of the same data "
    "stage (global loads and stores, TMA); the counts of single instructions do not (documented; "
    "seen on an H200; `bankwise explain arbitration`)"
)
"""What explains counters above the prediction; printed once."""

_LOST = "turns lost to other traffic, no conflicts"
_MOST_LOST = 0.17
"""The most that lost turns were seen to add to the passes of a kernel: in transposes on an H200
(docs/results_h200_fix.md)."""
_FAR_MORE = 10 * _MOST_LOST
"""What is more is taken for no lost turns, also of a kernel that is mostly busy with other traffic:
a conflict of four ways in every pass adds 3."""


class RowContext(Struct, frozen=True):
    """What is known beside one row.

    ``incomplete``: what of the kernel is not counted. ``exact``: every instruction of the profile
    agrees with the prediction. ``seen``: all counters of this kernel. ``groups``: workgroups of all
    launches, None where only rates compare. ``free``: counters that are 0 whatever else is unknown.
    ``if_all``: the workgroups, where nothing is unknown but which of the lanes take part.
    """

    vendor: Vendor
    incomplete: tuple[str, ...]
    exact: bool
    seen: tuple[Seen, ...]
    groups: int | None = None
    free: tuple[Counter, ...] = ()
    if_all: int | None = None


def cause(
    counter: Counter,
    per_workgroup: int,
    predicted: int | None,
    measured: float,
    case: RowContext,
    passes: int = 0,
) -> str:
    """In words; "as predicted" where the two agree. ``passes``: of what the counter takes in, as
    predicted, by which a difference is large or small; 0 where that is not known."""
    if predicted is None:
        return _unscaled(counter, per_workgroup, measured, case)
    if measured == predicted:
        return AS_PREDICTED
    if case.incomplete and counter not in case.free and measured > predicted:
        return f"not everything is counted: {case.incomplete[0]}"
    groups = case.groups or (predicted // per_workgroup if per_workgroup else None)
    other = _executions(counter, groups, case)
    if other:
        return other
    if measured < predicted:
        return _fewer(counter, measured, case)
    more = (measured - predicted) / passes if passes else _lost(counter, measured, case)
    return _nvidia(counter, case, more) if case.vendor == "nvidia" else _amd(counter, case)


def _unscaled(counter: Counter, per_workgroup: int, measured: float, case: RowContext) -> str:
    """Without a grid only rates compare: extra passes of each pass, or of each instruction."""
    why = "the number of workgroups is not known" if not case.incomplete else case.incomplete[0]
    of = rated_by(counter, case.seen)
    if case.if_all is not None:
        told = per_workgroup * case.if_all
        why += f"; with all that may, {told:,}{', as measured' if told == measured else ''}"
    if of is None:
        return f"not comparable: {why}"
    own = next(s for s in case.seen if s[0] == counter)
    rates = own[1] / of[1], own[2] / of[2]
    if of[0].quality == "passes":
        said = "extra of all passes: predicted {:.1%}, measured {:.1%}"
    else:
        said = "extra passes an instruction: predicted {:.2f}, measured {:.2f}"
    return f"{why}; {said.format(*rates)}"


def rated_by(counter: Counter, seen: Sequence[Seen]) -> Seen | None:
    """Of what a counter of extra passes is a rate that needs no scale: passes, else instructions
    of the same accesses; None where neither was measured."""
    alike = [
        one
        for one in seen
        if (one[0].direction, one[0].kinds) == (counter.direction, counter.kinds) and all(one[1:])
    ]
    wanted = ("passes", "instructions") if counter.quality == "extra" else ()
    return next((one for quality in wanted for one in alike if one[0].quality == quality), None)


def _lost(counter: Counter, measured: float, case: RowContext) -> float:
    """Of a counter that should be 0: its part of the passes that would be left without it."""
    of = rated_by(counter, case.seen)
    if of is None or of[0].quality != "passes" or counter not in case.free or of[2] <= measured:
        return 0.0
    return measured / (of[2] - measured)


def _executions(counter: Counter, groups: int | None, case: RowContext) -> str:
    """Whether the kernel executed another number of instructions than predicted."""
    if counter.quality == "instructions":
        return "other trip counts, waves that skip it, or accesses joined or split by the compiler"
    if groups is None:
        return ""
    for other, predicted, measured in case.seen:
        covers = counter.direction is None or other.direction in (None, counter.direction)
        if other.quality == "instructions" and covers and predicted * groups != measured:
            return (
                f"{measured:,.0f} instructions were executed, {predicted * groups:,} predicted "
                f"({other.name})"
            )
    return ""


def _fewer(counter: Counter, measured: float, case: RowContext) -> str:
    if case.vendor == "amd" and not measured and counter.quality == "extra":
        return "this counter reads zero on some parts (claimed): compare times instead"
    if _executed_alike(case):
        return (
            "as many instructions were executed as predicted: fewer lanes took part, or another "
            "layout or other sizes ran than those that were checked"
        )
    return "fewer lanes or waves took part than predicted, or the compiler joined accesses"


def _nvidia(counter: Counter, case: RowContext, more: float) -> str:
    if counter.exact:
        return "the code that ran touches shared memory otherwise than the checked text"
    if case.exact or any(c.exact and _agrees(c, p, m, case) for c, p, m in case.seen):
        return f"{_LOST}: by instruction it is as predicted"
    if more > _MOST_LOST:
        return (
            f"{more:.0%} of its passes more; lost turns were seen to add {_MOST_LOST:.0%} at most: "
            "rather another launch, build or kernel; `--page source` shows it by instruction"
        )
    return f"likely {_LOST}: `--page source` shows it by instruction"


def _agrees(exact: Counter, per_workgroup: int, measured: float, case: RowContext) -> bool:
    """Whether an exact counter shows the prediction, by the scale of the other counters."""
    return any(
        c.quality == "instructions" and p and measured * p == per_workgroup * m
        for c, p, m in case.seen
        if c is not exact
    )


def _amd(counter: Counter, case: RowContext) -> str:
    if counter.quality == "passes":
        also = next((c.name for c, p, m in _extras(case) if m > p * (case.groups or 0)), "")
        half = "it counts a cycle for half-waves without active lanes too (documented)"
        return f"conflicts are a part of it, and {also} is more, too" if also else half
    if _executed_alike(case):
        return (
            "as many instructions were executed as predicted: another layout or other sizes ran "
            "than those that were checked, or copies straight to LDS conflict"
        )
    return "likely LDS instructions that are not predicted: lane exchanges, direct-to-LDS copies"


def refuted(case: RowContext) -> str:
    """Why counters that are not exact are not of what was counted, in words; empty where they may
    be, or where an exact one decides.

    NVIDIA's also count lost turns: what no access adds, and is far more than those were seen to be,
    is none. AMD's count the whole kernel, copies straight to LDS too. Where as many instructions
    were executed as predicted, what conflicts otherwise is those instructions, or a copy.
    """
    if case.vendor == "nvidia":
        return "" if any(one[0].exact for one in case.seen) else _never_so_many(case)
    if case.incomplete or not _executed_alike(case):
        return ""
    other = (c.name for c, p, m in _extras(case) if m != p * (case.groups or 0) and (m or not p))
    name = next(other, "")
    said = f"{name} is not as predicted, of as many instructions as predicted"
    return said if name else ""


def _never_so_many(case: RowContext) -> str:
    lost = ((c.name, _lost(c, m, case)) for c, _, m in _extras(case))
    name, more = next(((name, more) for name, more in lost if more > _FAR_MORE), ("", 0.0))
    said = f"{name} is {more:.0%} of the other passes, and no access conflicts that it counts"
    return said if name else ""


def _extras(case: RowContext) -> Iterator[Seen]:
    return (one for one in case.seen if one[0].quality == "extra")


def _executed_alike(case: RowContext) -> bool:
    """Whether as many instructions of shared memory were executed as predicted."""
    return any(
        other.quality == "instructions" and bool(measured) and predicted * case.groups == measured
        for other, predicted, measured in case.seen
        if case.groups is not None
    )
