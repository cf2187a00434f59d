"""No adversarial kernel gets a wrong fix; and the oracle that says so finds what is wrong."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from adversarial.kernel import AdversarialKernel
from adversarial.kinds import every_kernel
from adversarial.oracle import judge, outcomes
from adversarial.trial import trial

KERNELS = every_kernel()
EVERY = bool(os.environ.get("BANKWISE_ADVERSARIES"))
"""Set: all kernels are tried, and not only one of each kind."""
_LARGE = ("large_grid_edge", "large_grid_copy")


def chosen() -> list[AdversarialKernel]:
    """One kernel of every kind, each time another variant; of the large ones the first."""
    if EVERY:
        return list(KERNELS)
    kinds: dict[str, list[AdversarialKernel]] = {}
    for kernel in KERNELS:
        kinds.setdefault(kernel.kind, []).append(kernel)
    return [
        variants[0 if kind in _LARGE else number % len(variants)]
        for number, (kind, variants) in enumerate(kinds.items())
    ]


NAMED = pytest.mark.parametrize("kernel", chosen(), ids=lambda kernel: kernel.name)


def test_there_are_enough_of_them() -> None:
    assert len(KERNELS) >= 300
    assert len({kernel.kind for kernel in KERNELS}) >= 30
    assert all(kernel.fixable or kernel.why for kernel in KERNELS)


@NAMED
def test_no_wrong_fix(kernel: AdversarialKernel, tmp_path: Path) -> None:
    """And the kernel itself runs without a fault, for which a rewrite could not be blamed."""
    found = trial(kernel, tmp_path)
    assert found.outcome in ("right", "refused", "nothing"), found.detail
    if found.faults is not None:
        assert not found.faults
    elif kernel.kind != "call_outside":  # nobody knows what it calls
        assert all(not outcome.faults for outcome in outcomes(kernel.text, kernel))


def _plain() -> AdversarialKernel:
    return next(k for k in KERNELS if k.kind == "plain")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%lds[%u, %i]", "%lds[%t, %i]"),
        ("%w, %out[%g, %i]", "%w, %out[%g, %c0]"),
        ("%v = vector.load %in[%g, %i]", "%v = vector.load %in[%t, %i]"),
        ("%c64 step %c8 {\n    %v", "%c32 step %c8 {\n    %v"),
        ("%v, %lds[%t, %i]", "%v, %lds[%t, %c64]"),
    ],
)
def test_the_oracle_sees_another_program(old: str, new: str) -> None:
    kernel = _plain()
    assert old in kernel.text
    assert judge(kernel.text, kernel.text, kernel).same is True
    assert judge(kernel.text, kernel.text.replace(old, new, 1), kernel).same is False
