"""Which texts of an array are not compiled, since what became of others tells what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.algebra.address import Fold
from bankwise.ask.array_alike import Untried, hides_as_much, no_plainer
from bankwise.ask.array_plans import ArrayPlan
from bankwise.ask.fix_source import fix_source_file
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.spelling import Spelling
from bankwise.read.options import Judges, Options
from cuda_fixes import compilations, real

ONE, OTHER = Fold(512, 16, 2), Fold(256, 16, 2)
SHORT, LONG = Fold(64, 2, 16), Fold(256, 32, 2)


def text(how: str, *folds: Fold, under: str = "", pad: int = 0, columns: int = 0) -> Untried:
    """A map of an array, or of two, written so."""
    map_ = IndexMap(folds, pad=pad, columns=columns, row=32 if pad else 0)
    said = "; ".join(f"{name}[i] -> ..{', under ' if under else ''}{under}" for name in "ab")
    return ArrayPlan(map_, (), {}, ""), Spelling(None, map_, (), how, said)


@pytest.mark.parametrize(
    ("one", "other", "hides"),
    [
        (text("xor", OTHER), text("xor", ONE), True),
        (text("xor", ONE, OTHER), text("xor", ONE), True),
        (text("xor", ONE), text("xor", ONE, OTHER), True),  # by whichever way it is an XOR
        (text("xor", SHORT), text("xor", ONE), True),
        (text("xor", LONG), text("xor", ONE), False),  # it keeps more neighbours
        (text("xor", OTHER, columns=64), text("xor", ONE), False),
        (text("sum", OTHER), text("xor", ONE), False),
        (text("sum", OTHER), text("sum", ONE), True),
        (text("sum", ONE, OTHER), text("sum", ONE), False),
        (text("step", ONE), text("step", ONE, OTHER), False),
        (
            text("unrolled", ONE, OTHER, under="#pragma unroll"),
            text("unrolled", ONE, under="#pragma unroll"),
            True,
        ),
        (
            text("unrolled", ONE, under="#pragma unroll"),
            text("unrolled", ONE, OTHER, under="#pragma unroll"),
            False,
        ),
        (
            text("unrolled", SHORT, under="#pragma unroll 2"),
            text("unrolled", ONE, under="#pragma unroll 16"),
            True,
        ),
        (
            text("unrolled", OTHER, under="#pragma unroll"),
            text("unrolled", ONE, under="#pragma unroll 16"),
            False,
        ),
        (text("pitch", pad=4), text("pitch", pad=8), False),
        (text("pitch", pad=4), text("pitch", pad=4), True),
        (text("shifted", pad=4), text("pitch", pad=4), False),
    ],
)
def test_what_one_fold_hid_from_the_compiler_another_hides_as_well(
    one: Untried, other: Untried, hides: bool
) -> None:
    assert hides_as_much(one, other) is hides


def test_a_pad_is_no_plainer_than_one_of_the_same_rows_alone() -> None:
    assert no_plainer(text("pitch", pad=8), text("pitch", pad=4))
    assert not no_plainer(text("xor", ONE), text("pitch", pad=4))


SOURCE = """
template <int BM, int BN, int BK, int TM, int TN>
__global__ void product(int N, int K, const float* A, const float* B, float* C) {
  const int col = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
  __shared__ float a[BM * BK];
  const int ra = threadIdx.x / (BK / 4), ca = threadIdx.x % (BK / 4);
  float sums[TM * TN] = {0.0f}, m[TM];
  for (int k0 = 0; k0 < K; k0 += BK) {
    float4 t = *(const float4*)&A[ra * K + ca * 4];
    a[(ca * 4 + 0) * BM + ra] = t.x;
    a[(ca * 4 + 1) * BM + ra] = t.y;
    a[(ca * 4 + 2) * BM + ra] = t.z;
    a[(ca * 4 + 3) * BM + ra] = t.w;
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int k = 0; k < BK; ++k) {
      for (int i = 0; i < TM; ++i) m[i] = a[k * BM + row * TM + i];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) sums[i * TN + j] += m[i] * B[k * N + col * TN + j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) C[(row * TM + i) * N + col * TN + j] = sums[i * TN + j];
}
void launch(const float* A, const float* B, float* C) {
  product<128, 128, 8, 8, 8><<<1, 256>>>(128, 16, A, B, C);
}
"""


@real
def test_a_text_is_not_compiled_that_hides_what_others_hid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two lanes store 4 rows of 128 apart, in one bank: 2 passes for 1, 64 times. Behind any fold
    nvcc reads 4 single elements for one of 16 bytes: 128 * 3 instructions more, and 64 passes are
    to be saved. So of folds of whole chunks one of each way is compiled, and none of shorter
    chunks."""
    file = tmp_path / "k.cu"
    file.write_text(SOURCE, "utf-8")
    ran = compilations(monkeypatch)
    report = fix_source_file(file, Options(target="sm_80"), Judges(execute=False))
    assert not report.changes
    (left,) = report.passed_over
    assert left.before - left.after == 64
    texts = [text for suffix, text in ran if suffix == ".cubin"]
    folded = [text for text in texts if "^" in text]
    assert folded
    assert sum(">> 9 & 1) << 4)] = t.x" in text for text in folded) == 1
    assert not any("& 15" in text and "<< 1" in text for text in folded)
