"""The judges of other encodings: the proof on both texts, and the code run with values as terms."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.ask.check_ttgir import POINTER_BYTES, Planned
from bankwise.ask.judge_emitted import GRID, NOT_COMPARED, SIMULATORS, taken
from bankwise.ask.ttgir_code import EmittedText
from bankwise.change.simulate.launches import Simulated, SimulatedLaunch, compared
from bankwise.change.ttgir.prove import prove_encodings
from bankwise.errors import Refusal
from bankwise.read.launch.facts import Size
from bankwise.read.options import Options
from bankwise.read.ttgir.numbers import numbers_of
from bankwise.show.fixing import Verdict

_PROVED = (
    "the texts differ in {names} alone, and no two elements share a place: they "
    "compute the same, if Triton lowers both as they say"
)
_BLOCKED = re.compile(r"^\s*#\w+\s*=\s*#ttg\.blocked<.*", re.MULTILINE)

ASSUMED = (64, 112)
"""What is tried for integers that nobody says: multiples of 16, as Triton specialises most kernels
(``tt.divisibility = 16``); one that tiles of 32 and 64 divide, and one that they do not."""


def proof_of(before: str, after: str, file: str) -> Verdict:
    """What is proved of the texts."""
    found = prove_encodings(before, after, file)
    if isinstance(found, Refusal):
        return Verdict("proof", "failed", str(found))
    parts = [f"the encodings of {', '.join(found)}"] if found else []
    parts += ["who holds what where nothing depends on it"] if _respread(before, after) else []
    return Verdict("proof", "passed", _PROVED.format(names=" and ".join(parts)))


def _respread(before: str, after: str) -> bool:
    """Whether a distribution is another one."""
    old, new = (set(_BLOCKED.findall(text)) for text in (before, after))
    return old != new


def simulated(old: EmittedText, new: EmittedText, planned: Planned, options: Options) -> Verdict:
    """Whether the code of both writes the same, as far as some blocks tell."""
    (kind, before), (_, after) = old.made.assembly, new.made.assembly
    called = "PTX" if kind == "ptx" else "assembly"
    shared = max(old.made.shared_bytes, new.made.shared_bytes)
    settings = _settings(old, shared, planned, options)
    try:
        found: Simulated | Refusal = compared(
            SIMULATORS[called], before, after, planned.kernel.name, settings
        )
    except MemoryError:
        found = Refusal("a block of it takes more memory than there is")
    if isinstance(found, Refusal):
        return Verdict("execution", "not available", found.reason, complete=False)
    if found.differs:
        return Verdict("execution", "failed", found.differs)
    some = f"{called} of {found.blocks} blocks"
    if not found.words:
        return Verdict("execution", "not available", f"{some}: {NOT_COMPARED}", complete=False)
    detail = (
        f"{some}, values as terms: {found.words:,} words written alike"
        f"{taken(found.assumed, tuple(unsaid(planned, options)))}"
    )
    return Verdict("execution", "passed", detail, complete=False)


def _settings(
    old: EmittedText, shared: int, planned: Planned, options: Options
) -> tuple[SimulatedLaunch, ...]:
    given = numbers_of(options.arguments)
    numbers = tuple(given.get(name.removeprefix("%")) for name in planned.kernel.arguments)
    assumed = ASSUMED if any(unsaid(planned, options)) else ASSUMED[:1]
    last: Size = (GRID[0] - 1, GRID[1] // 2, 0)
    size = old.report.workgroup_size
    return tuple(
        SimulatedLaunch(size, GRID, numbers, each, ((0, 0, 0), last), shared) for each in assumed
    )


def unsaid(planned: Planned, options: Options) -> Iterator[str]:
    """The arguments that are no pointers and that nobody says: their simulated bits are assumed."""
    given = numbers_of(options.arguments)
    kernel = planned.kernel
    for name, size in zip(kernel.arguments, kernel.sizes, strict=True):
        called = name.removeprefix("%")
        if size < POINTER_BYTES and called not in given:
            yield called if name in kernel.integers else f"the bits of {called} (a float)"
