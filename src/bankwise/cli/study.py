"""Machines, the workbench, sweeps."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import (
    MOST_JOBS,
    Output,
    app,
    examples,
    file_of,
    machine_names,
    out,
    progress,
    write_json,
)

_PROGRESS_S = 10.0
"""Between two lines about how far a sweep is, where there is no terminal."""


@app.command(
    epilog=examples(
        "bankwise machines",
        "bankwise machines gfx950 --format json",
    )
)
def machines(
    name: Annotated[
        str, typer.Argument(help="One machine, e.g. gfx950.", autocompletion=machine_names)
    ] = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Print the machines: banks, phases, sizes, each with source and evidence."""
    from bankwise.hardware.machine import machine, names
    from bankwise.show import machines as report

    chosen = [machine(name)] if name else [machine(n) for n in names()]
    if form is Output.json:
        from bankwise.show.documents.machines import machines_document

        write_json(machines_document(chosen))
    elif name:
        report.print_machine(chosen[0], out())
    else:
        report.print_machines(chosen, out())


@app.command(
    epilog=examples(
        "bankwise workbench",
        "bankwise workbench -o workbench.html",
        "bankwise workbench --static site/",
    )
)
def workbench(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Write the page as one file and end.")
    ] = None,
    static: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write a site for any host of plain files and end."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open it in the browser.")] = True,
) -> None:
    """Open the workbench: see conflicts, break layouts, fix kernels. Serves 127.0.0.1 only."""
    from bankwise.errors import InputError
    from bankwise.files import make_folder, write_atomically
    from bankwise.workbench.browser import opened
    from bankwise.workbench.page import page, site
    from bankwise.workbench.server import serve

    if "" in (output, static):
        raise InputError("an empty name of a file or folder", hint="--static site/")
    if output or static:
        files = {Path(output): page()} if output else {}
        files |= {Path(static, name): text for name, text in site().items()} if static else {}
        if static:
            make_folder(Path(static))
        for path, text in files.items():
            write_atomically(path, text)
        return

    with ExitStack() as until:

        def ready(address: str) -> None:
            print(f"{address}  (Ctrl-C ends it)", file=sys.stderr)
            if browser:
                until.enter_context(opened(address))

        serve(port, ready)


@app.command(
    epilog=examples(
        "bankwise sweep examples/sweep/k_tiles.toml --store tiles.sqlite",
        "bankwise sweep examples/sweep/attention_110.toml -o out.csv -o out.svg",
        "bankwise sweep spec.toml --engine dask://cluster:8786",
    )
)
def sweep(
    spec: Annotated[Path, file_of("sweep", "SPEC.toml")],
    store: Annotated[
        str, typer.Option(metavar="FILE", help="Results (SQLite); default beside SPEC.")
    ] = "",
    output: Annotated[
        list[str],
        typer.Option("--output", "-o", metavar="OUT", help="Also .csv .parquet .png .svg .pdf."),
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    engine: Annotated[str, typer.Option(help="local, or dask://HOST[:PORT].")] = "local",
    workers: Annotated[
        int, typer.Option(min=0, max=MOST_JOBS, help="Local processes; 0: one per core.")
    ] = 0,
    retry_failed: Annotated[bool, typer.Option(help="Compute failed cases again.")] = False,
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Count many kernels x shapes x types x targets x mitigations beside the framework's default.

    Of tiles: which one layout for all of them. Resumes where it was killed. Exit code 0: free of
    conflicts, and the one layout is each tile's best; 1: conflicts, or a tile has a better one.
    """
    from bankwise.ask.sweep import check_outputs, export
    from bankwise.ask.sweep import sweep as run_sweep
    from bankwise.show.sweeping import print_sweep

    outputs = [Path(one) for one in output]
    check_outputs(outputs)
    every_s = None if form is Output.json else _PROGRESS_S
    with progress("cases", every_s) as advance:
        report = run_sweep(
            spec,
            store_file=Path(store) if store else None,
            engine=engine,
            workers=workers,
            retry_failed=retry_failed,
            progress=advance,
        )
    for path in outputs:
        export(report, path)
    if form is Output.json:
        from bankwise.show.documents.sweeping import sweep_document

        write_json(sweep_document(report))
    else:
        print_sweep(report, out())
    raise typer.Exit(report.exit_code)
