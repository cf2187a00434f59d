"""One kernel as one launch runs it: every shared-memory instruction, the bytes of all lanes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import InputError, Location, Refusal
from bankwise.read.assembly import ArgumentValues, AssemblyAccess, AssemblyKernel
from bankwise.read.follow.blocks import block_index
from bankwise.read.follow.decoded import Decoded, DecodedAccess, I
from bankwise.read.follow.dialect import GENERIC, GROUP_SIZE, Dialect, K, Parts, Place
from bankwise.read.follow.in_flight import loads_in_flight
from bankwise.read.follow.prepared import Preparations
from bankwise.read.follow.program import Program
from bankwise.read.follow.result import (
    ALLOCATION,
    access,
    cut_of,
    executed,
    facts_of,
    lost_places,
    moved,
    open_reasons,
    unread,
    unseen,
    wave_runs,
)
from bankwise.read.follow.run import UNTOUCHED, Trace, follow
from bankwise.read.follow.state import Partly, State
from bankwise.read.follow.touched import Touched, together
from bankwise.read.follow.units import UnitPart, unit_parts
from bankwise.read.follow.values import Unknown, Value
from bankwise.read.launch.boxes import Box
from bankwise.read.launch.facts import KernelLaunch, bits_of
from bankwise.read.names import short


class LaunchRuns(Struct, frozen=True):
    """A program made ready for runs. ``made``: those that were, to ask whether they read how many
    threads there are: they are the launches' own."""

    preparations: Preparations
    made: list[tuple[KernelLaunch, Trace]] = field(default_factory=list)

    def take(self, launch: KernelLaunch) -> Trace | None:
        """The run of a launch that was made, whether or not the launch stands for smaller blocks,
        too; it is kept no longer."""
        same = replace(launch, whole=False)
        known = (n for n, (one, _) in enumerate(self.made) if replace(one, whole=False) == same)
        found = next(known, None)
        return None if found is None else self.made.pop(found)[1]


def under(
    dialect: Dialect[K, I],
    kernel: K,
    decoded: Decoded,
    known: LaunchRuns,
    file: str,
    gpu: str,
    place: Place,
    launch: KernelLaunch,
    steps: int | None,
    box: Box | None = None,
) -> AssemblyKernel:
    """The kernel as one launch runs it; ``steps``: how much work it is worth, None for what its
    size is. ``box``: in the blocks of a part of its grid alone; None for any block."""
    assert launch.block is not None
    size, (args, start) = launch.block, _begun(dialect, kernel, launch, box)
    ready = known.preparations.of(start)
    trace = known.take(launch) if box is None else None
    trace = UNTOUCHED if _touches_nothing(decoded, ready.program) else trace
    trace = trace or follow(ready, start, steps, () if box is None else dialect.group_index)
    parts = dialect.parts(kernel, trace)
    others = dialect.other_starts(kernel, size, args, trace)
    code, waves = dialect.instructions(kernel), wave_runs(trace.touched)
    moved_ = moved(trace, [follow(ready, other, steps) for other in others])
    generic = tuple(filter(None, (dialect.generic(kernel, decoded, trace), moved_)))
    return AssemblyKernel(
        name=kernel.name,
        target=gpu,
        location=Location(file, kernel.line),
        lds_bytes=kernel.lds_bytes,
        registers=dialect.registers(kernel),
        local_bytes=dialect.local_bytes(kernel),
        instructions=len(code),
        executed=executed(decoded.program, waves),
        loads=loads_in_flight(code, decoded.program, dialect.loads, waves),
        workgroup_size=size,
        accesses=tuple(_accesses(dialect, kernel, decoded, trace, parts, place)),
        not_followed=unread(decoded, trace),
        refusals=tuple(_refusals(dialect, kernel, decoded, trace, parts, place)),
        open_branches=open_reasons(trace),
        notes=(*_launch_notes(dialect, kernel, launch), *generic),
        unseen=generic,
        launch=launch,
        assumed=_assumed(dialect, kernel, launch),
        facts=facts_of(trace),
        boxes=() if box is None else (box,),
        cut=None if box is None else cut_of(trace, dialect.group_index, box),
        work=trace.work,
    )


def _touches_nothing(decoded: Decoded, program: Program) -> bool:
    """Whether no instruction can touch shared memory, and control stays in what is known."""
    lost = any(one.flow == "lost" for one in program.steps)
    return not (decoded.touches or decoded.refusals or decoded.strange or lost)


def _begun(
    dialect: Dialect[K, I], kernel: K, launch: KernelLaunch, box: Box | None
) -> tuple[ArgumentValues, State]:
    """The numbers that a launch gives, and how its blocks begin; of a part of its grid, these."""
    assert launch.block is not None
    args = _arguments(dialect, kernel, launch)
    if box is None:
        return args, dialect.start(kernel, launch.block, args)
    args = {**args, **_own_places(dialect, box)}
    start = dialect.start(kernel, launch.block, args)
    _place(dialect, start, box)
    return args, start


def asks_size(
    dialect: Dialect[K, I],
    kernel: K,
    decoded: Decoded,
    runs: LaunchRuns,
    launch: KernelLaunch,
    steps: int | None,
) -> bool:
    """Whether what is touched, or by which lanes, depends on how many threads a kernel reads that
    it has. It does not where its run reads no such number."""
    assert launch.block is not None
    args = _arguments(dialect, kernel, launch)
    start, untold = (dialect.start(kernel, launch.block, args, told=told) for told in (True, False))
    sizes = {name for name, value in untold.registers.items() if _is_size(value)}
    if not any(sizes.intersection(step.reads) for step in decoded.program.steps):
        ready = runs.preparations.of(start)
        start.memory = _watched(start.memory, untold.memory)
        try:
            trace = follow(ready, start, steps)
        except _SizeRead:
            pass
        else:
            runs.made.append((launch, trace))
            return bool(trace.stopped)
    trace = follow(Preparations(decoded.program).of(untold), untold, steps, (GROUP_SIZE,))
    return bool(trace.stopped) or GROUP_SIZE in facts_of(trace)


class _SizeRead(Exception):  # noqa: N818 - no error: it ends a run
    """A run reads how many threads there are."""


def _watched(told: Callable[..., Any], untold: Callable[..., Any]) -> Callable[..., Any]:
    """What a kernel reads of memory, up to how many threads it has."""

    def read(*asked: Any) -> Any:
        found = untold(*asked)
        if any(map(_is_size, found if isinstance(found, tuple) else (found,))):
            raise _SizeRead
        return told(*asked)

    return read


def _is_size(value: Value | Partly | None) -> bool:
    return isinstance(value, Unknown) and value.fact == GROUP_SIZE


def _own_places(dialect: Dialect[K, I], box: Box) -> ArgumentValues:
    """The indices of a block along axes along which a part of a grid has one alone."""
    pairs = zip(dialect.group_index, box, strict=True)
    return {name: along.start for name, along in pairs if len(along) == 1}


def _place(dialect: Dialect[K, I], start: State, box: Box) -> None:
    """Let the block's own indices be those of all blocks of a part of the grid."""
    axes = {name: axis for axis, name in enumerate(dialect.group_index)}
    for name, value in start.registers.items():
        if isinstance(value, Unknown) and value.fact in axes:
            over = block_index(axes[value.fact], box)
            start.registers[name] = replace(value, over=over)


def _launch_notes(dialect: Dialect[K, I], kernel: K, launch: KernelLaunch) -> tuple[str, ...]:
    """By whose word the size is taken, where the text does not require it."""
    assert launch.block is not None
    text = dialect.threads(kernel)
    size = f"{dialect.group} size {','.join(map(str, launch.block))}"
    if launch.assumed and text.bound:
        return (f"{size} {text.bound}",)
    if launch.assumed:
        return (f"{size} is guessed: --workgroup-size or --launch settles it",)
    told = launch.said and not launch.said.endswith("--workgroup-size says")
    return (f"{size}, {launch.said}",) if told else ()


def _assumed(dialect: Dialect[K, I], kernel: K, launch: KernelLaunch) -> str:
    """What of a launch nobody says."""
    if not launch.assumed or launch.whole:
        return ""
    return f"{','.join(map(str, launch.block or ()))} threads a {dialect.group}"


def _arguments(dialect: Dialect[K, I], kernel: K, launch: KernelLaunch) -> ArgumentValues:
    """All numbers that a launch gives: named, by position, and those of its grid; the workgroup's
    own along axes that have one alone."""
    names = dialect.parameters(kernel)
    args = {name: bits_of(name, n, names) for name, n in launch.arguments.items()}
    if names and len(launch.positional) > len(names):
        raise InputError(
            f"kernel {short(kernel.name)} takes {len(names)} arguments, the launch has "
            f"{len(launch.positional)}"
        )
    for name, number in zip(names, launch.positional, strict=False):
        if number is not None and not {name, str(name)} & set(args):
            args[name] = bits_of(name, number, names)
    for name, number in zip(dialect.grid(kernel), launch.grid or (), strict=False):
        args.setdefault(name, number)
    for index, number in zip(dialect.group_index, launch.grid or (), strict=False):
        if number == 1:
            args.setdefault(index, 0)
    if dialect.shared_bytes and launch.shared_bytes is not None:
        args.setdefault(dialect.shared_bytes, launch.shared_bytes)
    for key in launch.arguments:
        has = dialect.strange_argument(kernel, key)
        if has is not None:
            raise InputError(f"kernel {short(kernel.name)} has no parameter {key!r}", hint=has)
    return args


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
        if touched is None:
            continue
        for unit, allocation, part in _placed(touch, touched, parts):
            if allocation:
                found = access(part, touch, place(one), one.source, kernel.name, number, allocation)
                words = (dialect.label(one), _generic(touch), unit.note, found.access.note)
                note = "; ".join(filter(None, words))
                address = dialect.address(one)
                known = replace(found.access, note=note, written=one.name, address=address)
                yield replace(found, access=known, unit=unit.access)


def _placed(
    touch: DecodedAccess, touched: Touched, parts: Parts
) -> Iterator[tuple[UnitPart, str, Touched]]:
    """What is touched of each allocation; what lies nobody knows where, of all shared memory."""
    if touch.unit is not None:
        yield from _placed_unit(touch, touched, parts)
        return
    elsewhere = touched.anywhere
    found = dict(parts(replace(touched, anywhere=None))) if touched.patterns else {}
    if elsewhere is not None:
        nothing = replace(touched, patterns=[], counts=[], sure=[], index={})
        found.setdefault(ALLOCATION, nothing)
    for allocation, part in found.items():
        here = elsewhere
        if elsewhere is not None and allocation != ALLOCATION:
            here = Touched(unknown=elsewhere.unknown)
        yield UnitPart(None, part), allocation, replace(part, anywhere=here)


def _placed_unit(
    touch: DecodedAccess, touched: Touched, parts: Parts
) -> Iterator[tuple[UnitPart, str, Touched]]:
    elsewhere = touched.anywhere
    if touched.patterns:
        lost = touched.unknown or (elsewhere.unknown if elsewhere is not None else None)
        for unit in _units(touch, replace(touched, unknown=lost, anywhere=None)):
            for allocation, part in parts(unit.touched).items():
                yield unit, allocation, part
    elif elsewhere is not None:
        # one lane issues it or none does: a condition says how often it runs
        for unit in _units(touch, replace(elsewhere, maybe=None)):
            yield unit, ALLOCATION, Touched(unknown=touched.unknown, anywhere=unit.touched)


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
    return GENERIC if touch.generic else ""


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
        yield replace(refusal, location=place(instructions[number]))
    by_line = {one.line: one for one in instructions} if trace.lost else {}
    said = {instructions[number].line for number in decoded.refusals}
    lost = tuple(step for step in trace.lost if step.line not in said)
    yield from lost_places(lost, lambda line: place(by_line[line]))
    for number, copies in _copies(dialect, instructions, decoded).items():
        one, touch = instructions[number], decoded.touches[number]
        reasons = (_reason(trace, copy, touch, parts) for copy in copies)
        reason = next(filter(None, reasons), "")
        if reason and dialect.runs(one):
            yield Refusal(f"{dialect.label(one) or one.name}: {reason}", place(one))


def _reason(trace: Trace, number: int, touch: DecodedAccess, parts: Parts) -> str:
    """Why not all that a copy of an access touches is known; empty if it is."""
    reason, touched = unseen(trace, number), trace.touched.get(number)
    if touch.generic and touched is not None and touched.unknown is not None:
        reason = f"its address depends on {touched.unknown}"
    if touch.generic and reason:
        return f"whether it touches shared memory is not known: {reason}"
    if reason or touched is None or not touched.patterns:
        return reason
    for part in (touched,) if touch.unit is None else unit_parts(touch.unit, touched):
        if isinstance(part, Refusal):
            return part.reason
        if "" in parts(part if isinstance(part, Touched) else part.touched):
            return "its lanes touch several shared variables, or none"
    return ""
