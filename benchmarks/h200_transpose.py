"""The transposes of docs/results_transpose.md: measure them, or write the page's tables.

    python benchmarks/h200_transpose.py measure FOLDER   # on a computer with the GPU
    python benchmarks/h200_transpose.py tables           # from docs/data/h200_transpose

The same as
``bankwise bench transpose --variants 230 --seed 6 --dtype fp32 --dtype fp16 -o FOLDER``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "docs" / "data" / "h200_transpose" / "results.json"
UNITS = ("DRAM", "L2", "shared", "issue")
Line = dict[str, Any]


def measure(folder: Path) -> None:
    from bankwise.lab.bench_transpose import BenchOptions, bench_transpose
    from bankwise.lab.report.transpose_files import save

    options = BenchOptions(dtypes=("fp32", "fp16"), variants=230, seed=6)
    report = bench_transpose(options, lambda done, all_: print(f"case {done} of {all_}"))
    for path in save(report, folder):
        print(path)


def tables(lines: list[Line]) -> Iterator[str]:
    """A table of Markdown per type and size."""
    for case in sorted({(x["dtype"], x["m"], x["k"]) for x in lines}):
        mine = [x for x in lines if (x["dtype"], x["m"], x["k"]) == case]
        yield f"### {case[0]}, {case[1]} x {case[2]}"
        yield ""
        yield "| kernel | conflicts predicted | measured | TB/s | of copy | cold | busiest unit |"
        yield "|---|---|---|---|---|---|---|"
        for line in shown(mine):
            yield row(line)
        yield ""


def shown(lines: list[Line]) -> list[Line]:
    """Of the finalists the one whose counters were read; of the Triton tiles the best."""
    triton = min((x for x in lines if x["kind"] == "triton"), key=lambda x: x["median_ms"])
    kept = [x for x in lines if x["kind"] not in ("tuned", "triton") or x is triton]
    kept += [x for x in lines if x["kind"] == "tuned" and x["measured_extra"] is not None]
    order = ["rung", "relaid", "tuned", "triton", "torch", "copy"]
    return sorted(kept, key=lambda x: order.index(x["kind"]))


def row(line: Line) -> str:
    name = {"copy": "device-to-device copy", "tuned": "tuned, solved layout"}.get(line["kind"])
    return "| " + " | ".join(
        [
            name or line["title"],
            whole(line["predicted_extra"]),
            whole(line["measured_extra"]),
            f"{line['gb_per_s'] / 1000:.2f}",
            f"{100 * line['share']:.1f} %",
            f"{100 * line['cold_share']:.1f} %",
            busiest(line["limits"]),
        ]
    ) + " |"  # fmt: skip


def whole(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def busiest(limits: dict[str, float] | None) -> str:
    if limits is None:
        return ""
    unit = max(UNITS, key=lambda one: limits[one])
    return f"{unit} {limits[unit]:.0f} %"


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"] and len(sys.argv) == 3:
        measure(Path(sys.argv[2]))
    elif sys.argv[1:] == ["tables"]:
        print("\n".join(tables(json.loads(DATA.read_text("utf-8"))["lines"])))
    else:
        sys.exit(__doc__)
