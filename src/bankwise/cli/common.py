"""What every command shares: the application, its options, and where output goes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from math import inf, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import Struct

if TYPE_CHECKING:
    from bankwise.show.columns import Console


def examples(*commands: str) -> str:
    """The last words of a help text: commands, a line each (a test runs them). What stands behind
    Click's mark \b is not filled."""
    title = "Example:" if len(commands) == 1 else "Examples:"
    return "\n".join((f"{title}\n\n\b", *commands))


app = typer.Typer(
    name="bankwise",
    no_args_is_help=True,
    rich_markup_mode=None,  # in 80 columns its tables cut the names of options
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Predict, prove and fix GPU shared-memory bank conflicts, without a GPU.\n\n"
    "Exit codes: 0 nothing found, 1 findings, 2 bad input or failure, 3 answered in part.",
    epilog=examples(
        "bankwise check kernel.mlir --target gfx950",
        "bankwise fix kernel.mlir -o fixed.mlir",
        "bankwise count --target gfx942 ds_read_b128 'lane*256'",
    ),
)


def machine_names(incomplete: str) -> list[str]:
    """What a shell offers for the name of a GPU."""
    from bankwise.hardware.machine import names

    return [name for name in names() if name.startswith(incomplete)]


class Output(StrEnum):
    """How to print."""

    text = "text"
    json = "json"


class CheckFormat(StrEnum):
    """How to print a check."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"
    html = "html"


class FixFormat(StrEnum):
    """How to print a fix, or the answer of solve."""

    text = "text"
    json = "json"
    html = "html"


class Policy(StrEnum):
    """Which instruction a vector access becomes."""

    iree = "iree"
    triton = "triton"
    ck = "ck"


def _one_name(said: str) -> str:
    """The machine that is meant. Of several the last one would win in silence."""
    from bankwise.errors import InputError

    words = sys.argv[: sys.argv.index("--")] if "--" in sys.argv else sys.argv
    if sum(word in ("-t", "--target") or word.startswith("--target=") for word in words) > 1:
        hint = "ask once for each; `fix` of CK source takes several, for one layout on all"
        raise InputError(
            "a command is about one GPU, and --target was given more than once", hint=hint
        )
    return told_machine(said)


def _one_target(said: str) -> str:
    """:func:`_one_name`, as compilers call it where that says more."""
    return exact_or(said, _one_name(said))


def _targets(said: list[str]) -> list[str]:
    """The machines that are meant, each once, as compilers call one where somebody does."""
    found: dict[str, str] = {}
    for one in said:
        name = told_machine(one)
        found[name] = exact_or(one, found.get(name, name))
    return list(found.values())


def exact_or(said: str, name: str) -> str:
    """What a compiler is told of a GPU: its own instructions are those of sm_90a."""
    from bankwise.hardware.machine import exact

    return exact(said) or name


def told_machine(said: str) -> str:
    """The name of a machine; facts are of one product, so another one is told."""
    from bankwise.hardware.machine import canonical, machine

    name = canonical(said)
    if name != said:
        err().print(f"note: {said} is {name}, counted as {machine(name).product}")
    return name


def _of_one(callback: Callable[[str], str]) -> Any:
    """``--target`` of a command about one GPU, which ``callback`` makes a name of."""
    return typer.Option(
        "--target",
        "-t",
        help="The GPU: gfx950, MI355X, sm_90a, H100, native; see `bankwise machines`.",
        autocompletion=machine_names,
        callback=callback,
    )


Target = Annotated[str, _of_one(_one_name)]
ExactTarget = Annotated[str, _of_one(_one_target)]
Targets = Annotated[
    list[str],
    typer.Option(
        "--target",
        "-t",
        help="The GPU: gfx950, MI355X, sm_90a, H100, native; of CK source several, for one answer.",
        autocompletion=machine_names,
        callback=_targets,
    ),
]
DefaultTarget = Annotated[
    str,
    typer.Option(
        metavar="GPU",
        help="The GPU of a file that names none, as --target is in a folder.",
        autocompletion=machine_names,
    ),
]


def file_of(verb: str, metavar: str = "FILE") -> Any:
    """The argument that is a file of the formats that a verb takes."""
    from bankwise.read.recognise import help_for

    return typer.Argument(metavar=metavar, help=help_for(verb), callback=_named)


def _named(given: Path | list[Path]) -> Path | list[Path]:
    """What was typed as a file. An empty word, of a variable that is not set, would be the current
    folder."""
    here = Path() in (given if isinstance(given, list) else [given])
    if here and "" in sys.argv and not any(word and Path(word) == Path() for word in sys.argv):
        raise typer.BadParameter("the name is empty: is a variable of the shell not set?")
    return given


KernelName = Annotated[
    str,
    typer.Option("--kernel", metavar="GLOB", help="Only kernels of this name, e.g. 'gemm*'."),
]
Dims = Annotated[
    list[str], typer.Option("--dim", metavar="NAME=SIZE", help="Value of a dynamic size.")
]
Workgroup = Annotated[
    str,
    typer.Option("--workgroup-size", metavar="X,Y,Z", help="Threads, where the file has none."),
]
Numbers = Annotated[
    list[str],
    typer.Option("--arg", metavar="NAME=VALUE", help="A kernel argument's value, e.g. n=4096."),
]
LaunchTexts = Annotated[
    list[str],
    typer.Option(
        "--launch",
        metavar="LAUNCH",
        help="'gemm*<<<grid, block, shared>>>(args)', a TOML of launches or a profile.",
    ),
]
CompileCommands = Annotated[
    str,
    typer.Option(
        "--compile-commands",
        metavar="DIR",
        help="Source: where compile_commands.json is; else looked for around FILE.",
    ),
]
IreeCompile = Annotated[
    str,
    typer.Option(
        "--iree-compile",
        metavar="PATH",
        help="MLIR: the iree-compile whose code counts, or its environment; Wave's is looked for.",
    ),
]
Flags = Annotated[
    list[str],
    typer.Argument(metavar="-- FLAGS", help="Source: flags of its compiler, -I, -D, -std.."),
]


def compiler_flags(given: list[str]) -> tuple[str, ...]:
    """What stands behind ``--``; a further file is none."""
    if given and not given[0].startswith(("-", "@")):
        said = f"one FILE is asked about, {given[0]!r} is another one"
        raise typer.BadParameter(f"{said}; `scan` takes several, and folders")
    return tuple(given)


PolicyOption = Annotated[
    Policy, typer.Option("--policy", help="Which instructions accesses become (docs/policy.md).")
]

Keep = Annotated[
    str, typer.Option("--keep", metavar="DIR", help="A model: keep its lowered kernels here.")
]
Padding = Annotated[
    bool | None,
    typer.Option("--padding/--no-padding", help="A model: with IREE's padding of LDS rows?"),
]


def a_time(seconds: float) -> float:
    """What was given as seconds; nan is not below 0, and no time ever passes it."""
    if isnan(seconds):
        raise typer.BadParameter("nan is no number of seconds")
    return seconds


MOST_JOBS = 1024
"""Processes at a time that may be asked for: more would only take memory."""
Jobs = Annotated[int, typer.Option(min=0, max=MOST_JOBS, help="Processes; 0: one per core.")]
Seconds = Annotated[
    float,
    typer.Option(
        "--time", min=0, metavar="SECONDS", help="Stop after so long; 0: never.", callback=a_time
    ),
]


class Preference(StrEnum):
    """The values of ``--prefer``, as :data:`bankwise.solver.plan.Prefer` has them."""

    cheapest = "cheapest"
    fewest_passes = "fewest-passes"
    fewest_instructions = "fewest-instructions"
    least_lds = "least-lds"


PreferenceOption = Annotated[
    Preference | None,
    typer.Option(
        "--prefer",
        help="How plans are ranked: by data and issue cycles, unless told; fewest-passes may be "
        "slower.",
    ),
]

DirectLoad = Annotated[
    bool | None,
    typer.Option("--direct-load/--no-direct-load", help="A model: may IREE copy straight to LDS?"),
]


def _version(show: bool) -> None:
    if show:
        from bankwise.cli.version import print_version

        print_version()
        raise typer.Exit


@app.callback()
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an internal error.")
    ] = False,
) -> None:
    """``main`` takes ``--debug`` away before, wherever it stands; here it is for ``--help``."""


def given(context: typer.Context, name: str, value: StrEnum) -> str:
    """An option that the user gave; "" for its default: a spec's texts have their own policies."""
    source = context.get_parameter_source(name)
    return value.value if source is not None and source.name == "COMMANDLINE" else ""


def flags(context: typer.Context) -> tuple[str, ...]:
    """The options that the user gave, as they are spelled."""
    return tuple(
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name
        and parameter.param_type_name == "option"
        and (source := context.get_parameter_source(parameter.name)) is not None
        and source.name == "COMMANDLINE"
    )


def out() -> Console:
    """What prints on stdout: data."""
    from bankwise.show.consoles import console_of

    return console_of()


def err() -> Console:
    """What prints on stderr: talk."""
    from bankwise.show.consoles import console_of

    return console_of(stderr=True)


@contextmanager
def progress(
    text: str, every_s: float | None = None, *, first: str = ""
) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr that vanishes when done; ``first``: what goes on before the first
    step. Where stderr is no terminal nothing, or with ``every_s`` a line as often and one at the
    end."""
    if not sys.stderr.isatty():
        yield _lines(text, inf if every_s is None else every_s)
        return
    from rich.progress import Progress

    from bankwise.show.page import Page

    with Progress(console=Page(stderr=True), transient=True) as bar:
        task = bar.add_task(first or text, total=None)
        yield ProgressBar(partial(bar.update, task), text)


class ProgressBar(Struct, frozen=True):
    """What is said of steps, ``text`` with how many are done, and of phases. ``update``: of the bar
    as rich has it."""

    update: Callable[..., None]
    text: str

    def __call__(self, done: int, total: int) -> None:
        """See :data:`bankwise.read.options.Progress`."""
        self.update(description=self.text, completed=done, total=total)

    def phase(self, text: str) -> None:
        """See :class:`bankwise.read.options.Phased`."""
        self.update(description=text)


def _lines(text: str, every_s: float) -> Callable[[int, int], None]:
    last = time.monotonic()

    def advance(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if every_s < inf and (done == total or now - last >= every_s):
            print(f"{text}: {done} of {total}", file=sys.stderr, flush=True)
            last = now

    return advance


def write_text(text: str) -> None:
    """A text on stdout as it would be in a file, also with bytes that are no UTF-8."""
    from bankwise.files import bytes_of, is_unicode

    raw = getattr(sys.stdout, "buffer", None)
    if raw is None or is_unicode(text):
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    raw.write(bytes_of(text))
    raw.flush()


def write_json(document: object) -> None:
    """A document on stdout."""
    from bankwise.show.schema import dumps

    sys.stdout.write(dumps(document))
