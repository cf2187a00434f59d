"""What check and fix of a source say: names once, the file by its name, reasons where asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.read.toolkit import find_program
from bankwise.show.columns import table
from bankwise.show.page import Page
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

MINE = """\
__global__ void tr(const float *in, float *out, int n) {
  __shared__ __align__(16) float tile[64][32];
  int t = threadIdx.x;
  for (int i = 0; i < 2; i++) {
    int v = t + i * 256, r = v / 8, q = v % 8;
    *(float4 *)&tile[r][q * 4] = *(const float4 *)&in[r * n + q * 4];
  }
  __syncthreads();
  for (int i = 0; i < 8; i++) {
    int e = t + i * 256;
    out[e / 64 * n + e % 64] = tile[e % 64][e / 64];
  }
}
void go(float *a, float *b, int n) { tr<<<1, 256>>>(a, b, n); }
"""


@real
def test_fix_names_array_and_file_as_they_are_called_and_why_rows_are_longer(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.cu"
    file.write_text(MINE, "utf-8")
    for verb in ("fix", "check"):
        ended = bankwise(verb, file, "--target", "sm_90")
        said = " ".join(f"{ended.out} {ended.err}".split())
        assert "tile: rows of 32 become 32 + 4" in said
        assert "tile: tile:" not in said
        assert "kernel.cu" not in said
        assert "mine.cu -o mine.cubin" in said
        assert "one place changes; a fold takes as few passes and no bytes" in said


def test_of_a_table_only_rows_whose_last_text_does_not_fit_take_two_lines() -> None:
    page = Page(columns=40)
    titles = ("passes", "place", "instruction", "kernel")
    rows = [
        ("at most 256", "21:38", "LDS.64", "transpose<double, 16, 16>"),
        ("64", "40:12", "16 x LDS", "scan"),
    ]
    with page.capture() as found:
        table(page, titles, rows)
    assert found.get().splitlines() == [
        "     passes  place  instruction  kernel",
        "at most 256  21:38  LDS.64",
        "  transpose<double, 16, 16>",
        "         64  40:12  16 x LDS     scan",
    ]
