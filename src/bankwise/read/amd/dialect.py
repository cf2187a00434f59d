"""AMD assembly as LLVM prints it: what the follower needs to know of it."""

from __future__ import annotations

from bankwise.errors import InputError
from bankwise.read.amd.calls import with_calls
from bankwise.read.amd.decode import decode_kernel
from bankwise.read.amd.flat import reads_aperture
from bankwise.read.amd.floats import RECIPROCAL_ERRORS, uses_reciprocals
from bankwise.read.amd.jumps import with_jumps
from bankwise.read.amd.operands import bare, operand
from bankwise.read.amd.parse import AmdInstruction, AmdKernel, kernel_names, kernels
from bankwise.read.amd.start import GROUPS, WORKGROUP_IDS, argument_of, known_memory, start
from bankwise.read.amd.text import target
from bankwise.read.assembly import ArgumentValues
from bankwise.read.follow.dialect import Dialect, Size, Threads
from bankwise.read.follow.in_flight import GlobalLoads
from bankwise.read.follow.run import Trace
from bankwise.read.follow.state import State


def _threads(kernel: AmdKernel) -> Threads:
    largest = kernel.largest_workgroup
    if kernel.workgroup_size is not None or largest is None:
        return Threads(kernel.workgroup_size)
    return Threads((largest, 1, 1), "is taken from .max_flat_workgroup_size")


def _axes(kernel: AmdKernel) -> int:
    """How many of x, y, z a kernel asks for. For gfx950 Triton's ask for all and use x, the one
    along which its launcher lays all threads (``_launch`` of its ``backends/amd/driver.c``)."""
    return 1 if kernel.producer == "triton" else 1 + kernel.bits("system_vgpr_workitem_id")


def _strange_argument(kernel: AmdKernel, key: str | int) -> str | None:
    try:
        if key not in WORKGROUP_IDS:
            argument_of(kernel, key)
    except InputError as error:
        return error.hint
    return None


def _start(kernel: AmdKernel, size: Size, args: ArgumentValues, /, *, told: bool = True) -> State:
    return start(kernel, size, args, known_memory(kernel, size, args, told))


def _other_starts(
    kernel: AmdKernel, size: Size, args: ArgumentValues, trace: Trace
) -> tuple[State, ...]:
    """With the other pair of apertures and with other errors of reciprocals, where they decided
    anything."""
    ran = [op for n, op in enumerate(kernel.operations) if n in trace.executed]
    once = (0,) if any(map(reads_aperture, ran)) else ()
    errors = RECIPROCAL_ERRORS[1:] if any(map(uses_reciprocals, ran)) else once
    memory = known_memory(kernel, size, args)
    return tuple(start(kernel, size, args, memory, 1, error) for error in errors)


def _named(op: AmdInstruction) -> tuple[str, ...]:
    """The registers that an instruction names."""
    return tuple(name for text in op.operands for name in operand(bare(text)).registers)


def _brought(op: AmdInstruction) -> tuple[str, ...]:
    """Those that it fills from global memory."""
    fills = op.name.startswith(("global_load_", "buffer_load_")) and "lds" not in op.modifiers
    return operand(op.operands[0]).registers if fills and op.operands else ()


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
    kernels=lambda text, file, only: tuple(
        with_calls(with_jumps(kernel), text) for kernel in kernels(text, file, only)
    ),
    instructions=lambda kernel: kernel.operations,
    threads=_threads,
    axes=_axes,
    parameters=lambda kernel: {
        a.name or a.offset: a.size for a in kernel.arguments if not a.kind.startswith("hidden_")
    },
    grid=lambda kernel: GROUPS,
    group_index=WORKGROUP_IDS,
    strange_argument=_strange_argument,
    registers=lambda kernel: kernel.numbers.get("vgpr_count"),
    local_bytes=lambda kernel: kernel.bits("private_segment_fixed_size"),
    decode=decode_kernel,
    start=_start,
    other_starts=_other_starts,
    loads=GlobalLoads(_brought, _named),
)
