"""``fix`` where the author has a padding constant: one number becomes another one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

TURNED = """
template <int N, const int PAD = 0>
__global__ void turned(float* out, const float* in) {
  __shared__ float s[N][N + PAD];
  s[threadIdx.y][threadIdx.x] = in[threadIdx.y * N + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * N + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
"""
GIVEN = """
void launch(float* out, const float* in) {
  turned<32, 0><<<1, dim3(32, 32)>>>(out, in);
}
"""
NAMED = """
void launch(float* out, const float* in) {
  constexpr int SKEW = 0;
  cudaFuncSetAttribute(turned<32, SKEW>, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
  turned<32, SKEW><<<1, dim3(32, 32)>>>(out, in);
}
"""
LEFT_OUT = GIVEN.replace("32, 0", "32")
WRITES = 32
"""Of 32 warps, each one pass; as many reads take 32 passes each, one with rows of 33."""


def fixed(text: str, folder: Path, *options: str) -> dict[str, Any]:
    path = folder / "k.cu"
    path.write_text(text)
    done = bankwise("fix", path, "-t", "sm_80", "--format", "json", *options)
    answer: dict[str, Any] = json.loads(done.out)
    return answer


def changed_lines(answer: dict[str, Any]) -> list[str]:
    lines = answer["patch"].split("\n")
    return [one[1:] for one in lines if one[:1] == "+" and one[:3] != "+++"]


@pytest.mark.parametrize(
    ("host", "lines"),
    [
        (GIVEN, ["  turned<32, 1><<<1, dim3(32, 32)>>>(out, in);"]),
        (NAMED, ["  constexpr int SKEW = 1;"]),
        (LEFT_OUT, ["template <int N, const int PAD = 1>"]),
        (
            GIVEN + LEFT_OUT.replace("launch", "again"),
            [
                "template <int N, const int PAD = 1>",
                "  turned<32, 1><<<1, dim3(32, 32)>>>(out, in);",
            ],
        ),
    ],
)
def test_one_number_is_changed_where_it_stands(host: str, lines: list[str], tmp_path: Path) -> None:
    answer = fixed(TURNED + host, tmp_path)
    assert changed_lines(answer) == lines
    (change,) = answer["changes"]
    assert (change["before"]["passes"], change["after"]["passes"]) == (WRITES * 33, WRITES * 2)
    verdicts = {one["judge"]: one["status"] for one in answer["verdicts"]}
    assert verdicts == {"proof": "passed", "execution": "passed", "isa": "passed"}


@pytest.mark.parametrize(
    "options", [["--kernel", "turned"], ["--launch", "turned<<<1, 32x32>>>()"]]
)
def test_kernels_are_found_by_their_names_of_before(options: list[str], tmp_path: Path) -> None:
    answer = fixed(TURNED + NAMED, tmp_path, *options)
    assert changed_lines(answer) == ["  constexpr int SKEW = 1;"]


PLAIN = "  __shared__ float s[N][N + PAD + 1];"


@pytest.mark.parametrize(
    ("text", "options"),
    [
        # an instance is asked about that the new text has not
        (TURNED + GIVEN, ["--kernel", "turned<32, 0>"]),
        # bytes of a launch are counted with it
        (TURNED + NAMED.replace("dim3(32, 32)>>>", "dim3(32, 32), 128 * (32 + SKEW)>>>"), []),
        # another file may launch this instance
        (TURNED + GIVEN + "template __global__ void turned<32, 0>(float*, const float*);", []),
        # it says where a row begins as well
        (TURNED.replace("= in[", "= in[PAD + ") + GIVEN, []),
    ],
)
def test_rows_are_longer_by_themselves_where_the_constant_says_more(
    text: str, options: list[str], tmp_path: Path
) -> None:
    assert changed_lines(fixed(text, tmp_path, *options)) == [PLAIN]


def test_a_header_that_says_the_name_is_another_use(tmp_path: Path) -> None:
    (tmp_path / "rows.h").write_text("#define ROW (32 + SKEW)\n")
    plain = TURNED.replace("template <int N, const int PAD = 0>\n", "").replace("PAD", "SKEW")
    plain = plain.replace("N", "32")
    host = GIVEN.replace("<32, 0>", "")
    text = '#include "rows.h"\n#define SKEW 0\n' + plain + host
    assert changed_lines(fixed(text, tmp_path)) == [PLAIN.replace("PAD", "SKEW").replace("N", "32")]
    text = "#define SKEW 0\n" + plain + host
    assert changed_lines(fixed(text, tmp_path)) == ["#define SKEW 1"]


BOTH = """
template <int PAD = 0>
__global__ void both(float* out, const float* in) {
  __shared__ float s[32][32 + PAD], t[32][32 + PAD];
  s[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  t[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y] + READ;
}
void launch(float* out, const float* in) { both<><<<1, dim3(32, 32)>>>(out, in); }
"""


@pytest.mark.parametrize(
    "read", ["t[threadIdx.x][threadIdx.y]", "t[31 - threadIdx.y][threadIdx.x]"]
)
def test_arrays_with_one_constant_become_longer_together(read: str, tmp_path: Path) -> None:
    """The second one has conflicts itself, or none: then it is as good with longer rows."""
    answer = fixed(BOTH.replace("READ", read), tmp_path)
    assert changed_lines(answer) == ["template <int PAD = 1>"]
    (isa,) = (one for one in answer["verdicts"] if one["judge"] == "isa")
    bytes_ = next(row for row in isa["rows"] if "shared bytes" in row["name"])
    assert (bytes_["before"], bytes_["after"]) == (2 * 4 * 32 * 32, 2 * 4 * 32 * 33)


OTHER = """
#define PAD 0
__global__ void one(float* out, const float* in) {
  __shared__ float s[32][32 + PAD];
  s[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
__global__ void two(float* out, const float* in) {
  __shared__ float s[32][32 + PAD];
  s[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.y][31 - threadIdx.x];
}
void launch(float* out, const float* in) {
  one<<<1, dim3(32, 32)>>>(out, in);
  two<<<1, dim3(32, 32)>>>(out, in);
}
"""


def test_a_kernel_that_is_not_looked_at_keeps_its_rows(tmp_path: Path) -> None:
    """What it would take with longer ones nobody has counted."""
    assert changed_lines(fixed(OTHER, tmp_path)) == ["#define PAD 1"]
    alone = changed_lines(fixed(OTHER, tmp_path, "--kernel", "one"))
    assert alone == ["  __shared__ float s[32][32 + PAD + 1];"]


def test_a_guessed_launch_is_no_reason_to_change_each_index(tmp_path: Path) -> None:
    """With 16 by 16 threads, two rows of 16 to a warp, rows of 33 leave a conflict; a fold that has
    none there is three XORs in every index."""
    guessed = OTHER.partition("__global__ void two")[0]
    answer = fixed(guessed, tmp_path)
    assert changed_lines(answer) == ["#define PAD 1"]
    (change,) = answer["changes"]
    assert (change["before"]["passes"], change["after"]["passes"]) == (WRITES * 33, WRITES * 2)


FLAT = """
template <int N, int PAD>
__global__ void flat(float* out, const float* in) {
  __shared__ float s[N * (N + PAD)];
  const int c = threadIdx.x % N, r = threadIdx.y % N;
  s[r * (N + PAD) + c] = in[threadIdx.y * N + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * N + threadIdx.x] = s[c * (N + PAD) + r];
}
void launch(float* out, const float* in) { flat<32, 0><<<1, dim3(32, 32)>>>(out, in); }
"""


def test_rows_of_one_dimension_are_longer_where_indices_count_them(tmp_path: Path) -> None:
    answer = fixed(FLAT, tmp_path)
    assert changed_lines(answer) == [FLAT.split("\n")[-2].replace("32, 0", "32, 1")]
    (change,) = answer["changes"]
    assert (change["before"]["passes"], change["after"]["passes"]) == (WRITES * 33, WRITES * 2)
    loose = FLAT.replace("threadIdx.x % N", "threadIdx.x")
    assert "flat<32, 1>" not in fixed(loose, tmp_path)["patch"]


def test_check_says_the_number_that_fix_writes(tmp_path: Path) -> None:
    """Not that rows become ``N + PAD + 1``, which is another text."""
    path = tmp_path / "k.cu"
    path.write_text(TURNED + GIVEN)
    answer = fixed(TURNED + GIVEN, tmp_path, "--no-execute")
    done = bankwise("check", path, "-t", "sm_80", "--format", "json")
    (snippet,) = json.loads(done.out)["snippets"]
    assert snippet["what"] == "s: PAD is 1 instead of 0: rows are 1 longer"
    assert snippet["what"] == answer["changes"][0]["address"]
    assert snippet["after"] == 2 * WRITES
