"""Ask the compiler which LDS instructions an access becomes, and write the answers as JSON.

    python tests/data/make_widths.py > tests/data/widths_gfx9.json

One kernel per (element type, bytes per lane, alignment): every lane stores a vector to its own LDS
row and loads it back. The row pitch is 128 bytes plus the alignment, so that the alignment is all
that the compiler can prove. Needs iree-base-compiler (pinned in pyproject.toml).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bankwise.change.compile.compilers import own_compiler
from bankwise.read.amd.listing import listings
from bankwise.read.emitted import Listing

TARGETS = ("gfx942", "gfx950")
ELEMENT_BYTES = {"i8": 1, "f16": 2, "f32": 4}
WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 48, 64)
ALIGNMENTS = (1, 2, 4, 8, 16)
COLUMNS = ("target", "element", "width_bytes", "alignment_bytes", "direction", "instructions")

LAYOUT = "<bindings = [{0}, {0}]>".format("#hal.pipeline.binding<storage_buffer>")

EXPORT = """
hal.executable.export public @{name} ordinal({ordinal})
    layout(#hal.pipeline.layout{layout}) count(%d: !hal.device) -> (index, index, index) {{
  %c1 = arith.constant 1 : index
  hal.return %c1, %c1, %c1 : index, index, index
}}
"""
KERNEL = """
func.func @{name}() attributes {{translation_info = #t}} {{
  %c0 = arith.constant 0 : index
  %in = hal.interface.binding.subspan layout({layout}) binding(0) : {buffer}
  %out = hal.interface.binding.subspan layout({layout}) binding(1) : {buffer}
  %lds = memref.alloc() : {lds}
  %t = gpu.thread_id x upper_bound 64
  %v = vector.load %in[%t, %c0] : {buffer}, {vector}
  vector.store %v, %lds[%t, %c0] : {lds}, {vector}
  gpu.barrier
  %w = vector.load %lds[%t, %c0] : {lds}, {vector}
  vector.store %w, %out[%t, %c0] : {buffer}, {vector}
  return
}}
"""
MODULE = """
#t = #iree_codegen.translation_info<
    pipeline = #iree_codegen.no_pipeline workgroup_size = [64, 1, 1] subgroup_size = 64>
hal.executable.source public @widths {{ {exports} builtin.module {{ {kernels} }} }}
"""

Case = tuple[str, int, int]


def cases() -> list[Case]:
    """(element type, bytes per lane, alignment) of whole elements."""
    return [
        (element, width, alignment)
        for element, size in ELEMENT_BYTES.items()
        for width in WIDTHS
        for alignment in ALIGNMENTS
        if width % size == 0 and alignment % size == 0
    ]


def name(case: Case) -> str:
    return "{}_{}_{}".format(*case)


def kernel(case: Case) -> str:
    element, width, alignment = case
    size = ELEMENT_BYTES[element]
    pitch = (128 + alignment) // size
    return KERNEL.format(
        name=name(case),
        layout=LAYOUT,
        buffer=f"memref<64x{width // size}x{element}>",
        lds=f"memref<64x{pitch}x{element}, #gpu.address_space<workgroup>>",
        vector=f"vector<{width // size}x{element}>",
    )


def compiled(target: str, wanted: Sequence[Case]) -> dict[str, Listing]:
    """The listing of every kernel, by its name."""
    exports = (
        EXPORT.format(name=name(case), ordinal=i, layout=LAYOUT) for i, case in enumerate(wanted)
    )
    text = MODULE.format(exports="".join(exports), kernels="".join(map(kernel, wanted)))
    with TemporaryDirectory() as folder:
        Path(folder, "widths.mlir").write_text(text, "utf-8")
        command = [str(own_compiler().program), "widths.mlir", "--iree-hal-target-backends=rocm"]
        command += [f"--iree-rocm-target={target}", "-o=widths.vmfb"]
        command += ["--iree-hal-dump-executable-intermediates-to=out"]
        subprocess.run(command, cwd=folder, check=True)
        (assembly,) = Path(folder, "out").glob("*.rocmasm")
        return {listing.kernel: listing for listing in listings(assembly.read_text("utf-8"))}


def answers(listing: Listing) -> list[list[str]]:
    """The instructions of the load and of the store, as "name@first byte", in ascending order."""
    return [
        [
            f"{name}@{at}"
            for at, name in sorted((i.offsets_bytes[0], i.name) for i in listing.shared)
            if name.startswith(stem)
        ]
        for stem in ("ds_read", "ds_write")
    ]


def main() -> None:
    rows = []
    for target in TARGETS:
        listings = compiled(target, cases())
        for case in cases():
            both = zip(("read", "write"), answers(listings[name(case)]), strict=True)
            rows += [[target, *case, direction, said] for direction, said in both]
    body = ",\n".join("  " + json.dumps(row) for row in rows)
    sys.stdout.write(f'{{"columns": {json.dumps(COLUMNS)},\n "rows": [\n{body}\n]}}\n')


if __name__ == "__main__":
    main()
