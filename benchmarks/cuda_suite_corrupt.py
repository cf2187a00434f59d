"""Wrong rewrites of CUDA source: made of every right one, in one place each; who rejects them?

    a number of the new text is another      & 7 becomes & 3, + 1 becomes + 2, 0, ..
    an operator is another                   ^ becomes +, >> becomes <<
    an access is missed                      one changed line is as it was

The proof on the texts hears all of them, the execution of the emitted code those that the proof
accepts, and some others. What both accept is the right text in other words (``0 >> 1`` for
``0 >> 2``), of which nvcc makes the same code, or else a judge is wrong, and it is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from msgspec import convert
from msgspec.structs import replace

from bankwise.ask.judge_emitted import judge_code
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.errors import InputError, Refusal
from bankwise.read.cxx.tree import parse
from bankwise.read.source import Compilation
from bankwise.read.sources import language_of

KERNELS = Path(__file__).parents[1] / "tests" / "data" / "cuda_fix"
_WORD = re.compile(r"\d+|\w+|<<|>>|\s+|.", re.DOTALL)
_OPERATORS = {"^": "+", "+": "-", ">>": "<<", "&": "|", "-": "+", "/": "%"}
EXECUTED_EVERY = 32
"""Of those that the proof rejects, one in so many is run all the same."""


def mutants(before: str, after: str) -> Iterator[tuple[str, str]]:
    """What was changed, and the text: each differs from ``after`` in one place."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    for tag, first, last, start, end in SequenceMatcher(None, old, new, False).get_opcodes():
        if tag == "equal":
            continue
        for at in range(start, end):
            for word in _others(new[at]):
                yield f"{new[at]} -> {word}", "".join((*new[:at], word, *new[at + 1 :]))
        if (back := "".join((*new[:start], *old[first:last], *new[end:]))) != before:
            yield "missed", back
    yield from _missed_lines(before, after)


def _missed_lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    old, new = before.splitlines(True), after.splitlines(True)
    changed = [n for n, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    if len(changed) > 1:
        for n in changed:
            yield f"line {n + 1} missed", "".join((*new[:n], old[n], *new[n + 1 :]))


def _others(word: str) -> Iterator[str]:
    if word.isdecimal():
        n = int(word)
        yield from (str(m) for m in sorted({n + 1, n - 1, 2 * n, n // 2, 0} - {n}) if m >= 0)
    elif word in _OPERATORS:
        yield _OPERATORS[word]


def _claims(one: Mapping[str, Any]) -> list[ArrayClaim]:
    return convert(one["claims"], list[ArrayClaim], strict=False)


def corrupt(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each kernel, the mutants that were accepted, and the sums."""
    sums = dict.fromkeys(("made", "proof", "executed", "execution", "same", "accepted"), 0)
    for one in results:
        if not one["after"]:
            continue
        file, claims = KERNELS / f"{one['name']}.cu", _claims(one)
        source, seen = parse(one["before"], str(file)), {one["before"], one["after"]}
        assert not isinstance(prove_text(source, parse(one["after"], str(file)), claims), Refusal)
        for what, text in mutants(one["before"], one["after"]):
            if text in seen:
                continue
            seen.add(text)
            sums["made"] += 1
            proved = not isinstance(prove_text(source, parse(text, str(file)), claims), Refusal)
            sums["proof"] += not proved
            if not proved and sums["made"] % EXECUTED_EVERY:
                continue
            status = _executed(file, one["before"], text)
            sums["executed"] += status in ("passed", "failed")
            sums["execution"] += status == "failed"
            if proved and _code(file, text) == _code(file, one["after"]):
                sums["same"] += 1
            elif proved and status != "failed":
                sums["accepted"] += 1
                yield f"{one['name']}: {what}: proof passed, execution {status}"
        yield f"{one['name']}: {sums}"


def _code(file: Path, text: str) -> list[str]:
    """The PTX of each kernel of a text, without what says where its source stood."""
    what = Compilation(file, "sm_90", text=text)
    language = language_of(what)
    parts = [one.text for one in language.parts(language.emitted(what))]
    lines = (line.strip() for part in parts for line in part.split(".file", 1)[0].splitlines())
    return [line for line in lines if not line.startswith((".loc", "//"))]


def _executed(file: Path, before: str, after: str) -> str:
    what = Compilation(file, "sm_90")
    language = language_of(what)
    try:
        kernels = language.check(replace(what, text=before), args={}).kernels
        old, new = (language.emitted(replace(what, text=text)) for text in (before, after))
        return judge_code(language.emits, old, new, kernels).status
    except InputError:
        return "does not compile"
