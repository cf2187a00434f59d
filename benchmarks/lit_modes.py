"""How two results are compared: both made here, function by function, for :mod:`iree_lit`."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lit_meaning import traces
from lit_texts import (
    HINT,
    alone,
    body,
    bound,
    functions,
    hinted,
    iree_opt,
    loaded,
    modern,
    printed,
    threads,
)

from bankwise.ask.opt import Rules, opt
from bankwise.errors import InputError

_CLEAN = "canonicalize,cse"

_EVERY_WAVE = "its start is the same in all threads of a wave, which is what a raw buffer needs"


@dataclass(frozen=True)
class Battery:
    """One test file: IREE's pass in it, and ours. ``mode``: how results are compared.

    ``only``: a word that functions with a counterpart have; ``why``: of the others, why not.
    """

    file: str
    theirs: str
    ours: tuple[str, ...] = ()
    mode: str = "places"
    target: str = "gfx942"
    options: Mapping[str, object] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    only: str = ""
    why: str = ""


@dataclass(frozen=True)
class Row:
    """One function: how the two results compare, and why they do not agree."""

    file: str
    function: str
    found: str
    why: str = ""


@dataclass(frozen=True)
class Ours:
    """What ``opt`` made of a part. ``refused``, ``changed``: reasons and lines of its remarks."""

    text: str
    refused: tuple[tuple[int, str], ...] = ()
    changed: tuple[int, ...] = ()
    error: str = ""


def ours(text: str, battery: Battery) -> Ours:
    """``bankwise opt`` on a part."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "part.mlir"
        file.write_text(text)
        try:
            rules = Rules(**battery.options)  # type: ignore[arg-type]
            size = "" if battery.mode == "written" else "64,1,1"
            done = opt(file, battery.ours, battery.target, workgroup_size=size, rules=rules)
        except (InputError, TypeError) as error:
            return Ours(text, error=str(error) or type(error).__name__)
    outcomes = [outcome for _, outcome in done.passes]
    refused = (
        (r.location.line if r.location else 0, r.reason) for o in outcomes for r in o.refusals
    )
    changed = (r.location.line for o in outcomes for r in o.remarks if r.changed)
    return Ours(done.text, tuple(refused), tuple(changed))


def judged(battery: Battery, text: str, name: str, mine: Ours, error: str, same: bool | str) -> Row:
    """The row of a function. ``same``: whether the results are; a string says why nobody knows."""
    first, last = functions(text)[name]
    refused = [reason for line, reason in mine.refused if first <= line <= last]
    refused += [reason for line, reason in mine.refused if not line]
    said = mine.error or "; ".join(dict.fromkeys(refused))
    if "strict properties" in error:
        return Row(battery.file, name, "differs", f"its syntax is not read: {error}")
    if error and said:
        return Row(battery.file, name, "agrees", f"both refuse: {said}")
    if error:
        return Row(battery.file, name, "further" if mine.changed else "differs", f"IREE: {error}")
    if same is True:
        return Row(battery.file, name, "agrees", said)
    if mine.error:
        return Row(battery.file, name, "differs", said)
    if said:
        return Row(battery.file, name, "stricter", said)
    return Row(battery.file, name, "differs", same if isinstance(same, str) else "")


def places_mode(battery: Battery, text: str, named: list[str]) -> Iterator[Row]:
    """Where every element is loaded and stored, in every sample."""
    mine = ours(text, battery)
    for name in named:
        theirs, error = iree_opt(modern(alone(text, name)), battery.theirs, *battery.flags)
        same: bool | str = False
        if not error:
            cleaned, _ = iree_opt(modern(mine.text), _CLEAN)
            left, right = traces(theirs).get(name), traces(cleaned).get(name)
            told = next((each for each in (left, right) if isinstance(each, str)), "")
            same = told or (left is not None and left == right)
        yield judged(battery, text, name, mine, error, same)


def text_mode(battery: Battery, text: str, named: list[str]) -> Iterator[Row]:
    """What IREE's own clean-up leaves of both results."""
    yield from _texts(battery, text, named, _CLEAN)


def written_mode(battery: Battery, text: str, named: list[str]) -> Iterator[Row]:
    """Both results as they were printed by one printer."""
    yield from _texts(battery, text, named, "")


def _texts(battery: Battery, text: str, named: list[str], clean: str) -> Iterator[Row]:
    mine = ours(text, battery)
    left = printed(modern(mine.text), clean)
    for name in named:
        theirs, error = iree_opt(modern(alone(text, name)), battery.theirs, *battery.flags)
        same = False
        if not error:
            right = printed(theirs, clean)
            same = bool(right.get(name)) and left.get(name) == right.get(name)
        yield judged(battery, text, name, mine, error, same)


def buffers_mode(battery: Battery, text: str, named: list[str]) -> Iterator[Row]:
    """Whether a binding becomes a raw buffer: as a memref, with a load that uses it."""
    for name in named:
        theirs, error = iree_opt(modern(alone(text, name)), battery.theirs, *battery.flags)
        wanted = "use_rocdl_buffer_instructions" in theirs
        mine = ours(loaded(alone(text, name)), battery)
        if mine.changed and not wanted:
            yield Row(battery.file, name, "further", _EVERY_WAVE)
            continue
        yield judged(battery, text, name, mine, error, not error and wanted == bool(mine.changed))


def strides_mode(battery: Battery, text: str, named: list[str]) -> Iterator[Row]:
    """The cache swizzle strides of both operands."""
    for name in named:
        theirs, error = iree_opt(modern(alone(text, name)), battery.theirs, *battery.flags)
        wanted = [int(n) for n in re.findall(r"cacheSwizzleStride\(%c(\d+)\w*\)", theirs)]
        head = re.search(r"func\.func @[\w]+\((.*?)\) ->", body(text, name))
        types = re.findall(r"tensor<([^>]*)>", head[1]) if head else []
        mine = ours(bound(types), battery)
        found = re.findall(r"cacheSwizzleStride|boundsCheck", mine.text)
        given = [int(n) for n in re.findall(r"arith\.constant (\d+) : i14", mine.text)]
        same = sorted(n for n in wanted if n) == sorted(given) and bool(found)
        told = f"IREE {wanted}, here {given}"
        refused = tuple((0, reason) for _, reason in mine.refused)
        yield judged(
            battery,
            text,
            name,
            Ours(mine.text, refused, mine.changed, mine.error),
            error,
            same or told,
        )


def copies_mode(battery: Battery, text: str, named: list[str]) -> Iterator[Row]:
    """The sources of copies: IREE lowers with the hint; or without, and the pass here permutes."""
    for name in named:
        lone = modern(alone(text, name))
        theirs, error = iree_opt(lone, battery.theirs, *battery.flags)
        hint = HINT.search(lone)
        assert hint is not None, "only functions with a hint come here"
        plain = re.sub(rf"{hint['new']}\b", hint["old"], lone.replace(hint[0], ""))
        lowered, _ = iree_opt(plain, battery.theirs, *battery.flags)
        mine = ours(threads(hinted(lowered, hint)), battery)
        left = traces(theirs).get(name) if not error else None
        right = traces(mine.text).get(name) if not mine.error else None
        told = next((each for each in (left, right) if isinstance(each, str)), "")
        refused = tuple((0, reason) for _, reason in mine.refused)
        mine = Ours(mine.text, refused, mine.changed, mine.error)
        same = told or (left is not None and left == right)
        yield judged(battery, text, name, mine, error, same)


Mode = Callable[[Battery, str, list[str]], Iterator[Row]]

MODES: Mapping[str, Mode] = {
    "places": places_mode,
    "text": text_mode,
    "written": written_mode,
    "buffers": buffers_mode,
    "strides": strides_mode,
    "copies": copies_mode,
}
