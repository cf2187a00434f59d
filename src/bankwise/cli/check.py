"""``bankwise check``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bankwise.cli.beside import Counters, WorthIt, more, refuse
from bankwise.cli.common import (
    CheckFormat,
    Dims,
    DirectLoad,
    Keep,
    KernelFile,
    KernelName,
    Padding,
    Policy,
    PolicyOption,
    Target,
    Workgroup,
    app,
    examples,
    given,
    out,
    progress,
    write_json,
)
from bankwise.errors import InputError

if TYPE_CHECKING:
    from bankwise.read.options import Options
    from bankwise.show.gate import Gate
    from bankwise.show.more import More
    from bankwise.show.values import CheckReport


_KERNELS_ONLY = {
    "kernel": "--kernel",
    "dim": "--dim",
    "workgroup_size": "--workgroup-size",
    "isa": "--isa",
    "argument": "--arg",
    "everything": "--all",
    "keep": "--keep",
    "padding": "--padding",
    "direct_load": "--direct-load",
    "counters": "--counters",
    "worth": "--worth",
}
"""Parameters of ``check`` that only kernels have, and what the user types."""


@app.command(
    epilog=examples(
        "bankwise check kernel.mlir",
        "bankwise check kernel.s --all",
        "bankwise check kernel.rst --target gfx950 --format json",
        "bankwise check kernel.ptx --counters source.csv",
        "bankwise check kernel.mlir --format sarif > out.sarif",
    )
)
def check(
    context: typer.Context,
    file: KernelFile,
    target: Target = "",
    kernel: KernelName = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    policy: PolicyOption = Policy.iree,
    isa: Annotated[
        bool, typer.Option("--isa", help="Compile, and compare with the emitted instructions.")
    ] = False,
    argument: Annotated[
        list[str], typer.Option("--arg", metavar="NAME=VALUE", help="A kernel argument's value.")
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    everything: Annotated[bool, typer.Option("--all", help="List every access.")] = False,
    keep: Keep = "",
    padding: Padding = False,
    direct_load: DirectLoad = False,
    fail_on: Annotated[
        str, typer.Option("--fail-on", metavar="N-way", help="Exit 1 from so many ways on.")
    ] = "2-way",
    baseline: Annotated[
        str,
        typer.Option(metavar="JSON", help="A saved check: conflicts it knows do not fail."),
    ] = "",
    counters: Counters = "",
    worth: WorthIt = False,
    form: Annotated[CheckFormat, typer.Option("--format", help="How to print.")] = CheckFormat.text,
) -> None:
    """Find every shared-memory access of a kernel, folder or spec, and predict its conflicts."""
    if file.suffix == ".toml":
        _only_for_kernels(context)
        gate = _gate(fail_on, baseline)
        _check_spec(file, target, given(context, "policy", policy), form, gate)
    from bankwise.read.options import Options

    size = workgroup_size
    options = Options(target, kernel, tuple(dim), size, policy.value, tuple(argument))
    gate = _gate(fail_on, baseline)
    refuse(file, isa, counters, worth, form)
    report = _checked(file, options, isa, keep, padding, direct_load)
    extra = more(report, options, counters, worth)
    if form is CheckFormat.text:
        from bankwise.show.as_text import print_check
        from bankwise.show.more import print_more

        print_check(report, out(), everything=everything)
        print_more(extra, out())
    else:
        _write_check(report, file, form, gate, extra)
    raise typer.Exit(gate.exit_code(report))


def _only_for_kernels(context: typer.Context) -> None:
    """InputError for an option that says nothing of a spec."""
    for name, option in _KERNELS_ONLY.items():
        if context.params[name]:
            raise InputError(f"{option} is for kernels, this is a spec")


def _gate(fail_on: str, baseline: str) -> Gate:
    from bankwise.files import read_text
    from bankwise.show.gate import Gate, read_baseline, read_ways

    ways = read_ways(fail_on)
    return Gate(ways, read_baseline(read_text(baseline), baseline)) if baseline else Gate(ways)


def _write_check(
    report: CheckReport, file: Path, form: CheckFormat, gate: Gate, extra: More
) -> None:
    from bankwise.show.documents.checking import check_document

    if form is CheckFormat.json:
        write_json(check_document(report, extra))
    elif form is CheckFormat.github:
        from bankwise.show.gate import github_annotations

        sys.stdout.write(github_annotations(report, gate))
    elif form is CheckFormat.html:
        from bankwise.files import read_text
        from bankwise.workbench.page import html

        document = check_document(report, extra, lanes=True)
        text = "" if file.is_dir() or file.suffix == ".cubin" else read_text(file)
        sys.stdout.write(html(document, text))
    else:
        from bankwise.show.as_sarif import check_sarif

        write_json(check_sarif(report))


def _checked(
    file: Path, options: Options, isa: bool, keep: str, padding: bool, direct_load: bool
) -> CheckReport:
    from bankwise.ask.check import check_file
    from bankwise.ask.check_assembly import is_assembly
    from bankwise.files import read_text

    if file.is_dir() or is_assembly(file):
        return check_file(file, options, isa=isa)
    from bankwise.ask.model import check_model, is_model
    from bankwise.change.compile.lower import Lowering

    if not is_model(read_text(file)):
        return check_file(file, options, isa=isa)
    folder = Path(keep) if keep else None
    with progress("checking dispatches") as advance:
        return check_model(
            file, options, Lowering(padding, direct_load), keep=folder, progress=advance
        )


def _check_spec(file: Path, target: str, policy: str, form: CheckFormat, gate: Gate) -> None:
    from bankwise.ask.spec import check_spec

    report = check_spec(file, target=target, policy=policy)
    if form is CheckFormat.sarif:
        from bankwise.show.as_sarif import check_sarif

        write_json(check_sarif(report.check))
    elif form is CheckFormat.json:
        from bankwise.show.documents.checking import spec_document

        write_json(spec_document(report))
    elif form is CheckFormat.text:
        from bankwise.show.spec import print_spec

        print_spec(report, out())
    elif form is CheckFormat.html:
        from bankwise.files import read_text
        from bankwise.show.documents.checking import spec_document
        from bankwise.workbench.page import html

        sys.stdout.write(html(spec_document(report, lanes=True), read_text(file)))
    else:
        from bankwise.show.gate import github_annotations

        sys.stdout.write(github_annotations(report.check, gate))
    raise typer.Exit(gate.exit_code(report.check))
