"""Rows that were padded by hand: what they would take without the padding is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

PADDED = """\
__global__ void t(const float *in, float *out, int n) {
  __shared__ float s[16][LONG];
  int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[y * n + x];
  __syncthreads();
  out[y * n + x] = LAST;
}
void go(float *a, float *b, int n) { t<<<1, dim3(16, 16)>>>(a, b, n); }
"""


def passes(long: int, fold: bool) -> int:
    """Of the block of 16 x 16, 8 warps of two rows each, by the words of every bank."""
    total = 0
    for warp in range(8):
        lanes = [(x, y) for y in (2 * warp, 2 * warp + 1) for x in range(16)]
        for places in ([(y, x) for x, y in lanes], lanes):
            words = [r * long + (c ^ r if fold else c) for r, c in places]
            total += max(len({w for w in words if w % 32 == bank}) for bank in range(32))
    return total


def written(folder: Path, long: int, last: str = "s[x][y]") -> Path:
    file = folder / "t.cu"
    file.write_text(PADDED.replace("LONG", str(long)).replace("LAST", last), "utf-8")
    return file


def test_a_fold_without_the_padding_is_named_where_it_takes_fewer_passes(tmp_path: Path) -> None:
    file = written(tmp_path, 17)
    told = f"it takes {passes(16, True)} passes and 64 bytes less"
    assert (passes(17, False), passes(18, False), passes(16, True)) == (32, 24, 16)
    for verb in ("fix", "check"):
        said = bankwise(verb, file, "--target", "sm_90")
        text = " ".join(f"{said.out} {said.err}".split())
        assert "s: 16 of the 17 elements of each row are touched: as s[16][16]" in text
        assert f"with s[r][c] -> s[r][c ^ (r & 15)], {told}: remove the padding" in text


@pytest.mark.parametrize(("long", "last"), [(16, "s[x][y]"), (17, "s[x][y + 1]")])
def test_rows_that_are_touched_to_their_end_have_no_padding(
    tmp_path: Path, long: int, last: str
) -> None:
    said = bankwise("fix", written(tmp_path, long, last), "--target", "sm_90")
    assert "remove the padding" not in " ".join(said.err.split())
