"""*best*: chains of passes, each counted; the text that takes the least, never more than it was.

A chain ends in rows that are padded or folded (``fix``, or hints that stand there already). Before
it, rows may lose their padding, and wide accesses may be split. IREE's own way, 64 bits behind
every row, is one of the chains, so the answer is never worse than that either. What wins is
executed beside the text as it was, and compared bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.text_price import TextPrice, price_of
from bankwise.errors import InputError
from bankwise.read.options import Options

if TYPE_CHECKING:
    from bankwise.change.passes.values import Outcome, PassOptions
    from bankwise.read.mlir.module import Opened

CHAINS: tuple[tuple[str, ...], ...] = (
    (),
    ("fix",),
    ("pad",),
    ("split-access", "fix"),
    ("unpad", "fix"),
    ("unpad", "pad"),
    ("unpad", "pad by 64 bits"),
)
"""What is tried of hints resolved; ``fix`` is the proved rewriting of :mod:`bankwise.ask.fix`."""

Apply = Callable[[str, "Opened"], str]
"""The text after a pass, by its name."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    names: tuple[str, ...]
    opened: Opened
    analyses: tuple[Analysis, ...]
    price: TextPrice

    @property
    def way(self) -> str:
        return ", ".join(self.names) or "as it is"


def best(opened: Opened, launch: PassOptions, apply: Apply) -> Outcome:
    """The best text of all chains; remarks of all that were tried, the cheapest first."""
    from bankwise.change.passes.values import Outcome, Remark

    options = _options(launch)
    start = _candidate((), opened, options)
    found = [start, *_tried(start, options, apply)]
    found.sort(key=lambda each: (each.price.passes, each.price.cycles, each.price.lds_bytes))
    remarks: list[Remark] = []
    chosen: _Candidate | None = None
    for each in found:
        verdict = ""
        fits = chosen is None and _no_worse(each, start)
        if fits and each is not start:
            verdict = _executed(start, each, launch)
            fits = not verdict.startswith("execution: failed")
        if fits:
            chosen = each
        taken = chosen is each and each is not start
        told = f"{each.way}: {each.price}" + (f"; {verdict}" if verdict else "")
        remarks.append(Remark("all kernels", start.analyses[0].location, taken, told))
    assert chosen is not None, "the text as it was is no worse than itself"
    return Outcome(chosen.opened.source.text, tuple(remarks))


def _options(launch: PassOptions) -> Options:
    size = ",".join(map(str, launch.workgroup_size)) if launch.workgroup_size else ""
    dims = tuple(f"{name}={value}" for name, value in launch.dims.items())
    return Options(launch.target, "", dims, size, launch.policy)


def _tried(start: _Candidate, options: Options, apply: Apply) -> Iterator[_Candidate]:
    """What each chain makes of the text, where that is another one than before."""
    seen = {start.opened.source.text}
    plain = _after("resolve", start.opened, options, apply)
    for chain in CHAINS:
        try:
            text = plain
            for name in chain:
                text = _after(name, text, options, apply)
            if text.source.text not in seen:
                seen.add(text.source.text)
                first = () if plain is start.opened else ("resolve",)
                yield _candidate((*first, *chain), text, options)
        except InputError:
            continue


def _after(name: str, opened: Opened, options: Options, apply: Apply) -> Opened:
    from bankwise.ask.fix import folded_text
    from bankwise.read.mlir.module import open_text

    text = folded_text(opened, options)[0] if name == "fix" else apply(name, opened)
    return opened if text == opened.source.text else open_text(text, opened.source.file)


def _candidate(names: tuple[str, ...], opened: Opened, options: Options) -> _Candidate:
    analyses = analyse(opened, options)
    return _Candidate(names, opened, analyses, price_of(analyses))


def _no_worse(one: _Candidate, start: _Candidate) -> bool:
    """Whether it fits, knows as much, and takes no more passes and no more cycles."""
    room = all(
        sum(a.size_bytes for a in each.extraction.allocations) <= each.machine.lds_bytes
        for each in one.analyses
    )
    return room and one.price.no_worse(start.price)


def _executed(start: _Candidate, one: _Candidate, launch: PassOptions) -> str:
    from bankwise.ask.judge_execution import judge_execution

    verdict = judge_execution(
        start.opened, one.opened, start.analyses, one.analyses, dims=dict(launch.dims)
    )
    return f"{verdict.judge}: {verdict.status}: {verdict.detail}"
