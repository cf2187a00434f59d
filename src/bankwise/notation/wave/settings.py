"""What wave-lang 3.9 lets a user set of the places of a tile in shared memory, as Python.

Nothing says a layout. A promoted tile (a ``Memory`` in ``SHARED_ADDRESS_SPACE`` that the kernel
reads) is padded by 64 bits, whatever the kernel, in ``apply_padding`` of ``wave/promotion.py``,
which may be replaced. A text that was compiled elsewhere goes in by ``override_mlir``.
Source: wave-lang 3.9.1 (``wave/promotion.py``, ``wave/compile.py``, ``wave/compile_options.py``).
"""

from __future__ import annotations

import json

HOST_FUNCTION = "func.func @isolated_benchmark"
"""What Wave writes around its kernels, if nobody names it otherwise (``func_name``)."""

PROMOTED_BITS = 64
"""Bits behind each row of a tile that Wave promotes."""

NOT_COMPILED = "paddings that Wave's Python can set are compared by their code: without --no-isa"


def override(file: str) -> str:
    """How a patched text gets into Wave. ``file``: where it is written, or would be."""
    return f"""\
the patched text (-o {file}) goes to Wave in place of its own, with
the environment variable WAVE_CACHE_ON=0 (its Python cannot say a layout):
WaveCompileOptions(.., override_mlir=open({json.dumps(file)}).read())"""


def padding_statement(bits: int) -> str:
    """Statements after which every promoted tile has so many bits behind each row; lines to paste
    before ``wave_compile``."""
    return f"""\
from wave_lang.kernel.wave import promotion
def apply_padding(shape, dtype):
    pad = {bits} // dtype.bitwidth()
    return pad, (*shape[:-1], shape[-1] + pad)
promotion.apply_padding = apply_padding"""
