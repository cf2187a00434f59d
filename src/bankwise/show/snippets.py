"""What to write against conflicts, to be pasted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from bankwise.read.names import variables
from bankwise.show.advised import Snippet
from bankwise.show.causes import Cause
from bankwise.show.columns import Console, say
from bankwise.show.values import CheckReport

_SHOWN = 6
"""Texts that are printed; JSON has all of them."""
_GUTTER = " " * 6
NOT_EDITED = "`bankwise fix` would not edit it: "
"""How a note begins that says why what is to be written is written by hand."""


def against(cause: Cause, left: Sequence[Snippet], report: CheckReport) -> list[Snippet]:
    """Of what was not said yet that which is to be written against a cause: of its kernels, for
    what its accesses touch. What one command writes is said under each that it is against."""
    names = {access.kernel for access in cause.accesses}
    touched = {name for access in cause.accesses for name in access.allocations}
    at = {access.location for access in cause.accesses}
    kernels = [k for k in report.kernels if k.name in names]
    every = [access for k in kernels for access in k.accesses]
    named = {name for access in every for name in access.allocations}
    known = {access.location for access in every if access.rule}
    own = {snippet for k in kernels for snippet in k.snippets}

    def meant(one: Snippet) -> bool:
        if known & {*one.places}:
            return bool(at & {*one.places})
        return bool(touched & {*one.buffers}) or not named & {*one.buffers}

    return [one for one in left if one in own and meant(one)]


def print_help(
    snippets: Sequence[Snippet], console: Console, earlier: Sequence[Snippet] = ()
) -> None:
    """Below a conflict: what to write, with what it brings; then the text itself. What one command
    or patch writes together is one block. ``earlier``: what was told already, with its commands."""
    told = {snippet.command for snippet in earlier}
    found = [list(group) for _, group in groupby(snippets[:_SHOWN], _pasted)]
    for group in found:
        for snippet in group:
            written = not snippet.command and snippet.location.line
            where = f", at {snippet.location}" if written else ""
            text = f"{snippet.language}: {snippet.what}{where}"
            say(console, text, f"{_GUTTER}= help: ", " " * 8)
            for note in (effect(snippet, told=snippet.command in told), *snippet.notes):
                say(console, note, " " * 8, style="dim")
            told.add(snippet.command)
        lines = "\n".join(f"    {line}".rstrip() for line in _pasted(group[0]).splitlines())
        console.print(f"\n{lines}", markup=False, soft_wrap=True, highlight=False)
    _print_more(snippets, console)


def _print_more(snippets: Sequence[Snippet], console: Console) -> None:
    if len(snippets) > _SHOWN:
        say(console, f"and {len(snippets) - _SHOWN} more to write (--format json)", style="dim")


def print_snippets(snippets: Sequence[Snippet], console: Console) -> None:
    """What to write where nothing conflicts and fewer passes do, at the places that it is for."""
    for at, some in groupby(snippets[:_SHOWN], lambda snippet: snippet.location):
        found = list(some)
        names = variables(dict.fromkeys(name for one in found for name in one.buffers))
        of = f": {names}" if names else ""
        say(console, f"{at}: no bank conflict, but fewer passes are possible{of}", rest="  ")
        print_help(found, console)
        console.print()
    _print_more(snippets, console)


def _pasted(snippet: Snippet) -> str:
    return snippet.patch or snippet.text or snippet.command


def effect(snippet: Snippet, *, told: bool = False) -> str:
    """What it does and how that is known; nothing is claimed beyond what was counted. ``told``: its
    command stands above."""
    how = "counted with this text" if snippet.counted else "by the plan"
    each = f"{'in one' if snippet.each.startswith('pass') else 'per'} {snippet.each}"
    said = f"{snippet.after:,} passes {each} instead of {snippet.before:,}, {how}"
    if snippet.command and (snippet.text or snippet.patch):
        which = "the same command" if told else f"`{snippet.command}`"
        return f"{said}; {which} writes and proves it"
    return f"{said}; the command counts and proves what it writes" if snippet.command else said
