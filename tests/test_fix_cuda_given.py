"""``bankwise fix`` of arrays whose bytes the launch gives: ``extern __shared__``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.change.simulate.launches import SimulatedLaunch, compared
from bankwise.change.simulate.ptx import PTX_SIMULATOR
from bankwise.errors import Refusal
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import parse
from bankwise.read.toolkit import find_program
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
ROWS = """
__global__ void k(const float *in, float *out, int n) {
  extern __shared__ float tile[][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
"""
FLAT = (
    ROWS.replace("tile[][32]", "tile[]")
    .replace("tile[threadIdx.y][threadIdx.x]", "tile[threadIdx.y * 32 + threadIdx.x]")
    .replace("tile[threadIdx.x][threadIdx.y]", "tile[threadIdx.x * 32 + threadIdx.y]")
)
KNOWN = ("--launch", "k<<<(4, 4), (32, 32), 4096>>>(_, _, 128)")
UNKNOWN = ("--workgroup-size", "32,32")


@pytest.fixture
def fixed(tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    def of(text: str, *options: str) -> tuple[int, dict[str, Any]]:
        path = tmp_path / "k.cu"
        path.write_text(text)
        words = ("fix", str(path), "-t", "sm_90", "--format", "json", "--accept-sampled")
        done = bankwise(*words, *options)
        return done.code, json.loads(done.out)

    return of


@real
@pytest.mark.parametrize("options", [KNOWN, UNKNOWN])
def test_rows_are_folded_and_never_longer_than_what_the_launch_gives(
    fixed: Callable[..., tuple[int, dict[str, Any]]], options: tuple[str, ...]
) -> None:
    """32 rows of 33 floats are 4,224 bytes, and there are 4,096. A fold stays in its row, so that
    it holds whatever the launch gives."""
    code, answer = fixed(ROWS, *options)
    assert code == 0
    assert "tile[][32];" in answer["patch"]
    assert "+  tile[threadIdx.y][threadIdx.x ^ (threadIdx.y & 31)]" in answer["patch"]
    assert answer["after"]["kernels"][0]["totals"]["run"]["extra"] == 0
    assert "; a launch gives whole rows of tile" in answer["verdicts"][0]["detail"]


@real
def test_a_flat_array_of_unknown_size_is_proved_for_what_its_accesses_reach(
    fixed: Callable[..., tuple[int, dict[str, Any]]],
) -> None:
    code, answer = fixed(FLAT, *UNKNOWN)
    assert code == 3
    assert "32 + threadIdx.x) >> 5 & 31" in answer["patch"]
    (proof,) = [one for one in answer["verdicts"] if one["judge"] == "proof"]
    assert "what the launch gives tile is known of this launch alone" in proof["detail"]


def test_no_proof_takes_longer_rows_than_the_launch_gives() -> None:
    longer = ROWS.replace("tile[][32]", "tile[][32 + 1]")
    size = ArraySize(4096, 4, (0, 32), 4, 0)
    claim = ArrayClaim(0, "tile", (), 1, (size,))
    told = prove_text(parse(ROWS, "k.cu"), parse(longer, "k.cu"), [claim])
    assert isinstance(told, Refusal)
    assert "is not its own" in told.reason


STORE = """.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 given[];
.visible .entry k(.param .u64 a) {{
  .shared .align 4 .b8 own[64];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, given;
  add.s32 %r4, %r3, %r2;
  st.shared.u32 [%r4+{more}], %r1;
  ret;
}}
"""


@pytest.mark.parametrize(("more", "inside"), [(0, True), (-4, False), (-64, False), (4, False)])
def test_what_is_simulated_reaches_no_byte_beyond_what_the_launch_gives(
    more: int, inside: bool
) -> None:
    """32 threads of 4 bytes, and the launch gives 128: what is declared is another variable."""
    setting = SimulatedLaunch((32, 1, 1), (1, 1, 1), (), 64, ((0, 0, 0),), 128)
    text = STORE.format(more=more)
    told = compared(PTX_SIMULATOR, text, text, "k", [setting])
    assert isinstance(told, Refusal) != inside


TAG = """
struct Tag {};
__global__ void k(float *o, const float *a, Tag, int n) {
  __shared__ float s[32][32];
  for (int j = 0; j < 32; ++j) s[j][threadIdx.x] = a[j * 32 + threadIdx.x];
  __syncthreads();
  for (int j = 0; j < 32; ++j) o[j * 32 + threadIdx.x + n] = s[threadIdx.x][j];
}
void go(float *o, const float *a) { k<<<1, 32>>>(o, a, Tag{}, 0); }
"""


@real
def test_an_empty_structure_is_a_parameter_of_which_nothing_is_read(
    fixed: Callable[..., tuple[int, dict[str, Any]]],
) -> None:
    code, answer = fixed(TAG)
    assert code == 0
    assert {one["judge"]: one["status"] for one in answer["verdicts"]}["execution"] == "passed"


def test_a_folder_that_is_not_there_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the compiler runs, of which there is none here."""
    monkeypatch.setenv("PATH", str(tmp_path))
    file, out = tmp_path / "k.cu", tmp_path / "nowhere" / "k.cu"
    file.write_text(ROWS)
    done = bankwise("fix", str(file), "-t", "sm_90", "-o", str(out))
    assert (done.code, done.out) == (2, "")
    assert f"{out}: cannot be written: there is no folder {out.parent}" in done.err
    assert f"hint: mkdir -p {out.parent}" in done.err
