"""AMD assembly as LLVM prints it: what the follower needs to know of it."""

from __future__ import annotations

from bankwise.read.amd.decode import decode_kernel
from bankwise.read.amd.flat import makes_shared_addresses
from bankwise.read.amd.parse import AmdInstruction, AmdKernel, kernel_names, kernels, target
from bankwise.read.amd.start import known_memory, load, start
from bankwise.read.assembly import ArgumentValues
from bankwise.read.follow.decoded import Decoded
from bankwise.read.follow.driver import Dialect, Size, Threads
from bankwise.read.follow.state import State


def _threads(kernel: AmdKernel) -> Threads:
    largest = kernel.largest_workgroup
    if kernel.workgroup_size is not None or largest is None:
        return Threads(kernel.workgroup_size)
    return Threads((largest, 1, 1), "is taken from .max_flat_workgroup_size")


def _decode(kernel: AmdKernel, size: Size, args: ArgumentValues) -> Decoded:
    memory = known_memory(kernel, size, args)
    return decode_kernel(kernel, lambda state, op: load(kernel, memory, state, op))


def _start(kernel: AmdKernel, size: Size, args: ArgumentValues) -> State:
    return start(kernel, size, args, known_memory(kernel, size, args))


def _other_start(kernel: AmdKernel, size: Size, args: ArgumentValues) -> State | None:
    """With the other pair of apertures, where the kernel makes addresses of them."""
    if not makes_shared_addresses(kernel):
        return None
    return start(kernel, size, args, known_memory(kernel, size, args), apertures=1)


AMD: Dialect[AmdKernel, AmdInstruction] = Dialect(
    name="amd",
    title="AMD assembly printed by LLVM",
    sign="assembly",
    group="workgroup",
    empty=(
        "no kernel in this assembly: no .amdhsa_kernel line",
        "the text may be cut off; the kernel descriptor is behind the code",
    ),
    portable=False,
    target=target,
    names=kernel_names,
    kernels=kernels,
    instructions=lambda kernel: kernel.operations,
    threads=_threads,
    registers=lambda kernel: kernel.numbers.get("vgpr_count"),
    decode=_decode,
    start=_start,
    other_start=_other_start,
)
