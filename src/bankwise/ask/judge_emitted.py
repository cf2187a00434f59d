"""The judge that runs PTX, given or emitted: the text before and after, values as terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bankwise.change.simulate.judge import SimulatedLaunch, compared
from bankwise.errors import Refusal
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cuda import compiled_ptx
from bankwise.read.launch.facts import Size
from bankwise.show.fixing import Verdict

_ASSUMED = (64, 100)
"""What is tried for integers that nobody says: one that tiles divide, and one that they do not."""

_GRID: Size = (4, 4, 1)


def judge_emitted(
    file: Path, target: str, kernels: Sequence[AssemblyKernel], before: str, after: str
) -> Verdict:
    """Whether the kernels of two sources write the same, as far as some of their blocks tell."""
    old, new = (compiled_ptx(file, target, text) for text in (before, after))
    return judge_ptx(old, new, kernels)


def judge_ptx(old: str, new: str, kernels: Sequence[AssemblyKernel]) -> Verdict:
    """The same of two PTX texts."""
    words = blocks = 0
    assumed: set[int] = set()
    for kernel in kernels:
        settings = tuple(_settings(kernel))
        found = compared(old, new, kernel.name, settings)
        if isinstance(found, Refusal):
            return Verdict("execution", "not available", found.reason, complete=False)
        if found.differs and _reads_unwritten(old, kernel.name, settings):
            reason = f"{kernel.name}: launched so, it reads shared memory that nothing has written"
            return Verdict("execution", "not available", reason, complete=False)
        if found.differs:
            return Verdict("execution", "failed", f"{kernel.name}: {found.differs}")
        words, blocks = words + found.words, blocks + found.blocks
        assumed |= {one.assumed for one in settings} if len(settings) > 1 else set()
    numbers = " and ".join(map(str, sorted(assumed)))
    said = f", with {numbers} for integers that nobody says" if assumed else ""
    detail = f"PTX of {blocks} blocks, values as terms: {words:,} words written alike{said}"
    return Verdict("execution", "passed", detail, complete=False)


def _reads_unwritten(text: str, name: str, settings: Sequence[SimulatedLaunch]) -> bool:
    """Whether a kernel differs from itself where memory held something else before."""
    found = compared(text, text, name, settings)
    return not isinstance(found, Refusal) and bool(found.differs)


def _settings(kernel: AssemblyKernel) -> Iterator[SimulatedLaunch]:
    launch = kernel.launch
    named = {key: value for key, value in launch.arguments.items() if isinstance(key, int)}
    count = max((len(launch.positional), *(key + 1 for key in named)))
    said = [*launch.positional, *([None] * (count - len(launch.positional)))]
    numbers = tuple(named.get(position, value) for position, value in enumerate(said))
    grid = launch.grid or _GRID
    last: Size = (grid[0] - 1, grid[1] // 2, grid[2] - 1)
    blocks = tuple(dict.fromkeys(((0, 0, 0), last)))
    for assumed in _ASSUMED:
        yield SimulatedLaunch(
            kernel.workgroup_size, grid, numbers, assumed, blocks, launch.shared_bytes or 0
        )
