"""``bankwise fix kernel.cu``: real nvcc, real machine code, kernels of many manners."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from bankwise.ask.fix_source import fix_source_file
from bankwise.ask.judge_emitted import SIMULATORS
from bankwise.change.simulate.launches import Simulator
from bankwise.change.simulate.ptx import PTX_SIMULATOR
from bankwise.read import cuda
from bankwise.read.cuda import CUDA
from bankwise.read.nvcc import compile_cuda
from bankwise.read.options import Options
from bankwise.read.ptx.parse import PtxKernel
from bankwise.read.ptx.parse import kernels as ptx_kernels
from bankwise.read.source import Compilation
from bankwise.read.toolkit import find_program
from command import bankwise

KERNELS = Path(__file__).parent / "data" / "cuda_fix"

pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)


def fixed(name: str, *options: str) -> tuple[int, dict[str, Any]]:
    done = bankwise("fix", str(KERNELS / f"{name}.cu"), "-t", "sm_90", "--format", "json", *options)
    return done.code, json.loads(done.out)


def extra(answer: dict[str, Any]) -> int:
    return sum(kernel["totals"]["run"]["extra"] for kernel in answer["kernels"])


def verdicts(answer: dict[str, Any]) -> dict[str, str]:
    return {one["judge"]: one["status"] for one in answer["verdicts"]}


def test_the_tiled_gemm_loses_every_conflict_and_keeps_its_vectors(tmp_path: Path) -> None:
    out = tmp_path / "fixed.cu"
    done = bankwise("fix", str(KERNELS / "gemm_float4.cu"), "-t", "sm_90", "-o", str(out))
    assert done.code == 3, done.err
    assert "proof: passed: 2 uses of 1 arrays" in done.err
    assert "execution: passed: PTX of 4 blocks" in done.err
    instructions = re.search(r"shared-memory instructions of a workgroup: (\S+) -> (\S+)", done.err)
    assert instructions is not None
    assert instructions[1] == instructions[2]
    counts = []
    for path in (KERNELS / "gemm_float4.cu", out):
        told = bankwise("check", str(path), "-t", "sm_90", "--format", "json")
        counts.append(extra(json.loads(told.out)))
    assert counts == [7_168, 0]


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("transpose_f32", "tile[32][32 + 1]"),
        ("transpose_template", "tile[threadIdx.x][threadIdx.y ^ (threadIdx.x & 15)]"),
        ("ldmatrix", "tile[i / 8][(i % 8 * 8) ^ (((i / 8) & 7) << 3)]"),
        ("transpose_flat", "^ (((threadIdx.y + j) * 32 + threadIdx.x) >> 5 & 31)]"),
        ("row_pointer", "s[32][32 + 4]"),
        ("flat_alias", "s[t][j + ((j / 4 ^ (t & 7)) - j / 4) * 4]"),
        ("struct_member", "s.a[t][(((j >> 2) ^ (t & 7)) << 2) + (j & 3)]"),
        ("twins", "s[16][64 + 4]"),
        ("dynamic", "a[t * 32 + j + ((j / 4 ^ (t & 7)) - j / 4) * 4]"),
        ("gemm_no_pragma", "+#pragma unroll 4"),
        ("device_function", "tile[j][threadIdx.x ^ (j & 31)]"),
        ("gemm_mma", "As[64][K_TILE + 8]"),
        ("macro", "s[32][32 + "),
        ("gemm_wmma", "&sb[kk][j * 16], 64 + 8)"),
        ("wmma_stages", "&sa[s][first][kk], BK + 8)"),
        ("wmma_flat", "left + ((k * N + i) + (k * N + i) / 64 * 8);"),
        ("mma_macros", "&left[r][q ^ ((r >> 1 & 3) << 3)]"),
        ("mma_bytes", "first + (((s * stage + r * (WIDTH + PAD) + q) * sizeof(half)) ^ "),
    ],
)
def test_kernels_of_many_manners_are_free_afterwards(name: str, changed: str) -> None:
    code, answer = fixed(name, "--accept-sampled")
    assert code == (3 if name == "dynamic" else 0)
    assert changed in answer["patch"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    assert extra(answer["before"]) > 0
    assert extra(answer["after"]) == 0


GEMM = """
#define BK 32
__global__ void __launch_bounds__(256) gemm(const float* A, const float* B, float* C) {
  __shared__ float As[64 * BK], Bs[64 * BK];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  float acc[4][4] = {};
  for (int i = t; i < 64 * BK / 4; i += 256) {
    int r = i / (BK / 4), c = i % (BK / 4) * 4;
    *(float4*)&As[r * BK + c] = *(const float4*)&A[r * BK + c];
    *(float4*)&Bs[r * BK + c] = *(const float4*)&B[r * BK + c];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < BK; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        acc[i][j] += As[(ty * 4 + i) * BK + k] * Bs[(tx * 4 + j) * BK + k];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) C[(ty * 4 + i) * 64 + tx * 4 + j] = acc[i][j];
}
void launch(const float* A, const float* B, float* C) { gemm<<<1, 256>>>(A, B, C); }
"""


def test_a_flat_array_in_loops_that_are_unrolled_keeps_its_vectors(tmp_path: Path) -> None:
    """Row and column stand in the index, behind what was kept in a constant and under pragmas."""
    path = tmp_path / "k.cu"
    path.write_text(GEMM)
    done = bankwise("fix", str(path), "-t", "sm_90", "--format", "json", "--accept-sampled")
    answer = json.loads(done.out)
    assert done.code == 0
    assert extra(answer["after"]) == 0 < extra(answer["before"])
    assert "Bs[(tx * 4 + j) * BK + k + ((k / 4" in answer["patch"]
    (isa,) = [one for one in answer["verdicts"] if one["judge"] == "isa"]
    (issued,) = [row for row in isa["rows"] if "shared-memory instructions" in row["name"]]
    assert issued["before"] == issued["after"]


def test_more_passes_than_planned_are_told_without_a_promise(tmp_path: Path) -> None:
    """The number of an element in a variable: what the fold makes of it hides the neighbours."""
    product = "acc[i][j] += As[(ty * 4 + i) * BK + k] * Bs["
    whole = GEMM.replace(f"{product}(tx * 4 + j) * BK + k]", f"{product}e]").replace(
        f"        {product}", f"{{ int e = (tx * 4 + j) * BK + k; {product}"
    )
    path = tmp_path / "k.cu"
    path.write_text(whole.replace("* Bs[e];", "* Bs[e]; }"))
    done = bankwise("fix", str(path), "-t", "sm_90", "--format", "json", "--accept-sampled")
    answer = json.loads(done.out)
    left = extra(answer["after"])
    assert done.code == 1
    assert left > 0
    (note,) = [one for one in answer["notes"] if "more than planned" in one]
    assert note.startswith(f"compiled, it takes {left:,} passes")
    assert "bankwise fix" not in note


def test_copies_past_the_cache_have_another_ideal_in_another_layout_and_that_is_named() -> None:
    """Before, 16,384 bytes in lines of 128: 128 passes. After, by the rule of counting/lines.py:
    rows of 9 pieces of 16 bytes, 8 of them copied, begin at piece 0 .. 7 of a line: 1, 3, 2, 4, 2,
    4, 2, 3 passes, 64 rows: 168. Pairs of rows of 5 pieces, 4 copied: 4, 4, 3, 4 passes for every
    four pairs, 64 pairs: 240. What the plans did not count is not laid at the compiler's door."""
    _, answer = fixed("wmma_stages", "--no-execute")
    (note,) = answer["notes"]
    assert note.startswith("cp.async.cg.b128: 128 -> 408 passes, and as many ideal ones")


def test_a_type_says_the_layout_where_that_is_asked_for() -> None:
    code, answer = fixed("gemm_float4", "--accessor", "--accept-sampled")
    assert code == 0
    made = "+  __shared__ bankwise::tile<float, 64, 32, bankwise::fold<4, 8, 4>> Bs;"
    assert made in answer["patch"]
    taken_out = [line for line in answer["patch"].splitlines() if line.startswith("-")]
    assert taken_out[1:] == ["-  __shared__ float Bs[64][32];"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    assert (extra(answer["before"]), extra(answer["after"])) == (7_168, 0)
    (isa,) = [one for one in answer["verdicts"] if one["judge"] == "isa"]
    rows = {row["name"]: (row["before"], row["after"]) for row in isa["rows"]}
    before, after = rows["shared-memory instructions of a workgroup"]
    assert before == after


def test_a_type_is_written_where_an_index_would_happen_twice(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(_EFFECTS)
    done = bankwise("fix", str(source), "-t", "sm_90", "--accept-sampled", "--format", "json")
    answer = json.loads(done.out)
    assert "bankwise::line<float, 1024, bankwise::fold<" in answer["patch"]
    assert "-  __shared__ float v[1024];" in answer["patch"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    assert extra(answer["after"]) < extra(answer["before"])


def test_what_has_no_arrays_of_c_takes_no_accessor(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text(".version 8.0\n.target sm_90\n.visible .entry k() { ret; }\n")
    done = bankwise("fix", str(path), "--accessor")
    assert done.code == 2
    assert "--accessor" in done.err


_EFFECTS = """\
__device__ int place(int j) { return j; }
__global__ void kernel(float* out, const float* in) {
  __shared__ float v[1024];
  int t = threadIdx.x;
  for (int j = 0; j < 32; ++j) v[place(j) * 32 + t] = in[j * 32 + t];
  __syncthreads();
  for (int j = 0; j < 32; ++j) out[j * 32 + t] = v[t * 32 + j];
}
void launch(float* out, const float* in) { kernel<<<1, 32>>>(out, in); }
"""


def test_registers_and_stack_are_those_that_ptxas_tells(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text(_SPILLS)
    done = bankwise("fix", str(source), "-t", "sm_90", "--no-execute", "--format", "json")
    (isa,) = [one for one in json.loads(done.out)["verdicts"] if one["judge"] == "isa"]
    rows = {row["name"]: row["before"] for row in isa["rows"]}
    nvcc = str(find_program("nvcc"))
    words = [nvcc, "-cubin", "-arch=sm_90", "-Xptxas=-v", source.name]
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


def test_two_folds_of_one_number_are_found_where_no_single_one_is_good() -> None:
    """Butterflies at every distance: each power of two from 1 to 256 is a stride of lanes."""
    _, answer = fixed("fft_radix2")
    assert answer["accepted"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    assert re.search(r"s\[at \^ \(.*\) \^ \(.*\)\]", answer["patch"])
    assert extra(answer["after"]) < extra(answer["before"])


def test_a_patch_is_one_that_git_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (KERNELS / "transpose_f32.cu").read_text()
    (tmp_path / "k.cu").write_text(text)
    done = bankwise("fix", "k.cu", "-t", "sm_90")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=done.out, text=True, check=True)
    assert (tmp_path / "k.cu").read_text() == text.replace("tile[32][32]", "tile[32][32 + 1]")


def test_a_row_that_is_left_on_purpose_stays_as_it_is_with_the_place() -> None:
    code, answer = fixed("leaves_row")
    assert (code, answer["patch"]) == (1, "")
    (refused,) = answer["refusals"]
    assert refused["location"]["line"] == 4
    assert "s[0][j * 32 + t] leaves its row" in refused["reason"]


GUARDED = """\
__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64][32];
  int t = threadIdx.x;
  for (int i = t; i < 64 * 32; i += 64) s[i / 32][i % 32] = in[i];
  __syncthreads();
  float a = 0;
  for (int c = 0; c < 32; ++c) a += s[t][c];
  ACCESS
  out[blockIdx.x * 64 + t] = a;
}
void go(float* a, float* b) { k<<<1, 64>>>(a, b, 100); }
"""
"""One launch with n = 100, all of which is run: what stands in line 8 nobody sees."""


def guarded(folder: Path, access: str) -> tuple[int, dict[str, Any]]:
    file = folder / "k.cu"
    file.write_text(GUARDED.replace("ACCESS", access))
    done = bankwise("fix", str(file), "-t", "sm_90", "--format", "json", "--accept-sampled")
    return done.code, json.loads(done.out)


@pytest.mark.parametrize(
    ("access", "why"),
    [
        ("if (n > 500) a += s[0][t + 64];", "leaves its row wherever it is reached"),
        ("if (n > 500) a += s[0][t];", "reached only if n > 500, and where 501 is given t is not"),
        ("if (__float_as_int(in[0]) == 77) a += s[1][t];", "nothing else shows that t stays below"),
    ],
)
def test_a_row_that_is_left_behind_a_condition_nobody_took_stays_as_it_is(
    access: str, why: str, tmp_path: Path
) -> None:
    """s[0][40] is s[1][8] today, and another element where rows are longer or folded."""
    code, answer = guarded(tmp_path, access)
    assert (code, answer["patch"]) == (1, "")
    (refused,) = answer["refusals"]
    assert refused["location"]["line"] == 8
    assert why in refused["reason"]


def test_where_any_row_is_meant_both_texts_run_with_what_the_condition_asks(tmp_path: Path) -> None:
    code, answer = guarded(tmp_path, "if (n > 500) a += s[t & 1][n - 500];")
    (proof,) = (one for one in answer["verdicts"] if one["judge"] == "proof")
    assert (code, proof["status"]) == (2, "failed")
    assert "line 8: s[t & 1][n - 500] is reached only if n > 500" in proof["detail"]
    assert "where 532 is given" in proof["detail"]


def test_an_index_that_nobody_saw_is_told_with_its_condition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No block runs twice with the same numbers to find out."""
    ran: list[object] = []

    def passed(*asked: Any) -> tuple[frozenset[str], str]:
        text, name, setting, index = asked
        ran.append((PTX_SIMULATOR.given(text, name, setting), index))
        return PTX_SIMULATOR.passed(*asked)

    monkeypatch.setitem(
        cast("dict[str, Simulator]", SIMULATORS), "PTX", replace(PTX_SIMULATOR, passed=passed)
    )
    access = "if (__float_as_int(in[0]) == 77) a += s[t / 2][n & 63];"
    code, answer = guarded(tmp_path, access)
    (proof,) = (one for one in answer["verdicts"] if one["judge"] == "proof")
    assert (code, proof["status"]) == (3, "passed")
    assert (
        "line 8: s[t / 2][n & 63] is reached only if __float_as_int(in[0]) == 77" in proof["detail"]
    )
    assert len(ran) == len(set(ran)) > 2


def test_an_index_that_never_leaves_its_row_is_fixed_wherever_it_stands(tmp_path: Path) -> None:
    code, answer = guarded(tmp_path, "if (n > 500 && t < 32) a += s[0][t] + s[t][n & 31];")
    (proof,) = (one for one in answer["verdicts"] if one["judge"] == "proof")
    assert (code, proof["status"]) == (0, "passed")
    assert "the compiler finds" in proof["detail"]
    assert "line 8" not in proof["detail"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ladder_pointer", "the address p goes where it cannot be followed"),
    ],
)
def test_what_is_not_edited_is_said_with_its_place(name: str, why: str) -> None:
    code, answer = fixed(name)
    assert code == 1
    assert not answer["changes"]
    assert any(why in json.dumps(refusal) for refusal in answer["refusals"])


@pytest.mark.parametrize("name", ["ladder_pointer", "stencil_coarse", "stencil_3d"])
def test_check_names_no_command_that_would_write_nothing(name: str) -> None:
    """A pointer that is not followed, rows of a flat array, conflicts that no map avoids."""
    done = bankwise("check", str(KERNELS / f"{name}.cu"), "-t", "sm_90")
    assert "extra passes a workgroup" in done.out
    assert f"bankwise fix {KERNELS}" not in done.out
    assert "tries to change it" not in done.out
    assert ("`bankwise fix` would not edit it" in done.out) == (name != "stencil_3d")
    assert not fixed(name)[1]["changes"]


def test_check_names_fix_where_more_accesses_than_it_looks_at_conflict() -> None:
    done = bankwise("check", str(KERNELS / "flash_tile.cu"), "-t", "sm_90")
    assert "no layout is suggested: 1,064 different accesses" in done.out.replace("\n", " ")
    assert "`bankwise fix`, with the same options, looks for layouts" in done.out


def test_pieces_of_what_the_launch_gives_have_a_proof_for_this_launch(tmp_path: Path) -> None:
    """Two stages in two pieces, through one function for both: never exit 0."""
    code, answer = fixed("pool_stages", "--accept-sampled")
    assert code == 3
    assert answer["accepted"]
    assert "+#pragma unroll" in answer["patch"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    (proof,) = [one for one in answer["verdicts"] if one["judge"] == "proof"]
    assert "what the launch gives As, Bs" in proof["detail"]
    assert extra(answer["after"]) == 0
    (isa,) = [one for one in answer["verdicts"] if one["judge"] == "isa"]
    (issued,) = [row for row in isa["rows"] if "shared-memory instructions" in row["name"]]
    assert issued["before"] == issued["after"]
    text = (KERNELS / "pool_stages.cu").read_text()
    text = text.replace("32><<<dim3(4, 4), 256, 32768", "8><<<dim3(4, 4), 256, 8192")
    for old, new, why in (
        ("s * (BN * BK), B", "s * (BN * BK) - 8 * s, B", "a pointer begins inside"),
        ("dim3(4, 4), 256, 8192", "dim3(4, 4), 256", "the launch decides"),
        ("(Bs + s", "(Bs + 0 * k0 + s", ""),
    ):
        path = tmp_path / "k.cu"
        assert old in text
        path.write_text(text.replace(old, new))
        told = json.loads(bankwise("fix", str(path), "-t", "sm_90", "--format", "json").out)
        assert bool(told["changes"]) == (not why), told
        assert why in json.dumps(told["refusals"])


SIZES = """
template <int N> __global__ void k(float* o, const float* x) {
  __shared__ float s[N][N];
  int c = threadIdx.x, r = threadIdx.y;
  for (int q = 0; q < 1; ++q) s[r][c] = x[r * N + c];
  __syncthreads();
  o[r * N + c] = s[c][r] + sizeof(s);
}
int main() {
  k<32><<<1, dim3(32, 32)>>>(nullptr, nullptr);
  k<24><<<1, dim3(24, 24)>>>(nullptr, nullptr);
}
"""


def test_a_kernel_that_was_not_asked_for_is_in_the_proof(tmp_path: Path) -> None:
    """A fold of rows of 32 is none of rows of 25, which the same text makes."""
    path = tmp_path / "k.cu"
    path.write_text(SIZES.replace("24", "25"))
    done = bankwise("fix", str(path), "-t", "sm_90", "--kernel", "_Z1kILi32EEvPfPKf")
    assert done.code != 0
    assert not done.out
    path.write_text(SIZES.replace("k<24><<<1, dim3(24, 24)>>>", "k<32><<<1, dim3(32, 32)>>>"))
    done = bankwise("fix", str(path), "-t", "sm_90")
    assert "of templates what is instantiated in this file" in done.err
    assert done.out


def test_a_fold_that_rows_of_all_instances_hold_is_written(tmp_path: Path) -> None:
    """Rows of 32 want all of their columns exchanged, which rows of 24 do not hold: blocks of 8
    are exchanged in both."""
    path = tmp_path / "k.cu"
    path.write_text(SIZES)
    done = bankwise("fix", str(path), "-t", "sm_90", "--format", "json", "--accept-sampled")
    answer = json.loads(done.out)
    written = re.search(r"\+.*s\[r\]\[c \^ \(r(?: >> (\d+))? & (\d+)\)\]", answer["patch"])
    assert written is not None, answer["patch"]
    shift, mask = int(written[1] or 0), int(written[2])
    for n in (24, 32):
        assert all(
            sorted(c ^ (r >> shift & mask) for c in range(n)) == [*range(n)] for r in range(n)
        )
    for before, after in zip(answer["before"]["kernels"], answer["after"]["kernels"], strict=True):
        assert after["totals"]["run"]["extra"] < before["totals"]["run"]["extra"]


FLAT_MACRO = """
#define AT(r, c) s[(r) * 32 + (c)]
__global__ void k(float* o, const float* x) {
  __shared__ float s[32 * 32];
  AT(threadIdx.y, threadIdx.x) = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  o[threadIdx.y * 32 + threadIdx.x] = AT(threadIdx.x, threadIdx.y);
}
void l(float* o, const float* x) { k<<<1, dim3(32, 32)>>>(o, x); }
"""


def test_a_macro_that_names_an_element_is_edited_once(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(FLAT_MACRO)
    done = bankwise("fix", str(path), "-t", "sm_90", "--accept-sampled", "--format", "json")
    answer = json.loads(done.out)
    assert done.code == 0
    changed = [line for line in answer["patch"].splitlines() if line[0] in "+-"][2:]
    new = "s[((r) * 32 + (c)) ^ (((r) * 32 + (c)) >> 5 & 31)]"
    assert changed == ["-#define AT(r, c) s[(r) * 32 + (c)]", f"+#define AT(r, c) {new}"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    assert extra(answer["before"]) > extra(answer["after"]) == 0


def test_what_is_not_edited_is_written_by_hand_as_it_says(tmp_path: Path) -> None:
    """The map that a refusal names, written into the macro, takes the passes that it names."""
    path = tmp_path / "k.cu"
    twice = f"{FLAT_MACRO}#undef AT\n"
    path.write_text(twice)
    answer = json.loads(bankwise("fix", str(path), "-t", "sm_90", "--format", "json").out)
    (reason,) = [one["reason"] for one in answer["refusals"]]
    told = re.search(r"s\[i\] -> s\[(.*)\]: ([\d,]+) -> ([\d,]+) passes by the plan", reason)
    assert told is not None, reason
    assert "(line 2)" in reason
    index = re.sub(r"\bi\b", "((r) * 32 + (c))", told[1])
    path.write_text(twice.replace("s[(r) * 32 + (c)]", f"s[{index}]"))
    after = json.loads(bankwise("check", str(path), "-t", "sm_90", "--format", "json").out)
    passes = [int(n.replace(",", "")) for n in told.groups()[1:]]
    assert passes[0] > passes[1] == after["totals"]["run"]["passes"]


def test_a_change_for_an_assumed_launch_says_what_it_was_planned_for(tmp_path: Path) -> None:
    """The textbook transpose without its host code: 16 x 16 threads are a guess."""
    path = tmp_path / "t.cu"
    text = (KERNELS / "transpose_f32.cu").read_text("utf-8")
    path.write_text(text[: text.index("void launch")], "utf-8")
    guessed = bankwise("fix", path, "--target", "sm_90", "--no-execute")
    assert guessed.code == 3
    assert "--workgroup-size or --launch says yours" in guessed.err
    said = ("--no-execute", "--workgroup-size", "32,8,1")
    assert "--launch says yours" not in bankwise("fix", path, "-t", "sm_90", *said).err


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
    said = bankwise("fix", path, "-t", "sm_90", *words).err
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
    options = (str(file), "-t", "sm_90", "--format", "json")
    (snippet,) = json.loads(bankwise("check", *options).out)["snippets"]
    answer = json.loads(bankwise("fix", *options, "--accept-sampled").out)
    assert "s[(t % 16 * 4) ^ ((t % 16 * 4) >> 4 & 1)]" in answer["patch"]
    passes = [answer[when]["kernels"][0]["totals"]["run"]["passes"] for when in ("before", "after")]
    assert passes == [288, 64] == [snippet["before"], snippet["after"]]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}


def test_check_promises_nothing_that_fix_would_not_write() -> None:
    """Elements of 16 bytes in one dimension, and a pointer into an array that is not followed."""
    file = KERNELS.parent / "profile" / "tiles.cu"
    options = (str(file), "-t", "sm_90", "--format", "json", "--kernel")
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


def test_what_takes_longer_to_issue_than_it_saves_stays_as_it_is(tmp_path: Path) -> None:
    """Two neighbouring lanes store 4 rows of 128 apart, in one bank: 2 passes for 1, 64 times. 8
    threads read 32 columns by two, 8 apart: 2 passes for 1, 1,024 times. Longer rows would hold the
    first, and keep the schedulers longer busy than all accesses take (a GPU ran it at 0.95)."""
    path = tmp_path / "k.cu"
    path.write_text(_BLOCK2D)
    options = (str(path), "-t", "sm_90", "--format", "json")
    told = [one["what"] for one in json.loads(bankwise("check", *options).out)["snippets"]]
    assert "As[i] -> As[i + i / 512 * 16], and as much longer" in told
    done = bankwise("fix", *options, "--accept-sampled")
    answer = json.loads(done.out)
    assert done.code == 1
    assert (extra(answer["before"]), extra(answer["after"])) == (64 + 1024, 64)
    assert [one["allocations"] for one in answer["changes"]] == [["Bs"]]
    (left,) = answer["refusals"]
    assert "As: " in left["reason"]
    assert "would issue instructions for" in left["reason"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    (isa,) = [one for one in answer["verdicts"] if one["judge"] == "isa"]
    (issued,) = [row for row in isa["rows"] if "shared-memory instructions" in row["name"]]
    assert issued["before"] == issued["after"], "reads of 16 bytes stay"


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
    """`a + b / 128` of the whole number takes nvcc the neighbours of what is signed."""
    path = tmp_path / "k.cu"
    path.write_text(_VECTORS)
    options = (str(path), "-t", "sm_90", "--format", "json")
    told = [one["what"] for one in json.loads(bankwise("check", *options).out)["snippets"]]
    done = bankwise("fix", *options, "--accept-sampled")
    answer = json.loads(done.out)
    assert done.code == 0
    assert extra(answer["after"]) == 0 < extra(answer["before"])
    assert "+ k + ((ty * TM + i) * BK) / 128 * 4]" in answer["patch"]
    assert [one["address"] for one in answer["changes"]] == told
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}


@pytest.mark.parametrize("name", ["gemm_float4", "dynamic", "gemm_template"])
def test_the_ptx_that_lies_in_machine_code_is_the_one_that_nvcc_writes(name: str) -> None:
    """What is executed is read from there: the same statements, parameters and variables."""
    what = Compilation(KERNELS / f"{name}.cu", "sm_90")
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
    ran: list[str] = []

    def compile_(source: Path, made: Path, *rest: Any) -> str:
        ran.append(made.suffix)
        return compile_cuda(source, made, *rest)

    monkeypatch.setattr(cuda, "compile_cuda", compile_)
    report = fix_source_file(KERNELS / "transpose_f32.cu", Options(target="sm_90"))
    assert {v.judge: v.status for v in report.verdicts}["execution"] == "passed"
    assert ran.count(".ptx") <= 1  # which bytes its variables take
