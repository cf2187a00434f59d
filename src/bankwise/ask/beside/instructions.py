"""Instruction by instruction: PTX of the check against the machine code in the profile.

ptxas keeps the order of shared-memory instructions of one kind (``ld.shared.b32``: LDS) unless it
joins or splits some. So the instructions of a kind are paired in order where both sides have
equally many; otherwise they are not paired, and that is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.hardware.sass_names import kind_of
from bankwise.profile.values import CountedInstruction, Launch
from bankwise.show.beside import InstructionRow
from bankwise.show.values import KernelReport

_T = TypeVar("_T")


def instruction_rows(
    kernel: KernelReport, launches: Sequence[Launch], workgroups: int | None
) -> tuple[tuple[InstructionRow, ...], tuple[str, ...]]:
    """A row per instruction that both sides have, in the order of the machine code; and of what
    kinds they have not equally many, or why nothing is compared.

    ``workgroups``: of all launches together; None where executions are not counted: then the
    prediction is for as many executions as were measured.
    """
    measured = _summed(launches)
    if not measured or any(a.instruction_source != "emitted" for a in kernel.accesses):
        said = "the profile counts instructions: check the PTX to compare them"
        return (), (said,) if measured else ()
    here = _kinds((a, a.instruction) for a in sorted(kernel.accesses, key=_line))
    there = _kinds((m, kind_of(m.text)) for m in measured)
    rows: list[InstructionRow] = []
    notes: list[str] = []
    for kind in sorted({*here, *there}):
        ours, theirs = here.get(kind, []), there.get(kind, [])
        if len(ours) == len(theirs):
            rows += [_row(a, m, workgroups) for a, m in zip(ours, theirs, strict=True)]
        else:
            notes.append(f"{kind}: {len(ours)} in the text, {len(theirs)} in the machine code")
    return tuple(sorted(rows, key=lambda row: row.address)), tuple(notes)


def _kinds(pairs: Iterable[tuple[_T, str]]) -> dict[str, list[_T]]:
    found: dict[str, list[_T]] = defaultdict(list)
    for one, kind in pairs:
        found[kind].append(one)
    return found


def _line(access: AccessReport) -> int:
    return access.location.line


def _summed(launches: Sequence[Launch]) -> tuple[CountedInstruction, ...]:
    """Each instruction over all launches, in the order of its address in the first."""
    listings = [launch.instructions for launch in launches]
    if not all(listings) or len({tuple(m.text for m in listing) for listing in listings}) != 1:
        return ()
    found = []
    for column in zip(*listings, strict=True):
        executed, passes, ideal = (
            sum(getattr(m, name) for m in column) for name in ("executed", "passes", "ideal")
        )
        first = column[0]
        found.append(
            CountedInstruction(
                first.address, first.text, executed, passes, ideal, first.line, first.file
            )
        )
    return tuple(sorted(found, key=lambda m: m.address))


def _row(
    access: AccessReport, measured: CountedInstruction, workgroups: int | None
) -> InstructionRow:
    if workgroups is None:
        predicted = _scaled(access, measured.executed)
    else:
        predicted = access.run * workgroups
    counted = Cost(measured.passes, measured.ideal)
    source = f"{measured.file.rsplit('/', 1)[-1]}:{measured.line}" if measured.line else ""
    why = _why(access, measured, predicted, counted, workgroups)
    return InstructionRow(
        access.location,
        access.instruction,
        measured.address,
        measured.text,
        source,
        predicted,
        counted,
        why,
    )


def _scaled(access: AccessReport, executed: int) -> Cost:
    """The first pattern's cost for as many executions as there were."""
    each = access.waves * access.instructions
    return Cost(
        access.cost.passes * executed // each,
        access.cost.ideal * executed // each,
    )


def _why(
    access: AccessReport,
    measured: CountedInstruction,
    predicted: Cost,
    counted: Cost,
    workgroups: int | None,
) -> str:
    if predicted == counted:
        return "as predicted"
    wanted = None if workgroups is None else access.waves * access.executions * workgroups
    if wanted is not None and wanted != measured.executed:
        return f"executed by {measured.executed:,} waves, {wanted:,} predicted"
    if predicted.ideal != counted.ideal:
        return "other lanes took part, or this is another instruction of the same kind"
    return "the lanes' addresses are not those of the checked text"
