"""The transposes of docs/results_transpose.md: measure them, or write the page's tables.

    python benchmarks/h200_transpose.py measure FOLDER   # on a computer with the GPU
    python benchmarks/h200_transpose.py shapes OUT.csv   # other shapes, on the same computer
    python benchmarks/h200_transpose.py any OUT.csv      # odd sizes and batches, with counters
    python benchmarks/h200_transpose.py tables           # from docs/data/h200_transpose
    python benchmarks/h200_transpose.py shape-table      # of the other shapes, from the same folder
    python benchmarks/h200_transpose.py any-table        # of odd sizes and batches

The same as
``bankwise bench transpose --variants 450 --seed 6 --dtype fp32 --dtype fp16 -o FOLDER``.
"""

from __future__ import annotations

import csv
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

    options = BenchOptions(dtypes=("fp32", "fp16"), variants=450, seed=6)
    report = bench_transpose(options, lambda done, all_: print(f"case {done} of {all_}"))
    for path in save(report, folder):
        print(path)


SHAPES = (
    (2048, 2048), (32768, 128), (256, 65536), (49152, 768), (3200, 9600), (16384, 4096),
    (65536, 1024), (8192, 8192), (12288, 6144), (4096, 65536),
)  # fmt: skip


ANY = (
    (4095, 4097), (1000, 3000), (12345, 678), (8191, 8193), (999, 1001), (777, 30011),
    (64, 1024, 1024), (8, 4096, 512), (256, 127, 129), (32, 1000, 1000), (16, 513, 2049),
    (1024, 64, 96),
)  # fmt: skip


def shapes(out: Path) -> None:
    """Rows of every shape are written as soon as they are there."""
    _rows(out, [(size,) for size in SHAPES], variants=200, profile=False)


def any_size(out: Path) -> None:
    """The profiler starts once for several shapes."""
    _rows(out, [ANY[:4], ANY[4:8], ANY[8:]], variants=240, profile=True)


def _rows(out: Path, groups: Any, *, variants: int, profile: bool) -> None:
    from bankwise.lab.bench_transpose import BenchOptions, bench_transpose
    from bankwise.lab.report.transpose_files import table_csv

    with out.open("w", encoding="utf-8") as file:
        for number, sizes in enumerate(groups):
            options = BenchOptions(sizes, ("fp32", "fp16"), variants=variants, profile=profile)
            report = bench_transpose(options)
            head, *rows = table_csv(report.lines).splitlines()
            print(*([head] if not number else []), *rows, sep="\n", file=file, flush=True)
            print(f"{number + 1} of {len(groups)}, good: {report.good}", flush=True)


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


def shape_table(rows: list[dict[str, str]]) -> Iterator[str]:
    """The best of each kind as shares of a copy: the fastest one warm, the fastest one cold."""
    kinds = ("tuned", "triton", "cublas", "torch")
    yield "| type | m x k | MB | tuned | Triton, best tile | cuBLAS geam | PyTorch |"
    yield "|---|---|---|---|---|---|---|"
    for (dtype, batch, m, k), mine in by_case(rows).items():
        size = f"{batch} x {m} x {k}" if batch > 1 else f"{m} x {k}"
        cells = [dtype, size, f"{batch * m * k * {'fp16': 2, 'fp32': 4}[dtype] / 1e6:.0f}"]
        for kind in kinds:
            warm, cold = (best(mine, kind, name) for name in ("share", "cold_share"))
            cells.append(f"{100 * warm:.1f}, {100 * cold:.1f}" if warm else "-")
        yield f"| {' | '.join(cells)} |"


def by_case(rows: list[dict[str, str]]) -> dict[tuple[str, int, int, int], list[dict[str, str]]]:
    """The rows of each (type, batch, m, k)."""
    found: dict[tuple[str, int, int, int], list[dict[str, str]]] = {}
    for row in rows:
        key = row["dtype"], int(row["batch"]), int(row["m"]), int(row["k"])
        found.setdefault(key, []).append(row)
    return found


def best(rows: list[dict[str, str]], kind: str, name: str) -> float:
    """The largest share of a kind; 0 where there is none."""
    return max((float(row[name]) for row in rows if row["kind"] == kind), default=0.0)


def shown(lines: list[Line]) -> list[Line]:
    """Of the finalists the one whose counters were read; of the Triton tiles the best."""
    triton = min((x for x in lines if x["kind"] == "triton"), key=lambda x: x["median_ms"])
    kept = [x for x in lines if x["kind"] not in ("tuned", "triton", "empty") or x is triton]
    kept += [x for x in lines if x["kind"] == "tuned" and x["measured_extra"] is not None]
    order = ["rung", "relaid", "tuned", "triton", "cublas", "torch", "copy"]
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
    elif sys.argv[1:2] == ["shapes"] and len(sys.argv) == 3:
        shapes(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["any"] and len(sys.argv) == 3:
        any_size(Path(sys.argv[2]))
    elif sys.argv[1:] in (["shape-table"], ["any-table"]):
        name = f"{sys.argv[1].removesuffix('-table').replace('shape', 'shapes')}.csv"
        with DATA.with_name(name).open(encoding="utf-8") as file:
            print("\n".join(shape_table(list(csv.DictReader(file)))))
    elif sys.argv[1:] == ["tables"]:
        print("\n".join(tables(json.loads(DATA.read_text("utf-8"))["lines"])))
    else:
        sys.exit(__doc__)
