"""Real hardware: probe, verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from bankwise.cli.common import (
    Dims,
    KernelName,
    LaunchTexts,
    Output,
    Target,
    Workgroup,
    app,
    err,
    examples,
    file_of,
    out,
    write_json,
)


@app.command(
    epilog=examples(
        "bankwise probe --target sm_90 --save measured.csv",
        "bankwise probe --target sm_90 --replay measured.csv",
        "bankwise probe --target sm_90 --propose sm_new.toml --name sm_new",
        "bankwise probe --target gfx950 --kit gfx950_kit",
        "bankwise probe --import gfx950_kit",
    )
)
def probe(
    target: Target = "",
    each: Annotated[int, typer.Option(min=1, help="Accesses per instruction.")] = 350,
    seed: Annotated[int, typer.Option(help="Other accesses for another seed.")] = 0,
    replay: Annotated[
        list[str],
        typer.Option(metavar="CSV", help="Use accesses measured before; needs no GPU. Repeatable."),
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    save: Annotated[str, typer.Option(metavar="CSV", help="Write what was measured here.")] = "",
    propose: Annotated[
        str, typer.Option(metavar="TOML", help="Read the rules off the counters; write them here.")
    ] = "",
    name: Annotated[str, typer.Option(help="The proposed machine's name.")] = "",
    kit: Annotated[
        str, typer.Option(metavar="FOLDER", help="Write a kit for whoever has this GPU of AMD's.")
    ] = "",
    imported: Annotated[
        str, typer.Option("--import", metavar="FOLDER", help="Read what a kit brought back.")
    ] = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Measure this computer's GPU and hold the machine file against its counters."""
    from bankwise.errors import exit_code
    from bankwise.lab.probe import probe as run
    from bankwise.lab.report import probing

    if imported:
        _import_kit(Path(imported), propose, form)
    if kit:
        _write_kit(Path(kit), target, each, seed)
    if propose:
        _propose(Path(propose), target, name, each, seed, replay, save, form)
    found = run(target, each=each, seed=seed, replay=replay, save=save)
    if form is Output.json:
        from bankwise.lab.report.documents import probe_document

        write_json(probe_document(found))
    else:
        probing.print_probe(found, out())
    raise typer.Exit(exit_code(findings=bool(found.disagreements)))


def _write_kit(folder: Path, target: str, each: int, seed: int) -> NoReturn:
    from bankwise.lab.kit.folder import write_kit

    written = write_kit(folder, target, each=each, seed=seed)
    for path in written:
        out().print(str(path), highlight=False, soft_wrap=True)
    err().print(f"on a machine with a {target}: sh {folder / 'run.sh'}")
    raise typer.Exit(0)


def _import_kit(folder: Path, file: str, form: Output) -> NoReturn:
    from bankwise.errors import exit_code
    from bankwise.files import write_atomically
    from bankwise.lab.probe import import_kit
    from bankwise.lab.report import probing

    found = import_kit(folder)
    if file:
        write_atomically(Path(file), found.proposal.text)
    if form is Output.json:
        from bankwise.lab.report.documents import kit_document

        write_json(kit_document(found))
    else:
        probing.print_kit(found, out())
    incomplete = not found.proposal.complete or bool(found.notes)
    raise typer.Exit(exit_code(findings=bool(found.contradicted), incomplete=incomplete))


def _propose(
    file: Path,
    target: str,
    name: str,
    each: int,
    seed: int,
    replay: list[str],
    save: str,
    form: Output,
) -> NoReturn:
    from bankwise.errors import exit_code
    from bankwise.files import write_atomically
    from bankwise.lab.probe import propose_machine
    from bankwise.lab.report import probing

    found = propose_machine(target, name=name, each=each, seed=seed, replay=replay, save=save)
    write_atomically(file, found.text)
    if form is Output.json:
        from bankwise.lab.report.documents import proposal_document

        write_json(proposal_document(found.machine, found.rows, found.text))
    else:
        probing.print_proposal(found.rows, target, out())
        err().print(f"wrote {file}: read it before use; what was not measured is not in it")
    raise typer.Exit(exit_code(findings=not found.complete))


@app.command(
    epilog=examples(
        "bankwise verify examples/solve/transpose_sm90.toml",
        "bankwise verify kernel.ptx --workgroup-size 256,1,1",
    )
)
def verify(
    file: Annotated[Path, file_of("verify")],
    target: Target = "",
    kernel: KernelName = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    argument: Annotated[
        list[str], typer.Option("--arg", metavar="NAME=VALUE", help="A kernel argument's value.")
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    launch: LaunchTexts = [],  # noqa: B006 - typer reads the default, nobody changes it
    limit: Annotated[int, typer.Option(min=1, help="Launches at most (65 a second).")] = 2_000,
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Measure every access on this computer's GPU, beside the prediction."""
    from bankwise.errors import exit_code
    from bankwise.lab.report import verifying
    from bankwise.lab.verify import verify as run
    from bankwise.read.options import Options

    numbers, launches = tuple(argument), tuple(launch)
    options = Options(
        target, kernel, tuple(dim), workgroup_size, arguments=numbers, launches=launches
    )
    report = run(file, options, limit=limit)
    if form is Output.json:
        from bankwise.lab.report.documents import verify_document

        write_json(verify_document(report))
    else:
        verifying.print_verify(report, out())
    raise typer.Exit(exit_code(findings=not report.agrees))
