"""What `bankwise fix` makes of IREE's kernels and of models: counted, executed, compiled. No GPU.

    python benchmarks/iree_corpus.py models OUT/models ; .. dumps OUT gfx942   # what is fixed
    python benchmarks/iree_fixes.py dumps OUT gfx942     # the kernels of OUT/gfx942
    python benchmarks/iree_fixes.py models OUT gfx942    # the models, beside plain iree-compile
    python benchmarks/iree_fixes.py page OUT > docs/evaluation_iree.md

OUT/dumps_gfx942.csv and OUT/models_gfx942.csv get a row for each kernel; a run goes on where the
last one stopped. Both kernels of a row are executed on workgroups of a fixed amount of work, and
compiled; what is emitted is followed and counted like the source.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from iree_corpus import models

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.code_price import code_price
from bankwise.ask.fix import fix_kernels
from bankwise.ask.judge_execution import judge_execution
from bankwise.ask.model import fix_model
from bankwise.ask.text_price import issued_cycles
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.options import Judges, Options
from bankwise.show.fixing import FixReport
from bankwise.tile import COPIES

NUMBERS = ("passes", "ideal", "cycles", "instructions", "unknown")
"""Of a workgroup, of the source and of the emitted code: ``cycles`` are passes and issue cycles (an
instruction 1 where they are not known), ``instructions`` those of LDS that run, ``unknown``
accesses without a number or under a rule that nobody knows. Copies straight to LDS are in none."""

RESOURCES = ("lds_bytes", "vgprs", "sgprs", "spilled", "waves")
"""``spilled``: registers kept in memory; ``waves``: resident on a compute unit or SM."""

PAIRED = (*NUMBERS, *(f"emitted_{name}" for name in NUMBERS), *RESOURCES)
COLUMNS = ("kernel", *(f"{name}{of}" for name in PAIRED for of in ("", "_fixed")),
           "start", "changes", "proved", "executed", "compiled", "why")  # fmt: skip
"""``start``: what the answer is made from; ``why``: the first reason for what is left."""

BUDGET = 3 << 19
"""Operations times threads that a kernel is executed for: a part of what ``fix`` takes, which is
enough for a few workgroups of each."""


def totals(accesses: Sequence[AccessReport], gpu: Machine) -> dict[str, int]:
    """What loads and stores of a workgroup take."""
    own = [report for report in accesses if report.kind not in COPIES]
    return {
        "passes": sum(one.run.passes for one in own),
        "ideal": sum(one.run.ideal for one in own),
        "cycles": sum(one.run.passes + issued_cycles(one, gpu) for one in own),
        "instructions": sum(len(one.issued) * one.waves * one.executions for one in own),
        "unknown": sum(one.evidence == "unknown" for one in own),
    }


def counted(analyses: Sequence[Analysis]) -> dict[str, int]:
    """Of all kernels of a source."""
    found = dict.fromkeys((*NUMBERS, "lds_bytes"), 0)
    for each in analyses:
        more = totals(count_kernel(kernel_of(each), each.machine)[0], each.machine)
        more["unknown"] += len(each.refusals)
        more["lds_bytes"] = sum(a.size_bytes for a in each.extraction.allocations)
        found = {name: number + more[name] for name, number in found.items()}
    return found


def compiled(opened: Opened, analyses: Sequence[Analysis]) -> dict[str, int] | Refusal:
    """Of the code that is emitted for the one kernel of a source, and what it takes of a unit."""
    (each,) = analyses
    found = code_price(opened, each)
    if isinstance(found, Refusal):
        return found
    emitted = {f"emitted_{name}": getattr(found, name) for name in NUMBERS}
    return emitted | {name: getattr(found, name) for name in RESOURCES}


def judged(before: str, after: str, name: str) -> dict[str, object]:
    """The columns of two texts of a kernel: numbers, and the judges of execution and compiling."""
    texts = [open_text(text, name) for text in (before, after)]
    kernels = [analyse(opened, Options()) for opened in texts]
    row: dict[str, object] = {}
    failed = ""
    for opened, each, of in zip(texts, kernels, ("", "_fixed"), strict=True):
        try:
            found = compiled(opened, each)
        except InputError as error:
            found = Refusal(error.message)
        failed = str(found.reason) if isinstance(found, Refusal) else failed
        more = {} if isinstance(found, Refusal) else found
        row |= {f"{key}{of}": value for key, value in (counted(each) | more).items()}
    row["compiled"] = failed or "yes"
    if before == after:
        return row | {"executed": "as it was"}
    verdict = judge_execution(*texts, *kernels, budget=BUDGET)
    return row | {"executed": f"{verdict.status}: {verdict.detail.split(': ', 1)[-1]}"}


def told(report: FixReport) -> dict[str, object]:
    """What ``fix`` says itself."""
    proof = [verdict.status for verdict in report.verdicts if verdict.judge == "proof"]
    why = next(iter((*(one.reason for one in report.refusals), *report.notes)), "")
    return {"changes": len(report.changes), "proved": "".join(proof), "why": why}


def dump_row(dump: Path) -> dict[str, object]:
    """A kernel as IREE leaves it, and fixed."""
    report = fix_kernels(dump, Options(), Judges(execute=False))
    row = {"kernel": dump.stem, "start": "as it is"}
    return row | told(report) | judged(report.source_text, report.fixed_text, dump.name)


def model_rows(name: str, text: str, target: str) -> Iterator[dict[str, object]]:
    """The dispatches of a model with shared memory: plain iree-compile, and the answer."""
    with TemporaryDirectory(prefix="bankwise-") as folder:
        file, keep = Path(folder) / f"{name}.mlir", Path(folder) / "kept"
        file.write_text(text, "utf-8")
        found = fix_model(file, Options(target, keep=str(keep)), Judges(execute=False))
        for report, default in zip(found.reports, found.defaults, strict=True):
            stem = f"{default.dispatch}.{target}"
            before = (keep / f"{stem}.default.mlir").read_text("utf-8")
            fixed = keep / f"{stem}.fixed.mlir"
            after = fixed.read_text("utf-8") if fixed.exists() else before
            row = {"kernel": default.dispatch, "start": default.lowering, **told(report)}
            yield row | judged(before, after, f"{stem}.mlir")


def write_rows(folder: Path, what: str, target: str) -> None:
    """A row for each kernel that has none yet; ``what``: models, or dumps."""
    table = folder / f"{what}_{target}.csv"
    seen = folder / f"{what}_{target}.done"
    done = set(seen.read_text("utf-8").split()) if seen.exists() else set()
    fresh = not table.exists()
    with table.open("a", encoding="utf-8", newline="") as file, seen.open("a") as log:
        out = csv.DictWriter(file, COLUMNS)
        if fresh:
            out.writeheader()
        for name, found in asked(folder, what, target):
            if name in done:
                continue
            try:
                out.writerows(found)
            except InputError as error:
                print(f"{name}: {error}", flush=True)
            file.flush()
            print(name, file=log, flush=True)
            print(name, flush=True)


def asked(
    folder: Path, what: str, target: str
) -> Iterator[tuple[str, Iterator[dict[str, object]]]]:
    """Every model or dump by its name, and its rows, computed when they are asked for."""
    if what == "models":
        for name, text in models(target).items():
            yield name, model_rows(name, text, target)
    else:
        for dump in sorted((folder / target).glob("*.mlir")):
            yield dump.stem, (dump_row(one) for one in (dump,))


def rows(table: Path) -> list[dict[str, str]]:
    """A table as it is written."""
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page(folder: Path) -> str:
    """The tables as a page."""
    lines = [HEAD]
    for what, title in TITLES.items():
        found = {
            path.stem.partition("_")[2]: rows(path) for path in sorted(folder.glob(f"{what}_*.csv"))
        }
        lines += [f"## {title}", "", *SUMMARY]
        lines += [
            summary(target, each, len(rows(folder / f"dumps_{target}.csv")))
            for target, each in found.items()
        ]
        for target, each in found.items():
            lines += ["", f"### {title}: {target}", "", *details(each)]
        lines.append("")
    return "\n".join(lines).rstrip("\n")


TITLES = {"models": "Models", "dumps": "Kernels as IREE leaves them"}

HEAD = """# IREE's own kernels: what `fix` makes of them

Models of all the forms that people compile (`benchmarks/iree_corpus.py`); then, by
`benchmarks/iree_fixes.py`:

- `bankwise fix MODEL` beside plain `iree-compile`, which applies what mitigation it has unasked;
- `bankwise fix` on the kernels that plain `iree-compile` makes of them, as they stand.

Every changed kernel is proved to compute the same. It is executed beside IREE's own on random
inputs in as many workgroups as the last column says (bit for bit the same buffers), and compiled:
the emitted code is followed and counted like the source. Where these columns are empty that was not
done, and tables of fewer kernels than there are say so. All numbers are of one workgroup. *Cycles*
are data and issue cycles of the LDS instructions, *instructions* those that its waves execute,
*waves* those that a compute unit or SM holds. *Worse* is more passes, or more cycles, than IREE's
own, as both are counted. A pass of the code may be *assumed*: how `ds_write2_b64` and its like are
served is not known, and their conflicts are counted as if they were real. IREE's padded rows are
stored with it. Behind *worse* stands how many kernels, at most, may take more than IREE's own if
those conflicts are not real: `mm_f16_nt` for gfx942 then takes 19,968 -> 20,736 cycles of code.
"""

SUMMARY = (
    "| | kernels | with conflicts | fewer passes | worse | conflicts left | code: fewer passes "
    "| worse | conflicts left | proved | executed | compiled |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|",
)


def numbers(row: Mapping[str, str]) -> dict[str, int]:
    """The columns that are numbers, as far as they are known."""
    return {key: int(text) for key, text in row.items() if key in KNOWN and text}


KNOWN = frozenset(f"{name}{of}" for name in PAIRED for of in ("", "_fixed"))


def gained(row: Mapping[str, str], of: str) -> bool:
    """Whether there are fewer passes; ``of``: "" (the source), or "emitted_"."""
    one = numbers(row)
    return one.get(f"{of}passes_fixed", 0) < one.get(f"{of}passes", 0)


def left(row: Mapping[str, str], of: str) -> int:
    """Passes beyond the ideal that are left."""
    one = numbers(row)
    return one.get(f"{of}passes_fixed", 0) - one.get(f"{of}ideal_fixed", 0)


def worse(row: Mapping[str, str], of: str) -> bool:
    """Whether IREE's own takes less."""
    one = numbers(row)
    return any(
        one.get(f"{of}{what}_fixed", 0) > one.get(f"{of}{what}", 0) for what in ("passes", "cycles")
    )


def doubtful(row: Mapping[str, str], of: str) -> bool:
    """Whether IREE's own may take less where a rule that nobody knows does not hold: what it then
    saves is at most all its conflicts."""
    one = numbers(row)
    ended = one.get(f"{of}passes", 0) - one.get(f"{of}ideal", 0)
    if worse(row, of) or not one.get(f"{of}unknown", 0):
        return False
    pairs = ((one.get(f"{of}{w}_fixed", 0), one.get(f"{of}{w}", 0)) for w in ("passes", "cycles"))
    return any(fixed > own - ended for fixed, own in pairs)


def conflicts(row: Mapping[str, str]) -> bool:
    """Whether IREE's own has any."""
    one = numbers(row)
    return one["passes"] > one.get("ideal", one["passes"]) or gained(row, "") or left(row, "") > 0


def summary(target: str, found: Sequence[Mapping[str, str]], whole: int) -> str:
    """One line of the table of all targets; ``whole``: kernels with shared memory there are."""
    changed = [row for row in found if int(row["changes"])]
    part = f" of {whole}" if len(found) < whole else ""
    cells: list[int | str] = [f"{len(found)}{part}", sum(map(conflicts, found))]
    for of in ("", "emitted_"):
        cells.append(sum(gained(row, of) for row in found))
        may = sum(doubtful(row, of) for row in found)
        cells.append(f"{sum(worse(row, of) for row in found)}{f'; {may} may' * bool(may)}")
        cells.append(sum(left(row, of) > 0 for row in found))
    passed = (
        sum(row["proved"] == "passed" for row in changed),
        sum(row["executed"].startswith("passed") for row in changed),
        sum(row["compiled"] == "yes" for row in changed),
    )
    cells += [f"{number} of {len(changed)}" for number in passed]
    return f"| {target} | {' | '.join(map(str, cells))} |"


SHOWN = {
    "passes": "passes", "cycles": "cycles", "emitted_passes": "code: passes",
    "emitted_cycles": "cycles", "emitted_instructions": "instructions", "vgprs": "registers",
    "waves": "waves", "lds_bytes": "LDS bytes",
}  # fmt: skip


def details(found: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """What is behind a line: kernels that had conflicts, or have other code now."""
    yield f"| kernel | {' | '.join(SHOWN.values())} | left | executed |"
    yield "|---" * (len(SHOWN) + 3) + "|"
    shown = [row for row in found if conflicts(row) or int(row["changes"])]
    for row in shown:
        one = numbers(row)
        cells = [change(one.get(key), one.get(f"{key}_fixed")) for key in SHOWN]
        rest = f"{left(row, ''):,}" if left(row, "") else ""
        yield f"| {named(row)} | {' | '.join(cells)} | {rest} | {ran(row['executed'])} |"
    kept = [row for row in shown if left(row, "") and row["why"]]
    yield from (["", "Conflicts that are left:", ""] if kept else [])
    yield from (f"- {row['why']}" for row in kept)
    if any(row["compiled"] and not row["spilled"] for row in shown):
        yield ""
        yield (
            r"\* Made when the text alone decided; that answer is still one of those whose code is "
            "compared."
        )


def named(row: Mapping[str, str]) -> str:
    """The kernel; with a star where its answer was not chosen by the emitted code."""
    old = bool(row["compiled"]) and not row["spilled"]
    return row["kernel"].removesuffix("_dispatch_0") + (r" \*" if old else "")


def change(before: int | None, after: int | None) -> str:
    """``12,288 -> 9,216``, or the number alone."""
    if before is None or after is None:
        return ""
    return f"{before:,}" if before == after else f"{before:,} -> {after:,}"


def ran(verdict: str) -> str:
    """How many workgroups were executed; what went wrong."""
    found = re.search(r"sampled ([\d,]+) of ([\d,]+)|all ([\d,]+)|(only) workgroup", verdict)
    if not verdict.startswith("passed") or found is None:
        return verdict
    return f"{found[1]} of {found[2]}" if found[1] else f"all {found[3] or 1}"


def main() -> int:
    """Fix the dumps or the models of a folder, or write the page of their tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("dumps", "models", "page"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("target", nargs="?", default="")
    given = parser.parse_args()
    if given.what == "page":
        print(page(given.folder))
    else:
        write_rows(given.folder, given.what, given.target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
