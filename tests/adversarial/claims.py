"""Right fixes with the claims that were proved of them, and the prover's word on corrupted ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from adversarial.corruptions import Corruption, corrupted
from adversarial.kernel import AdversarialKernel
from adversarial.kinds import every_kernel
from adversarial.trial import trial
from bankwise.change import prove
from bankwise.read.mlir.module import open_text


@dataclass(frozen=True, slots=True)
class ProvedFix:
    """A kernel, the text that ``fix`` writes for it, and what was claimed and proved of that."""

    kernel: AdversarialKernel
    fixed: str
    claims: tuple[Any, ...]


def proved_fixes(folder: Path, each: int = 1) -> Iterator[ProvedFix]:
    """Of every kind of fixable kernels the first ``each`` ones, if ``fix`` writes them."""
    seen: Counter[str] = Counter()
    for kernel in every_kernel():
        if kernel.fixable and not kernel.kind.startswith("large"):
            seen[kernel.kind] += 1
            if seen[kernel.kind] <= each:
                yield from proved(kernel, folder)


@contextmanager
def listening(told: dict[str, Sequence[Any]]) -> Iterator[None]:
    """Whatever the prover is asked meanwhile: the claims, by the text after."""
    real = prove.prove

    def heard(before: Any, after: Any, claims: Sequence[Any]) -> Any:
        told[after.source.text] = claims
        return real(before, after, claims)

    with patch.object(prove, "prove", heard):
        yield


def proved(kernel: AdversarialKernel, folder: Path) -> Iterator[ProvedFix]:
    """The fix of a kernel with its claims; nothing where it is refused."""
    told: dict[str, Sequence[Any]] = {}
    with listening(told):
        found = trial(kernel, folder)
    if found.fixed:
        yield ProvedFix(kernel, found.fixed, tuple(told[found.fixed]))


def accepted(fix: ProvedFix, text: str) -> bool:
    """Whether the prover agrees that ``text`` applies the claims to the kernel."""
    before, after = (open_text(each, "k.mlir") for each in (fix.kernel.text, text))
    return all(proof.refusal is None for proof in prove.prove(before, after, fix.claims))


def judged(fix: ProvedFix, inside: int, outside: int) -> Iterator[tuple[Corruption, bool]]:
    """So many corruptions of a fix, each with whether the prover accepts it."""
    for one in corrupted(fix.kernel, fix.fixed, inside, outside):
        yield one, accepted(fix, one.text)
