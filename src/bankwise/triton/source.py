"""A ``@triton.jit`` function with what compiling it needs: where it stands, types, constants."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.hardware import toolchain
from bankwise.hardware.machine import Machine, machine
from bankwise.read.options import Options
from bankwise.read.ttgir import wheel
from bankwise.read.ttgir.constants import encoded
from bankwise.read.ttgir.numbers import is_block
from bankwise.read.ttgir.wheel import LoweredKernel

_POINTER_RANGE = 32

TENSORS_BELOW_2_GB = (
    "pointers have tt.pointer_range = 32, as AMD launches with torch tensors below 2 GB; "
    "pointer_range=None: others"
)
"""What is said of a kernel that is compiled so."""


def assumed_in(ttgir: str) -> tuple[str, ...]:
    """What a text takes to hold of the tensors, as a line; none where it takes nothing: Triton says
    it only while AMDGCN_USE_BUFFER_OPS is on."""
    return (TENSORS_BELOW_2_GB,) if "tt.pointer_range" in ttgir else ()


_INTEGER = re.compile(r"[iu](?:8|16|32|64)")
"""Types of arguments of which Triton's launches compile a 1 as a constant."""


class TritonSource(Struct, frozen=True):
    """A function, and how it is compiled and launched. ``types``: of the arguments that are no
    constants; ``numbers``: of arguments that loops run to; ``divisible``: those that are multiples
    of 16, None for the pointers and every number that is one; ``options``: Triton's own;
    ``pointer_range``: bits of the offsets into the pointers' tensors, None for unknown."""

    path: Path
    name: str
    target: str
    types: Mapping[str, str]
    constants: Mapping[str, Any]
    numbers: Mapping[str, int]
    divisible: Sequence[str] | None
    options: Mapping[str, Any]
    pointer_range: int | None = _POINTER_RANGE

    @property
    def small(self) -> tuple[str, ...]:
        """Pointers that are compiled as those of tensors below 2 GB; of AMD's launches alone."""
        if self.pointer_range is None or machine(self.target).vendor != "amd":
            return ()
        pointers = (name for name, kind in self.types.items() if kind.startswith("*"))
        return tuple(name for name in pointers if name not in self.constants)

    @property
    def said(self) -> Options:
        """What is said of the kernel, as every question takes it."""
        return Options(
            kernel=self.name, arguments=tuple(f"{k}={v}" for k, v in self.numbers.items())
        )

    def with_knobs(self, knobs: Mapping[str, Any]) -> TritonSource:
        """With other constants, or other options where no constant has the name."""
        constants = {k: v for k, v in knobs.items() if k in self.constants}
        options = {k: v for k, v in knobs.items() if k not in constants}
        return replace(
            self,
            constants={**self.constants, **constants},
            options={**self.options, **options},
        )


def source_of(
    fn: Any,
    signature: Mapping[str, str],
    target: str,
    *,
    constexprs: Mapping[str, Any] | None = None,
    numbers: Mapping[str, int] | None = None,
    divisible: Sequence[str] | None = None,
    pointer_range: int | None = _POINTER_RANGE,
    **options: Any,
) -> TritonSource:
    """A kernel as ``check``, ``fix`` and ``tune`` are asked about it.

    ``fn``: the function, or ``"file.py:name"``. ``signature``: Triton's type of every argument
    ("*fp16", "i32"); what stands in ``constexprs`` may be left out. ``target``: "sm_90",
    "gfx942", ... ``numbers``: values of arguments that loops run to, and of strides; an integer
    that is 1 is compiled as a constant, as for Triton's launches. "blockIdx.x" (of AMD
    "workgroup_id_x", too) is the number of the block that is counted. ``divisible``: arguments that
    are multiples of 16, by default the pointers and every argument of ``numbers`` that is one.
    ``pointer_range``: 32 for tensors below 2 GB, of which AMD launches with torch tell Triton so
    (``tt.pointer_range``; buffer operations depend on it), None for larger ones; NVIDIA has none.
    ``options``: Triton's own, each a keyword, such as ``num_stages``; of ``num_warps`` 4 are usual.
    One that Triton does not have for the target is an error of what compiles the kernel.

    Raises :class:`InputError` if Triton is not installed, the function stands in no file, a number
    is none or a constant's, or ``pointer_range`` is another number.
    """
    if pointer_range not in (_POINTER_RANGE, None):
        raise InputError(f"pointer_range is 32 or None, not {pointer_range!r}")
    if not wheel.installed():
        raise wheel.needed()
    fn = _undecorated(fn)
    path, name = _place(fn)
    every = _whole(numbers or {}, constexprs or {})
    plain = {p.name for p in getattr(fn, "params", ()) if getattr(p, "do_not_specialize", False)}
    ones = {k: 1 for k, v in every.items() if v == 1 and _INTEGER.match(signature.get(k, ""))}
    constants = {**{k: 1 for k in ones if k not in plain}, **(constexprs or {})}
    given = {k: v for k, v in every.items() if k not in constants}
    multiples = None if divisible is None else [k for k in divisible if k not in constants]
    told = (constants, given, multiples, options, pointer_range)
    return TritonSource(path, name, target, signature, *told)


def _whole(numbers: Mapping[str, Any], constants: Mapping[str, Any]) -> dict[str, int]:
    """The numbers as Python's; InputError for what is none, and for a constant's."""
    found = {}
    for name, value in numbers.items():
        if name in constants:
            raise InputError(
                f"{name} stands in numbers and in constexprs",
                hint="constants of the kernel belong in constexprs alone",
            )
        try:
            found[name] = index(value)
        except TypeError as error:
            hint = "leave arguments of other types out of numbers: only whole ones are followed"
            raise InputError(f"numbers: {name} is {value!r}, no whole number", hint=hint) from error
    return found


def compiled(source: TritonSource) -> LoweredKernel:
    """What Triton makes of it; :class:`InputError` in its words if it does not compile."""
    gpu = machine(source.target)
    types = {**source.types, **dict.fromkeys(source.constants, "constexpr")}
    multiples = _divisible(types, source.numbers) if source.divisible is None else source.divisible
    request = {
        "path": str(source.path),
        "function": source.name,
        "signature": types,
        "constexprs": {k: encoded(k, v) for k, v in source.constants.items()},
        "divisible": list(multiples),
        "pointer_range": list(source.small),
        "numbers": [name for name in source.numbers if not is_block(name)],
        "target": _triton_target(gpu),
        "wave_size": gpu.wave_size,
        "options": {"num_warps": 4, **source.options},
        "paths": [p for p in sys.path if p],
    }
    return wheel.compiled(request, str(source.path))


def _undecorated(fn: Any) -> Any:
    """The ``@triton.jit`` function under ``triton.autotune`` and ``triton.heuristics``; what is
    something else as it is."""
    found = fn
    while not isinstance(found, str) and not hasattr(found, "do_not_specialize"):
        if "fn" not in getattr(found, "__dict__", {}):
            return fn
        found = found.fn
    return found


def _place(fn: Any) -> tuple[Path, str]:
    """The file and the name of a kernel. Triton reads its source text, so there must be one."""
    if isinstance(fn, str):
        file, colon, name = fn.rpartition(":")
        if not (colon and file and name.isidentifier()):
            raise InputError(f"{fn!r} is not FILE:NAME", hint='for example "matmul.py:matmul"')
        if not Path(file).is_file():
            raise InputError("no such file", location=Location(file))
        return Path(file).resolve(), name
    inner = getattr(fn, "fn", fn)
    name = getattr(inner, "__name__", "")
    try:
        file = inspect.getsourcefile(inner) or ""
    except TypeError:
        file = ""
    if not name or not Path(file).is_file():
        raise InputError(
            f"{name or fn!r} stands in no file: Triton reads the source text of a kernel",
            hint="put the @triton.jit function into a .py file",
        )
    if not hasattr(fn, "arg_names"):
        raise InputError(f"{name} is no @triton.jit function", location=Location(file))
    return Path(file).resolve(), name


def _triton_target(gpu: Machine) -> str:
    named = toolchain.triton(gpu.tools).target
    if named == toolchain.NONE:
        raise InputError(f"Triton compiles for no {gpu.name!r}, as its machine file says")
    return named


def _divisible(types: Mapping[str, str], numbers: Mapping[str, int]) -> list[str]:
    multiples = {name for name, value in numbers.items() if value % 16 == 0}
    return [name for name, kind in types.items() if kind.startswith("*") or name in multiples]
