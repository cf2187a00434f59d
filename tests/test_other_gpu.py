"""A text of one GPU is not fixed for another, and not counted for another vendor's at all."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from command import bankwise
from kernel_texts import changed, written

EXAMPLES = Path(__file__).parents[1] / "examples"
GFX942 = EXAMPLES / "iree" / "matmul_1024.gfx942.mlir"
SM_80 = EXAMPLES / "iree" / "matmul_1024.sm_80.mlir"

LDS = "memref<256xf32, #gpu.address_space<workgroup>>"
BARRIER = "amdgpu.lds_barrier"
AMD = f"""
func.func @k(%in: memref<256xf32>) attributes {{
    gpu.known_block_size = array<i32: 256, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %x = gpu.thread_id x upper_bound 256
  %lds = memref.alloc() : {LDS}
  %v = memref.load %in[%x] : memref<256xf32>
  memref.store %v, %lds[%x] : {LDS}
  {BARRIER}
  return
}}
"""


def test_operations_of_one_vendor_are_none_for_the_other(tmp_path: Path) -> None:
    amd = written(tmp_path, AMD)
    for verb in ("check", "fix"):
        said = bankwise(verb, amd, "-t", "H100")
        assert said.code == 2
        assert "amdgpu.lds_barrier: kernel k is for GPUs of AMD, sm_90 is none" in said.err
        assert f":{AMD.splitlines().index(f'  {BARRIER}') + 1}:3" in said.err
        assert "gfx942" in said.err.partition("hint:")[2]
    assert bankwise("check", amd, "-t", "gfx950").code == 0
    nvidia = written(tmp_path, changed(AMD, (BARRIER, "nvvm.bar.warp.sync %w : i32")), "n.mlir")
    nvidia.write_text(
        changed(nvidia.read_text(), ("  %lds =", "  %w = arith.constant 1 : i32\n  %lds ="))
    )
    said = bankwise("check", nvidia, "-t", "gfx950")
    assert said.code == 2
    assert "nvvm.bar.warp.sync: kernel k is for GPUs of NVIDIA, gfx950 is none" in said.err


def test_a_text_for_one_gpu_of_amd_is_fixed_for_no_other() -> None:
    said = bankwise("fix", GFX942, "-t", "gfx950")
    assert said.code == 2
    assert "is for gfx942: nothing is written for gfx950" in said.err
    assert "`check --target gfx950` counts it" in said.err
    assert bankwise("fix", SM_80, "-t", "gfx950").code == 2


def test_code_for_an_older_gpu_of_nvidia_is_fixed_for_a_later_one() -> None:
    assert bankwise("fix", SM_80, "-t", "sm_90", "--no-isa", "--no-execute").code != 2
