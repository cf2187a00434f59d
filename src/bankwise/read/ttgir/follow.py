"""Following a kernel: which operation touches which buffer, through views, loops and branches.

A loop whose bounds are numbers is run; of any other loop the body is run once, with everything
that changes from round to round unknown. The same goes for branches. Whatever an operation does to
values that are no memory and no number is of no interest here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from bankwise.counting.bound import ANY, Bound, exactly
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.ttgir.frequency import Frequency
from bankwise.read.ttgir.numbers import check_numbers, place_of
from bankwise.read.ttgir.op_kinds import ACCESSES, ATOMIC, BY_UNITS, ENDS, NO_TOUCH, SCRATCH
from bankwise.read.ttgir.scalars import evaluate
from bankwise.read.ttgir.text import arguments
from bankwise.read.ttgir.types import Types
from bankwise.read.ttgir.values import (
    Buffer,
    BufferView,
    Module,
    Op,
    Open,
    SharedOperation,
    TritonFunction,
)
from bankwise.read.ttgir.views import VIEWS, Value, allocation, facts_of, join, joined, view

MAX_STEPS = 200_000
"""Operations that are run; a loop that would take more is taken to be of unknown length."""

_FOR = re.compile(r"(?:unsigned )?(%\S+) = (%\S+) to (%\S+) step (%\S+)")
_ITER = re.compile(r"(%[\w$.\-]+) = (%[\w$.\-#]+)")
_WARPS = re.compile(r"num_warps\((\d+)\)")

_LONG = f"a loop is longer than what is followed ({MAX_STEPS:,} operations)"

_CALLS = 16
"""Functions that are followed into each other."""


class Followed(ByIdentity, frozen=True, eq=False):
    """All that a kernel does to shared memory. ``buffers`` in the order of the text.

    ``fixed``: buffers that something needs as they are, by name, with the reason. ``errors``:
    operations that are no valid TTGIR, or not as it is known here; each is a refusal, too.
    ``partitions``: waves of specialised partitions, beside those of the module.
    """

    touches: tuple[SharedOperation, ...]
    buffers: tuple[Buffer, ...]
    refusals: tuple[Refusal, ...]
    fixed: Mapping[str, str]
    errors: tuple[InputError, ...] = ()
    partitions: int = 0


def follow(
    module: Module, kernel: TritonFunction, types: Types, arguments: Mapping[str, int]
) -> Followed:
    """Follow one kernel. ``arguments``: numbers of its arguments, by name without ``%``, and of
    its block (:mod:`bankwise.read.ttgir.numbers`).

    Raises :class:`InputError` for a name that the kernel does not have.
    """
    check_numbers(kernel, arguments)
    run = _Follower(module, types, arguments)
    env: dict[str, Value] = {name: _argument(name, kernel) for name in kernel.arguments}
    env |= {f"%{name}": number for name, number in arguments.items()}
    run.block(kernel.body, env, Frequency(exactly(1)))
    touches = tuple(
        replace(weight.touch(op, touched), operand=operand)
        for (op, touched, _, operand), weight in run.found.items()
    )
    refusals = tuple({(r.location, r.reason): r for r in run.refusals}.values())
    buffers = tuple(sorted(run.buffers.values(), key=lambda b: b.line))
    return Followed(touches, buffers, refusals, run.fixed, tuple(run.errors), run.partitions)


class _Follower:
    """The state of following: what was found so far."""

    def __init__(self, module: Module, types: Types, numbers: Mapping[str, int]) -> None:
        self.module, self.types, self.numbers = module, types, numbers
        self.found: dict[tuple[Op, BufferView | None, int | None, int | None], Frequency] = {}
        self.buffers: dict[Op, Buffer] = {}
        self.refusals: list[Refusal] = []
        self.fixed: dict[str, str] = {}
        self.steps = 0
        self.errors: list[InputError] = []
        self.captured: list[Value] = []
        self.partitions = self.beside = 0
        self.used = set(_operands(op for f in module.functions.values() for op in f.body))

    def block(self, ops: Iterable[Op], env: dict[str, Value], weight: Frequency) -> list[Value]:
        """Run a block; what its last operation gives. Of several blocks none is left out."""
        given: list[Value] = []
        for op in ops:
            self.steps += 1
            if op.name in ENDS:
                given = [env.get(name) for name in op.operands]
                continue
            try:
                self._one(op, env, weight)
            except InputError as error:
                self._error(op, error, env)
        return given

    def _error(self, op: Op, error: InputError, env: dict[str, Value]) -> None:
        """What is wrong with one operation is told at its line; the others go on."""
        place = error.location or self.module.place(op)
        self.errors.append(InputError(error.message, location=place, hint=error.hint))
        self.refusals.append(Refusal(f"{op.name}: {error.message}", place))
        env.update(dict.fromkeys(op.results, Refusal(error.message, place)))

    def _one(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        if op.name == "scf.for":
            self._for(op, env, weight)
        elif op.name == "scf.if":
            self._if(op, env, weight)
        elif op.name == "scf.while" and len(op.regions) == 2:
            self._while(op, env, weight)
        elif op.name == "default" or op.name.startswith("partition"):
            self._partition(op, env, weight)
        elif op.regions and op.name not in SCRATCH:
            self._other_regions(op, env, weight)
        elif op.name == "ttg.local_alloc":
            self._alloc(op, env, weight)
        elif op.name in VIEWS:
            env[op.results[0]] = view(op, env, self.module, self.types)
        elif op.name in ACCESSES:
            self._access(op, env, weight)
        elif op.name in SCRATCH or (ATOMIC.match(op.name) and self.used & {*op.results}):
            self._record(op, None, weight)
        elif op.name.startswith("arith."):
            self._arith(op, env)
        elif place := place_of(op):
            known = self.numbers.get(place)
            env[op.results[0]] = Open(frozenset({place})) if known is None else known
        else:
            self._other(op, env, weight)

    def _arith(self, op: Op, env: dict[str, Value]) -> None:
        values = [env.get(name) for name in op.operands]
        numbers = [v if isinstance(v, int) else None for v in values]
        for result in op.results[:1]:
            made = evaluate(op, numbers)
            env[result] = Open(facts_of(*values)) if made is None else made
            if op.name == "arith.select" and isinstance(values[-1], BufferView):
                env[result] = join(values[-2], values[-1])

    def _alloc(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        made = allocation(op, self.module, self.types)
        if isinstance(made, Refusal):
            env[op.results[0]] = made
            if op.operands:
                self._refuse(op, made.reason, weight)
            return
        if any(each.name == made.name for at, each in self.buffers.items() if at is not op):
            # A name of one region may be another value's in the next.
            made = replace(made, name=f"{made.name}:{made.line}")
        self.buffers[op] = made
        env[op.results[0]] = BufferView(made)
        if op.operands:
            self._record(op, BufferView(made), weight)

    def _access(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        views = [v for name in op.operands if isinstance(v := env.get(name), BufferView)]
        if len(views) == 1:
            return self._record(op, views[0], weight)
        unread = [v for name in op.operands if isinstance(v := env.get(name), Refusal)]
        reason = unread[0].reason if unread else "which buffer it touches is not known"
        return self._refuse(op, reason, weight)

    def _record(
        self, op: Op, view: BufferView | None, weight: Frequency, operand: int | None = None
    ) -> None:
        if not weight.silent:
            key = (op, view, weight.waves, operand)
            old = self.found.get(key)
            self.found[key] = weight if old is None else old + weight

    def _refuse(self, op: Op, reason: str, weight: Frequency) -> None:
        if not weight.silent:
            place = self.module.place(op)
            self.refusals.append(Refusal(f"{op.name}: {reason}", place))

    def _for(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        head = _FOR.match(op.body)
        if head is None or len(op.regions) != 1:
            place = self.module.place(op)
            raise InputError("an scf.for is %i = %a to %b step %c", location=place)
        names = [name for name, _ in carried(op)]
        values = [env.get(start) for _, start in carried(op)]
        rounds = self._rounds(op, [env.get(head[n]) for n in (2, 3, 4)])
        if rounds is None:
            why = facts_of(*(env.get(head[n]) for n in (2, 3, 4))) or {_LONG}
            values = self._unknown_rounds(op, head[1], names, values, env, frozenset(why), weight)
        else:
            for number in rounds:
                inside = {**env, head[1]: number, **dict(zip(names, values, strict=True))}
                given = self.block(op.regions[0], inside, weight)
                values = self._yielded(op, values, given)
        env.update(zip(op.results, values, strict=False))

    def _rounds(self, op: Op, bounds: list[Value]) -> range | None:
        """The values of the induction variable, if they are known and not too many."""
        low, high, step = (b if isinstance(b, int) else None for b in bounds)
        if low is None or high is None or step is None or step <= 0:
            return None
        rounds = range(low, high, step)
        size = _size(op)
        return rounds if self.steps + size * len(rounds) <= MAX_STEPS else None

    def _unknown_rounds(
        self,
        op: Op,
        induction: str,
        names: list[str],
        values: list[Value],
        env: dict[str, Value],
        why: frozenset[str],
        weight: Frequency,
    ) -> list[Value]:
        """Run the body once, with what changes unknown; the first, silent, run finds out what.
        ``why``: on what the number of rounds depends."""
        for silent in (True, True, False):
            inside = {**env, induction: Open(why), **dict(zip(names, values, strict=True))}
            now = replace(weight, times=ANY, silent=weight.silent or silent, open=weight.open | why)
            given = self.block(op.regions[0], inside, now)
            values = joined(values, self._yielded(op, values, given), why)
        return values

    def _yielded(self, op: Op, values: list[Value], given: list[Value]) -> list[Value]:
        if len(given) != len(values):
            place = self.module.place(op)
            message = f"the loop carries {len(values)} values and yields {len(given)}"
            raise InputError(message, location=place)
        return given

    def _if(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        known = env.get(op.operands[0]) if op.operands else None
        if isinstance(known, int):
            chosen = op.regions[:1] if known else op.regions[1:2]
            given = self.block(chosen[0], dict(env), weight) if chosen else []
        else:
            maybe = replace(
                weight,
                maybe=True,
                times=Bound(0, weight.times.high),
                open=weight.by(known),
            )
            ways = [self.block(region, dict(env), maybe) for region in op.regions]
            both = len(ways) == 2 and len(ways[0]) == len(ways[1])
            given = joined(ways[0], ways[1], facts_of(known)) if both else []
        env.update(zip(op.results, given, strict=False))

    def _while(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        """A loop of unknown length: the condition and the body once, with what changes unknown."""
        starts = _ITER.findall(op.body)
        names = [name for name, _ in starts]
        values = [env.get(start) for _, start in starts]
        now = replace(weight, times=ANY)
        for silent in (True, True, False):
            now = replace(now, silent=weight.silent or silent)
            inside = {**env, **dict(zip(names, values, strict=True))}
            goes_on, *given = self.block(op.regions[0], inside, now) or [None]
            now = replace(now, open=now.by(goes_on))
            head = op.regions[1][0].results if op.regions[1] else ()
            body = {**env, **dict(zip(head, given, strict=False))}
            again = self.block(op.regions[1], body, replace(now, maybe=True))
            fits = len(again) == len(values)
            values = joined(values, again, now.open) if fits else [None] * len(values)
        env.update(zip(op.results, given, strict=False))

    def _partition(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        """Specialised warps: the default ones go on; every other partition has warps of its own."""
        if op.name == "default":
            self.block(op.regions[0], dict(env), weight)
            return
        waves = _WARPS.search(op.body)
        names = arguments(op.body.partition("(")[2])
        if waves is None or len(names) != len(self.captured):
            place = self.module.place(op)
            raise InputError("a partition is partition0(%a: .., ..) num_warps(4)", location=place)
        self.beside += int(waves[1])
        self.partitions = max(self.partitions, self.beside)
        inside = dict(zip(names, self.captured, strict=True))
        self.block(op.regions[0], inside, replace(weight, waves=int(waves[1])))

    def _other_regions(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        """Loops and branches of other kinds: their bodies run once, with nothing known."""
        known = {name: value for name, value in env.items() if not isinstance(value, int)}
        for region in op.regions:
            now = replace(weight, times=ANY, maybe=True, open=weight.by(None))
            self.block(region, dict(known), now)

    def _other(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        views = [v for name in op.operands if isinstance(v := env.get(name), BufferView)]
        if op.name == "ttng.warp_group_dot_wait":
            env.update(zip(op.results, (env.get(n) for n in op.operands), strict=False))
        elif op.name == "ttg.warp_specialize":
            self.captured = [env.get(name) for name in op.operands]
            self.beside = 0
        elif op.name == "tt.call":
            self._call(op, env, weight)
        elif BY_UNITS.match(op.name):
            self._unit(op, env, weight)
        elif views and not NO_TOUCH.match(op.name):
            self._refuse(op, "how it touches shared memory is not modelled", weight)

    def _unit(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        """The tiles that a unit reaches; what has one element is a barrier."""
        for number, name in enumerate(op.operands):
            touched = env.get(name)
            if isinstance(touched, BufferView) and touched.shape != (1,):
                self.fixed[touched.buffer.name] = f"line {op.line}: {op.name} needs it so"
                self._record(op, touched, weight, number)

    def _call(self, op: Op, env: dict[str, Value], weight: Frequency) -> None:
        """A function is run as if its body stood here."""
        name = op.body.partition("@")[2].partition("(")[0].strip('"')
        called = self.module.functions.get(name)
        if called is None or weight.calls == _CALLS:
            self._refuse(op, f"@{name} may touch shared memory; it is not followed", weight)
            return
        inside = dict(zip(called.arguments, (env.get(n) for n in op.operands), strict=False))
        given = self.block(called.body, inside, replace(weight, calls=weight.calls + 1))
        env.update(zip(op.results, given, strict=False))


def carried(op: Op) -> list[tuple[str, str]]:
    """What an ``scf.for`` hands from round to round: the name inside and the first value."""
    return _ITER.findall(op.body.partition("iter_args")[2])


def _argument(name: str, kernel: TritonFunction) -> Open:
    """An argument that nobody said; ``--arg`` says whole numbers alone."""
    plain = name.removeprefix("%")
    return Open(frozenset({plain if name in kernel.integers else f"{plain} (no integer)"}))


def _operands(ops: Iterable[Op]) -> Iterator[str]:
    """The names of all values that operations use, those of regions included."""
    for op in ops:
        yield from op.operands
        for region in op.regions:
            yield from _operands(region)


def _size(op: Op) -> int:
    return 1 + sum(_size(inner) for region in op.regions for inner in region)
