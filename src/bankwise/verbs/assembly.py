"""``bankwise check`` on emitted code: AMD assembly and PTX, from any compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.isa.assembly import AssemblyAccess, AssemblyKernel
from bankwise.machine import Machine, machine
from bankwise.report.values import AccessReport, CheckReport, KernelReport
from bankwise.verbs.check import Options, three
from bankwise.verbs.counting import report_emitted

AMD_SUFFIXES = (".s", ".amdgcn", ".rocmasm", ".asm")
PTX_SUFFIXES = (".ptx",)


def is_assembly(path: Path) -> bool:
    """Whether a file is emitted code, by its name."""
    return path.suffix.lower() in (*AMD_SUFFIXES, *PTX_SUFFIXES)


def check_assembly_file(path: Path, options: Options, arguments: tuple[str, ...]) -> CheckReport:
    """Check every kernel of an assembly text.

    ``arguments``: ``NAME=VALUE`` texts for kernel arguments that addresses depend on.
    """
    kernels = _kernels(path, options, _arguments(arguments))
    if not kernels:
        raise InputError("no kernel in this file", location=Location(str(path)))
    reports = [_kernel(k, machine(k.target)) for k in kernels]
    targets = dict.fromkeys(k.target for k in kernels)
    return CheckReport(
        file=str(path),
        target=", ".join(targets),
        policy="emitted",
        counter=", ".join(dict.fromkeys(machine(t).counter for t in targets)),
        kernels=tuple(report for report, _ in reports),
        findings=(),
        refusals=tuple(r for k in kernels for r in k.refusals)
        + tuple(r for _, refusals in reports for r in refusals),
        notes=(),
    )


def kernels_of(path: Path, options: Options) -> tuple[AssemblyKernel, ...]:
    """Every kernel of an assembly text with the bytes that its accesses touch."""
    return _kernels(path, options, _arguments(options.arguments))


def _kernels(
    path: Path, options: Options, args: Mapping[str | int, int]
) -> tuple[AssemblyKernel, ...]:
    text, file = read_text(path), str(path)
    size = three(options.workgroup_size) if options.workgroup_size else None
    target = options.target or None
    if path.suffix.lower() in PTX_SUFFIXES:
        from bankwise.isa.ptx.check import check_ptx

        return check_ptx(text, file, target, args=args, kernel=options.kernel, workgroup_size=size)
    from bankwise.isa.amd.check import check_assembly

    return check_assembly(text, file, target, args=args, kernel=options.kernel, workgroup_size=size)


def _arguments(texts: tuple[str, ...]) -> dict[str | int, int]:
    out: dict[str | int, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            out[int(name, 0) if name[:1].isdigit() else name] = int(value, 0)
        except ValueError as error:
            message = f"--arg {text!r} is not NAME=VALUE"
            raise InputError(message, hint="for example --arg n=4096, or --arg 8=4096") from error
        if not (name and equals):
            raise InputError(f"--arg {text!r} is not NAME=VALUE", hint="for example --arg n=4096")
    return out


def _kernel(kernel: AssemblyKernel, gpu: Machine) -> tuple[KernelReport, list[Refusal]]:
    reports: list[AccessReport] = []
    refusals: list[Refusal] = []
    for access in kernel.accesses:
        found = _access(access, gpu)
        if isinstance(found, Refusal):
            refusals.append(found)
        else:
            reports.append(found)
    total = sum(r.run.passes for r in reports) or 1
    shared = tuple(replace(r, share=r.run.passes / total) for r in reports)
    notes = list(kernel.notes)
    notes += [
        f"line {n.line}: {n.mnemonic} is not followed ({n.count} places)"
        for n in kernel.not_followed
    ]
    notes += [f"line {n}: both ways followed: {why}" for n, why in kernel.open_branches.items()]
    report = KernelReport(
        name=kernel.name,
        target=kernel.target,
        location=kernel.location,
        workgroup_size=kernel.workgroup_size,
        grid=None,
        lds_bytes=kernel.lds_bytes or 0,
        accesses=shared,
        allocations=(),
        occupancy=None,
        notes=tuple(notes),
    )
    return report, refusals


def _access(access: AssemblyAccess, gpu: Machine) -> AccessReport | Refusal:
    row = gpu.instructions.get(access.instruction)
    if row is None:
        reason = f"{gpu.name} has no row for {access.instruction}: its phases are unknown"
        return Refusal(reason, access.access.location)
    report = report_emitted(access.access, row, access.apart_bytes)
    note = "" if access.counted else "how often it runs is not known"
    place = f"source {access.source}" if access.source else ""
    return replace(report, note="; ".join(filter(None, (report.note, note, place))))
