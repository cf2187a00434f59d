"""Names that a source has for numbers, and where a text that is written says them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.read.cxx.constants import named_numbers
from bankwise.read.cxx.tree import parse
from bankwise.read.toolkit import find_program
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("#define K 64\n", {"K": 64}),
        ("#define K 64 // columns\nint a = K * K;", {"K": 64}),
        ("constexpr int kRow = 48;\nconst unsigned N = 7;\n", {"kRow": 48, "N": 7}),
        ("namespace a { static constexpr int K = 32; }", {"K": 32}),
        ("#define K (8 * 8)\n#define L 0x40\n#define F(K) 3\nconst float M = 4;", {}),
        ("#ifndef K\n#define K 64\n#endif\n", {}),  # a flag may say otherwise
        ("#define K 64\n#undef K\n#define K 32\n", {}),
        ("#define K 64\nvoid f() { int K = 3; }\n", {}),
        ("const int K = 64;\nvoid f(int K) { g(K); }\n", {}),
        ("const int K = 64;\ntemplate <int K> void f();\n", {}),
        ("const int K = 64;\nstruct S { int K; };\n", {}),
        ("const int K = 64;\nenum { K = 3 };\n", {}),
        ("const int K = 64;\nvoid f() { for (int K = 0; K < 3; ++K) g(K); }\n", {}),
        ("const int K = 64;\nvoid f() { auto g = [](auto K) { return K; }; }\n", {}),
        ("const int K = 64;\nusing namespace std;\nvoid f() { int a[K]; g(a, K); }", {"K": 64}),
        ("void f() { const int K = 64; }", {}),  # of one function
    ],
)
def test_a_name_is_a_number_where_it_can_be_no_other(text: str, numbers: dict[str, int]) -> None:
    assert named_numbers(parse(text, "k.cu")) == numbers


GRAM = """\
#define GRAM_M 32
#define GRAM_K 64
#define SHIFT 64
__global__ void gram(const float *in, float *out) {
  __shared__ float smem[GRAM_M * GRAM_K];
#pragma unroll 1
  for (int i = threadIdx.x; i < GRAM_M * GRAM_K; i += 32)
    smem[i] = in[i + SHIFT];
  __syncthreads();
  float s = 0;
  for (int k = 0; k < GRAM_K; ++k)
    s += smem[threadIdx.x * GRAM_K + k];
  out[threadIdx.x] = s;
}
void go(float *a) { gram<<<1, 32>>>(a, a); }
"""


@real
def test_a_flat_array_is_lengthened_in_its_authors_names(tmp_path: Path) -> None:
    file = tmp_path / "gram.cu"
    file.write_text(GRAM, "utf-8")
    ended = bankwise("fix", file, "--target", "sm_80")
    assert ended.code == 0, ended.err
    written = [line for line in ended.out.splitlines() if line.startswith("+ ")]
    assert any("smem[i + i / GRAM_K" in line for line in written), ended.out
    assert not any("/ 64" in line for line in written)
    assert "smem[i] -> smem[i + i / GRAM_K" in " ".join(ended.err.split())
