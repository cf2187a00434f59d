"""Plots of a sweep: the counter and the LDS of every shape, one line per mitigation."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from bankwise.errors import InputError, Location
from bankwise.files import write_atomically
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".png", ".svg", ".pdf")
_PANELS = (
    ("extra_launch", "bank conflicts of the launch", "symlog"),
    ("lds_bytes", "LDS bytes of a workgroup", "linear"),
)


def plot(outcomes: Sequence[CaseResult[Case]], path: Path, title: str) -> None:
    """Draw the sweep into ``path``, whose suffix says how: PNG, SVG or PDF.

    Shapes are sorted by the conflicts of the first mitigation. :class:`InputError` if matplotlib
    is missing, the suffix unknown or the path unwritable.
    """
    if path.suffix not in SUFFIXES:
        message = f"{path.suffix!r} is no kind of plot"
        raise InputError(message, location=Location(str(path)), hint=", ".join(SUFFIXES))
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise InputError("plots need matplotlib", hint="pip install 'bankwise[sweep]'") from error
    kinds = list(dict.fromkeys((o.case.kernel, o.case.type, o.case.target) for o in outcomes))
    figure = Figure(figsize=(6.4 * len(_PANELS), 3.6 * max(len(kinds), 1)), layout="constrained")
    axes = figure.subplots(max(len(kinds), 1), len(_PANELS), squeeze=False)
    for line, kind in zip(axes, kinds, strict=False):
        same = [o for o in outcomes if (o.case.kernel, o.case.type, o.case.target) == kind]
        for (column, label, scale), place in zip(_PANELS, line, strict=True):
            _panel(place, same, column)
            place.set(title=" ".join(kind), ylabel=label, xlabel="shape", yscale=scale)
    figure.suptitle(title)
    drawn = BytesIO()
    figure.savefig(drawn, format=path.suffix.removeprefix("."))
    write_atomically(path, drawn.getvalue())


def _panel(place: Axes, outcomes: Sequence[CaseResult[Case]], column: str) -> None:
    """One line per mitigation over the shapes; a case without this number is a gap."""
    series: dict[str, dict[str, float]] = {}
    for o in outcomes:
        value = o.row.get(column)
        series.setdefault(o.case.mitigation, {})[o.case.size] = (
            float("nan") if value is None else float(value)
        )
    first = next(iter(series.values()), {})
    shapes = sorted(first, key=lambda size: first[size])
    for mitigation, values in series.items():
        heights = [values.get(size, float("nan")) for size in shapes]
        place.plot(range(len(shapes)), heights, marker=".", linewidth=1, label=mitigation)
    place.legend()
    place.grid(alpha=0.3)
