"""One block of a PTX kernel, from its launch to what it wrote."""

from __future__ import annotations

import re
import struct
from functools import lru_cache, partial
from math import prod

import numpy as np

from bankwise.change.simulate.launches import SimulatedLaunch, Simulator
from bankwise.change.simulate.memory import POINTERS, Bytes, Words, poisoned
from bankwise.change.simulate.operands import SimulatedBlock, listed
from bankwise.change.simulate.run import Interrupted, run
from bankwise.read.launch.facts import Size
from bankwise.read.ptx.calls import inlined
from bankwise.read.ptx.operands import places
from bankwise.read.ptx.parse import BYTES, PtxKernel, functions, kernels

_VARIABLE = re.compile(
    r"\.(global|const|local)\s+(?:\.align\s+\d+\s+)?(?:\.attribute\([^)]*\)\s+)?\.(\w+)\s+([\w$]+)"
    r"((?:\[\d*\])*)"
)
_PLACE = re.compile(r"\[\s*([\w$]+)\s*(?:\+\s*(\d+))?\s*\]")
_WIDEST = 16
_STATIC_BYTES = 48 * 1024
_FIRST_SHARED = 1_024
"""Where shared variables begin, behind what the driver keeps from sm_90 on: whoever counts on more
alignment than that is wrong on such a GPU, and here."""
_APART = 1 << 17
"""Bytes that lie between shared variables: an index that leaves one does not find another."""
_VARIABLES = 1 << 10
"""Pointers before the first variable."""


def written(
    text: str, name: str, setting: SimulatedLaunch, index: Size, salt: int
) -> tuple[dict[int, int], int]:
    """What a block of a PTX kernel writes: :data:`bankwise.change.simulate.launches.Written`."""
    kernel = _kernel(text, name)
    begin = partial(_block, text, kernel, setting, index, salt, apart=_APART)
    block, steps = run(kernel, begin)
    return block.memory.written, steps


def _passed(
    text: str, name: str, setting: SimulatedLaunch, index: Size
) -> tuple[frozenset[str], str]:
    """The tags that a block comes by: :class:`bankwise.change.simulate.launches.Simulator`."""
    kernel = _kernel(text, name)
    try:
        begin = partial(_block, text, kernel, setting, index, 1)
        block, _ = run(kernel, begin, only_ways=True)
    except Interrupted as error:
        return frozenset(error.block.passed), str(error)
    return frozenset(block.passed), ""


@lru_cache(maxsize=8)
def _kernel(text: str, name: str) -> PtxKernel:
    """A kernel with the functions that it calls."""
    kernel = next(one for one in kernels(text) if one.name == name)
    return inlined(kernel, functions(text))


def _block(
    text: str,
    kernel: PtxKernel,
    setting: SimulatedLaunch,
    index: Size,
    salt: int,
    *,
    apart: int = 0,
) -> SimulatedBlock:
    """A block at its first statement. ``apart``: bytes between its shared variables."""
    threads = prod(setting.block)
    starts, constants = _parameters(kernel, setting)
    placed, shared = _shared(kernel, _dynamic_bytes(setting), salt << 60, apart)
    symbols = {**_variables(text), **placed}
    return SimulatedBlock(
        threads=threads,
        specials=_specials(setting, index, threads),
        parameters=starts,
        constants=constants,
        symbols=symbols,
        shared=shared,
        local=poisoned(threads, _local_bytes(text), salt << 59),
        memory=Words(0x5EED, setting.bits),
    )


def _shared(
    kernel: PtxKernel, dynamic_bytes: int, salt: int, apart: int
) -> tuple[dict[str, int], Bytes]:
    """Where each shared variable lies, and the memory: what the launch sizes lies in one place."""
    sized = sum(one.size_bytes is not None for one in kernel.shared)
    found = enumerate(places(kernel.shared))
    placed = {name: _FIRST_SHARED + at + min(n, sized) * apart for n, (name, at) in found}
    long = {one.name: one.size_bytes for one in kernel.shared}
    spans = [(at, dynamic_bytes if long[n] is None else long[n] or 0) for n, at in placed.items()]
    memory = poisoned(1, max((sum(one) for one in spans), default=_FIRST_SHARED), salt)
    if not apart or not spans:
        return placed, memory
    own = np.zeros(memory.data.shape[1], np.bool_)
    for at, many in spans:
        own[at : at + many] = True
    return placed, Bytes(memory.data, own)


def _dynamic_bytes(setting: SimulatedLaunch) -> int:
    return max(setting.shared_bytes, 0) or _STATIC_BYTES


def _specials(setting: SimulatedLaunch, index: Size, threads: int) -> dict[str, np.ndarray]:
    number = np.arange(threads, dtype=np.uint64)
    x, y, _ = (np.uint64(n) for n in setting.block)
    own = {"x": number % x, "y": number // x % y, "z": number // (x * y)}
    found = {f"%tid.{axis}": own[axis] for axis in "xyz"}
    for called, size in (("ntid", setting.block), ("ctaid", index), ("nctaid", setting.grid)):
        for axis, n in zip("xyz", size, strict=True):
            found[f"%{called}.{axis}"] = np.full(threads, n, np.uint64)
    found["%laneid"], found["%warpid"] = number % np.uint64(32), number // np.uint64(32)
    found["%nwarpid"] = np.full(threads, -(-threads // 32), np.uint64)
    found["%dynamic_smem_size"] = np.full(threads, _dynamic_bytes(setting), np.uint64)
    return found


def _parameters(kernel: PtxKernel, setting: SimulatedLaunch) -> tuple[dict[str, int], bytes]:
    """Where each parameter lies, and the bytes of all; a structure's are what loads take of it."""
    starts: dict[str, int] = {}
    data = bytearray()
    fields = _fields(kernel)
    for position, (name, kind) in enumerate(kernel.parameters):
        parts = fields.get(name, {})
        whole = set(parts) <= {0} and kind in BYTES and kind != "b8"
        reach = (at + BYTES[k] for at, k in parts.items())
        size = BYTES[kind] if whole else max(reach, default=0)
        data += bytes(-len(data) % (size if whole else _WIDEST))
        starts[name] = len(data)
        if whole:
            said = setting.numbers[position] if position < len(setting.numbers) else None
            data += _bytes(kind, size, said, position, setting)
            continue
        data += bytes(size)
        for at, one in parts.items():
            found = _bytes(one, BYTES[one], None, position, setting, at)
            data[starts[name] + at : starts[name] + at + len(found)] = found
    return starts, bytes(data)


def _fields(kernel: PtxKernel) -> dict[str, dict[int, str]]:
    """What is loaded of each parameter: offsets to types."""
    found: dict[str, dict[int, str]] = {name: {} for name, _ in kernel.parameters}
    for one in kernel.statements:
        place = _PLACE.fullmatch(one.operands[1]) if "param" in one.parts[:2] else None
        if place is None or place[1] not in found or one.parts[0] != "ld":
            continue
        kind = one.parts[-1]
        for n in range(len(listed(one.operands[0]))):
            found[place[1]].setdefault(int(place[2] or 0) + n * BYTES[kind], kind)
    return found


def _bytes(
    kind: str,
    size: int,
    said: int | float | None,
    position: int,
    setting: SimulatedLaunch,
    at: int = 0,
) -> bytes:
    if said is None and size == 8 and kind[0] != "f":
        said = POINTERS * (position + 1) + (at << 28)
    if said is None:
        said = 0.5 + position if kind[0] == "f" else setting.unsaid(position, size)
    if isinstance(said, float) or kind[0] == "f":
        return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], said)
    return (said & (1 << 8 * size) - 1).to_bytes(size, "little")


def variables(text: str) -> tuple[tuple[str, str, int], ...]:
    """Global and constant variables of a module: names, types and bytes."""
    found = [one.groups() for one in _VARIABLE.finditer(text)]
    sized = ((s, k, n, [int(d) for d in re.findall(r"\d+", d)]) for s, k, n, d in found)
    return tuple((n, k, BYTES.get(k, 1) * prod(d)) for s, k, n, d in sized if s != "local")


def _variables(text: str) -> dict[str, int]:
    """Global and constant variables of a module, far behind the pointers; local ones at 0."""
    names = sorted({name for name, _, _ in variables(text)})
    places_ = {name: POINTERS * (_VARIABLES + n) for n, name in enumerate(names)}
    local = (name for space, _, name, _ in _VARIABLE.findall(text) if space == "local")
    return places_ | dict.fromkeys(local, 0)


def _local_bytes(text: str) -> int:
    sizes = [0]
    for space, kind, _, lengths in _VARIABLE.findall(text):
        if space == "local":
            counts = [int(n) for n in re.findall(r"\d+", lengths)]
            sizes.append(BYTES.get(kind, 1) * prod(counts))
    return max(sizes)


def given(text: str, name: str, setting: SimulatedLaunch) -> bytes:
    """The bytes of all parameters of a launch."""
    return _parameters(_kernel(text, name), setting)[1]


PTX_SIMULATOR = Simulator(
    written,
    given,
    lambda text, name: [one for one, _ in _kernel(text, name).parameters],
    _passed,
)
