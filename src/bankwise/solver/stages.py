"""Stages put back: the answer of one tile, for as many as lie behind each other.

A shift of the whole tile rotates the banks and changes no conflict, so each stage begins where the
one before ends and keeps the same layout:

    offset = 1024 * stage + (32 * m + (n ^ 2 * m))
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from bankwise.algebra.offset import Dims
from bankwise.errors import Refusal
from bankwise.solver.answer import Answer
from bankwise.solver.fit import Fit
from bankwise.solver.plan import Plan, stage_pitch


def with_stages(answer: Answer, stages: Dims, lds_bytes: int) -> Answer | Refusal:
    """The answer with the leading dimensions ``stages`` (the outermost last) in every layout.

    A Refusal if all of them together take more than ``lds_bytes``: between them rows stay padded.
    """
    sizes = " x ".join(f"{name} ({size})" for name, size in reversed(stages))
    fits = {
        name: replace(fit, best=_staged(fit.best, stages)) if isinstance(fit, Fit) else fit
        for name, fit in answer.fits.items()
    }
    layout = _staged(answer.layout, stages)
    if layout.lds_bytes > lds_bytes:
        return Refusal(f"{layout.name}: {sizes} take {layout.lds_bytes} bytes of {lds_bytes}")
    front = (_staged(c, stages) for c in answer.front)
    return replace(
        answer,
        layout=layout,
        front=tuple(c for c in front if c.lds_bytes <= lds_bytes),
        fits=fits,
        notes=(*answer.notes, f"no access moves {sizes}: every layout is that of one of them"),
    )


def _staged(plan: Plan, stages: Dims) -> Plan:
    """Rows of the last stage keep their pad, too."""
    elements = stage_pitch(plan.shape, plan.layout) * prod(size for _, size in stages)
    return replace(plan, lds_bytes=plan.shape.bytes_of(elements), stages=stages)
