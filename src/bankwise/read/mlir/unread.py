"""What a text of several dumps has, and its reading has not: kernels that are in other dumps alone.

    dumps of all passes, cut off       mlp_dispatch_0 is exported; where it has shared memory is cut
    of modules, kernel after kernel    at the stage that can be read each dump shows one of them

A compiler that was stopped, or a file that was cut at the end of a line, leaves a text that parses.
Then it is the end of a kernel that is missing: its code for LLVM, to which each dispatch comes,
with shared memory or without.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bankwise.errors import Location, Refusal
from bankwise.read.mlir.dumps import Dump, at_stage, kernels, of_function
from bankwise.read.mlir.source import masked

_EXPORT = re.compile(r"\bhal\.executable\.export (?:public )?@([\w$.-]+)")
_PASS = re.compile(r"^[ \t]*// -----// IR Dump (?:After|Before) (\w+)", re.M)
_ALL_PASSES = 8
"""So many different ones print a text: nobody names as many by hand."""


def unread(
    file: str, text: str, found: Sequence[Dump], used: Sequence[Dump]
) -> tuple[Refusal, ...]:
    """The kernels of the dumps ``found`` that those ``used`` do not show, or not to their end."""
    seen = {name for dump in used for name in kernels(text, dump)}
    every = {name for dump in found for name in kernels(text, dump)} if seen else set()
    cut = _unfinished(text, found)
    missing = sorted((every | cut) - seen)
    last = text.rstrip("\n").count("\n") + 1
    ends = f"its later dumps are missing, the text ends at line {last:,}"
    scope = "" if all(of_function(text, one) for one in used) else _SCOPE
    said = [f"not read: {name}: {ends}" for name in missing if name in cut]
    said += [f"not read: {name}{scope}" for name in missing if name not in cut]
    said += [f"{name} is read at an earlier stage: {ends}" for name in sorted(cut & seen)]
    return tuple(Refusal(one, Location(file)) for one in said)


_SCOPE = ": print it without --mlir-print-ir-module-scope"


def _unfinished(text: str, found: Sequence[Dump]) -> set[str]:
    """Of dumps of all passes the dispatches that come neither to the stage that is read nor to
    code for LLVM."""
    if len(set(_PASS.findall(text))) < _ALL_PASSES:
        return set()
    done = {dump.name for dump in found if at_stage(text, dump)}
    names = set(_EXPORT.findall(text)) - done
    return {name for name in names if f"llvm.func @{name}(" not in text}


def ends_early(text: str) -> str:
    """What to say of a text that opens more than it closes; empty of any other."""
    quiet = masked(text)
    for opened, closed in ("{}", "()", "[]"):
        left = quiet.count(opened) - quiet.count(closed)
        if left > 0:
            many = f"a `{opened}` is" if left == 1 else f"{left} `{opened}` are"
            return f"the text ends early, {many} not closed: {_WHY}"
    return ""


_WHY = "was the compiler stopped, or the file cut off?"
