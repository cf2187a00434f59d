"""Checking machine code: every shared-memory instruction of every kernel, with the bytes of all
lanes. One driver for all languages; a language is a :class:`Dialect`, a record of what it alone
knows. To add one: a record like ``read/ptx/dialect.py``, and its name in the machine files.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.hardware.machine import names as machine_names
from bankwise.hardware.toolchain import languages
from bankwise.read.assembly import ArgumentValues, AssemblyAccess, AssemblyKernel, NotFollowed
from bankwise.read.follow.decoded import Decoded, DecodedAccess, I
from bankwise.read.follow.result import (
    ALLOCATION,
    access,
    lost_places,
    not_followed,
    open_reasons,
    unseen,
    whole_size,
)
from bankwise.read.follow.run import Trace, follow
from bankwise.read.follow.state import State
from bankwise.read.follow.touched import Touched, together
from bankwise.read.follow.units import UnitPart, unit_parts

Size = tuple[int, int, int]
"""Threads of a workgroup along x, y, z."""


class CodeKernel(Protocol):
    """A kernel as the reader of a language gives it. ``line``: where it begins."""

    @property
    def name(self) -> str:
        """Of the kernel."""

    @property
    def line(self) -> int:
        """In the text, from 1."""

    @property
    def lds_bytes(self) -> int | None:
        """Static shared memory, as the text states it; None if the launch decides."""


K = TypeVar("K", bound=CodeKernel)


@dataclass(frozen=True, slots=True)
class Threads:
    """``size`` of a workgroup, as the text says it; ``bound``: that it is only a bound, in words
    that continue "block size 256,1,1 ..."; empty if it is required."""

    size: Sequence[int] | None
    bound: str = ""


GENERIC = "a generic access of shared memory"
AS_NAMED = f"{GENERIC}, counted as one that is named so"

Parts = Callable[[Touched], Mapping[str, Touched]]
"""What an access touched, cut into allocations by name; "" for what is of none, or of several."""


def _no_other(kernel: object, size: Size, args: ArgumentValues, trace: Trace) -> tuple[State, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect(Generic[K, I]):
    """One language of machine code.

    Words: ``name``: in the machine files (``machine_code``); ``title`` and ``sign``: of the
    language, and of a text of it, in messages; ``group``: what it calls a workgroup; ``empty``:
    message and hint for a text without a kernel. ``portable``: code for one GPU may be counted for
    another.

    Reading: ``target``: the GPU that a text names, "" if none; ``names``: of its kernels;
    ``kernels(text, file, only)``: they, all or one; ``instructions``, ``threads``, ``registers``:
    of a kernel.

    Following: ``strange_argument(kernel, key)``: what the kernel has instead, None if it has it;
    ``decode`` and ``start``: the steps of a kernel, and the registers of one workgroup, for a size
    and values of arguments; ``other_starts``: the same with other numbers where only the machine
    knows them: what is touched must not depend on them. ``parts``: see
    :data:`Parts`; ``label``: what an instruction is called in notes beside its name in the machine
    files, "" if nothing; ``address``: of an instruction in its function, in bytes; ``place``: equal
    for the copies of one instruction, where a function is called several times; ``runs``: whether
    an instruction can run at all; ``generic``: what may touch shared memory besides, nobody knows
    where.
    """

    name: str
    title: str
    sign: str
    group: str
    empty: tuple[str, str]
    portable: bool
    target: Callable[[str], str]
    names: Callable[[str], Sequence[str]]
    kernels: Callable[[str, str, str], tuple[K, ...]]
    instructions: Callable[[K], Sequence[I]]
    threads: Callable[[K], Threads]
    registers: Callable[[K], int | None] = lambda kernel: None
    strange_argument: Callable[[K, str | int], str | None] = lambda kernel, key: None
    decode: Callable[[K, Size, ArgumentValues], Decoded]
    start: Callable[[K, Size, ArgumentValues], State]
    other_starts: Callable[[K, Size, ArgumentValues, Trace], Sequence[State]] = _no_other
    parts: Callable[[K, Trace], Parts] = lambda kernel, trace: _whole
    label: Callable[[I], str] = lambda instruction: ""
    address: Callable[[I], int | None] = lambda instruction: None
    place: Callable[[I], Hashable] = id
    runs: Callable[[I], bool] = lambda instruction: True
    generic: Callable[[K, Decoded, Trace], str] = lambda kernel, decoded, trace: ""


def _whole(touched: Touched) -> Mapping[str, Touched]:
    return {ALLOCATION: touched}


Place = Callable[[Any], Location]
"""Where the user finds an instruction."""


def check_code(
    dialect: Dialect[K, I],
    text: str,
    file: str,
    target: str | None = None,
    *,
    args: ArgumentValues | None = None,
    kernel: str = "",
    workgroup_size: Size | None = None,
) -> tuple[AssemblyKernel, ...]:
    """Find what every shared-memory instruction of ``text`` touches, for all lanes of one
    workgroup.

    ``target``: the GPU, if the text does not name it, or, in a portable language, to count for
    another. ``args``: numbers of kernel arguments, by name, position or offset, as the language
    has them, and of the workgroup's number; all else that only the launch knows stays unknown.
    ``workgroup_size`` is needed where the text bounds none.

    Raises :class:`InputError` if the text is not of this language, is cut off, or is for a machine
    that is not followed.
    """
    gpu = _target(dialect, text, file, target)
    found = dialect.kernels(text, file, kernel)
    if not found:
        raise no_kernel(dialect, text, file, kernel)
    place: Place = lambda one: Location(file, one.line)  # noqa: E731 - a value of the record
    return check_kernels(dialect, found, file, gpu, place, args or {}, workgroup_size)


def check_kernels(
    dialect: Dialect[K, I],
    found: Sequence[K],
    file: str,
    gpu: str,
    place: Place,
    args: ArgumentValues,
    size: Size | None,
) -> tuple[AssemblyKernel, ...]:
    """Follow kernels that are read already; ``place``: where the user finds an instruction."""
    return tuple(_check(dialect, one, file, gpu, place, args, size) for one in found)


def no_kernel(dialect: Dialect[K, I], text: str, file: str, wanted: str) -> InputError:
    """What to say of a text without the kernel ``wanted``, or without any."""
    names = ", ".join(dialect.names(text))
    message, hint = dialect.empty
    if wanted and names:
        message, hint = f"no kernel {wanted!r} in this {dialect.sign}", f"it has {names}"
    return InputError(message, location=Location(file), hint=hint)


def followed(dialect: Dialect[K, I]) -> tuple[str, ...]:
    """The machines whose code of this language is followed, as their files say."""
    tools = ((name, machine(name).tools) for name in machine_names())
    return tuple(name for name, one in tools if dialect.name in (one.machine_code or ()))


def check_target(dialect: Dialect[K, I], gpu: str, file: str) -> str:
    """``gpu`` if its code is followed; :class:`InputError` if not."""
    if gpu in machine_names() and dialect.name in languages(machine(gpu).tools):
        return gpu
    silent = "" if gpu else ": the text names no target"
    raise InputError(
        f"{dialect.sign} for {gpu or 'an unknown machine'} is not followed{silent}",
        location=Location(file),
        hint=f"{dialect.title} for {', '.join(followed(dialect))}",
    )


def _target(dialect: Dialect[K, I], text: str, file: str, given: str | None) -> str:
    said = dialect.target(text)
    if given and said and given != said and not dialect.portable:
        raise InputError(
            f"the {dialect.sign} is for {said}, not for {given}", location=Location(file)
        )
    return check_target(dialect, given or said, file)


def _check(
    dialect: Dialect[K, I],
    kernel: K,
    file: str,
    gpu: str,
    place: Place,
    args: ArgumentValues,
    given: Size | None,
) -> AssemblyKernel:
    size, notes = _workgroup_size(dialect, kernel, file, given)
    _check_arguments(dialect, kernel, args)
    decoded = dialect.decode(kernel, size, args)
    trace = follow(decoded.program, lambda: dialect.start(kernel, size, args))
    parts = dialect.parts(kernel, trace)
    others = dialect.other_starts(kernel, size, args, trace)
    moved = _moved(trace, [follow(decoded.program, other.copy) for other in others])
    generic = tuple(filter(None, (dialect.generic(kernel, decoded, trace), moved)))
    return AssemblyKernel(
        name=kernel.name,
        target=gpu,
        location=Location(file, kernel.line),
        lds_bytes=kernel.lds_bytes,
        registers=dialect.registers(kernel),
        workgroup_size=size,
        accesses=tuple(_accesses(dialect, kernel, decoded, trace, parts, place)),
        not_followed=_not_followed(decoded, trace),
        refusals=tuple(_refusals(dialect, kernel, decoded, trace, parts, place)),
        open_branches=open_reasons(trace),
        notes=(*notes, *generic),
        unseen=generic,
    )


def _moved(trace: Trace, again: Iterable[Trace]) -> str:
    """Why nothing is known for sure, if another run touched other places."""
    first = {n: _places(part) for n, part in trace.touched.items()}
    if all({n: _places(part) for n, part in t.touched.items()} == first for t in again):
        return ""
    return "its addresses depend on numbers that only the machine knows"


def _places(touched: Touched) -> list[tuple[bytes, bytes, int]]:
    rows = zip(touched.patterns, touched.counts, strict=True)
    return [(offsets.tobytes(), active.tobytes(), count) for (offsets, active), count in rows]


def _workgroup_size(
    dialect: Dialect[K, I], kernel: K, file: str, given: Size | None
) -> tuple[Size, tuple[str, ...]]:
    said = dialect.threads(kernel)
    place = Location(file, kernel.line)
    size = whole_size(given or said.size, dialect.group, kernel.name, place)
    note = f"{dialect.group} size {','.join(map(str, size))} {said.bound}"
    return size, (note,) if said.bound and not given else ()


def _check_arguments(dialect: Dialect[K, I], kernel: K, args: ArgumentValues) -> None:
    for key in args:
        has = dialect.strange_argument(kernel, key)
        if has is not None:
            raise InputError(f"kernel {kernel.name} has no parameter {key!r}", hint=has)


def _accesses(
    dialect: Dialect[K, I],
    kernel: K,
    decoded: Decoded,
    trace: Trace,
    parts: Parts,
    place: Place,
) -> Iterator[AssemblyAccess]:
    instructions = dialect.instructions(kernel)
    for number, copies in _copies(dialect, instructions, decoded).items():
        one, touch = instructions[number], decoded.touches[number]
        runs = [trace.touched[copy] for copy in copies if copy in trace.touched]
        touched = together(runs) if runs else None
        if touched is None or not touched.patterns:
            continue
        for unit in _units(touch, touched):
            for allocation, part in parts(unit.touched).items():
                if not allocation:
                    continue
                found = access(part, touch, place(one), one.source, kernel.name, number, allocation)
                words = (dialect.label(one), _generic(touch), unit.note, found.access.note)
                note = "; ".join(filter(None, words))
                address = dialect.address(one)
                known = replace(found.access, note=note, written=one.name, address=address)
                yield replace(found, access=known, unit=unit.access)


def _units(touch: DecodedAccess, touched: Touched) -> Iterator[UnitPart]:
    """What is touched, in as many parts as an asynchronous unit has operands; else as it is."""
    if touch.unit is None:
        yield UnitPart(None, touched)
        return
    for part in unit_parts(touch.unit, touched):
        if isinstance(part, UnitPart):
            yield part


def _generic(touch: DecodedAccess) -> str:
    """The note of an access whose address decides the memory; empty for any other."""
    if not touch.generic:
        return ""
    return AS_NAMED if ".shared" in touch.name else GENERIC


def _copies(
    dialect: Dialect[K, I], instructions: Sequence[I], decoded: Decoded
) -> dict[int, list[int]]:
    """The accesses that are one instruction of the text, by the number of the first: a function
    that is called twice stands in a kernel twice."""
    first: dict[Hashable, int] = {}
    found: dict[int, list[int]] = {}
    for number in decoded.touches:
        place = dialect.place(instructions[number])
        found.setdefault(first.setdefault(place, number), []).append(number)
    return found


def _not_followed(decoded: Decoded, trace: Trace) -> tuple[NotFollowed, ...]:
    """Where nothing stayed unknown, no result that is not computed decided anything."""
    parts = trace.touched.values()
    unknown = bool(trace.open_branches or trace.lost)
    unknown |= any(part.unknown is not None or part.maybe is not None for part in parts)
    seen = trace if unknown else replace(trace, executed=frozenset())
    return not_followed(decoded.program, seen, decoded.strange)


def _refusals(
    dialect: Dialect[K, I],
    kernel: K,
    decoded: Decoded,
    trace: Trace,
    parts: Parts,
    place: Place,
) -> Iterator[Refusal]:
    instructions = dialect.instructions(kernel)
    for number, refusal in decoded.refusals.items():
        yield Refusal(refusal.reason, place(instructions[number]))
    by_line = {one.line: place(one) for one in instructions}
    said = {instructions[number].line for number in decoded.refusals}
    lost = tuple(step for step in trace.lost if step.line not in said)
    yield from lost_places(lost, lambda line: by_line[line])
    for number, copies in _copies(dialect, instructions, decoded).items():
        one, touch = instructions[number], decoded.touches[number]
        reasons = (_reason(trace, copy, touch, parts) for copy in copies)
        reason = next(filter(None, reasons), "")
        if reason and dialect.runs(one):
            name = one.name if touch.generic else touch.name
            yield Refusal(f"{dialect.label(one) or name}: {reason}", place(one))


def _reason(trace: Trace, number: int, touch: DecodedAccess, parts: Parts) -> str:
    """Why not all that a copy of an access touches is known; empty if it is."""
    reason, touched = unseen(trace, number), trace.touched.get(number)
    if touch.generic and touched is not None and touched.unknown is not None:
        reason = f"its address depends on {touched.unknown}"
    if touch.generic and reason:
        return f"whether it touches shared memory is not known: {reason}"
    if reason or touched is None:
        return reason
    for part in (touched,) if touch.unit is None else unit_parts(touch.unit, touched):
        if isinstance(part, Refusal):
            return part.reason
        if "" in parts(part if isinstance(part, Touched) else part.touched):
            return "its lanes touch several shared variables, or none"
    return ""
