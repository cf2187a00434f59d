"""Another distribution of what is stored where the encoding is a matrix unit's and must stay.

wgmma wants 8-bit operands along K. Where memory has them along N, each thread stores single bytes,
16-way: the encoding cannot change, who holds what can. A ``blocked`` encoding with a name is one
line of the text. Candidates are those that touch no more of global memory than the present one, in
sectors, or in lines of the target, if memory is contiguous along its ``order[0]``: Triton chose it
so for that reason. They are
ranked by passes of shared memory and turns of the first cache together: narrow loads cost, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.ask.check_ttgir import Planned
from bankwise.ask.ttgir_counted import access_cost, uses_of
from bankwise.counting.coalesce import LINE_BYTES
from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.notation.linear import packed
from bankwise.notation.triton.encodings import Blocked
from bankwise.read.ttgir.accesses import Moved, Reader
from bankwise.read.ttgir.placed import held_by
from bankwise.read.ttgir.text import every
from bankwise.read.ttgir.types import Types, split_arrow
from bankwise.read.ttgir.values import Op, SharedOperation, TensorType

_TURN_BYTES = 128
"""What one turn of the first cache serves."""
_WIDEST_BYTES = 16
KEPT = 8
"""Of those that are compiled, at most, until one leaves as many workgroups on a unit."""
_GLOBAL = re.compile(r"(?:tt\.|amdg\.buffer_)(?:load|store)\w*|ttg\.async_copy_global_to_local")
_POINTER = re.compile(r"!tt\.ptr<(\w+)>")
NAME = re.compile(r"#(\w+)\b(?![.\w<])")
_ORDERED = re.compile(
    r"tt\.(?:reduce|scan|dot|dot_scaled|histogram|gather|atomic_\w+|print|map_elementwise"
    r"|extern_elementwise|elementwise_inline_asm)|amdg\.buffer_atomic_\w+"
)
"""Operations whose result may depend on who holds what: the order of a sum does."""


class PiecesTouched(Struct, frozen=True):
    """What one wave touches in global memory: how many pieces by their bytes, the smallest first,
    and in how many instructions."""

    pieces: Mapping[int, int]
    instructions: int

    def __add__(self, other: PiecesTouched) -> PiecesTouched:
        pieces = {size: count + other.pieces[size] for size, count in self.pieces.items()}
        return PiecesTouched(pieces, self.instructions + other.instructions)

    def more_than(self, other: PiecesTouched) -> bool:
        """Whether it touches more pieces of any size."""
        return any(count > other.pieces[size] for size, count in self.pieces.items())

    @property
    def turns(self) -> int:
        """Of the first cache; an instruction takes one at least."""
        size, count = next(iter(self.pieces.items()))
        return max(self.instructions, count * size // _TURN_BYTES)


class Spread(Struct, frozen=True):
    """Another distribution under the name of one: ``passes`` of the accesses that it is part of,
    before and after; ``touched``: what its loads do, likewise. ``buffers``: whose conflicts it is
    about. ``partners``: other names that change with it, and what they become; ``moves``: what of
    global memory was looked at."""

    alias: str
    present: Blocked
    instead: Blocked
    buffers: tuple[str, ...]
    passes: tuple[int, int]
    touched: tuple[PiecesTouched, PiecesTouched]
    partners: Mapping[str, Blocked] = field(default_factory=dict)
    moves: str = "the loads"

    def written(self, text: str) -> str:
        """The text with it."""
        every = {self.alias: self.instead, **self.partners}
        line = re.compile(rf"^(\s*#({'|'.join(every)})\s*=\s*)#ttg\.blocked<.*$", re.MULTILINE)
        return line.sub(lambda found: found[1] + str(every[found[2]]), text)

    @property
    def global_memory(self) -> str:
        """What loads from global memory do, in words."""
        old, new = self.touched
        if not old.instructions:
            return "nothing of global memory goes through it"
        size = max(new.pieces)
        return (
            f"{self.moves} of a wave touch {new.pieces[size]} {piece(size)} of global memory in "
            f"{new.instructions} instructions (before {old.pieces[size]} in {old.instructions})"
        )


def piece(size: int) -> str:
    """What pieces of so many bytes are called."""
    return f"{'sectors' if size == LINE_BYTES['nvidia'] else 'lines'} of {size} bytes"


def pieces_of(gpu: Machine) -> tuple[int, ...]:
    """The bytes in which global memory comes: what is fetched at least, and on AMD, which has no
    sectors, a line of the first cache."""
    sizes = {LINE_BYTES[gpu.vendor]}
    if gpu.vendor == "amd" and "l1_line_bytes" in gpu.facts:
        sizes.add(int(gpu.fact("l1_line_bytes")))
    return tuple(sorted(sizes))


def spreads(planned: Planned) -> Iterator[tuple[Spread, ...]]:
    """For every distribution of stores with conflicts into buffers whose encoding must stay: the
    best few others, the fewest passes first."""
    ops = tuple(every(planned.kernel.body))
    stores = [
        a for a in planned.accesses if a.buffer in planned.followed.fixed and _meets(a, planned)
    ]
    by_alias: dict[str, list[Moved]] = {}
    for access in stores:
        for alias in dict.fromkeys(NAME.findall(access.touch.op.types)):
            by_alias.setdefault(alias, []).append(access)
    seen: set[str] = set()
    for alias, mine in by_alias.items():
        names = together_with(alias, ops)
        blocked = all(isinstance(planned.module.aliases.get(name), Blocked) for name in names)
        if alias in seen or not blocked or fixed_by(ops, names):
            continue
        seen |= names.keys()
        found = tuple(_best(planned, names, mine))
        if found:
            yield found


def _meets(access: Moved, planned: Planned) -> bool:
    """Whether a store has conflicts."""
    uses = uses_of((access,), planned.machine)
    return access.direction == "write" and any(use.passes > use.ideal for use in uses)


def together_with(alias: str, ops: Sequence[Op]) -> dict[str, bool]:
    """Names that must change with one, itself first, and whether ``tt.trans`` turns them."""
    pairs = [NAME.findall(op.types) for op in ops if op.name == "tt.trans"]
    found, waiting = {alias: False}, [alias]
    while waiting:
        name = waiting.pop()
        for pair in pairs:
            for one, other in (pair, pair[::-1]) if len(pair) == 2 else ():
                if one == name and other not in found:
                    found[other] = not found[name]
                    waiting.append(other)
    return found


def turned(held: Blocked) -> Blocked:
    """What ``tt.trans`` makes of a distribution of a matrix."""
    return replace(
        held,
        size_per_thread=held.size_per_thread[::-1],
        threads_per_warp=held.threads_per_warp[::-1],
        warps_per_cta=held.warps_per_cta[::-1],
        order=tuple(len(held.order) - 1 - dim for dim in held.order),
    )


def fixed_by(ops: Iterable[Op], names: Iterable[str]) -> str:
    """An operation that uses one of some distributions and whose result depends on who holds what,
    as the order of a sum does; empty if none does."""
    used = re.compile(rf"#(?:{'|'.join(names)})\b")
    found = (op for op in ops if _ORDERED.fullmatch(op.name))
    return next((op.name for op in found if used.search(f"{op.body} {op.types}")), "")


def _best(planned: Planned, names: Mapping[str, bool], stores: Sequence[Moved]) -> Iterator[Spread]:
    alias = next(iter(names))
    present = planned.module.aliases[alias]
    assert isinstance(present, Blocked), "only these change"
    used = re.compile(rf"#(?:{'|'.join(names)})\b")
    touches = tuple(t for t in planned.followed.touches if used.search(t.op.types))
    stored = _tensors(planned, touches, alias)
    now = _passes(planned, {}, touches)
    if now is None or {len(tensor.shape) for tensor in stored} != {len(present.order)}:
        return
    ops = every(planned.kernel.body)
    often = stored if any(_GLOBAL.fullmatch(o.name) and used.search(o.types) for o in ops) else {}
    least = {tensor: touched(planned, present, present, tensor) for tensor in often}
    buffers = tuple(dict.fromkeys(access.buffer for access in stores))
    found: list[tuple[int, int, Spread]] = []
    for each in candidates(planned, present, next(iter(stored))):
        loads = {tensor: touched(planned, each, present, tensor) for tensor in often}
        if any(loads[tensor].more_than(least[tensor]) for tensor in often):
            continue
        others = {name: turned(each) if turn else each for name, turn in names.items()}
        passes = _passes(planned, others, touches)
        if passes is not None and passes < now:
            both = (now, passes), (_sum(planned, least), _sum(planned, loads))
            spread = Spread(alias, present, each, buffers, *both, others)
            found.append((passes + _turns(loads, often), len(found), spread))
    most = now + _turns(least, often)
    yield from (spread for price, _, spread in sorted(found)[:KEPT] if price < most)


def _tensors(
    planned: Planned, touches: Sequence[SharedOperation], alias: str
) -> dict[TensorType, int]:
    """The tensors that go through a distribution into shared memory, and how often."""
    found: dict[TensorType, int] = {}
    for touch in touches:
        text = _tensor(touch)
        if not re.search(rf"#{alias}\b", text):
            continue
        tensor = planned.reader.types.tensor(text, touch.op.line)
        if isinstance(tensor, TensorType):
            found[tensor] = found.get(tensor, 0) + touch.executions
    return found


def _sum(planned: Planned, loads: Mapping[TensorType, PiecesTouched]) -> PiecesTouched:
    nothing = PiecesTouched(dict.fromkeys(pieces_of(planned.machine), 0), 0)
    return sum(loads.values(), nothing)


def _turns(loads: Mapping[TensorType, PiecesTouched], often: Mapping[TensorType, int]) -> int:
    """Turns of the first cache in all executions."""
    return sum(often[tensor] * one.turns for tensor, one in loads.items())


def _tensor(touch: SharedOperation) -> str:
    """The type of what is moved; of pointers, what they point at."""
    tensors = [text for text in split_arrow(touch.op.types)[0] if text.startswith("tensor<")]
    return _POINTER.sub(r"\1", tensors[0]) if tensors else ""


def candidates(planned: Planned, present: Blocked, tensor: TensorType) -> Iterator[Blocked]:
    """Distributions of whole tensors of one or two dimensions, each element in one place."""
    rank = len(tensor.shape)
    if rank > 2:
        return
    lanes, waves = prod(present.threads_per_warp), prod(present.warps_per_cta)
    widest = _WIDEST_BYTES * 8 // tensor.bits
    splits = [list(_powers(n)) if rank == 2 else [(n,)] for n in (lanes, waves)]
    for threads, warps, order in product(*splits, permutations(range(rank))):
        tile = [n // (t * w) for n, t, w in zip(tensor.shape, threads, warps, strict=True)]
        if min(tile) < 1:
            continue
        for size in product(*([1 << b for b in range(min(n, widest).bit_length())] for n in tile)):
            yield replace(
                present,
                size_per_thread=size,
                threads_per_warp=threads,
                warps_per_cta=warps,
                order=order,
            )


def _powers(number: int) -> Iterator[tuple[int, int]]:
    """The ways to write a power of two as a product of two."""
    for bit in range(number.bit_length()):
        yield 1 << bit, number >> bit


def _passes(
    planned: Planned, instead: Mapping[str, Blocked], touches: tuple[SharedOperation, ...]
) -> int | None:
    """Of one wave, all that goes through some distributions; None where that is not known."""
    module = planned.module
    types = Types(module.file, {**module.aliases, **instead}, module.strange)
    reader = Reader(module, types, planned.machine, one_wave=True)
    try:
        moved = list(reader.accesses(replace(planned.followed, touches=touches)))
    except InputError:
        return None
    accesses = [each for each in moved if isinstance(each, Moved)]
    if len(accesses) < len(moved):
        return None
    return sum(access_cost(a, planned.machine) for a in accesses)


def touched(planned: Planned, held: Blocked, memory: Blocked, tensor: TensorType) -> PiecesTouched:
    """What one wave touches; memory is contiguous along ``memory.order[0]``, and rows lie apart.

    An instruction moves what a thread holds one after the other there, up to 16 bytes. Triton takes
    registers in their order: of a distribution whose ``order[0]`` is another every element is an
    instruction of its own. (On AMD LLVM may join some of those.)

    An instruction touches as many pieces as the first one, since its places are those, moved by an
    XOR; and that are the sums of what lane bits do to a piece's place.
    """
    module, fast = planned.module, memory.order[0]
    found = held_by(held, tensor.shape, module.warps, module.lanes)
    step, bits, rank = 1, tensor.bits, len(tensor.shape)
    for basis in found.register_bases:
        if basis != _along(fast, step, rank) or step * bits >= 8 * _WIDEST_BYTES:
            break
        step *= 2
    instructions = (1 << len(found.register_bases)) // step
    total = {}
    for size in pieces_of(planned.machine):
        unit = _along(fast, 8 * size // bits, rank)
        places = (
            tuple(n // u if u else n for n, u in zip(basis, unit, strict=True))
            for basis in found.lane_bases
        )
        total[size] = instructions << f2.rank(packed(place, tensor.shape) for place in places)
    return PiecesTouched(total, instructions)


def _along(dim: int, step: int, rank: int) -> tuple[int, ...]:
    return tuple(step if d == dim else 0 for d in range(rank))
