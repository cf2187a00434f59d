"""A right fix made wrong is not proved: a number, an operand, an operation, a line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
pytest.importorskip("bankwise.change.prove", reason="nothing judges them without it")

from adversarial.claims import accepted, judged, proved
from adversarial.kernel import AdversarialKernel
from adversarial.kinds import every_kernel

EVERY = bool(os.environ.get("BANKWISE_ADVERSARIES"))
"""Set: all kinds, and more corruptions of each fix."""
_KINDS = (
    "plain",
    "dma_linear",
    "dma_rem",
    "block_floordiv_3",
    "dim_argument",
    "flat_cast",
    "mask_of_column",
    "negative_values",
    "select_by_thread",
    "stages",
)


def chosen() -> list[AdversarialKernel]:
    """The first fixable kernel of each kind."""
    first = {k.kind: k for k in reversed(every_kernel()) if k.fixable}
    return [k for kind, k in first.items() if EVERY or kind in _KINDS]


@pytest.mark.parametrize("kernel", chosen(), ids=lambda kernel: kernel.name)
def test_a_corrupted_fix_is_rejected(kernel: AdversarialKernel, tmp_path: Path) -> None:
    inside, outside = (10, 6) if EVERY else (4, 2)
    fixes = list(proved(kernel, tmp_path))
    assert fixes or EVERY, "this one used to be fixed"
    for fix in fixes:
        assert accepted(fix, fix.fixed)
        found = list(judged(fix, inside, outside))
        assert found, "no corruption of this fix computes anything else"
        wrongly = [one.name for one, agreed in found if agreed]
        assert not wrongly, wrongly
