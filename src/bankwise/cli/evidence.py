"""``bankwise evidence``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import (
    Jobs,
    KernelName,
    Output,
    Seconds,
    Target,
    app,
    examples,
    file_of,
    out,
    progress,
    write_json,
)


@app.command(
    epilog=examples(
        "bankwise evidence kernels/ --target gfx950",
        "bankwise evidence kernels/ --target gfx950 --rival mine.toml --format json",
    )
)
def evidence(
    paths: Annotated[list[Path], file_of("scan", "PATH...")],
    target: Target,
    rival: Annotated[
        list[Path], typer.Option(metavar="FILE", help="A machine file whose rules are rivals, too.")
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    kernel: KernelName = "",
    store: Annotated[
        str, typer.Option(metavar="FILE", help="Keep layouts here (SQLite); resumes from it.")
    ] = "",
    jobs: Jobs = 0,
    seconds: Seconds = 0,
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Ask hand-tuned kernels which lane order they are laid out for: rival rules, side by side."""
    from bankwise.ask.evidence import evidence as ask
    from bankwise.ask.scan import ScanLimits
    from bankwise.show.evidence import print_evidence

    with progress("kernels") as advance:
        report = ask(
            paths,
            target,
            rival_files=rival,
            kernel=kernel,
            store_file=Path(store) if store else None,
            limits=ScanLimits(seconds, workers=jobs),
            progress=advance,
        )
    if form is Output.json:
        from bankwise.show.documents.evidence import evidence_document

        write_json(evidence_document(report))
    else:
        print_evidence(report, out())
    raise typer.Exit(report.exit_code)
