"""From an open MLIR module to its kernels' accesses and the instructions that they become."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any

from msgspec import field

from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Machine, Vendor, machine, names
from bankwise.hardware.policies import Issue, paired
from bankwise.identity import ByIdentity
from bankwise.read.mlir.joined import (
    CompiledAccess,
    compiled_accesses,
    issues_of,
    joins_of,
    pairs_of,
)
from bankwise.read.names import listed, means
from bankwise.read.options import MOST_THREADS, Options, dims_of, three
from bankwise.show.values import Finding

if TYPE_CHECKING:
    from bankwise.change.rewrite.emit import Emitter
    from bankwise.change.rewrite.scope import Scope
    from bankwise.read.mlir.extract import Extraction
    from bankwise.read.mlir.joins import Joins
    from bankwise.read.mlir.kernels import KernelFunction
    from bankwise.read.mlir.module import Opened


class Analysis(ByIdentity, frozen=True, eq=False):
    """One kernel with all that later stages need: its accesses and their instructions, by number;
    ``joins``: which of them the compiler joins or drops; ``compiled``: what becomes of those;
    ``pairs``: reads that it may join, each with another one of them;
    ``known``: what was computed of it already, and is remembered."""

    kernel: KernelFunction
    machine: Machine
    workgroup_size: tuple[int, int, int]
    location: Location
    extraction: Extraction
    issues: Mapping[int, tuple[Issue, ...]]
    joins: Joins
    compiled: Mapping[int, CompiledAccess]
    pairs: Mapping[int, int]
    findings: tuple[Finding, ...]
    refusals: tuple[Refusal, ...]
    known: dict[str, Any] = field(default_factory=dict)


def analyse(opened: Opened, options: Options) -> tuple[Analysis, ...]:
    """Extract the accesses of every chosen kernel and choose their instructions."""
    chosen = _kernels(opened, options)
    _check_dims(opened, options)
    return tuple(_analyse(opened, kernel, options) for kernel in chosen)


def _kernels(opened: Opened, options: Options) -> list[KernelFunction]:
    from bankwise.read.mlir.kernels import kernels

    found = [k for k in kernels(opened) if means(options.kernel, k.name)]
    if found:
        return found
    names = listed([k.name for k in kernels(opened)])
    if options.kernel and names:
        message = f"no kernel {options.kernel!r} in this file"
        raise InputError(message, location=_file(opened), hint=f"it has {names}")
    raise InputError(
        "no kernel with workgroup memory in this file",
        location=_file(opened),
        hint="lower it first: iree-compile ... "
        "--mlir-print-ir-after=iree-codegen-resolve-swizzle-hints --mlir-print-ir-module-scope",
    )


def _analyse(opened: Opened, kernel: KernelFunction, options: Options) -> Analysis:
    from bankwise.read.mlir.extract import extract
    from bankwise.read.mlir.names import called

    gpu = machine(_target(opened, kernel, options))
    _check_vendor(opened, kernel, gpu)
    gpu = paired(gpu) if options.paired else gpu
    size = _workgroup_size(opened, kernel, options)
    _check_launch(opened, kernel, size)
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
        chosen = issues_of(site, gpu, options.width_policy)
        if not isinstance(chosen, Refusal):
            issues[site.access.shared_index] = chosen
        elif site.access.kind == "dma":
            findings.append(Finding("dma-width", site.access.location, chosen.reason))
        else:
            refusals.append(Refusal(chosen.reason, site.access.location))
    where = opened.location_of(kernel.op)
    joins = joins_of(extraction.accesses, gpu, options.width_policy)
    compiled = compiled_accesses(extraction.accesses, joins, gpu, options.width_policy)
    pairs = pairs_of(extraction.accesses, gpu, options.width_policy)
    rest = tuple(findings), tuple(refusals)
    return Analysis(kernel, gpu, size, where, extraction, issues, joins, compiled, pairs, *rest)


_DIALECTS: Mapping[str, Vendor] = {
    "amdgpu": "amd",
    "rocdl": "amd",
    "nvgpu": "nvidia",
    "nvvm": "nvidia",
}
"""Dialects whose operations are instructions of one vendor's GPUs."""


def _check_vendor(opened: Opened, kernel: KernelFunction, gpu: Machine) -> None:
    """A kernel of one vendor's instructions is none for a GPU of the other."""
    from bankwise.read.mlir.kernels import operations

    for op in operations(kernel.op):
        vendor = _DIALECTS.get(str(op.name).partition(".")[0], gpu.vendor)
        if vendor != gpu.vendor:
            whose = f"kernel {kernel.name} is for {_MAKERS[vendor]}, {gpu.name} is none"
            known = ", ".join(name for name in names() if machine(name).vendor == vendor)
            raise InputError(
                f"{op.name}: {whose}",
                location=opened.location_of(op),
                hint=f"pass --target with one of {known}",
            )


_MAKERS: Mapping[Vendor, str] = {"amd": "GPUs of AMD", "nvidia": "GPUs of NVIDIA"}


def _target(opened: Opened, kernel: KernelFunction, options: Options) -> str:
    target = options.target or kernel.target
    if target:
        return target
    other = _ARCH.search(opened.source.text)
    likely = other[1] if other else "gfx950"
    raise InputError(
        f"kernel {kernel.name} names no target",
        location=opened.location_of(kernel.op),
        hint=f"pass --target, for example --target {likely}; `bankwise machines` lists them",
    )


_ARCH = re.compile(r'\barch = "(\w+)"')
"""The GPU that some other part of a text is for."""


def _check_launch(opened: Opened, kernel: KernelFunction, size: tuple[int, int, int]) -> None:
    """A launch without threads or workgroups is a slip of the pen, or damage."""
    for what, sizes in (("workgroup", size), ("grid", kernel.grid or (1, 1, 1))):
        if min(sizes) < 1:
            shown = "x".join(map(str, sizes))
            message = f"kernel {kernel.name} has a {what} of {shown}: each is 1 or more"
            raise InputError(message, location=opened.location_of(kernel.op))
    if prod(size) > MOST_THREADS:
        message = f"kernel {kernel.name} has a workgroup of {prod(size)} threads"
        hint = f"{MOST_THREADS} is the most a GPU takes"
        raise InputError(message, location=opened.location_of(kernel.op), hint=hint)


def _workgroup_size(
    opened: Opened, kernel: KernelFunction, options: Options
) -> tuple[int, int, int]:
    if options.workgroup_size:
        return three(options.workgroup_size)
    if kernel.workgroup_size is not None:
        return kernel.workgroup_size
    raise InputError(
        f"kernel {kernel.name} does not say how many threads a workgroup has",
        location=opened.location_of(kernel.op),
        hint="pass --workgroup-size, for example --workgroup-size 256,1,1",
    )


def _check_dims(opened: Opened, options: Options) -> None:
    """A size given for a value that the text does not have is a slip of the pen."""
    for name in dims_of(options):
        named = re.search(rf"%{re.escape(name)}(?![\w$.\-])", opened.source.text)
        if not named and not re.fullmatch(r"arg\d+", name):
            message = f"--dim {name}: there is no value %{name} in this file"
            raise InputError(message, location=_file(opened))


def _too_large(
    gpu: Machine, extraction: Extraction, kernel: KernelFunction, opened: Opened
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


def _file(opened: Opened) -> Location:
    return Location(opened.source.file)


def scope_in(analysis: Analysis, emitter: Emitter) -> Scope:
    """The text of a kernel, for new lines in it."""
    from bankwise.change.rewrite.scope import scope_of
    from bankwise.read.mlir.indexing import ThreadIds

    threads = ThreadIds(
        analysis.workgroup_size, analysis.machine.wave_size, grid=analysis.kernel.grid
    )
    return scope_of(analysis.kernel.op, threads, emitter)
