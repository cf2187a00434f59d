"""Paths through a program: where lanes parted, and where all ways from an open branch meet."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.counting.access import BoolArray
from bankwise.identity import ByIdentity
from bankwise.read.follow.merging import warps_with
from bankwise.read.follow.mixing import Groups
from bankwise.read.follow.program import EarlyJoin
from bankwise.read.follow.state import BranchCondition, Partly, State, enter, leave
from bankwise.read.follow.values import Tags, Unknown
from bankwise.read.follow.widen import LoopCounters


class Frame(ByIdentity, frozen=True, eq=False):
    """Lanes that parted: they meet at block ``join``, where ``active`` runs on; ``other`` is the
    side that still has to run. ``conditions``, ``maybe``: what holds again at the join.
    ``towards``: the blocks that lead there, where others end before. ``bound``: nobody knows which
    end, and ``active`` is all that may come. ``barrier``: it waits as the text says, for lanes that
    have not left it for one further out. ``groups``: of the path, again at the join."""

    join: int
    active: BoolArray
    other: tuple[int, BoolArray] | None
    conditions: Tags
    maybe: Unknown | None
    towards: frozenset[int] = frozenset()
    bound: bool = False
    barrier: bool = False
    groups: Mapping[int, Groups] = field(default_factory=dict)


class Path(Struct):
    """``certain``: how often it runs is known. ``region``: where it waits for its other ways.

    ``parted``: why it is one of several, where it stands at a block that these may come to with
    different states; None once it has gone on. ``under``: what registers held at the last join
    where the condition held that this way is of. ``groups``: lanes that branches parted, by
    these, and that may run together where this way leads. ``came``: those that came to the last
    join, where others may have ended before.
    """

    block: int
    state: State
    frames: list[Frame]
    certain: bool = True
    region: Region | None = None
    parted: Unknown | None = None
    under: Mapping[str, Partly] = field(default_factory=dict)
    groups: Mapping[int, Groups] = field(default_factory=dict)
    came: BoolArray | None = None

    @property
    def aside(self) -> frozenset[int]:
        """The blocks at which lanes wait: at the other side of a branch, or where all meet."""
        found = set[int]()
        for frame in self.frames:
            found.add(frame.join)
            if frame.other is not None:
                found.add(frame.other[0])
        return frozenset(found)

    @property
    def waiting(self) -> object:
        """Equal for paths whose lanes wait alike."""
        return tuple([_waiting(frame) for frame in self.frames])


def _waiting(frame: Frame) -> object:
    """Equal for frames that wait alike; remembered, as none is ever changed: in a loop that lanes
    leave one by one there are many."""
    found = _FRAMES.get(id(frame))
    if found is not None and found[0] is frame:
        return found[1]
    if len(_FRAMES) >= _MOST_FRAMES:
        _FRAMES.clear()
    other = frame.other and (frame.other[0], frame.other[1].tobytes())
    new = frame.join, frame.active.tobytes(), other, frame.conditions
    _FRAMES[id(frame)] = frame, new
    return new


_FRAMES: dict[int, tuple[Frame, object]] = {}
_MOST_FRAMES = 4_096


class Crossing(Struct):
    """A block with certain lanes. ``seen``: the states that came there; ``last``: of one of several
    ways; once these are more than are kept apart it stands for all that come."""

    seen: set[object] = field(default_factory=set)
    last: State | None = None


class Region(Struct):
    """What lies between an open branch and its join. ``arrivals``: the paths that came through;
    ``places``, ``counters``: what was followed, for the one time that the region is entered;
    ``outer``: the region that it lies in."""

    join: int
    depth: int
    outer: Region | None = None
    arrivals: list[Path] = field(default_factory=list)
    places: dict[object, Crossing] = field(default_factory=dict)
    counters: LoopCounters = field(default_factory=LoopCounters)


def groups_at(path: Path) -> list[Groups]:
    """The groups of known lanes that may run together where a path is."""
    return [one for one in path.groups.values() if path.block in one.blocks and not one.opened]


def waits_at(region: Region | None, join: int) -> bool:
    """Whether a path in ``region`` waits at ``join`` already, as in a loop that goes on."""
    while region is not None:
        if region.join == join:
            return True
        region = region.outer
    return False


def meet(path: Path, endings: Container[int]) -> None:
    """Lanes that reach their join wait there for the others. At ``endings`` of the kernel nobody
    waits, and who is there is waited for no more."""
    while path.frames:
        if path.block in endings:
            path.frames = _without(path.frames, path.state.active)
        else:
            at = _waiting_at(path)
            if at < 0:
                return
            path.frames[at + 1 :] = _without(path.frames[at + 1 :], path.state.active)
        frame = path.frames.pop()
        if frame.bound:  # who has ended is missing further out as well
            path.frames = [f if f.maybe else replace(f, maybe=frame.maybe) for f in path.frames]
        path.groups = {**path.groups, **frame.groups}
        if frame.other is not None:
            path.block, path.state.active = frame.other
            if frame.join not in endings:
                path.frames.append(replace(frame, other=None))
            continue
        if frame.active.any() and not (frame.bound and path.block in endings):
            path.block = frame.join
        path.came = path.state.active if frame.bound else None
        path.state.active = frame.active
        path.under = _under(path.state, frame.conditions)
        leave(path.state, frame.conditions)
        path.state.maybe = frame.maybe


def _waiting_at(path: Path) -> int:
    """The number of the frame whose join the path has come to, -1 if of none: the last one, or one
    further out, for lanes that have left the barriers within."""
    for number in range(len(path.frames) - 1, -1, -1):
        if path.frames[number].join == path.block:
            return number
        if not path.frames[number].barrier:
            break
    return -1


def _without(frames: Sequence[Frame], gone: BoolArray) -> list[Frame]:
    """``frames`` that wait no more for lanes that are ``gone``. Behind an open branch these may
    have come by the other way, on which they do not end."""
    sure = next((n + 1 for n in reversed(range(len(frames))) if frames[n].bound), 0)
    rest = (replace(frame, active=frame.active & ~gone) for frame in frames[sure:])
    return [*frames[:sure], *rest]


def _under(state: State, conditions: Tags) -> Mapping[str, Partly]:
    """What holds on this way alone, under branches that are not among ``conditions``."""
    gone = {tag for tag in state.conditions if tag not in conditions}
    if not gone:
        return {}
    held = ((name, v) for name, v in state.registers.items() if isinstance(v, Partly))
    return {n: v for n, v in held if isinstance(v.tag, BranchCondition) and v.tag in gone}


def split(
    path: Path,
    join: int,
    ways: Sequence[int],
    taken: BoolArray,
    towards: frozenset[int] = frozenset(),
    groups: Groups | None = None,
) -> None:
    """Some lanes branch, others do not: one side after the other, up to ``join``. A side that ends
    before the others come to where they are waited for goes first."""
    state = path.state
    sides = [(ways[0], taken), (ways[1], state.active & ~taken)]
    waited = path.frames[-1].towards if path.frames else frozenset[int]()
    if ways[0] in waited and ways[1] not in waited:
        sides.reverse()
    first, other = sides
    if groups is not None:
        path.groups = {**path.groups, path.block: groups}
    held = state.conditions, state.maybe
    frame = Frame(join, state.active, other, *held, towards, groups=path.groups)
    path.frames.append(frame)
    path.block, state.active = first


def apart(path: Path, ways: Sequence[int], taken: BoolArray) -> Path:
    """Some warps branch, the others do not, and nobody waits: a path for these, and one for those,
    of which each knows nothing of what the other does."""
    other = replace(path, block=ways[1], state=path.state.copy(), frames=[])
    other.state.active = other.state.threads = path.state.active & ~taken
    path.block = ways[0]
    path.state.active = path.state.threads = taken
    return other


def split_at_barriers(
    path: Path,
    places: Sequence[int],
    ways: Sequence[int],
    taken: BoolArray,
    groups: Groups | None,
) -> None:
    """The same where lanes meet at barriers, those at ``places``, the innermost last: a side may
    leave that one for another further out."""
    state = path.state
    if groups is not None:
        groups.known, groups.waits = True, places[-1]
        path.groups = {**path.groups, path.block: groups}
    held = [place for place in places if any(frame.join == place for frame in path.frames)]
    inner = places[places.index(held[-1]) + 1 :] if held else places
    for place in inner:
        path.frames.append(
            Frame(
                *(place, state.active, None, state.conditions, state.maybe),
                barrier=True,
                groups=path.groups,
            )
        )
    split(path, places[-1], ways, taken)
    path.frames[-1] = replace(path.frames[-1], barrier=True)


def awaited(path: Path, places: Sequence[int], names: Mapping[int, str]) -> Iterator[int]:
    """Where lanes wait for a barrier that others of their warp set now for one of ``places``."""
    own = {names[place] for place in places}
    for frame in path.frames:
        if frame.barrier and frame.join not in places and names.get(frame.join) in own:
            others = warps_with(frame.active & ~path.state.active)
            if (others & warps_with(path.state.active)).any():
                yield frame.join


def set_barriers(path: Path, places: Sequence[int]) -> None:
    """Barriers are set: who waited at one of these has left it."""
    path.frames = [
        replace(frame, active=frame.active & ~path.state.active)
        if frame.barrier and frame.join in places
        else frame
        for frame in path.frames
    ]


def let_leave(path: Path, places: Sequence[int], join: int) -> None:
    """Some lanes, nobody knows which, may leave the barriers at ``places`` for a ``join`` further
    out: who waits at one may run alone or with others."""
    inner = places[places.index(join) + 1 :] if join in places else places
    for one in path.groups.values():
        one.known &= one.waits not in inner


def part(path: Path, join: int, line: int, why: Unknown, early: EarlyJoin | None = None) -> None:
    """Some lanes branch in a ``line``, others do not, nobody knows which: up to ``join``. Where
    some may end before, as at an ``early`` one, those that come there are only a bound."""
    state, last = path.state, path.frames[-1] if path.frames else None
    if last is None or last.join != join or last.other is not None:
        maybe = state.maybe if early is None else why
        towards = frozenset[int]() if early is None else early.towards
        bound = early is not None
        held = state.conditions, maybe, towards, bound
        frame = Frame(join, state.active, None, *held, groups=path.groups)
        path.frames.append(frame)
    enter(state, BranchCondition(line), why)
