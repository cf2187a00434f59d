"""The suite of CUDA kernels (tests/data/cuda_fix) compiled as HIP: what `fix` does with each.

    python benchmarks/hip_suite.py gfx942 [FOLDER]      # a row for each kernel, then a summary

Needs a clang that knows the GPU, no GPU. A conflict is avoidable where the kernel's own file has
some and any layout is known to take fewer passes; kernels of NVIDIA's own instructions are named.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bankwise import fix
from bankwise.errors import InputError
from bankwise.show.fixing import FixReport

KERNELS = Path(__file__).parents[1] / "tests" / "data" / "cuda_fix"


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One kernel. ``outcome``: in a word; ``detail``: why, or what was changed."""

    name: str
    outcome: str
    before: object
    after: object
    detail: str


def row_of(path: Path, target: str) -> SuiteRow:
    """What `fix` makes of one file."""
    try:
        report = fix(path, target)
    except InputError as error:
        return SuiteRow(path.stem, "not compiled", "-", "-", error.message.splitlines()[0])
    if not isinstance(report, FixReport):
        raise TypeError("a source is no model")
    before, after = (_extra(report, of_after) for of_after in (False, True))
    judged = {one.judge: one for one in report.verdicts}
    failed = [str(one.judge) for one in report.verdicts if one.status == "failed"]
    if failed:
        return SuiteRow(path.stem, "rejected", before, after, f"by {', '.join(failed)}")
    if report.changes:
        run = judged["execution"]
        outcome = "fixed, executed" if run.status == "passed" else "fixed, not executed"
        said = "; ".join(change.address for change in report.changes)
        said = said if run.status == "passed" else f"{said}; {run.detail}"
        return SuiteRow(path.stem, outcome, before, after, said)
    if not before:
        return SuiteRow(path.stem, "free of conflicts", before, after, "")
    why = "; ".join(one.reason for one in report.refusals)
    return SuiteRow(path.stem, "not fixed", before, after, why)


def _extra(report: FixReport, after: bool) -> object:
    kernels = (report.after if after else report.before).kernels
    return sum(kernel.totals.once.extra for kernel in kernels)


def main(target: str, folder: str = "") -> None:
    """Print the rows and how many there are of each outcome."""
    rows = []
    for path in sorted(Path(folder or KERNELS).glob("*.cu")):
        one = row_of(path, target)
        rows.append(one)
        print(
            f"{one.name:22} {one.outcome:20} {one.before} -> {one.after}  {one.detail}", flush=True
        )
    for outcome, count in Counter(one.outcome for one in rows).most_common():
        print(f"{count:4} {outcome}")


if __name__ == "__main__":
    main(*sys.argv[1:])
