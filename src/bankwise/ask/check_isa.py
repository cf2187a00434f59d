"""``check --isa`` of a source: its kernels are compiled, and what is emitted is what is counted.

    kernel.mlir --compile--> assembly --follow--> accesses --at_source_lines--> count

A compiler joins stores of neighbours into one instruction, forwards a store to the loads behind it
and drops what nobody reads: passes counted from the source can be some times those that run. The
totals are those of the emitted code; what was counted from the source stands beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bankwise.ask.check_assembly import kernel_of, unseen
from bankwise.ask.kernel_report import kernel_report
from bankwise.ask.source_lines import at_source_lines
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import Kernel
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.recognise import load, recognise_text
from bankwise.show.advised import Optimum, Snippet
from bankwise.show.values import AsEmitted, CheckReport, KernelReport

if TYPE_CHECKING:
    from bankwise.change.compile.compile import Emitted
    from bankwise.read.mlir.module import Opened

_SUFFIX = {"amd": "s", "nvidia": "ptx"}


class EmittedKernel(ByIdentity, frozen=True, eq=False):
    """What a compiler made of one kernel. ``compiler``: its name and version; ``diagnostics``: what
    it complained about although it succeeded."""

    kernel: AssemblyKernel
    compiler: str
    diagnostics: tuple[str, ...]


def compiled_report(
    report: CheckReport, opened: Opened, kernels: Sequence[Kernel], named: str = ""
) -> CheckReport:
    """The report with every kernel counted as it is emitted; ``kernels``: as they were read, every
    access with the bytes that it names. ``named``: the compiler, if the user said one.

    A kernel that cannot be compiled keeps what was counted from its source, beside a refusal.
    """
    found: list[KernelReport] = []
    for counted, source in zip(report.kernels, kernels, strict=True):
        code = compiled(counted, opened, named)
        file = opened.source.file
        emitted = code if isinstance(code, Refusal) else followed(code, counted, file)
        counted = counted if isinstance(code, Refusal) else _with_registers(counted, code)
        if isinstance(emitted, Refusal):
            found.append(replace(counted, refusals=(*counted.refusals, emitted)))
        else:
            found.append(as_emitted(counted, source, emitted))
    refusals = tuple(refusal for kernel in found for refusal in kernel.refusals)
    return replace(report, kernels=tuple(found), refusals=refusals)


def _with_registers(counted: KernelReport, code: Emitted) -> KernelReport:
    """The kernel with the workgroups that a unit holds of its code, where that says its registers;
    AMD's does, PTX has virtual ones."""
    from bankwise.change.compile.compile import listing_of

    listing = listing_of(code, counted.target, counted.name, counted.location.file)
    if isinstance(listing, Refusal) or listing.vgprs is None or counted.occupancy is None:
        return counted
    size = counted.lds_bytes if listing.lds_bytes is None else listing.lds_bytes
    usage = Usage(prod(counted.workgroup_size), size, listing.vgprs, listing.sgprs)
    return replace(counted, occupancy=occupancy(machine(counted.target), usage))


def compiled(counted: KernelReport, opened: Opened, named: str = "") -> Emitted | Refusal:
    """What the compiler makes of a kernel. ``named``: which one, if the user said it."""
    from bankwise.change.compile.compile import emit
    from bankwise.change.compile.compilers import compiler_of

    file, compiler = opened.source.file, compiler_of(opened.source.text, named)
    emitted = emit(
        compiler.text_of(opened.source),
        counted.target,
        kernel=counted.name,
        workgroup_size=counted.workgroup_size,
        file=file,
        compiler=compiler,
    )
    if isinstance(emitted, Refusal):
        return emitted if emitted.location else replace(emitted, location=Location(file))
    return emitted


def followed(emitted: Emitted, counted: KernelReport, file: str) -> EmittedKernel | Refusal:
    """What the emitted code of a kernel touches."""
    try:
        found = _followed(emitted.texts, counted, file)
    except InputError as error:
        return Refusal(f"the emitted code is not followed: {error}", Location(file))
    wanted = [one for one in found if len(found) == 1 or one.name == counted.name]
    if len(wanted) != 1:
        names = ", ".join(one.name for one in found)
        return Refusal(f"no kernel {counted.name!r} in the emitted code: {names}", Location(file))
    if wanted[0].target not in (counted.target, _compiled_for(counted.target)):
        why = f"the text is made for {wanted[0].target}, not {counted.target}"
        return Refusal(why, Location(file))
    return EmittedKernel(wanted[0], str(emitted.compiler), emitted.diagnostics)


def _compiled_for(target: str) -> str:
    """What the compiler takes a GPU for: a machine of one's own may be compiled as another."""
    tools = machine(target).tools.iree
    return tools.target if tools is not None else ""


def _followed(texts: Sequence[str], counted: KernelReport, file: str) -> list[AssemblyKernel]:
    """The kernels of assembly texts; their places are in a text that is no file."""
    name = f"{file}[{counted.name}.{_SUFFIX[machine(counted.target).vendor]}]"
    found: list[AssemblyKernel] = []
    for text in texts:
        dialect = load(recognise_text(name, text).reader)
        found += check_code(dialect, text, name, workgroup_size=counted.workgroup_size)
    return found


def as_emitted(counted: KernelReport, source: Kernel, emitted: EmittedKernel) -> KernelReport:
    """The kernel as it is emitted; its allocations and what is advised are those of the source."""
    gpu, kernel = machine(counted.target), emitted_accesses(counted, source, emitted)
    accesses, uncounted = count_kernel(kernel, gpu)
    report = kernel_report(
        kernel,
        accesses,
        occupancy=counted.occupancy,
        optima=not_contradicted(counted.optima, accesses),
        snippets=_still_to_write(counted, accesses),
        notes=(*_notes(counted.accesses, accesses, emitted.diagnostics), *_not_the_last(gpu)),
        refusals=(*emitted.kernel.refusals, *unseen(emitted.kernel), *uncounted),
    )
    return replace(report, compiled=AsEmitted(emitted.compiler, counted.added))


def emitted_accesses(counted: KernelReport, source: Kernel, emitted: EmittedKernel) -> Kernel:
    """What is emitted, as it is counted, at the places of the source."""
    gpu, read = machine(counted.target), kernel_of(emitted.kernel)
    return replace(
        read,
        name=counted.name,
        location=counted.location,
        grid=counted.grid,
        lds_bytes=read.lds_bytes or counted.lds_bytes,
        accesses=at_source_lines(read.accesses, source.accesses, gpu, counted.location.file),
        allocations=counted.allocations,
        notes=(*counted.notes, *(f"emitted code: {note}" for note in read.notes)),
    )


def not_contradicted(
    optima: Sequence[Optimum], emitted: Sequence[AccessReport]
) -> Iterator[Optimum]:
    """What is to gain by the source, where the emitted code has something to gain as well."""
    for each in optima:
        own = [a for a in emitted if set(a.allocations) & set(each.allocations)]
        nothing_to_gain = each.best.passes == each.present.passes
        if nothing_to_gain or any(a.run.extra for a in own):
            other = sum(a.run.passes for a in own) != each.present.passes
            by = ("by the text; its code takes other passes",) if other else ()
            yield replace(each, notes=(*by, *each.notes))


def _still_to_write(counted: KernelReport, emitted: Sequence[AccessReport]) -> Iterator[Snippet]:
    """What is to be written by the source, where the emitted code has conflicts as well."""
    for one in counted.snippets:
        if any(a.run.extra for a in emitted if set(a.allocations) & set(one.buffers)):
            yield one


def _notes(
    source: Sequence[AccessReport], emitted: Sequence[AccessReport], diagnostics: Sequence[str]
) -> list[str]:
    said = f"emitted: {_issued(emitted)}; predicted: {_issued(source)}"
    return [said, *(f"the compiler says: {text}" for text in diagnostics)]


def _not_the_last(gpu: Machine) -> tuple[str, ...]:
    """PTX is compiled once more."""
    said = "what is emitted is PTX: ptxas may still join, split or drop accesses"
    return (said,) if gpu.vendor == "nvidia" else ()


def _issued(accesses: Sequence[AccessReport]) -> str:
    """How many of each instruction stand in the text, without those that never run."""
    names = Counter(name for a in accesses if a.times.high != 0 for name in a.issued)
    return ", ".join(f"{name} {count}" for name, count in sorted(names.items())) or "none"
