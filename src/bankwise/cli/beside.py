"""What ``check --counters`` and ``--worth`` add to a check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bankwise.cli.common import CheckFormat

if TYPE_CHECKING:
    from bankwise.profile.values import Profile
    from bankwise.read.options import Options
    from bankwise.show.more import More
    from bankwise.show.spec import SpecReport
    from bankwise.show.values import CheckReport

Counters = Annotated[
    str, typer.Option("--counters", metavar="CSV", help="A profile of ncu or rocprof, to compare.")
]
Profiled = Annotated[
    str,
    typer.Option(metavar="GLOB", help="Of that profile only kernels of this name: '*Gemm*'."),
]
Times = Annotated[
    list[str],
    typer.Option(metavar="[NAME=]N", help="CK source: how often a workgroup passes over a tile."),
]
WorthIt = Annotated[
    bool, typer.Option("--worth", help="Compare LDS time with that of the other units.")
]


def refuse(counters: str, profiled: str, worth: bool, form: CheckFormat) -> None:
    """Options that exclude each other: InputError."""
    from bankwise.errors import InputError

    if (counters or worth) and form not in (CheckFormat.text, CheckFormat.json, CheckFormat.html):
        message = f"--counters and --worth print no {form.value}"
        raise InputError(message, hint="--format text, json or html")
    if profiled and not counters:
        message = "--profiled says which kernel of a profile is meant, and there is no profile"
        raise InputError(message, hint="--counters PROFILE.csv is it")
    if counters and counters != "-":
        _read(counters, profiled)


def _read(counters: str, profiled: str) -> Profile:
    """The profile; asked before the check too, which may take longer than to say what it lacks."""
    from bankwise.ask.beside.profiled import only
    from bankwise.profile.read import profile_file, read_profile
    from bankwise.read.recognise import require

    file = profile_file(counters)
    require(file, "check --counters")
    return only(read_profile(file), profiled)


def more(
    answer: CheckReport | SpecReport, options: Options, counters: str, profiled: str, worth: bool
) -> More:
    """What was asked for on top of the check."""
    from bankwise.show.answers import counted
    from bankwise.show.more import More

    report, found, worths = counted(answer), None, None
    if counters:
        from bankwise.ask.beside.beside import beside, beside_question
        from bankwise.show.values import CheckReport

        profile = _read(counters, profiled)
        found = (
            beside(answer, profile)
            if isinstance(answer, CheckReport)
            else beside_question(answer, profile)
        )
    if worth:
        from bankwise.ask.worth_static import static_worths

        worths = static_worths(report, options)
    return More(found, worths)
