"""``bankwise check``: open a kernel, find its accesses, choose instructions, count, report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bankwise import machine as machines
from bankwise.errors import InputError, Location, Refusal
from bankwise.machine import Machine
from bankwise.report.values import CheckReport, Finding
from bankwise.verbs.kernel_report import kernel_report
from bankwise.widths import Issue, select

if TYPE_CHECKING:
    from bankwise.ir.extract import Extraction, SharedAccess
    from bankwise.ir.kernels import Kernel
    from bankwise.ir.module import Opened


@dataclass(frozen=True, slots=True)
class Options:
    """What the user may say about a kernel that its text does not.

    ``dims``: ``NAME=SIZE`` texts; ``workgroup_size``: ``X,Y,Z``; ``policy``: a width policy.
    """

    target: str = ""
    kernel: str = ""
    dims: tuple[str, ...] = ()
    workgroup_size: str = ""
    policy: str = "iree"
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """One kernel with all that later stages need: its accesses and their instructions."""

    kernel: Kernel
    machine: Machine
    workgroup_size: tuple[int, int, int]
    location: Location
    extraction: Extraction
    issues: Mapping[int, tuple[Issue, ...]]
    findings: tuple[Finding, ...]
    refusals: tuple[Refusal, ...]


def check(
    file: str | Path,
    target: str = "",
    *,
    kernel: str = "",
    dims: tuple[str, ...] = (),
    workgroup_size: str = "",
    policy: str = "iree",
    isa: bool = False,
) -> CheckReport:
    """Predict the bank conflicts of every kernel in ``file``. Parameters as on the command line."""
    return check_file(Path(file), Options(target, kernel, dims, workgroup_size, policy), isa=isa)


def check_file(file: Path, options: Options, *, isa: bool = False) -> CheckReport:
    """Open ``file`` and check it. Raises InputError for what cannot be read.

    Folders, emitted code (``.s``, ``.rocmasm``, ``.amdgcn``, ``.ptx``) and models go their own
    ways.
    """
    if file.is_dir():
        from bankwise.verbs.folder import check_folder

        return check_folder(file, options)
    from bankwise.verbs.assembly import check_assembly_file, is_assembly

    if is_assembly(file):
        return check_assembly_file(file, options, options.arguments)
    if file.suffix.lower() == ".ttgir":
        from bankwise.verbs.ttgir import check_ttgir_file

        return check_ttgir_file(file, options)
    from bankwise.ir.module import open_module

    opened = open_module(file)
    report = check_opened(opened, options)
    if isa:
        from bankwise.verbs.reconcile import reconcile

        report = reconcile(report, opened)
    return report


def check_opened(opened: Opened, options: Options) -> CheckReport:
    """Check all kernels of an open module."""
    return report_of(opened, options, analyse(opened, options))


def analyse(opened: Opened, options: Options) -> tuple[Analysis, ...]:
    """Extract the accesses of every chosen kernel and choose their instructions."""
    chosen = _kernels(opened, options)
    _check_dims(opened, options)
    return tuple(_analyse(opened, kernel, options) for kernel in chosen)


def report_of(opened: Opened, options: Options, analyses: tuple[Analysis, ...]) -> CheckReport:
    """Count what was extracted."""
    targets = dict.fromkeys(a.machine.name for a in analyses)
    return CheckReport(
        file=opened.source.file,
        target=", ".join(targets),
        policy=options.policy,
        counter=", ".join(dict.fromkeys(a.machine.counter for a in analyses)),
        kernels=tuple(kernel_report(a) for a in analyses),
        findings=(*(f for a in analyses for f in a.findings), *_holes(opened, options, analyses)),
        refusals=tuple(r for a in analyses for r in a.refusals),
        notes=opened.notes,
    )


def _kernels(opened: Opened, options: Options) -> list[Kernel]:
    from bankwise.ir.kernels import kernels

    found = [k for k in kernels(opened) if options.kernel in ("", k.name)]
    if found:
        return found
    names = ", ".join(k.name for k in kernels(opened))
    if options.kernel and names:
        message = f"no kernel {options.kernel!r} in this file"
        raise InputError(message, location=_file(opened), hint=f"it has {names}")
    raise InputError(
        "no kernel with workgroup memory in this file",
        location=_file(opened),
        hint="lower it first: iree-compile ... "
        "--mlir-print-ir-after=iree-codegen-resolve-swizzle-hints --mlir-print-ir-module-scope",
    )


def _analyse(opened: Opened, kernel: Kernel, options: Options) -> Analysis:
    from bankwise.ir.extract import extract
    from bankwise.ir.names import called

    gpu = machines(_target(opened, kernel, options))
    size = _workgroup_size(opened, kernel, options)
    extraction = extract(
        kernel.op,
        name=kernel.name,
        workgroup_size=size,
        wave_size=gpu.wave_size,
        locate=opened.location_of,
        dims=dims_of(options),
        grid=kernel.grid,
        called=called(opened),
    )
    issues: dict[int, tuple[Issue, ...]] = {}
    findings = _too_large(gpu, extraction, kernel, opened)
    # One reason a place: a loop would repeat it in every round.
    refusals = list({r.location: r for r in reversed(extraction.refusals)}.values())[::-1]
    for site in extraction.accesses:
        chosen = _issues(gpu, site, options.policy)
        if not isinstance(chosen, Refusal):
            issues[site.access.shared_index] = chosen
        elif site.access.kind == "dma":
            findings.append(Finding("dma-width", site.access.location, chosen.reason))
        else:
            refusals.append(Refusal(chosen.reason, site.access.location))
    where = opened.location_of(kernel.op)
    return Analysis(kernel, gpu, size, where, extraction, issues, tuple(findings), tuple(refusals))


def _issues(gpu: Machine, site: SharedAccess, policy: str) -> tuple[Issue, ...] | Refusal:
    access = site.access
    return select(
        gpu,
        access.direction,
        access.width_bytes,
        access.alignment_bytes,
        policy,
        access.kind,
        operation=access.variant,
        element_bits=8 * access.element_bytes,
    )


def _target(opened: Opened, kernel: Kernel, options: Options) -> str:
    target = options.target or kernel.target
    if target:
        return target
    raise InputError(
        f"kernel {kernel.name} names no target",
        location=opened.location_of(kernel.op),
        hint="pass --target, for example --target gfx950; `bankwise machines` lists them",
    )


def _workgroup_size(opened: Opened, kernel: Kernel, options: Options) -> tuple[int, int, int]:
    if options.workgroup_size:
        return three(options.workgroup_size)
    if kernel.workgroup_size is not None:
        return kernel.workgroup_size
    raise InputError(
        f"kernel {kernel.name} does not say how many threads a workgroup has",
        location=opened.location_of(kernel.op),
        hint="pass --workgroup-size, for example --workgroup-size 256,1,1",
    )


def three(text: str) -> tuple[int, int, int]:
    """Read ``X,Y,Z``; InputError if it is not a workgroup size."""
    parts = text.replace("x", ",").split(",")
    if not 1 <= len(parts) <= 3 or not all(p.strip().isdigit() and int(p) > 0 for p in parts):
        raise InputError(f"workgroup size {text!r} is not X,Y,Z", hint="for example 256,1,1")
    x, y, z = [int(p) for p in (*parts, "1", "1")[:3]]
    if x * y * z > 1024:
        raise InputError(f"a workgroup of {x * y * z} threads; 1024 is the most a GPU takes")
    return x, y, z


def dims_of(options: Options) -> dict[str, int]:
    """Read the ``NAME=SIZE`` texts; InputError for a text that is none."""
    out: dict[str, int] = {}
    for text in options.dims:
        name, equals, size = text.partition("=")
        if not (name and equals and size.strip().isdigit()):
            raise InputError(f"--dim {text!r} is not NAME=SIZE", hint="for example --dim M=4096")
        out[name.strip().removeprefix("%")] = int(size)
    return out


def _check_dims(opened: Opened, options: Options) -> None:
    """A size given for a value that the text does not have is a slip of the pen."""
    for name in dims_of(options):
        named = re.search(rf"%{re.escape(name)}(?![\w$.\-])", opened.source.text)
        if not named and not re.fullmatch(r"arg\d+", name):
            message = f"--dim {name}: there is no value %{name} in this file"
            raise InputError(message, location=_file(opened))


def _too_large(
    gpu: Machine, extraction: Extraction, kernel: Kernel, opened: Opened
) -> list[Finding]:
    used = sum(a.size_bytes for a in extraction.allocations)
    if used <= gpu.lds_bytes:
        return []
    largest = max(extraction.allocations, key=lambda a: a.size_bytes)
    message = (
        f"{kernel.name} uses {used:,} bytes of shared memory; a workgroup on {gpu.name} has "
        f"{gpu.lds_bytes:,} (largest allocation: {largest.name}, {largest.size_bytes:,} bytes)"
    )
    return [Finding("lds-overflow", largest.location, message)]


def _holes(opened: Opened, options: Options, analyses: tuple[Analysis, ...]) -> tuple[Finding, ...]:
    """What IREE 3.13.0 would get wrong about the swizzle hints in a text, if it has any."""
    if "xor_shuffle" not in opened.source.parsed and "rotate_rows" not in opened.source.parsed:
        return ()
    from bankwise.ir.passes.holes import holes
    from bankwise.ir.passes.lowered import Lowered
    from bankwise.ir.passes.values import Launch

    size = three(options.workgroup_size) if options.workgroup_size else None
    launch = Launch(options.target, size, dims_of(options), options.policy)
    known = [
        Lowered(opened, a.kernel, a.machine, a.workgroup_size, a.extraction, a.issues)
        for a in analyses
    ]
    return tuple(Finding(h.rule, h.location, h.message) for h in holes(opened, launch, known))


def _file(opened: Opened) -> Location:
    return Location(opened.source.file)
