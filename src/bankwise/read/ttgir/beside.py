"""What stands beside machine code in an entry of Triton's cache: its block, names of arguments.

    matmul.amdgcn       the code, whose arguments are bytes 0, 8, 16 ..
    matmul.json         num_warps and warp_size: Triton launches their product, along x
    matmul.ttgir        the names of the arguments, in the same order

Source: triton 3.9, backends/amd/driver.c and backends/nvidia/driver.c (blockDim is num_warps *
warp_size, 1, 1), and the calling conventions: PTX and SASS number parameters, AMD counts bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bankwise.errors import InputError
from bankwise.files import read_text
from bankwise.hardware.machine import machine
from bankwise.read.launch.facts import KernelLaunch, Size
from bankwise.read.options import MOST_THREADS

if TYPE_CHECKING:
    from bankwise.read.ttgir.values import TritonFunction

_CODE = (".amdgcn", ".hsaco", ".ptx", ".cubin", ".sass")


def block_of(metadata: Mapping[str, Any]) -> Size | None:
    """The block that Triton launches a kernel with, as its metadata says; None if it does not."""
    target = metadata.get("target")
    own = target.get("warp_size") if isinstance(target, dict) else None
    warps, lanes = metadata.get("num_warps"), metadata.get("warp_size") or own
    if not (isinstance(warps, int) and isinstance(lanes, int)):
        return None
    return (warps * lanes, 1, 1) if 1 <= warps * lanes <= MOST_THREADS else None


def launches_beside(path: Path) -> tuple[KernelLaunch, ...]:
    """How Triton launches the kernel of a file of its cache; none for another file."""
    said = _metadata(path)
    block, name = block_of(said), said.get("name")
    if block is None or not isinstance(name, str):
        return ()
    return (KernelLaunch(name, block=block, said=f"as {path.with_suffix('.json').name} says"),)


def keys_beside(path: Path) -> dict[str, str | int]:
    """What readers of machine code call the arguments that the TTGIR beside it names, and its
    block's number; {} where there is none, or none that is read."""
    if path.suffix not in _CODE or not (ttgir := path.with_suffix(".ttgir")).is_file():
        return {}
    from bankwise.read.ttgir.module import signatures
    from bankwise.read.ttgir.numbers import block_names, emitted_name

    try:
        gpu, kernels = signatures(read_text(ttgir), str(ttgir))
    except InputError:  # the neighbour is not what was asked about
        return {}
    if len(kernels) != 1:
        return {}
    vendor = machine(gpu).vendor
    places = {name: emitted_name(number, vendor) for name, number in block_names().items()}
    return {**{k: v for k, v in places.items() if v}, **keys_of(kernels[0], vendor)}


def keys_of(kernel: TritonFunction, vendor: str) -> dict[str, int]:
    """Each argument by name: its position, or, of AMD's, the byte where it lies: naturally aligned,
    in order."""
    names = [name.removeprefix("%") for name in kernel.arguments]
    if vendor == "nvidia":
        return {name: number for number, name in enumerate(names)}
    starts, at = dict[str, int](), 0
    for name, size in zip(names, kernel.sizes, strict=True):
        at = -(-at // size) * size
        starts[name] = at
        at += size
    return starts


def _metadata(path: Path) -> dict[str, Any]:
    if path.suffix not in _CODE or not (beside := path.with_suffix(".json")).is_file():
        return {}
    import json

    try:
        said = json.loads(read_text(beside))
    except (InputError, ValueError):  # the neighbour is not what was asked about
        return {}
    return said if isinstance(said, dict) else {}
