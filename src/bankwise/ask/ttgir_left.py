"""What the code of a fixed TTGIR still has: conflicts by the author's lines, and what differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bankwise.ask.ttgir_code import EmittedText
from bankwise.counting.counted import AccessReport
from bankwise.errors import Location, Refusal
from bankwise.read.names import listed, variables
from bankwise.read.ttgir.accesses import SCRATCH
from bankwise.show.values import AsEmitted, KernelReport

_SHOWN = 6
"""Lines that are told one by one."""
_TUNE = "bankwise.triton.tune counts them"
_KNOBS = (
    "what is left may go with another num_warps, num_stages, block size or order of a load "
    f"({_TUNE})"
)


def as_emitted(code: EmittedText, planned: KernelReport) -> KernelReport:
    """The code as a kernel that has the last word over the text; ``planned``: what that says."""
    made = AsEmitted(f"Triton {code.made.version}", planned.added)
    return replace(code.report, name=planned.name, compiled=made)


def own_line(access: AccessReport) -> str:
    """The author's line, in brackets; empty where the text names none."""
    at = access.origin
    return "" if at is None else f" ({Location(at.file, at.line)})"


def conflicts_left(code: EmittedText, planned: KernelReport) -> Iterator[Refusal]:
    """Conflicts that the code still has, by the author's lines where it names them.

    ``planned``: the kernel as its text says, for the names of buffers; what is scratch there is
    told with the reason why it stays.
    """
    groups = defaultdict[tuple[Location, str], list[AccessReport]](list)
    for access in code.report.accesses:
        if access.run.extra:
            groups[_place(access), access.direction].append(access)
    rows = [
        Refusal(_told(some, names, code.how), place)
        for (place, direction), some in groups.items()
        if (names := _buffers(place, direction, planned)) != (SCRATCH,)
    ]
    yield from rows[:_SHOWN]
    if len(rows) > _SHOWN:
        yield Refusal(f"and conflicts of {len(rows) - _SHOWN} more lines, which `check` shows")


def _place(access: AccessReport) -> Location:
    at = access.origin
    return access.location if at is None else Location(at.file, at.line)


def _buffers(place: Location, direction: str, planned: KernelReport) -> tuple[str, ...]:
    """The buffers that the text accesses so at a line, those that conflict there if any does."""
    here = [a for a in planned.accesses if (_place(a), a.direction) == (place, direction)]
    some = [a for a in here if a.run.extra] or here
    return tuple(dict.fromkeys(name for a in some for name in a.allocations))


def _told(some: Sequence[AccessReport], names: tuple[str, ...], how: str) -> str:
    extra = sum(a.run.extra for a in some)
    assumed = sum(a.run.extra for a in some if a.assumed)
    which = {0: "", extra: "assumed "}.get(assumed, f"({assumed:,} of them assumed) ")
    what = f"{some[0].direction} {variables(names)}: " if names else ""
    instructions = listed(list(dict.fromkeys(a.instruction for a in some)))
    return f"{what}{extra:,} {which}conflicts of a workgroup are left in its {how} ({instructions})"


def notes_of(code: EmittedText, planned: KernelReport, told: Sequence[Refusal]) -> Iterator[str]:
    """What the table of a text does not say of its code; ``told``: what stays as it is."""
    said = {access.instruction for access in planned.accesses}
    other = dict.fromkeys(a.instruction for a in code.report.accesses if a.kind != "barrier")
    new = [name for name in other if name not in said]
    if new:
        yield (
            f"the table has the instructions that TTGIR announces; its {code.how} has "
            f"{listed(new)}, too"
        )
    if code.report.whole.extra and not any(_TUNE in one.reason for one in told):
        yield _KNOBS
