"""``bankwise check``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bankwise.cli.beside import Counters, Profiled, Times, WorthIt, more, refuse
from bankwise.cli.common import (
    CheckFormat,
    CompileCommands,
    DefaultTarget,
    Dims,
    DirectLoad,
    ExactTarget,
    Flags,
    IreeCompile,
    Keep,
    KernelName,
    LaunchTexts,
    Padding,
    Policy,
    PolicyOption,
    Workgroup,
    app,
    compiler_flags,
    err,
    exact_or,
    examples,
    file_of,
    flags,
    given,
    out,
    progress,
    told_machine,
    write_json,
)
from bankwise.cli.project import asked

if TYPE_CHECKING:
    from bankwise.read.options import Options
    from bankwise.show.gate import Gate
    from bankwise.show.more import More
    from bankwise.show.spec import SpecReport
    from bankwise.show.values import CheckReport


@app.command(
    epilog=examples(
        "bankwise check kernel.mlir",
        "bankwise check kernel.s --all",
        "bankwise check kernel.s --concise",
        "bankwise check kernel.s --statistics --exit-zero",
        "bankwise check kernel.rst --target gfx950 --format json",
        "bankwise check kernel.cu",
        "bankwise check kernel.cu --target sm_90 -- -Iinclude -DTILE=64 -std=c++20",
        "bankwise check kernel.ptx --launch 'transpose*<<<64, 256>>>(_, _, 4096)'",
        "bankwise check kernel.ptx --counters source.csv",
        "bankwise check kernel.mlir --format sarif > out.sarif",
    )
)
def check(
    context: typer.Context,
    file: Annotated[Path, file_of("check")],
    flag: Flags = [],  # noqa: B006 - typer reads the default, nobody changes it
    target: ExactTarget = "",
    default_target: DefaultTarget = "",
    kernel: KernelName = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    policy: PolicyOption = Policy.iree,
    isa: Annotated[
        bool, typer.Option("--isa", help="Compile, and compare with the emitted instructions.")
    ] = False,
    iree_compile: IreeCompile = "",
    argument: Annotated[
        list[str], typer.Option("--arg", metavar="NAME=VALUE", help="A kernel argument's value.")
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    launch: LaunchTexts = [],  # noqa: B006 - typer reads the default, nobody changes it
    compile_commands: CompileCommands = "",
    everything: Annotated[
        bool, typer.Option("--all", help="All findings, accesses and facts, not the ten worst.")
    ] = False,
    concise: Annotated[bool, typer.Option("--concise", help="One line a finding.")] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="One line a kernel, and findings by rule.")
    ] = False,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit 0 whatever is found; 2 for failures stays.")
    ] = False,
    keep: Keep = "",
    padding: Padding = None,
    direct_load: DirectLoad = None,
    fail_on: Annotated[
        str,
        typer.Option("--fail-on", metavar="N-way", help="Exit 1 for conflicts of N ways or more."),
    ] = "2-way",
    baseline: Annotated[
        list[str],
        typer.Option(
            metavar="JSON", help="A saved check: what it knows does not fail; repeatable."
        ),
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    accept: Annotated[
        list[str],
        typer.Option(
            metavar="LINE",
            help="With --format json: what is new there, or at FILE:LINE, is saved as accepted, "
            "the rest is not; repeatable.",
        ),
    ] = [],  # noqa: B006 - typer reads the default, nobody changes it
    min_evidence: Annotated[
        str,
        typer.Option(metavar="LEVEL", help="Rules of weaker evidence do not fail (docs/ci.md)."),
    ] = "unknown",
    counters: Counters = "",
    profiled: Profiled = "",
    times: Times = [],  # noqa: B006 - typer reads the default, nobody changes it
    worth: WorthIt = False,
    form: Annotated[CheckFormat, typer.Option("--format", help="How to print.")] = CheckFormat.text,
) -> None:
    """Find every shared-memory access of a kernel, folder or spec, and predict its conflicts."""
    from bankwise.ask.check import check_file
    from bankwise.errors import INCOMPLETE, InputError
    from bankwise.read.options import Options
    from bankwise.show.answers import counted

    with _failure_told(form, file):
        if target and default_target:
            message = "--target is the GPU, --default-target that of a file that names none"
            raise InputError(message, hint="leave one out")
        options = Options(
            *(
                target,
                kernel,
                tuple(dim),
                workgroup_size,
                given(context, "policy", policy),
            ),
            *(tuple(argument), isa, keep, padding, direct_load),
            launches=tuple(launch),
            flags=compiler_flags(flag),
            compile_commands=compile_commands,
            times=tuple(times),
            iree_compile=iree_compile,
        )
        options = _of_default(default_target, file, options)
        gate = _gate(fail_on, baseline, min_evidence, file, target or default_target)
        gate = _accepting(gate, accept, form)
        if (concise or statistics) and (form is not CheckFormat.text or (concise and statistics)):
            message = "--concise and --statistics are ways to print text, one at a time"
            raise InputError(message, hint="leave the other, or --format, out")
        refuse(counters, profiled, worth, form)
        with progress("checking") as advance:
            said = flags(context)
            answer = asked(
                "check", file, options, lambda all_: check_file(file, all_, advance, beside=said)
            )
        report = counted(answer)
    if default_target and not options.target and report.target:
        own = f"{file.name} names its GPU, counted for {report.target}"
        err().print(f"note: {own}, not for {default_target}", markup=False)
    extra = more(answer, options, counters, profiled, worth)
    if form is CheckFormat.text:
        from bankwise.show.answers import print_answer

        brief: Literal["", "concise", "statistics"]
        brief = "concise" if concise else "statistics" if statistics else ""
        print_answer(answer, out(), gate, extra, form=brief, everything=everything)
    else:
        _write_check(answer, file, form, gate, extra)
    code = gate.exit_code(report) or (INCOMPLETE if extra.contradicted else 0)
    raise typer.Exit(0 if exit_zero else code)


def _of_default(said: str, file: Path, options: Options) -> Options:
    """The options with the GPU of ``--default-target``, told what it is, or without where the file
    names another."""
    from msgspec.structs import replace

    from bankwise.hardware.machine import canonical
    from bankwise.read.own_gpu import of_one_among_many

    if not said:
        return options
    found = of_one_among_many(file, replace(options, target=exact_or(said, canonical(said))))
    return replace(found, target=exact_or(said, told_machine(said))) if found.target else found


@contextmanager
def _failure_told(form: CheckFormat, file: Path) -> Iterator[None]:
    """Whoever reads annotations or SARIF alone learns of a failure, too."""
    from bankwise.errors import InputError

    try:
        yield
    except InputError as error:
        if form is CheckFormat.github:
            from bankwise.show.gate import failed_annotation

            sys.stdout.write(failed_annotation(error, str(file)))
        elif form is CheckFormat.sarif:
            from bankwise.show.as_sarif import failed_sarif

            write_json(failed_sarif(error, str(file)))
        raise


def _saved_as(saved: str) -> str:
    """Where a baseline is saved anew: its own place, unless another kind of file is there."""
    return quote(saved) if saved.endswith(".json") else "known.json"


def _gate(fail_on: str, baselines: list[str], min_evidence: str, file: Path, target: str) -> Gate:
    from msgspec.structs import replace

    from bankwise.errors import InputError
    from bankwise.files import read_text
    from bankwise.read.recognise import require
    from bankwise.show.gate import Gate, read_level, read_ways
    from bankwise.show.saved_check import read_baseline, together

    gate = Gate(read_ways(fail_on), least=read_level(min_evidence))
    gpu = f" --target {quote(target)}" if target else ""
    mine = quote(str(file)) if len(baselines) == 1 else "FILE"
    for saved in baselines:
        try:
            require(saved, "check --baseline")
        except InputError as error:
            if not Path(saved).is_file() and error.hint:
                raise
            of = "" if mine != "FILE" else ", of its own FILE"
            command = f"bankwise check {mine}{gpu} --format json"
            anew = " anew" * Path(saved).is_file()
            hint = f"save it{anew}{of}: {command} > {_saved_as(saved)}"
            raise InputError(error.message, location=error.location, hint=hint) from error
    known = together(read_baseline(read_text(saved), saved) for saved in baselines)
    return replace(gate, baseline=known)


def _accepting(gate: Gate, places: list[str], form: CheckFormat) -> Gate:
    """The gate with what a save accepts."""
    from msgspec.structs import replace

    from bankwise.errors import InputError

    if places and form is not CheckFormat.json:
        message = "--accept says what a saved check accepts"
        raise InputError(message, hint="save it: --format json > known.json")
    return replace(gate, accept=tuple(places))


def _tell_accepted(report: CheckReport, gate: Gate) -> None:
    """Whoever saves a baseline beside older ones, or a part, learns what it newly accepts."""
    if not gate.baseline.saved and not gate.accept:
        return
    from bankwise.show.accepted import said_accepted, saved_anew

    for line in said_accepted(report, saved_anew(report, gate.baseline, gate.accept)):
        err().print(line, markup=False, highlight=False)


def _write_check(
    answer: CheckReport | SpecReport, file: Path, form: CheckFormat, gate: Gate, extra: More
) -> None:
    from bankwise.show.answers import check_document, counted

    if form is CheckFormat.json:
        write_json(check_document(answer, extra, gate))
        _tell_accepted(counted(answer), gate)
    elif form is CheckFormat.github:
        from bankwise.show.gate import github_annotations

        sys.stdout.write(github_annotations(counted(answer), gate))
    elif form is CheckFormat.html:
        from bankwise.read.recognise import text_of
        from bankwise.workbench.page import html

        sys.stdout.write(html(check_document(answer, extra, gate, lanes=True), text_of(file)))
    else:
        from bankwise.show.as_sarif import check_sarif

        write_json(check_sarif(counted(answer), gate))
