"""``bankwise.triton.check``: what was planned for a kernel, and what was emitted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.check_ttgir import check_ttgir
from bankwise.ask.triton_plan import plan_texts
from bankwise.errors import exit_code, worst
from bankwise.read.ttgir.wheel import LoweredKernel
from bankwise.show.as_text import print_body, print_last
from bankwise.show.columns import Console
from bankwise.show.notebook import printed
from bankwise.show.planning import PlanReport, PlanRow, print_plan
from bankwise.show.values import CheckReport
from bankwise.show.words import verdict
from bankwise.triton.source import TritonSource, assumed_in, compiled, source_of


@printed("bankwise.triton.check:print_triton", line=-1)
class TritonReport(Struct, frozen=True):
    """A kernel on both levels. ``ttgir`` and ``assembly`` are the texts that places point into.

    ``plan``: what TTGIR announces; ``comparison``: beside what was emitted, access by access.
    ``shared_bytes``: what the kernel takes; ``version``: of Triton.
    """

    plan: CheckReport
    comparison: PlanReport
    ttgir: str
    assembly: str
    shared_bytes: int
    version: str

    @property
    def changes(self) -> tuple[PlanRow, ...]:
        """Accesses whose instructions are not those that were planned."""
        return self.comparison.changes

    @property
    def agrees(self) -> bool | None:
        """Whether plan and emission cost the same."""
        return self.comparison.agrees

    @property
    def exit_code(self) -> int:
        """As ``bankwise check`` of the TTGIR ends; where the code conflicts, too, 1, and where it
        was not compared whole or an emitted rule is not known, 3 and no 0."""
        beside = self.comparison
        conflicts = beside.emitted.passes > beside.emitted.ideal
        left = bool(beside.not_compared or beside.open)
        return worst((self.plan.exit_code, exit_code(findings=conflicts, incomplete=left)))


def print_triton(report: TritonReport, console: Console) -> None:
    """The check of what was planned, and that beside what was emitted, which has the last word."""
    beside = report.comparison
    whose = "" if beside.totals_agree and not beside.open else "planned: "
    print_body(report.plan, console)
    print_last(report.plan, console, f"{whose}{verdict(report.plan)}")
    print_plan(report.comparison, console)


def check(
    fn: Any,
    signature: Mapping[str, str],
    target: str,
    *,
    optima: bool = True,
    **said: Any,
) -> TritonReport:
    """Compile a ``@triton.jit`` function for a GPU that need not be here, and check it.

    ``fn`` to ``said``: as :func:`bankwise.triton.source.source_of` takes them. ``optima``: look for
    better encodings.

    Raises :class:`InputError` if Triton is not installed, if the function stands in no file, or if
    Triton does not compile it: then with the place that it names.
    """
    source = source_of(fn, signature, target, **said)
    return _report(compiled(source), source, optima=optima)


def _report(made: LoweredKernel, source: TritonSource, *, optima: bool) -> TritonReport:
    suffix, assembly = made.assembly
    ttgir, said, file = made.texts["ttgir"], source.said, f"{source.name}.ttgir"
    plan = check_ttgir(ttgir, file, said, verify=False, optima=optima)
    plan = replace(plan, notes=(*plan.notes, *assumed_in(ttgir)))
    path = Path(f"{source.name}.{suffix}")
    (comparison,) = plan_texts(ttgir, file, assembly, path, said, verify=False)
    return TritonReport(plan, comparison, ttgir, assembly, made.shared_bytes, made.version)
