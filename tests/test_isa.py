"""What the compiler emits: reading assembly, compiling kernels in any form, comparing."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from bankwise.change.compile.compile import compile_text, compiled_targets
from bankwise.change.compile.wrap import CompilerInput, prepare
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.read.amd.listing import listings
from bankwise.read.emitted import Listing, compare
from bankwise.read.ptx.listing import listings as ptx_listings
from command import bankwise

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
SOURCES = ROOT.parent / "shared" / "sources"

ASSEMBLY = """
\t.amdgcn_target "amdgcn-amd-amdhsa-unknown-gfx942"
first:
\ts_load_dwordx2 s[2:3], s[0:1], 0x0
\tds_read2_b64 v[2:5], v0 offset1:1
\tds_read2st64_b32 v[2:3], v0 offset0:2 offset1:3
\tds_write_b128 v1, v[2:5] offset:4096 ; a comment
\tbuffer_load_dword v4, s[8:11], 0 offen lds
\tbuffer_load_dword v4, s[8:11], 0 offen
\tds_bpermute_b32 v1, v2, v3
\tv_add_u32_e32 v1, v2, v3
.LBB0_1:
\ts_endpgm
.Lfunc_end0:
\t.amdhsa_kernel first
\t\t.amdhsa_group_segment_fixed_size 8192
\t.end_amdhsa_kernel
second:
\tds_swizzle_b32 v1, v2 offset:swizzle(SWAP,1)
\ts_endpgm
.Lfunc_end1:
\t.amdhsa_kernel second
\t\t.amdhsa_group_segment_fixed_size 0
\t.end_amdhsa_kernel
---
amdhsa.kernels:
  - .group_segment_fixed_size: 8192
    .name:           first
    .reqd_workgroup_size:
      - 256
      - 2
      - 1
    .sgpr_count:     12
    .vgpr_count:     6
    .wavefront_size: 64
  - .group_segment_fixed_size: 0
    .name:           second
    .sgpr_count:     6
    .vgpr_count:     3
    .wavefront_size: 64
"""

PTX = """
.version 7.6
.target sm_80
.address_size 64
.shared .align 16 .b8 tile[4096];
.shared .b32 flags[8];
.visible .entry k(
\t.param .u64 k_param_0
)
.reqntid 128, 1, 1
{
\t.reg .b32 \t%r<14>;
\tmov.u32 \t%r12, tile;
\tmov.u32 \t%r13, flags;
\tld.global.nc.v4.b32 \t{%r2, %r3, %r4, %r5}, [%rd6];
\tst.shared.v4.b32 \t[%rd8+16], {%r2, %r3, %r4, %r5};
\t@%p1 ld.shared.f64 \t%fd1, [%rd8+8];
\tld.volatile.shared.u16 \t%rs1, [%rd8];
\tldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r10, %r11}, [%rd10];
\tcp.async.cg.shared.global [%r1+32], [%rd1], 16, 16;
\tcp.async.commit_group;
\tatom.acq_rel.sys.shared.add.u32 \t%r3, [%rd10+768], %r2;
\tshfl.sync.bfly.b32 \t%r5, %r6, 1, 31, -1;
\tret;

}
"""

ARGUMENTS = """#map = affine_map<()[s] -> (s mod 16)>
module {
  // a brace { and a quote " in a comment
  func.func @unrelated(%a: memref<4xf32>) { return }
  func.func @k(%in: memref<64x64xf16>, %out: memref<64x64xf16>) {
    %c0 = arith.constant 0 : index
    %lds = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x upper_bound 64
    %v = vector.load %in[%t, %c0] : memref<64x64xf16>, vector<8xf16>
    vector.store %v, %lds[%t, %c0] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %r = affine.apply #map()[%t]
    %w = vector.load %lds[%r, %c0] : memref<64x68xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %w, %out[%t, %c0] : memref<64x64xf16>, vector<8xf16>
    return
  }
}
"""

DEVICE = """gpu.module @m [#nvvm.target<chip = "sm_80">] {
  gpu.func @k(%in: memref<64x64xf16>,
              %out: memref<32x8xf16>)
      workgroup(%lds: memref<64x64xf16, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %v = vector.load %in[%t, %c0] : memref<64x64xf16>, vector<8xf16>
    vector.store %v, %lds[%t, %c0] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %r = affine.apply affine_map<()[s] -> (s mod 16)>()[%t]
    %f = nvgpu.ldmatrix %lds[%r, %c0] numTiles = 4 transpose = false
      : memref<64x64xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    %g = vector.shape_cast %f : vector<4x2xf16> to vector<8xf16>
    vector.store %g, %out[%t, %c0] : memref<32x8xf16>, vector<8xf16>
    gpu.return
  }
}
"""


def listing(text: str, target: str, **options: object) -> Listing:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    found = compile_text(text, target, **options)  # type: ignore[arg-type]
    assert not isinstance(found, Refusal), found
    return found


def refusal(text: str, target: str, **options: object) -> str:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    found = compile_text(text, target, **options)  # type: ignore[arg-type]
    assert isinstance(found, Refusal)
    return str(found)


@cache
def example(path: str) -> str:
    return (EXAMPLES / path).read_text("utf-8")


@cache
def wave_kernel() -> str:
    """The hand-made kernel of source 001 in the syntax of 3.13.0."""
    found = sorted(SOURCES.glob("001*.txt"))
    if not found:
        pytest.skip("the source documents are not here")
    _, _, block = found[0].read_text("utf-8").partition(".. code-block:: mlir\n")
    lines = block.splitlines()
    end = next(i for i, line in enumerate(lines) if line[:1].strip())
    text = "\n".join(line[3:] for line in lines[:end])
    for old, new in (
        (r"pipeline = None\b", "pipeline = #iree_codegen.no_pipeline"),
        (r"rocdl\.sched\.barrier 0\b", "rocdl.sched.barrier none"),
        (r" blgp = none\b", ""),
        (r"(vector\.extract_strided_slice %\S+) \{([^}]*)\}", r"\1 \2"),
    ):
        text = re.sub(old, new, text)
    return text


def test_amd_assembly_is_read_kernel_by_kernel() -> None:
    first, second = listings(ASSEMBLY)
    assert (first.kernel, first.target, first.lds_bytes) == ("first", "gfx942", 8192)
    assert (first.vgprs, first.sgprs, first.wave_size) == (6, 12, 64)
    assert first.workgroup_size == (256, 2, 1)
    assert first.totals == {"v_*": 1, "s_*": 2}
    assert first.exchanges == {"ds_bpermute_b32": 1}
    assert first.counts == {
        "buffer_load_dword_lds": 1,
        "ds_read2_b64": 1,
        "ds_read2st64_b32": 1,
        "ds_write_b128": 1,
    }
    assert (second.kernel, second.lds_bytes, second.counts) == ("second", 0, {})
    assert second.exchanges == {"ds_swizzle_b32": 1}


def test_offsets_are_bytes_and_lines_those_of_the_assembly() -> None:
    shared = listings(ASSEMBLY)[0].shared
    assert [i.offsets_bytes for i in shared] == [(0, 8), (512, 768), (4096,), (0,)]
    lines = ASSEMBLY.splitlines()
    assert all(i.name.removesuffix("_lds") in lines[i.line - 1] for i in shared)


def test_ptx_is_read_with_the_names_of_the_machine_files() -> None:
    (found,) = ptx_listings(PTX)
    assert (found.kernel, found.target, found.lds_bytes) == ("k", "sm_80", 4096 + 8 * 4)
    assert found.workgroup_size == (128, 1, 1)
    assert found.counts == {
        "atom.shared.b32": 1,
        "cp.async.cg.b128": 1,
        "ld.shared.b16": 1,
        "ld.shared.b64": 1,
        "ldmatrix.x2.trans": 1,
        "st.shared.b128": 1,
    }
    assert all(name in machine("sm_80").instructions for name in found.counts)
    assert [i.offsets_bytes for i in found.shared] == [(16,), (8,), (0,), (0,), (32,), (768,)]
    assert found.exchanges == {"shfl.sync.bfly.b32": 1}


def test_every_ptx_kernel_has_its_own_shared_memory() -> None:
    """Of the variables outside all kernels and of its own, not of the other kernels."""
    text = (Path(__file__).parent / "data" / "profile" / "tiles.ptx").read_text("utf-8")
    assert {one.lds_bytes for one in ptx_listings(text)} == {16384, 2048, 4096, 4224}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".Lfunc_end0:", "\t.size kernel_04_reads, .-kernel_04_reads"),
        ("kernel_04_reads:", "kernel_04_reads: // a comment"),
    ],
)
def test_worth_reads_every_text_that_check_reads(old: str, new: str, tmp_path: Path) -> None:
    text = example("ck_transpose/04_reads.s")
    assert f"\n{old}" in text
    path = tmp_path / "k.s"
    path.write_text(text.replace(f"\n{old}", f"\n{new}"))
    plain = tmp_path / "plain.s"
    plain.write_text(text)
    changed, before = (bankwise("check", p, "--worth", "--format", "json") for p in (path, plain))
    assert changed.code == before.code
    assert changed.out.replace("k.s", "plain.s") == before.out


def test_text_without_a_kernel_is_bad_input() -> None:
    with pytest.raises(InputError, match="no kernel in this assembly"):
        listings("\tds_read_b128 v[2:5], v0\n", "x.s")


@pytest.mark.parametrize(
    ("path", "target", "lds_bytes", "counts", "exchanges"),
    [
        (
            "iree/matmul_1024.gfx942.mlir",
            "gfx942",
            49152,
            {"ds_read2_b64": 16, "ds_read_u16": 256, "ds_write_b128": 24},
            {},
        ),
        (
            "iree/matmul_1024.gfx950.mlir",
            "gfx950",
            49152,
            {"ds_read_b128": 16, "ds_read_b64_tr_b16": 64, "ds_write_b128": 24},
            {},
        ),
        (
            "iree/matmul_abt_4096.gfx942.mlir",
            "gfx942",
            16384,
            {"ds_read2_b64": 24, "ds_write_b128": 12},
            {},
        ),
        (
            "iree/matmul_abt_4096.gfx950.mlir",
            "gfx950",
            16384,
            {"ds_read_b128": 24, "ds_write_b128": 12},
            {},
        ),
        (
            "iree/attention_1x1024x128.gfx942.mlir",
            "gfx942",
            40960,
            {"ds_read_b128": 20, "ds_read_u16": 64, "ds_write_b128": 10},
            {"ds_bpermute_b32": 2, "ds_swizzle_b32": 2},
        ),
        (
            "iree/attention_1x1024x128.gfx950.mlir",
            "gfx950",
            40960,
            {"ds_read_b128": 20, "ds_read_u16": 64, "ds_write_b128": 10},
            {},
        ),
        (
            "gemm_gather_to_lds/gemm_gfx950.mlir",
            "gfx950",
            2 * 64 * 64 * 2,
            {"buffer_load_dwordx4_lds": 4, "ds_read_b128": 8},
            {},
        ),
        (
            "ldmatrix_sm80/ldmatrix.mlir",
            "sm_80",
            2 * 64 * 64 * 2,
            {"cp.async.b128": 2, "ldmatrix.x4": 4},
            {},
        ),
    ],
)
def test_every_example_compiles_to_the_published_instructions(
    path: str, target: str, lds_bytes: int, counts: dict[str, int], exchanges: dict[str, int]
) -> None:
    """Unpadded kernels of IREE 3.13.0: LDS bytes and static counts."""
    found = listing(example(path), target)
    assert (found.target, found.lds_bytes) == (target, lds_bytes)
    assert found.counts == counts
    assert found.exchanges == exchanges
    assert not found.diagnostics


@pytest.mark.parametrize(
    ("path", "target", "lds_bytes", "counts"),
    [
        (
            "iree/matmul_1024.mlir",
            "gfx942",
            50688,
            {"ds_read2_b64": 16, "ds_read_u16": 256, "ds_write2_b64": 24},
        ),
        (
            "iree/matmul_abt_4096.mlir",
            "gfx950",
            32768,
            {"buffer_load_dwordx4_lds": 12, "ds_read_b128": 24},
        ),
        (
            "iree/attention_1x1024x128.mlir",
            "gfx942",
            42496,
            {"ds_read2_b64": 20, "ds_read_u16": 64, "ds_write2_b64": 10},
        ),
    ],
)
def test_every_source_compiles_with_the_compilers_own_padding_or_swizzle(
    path: str, target: str, lds_bytes: int, counts: dict[str, int]
) -> None:
    found = listing(example(path), target)
    assert (found.lds_bytes, found.counts) == (lds_bytes, counts)


def test_the_wave_kernel_has_96_vector_and_97_scalar_instructions_and_172_without_xor() -> None:
    hand_made = listing(wave_kernel(), "gfx950")
    assert hand_made.lds_bytes == 36864
    assert hand_made.counts == {
        "buffer_load_dword_lds": 8,
        "buffer_load_dwordx4_lds": 4,
        "ds_read_b128": 16,
    }
    assert hand_made.totals == {"v_*": 96, "s_*": 97}
    xor = re.compile(r"= arith\.xori (%\w+), %\w+ : index")
    naive = listing(xor.sub(r"= arith.addi \1, %c0 : index", wave_kernel()), "gfx950")
    assert sum(naive.totals.values()) == 172
    changed = [row.name for row in compare(hand_made, naive) if row.changed]
    assert changed == ["v_*"]


def test_the_wave_kernel_is_refused_for_gfx942() -> None:
    assert "16-byte load widths are only supported on gfx950" in refusal(wave_kernel(), "gfx942")


def test_a_bare_dump_compiles_to_the_instructions_of_its_executable() -> None:
    whole = example("iree/attention_1x1024x128.gfx942.mlir")
    start = whole.index("func.func @")
    dump = whole[start : whole.index("iree_codegen.dispatch_config")]
    bare = re.sub(r"translation_info = #iree_codegen\.translation_info<[^>]*>, ", "", dump, count=1)
    assert "does not say how large its workgroups are" in refusal(bare, "gfx942")
    found = listing(bare, "gfx942", workgroup_size=(256, 1, 1))
    assert found.counts == listing(whole, "gfx942").counts
    assert found.lds_bytes == listing(whole, "gfx942").lds_bytes


def test_a_function_of_memrefs_compiles_and_others_beside_it_do_not_matter() -> None:
    found = listing(ARGUMENTS, "gfx942")
    assert found.counts == {"ds_read2_b64": 1, "ds_write2_b64": 1}
    assert (found.lds_bytes, found.workgroup_size) == (64 * 68 * 2, (64, 1, 1))


def test_a_gpu_func_compiles_for_cuda_with_its_shared_bytes() -> None:
    found = listing(DEVICE, "sm_86")
    assert found.counts == {"ldmatrix.x4": 1, "st.shared.b128": 1}
    assert (found.target, found.lds_bytes) == ("sm_86", 64 * 64 * 2)


@pytest.mark.parametrize("text", [ARGUMENTS, DEVICE])
def test_wrapping_moves_no_line(text: str) -> None:
    source = prepare(text)
    assert isinstance(source, CompilerInput)
    before, after = text.splitlines(), source.text.splitlines()
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        if old.strip().startswith(("%v", "vector.", "%r", "gpu.barrier")):
            assert old == new


def test_a_diagnostic_names_the_line_of_the_users_text() -> None:
    broken = ARGUMENTS.replace("#map()[%t]", "#map()[%missing]")
    line = 1 + broken[: broken.index("%missing")].count("\n")
    said = refusal(broken, "gfx950", file="broken.mlir")
    assert said.startswith(f"broken.mlir:{line}: ")
    assert "undeclared SSA value" in said


def test_a_dropped_hint_is_told_although_the_compiler_succeeds() -> None:
    alloc = "%lds = memref.alloc() : memref<64x68xf16, #gpu.address_space<workgroup>>"
    hinted = ARGUMENTS.replace(
        alloc,
        f"{alloc} %b = memref.alloc() : memref<64xf16, #gpu.address_space<workgroup>> "
        "%h = iree_codegen.swizzle_hint %b[#iree_codegen.xor_shuffle<64, 8>] "
        ": memref<64xf16, #gpu.address_space<workgroup>> "
        "%e = memref.load %h[%c0] : memref<64xf16, #gpu.address_space<workgroup>> "
        "memref.store %e, %out[%c0, %c0] : memref<64x64xf16>",
    )
    (said,) = listing(hinted, "gfx950").diagnostics
    assert "unsupported SwizzleHintOp user" in said


def test_a_crash_of_the_compiler_is_an_answer() -> None:
    deadly = ARGUMENTS.replace(
        "gpu.barrier", "gpu.barrier {x = #iree_codegen.xor_shuffle<0, 8>}", 1
    )
    assert "crashed" in refusal(deadly, "gfx950")


@pytest.mark.compiles
def test_a_time_limit_holds() -> None:
    said = refusal(example("iree/matmul_1024.gfx942.mlir"), "gfx942", time_limit_s=0.05)
    assert "took more than 0.05 s" in said


def test_an_executable_for_one_target_is_refused_for_another() -> None:
    said = refusal(example("iree/matmul_abt_4096.gfx942.mlir"), "gfx950")
    assert "made for gfx942, not gfx950" in said


@pytest.mark.parametrize("target", ["sm_90", "sm_100", "gfx90a", "gfx1100"])
def test_other_targets_are_not_available_never_passed(target: str) -> None:
    assert target not in compiled_targets()
    assert f"not available for {target}" in str(compile_text(ARGUMENTS, target))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("%in: memref<64x64xf16>,", "%in: memref<?x64xf16>,", "static shape"),
        ("%in: memref<64x64xf16>,", "%n: index, %in: memref<64x64xf16>,", "argument %n of k"),
        (" upper_bound 64", "", "how large its workgroups are"),
        ("@unrelated(%a: memref<4xf32>) {", "@other() { %t = gpu.thread_id x", "other, k"),
        ("(%in: memref<64x64xf16>, %out: memref<64x64xf16>)", "()", "neither arguments nor"),
    ],
)
def test_what_cannot_be_wrapped_is_refused_with_the_reason(old: str, new: str, reason: str) -> None:
    assert old in ARGUMENTS
    assert reason in refusal(ARGUMENTS.replace(old, new), "gfx942")


def test_comparison_lists_lds_bytes_instructions_exchanges_and_totals() -> None:
    first, second = listings(ASSEMBLY)
    rows = {row.name: (row.before, row.after) for row in compare(first, second)}
    assert rows["LDS bytes"] == (8192, 0)
    assert rows["ds_read2_b64"] == (1, 0)
    assert rows["ds_swizzle_b32"] == (0, 1)
    assert rows["s_*"] == (2, 1)
    assert not any(row.changed for row in compare(first, first))
