"""Buffers and views of them, from the operations that make them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bankwise.errors import InputError, Location, Refusal
from bankwise.notation.triton import memory
from bankwise.read.ttgir.types import Types, split_arrow
from bankwise.read.ttgir.values import Buffer, BufferView, Module, Op, Open, Shape

Value = int | Open | BufferView | Refusal | None
"""What is known of an SSA value: a number, on what a number depends, a part of a buffer, why it is
not read, or nothing."""

DATA = "data in memory, or numbers made of tensors"
"""On what a number depends of which nothing is known."""

_LISTED = re.compile(r"\[([^\]]*)\]")
_ORDER = re.compile(r"order = array<i32:\s*([\d,\s]+)>")

VIEWS = (
    "ttg.memdesc_index",
    "ttg.memdesc_subslice",
    "ttg.memdesc_subview",
    "ttg.memdesc_trans",
    "ttg.memdesc_reshape",
    "ttg.memdesc_reinterpret",
)


def allocation(op: Op, module: Module, types: Types) -> Buffer | Refusal:
    """The buffer that a ``ttg.local_alloc`` makes. Raises :class:`InputError` if it cannot be."""
    results = split_arrow(op.types)[1]
    if len(results) != 1 or len(op.results) != 1:
        where = Location(module.file, op.line)
        raise InputError("a local_alloc is of one type: (..) -> !ttg.memdesc<..>", location=where)
    kind = types.memory(results[0], op.line)
    if isinstance(kind, Refusal):
        return kind
    memory(kind.encoding, kind.shape)
    return Buffer(op.results[0].removeprefix("%"), op.line, kind)


def view(op: Op, env: Mapping[str, Value], module: Module, types: Types) -> BufferView | Refusal:
    """What a view operation gives; a Refusal where that is not known.

    Raises :class:`InputError` where the view does not fit what it views.
    """
    where = Location(module.file, op.line)
    source = env.get(op.operands[0]) if op.operands else None
    if not isinstance(source, BufferView):
        return source if isinstance(source, Refusal) else Refusal(f"{op.name} of what?", where)
    results = split_arrow(op.types)[1]
    kind = types.memory(results[-1], op.line) if results else None
    if kind is None:
        raise InputError(f"{op.name} without a type", location=where)
    if isinstance(kind, Refusal):
        return kind
    if op.name == "ttg.memdesc_reinterpret":
        return Refusal("memdesc_reinterpret: the same bytes under another type", where)
    made = _made(op, source, kind.shape, env)
    if made is None:
        message = f"{op.name} to {list(kind.shape)} does not fit the shape {list(source.shape)}"
        raise InputError(message, location=where)
    return made


def _made(op: Op, source: BufferView, shape: Shape, env: Mapping[str, Value]) -> BufferView | None:
    if op.name == "ttg.memdesc_trans":
        return _transposed(op, source, shape)
    if op.name == "ttg.memdesc_reshape":
        return source.through("reshape", shape, source.shape) if _same(source, shape) else None
    numbers = _numbers(op, env)
    if op.name == "ttg.memdesc_index":
        fits = len(numbers) == 1 and shape == source.shape[1:]
        return source.through("index", shape, numbers) if fits else None
    if len(numbers) != len(source.shape):
        return None
    if len(shape) == len(source.shape) - 1:
        source = source.through("index", source.shape[1:], numbers[:1])
        numbers = numbers[1:]
    return _sliced(source, shape, numbers)


def _sliced(source: BufferView, shape: Shape, numbers: tuple[int | None, ...]) -> BufferView | None:
    if len(shape) != len(source.shape):
        return None
    for length, size, start in zip(source.shape, shape, numbers, strict=True):
        if start is not None and not 0 <= start <= length - size:
            return None
    if shape == source.shape:
        return source
    return source.through("slice", shape, numbers)


def _transposed(op: Op, source: BufferView, shape: Shape) -> BufferView | None:
    order = transposition(op)
    if sorted(order) != list(range(len(source.shape))):
        return None
    if shape != tuple(source.shape[d] for d in order):
        return None
    return source.through("trans", shape, order)


def transposition(op: Op) -> tuple[int, ...]:
    """The ``order`` of a ``ttg.memdesc_trans``: which dimension each one was."""
    found = _ORDER.search(op.body)
    return tuple(int(n) for n in found[1].split(",")) if found else ()


def _same(source: BufferView, shape: Shape) -> bool:
    """Whether two shapes have as many elements."""
    a = b = 1
    for length in source.shape:
        a *= length
    for length in shape:
        b *= length
    return a == b


def _numbers(op: Op, env: Mapping[str, Value]) -> tuple[int | None, ...]:
    """The numbers in ``[%i, 16]``; None for what is not known."""
    listed = _LISTED.search(op.body)
    return tuple(_number(p.strip(), env) for p in listed[1].split(",")) if listed else ()


def _number(text: str, env: Mapping[str, Value]) -> int | None:
    if re.fullmatch(r"\d+", text):
        return int(text)
    value = env.get(text)
    return value if isinstance(value, int) else None


def facts_of(*values: Value) -> frozenset[str]:
    """On what some values depend."""
    return frozenset[str]().union(*map(_facts, values))


def _facts(value: Value) -> frozenset[str]:
    if isinstance(value, Open):
        return value.facts
    return frozenset() if isinstance(value, int) else frozenset({DATA})


def join(a: Value, b: Value, why: frozenset[str] = frozenset()) -> Value:
    """What is known of a value that is one of these two; ``why``: what decides which."""
    if a == b or isinstance(a, Refusal):
        return a
    if isinstance(b, Refusal):
        return b
    if isinstance(a, BufferView) and isinstance(b, BufferView):
        return _joined(a, b)
    if isinstance(a, int | Open) and isinstance(b, int | Open):
        return Open(facts_of(a, b) | why)
    return None


def _joined(a: BufferView, b: BufferView) -> BufferView | None:
    if a.buffer != b.buffer or [s.kind for s in a.steps] != [s.kind for s in b.steps]:
        return None
    made = BufferView(a.buffer)
    for x, y in zip(a.steps, b.steps, strict=True):
        if x.shape != y.shape:
            return None
        numbers = tuple(n if n == m else None for n, m in zip(x.numbers, y.numbers, strict=True))
        made = made.through(x.kind, x.shape, numbers)
    return made


def joined(
    many: Sequence[Value], more: Sequence[Value], why: frozenset[str] = frozenset()
) -> list[Value]:
    """:func:`join` of two lists of one length."""
    return [join(a, b, why) for a, b in zip(many, more, strict=True)]
