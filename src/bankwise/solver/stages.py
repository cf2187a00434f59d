"""Stages put back: the answer of one tile, for as many as lie behind each other.

A shift of the whole tile rotates the banks and changes no conflict, so each stage begins where the
one before ends and keeps the same layout:

    offset = 1024 * stage + (32 * m + (n ^ 2 * m))
"""

from __future__ import annotations

from msgspec.structs import replace

from bankwise.algebra.offset import Dims
from bankwise.errors import Refusal
from bankwise.solver.answer import Answer
from bankwise.solver.plan import staged


def with_stages(answer: Answer, stages: Dims, lds_bytes: int) -> Answer | Refusal:
    """The answer with the leading dimensions ``stages`` (the outermost last) in every layout.

    A Refusal if all of them together take more than ``lds_bytes``: between them rows stay padded.
    """
    sizes = " x ".join(f"{name} ({size})" for name, size in reversed(stages))
    layout = staged(answer.layout, stages)
    if layout.lds_bytes > lds_bytes:
        return Refusal(f"{layout.name}: {sizes} take {layout.lds_bytes} bytes of {lds_bytes}")
    notes = (*answer.notes, f"no access moves {sizes}: every layout is that of one of them")
    return replace(answer, layout=layout, stages=stages, notes=notes)
