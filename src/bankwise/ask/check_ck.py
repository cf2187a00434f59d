"""``bankwise check policy.hpp``: the LDS layouts of a CK header, counted at the lines that make
them, and the descriptor that replaces each one that conflicts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from bankwise.ask.ck_cases import CkCase, CkPlan, cases
from bankwise.ask.ck_names import one_size
from bankwise.ask.ck_plans import plan, unpromised
from bankwise.ask.ck_reading import CkReading, read_header
from bankwise.ask.kernel_report import check_report
from bankwise.change.ck import snippet
from bankwise.counting.counted import repeated
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.read.ck.tiles import CkTile
from bankwise.read.names import listed, means
from bankwise.read.options import Options, Progress, command
from bankwise.show.advised import Optimum, Snippet
from bankwise.show.values import CheckReport, KernelReport


def check_ck_file(path: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Count every LDS layout of a header that is paired with who stores and who loads.

    ``options.dims`` says what the header leaves open. Raises :class:`InputError` with the names
    where nothing can be judged without them.
    """
    reading = read_header(path, read_text(path), options)
    times = _times(reading, options.times)
    return report_of(reading, command("fix", str(path), options), times)[0]


def report_of(
    reading: CkReading, fix: str = "", times: Mapping[str, int] = MappingProxyType({})
) -> tuple[CheckReport, tuple[CkPlan, ...]]:
    """The report of a header, and the plans for what conflicts; ``fix``: the command that writes
    them. ``times``: how often a workgroup passes over a tile, by its name, as far as it is said."""
    found = cases(reading)
    plans = [plan([one]) for one in found if isinstance(one, CkCase)]
    report = counted_report(reading, found, times)
    pairs = zip(report.kernels, plans, strict=True)
    kernels = tuple(_advised(kernel, better, fix, times) for kernel, better in pairs)
    made = tuple(each for one in plans if not isinstance(one, Refusal) for each in one)
    return replace(report, kernels=kernels), made


def counted_report(
    reading: CkReading,
    found: Sequence[CkCase | Refusal],
    times: Mapping[str, int] = MappingProxyType({}),
) -> CheckReport:
    """What is counted of a header, and what is not."""
    some = [one for one in found if isinstance(one, CkCase)]
    refusals = [one for one in found if isinstance(one, Refusal)]
    refusals += [refusal for one in some for refusal in one.before.check.refusals]
    findings = [finding for one in some for finding in one.before.check.findings]
    kernels = [_kernel(one, times) for one in some]
    notes = [f"{name}: taken as not defined (--dim {name}=1)" for name in reading.header.assumed]
    file = reading.run.source.file
    return check_report(file, "ck", kernels, findings=findings, refusals=refusals, notes=notes)


def _advised(
    kernel: KernelReport,
    found: tuple[CkPlan, ...] | Refusal,
    fix: str,
    times: Mapping[str, int],
) -> KernelReport:
    """A tile with the plan for it, or with the reason that there is none."""
    if isinstance(found, Refusal):
        return replace(kernel, notes=(*kernel.notes, found.reason))
    for better in found:
        now, then = (cost * times.get(kernel.name, 1) for cost in (better.before, better.after))
        best = Optimum((kernel.name,), now, then, better.known)
        return replace(kernel, optima=(best,), snippets=tuple(_snippets(better, fix)))
    return kernel


def _times(reading: CkReading, said: Sequence[str]) -> dict[str, int]:
    """How often a workgroup passes over each tile. InputError for a text that says no such thing,
    and where it is said of some tiles alone."""
    found: dict[str, int] = {}
    names = [tile.name for tile in reading.tiles]
    for text in said:
        pattern, _, number = text.rpartition("=")
        wanted = [name for name in names if means(pattern, name)]
        if not re.fullmatch(r"[1-9][0-9]{0,17}", number):
            hint = "for example --times 64, or --times 'MakeK*=64'"
            raise InputError(f"--times {text!r} is not N, nor NAME=N", hint=hint)
        if not wanted:
            hint = f"it has {listed(names)}"
            place = Location(reading.run.source.file)
            raise InputError(f"--times {text!r}: no such layout", location=place, hint=hint)
        found |= dict.fromkeys(wanted, int(number))
    left = [name for name in names if name not in found]
    if found and left:
        place = Location(reading.run.source.file)
        hint = f"--times N says it of all, --times '{left[0]}=N' of one"
        raise InputError(f"--times says nothing of {listed(left)}", location=place, hint=hint)
    return found


def _kernel(case: CkCase, times: Mapping[str, int]) -> KernelReport:
    """A tile as the kernel that a report is made of: one pass, or as many as are said."""
    counted, tile = case.before.check.kernels[0], case.tile
    often = times.get(tile.name, 0)
    accesses = tuple(repeated(a, often) if often else a for a in counted.accesses)
    passes = "one pass over the tile is counted; --times says how many a workgroup makes"
    said = f"{often:,} passes over the tile a workgroup" if often else passes
    notes = (_pairs(tile), *_joined(case), said)
    return replace(
        counted, location=tile.location, notes=notes, accesses=accesses, tile_passes=often
    )


def _joined(case: CkCase) -> Iterator[str]:
    """Under which condition elements that CK moves one by one are counted together."""
    names = unpromised(case.asked)
    if names:
        yield (
            f"{', '.join(names)}: no vector is promised, so that CK moves one element at a time; "
            "counted is what the compiler joins, as in the published kernels of that kind, if it "
            "sees that they lie side by side (a promise, number<N>{}, number<1>{} behind strides, "
            "leaves it no choice)"
        )


def _pairs(tile: CkTile) -> str:
    """Who moves what, as it was taken from names."""
    stores = ", ".join(use.name for op, use in tile.uses if op == "write")
    loads = ", ".join(use.name for op, use in tile.uses if op == "read") or "the warp GEMM"
    return f"by their names: {stores} stores, {loads} loads"


def _snippets(better: CkPlan, fix: str) -> Iterator[Snippet]:
    """The statements of each function that lays the tile out, in the header's own names."""
    functions, source = better.tile.layouts, better.case.reading.run.source
    for one, names in zip(functions, better.names, strict=True):
        room = (better.longer,) if better.longer else ()
        others = ", ".join(other.name for other in functions if other is not one)
        beside = (f"together with {others}, which lays out the same tile",) if others else ()
        yield Snippet(
            language="CK source",
            what=f"how {one.name} makes its descriptor",
            text=snippet(source, one, better.descriptor, names),
            location=one.location,
            before=better.before.passes,
            after=better.after.passes,
            each="pass over the tile",
            command=fix,
            notes=(*beside, *room, *one_size(one.name, better.descriptor, names)),
        )
