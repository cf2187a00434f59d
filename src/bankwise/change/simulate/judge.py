"""Two PTX texts of a kernel, run block by block: do they write the same terms to the same words?"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from bankwise.change.simulate.memory import POINTERS, Unsupported, Words, poisoned
from bankwise.change.simulate.operands import SimulatedBlock, listed
from bankwise.change.simulate.run import run
from bankwise.errors import Refusal
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
_VARIABLES = 1 << 10
"""Pointers before the first variable."""


@dataclass(frozen=True, slots=True)
class SimulatedLaunch:
    """One launch of a kernel. ``numbers``: of its parameters by position, None for one that nobody
    says: pointers lie apart, and others are ``assumed``. ``blocks``: which are run."""

    block: Size
    grid: Size
    numbers: tuple[int | float | None, ...]
    assumed: int
    blocks: tuple[Size, ...]
    shared_bytes: int


@dataclass(frozen=True, slots=True)
class Simulated:
    """What was compared: ``words`` that both texts wrote alike, in ``blocks`` blocks; ``differs``:
    the first word that differs, in words; empty if none does."""

    words: int
    blocks: int
    steps: int
    differs: str = ""


def compared(
    before: str, after: str, kernel: str, settings: Sequence[SimulatedLaunch]
) -> Simulated | Refusal:
    """Run a kernel of both texts. A Refusal where one cannot be simulated."""
    words = blocks = steps = 0
    tried: set[tuple[bytes, Size]] = set()
    for setting in settings:
        for index in setting.blocks:
            try:
                made = _parameters(_kernel(before, kernel), setting)[1], index
                if made in tried:
                    continue
                tried.add(made)
                old, taken = _written(before, kernel, setting, index, 1)
                new, more = _written(after, kernel, setting, index, 2)
            except Unsupported as error:
                return Refusal(f"{kernel}: not simulated: {error}")
            words, blocks, steps = words + len(old), blocks + 1, steps + taken + more
            if old != new:
                return Simulated(words, blocks, steps, _first(old, new, index))
    return Simulated(words, blocks, steps)


def _first(old: dict[int, int], new: dict[int, int], index: Size) -> str:
    differing = [at for at in sorted(old.keys() | new.keys()) if old.get(at) != new.get(at)]
    at = differing[0]
    parameter, byte = divmod(4 * at, POINTERS)
    return (
        f"block {','.join(map(str, index))} writes another value {byte} bytes behind pointer "
        f"{parameter}, and to {len(differing) - 1:,} more words"
    )


def _written(
    text: str, name: str, setting: SimulatedLaunch, index: Size, salt: int
) -> tuple[dict[int, int], int]:
    kernel = _kernel(text, name)
    block = _block(text, kernel, setting, index, salt)
    steps = run(kernel, block)
    return block.memory.written, steps


@lru_cache(maxsize=8)
def _kernel(text: str, name: str) -> PtxKernel:
    """A kernel with the functions that it calls."""
    kernel = next(one for one in kernels(text) if one.name == name)
    return inlined(kernel, functions(text))


def _block(
    text: str, kernel: PtxKernel, setting: SimulatedLaunch, index: Size, salt: int
) -> SimulatedBlock:
    threads = prod(setting.block)
    starts, constants = _parameters(kernel, setting)
    placed = dict(places(kernel.shared))
    symbols = {**_variables(text), **placed}
    static = sum(one.size_bytes or 0 for one in kernel.shared)
    shared = max(static, *(p for p in placed.values()), 0) if placed else 0
    shared += max(setting.shared_bytes, 0) or _STATIC_BYTES
    return SimulatedBlock(
        threads=threads,
        specials=_specials(setting, index, threads),
        parameters=starts,
        constants=constants,
        symbols=symbols,
        shared=poisoned(1, shared, salt << 60),
        local=poisoned(threads, _local_bytes(text), salt << 59),
        memory=Words(0x5EED),
    )


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
    for name in ("%dynamic_smem_size", "%total_smem_size"):
        found[name] = np.full(threads, setting.shared_bytes, np.uint64)
    return found


def _parameters(kernel: PtxKernel, setting: SimulatedLaunch) -> tuple[dict[str, int], bytes]:
    """Where each parameter lies, and the bytes of all; a structure's are what loads take of it."""
    starts: dict[str, int] = {}
    data = bytearray()
    fields = _fields(kernel)
    for position, (name, kind) in enumerate(kernel.parameters):
        parts = fields.get(name, {})
        whole = set(parts) <= {0} and kind != "b8"
        size = BYTES.get(kind, 0) if whole else max(at + BYTES[k] for at, k in parts.items())
        data += bytes(-len(data) % (size if whole else _WIDEST))
        starts[name] = len(data)
        if whole:
            said = setting.numbers[position] if position < len(setting.numbers) else None
            data += _bytes(kind, size, said, position, setting.assumed)
            continue
        data += bytes(size)
        for at, one in parts.items():
            found = _bytes(one, BYTES[one], None, position, setting.assumed, at)
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
    kind: str, size: int, said: int | float | None, position: int, assumed: int, at: int = 0
) -> bytes:
    if said is None and size == 8 and kind[0] != "f":
        said = POINTERS * (position + 1) + (at << 28)
    if said is None:
        said = 0.5 + position if kind[0] == "f" else assumed
    if isinstance(said, float) or kind[0] == "f":
        return struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], said)
    return (said & (1 << 8 * size) - 1).to_bytes(size, "little")


def _variables(text: str) -> dict[str, int]:
    """Global and constant variables of a module, far behind the pointers; local ones at 0."""
    found = _VARIABLE.findall(text)
    names = sorted({name for space, _, name, _ in found if space != "local"})
    places_ = {name: POINTERS * (_VARIABLES + n) for n, name in enumerate(names)}
    return places_ | {name: 0 for space, _, name, _ in found if space == "local"}


def _local_bytes(text: str) -> int:
    sizes = [0]
    for space, kind, _, lengths in _VARIABLE.findall(text):
        if space == "local":
            counts = [int(n) for n in re.findall(r"\d+", lengths)]
            sizes.append(BYTES.get(kind, 1) * prod(counts))
    return max(sizes)
