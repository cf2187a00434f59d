"""How long checking emitted code takes. Run: pytest benchmarks/bench_isa.py

The bar is a 5,000-line assembly file in under 3 s.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.isa.amd.check import check_assembly
from bankwise.isa.ptx.check import check_ptx

DATA = Path(__file__).parent.parent / "tests" / "data" / "isa"
KERNELS = sorted(p.name for p in DATA.iterdir() if p.suffix in (".s", ".amdgcn", ".ptx"))

LOOPS, UNROLLED, ITERATIONS = 24, 50, 32


def long_kernel() -> str:
    """24 loops of 32 iterations, 50 accesses each: four lines an access, all of them followed."""
    lines = ["\ts_load_dword s6, s[0:1], 0x8", "\tv_lshlrev_b32_e32 v1, 4, v0"]
    for loop in range(LOOPS):
        lines += ["\ts_mov_b32 s4, 0", f".LBB0_{loop}:"]
        for n in range(UNROLLED):
            lines += [
                f"\tv_and_b32_e32 v2, {8 * n + 0x30}, v0",
                "\tv_xor_b32_e32 v3, v1, v2",
                f"\tv_lshl_add_u32 v4, s4, 10, v3 ; row {n}",
                f"\tds_read_b128 v[8:11], v4 offset:{16 * n}",
            ]
        lines += ["\ts_add_i32 s4, s4, 1", f"\ts_cmp_lt_u32 s4, {ITERATIONS}"]
        lines += [f"\ts_cbranch_scc1 .LBB0_{loop}"]
    body = "\n".join(lines)
    return f"""\t.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
long:
{body}
\ts_endpgm
.Lfunc_end0:
\t.amdhsa_kernel long
\t\t.amdhsa_user_sgpr_count 2
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t.end_amdhsa_kernel
"""


def test_a_5000_line_assembly_file(benchmark) -> None:
    text = long_kernel()
    assert 4800 < text.count("\n") < 5200
    (kernel,) = benchmark.pedantic(
        lambda: check_assembly(text, "long.s", workgroup_size=(256, 1, 1)), rounds=3
    )
    assert len(kernel.accesses) == LOOPS * UNROLLED


@pytest.mark.parametrize("name", KERNELS)
def test_a_compiled_kernel(benchmark, name: str) -> None:
    text = (DATA / name).read_text("utf-8")
    check = check_ptx if name.endswith(".ptx") else check_assembly
    assert benchmark.pedantic(lambda: check(text, name), rounds=3)
