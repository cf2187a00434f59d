"""``bankwise check policy.hpp``: the LDS layouts of a CK header, counted at the lines that make
them, and the descriptor that replaces each one that conflicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bankwise.ask.ck_plans import CkPlan, CkReading, asked_question, plan, read_header
from bankwise.ask.kernel_report import check_report
from bankwise.ask.spec import counted
from bankwise.change.ck import snippet
from bankwise.errors import Refusal
from bankwise.files import read_text
from bankwise.read.ck.tiles import CkTile
from bankwise.read.options import Options, Progress, command
from bankwise.show.values import CheckReport, Finding, KernelReport, Optimum, Snippet


def check_ck_file(path: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Count every LDS layout of a header that is paired with who stores and who loads.

    ``options.dims`` says what the header leaves open. Raises :class:`InputError` with the names
    where nothing can be judged without them.
    """
    reading = read_header(path, read_text(path), options)
    return report_of(reading, command("fix", str(path), options))[0]


def report_of(reading: CkReading, fix: str = "") -> tuple[CheckReport, tuple[CkPlan, ...]]:
    """The report of a header, and the plans for what conflicts; ``fix``: the command that writes
    them."""
    kernels: list[KernelReport] = []
    findings: list[Finding] = []
    refusals: list[Refusal] = []
    plans: list[CkPlan] = []
    for tile in reading.tiles:
        asked = asked_question(reading, tile)
        if isinstance(asked, Refusal):
            refusals.append(asked)
            continue
        before = counted(asked)
        findings += before.check.findings
        refusals += before.check.refusals
        better = plan(reading, tile, asked, before)
        plans += [better] if isinstance(better, CkPlan) else []
        kernel = replace(before.check.kernels[0], location=tile.location, notes=(_pairs(tile),))
        if isinstance(better, CkPlan):
            best = Optimum((tile.name,), better.before, better.after, better.known)
            write = tuple(_snippets(reading, better, fix))
            kernel = replace(kernel, optima=(best,), snippets=write)
        kernels.append(kernel)
        refusals += [better] if isinstance(better, Refusal) else []
    notes = [f"{name}: taken as not defined (--dim {name}=1)" for name in reading.header.assumed]
    file = reading.run.source.file
    found = check_report(file, "ck", kernels, findings=findings, refusals=refusals, notes=notes)
    return found, tuple(plans)


def _pairs(tile: CkTile) -> str:
    """Who moves what, as it was taken from names."""
    stores = ", ".join(use.name for op, use in tile.uses if op == "write")
    loads = ", ".join(use.name for op, use in tile.uses if op == "read") or "the warp GEMM"
    return f"by their names: {stores} stores, {loads} loads; one pass over the tile"


def _snippets(reading: CkReading, better: CkPlan, fix: str) -> Iterator[Snippet]:
    """The statements of each function that lays the tile out, in the header's own names."""
    functions = better.tile.layouts
    for one, names in zip(functions, better.names, strict=True):
        others = ", ".join(other.name for other in functions if other is not one)
        yield Snippet(
            language="CK source",
            what=f"how {one.name} makes its descriptor",
            text=snippet(reading.run.source, one, better.descriptor, names),
            location=one.location,
            before=better.before.passes,
            after=better.after.passes,
            each="pass over the tile",
            command=fix,
            notes=(f"together with {others}, which lays out the same tile",) if others else (),
        )
