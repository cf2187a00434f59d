"""What operations of TTGIR do with shared memory, by their names."""

from __future__ import annotations

import re

ACCESSES = (
    "ttg.local_load",
    "ttg.local_store",
    "ttg.async_copy_global_to_local",
    "amdg.buffer_load_to_local",
    "amdgpu.buffer_load_to_local",
)
SCRATCH = ("ttg.convert_layout", "tt.reduce", "tt.scan", "tt.histogram", "tt.gather")
ATOMIC = re.compile(r"tt\.atomic_(rmw|cas)$|amdg(pu)?\.buffer_atomic_(rmw|cas)$")
ENDS = ("scf.yield", "scf.condition", "tt.return", "ttg.warp_yield", "ttg.warp_return")

NO_TOUCH = re.compile(
    r"ttg\.(local_dealloc|async_wait|warp_specialize)$"
    r"|ttng\.(fence_|warp_group_dot_wait|tc_gen5_commit|cluster_|\w*barrier)"
)
"""Operations on memory descriptors that move no tile: what they do to 8 bytes of a barrier is done
by one thread."""

BY_UNITS = re.compile(
    r"ttng\.(warp_group_dot$|tc_gen5_mma|async_tma_(copy|gather|scatter|reduce|store|load)|tmem_copy)"
    r"|amdg\.async_tdm_"
)
"""Matrix and copy units reach a tile through a descriptor: no thread has an address in it."""
