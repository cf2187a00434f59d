"""The judge of edited CUDA source that has a GPU: both versions run on the same random inputs.

    launch                 the file's own <<<..>>>, --launch, --arg; what nobody says is assumed
    bits                   every buffer that a pointer may reach, byte for byte
    times, counters        medians of launches in turns; Nsight Compute where it is

The runs are a process of their own (:mod:`bankwise.lab.gpu.run_cuda`): a fault of the GPU ends it.
"""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bankwise.ask.judge_emitted import GRID, numbers_of
from bankwise.change.simulate.ptx import variables
from bankwise.errors import InputError, Location
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cuda import compile_to
from bankwise.read.extra import install
from bankwise.read.instances import ChangedArgument, instance
from bankwise.read.names import demangled, own, parameters, steady
from bankwise.read.ptx.parse import BYTES, PtxKernel, kernels
from bankwise.read.source import Compilation
from bankwise.show.fixing import Verdict

_WORKER = "bankwise.lab.gpu.run_cuda"
_SECONDS = 300
_SYMBOL = re.compile(rb"\b_Z[\w$]+")
_ASSUMED = 1024
"""What integers are that nobody says."""

_SLOWER, _TICKS_NS = 0.03, 200
"""What a median of launches may differ by, as a part and in ns: a kernel differs from itself by
half a per cent (docs/results_attention.md), and the clock of CUDA's events ticks by 32 ns."""

_ELEMENTS = (
    (r"(?:double|ulonglong|longlong)[1-4]?", "f64"),
    (r"float[1-4]?", "f32"),
    (r"__half2?", "f16"),
    (r"__nv_bfloat16[2]?", "bf16"),
    (r"bool", "i8"),
    (r"(?:(?:un)?signed )?char|u?char[1-4]", "u8"),
    (r"(?:unsigned )?short|u?short[1-4]", "u16"),
    (r"unsigned int|uint[1-4]|unsigned long(?: long)?", "u32"),
    (r"int[1-4]?", "i32"),
    (r"long(?: long)?", "i64"),
)
"""Types that pointers point to; of others floats are taken."""


def need_gpu(file: Path) -> None:
    """:class:`InputError` where nothing could run a kernel, naming what is missing."""
    if find_spec("cupy") is None:
        message, hint = (
            "--run executes kernels through CuPy, which is not installed",
            f"{install('gpu')}, on a computer with an NVIDIA GPU",
        )
        raise InputError(message, location=Location(str(file)), hint=hint)
    code = "from bankwise.lab.gpu.launch import cupy; cupy()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no words"])[-1]
        message = f"--run executes kernels on an NVIDIA GPU: {last.rpartition('InputError: ')[2]}"
        raise InputError(message, location=Location(str(file)), hint="without --run none is needed")


def judge_run(
    what: Compilation,
    found: Sequence[AssemblyKernel],
    before: str,
    after: str,
    changed: Sequence[ChangedArgument] = (),
) -> Verdict:
    """Whether the kernels of two sources leave the same bits, on this computer's GPU. ``changed``:
    arguments of templates by which kernels are called otherwise in the second one."""
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        cases = list(run_cases(what, found, before, after, Path(folder), changed))
        if isinstance(why := next((one for one in cases if isinstance(one, str)), None), str):
            return _unheard(why)
        told = _told(cases, Path(folder, "cases.json"), small=False)
        if _faulty(told):
            told = _told(cases, Path(folder, "cases.json"), small=True)
    return verdict_of(cases, told)


def run_cases(
    what: Compilation,
    found: Sequence[AssemblyKernel],
    before: str,
    after: str,
    folder: Path,
    changed: Sequence[ChangedArgument] = (),
) -> Iterator[dict[str, Any] | str]:
    """What is run of each kernel, in words of JSON; or why it cannot be."""
    made = {}
    for version, text in (("before", before), ("after", after)):
        made[version] = str(folder / f"{version}.cubin")
        compile_to(replace(what, text=text), Path(made[version]))
    ptx = folder / "before.ptx"
    compile_to(replace(what, text=before), ptx)
    text = ptx.read_text("utf-8")
    names = {version: _real_names(Path(file)) for version, file in made.items()}
    written = {steady(one.name): one for one in kernels(text)}
    filled = [
        {"name": name, "kind": _kind(kind), "bytes": size}
        for name, kind, size in variables(text)
        if size
    ]
    for kernel in found:
        given = tuple(_parameters(kernel, written[kernel.name]))
        if why := next((one for one in given if isinstance(one, str)), ""):
            yield why
            continue
        called = {"before": kernel.name, "after": instance(kernel.name, changed)}
        yield {
            "kernel": {version: names[version].get(one, one) for version, one in called.items()},
            "function": own(demangled(kernel.name)),
            "grid": kernel.launch.grid or GRID,
            "block": kernel.workgroup_size,
            "shared_bytes": kernel.launch.shared_bytes or 0,
            "parameters": given,
            "variables": filled,
            **made,
        }


def _real_names(cubin: Path) -> dict[str, str]:
    """The names that nvcc makes of a text alone, by what they are in any text."""
    names = (one[0].decode() for one in _SYMBOL.finditer(cubin.read_bytes()))
    return {steady(one): one for one in names if steady(one) != one}


def _parameters(kernel: AssemblyKernel, ptx: PtxKernel) -> Iterator[dict[str, str] | str]:
    """``pointer``: what it points to; ``value``: the bytes of a number, or of a structure that
    CUDA has; or why there is none."""
    types, said = parameters(demangled(kernel.name)), numbers_of(kernel)
    for position, ((_, kind), count) in enumerate(zip(ptx.parameters, ptx.counts, strict=True)):
        type_ = types[position] if len(types) == len(ptx.parameters) else ""
        if type_.endswith("*") or (not type_ and kind in ("u64", "b64")):
            yield {"pointer": _element(type_)}
            continue
        if kind not in BYTES and (held := _structure(type_, count, position)):
            yield {"value": held.hex()}
            continue
        if kind not in BYTES or (kind == "b8" and type_ not in ("bool", "char", "")):
            yield f"parameter {position + 1} is a structure ({type_}): what is in it is not known"
            continue
        number = said[position] if position < len(said) else None
        yield {"value": _bytes(kind, number, position).hex()}


def _structure(type_: str, size: int, position: int) -> bytes:
    """``size`` bytes for a structure: halves and vectors of CUDA hold numbers, one of a byte (an
    empty one, a flag) holds 0. Empty where what is in it is not known."""
    if size == 1 and type_ not in ("bool", "char", ""):
        return b"\0"
    kind = _known(type_)
    width = int(re.sub(r"\D", "", kind) or 0) // 8
    if not width or size % width or (size == width and kind not in ("f16", "bf16")):
        return b""
    number = 0.5 + position if kind[0] in "fb" else 100
    one = struct.pack("<f", number)[2:] if kind == "bf16" else struct.pack(_PACKED[kind], number)
    return one * (size // width)


_PACKED = {
    "f64": "<d", "f32": "<f", "f16": "<e", "i8": "<b", "u8": "<B", "u16": "<H", "u32": "<I",
    "i32": "<i", "i64": "<q",
}  # fmt: skip


def _element(type_: str) -> str:
    return _known(type_) or "f32"


def _known(type_: str) -> str:
    """The kind of a type's numbers; empty for none of CUDA's own."""
    plain = re.sub(r"\b(?:const|volatile|__restrict__)\b|\*", "", type_).strip()
    return next((kind for sign, kind in _ELEMENTS if re.fullmatch(sign, plain)), "")


def _kind(kind: str) -> str:
    """Of a variable in PTX."""
    return kind if kind in ("f16", "f32", "f64") else f"u{8 * BYTES.get(kind, 4)}"


def _bytes(kind: str, number: int | float | None, position: int) -> bytes:
    size = BYTES[kind]
    if kind[0] == "f":
        value = 0.5 + position if number is None else float(number)
        return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], value)
    value = int(_ASSUMED if number is None else number)
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")


def _told(cases: Sequence[Any], path: Path, *, small: bool) -> dict[str, Any]:
    """What the process says that runs them; ``fault``: why it says nothing else."""
    path.write_text(json.dumps(cases), "utf-8")
    words = [sys.executable, "-m", _WORKER, str(path), *(["compare", "1"] if small else [])]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return {"fault": f"it runs for more than {_SECONDS} s"}
    if done.returncode or not done.stdout.strip():
        last = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
        return {"fault": last}
    told: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return told


def _faulty(told: Mapping[str, Any]) -> bool:
    """Large integers may be why: they are indices, perhaps."""
    if "fault" in told:
        return not told.get("changed")
    return any(one["outside"] for one in told["kernels"])


def verdict_of(cases: Sequence[Any], told: Mapping[str, Any]) -> Verdict:
    """What the runs say together."""
    if told.get("changed"):
        detail = f"the changed text faults where the original ran: {told['fault']}"
        return Verdict("run", "failed", detail)
    if "fault" in told:
        return _unheard(f"{told['fault']}; random integers may be no indices: see --launch, --arg")
    notes: list[str] = []
    for case, one in zip(cases, told["kernels"], strict=True):
        name = case["function"]
        if one["outside"]:
            return _unheard(f"{name}: {one['outside']}; a smaller launch stays inside: --launch")
        if not one["written"]:
            return _unheard(f"{name}: it changes nothing on random inputs")
        whole = one.get("whole", one)
        if whole["varies"] and not whole["equal"]:
            return _unheard(f"{name}: the original itself leaves other bits in every run")
        if not whole["equal"]:
            detail = f"{name} leaves other bits: {whole['differs']}"
            return Verdict("run", "failed", detail, tuple(_rows(cases, told)))
        if not one["equal"]:
            why = "the original itself varies" if one["varies"] else "the last bits differ"
            notes.append(f"{name} on whole numbers: with fractions {why}")
    notes += filter(None, map(_slower, cases, told["kernels"]))
    shown = f"; {'; '.join(notes)}" if notes else ""
    missing = f"; not counted: {told['uncounted']}" if told["uncounted"] else ""
    written = sum(one["written"] for one in told["kernels"])
    detail = (
        f"{told['device']}: {written:,} bytes written alike on random inputs, "
        f"{_launches(cases)}{shown}{missing}"
    )
    return Verdict("run", "passed", detail, tuple(_rows(cases, told)), complete=False)


def _slower(case: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    """That a kernel was measured to take longer, by more than its times differ by themselves."""
    before, after = one.get("ns", (0, 0))
    if after - before <= max(_SLOWER * before, _TICKS_NS):
        return ""
    return f"{case['function']} is slower than it was, by {(after - before) / before:.0%}"


def _launches(cases: Sequence[Any]) -> str:
    blocks = sum(prod(case["grid"]) for case in cases)
    return f"{len(cases)} launch{'es' if len(cases) > 1 else ''} of {blocks:,} workgroups"


def _rows(cases: Sequence[Any], told: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    named = (
        ("median time of a launch, ns", "ns"),
        ("conflicts of a launch, counted", "conflicts"),
        ("registers of a thread", "registers"),
    )
    for case, one in zip(cases, told["kernels"], strict=True):
        for words, key in named:
            if key in one:
                before, after = one[key]
                yield f"{case['function']}: {words}", before, after


def _unheard(why: str) -> Verdict:
    return Verdict("run", "not available", why, complete=False)
