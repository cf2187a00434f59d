"""Matrices stay where wmma takes them: whichever array grows, with a real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.ask.matrices_placed import misplaced
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import sizes
from bankwise.read.cxx.tree import parse
from bankwise.read.source import Compilation
from bankwise.read.sources import language_of
from bankwise.read.toolkit import find_program

pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

TEXT = """#include <mma.h>
using namespace nvcuda;
__global__ void k(float* o, const half* in) {
  __shared__ half r[16];
  __shared__ half s[16][16];
  int t = threadIdx.x;
  r[t % 16] = in[t];
  for (int i = t; i < 256; i += 32) s[i / 16][i % 16] = in[i];
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::load_matrix_sync(a, &s[0][0], 16);
  o[t] = (float)r[15 - t % 16] + (float)a.x[0];
}
"""


@pytest.mark.parametrize(("halves", "moved"), [(16, False), (32, False), (24, True), (17, True)])
def test_an_array_that_grows_may_move_the_matrices_behind_it(
    tmp_path: Path, halves: int, moved: bool
) -> None:
    """``r`` of 16 halves takes 32 bytes; of 24 it leaves ``s`` at byte 48, if that is behind."""
    path = tmp_path / "k.cu"
    path.write_text(TEXT)
    what = Compilation(path, "sm_90")
    after = TEXT.replace("half r[16]", f"half r[{halves}]")
    found = misplaced(parse(TEXT, "k.cu"), parse(after, "k.cu"), language_of(what), what)
    assert found == ("s begins at a multiple of 32 bytes no more, and matrices in it do" * moved)


@pytest.mark.parametrize("said", ["qk[w][0]", "(float*) &qk[w][0][0]", "&qk[w][0][0]"])
def test_in_which_rows_matrices_begin_is_asked_of_rows_by_themselves(
    tmp_path: Path, said: str
) -> None:
    text = f"""#include <mma.h>
using namespace nvcuda;
__global__ void k(float* o) {{
  __shared__ float qk[4][8][32];
  const int w = threadIdx.y * 3;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> f;
  wmma::store_matrix_sync({said}, f, 32, wmma::mem_row_major);
  o[threadIdx.x] = qk[w][0][threadIdx.x];
}}
"""
    path = tmp_path / "k.cu"
    path.write_text(text)
    source, what = parse(text, "k.cu"), Compilation(path, "sm_80")
    arrays = shared_arrays(source)
    found = sizes(source, arrays, language_of(what), what)
    assert not isinstance(found, Refusal)
    (one,) = found.values()
    (moved,) = (n for n, use in enumerate(arrays[0].uses) if use.strides)
    assert one[0].row_facts(moved) == (3, 0)
