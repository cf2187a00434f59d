"""Checking PTX: every shared-memory instruction of every kernel, with the bytes of all lanes.

PTX is not the last word: ptxas may still combine, split or reorder accesses. Their addresses stay.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bankwise.errors import InputError, Location, Refusal
from bankwise.read.assembly import ArgumentValues, AssemblyAccess, AssemblyKernel
from bankwise.read.follow.result import (
    access,
    lost_places,
    not_followed,
    open_reasons,
    threads,
    unseen,
    whole_size,
)
from bankwise.read.follow.run import Trace, follow
from bankwise.read.follow.state import State
from bankwise.read.follow.touched import Touched
from bankwise.read.follow.values import Unknown, Value, constant
from bankwise.read.ptx.decode import Decoded, decode
from bankwise.read.ptx.operands import WINDOW, address
from bankwise.read.ptx.parse import BYTES, Kernel, Statement, kernels
from bankwise.read.ptx.parse import target as named_target

WARP = 32
WORKGROUP_IDS = ("ctaid.x", "ctaid.y", "ctaid.z")
Size = tuple[int, int, int]


def check_ptx(
    text: str,
    file: str,
    target: str | None = None,
    *,
    args: ArgumentValues | None = None,
    kernel: str = "",
    workgroup_size: Size | None = None,
) -> tuple[AssemblyKernel, ...]:
    """Find what every shared-memory instruction of ``text`` touches, for all lanes of one block.

    ``target``: the GPU to count for, if it is not the one that the text names. ``args``: numbers
    of kernel parameters, by name or position, and of ``ctaid.x`` and so on; everything else that
    only the launch knows stays unknown. ``workgroup_size``: threads, where the text bounds none.

    Raises :class:`InputError` if the text is no PTX, is cut off, or names no size.
    """
    gpu = target or named_target(text)
    if not gpu.startswith("sm_"):
        raise InputError(
            f"PTX for {gpu or 'an unknown machine'} is not followed",
            location=Location(file),
            hint="the text of a .ptx file, which has a line like .target sm_90",
        )
    found = [k for k in kernels(text, file) if kernel in ("", k.name)]
    if not found:
        names = ", ".join(k.name for k in kernels(text, file))
        raise InputError(
            f"no kernel {kernel!r} in this PTX" if names else "no .entry in this PTX",
            location=Location(file),
            hint=f"it has {names}" if names else "",
        )
    return tuple(_check(k, file, gpu, args or {}, workgroup_size) for k in found)


def _check(
    kernel: Kernel, file: str, gpu: str, args: ArgumentValues, given: Size | None
) -> AssemblyKernel:
    size, notes = _workgroup_size(kernel, file, given)
    _known_arguments(kernel, args)
    decoded = decode(kernel, lambda statement: _parameter(kernel, args, statement))
    trace = follow(decoded.program, lambda: _start(size, args))
    lengths = [v.size_bytes for v in kernel.shared]
    generic = tuple(_generic(kernel, decoded, trace))
    return AssemblyKernel(
        name=kernel.name,
        target=gpu,
        location=Location(file, kernel.line),
        lds_bytes=None if None in lengths else sum(n or 0 for n in lengths),
        registers=None,
        workgroup_size=size,
        accesses=tuple(_accesses(kernel, file, decoded, trace)),
        not_followed=not_followed(decoded.program, trace, decoded.strange),
        refusals=tuple(_refusals(kernel, file, decoded, trace)),
        open_branches=open_reasons(trace),
        notes=(*notes, *generic),
        unseen=generic,
    )


def _start(size: Size, args: ArgumentValues) -> State:
    """The special registers of all warps of one block."""
    (x, y, z), exists = threads(size, WARP)
    state = State(exists)
    lane = np.arange(WARP, dtype=np.uint32)[None, :]
    warp = np.arange(len(exists), dtype=np.uint32)[:, None]
    below = (np.uint32(1) << lane) - np.uint32(1)
    registers: dict[str, Value] = {"%tid.x": x, "%tid.y": y, "%tid.z": z, "%laneid": lane}
    registers |= {"%warpid": warp, "%lanemask_lt": below, "%lanemask_eq": below + np.uint32(1)}
    registers |= {"%lanemask_le": (below << np.uint32(1)) | np.uint32(1), "WARP_SZ": constant(WARP)}
    registers |= {f"%ntid.{axis}": constant(n) for axis, n in zip("xyz", size, strict=True)}
    for name in (*WORKGROUP_IDS, "nctaid.x", "nctaid.y", "nctaid.z"):
        given = args.get(name)
        lost = Unknown(f"%{name}", uniform=True)
        registers[f"%{name}"] = lost if given is None else constant(given)
    state.registers.update(registers)
    return state


def _workgroup_size(kernel: Kernel, file: str, given: Size | None) -> tuple[Size, tuple[str, ...]]:
    known = given or kernel.workgroup_size
    size = whole_size(known, "block", kernel.name, Location(file, kernel.line))
    bound = not given and kernel.bounded
    note = f"block size {','.join(map(str, size))} is taken from .maxntid"
    return size, (note,) if bound else ()


def _known_arguments(kernel: Kernel, args: ArgumentValues) -> None:
    names = [name for name, _ in kernel.parameters]
    allowed = {*names, *range(len(names)), *map(str, range(len(names))), *WORKGROUP_IDS}
    allowed |= {"nctaid.x", "nctaid.y", "nctaid.z"}
    for name in args:
        if name not in allowed:
            raise InputError(
                f"kernel {kernel.name} has no parameter {name!r}",
                hint=f"it has {', '.join([*names, *WORKGROUP_IDS])}",
            )


def _parameter(kernel: Kernel, args: ArgumentValues, statement: Statement) -> Value:
    """What a parameter load gives."""
    at = address(statement.operands[1]) if len(statement.operands) > 1 else None
    name = at.base if at else "?"
    names = [n for n, _ in kernel.parameters]
    number = names.index(name) if name in names else -1
    given = next((args[k] for k in (name, number, str(number)) if k in args), None)
    if given is None or (at is not None and at.offset_bytes):
        return Unknown(f"kernel parameter {name}", statement.line, uniform=True)
    wide = BYTES.get(statement.parts[-1], 4) > 4
    return constant(given, np.uint64 if wide else np.uint32)


def _accesses(
    kernel: Kernel, file: str, decoded: Decoded, trace: Trace
) -> Iterator[AssemblyAccess]:
    for number, touch in decoded.touches.items():
        touched = trace.touched.get(number)
        if touched is None:
            continue
        statement = kernel.statements[number]
        for name, part in _by_variable(kernel, touched).items():
            yield access(
                part,
                name=touch.name,
                kind=touch.kind,
                direction=touch.direction,
                width_bytes=touch.width_bytes,
                apart_bytes=None,
                location=Location(file, statement.line),
                source=statement.source,
                kernel=kernel.name,
                index=number,
                variant=touch.variant,
                allocation=name,
                immediate_bytes=touch.address.offset_bytes,
            )


def _by_variable(kernel: Kernel, touched: Touched) -> dict[str, Touched]:
    """The patterns of each shared variable, from its start; absolute addresses as "shared"."""
    names = {n + 1: variable.name for n, variable in enumerate(kernel.shared)}
    found: dict[str, Touched] = {}
    rows = zip(touched.patterns, touched.counts, touched.sure, strict=True)
    for (offsets, active), count, sure in rows:
        windows = np.unique(offsets[active] // WINDOW)
        if len(windows) != 1 or int(windows[0]) not in {0, *names}:
            continue
        window = int(windows[0])
        part = found.setdefault(
            names.get(window, "shared"),
            Touched(
                counted=touched.counted,
                unknown=touched.unknown,
                maybe=touched.maybe,
                xored=touched.xored,
            ),
        )
        part.patterns.append((np.where(active, offsets - window * WINDOW, 0), active))
        part.counts.append(count)
        part.sure.append(sure)
    return found


def _refusals(kernel: Kernel, file: str, decoded: Decoded, trace: Trace) -> Iterator[Refusal]:
    places = [Location(file, statement.line) for statement in kernel.statements]
    for number, refusal in decoded.refusals.items():
        yield Refusal(refusal.reason, places[number])
    yield from lost_places(trace, lambda line: Location(file, line))
    for number, touch in decoded.touches.items():
        reason = "" if touch.generic else _refusal(kernel, trace, number)
        if reason:
            yield Refusal(f"{touch.name}: {reason}", places[number])


def _refusal(kernel: Kernel, trace: Trace, number: int) -> str:
    reason, touched = unseen(trace, number), trace.touched.get(number)
    if reason or touched is None:
        return reason
    known = sum(len(part.patterns) for part in _by_variable(kernel, touched).values())
    mixed = known != len(touched.patterns)
    return "its lanes touch several shared variables, or none" if mixed else ""


def _generic(kernel: Kernel, decoded: Decoded, trace: Trace) -> Iterator[str]:
    """Accesses whose state space neither their name nor their address gives."""
    lines = [
        kernel.statements[number].line
        for number, touch in decoded.touches.items()
        if touch.generic and number in trace.touched and trace.touched[number].unknown is not None
    ]
    if lines:
        yield (
            f"{len(lines)} generic accesses (first: line {lines[0]}) have an unknown address: "
            "whether they touch shared memory is not known"
        )
