"""The answer of ``bankwise verify``."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from bankwise.show.columns import Console, table
from bankwise.show.plain import escape
from bankwise.solver.certificate import Certificate


class AccessComparison(Struct, frozen=True):
    """One access under one layout; one number for each of its distinct instructions."""

    layout: str
    access: str
    instructions: tuple[str, ...]
    predicted_passes: tuple[int, ...]
    measured_passes: tuple[int, ...] | None
    predicted_extra: tuple[int, ...]
    measured_extra: tuple[int, ...]

    @property
    def agrees(self) -> bool:
        """Whether every counter is the predicted one."""
        same = self.measured_passes in (None, self.predicted_passes)
        return same and self.measured_extra == self.predicted_extra


class VerifyReport(Struct, frozen=True):
    """Predicted and measured, side by side.

    ``layout`` is the solver's, ``how`` its proof in words and ``certificate`` what
    `bankwise certify` checks; all three are empty for kernels and specs. ``left_out``: access to
    the reason why it was not measured.
    """

    file: str
    machine: str
    layout: str
    how: str
    rows: tuple[AccessComparison, ...]
    certificate: Certificate | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether all rows do."""
        return all(row.agrees for row in self.rows)


def print_verify(report: VerifyReport, console: Console) -> None:
    """A line per layout and access."""
    title = report.layout or report.file
    how = f" ({report.how})" if report.how else ""
    console.print(f"[bold]{escape(title)}[/] on {report.machine}{escape(how)}")
    rows, colours = [], []
    for row in report.rows:
        measured = row.measured_passes
        told = "no counter" if measured is None else _values_text(measured)
        cells = [_values_text(row.predicted_passes), told, _values_text(row.measured_extra)]
        rows.append([*cells, row.layout, ", ".join(row.instructions), row.access])
        colours.append("green" if row.agrees else "red")
    titles = ("predicted", "measured", "conflicts", "layout", "instruction", "access")
    table(console, titles, rows, colours, whole=True)
    for access, why in report.left_out.items():
        console.print(f"[yellow]not measured[/] {escape(access)}: {escape(why)}")
    if report.certificate:
        digest = report.certificate.digest
        console.print(f"certificate {digest[:16]}: `--format json` has it for `bankwise certify`")
    console.print("[green]as predicted[/]" if report.agrees else "[red]not as predicted[/]")


def _values_text(values: tuple[int, ...]) -> str:
    return str(values[0]) if len(set(values)) == 1 else " ".join(map(str, values))
