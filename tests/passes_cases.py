"""Kernels and helpers that the tests of the passes share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bankwise.change.passes.lowered import lower
from bankwise.change.passes.values import PassOptions
from bankwise.read.mlir.module import Opened, open_text
from run_mlir import random, run

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data"
LDS = "#gpu.address_space<workgroup>"
GFX942 = PassOptions("gfx942")
GFX950 = PassOptions("gfx950")


def text_of(path: str) -> str:
    return (ROOT / path).read_text()


def opened(text: str) -> Opened:
    return open_text(text, "k.mlir", isolated=False)


def roundtrip(
    hint: str,
    *,
    width: int = 8,
    read_width: int = 8,
    element: str = "f16",
    size: int = 4096,
    start: int = 0,
) -> str:
    """64 threads copy a buffer through shared memory: rows go in, and come out again.

    ``hint``: the text of the swizzle; ``start``: an element added to all places in shared memory.
    """
    per_thread = (size - start) // 64 // 8 * 8
    t, s = f"memref<{size}x{element}, {LDS}>", f"memref<{64 * per_thread}x{element}>"
    return f"""\
func.func @k(%in: {s}, %out: {s})
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %w = arith.constant {width} : index
  %r = arith.constant {read_width} : index
  %n = arith.constant {per_thread} : index
  %lds = memref.alloc() : {t}
  %h = iree_codegen.swizzle_hint %lds[{hint}] : {t}
  %t = gpu.thread_id x upper_bound 64
  scf.for %i = %c0 to %n step %w {{
    %g = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * {per_thread})>()[%i, %t]
    %l = affine.apply affine_map<()[s0] -> (s0 + {start})>()[%g]
    %v = vector.load %in[%g] : {s}, vector<{width}x{element}>
    vector.store %v, %h[%l] : {t}, vector<{width}x{element}>
  }}
  gpu.barrier
  scf.for %i = %c0 to %n step %r {{
    %g = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * {per_thread})>()[%i, %t]
    %l = affine.apply affine_map<()[s0] -> (s0 + {start})>()[%g]
    %v = vector.load %h[%l] : {t}, vector<{read_width}x{element}>
    vector.store %v, %out[%g] : {s}, vector<{read_width}x{element}>
  }}
  return
}}
"""


def places(module: Opened, launch: PassOptions = GFX942) -> list[Any]:
    """The first bytes of every access of the only kernel, in program order; [waves, lanes] each."""
    (kernel,) = lower(module, launch)
    assert kernel.extraction.refusals == ()
    return [
        pattern.offsets_bytes.tolist()
        for site in kernel.extraction.accesses
        for pattern in site.access.patterns
    ]


def same_results(before: str, after: str, size: Any = 64, grid: Any = (1, 1, 1)) -> bool:
    """Whether both kernels leave the same bits in all buffers, without a fault."""
    one = random(before)
    two = [buffer.copy() for buffer in one]
    first, second = (
        run(text, *buffers, size=size, grid=grid, workgroups=[(0, 0, 0)])
        for text, buffers in ((before, one), (after, two))
    )
    assert first.faults == ()
    assert second.faults == ()
    return all((a.view("u1") == b.view("u1")).all() for a, b in zip(one, two, strict=True))
