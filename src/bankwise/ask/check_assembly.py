"""``bankwise check`` on emitted code: AMD assembly, PTX, SASS, cubins, from any compiler."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from bankwise.ask.kernel_report import check_report, kernel_report
from bankwise.ask.launch_asked import launch_asked
from bankwise.ask.offsets import offsets_after_xor
from bankwise.ask.over_blocks import (
    classes_of,
    elsewhere,
    other_launches_of,
    refused_elsewhere,
)
from bankwise.ask.over_launches import over_launches, worst_first
from bankwise.ask.samples import sample_of, with_samples
from bankwise.ask.write_emitted import Origin
from bankwise.counting.access import Pattern
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import IssuedPattern, Kernel, KernelAccess, WaveInstruction
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.hardware.machine import Machine, machine
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel, Opener
from bankwise.read.follow.driver import check_code
from bankwise.read.format import Format
from bankwise.read.launch.facts import MOST_TRIED
from bankwise.read.launch.read import read_launches
from bankwise.read.names import short
from bankwise.read.options import Options, Progress, arguments_of, command, three
from bankwise.read.recognise import load, recognise
from bankwise.read.ttgir.beside import keys_beside, launches_beside
from bankwise.show.advised import AS_FOLLOWED
from bankwise.show.values import CheckReport, Finding, KernelReport
from bankwise.show.words import several

if TYPE_CHECKING:
    from bankwise.ask.advice import Advice

UNCOUNTED = "how often it runs is not known"
"""In the note of an access whose executions are no count."""

Counted = tuple[tuple[AccessReport, ...], tuple[Refusal, ...]]
"""The accesses of a kernel under one launch, and why some are not counted."""

_HEAD = 4_000
_NOWHERE = Origin()


def check_assembly_file(
    path: Path, options: Options, progress: Progress | None = None
) -> CheckReport:
    """Check every kernel of an assembly text, or of a cubin."""
    kind, text = _content(path)
    kernels = assembly_kernels(kind, text, path, options)
    return report_of(path, kernels, text, asked_of=origin_of(kind, path, options))


def origin_of(kind: Format, path: Path, options: Options) -> Origin:
    """The language of a file, and the command that writes what is found in it, if one does."""
    fix = command("fix", str(path), options) if "fix" in kind.verbs else ""
    return Origin(language=kind.name, command=fix)


def report_of(
    path: Path,
    kernels: Sequence[AssemblyKernel],
    text: str = "",
    notes: Iterable[str] = (),
    asked_of: Origin = _NOWHERE,
) -> CheckReport:
    """The report of kernels that were followed; ``path`` names their file, ``text`` is its text.
    ``asked_of``: in which language to say what to write; nothing is written without one."""
    origins = [_origin(path, text, k.name, asked_of) for k in kernels]
    told = [_kernel(k, machine(k.target), o) for k, o in zip(kernels, origins, strict=True)]
    reports = [replace(one, openers=named_openers(one.openers, path)) for one in told]
    return check_report(
        str(path),
        "emitted",
        reports,
        findings=(f for k in kernels for f in (*offsets_after_xor(k), *_mismatches(k))),
        refusals=(r for report in reports for r in report.refusals),
        notes=notes,
    )


def _mismatches(kernel: AssemblyKernel) -> Iterator[Finding]:
    """Operands of asynchronous units that are not where their descriptors look."""
    if _has_units(kernel):
        from bankwise.ask.swizzles import swizzle_mismatches

        yield from swizzle_mismatches(kernel)


def _fillings(kernel: AssemblyKernel) -> Iterator[str]:
    """How fast such operands can be filled."""
    if _has_units(kernel):
        from bankwise.ask.swizzles import filling_notes

        yield from filling_notes(kernel)


def _has_units(kernel: AssemblyKernel) -> bool:
    return any(one.unit is not None for one in kernel.accesses)


def kernels_of(path: Path, options: Options) -> tuple[AssemblyKernel, ...]:
    """Every kernel of an assembly text with the bytes that its accesses touch."""
    return assembly_kernels(*_content(path), path, options)


def _content(path: Path) -> tuple[Format, str]:
    """What a file of emitted code is, and its text; a cubin has none."""
    kind = recognise(path)
    return kind, "" if kind.binary else read_text(path)


def assembly_kernels(
    kind: Format, text: str, path: Path, options: Options
) -> tuple[AssemblyKernel, ...]:
    """Follow every kernel of emitted code of some ``kind``; ``path`` names it.

    Raises :class:`InputError` if there is no kernel.
    """
    reader, target = load(kind.reader), options.target or None
    found: tuple[AssemblyKernel, ...] = (
        reader(path, target, **asked(options, path))
        if kind.binary
        else check_code(reader, text, str(path), target, **asked(options, path))
    )
    if not found:
        raise InputError("no kernel in this file", location=Location(str(path)))
    return found


def asked(options: Options, path: Path | None = None) -> dict[str, Any]:
    """What every reader of machine code is asked for, beside the target. ``path``: the code's file,
    for what its neighbours in a cache of Triton say of it."""
    keys = keys_beside(path) if path is not None and options.arguments else {}
    return {
        "args": {keys.get(str(k), k): n for k, n in arguments_of(options.arguments).items()},
        "kernel": options.kernel,
        "workgroup_size": three(options.workgroup_size) if options.workgroup_size else None,
        "launches": replace(
            read_launches(options.launches),
            sample=options.openers,
            tried=MOST_TRIED if options.shapes else 1,
            steps=options.work or None,
            hosted=() if path is None else launches_beside(path),
        ),
    }


def named_openers(found: Sequence[Opener], path: Path) -> tuple[Opener, ...]:
    """What would answer what is open, in the names that the neighbours of a file have."""
    keys = keys_beside(path) if found else {}
    names = {str(key): name for name, key in keys.items() if isinstance(key, int)}
    return tuple(
        replace(one, arguments={names.get(str(key), key): n for key, n in one.arguments.items()})
        for one in found
    )


def _origin(path: Path, text: str, kernel: str, asked_of: Origin) -> Origin:
    """Which framework made the text, as far as it, its kernel's name or its neighbour tell."""
    beside, own = path.with_suffix(".ttgir"), text if ".amdhsa_" in text else ""
    if beside.is_file():
        try:
            ttgir = read_text(beside)
        except InputError:  # the neighbour is not what was asked about
            ttgir = ""
        return replace(asked_of, framework="triton", ttgir=ttgir, assembly=own)
    from bankwise.notation.frameworks import maker

    return replace(asked_of, framework=maker(kernel, text[:_HEAD]), assembly=own)


def _kernel(every: AssemblyKernel, gpu: Machine, origin: Origin) -> KernelReport:
    found, others, known = _worst_first(every, gpu)
    counted = _counted(found, others, known, gpu)
    advice = _advice(found, gpu, origin)
    conflicts = any(r.run.extra for r in counted.accesses)
    notes = (*(advice.notes if conflicts else ()), *_fillings(found))
    exact = counted.counted and all(r.run.exact for r in counted.accesses)
    each = "workgroup" if exact else AS_FOLLOWED
    return replace(
        counted,
        optima=advice.optima,
        notes=(*counted.notes, *notes),
        snippets=tuple(replace(one, each=each) for one in advice.snippets),
    )


def counted_kernel(every: AssemblyKernel, gpu: Machine) -> KernelReport:
    """What was followed, counted under all its launches; no better layout is looked for."""
    return _counted(*_worst_first(every, gpu), gpu)


def shown_first(kernels: Sequence[AssemblyKernel]) -> tuple[AssemblyKernel, ...]:
    """Kernels, each with the launch before its others that a report shows."""
    return tuple(_worst_first(one, machine(one.target))[0] for one in kernels)


def _worst_first(
    every: AssemblyKernel, gpu: Machine
) -> tuple[AssemblyKernel, tuple[Sequence[AccessReport], ...], Counted | None]:
    """The kernel under the launch to show, the accesses of its others, and its own, where choosing
    it counted them."""
    known: dict[int, Counted] = {}

    def accesses(one: AssemblyKernel) -> Sequence[AccessReport]:
        known[id(one.accesses)] = counted = _count(one, gpu)
        return counted[0]

    found, others = worst_first(every, accesses)
    return found, others, known.get(id(found.accesses))


def _count(found: AssemblyKernel, gpu: Machine) -> Counted:
    """The accesses of a kernel counted, once for the very same ones: a text that is tried has all
    kernels of the one before but a few."""
    key = id(found.accesses), found.name, id(gpu)
    if key not in _COUNTS:
        if len(_COUNTS) >= _MOST_COUNTS:
            _COUNTS.clear()
        _COUNTS[key] = found.accesses, gpu, count_kernel(kernel_of(found), gpu)
    return _COUNTS[key][2]


_COUNTS: dict[tuple[int, str, int], tuple[object, object, Counted]] = {}
"""By accesses, kernel and machine; these are held, so that nothing else gets their numbers."""
_MOST_COUNTS = 256


def _counted(
    found: AssemblyKernel,
    others: Sequence[Sequence[AccessReport]],
    known: Counted | None,
    gpu: Machine,
) -> KernelReport:
    kernel = kernel_of(found)
    reports, uncounted = known or _count(found, gpu)
    likely = sum(one.launch.fills for one in (found, *found.others))
    classes = classes_of(found, reports, others)
    reports = over_launches(reports, others, bool(found.assumed), likely)
    reports = (*reports, *elsewhere(classes))
    sampled, used, left = with_samples(found, gpu, kernel_of)
    refusals = (*left, *refused_elsewhere(found), *unseen(found), *uncounted)
    given = map(sample_of(found), used)
    report = kernel_report(kernel, (*reports, *sampled), refusals=refusals)
    return replace(
        report,
        launched="" if found.launch.assumed else found.launch.said,
        assumed=", ".join(filter(None, (found.assumed, *(f"{one}{_EXAMPLE}" for one in given)))),
        others=tuple(other_launches_of(found, others)),
        classes=classes,
        openers=found.openers,
    )


_EXAMPLE = " as an example, for accesses whose address is open without"


def kernel_of(found: AssemblyKernel) -> Kernel:
    """What was followed, as every reader's kernel."""
    return Kernel(
        name=found.name,
        target=found.target,
        location=found.location,
        workgroup_size=found.workgroup_size,
        grid=found.launch.grid,
        lds_bytes=(found.lds_bytes or 0) + (found.launch.shared_bytes or 0),
        accesses=tuple(access_of(a) for a in found.accesses),
        notes=tuple(_notes(found)),
    )


def access_of(found: AssemblyAccess) -> KernelAccess:
    """One instruction as it was emitted."""
    access = found.access
    uncounted = "" if found.counted else UNCOUNTED
    return KernelAccess(
        access.location,
        access.operation,
        access.kind,
        access.direction,
        tuple(_issued(p, found) for p in access.patterns),
        source="emitted",
        note="; ".join(filter(None, (access.note, uncounted))),
        some_lanes=found.some_lanes,
        unseen=found.unseen,
        address=access.address,
        written=access.written,
        origin=found.source,
    )


def _issued(pattern: Pattern, found: AssemblyAccess) -> IssuedPattern:
    name, apart = found.instruction, found.apart_bytes
    offsets, active = pattern.offsets_bytes, pattern.active
    if found.unit is None:
        one = WaveInstruction(name, offsets, active, apart)
        return _pattern((one,), pattern)
    rows = zip(offsets[:, None], active[:, None], strict=True)
    issued = tuple(WaveInstruction(name, row, lanes) for row, lanes in rows)
    return _pattern(issued, pattern)


def _pattern(issued: tuple[WaveInstruction, ...], of: Pattern) -> IssuedPattern:
    times = of.executions, of.really
    return IssuedPattern(issued, of.allocation, *times, anywhere=of.anywhere)


def unseen(found: AssemblyKernel) -> Iterator[Refusal]:
    """Accesses that may touch shared memory, and launches: nobody knows, so not everything is
    analysed."""
    for why in found.unseen:
        yield Refusal(f"{found.name}: {why}", found.location)
    for why in found.unfollowed:
        yield Refusal(f"{short(found.name)}: {why}", found.location, access=False)


def _advice(kernel: AssemblyKernel, gpu: Machine, origin: Origin) -> Advice:
    """None where the machine refuses an address: the access is among the refusals."""
    from bankwise.ask.advice import Advice, advise

    try:
        return advise(kernel, gpu, origin)
    except InputError as error:
        return Advice(notes=(f"no layout is suggested: {error}",))


def _called(kernel: AssemblyKernel, line: int) -> str:
    return kernel.places.get(line, f"line {line}")


def _notes(kernel: AssemblyKernel) -> Iterator[str]:
    """What was assumed, and what was not followed."""
    yield from launch_asked(kernel)
    yield from (note for note in kernel.notes if note not in kernel.unseen)
    if kernel.accesses and prod(kernel.workgroup_size) == 1:
        again = "; so is what IREE lowers once more (docs/models.md)" * (
            "_dispatch_" in kernel.name
        )
        yield f"a workgroup is one thread: no two lanes can conflict{again}"
    for n in kernel.not_followed:
        at = _called(kernel, n.line)
        yield f"{at}: {n.mnemonic} is not followed ({several(n.count, 'place')})"
    for line, why in kernel.open_branches.items():
        yield f"{_called(kernel, line)}: both ways followed: {why}"
