"""The suite of CUDA kernels (tests/data/cuda_fix): what `fix` does with each, judged from outside.

    python benchmarks/cuda_suite.py fix FOLDER [NAME..]      # NAME.json: texts, passes, verdicts
    python benchmarks/cuda_suite.py corrupt FOLDER           # wrong rewrites: who rejects them?
    python benchmarks/cuda_suite.py tables FOLDER            # what came out

Needs nvcc and nvdisasm, no GPU. Which conflicts are avoidable is found without the solver: all
folds and pitches of each array are counted by the few lines of :mod:`cuda_suite_count`.
"""

from __future__ import annotations

import json
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cuda_suite_corrupt import corrupt
from cuda_suite_count import least_passes, present_passes
from msgspec import to_builtins

from bankwise.ask import fix_source, source_proof
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.errors import InputError, Refusal
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.options import Options
from bankwise.read.source import Compilation
from bankwise.read.sources import language_of
from bankwise.show.fixing import FixReport

KERNELS = Path(__file__).parents[1] / "tests" / "data" / "cuda_fix"
TARGET = "sm_90"


def names() -> list[str]:
    """All kernels of the suite."""
    return sorted(path.stem for path in KERNELS.glob("*.cu"))


def manners() -> dict[str, str]:
    """The manner of each kernel."""
    told = tomllib.loads((KERNELS / "suite.toml").read_text("utf-8"))["manners"]
    return {name: manner for manner, some in told.items() for name in some}


def fixed(name: str) -> dict[str, Any]:
    """What `fix` makes of one, and what could be made of it."""
    path, start = KERNELS / f"{name}.cu", time.perf_counter()
    report, claims = claimed(path)
    seconds = time.perf_counter() - start
    what = Compilation(path, TARGET)
    followed = language_of(what).check(what, args={}).kernels
    return {
        "name": name,
        "manner": manners().get(name, "others"),
        "seconds": round(seconds, 1),
        "conflicts": [_conflicts(report, after) for after in (False, True)],
        "unknown": sum(bool(a.unknown) for k in followed for a in k.accesses),
        "counted_apart": present_passes(followed),
        "least": least_passes(followed),
        "changes": [f"{','.join(c.allocations)}: {c.address}" for c in report.changes],
        "verdicts": {v.judge: v.status for v in report.verdicts},
        "details": {v.judge: v.detail for v in report.verdicts},
        "refusals": [one.reason for one in report.refusals],
        "accepted": report.accepted,
        "exit_code": report.exit_code,
        "before": report.source_text,
        "after": report.fixed_text if report.accepted else "",
        "claims": to_builtins(list(claims)),
    }


def claimed(path: Path) -> tuple[FixReport, list[ArrayClaim]]:
    """What `fix` answers, and what it claims to its judge."""
    heard: list[ArrayClaim] = []

    def prove(before: CxxSource, after: CxxSource, claims: Sequence[ArrayClaim]) -> int | Refusal:
        heard.extend(claims)
        return prove_text(before, after, claims)

    source_proof.prove_text = prove
    return fix_source.fix_source_file(path, Options(target=TARGET)), heard


def _conflicts(report: FixReport, after: bool) -> int:
    one = report.after if after and report.accepted else report.before
    return int(sum(kernel.totals.run.extra for kernel in one.kernels))


def outcome(one: dict[str, Any]) -> str:
    """In one word, what became of a kernel."""
    before, after = one["conflicts"]
    if not before:
        return "data decide" if one["unknown"] else "had none"
    if after == 0:
        return "free"
    if after < before:
        return "least" if after <= one["least"]["conflicts"] else "fewer"
    if one["least"]["conflicts"] >= before:
        return "data decide" if one["unknown"] else "cannot be avoided"
    return "refused" if one["refusals"] else "none found"


def results(folder: Path) -> list[dict[str, Any]]:
    """What was found so far."""
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


def tables(folder: Path) -> Iterator[str]:
    """A line for each kernel, then the sums."""
    found = results(folder)
    yield "| kernel | manner | conflicts | least | outcome | proof | execution | s |"
    yield "|---" * 8 + "|"
    for one in found:
        before, after = one["conflicts"]
        judges = [one["verdicts"].get(judge, "") for judge in ("proof", "execution")]
        cells = (one["name"], one["manner"], f"{before:,} -> {after:,}")
        least = f"{one['least']['conflicts']:,}"
        yield f"| {' | '.join((*cells, least, outcome(one), *judges, str(one['seconds'])))} |"
    yield ""
    sums: dict[str, int] = {}
    for one in found:
        sums[outcome(one)] = sums.get(outcome(one), 0) + 1
    yield f"{len(found)} kernels: {', '.join(f'{n} {word}' for word, n in sorted(sums.items()))}"
    able = [one for one in found if one["least"]["conflicts"] < one["conflicts"][0]]
    known = [one for one in able if not one["unknown"]]
    proved = [one for one in known if one["accepted"] and one["verdicts"]["proof"] == "passed"]
    yield f"avoidable, of known addresses: {len(known)}; fixed with proof: {len(proved)}"


def _tried(name: str) -> dict[str, Any] | str:
    """In a process of its own: what becomes of a kernel, or why it cannot be read."""
    try:
        return fixed(name)
    except InputError as error:
        return str(error)


def main(arguments: Sequence[str]) -> None:
    """See the module's text."""
    word, place, *some = arguments
    folder = Path(place)
    folder.mkdir(parents=True, exist_ok=True)
    if word == "fix":
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as several:
            for name, one in zip(
                some or names(), several.map(_tried, some or names()), strict=True
            ):
                if isinstance(one, str):
                    print(name, one, file=sys.stderr)
                    continue
                (folder / f"{name}.json").write_text(json.dumps(one, indent=1), "utf-8")
                told = one["conflicts"], one["least"], outcome(one), one["seconds"]
                print(name, *told, flush=True)
    elif word == "corrupt":
        for line in corrupt(results(folder)):
            print(line, flush=True)
    elif word == "tables":
        print("\n".join(tables(folder)))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("fix", "corrupt", "tables"):
        sys.exit(__doc__)
    main(sys.argv[1:])
