"""The best layout that permutes each row within itself by a mask that is linear in the row.

    offset(m, n) = row * m + (n ^ mask(m))

The family has 2^(row bits x column bits) members, too many to try: it is searched exactly, as the
solver searches all layouts, with the colours of every direction restricted to what a mask can do.
"""

from __future__ import annotations

from functools import lru_cache

from bankwise.algebra import f2
from bankwise.algebra.address import Linear
from bankwise.solver.colouring import Demand, Search, demands, plain_bits, search_order
from bankwise.solver.problem import Problem
from bankwise.solver.theorem import Pins, load, share_word, word_shift

MASK_NODES = 5_000
"""Search nodes until the best masks so far are taken."""


def best_masks(problem: Problem, pins: Pins, nodes: int = MASK_NODES) -> Linear | None:
    """The masks with the least weighted passes; None if the vectors do not lie in the rows."""
    tile, low = problem.tile, len(pins.vector)
    units = tuple(1 << i for i in range(tile.bits))
    columns = tile.dims[0][1] - low if tile.dims else 0
    if (*pins.vector, *pins.free) != units or columns < 0:
        return None
    in_word, in_element = word_shift(tile)
    shared = max(0, min(in_word - low - in_element, columns))
    word = share_word(pins, units[low : low + shared]) if shared else pins
    loads = [load(tile, word, a) for a in problem.accesses]
    wanted = demands(loads, [a.weight for a in problem.accesses])
    colours = _search(tuple(wanted), len(word.free), columns - shared, nodes)
    if colours is None:
        return None
    low += shared
    inside = (1 << columns - shared) - 1
    added = [(c & inside) << low if i >= columns - shared else 0 for i, c in enumerate(colours)]
    bases = [*units[:low], *(u | a for u, a in zip(units[low:], added, strict=True))]
    return Linear(tuple(bases))


@lru_cache(maxsize=256)
def _search(
    wanted: tuple[Demand, ...], dimension: int, columns: int, nodes: int
) -> tuple[f2.Vector, ...] | None:
    """The best colour of each free direction; None if the budget ends before there is any. The
    kernels of one text often ask the same."""
    bits = min(dimension, max(d.bits for d in wanted))
    fixed = min(columns, plain_bits(wanted, bits))
    search = Search(wanted, search_order(wanted, dimension, fixed), dimension, bits, nodes)
    masks = tuple(sorted(range(1 << min(columns, bits)), key=lambda c: (c.bit_count(), c)))
    search.choices = [_choices(i, columns, bits, masks) for i in range(dimension)]
    search.visit(fixed, 1, search.fix(fixed))
    return None if search.best is None else search.answer()


def _choices(direction: int, columns: int, bits: int, masks: tuple[int, ...]) -> tuple[int, ...]:
    """Column bits stay; a row bit moves its own bank bit, if it has one, and any mask."""
    own = 1 << direction if direction < bits else 0
    return (own,) if direction < columns else tuple(own | mask for mask in masks)
