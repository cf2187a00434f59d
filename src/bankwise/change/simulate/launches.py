"""How a simulated kernel is launched, and what two simulations of it are compared by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from bankwise.change.simulate.memory import ANY_WORD, POINTERS, Unsupported
from bankwise.errors import Refusal
from bankwise.read.launch.facts import Size


class LeavesArrays(Refusal, frozen=True):
    """With the data that it has the text as it is touches shared memory where no variable is,
    ``outside``, or reads some that nothing has written."""

    outside: bool = True


class SimulatedLaunch(Struct, frozen=True):
    """One launch of a kernel. ``numbers``: of its parameters by position, None for one that nobody
    says: pointers lie apart, and others are ``assumed``. ``blocks``: which are run; ``bits``: those
    that words of its memory may have, and integers that are made of fractions."""

    block: Size
    grid: Size
    numbers: tuple[int | float | None, ...]
    assumed: int
    blocks: tuple[Size, ...]
    shared_bytes: int
    bits: int = ANY_WORD

    def unsaid(self, position: int, size_bytes: int) -> int:
        """A number for a parameter that nobody says; of one byte, which may be a bool, 0 or 1."""
        return (self.assumed // 4 + position) % 2 if size_bytes == 1 else self.assumed


@dataclass(frozen=True, slots=True)
class Simulated:
    """What was compared: ``words`` that both texts wrote alike, in ``blocks`` blocks; ``differs``:
    the first word that differs, in words; empty if none does; ``assumed``: what numbers were taken
    to be that nobody says, empty if all are said; ``data``: which, in words, if not any."""

    words: int
    blocks: int
    steps: int
    differs: str = ""
    assumed: tuple[int, ...] = field(default=(), compare=False)
    data: str = ""


class Simulator(Struct, frozen=True):
    """Who runs one language. Of a text and a kernel by its name: ``written``: what one block writes
    to global memory, by word, and how many steps that takes (the number tells one unwritten shared
    memory from another); ``given``: the bytes of its parameters; ``names``: they, in their order,
    as ``--arg`` names them. ``passed``: which of a text's own tags (``bankwise_at 3``, as
    "at 3") a block comes by, and why it could not be run to its end; empty if it was."""

    written: Callable[[str, str, SimulatedLaunch, Size, int], tuple[dict[int, int], int]]
    given: Callable[[str, str, SimulatedLaunch], bytes]
    names: Callable[[str, str], Sequence[str | int]]
    passed: Callable[[str, str, SimulatedLaunch, Size], tuple[frozenset[str], str]]


def compared(
    simulator: Simulator,
    before: str,
    after: str,
    kernel: str,
    settings: Sequence[SimulatedLaunch],
) -> Simulated | Refusal:
    """Run a kernel of both texts. A Refusal where one cannot be simulated."""
    words = blocks = steps = 0
    tried: set[object] = set()
    assumed: dict[int, None] = {}
    for setting in settings:
        for index in setting.blocks:
            try:
                made = simulator.given(before, kernel, setting)
                launched = (made, index, replace(setting, numbers=(), assumed=0, blocks=()))
                if launched in tried:
                    continue
                tried.add(launched)
                old, taken = simulator.written(before, kernel, setting, index, 1)
                new, more = _after(simulator, after, kernel, setting, index)
                other = replace(setting, assumed=setting.assumed + 1)
                if made != simulator.given(before, kernel, other):
                    assumed[setting.assumed] = None
            except Unsupported as error:
                why = f"{kernel}: not simulated: {error}"
                return LeavesArrays(why) if error.outside else Refusal(why)
            words, blocks, steps = words + len(old), blocks + 1, steps + taken + more
            if isinstance(new, str) or old != new:
                differs = new if isinstance(new, str) else _first(old, new, index)
                return Simulated(words, blocks, steps, differs, tuple(assumed))
    return Simulated(words, blocks, steps, assumed=tuple(assumed))


def _after(
    simulator: Simulator, after: str, kernel: str, setting: SimulatedLaunch, index: Size
) -> tuple[dict[int, int] | str, int]:
    """What a block of the second text writes, of which the first one ran: in words that it leaves
    the arrays, as that did not."""
    try:
        return simulator.written(after, kernel, setting, index, 2)
    except Unsupported as error:
        if not error.outside:
            raise
        return f"block {','.join(map(str, index))}: {error}; not in the text as it was", 0


def _first(old: dict[int, int], new: dict[int, int], index: Size) -> str:
    differing = [at for at in sorted(old.keys() | new.keys()) if old.get(at) != new.get(at)]
    at = differing[0]
    parameter, byte = divmod(4 * at, POINTERS)
    return (
        f"block {','.join(map(str, index))} writes another value {byte} bytes behind pointer "
        f"{parameter}, and to {len(differing) - 1:,} more words"
    )
