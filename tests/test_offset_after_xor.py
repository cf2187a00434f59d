"""The rule offset-after-xor: what counts as swizzled, and when a constant changes it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import bankwise
from bankwise.ask.offsets import offsets_after_xor
from bankwise.read.follow import bitwise
from bankwise.read.follow.marks import marked, swizzle, xored
from command import bankwise as run
from isa_texts import DATA, amd, amd_text, lanes, ptx, ptx_text

READS = Path(__file__).parents[1] / "examples" / "ck_transpose" / "04_reads.s"

SWIZZLED = """\tv_and_b32_e32 v1, 7, v0
\tv_lshlrev_b32_e32 v2, 7, v1
\tv_lshrrev_b32_e32 v3, 3, v0
\t{xor}
\tv_lshl_or_b32 v4, v4, 4, v2
\tds_read_b128 v[8:11], v4{offset}"""
"""8 rows of 128 bytes: lane l reads chunk (l / 8) XOR (l mod 8) of row l mod 8."""

V_XOR = "v_xor_b32_e32 v4, v3, v1"


def findings(tmp_path: Path, text: str, name: str = "k.s") -> list[tuple[int, str]]:
    path = tmp_path / name
    path.write_text(text)
    report = bankwise.check(path)
    return [(f.location.line, f.message) for f in report.findings if f.rule == "offset-after-xor"]


def kernel_04_address(lane: np.ndarray, wave: int, value: int) -> np.ndarray:
    """CK's descriptor of kernel 04 by hand, bytes: m = 8 (l mod 8) + j, k = 8 w + l / 8."""
    m, k = 8 * (lane % 8) + value, 8 * wave + lane // 8
    b, a = m // 2, m % 2 * 4 + k // 8
    return 2 * (64 * b + 8 * (a ^ b % 8) + k % 8)


def test_the_offsets_of_kernel_04_stand_behind_its_xor_and_change_nothing() -> None:
    report = bankwise.check(READS)
    constants = re.findall(r"ds_read_u16 .* offset:(\d+)", READS.read_text())
    assert constants == ["128", "128", "256"]
    assert report.findings == ()


def test_the_48_conflicts_of_kernel_04_follow_from_its_layout_alone() -> None:
    from bankwise.read.amd.dialect import AMD
    from bankwise.read.follow.driver import check_code

    (kernel,) = check_code(AMD, READS.read_text(), str(READS))
    lane = np.arange(64)
    for wave in range(4):
        for value, found in enumerate(kernel.accesses):
            assert lanes(found, wave=wave) == kernel_04_address(lane, wave, value).tolist()
    assert bankwise.check(READS).totals.run.extra == 4 * 48


@pytest.mark.parametrize(
    "xor",
    [
        V_XOR,
        "v_bitop3_b32 v4, v3, v1, v1 bitop3:0x3c",
        "v_bitop3_b32 v4, v1, v3, v1 bitop3:0x78",
        "v_xad_u32 v4, v3, v1, 0",
    ],
)
def test_a_constant_on_swizzled_bits_is_found(tmp_path, xor: str) -> None:
    code = SWIZZLED.format(xor=xor, offset=" offset:64").replace("v1, v3, v1 bitop3:0x78", _AND)
    ((line, message),) = findings(tmp_path, amd_text(code))
    assert line == 8
    assert "adds 64 (0x40)" in message
    assert "bits 0x70" in message
    assert "64 of 64 lanes" in message


_AND = "v3, v1, 7 bitop3:0x78"
"""v3 ^ (v1 & 7)."""


@pytest.mark.parametrize("constant", [0, 8, 128, 256, 1024, 4096])
def test_constants_on_other_bits_are_silent(tmp_path, constant: int) -> None:
    code = SWIZZLED.format(xor=V_XOR, offset=f" offset:{constant}")
    assert findings(tmp_path, amd_text(code)) == []


def test_a_carry_into_swizzled_bits_is_found_in_the_lanes_where_it_happens(tmp_path) -> None:
    code = SWIZZLED.format(xor=V_XOR, offset="")
    code = code.replace(
        "\tds_read", "\tv_and_b32_e32 v5, 8, v0\n\tv_or_b32_e32 v4, v4, v5\n\tds_read"
    )
    code = code.replace("b128 v[8:11], v4", "b64 v[8:9], v4 offset:8")
    ((_, message),) = findings(tmp_path, amd_text(code))
    assert "32 of 64 lanes" in message


def test_an_address_without_xor_and_an_or_of_separate_bits_are_no_swizzle(tmp_path) -> None:
    for plain in ("v_add_u32_e32 v4, v3, v2", "v_lshl_or_b32 v4, v3, 4, v2"):
        code = SWIZZLED.format(xor=plain, offset=" offset:64")
        assert findings(tmp_path, amd_text(code)) == []
    separate = SWIZZLED.format(xor="v_mov_b32_e32 v4, v3", offset=" offset:64")
    separate = separate.replace("v_lshl_or_b32 v4, v4, 4, v2", "v_xor_b32_e32 v4, v4, v2")
    assert findings(tmp_path, amd_text(separate)) == []


def test_the_toggle_of_a_double_buffer_is_no_swizzle(tmp_path) -> None:
    body = """\tv_lshlrev_b32_e32 v1, 4, v0
\ts_mov_b32 s4, 0
.Lloop:
\tds_read_b128 v[4:7], v1 offset:4096
\tv_xor_b32_e32 v1, 0x1000, v1
\ts_add_i32 s4, s4, 1
\ts_cmp_lt_i32 s4, 6
\ts_cbranch_scc1 .Lloop"""
    assert findings(tmp_path, amd_text(body)) == []


def test_each_address_of_a_two_address_form_is_judged(tmp_path) -> None:
    code = SWIZZLED.format(xor=V_XOR, offset="")
    code = code.replace("ds_read_b128 v[8:11], v4", "ds_read2_b64 v[8:11], v4 offset1:{}")
    assert findings(tmp_path, amd_text(code.format(16))) == []
    ((_, message),) = findings(tmp_path, amd_text(code.format(2)))
    assert "adds 16 (0x10)" in message


BEHIND = """\tv_lshlrev_b32_e32 v9, 4, v0
\tds_write_b128 v9, v[12:15]
\tds_write_b128 v9, v[12:15] offset:{plain}
"""
"""Another tile below: 1024 bytes from 0 on, and 1024 from ``plain`` on."""


@pytest.mark.parametrize("base", [4096 + 240, 1040, 1024 + 112])
def test_a_constant_that_is_where_the_tile_begins_is_silent(tmp_path, base: int) -> None:
    code = BEHIND.format(plain=base) + SWIZZLED.format(xor=V_XOR, offset=f" offset:{base}")
    assert findings(tmp_path, amd_text(code)) == []
    far = SWIZZLED.format(xor=V_XOR, offset=f" offset:{base + 1024}")
    assert findings(tmp_path, amd_text(f"{code}\n{far}")) == []


@pytest.mark.parametrize("beyond", [32, 64])
def test_what_a_constant_adds_to_where_the_tile_begins_is_found(tmp_path, beyond: int) -> None:
    base = 4096 + 240
    swizzled = SWIZZLED.format(xor=V_XOR, offset=f" offset:{base}")
    wrong = swizzled.replace(f"offset:{base}", f"offset:{base + beyond}")
    code = BEHIND.format(plain=base) + swizzled + "\n" + wrong
    ((line, message),) = findings(tmp_path, amd_text(code))
    assert line == 17
    assert f"adds {base + beyond} " in message


@pytest.mark.parametrize("xor", ["xor.b32 %r5, %r3, %r2", "lop3.b32 %r5, %r3, %r2, 0, 0x3c"])
def test_ptx_is_judged_alike(tmp_path, xor: str) -> None:
    body = f"""\tand.b32 %r2, %r1, 7;
\tshr.u32 %r3, %r1, 3;
\t{xor};
\tshl.b32 %r6, %r5, 4;
\tshl.b32 %r7, %r2, 7;
\tadd.s32 %r8, %r6, %r7;
\tmov.u32 %r9, tile;
\tadd.s32 %r10, %r9, %r8;
\tld.shared.v4.b32 {{%r11, %r12, %r13, %r14}}, [%r10+CONST];"""
    assert findings(tmp_path, ptx_text(body.replace("CONST", "128")), "a.ptx") == []
    ((_, message),) = findings(tmp_path, ptx_text(body.replace("CONST", "16")), "b.ptx")
    assert "adds 16 (0x10)" in message
    assert "bits 0x30" in message


def test_what_compilers_emit_for_their_own_swizzles_is_clean() -> None:
    for name in ("triton_matmul.gfx942.amdgcn", "triton_attention.gfx950.amdgcn"):
        (text,) = [(DATA / name).read_text()]
        assert " offset:" in text
        assert bankwise.check(DATA / name).findings == ()


def test_the_finding_is_a_result_of_its_rule_in_sarif_and_decides_the_exit_code(tmp_path) -> None:
    path = tmp_path / "k.s"
    path.write_text(amd_text(SWIZZLED.format(xor=V_XOR, offset=" offset:64")))
    ended = run("check", path, "--format", "sarif")
    results = json.loads(ended.out)["runs"][0]["results"]
    assert {r["ruleId"] for r in results} >= {"offset-after-xor"}
    assert ended.code == 1
    assert run("explain", "offset-after-xor").code == 0


def test_marks_travel_through_masks_shifts_and_sums_only() -> None:
    x, key = np.arange(64, dtype=np.uint32)[None, :], np.arange(64, dtype=np.uint32)[None, :] >> 3
    made = swizzle(x, key & np.uint32(3), x ^ (key & np.uint32(3)))
    assert xored(made) == 0b11
    assert xored(made << np.uint32(4)) == 0b110000
    assert xored((made << np.uint32(4)) >> np.uint32(5)) == 0b1
    assert xored(made & np.uint32(2)) == 0b10
    assert xored(made + np.uint32(64)) == 0b11
    assert xored(made.astype(np.uint64)) == 0b11
    assert xored(made * np.uint32(3)) == 0
    assert xored(made == x) == 0
    assert xored(marked(x, 0)) == 0


def test_marks_never_change_a_number() -> None:
    random = np.random.default_rng(0)
    a, b, c = random.integers(0, 1 << 32, (3, 4, 64), dtype=np.uint32)
    left = marked(a, 0xFF)
    for table in range(256):
        bits = bitwise.truth_table(left, b, c, table)
        told = [
            [
                table >> (4 * (p & 1) + 2 * (q & 1) + (r & 1)) & 1
                for p, q, r in zip(x, y, z, strict=True)
            ]
            for x, y, z in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
        ]
        assert (np.asarray(bits) & 1).tolist() == told
    assert np.array_equal(np.asarray(left + b), a + b)
    assert np.array_equal(np.asarray(bitwise.exclusive_or(left, b)), a ^ b)


def test_the_same_kernel_has_the_same_addresses_with_and_without_the_rule() -> None:
    (kernel,) = (amd(SWIZZLED.format(xor=V_XOR, offset=" offset:64")),)
    lane = np.arange(64)
    expected = 128 * (lane % 8) + 16 * ((lane // 8) ^ (lane % 8)) + 64
    assert lanes(kernel.accesses[0]) == expected.tolist()
    assert kernel.accesses[0].immediate_bytes == 64
    assert kernel.accesses[0].xored == 0x70
    assert ptx("\tshl.b32 %r2, %r1, 4;\n\tld.shared.u32 %r3, [%r2];").accesses[0].xored == 0


def test_lanes_that_do_not_run_change_nothing() -> None:
    """Lane 1 is off; its place, 0, minus the constant would have bits 4 to 6 changed."""
    kernel = amd("\tv_xor_b32_e32 v1, 32, v0\n\tds_read_b32 v2, v1 offset:16")
    (access,) = kernel.accesses
    (whole,) = access.access.patterns
    active = np.zeros_like(whole.active)
    active[0, 0] = True
    offsets = np.where(active, 64 + 16, 0)
    pattern = replace(whole, offsets_bytes=offsets, active=active)
    masked = replace(
        access, access=replace(access.access, patterns=(pattern,)), immediate_bytes=16, xored=0x20
    )
    assert not list(offsets_after_xor(replace(kernel, accesses=(masked,))))
    running = replace(masked, xored=0x10)
    (found,) = offsets_after_xor(replace(kernel, accesses=(running,)))
    assert "in 1 of 1 lanes" in found.message
