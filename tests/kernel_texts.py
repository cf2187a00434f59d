"""Kernel texts that the tests of the verbs share: the published Wave kernel and small ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
SOURCES = ROOT.parent / "shared" / "sources"

_XOR = re.compile(r"(%\w+) = arith\.xori (%\w+), %\w+ : index")


def wave_page() -> Path:
    """The page that publishes the hand-swizzled Wave GEMM; skips where it is not beside us."""
    found = sorted(SOURCES.glob("001_*.txt"))
    if not found:
        pytest.skip("the source documents are not beside this checkout")
    return found[0]


def naive_by_adding(page: str) -> str:
    """Every exclusive-or becomes an addition of zero: the same names, no swizzle."""
    changed, count = _XOR.subn(r"\1 = arith.addi \2, %c0 : index", page)
    assert count == 6
    return changed


def naive_by_renaming(page: str) -> str:
    """Every exclusive-or is deleted, and its first operand used in its place."""
    changed = page
    found = list(_XOR.finditer(page))
    assert len(found) == 6
    for match in found:
        changed = changed.replace(match[0], "")
        changed = re.sub(re.escape(match[1]) + r"(?!\w)", match[2], changed)
    return changed


SHARED = "memref<64x64xf16, #gpu.address_space<workgroup>>"

ROWS = """\
func.func @k(%in: memref<64x64xf16>, %out: memref<64x64xf16>) attributes {gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = gpu.thread_id x upper_bound 64
  %lds = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
  scf.for %i = %c0 to %c64 step %c8 {
    %v = vector.load %in[%t, %i] : memref<64x64xf16>, vector<8xf16>
    vector.store %v, %lds[%t, %i] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
  }
  gpu.barrier
  scf.for %i = %c0 to %c64 step %c8 {
    %v = vector.load %lds[%t, %i] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %v, %out[%t, %i] : memref<64x64xf16>, vector<8xf16>
  }
  return
}
"""  # noqa: E501
"""Thread t copies row t through shared memory: 8 lanes of each phase want the same four banks."""

STORE = f"vector.store %v, %lds[%t, %i] : {SHARED}, vector<8xf16>"
LOAD = f"%v = vector.load %lds[%t, %i] : {SHARED}, vector<8xf16>"


def changed(text: str, *pairs: tuple[str, str]) -> str:
    """The text with each first piece, which must be in it, replaced everywhere by the second."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def place_of(text: str, piece: str) -> tuple[int, int]:
    """Line and column, from 1, of the only place where ``piece`` stands."""
    assert text.count(piece) == 1, piece
    before = text[: text.index(piece)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def written(folder: Path, text: str, name: str = "k.mlir") -> Path:
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path
