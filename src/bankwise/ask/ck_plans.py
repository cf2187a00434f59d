"""What a CK header's layouts cost, and the descriptor that replaces each one that conflicts.

The solver answers as it does for any tile; what counts is what CK writes of the answer: each
candidate is a descriptor, counted as a descriptor is, with the vectors that its guarantees allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from msgspec.structs import replace

from bankwise.algebra.address import Fold
from bankwise.ask.ck_cases import CkCase, CkPlan, cost_of, longer_by
from bankwise.ask.ck_names import axis_names
from bankwise.ask.solve import answered
from bankwise.ask.spec import counted, takes_more
from bankwise.counting.cost import Cost
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.accesses import cut_vectors
from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.ck.encoding import Encoding, vector_length
from bankwise.notation.ck.fold import fold_descriptor, within_axes
from bankwise.notation.ck.framework import CK
from bankwise.notation.ck.spelled import in_digits
from bankwise.notation.fold import fold_of
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import members
from bankwise.notation.values import Mapped, Memory
from bankwise.read.ck.tiles import question
from bankwise.read.names import listed
from bankwise.read.tile_file.question import Held, SolveOptions, TileQuestion
from bankwise.read.tile_file.views import pieces
from bankwise.show.spec import SpecReport
from bankwise.solver.known import Known

_ASKED = (
    SolveOptions(),
    SolveOptions(allow_narrowing=False),
    SolveOptions(family="ck", allow_narrowing=False),
    SolveOptions(family="padding", allow_narrowing=False),
)


class _CountedForAll(ByIdentity, frozen=True, eq=False):
    """A descriptor that was counted for each case. ``more``: elements beside those of the tile."""

    memory: Memory
    descriptor: TensorDescriptor
    costs: tuple[Cost, ...]
    issued: tuple[int, ...]
    more: int

    @property
    def key(self) -> tuple[int, int, int, bool, int]:
        """By what it is ranked: the least first. A text of numbers fits one size, so that of two
        which cost the same the one in the header's names is taken."""
        passes = sum(cost.passes for cost in self.costs)
        numbers = bool(self.descriptor.steps) and not in_digits(self.descriptor)
        return passes, sum(self.issued), self.more, numbers, len(str(self.descriptor))


def plan(together: Sequence[CkCase]) -> tuple[CkPlan, ...] | Refusal:
    """The best descriptor for a tile that conflicts on one of some GPUs, as a plan for each; it is
    worse on none of them. None where it conflicts nowhere, or where a case is open."""
    if not any(one.cost.extra for one in together) or any(one.open for one in together):
        return ()
    best, tried = _best(together)
    tile = together[0].tile
    if best is None:
        reason = "no descriptor that CK writes takes fewer passes"
        return Refusal(f"{tile.name}: {reason}{_on_all(together)}", tile.location)
    if longer_by(best.descriptor, together[0]) > 0 and not together[0].sized:
        short, more = _best(together, longest=0)
        if short is not None:
            said, tried = _no_room(best, short, together), tried + more
            plans = (_planned(short, tried, n, together) for n in range(len(together)))
            return tuple(replace(one, longer=said) for one in plans)
    return tuple(_planned(best, tried, n, together) for n in range(len(together)))


def _no_room(best: _CountedForAll, short: _CountedForAll, together: Sequence[CkCase]) -> str:
    """Why a cheaper descriptor was not taken, and what would make room for it."""
    passes, there, case = best.key[0], short.key[0], together[0]
    return (
        f"{case.tile.name}: strides {list(best.descriptor.strides)} take {passes:,} passes in all, "
        f"this text {there:,}, but {longer_by(best.descriptor, case):,} elements more, and nothing "
        f"in this header sizes LDS by it: {sizing(case)}"
    )


def sizing(case: CkCase) -> str:
    """What makes room for a longer descriptor."""
    return f"size it by {case.tile.name}<Problem>().get_element_space_size() and fix it again"


def _best(
    together: Sequence[CkCase], longest: int | None = None
) -> tuple[_CountedForAll | None, int]:
    """The best that was counted and gains something, and how many were; ``longest``: so many
    elements of LDS beside what there was, any number where it is not said."""
    best: _CountedForAll | None = None
    most = sum(one.cost.passes for one in together) - 1
    issued = sum(_issued(one.before) for one in together)
    seen: set[TensorDescriptor] = set()
    for memory, fold in _in_names_first(_candidates(together), together[0].asked.shape):
        made = _written(memory, fold, together[0].asked)
        if made is None or made in seen:
            continue
        if longest is not None and longer_by(made, together[0]) > longest:
            continue
        seen.add(made)
        found = _priced(memory, made, together, most)
        if found is None or (best is not None and found.key >= best.key):
            continue
        best, most = found, found.key[0]
        free = not any(cost.extra for cost in found.costs)
        if free and not found.more and sum(found.issued) <= issued:
            break
    return best, len(seen)


def _priced(
    memory: Memory, made: TensorDescriptor, together: Sequence[CkCase], most: int
) -> _CountedForAll | None:
    """The descriptor counted for each case; None where it is no layout for one of them, or takes
    more than ``most`` passes in all, or more for one case than what it has."""
    if any(_narrower(made, one.asked) for one in together):
        return None
    costs: list[Cost] = []
    issued: list[int] = []
    for place, one in enumerate(together):
        asked = question(one.tile, one.reading.run, [made] * len(one.tile.layouts))
        assert isinstance(asked, TileQuestion), "it was one before"
        least = sum(later.cost.ideal for later in together[place + 1 :])
        left = min(one.cost.passes, most - least - sum(cost.passes for cost in costs))
        if takes_more(asked, left):
            return None
        report = counted(asked)
        if report.check.refusals or report.check.findings:
            # It is no bijection, its guarantees make vectors of what does not lie side by side, or
            # LDS has no room.
            return None
        costs.append(cost_of(report))
        issued.append(_issued(report))
    more = max(0, made.size - prod(together[0].asked.shape))
    return _CountedForAll(memory, made, tuple(costs), tuple(issued), more)


def _planned(best: _CountedForAll, tried: int, n: int, together: Sequence[CkCase]) -> CkPlan:
    case = together[n]
    bytes_ = case.asked.element_bytes
    names = tuple(axis_names(case.reading, one, bytes_) for one in case.tile.layouts)
    known = _known(best, n, together)
    return CkPlan(case, best.memory, best.descriptor, names, case.cost, best.costs[n], known, tried)


def _known(best: _CountedForAll, n: int, together: Sequence[CkCase]) -> Known:
    """How good the written descriptor is: optimal where its accesses have nothing left to gain."""
    cost, present = best.costs[n], together[n].cost
    issued, then = _issued(together[n].before), best.issued[n]
    same = f"accesses as issued, {issued:,} instructions a workgroup"
    condition = same if then == issued else f"instructions a workgroup {issued:,} -> {then:,}"
    if not cost.extra and cost.passes <= present.ideal:
        return Known("optimal", "all layouts", (condition,), "every access is ideal")
    space = f"the descriptors that were counted{_on_all(together)}"
    return Known("best found", space, (condition,), "CK writes strides, paddings and one XOR")


def _on_all(together: Sequence[CkCase]) -> str:
    gpus = listed([one.asked.machine.name for one in together])
    return f" for {gpus} together" if len(together) > 1 else ""


def _issued(report: SpecReport) -> int:
    """Executed instructions of one workgroup."""
    accesses = report.check.kernels[0].accesses
    return sum(one.instructions * one.waves for one in accesses)


def _narrower(made: TensorDescriptor, asked: TileQuestion) -> bool:
    """Whether a descriptor promises some access a shorter vector than it has."""
    return any(
        vector_length(held, made) < vector_length(held, here) for _, held, here in _moved(asked)
    )


def unpromised(asked: TileQuestion) -> tuple[str, ...]:
    """The accesses whose elements lie side by side, without a promise of the layout that they do:
    whether they move together is left to the compiler."""
    some = [one for one in _moved(asked) if vector_length(*one[1:]) == 1]
    size = asked.element_bytes
    cuts = (
        cut_vectors(pieces(held, here.shape)[0], here, element_bytes=size) for _, held, here in some
    )
    return tuple(one[0] for one, cut in zip(some, cuts, strict=True) if cut.width_bytes > size)


def _moved(asked: TileQuestion) -> Iterator[tuple[str, Encoding, TensorDescriptor]]:
    """Each access: its name, who holds what, and the layout as it sees it."""
    for access in asked.accesses:
        held, layout = access.held, access.layout or asked.layout
        if isinstance(held, Held) and isinstance(held.distribution, Encoding):
            here = layout.memory if layout is not None else None
            if isinstance(here, TensorDescriptor):
                yield access.name, held.distribution, here


def _candidates(together: Sequence[CkCase]) -> Iterator[Memory]:
    """Layouts, the most promising first: the solver's, then families that CK has words for, where
    it has none, or none that serves several GPUs."""
    solved = False
    for asked in (one.asked for one in together):
        for options in _ASKED:
            answer = answered(asked, options)
            if answer.layout is not None:
                solved = True
                yield Mapped(asked.shape, answer.layout.layout)
    if solved and len(together) == 1:
        return
    asked = together[0].asked
    for family in ("ck", "padding"):
        for one in members(family, Ground(asked.whole)):
            yield Mapped(asked.shape, one.address)


def _in_names_first(
    found: Iterable[Memory], shape: tuple[int, ...]
) -> Iterator[tuple[Memory, Fold | None]]:
    """Before an XOR that only numbers can say, the next one that the header's names can; each with
    the fold that it is."""
    for memory in found:
        fold = fold_of(memory)
        fold = fold if isinstance(fold, Fold) else None
        named = within_axes(fold, shape) if fold is not None else None
        if named is not None:
            yield Mapped(shape, named.address(prod(shape))), named
        yield memory, fold


def _written(memory: Memory, fold: Fold | None, asked: TileQuestion) -> TensorDescriptor | None:
    folded = fold_descriptor(fold, memory.shape) if fold is not None else None
    made = folded or CK.write(memory, Ground(asked.whole))
    return made if isinstance(made, TensorDescriptor) else None
