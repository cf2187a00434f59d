"""The GPU's side of benchmarks/h200_issue.py: cycles and counters of what it has built.

    python benchmarks/h200_issue_run.py measure FOLDER   # on a computer with the GPU: CuPy, ncu
    python benchmarks/h200_issue_run.py tables           # of docs/data/h200_issue, for the page

One block on one SM, 1 to 16 warps; cycles of the SM's clock from the first warp's start to the last
one's end, of twice the rounds less of once, the least of seven launches. issue.csv has a row for
each measurement of one instruction, tiles.csv of a plan, with its passes as predicted and as read.
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from operator import sub
from pathlib import Path
from typing import Any

import numpy as np
from h200_issue import CHASED, MOST_BYTES, SINGLES, UNROLL, kernel_name

DATA = Path(__file__).parents[1] / "docs" / "data" / "h200_issue"
WARPS = (1, 2, 4, 8, 16)
DEGREES = (1, 2, 4, 8)
ROUNDS = 64
LAUNCHES = 7


class Gpu:
    """The kernels on this computer's GPU."""

    def __init__(self, folder: Path) -> None:
        import cupy

        self.cupy = cupy
        self.module = cupy.RawModule(path=str(folder / "issue.cubin"))
        self.times = cupy.zeros(64, cupy.int64)
        self.sink = cupy.zeros(1, cupy.uint32)

    def launch(
        self, name: str, offsets: Sequence[Sequence[int]], warps: int, rounds: int, apart: int = 1
    ) -> int:
        """Cycles from the first warp's start to the last one's end; ``apart``: 4 for warps that
        share a sub-partition (warp i is on number i mod 4), between them others that do nothing."""
        kernel = self.module.get_function(name)
        kernel.max_dynamic_shared_size_bytes = MOST_BYTES
        table = self.cupy.asarray(np.array(offsets, np.int32))
        arguments = (table, self.times, np.int32(rounds), np.int32(apart), np.int32(0), self.sink)
        kernel((1,), (32 * warps * apart,), arguments, shared_mem=MOST_BYTES)
        seen = self.times.get()[: 2 * warps * apart].reshape(warps * apart, 2)[::apart]
        return int(seen[:, 1].max() - seen[:, 0].min())

    def cycles(
        self, name: str, offsets: Sequence[Sequence[int]], warps: int, apart: int = 1
    ) -> float:
        """Cycles of a round: start and end of the kernel are not in it."""
        found = []
        for _ in range(LAUNCHES):
            both = (self.launch(name, offsets, warps, n * ROUNDS, apart) for n in (1, 2))
            found.append(-sub(*both))
        return min(found) / ROUNDS


def measure(folder: Path) -> None:
    """issue.csv and tiles.csv beside the machine code."""
    gpu = Gpu(folder)
    tiles = json.loads((folder / "tiles.json").read_text("utf-8"))
    written(folder / "issue.csv", singles(gpu))
    written(folder / "tiles.csv", rounds(gpu, tiles, [""] * len(tiles)))
    written(folder / "tiles.csv", rounds(gpu, tiles, counted(folder, len(tiles))))


def singles(gpu: Gpu) -> Iterator[dict[str, Any]]:
    """One instruction: by conflicts and warps, on all four sub-partitions and on one."""
    placed = [(1, warps) for warps in WARPS] + [(4, warps) for warps in WARPS if warps <= 4]
    for (name, (_, width)), degree in product((SINGLES | CHASED).items(), DEGREES):
        lanes = [[lane * width * degree for lane in range(32)]]
        for apart, warps in placed:
            each = gpu.cycles(kernel_name(name), lanes, warps, apart) / (UNROLL * warps)
            yield {
                "instruction": name, "degree": degree, "warps": warps,
                "sub_partitions": 1 if apart == 4 else min(4, warps),
                "cycles_per_instruction": f"{each:.4f}",
            }  # fmt: skip


def rounds(
    gpu: Gpu, tiles: Sequence[Mapping[str, Any]], seen: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """Every plan: by warps, with and without a barrier."""
    keys = ("question", "plan", "stores", "instructions", "passes")
    for number, tile in enumerate(tiles):
        for barrier, warps in product((0, 1), WARPS):
            each = gpu.cycles(f"tile{number}_{barrier}", tile["offsets"], warps) / warps
            yield {
                **{key: tile[key] for key in keys}, "passes_read": seen[number],
                "barrier": barrier, "warps": warps, "cycles_per_round_and_warp": f"{each:.3f}",
            }  # fmt: skip


def counted(folder: Path, tiles: int) -> list[float]:
    """Passes of a round of every plan, as the profiler counts them."""
    from bankwise.lab.gpu.counters import PASSES
    from bankwise.lab.gpu.profile_run import profile_module

    os.environ["PYTHONPATH"] = f"{Path(__file__).parent}:{os.environ.get('PYTHONPATH', '')}"
    names = [f"tile{number}_0" for number in range(tiles)]
    launches = profile_module(
        "h200_issue_run", ["once", str(folder)], kernels=names, metrics=PASSES, expected=2 * tiles
    )
    seen = [sum(launch.values[name] for name in PASSES) for launch in launches]
    return [(b - a) / (4 * ROUNDS) for a, b in zip(seen[::2], seen[1::2], strict=True)]


def once(folder: Path) -> None:
    """Every tile by four warps, with once the rounds and twice: what the profiler watches."""
    gpu = Gpu(folder)
    for number, tile in enumerate(json.loads((folder / "tiles.json").read_text("utf-8"))):
        for times in (1, 2):
            gpu.launch(f"tile{number}_0", tile["offsets"], 4, times * ROUNDS)


def written(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """A table."""
    every = list(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(every[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(every)


SHOWN = (*(f"{op}.shared.b{n}" for op in ("ld", "st") for n in (32, 64, 128)),
         "ldmatrix.x4", "stmatrix.x4")  # fmt: skip
SHOWN_DEGREES = ("1", "4")
"""What of issue.csv stands in the page."""


def tables(folder: Path) -> Iterator[str]:
    """Cycles of one instruction, by conflicts and warps; of a round of plans that differ."""
    heads = f"{' | '.join(map(str, WARPS[:-1]))} | {WARPS[-1]} warps |"
    yield f"| instruction | conflict | {heads} 4 of one sub-partition |"
    yield "|---" * (len(WARPS) + 3) + "|"
    kept: dict[tuple[str, ...], list[str]] = {}
    for row in table_of(folder / "issue.csv"):
        if row["instruction"] in SHOWN and row["degree"] in SHOWN_DEGREES:
            cells = kept.setdefault((row["instruction"], f"{row['degree']}-way"), [])
            cells.append(f"{float(row['cycles_per_instruction']):.2f}")
    for key, cells in kept.items():
        yield f"| {' | '.join((*key, *cells[: len(WARPS)], cells[-1]))} |"
    yield ""
    yield f"| tile | plan | instructions | passes | {heads}"
    yield "|---" * (len(WARPS) + 4) + "|"
    named, plans = {}, {}
    for row in table_of(folder / "tiles.csv"):
        if row["barrier"] == "1" and row["plan"] != "row-major":
            alike = row["question"], row["instructions"], row["passes"]
            if named.setdefault(alike, row["plan"]) == row["plan"]:
                cycles = f"{float(row['cycles_per_round_and_warp']):.1f}"
                plans.setdefault(alike, []).append(cycles)
    for (name, *numbers), cells in plans.items():
        plan = named[name, *numbers]
        yield f"| {' | '.join((name, plan, *numbers, *cells))} |"


def table_of(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"] and len(sys.argv) == 3:
        measure(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["once"] and len(sys.argv) == 3:
        once(Path(sys.argv[2]))
    elif sys.argv[1:] == ["tables"]:
        print("\n".join(tables(DATA)))
    else:
        sys.exit(__doc__)
