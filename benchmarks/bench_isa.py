"""How long checking emitted code takes. Run: pytest benchmarks/bench_isa.py

The bar is a 5,000-line assembly file in under 3 s.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bankwise.read.amd.dialect import AMD
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX

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


def straight_kernel(line: str) -> str:
    """5,000 accesses and nothing else: the most to report for the least to follow."""
    lines = [line.format(16 * n % 32768) for n in range(4985)]
    body = "\n".join(["\tv_lshlrev_b32_e32 v1, 7, v0", *lines])
    head, _, tail = long_kernel().partition("long:\n")
    return head + "long:\n" + body + "\n\ts_endpgm\n" + tail.partition("\ts_endpgm\n")[2]


LONG = {
    "loops": long_kernel(),
    "reads": straight_kernel("\tds_read_b128 v[8:11], v1 offset:{}"),
    "conflicts": straight_kernel("\tds_write_b32 v1, v3 offset:{}"),
}


@pytest.mark.parametrize("name", LONG)
def test_the_whole_check_of_5000_lines(benchmark, tmp_path: Path, name: str) -> None:
    """Counted, advised on and printed, the program's start included."""
    file = tmp_path / "long.s"
    file.write_text(LONG[name])
    assert 4800 < LONG[name].count("\n") < 5200
    command = [sys.executable, "-m", "bankwise", "check", str(file), "--workgroup-size", "256,1,1"]
    done = benchmark.pedantic(lambda: subprocess.run(command, capture_output=True), rounds=3)
    assert done.returncode in (0, 1)
    assert b"l1tex" not in done.stdout
    assert b"SQ_LDS_BANK_CONFLICT" in done.stdout


@pytest.mark.parametrize("name", KERNELS)
def test_a_compiled_kernel(benchmark, name: str) -> None:
    text = (DATA / name).read_text("utf-8")
    dialect = PTX if name.endswith(".ptx") else AMD
    assert benchmark.pedantic(lambda: check_code(dialect, text, name), rounds=3)
