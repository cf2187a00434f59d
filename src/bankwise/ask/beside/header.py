"""The tiles of a header beside the profile of a kernel that uses it.

A header is a part of a kernel. What it says is what one pass over its tiles costs; a counter adds
up all passes of all workgroups, and whatever else the kernel does to shared memory. So the number
of passes is what somebody says (``--times``), or what the counted instructions stand for, if they
are whole passes; else only ratios are compared, which need no such number.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isclose

from msgspec.structs import replace

from bankwise.ask.beside.cause import Seen, rated_by
from bankwise.ask.beside.counters import Counter
from bankwise.ask.beside.profiled import called
from bankwise.ask.beside.rounds import rounds_of, unconfirmed
from bankwise.errors import InputError, Location
from bankwise.profile.values import Launch, Profile
from bankwise.show.beside import KernelBeside
from bankwise.show.values import CheckReport, KernelReport

UNSAID = "how often a workgroup passes over the tiles is not known"
"""Why only rates are compared."""
_OTHER = "other sizes or another layout ran"
_ALONE = "the measured rate is that of the tile alone"
_BETWEEN = "the measured rate lies between those of these tiles: a mixture of them has it"
_LESS = (
    f"measured is less than any mixture of its tiles has: other accesses conflict less, or {_OTHER}"
)
_MORE = (
    f"measured is more than any mixture of its tiles has: other accesses conflict more, or {_OTHER}"
)
_UNMIXED = "no mixture of its tiles has as many conflicts as were measured"
_NOTHING_ELSE = (
    "the profile counts the whole kernel, and it executed as many instructions of shared memory as "
    "these tiles are: what else it may do there is copies straight to LDS"
)


def whole(report: CheckReport) -> KernelReport:
    """All tiles of a header as one kernel that passes over each of them as often as is said, once
    where nobody says."""
    some = report.kernels
    return replace(
        some[0],
        name=" and ".join(one.name for one in some),
        accesses=tuple(access for one in some for access in one.accesses),
        refusals=(),
    )


def check_threads(kernel: KernelReport, profile: Profile) -> None:
    """:class:`InputError` where another block was launched than the header is read for."""
    x, y, z = kernel.workgroup_size
    other = next((n for n in profile.launches if n.threads not in (None, x * y * z)), None)
    if other is not None:
        raise InputError(
            f"{called(other.kernel)} ran with workgroups of {other.threads} threads, "
            f"{kernel.name} is read for {x * y * z}",
            location=Location(profile.file),
            hint=f"--dim kBlockSize={other.threads} and what goes with it, or --profiled for "
            "another kernel",
        )


def as_often(
    kernel: KernelReport, launches: Sequence[Launch], groups: int | None
) -> tuple[KernelReport, Counter | None]:
    """The kernel with as many passes a workgroup as its executed instructions stand for, and the
    counter that says so. As it is where that is said, or is no whole number."""
    if kernel.tile_passes or not groups:
        return kernel, None
    found = rounds_of(kernel, launches, groups, lambda _: True)
    if found is None:
        return kernel, None
    return replace(found.kernel, tile_passes=found.times), found.counters[0]


def told(
    found: KernelBeside,
    kernel: KernelReport,
    scale: Counter | None,
    tiles: Sequence[KernelReport],
    seen: Sequence[Seen],
) -> KernelBeside:
    """The comparison with the condition that it stands under; the counter that is the scale
    confirms nothing."""
    rows = tuple(unconfirmed(found.rows, [scale] if scale else [], "passes"))
    mixed = "" if kernel.tile_passes else _mixed(seen, tiles)
    refuted = _UNMIXED if mixed == _MORE else found.refuted
    first = _NOTHING_ELSE if found.refuted else _condition(kernel, scale, tiles)
    other = _otherwise(seen, found.workgroups, tiles) if scale is None else ""
    notes = (*found.notes, first, *(one for one in (mixed, other) if one))
    return replace(found, rows=rows, notes=notes, each=kernel.each, refuted=refuted)


def _condition(kernel: KernelReport, scale: Counter | None, tiles: Sequence[KernelReport]) -> str:
    alike = ", and passes over each of them as often" if len(tiles) > 1 else ""
    alone = f"if the kernel does nothing to shared memory but that{alike}"
    if scale is not None:
        often = (
            f"{scale.name} is that of {kernel.tile_passes:,} passes a workgroup over {kernel.name}"
        )
        return f"{often}, {alone}: predicted is as many (--times N says it)"
    if kernel.tile_passes:
        return (
            "the profile counts the whole kernel, the header is its tiles alone: what is more may "
            f"be what else the kernel does to shared memory, what is less not: {_OTHER}"
        )
    return f"without --times N only rates are compared; they have to agree {alone}"


def _otherwise(seen: Sequence[Seen], groups: int | None, tiles: Sequence[KernelReport]) -> str:
    """How many passes the executed instructions are, where that is not what was said, and what the
    other counters would be then; empty where they are no whole number of passes."""
    said = {one.tile_passes or 0 for one in tiles}
    executed = [one for one in seen if one[0].quality == "instructions" and one[1]]
    if not groups or len(said) != 1 or len(executed) != 1:
        return ""
    (counter, each, measured), asked = executed[0], said.pop()
    times = Fraction(measured) * (asked or 1) / (each * groups)
    if times.denominator != 1 or times in (0, asked):
        return ""
    scale = times * groups / (asked or 1)
    off = [(one, scale * own, value) for one, own, value in seen if scale * own != value]
    if not off:
        return f"all {len(seen)} counters fit --times {times}" if len(seen) > 1 else ""
    other, predicted, value = off[0]
    return (
        f"{counter.name} fits --times {times}; then {other.name} would be {int(predicted):,}, and "
        f"is {value:,.0f}: {_BEFORE}"
    )


_BEFORE = "was another text of the header measured, before or after a change, or other sizes?"


def _mixed(seen: Sequence[Seen], tiles: Sequence[KernelReport]) -> str:
    """Where the measured rate lies beside those of the tiles, whatever their mixture is; empty
    where no rate was measured."""
    rated = ((one, rated_by(one[0], seen)) for one in seen)
    extra, of = next(((one, of) for one, of in rated if of is not None), (None, None))
    if extra is None or of is None:
        return ""
    rates = [extra[0].predict(one) / of[0].predict(one) for one in tiles if of[0].predict(one)]
    measured, low, high = extra[2] / of[2], min(rates), max(rates)
    if isclose(low, measured) or isclose(high, measured) or low <= measured <= high:
        return _ALONE if len(tiles) == 1 else _BETWEEN
    return _LESS if measured < low else _MORE
