"""How the functions of a CK header call the lengths of their axes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bankwise.ask.ck_reading import CkReading
from bankwise.change.ck import replaced
from bankwise.errors import InputError
from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.ck.spelled import AxisNames, for_one_size
from bankwise.read.ck.calls import evaluation
from bankwise.read.ck.evaluate import HeaderEvaluation
from bankwise.read.ck.find import CkFunction, functions
from bankwise.read.ck.values import CxxFrame, SaidNames
from bankwise.read.cxx.tree import Node, named, walk
from bankwise.read.names import listed

_NAMES = (
    *("identifier", "type_identifier", "qualified_identifier"),
    *("call_expression", "sizeof_expression"),
)
_VECTOR = re.compile(r"pack|vec|k1$|k3$", re.IGNORECASE)


def axis_names(reading: CkReading, function: CkFunction, bytes_: int) -> AxisNames:
    """How a function calls the lengths of the axes: what keeps to them when answers change."""
    assert isinstance(function.value, TensorDescriptor), "it was counted"
    found = [_numbers(reading.run, function)]
    shapes = [function.value.shape]
    for key, value in reading.run.said.values.items():
        if isinstance(value, int) and reading.run.said.used.get(key):
            other = _again(reading, {key: 2 * value}, function)
            if other is not None and isinstance(other.value, TensorDescriptor):
                found.append(_numbers(reading.run, other))
                shapes.append(other.value.shape)
    axes = [
        next((n for n, v in found[0].items() if _follows(n, axis, found, shapes)), "")
        for axis in range(len(shapes[0]))
    ]
    wanted = 16 // max(1, bytes_)
    vectors = (n for n in found[0] if _VECTOR.search(n) and all(t.get(n) == wanted for t in found))
    sizes = tuple(_sizes(reading, function).items())
    answered = frozenset(name for name, _ in sizes if name in reading.run.said.values)
    return AxisNames(tuple(axes), next(vectors, ""), wanted, sizes, answered)


def one_size(name: str, made: TensorDescriptor, names: AxisNames) -> tuple[str, ...]:
    """What to say of a text whose numbers fit these answers alone; nothing of another text."""
    if not names.sizes or not for_one_size(made, names):
        return ()
    sizes = listed([f"{size} = {value}" for size, value in names.sizes])
    return (
        f"{name}: the text is written in numbers and fits {sizes} alone: a static_assert stops "
        "the compiler at others; ask again for them",
    )


def _sizes(reading: CkReading, function: CkFunction) -> dict[str, int]:
    """What the statements that may be replaced are computed of, where it turns on the answers."""
    assert function.returned is not None, "it has a value"
    frame = function.returned[1]
    run = evaluation(reading.header, reading.run.said)
    unsaid = evaluation(reading.header, SaidNames({}, reading.run.said.machine))
    again = next((f for f in functions(unsaid) if f.location == function.location), None)
    free = again.returned if again is not None else None
    found: dict[str, int] = {}
    for node in replaced(run.source, function):
        for one in _numeric(run, node, frame):
            value = _number(run, one, frame)
            fixed = free is not None and _number(unsaid, one, free[1]) == value
            if value is not None and not fixed:
                found[" ".join(run.source.of(one).split())] = value
    return found


def _numeric(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Iterator[Node]:
    """The names, and calls of functions of the header, that stand for a whole number."""
    if node.type in _NAMES and _number(run, node, frame) is not None:
        yield node
        return
    for one in named(node) if node.type != "qualified_identifier" else ():
        yield from _numeric(run, one, frame)


def _number(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> int | None:
    try:
        plain = "identifier" in node.type and node.type != "qualified_identifier"
        value = run.look(run.source.of(node), frame) if plain else run.value(node, frame)
    except InputError:
        return None
    return value if isinstance(value, int) else None


def _follows(
    name: str, axis: int, found: Sequence[dict[str, int]], shapes: Sequence[tuple[int, ...]]
) -> bool:
    return all(one.get(name) == shape[axis] for one, shape in zip(found, shapes, strict=True))


def _again(reading: CkReading, changed: dict[str, int], function: CkFunction) -> CkFunction | None:
    """The same function under other answers; None where they do not fit."""
    said = SaidNames({**reading.run.said.values, **changed}, reading.run.said.machine)
    made = functions(evaluation(reading.header, said))
    return next((f for f in made if f.location == function.location), None)


def _numbers(run: HeaderEvaluation, function: CkFunction) -> dict[str, int]:
    """The constants that a function names before it makes its first descriptor, by name."""
    assert function.returned is not None, "it has a value"
    ending, frame = function.returned
    found: dict[str, int] = {}
    for node in walk(function.node):
        if node.type != "identifier" or node.start_byte >= ending.start_byte:
            continue
        if node.parent.type == "qualified_identifier":
            continue
        name = run.source.of(node)
        if name in found:
            continue
        try:
            value = run.look(name, frame)
        except InputError:
            continue
        if isinstance(value, int) and value > 1:
            found[name] = value
    return found
