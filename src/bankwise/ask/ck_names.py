"""How the functions of a CK header call the lengths of their axes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bankwise.ask.ck_reading import CkReading
from bankwise.errors import InputError
from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.ck.spelled import AxisNames
from bankwise.read.ck.calls import evaluation
from bankwise.read.ck.evaluate import HeaderEvaluation
from bankwise.read.ck.find import CkFunction, functions
from bankwise.read.ck.values import SaidNames
from bankwise.read.cxx.tree import walk

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
    return AxisNames(tuple(axes), next(vectors, ""), wanted)


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
