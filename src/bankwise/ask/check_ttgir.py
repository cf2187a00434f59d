"""``bankwise check kernel.ttgir``: what a Triton kernel does to shared memory, counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from bankwise.ask.kernel_report import check_report, kernel_report
from bankwise.ask.ttgir_better import Better, better
from bankwise.ask.ttgir_cut import cut_reads
from bankwise.ask.ttgir_reason import by_rows
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import (
    AllocationReport,
    IssuedPattern,
    Kernel,
    KernelAccess,
    WaveInstruction,
)
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.notation.triton.gluon import gluon_text
from bankwise.read.author_place import author_place
from bankwise.read.extra import install
from bankwise.read.names import listed, means
from bankwise.read.options import Options, Progress, command
from bankwise.read.ttgir import wheel
from bankwise.read.ttgir.accesses import SCRATCH, Moved, Reader
from bankwise.read.ttgir.follow import Followed, follow
from bankwise.read.ttgir.lower import POLICY, Issued
from bankwise.read.ttgir.module import read_module
from bankwise.read.ttgir.numbers import how_to_say, is_place, numbers_of, said_name
from bankwise.read.ttgir.types import Types
from bankwise.read.ttgir.values import Buffer, Module, TritonFunction
from bankwise.show.advised import AS_FOLLOWED, Optimum, Snippet
from bankwise.show.values import CheckReport, KernelReport

POINTER_BYTES = 8
_WARPGROUP = 4
UNVERIFIED = "the text was not verified: Triton is not installed"


class Planned(ByIdentity, frozen=True, eq=False):
    """One kernel of a module with all that later stages need: its accesses, still uncounted."""

    module: Module
    kernel: TritonFunction
    machine: Machine
    reader: Reader
    followed: Followed
    accesses: tuple[Moved, ...]
    refusals: tuple[Refusal, ...]
    numbers: Mapping[str, int]

    @property
    def unsaid(self) -> str:
        """How one says how often everything runs: what decides it, in words."""
        facts = frozenset[str]().union(*(t.open for t in self.followed.touches if not t.counted))
        names = [name.removeprefix("%") for name in self.kernel.arguments]
        return how_to_say(facts, names, self.machine.vendor)


def check_ttgir_file(
    path: Path,
    options: Options,
    progress: Progress | None = None,
    *,
    verify: bool = True,
    optima: bool = True,
) -> CheckReport:
    """Check every kernel of a TTGIR file. Raises :class:`InputError` for what cannot be read.

    ``verify``: ask the Triton wheel first, where it is installed. ``optima``: look for a better
    encoding of every buffer.
    """
    text, asked = read_text(path), command("fix", str(path), options)
    return check_ttgir(text, str(path), options, verify=verify, optima=optima, fix=asked)


def check_ttgir(
    text: str,
    file: str,
    options: Options,
    *,
    verify: bool = True,
    optima: bool = True,
    fix: str = "",
) -> CheckReport:
    """Check every kernel of a TTGIR text; ``file`` names it in places, ``fix`` is the command that
    writes what is found."""
    plans = plan(text, file, options, verify=verify)
    reports = [_kernel(p, fix, optima=optima) for p in plans]
    return check_report(
        file,
        POLICY,
        [report for report, _ in reports],
        refusals=(
            *(r for p in plans for r in p.refusals),
            *(r for _, more in reports for r in more),
        ),
        notes=plans[0].module.notes,
    )


def plan(text: str, file: str, options: Options, *, verify: bool = True) -> tuple[Planned, ...]:
    """Read a module and find the accesses of its kernels (``options.kernel``: of one)."""
    if options.workgroup_size:
        raise InputError(
            "a TTGIR module says itself how many threads a workgroup has",
            location=Location(file),
            hint="leave --workgroup-size out",
        )
    module = _opened(text, file, options.target, verify=verify)
    gpu = machine(module.target)
    types = Types(file, module.aliases, module.strange)
    reader = Reader(module, types, gpu)
    chosen = [k for k in module.kernels if means(options.kernel, k.name)]
    if not chosen:
        names = listed([k.name for k in module.kernels])
        message = f"no kernel {options.kernel!r} in this module"
        raise InputError(message, location=Location(file), hint=f"it has {names}")
    numbers = numbers_of(options.arguments)
    return tuple(_plan(module, k, types, reader, numbers) for k in chosen)


def _opened(text: str, file: str, target: str, *, verify: bool) -> Module:
    """The user's own text, so that places are his; Triton's only where his cannot be read."""
    if not verify:
        return read_module(text, file, target)
    if not wheel.installed():
        return read_module(text, file, target, (f"{UNVERIFIED} ({install('triton')})",))
    printed = wheel.verified(text, file)
    try:
        return read_module(text, file, target)
    except InputError:
        note = "places are lines of the text as Triton prints it again"
        return read_module(printed, file, target, (note,))


def _plan(
    module: Module, kernel: TritonFunction, types: Types, reader: Reader, numbers: Mapping[str, int]
) -> Planned:
    """One operation never costs the file: bad input is an error where nothing else is read."""
    followed = follow(module, kernel, types, numbers)
    found: list[Moved | Refusal] = []
    errors = list(followed.errors)
    for touch in followed.touches:
        try:
            found += reader.accesses(replace(followed, touches=(touch,)))
        except InputError as error:
            errors.append(error)
            found.append(Refusal(f"{touch.op.name}: {error.message}", error.location))
    accesses = tuple(a for a in found if isinstance(a, Moved))
    if errors and not accesses:
        raise errors[0]
    refusals = (*followed.refusals, *(r for r in found if isinstance(r, Refusal)))
    return Planned(module, kernel, reader.machine, reader, followed, accesses, refusals, numbers)


def _kernel(plan: Planned, fix: str, *, optima: bool) -> tuple[KernelReport, tuple[Refusal, ...]]:
    kernel = kernel_of(plan)
    counted, refusals = count_kernel(kernel, plan.machine)
    accesses = tuple(by_rows(access, plan.followed.buffers) for access in counted)
    ways = better_of(plan) if optima else ()
    found = [b for b in ways if isinstance(b, Better)]
    write = [_snippet(b, plan, fix) for b in found if b.encoding is not None]
    report = kernel_report(kernel, accesses, optima=map(_optimum, found), snippets=write)
    notes = (*report.notes, *_scratch(accesses, fix))
    cut = cut_reads(plan.accesses, plan.reader.types) if optima else ()
    return replace(report, notes=notes), (*refusals, *cut)


_TRITONS = (
    "Triton lays scratch out itself; bankwise.triton.tune counts other num_warps and block sizes"
)


def _scratch(accesses: Sequence[AccessReport], fix: str) -> Iterator[str]:
    """What moves conflicts of scratch, where there are some."""
    some = [a for a in accesses if SCRATCH in a.allocations and a.run.extra]
    if any(a.operation == "ttg.convert_layout" for a in some):
        yield f"{_TRITONS}, {fix or 'bankwise.triton.fix'} other distributions beside a conversion"
    elif some:
        yield _TRITONS


def kernel_of(plan: Planned) -> Kernel:
    """What was planned, as every reader's kernel."""
    module = plan.module
    return Kernel(
        name=plan.kernel.name,
        target=plan.machine.name,
        location=Location(module.file, plan.kernel.line),
        workgroup_size=(_waves(plan) * module.lanes, 1, 1),
        grid=None,
        lds_bytes=sum(_bytes(b) for b in plan.followed.buffers),
        accesses=tuple(access_of(a) for a in plan.accesses),
        allocations=tuple(_allocation(b, plan) for b in plan.followed.buffers),
        notes=_notes(plan),
    )


def _waves(plan: Planned) -> int:
    """Of a workgroup: specialised warps stand beside the module's, in whole warpgroups."""
    groups = -(-plan.followed.partitions // _WARPGROUP)
    return plan.module.warps + groups * _WARPGROUP


def better_of(plan: Planned) -> tuple[Better | Refusal, ...]:
    """What is known of every buffer that is accessed, in the order of the text."""
    found = []
    for buffer in plan.followed.buffers:
        if any(a.buffer == buffer.name for a in plan.accesses):
            found.append(better(buffer, plan.followed, plan.reader, plan.accesses))
    return tuple(found)


def _notes(plan: Planned) -> tuple[str, ...]:
    notes = []
    if len(plan.followed.buffers) > 1:
        notes.append("buffers that do not live at one time share memory: their sum is a bound")
    places = [(n, v) for n, v in plan.numbers.items() if is_place(n)]
    if places:
        at = ", ".join(f"{said_name(n, plan.machine.vendor)} = {v}" for n, v in places)
        notes.append(f"counted is the block of {at}, as was said")
    if any(op.name == "cf.cond_br" for op in plan.kernel.body):
        notes.append("it may return early: counted is a workgroup that does not")
    if any(not a.touch.counted for a in plan.accesses):
        often = "how often loops run is not known: what stands in them is counted once"
        notes.append(f"{often} ({plan.unsaid})")
    notes += [f"{name}: {why}" for name, why in plan.followed.fixed.items()]
    return tuple(notes)


def _bytes(buffer: Buffer) -> int:
    from bankwise.notation.triton import memory

    laid = memory(buffer.type.encoding, buffer.type.shape)
    return laid.size * buffer.type.bits // 8


def _allocation(buffer: Buffer, plan: Planned) -> AllocationReport:
    place = Location(plan.module.file, buffer.line)
    size = _bytes(buffer)
    share = size / plan.machine.lds_bytes
    return AllocationReport(buffer.name, plan.kernel.name, place, size, share)


def _optimum(found: Better) -> Optimum:
    solution = found.solution
    return Optimum(
        (found.buffer.name,),
        found.present.run,
        found.best.run,
        found.known,
        notation="" if found.encoding is None else str(found.encoding),
        notes=(_statement(found), *_gluon(found), *found.notes),
        certificate=None if solution is None else solution.certificate,
    )


def _snippet(found: Better, plan: Planned, fix: str) -> Snippet:
    """The encoding to write, counted with the instructions that it leads to."""
    return Snippet(
        language="TTGIR",
        what=f"the encoding of {found.buffer.name}, instead of {found.buffer.type.encoding}",
        text=str(found.encoding),
        location=Location(plan.module.file, found.buffer.line),
        before=found.present.run.passes,
        after=found.best.run.passes,
        counted=True,
        each="workgroup" if all(a.touch.counted for a in plan.accesses) else AS_FOLLOWED,
        command=fix,
        notes=found.notes,
        buffers=(found.buffer.name,),
    )


def _gluon(found: Better) -> tuple[str, ...]:
    """The same encoding as one writes it in Gluon."""
    if found.encoding is None:
        return ()
    return (f"in Gluon: {gluon_text(found.encoding, found.buffer.tile)}",)


def _statement(found: Better) -> str:
    if found.encoding is not None:
        return f"instead of {found.buffer.type.encoding}"
    if not found.known.optimal:
        return f"none of {found.tried} encodings takes fewer passes"
    if found.present.passes == found.present.ideal:
        return "no conflicts, and no encoding that takes fewer passes was found"
    return "no encoding is free of conflicts with these instructions"


def access_of(access: Moved) -> KernelAccess:
    """One access with all instructions of one execution."""
    touch = access.touch
    instructions = tuple(i for issued in access.issued for i in _wave_instructions(issued))
    pattern = IssuedPattern(instructions, access.buffer, touch.executions, touch.times)
    return KernelAccess(
        access.location,
        touch.op.name,
        access.issued[0].kind,
        access.direction,
        (pattern,),
        note=_note(access),
        origin=author_place(access.sources),
    )


def _wave_instructions(issued: Issued) -> Iterator[WaveInstruction]:
    active = np.broadcast_to(issued.active, issued.offsets_bytes.shape)
    for number in range(active.shape[1]):
        offsets = issued.offsets_bytes[:, number]
        yield WaveInstruction(issued.instruction, offsets, active[:, number])


def _note(access: Moved) -> str:
    notes = list(dict.fromkeys(i.note for i in access.issued if i.note))
    if not access.touch.counted:
        notes.append("how often it runs is not known")
    if access.touch.maybe:
        notes.append("it may not run")
    return "; ".join(notes)
