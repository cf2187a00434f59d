"""The answer of ``bankwise bench transpose`` as files: CSV, JSON, a plot."""

from __future__ import annotations

import csv
import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bankwise.files import make_folder, write_atomically
from bankwise.lab.report.documents import transpose_document
from bankwise.lab.report.transposing import TransposeBench, TransposeRow, Tried, name_of, shown
from bankwise.show.schema import dumps


def table_csv(rows: Sequence[TransposeRow] | Sequence[Tried]) -> str:
    """The rows as CSV with a header; limits and single launches stay in the JSON."""
    out = io.StringIO()
    if not rows:
        return ""
    names = [x for x in rows[0].__struct_fields__ if x not in ("limits", "all_ms")]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        values = [getattr(row, name) for name in names]
        writer.writerow(["" if v is None else v for v in values])
    return out.getvalue()


def plot(report: TransposeBench, path: Path) -> None:
    """Bandwidth of every kernel, a panel per type and size. Needs matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    cases = report.cases
    figure = Figure(figsize=(11, 3.2 * len(cases)), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, case in zip(figure.subplots(len(cases), 1, squeeze=False)[:, 0], cases, strict=True):
        lines = [x for x in shown(report, case) if x.gb_per_s is not None]
        colours = {"copy": "#888888", "tuned": "#0a7d4b", "rung": "#2f6fb0", "relaid": "#7fb8a0"}
        names = ["tuned, fastest warm" if x.kind == "tuned" else x.title or x.name for x in lines]
        values = [(x.gb_per_s or 0) / 1000 for x in lines]
        axes.barh(names, values, color=[colours.get(x.kind, "#c98a1b") for x in lines])
        for number, line in enumerate(lines):
            extra = "" if line.predicted_extra is None else f", {line.predicted_extra:,} conflicts"
            axes.text(values[number], number, f" {values[number]:.2f}{extra}", va="center", size=7)
        axes.invert_yaxis()
        axes.set_xlim(0, max(values) * 1.25)
        axes.set_title(f"{name_of(case)}: TB/s, bytes read and written", size=9)
        axes.tick_params(labelsize=7)
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix.removeprefix("."), dpi=110)
    write_atomically(path, drawn.getvalue())


def save(report: TransposeBench, folder: Path) -> tuple[Path, ...]:
    """``results.csv``, ``variants.csv``, ``results.json`` and, with matplotlib, ``results.png``."""
    make_folder(folder)
    document = msgspec.structs.replace(transpose_document(report), tried=len(report.tried))
    texts = {
        "results.csv": table_csv(report.lines),
        "variants.csv": table_csv(report.tried),
        "results.json": dumps(document),
    }
    for name, text in texts.items():
        write_atomically(folder / name, text)
    written = [folder / name for name in texts]
    if importlib.util.find_spec("matplotlib") is not None:
        plot(report, folder / "results.png")
        written.append(folder / "results.png")
    return tuple(written)
