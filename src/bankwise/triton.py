"""Triton kernels from Python: compile offline, say what was planned and what was emitted.

    import bankwise.triton

    report = bankwise.triton.check(
        matmul,
        {"a": "*fp16", "b": "*fp16", "c": "*fp16", "size": "i32"},
        "gfx942",
        constexprs={"bm": 64, "bn": 64, "bk": 32},
        numbers={"size": 1024},
    )
    print(report.plan.totals.run.extra, report.emission.totals.run.extra, report.changes)

No GPU is needed. Triton runs in a process of its own, which imports the file of the kernel anew.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bankwise.ask.check_ttgir import check_ttgir
from bankwise.ask.triton_plan import plan_texts
from bankwise.errors import InputError, Location
from bankwise.hardware import toolchain
from bankwise.hardware.machine import Machine, machine
from bankwise.read.options import Options
from bankwise.read.ttgir import wheel
from bankwise.show.planning import PlanReport, PlanRow
from bankwise.show.values import CheckReport

__all__ = ["TritonReport", "check"]


@dataclass(frozen=True, slots=True)
class TritonReport:
    """A kernel on both levels. ``ttgir`` and ``assembly`` are the texts that places point into.

    ``plan``: what TTGIR announces; ``comparison``: beside what was emitted, access by access.
    ``shared_bytes``: what the kernel takes; ``version``: of Triton.
    """

    plan: CheckReport
    comparison: PlanReport
    ttgir: str
    assembly: str
    shared_bytes: int
    version: str

    @property
    def changes(self) -> tuple[PlanRow, ...]:
        """Accesses whose instructions are not those that were planned."""
        return self.comparison.changes

    @property
    def agrees(self) -> bool | None:
        """Whether plan and emission cost the same."""
        return self.comparison.agrees


def check(
    fn: Any,
    signature: Mapping[str, str],
    target: str,
    *,
    constexprs: Mapping[str, Any] | None = None,
    numbers: Mapping[str, int] | None = None,
    divisible: Sequence[str] | None = None,
    num_warps: int = 4,
    optima: bool = True,
    **options: Any,
) -> TritonReport:
    """Compile a ``@triton.jit`` function for a GPU that need not be here, and check it.

    ``fn``: the function, or ``"file.py:name"``. ``signature``: Triton's type of every argument
    ("*fp16", "i32"); what stands in ``constexprs`` may be left out. ``target``: "sm_90",
    "gfx942", ... ``numbers``: values of arguments that loops run to. ``divisible``: arguments that
    are multiples of 16, by default the pointers and every argument of ``numbers`` that is one.
    ``options``: Triton's own, such as ``num_stages``. ``optima``: look for better encodings.

    Raises :class:`InputError` if Triton is not installed, if the function stands in no file, or if
    Triton does not compile it: then with the place that it names.
    """
    if not wheel.installed():
        raise wheel.needed()
    (path, name), gpu = _place(fn), machine(target)
    constants, given = dict(constexprs or {}), dict(numbers or {})
    types = {**signature, **dict.fromkeys(constants, "constexpr")}
    request = {
        "path": str(path),
        "function": name,
        "signature": types,
        "constexprs": constants,
        "divisible": _divisible(types, given) if divisible is None else list(divisible),
        "target": _triton_target(gpu),
        "wave_size": gpu.wave_size,
        "options": {"num_warps": num_warps, **options},
        "paths": [p for p in sys.path if p],
    }
    return _report(wheel.compiled(request, str(path)), name, target, given, optima=optima)


def _report(
    made: Mapping[str, Any], name: str, target: str, numbers: Mapping[str, int], *, optima: bool
) -> TritonReport:
    suffix = "amdgcn" if machine(target).vendor == "amd" else "ptx"
    ttgir, assembly = made["asm"]["ttgir"], made["asm"][suffix]
    said = Options(kernel=name, arguments=tuple(f"{k}={v}" for k, v in numbers.items()))
    file = f"{name}.ttgir"
    plan = check_ttgir(ttgir, file, said, verify=False, optima=optima)
    (comparison,) = plan_texts(ttgir, file, assembly, Path(f"{name}.{suffix}"), said, verify=False)
    return TritonReport(plan, comparison, ttgir, assembly, made["shared"], made["version"])


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
