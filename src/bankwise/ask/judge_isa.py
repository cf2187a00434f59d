"""The ISA verdict: what the compiler emits before and after, counted as it will run.

Compilers join, forward and drop accesses, so a text with fewer passes could become code with more.
Both are compiled, followed and counted (:mod:`bankwise.ask.check_isa`): a change whose code takes
more passes, or more data and issue cycles, is rejected. Registers and occupancy stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from msgspec import field
from msgspec.structs import replace

from bankwise.ask.check_isa import as_emitted, compiled, emitted_accesses, followed
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.text_price import (
    AT_ANY_CYCLES,
    ReportedText,
    TextPrice,
    kernel_price,
    rests_on,
)
from bankwise.ask.weak_gain import Otherwise, Weighed, leans, otherwise
from bankwise.errors import Refusal
from bankwise.hardware.issue_cycles import issue_known
from bankwise.hardware.machine import machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.identity import ByIdentity
from bankwise.read.emitted import SPILLED
from bankwise.show.columns import told_apart
from bankwise.show.fixing import Verdict
from bankwise.show.values import CheckReport, KernelReport
from bankwise.solver.hypotheses import gain, gambled, hinged, stakes
from bankwise.solver.plan import Prefer

if TYPE_CHECKING:
    from bankwise.change.compile.compilers import Compiler
    from bankwise.read.emitted import Listing

Row = tuple[str, int, int]
"""A number before and after, by name."""

PASSES = "passes of a workgroup"
CYCLES = "data and issue cycles of a workgroup"
"""Rows of the verdict: what a workgroup executes."""

WAVES = "waves that a unit holds"
_LABEL = 24
"""Characters of a kernel's name before its rows."""

FOLLOWED = "passes as followed"
"""The same where nobody knows how often some accesses run: loops of unknown length, followed alike
in both."""


class EmittedCode(ByIdentity, frozen=True, eq=False):
    """One kernel as the ``compiler`` emits it; ``price``: what a workgroup takes as followed, or
    why that is not known; ``otherwise``: that under rules that compete with weak ones."""

    kernel: KernelReport
    listing: Listing
    price: TextPrice | Refusal
    compiler: Compiler
    assumed: tuple[str, ...] = ()
    otherwise: Otherwise = field(default_factory=dict)


def judge_isa(before: ReportedText, after: ReportedText, prefer: Prefer = "cheapest") -> Verdict:
    """Compile every kernel before and after; put what is emitted side by side.

    ``prefer``: some preferences may cost cycles (:data:`bankwise.ask.text_price.AT_ANY_CYCLES`).
    """
    rows: list[Row] = []
    said: list[str] = []
    gambles: list[str | None] = []
    hinges: list[str] = []
    of, by, other, named = _labels(after.report), "", "", ""
    for number in range(len(before.analyses)):
        both = _both(before, after, number)
        if isinstance(both, Verdict):
            return both
        by, other = str(both[0].compiler), not_waves(before, both[0].compiler)
        named = _named_alone(before, both[0].compiler)
        counts, prices = _counts(*both), tuple(_prices(*both))
        rows += ((of[number] + name, was, now) for name, was, now in (*counts, *prices))
        worse = _worse(*both, prefer)
        waves_ = fewer_waves(prices, "" if worse else "but ")
        said += (of[number] + each for each in (*waves_, *_doubts(*both)))
        gambles.append(_gamble(*both, prefer))
        hinges += (_hinge(*both, prefer), lean(*both, prefer))
        if worse:
            worse = f"{worse} ({by}, {other})" if other else worse
            return Verdict("isa", "failed", "; ".join((worse, *dict.fromkeys(said))), tuple(rows))
    targets = ", ".join(dict.fromkeys(a.machine.name for a in before.analyses))
    differ = f"{sum(was != now for _, was, now in rows)} of {len(rows)} rows differ"
    by = ", ".join(part for part in (by, other, named) if part)
    detail = f"compiled for {targets} by {by}: no worse; {differ}"
    known = [each for each in gambles if each is not None]
    told = "; ".join(filter(None, known)) if len(known) == len(gambles) else None
    said = [detail, *dict.fromkeys(said)]
    return Verdict(
        *("isa", "passed", "; ".join(said), tuple(rows)),
        gamble=told,
        hinge="; ".join(filter(None, hinges)),
        foreign=bool(other),
    )


def _labels(report: CheckReport) -> tuple[str, ...]:
    """What goes before the rows of each kernel of several."""
    names = [kernel.name for kernel in report.kernels]
    short_names = told_apart(names, _LABEL)
    return tuple(f"{short_names[name]}: " if len(names) > 1 else "" for name in names)


def not_waves(text: ReportedText, compiler: Compiler) -> str:
    """That Wave wrote a text, and its compiler is not the one that is asked, in words."""
    from bankwise.change.compile.compilers import by_wave

    own = text.compiler or compiler.wave or not by_wave(text.opened.source.text)
    return "" if own else "which is not Wave's"


def _named_alone(text: ReportedText, compiler: Compiler) -> str:
    """That nothing tells that a compiler which the user named is the one that Wave runs."""
    from bankwise.change.compile.compilers import by_wave

    asked = text.compiler and not compiler.wave and by_wave(text.opened.source.text)
    return "which was named and has no wave-lang beside it (Wave's own may differ)" if asked else ""


def fewer_waves(prices: Sequence[Row], but: str = "but ") -> Iterator[str]:
    """That a unit holds fewer waves than before, in words: nothing here says what that costs.
    ``but``: how it goes on after what is said before."""
    for name, old, new in prices:
        if name == WAVES and new < old:
            told = f"a unit holds {new} waves where {old} were"
            yield f"{but}{told}, which may cost time (measure)"


def _gamble(old: EmittedCode, new: EmittedCode, prefer: Prefer) -> str | None:
    """What is gained only as counted, in words; None where that is not known."""
    if isinstance(old.price, Refusal) or isinstance(new.price, Refusal):
        return None
    return gambled(new.price, old.price, _of(new), cycles=_cycles_count(old, prefer))


def _hinge(old: EmittedCode, new: EmittedCode, prefer: Prefer) -> str:
    """What is gained as counted, and else nothing, in words; empty if that is not so."""
    if isinstance(old.price, Refusal) or isinstance(new.price, Refusal):
        return ""
    return hinged(new.price, old.price, _of(new), cycles=_cycles_count(old, prefer))


def lean(old: EmittedCode, new: EmittedCode, prefer: Prefer = "cheapest") -> str:
    """What is gained only if a rule of low confidence holds, in words; empty if that is not so."""
    if isinstance(old.price, Refusal) or isinstance(new.price, Refusal):
        return ""
    both = Weighed(new.price, new.otherwise), Weighed(old.price, old.otherwise)
    return leans(*both, _of(new), cycles=_cycles_count(old, prefer))


def _of(code: EmittedCode) -> str:
    return f"the code of a workgroup of {code.kernel.name}"


def _cycles_count(code: EmittedCode, prefer: Prefer) -> bool:
    return issue_known(machine(code.kernel.target)) and prefer not in AT_ANY_CYCLES


def after_in(verdicts: Sequence[Verdict]) -> tuple[int, int] | None:
    """Passes and cycles of the code afterwards, of all kernels; None where that is not known."""
    rows = [row for verdict in verdicts if verdict.judge == "isa" for row in verdict.rows]
    passes, cycles = ([new for name, _, new in rows if _row(name) == of] for of in (PASSES, CYCLES))
    return (sum(passes), sum(cycles)) if passes and cycles else None


def held_after(verdicts: Sequence[Verdict]) -> int | None:
    """How many waves a unit holds of the code afterwards, the fewest of its kernels."""
    rows = [row for verdict in verdicts if verdict.judge == "isa" for row in verdict.rows]
    return min((new for name, _, new in rows if _row(name) == WAVES), default=None)


def gains(verdict: Verdict) -> bool:
    """Whether the code takes fewer passes or cycles afterwards."""
    gained = [_row(name) for name, old, new in verdict.rows if new < old]
    return any(name in (PASSES, FOLLOWED, CYCLES) for name in gained)


def _row(name: str) -> str:
    """What a row is of, whatever its kernel."""
    return name.rpartition(": ")[2]


def _both(
    before: ReportedText, after: ReportedText, number: int
) -> tuple[EmittedCode, EmittedCode] | Verdict:
    old = emitted_code(before, number)
    if isinstance(old, Refusal):
        return Verdict("isa", "no answer" if old.crash else "not available", old.reason)
    new = emitted_code(after, number)
    if isinstance(new, Refusal):
        return Verdict("isa", "failed", f"the fixed kernel does not compile: {new.reason}")
    known = old.listing.diagnostics
    dropped = [text for text in new.listing.diagnostics if text not in known]
    return Verdict("isa", "failed", f"the compiler says: {dropped[0]}") if dropped else (old, new)


def emitted_code(text: ReportedText, number: int) -> EmittedCode | Refusal:
    """What the compiler makes of a kernel of a text, by its number; it is asked once."""
    known = text.analyses[number].known
    if _EMITTED not in known:
        known[_EMITTED] = _compiled(text, number)
    found: EmittedCode | Refusal = known[_EMITTED]
    return found


_EMITTED = "emitted code"


def as_it_runs(text: ReportedText, *, asked: bool) -> tuple[KernelReport, ...]:
    """Kernels of a text as they are emitted, where all of that is counted: the last word on them.

    ``asked``: whether the compiler may be asked of reads that it may join. What it emits for NVIDIA
    is compiled once more, and is no last word.
    """
    found: list[KernelReport] = []
    for number, (kernel, analysis) in enumerate(
        zip(text.report.kernels, text.analyses, strict=True)
    ):
        open_ = asked and any(access.joins for access in kernel.accesses)
        if analysis.machine.vendor == "amd" and (open_ or _EMITTED in analysis.known):
            code = emitted_code(text, number)
            if isinstance(code, EmittedCode) and isinstance(code.price, TextPrice):
                found.append(code.kernel)
    return tuple(found)


def _compiled(text: ReportedText, number: int) -> EmittedCode | Refusal:
    from bankwise.change.compile.compile import listing_of

    kernel, file = text.report.kernels[number], text.opened.source.file
    gpu = machine(kernel.target)
    code = compiled(kernel, text.opened, text.compiler)
    if isinstance(code, Refusal):
        return code
    listing = listing_of(code, kernel.target, kernel.name, file)
    if isinstance(listing, Refusal):
        return listing
    read = followed(code, kernel, file)
    if isinstance(read, Refusal):
        return EmittedCode(kernel, listing, read, code.compiler)
    source = kernel_of(replace(text.analyses[number], compiled={}))
    found = as_emitted(kernel, source, read)
    rivals = otherwise(emitted_accesses(kernel, source, read), found.accesses, gpu)
    known = _price(found), code.compiler, tuple(_assumed(found)), rivals
    return EmittedCode(found, listing, *known)


def _price(kernel: KernelReport) -> TextPrice | Refusal:
    if kernel.refusals:
        return kernel.refusals[0]
    return kernel_price(kernel)


def _assumed(kernel: KernelReport) -> Iterator[str]:
    gpu = machine(kernel.target)
    names = {name for access in kernel.accesses for name in access.issued}
    yield from sorted(n for n in names if gpu.instruction(n).evidence == "unknown")


def _counts(old: EmittedCode, new: EmittedCode) -> list[Row]:
    """Instructions in the text, and bytes."""
    from bankwise.read.emitted import compare

    return [(row.name, row.before, row.after) for row in compare(old.listing, new.listing)]


def _prices(old: EmittedCode, new: EmittedCode) -> Iterator[Row]:
    """What a workgroup executes, and how many waves a unit holds."""
    if isinstance(old.price, TextPrice) and isinstance(new.price, TextPrice):
        yield from _taken(old.kernel, old.price, new.kernel, new.price)
    for name in ("vgprs", "sgprs"):
        have, get = getattr(old.listing, name), getattr(new.listing, name)
        if have is not None and get is not None:
            yield f"{'vector' if name == 'vgprs' else 'scalar'} registers", have, get
    if old.listing.vgprs is not None and new.listing.vgprs is not None:
        yield WAVES, waves(old), waves(new)


def _taken(
    old: KernelReport, price: TextPrice, new: KernelReport, after: TextPrice
) -> Iterator[Row]:
    if not (old.counted and new.counted):
        yield FOLLOWED, price.passes, after.passes
        return
    yield PASSES, price.passes, after.passes
    if issue_known(machine(old.target)):
        yield CYCLES, price.cycles, after.cycles
    yield "LDS instructions of a workgroup's waves", price.instructions, after.instructions


def waves(code: EmittedCode) -> int:
    """How many waves a unit holds, as far as registers and shared memory let it."""
    listing, kernel = code.listing, code.kernel
    size = kernel.lds_bytes if listing.lds_bytes is None else listing.lds_bytes
    usage = Usage(prod(kernel.workgroup_size), size, listing.vgprs, listing.sgprs)
    return occupancy(machine(kernel.target), usage).resident_waves


def _doubts(old: EmittedCode, new: EmittedCode) -> Iterator[str]:
    """Why the passes of the code are not compared, or what they rest on."""
    unknown = next((c.price for c in (old, new) if isinstance(c.price, Refusal)), None)
    if unknown is not None:
        yield f"passes of the code are not compared: {unknown.reason}"
        return
    if not (old.kernel.counted and new.kernel.counted):
        yield "how often some accesses run is not known: passes are compared as followed"
    assumed = [
        name for name in dict.fromkeys((*old.assumed, *new.assumed)) if _moves(name, old, new)
    ]
    if assumed:
        plain = f"how {' and '.join(assumed)} is served is not known, assumed in its passes"
        assert isinstance(old.price, TextPrice)
        assert isinstance(new.price, TextPrice)
        yield rests_on(old.price, new.price, "the code of a workgroup") or plain


def _moves(name: str, old: EmittedCode, new: EmittedCode) -> bool:
    """Whether an instruction has a part in the difference: it has conflicts, or all that goes its
    direction takes other passes than before."""
    which = machine(old.kernel.target).instruction(name).direction
    sums: list[int] = []
    for code in (old, new):
        own = [each for each in code.kernel.accesses if each.direction == which]
        if any(each.run.extra for each in own if name in each.issued):
            return True
        sums.append(sum(each.run.passes for each in own))
    return sums[0] != sums[1]


def _crowded(old: EmittedCode, new: EmittedCode) -> bool:
    """Whether a unit holds fewer waves than before."""
    known = old.listing.vgprs is not None and new.listing.vgprs is not None
    return known and waves(new) < waves(old)


def _worse(old: EmittedCode, new: EmittedCode, prefer: Prefer) -> str:
    """What the emitted code takes more of, in words; empty if nothing."""
    sizes = old.listing.lds_bytes, new.listing.lds_bytes
    if sizes[0] is not None and sizes[1] is not None and sizes[1] > sizes[0]:
        return "the fixed kernel takes more shared memory"
    kept, spilled = (code.listing.totals.get(SPILLED, 0) for code in (old, new))
    if spilled > kept:
        return f"the emitted code is worse: {spilled} {SPILLED} where {kept} were"
    if isinstance(old.price, Refusal) or isinstance(new.price, Refusal):
        return ""
    if new.price.passes > old.price.passes:
        as_ = "" if old.kernel.counted and new.kernel.counted else " as followed"
        taken = f"{new.price.passes:,} passes{as_} where {old.price.passes:,} were"
        return f"the emitted code is worse: {taken}"
    counts = issue_known(machine(old.kernel.target)) and prefer not in AT_ANY_CYCLES
    if counts and new.price.cycles > old.price.cycles:
        taken = f"{new.price.cycles:,} data and issue cycles where {old.price.cycles:,} were"
        return f"the emitted code is worse: {taken}"
    if counts and new.price.cycles == old.price.cycles and _crowded(old, new):
        told = f"a unit holds {waves(new)} waves where {waves(old)} were"
        return f"the emitted code gains no data and issue cycle, and {told}"
    if gain(new.price, old.price, cycles=counts) == "loss":
        return f"the emitted code may be worse: {stakes(new.price, old.price, 'it', cycles=counts)}"
    return ""
