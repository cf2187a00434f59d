"""Arguments of CUDA kernels by the names that the source has for its parameters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bankwise.read.launch.parameters import parameter_names
from bankwise.read.toolkit import find_program
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("__global__ void k(const float *in, int n) {}", ("in", "n")),
        ("template <int B> __global__ void __launch_bounds__(B) k(T *a, int n = 3) {}", ("a", "n")),
        ("__global__ void k(int) {}", ("",)),
        ("__global__ void k(float (&a)[4], const int b[4]) {}", ("", "b")),
        ("__global__ void k() {}", ()),
        ("void k(int, int); __global__ void k(int a, int b) {}", ("a", "b")),
        ("__global__ void k(int a /* n, m */, int b) {} int f() { if (k(b, a)); }", ("a", "b")),
        (
            "#if X\n__global__ void k(int a, int b) {\n#else\nvoid k(int b, int a) {\n#endif\n}",
            None,
        ),
        ("__global__ void other(int a) {}", None),
    ],
)
def test_names_are_those_on_which_all_definitions_agree(
    source: str, names: tuple[str, ...] | None
) -> None:
    assert parameter_names(source, ("k",)).get("k") == names


KERNELS = """
__global__ void first(float *out, int rounds, float scale) {
  __shared__ float tile[32][32];
  for (int n = 0; n < rounds; ++n) {
    tile[threadIdx.x][n & 31] = scale;
    __syncthreads();
    out[n * 32 + threadIdx.x] = tile[n & 31][threadIdx.x ^ 1];
    __syncthreads();
  }
}
__global__ void second(int rounds, float *out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = rounds;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
template <class... T> __global__ void pack(float *out, T... rounds) {
  __shared__ float tile[64];
  tile[threadIdx.x] = (rounds + ...);
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}
template __global__ void pack<int, int>(float *, int, int);
"""


@real
def test_a_name_says_what_its_position_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """7 rounds are 7 writes of 32 ways: 31 extra each, by hand."""
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text(KERNELS, "utf-8")
    words = ("check", "k.cu", "--target", "sm_90", "--workgroup-size", "32", "--format", "json")
    for said in (
        ("--arg", "rounds=7", "--kernel", "first"),
        ("--arg", "1=7", "--kernel", "first"),
        ("--launch", "first(rounds=7, scale=0.5f)", "--kernel", "first"),
        ("--arg", "rounds=7"),
    ):
        document = json.loads(bankwise(*words, *said).out)
        mine = [one for one in document["accesses"] if "first" in one["kernel"]]
        writes = [one for one in mine if one["direction"] == "write"]
        assert sum(one["executions"] for one in writes) == 7
        assert sum(one["run"]["extra"] for one in writes) == 7 * 31


@real
def test_the_hint_has_the_names_where_the_source_has_one_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text(KERNELS, "utf-8")
    for kernel, has in (
        ("second", "it has parameters 0 to 1 (rounds, out); also"),
        ("pack*", "it has parameters 0 to 2; also"),
    ):
        ended = bankwise("check", "k.cu", "--kernel", kernel, "--arg", "m=1")
        assert ended.code == 2
        assert has in " ".join(ended.err.split())
