"""What wave-lang 3.9 lets a user set of the places of a tile in shared memory, as Python.

Nothing says a layout. A promoted tile (a ``Memory`` in ``SHARED_ADDRESS_SPACE`` that the kernel
reads) is padded by 64 bits, whatever the kernel, in ``apply_padding`` of ``wave/promotion.py``,
which may be replaced. A text that was compiled elsewhere goes in by ``override_mlir``.
Source: wave-lang 3.9.1 (``wave/promotion.py``, ``wave/compile.py``, ``wave/compile_options.py``).
"""

from __future__ import annotations

HOST_FUNCTION = "func.func @isolated_benchmark"
"""What Wave writes around its kernels, if nobody names it otherwise (``func_name``)."""

PROMOTED_BITS = 64
"""Bits behind each row of a tile that Wave promotes."""

OVERRIDE = (
    "Wave compiles this in place of its own text: WaveCompileOptions(override_mlir=..), with "
    "WAVE_CACHE_ON=0; its Python has no parameter for a layout (docs/fix.md)"
)

EMITTED = (
    "not compiled: rows of another pitch may let the compiler join other accesses; "
    "`bankwise check --isa` of what Wave prints then decides"
)
"""What a count of loads and stores leaves open of another padding."""


def padding_statement(bits: int) -> str:
    """A statement after which every promoted tile has so many bits behind each row."""
    pad = f"{bits} // dtype.bitwidth()"
    padded = f"({pad}, (*shape[:-1], shape[-1] + {pad}))" if bits else "(0, shape)"
    module = "from wave_lang.kernel.wave import promotion"
    return f"{module}; promotion.apply_padding = lambda shape, dtype: {padded}"
