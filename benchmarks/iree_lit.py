"""IREE's own tests as a yardstick of ``bankwise opt``: ``iree_lit.py DIR [FILE-PART ..]``.

    git clone https://github.com/iree-org/iree
    python benchmarks/iree_lit.py iree

Every file of the battery is split at its ``// -----`` lines. Each part goes through IREE's pass
(the ``iree-opt`` of the installed iree-base-compiler: what it does counts, not what the CHECK lines
of another version say) and through the pass here, and the two results are compared function by
function, by meaning: *places* of all elements (:mod:`lit_meaning`), the *text* after IREE's own
clean-up, or the *decision* that was made. Nothing of IREE is kept, copied or shipped.

    agrees         the same; or both refuse
    stricter       refused here with a reason, where IREE goes on
    further        done here, where IREE refuses
    differs        neither of these
    no counterpart what IREE's pass takes has no addresses yet (``linalg``, named copies)
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lit_modes import MODES, Battery, Row
from lit_texts import body, functions

SPLIT = re.compile(r"^// -----.*$", re.M)

_RESOLVE = (
    "iree-codegen-reinsert-swizzle-hints,iree-codegen-fold-memref-alias-ops,"
    "iree-codegen-propagate-constant-offsets,cse,iree-codegen-resolve-swizzle-hints,canonicalize,cse"
)

_LOWER = "iree-codegen-amdgpu-lower-coalesced-dma-to-gather-lds"

_ASYNC = "iree-codegen-amdgpu-lower-async-dma,cse,canonicalize"

_NO_ADDRESSES = "lowers a named copy, which has no addresses of threads yet"

_TENSORS = "decides on linalg operations, before there are threads"

BATTERY = (
    Battery(
        "Common/test/resolve_swizzle_hints.mlir",
        "iree-codegen-resolve-swizzle-hints,canonicalize,cse",
        ("resolve",),
    ),
    Battery("Common/test/reinsert_swizzle_hints.mlir", _RESOLVE, ("resolve",)),
    Battery(
        "Common/test/absorb_swizzle_hint_to_alloc.mlir",
        "iree-codegen-absorb-swizzle-hint-to-alloc",
        ("absorb",),
        "written",
    ),
    Battery(
        "Common/GPU/test/flatten_swizzle_hint_allocs.mlir",
        "iree-codegen-flatten-swizzle-hint-allocs",
        ("flatten",),
        "text",
    ),
    Battery(
        "Common/GPU/test/gpu_fold_swizzle_hint_ops.mlir",
        "iree-codegen-gpu-apply-tiling-level,canonicalize,cse",
        ("fold-hints",),
        "text",
    ),
    Battery(
        "Common/GPU/test/reduce_bank_conflicts.mlir",
        "iree-codegen-gpu-reduce-bank-conflicts{padding-bits=64}",
        ("pad",),
        "written",
        target="",
        options={"padding_bits": 64},
    ),
    Battery(
        "Common/GPU/test/transform_gpu_reduce_bank_conflicts.mlir",
        "",
        ("pad",),
        "written",
        options={"padding_bits": 64},
        flags=("--iree-transform-dialect-interpreter", "--iree-transform-dialect-drop-schedule"),
    ),
    Battery(
        "Common/GPU/test/gpu_vector_alloc.mlir",
        "iree-codegen-gpu-vector-alloc",
        ("materialise",),
        "text",
    ),
    Battery(
        "LLVMGPU/test/ROCDL/configure_buffer_instructions.mlir",
        "iree-rocdl-configure-buffer-instructions",
        ("buffer",),
        "buffers",
        flags=("--iree-gpu-test-target=gfx942",),
    ),
    Battery(
        "LLVMGPU/test/ROCDL/configure_buffer_instructions.mlir",
        "iree-rocdl-configure-buffer-instructions",
        ("buffer",),
        "buffers",
        target="sm_80",
        flags=("--iree-gpu-test-target=sm_80",),
    ),
    Battery(
        "Common/GPU/test/gpu_promote_matmul_operands.mlir",
        "iree-codegen-gpu-promote-matmul-operands,canonicalize",
        ("buffer",),
        "strides",
        options={"buffer": "wave"},
        only="promote_with_cache_swizzle",
        why=_TENSORS,
    ),
    Battery(
        "Common/GPU/test/amdgpu_lower_coalesced_dma_to_gather_lds.mlir",
        _LOWER,
        ("dma-swizzle",),
        "copies",
        target="gfx950",
        only="iree_codegen.swizzle_hint",
        why=_NO_ADDRESSES,
    ),
    Battery(
        "Common/GPU/test/amdgpu_lower_async_dma.mlir",
        _ASYNC,
        ("dma-swizzle",),
        "copies",
        target="gfx950",
        only="iree_codegen.swizzle_hint",
        why=_NO_ADDRESSES,
    ),
    Battery("Common/GPU/test/gpu_convert_to_coalesced_dma.mlir", "", why=_TENSORS),
    Battery("Common/GPU/test/gpu_lower_coalesced_dma_to_global_loads.mlir", "", why=_NO_ADDRESSES),
    Battery("LLVMGPU/test/pipeline_coalesced_dma.mlir", "", why=_NO_ADDRESSES),
    Battery("LLVMGPU/test/transform_dialect_promote_operands.mlir", "", why=_TENSORS),
    Battery(
        "LLVMGPU/test/ROCDL/buffer_instructions_optimization.mlir",
        "",
        why="simplifies masks; it looks at no place in memory",
    ),
    Battery("Dialect/GPU/IR/test/bufferize_async_dma.mlir", "", why=_NO_ADDRESSES),
)


def rows(battery: Battery, text: str) -> Iterator[Row]:
    """The functions of one part, compared."""
    places = functions(text)
    named = [name for name in places if not battery.only or battery.only in body(text, name)]
    for name in places:
        if not battery.ours or name not in named:
            yield Row(battery.file, name, "no counterpart", battery.why)
    if battery.ours and named:
        yield from MODES[battery.mode](battery, text, named)


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    root, wanted = Path(sys.argv[1]), sys.argv[2:]
    found: list[Row] = []
    for battery in BATTERY:
        if wanted and not any(part in battery.file for part in wanted):
            continue
        file = root / "compiler/src/iree/compiler/Codegen" / battery.file
        if not file.exists():
            print(f"{file}: no such file")
            return 2
        for part in SPLIT.split(file.read_text()):
            for row in rows(battery, part):
                found.append(row)
                if row.found != "no counterpart":
                    print(f"{Path(row.file).stem:36} {row.function:44} {row.found:9} {row.why}")
    report(found)
    return 0


def report(found: list[Row]) -> None:
    print()
    kinds = ("agrees", "stricter", "further", "differs", "no counterpart")
    print(f"{'file':46}" + "".join(f"{kind:>16}" for kind in kinds))
    for file in dict.fromkeys(row.file for row in found):
        count = Counter(row.found for row in found if row.file == file)
        print(f"{Path(file).stem:46}" + "".join(f"{count[kind]:16}" for kind in kinds))
    total = Counter(row.found for row in found)
    with_one = sum(total[kind] for kind in kinds[:-1])
    print(f"{'all':46}" + "".join(f"{total[kind]:16}" for kind in kinds))
    print(f"\n{total['agrees']} of {with_one} functions with a counterpart agree")


if __name__ == "__main__":
    raise SystemExit(main())
