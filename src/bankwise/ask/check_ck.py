"""``bankwise check policy.hpp``: the LDS layouts of a CK header, counted at the lines that make
them, and the descriptor that replaces each one that conflicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bankwise.ask.ck_plans import CkPlan, CkReading, asked_question, plan, read_header
from bankwise.ask.kernel_report import check_report
from bankwise.ask.spec import counted
from bankwise.change.ck import snippet
from bankwise.errors import Refusal
from bankwise.files import read_text
from bankwise.read.ck.tiles import CkTile
from bankwise.read.options import Options, Progress
from bankwise.show.values import CheckReport, Finding, KernelReport, Optimum


def check_ck_file(path: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Count every LDS layout of a header that is paired with who stores and who loads.

    ``options.dims`` says what the header leaves open. Raises :class:`InputError` with the names
    where nothing can be judged without them.
    """
    reading = read_header(path, read_text(path), options)
    return report_of(reading)[0]


def report_of(reading: CkReading) -> tuple[CheckReport, tuple[CkPlan, ...]]:
    """The report of a header, and the plans for what conflicts."""
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
        kernels.append(replace(kernel, optima=_optima(reading, tile, better)))
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


def _optima(
    reading: CkReading, tile: CkTile, better: CkPlan | Refusal | None
) -> tuple[Optimum, ...]:
    if not isinstance(better, CkPlan):
        return ()
    source = reading.run.source
    pairs = zip(tile.layouts, better.names, strict=True)
    texts = [snippet(source, one, better.descriptor, names) for one, names in pairs]
    bodies = dict(zip((one.name for one in tile.layouts), texts, strict=True))
    text = "\n\n".join(f"in {name}:\n\n{body}" for name, body in bodies.items())
    return (
        Optimum(
            (tile.name,),
            better.before,
            better.after,
            better.known,
            notation=text,
        ),
    )
