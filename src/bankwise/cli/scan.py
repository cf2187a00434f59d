"""``bankwise scan``."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bankwise.cli.common import (
    ExactTarget,
    Jobs,
    KernelName,
    LaunchTexts,
    Seconds,
    Workgroup,
    app,
    examples,
    file_of,
    out,
    progress,
    write_json,
)
from bankwise.cli.project import tell_of_many

if TYPE_CHECKING:
    from bankwise.show.scanning import ScanReport


class ScanFormat(StrEnum):
    """How to print a scan."""

    text = "text"
    json = "json"
    html = "html"
    csv = "csv"
    sarif = "sarif"
    github = "github"


@app.command(
    epilog=examples(
        "bankwise scan kernels/",
        "bankwise scan kernels/ --kernel 'gemm*' --top 20 --store scan.sqlite",
        "bankwise scan kernel.s kernel.ptx --workgroup-size 256,1,1 --format csv",
        "bankwise scan kernels/ --jobs 2 --time 600 --format html > scan.html",
    )
)
def scan(
    paths: Annotated[list[Path], file_of("scan", "PATH...")],
    target: ExactTarget = "",
    kernel: KernelName = "",
    workgroup_size: Workgroup = "",
    argument: Annotated[
        list[str], typer.Option("--arg", metavar="NAME=VALUE", help="A kernel argument's value.")
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    launch: LaunchTexts = [],  # noqa: B006 - typer reads the default, nobody changes it
    top: Annotated[int, typer.Option(min=0, help="Show so many kernels; 0: all.")] = 0,
    min_extra: Annotated[
        int, typer.Option(min=0, help="Only kernels that waste so many passes a workgroup.")
    ] = 0,
    store: Annotated[
        str, typer.Option(metavar="FILE", help="Keep answers here (SQLite); resumes from it.")
    ] = "",
    jobs: Jobs = 0,
    scheduler: Annotated[
        str, typer.Option(metavar="dask://HOST[:PORT]", help="Answer on a Dask cluster.")
    ] = "",
    seconds: Seconds = 0,
    openers: Annotated[
        bool, typer.Option("--openers", help="Try arguments: which would answer what is open?")
    ] = False,
    shapes: Annotated[
        bool, typer.Option("--shapes", help="Try several block sizes where none is known.")
    ] = False,
    work: Annotated[
        int,
        typer.Option(
            min=0, metavar="STEPS", help="Follow a kernel for so many steps; 0: by its size."
        ),
    ] = 0,
    retry_failed: Annotated[bool, typer.Option(help="Try again what failed.")] = False,
    form: Annotated[ScanFormat, typer.Option("--format", help="How to print.")] = ScanFormat.text,
) -> None:
    """Rank every kernel of files, libraries and folders by the passes that it wastes."""
    from bankwise.ask.scan import ScanLimits
    from bankwise.ask.scan import scan as run_scan
    from bankwise.read.options import Options

    options = Options(
        target,
        kernel,
        workgroup_size=workgroup_size,
        arguments=tuple(argument),
        launches=tuple(launch),
        openers=openers,
        shapes=shapes,
        work=work,
    )
    limits = ScanLimits(seconds, scheduler or "local", jobs, retry_failed)
    with progress("kernels") as advance:
        report = run_scan(
            paths,
            options,
            store_file=Path(store) if store else None,
            limits=limits,
            least_extra=min_extra,
            progress=advance,
        )
    broken = (one.location.file for one in report.broken if one.location)
    tell_of_many("scan", (*(kernel.file for kernel in report.kernels), *broken), options)
    _write(report, form, top)
    raise typer.Exit(report.exit_code)


def _write(report: ScanReport, form: ScanFormat, top: int) -> None:
    from msgspec.structs import replace

    from bankwise.show import scan_lines
    from bankwise.show.scanning import print_scan

    if form is ScanFormat.text:
        print_scan(report, out(), top)
        return
    shown = replace(report, kernels=report.kernels[:top]) if top else report
    if form is ScanFormat.json:
        from bankwise.show.documents.scanning import scan_document

        write_json(scan_document(shown))
    elif form is ScanFormat.html:
        from bankwise.workbench.scan_page import scan_html

        sys.stdout.write(scan_html(shown))
    elif form is ScanFormat.csv:
        sys.stdout.write(scan_lines.scan_csv(shown))
    elif form is ScanFormat.sarif:
        write_json(scan_lines.scan_sarif(shown))
    else:
        sys.stdout.write(scan_lines.scan_annotations(shown))
