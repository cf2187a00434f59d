"""What is known about an SSA value: numbers, a window on workgroup memory, or why nothing is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from msgspec import Struct

from bankwise.counting.access import BoolArray, IntArray
from bankwise.errors import Location
from bankwise.identity import ByIdentity
from bankwise.read.mlir.indexing import ThreadIds
from bankwise.read.mlir.views import Amount, Memref, PossibleView, View


class UnknownValue(Struct, frozen=True):
    """A value that cannot be computed from the text. ``because`` completes "it depends on ..."."""

    because: str
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.because} ({self.location})" if self.location else self.because


Value = IntArray | BoolArray | Memref | UnknownValue
"""Numbers [threads] or 0-d; a vector mask [elements, threads]; a memref; or unknown."""


class ActiveThreads(ByIdentity, frozen=True, eq=False):
    """Who runs: the threads of the workgroup, and which of them are active here: [threads].

    ``exact``: exactly these run, not perhaps only some of them.
    """

    ids: ThreadIds
    active: BoolArray
    exact: bool = True


Outcome = tuple[Value, ...] | UnknownValue
"""The results of one operation, or why none of them is known."""

Function = Callable[[Sequence[Value], ActiveThreads], Outcome]
"""The results of one operation from its operands, none of which is unknown."""


def chosen(condition: BoolArray, then: Value, otherwise: Value) -> Value:
    """The value where threads decide: ``then`` where ``condition`` [threads] holds."""
    if then is otherwise or condition.all():
        return then
    if not condition.any():
        return otherwise
    if isinstance(then, UnknownValue):
        return then
    if isinstance(otherwise, UnknownValue):
        return otherwise
    if isinstance(then, tuple) or isinstance(otherwise, tuple):
        assert isinstance(then, tuple)
        assert isinstance(otherwise, tuple)
        return narrowed(then, condition) + narrowed(otherwise, ~condition)
    return np.where(condition, then, otherwise)


def either(then: Value, otherwise: Value, why: UnknownValue) -> Value:
    """The value where nobody can tell: both buffers of two memrefs, a number only if it is one."""
    if isinstance(then, tuple) and isinstance(otherwise, tuple):
        return then if state(then) == state(otherwise) else then + otherwise
    return then if state(then) == state(otherwise) else why


def narrowed(memref: Memref, active: BoolArray) -> Memref:
    """The memref as only these threads hold it."""
    masks = [active if p.active is None else p.active & active for p in memref]
    return tuple(PossibleView(p.view, m) for p, m in zip(memref, masks, strict=True) if m.any())


def state(value: Value) -> Hashable:
    """A key that is equal exactly for equal values."""
    if isinstance(value, UnknownValue):
        return value
    if isinstance(value, tuple):
        return tuple((_view_state(p.view), _array_state(p.active)) for p in value)
    return _array_state(value)


def _view_state(view: View) -> Hashable:
    amounts = (view.base_bytes, view.offset, *view.sizes, *view.strides)
    return (view.allocation, view.hint, *map(_array_state, amounts))


def _array_state(value: Amount | BoolArray | None) -> Hashable:
    if isinstance(value, np.ndarray | np.generic):
        return (value.shape, value.tobytes())
    return value
