"""AMD assembly that real clang emits, run with values as terms: integers against NumPy, and
rewrites that are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from bankwise.change.simulate import amd
from bankwise.change.simulate.amd import AMD_SIMULATOR
from bankwise.change.simulate.launches import Simulated, SimulatedLaunch, compared
from bankwise.change.simulate.memory import POINTERS
from bankwise.errors import Refusal
from bankwise.read.amd.parse import kernel_names
from bankwise.read.hip.language import HIP
from bankwise.read.source import Compilation
from test_fix_hip import KERNELS, needs


@pytest.fixture(scope="module", autouse=True)
def _compiler() -> None:
    needs("gfx942")


def emitted(text: str, folder: Path) -> str:
    path = folder / "k.hip"
    path.write_text(text)
    return HIP.emitted(Compilation(path, "gfx942", text=text))


def launched(block: tuple[int, int, int], *numbers: int | None) -> SimulatedLaunch:
    return SimulatedLaunch(block, (3, 2, 1), numbers, 64, ((2, 1, 0),), 0)


def words(text: str, folder: Path, setting: SimulatedLaunch) -> dict[int, int]:
    """What a kernel writes behind its first pointer, by index of an int."""
    assembly = emitted(text, folder)
    (name,) = kernel_names(assembly)
    found, _ = AMD_SIMULATOR.written(assembly, name, setting, setting.blocks[0], 1)
    return {at - POINTERS // 4: word for at, word in found.items()}


HEAD = "__global__ void k(unsigned* o, int n) {\n  int t = threadIdx.x, b = blockIdx.x;\n"


def test_integers_are_what_numpy_makes_of_them(tmp_path: Path) -> None:
    """Divisions by a number of the launch, products of 64 bits, shifts, a loop that some leave."""
    text = f"""{HEAD}
  unsigned x = t * 2654435761u + b * n, q = x / n, r = x % n;
  unsigned long long wide = (unsigned long long)x * q;
  int steps = 0;
  for (unsigned y = x >> 24; y > 3; y = y * 3 >> 2) ++steps;
  o[t] = q ^ r << 7 ^ unsigned(wide >> 32) ^ __popc(x) ^ steps << 20 ^ (int(x) >> 3);
}}"""
    found = words(text, tmp_path, launched((128, 1, 1), None, 77))
    t = np.arange(128, dtype=np.uint64)
    x = (t * 2654435761 + 2 * 77) % 2**32
    q, r = x // 77, x % 77
    steps = []
    for value in (x >> 24).tolist():
        count = 0
        while value > 3:
            value, count = value * 3 >> 2, count + 1
        steps.append(count)
    ones = np.array([int(n).bit_count() for n in x])
    signed = (x.astype(np.uint32).view(np.int32) >> 3).view(np.uint32)
    want = q ^ r << 7 ^ (x * q >> 32) ^ ones.astype(np.uint64) ^ signed
    want = (want ^ np.array(steps, np.uint64) << 20) % 2**32
    assert found == dict(enumerate(want.tolist()))


def test_shared_memory_and_exchanges_move_what_they_should(tmp_path: Path) -> None:
    text = f"""{HEAD}
  __shared__ unsigned s[4][64];
  __shared__ unsigned char c[256];
  __shared__ unsigned sum;
  if (!t) sum = 5;
  s[t & 3][t >> 2] = t * 7;
  c[255 - t] = t;
  __syncthreads();
  atomicAdd(&sum, t);
  unsigned v = s[t >> 6][t & 63];
  if (t & 1) v += __shfl_xor(v, 1) + c[t];
  __syncthreads();
  o[blockIdx.y * 1000 + t] = v + n * sum + gridDim.x + blockDim.x;
}}"""
    found = words(text, tmp_path, launched((256, 1, 1), None, 3))
    t = np.arange(256)
    v = (np.arange(64) * 4 + np.arange(4)[:, None]).reshape(-1) * 7
    both = np.where(t & 1, v + v[t & ~1] + (255 - t), v)
    # The neighbour of an odd lane does not run where it asks: it gives nothing.
    alone = np.where(t & 1, v + (255 - t), v)
    total = 5 + int(t.sum())
    seen = np.array([found[1000 + n] for n in range(256)]) - 3 * total - 3 - 256
    assert (seen == both).all() or (seen == alone).all()


@pytest.mark.parametrize("array", ["extern __shared__ int s[];", "__shared__ int s[256];"])
def test_shared_memory_of_which_nobody_says_the_size_is_there(array: str, tmp_path: Path) -> None:
    text = f"""{HEAD}
  {array}
  s[t] = t * 3;
  __syncthreads();
  o[t] = s[n - 1 - t];
}}"""
    found = words(text, tmp_path, launched((128, 1, 1), None, 128))
    assert found == {t: 3 * (127 - t) for t in range(128)}


def test_a_kernel_that_reads_what_nobody_wrote_shows_it(tmp_path: Path) -> None:
    text = f"{HEAD} __shared__ unsigned s[65]; s[t] = t; __syncthreads(); o[t] = s[t + n]; }}"
    assembly = emitted(text, tmp_path)
    (name,) = kernel_names(assembly)
    for n, differs in ((0, False), (1, True)):
        setting = launched((64, 1, 1), None, n)
        told = compared(AMD_SIMULATOR, assembly, assembly, name, [setting])
        assert isinstance(told, Simulated)
        assert bool(told.differs) == differs


@pytest.mark.parametrize(
    ("name", "block", "good", "bad"),
    [
        (
            "transpose_f32",
            (32, 8, 1),
            [("tile[32][32]", "tile[32][33]")],
            [("tile[threadIdx.x][", "tile[threadIdx.x ^ 1][")],
        ),
        (
            "transpose_flat",
            (32, 8, 1),
            [],
            [
                (
                    "(threadIdx.y + j) * 32 + threadIdx.x]",
                    "(threadIdx.y + j) * 32 + threadIdx.x ^ 3]",
                )
            ],
        ),
        (
            "gemm_transposed_a",
            (256, 1, 1),
            [("sA[16][64]", "sA[16][68]")],
            [("&sA[k][ty", "&sA[k ^ 1][ty")],
        ),
        ("gemm_float4", (16, 16, 1), [("Bs[64][32]", "Bs[64][36]")], [("As[ty * 4", "As[tx * 4")]),
        ("fft_stride", (64, 1, 1), [("[16]", "[18]")], [("[64][18]", "[66][15]")]),
    ],
)
def test_a_rewrite_that_is_wrong_writes_other_terms(
    name: str,
    block: tuple[int, int, int],
    good: list[tuple[str, str]],
    bad: list[tuple[str, str]],
    tmp_path: Path,
) -> None:
    text = (KERNELS / f"{name}.cu").read_text()
    before = emitted(text, tmp_path)
    (kernel,) = kernel_names(before)
    setting = launched(block)
    for edits, wrong in ((good, False), (good + bad, True)):
        new = text
        for old, put in edits:
            assert old in new
            new = new.replace(old, put, 1)
        told = compared(AMD_SIMULATOR, before, emitted(new, tmp_path), kernel, [setting])
        assert isinstance(told, Simulated), told
        assert bool(told.differs) == wrong


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "unsigned a[64]; for (int i = 0; i < n; ++i) a[i * t & 63] = i; o[t] = a[n];",
            "private memory",
        ),
        ("while (o[t] != 7) __syncthreads();", "takes more than"),
    ],
)
def test_what_is_not_simulated_is_named(
    body: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amd, "MOST_STEPS", 5_000)
    assembly = emitted(f"{HEAD}{body}}}", tmp_path)
    (name,) = kernel_names(assembly)
    told = compared(AMD_SIMULATOR, assembly, assembly, name, [launched((64, 1, 1))])
    assert isinstance(told, Refusal)
    assert re.search(why, told.reason), told


TABLE = """
__constant__ unsigned table[64] = {1, 2, 3};
__constant__ unsigned other[64] = {4, 5, 6};
extern "C" __global__ void k(unsigned* o) { o[threadIdx.x] = table[threadIdx.x]; }
"""


@pytest.mark.parametrize(
    ("old", "new"), [("= table[", "= other["), ("{1, 2, 3}", "{1, 2, 4}"), ("k(", "k(")]
)
def test_a_table_in_constant_memory_is_its_name_and_its_contents(
    old: str, new: str, tmp_path: Path
) -> None:
    """Each lane reads a place of its own; another table, or another number in it, is seen."""
    before, after = (emitted(text, tmp_path) for text in (TABLE, TABLE.replace(old, new)))
    assert "s_getpc_b64" in before
    found = compared(AMD_SIMULATOR, before, after, "k", [launched((64, 1, 1))])
    assert isinstance(found, Simulated)
    assert bool(found.differs) == (old != new)
    written, _ = AMD_SIMULATOR.written(before, "k", launched((64, 1, 1)), (0, 0, 0), 1)
    assert len(set(written.values())) == len(written) == 64
