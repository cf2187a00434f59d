"""``bankwise check --counters``: a prediction held against a user's profile.

    check's kernels + profile's launches --names, grid--> rows: predicted, measured, difference, why

The prediction is for one workgroup; a launch has as many as its grid, and several launches of a
kernel are added up. What is compared is what the machine's counters count: ``extra`` passes, which
NVIDIA's conflict counters and AMD's SQ_LDS_BANK_CONFLICT add up, and beside them passes and
executed instructions, which tell a wrong count from a wrong number of executions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from bankwise.ask.beside import header
from bankwise.ask.beside.cause import ARBITRATION, RowContext, Seen, cause, refuted
from bankwise.ask.beside.counters import Counter, counters, counters_named
from bankwise.ask.beside.instructions import instruction_rows
from bankwise.ask.beside.odd import odd
from bankwise.ask.beside.profiled import called, one_kernel
from bankwise.ask.beside.rounds import Rounds, rounds_of, unconfirmed
from bankwise.ask.beside.scale import scaled, workgroups_of
from bankwise.ask.check_assembly import UNCOUNTED
from bankwise.ask.folder import APART
from bankwise.ask.worth import measured_worth
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.profile.names import best
from bankwise.profile.table import named
from bankwise.profile.values import Launch, Profile
from bankwise.read.options import argument_name
from bankwise.show.beside import Beside, CounterRow, KernelBeside
from bankwise.show.spec import SpecReport
from bankwise.show.values import CheckReport, KernelReport
from bankwise.show.worth import missing

_LONG = 60
_LANES = "which lanes take part is not known"
_LANES_BY = (
    "--launch or --arg, with the numbers of the launch that was measured, tells which lanes take "
    "part: the sizes and the workgroup's index that guard the accesses"
)
_DIFFER = (
    "blocks of its launch differ, this is the class with the most passes, and what all {:,} do is "
    "not known, or another launch was measured (--launch)"
)
_ONE_TILE = "the profile counts the whole kernel, the question its one tile"


def _lanes_by(kernel: KernelReport) -> str:
    """What tells which lanes take part, by the names of what was seen to decide it."""
    facts = dict.fromkeys(argument_name(key) for one in kernel.openers for key in one.arguments)
    return f"{_LANES_BY} ({', '.join(facts)})" if facts else _LANES_BY


def beside(report: CheckReport, profile: Profile) -> Beside:
    """Hold ``report`` against ``profile``.

    Raises :class:`InputError` if the profile is of another vendor, or has nothing to compare.
    """
    _check_vendor(report, profile)
    if not report.kernels and report.refusals:
        first = report.refusals[0]
        message = f"nothing was counted that a profile could stand beside: {first.reason}"
        raise InputError(message, location=first.location or Location(report.file))
    if any(kernel.tile_passes is not None for kernel in report.kernels):
        return _beside_header(report, profile)
    matched, notes = _match(report, profile)
    kernels = tuple(_kernel(report, kernel, found) for kernel, found in matched)
    if not any(k.rows or k.instructions for k in kernels):
        raise _nothing(profile, kernels)
    above = any(not r.exact and (r.difference or 0) > 0 for k in kernels for r in k.rows)
    if above and profile.vendor == "nvidia":
        notes.append(ARBITRATION)
    return Beside(profile.file, profile.tool, kernels, (*profile.notes, *notes))


def _beside_header(report: CheckReport, profile: Profile) -> Beside:
    """As :func:`beside`, of the tiles of a header: together they stand for all that one kernel of
    the profile does to shared memory, and it is said what that rests on."""
    mine, why = one_kernel(profile)
    kernel, launches = header.whole(report), list(mine.launches)
    header.check_threads(kernel, mine)
    known = {refusal for one in report.kernels for refusal in one.refusals}
    missing = tuple(one for one in report.refusals if one not in known)
    scale = None
    if not missing:
        kernel, scale = header.as_often(kernel, launches, workgroups_of(kernel, launches)[0])
    found = _kernel(replace(report, kernels=(kernel,), refusals=missing), kernel, launches)
    if not found.rows:
        raise _nothing(profile, [found])
    if scale is not None and any(row.difference for row in found.rows):
        # Executed instructions that happen to be whole passes are no scale.
        kernel, scale = header.whole(report), None
        found = _kernel(replace(report, kernels=(kernel,)), kernel, launches)
    seen = _shared_counters(kernel, launches)
    found = header.told(found, kernel, scale, report.kernels, seen)
    taken = f"{called(launches[0].kernel)} is taken to be what uses this header: {why}"
    return Beside(profile.file, profile.tool, (found,), (*profile.notes, taken))


def beside_question(question: SpecReport, profile: Profile) -> Beside:
    """As :func:`beside`, of a tile question, whose tile stands for all that its kernel does to
    shared memory. InputError where the question does not say how often a workgroup does it."""
    if question.passes is None:
        message = "how often a workgroup passes over the tile is not said"
        hint = "[launch] says it (docs/notations.md)"
        raise InputError(message, location=Location(question.check.file), hint=hint)
    found = beside(question.check, profile)
    return replace(found, notes=(*found.notes, _ONE_TILE))


def _check_vendor(report: CheckReport, profile: Profile) -> None:
    for kernel in report.kernels:
        if machine(kernel.target).vendor != profile.vendor:
            message = f"{profile.tool} measured no {kernel.target}"
            hint = f"{report.file} is for {kernel.target}: profile that"
            raise InputError(message, location=Location(profile.file), hint=hint)


def _nothing(profile: Profile, kernels: Sequence[KernelBeside]) -> InputError:
    place = Location(profile.file)
    if not kernels:
        message = "no kernel of the check is in this profile"
        return InputError(message, location=place, hint=f"it has {named(profile.kernels)}")
    seen = list(dict.fromkeys(name for launch in profile.launches for name in launch.counters))
    known = {counter.name for counter in counters(profile.vendor)}
    message = "no counter of shared memory in this profile"
    if known & set(seen):
        message = "no counter of shared memory has a value in every launch of a kernel"
    return InputError(
        message,
        location=place,
        hint=f"it has {named(seen)}; wanted is one of {counters_named(profile.vendor)}",
    )


def _match(
    report: CheckReport, profile: Profile
) -> tuple[list[tuple[KernelReport, list[Launch]]], list[str]]:
    """Each kernel with its launches; and what stayed alone, with the reason."""
    names = [kernel.name.split(APART)[0] for kernel in report.kernels]
    found: dict[int, list[Launch]] = defaultdict(list)
    notes = []
    if len(names) == 1 and len(profile.kernels) == 1 and not best(profile.kernels[0], names):
        said = (
            f"{_quoted(profile.kernels[0])} is taken to be {names[0]!r}: each file has one kernel"
        )
        return [(report.kernels[0], list(profile.launches))], [said]
    for wanted in profile.kernels:
        places = best(wanted, names)
        if len(places) == 1:
            found[places[0]] += [x for x in profile.launches if x.kernel == wanted]
        elif places:
            several = ", ".join(names[n] for n in places)
            notes.append(f"{_quoted(wanted)} is left out: it may be any of {several}")
        else:
            why = "it is not among the kernels that were checked"
            notes.append(f"{_quoted(wanted)} is left out: {why}")
    notes += [f"{called(n)} is not in the profile" for at, n in enumerate(names) if at not in found]
    return [(report.kernels[at], launches) for at, launches in sorted(found.items())], notes


def _quoted(name: str) -> str:
    """A name that a line has room for."""
    return repr(name if len(name) <= _LONG else called(name))


def _kernel(report: CheckReport, kernel: KernelReport, launches: list[Launch]) -> KernelBeside:
    scale = scaled(kernel, launches)
    kernel = scale.kernel
    rounds = _rounds(report, kernel, launches, scale.times)
    kernel = kernel if rounds is None else rounds.kernel
    unsure = _unsure(kernel)
    times = None if unsure else scale.times
    instructions, unpaired = instruction_rows(kernel, launches, times)
    machine_code = bool(kernel.accesses) and all(a.address is not None for a in kernel.accesses)
    notes = (*unpaired, *scale.notes)
    exact = bool(instructions) and all(r.predicted == r.measured for r in instructions)
    seen = _shared_counters(kernel, launches)
    incomplete = [*unsure, *(str(r) for r in report.refused(kernel))]
    worth = measured_worth(kernel, launches, missing(report.refused(kernel)))
    vendor = machine(kernel.target).vendor
    free = _free(kernel, report.refused(kernel), seen)
    every = scale.times if incomplete == [_LANES] else None
    case = RowContext(vendor, tuple(incomplete), exact, tuple(seen), times, free, every)
    rows = [_row(c, m, kernel, times, case) for c, _, m in seen]
    notes = (*notes, *([_lanes_by(kernel)] if every and vendor == "nvidia" else ()))
    if rounds is not None:
        rows = unconfirmed(rows, rounds.counters, "rounds")
        notes = (*notes, str(rounds))
    return KernelBeside(
        kernel=kernel.name,
        measured_as=", ".join(dict.fromkeys(launch.kernel for launch in launches)),
        launches=len(launches),
        workgroups=scale.workgroups,
        scale=scale.known,
        rows=tuple(rows),
        instructions=instructions,
        worth=worth,
        notes=(*odd(kernel, launches, seen), *(worth.notes if worth else ()), *notes),
        other_code=unpaired if machine_code else (),
        partly=times is None,
        each=scale.each,
        refuted="" if rounds is not None and vendor == "amd" else refuted(case),
    )


def _free(
    kernel: KernelReport, refused: Sequence[Refusal], seen: Sequence[Seen]
) -> tuple[Counter, ...]:
    """Counters that are 0 however often things run. None of a part of a kernel, or where something
    was not analysed, and none of AMD: theirs take in copies straight to LDS."""
    if refused or kernel.tile_passes is not None or machine(kernel.target).vendor == "amd":
        return ()
    return tuple(counter for counter, _, _ in seen if counter.free(kernel))


def _rounds(
    report: CheckReport, kernel: KernelReport, launches: list[Launch], groups: int | None
) -> Rounds | None:
    """How often loops ran whose rounds nobody knows, where that is all that is not known, or which
    lanes take part, too: a wave executes an instruction whichever of them do."""
    unsure = _unsure(kernel)
    if not groups or report.refused(kernel) or unsure not in ([UNCOUNTED], [UNCOUNTED, _LANES]):
        return None
    return rounds_of(kernel, launches, groups, lambda access: not access.counted)


def _unsure(kernel: KernelReport) -> list[str]:
    """Why one workgroup's numbers are not those of every workgroup; empty if they are."""
    some, found = kernel.accesses, [header.UNSAID] if kernel.tile_passes == 0 else []
    if not all(a.counted for a in some):
        found.append(UNCOUNTED)
    if any(a.counted and not a.run.exact for a in some):
        found.append(_LANES)
    if any(a.one_workgroup for a in some):
        found.append("other workgroups touch other places")
    if kernel.classes:
        found.append(_DIFFER.format(sum(one.count for one in kernel.classes)))
    return found


def _row(
    counter: Counter,
    measured: float,
    kernel: KernelReport,
    groups: int | None,
    case: RowContext,
) -> CounterRow:
    each, assumed = counter.predict(kernel), counter.assume(kernel)
    predicted = 0 if counter in case.free else None if groups is None else each * groups
    passes = replace(counter, quality="passes").predict(kernel) * (groups or 0)
    why = cause(counter, each, predicted, measured, case, passes)
    if assumed:
        why = f"{assumed:,} a workgroup are assumed, by rules that are unknown; {why}"
    return CounterRow(
        counter.what, counter.name, counter.exact, each, assumed, predicted, measured, why
    )


def _shared_counters(
    kernel: KernelReport, launches: list[Launch]
) -> list[tuple[Counter, int, float]]:
    """The counters that every launch has: their prediction for a workgroup, and their sum."""
    found = []
    for counter in counters(machine(kernel.target).vendor):
        values = [launch.counters.get(counter.name) for launch in launches]
        if all(v is not None for v in values):
            total = sum(v.value for v in values if v is not None)
            found.append((counter, counter.predict(kernel), total))
    return found
