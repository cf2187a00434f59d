"""The compiler passes: opt."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import (
    Dims,
    Output,
    Policy,
    PolicyOption,
    Target,
    Workgroup,
    app,
    err,
    examples,
    file_of,
    write_json,
)


def _pass_names(incomplete: str) -> list[str]:
    from bankwise.ask.opt import names

    return [name for name in names() if name.startswith(incomplete)]


class DecideRule(StrEnum):
    """How `opt --pass decide` decides."""

    solver = "solver"
    pr23778 = "pr23778"


class BufferRule(StrEnum):
    """When `opt --pass buffer` gives a cacheSwizzleStride."""

    model = "model"
    wave = "wave"


class Switch(StrEnum):
    """On or off."""

    on = "on"
    off = "off"


@app.command(
    epilog=examples(
        "bankwise opt --pass decide --pass resolve --pass pad kernel.mlir > out.mlir",
    )
)
def opt(
    file: Annotated[Path, file_of("opt")],
    passes: Annotated[
        list[str],
        typer.Option(
            "--pass",
            metavar="NAME",
            help="fold-hints, decide, materialise, flatten, absorb, resolve, dma-swizzle, unpad, "
            "pad, split-access, buffer, or best: whichever of them help; again for more.",
            autocompletion=_pass_names,
        ),
    ],
    target: Target = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    policy: PolicyOption = Policy.iree,
    rule: Annotated[
        DecideRule, typer.Option("--rule", help="How decide chooses.")
    ] = DecideRule.solver,
    buffer_rule: Annotated[
        BufferRule, typer.Option("--buffer-rule", help="How buffer chooses.")
    ] = BufferRule.model,
    padding_bits: Annotated[
        int,
        typer.Option(
            "--padding-bits",
            metavar="N",
            min=0,
            max=1024,
            help="Of pad: bits behind every row, uncounted, as IREE adds 64; 0: by counting.",
        ),
    ] = 0,
    flag: Annotated[
        Switch, typer.Option("--flag", help="off: decide decides nothing.")
    ] = Switch.on,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Write the text here.")
    ] = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Run compiler passes over a module: text in, text out (docs/passes.md)."""
    from bankwise.ask.opt import Rules, opt_file
    from bankwise.files import write_atomically
    from bankwise.read.options import Options
    from bankwise.show.opting import print_opt

    options = Options(target, "", tuple(dim), workgroup_size, policy.value)
    rules = Rules(rule.value, buffer_rule.value, flag is Switch.on, padding_bits)
    report = opt_file(file, passes, options, rules)
    if output:
        write_atomically(Path(output), report.text)
    if form is Output.json:
        from bankwise.show.documents.opting import opt_document

        write_json(opt_document(report))
    else:
        print_opt(report, err())
        if not output:
            sys.stdout.write(report.text)
    raise typer.Exit(report.exit_code)
