"""Triton's own parser: [tile, element type, encoding] as JSON in, what it refuses out."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

MODULE = """#s = {encoding}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32}} {{
  tt.func @k() {{
    %0 = ttg.local_alloc : () -> !ttg.memdesc<{tile}x{element}, #s, #smem, mutable>
    tt.return
  }}
}}
"""


def refused(questions: list[tuple[list[int], str, str]]) -> list[str]:
    """The encodings that Triton does not take for a buffer of their tile."""
    from triton._C.libtriton import ir

    context = ir.context()
    ir.load_dialects(context)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "k.ttgir"
        for tile, element, encoding in questions:
            size = "x".join(map(str, tile))
            file.write_text(MODULE.format(encoding=encoding, tile=size, element=element))
            try:
                ir.parse_mlir_module(str(file), context)
            except RuntimeError as error:
                found.append(f"{encoding} on {size}x{element}: {error}")
    return found


if __name__ == "__main__":
    json.dump(refused(json.load(sys.stdin)), sys.stdout)
