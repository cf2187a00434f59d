"""*Is it worth it* without a profile: cycles that each unit needs, from emitted code and rates.

AMD assembly states its instructions; how often its loops run follows from the followed accesses,
where those are counted. If not, one pass through the innermost loops is compared, which is what
counts in a long kernel. MLIR is compiled first. Of PTX, SASS and TTGIR only shared memory is known:
PTX and TTGIR are not the code that runs, and no rate of NVIDIA's matrix units is in the machine
files.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.analysis import analyse
from bankwise.ask.check_mlir import report_of
from bankwise.ask.compiler_named import with_compiler
from bankwise.ask.cost import lane_bytes, listing_by
from bankwise.ask.folder import APART
from bankwise.cost.bound import busy
from bankwise.cost.mix import InstructionCount, LoopLines, executed, loops, mix, trips
from bankwise.counting.cost import Cost
from bankwise.errors import Refusal
from bankwise.files import read_text
from bankwise.hardware.machine import Alternative, Machine, machine
from bankwise.read.amd.listing import listings
from bankwise.read.emitted import Listing
from bankwise.read.options import Options
from bankwise.read.recognise import load, recognise
from bankwise.show.values import CheckReport, KernelReport
from bankwise.show.worth import Share, Worth, missing

Listings = dict[str, Listing | Refusal]

VECTOR = Alternative(
    statement="a SIMD of 16 lanes takes 4 cycles for a vector instruction of a wave of 64",
    source=("AMD CDNA 3 Architecture white paper: 128 FMA a cycle and CU, packed by two",),
    evidence="inferred",
    confidence=0.85,
)
"""The rate of the vector units of gfx9, whoever doubts it."""

_VECTOR_CYCLES = 4
_MATRIX = ("v_mfma_", "v_smfmac_")
_WORKGROUP = "of a workgroup"
_COUNTED = "of a workgroup, as far as its loops are counted"
_LOOPS = "of one pass through the innermost loops, a workgroup"


class _KernelPart(Struct, frozen=True):
    """A part of a kernel: its passes, its instructions, how often its loops run."""

    run: Cost
    uses: tuple[InstructionCount, ...]
    times: int
    scope: str


def static_worths(report: CheckReport, options: Options) -> tuple[Worth, ...]:
    """One for each kernel of ``report``, in its order."""
    files = dict.fromkeys(kernel.location.file for kernel in report.kernels)
    found = {file: _listings(Path(file), options) for file in files}
    return tuple(
        _worth(report, kernel, found[kernel.location.file].get(kernel.name.split(APART)[0]))
        for kernel in report.kernels
    )


def _listings(file: Path, options: Options) -> Listings:
    """The machine code of a file's kernels, by name; empty where there is none.

    The kernel of a model's dispatch may stand in no file.
    """
    kind = recognise(file) if file.is_file() else None
    if kind is None or not kind.listing:
        return {}
    found: Listings = load(kind.listing)(file, options)
    return found


def emitted(file: Path, options: Options) -> Listings:
    """The machine code that AMD assembly is."""
    return {one.kernel: one for one in listings(read_text(file), str(file))}


def compiled(file: Path, options: Options) -> Listings:
    """The machine code that MLIR is compiled to."""
    from bankwise.read.mlir.module import open_module

    opened, options = open_module(file), with_compiler(options, isa=True)
    kernels = report_of(opened, options, analyse(opened, options)).kernels
    return {kernel.name: listing_by(kernel, opened, options) for kernel in kernels}


def _worth(report: CheckReport, kernel: KernelReport, listing: Listing | Refusal | None) -> Worth:
    found = _of_code(kernel, listing)
    return replace(found, missing=missing(report.refused(kernel)))


def _of_code(kernel: KernelReport, listing: Listing | Refusal | None) -> Worth:
    run = sum((a.run for a in kernel.accesses), Cost())
    if listing is None or isinstance(listing, Refusal) or not listing.steps:
        why = str(listing) if isinstance(listing, Refusal) else _unknown(kernel)
        unknown = tuple(Share(u, None, why, "unknown") for u in ("matrix", "vector ALU", "memory"))
        return _predicted_worth(kernel, run, unknown, _scope(kernel))
    part = _workgroup_part(kernel, listing, run) or _inside(kernel, listing)
    if part is None:
        unknown = (Share("other units", None, "how often they work is not known", "unknown"),)
        return _predicted_worth(kernel, run, unknown, _scope(kernel))
    return _predicted_worth(kernel, part.run, _others(kernel, part), part.scope)


def _unknown(kernel: KernelReport) -> str:
    file = Path(kernel.location.file)
    runs = file.is_file() and recognise(file).name in ("SASS", "cubin", "CUDA source")
    return f"no rates for {kernel.target}" if runs else "the code that runs is not at hand"


def _predicted_worth(
    kernel: KernelReport, run: Cost, others: tuple[Share, ...], scope: str
) -> Worth:
    lds = Share("shared memory", float(run.passes), "one pass a cycle", "documented")
    extra = run.extra / run.passes if run.passes else 0.0
    return Worth(kernel.name, scope, False, lds, others, extra)


def _scope(kernel: KernelReport) -> str:
    return _COUNTED if _uncounted(kernel) else _WORKGROUP


def _uncounted(kernel: KernelReport) -> bool:
    return not all(a.counted for a in kernel.accesses)


def _workgroup_part(kernel: KernelReport, listing: Listing, run: Cost) -> _KernelPart | None:
    """The whole life of a workgroup, if one trip count explains the accesses."""
    if _uncounted(kernel):
        return None
    times = trips(listing, lane_bytes(kernel), machine(kernel.target))
    return None if times is None else _KernelPart(run, mix(listing, ("",)), times, _WORKGROUP)


def _inside(kernel: KernelReport, listing: Listing) -> _KernelPart | None:
    """One pass through the innermost loops, if the accesses stand in the same text."""
    emitted = all(a.instruction_source == "emitted" for a in kernel.accesses)
    where = _innermost(loops(listing.steps))
    inside = [a.cost for a in kernel.accesses if _within(a.location.line, where)]
    if not (emitted and inside):
        return None
    steps = tuple(s for s in listing.steps if _within(s.line, where))
    uses = mix(replace(listing, steps=steps), ("",))
    return _KernelPart(
        sum(inside, Cost()), tuple(InstructionCount(u.name, u.static, 0) for u in uses), 1, _LOOPS
    )


def _others(kernel: KernelReport, part: _KernelPart) -> tuple[Share, ...]:
    gpu, waves = machine(kernel.target), _waves(kernel)
    bound = busy(gpu, part.run.passes, part.run.ideal, part.uses, part.times, waves)
    return (
        _share("matrix", bound.matrix, "operations / peak rate", gpu),
        _vector(gpu, part, waves),
        _share("memory", bound.memory, "bytes requested / share of the bandwidth", gpu),
    )


def _share(unit: str, amount: float | None, source: str, gpu: Machine) -> Share:
    least = unit != "memory"
    if amount is None:
        return Share(unit, None, f"no rate for {gpu.name}", "unknown", least)
    return Share(unit, amount, source, "inferred", least)


def _vector(gpu: Machine, part: _KernelPart, waves: int) -> Share:
    simds = gpu.facts.get("simds_per_unit")
    if gpu.vendor != "amd" or gpu.wave_size != 64 or simds is None:
        return Share("vector ALU", None, f"no rate for {gpu.name}", "unknown")
    uses = [u for u in part.uses if u.name.startswith("v_") and not u.name.startswith(_MATRIX)]
    cycles = executed(uses, part.times) * waves * _VECTOR_CYCLES / simds.value
    return Share("vector ALU", cycles, VECTOR.statement, VECTOR.evidence)


def _innermost(found: Sequence[LoopLines]) -> tuple[LoopLines, ...]:
    """The loops that hold no other."""
    return tuple(
        one
        for one in found
        if not any(
            other != one and one.first <= other.first and other.last <= one.last for other in found
        )
    )


def _within(line: int, where: Sequence[LoopLines]) -> bool:
    return any(loop.first <= line <= loop.last for loop in where)


def _waves(kernel: KernelReport) -> int:
    x, y, z = kernel.workgroup_size
    return -(-x * y * z // machine(kernel.target).wave_size)
