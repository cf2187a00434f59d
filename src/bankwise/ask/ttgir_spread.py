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
from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations, product
from math import prod

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.ask.check_ttgir import Planned
from bankwise.ask.ttgir_counted import access_cost
from bankwise.counting.access import IntArray
from bankwise.counting.coalesce import LINE_BYTES
from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.notation.triton.encodings import Blocked
from bankwise.read.ttgir.accesses import Moved, Reader
from bankwise.read.ttgir.placed import held_by
from bankwise.read.ttgir.text import every
from bankwise.read.ttgir.types import Types, split_arrow
from bankwise.read.ttgir.values import Op, SharedOperation, TensorType

_TURN_BYTES = 128
"""What one turn of the first cache serves."""
_WIDEST_BYTES = 16
KEPT = 3
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
    before and after; ``touched``: what its loads do, likewise.
    ``partners``: other names that change with it, and what they become; ``moves``: what of global
    memory was looked at."""

    alias: str
    present: Blocked
    instead: Blocked
    buffer: str
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
    """For every store with conflicts into a buffer whose encoding must stay: the best few other
    distributions, the fewest passes first."""
    seen = set()
    ops = tuple(every(planned.kernel.body))
    for access in planned.accesses:
        if access.buffer not in planned.followed.fixed or access.direction != "write":
            continue
        for alias in NAME.findall(access.touch.op.types):
            present = planned.module.aliases.get(alias)
            if alias in seen or not isinstance(present, Blocked) or fixed_by(ops, [alias]):
                continue
            seen.add(alias)
            found = tuple(_best(planned, alias, present, access))
            if found:
                yield found


def fixed_by(ops: Iterable[Op], names: Iterable[str]) -> str:
    """An operation that uses one of some distributions and whose result depends on who holds what,
    as the order of a sum does; empty if none does."""
    used = re.compile(rf"#(?:{'|'.join(names)})\b")
    found = (op for op in ops if _ORDERED.fullmatch(op.name))
    return next((op.name for op in found if used.search(f"{op.body} {op.types}")), "")


def _best(planned: Planned, alias: str, present: Blocked, access: Moved) -> Iterator[Spread]:
    used = re.compile(rf"#{alias}\b")
    touches = tuple(t for t in planned.followed.touches if used.search(t.op.types))
    if not _tensor(access.touch):
        return
    tensor = planned.reader.types.tensor(_tensor(access.touch), access.touch.op.line)
    if not isinstance(tensor, TensorType) or len(tensor.shape) != len(present.order):
        return
    now = _passes(planned, alias, present, touches)
    least = touched(planned, present, present, tensor)
    found: list[Spread] = []
    for each in candidates(planned, present, tensor):
        now_touched = touched(planned, each, present, tensor)
        if now_touched.more_than(least):
            continue
        passes = _passes(planned, alias, each, touches)
        if now is not None and passes is not None and passes < now:
            both = (now, passes), (least, now_touched)
            found.append(Spread(alias, present, each, access.buffer, *both))
    often = access.touch.executions
    price = [one.passes[1] + often * one.touched[1].turns for one in found]
    now_all = (now or 0) + often * least.turns
    ranked = sorted(zip(price, range(len(found)), strict=True))
    yield from (found[n] for cost, n in ranked[:KEPT] if cost < now_all)


def _tensor(touch: SharedOperation) -> str:
    tensors = [text for text in split_arrow(touch.op.types)[0] if text.startswith("tensor<")]
    return tensors[0] if tensors else ""


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
    planned: Planned, alias: str, instead: Blocked, touches: tuple[SharedOperation, ...]
) -> int | None:
    """Of one wave, all that goes through the distribution; None where that is not known."""
    module = planned.module
    types = Types(module.file, {**module.aliases, alias: instead}, module.strange)
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
    """What one wave touches; memory is contiguous along ``memory.order[0]``, and rows lie apart."""
    module = planned.module
    fast = memory.order[0]
    found = held_by(held, tensor.shape, module.warps, module.lanes)
    step, bits = 1, tensor.bits
    registers = [b for b in found.register_bases if any(b)]
    while step * bits < 8 * _WIDEST_BYTES and _along(fast, step, len(tensor.shape)) in registers:
        registers.remove(_along(fast, step, len(tensor.shape)))
        step *= 2
    lanes = _spanned(found.lane_bases, len(tensor.shape))
    starts = _spanned(tuple(registers), len(tensor.shape))
    total = dict.fromkeys(pieces_of(planned.machine), 0)
    for start in starts:
        places = lanes ^ start
        rows = np.delete(places, fast, axis=1)
        for size in total:
            part = places[:, fast] * bits // (8 * size)
            total[size] += len(np.unique(np.column_stack([rows, part]), axis=0))
    return PiecesTouched(total, len(starts))


def _along(dim: int, step: int, rank: int) -> tuple[int, ...]:
    return tuple(step if d == dim else 0 for d in range(rank))


def _spanned(bases: tuple[tuple[int, ...], ...], rank: int) -> IntArray:
    """All XORs of some bases, [2^n, rank]."""
    out = np.zeros((1, rank), np.int64)
    for basis in bases:
        out = np.concatenate([out, out ^ np.array(basis, np.int64)])
    return out
