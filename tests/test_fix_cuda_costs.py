"""``bankwise fix kernel.cu``: what texts cost, what is promised of them, what is compiled."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from bankwise.ask import extents_early
from bankwise.ask.fix_source import fix_source_file
from bankwise.read.cuda import CUDA
from bankwise.read.options import Judges, Options
from bankwise.read.ptx.parse import PtxKernel
from bankwise.read.ptx.parse import kernels as ptx_kernels
from bankwise.read.recognise import recognise, takers
from bankwise.read.settings import fitting
from bankwise.read.source import Compilation
from bankwise.read.toolkit import find_program
from bankwise.show.documents.fixing import fix_document
from command import bankwise
from cuda_fixes import KERNELS, compilations, extra, real, verdicts

pytestmark = real


def test_registers_and_stack_are_those_that_ptxas_tells(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(_SPILLS)
    done = bankwise("fix", str(source), "-t", "sm_80", "--no-execute", "--format", "json")
    (isa,) = [one for one in json.loads(done.out)["verdicts"] if one["judge"] == "isa"]
    rows = {row["name"]: row["before"] for row in isa["rows"]}
    nvcc = str(find_program("nvcc"))
    words = [nvcc, "-cubin", "-arch=sm_80", "-Xptxas=-v", source.name]
    said = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stderr
    (used,) = re.findall(r"Used (\d+) registers", said)
    (stack,) = re.findall(r"(\d+) bytes stack frame", said)
    assert int(stack) > 0
    assert rows["kernel: registers of a thread"] == int(used)
    assert rows["kernel: local bytes of a thread"] == int(stack)


_SPILLS = """\
__global__ void kernel(float* out, const float* in, const int* at) {
  __shared__ float s[32][32];
  int t = threadIdx.x;
  float kept[64];
  for (int j = 0; j < 64; ++j) kept[j] = in[j * 32 + t];
  for (int j = 0; j < 32; ++j) s[j][t] = kept[at[j + t]];
  __syncthreads();
  for (int j = 0; j < 32; ++j) out[j * 32 + t] = s[t][j];
}
void launch(float* out, const float* in, const int* at) { kernel<<<1, 32>>>(out, in, at); }
"""


def test_a_change_for_an_assumed_launch_says_what_it_was_planned_for(tmp_path: Path) -> None:
    """The textbook transpose without its host code: 16 x 16 threads are a guess."""
    path = tmp_path / "t.cu"
    text = (KERNELS / "transpose_f32.cu").read_text("utf-8")
    path.write_text(text[: text.index("void launch")], "utf-8")
    guessed = bankwise("fix", path, "--target", "sm_80", "--no-execute")
    assert guessed.code == 3
    assert "--workgroup-size or --launch says yours" in guessed.err
    said = ("--no-execute", "--workgroup-size", "32,8,1")
    assert "--launch says yours" not in bankwise("fix", path, "-t", "sm_80", *said).err


def test_what_a_filter_of_kernels_left_out_is_said_to_be_left_out(tmp_path: Path) -> None:
    kernel = """__global__ void {0}(float *o) {{
  __shared__ float {0}s[32][32];
  {0}s[threadIdx.x][threadIdx.y] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = {0}s[threadIdx.y][threadIdx.x];
}}
"""
    path = tmp_path / "two.cu"
    path.write_text(kernel.format("a") + kernel.format("b"), "utf-8")
    words = ("--kernel", "a", "--workgroup-size", "32,32", "--no-isa", "--no-execute")
    said = bankwise("fix", path, "-t", "sm_80", *words).err
    assert "bs: no kernel of --kernel a has it" in said
    assert "that was compiled" not in said


_SHORT_ROWS = """// Rows of 64 bytes, read 16 bytes at a time by every fourth: four pieces each, and
// eight lanes want one each.
__global__ void __launch_bounds__(256) short_rows(const float *a, float4 *o) {
  __shared__ float s[64][16];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; i++) s[t / 16 + i * 16][t % 16] = a[t + i * 256];
  __syncthreads();
  o[t] = *(const float4 *)&s[t % 16 * 4][t / 64 * 4];
}
"""


def test_what_check_promises_of_rows_that_are_too_short_is_what_fix_writes(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(_SHORT_ROWS)
    options = (str(file), "-t", "sm_80", "--format", "json")
    (snippet,) = json.loads(bankwise("check", *options).out)["snippets"]
    answer = json.loads(bankwise("fix", *options, "--accept-sampled").out)
    assert "s[(t % 16 * 4) ^ ((t % 16 * 4) >> 4 & 1)]" in answer["patch"]
    passes = [answer[when]["kernels"][0]["totals"]["run"]["passes"] for when in ("before", "after")]
    assert passes == [288, 64] == [snippet["before"], snippet["after"]]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}


def test_check_promises_nothing_that_fix_would_not_write() -> None:
    """Elements of 16 bytes in one dimension, and a pointer into an array that is not followed."""
    file = KERNELS.parent / "profile" / "tiles.cu"
    options = (str(file), "-t", "sm_80", "--format", "json", "--kernel")
    told = json.loads(bankwise("check", *options, "wide").out)
    answer = json.loads(bankwise("fix", *options, "wide", "--accept-sampled").out)
    (snippet,), after = told["snippets"], answer["after"]["kernels"][0]["totals"]["run"]
    assert snippet["after"] == after["passes"] == 64
    assert snippet["what"] == answer["changes"][0]["address"]
    told = json.loads(bankwise("check", *options, "fragments").out)
    assert [one["command"] for one in told["snippets"]] == [None]
    assert any("would not edit it" in note for note in told["notes"])


_BLOCK2D = """
template <int BM, int BN, int BK, int TM, int TN>
__global__ void gemm(int N, int K, const float* A, const float* B, float* C) {
  const int col = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const int ra = threadIdx.x / (BK / 4), ca = threadIdx.x % (BK / 4);
  const int rb = threadIdx.x / (BN / 4), cb = threadIdx.x % (BN / 4);
  float acc[TM * TN] = {0.0f}, m[TM], n[TN];
  for (int k0 = 0; k0 < K; k0 += BK) {
    float4 t = *(const float4*)&A[ra * K + ca * 4];
    As[(ca * 4 + 0) * BM + ra] = t.x;
    As[(ca * 4 + 1) * BM + ra] = t.y;
    As[(ca * 4 + 2) * BM + ra] = t.z;
    As[(ca * 4 + 3) * BM + ra] = t.w;
    *(float4*)&Bs[rb * BN + cb * 4] = *(const float4*)&B[rb * N + cb * 4];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) m[i] = As[k * BM + row * TM + i];
      for (int i = 0; i < TN; ++i) n[i] = Bs[k * BN + col * TN + i];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) acc[i * TN + j] += m[i] * n[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) C[(row * TM + i) * N + col * TN + j] = acc[i * TN + j];
}
void launch(const float* A, const float* B, float* C) {
  gemm<128, 128, 8, 8, 8><<<1, 256>>>(128, 16, A, B, C);
}
"""


def test_an_array_that_saves_little_and_makes_a_plain_text_longer_stays_as_it_is(
    tmp_path: Path,
) -> None:
    """Two neighbouring lanes store 4 rows of 128 apart, in one bank: 2 passes for 1, 64 times. 8
    threads read 32 columns by two, 8 apart: 2 passes for 1, 1,024 times. Pads hold both; those of
    the first let nvcc unroll the loop (a GPU ran such a text at 0.95)."""
    path = tmp_path / "k.cu"
    path.write_text(_BLOCK2D)
    options = (str(path), "-t", "sm_90", "--format", "json")
    told = [one["what"] for one in json.loads(bankwise("check", *options).out)["snippets"]]
    assert "As[i] -> As[i + i / 512 * 16], and as much longer" in told
    done = bankwise("fix", *options, "--accept-sampled")
    answer = json.loads(done.out)
    assert done.code == 1
    assert (extra(answer["before"]), extra(answer["after"])) == (64 + 1024, 64)
    assert [one["address"].split(",")[0] for one in answer["changes"]] == [
        "Bs[i] -> Bs[i + i / 32 * 4]"
    ]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    (isa,) = [one for one in answer["verdicts"] if one["judge"] == "isa"]
    rows = {row["name"].partition(">: ")[2]: (row["before"], row["after"]) for row in isa["rows"]}
    assert rows["instructions"][0] == rows["instructions"][1]
    (left,) = answer["passed_over"]
    assert left["allocations"] == ["As"]
    assert left["before"] - left["after"] == 64
    assert f"takes {rows['instructions'][0]} -> " in left["why"]
    (refused,) = answer["refusals"]
    assert left["why"] in refused["reason"]
    written = json.loads(bankwise("fix", *options, "--prefer", "fewest-passes").out)
    assert extra(written["after"]) == 0


_VECTORS = """
#define CEIL(a, b) (((a) + (b) - 1) / (b))
#define CVTA(x) reinterpret_cast<float4*>(&(x))[0]
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
sgemm_vec(int N, int K, const float* A, const float* B, float* C) {
  __shared__ float sA[BM * BK];
  __shared__ float sB[BK * BN];
  const int tid = threadIdx.x;
  const int tx = tid % (BN / TN), ty = tid / (BN / TN);
  const float* a = A + blockIdx.y * BM * K;
  const float* b = B + blockIdx.x * BN;
  float acc[TM][TN] = {};
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = tid * 4; i < BM * BK; i += blockDim.x * 4) {
      int idx = (i / BK) * BK + i % BK;
      CVTA(sA[idx]) = *(const float4*)&a[(i / BK) * K + k0 + i % BK];
    }
    for (int i = tid * 4; i < BK * BN; i += blockDim.x * 4)
      CVTA(sB[i]) = *(const float4*)&b[(k0 + i / BN) * N + i % BN];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float ra[TM], rb[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) ra[i] = sA[(ty * TM + i) * BK + k];
#pragma unroll
      for (int j = 0; j < TN; j += 4) CVTA(rb[j]) = CVTA(sB[k * BN + tx * TN + j]);
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; j += 4)
      *(float4*)&C[(blockIdx.y * BM + ty * TM + i) * N + blockIdx.x * BN + tx * TN + j] =
          CVTA(acc[i][j]);
}
template <int BM, int BN, int BK>
void sgemm(int M, int N, int K, const float* A, const float* B, float* C) {
  dim3 grid(CEIL(N, BN), CEIL(M, BM));
  sgemm_vec<BM, BN, BK, 8, 8><<<grid, (BM / 8) * (BN / 8)>>>(N, K, A, B, C);
}
void run(const float* A, const float* B, float* C) { sgemm<64, 64, 16>(64, 64, 32, A, B, C); }
"""


def test_the_pads_are_told_by_the_terms_that_lead_from_row_to_row(tmp_path: Path) -> None:
    """`a + b / 32` of the whole number takes nvcc the neighbours of what is signed. Behind every
    128 elements fewer blocks fit a unit, so that is left."""
    path = tmp_path / "k.cu"
    path.write_text(_VECTORS)
    options = (str(path), "-t", "sm_90", "--format", "json")
    done = bankwise("fix", *options, "--accept-sampled")
    answer = json.loads(done.out)
    assert done.code == 0
    assert extra(answer["after"]) == 0 < extra(answer["before"])
    assert "+ k + ((ty * TM + i) * BK) / 32 * 4]" in answer["patch"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    assert answer["passed_over"] == []


def test_what_may_be_slower_is_left_with_the_way_to_have_it(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(_BLOCK2D)
    report = fix_source_file(path, Options(target="sm_80"), Judges(execute=False))
    (left,) = fix_document(report).passed_over
    assert left.allocations == ("As",)
    assert left.after < left.before == sum(k.totals.run.passes for k in report.after.kernels)
    (refused,) = report.refusals
    assert f"{left.address} would take {left.after:,} passes for {left.before:,}" in refused.reason
    assert f"may be slower: {left.why}" in refused.reason
    assert "costs less" not in refused.reason
    assert report.exit_code == 1
    *_, last = report.reasons(1)
    assert last == "--prefer fewest-passes writes what takes fewer passes and may be slower"


def test_a_preference_of_a_project_that_is_of_mlir_alone_leaves_its_sources() -> None:
    kind, users = recognise(KERNELS / "aos.cu"), takers("fix")
    for said, taken in (("fewest-passes", "fewest-passes"), ("least-lds", ""), ("", "")):
        assert fitting(Options(prefer=said), kind, users).prefer == taken


def test_a_source_is_ranked_by_passes_alone() -> None:
    done = bankwise("fix", KERNELS / "aos.cu", "-t", "sm_80", "--prefer", "least-lds")
    assert done.code == 2
    assert "--prefer least-lds says nothing about a source" in done.err
    assert "one of cheapest, fewest-passes" in done.err


@pytest.mark.parametrize("name", ["gemm_float4", "dynamic", "gemm_template"])
def test_the_ptx_that_lies_in_machine_code_is_the_one_that_nvcc_writes(name: str) -> None:
    """What is executed is read from there: the same statements, parameters and variables."""
    what = Compilation(KERNELS / f"{name}.cu", "sm_80")
    lies = CUDA.check(what, args={}).emitted
    texts = lies, CUDA.emitted(what)
    inside, written = (
        [(k.name, k.parameters, k.labels, k.shared, _without_places(k)) for k in ptx_kernels(text)]
        for text in texts
    )
    assert inside == written
    assert inside


def _without_places(kernel: PtxKernel) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.name, one.guard, one.operands) for one in kernel.statements]


def test_nothing_is_compiled_again_to_be_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = compilations(monkeypatch)
    report = fix_source_file(KERNELS / "transpose_f32.cu", Options(target="sm_80"))
    assert {v.judge: v.status for v in report.verdicts}["execution"] == "passed"
    # Which bytes its variables take, and whether indices stay in their rows: asked at once.
    assert [suffix for suffix, _ in ran] == [".cubin", ".ptx", ".cubin"]


def test_no_text_is_compiled_that_is_not_preferred_to_one_that_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One XOR takes all conflicts of vectors of two, and executes more than it saves. A sum in its
    place, or two XORs, take as few passes and execute more: neither is compiled. A pad is, and
    executes more as well."""
    ran = compilations(monkeypatch)
    file = KERNELS.parent / "sass" / "tiles.cu"
    report = fix_source_file(file, Options(target="sm_90", kernel="pairs_shared"))
    assert [one.address for one in report.changes] == ["b[i] -> b[i ^ ((i >> 3 & 1) << 1)]"]
    compiled = {text for suffix, text in ran if suffix == ".cubin"}
    assert len(compiled) == 3
    assert sum(" / 8 * 2]" in text for text in compiled) == 1


@pytest.mark.parametrize("name", ["leaves_row", "struct_member"])
def test_indices_asked_with_the_sizes_of_arrays_are_known_as_well_as_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an index leaves its row, and where none does."""
    ran = compilations(monkeypatch)
    options = Options(target="sm_80")
    at_once = fix_source_file(KERNELS / f"{name}.cu", options)
    many = len(ran)
    monkeypatch.setattr(extents_early, "early_tags", lambda *_: ({}, []))
    alone = fix_source_file(KERNELS / f"{name}.cu", options)
    assert len(ran) - many == many + 1
    assert at_once.refusals == alone.refusals
    assert at_once.verdicts == alone.verdicts
    assert at_once.patch == alone.patch
