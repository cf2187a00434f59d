"""The judge that runs machine code, given or emitted: before and after, values as terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bankwise.ask.check_assembly import counted_kernel
from bankwise.change.simulate.amd import AMD_SIMULATOR
from bankwise.change.simulate.launches import SimulatedLaunch, Simulator, compared
from bankwise.change.simulate.ptx import PTX_SIMULATOR
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.launch.facts import Size
from bankwise.read.names import short
from bankwise.read.source import Compilation, SourceLanguage
from bankwise.show.fixing import Verdict

ASSUMED = (64, 100)
"""What is tried for integers that nobody says: one that tiles divide, and one that they do not."""

GRID: Size = (4, 4, 1)
"""What is assumed where nobody says it."""

SIMULATORS: Mapping[str, Simulator] = {"PTX": PTX_SIMULATOR, "assembly": AMD_SIMULATOR}
"""Who runs an emitted text, by what that is called."""


def cost_of(kernels: Sequence[AssemblyKernel]) -> tuple[int, int, int]:
    """Passes of all kernels, executed instructions of shared memory, instructions at all."""
    runs = [counted_kernel(k, machine(k.target)) for k in kernels]
    patterns = (p for k in kernels for a in k.accesses for p in a.access.patterns)
    executed = sum(p.executions * len(p.active) for p in patterns)
    passes = sum(run.whole.passes for run in runs)
    return passes, executed, sum(k.instructions or 0 for k in kernels)


def judge_taken(
    how: str, before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]
) -> Verdict:
    """What machine code takes before and after; ``how``: by whom it was made."""
    rows = list(zip(_EXECUTED, cost_of(before), cost_of(after), strict=False))
    for one, other in zip(before, after, strict=True):
        for word, name in _TAKEN:
            old, new = getattr(one, name), getattr(other, name)
            if old is not None and new is not None:
                rows.append((f"{short(one.name)}: {word}", old, new))
    return Verdict("isa", "passed", f"{how}, followed again", tuple(rows))


_EXECUTED = ("passes of a workgroup", "shared-memory instructions of a workgroup")
_TAKEN = (
    ("shared bytes", "lds_bytes"),
    ("registers of a thread", "registers"),
    ("instructions", "instructions"),
    ("local bytes of a thread", "local_bytes"),
)


def judge_emitted(
    language: SourceLanguage,
    what: Compilation,
    kernels: Sequence[AssemblyKernel],
    before: str,
    after: str,
) -> Verdict:
    """Whether the kernels of two sources write the same, as far as some of their blocks tell."""
    old, new = (language.emitted(replace(what, text=text)) for text in (before, after))
    return judge_code(language.emits, old, new, kernels)


def judge_code(emits: str, old: str, new: str, kernels: Sequence[AssemblyKernel]) -> Verdict:
    """The same of two texts of machine code; ``emits``: what it is, of :data:`SIMULATORS`."""
    words = blocks = 0
    assumed: set[int] = set()
    for kernel in kernels:
        simulator = SIMULATORS[emits]
        stated = [one for one in kernel.others if not one.launch.assumed]
        names = simulator.names(old, kernel.name)
        settings = tuple(each for one in (kernel, *stated) for each in _settings(one, names))
        found = compared(simulator, old, new, kernel.name, settings)
        if isinstance(found, Refusal):
            return Verdict("execution", "not available", found.reason, complete=False)
        if found.differs and _reads_unwritten(simulator, old, kernel.name, settings):
            reason = f"{kernel.name}: launched so, it reads shared memory that nothing has written"
            return Verdict("execution", "not available", reason, complete=False)
        if found.differs:
            return Verdict("execution", "failed", f"{short(kernel.name)}: {found.differs}")
        words, blocks = words + found.words, blocks + found.blocks
        assumed |= set(found.assumed)
    numbers = " and ".join(map(str, sorted(assumed)))
    said = f", with {numbers} for integers that nobody says" if assumed else ""
    detail = f"{emits} of {blocks} blocks, values as terms: {words:,} words written alike{said}"
    return Verdict("execution", "passed", detail, complete=False)


def _reads_unwritten(
    simulator: Simulator, text: str, name: str, settings: Sequence[SimulatedLaunch]
) -> bool:
    """Whether a kernel differs from itself where memory held something else before."""
    found = compared(simulator, text, text, name, settings)
    return not isinstance(found, Refusal) and bool(found.differs)


def _settings(kernel: AssemblyKernel, names: Sequence[str | int]) -> Iterator[SimulatedLaunch]:
    launch, numbers = kernel.launch, numbers_of(kernel, names)
    grid = launch.grid or GRID
    last: Size = (grid[0] - 1, grid[1] // 2, grid[2] - 1)
    blocks = tuple(dict.fromkeys(((0, 0, 0), last)))
    for assumed in ASSUMED:
        yield SimulatedLaunch(
            kernel.workgroup_size, grid, numbers, assumed, blocks, launch.shared_bytes or 0
        )


def numbers_of(
    kernel: AssemblyKernel, names: Sequence[str | int] = ()
) -> tuple[int | float | None, ...]:
    """What is said of a kernel's parameters, by position; None for those that nobody says.
    ``names``: of its parameters, where they are said by these."""
    launch = kernel.launch
    places = {key: names.index(key) if key in names else key for key in launch.arguments}
    named = {at: launch.arguments[key] for key, at in places.items() if isinstance(at, int)}
    count = max((len(launch.positional), *(key + 1 for key in named)))
    said = [*launch.positional, *([None] * (count - len(launch.positional)))]
    return tuple(named.get(position, value) for position, value in enumerate(said))
