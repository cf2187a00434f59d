"""``bankwise fix kernel.cu``: indices that leave their rows, arrays that stay as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from bankwise.ask.judge_emitted import SIMULATORS
from bankwise.change.simulate.launches import Simulator
from bankwise.change.simulate.ptx import PTX_SIMULATOR
from command import bankwise
from cuda_fixes import KERNELS, extra, fixed, real, verdicts

pytestmark = real


def test_a_row_that_is_left_on_purpose_stays_as_it_is_with_the_place() -> None:
    code, answer = fixed("leaves_row")
    assert (code, answer["patch"]) == (1, "")
    (refused,) = answer["refusals"]
    assert refused["location"]["line"] == 4
    assert "s[0][j * 32 + t] leaves its row" in refused["reason"]


def test_of_memory_that_the_launch_sizes_is_told_why_its_rows_stay(tmp_path: Path) -> None:
    """A word behind every 32 would do, if the launch gave more bytes."""
    file = tmp_path / "k.cu"
    file.write_text(
        'extern "C" __global__ void k(float* a) {\n  extern __shared__ float s[];\n'
        "  int t = threadIdx.x;\n  s[t * 32] = a[t];\n  __syncthreads();\n"
        "  a[t] = s[((t + 1) % 32) * 32];\n}\n"
    )
    done = bankwise("check", file, "-t", "sm_80", "--workgroup-size", "32")
    said = "longer rows are not written, since the launch says how many bytes it has"
    assert said in " ".join(done.out.split())


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
    done = bankwise("fix", str(file), "-t", "sm_80", "--format", "json", "--accept-sampled")
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
        ("ladder_pointer", "p gets another value, or gives its own away"),
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
    done = bankwise("check", str(KERNELS / f"{name}.cu"), "-t", "sm_80")
    assert "extra passes a workgroup" in done.out
    assert f"bankwise fix {KERNELS}" not in done.out
    assert "tries to change it" not in done.out
    assert ("`bankwise fix` would not edit it" in done.out) == (name != "stencil_3d")
    assert not fixed(name)[1]["changes"]


def test_check_names_fix_where_more_accesses_than_it_looks_at_conflict() -> None:
    done = bankwise("check", str(KERNELS / "flash_tile.cu"), "-t", "sm_80")
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
        told = json.loads(bankwise("fix", str(path), "-t", "sm_80", "--format", "json").out)
        assert bool(told["changes"]) == (not why), told
        assert why in json.dumps(told["refusals"])


SCATTERED = """\
__global__ void k(const int* a, int* o) {
  __shared__ int s[64];
#pragma unroll
  for (int i = 0; i < 12; i++) s[a[i * 64 + threadIdx.x] & 63]++;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x];
}
void go(const int* a, int* o) { k<<<1, 64>>>(a, o); }
"""


@pytest.mark.parametrize("verb", ["check", "fix"])
def test_a_reason_is_told_once_for_all_instructions_that_have_it(tmp_path: Path, verb: str) -> None:
    """Twelve rounds, unrolled: a read and a write each whose address data decide."""
    path = tmp_path / "k.cu"
    path.write_text(SCATTERED)
    done = bankwise(verb, str(path), "-t", "sm_80")
    said = " ".join((done.out + done.err).split())
    assert said.count("not analysed: ") == 2
    assert said.count("(and 11 more places)") == 2
    whole = bankwise(verb, str(path), "-t", "sm_80", "--all")
    assert (whole.out + whole.err).count("not analysed: ") == 24


TURNED = """\
template <class T> __global__ void turn(const T* in, T* out) {
  __shared__ T tile[32][33];
  int x = threadIdx.x, y = threadIdx.y;
  tile[x][y] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[y][x];
}
void go(const float* a, float* b, const short* c, short* d) {
  turn<<<1, dim3(32, 32)>>>(a, b);
  turn<<<1, dim3(32, 32)>>>(c, d);
}
"""


def test_what_one_instance_would_pay_for_another_is_said(tmp_path: Path) -> None:
    """33 words step over the banks one by one, 33 halves do not; 34 halves are 17 words, and 34
    words step by two, so that a column of 32 has half of the banks, of a write of 32 warps."""
    path = tmp_path / "k.cu"
    path.write_text(TURNED)
    told = json.loads(bankwise("fix", str(path), "-t", "sm_80", "--format", "json").out)
    (refused,) = told["refusals"]
    free, write, read = 32, 2 * 32, 32
    assert refused["reason"] == (
        "tile: what serves one costs another (rows of 33 become 33 + 1): a block of turn<float> "
        f"would take {free + read} -> {write + read} passes"
    )


POOL = """\
#include <mma.h>
using namespace nvcuda;
__global__ void __launch_bounds__(32) product(const signed char* in, int* out) {
  __shared__ signed char pool[4096];
  auto a = pool;
  auto b = pool + 2048;
  int t = threadIdx.x;
  for (int r = 0; r < 16; ++r) {
    *(int*)&a[r * 128 + t * 4] = ((const int*)in)[r * 32 + t];
    *(int*)&b[r * 128 + t * 4] = ((const int*)in)[(16 + r) * 32 + t];
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(x, a, 128);
  wmma::load_matrix_sync(y, b, 128);
  wmma::mma_sync(sum, x, y, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}
"""


def test_what_is_told_to_do_by_hand_leaves_rows_of_matrices_one_distance_apart(tmp_path) -> None:
    """A pad behind every 512 elements would free ``b``, and stand between rows 3 and 4 alone."""
    file = tmp_path / "pool.cu"
    file.write_text(POOL)
    said = " ".join(bankwise("fix", str(file), "-t", "sm_80").err.split())
    assert "b[i] -> b[i + i / 128 * 16], and as much longer, rows of matrices 128 + 16" in said
    assert "512" not in said


TIED = """__device__ void put(float (*p)[32], const float* i) {
  p[threadIdx.x][threadIdx.y] = i[threadIdx.y * 32 + threadIdx.x];
}
__global__ void c(const float* i, float* o) {
  __shared__ float sb[32][32];
  put(sb, i);
  __syncthreads();
  o[threadIdx.y * 32 + threadIdx.x] = sb[threadIdx.y][threadIdx.x];
}
"""


def test_an_array_that_two_kernels_have_by_one_name_is_named_once(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    kernel = TIED.split("__global__")[1]
    path.write_text(f"{TIED}__global__{kernel.replace(' c(', ' d(')}")
    words = ["fix", str(path), "-t", "sm_80", "--launch", "c<<<1, dim3(32, 32)>>>"]
    words += ["--launch", "d<<<1, dim3(32, 32)>>>"]
    done = bankwise(*words, "--format", "json")
    (change,) = json.loads(done.out)["changes"]
    assert change["allocations"] == ["sb"]
    assert change["kernel"].count(", ") == 1


def test_a_run_that_ends_with_3_says_why_in_json_as_in_text(tmp_path: Path) -> None:
    """A kernel without conflicts whose block nobody said."""
    path = tmp_path / "k.cu"
    path.write_text(TIED.replace("p[threadIdx.x][threadIdx.y]", "p[threadIdx.y][threadIdx.x]"))
    text = bankwise("fix", str(path), "-t", "sm_80")
    done = bankwise("fix", str(path), "-t", "sm_80", "--format", "json")
    assert text.code == done.code == 3
    (reason,) = json.loads(done.out)["reasons"]
    assert reason == "not all is analysed and known (above: open in c)"
    assert f"exit 3: {reason}" in " ".join(text.err.split())


LOADED = """__global__ void k(const int* at, float* o) {
  __shared__ float s[32][32];
  const int t = threadIdx.x;
  s[0][t] = o[t];
  __syncthreads();
  o[t] = s[at[t]][0];
}
"""


def test_accesses_that_are_not_analysed_may_have_conflicts(tmp_path: Path) -> None:
    """Of rows by numbers from memory nobody knows which banks they are in."""
    path = tmp_path / "k.cu"
    path.write_text(LOADED)
    done = bankwise("fix", str(path), "-t", "sm_80", "--launch", "k<<<1, 32>>>")
    said = " ".join(done.err.split())
    assert done.code == 3
    assert "no allocation is known to have conflicts that a swizzle removes" in said
    assert "no allocation has conflicts" not in said


def test_arrays_in_elements_of_an_array_are_named_as_what_is_not_moved(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    text = GUARDED.replace("float s[64][32]", "Rows q[2]").replace("s[", "q[1].s[")
    file.write_text("struct Rows { float s[64][32]; };\n" + text.replace("ACCESS", ""))
    done = bankwise("fix", str(file), "-t", "sm_80", "--format", "json")
    (refused,) = json.loads(done.out)["refusals"]
    assert done.code == 1
    assert "q: its elements are structures of 8,192 bytes" in refused["reason"]
    assert "declared by themselves" in refused["reason"]
