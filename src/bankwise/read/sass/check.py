"""Checking SASS: every shared-memory instruction of every kernel, with the bytes of all lanes.

This is what runs: nothing stands between these instructions and the counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_bytes
from bankwise.read.assembly import ArgumentValues, AssemblyAccess, AssemblyKernel, NotFollowed
from bankwise.read.follow.result import (
    access,
    lost_places,
    not_followed,
    open_reasons,
    unseen,
    whole_size,
)
from bankwise.read.follow.run import Trace, follow
from bankwise.read.follow.touched import Touched
from bankwise.read.sass.decode import Decoded, decode
from bankwise.read.sass.disassemble import OPTIONS, disassemble
from bankwise.read.sass.facts import RESERVED_BYTES, from_cubin
from bankwise.read.sass.parse import Instruction, Kernel, generation, kernel_names, kernels
from bankwise.read.sass.shared import is_generic
from bankwise.read.sass.start import IDS, Size, constants_of, start

Where = Callable[[Instruction], Location]
"""Where the user finds an instruction."""

LEAST_GENERATION = 80
"""sm_80: what is older encodes control flow and addresses in other ways."""


def check_cubin(
    path: Path,
    target: str | None = None,
    *,
    args: ArgumentValues | None = None,
    kernel: str = "",
    workgroup_size: Size | None = None,
) -> tuple[AssemblyKernel, ...]:
    """Disassemble a cubin with nvdisasm and check it; see :func:`check_sass`.

    A cubin has no lines: what is found stands at its source line, if the file has line numbers.
    """
    facts = from_cubin(read_bytes(path), str(path))
    text, file = disassemble(path), str(path)
    found = kernels(text, file, facts, only=kernel)
    if not found:
        raise _no_kernel(text, file, kernel)
    checked = _checked(found, file, _in_source(file), target, args, workgroup_size)
    note = f"lines named in notes are those of nvdisasm {' '.join(OPTIONS)}"
    return tuple(replace(one, notes=(*one.notes, note)) for one in checked)


def check_sass(
    text: str,
    file: str,
    target: str | None = None,
    *,
    args: ArgumentValues | None = None,
    kernel: str = "",
    workgroup_size: Size | None = None,
) -> tuple[AssemblyKernel, ...]:
    """Find what every shared-memory instruction of ``text`` touches, for all lanes of one block.

    ``target``: the GPU to count for, if it is not the one that the text names. ``args``: kernel
    parameters by position, or by their place ("c[0x0][0x210]"), and ``ctaid.x`` and so on; all else
    that only the launch knows stays unknown. ``workgroup_size``: threads, where the text bounds
    none.

    Raises :class:`InputError` if the text is no SASS of sm_80 or later, is cut off, or names no
    size.
    """
    found = kernels(text, file, only=kernel)
    if not found:
        raise _no_kernel(text, file, kernel)
    return _checked(found, file, _in_text(file), target, args, workgroup_size)


def _no_kernel(text: str, file: str, kernel: str) -> InputError:
    names = ", ".join(kernel_names(text))
    return InputError(
        f"no kernel {kernel!r} in this SASS" if names else "no code in this SASS",
        location=Location(file),
        hint=f"it has {names}" if names else "the text of nvdisasm -g or cuobjdump --dump-sass",
    )


def _in_text(file: str) -> Where:
    return lambda i: Location(file, i.line)


def _in_source(file: str) -> Where:
    return lambda i: i.source or Location(file)


def _checked(
    found: tuple[Kernel, ...],
    file: str,
    where: Where,
    target: str | None,
    args: ArgumentValues | None,
    size: Size | None,
) -> tuple[AssemblyKernel, ...]:
    own = found[0].target
    if generation(own) < LEAST_GENERATION or not (target or own).startswith("sm_"):
        raise InputError(
            f"SASS for {target or own or 'an unknown machine'} is not followed",
            location=Location(file),
            hint=f"code of sm_{LEAST_GENERATION} or later, with the line that names its target",
        )
    return tuple(_check(k, file, where, target or own, args or {}, size) for k in found)


def _check(
    kernel: Kernel,
    file: str,
    where: Where,
    gpu: str,
    args: ArgumentValues,
    given: Size | None,
) -> AssemblyKernel:
    size, notes = _workgroup_size(kernel, file, given)
    _known_arguments(kernel, args)
    decoded = decode(kernel, constants_of(kernel, size, args))
    trace = follow(decoded.program, lambda: start(size, args))
    generic = tuple(_generic(kernel))
    return AssemblyKernel(
        name=kernel.name,
        target=gpu,
        location=Location(file, kernel.line),
        lds_bytes=kernel.facts.shared_bytes,
        registers=None,
        workgroup_size=size,
        accesses=tuple(_accesses(kernel, where, decoded, trace)),
        not_followed=_not_followed(decoded, trace),
        refusals=tuple(_refusals(kernel, where, decoded, trace)),
        open_branches=open_reasons(trace),
        notes=(*notes, *generic),
        unseen=generic,
    )


def _workgroup_size(kernel: Kernel, file: str, given: Size | None) -> tuple[Size, tuple[str, ...]]:
    known = given or kernel.facts.workgroup_size
    size = whole_size(known, "block", kernel.name, Location(file, kernel.line))
    bound = not given and kernel.facts.bounded
    text = ",".join(map(str, size))
    note = f"block size {text} is the most that the kernel was compiled for (MAX_THREADS)"
    return size, (note,) if bound else ()


def _known_arguments(kernel: Kernel, args: ArgumentValues) -> None:
    count = len(kernel.facts.parameters or ())
    for name in args:
        place = isinstance(name, str) and name.startswith("c[0x0][")
        position = str(name).isdigit() and int(name) < count
        if not place and not position and name not in IDS:
            has = f"it has parameters 0 to {count - 1}" if count else "the text counts none"
            raise InputError(
                f"kernel {kernel.name} has no parameter {name!r}",
                hint=f"{has}; also c[0x0][OFFSET] and {', '.join(IDS)}",
            )


def _accesses(
    kernel: Kernel, where: Where, decoded: Decoded, trace: Trace
) -> Iterator[AssemblyAccess]:
    kept = _reserved(kernel, trace)
    for number, touch in decoded.touches.items():
        touched = trace.touched.get(number)
        if touched is None or not touched.patterns:
            continue
        i = kernel.instructions[number]
        found = access(
            _moved(touched, kept),
            name=touch.name,
            kind=touch.kind,
            direction=touch.direction,
            width_bytes=touch.width_bytes,
            apart_bytes=None,
            location=where(i),
            source=i.source,
            kernel=kernel.name,
            index=number,
            variant=touch.variant,
        )
        note = "; ".join(filter(None, (f"{i.name} at 0x{i.address:04x}", found.access.note)))
        yield replace(found, access=replace(found.access, note=note))


def _reserved(kernel: Kernel, trace: Trace) -> int:
    """How far behind the first address of shared memory the block's own part begins."""
    if generation(kernel.target) < 90:
        return 0
    parts = (part for touched in trace.touched.values() for part in touched.patterns)
    first = min((int(offsets[active].min()) for offsets, active in parts), default=0)
    return RESERVED_BYTES if first >= RESERVED_BYTES else 0


def _moved(touched: Touched, bytes_before: int) -> Touched:
    patterns = [(np.where(on, at - bytes_before, 0), on) for at, on in touched.patterns]
    return replace(touched, patterns=patterns)


def _not_followed(decoded: Decoded, trace: Trace) -> tuple[NotFollowed, ...]:
    """Where nothing stayed unknown, no result that is not computed decided anything."""
    parts = trace.touched.values()
    unknown = bool(trace.open_branches or trace.lost)
    unknown |= any(part.unknown is not None or part.maybe is not None for part in parts)
    seen = trace if unknown else replace(trace, executed=frozenset())
    return not_followed(decoded.program, seen, decoded.strange)


def _refusals(kernel: Kernel, where: Where, decoded: Decoded, trace: Trace) -> Iterator[Refusal]:
    places = [where(i) for i in kernel.instructions]
    by_line = dict(zip((i.line for i in kernel.instructions), places, strict=True))
    for number, refusal in decoded.refusals.items():
        yield Refusal(refusal.reason, places[number])
    yield from lost_places(trace, lambda line: by_line[line])
    for number in decoded.touches:
        reason = unseen(trace, number)
        if reason and _may_run(kernel.instructions[number]):
            i = kernel.instructions[number]
            yield Refusal(f"{i.name} at 0x{i.address:04x}: {reason}", places[number])


def _may_run(i: Instruction) -> bool:
    """The compiler guards with !PT what only fills a slot."""
    return i.guard != "!PT"


def _generic(kernel: Kernel) -> Iterator[str]:
    """Accesses whose address alone decides the memory that they touch."""
    lines = [i.line for i in kernel.instructions if is_generic(i)]
    if lines:
        yield (
            f"{len(lines)} generic accesses (first: line {lines[0]}) are not counted: whether "
            "they touch shared memory is not known"
        )
