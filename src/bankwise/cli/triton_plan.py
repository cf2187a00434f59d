"""Triton: plan against emission."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import KernelName, Numbers, Output, app, examples, file_of, out, write_json


@app.command(
    "triton-plan",
    epilog=examples(
        "bankwise triton-plan kernel.ttgir kernel.amdgcn --arg keys=1024",
        "bankwise triton-plan ~/.triton/cache/HASH",
    ),
)
def triton_plan(
    ttgir: Annotated[Path, file_of("triton-plan", "TTGIR")],
    assembly: Annotated[Path | None, file_of("triton-plan ASSEMBLY", "ASSEMBLY")] = None,
    kernel: KernelName = "",
    arg: Numbers = [],  # noqa: B006 - typer reads the default, nobody changes it
    form: Annotated[Output, typer.Option("--format", help="text or json.")] = Output.text,
) -> None:
    """Compare what TTGIR announces with what the compiler emitted, access by access.

    What is compared is one execution of each access; totals stand apart. Exit code 0: all cost
    the same; 1: one differs; 3: something was not compared, or the rule of an instruction that was
    emitted is not known.
    """
    from bankwise.ask.triton_plan import compare
    from bankwise.errors import exit_code
    from bankwise.read.options import Options
    from bankwise.show.planning import print_plan

    reports = compare(ttgir, assembly, Options(kernel=kernel, arguments=tuple(arg)))
    if form is Output.json:
        from bankwise.show.documents.planning import plans_document

        write_json(plans_document(reports))
    else:
        for report in reports:
            print_plan(report, out())
    differ = any(r.agrees is False for r in reports)
    refused = any(r.not_compared or r.open for r in reports)
    raise typer.Exit(exit_code(findings=differ, incomplete=refused))
