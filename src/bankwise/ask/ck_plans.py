"""What a CK header's layouts cost, and the descriptor that replaces each one that conflicts.

The solver answers as it does for any tile; what counts is what CK writes of the answer: each
candidate is a descriptor, counted as a descriptor is, with the vectors that its guarantees allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import prod
from pathlib import Path

from bankwise.algebra.address import Fold
from bankwise.ask.solve import answered
from bankwise.ask.spec import counted
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.ck.descriptor import TensorDescriptor, legality
from bankwise.notation.ck.encoding import Encoding, vector_length
from bankwise.notation.ck.fold import fold_descriptor
from bankwise.notation.ck.framework import CK
from bankwise.notation.ck.spelled import AxisNames
from bankwise.notation.fold import fold_of
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import members
from bankwise.notation.values import Mapped, Memory
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
from bankwise.read.tile_file.question import Held, SolveOptions, TileQuestion
from bankwise.show.spec import SpecReport
from bankwise.solver.known import Known

_ASKED = (
    SolveOptions(),
    SolveOptions(allow_narrowing=False),
    SolveOptions(family="ck", allow_narrowing=False),
    SolveOptions(family="padding", allow_narrowing=False),
)
_VECTOR = re.compile(r"pack|vec|k1$|k3$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class CkReading:
    """A header with its answers. ``made``: the functions; ``tiles``: the layouts of LDS."""

    header: CkHeader
    run: HeaderEvaluation
    made: tuple[CkFunction, ...]
    tiles: tuple[CkTile, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CkPlan:
    """A better layout of a tile. ``memory``: as the solver says it; ``descriptor``: as CK writes
    it; ``names``: for each of its functions; ``before``, ``after``: what all accesses take;
    ``known``: how good it is."""

    tile: CkTile
    memory: Memory
    descriptor: TensorDescriptor
    names: tuple[AxisNames, ...]
    before: Cost
    after: Cost
    known: Known
    tried: int

    @property
    def words(self) -> str:
        """What it does, in few words."""
        fold = fold_of(self.descriptor)
        if isinstance(fold, Fold):
            places = f"offset / {fold.divisor} into offset / {fold.unit}, modulo {fold.phases}"
            return f"make_xor_transform of {places}"
        return f"strides {list(self.descriptor.strides)}"

    @property
    def more_elements(self) -> int:
        """Elements of LDS that it takes beside what there was."""
        sizes = [f.value.size for f in self.tile.layouts if isinstance(f.value, TensorDescriptor)]
        return self.descriptor.size - max(sizes)


def read_header(path: Path, text: str, options: Options) -> CkReading:
    """Read a header for a target. Raises :class:`InputError` where nothing of it can be judged,
    with the names that are to be said."""
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
    _check(path, run, wanted, said)
    return CkReading(header, run, made, wanted)


def _check(path: Path, run: HeaderEvaluation, found: Sequence[CkTile], said: SaidNames) -> None:
    if not found:
        raise InputError(
            "no function of it makes a layout of LDS",
            location=Location(str(path)),
            hint="a descriptor is made by a function whose name says Lds, Smem or Shared",
        )
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
            hint=f"say them: {_examples(missing)}{_gemm_too(found, run)}",
        )


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
    if missing:
        return Refusal(f"{tile.name} needs {_examples(sorted(missing))}", tile.location)
    return question(tile, reading.run)


def plan(
    reading: CkReading, tile: CkTile, asked: TileQuestion, before: SpecReport
) -> CkPlan | Refusal | None:
    """The best descriptor for a tile that conflicts; None where it has no conflict, where an
    access of it is not counted, or where LDS has no room for it (which is a finding)."""
    present, issued = _cost(before), _issued(before)
    room = asked.whole.bytes_of(asked.whole.elements) <= asked.machine.lds_bytes
    if not present.extra or before.check.refusals or not room:
        return None
    best: tuple[tuple[int, int, int, int], TensorDescriptor, Memory, Cost] | None = None
    tried = 0
    for memory in _candidates(asked):
        made = _written(memory, asked)
        if made is None or _narrower(made, asked) or legality(made):
            continue
        other = question(tile, reading.run, [made] * len(tile.layouts))
        assert isinstance(other, TileQuestion), "it was one before"
        report, tried = counted(other), tried + 1
        if report.check.refusals:
            # Its guarantees make vectors of elements that do not lie side by side.
            continue
        cost, size = _cost(report), max(0, made.size - prod(asked.shape))
        key = (cost.passes, _issued(report), size, len(str(made)))
        if best is None or key < best[0]:
            best = (key, made, memory, cost)
        if not cost.extra and key[1] <= issued and not size:
            break
    if best is None or best[3].passes >= present.passes:
        reason = "no descriptor that CK writes takes fewer passes"
        return Refusal(f"{tile.name}: {reason}", tile.location)
    key, made, memory, cost = best
    names = tuple(_names(reading, one, asked.element_bytes) for one in tile.layouts)
    known = _known(cost, present, issued, key[1])
    return CkPlan(tile, memory, made, names, present, cost, known, tried)


def _known(cost: Cost, present: Cost, issued: int, then: int) -> Known:
    """How good the written descriptor is: optimal where its accesses have nothing left to gain."""
    same = f"accesses as issued, {issued:,} instructions a workgroup"
    condition = same if then == issued else f"instructions a workgroup {issued:,} -> {then:,}"
    if not cost.extra and cost.passes <= present.ideal:
        return Known("optimal", "all layouts", (condition,), "every access is ideal")
    space = "the descriptors that were counted"
    return Known("best found", space, (condition,), "CK writes strides, paddings and one XOR")


def _issued(report: SpecReport) -> int:
    """Executed instructions of one workgroup."""
    accesses = report.check.kernels[0].accesses
    return sum(one.instructions * one.waves for one in accesses)


def _narrower(made: TensorDescriptor, asked: TileQuestion) -> bool:
    """Whether a descriptor promises some access a shorter vector than it has."""
    for access in asked.accesses:
        held, layout = access.held, access.layout or asked.layout
        if isinstance(held, Held) and isinstance(held.distribution, Encoding):
            here = layout.memory if layout is not None else None
            now = vector_length(held.distribution, made)
            if isinstance(here, TensorDescriptor) and now < vector_length(held.distribution, here):
                return True
    return False


def _candidates(asked: TileQuestion) -> Iterator[Memory]:
    """Layouts, the most promising first: the solver's, then families that CK has words for."""
    solved = False
    for options in _ASKED:
        answer = answered(asked, options)
        if answer.layout is not None:
            solved = True
            yield Mapped(asked.shape, answer.layout.layout)
    if solved:
        return
    ground = Ground(asked.whole)
    for family in ("ck", "padding"):
        for one in members(family, ground):
            yield Mapped(asked.shape, one.address)


def _written(memory: Memory, asked: TileQuestion) -> TensorDescriptor | None:
    fold = fold_of(memory)
    folded = fold_descriptor(fold, memory.shape) if isinstance(fold, Fold) else None
    made = folded or CK.write(memory, Ground(asked.whole))
    if not isinstance(made, TensorDescriptor):
        return None
    return made if made.steps or made.vector[0] > 0 else _with_vector(made, asked)


def _with_vector(made: TensorDescriptor, asked: TileQuestion) -> TensorDescriptor:
    """Strides promise vectors of 16 bytes where rows begin at multiples of them."""
    vector = max(1, 16 // max(1, asked.element_bytes))
    while made.lengths[-1] % vector or any(s % vector for s in made.strides[:-1]):
        vector //= 2
    return replace(made, vector=(vector, 1)) if vector > 1 and made.strides[-1] == 1 else made


def _cost(report: SpecReport) -> Cost:
    return report.check.kernels[0].totals.run


def _names(reading: CkReading, function: CkFunction, bytes_: int) -> AxisNames:
    """How a function calls the lengths of the axes: what keeps to them when answers change."""
    assert isinstance(function.value, TensorDescriptor), "it was counted"
    found = [_numbers(reading.run, function)]
    shapes = [function.value.shape]
    for key, value in reading.run.said.values.items():
        if isinstance(value, int) and reading.run.said.used.get(key):
            other = _again(reading, {key: 2 * value}, function)
            if other is not None and isinstance(other.value, TensorDescriptor):
                found.append(_numbers(reading.run, other))
                shapes.append(other.value.shape)
    axes = [
        next((n for n, v in found[0].items() if _follows(n, axis, found, shapes)), "")
        for axis in range(len(shapes[0]))
    ]
    wanted = 16 // max(1, bytes_)
    vectors = (n for n in found[0] if _VECTOR.search(n) and all(t.get(n) == wanted for t in found))
    return AxisNames(tuple(axes), next(vectors, ""), wanted)


def _follows(
    name: str, axis: int, found: Sequence[dict[str, int]], shapes: Sequence[tuple[int, ...]]
) -> bool:
    return all(one.get(name) == shape[axis] for one, shape in zip(found, shapes, strict=True))


def _again(reading: CkReading, changed: dict[str, int], function: CkFunction) -> CkFunction | None:
    """The same function under other answers; None where they do not fit."""
    said = SaidNames({**reading.run.said.values, **changed}, reading.run.said.machine)
    made = functions(evaluation(reading.header, said))
    return next((f for f in made if f.location == function.location), None)


def _numbers(run: HeaderEvaluation, function: CkFunction) -> dict[str, int]:
    """The constants that a function names before it makes its first descriptor, by name."""
    assert function.returned is not None, "it has a value"
    ending, frame = function.returned
    found: dict[str, int] = {}
    for node in walk(function.node):
        if node.type != "identifier" or node.start_byte >= ending.start_byte:
            continue
        name = run.source.of(node)
        if name in found:
            continue
        try:
            value = run.look(name, frame)
        except InputError:
            continue
        if isinstance(value, int) and value > 1:
            found[name] = value
    return found
