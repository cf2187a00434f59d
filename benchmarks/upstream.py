"""The tables of docs/upstream.md. No GPU is needed.

    python benchmarks/upstream.py rule OUT gfx942   # a row for each allocation of IREE's kernels
    python benchmarks/upstream.py page [OUT]        # all tables into docs/upstream.md

``rule`` takes the models of ``iree_corpus.py`` and compares, for every allocation in shared memory,
what IREE does by default, the rule of iree-org/iree#23778 (what it declines gets IREE's 64 bits
behind every row) and ``bankwise fix``, judged by proof alone. It goes on where it stopped.
``page OUT`` takes those rows into docs/data first; the other tables are counted anew from
examples/upstream.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from iree_corpus import DEFAULT, models
from iree_fixes import rows

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.fix import fix_kernels
from bankwise.ask.text_price import issued_cycles
from bankwise.change.compile.compile import backend_of
from bankwise.change.compile.compilers import own_compiler
from bankwise.change.compile.lower import Dispatch, Lowering, lower
from bankwise.change.passes.by_rule import by_rule
from bankwise.change.passes.decide import decide
from bankwise.change.passes.pad import pad
from bankwise.change.passes.resolve import resolve
from bankwise.change.passes.split_access import split_access
from bankwise.change.passes.values import Outcome, PassOptions
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import InputError
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.options import Judges, Options
from bankwise.tile import COPIES

UNPADDED = Lowering(padding=False, direct_load=True)
IREE_BITS = 64
"""What IREE's pipelines put behind every row."""

SIDES = ("iree", "rule", "best")
FIGURES = ("passes", "cycles", "bytes")
COLUMNS = (
    "target", "kernel", "pipeline", "allocation", "tile", "writes", "reads", "copied",
    *(f"{side}_{figure}" for side in SIDES for figure in FIGURES),
    "ideal", "attribute", "reason",
)  # fmt: skip
"""Of one workgroup. ``writes``, ``reads``: the elements that a thread takes at once. ``cycles``:
passes and the issue of the instructions. ``attribute``: what the rule writes; ``reason``: why."""


class Figures(Counter[str]):
    """Passes, cycles, bytes and ideal passes of one allocation."""

    @property
    def order(self) -> tuple[int, int]:
        """What it costs: fewer passes first, then fewer cycles."""
        return self["passes"], self["cycles"]


def counted(text: str, target: str) -> dict[str, Figures]:
    """Every allocation of a text, by its name in the text that had no mitigation."""
    found: dict[str, Figures] = {}
    for each in analyse(open_text(text, "kernel.mlir"), Options(target)):
        for of in each.extraction.allocations:
            found[named(of.name)] = Figures(bytes=of.size_bytes)
        for report in count_kernel(kernel_of(each), each.machine)[0]:
            if report.kind in COPIES or len(set(map(named, report.allocations))) != 1:
                continue
            own = found[named(report.allocations[0])]
            cycles = report.run.passes + issued_cycles(report, each.machine)
            own.update(passes=report.run.passes, cycles=cycles, ideal=report.run.ideal)
    return found


def named(name: str) -> str:
    """The name before a pass put a flat or a padded allocation in its place."""
    return re.sub(r"(_flat|_padded|_hint)+(_\d+)?$", "", name)


def widths(analyses: Sequence[Analysis], name: str, direction: str) -> str:
    """How many elements accesses of an allocation take at once, ``8`` or ``1 4``."""
    sites = (site for each in analyses for site in each.extraction.accesses)
    own = {
        site.vector_elements
        for site in sites
        if name in site.access.allocations and site.access.direction == direction
    }
    return " ".join(map(str, sorted(own)))


def copied(analyses: Sequence[Analysis], name: str) -> bool:
    """Whether copies from global memory fill it."""
    sites = (site for each in analyses for site in each.extraction.accesses)
    return any(name in site.access.allocations and site.access.kind in COPIES for site in sites)


def flow(text: str, target: str) -> Outcome:
    """A kernel under the rule of the pull request, its declined allocations padded as by IREE."""
    return by_rule(opened(text), PassOptions(target), bits=IREE_BITS)


def opened(text: str) -> Opened:
    return open_text(text, "kernel.mlir")


def by_counting(text: str, target: str, halves: bool) -> tuple[str, dict[str, str]]:
    """A kernel with the xor_shuffles that counting chooses, else IREE's padding; the attributes.

    ``halves``: 16-byte accesses to allocations with conflicts are cut in two first.
    """
    launch = PassOptions(target)
    if halves:
        text = split_access(opened(text), launch).text
    decided = decide(opened(text), launch)
    padded = pad(opened(decided.text), launch, bits=IREE_BITS)
    chosen = {each.subject: hint(each.reason) for each in decided.remarks}
    return resolve(opened(padded.text), launch).text, chosen


def hint(reason: str) -> str:
    """The attribute that a remark begins with; empty if it is none."""
    found = re.match(r"#iree_codegen\.(xor_shuffle<[^>]*>)", reason)
    return found[1] if found else ""


def fixed(text: str, target: str) -> str:
    """The text after ``bankwise fix``."""
    with TemporaryDirectory(prefix="upstream-") as folder:
        path = Path(folder) / "kernel.mlir"
        path.write_text(text, "utf-8")
        return fix_kernels(path, Options(target), Judges(execute=False, isa=False)).fixed_text


def pipeline(text: str, target: str) -> str:
    """IREE's name of the way on which it lowers the last dispatch of a model."""
    backend = backend_of(target)
    assert backend is not None, target
    gpu = [f"--iree-hal-target-backends={backend.name}", f"{backend.target_flag}={backend.target}"]
    command = [
        str(own_compiler().program),
        "-",
        *gpu,
        "--compile-to=executable-configurations",
        "-o=-",
    ]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    found = re.findall(r"pipeline = #iree_gpu\.pipeline<(\w+)>", done.stdout)
    return found[-1] if found else ""


def judged(model: str, target: str, name: str) -> Iterator[dict[str, object]]:
    """A row for every allocation of a model's kernels."""
    way = pipeline(model, target)
    default = lower(model, target, DEFAULT, file=name)
    plain = lower(model, target, UNPADDED, file=name)
    for padded, bare in zip(default, plain, strict=True):
        if bare.uses_shared_memory:
            for row in compared(padded, bare, target):
                yield {"target": target, "kernel": name, "pipeline": way, **row}


def compared(padded: Dispatch, bare: Dispatch, target: str) -> Iterator[dict[str, object]]:
    """All sides of all allocations of one kernel."""
    start, ruled = counted(bare.text, target), flow(bare.text, target)
    default = counted(padded.text, target)
    assert len(default) == len(start), "padding changes no allocation"
    best, rule = counted(fixed(bare.text, target), target), counted(ruled.text, target)
    for each in analyse(opened(bare.text), Options(target)):
        for of, iree in zip(each.extraction.allocations, default.values(), strict=True):
            sides = {"iree": iree, "rule": rule[of.name], "best": best[of.name]}
            yield {
                "allocation": of.name, "tile": "x".join(map(str, (*of.shape, of.element_type))),
                "writes": widths([each], of.name, "write"),
                "reads": widths([each], of.name, "read"),
                "copied": int(copied([each], of.name)),
                **{f"{s}_{f}": sides[s][f] for s in SIDES for f in FIGURES},
                "ideal": start[of.name]["ideal"],
                **said(ruled, of.name),
            }  # fmt: skip


def said(ruled: Outcome, name: str) -> dict[str, str]:
    """What the rule decided of an allocation, and why."""
    remark = next(r for r in ruled.remarks if name in r.subject.split(", "))
    reason = re.sub(r"^#iree_codegen\S+ [^>]*>: ", "", remark.reason)
    return {"attribute": hint(remark.reason), "reason": reason}


def write_rule(folder: Path, target: str) -> None:
    """A row for each allocation of the kernels that have none yet."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / f"rule_{target}.csv"
    known = {row["kernel"] for row in rows(table)}
    with table.open("a", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS)
        if not known:
            out.writeheader()
        for name, text in models(target).items():
            if name in known:
                continue
            try:
                out.writerows(list(judged(text, target, name)))
            except InputError as error:
                print(f"{name}: {error.message}", flush=True)
            file.flush()
            print(name, flush=True)


def main() -> int:
    """Compare, or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    rule = verbs.add_parser("rule")
    rule.add_argument("folder", type=Path)
    rule.add_argument("target")
    page = verbs.add_parser("page")
    page.add_argument("folder", type=Path, nargs="?")
    given = parser.parse_args()
    if given.verb == "rule":
        write_rule(given.folder, given.target)
    else:
        from upstream_page import write_page

        write_page(given.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
