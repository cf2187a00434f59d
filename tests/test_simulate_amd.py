"""AMD assembly by hand, run with values as terms: buffers, copies to LDS, reads that transpose, and
two spellings of one computation. What is expected is written out here, in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.change.simulate.amd import AMD_SIMULATOR
from bankwise.change.simulate.launches import SimulatedLaunch
from bankwise.change.simulate.memory import POINTERS, Unsupported

LANES = 64
HEAD = """
\t.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
\t.text
k:
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\ts_waitcnt lgkmcnt(0)
\ts_mov_b32 s8, s4
\ts_and_b32 s9, s5, 0xffff
\ts_mov_b32 s10, SIZE
\ts_mov_b32 s11, 0x27000
\ts_mov_b32 s12, s6
\ts_and_b32 s13, s7, 0xffff
\ts_mov_b32 s14, SIZE
\ts_mov_b32 s15, 0x27000
\tv_lshlrev_b32_e32 v1, 2, v0
\tv_mov_b32_e32 v2, 0
"""
TAIL = """
\ts_endpgm
.Lfunc_end0:
\t.size\tk, .Lfunc_end0-k
\t.amdhsa_kernel k
\t\t.amdhsa_group_segment_fixed_size 4096
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t\t.amdhsa_user_sgpr_count 2
\t\t.amdhsa_system_vgpr_workitem_id 0
\t.end_amdhsa_kernel
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 4096
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 64
    .name:           k
...
\t.end_amdgpu_metadata
"""
"""s[8:11]: where the kernel writes, s[12:15]: what it reads; v1: 4 bytes a lane, v2: zero."""


def written(body: str, size: int = 0x7FFFFFFE) -> dict[int, int]:
    """What the body writes, by words behind the first pointer."""
    head = HEAD.replace("SIZE", hex(size))
    lines = "\n".join(f"\t{line.strip()}" for line in body.strip().splitlines())
    launch = SimulatedLaunch((LANES, 1, 1), (1, 1, 1), (None, None), 64, ((0, 0, 0),), 0)
    found, _ = AMD_SIMULATOR.written(head + lines + TAIL, "k", launch, (0, 0, 0), 1)
    return {at - POINTERS // 4: word for at, word in found.items()}


def test_a_buffer_is_its_base_and_all_offsets() -> None:
    """Numbers are stored through one buffer, and come back by flat addresses."""
    found = written("""
        v_mul_u32_u24_e32 v3, 7, v0
        s_movk_i32 s2, 0x100
        buffer_store_dword v3, v1, s[8:11], s2 offen offset:16
        v_mov_b32_e32 v4, s4
        v_mov_b32_e32 v5, s5
        v_add_co_u32_e32 v4, vcc, v4, v1
        v_addc_co_u32_e32 v5, vcc, 0, v5, vcc
        global_load_dword v6, v[4:5], off offset:272
        global_store_dword v[4:5], v6, off offset:2048
    """)
    want = {(256 + 16) // 4 + n: 7 * n for n in range(LANES)}
    assert found == want | {2048 // 4 + n: 7 * n for n in range(LANES)}


def test_behind_the_end_of_a_buffer_zeros_are_read_and_nothing_is_written() -> None:
    """Lanes 0 to 39 are inside 160 bytes; a masked lane of Triton has an offset of 2^31."""
    found = written(
        """
        v_mov_b32_e32 v3, 5
        buffer_store_dword v3, v1, s[8:11], 0 offen
        s_movk_i32 s10, 0x1000
        buffer_load_dword v6, v1, s[12:15], 0 offen
        v_cmp_eq_u32_e32 vcc, 0, v6
        v_cndmask_b32_e64 v7, 0, 1, vcc
        buffer_store_dword v7, v1, s[8:11], 0 offen offset:1024
        """,
        160,
    )
    assert found == dict.fromkeys(range(40), 5) | {256 + n: int(n >= 40) for n in range(LANES)}


def test_where_only_the_scalar_offset_passes_the_end_nothing_is_simulated() -> None:
    with pytest.raises(Unsupported, match="at the end of a buffer"):
        written(
            """
            s_movk_i32 s2, 0x80
            buffer_load_dword v6, v1, s[12:15], s2 offen
            """,
            260,
        )


def test_a_resource_that_swizzles_is_refused() -> None:
    with pytest.raises(Unsupported, match="swizzles"):
        written("""
            s_bitset1_b32 s13, 31
            buffer_load_dword v6, v1, s[12:15], 0 offen
        """)


def test_a_copy_to_lds_lies_in_lane_order() -> None:
    """Lane l asks for word 63 - l; what it asks for lies at word l of LDS."""
    found = written("""
        v_mul_u32_u24_e32 v3, 9, v0
        buffer_store_dword v3, v1, s[8:11], 0 offen
        v_sub_u32_e32 v4, 252, v1
        s_movk_i32 m0, 0x200
        buffer_load_dword v4, s[8:11], 0 offen lds
        s_waitcnt vmcnt(0)
        ds_read_b32 v5, v1 offset:512
        buffer_store_dword v5, v1, s[8:11], 0 offen offset:1024
    """)
    assert {n: found[256 + n] for n in range(LANES)} == {n: 9 * (63 - n) for n in range(LANES)}


def test_a_read_that_transposes_gives_columns() -> None:
    """16 lanes read 4 rows of 16 halves; lane c gets column c. Halves are numbered 0 .. 255."""
    found = written("""
        v_lshlrev_b32_e32 v3, 2, v0
        v_add_u32_e32 v4, 1, v3
        v_add_u32_e32 v5, 2, v3
        v_add_u32_e32 v6, 3, v3
        v_lshl_or_b32 v7, v4, 16, v3
        v_lshl_or_b32 v8, v6, 16, v5
        v_lshlrev_b32_e32 v9, 3, v0
        ds_write_b64 v9, v[7:8]
        s_waitcnt lgkmcnt(0)
        ds_read_b64_tr_b16 v[10:11], v9
        s_waitcnt lgkmcnt(0)
        buffer_store_dwordx2 v[10:11], v9, s[8:11], 0 offen
    """)
    tiles = np.arange(256).reshape(4, 4, 16)
    columns = tiles.transpose(0, 2, 1).reshape(64, 2, 2)
    want = (columns[..., 0] | columns[..., 1] << 16).reshape(-1)
    assert found == dict(enumerate(want.tolist()))


LOADS = """
    buffer_load_dwordx2 v[3:4], v1, s[12:15], 0 offen
    v_mov_b32_e32 v5, 0x3c003c00
"""
STORES = "buffer_store_dword v6, v1, s[8:11], 0 offen"
SPELLINGS = {
    "a product that is folded": (
        "v_mul_f32_e32 v6, v3, v4\nv_cvt_f16_f32_e32 v6, v6\nv_and_b32_e32 v6, 0xffff, v6",
        "v_mov_b32_e32 v6, 0\nv_fma_mixlo_f16 v6, v3, v4, neg(0)",
    ),
    "a sum of halves": (
        "v_cvt_f32_f16_e32 v7, v3\nv_lshrrev_b32_e32 v8, 16, v4\nv_cvt_f32_f16_e32 v8, v8\n"
        "v_add_f32_e32 v6, v7, v8",
        "v_fma_mix_f32 v6, v3, 1.0, v4 op_sel:[0,0,1] op_sel_hi:[1,0,1]",
    ),
    "two halves": (
        "v_cvt_f16_f32_e32 v7, v3\nv_mul_f32_e32 v8, v3, v4\nv_cvt_f16_f32_e32 v8, v8\n"
        "v_pack_b32_f16 v6, v7, v8",
        "v_cvt_f16_f32_e32 v6, v3\nv_fma_mixhi_f16 v6, v4, v3, neg(0)",
    ),
    "an accumulator of zeros": (
        "".join(f"v_mov_b32_e32 v{n}, 0\n" for n in range(12, 16))
        + "v_mfma_f32_16x16x4_f32 v[12:15], v3, v4, v[12:15]\nv_mov_b32_e32 v6, v14",
        "v_mfma_f32_16x16x4_f32 v[12:15], v3, v4, 0\nv_mov_b32_e32 v6, v14",
    ),
}
OTHERS = {
    "a product that is folded": "v_mov_b32_e32 v6, 0\nv_fma_mixlo_f16 v6, v3, v5, neg(0)",
    "a sum of halves": "v_fma_mix_f32 v6, v3, 1.0, v4 op_sel_hi:[1,0,1]",
    "two halves": "v_cvt_f16_f32_e32 v6, v4\nv_fma_mixhi_f16 v6, v4, v3, neg(0)",
    "an accumulator of zeros": "v_mfma_f32_16x16x4_f32 v[12:15], v3, v4, 1.0\n"
    "v_mov_b32_e32 v6, v14",
}
"""As the second spelling, with another operand."""


@pytest.mark.parametrize("name", SPELLINGS)
def test_two_spellings_are_one_term_and_another_operand_is_another(name: str) -> None:
    one, two = (written("\n".join((LOADS, text, STORES))) for text in SPELLINGS[name])
    other = written("\n".join((LOADS, OTHERS[name], STORES)))
    assert len(one) == LANES
    assert one == two
    assert all(one[at] != other[at] for at in one)
