"""The command line: verbs and options, no logic.

Data goes to stdout, talk to stderr. Exit codes: 0 clean, 1 conflicts or findings, 2 could not.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bankwise.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(
    name="bankwise",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Predict, prove and fix GPU shared-memory bank conflicts, without a GPU.",
    epilog="Examples: bankwise check kernel.mlir --target gfx950 | bankwise fix kernel.mlir -o "
    "fixed.mlir | bankwise count --target gfx942 ds_read_b128 'lane*256'",
)


class Format(StrEnum):
    """How to print."""

    text = "text"
    json = "json"


class CheckFormat(StrEnum):
    """How to print a check."""

    text = "text"
    json = "json"
    sarif = "sarif"


class Policy(StrEnum):
    """Which instruction a vector access becomes."""

    iree = "iree"
    triton = "triton"
    ck = "ck"


Target = Annotated[
    str, typer.Option("--target", "-t", help="The GPU, e.g. gfx950; see `bankwise machines`.")
]
KernelFile = Annotated[Path, typer.Argument(metavar="FILE", help="MLIR text, also inside RST.")]
KernelName = Annotated[str, typer.Option("--kernel", help="Only the kernel of this name.")]
Dims = Annotated[
    list[str], typer.Option("--dim", metavar="NAME=SIZE", help="Value of a dynamic size.")
]
Workgroup = Annotated[
    str,
    typer.Option("--workgroup-size", metavar="X,Y,Z", help="Threads, where the file has none."),
]
PolicyOption = Annotated[
    Policy, typer.Option("--policy", help="Which instructions accesses become (docs/policy.md).")
]


def _version(show: bool) -> None:
    if show:
        print(f"bankwise {version('bankwise')}")
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command(epilog="Example: bankwise count --target gfx942 ds_read_b128 '(lane%16)*256'")
def count(
    instruction: Annotated[str, typer.Argument(help="The assembler's name, e.g. ds_read_b128.")],
    offsets: Annotated[str, typer.Argument(help="Byte offset, an expression of `lane`.")],
    target: Target,
    active: Annotated[str, typer.Option(help="Active lanes, e.g. 'lane < 48'.")] = "",
    second: Annotated[str, typer.Option(help="Second address of a read2 / write2 form.")] = "",
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Count the passes of one instruction whose offsets you write as an expression."""
    from bankwise.report import small
    from bankwise.verbs.count import count_expression

    report = count_expression(target, instruction, offsets, active, second)
    if form is Format.json:
        _write_json(small.count_document(report))
    else:
        small.print_count(report, _out())


@app.command(epilog="Examples: bankwise machines | bankwise machines gfx950 --format json")
def machines(
    name: Annotated[str, typer.Argument(help="One machine, e.g. gfx950.")] = "",
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Print the machines: banks, phases, sizes, each with source and evidence."""
    from bankwise.machine import machine, names
    from bankwise.report import small

    chosen = [machine(name)] if name else [machine(n) for n in names()]
    if form is Format.json:
        _write_json(small.machines_document(chosen))
    elif name:
        small.print_machine(chosen[0], _out())
    else:
        small.print_machines(chosen, _out())


def _out() -> Console:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def _err() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def _write_json(document: dict[str, Any]) -> None:
    from bankwise.report.as_json import dumps

    sys.stdout.write(dumps(document))


def main() -> None:
    """The entry point: bad input becomes one message on stderr and exit code 2."""
    try:
        app()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
