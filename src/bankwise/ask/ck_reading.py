"""A CK header read for one GPU, with the user's answers; what is missing is asked for by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from bankwise.ask.ck_spelt import check_computed, misspelt
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.read.ck.calls import evaluation
from bankwise.read.ck.evaluate import HeaderEvaluation
from bankwise.read.ck.find import CkFunction, functions
from bankwise.read.ck.source import CkHeader, parse_header
from bankwise.read.ck.tiles import (
    GEMM_EXAMPLE,
    WARP_GEMM,
    CkTile,
    asks_gemm,
    known_open,
    open_in,
    question,
    tiles,
)
from bankwise.read.ck.values import SaidNames, read_said
from bankwise.read.cxx.tree import walk
from bankwise.read.names import listed, means
from bankwise.read.options import Options
from bankwise.read.tile_file.question import TileQuestion


class CkReading(ByIdentity, frozen=True, eq=False):
    """A header with its answers. ``made``: the functions; ``tiles``: the layouts of LDS."""

    header: CkHeader
    run: HeaderEvaluation
    made: tuple[CkFunction, ...]
    tiles: tuple[CkTile, ...]


def read_header(path: Path, text: str, options: Options, *, changed: bool = False) -> CkReading:
    """Read a header for a target. Raises :class:`InputError` where nothing of it can be judged,
    with the names that are to be said. ``changed``: it is ours, and may have no use any more for a
    name that was answered."""
    if not options.target:
        where = Location(str(path))
        raise InputError("for which GPU?", location=where, hint="--target gfx942, or gfx950")
    chip = machine(options.target)
    said = SaidNames(read_said(options.dims), chip)
    numbers = {k: str(v) for k, v in said.values.items() if isinstance(v, int) and "::" not in k}
    header = parse_header(text, str(path), chip.name, numbers)
    run = evaluation(header, said)
    made = functions(run)
    found = tiles(made, run)
    wanted = tuple(t for t in found if any(means(options.kernel, f.name) for f in t.layouts))
    if found and not wanted:
        raise InputError(
            f"--kernel {options.kernel!r}: no function that makes a layout of LDS is so named",
            location=Location(str(path)),
            hint=f"it has {listed([f.name for t in found for f in t.layouts])}; "
            "of a profile, --profiled names the kernel",
        )
    _check(path, run, wanted, said, changed)
    if not changed:
        check_computed(run, made)
    return CkReading(header, run, made, wanted)


def _check(
    path: Path, run: HeaderEvaluation, found: Sequence[CkTile], said: SaidNames, changed: bool
) -> None:
    if not found:
        raise _no_layout(path, run)
    if not changed:
        _check_names(path, run, said)
    twice = said.ambiguous()
    if twice is not None:
        name, paths = twice
        raise InputError(
            f"--dim {name}: the header has {' and '.join(paths)}",
            location=Location(str(path)),
            hint=f"say more of the name: --dim {paths[0]}=..",
        )
    if all(open_in(tile, run) for tile in found):
        missing = known_open(found, run)
        raise InputError(
            f"it leaves open {', '.join(missing)}",
            location=Location(str(path)),
            hint=_misspelt(found, run)
            or f"{_meant(missing, run)}say them: {_examples(missing)}{_gemm_too(found, run)}",
        )


def _no_layout(path: Path, run: HeaderEvaluation) -> InputError:
    """Why a header has nothing to count; the first place that is no C++ may have hidden it."""
    message, where = "no function of it makes a layout of LDS", Location(str(path))
    hint = "a descriptor is made by a function whose name says Lds, Smem or Shared"
    wrong = next((node for node in walk(run.source.root) if node.type == "ERROR"), None)
    if wrong is not None and re.search(r"\w(?:Lds|LDS|Smem|Shared)\w*\s*\(", run.source.text):
        where = run.source.place(wrong.start_byte)
        hint = f"the text is not read as C++ from here on, which may hide one; {hint}"
    return InputError(message, location=where, hint=hint)


def _meant(missing: Sequence[str], run: HeaderEvaluation) -> str:
    """Names that nobody declares, and that are nearly one that this header has."""
    words = [n for n in re.findall(r"\w+", run.source.text) if n not in missing]
    near = (
        (name, get_close_matches(name, dict.fromkeys(words), n=1, cutoff=0.85)) for name in missing
    )
    told = [f"{one[0]} for {name}" for name, one in near if one and "::" not in name]
    return f"did you mean {' and '.join(told)}? else " if told else ""


def _misspelt(found: Sequence[CkTile], run: HeaderEvaluation) -> str:
    """The calls of all tiles that are nearly functions of CK."""
    told = dict.fromkeys(reason for tile in found for _, reason in misspelt(tile, run))
    return "; ".join(told)


def _gemm_too(found: Sequence[CkTile], run: HeaderEvaluation) -> str:
    """What will be asked next, where nothing in the header loads a layout."""
    asking = [tile.name for tile in found if asks_gemm(tile, run)]
    words = f"; nothing here loads from {listed(asking)}: if a warp GEMM does, {GEMM_EXAMPLE}"
    return words if asking else ""


def _check_names(path: Path, run: HeaderEvaluation, said: SaidNames) -> None:
    """:class:`InputError` for an answer that no name of the header asks for."""
    owners = {part for name in said.asked for part in name.split("::")[:-1]}
    names = {name.split("::")[-1] for name in said.asked} - owners
    known = sorted(name for name in names if name.isidentifier())
    for key in said.values:
        last = key.split("::")[-1]
        if key in said.used or key in said.asked or last in WARP_GEMM:
            continue
        if re.search(rf"\b{re.escape(last)}\b", run.source.text):
            continue
        near = get_close_matches(last, [*known, *WARP_GEMM], n=1, cutoff=0.7)
        asks = f"it asks for {', '.join(known)}" if known else "it leaves nothing open"
        hint = f"did you mean {near[0]}? {asks}" if near else asks
        raise InputError(
            f"--dim {key}: the header has no such name", location=Location(str(path)), hint=hint
        )


def _examples(paths: Sequence[str]) -> str:
    """Each answer once: two names may want the same."""
    return " ".join(dict.fromkeys(map(_example, paths)))


def _example(path: str) -> str:
    name = path.split("::")[-1]
    of_type = name.endswith(("Type", "DataType"))
    value = "half_t" if of_type else "RowMajor" if "Layout" in name else "64"
    value = "256" if "BlockSize" in name else value
    end = "::".join(path.split("::")[-2:]) if re.fullmatch(r"k[MNK]\d?", name) else name
    return f"--dim {end.rstrip('_')}={value}"


def asked_question(reading: CkReading, tile: CkTile) -> TileQuestion | Refusal:
    """A tile as a question; or why it is none, also for want of an answer."""
    missing = open_in(tile, reading.run)
    wrong = next(misspelt(tile, reading.run), None)
    if missing and wrong is not None:
        node, reason = wrong
        return Refusal(f"{tile.name}: {reason}", reading.run.source.place(node.start_byte))
    if missing:
        return Refusal(f"{tile.name} needs {_examples(sorted(missing))}", tile.location)
    return question(tile, reading.run)
