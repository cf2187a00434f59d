"""What to set in Wave's Python: its paddings are compiled and counted, beside what ``fix`` writes.

All promoted tiles are padded alike (:mod:`bankwise.notation.wave.settings`). The text that Wave
writes with each padding is made of the user's, compiled and counted, since the compiler joins other
accesses in rows of another pitch. What is advised is better by its code, or nothing is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.fix_groups import OwnedGroup, owned
from bankwise.ask.fix_judged import RewrittenFile, as_it_was, with_code
from bankwise.ask.judge_isa import (
    EmittedCode,
    after_in,
    emitted_code,
    held_after,
    lean,
    not_waves,
    waves,
)
from bankwise.ask.text_price import ReportedText, TextPrice
from bankwise.change.compile.compilers import by_wave
from bankwise.errors import Refusal
from bankwise.notation.padding import PADDINGS_BYTES
from bankwise.notation.wave.settings import (
    NOT_COMPILED,
    OWN_CODE,
    PROMOTED_BITS,
    counted_by_wave,
    override,
    padding_statement,
)
from bankwise.read.options import Judges, Options, command
from bankwise.show.fixing import FixReport
from bankwise.solver.hypotheses import gain

if TYPE_CHECKING:
    from bankwise.notation.padding import Unpadded


class PromotedPadding(Struct, frozen=True):
    """Bits behind each row of every promoted tile, and what the ``code`` takes then."""

    bits: int
    price: TextPrice
    waves: int | None
    code: EmittedCode

    def __str__(self) -> str:
        registers = self.code.listing.vgprs
        held = "" if self.waves is None else f", {registers} VGPRs, {self.waves} waves"
        return f"{self.bits} bits{self.now}: {priced(self.price)}{held}"

    @property
    def now(self) -> str:
        """Whether it is Wave's own, in words."""
        return " (now)" * (self.bits == PROMOTED_BITS)

    def better(self, now: PromotedPadding) -> bool:
        """Whether it takes fewer cycles, no more passes, whatever rules that nobody knows are like,
        and leaves a unit as many waves."""
        fewer = self.waves is not None and now.waves is not None and self.waves < now.waves
        new, old = self.price, now.price
        dear = new.cycles >= old.cycles or new.unknown > old.unknown
        return gain(new, old) == "sure" and not (dear or fewer)


def priced(price: TextPrice) -> str:
    """What the code of a workgroup takes, in words."""
    least = f" ({price.passes - price.assumed:,} if none by {' and '.join(price.rules)} is real)"
    passes = f"{price.passes:,} passes{least * bool(price.assumed)}"
    return f"{passes}, {price.cycles:,} cycles, {price.lds_bytes:,} bytes"


class PatchedCode(Struct, frozen=True):
    """What the code of a patch takes, and how many waves a unit holds of it, if that is known."""

    passes: int
    cycles: int
    waves: int | None


def with_wave(
    report: FixReport, found: RewrittenFile, judges: Judges, output: str = ""
) -> FixReport:
    """The answer with what a user of Wave does; as it is where Wave did not write the text.
    ``output``: the file that it is written to, if that was said.

    A plan that the emitted code refuses is taken back: then the padding is the answer, or nothing.
    """
    before = found.before
    asked = report.changes or any(each.totals.run.extra for each in before.report.kernels)
    if not by_wave(before.opened.source.text) or not asked:
        return report
    # A patch is applied to the file; what is printed gets a name of the user's.
    file = {"": before.opened.source.file, "-": "fixed.mlir"}.get(output, output)
    paste = (override(file),) if report.changes else ()
    if not judges.isa:
        return replace(report, settings=(*report.settings, *paste, NOT_COMPILED))
    other, own_code = _others(before), (OWN_CODE,)
    paste = (*paste, counted_by_wave(file, other)) if other else (*paste, *own_code * bool(paste))
    failed = [v for v in report.verdicts if v.status == "failed"]
    if [v.judge for v in failed] == ["isa"]:
        why = Refusal(
            f"the layout that was planned: {failed[0].detail}", before.analyses[0].location
        )
        kept = as_it_was(replace(found, report=report)).report
        kept = replace(kept, refusals=(*report.refusals, why))
        report = with_code(kept, found, asked=True)
        again = command("fix", before.opened.source.file, found.options)
        again = f"{again} --no-isa -o fixed.mlir"
        paste = (counted_by_wave("fixed.mlir", other, again),) if other else ()
    known = compiled_paddings(before, found)
    taken = _patched(report) if report.accepted else None
    told = (
        _told(known, taken, _compiler(before)) if isinstance(known, tuple) else iter((str(known),))
    )
    return replace(report, settings=(*report.settings, *paste, *told))


def _others(before: ReportedText) -> str:
    """The compiler of the code that is counted, where it is not Wave's; else empty."""
    code = emitted_code(before, 0)
    if isinstance(code, Refusal) or not not_waves(before, code.compiler):
        return ""
    return str(code.compiler)


def _compiler(before: ReportedText) -> str:
    """By whom the code of a text is made; empty where it is not."""
    code = emitted_code(before, 0)
    return "" if isinstance(code, Refusal) else str(code.compiler)


def _patched(report: FixReport) -> PatchedCode | None:
    """What the code of the patch takes; None where that is not known."""
    taken, held = after_in(report.verdicts), held_after(report.verdicts)
    return None if taken is None else PatchedCode(*taken, held)


def _told(
    known: tuple[PromotedPadding, ...], taken: PatchedCode | None, compiler: str
) -> Iterator[str]:
    """The paddings and the best of them; ``taken``: by the patch."""
    yield "paddings that Wave's Python can set, of a workgroup's code, cycles with issue,"
    yield f"compiled by {compiler}:"
    yield from (f"  {each}" for each in known)
    now = next(each for each in known if each.bits == PROMOTED_BITS)
    better = [each for each in known if each.better(now)]
    if not better:
        fewer = now.price.cycles - (taken.cycles if taken else now.price.cycles)
        patch = f"; the patch takes {fewer:,} cycles fewer, as counted" if fewer > 0 else ""
        yield f"none of these paddings is better than Wave's own{patch}"
        return
    best = min(better, key=lambda each: (each.price.cycles, each.price.passes))
    bits = f"set {best.bits} bits"
    if taken:
        yield beside_patch(best, taken)
        bits = f"without the patch, {best.bits} bits"
    unsure = lean(now.code, best.code)
    if unsure:
        yield f"whether these gain is not known: {unsure}"
    yield f"{bits}; with WAVE_CACHE_ON=0, for Wave's cache takes no notice of it:"
    yield padding_statement(best.bits)


def beside_patch(best: PromotedPadding, patch: PatchedCode) -> str:
    """Which of both is better, by fewer cycles, then more waves, then no file to override."""
    than = best.price.cycles - patch.cycles
    cycles = f"{abs(than):,} cycles {'more' if than > 0 else 'fewer'} than the patch"
    if than:
        better = "the patch" if than > 0 else f"{best.bits} bits of padding"
        return f"better: {better}; the padding takes {cycles}"
    held = best.waves, patch.waves
    same = "as many cycles as the patch"
    if held[0] is None or held[1] is None or held[0] == held[1]:
        return f"better: {best.bits} bits of padding; {same}, and no text to override"
    better = "the patch" if held[0] < held[1] else f"{best.bits} bits of padding"
    return f"better: {better}; {same}, of the padding a unit holds {held[0]} waves, not {held[1]}"


def compiled_paddings(
    before: ReportedText, found: RewrittenFile
) -> tuple[PromotedPadding, ...] | Refusal:
    """Each padding that Wave can be set to, by what is emitted with it; what cannot be counted is
    left out. A Refusal where its own is not known."""
    if len(before.analyses) != 1:
        return Refusal("Wave's paddings are compared for one kernel: --kernel")
    tiles = _tiles(before.analyses[0])
    if tiles is None:
        return Refusal("not all tiles are padded by Wave's 64 bits: other paddings are not tried")
    now = _emitted(before, PROMOTED_BITS)
    if isinstance(now, Refusal):
        return Refusal(f"Wave's paddings are not compared: {now.reason}")
    others = (each for each in (0, *(8 * n for n in PADDINGS_BYTES)) if each != PROMOTED_BITS)
    texts = ((bits, _padded(before, tiles, bits, found.options)) for bits in others)
    tried = (_emitted(text, bits) for bits, text in texts if text is not None)
    known = [now, *(each for each in tried if isinstance(each, PromotedPadding))]
    return tuple(sorted(known, key=lambda each: each.bits))


_Tiles = tuple[tuple[OwnedGroup, "Unpadded"], ...]


def _tiles(analysis: Analysis) -> _Tiles | None:
    """The tiles with their rows; None where one of them is not padded as Wave pads."""
    from bankwise.change.rewrite.unpadded import padded_rows

    found = [(each, padded_rows(each.group)) for each in owned((analysis,))]
    for each, rows in found:
        bits = 8 * each.group.allocations[0].element_bytes
        if each.unknown or rows is None or (rows.pitch - rows.row) * bits != PROMOTED_BITS:
            return None
    return tuple((each, rows) for each, rows in found if rows is not None) or None


def _padded(
    before: ReportedText, tiles: _Tiles, bits: int, options: Options
) -> ReportedText | None:
    """The text with another padding; None where there is none, or it does not fit."""
    from bankwise.ask.check_mlir import report_of
    from bankwise.change.passes.repad import PaddedTiles, repadded

    wanted: list[PaddedTiles] = []
    for each, rows in tiles:
        names = frozenset(one.name for one in each.group.allocations)
        pad, rest = divmod(bits, 8 * each.group.allocations[0].element_bytes)
        if rest:
            return None
        wanted.append(PaddedTiles(names, rows, pad))
    text = repadded(before.opened, before.analyses[0].kernel.name, tuple(wanted))
    if isinstance(text, Refusal):
        return None
    again = analyse(text, options)
    if sum(a.size_bytes for a in again[0].extraction.allocations) > again[0].machine.lds_bytes:
        return None
    report = report_of(text, options, again)
    return ReportedText(text, again, report, options.iree_compile)


def _emitted(text: ReportedText, bits: int) -> PromotedPadding | Refusal:
    code: EmittedCode | Refusal = emitted_code(text, 0)
    if isinstance(code, Refusal):
        return code
    if isinstance(code.price, Refusal):
        return code.price
    if not code.kernel.counted:
        return Refusal("how often some accesses run is not known")
    return PromotedPadding(bits, code.price, waves(code) if code.listing.vgprs else None, code)
