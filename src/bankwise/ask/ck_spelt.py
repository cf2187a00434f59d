"""Names of a CK header that are not what somebody takes them for: calls that are nearly functions
of CK, and answers to what the header computes itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from bankwise.errors import InputError
from bankwise.notation.ck.factories import FACTORIES
from bankwise.read.ck.evaluate import HeaderEvaluation
from bankwise.read.ck.find import CkFunction
from bankwise.read.ck.known import FUNCTIONS
from bankwise.read.ck.tiles import CkTile
from bankwise.read.ck.values import Anything, TypeWord
from bankwise.read.cxx.tree import Node, walk

_NEAR = 0.9


def misspelt(tile: CkTile, run: HeaderEvaluation) -> Iterator[tuple[Node, str]]:
    """The calls in a tile's functions that nobody declares, and that are nearly one of CK's."""
    known = [*FACTORIES, *FUNCTIONS]
    words = [run.source.of(node) for node in walk(run.source.root) if "identifier" in node.type]
    for function in tile.layouts:
        for node in walk(function.node):
            name = _called(run, node) if node.type == "call_expression" else ""
            near = get_close_matches(name, known, n=1, cutoff=_NEAR)
            if near and name not in known and words.count(name) == _calls(run, name):
                yield node, f"{name} is nothing that CK has: did you mean {near[0]}?"


def _calls(run: HeaderEvaluation, name: str) -> int:
    """How often something is called: what is named more often is declared."""
    calls = (node for node in walk(run.source.root) if node.type == "call_expression")
    return sum(_called(run, node) == name for node in calls)


def _called(run: HeaderEvaluation, call: Node) -> str:
    """What a call names, without its namespaces."""
    return run.source.of(call.child_by_field_name("function")).rpartition("::")[2]


def check_computed(run: HeaderEvaluation, made: Sequence[CkFunction]) -> None:
    """:class:`InputError` for an answer to what the header computes itself, otherwise: it is
    nothing that anybody may choose."""
    said = run.said
    for key in said.values:
        if key in said.used or key in said.asked or "::" in key:
            continue
        for function in made:
            own = _computed(run, key, function)
            if key not in said.used and own is not None and own != said.values[key]:
                raise InputError(
                    f"--dim {key}={_word(said.values[key])}: the header computes it, "
                    f"{function.name} has {_word(own)}",
                    location=function.location,
                    hint="leave it out, or change the header",
                )


def _computed(run: HeaderEvaluation, name: str, function: CkFunction) -> Anything | None:
    """What a name is where a function returns; None where it is no number and no type."""
    if function.returned is None:
        return None
    try:
        value = run.look(name, function.returned[1])
    except InputError:
        return None
    return value if isinstance(value, int | TypeWord) else None


def _word(value: Anything) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return value.name if isinstance(value, TypeWord) else str(value)
