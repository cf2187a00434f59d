"""The suite of CUDA kernels on an NVIDIA H200: as they are, and as `fix` leaves them.

    python benchmarks/cuda_suite.py fix RESULTS               # no GPU: what is to be run
    python benchmarks/h200_cuda_suite.py build RESULTS OUT    # no GPU: machine code, predictions
    python benchmarks/h200_cuda_suite.py measure OUT          # with the GPU: CuPy, Nsight Compute
    python benchmarks/h200_cuda_suite.py lines OUT            # no GPU: check at the source line
    python benchmarks/h200_cuda_suite.py csv OUT            # docs/data/h200_cuda.csv
    python benchmarks/h200_cuda_suite.py tables CSV         # of docs/cuda.md

Both versions get the same random inputs, and every byte that they leave is compared. Times: CUDA
events, launches in turns. Counters: one launch of each with so much shared memory that workgroups
are alone on their SM; beside the sums the passes of every instruction, which Nsight Compute counts
as the kernel runs. Lines are read from nvdisasm's own text.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from math import prod
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from msgspec.structs import replace

TARGET = "sm_90"
KERNELS = Path(__file__).parents[1] / "tests" / "data" / "cuda_fix"
SOURCE_METRICS = ("memory_l1_wavefronts_shared", "inst_executed")
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")
_LINE = re.compile(r'^\s*//## File "([^"]*)", line (\d+)(?: inlined at "([^"]*)", line (\d+))?')
_SHARED = re.compile(r"(?:LDS|STS|LDSM|STSM|ATOMS|LDGSTS)\b")


def build(results: Path, out: Path) -> None:
    """Machine code of both versions, and cases.json."""
    found = sorted(results.glob("*.json"))
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as several:
        cases = [one for some in several.map(_built, found, repeat(out)) for one in some]
    (out / "cases.json").write_text(json.dumps(cases), "utf-8")


def _built(path: Path, out: Path) -> list[dict[str, Any]]:
    """In a process of its own: the cases of a file."""
    one = json.loads(path.read_text("utf-8"))
    (out / one["name"]).mkdir(parents=True, exist_ok=True)
    print(one["name"], flush=True)
    return list(built(one, out))


def built(one: Mapping[str, Any], out: Path) -> Iterator[dict[str, Any]]:
    """The cases of a file, each launch one."""
    from bankwise.ask.check_assembly import asked
    from bankwise.ask.judge_run import run_cases
    from bankwise.read.options import Options
    from bankwise.read.source import Compilation
    from bankwise.read.sources import language_of

    path = KERNELS / f"{one['name']}.cu"
    said = tomllib.loads((KERNELS / "suite.toml").read_text("utf-8"))["launches"].get(one["name"])
    given = asked(Options(TARGET, launches=(said,) if said else ()))
    texts = one["before"], one["after"] or one["before"]
    assert texts[0] == path.read_text("utf-8"), "the results are of these kernels"
    what = Compilation(path, TARGET)
    compiled = (language_of(what).check(replace(what, text=text), **given) for text in texts)
    before, after = (found.kernels for found in compiled)
    for number, case in enumerate(run_cases(what, before, *texts, out / one["name"])):
        if isinstance(case, str):
            print(one["name"], case, file=sys.stderr)
            continue
        yield {
            **case,
            **{v: str(Path(case[v]).relative_to(out)) for v in ("before", "after")},
            "name": one["name"],
            "changed": bool(one["after"]),
            "predicted": [predicted(before[number]), predicted(after[number])],
        }


def predicted(kernel: Any) -> dict[str, Any]:
    """Passes and conflicts of a workgroup, and the passes and the line of every instruction; None
    where they are not known."""
    from bankwise.ask.check_assembly import counted_kernel
    from bankwise.hardware.machine import machine

    gpu = machine(kernel.target)
    run = counted_kernel(kernel, gpu).totals.run
    instructions: dict[str, Any] = {}
    for one in kernel.accesses:
        key = f"{one.access.address:#x}"
        place, passes = one.access.location.line, exact_passes(one, gpu)
        _, before = instructions.get(key, (place, 0))  # of a function, called several times
        known = passes is not None and before is not None
        instructions[key] = [place, passes + before if known else None]
    for refusal in kernel.refusals:
        if at := re.search(r"at 0x([0-9a-f]+)", refusal.reason):
            place = refusal.location.line if refusal.location else 0
            instructions.setdefault(f"{int(at[1], 16):#x}", [place, None])
    return {"passes": int(run.passes), "conflicts": int(run.extra), "instructions": instructions}


def exact_passes(one: Any, gpu: Any) -> int | None:
    """The passes of an access of a followed kernel; None where they are not claimed to be exact."""
    from bankwise.counting.conflict import count

    if one.unknown or not one.counted or one.some_lanes:
        return None
    row = gpu.instruction(one.instruction)
    return sum(
        pattern.executions * int(count(row, offsets, active).passes)
        for pattern in one.access.patterns
        for offsets, active in zip(pattern.offsets_bytes, pattern.active, strict=True)
        if active.any()
    )


def measure(out: Path) -> None:
    """results.json in ``out``: bits and times first, then with counters."""
    os.chdir(out)
    cases = json.loads(Path("cases.json").read_text("utf-8"))
    rows: list[dict[str, Any]] = []
    while len(rows) < len(cases):
        done = subprocess.run(
            [sys.executable, __file__, "some", ".", str(len(rows))],
            capture_output=True, text=True, check=False, timeout=400,
        )  # fmt: skip
        told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        rows += told
        if len(rows) < len(cases):
            last = (done.stderr.strip().splitlines() or ["?"])[-1]
            rows.append({"fault": last[-300:]})
            print(cases[len(rows) - 1]["name"], last[-300:], flush=True)
    able = [n for n, row in enumerate(rows) if "fault" not in row]
    Path("results.json").write_text(json.dumps(rows), "utf-8")
    metrics = ",".join((*_sums(), *SOURCE_METRICS))
    functions = "|".join(sorted({cases[n]["function"] for n in able}))
    command = ["ncu", "-f", "-o", "report", "--metrics", metrics, "--clock-control", "none"]
    command += ["--kernel-name-base", "function", "--kernel-name", f"regex:^({functions})$"]
    words = [sys.executable, __file__, "once", ".", json.dumps(able)]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    print(done.stdout[-400:], done.stderr[-400:], flush=True)
    for (number, version), found in zip(
        ((n, v) for n in able for v in (0, 1)), counters("report.ncu-rep"), strict=True
    ):
        rows[number].setdefault("counted", [None, None])[version] = found
    Path("results.json").write_text(json.dumps(rows), "utf-8")


def _sums() -> tuple[str, ...]:
    from bankwise.lab.gpu.counters import CONFLICTS, PASSES

    return (*PASSES, *CONFLICTS)


def counters(report: str) -> Iterator[dict[str, Any]]:
    """Of each launch: sums, and the passes of each instruction by its address in the kernel."""
    sys.path += [str(p.parent) for p in Path("/opt/nvidia").glob("*/*/extras/python/ncu_report.py")]
    import ncu_report  # type: ignore[import-not-found]

    passes = ncu_report.load_report(report).range_by_idx(0)
    names = _sums()
    for number in range(passes.num_actions()):
        action = passes.action_by_idx(number)
        value = {name: action.metric_by_name(name).as_uint64() for name in names}
        each = {name: _instances(action.metric_by_name(name)) for name in SOURCE_METRICS}
        start = min(each["inst_executed"])
        shared = each["memory_l1_wavefronts_shared"]
        yield {
            "kernel": action.name(),
            "passes": sum(value[name] for name in names[:2]),
            "conflicts": sum(value[name] for name in names[2:]),
            "instructions": {f"{at - start:#x}": n for at, n in sorted(shared.items())},
        }


def _instances(metric: Any) -> dict[int, int]:
    ids = metric.correlation_ids()
    return {ids.as_uint64(n): metric.as_uint64(n) for n in range(metric.num_instances())}


def some(first: int) -> None:
    """Print a line for each case from the first on; a fault ends it."""
    from bankwise.lab.gpu.run_cuda import compared, timed

    for case in json.loads(Path("cases.json").read_text("utf-8"))[first:]:
        found = compared(case, False, False)
        small = bool(found["outside"])
        if small:
            found = compared(case, True, False)
        if not found["outside"] and not found["equal"]:
            found["whole"] = compared(case, small, True)
        if not found["outside"]:
            found |= timed(case, small)
        print(json.dumps({**found, "small": small}), flush=True)


def lines(out: Path) -> Iterator[str]:
    """How many shared-memory instructions stand at the right line, counted exactly."""
    rows = json.loads((out / "results.json").read_text("utf-8"))
    cases = json.loads((out / "cases.json").read_text("utf-8"))
    decided = tomllib.loads((KERNELS / "suite.toml").read_text("utf-8"))["data"]
    all_, placed, exact, known, data, short = 0, 0, 0, 0, 0, []
    for case, row in zip(cases, rows, strict=True):
        truth = disassembled(out / case["before"], case["kernel"]["before"], case["name"])
        told = case["predicted"][0]["instructions"]
        counted = (row.get("counted") or [None])[0]
        good, ran = 0, [at for at in truth if counted and counted["instructions"].get(at)]
        for at, line in ((at, truth[at]) for at in ran):
            said = told.get(at)
            all_ += 1
            placed += said is not None and said[0] == line
            passes = said and said[1]
            known += passes is not None
            data += passes is None and case["name"] in decided
            really = counted["instructions"].get(at, 0) if counted else None
            right = passes is not None and really == passes * prod(case["grid"])
            exact += right and said is not None and said[0] == line
            good += right
        if good < len(ran):
            short.append(f"{case['name']}: {good} of {len(ran)}")
    yield f"{all_} executed shared-memory instructions of {len(cases)} kernels: {placed} at the"
    yield f"right line, {known} counted, {exact} both as the GPU counts; of the others"
    yield f"{data} are said to be decided by data"
    yield "; ".join(short)


def disassembled(cubin: Path, kernel: str, name: str) -> dict[str, int]:
    """The shared-memory instructions of a kernel and their lines, from nvdisasm's text: of what is
    inlined the innermost place in the kernel's file."""
    from bankwise.read.toolkit import find_program

    words = [str(find_program("nvdisasm")), "-gi", "-c", str(cubin)]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found: dict[str, int] = {}
    places: list[tuple[str, int]] = []
    inside = fresh = False
    for line in text.splitlines():
        if line.startswith(".text."):
            inside = line.strip() == f".text.{kernel}:"
        place, instruction = _LINE.match(line), _INSTRUCTION.match(line)
        if place:
            places = places if fresh else []
            fresh = True
            places.append((place[1], int(place[2])))
            if place[3]:
                places.append((place[3], int(place[4])))
        elif instruction:
            fresh = False
            if inside and _SHARED.match(instruction[2]):
                mine = [n for file, n in places if Path(file).stem in (name, "kernel")]
                found[f"{int(instruction[1], 16):#x}"] = mine[0] if mine else 0
    return found


def table(out: Path, manners: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """What was measured of all that was changed: the rows of docs/data/h200_cuda.csv."""
    rows = json.loads((out / "results.json").read_text("utf-8"))
    cases = json.loads((out / "cases.json").read_text("utf-8"))
    found = [(manners.get(c["name"], "others"), c, r) for c, r in zip(cases, rows, strict=True)]
    for manner, case, row in sorted(found, key=lambda one: (one[0], one[1]["name"])):
        if not case["changed"]:
            continue
        assert "fault" not in row, case["name"]
        assert not row["outside"], case["name"]
        blocks = prod(case["grid"])
        whole = row.get("whole", row)
        counted = [f"{one['conflicts'] / blocks:.1f}" for one in row["counted"]]
        predicted = [one["conflicts"] for one in case["predicted"]]
        yield {
            "manner": manner,
            "name": case["name"],
            "blocks": blocks,
            "known": "all" if _known(case) else "as followed",
            "predicted_before": predicted[0],
            "predicted_after": predicted[1],
            "counted_before": counted[0],
            "counted_after": counted[1],
            "us_before": f"{row['ns'][0] / 1000:.1f}",
            "us_after": f"{row['ns'][1] / 1000:.1f}",
            "equal": "bits" if row["equal"] else "whole numbers" if whole["equal"] else "no",
        }


def _known(case: Mapping[str, Any]) -> bool:
    """Whether every shared-memory instruction of both versions is counted exactly."""
    told = (one["instructions"].values() for one in case["predicted"])
    return all(passes is not None for some in told for _, passes in some)


def shown(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """The table of docs/cuda.md."""
    yield "| manner | kernel | conflicts of a block, predicted | counted | µs | times as fast |"
    yield "|---|---|--:|--:|--:|--:|"
    last = ""
    for row in rows:
        said, counted = (
            [float(row[f"{key}_{when}"]) for when in ("before", "after")]
            for key in ("predicted", "counted")
        )
        really = " -> ".join(f"{n:,.1f}".removesuffix(".0") for n in counted)
        cells = (
            row["manner"] if row["manner"] != last else "",
            row["name"] + (" (whole numbers)" if row["equal"] == "whole numbers" else ""),
            " -> ".join(f"{n:,.0f}" for n in said)
            + ("" if row["known"] == "all" else ", as followed"),
            "the same" if said == counted else really,
            f"{float(row['us_before']):,.1f} -> {float(row['us_after']):,.1f}",
            f"{float(row['us_before']) / float(row['us_after']):.2f}",
        )
        last = row["manner"]
        yield f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str]) -> None:
    """See the module's text."""
    word, *places = arguments
    if word == "build":
        build(Path(places[0]), Path(places[1]))
    elif word == "measure":
        measure(Path(places[0]).resolve())
    elif word == "some":
        some(int(places[1]))
    elif word == "once":
        from bankwise.lab.gpu.run_cuda import once

        cases = json.loads(Path("cases.json").read_text("utf-8"))
        once([cases[n] for n in json.loads(places[1])], small=False)
    elif word == "lines":
        print("\n".join(lines(Path(places[-1]))))
    elif word == "csv":
        from cuda_suite import manners

        rows = list(table(Path(places[0]), manners()))
        out = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    elif word == "tables":
        with Path(places[0]).open(encoding="utf-8", newline="") as file:
            print("\n".join(shown(list(csv.DictReader(file)))))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:])
