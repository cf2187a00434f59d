"""Small AMD and PTX texts for tests, and counting what was found in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bankwise.counting.conflict import count
from bankwise.hardware.machine import machine
from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX

DATA = Path(__file__).parent / "data" / "isa"

Total = tuple[int, int, int]
"""Executions, passes, ideal passes, of all waves of a workgroup."""


def amd_text(
    body: str,
    *,
    threads: int = 64,
    target: str = "gfx942",
    descriptor: str = "",
    arguments: str = "",
) -> str:
    """A kernel ``k`` around ``body``; s[0:1] points to its arguments, s2 is the workgroup."""
    return f"""\t.amdgcn_target "amdgcn-amd-amdhsa--{target}"
k:
{body}
\ts_endpgm
.Lfunc_end0:
\t.amdhsa_kernel k
\t\t.amdhsa_group_segment_fixed_size 65536
\t\t.amdhsa_user_sgpr_count 2
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t\t.amdhsa_system_sgpr_workgroup_id_x 1
{descriptor}
\t.end_amdhsa_kernel
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .name:           data
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           n
        .offset:         8
        .size:           4
        .value_kind:     by_value
{arguments}    .group_segment_fixed_size: 65536
    .max_flat_workgroup_size: {threads}
    .name:           k
    .vgpr_count:     8
...
\t.end_amdgpu_metadata
"""


def amd(
    body: str, *, args: dict[str | int, int] | None = None, **options: object
) -> AssemblyKernel:
    """Check the kernel around ``body``."""
    text = amd_text(body, **options)  # type: ignore[arg-type]
    return check_code(AMD, text, "k.s", args=args)[0]


def ptx_text(body: str, *, threads: int = 32, shared: str = "tile[4096]") -> str:
    """A kernel ``k`` around ``body``, with a pointer and a number as parameters."""
    return f"""
.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 {shared};
.visible .entry k(
\t.param .u64 k_param_0,
\t.param .u32 k_param_1
)
.reqntid {threads}, 1, 1
{{
\t.reg .pred %p<9>;
\t.reg .b32 %r<99>;
\t.reg .b64 %rd<9>;
\tmov.u32 %r1, %tid.x;
{body}
\tret;
}}
"""


def ptx(
    body: str, *, args: dict[str | int, int] | None = None, **options: object
) -> AssemblyKernel:
    """Check the kernel around ``body``."""
    return check_code(PTX, ptx_text(body, **options), "k.ptx", args=args)[0]  # type: ignore[arg-type]


def lanes(access: AssemblyAccess, pattern: int = 0, wave: int = 0) -> list[int]:
    """The offsets of the active lanes of one wave."""
    found = access.access.patterns[pattern]
    return [int(x) for x in found.offsets_bytes[wave][found.active[wave]]]


def totals(kernels: Iterable[AssemblyKernel]) -> dict[str, Total]:
    """Executions, passes and ideal of each instruction, all patterns and waves together; copies and
    barriers of asynchronous units are left out."""
    sums: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(3, np.int64))
    for kernel in kernels:
        gpu = machine(kernel.target)
        for found in (a for a in kernel.accesses if a.access.kind not in ("bulk", "barrier")):
            for pattern in found.access.patterns:
                apart = found.apart_bytes
                result = count(
                    gpu.instruction(found.instruction),
                    pattern.offsets_bytes,
                    pattern.active,
                    second_offsets_bytes=(None if apart is None else pattern.offsets_bytes + apart),
                )
                once = (1, int(result.passes.sum()), int(result.ideal.sum()))
                sums[found.instruction] += pattern.executions * np.array(once)
    return {name: (int(n), int(p), int(i)) for name, (n, p, i) in sums.items()}
