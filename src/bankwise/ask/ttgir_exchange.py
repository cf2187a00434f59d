"""Another distribution beside a conversion that goes through scratch.

Triton lays out the scratch of ``ttg.convert_layout`` itself, for the two distributions at hand. So
what moves it is another ``blocked`` on one side: one line of the text, and one more for what
``tt.trans`` turns it into. Looked at is every ``blocked`` of as many lanes and waves with whole
tensors, whose loads and stores touch no more of global memory in no more instructions, if memory is
contiguous along the present ``order[0]``. Each is counted as the text plans it; the best
few are compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.check_ttgir import Planned, plan
from bankwise.ask.ttgir_counted import access_cost
from bankwise.ask.ttgir_spread import (
    KEPT,
    NAME,
    PiecesTouched,
    Spread,
    candidates,
    fixed_by,
    piece,
    pieces_of,
    together_with,
    touched,
    turned,
)
from bankwise.errors import InputError, Refusal
from bankwise.notation.triton.encodings import Blocked
from bankwise.read.options import Options
from bankwise.read.ttgir.accesses import SCRATCH
from bankwise.read.ttgir.placed import held_by
from bankwise.read.ttgir.text import every
from bankwise.read.ttgir.values import Op, TensorType

_GLOBAL = re.compile(r"tt\.(?:load|store)|amdg\.buffer_(?:load|store)")
_TENSOR = re.compile(r"tensor<((?:\d+x)+)(?:!tt\.ptr<)?(\w+)>?, #(\w+)>")
_MOVES = "the loads and stores"
_NEVER = 1 << 62


def exchanges(
    planned: Planned, text: str, options: Options, lines: Set[int]
) -> Iterator[tuple[Spread, ...] | Refusal]:
    """For every ``blocked`` of a conversion at one of ``lines``: the best few others, the cheapest
    first; or why there is none."""
    ops = tuple(every(planned.kernel.body))
    seen: set[str] = set()
    for op in ops:
        if op.name != "ttg.convert_layout" or op.line not in lines:
            continue
        for alias in dict.fromkeys(NAME.findall(op.types)):
            present = planned.module.aliases.get(alias)
            if alias in seen or not isinstance(present, Blocked):
                continue
            together = together_with(alias, ops)
            seen |= together.keys()
            yield _best(planned, text, options, ops, together)


def _best(
    planned: Planned, text: str, options: Options, ops: Sequence[Op], together: Mapping[str, bool]
) -> tuple[Spread, ...] | Refusal:
    alias = next(iter(together))
    fixed = fixed_by(ops, together)
    if fixed:
        return Refusal(f"#{alias} stays: the result of {fixed} depends on who holds what")
    present = planned.module.aliases[alias]
    shape = next((t[0] for t in _tensors(planned, ops, alias)), None)
    if not isinstance(present, Blocked) or shape is None:
        return Refusal(f"#{alias} stays: nothing of its rank is seen")
    moved = [
        (name, tensor)
        for name in together
        for tensor, op in _tensors(planned, ops, name)
        if _GLOBAL.fullmatch(op.name)
    ]
    tied = tuple(ties(ops, together))
    least = _memory(planned, moved, {n: planned.module.aliases[n] for n in together})
    now = _passes(planned, text, options)
    tried, untied = list[Spread](), 0
    for each in candidates(planned, present, shape):
        others = {n: turned(each) if turn else each for n, turn in together.items()}
        memory = _memory(planned, moved, others)
        if memory.more_than(least) or memory.instructions > least.instructions:
            continue
        if all(keeps(planned, others, tie) for tie in tied):
            both = (now, now), (least, memory)
            tried.append(Spread(alias, present, each, (SCRATCH,), *both, others, _MOVES))
        else:
            untied += 1
    counted = ((one, _passes(planned, one.written(text), options)) for one in tried)
    found = [replace(one, passes=(now, passes)) for one, passes in counted if passes < now]
    if not found:
        return _none_better(planned, alias, len(tried), untied, tied)
    found.sort(
        key=lambda one: (one.passes[1], one.touched[1].turns, one.instead.order != present.order)
    )
    return tuple(found[:KEPT])


def _none_better(
    planned: Planned, alias: str, tried: int, untied: int, tied: Sequence[Tie]
) -> Refusal:
    """Why a distribution stays: of so many that were ``tried``, and of others that the text
    rules out."""
    reason = f"none of {tried} other blocked distributions of #{alias} takes fewer passes"
    sizes = " and ".join(map(piece, pieces_of(planned.machine)))
    said = f"{reason} as planned, with no more {sizes} and instructions of {_MOVES}"
    tie = next(iter(tied), None)
    if untied and tie is not None:
        said += f"; {untied} more do not fit the tt.broadcast of line {tie.line} ({tie.pair})"
    return Refusal(said)


class Tie(Struct, frozen=True):
    """A ``tt.broadcast`` between two distributions of which one stays: for ``shape``, that of what
    is broadcast, the one that changes must go on to hold what it holds. ``pair``: both, in
    words."""

    line: int
    name: str
    shape: tuple[int, ...]
    pair: str


def ties(ops: Sequence[Op], together: Mapping[str, bool]) -> Iterator[Tie]:
    """Between names that change and such that stay."""
    for op in ops:
        if op.name != "tt.broadcast":
            continue
        found = _TENSOR.findall(op.types)
        names = [name for _, _, name in found]
        changed = [name for name in names if name in together]
        if len(names) == 2 and len(changed) == 1:
            shape = tuple(int(n) for n in found[0][0].split("x") if n)
            yield Tie(op.line, changed[0], shape, f"#{names[0]} -> #{names[1]}")


def keeps(planned: Planned, others: Mapping[str, Blocked], tie: Tie) -> bool:
    """Whether a distribution holds small tensors as the present one does."""
    module = planned.module
    old, new = module.aliases[tie.name], others[tie.name]
    assert isinstance(old, Blocked), "only these change"
    held = [held_by(each, tie.shape, module.warps, module.lanes) for each in (old, new)]
    return held[0] == held[1]


def _tensors(planned: Planned, ops: Sequence[Op], alias: str) -> Iterator[tuple[TensorType, Op]]:
    """What loads, stores and conversions move under a distribution."""
    for op in ops:
        if not (_GLOBAL.fullmatch(op.name) or op.name == "ttg.convert_layout"):
            continue
        found = _TENSOR.findall(op.types)
        for shape, kind, name in found[:1] if _GLOBAL.fullmatch(op.name) else found:
            tensor = planned.reader.types.tensor(f"tensor<{shape}{kind}, #{name}>", op.line)
            if name == alias and isinstance(tensor, TensorType):
                yield tensor, op


def _memory(
    planned: Planned, moved: Sequence[tuple[str, TensorType]], held: Mapping[str, object]
) -> PiecesTouched:
    """What a wave touches in all loads and stores."""
    total = PiecesTouched(dict.fromkeys(pieces_of(planned.machine), 0), 0)
    for name, tensor in moved:
        one, memory = held[name], planned.module.aliases[name]
        assert isinstance(one, Blocked), "they change together"
        assert isinstance(memory, Blocked), "tt.trans turns no other"
        total += touched(planned, one, memory, tensor)
    return total


def _passes(planned: Planned, text: str, options: Options) -> int:
    """Of a workgroup, as a text plans it; more than any where it cannot be read."""
    try:
        (found,) = plan(text, planned.module.file, options, verify=False)
    except InputError:
        return _NEVER
    if len(found.refusals) > len(planned.refusals):
        return _NEVER
    return sum(access_cost(access, found.machine) for access in found.accesses)
