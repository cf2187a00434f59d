"""A right fix made wrong is not proved: a number, an operand, an operation, a line."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
pytest.importorskip("bankwise.change.prove", reason="nothing judges them without it")

from adversarial.claims import accepted, judged, proved
from adversarial.kernel import AdversarialKernel
from adversarial.kinds import every_kernel
from adversarial.oracle import judge

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


def in_branch(kind: str) -> AdversarialKernel:
    return next(k for k in every_kernel() if k.kind == kind)


def one_of_two(text: str, value: str, clamped: str) -> str:
    """One access takes its phase from ``clamped``, all others from ``value``."""
    found = re.search(rf"( *)(%swz\d+) = (affine\.apply .*)\[{value}\]\n", text)
    assert found, text
    phase = f"{found[1]}%phase = {found[3]}[%kept]\n"
    start = text[: found.end()] + f"{found[1]}%kept = {clamped}\n" + phase
    return start + re.sub(
        rf"(arith\.xori %\w+, ){found[2]}\b", r"\1%phase", text[found.end() :], count=1
    )


@pytest.mark.parametrize(
    ("kind", "value", "clamped"),
    [
        ("bound_in_branch", "%t", "affine.min affine_map<()[s0] -> (s0, 7)>()[%t]"),
        (
            "grid_in_branch",
            "%q",
            "affine.apply affine_map<()[s0, s1] -> ((s0 + s1) mod 64)>()[%u, %clamp]",
        ),
    ],
)
def test_a_bound_of_a_branch_is_no_fact_of_the_launch(
    kind: str, value: str, clamped: str, tmp_path: Path
) -> None:
    """``upper_bound`` in a branch that only some launches take says nothing of the others."""
    kernel = in_branch(kind)
    for fix in proved(kernel, tmp_path):
        text = one_of_two(fix.fixed, value, clamped).replace(
            "  %kept = affine.apply",
            "  %clamp = affine.min affine_map<()[s0] -> (s0, 1)>()[%b]\n  %kept = affine.apply",
        )
        assert judge(kernel.text, text, kernel).same is False
        assert not accepted(fix, text)
