"""Kernels: fix, cost."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bankwise.cli.common import (
    CompileCommands,
    Dims,
    DirectLoad,
    FixFormat,
    Flags,
    IreeCompile,
    Keep,
    KernelName,
    LaunchTexts,
    Numbers,
    Output,
    Padding,
    Policy,
    PolicyOption,
    PreferenceOption,
    Target,
    Targets,
    Workgroup,
    app,
    compiler_flags,
    err,
    examples,
    file_of,
    flags,
    given,
    out,
    progress,
    write_json,
    write_text,
)
from bankwise.cli.project import asked

if TYPE_CHECKING:
    from bankwise.show.fixing import FixReport
    from bankwise.show.model import ModelFix


@app.command(
    epilog=examples(
        "bankwise fix kernel.mlir | git apply",
        "bankwise fix kernel.mlir -o fixed.mlir",
        "bankwise fix kernel.mlir --prefer least-lds",
        "bankwise fix kernel.cu --launch 'gemm<<<64, 256>>>(_, _, 4096)' -- -Iinclude -DTILE=64",
        "bankwise fix kernel.cu --target sm_90 --accessor -o fixed.cu",
        "bankwise fix dump/HASH --arg keys=1024 -o override/",
    )
)
def fix(
    context: typer.Context,
    file: Annotated[Path, file_of("fix")],
    flag: Flags = [],  # noqa: B006 - typer reads the default, nobody changes it
    target: Targets = [],  # noqa: B006 - typer reads the default, nobody changes it
    kernel: KernelName = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    policy: PolicyOption = Policy.iree,
    launch: LaunchTexts = [],  # noqa: B006 - typer reads the default, nobody changes it
    compile_commands: CompileCommands = "",
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write it here; - prints it; OUT.patch: the patch; a folder: TTGIR, headers.",
        ),
    ] = "",
    write: Annotated[
        bool, typer.Option("--write", help="Write it back to FILE, and its headers.")
    ] = False,
    execute: Annotated[
        bool, typer.Option(help="Execute both kernels and compare the results.")
    ] = True,
    isa: Annotated[bool, typer.Option(help="Compile both kernels and compare the code.")] = True,
    iree_compile: IreeCompile = "",
    reference: Annotated[
        str,
        typer.Option(
            metavar="FILE.py:FUNCTION",
            help="Called with the input buffers, returns the expected ones (None: any).",
        ),
    ] = "",
    accept_sampled: Annotated[
        bool,
        typer.Option(
            "--accept-sampled",
            help="Take the proof for workgroups that were not executed: exit 0 instead of 3.",
        ),
    ] = False,
    prove: Annotated[
        bool,
        typer.Option("--prove", help="Ask an SMT solver, too, whether the fix is right."),
    ] = False,
    run: Annotated[
        bool,
        typer.Option("--run", help="CUDA: run both versions on this computer's NVIDIA GPU."),
    ] = False,
    accessor: Annotated[
        bool,
        typer.Option(
            "--accessor", help="Source: write layouts as types of the arrays, not in indices."
        ),
    ] = False,
    keep: Keep = "",
    padding: Padding = None,
    direct_load: DirectLoad = None,
    prefer: PreferenceOption = None,
    arg: Numbers = [],  # noqa: B006 - typer reads the default, nobody changes it
    everything: Annotated[
        bool, typer.Option("--all", help="All accesses, each its own row, and all numbers.")
    ] = False,
    form: Annotated[FixFormat, typer.Option("--format", help="How to print.")] = FixFormat.text,
) -> None:
    """Rewrite a kernel so that its conflicts vanish, and show that it computes the same.

    The patch goes to stdout, the story to stderr; nothing is written without -o or --write. A model
    has no patch: --keep DIR writes its kernels, -o FILE.vmfb the model.
    """
    from msgspec.structs import replace

    from bankwise.ask.fix import fix_file
    from bankwise.errors import InputError
    from bankwise.read.options import Judges, Options
    from bankwise.show.fixing import FixReport

    first, *others = target or [""]
    options = Options(
        *(first, kernel, tuple(dim), workgroup_size, given(context, "policy", policy)),
        arguments=tuple(arg),
        targets=tuple(others),
        keep=keep,
        padding=padding,
        direct_load=direct_load,
        launches=tuple(launch),
        prefer="" if prefer is None else prefer.value,
        flags=compiler_flags(flag),
        compile_commands=compile_commands,
        accessor=accessor,
        iree_compile=iree_compile,
    )
    if write and output:
        raise InputError("--write and --output exclude each other")
    with progress("executing workgroups", first="reading, planning, compiling") as advance:
        judges = Judges(execute, isa, reference, accept_sampled, prove, run)
        said = flags(context)
        found = asked(
            *("fix", file, options),
            lambda all_: fix_file(
                *(file, all_, judges), output=output, progress=advance, beside=said
            ),
        )
    if isinstance(found, FixReport):
        found = replace(found, modules=()) if write else found
        _deliver(found, str(file) if write else output, form, everything, back=write)
    else:
        _deliver_model(found, output, form, everything)
    raise typer.Exit(found.exit_code)


def _deliver(
    report: FixReport, destination: str, form: FixFormat, everything: bool, *, back: bool = False
) -> None:
    """The fixed text where it was asked for, the patch on stdout, the story on stderr; ``back``: in
    the place of what was read."""
    from bankwise.files import check_writable, make_folder, write_atomically
    from bankwise.show.fix_story import print_fix

    files = list(_named(report, destination, back=back)) if report.accepted else []
    if destination == "-" and report.accepted:
        write_text("// -----\n".join(text for _, text in report.modules) or report.fixed_text)
    for path, _ in files:
        check_writable(path)
    for path, data in files:
        if len(files) > 1 or report.files or report.modules:
            make_folder(path.parent)
        write_atomically(path, data)
    if form is FixFormat.json:
        from bankwise.show.documents.fixing import fix_document

        write_json(fix_document(report))
    elif form is FixFormat.html:
        from bankwise.show.documents.fixing import fix_document
        from bankwise.workbench.page import html

        sys.stdout.write(html(fix_document(report, lanes=True), report.source_text))
    else:
        print_fix(report, err(), everything=everything, written=[path for path, _ in files])
        if not destination and report.accepted:
            write_text(report.patch)


def _named(
    report: FixReport, destination: str, *, back: bool
) -> Iterator[tuple[Path, str | bytes]]:
    """What is written where; of a dump with several executables each to its own file."""
    from bankwise.ask.fix_dump import named
    from bankwise.show.patch import is_patch

    path = Path(destination)
    if destination in ("", "-"):
        return
    if back and report.texts:
        yield from ((Path(one.path), one.text) for one in report.texts)
    elif is_patch(destination) and not back:
        yield path, report.patch
    elif report.files:
        yield from ((path / name, data) for name, data in report.files)
    elif report.modules:
        yield from named(report.modules, path)
    else:
        yield path, report.fixed_text


@app.command(
    epilog=examples(
        "bankwise cost kernel.mlir --target gfx942",
    )
)
def cost(
    file: Annotated[Path, file_of("cost")],
    target: Target = "",
    kernel: KernelName = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    policy: PolicyOption = Policy.iree,
    iree_compile: IreeCompile = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Compile a kernel: occupancy, LDS instructions executed, waits, which unit is busiest."""
    from bankwise.ask.cost import cost as cost_of
    from bankwise.errors import exit_code
    from bankwise.read.options import Options
    from bankwise.show.costing import print_cost

    found, refusals = cost_of(
        file,
        Options(
            *(target, kernel, tuple(dim), workgroup_size, policy.value), iree_compile=iree_compile
        ),
    )
    if form is Output.json:
        from bankwise.show.documents.costing import cost_document

        write_json(cost_document(found, refusals))
    else:
        for one in found:
            print_cost(one, out())
        for refusal in refusals:
            print(f"no cost: {refusal}", file=sys.stderr)
    raise typer.Exit(exit_code(failed=not found, incomplete=bool(refusals)))


def _deliver_model(found: ModelFix, output: str, form: FixFormat, everything: bool) -> None:
    """The linked model where it was asked for, the story on stderr."""
    from msgspec.structs import replace

    from bankwise.files import make_folder, write_atomically
    from bankwise.show.model import print_model_fix

    if output and found.vmfb is not None:
        make_folder(Path(output).parent)
        write_atomically(Path(output), found.vmfb)
        found = replace(found, files=(*found.files, Path(output)))
    if form is FixFormat.json:
        from bankwise.show.documents.fixing import model_fix_document

        write_json(model_fix_document(found))
    elif form is FixFormat.html:
        from bankwise.show.documents.fixing import model_fix_document
        from bankwise.workbench.page import html

        sys.stdout.write(html(model_fix_document(found, lanes=True)))
    else:
        print_model_fix(found, err(), everything=everything)
