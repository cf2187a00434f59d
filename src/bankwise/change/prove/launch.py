"""What the text itself says about a launch: facts that hold for every launch of it.

A number from the command line (``--workgroup-size``, ``--grid``, ``--dim``) is a fact of one launch
and never comes here.
"""

from __future__ import annotations

import re
from math import prod

from iree.compiler import ir

from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.read.mlir.indexing import ThreadIds
from bankwise.read.mlir.kernels import KernelFunction, operations

_SUBGROUP = re.compile(r"\bsubgroup_size = (\d+)")

_LAUNCHES = ("gpu.launch_func", "hal.", "stream.", "iree_codegen.", "flow.")
"""Beginnings of operations that name a kernel in order to launch it, or to say how."""

_ONLY_WITH = {
    64: ("amdgpu.mfma", "amdgpu.scaled_mfma"),
    32: ("nvgpu.", "nvvm."),
}
"""Beginnings of operations that exist on GPUs with so many threads in a wave alone: MFMA on those
of AMD with waves of 64 (CDNA ISA), warps of NVIDIA."""

_EITHER_WAVE = ("gfx10", "gfx11", "gfx120")
"""RDNA: waves of 32 or of 64, as the compiler chooses (RDNA3 ISA, 3.1)."""

MOST_THREADS = 1024
"""Threads of a workgroup on every GPU of either vendor (HIP and CUDA programming guides)."""


MOST_LANES = 64
"""Threads of the longest waves; a shorter one lies inside one of these."""


class TextLaunch(ByIdentity, frozen=True, eq=False):
    """One kernel's launch as far as its text says it.

    ``size``: thread ids stay below it; None if unknown. ``stated``: they take every value below.
    ``wave``: threads of a wave, None if unknown. ``grid``: workgroup ids stay below it.
    ``entry``: no function of the module calls it, so that its arguments are those of the launch.
    """

    size: tuple[int, int, int] | None
    stated: bool
    wave: int | None
    grid: tuple[int, int, int] | None
    entry: bool

    @property
    def threads(self) -> int:
        """Threads whose ids are known; 1 stands for all where the size is not."""
        return prod(self.size) if self.size else 1

    def thread_ids(self, axis: int, *, bounded: bool) -> IntArray | None:
        """The id of every thread along an axis, x fastest; None if it is not known.

        ``bounded``: the one who asks says the bound himself. Where the text has only bounds, an
        axis of size 1 may be one that nobody else asked for.
        """
        if self.size is None or not (self.stated or bounded or self.size[axis] > 1):
            return None
        return ThreadIds(self.size, self.threads).thread_id(axis)

    @property
    def fact(self) -> str:
        """What a proof rests on that uses the thread ids, in words."""
        assert self.size is not None, "asked of known sizes alone"
        shape = " x ".join(map(str, self.size))
        return f"workgroups of {shape} threads: the text says so"


def text_launch(kernel: KernelFunction, calls: frozenset[str]) -> TextLaunch:
    """The launch of a kernel; ``calls``: the functions that the module calls."""
    size = kernel.workgroup_size
    if size is not None and not (min(size) > 0 and prod(size) <= MOST_THREADS):
        size = None
    wave = _wave(kernel)
    return TextLaunch(
        size, kernel.stated and size is not None, wave, kernel.grid, kernel.name not in calls
    )


def _wave(kernel: KernelFunction) -> int | None:
    """By what the function says, the target in the text, or an operation of one kind of GPU."""
    said = _SUBGROUP.search(str(kernel.op.attributes.get("translation_info", "")))
    if said is not None:
        return int(said[1]) or None
    if kernel.target is not None:
        if kernel.target.startswith(_EITHER_WAVE):
            return None
        try:
            return machine(kernel.target).wave_size
        except InputError:
            return None
    used = {op.name for op in operations(kernel.op)}
    found = {n for n, names in _ONLY_WITH.items() if any(u.startswith(names) for u in used)}
    return found.pop() if len(found) == 1 else None


def calls_of(operations: list[ir.Operation]) -> frozenset[str]:
    """The functions that these operations may call: all that one names which launches nothing."""
    return frozenset(
        str(attribute).rpartition("@")[2].strip('"')
        for op in operations
        if not op.name.startswith(_LAUNCHES)
        for attribute in (op.attributes[name] for name in op.attributes)
        if isinstance(attribute, ir.SymbolRefAttr | ir.FlatSymbolRefAttr)
    )
