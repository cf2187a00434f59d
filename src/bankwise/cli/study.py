"""Machines, the workbench, sweeps and real hardware."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import (
    Format,
    Target,
    app,
    out,
    progress,
    write_json,
)


@app.command(epilog="Examples: bankwise machines | bankwise machines gfx950 --format json")
def machines(
    name: Annotated[str, typer.Argument(help="One machine, e.g. gfx950.")] = "",
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Print the machines: banks, phases, sizes, each with source and evidence."""
    from bankwise.machine import machine, names
    from bankwise.report import machines as report

    chosen = [machine(name)] if name else [machine(n) for n in names()]
    if form is Format.json:
        write_json(report.machines_document(chosen))
    elif name:
        report.print_machine(chosen[0], out())
    else:
        report.print_machines(chosen, out())


@app.command(epilog="Examples: bankwise workbench | bankwise workbench -o workbench.html")
def workbench(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Write the page as one file and end.")
    ] = "",
    browser: Annotated[bool, typer.Option(help="Open it in the browser.")] = True,
) -> None:
    """Open the workbench: see conflicts, break layouts, fix kernels. Serves 127.0.0.1 only."""
    import webbrowser

    from bankwise.files import write_atomically
    from bankwise.workbench.page import page
    from bankwise.workbench.server import serve

    if output:
        write_atomically(Path(output), page())
        return

    def ready(address: str) -> None:
        print(f"{address}  (Ctrl-C ends it)", file=sys.stderr)
        if browser:
            webbrowser.open(address)

    serve(port, ready)


@app.command(
    epilog="Examples: bankwise sweep examples/sweep/attention_110.toml -o out.csv -o out.svg | "
    "bankwise sweep spec.toml --engine dask://cluster:8786"
)
def sweep(
    spec: Annotated[Path, typer.Argument(metavar="SPEC.toml", help="See docs/sweep.md.")],
    store: Annotated[
        str, typer.Option(metavar="FILE", help="Results (SQLite); default beside SPEC.")
    ] = "",
    output: Annotated[
        list[str],
        typer.Option("--output", "-o", metavar="OUT", help="Also .csv .parquet .png .svg .pdf."),
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    engine: Annotated[str, typer.Option(help="local, or dask://HOST[:PORT].")] = "local",
    workers: Annotated[int, typer.Option(min=0, help="Local processes; 0: one per core.")] = 0,
    retry_failed: Annotated[bool, typer.Option(help="Compute failed cases again.")] = False,
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Count many kernels x shapes x types x targets x mitigations; resumes where it was killed."""
    from bankwise.report.sweeping import print_sweep, sweep_document
    from bankwise.verbs.sweep import check_outputs, export
    from bankwise.verbs.sweep import sweep as run_sweep

    outputs = [Path(one) for one in output]
    check_outputs(outputs)
    with progress("cases") as advance:
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
    if form is Format.json:
        write_json(sweep_document(report))
    else:
        print_sweep(report, out())
    raise typer.Exit(report.exit_code)


@app.command(
    epilog="Examples: bankwise probe --target sm_90 --save measured.csv | "
    "bankwise probe --target sm_90 --replay measured.csv"
)
def probe(
    target: Target,
    each: Annotated[int, typer.Option(min=1, help="Accesses per instruction.")] = 350,
    seed: Annotated[int, typer.Option(help="Other accesses for another seed.")] = 0,
    replay: Annotated[
        str, typer.Option(metavar="CSV", help="Use accesses measured before; needs no GPU.")
    ] = "",
    save: Annotated[str, typer.Option(metavar="CSV", help="Write what was measured here.")] = "",
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Measure this computer's GPU and hold the machine file against its counters."""
    from bankwise.report import probing
    from bankwise.verbs.probe import probe as run

    found = run(target, each=each, seed=seed, replay=replay, save=save)
    if form is Format.json:
        write_json(probing.probe_document(found))
    else:
        probing.print_probe(found, out())
    raise typer.Exit(1 if found.disagreements else 0)


@app.command(epilog="Example: bankwise verify examples/solve/transpose_sm90.toml")
def verify(
    problem: Annotated[Path, typer.Argument(metavar="PROBLEM", help="A tile and its accesses.")],
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Measure a problem's accesses on this computer's GPU, beside the prediction."""
    from bankwise.report import verifying
    from bankwise.verbs.verify import verify as run

    report = run(problem)
    if form is Format.json:
        write_json(verifying.verify_document(report))
    else:
        verifying.print_verify(report, out())
    raise typer.Exit(0 if report.agrees else 1)
