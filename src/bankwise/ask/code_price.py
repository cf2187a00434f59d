"""What a compiled kernel takes of a workgroup and of a unit: to choose between texts by their code.

    passes, data and issue cycles, LDS instructions, registers (and those kept in memory), waves

Of texts that cost the same a compiler may make code that does not: stores that it joins in one of
them, an address in a register of its own for each access in the other.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from msgspec import Struct

from bankwise.ask.analysis import Analysis
from bankwise.ask.check_assembly import counted_kernel
from bankwise.ask.text_price import AT_ANY_CYCLES, doubts, issued_cycles
from bankwise.errors import InputError, Refusal
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.read.emitted import SPILLED
from bankwise.read.follow.driver import check_code
from bankwise.read.recognise import load, recognise_text
from bankwise.solver.hypotheses import Doubted
from bankwise.solver.plan import Prefer
from bankwise.tile import COPIES

if TYPE_CHECKING:
    from bankwise.read.mlir.module import Opened


class CodePrice(Struct, frozen=True):
    """Of one workgroup of one kernel. ``unknown``: accesses under a rule that nobody knows;
    ``vgprs``, ``sgprs``: 0 where the text does not say; ``spilled``: vector registers kept in
    memory; ``waves``: that a compute unit or SM holds; ``doubted``: passes that are conflicts
    by such rules, by the instruction."""

    passes: int
    ideal: int
    cycles: int
    instructions: int
    unknown: int
    lds_bytes: int
    vgprs: int
    sgprs: int
    spilled: int
    waves: int
    doubted: Doubted = ()

    @property
    def assumed(self) -> int:
        """Passes that are conflicts by rules that nobody knows."""
        return sum(passes for _, passes in self.doubted)

    def worse(self, other: CodePrice, prefer: Prefer = "cheapest") -> bool:
        """Whether it takes more passes or cycles, or keeps more registers in memory.

        Some preferences may cost cycles (:data:`bankwise.ask.text_price.AT_ANY_CYCLES`).
        """
        dearer = self.cycles > other.cycles and prefer not in AT_ANY_CYCLES
        return dearer or self.passes > other.passes or self.spilled > other.spilled

    @property
    def taken(self) -> tuple[int, int]:
        """What it takes of a unit: the one with more waves first, then with fewer registers."""
        return -self.waves, self.vgprs

    def against(self, before: CodePrice) -> str:
        """What a workgroup takes, before and after, in words."""
        pairs = (
            (f"{before.passes:,} -> {self.passes:,} passes"),
            (f"{before.cycles:,} -> {self.cycles:,} data and issue cycles"),
            (f"{before.vgprs} -> {self.vgprs} registers"),
            (f"{before.waves} -> {self.waves} waves of a unit"),
        )
        spilled = f", {self.spilled} registers kept in memory" if self.spilled else ""
        sure = ""
        if self.assumed or before.assumed:
            passes = f"{before.passes - before.assumed:,} -> {self.passes - self.assumed:,} passes"
            old, new = (each.cycles - each.assumed for each in (before, self))
            sure = f"; if no assumed conflict is real {passes}, {old:,} -> {new:,} cycles"
        return f"code of a workgroup takes {', '.join(pairs)}{spilled}{sure}"


def code_price(opened: Opened, analysis: Analysis) -> CodePrice | Refusal:
    """What a kernel of an open text takes as it is emitted; a Refusal if that cannot be counted."""
    from bankwise.change.compile.compile import emit, listing_of

    gpu, size, text = analysis.machine, analysis.workgroup_size, opened.source.parsed
    name, file = analysis.kernel.name, opened.source.file
    emitted = emit(text, gpu.name, kernel=name, workgroup_size=size, file=file)
    if isinstance(emitted, Refusal):
        return emitted
    listing = listing_of(emitted, gpu.name, name, file)
    if isinstance(listing, Refusal):
        return listing
    place = f"{file}.{'s' if gpu.vendor == 'amd' else 'ptx'}"
    try:
        reader = load(recognise_text(place, emitted.texts[0]).reader)
        codes = check_code(reader, emitted.texts[0], place, workgroup_size=size)
    except InputError as error:
        return Refusal(f"the emitted code is not followed: {error}", error.location)
    (code,) = (one for one in codes if len(codes) == 1 or one.name == name)
    report = counted_kernel(code, gpu)
    if report.refusals or not report.counted:
        why = report.refusals[0].reason if report.refusals else "how often some accesses run"
        return Refusal(f"the emitted code is not counted: {why}", analysis.location)
    own = [each for each in report.accesses if each.kind not in COPIES]
    lds = analysis_bytes(analysis) if listing.lds_bytes is None else listing.lds_bytes
    usage = Usage(prod(size), lds, listing.vgprs, listing.sgprs)
    return CodePrice(
        passes=sum(each.run.passes for each in own),
        ideal=sum(each.run.ideal for each in own),
        cycles=sum(each.run.passes + issued_cycles(each, gpu) for each in own),
        instructions=sum(len(each.issued) * each.waves * each.executions for each in own),
        unknown=sum(each.evidence == "unknown" for each in own),
        lds_bytes=lds,
        vgprs=listing.vgprs or 0,
        sgprs=listing.sgprs or 0,
        spilled=listing.totals.get(SPILLED, 0),
        waves=occupancy(gpu, usage).resident_waves,
        doubted=doubts(own),
    )


def analysis_bytes(analysis: Analysis) -> int:
    """Shared memory of a kernel, as its text allocates it."""
    return sum(allocation.size_bytes for allocation in analysis.extraction.allocations)
