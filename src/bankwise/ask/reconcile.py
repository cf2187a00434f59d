"""``check --isa``: the predicted instructions beside those that the compiler emits.

An instruction counts as *emitted* if the listing holds as many of it as were predicted, where a
two-address form (``ds_read2_b64``) stands for two of its kind: LLVM joins neighbours, and serves
the first address, then the second. Whatever differs is told, not corrected.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from bankwise.errors import Location, Refusal
from bankwise.show.values import CheckReport, KernelReport

if TYPE_CHECKING:
    from bankwise.read.emitted import Listing
    from bankwise.read.mlir.module import Opened


def reconcile(report: CheckReport, opened: Opened) -> CheckReport:
    """Compile every kernel of the report and mark what the listing confirms."""
    kernels: list[KernelReport] = []
    refusals = list(report.refusals)
    for kernel in report.kernels:
        listing = _listing(kernel, opened)
        if isinstance(listing, Refusal):
            refusals.append(listing)
            kernels.append(kernel)
        else:
            kernels.append(_reconciled(kernel, listing))
    return replace(report, kernels=tuple(kernels), refusals=tuple(refusals))


def _listing(kernel: KernelReport, opened: Opened) -> Listing | Refusal:
    from bankwise.change.compile.compile import compile_text

    found = compile_text(
        opened.source.parsed,
        kernel.target,
        kernel=kernel.name,
        workgroup_size=kernel.workgroup_size,
        file=opened.source.file,
    )
    if isinstance(found, Refusal) and found.location is None:
        return replace(found, location=Location(opened.source.file))
    return found


def _reconciled(kernel: KernelReport, listing: Listing) -> KernelReport:
    predicted: Counter[str] = Counter()
    for access in kernel.accesses:
        predicted.update(access.issued)
    emitted = Counter(listing.counts)
    confirmed = {name for name, n in predicted.items() if n == _standing_for(name, emitted)}
    notes = [f"emitted: {_counts(emitted)}; predicted: {_counts(predicted)}"]
    notes += [f"the compiler says: {text}" for text in listing.diagnostics]
    accesses = tuple(
        replace(a, instruction_source="emitted") if confirmed.issuperset(a.issued) else a
        for a in kernel.accesses
    )
    return replace(kernel, accesses=accesses, notes=(*kernel.notes, *notes))


def _standing_for(name: str, emitted: Counter[str]) -> int:
    """How many of ``name`` were emitted, alone or joined in a two-address form."""
    stem, _, width = name.rpartition("_")
    joined = emitted[f"{stem}2_{width}"] + emitted[f"{stem}2st64_{width}"]
    return emitted[name] + 2 * joined


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(counts.items())) or "none"
