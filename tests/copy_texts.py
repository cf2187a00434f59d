"""Kernels that copy rows to shared memory in lane order, with a source of any kind."""

from __future__ import annotations

_COPY = """\
func.func @k(%in: memref<512x64xf16>, %out: memref<512x64xf16>) attributes {gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 8, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c500 = arith.constant 500 : index
  %t = gpu.thread_id x upper_bound 64
  %b = gpu.block_id x upper_bound 8
  %lds = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
  scf.for %i = %c0 to %c64 step %c8 {
    %line = affine.apply affine_map<(d0)[s0, s1] -> (s0 floordiv 8 + d0 + s1 * 64)>(%i)[%t, %b]
    %chunk = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%t]
SOURCE
    amdgpu.gather_to_lds %in[%row, %col], %lds[%i, %c0] : vector<8xf16>, memref<512x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
  }
  amdgpu.memory_counter_wait load(0)
  gpu.barrier
  scf.for %i = %c0 to %c64 step %c8 {
    %v = vector.load %lds[%t, %i] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %o = affine.apply affine_map<()[s0, s1] -> (s0 * 64 + s1)>()[%b, %t]
    vector.store %v, %out[%o, %i] : memref<512x64xf16>, vector<8xf16>
  }
  return
}
"""  # noqa: E501
"""Eight lanes fill a row of 128 bytes; thread t then reads row t."""


def copying(*source: str) -> str:
    """The kernel with these lines, which make ``%row`` and ``%col`` of ``%line`` and ``%chunk``."""
    return _COPY.replace("SOURCE", "\n".join(f"    {line}" for line in source))


_SAME_ROW = "%row = arith.addi %line, %c0 : index"
_SAME_COLUMN = "%col = arith.addi %chunk, %c0 : index"

SOURCES = {
    "the chunk itself": (_SAME_ROW, _SAME_COLUMN),
    "a clamped row": ("%row = arith.minui %line, %c500 : index", _SAME_COLUMN),
    "a chunk that turns with the workgroup": (
        _SAME_ROW,
        "%turn = arith.muli %b, %c8 : index",
        "%far = arith.addi %chunk, %turn : index",
        "%col = arith.remui %far, %c64 : index",
    ),
    "a chunk that is xored with the workgroup": (
        _SAME_ROW,
        "%turn = arith.muli %b, %c8 : index",
        "%col = arith.xori %chunk, %turn : index",
    ),
    "a row of two digits": (
        "%place:2 = affine.delinearize_index %t into (8, 8) : index, index",
        "%row = affine.apply affine_map<(d0)[s0, s1] -> (s0 + d0 + s1 * 64)>(%i)[%place#0, %b]",
        "%col = arith.muli %place#1, %c8 : index",
    ),
    "a choice by lane": (
        "%left = arith.cmpi ult, %chunk, %c8 : index",
        "%last = arith.constant 511 : index",
        "%row = arith.select %left, %last, %line : index",
        _SAME_COLUMN,
    ),
}
"""What stands between the lane and its source: by addition alone only the first is fixed right."""

LOADED = (
    "%row = arith.addi %line, %c0 : index",
    "%seen = memref.load %in[%t, %c0] : memref<512x64xf16>",
    "%number = arith.fptosi %seen : f16 to i32",
    "%given = arith.index_cast %number : i32 to index",
    "%some = arith.remui %given, %c8 : index",
    "%col = arith.muli %some, %c8 : index",
)
"""A source that only the lane itself knows."""
