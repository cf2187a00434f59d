"""Checking AMD assembly: every LDS instruction of every kernel, with the bytes of all lanes."""

from __future__ import annotations

from collections.abc import Iterator

from bankwise.errors import InputError, Location, Refusal
from bankwise.read.amd.decode import Decoded, decode
from bankwise.read.amd.parse import Kernel, kernels
from bankwise.read.amd.parse import target as named_target
from bankwise.read.amd.start import known_memory, load, start
from bankwise.read.assembly import ArgumentValues, AssemblyAccess, AssemblyKernel
from bankwise.read.follow.result import (
    access,
    lost_places,
    not_followed,
    open_reasons,
    unseen,
    whole_size,
)
from bankwise.read.follow.run import Trace, follow

TARGETS = ("gfx90a", "gfx942", "gfx950")
"""Machines whose instructions are followed: waves of 64 lanes, packed thread numbers."""

Size = tuple[int, int, int]


def check_assembly(
    text: str,
    file: str,
    target: str | None = None,
    *,
    args: ArgumentValues | None = None,
    kernel: str = "",
    workgroup_size: Size | None = None,
) -> tuple[AssemblyKernel, ...]:
    """Find what every LDS instruction of ``text`` touches, for all lanes of one workgroup.

    ``target``: the GPU, if the text does not name it. ``args``: numbers of kernel arguments, by
    name or byte offset, and of ``workgroup_id_x`` and so on; everything else that only the launch
    knows stays unknown. ``workgroup_size`` is needed where the text does not bound it.

    Raises :class:`InputError` if the text is no AMD assembly, is cut off, or is for a machine
    that is not followed.
    """
    gpu = _target(text, file, target)
    found = [k for k in kernels(text, file) if kernel in ("", k.name)]
    if not found:
        raise _no_kernel(text, file, kernel)
    return tuple(_check(k, file, gpu, args or {}, workgroup_size) for k in found)


def _target(text: str, file: str, given: str | None) -> str:
    said = named_target(text)
    if given and said and given != said:
        raise InputError(f"the assembly is for {said}, not for {given}", location=Location(file))
    gpu = given or said
    if gpu in TARGETS:
        return gpu
    what = f"assembly for {gpu}" if gpu else "an assembly text that names no target"
    raise InputError(
        f"{what} is not followed",
        location=Location(file),
        hint=f"AMD assembly printed by LLVM for {', '.join(TARGETS)}; PTX is checked as PTX",
    )


def _no_kernel(text: str, file: str, wanted: str) -> InputError:
    names = ", ".join(k.name for k in kernels(text, file))
    if wanted and names:
        return InputError(
            f"no kernel {wanted!r} in this assembly",
            location=Location(file),
            hint=f"it has {names}",
        )
    return InputError(
        "no kernel in this assembly: no .amdhsa_kernel line",
        location=Location(file),
        hint="the text may be cut off; the kernel descriptor is behind the code",
    )


def _check(
    kernel: Kernel, file: str, gpu: str, args: ArgumentValues, given: Size | None
) -> AssemblyKernel:
    size, notes = _workgroup_size(kernel, file, given)
    memory = known_memory(kernel, size, args)
    decoded = decode(kernel, lambda state, op: load(kernel, memory, state, op))
    trace = follow(decoded.program, lambda: start(kernel, size, args, memory))
    return AssemblyKernel(
        name=kernel.name,
        target=gpu,
        location=Location(file, kernel.line),
        lds_bytes=kernel.bits("group_segment_fixed_size"),
        registers=kernel.numbers.get("vgpr_count"),
        workgroup_size=size,
        accesses=tuple(_accesses(kernel, file, decoded, trace)),
        not_followed=not_followed(decoded.program, trace, decoded.strange),
        refusals=tuple(_refusals(file, decoded, trace)),
        open_branches=open_reasons(trace),
        notes=notes,
    )


def _workgroup_size(kernel: Kernel, file: str, given: Size | None) -> tuple[Size, tuple[str, ...]]:
    known = given or kernel.workgroup_size
    largest = kernel.largest_workgroup
    bound = known is None and largest is not None
    size = (largest, 1, 1) if known is None and largest is not None else known
    whole = whole_size(size, "workgroup", kernel.name, Location(file, kernel.line))
    note = f"workgroup size {largest},1,1 is taken from .max_flat_workgroup_size"
    return whole, (note,) if bound else ()


def _accesses(
    kernel: Kernel, file: str, decoded: Decoded, trace: Trace
) -> Iterator[AssemblyAccess]:
    for number, touch in decoded.touches.items():
        touched = trace.touched.get(number)
        if touched is None or not touched.patterns:
            continue
        op = decoded.operations[number]
        yield access(
            touched,
            name=touch.name,
            kind=touch.kind,
            direction=touch.direction,
            width_bytes=touch.width_bytes,
            apart_bytes=touch.apart_bytes,
            location=Location(file, op.line),
            source=op.source,
            kernel=kernel.name,
            index=number,
            immediate_bytes=touch.offset_bytes if touch.address else 0,
        )


def _refusals(file: str, decoded: Decoded, trace: Trace) -> Iterator[Refusal]:
    for number, refusal in decoded.refusals.items():
        yield Refusal(refusal.reason, Location(file, decoded.operations[number].line))
    yield from lost_places(trace, lambda line: Location(file, line))
    for number, touch in decoded.touches.items():
        reason = unseen(trace, number)
        if reason:
            place = Location(file, decoded.operations[number].line)
            yield Refusal(f"{touch.name}: {reason}", place)
