"""The judge that runs machine code, given or emitted: before and after, values as terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as dataclass_replace
from math import prod

from msgspec.structs import replace

from bankwise.ask.advice import unseen_addresses
from bankwise.ask.every_launch import (
    EmittedCost,
    block,
    emitted_cost,
    every_launch,
    key_of,
    over,
)
from bankwise.ask.line_copies import line_copies, passes_of
from bankwise.change.simulate.amd import AMD_SIMULATOR
from bankwise.change.simulate.launches import (
    LeavesArrays,
    Simulated,
    SimulatedLaunch,
    Simulator,
    compared,
)
from bankwise.change.simulate.memory import ANY_WORD, TOO_LONG
from bankwise.change.simulate.ptx import PTX_SIMULATOR
from bankwise.errors import Refusal
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.launch.facts import KernelLaunch, Size
from bankwise.read.names import demangled, own, short
from bankwise.regex import regex
from bankwise.show.fixing import Change, Verdict

ASSUMED = (64, 100)
"""What is tried for numbers that nobody says: one that tiles divide, and one that they do not."""

GRID: Size = (4, 4, 1)
"""What is assumed where nobody says it."""

SIMULATORS: Mapping[str, Simulator] = {"PTX": PTX_SIMULATOR, "assembly": AMD_SIMULATOR}
"""Who runs an emitted text, by what that is called."""


def judge_taken(
    how: str, before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]
) -> Verdict:
    """What machine code takes before and after; ``how``: by whom it was made."""
    rows = list(_counted(before, after))
    for one, other in zip(before, after, strict=True):
        for word, name in _TAKEN:
            old, new = getattr(one, name), getattr(other, name)
            if old is not None and new is not None:
                rows.append((f"{short(one.name)}: {word}", old, new))
    return Verdict("isa", "passed", f"{how}, followed again", tuple(rows))


def _counted(
    before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]
) -> Iterator[tuple[str, int, int]]:
    """What is executed in the launches that are shown, and the passes in each other one."""
    old, new = emitted_cost(before), emitted_cost(after)
    keys = [key_of(one) for one in before]
    yield "passes of a workgroup", over(old.passes, keys), over(new.passes, keys)
    executed = over(old.executed, keys), over(new.executed, keys)
    yield ("shared-memory instructions of a workgroup", *executed)
    for kernel in before:
        named = f"{short(kernel.name)}: " * (len(before) > 1)
        launches: dict[str, list[AssemblyKernel]] = {}
        for one in every_launch((kernel,)):
            if key_of(one) in new.passes:
                launches.setdefault(str(one.launch), []).append(one)
        for said, some in launches.items():
            other = f" with {block(some[0])} threads" * (said != str(kernel.launch))
            whole = " of the launch" * (len(some) > 1)
            if whole or other:
                then, now = (_passes(cost, some) for cost in (old, new))
                yield f"{named}passes{whole}{other}", then, now


def _passes(cost: EmittedCost, classes: Sequence[AssemblyKernel]) -> int:
    """Of a block; of a launch whose blocks differ of all that it has."""
    if len(classes) == 1:
        return cost.passes[key_of(classes[0])]
    return sum(cost.passes[key_of(one)] * one.blocks for one in classes)


def beyond(
    changes: Sequence[Change], before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]
) -> tuple[str, ...]:
    """Where the compiler makes more passes of a changed text than its plans say, in words: they are
    priced on the accesses that it made of the text as it was. Copies past the cache are told
    apart: they are in no price."""
    if not changes:
        return ()
    planned = sum(one.before.passes - one.after.passes for one in changes)
    keys = [key_of(one) for one in before]
    old, new = (
        over(emitted_cost(each).passes, keys) - passes_of(line_copies(each))
        for each in (before, after)
    )
    more = planned - (old - new)
    if more <= 0:
        return ()
    return (
        f"compiled, it takes {more:,} passes more than planned: the plan counted the accesses that "
        "the compiler made of the text as it was, and it makes others of this one",
    )


NOT_COMPARED = (
    "nothing was compared, as neither text writes a word to global memory under this launch "
    "(--launch and --arg say another)"
)
"""Of a launch under which a kernel writes nothing: that its texts are alike tells nothing."""
_TAKEN = (
    ("shared bytes", "lds_bytes"),
    ("registers of a thread", "registers"),
    ("instructions", "instructions"),
    ("local bytes of a thread", "local_bytes"),
)


def judge_code(emits: str, old: str, new: str, kernels: Sequence[AssemblyKernel]) -> Verdict:
    """Whether the kernels of two texts of machine code write the same, as far as some of their
    blocks tell; ``emits``: what they are, of :data:`SIMULATORS`.

    Each kernel runs under all its launches. One that is assumed beside another, and cannot be run,
    is left out.
    """
    simulator = SIMULATORS[emits]
    ran: list[tuple[str, KernelLaunch, Simulated]] = []
    left: list[str] = []
    launches = {key_of(one)[:2]: one for one in reversed(every_launch(kernels))}
    for kernel in reversed(launches.values()):
        beside = kernel.launch.assumed and key_of(kernel) not in map(key_of, kernels)
        with_ = f" with {block(kernel)} threads" * beside
        found = _simulated(simulator, old, new, kernel)
        if isinstance(found, Refusal) and beside:
            left.append(with_)
        elif isinstance(found, Refusal):
            reason = found.reason + shorter_launch(kernel.launch) * (TOO_LONG in found.reason)
            return Verdict("execution", "not available", reason, complete=False)
        elif found.differs:
            detail = f"{short(kernel.name)}{with_}: {found.differs}"
            return Verdict("execution", "failed", detail + _fused_otherwise(emits, old, new))
        else:
            ran.append((short(kernel.name) + with_, kernel.launch, found))
    return _alike(emits, ran, left)


def _alike(
    emits: str, ran: Sequence[tuple[str, KernelLaunch, Simulated]], left: Sequence[str]
) -> Verdict:
    """What is said of kernels that write alike, each with its launch; ``left``: not run."""
    found = [one for _, _, one in ran]
    words, blocks = sum(one.words for one in found), sum(one.blocks for one in found)
    said = taken({number for one in found for number in one.assumed})
    said += "".join(f", {data}: {_LEAVES}" for data in dict.fromkeys(f.data for f in found) if data)
    said += f"; not run{' or'.join(dict.fromkeys(left))}" * bool(left)
    some = f"{emits} of {'1 block' if blocks == 1 else f'{blocks} blocks'}"
    if not words:
        nothing = f"{some}: {NOT_COMPARED}{said}"
        return Verdict("execution", "not available", nothing, complete=False)
    silent = dict.fromkeys(name for name, _, one in ran if not one.words)
    said += f"; of {' and '.join(silent)} {NOT_COMPARED}" * bool(silent)
    whole = all(not one.data and _is_whole(launch, one) for _, launch, one in ran)
    complete = whole and not left and not silent
    detail = f"{some}, values as terms: {words:,} words written alike{said}"
    return Verdict(
        "execution", "passed", detail + ", the whole launch" * complete, complete=complete
    )


_FUSED = {
    "assembly": (regex(r"^\s*v_(?:pk_)?(?:fma|mad|mac)", re.MULTILINE), "-ffp-contract=off"),
    "PTX": (regex(r"^\s*(?:@!?%\w+\s+)?fma\.", re.MULTILINE), "--fmad=false"),
}
"""Products that are added without being rounded, and the flag under which the compiler makes
none."""


def _fused_otherwise(emits: str, old: str, new: str) -> str:
    """What else may be why two texts write other values: the compiler fuses other products of them
    with sums, as clang does when an address takes it longer."""
    fused, flag = _FUSED[emits]
    if len(fused.findall(old)) == len(fused.findall(new)):
        return ""
    return (
        "; the compiler fuses other products of it with sums, which are rounded once less then: "
        f"with `-- {flag}` it is seen whether anything else differs"
    )


_DATA: Mapping[int, str] = {
    ANY_WORD: "",
    0x7FFFFFFF: "with no data below zero",
    0x7F7F7F7F: "with no data below zero, bytes neither",
    0x3F: "with data from 0 to 63 alone",
    0x7: "with data from 0 to 7 alone",
}
"""The bits of words of memory that nobody wrote, in words: what is tried where an index that data
decide leaves its array."""
_LEAVES = "with others an index that data decide leaves its array in the text as it is"


def _simulated(
    simulator: Simulator, old: str, new: str, kernel: AssemblyKernel
) -> Simulated | Refusal:
    """One kernel of both texts under its launch, with the first data that leave no array of the
    text as it is; what it reads there that nothing has written it may have left one for."""
    settings, decide = tuple(settings_of(simulator, old, kernel)), bool(unseen_addresses(kernel))
    left: Refusal | None = None
    other: Simulated | None = None
    for bits, said in _DATA.items():
        found = simulated(
            simulator, old, new, kernel, [replace(one, bits=bits) for one in settings]
        )
        if isinstance(found, Refusal):
            if not isinstance(found, LeavesArrays) or not (found.outside or decide):
                return found
            left = left or found
        elif not found.differs:
            return dataclass_replace(found, data=said) if other is None else _either(other, said)
        else:
            other = other or found
            if not decide:
                break
    nothing = Refusal(f"{left.reason if left else kernel.name}; {_NO_DATA}")
    return other or nothing


_NO_DATA = "so it is in the text as it is with all data that were tried"


def _either(other: Simulated, said: str) -> Refusal:
    """Where data decide addresses, and some make texts differ that write alike with others, nobody
    knows whether an index left its array."""
    return Refusal(f"{other.differs}; {said} both write alike: {_MAY_LEAVE}")


_MAY_LEAVE = "an index that data decide may leave its array"


def simulated(
    simulator: Simulator,
    old: str,
    new: str,
    kernel: AssemblyKernel,
    settings: Sequence[SimulatedLaunch],
) -> Simulated | Refusal:
    """One kernel of both texts under some launches. What it reads of memory that nothing has
    written is no difference: such a launch tells nothing."""
    found = compared(simulator, old, new, kernel.name, settings)
    if isinstance(found, Refusal) or not found.differs:
        return found
    if not _reads_unwritten(simulator, old, kernel.name, settings):
        return found
    why = f"{kernel.name}: launched so, it reads shared memory that nothing has written"
    return LeavesArrays(why, outside=False)


def _is_whole(launch: KernelLaunch, found: Simulated) -> bool:
    """Whether every block of a launch ran that somebody says, with all that it is given."""
    if launch.grid is None or launch.assumed or found.assumed:
        return False
    return found.blocks == prod(launch.grid)


_FEW = 128
"""A number with which loops over it end soon."""


def shorter_launch(launch: KernelLaunch) -> str:
    """A launch of fewer rounds, as ``--launch`` takes it, in words: the same with small numbers."""

    def small(number: int | float | None) -> int | float | None:
        return min(number, _FEW) if isinstance(number, int) else number

    numbers = tuple(map(small, launch.positional))
    named = {
        name: min(n, _FEW) if isinstance(n, int) else n for name, n in launch.arguments.items()
    }
    less = replace(
        launch, kernel=own(demangled(launch.kernel)), positional=numbers, arguments=named
    )
    if (numbers, named) == (launch.positional, launch.arguments):
        return "; smaller numbers by --launch or --arg make fewer rounds"
    return f"; with smaller numbers it can be run: --launch '{less}'"


def taken(assumed: Iterable[int], names: Sequence[str] = ()) -> str:
    """What numbers were taken to be that nobody says, in words; empty if all are said. ``names``:
    theirs, where they and their types are known: machine code does not tell an integer from
    another number of as many bits."""
    numbers = " and ".join(map(str, sorted(assumed)))
    what = f"{', '.join(names)}, which nobody says" if names else "numbers that nobody says"
    return f", with {numbers} for {what}" * bool(numbers)


def _reads_unwritten(
    simulator: Simulator, text: str, name: str, settings: Sequence[SimulatedLaunch]
) -> bool:
    """Whether a kernel differs from itself where memory held something else before."""
    found = compared(simulator, text, text, name, settings)
    return not isinstance(found, Refusal) and bool(found.differs)


def settings_of(
    simulator: Simulator, text: str, kernel: AssemblyKernel
) -> Iterator[SimulatedLaunch]:
    """What is run of a kernel under its launch: the first block and another one, with two numbers
    for those that nobody says."""
    names = simulator.names(text, kernel.name)
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
