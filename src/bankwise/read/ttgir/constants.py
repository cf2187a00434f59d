"""Values of a kernel's constants on their way to the process that compiles it: as JSON and back.

Beside what JSON has, Triton's kernels take types (``tl.float16``), tuples and other
``@triton.jit`` functions.
"""

from __future__ import annotations

import inspect
from contextlib import suppress
from operator import index
from typing import Any

from bankwise.errors import InputError

_TYPE, _TUPLE, _FUNCTION, _FRACTION = (
    "bankwise type",
    "bankwise tuple",
    "bankwise jit",
    "bankwise f",
)
_KINDS = (_TYPE, _TUPLE, _FUNCTION, _FRACTION)


def encoded(name: str, value: Any) -> Any:
    """A constant as JSON. :class:`InputError` for what is no constant of a kernel."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return {_TUPLE: [encoded(name, one) for one in value]}
    if type(value).__module__.startswith("triton."):
        return _of_triton(name, value)
    with suppress(TypeError):
        return index(value)
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return encoded(name, value.item())
    raise _no_constant(name, value)


def decoded(value: Any) -> Any:
    """The constant again, in a process that has Triton."""
    if not (isinstance(value, dict) and len(value) == 1 and next(iter(value)) in _KINDS):
        return value
    ((kind, said),) = value.items()
    if kind == _TUPLE:
        return tuple(map(decoded, said))
    if kind == _FUNCTION:
        from bankwise.read.ttgir.user_module import kernel_of, module_of

        return kernel_of(module_of(said[0]), said[1])
    from triton.language import dtype

    return dtype(said)


def _of_triton(name: str, value: Any) -> Any:
    if type(value).__name__ == "constexpr":
        return encoded(name, value.value)
    if type(value).__name__ == "dtype":
        return {_TYPE: str(value.name)}
    if hasattr(value, "arg_names") and hasattr(value, "fn"):
        file = inspect.getsourcefile(value.fn)
        if file:
            return {_FUNCTION: [file, value.fn.__name__]}
    raise _no_constant(name, value)


def _no_constant(name: str, value: Any) -> InputError:
    return InputError(
        f"constexprs: {name} is {value!r}, of type {type(value).__name__}",
        hint="a constant of a kernel is a number, a word, True, None, a type of Triton "
        "(tl.float16), a @triton.jit function, or a tuple of those",
    )
