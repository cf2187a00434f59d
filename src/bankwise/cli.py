"""The command line: verbs and options, no logic.

Data goes to stdout, talk to stderr. Exit codes: 0 clean, 1 conflicts or findings, 2 could not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    html = "html"


class FixFormat(StrEnum):
    """How to print a fix."""

    text = "text"
    json = "json"
    html = "html"


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
    from bankwise.report import counting
    from bankwise.verbs.count import count_expression

    report = count_expression(target, instruction, offsets, active, second)
    if form is Format.json:
        _write_json(counting.count_document(report))
    else:
        counting.print_count(report, _out())


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
        _write_json(report.machines_document(chosen))
    elif name:
        report.print_machine(chosen[0], _out())
    else:
        report.print_machines(chosen, _out())


@app.command(
    epilog="Examples: bankwise check kernel.mlir | bankwise check kernel.rst --target gfx950 "
    "--format json | bankwise check kernel.mlir --format sarif > out.sarif"
)
def check(
    file: KernelFile,
    target: Target = "",
    kernel: KernelName = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    policy: PolicyOption = Policy.iree,
    isa: Annotated[
        bool, typer.Option("--isa", help="Compile, and compare with the emitted instructions.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="List every access.")] = False,
    form: Annotated[CheckFormat, typer.Option("--format", help="How to print.")] = CheckFormat.text,
) -> None:
    """Find every shared-memory access of a kernel and predict its bank conflicts."""
    from bankwise.verbs.check import Options, check_file

    options = Options(target, kernel, tuple(dim), workgroup_size, policy.value)
    report = check_file(file, options, isa=isa)
    if form is CheckFormat.text:
        from bankwise.report.as_text import print_check

        print_check(report, _out(), everything=everything)
    elif form is CheckFormat.json:
        from bankwise.report.as_json import check_document

        _write_json(check_document(report))
    elif form is CheckFormat.html:
        from bankwise.files import read_text
        from bankwise.report.as_json import check_document
        from bankwise.workbench.page import html

        sys.stdout.write(html(check_document(report), read_text(file)))
    else:
        from bankwise.report.as_sarif import check_sarif

        _write_json(check_sarif(report))
    raise typer.Exit(report.exit_code)


@app.command(
    epilog="Examples: bankwise fix kernel.mlir | git apply | bankwise fix kernel.mlir -o fixed.mlir"
)
def fix(
    file: KernelFile,
    target: Target = "",
    kernel: KernelName = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    policy: PolicyOption = Policy.iree,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="OUT", help="Write the fixed kernel here; - prints it."
        ),
    ] = "",
    write: Annotated[bool, typer.Option("--write", help="Write it back to FILE.")] = False,
    execute: Annotated[
        bool, typer.Option(help="Execute both kernels and compare the results.")
    ] = True,
    isa: Annotated[bool, typer.Option(help="Compile both kernels and compare the code.")] = True,
    reference: Annotated[
        str,
        typer.Option(
            metavar="FILE.py:FUNCTION",
            help="Called with the input buffers, returns the expected ones (None: any).",
        ),
    ] = "",
    form: Annotated[FixFormat, typer.Option("--format", help="How to print.")] = FixFormat.text,
) -> None:
    """Rewrite a kernel so that its conflicts vanish, and show that it computes the same.

    The patch goes to stdout, the story to stderr; nothing is written without -o or --write.
    """
    from bankwise.files import write_atomically
    from bankwise.report.fixing import fix_document, print_fix
    from bankwise.verbs.check import Options
    from bankwise.verbs.fix import fix_file

    options = Options(target, kernel, tuple(dim), workgroup_size, policy.value)
    if write and output:
        raise InputError("--write and --output exclude each other")
    with _progress("executing workgroups") as advance:
        report = fix_file(
            file, options, execute=execute, isa=isa, reference=reference, progress=advance
        )
    destination = str(file) if write else output
    if destination == "-" and report.accepted:
        sys.stdout.write(report.fixed_text)
    elif destination and report.accepted:
        write_atomically(Path(destination), report.fixed_text)
    if form is FixFormat.json:
        _write_json(fix_document(report))
    elif form is FixFormat.html:
        from bankwise.workbench.page import html

        sys.stdout.write(html(fix_document(report), report.source_text))
    else:
        print_fix(report, _err())
        if not destination and report.accepted:
            sys.stdout.write(report.patch)
    raise typer.Exit(report.exit_code)


@app.command(
    epilog="Examples: bankwise solve examples/solve/transpose_sm90.toml --steps | "
    "bankwise solve problem.toml --family cute -o cert.json"
)
def solve(
    problem: Annotated[Path, typer.Argument(metavar="PROBLEM", help="A tile and its accesses.")],
    steps: Annotated[
        bool, typer.Option("--steps", help="Show the construction for two accesses.")
    ] = False,
    family: Annotated[
        str,
        typer.Option(
            help="Restrict the answer: cute, triton, iree, wave, ck, xor, rotation, padding."
        ),
    ] = "",
    budget: Annotated[
        float, typer.Option(help="Seconds for the search; 0: the default effort.")
    ] = 0.0,
    policy: PolicyOption = Policy.iree,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="CERT", help="Write the certificate here.")
    ] = "",
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Find the best layout of a tile for all of its accesses, and prove it."""
    from bankwise.report import solving
    from bankwise.verbs.solve import solve as run

    report = run(problem, family=family, budget_s=budget or None, policy=policy.value, steps=steps)
    if output:
        from bankwise.files import write_atomically
        from bankwise.proof.certificate import to_json
        from bankwise.report.as_json import dumps

        if report.certificate is None:
            raise InputError("this answer has no certificate: it was found by counting")
        write_atomically(Path(output), dumps(to_json(report.certificate)))
    if form is Format.json:
        _write_json(solving.solve_document(report))
    else:
        solving.print_solve(report, _out())
    raise typer.Exit(report.exit_code)


@app.command(epilog="Example: bankwise certify cert.json")
def certify(
    file: Annotated[
        Path, typer.Argument(metavar="CERT", help="A certificate, or a solve answer, JSON.")
    ],
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Check a certificate with a judge that shares no code with the solver."""
    from bankwise.report import solving
    from bankwise.verbs.certify import certify as run

    certificate, verdict = run(file)
    if form is Format.json:
        _write_json(solving.certify_document(str(file), certificate, verdict))
    else:
        solving.print_certify(certificate, verdict, _out())
    raise typer.Exit(0 if verdict.accepted else 1)


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
        _write_json(probing.probe_document(found))
    else:
        probing.print_probe(found, _out())
    raise typer.Exit(1 if found.disagreements else 0)


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
    epilog="Example: bankwise opt --pass decide --pass resolve --pass pad kernel.mlir > out.mlir"
)
def opt(
    file: KernelFile,
    passes: Annotated[
        list[str],
        typer.Option(
            "--pass",
            metavar="NAME",
            help="decide, materialise, flatten, resolve, pad or buffer; again for more.",
        ),
    ],
    target: Target = "",
    dim: Dims = [],  # noqa: B006 - typer reads the default, nobody changes it
    workgroup_size: Workgroup = "",
    policy: PolicyOption = Policy.iree,
    rule: Annotated[DecideRule, typer.Option("--rule", help="Of decide.")] = DecideRule.solver,
    buffer_rule: Annotated[
        BufferRule, typer.Option("--buffer-rule", help="Of buffer.")
    ] = BufferRule.model,
    flag: Annotated[
        Switch, typer.Option("--flag", help="off: decide decides nothing.")
    ] = Switch.on,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="Write the text here.")
    ] = "",
    form: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Run compiler passes over a module: text in, text out (docs/passes.md)."""
    from bankwise.files import write_atomically
    from bankwise.report.opting import opt_document, print_opt
    from bankwise.verbs.check import Options
    from bankwise.verbs.opt import Rules, opt_file

    options = Options(target, "", tuple(dim), workgroup_size, policy.value)
    rules = Rules(rule.value, buffer_rule.value, flag is Switch.on)
    report = opt_file(file, passes, options, rules)
    if output:
        write_atomically(Path(output), report.text)
    if form is Format.json:
        _write_json(opt_document(report))
    else:
        print_opt(report, _err())
        if not output:
            sys.stdout.write(report.text)
    raise typer.Exit(report.exit_code)


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
        _write_json(verifying.verify_document(report))
    else:
        verifying.print_verify(report, _out())
    raise typer.Exit(0 if report.agrees else 1)


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


def _out() -> Console:
    from rich.console import Console

    return Console(highlight=False, **_width(sys.stdout.isatty()))


def _err() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False, **_width(sys.stderr.isatty()))


@contextmanager
def _progress(text: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr that vanishes when done; nothing where stderr is no terminal."""
    from rich.progress import Progress

    with Progress(console=_err(), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _width(terminal: bool) -> dict[str, Any]:
    """A pipe or a file has no width of its own: lines stay whole there."""
    return {} if terminal else {"width": 160, "soft_wrap": True}


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
