"""What wave-lang 3.9 lets a user set of the places of a tile in shared memory, as Python.

Nothing says a layout. A promoted tile (a ``Memory`` in ``SHARED_ADDRESS_SPACE`` that the kernel
reads) is padded by 64 bits, whatever the kernel, in ``apply_padding`` of ``wave/promotion.py``,
which may be replaced. A text that was compiled elsewhere goes in by ``override_mlir``.
Source: wave-lang 3.9.1 (``wave/promotion.py``, ``wave/compile.py``, ``wave/compile_options.py``).
"""

from __future__ import annotations

import json

PROMOTED_BITS = 64
"""Bits behind each row of a tile that Wave promotes."""

NOT_COMPILED = "paddings that Wave's Python can set are compared by their code: without --no-isa"


def override(file: str) -> str:
    """How a patched text gets into Wave. ``file``: where it is then."""
    return f"""\
the patched text goes to Wave in place of its own (its Python cannot say a
layout); with the environment variable WAVE_CACHE_ON=0, and without
compile_to_mlir=True, which makes no code of it; before wave_compile:
{_taken(file)}"""


OWN_CODE = """\
options.dump_intermediates="code" beside it leaves Wave's code of the text in
that folder: `bankwise check code`"""
"""How one looks at what Wave itself makes of a patched text."""


def counted_by_wave(file: str, compiler: str, refused: str = "") -> str:
    """How the code of a text is counted that Wave's own compiler makes. ``compiler``: who made the
    code that was counted; ``refused``: the command that writes ``file`` where that code refused
    it, "" where it stands anyway."""
    writes = f"`{refused}` writes the layout that was refused.\n" if refused else ""
    return f"""\
{compiler} made the code that was counted; Wave has a compiler of its
own, which may join other accesses. fix asks that one where its environment is
active, or named: --iree-compile PATH. Or Wave compiles it, without a GPU:
{writes}{_taken(file)}
options.compile_to_mlir = False
options.dump_intermediates = "code"
and then, after wave_compile: bankwise check code"""


def _taken(file: str) -> str:
    """A statement without blanks: no terminal breaks it."""
    return f"options.override_mlir=open({json.dumps(file, ensure_ascii=False)}).read()"


def padding_statement(bits: int) -> str:
    """Statements after which every promoted tile has so many bits behind each row; lines to paste
    before ``wave_compile``."""
    return f"""\
from wave_lang.kernel.wave import promotion
def apply_padding(shape, dtype):
    pad = {bits} // dtype.bitwidth()
    return pad, (*shape[:-1], shape[-1] + pad)
promotion.apply_padding = apply_padding"""
