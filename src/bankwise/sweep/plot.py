"""Plots of a sweep: the numbers of every shape by name, and their ratio to the framework's default.

A row of panels for each kernel, type and target; of tiles, whose layouts are hundreds, the answers
and what they are compared with: the one layout, the best of every kind, the tile's own best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from bankwise.errors import InputError, Location
from bankwise.files import write_atomically
from bankwise.read.extra import install
from bankwise.sweep.one_layout import one_layouts
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult, Row
from bankwise.sweep.table import rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".png", ".svg", ".pdf")
_KERNEL = (
    ("extra_launch", "bank conflicts of the launch", "symlog"),
    ("lds_bytes", "LDS bytes of a workgroup", "linear"),
    ("passes_to_default", "passes / the framework's default", "linear"),
    ("cycles_to_default", "cycles / the framework's default", "linear"),
)
_TILE = (
    ("price", "price: cycles, or passes where no cycles are known", "log"),
    ("lds_bytes", "LDS bytes of the tile", "linear"),
    ("price_to_best", "price / the tile's own best", "log"),
    ("passes_to_default", "passes / the framework's default", "log"),
)
_INCHES_PER_SHAPE = 0.16
_MOST_INCHES = 40.0

Kind = tuple[str, str, str]


def plot(outcomes: Sequence[CaseResult[Case]], path: Path, title: str) -> None:
    """Draw the sweep into ``path``, whose suffix says how: PNG, SVG or PDF.

    Shapes stand in the order of the sweep. :class:`InputError` if matplotlib is missing, the suffix
    unknown or the path unwritable.
    """
    if path.suffix not in SUFFIXES:
        message = f"{path.suffix!r} is no kind of plot"
        raise InputError(message, location=Location(str(path)), hint=", ".join(SUFFIXES))
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise InputError("plots need matplotlib", hint=install("sweep")) from error
    kinds = _by_kind(outcomes)
    most = max((len({row["shape"] for row in found}) for found in kinds.values()), default=0)
    wide = min(_MOST_INCHES, max(6.4, most * _INCHES_PER_SHAPE))
    size = (wide * len(_KERNEL), 4.2 * max(len(kinds), 1))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(max(len(kinds), 1), len(_KERNEL), squeeze=False)
    for line, (kind, found) in zip(axes, kinds.items(), strict=False):
        panels = _TILE if any("price" in row for row in found) else _KERNEL
        for (column, label, scale), place in zip(panels, line, strict=True):
            _panel(place, found, column)
            place.set(title=" ".join(kind), ylabel=label, yscale=scale)
            if scale == "symlog":
                place.set_ylim(bottom=0)
    figure.suptitle(title)
    drawn = BytesIO()
    figure.savefig(drawn, format=path.suffix.removeprefix("."))
    write_atomically(path, drawn.getvalue())


def _by_kind(outcomes: Sequence[CaseResult[Case]]) -> Mapping[Kind, list[Row]]:
    """What is drawn together: rows of one kernel or tile, type and target."""
    shown = {o.target: {"own", *(s.name for s in o.rivals)} for o in one_layouts(outcomes)}
    tiles = {(o.case.kernel, o.case.target) for o in outcomes if o.case.is_tile}
    found: dict[Kind, list[Row]] = {}
    for row in rows(outcomes):
        kind = (row["kernel"], row["type"], row["target"])
        known = shown.get(row["target"], {"own"})
        if (row["kernel"], row["target"]) not in tiles or row["mitigation"] in known:
            found.setdefault(kind, []).append(row)
    return found


def _panel(place: Axes, found: Sequence[Row], column: str) -> None:
    """One line per mitigation or layout over the shapes, by name; a gap where nothing is known."""
    shapes = list(dict.fromkeys(row["shape"] for row in found))
    for name in dict.fromkeys(row["mitigation"] for row in found):
        known = {row["shape"]: row.get(column) for row in found if row["mitigation"] == name}
        values = (known.get(shape) for shape in shapes)
        heights = [float("nan") if value is None else float(value) for value in values]
        place.plot(range(len(shapes)), heights, marker=".", linewidth=1, label=name)
    if column.endswith(("_to_default", "_to_best")):
        place.axhline(1.0, color="black", linewidth=0.8, linestyle="--")
    place.set_xticks(range(len(shapes)), shapes, rotation=90, fontsize="x-small")
    place.legend(fontsize="x-small")
    place.grid(alpha=0.3)
