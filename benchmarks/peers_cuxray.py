"""Side by side with cuxray on the same cubins: who sees which accesses, who is right, how fast.

    make bench-peers

runs this where cuxray 0.6.0 and Triton (for nvdisasm and cuobjdump) are installed; nvcc must be on
PATH. The judge are the counters of an H200 in tests/data/sass_counters.csv. Both tools run as whole
processes, kernel by kernel, one after the other.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bankwise.read.sass.parse import kernels
from bankwise.read.sass.shared import DecodedAccess, touch
from bankwise.read.toolkit import find_program

DATA = Path(__file__).parent.parent / "tests" / "data"
sys.path.insert(0, str(DATA))

from make_sass_kernels import compiled  # noqa: E402
from sass_kernels import FOLDER, LAUNCHES, Launch  # noqa: E402

OURS = """
import sys, json
from pathlib import Path
from bankwise.ask.check_assembly import check_assembly_file
from bankwise.read.options import Options
report = check_assembly_file(Path(sys.argv[1]), Options(kernel=sys.argv[2],
    workgroup_size=sys.argv[3], arguments=tuple(sys.argv[4:])))
(kernel,) = report.kernels
print(json.dumps({
    "seen": len(kernel.accesses), "conflicted": sum(a.run.extra > 0 for a in kernel.accesses),
    "places": [a.note.split(";")[0].split(" at ")[1] for a in kernel.accesses if a.run.extra],
    "refused": sum("descriptor" not in r.reason for r in report.refusals),
    "better": any(o.best.passes < o.present.passes for o in kernel.optima)}))
"""


@dataclass(frozen=True)
class Answer:
    """Of one kernel: instructions seen, with conflicts, not seen; whether one swizzle is offered
    for all that is seen."""

    seen: int
    conflicted: int
    unseen: int
    swizzle: bool
    seconds: float


def timed(*command: str) -> tuple[dict[str, object], float]:
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command[:4])}: {done.stderr[-500:]}")
    return json.loads(done.stdout), time.perf_counter() - start


def ours(cubin: Path, launch: Launch, told: bool) -> Answer:
    block = ",".join(map(str, launch.block))
    given = [f"{n}={value}" for n, value in launch.args.items()] if told else []
    found, seconds = timed(sys.executable, "-c", OURS, str(cubin), launch.kernel, block, *given)
    return Answer(
        found["seen"], found["conflicted"], found["refused"], found["better"], seconds
    )  # fmt: skip


def theirs(cubin: Path, launch: Launch, static: int) -> Answer:
    block = ",".join(map(str, launch.block))
    program = shutil.which("cuxray") or str(Path(sys.executable).parent / "cuxray")
    which = (str(cubin), "--threads", block, "--kernel", f"^{launch.kernel}$", "--json")
    document, seconds = timed(program, "report", *which, "--fast", "--no-cache")
    (kernel,) = (k for unit in document["units"] for k in unit["kernels"])
    sites = [s for s in kernel["access"]["by_site"] if s["space"] == "shared"]
    seen = sum(s["count"] for s in sites)
    conflicted = sum(s["count"] for s in sites if s["verdict"] == "conflict")
    solved, _ = timed(program, "solve", *which)
    found = [one for result in solved["results"] for one in result["global"]]
    better = any(p["after"] < p["before"] for one in found for p in one["per_pattern"])
    return Answer(seen, conflicted, max(0, static - seen), better, seconds)


def static_instructions(launch: Launch) -> int:
    """Instructions on shared memory in the code, fillers that never run left out."""
    text = (FOLDER / f"{launch.file}.sass").read_text()
    (kernel,) = (k for k in kernels(text, launch.file) if k.name == launch.kernel)
    return sum(
        isinstance(touch(i), DecodedAccess) and i.guard != "!PT" for i in kernel.instructions
    )


def counters() -> dict[str, int]:
    """Instructions with excess passes, of each kernel, as measured."""
    lines = (DATA / "sass_counters.csv").read_text().splitlines()[1:]
    found: dict[str, int] = {}
    for row in csv.DictReader(lines):
        own = found.setdefault(row["kernel"], 0)
        found[row["kernel"]] = own + (int(row["passes"]) > int(row["ideal"]))
    return found


def main() -> None:
    disassembler = find_program("nvdisasm")
    if shutil.which("nvcc") is None or disassembler is None:
        print("no nvcc or nvdisasm: there are no cubins to compare on")
        return
    os.environ["PATH"] += os.pathsep + str(disassembler.parent)
    measured = counters()
    with tempfile.TemporaryDirectory() as folder:
        cubins = {path.stem: path for path in compiled(Path(folder))}
        rows = []
        for launch in LAUNCHES:
            cubin = cubins[launch.file]
            other = theirs(cubin, launch, static_instructions(launch))
            rows.append((launch, ours(cubin, launch, told=True), other))
    print(f"{'kernel':<20} H200 | bankwise: conflicts, unseen, swizzle, s | cuxray: the same")
    for launch, own, other in rows:
        print(f"{launch.kernel:<20} {measured[launch.kernel]:4} | {_text(own)} | {_text(other)}")
    _summary(rows)


def _text(a: Answer) -> str:
    return f"{a.conflicted:3} {a.unseen:3} {'yes' if a.swizzle else '-':>4} {a.seconds:5.2f}"


def _summary(rows: list[tuple[Launch, Answer, Answer]]) -> None:
    whole = [[launch.kernel for launch, *both in rows if not both[n].unseen] for n in (0, 1)]
    print(f"all accesses seen: bankwise {len(whole[0])} kernels, cuxray {len(whole[1])}")
    missing = sorted(set(whole[1]) - set(whole[0]))
    print(f"seen whole by cuxray alone: {', '.join(missing) or 'none'}")
    swizzles = [[launch.kernel for launch, *both in rows if both[n].swizzle] for n in (0, 1)]
    alone = sorted(set(swizzles[1]) - set(swizzles[0]))
    print(f"swizzle offered: bankwise {len(swizzles[0])}, cuxray {len(swizzles[1])}")
    print(f"offered by cuxray alone: {', '.join(alone) or 'none'}")
    took = [statistics.median(both[n].seconds for _, *both in rows) for n in (0, 1)]
    print(f"median seconds a kernel: bankwise {took[0]:.2f}, cuxray {took[1]:.2f}")
    assert not missing


if __name__ == "__main__":
    main()
