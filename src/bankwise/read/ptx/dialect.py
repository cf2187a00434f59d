"""PTX: what the follower needs to know of it.

PTX is not the last word: ptxas may still combine, split or reorder accesses. Their addresses stay.
"""

from __future__ import annotations

import numpy as np

from bankwise.read.assembly import ArgumentValues
from bankwise.read.follow.dialect import GROUP_SIZE, Dialect, Parts, Size, Threads
from bankwise.read.follow.result import ALLOCATION, threads
from bankwise.read.follow.run import Trace
from bankwise.read.follow.state import State
from bankwise.read.follow.touched import by_window, of_shared
from bankwise.read.follow.values import Unknown, Value, constant
from bankwise.read.options import argument_name
from bankwise.read.ptx.calls import inlined
from bankwise.read.ptx.decode import decode_kernel
from bankwise.read.ptx.operands import WINDOW, address, registers
from bankwise.read.ptx.parameters import ParameterPointers, parameter_pointers
from bankwise.read.ptx.parse import (
    BYTES,
    PtxKernel,
    Statement,
    functions,
    kernel_names,
    kernels,
    target,
)

WARP = 32
_BLOCK = ("ctaid.x", "ctaid.y", "ctaid.z")
_GRID = ("nctaid.x", "nctaid.y", "nctaid.z")
_SHARED_BYTES = "dynamic_smem_size"
_CALLED = {"ctaid.": "the block's index blockIdx.{}", "nctaid.": "the grid's size gridDim.{}"}


def _threads(kernel: PtxKernel) -> Threads:
    return Threads(kernel.workgroup_size, "is taken from .maxntid" if kernel.bounded else "")


def _kernels(text: str, file: str, only: str) -> tuple[PtxKernel, ...]:
    """The kernels of a text with the functions that they call."""
    called = functions(text)
    return tuple(inlined(kernel, called) for kernel in kernels(text, file, only))


def _strange_argument(kernel: PtxKernel, key: str | int) -> str | None:
    names = [name for name, _ in kernel.parameters]
    places = range(len(names))
    known = key in (*names, *places, *map(str, places), *_BLOCK, *_GRID, _SHARED_BYTES)
    name, plus, offset = str(key).partition("+")
    known |= name in names and (not plus or offset.isdecimal())
    return None if known else f"it has {', '.join([*names, *map(argument_name, _BLOCK)])}"


def _axes(kernel: PtxKernel) -> int:
    """How many of x, y, z a kernel asks for."""
    asked = {text for one in kernel.statements for text in one.operands if "%tid." in text}
    return 3 if "%tid.z" in asked else 2 if "%tid.y" in asked else 1


def _parameter(
    kernel: PtxKernel, args: ArgumentValues, pointers: ParameterPointers, statement: Statement
) -> tuple[Value, ...]:
    """What a parameter load gives: a value for each register that it fills."""
    at = address(statement.operands[1]) if len(statement.operands) > 1 else None
    width = BYTES.get(statement.parts[-1], 4)
    count = len(registers(statement.operands[0])) if statement.operands else 1
    if at is None:
        return (Unknown("a kernel parameter", statement.line, uniform=True),) * count
    name, offset = pointers.get(at.registers[0], (at.registers[0], 0))
    places = [(name, offset + at.offset_bytes + n * width) for n in range(count)]
    return tuple(_part(kernel, args, statement.line, *place, width) for place in places)


def _part(
    kernel: PtxKernel,
    args: ArgumentValues,
    line: int,
    name: str,
    offset: int,
    width: int,
) -> Value:
    """A parameter, or what lies ``offset`` bytes behind the start of a larger one."""
    names = [n for n, _ in kernel.parameters]
    if name not in names:
        return Unknown("a kernel parameter", line, uniform=True)
    number = names.index(name)
    fact = f"{name}+{offset}" if offset else name
    keys = (fact,) if offset else (name, number, str(number))
    given = next((args[k] for k in keys if k in args), None)
    if given is None:
        return Unknown(f"kernel parameter {fact}", line, uniform=True, fact=fact)
    return constant(given, np.uint64 if width > 4 else np.uint32)


def _start(kernel: PtxKernel, size: Size, args: ArgumentValues, /, *, told: bool = True) -> State:
    """The special registers of all warps of one block, and its parameters."""
    (x, y, z), exists = threads(size, WARP)
    pointers = parameter_pointers(kernel)
    state = State(exists, memory=lambda asked: _parameter(kernel, args, pointers, asked))
    lane = np.arange(WARP, dtype=np.uint32)[None, :]
    warp = np.arange(len(exists), dtype=np.uint32)[:, None]
    below = (np.uint32(1) << lane) - np.uint32(1)
    registers: dict[str, Value] = {"%tid.x": x, "%tid.y": y, "%tid.z": z, "%laneid": lane}
    registers |= {"%warpid": warp, "%lanemask_lt": below, "%lanemask_eq": below + np.uint32(1)}
    registers |= {"%lanemask_le": (below << np.uint32(1)) | np.uint32(1), "WARP_SZ": constant(WARP)}
    untold = Unknown("the size of the block", uniform=True, fact=GROUP_SIZE)
    sizes = [constant(n) if told else untold for n in size]
    registers |= {f"%ntid.{axis}": n for axis, n in zip("xyz", sizes, strict=True)}
    for name in (*_BLOCK, *_GRID, _SHARED_BYTES):
        given = args.get(name)
        lost = Unknown(_CALLED.get(name[:-1], f"%{name}").format(name[-1]), uniform=True, fact=name)
        registers[f"%{name}"] = lost if given is None else constant(given)
    state.registers.update(registers)
    return state


def _parts(kernel: PtxKernel, trace: Trace) -> Parts:
    """The patterns of each shared variable, from its start; absolute addresses as "shared"."""
    names = {n + 1: variable.name for n, variable in enumerate(kernel.shared)}
    names[0] = ALLOCATION
    return lambda touched: by_window(of_shared(touched), names, WINDOW)


PTX: Dialect[PtxKernel, Statement] = Dialect(
    name="ptx",
    title="PTX with a line like .target sm_90,",
    sign="PTX",
    group="block",
    empty=("no .entry in this PTX", ""),
    portable=True,
    target=target,
    names=kernel_names,
    kernels=_kernels,
    instructions=lambda kernel: kernel.statements,
    threads=_threads,
    axes=_axes,
    parameters=lambda kernel: {name: BYTES.get(kind, 0) for name, kind in kernel.parameters},
    grid=lambda kernel: _GRID,
    group_index=_BLOCK,
    shared_bytes=_SHARED_BYTES,
    strange_argument=_strange_argument,
    decode=decode_kernel,
    start=_start,
    parts=_parts,
    place=lambda statement: (statement.line, statement.number),
)
