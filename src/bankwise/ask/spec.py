"""``check`` on a question about a tile: does (writer, layout, reader) give zero conflicts?"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np

from bankwise.ask.kernel_report import check_report, kernel_report
from bankwise.ask.spec_count import access_of
from bankwise.ask.spec_moves import moves
from bankwise.counting.count_kernel import count_accesses, count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import AllocationReport, Kernel, KernelAccess
from bankwise.errors import InputError, Location, Refusal
from bankwise.notation.frameworks import fault
from bankwise.read.tile_file.question import TileQuestion, WrittenLayout, chosen
from bankwise.read.tile_file.read import parse_question, read_question
from bankwise.read.tile_file.views import disagreement
from bankwise.show.spec import QuotedNumber, SpecReport
from bankwise.show.values import Finding

_DRAWN_ELEMENTS = 1 << 15
"""The largest tile that a page draws element by element."""


def check_spec(file: str | Path, *, target: str = "", policy: str = "") -> SpecReport:
    """Count every access of a file. ``target`` and ``policy`` take precedence over it.

    Raises :class:`InputError` with the place of what is wrong.
    """
    return counted(chosen(read_question(file, target), policy))


def check_spec_text(
    text: str, file: str = "spec.toml", *, target: str = "", policy: str = ""
) -> SpecReport:
    """The same for a text."""
    return counted(chosen(parse_question(text, file, target), policy))


def needs_layout(spec: TileQuestion) -> WrittenLayout:
    """The memory layout; :class:`InputError` for a question that has none, or no accesses."""
    if spec.layout is not None and spec.accesses:
        return spec.layout
    if spec.accesses:
        message, hint = "no layout to check", "add layout = ..., or `bankwise solve` finds one"
    else:
        message = "no [[access]] to shared memory"
        hint = "`bankwise coalesce` reads its [[global]] accesses"
    raise InputError(message, location=Location(spec.file), hint=hint)


def counted(spec: TileQuestion) -> SpecReport:
    """Count every access of a question."""
    layout = needs_layout(spec)
    moved = [moves(spec, access, layout) for access in spec.accesses]
    size = 0 if isinstance(layout.memory, Refusal) else layout.memory.size * spec.element_bytes
    accesses = tuple(
        access_of(spec, access, m)
        for access, m in zip(spec.accesses, moved, strict=True)
        if not isinstance(m, Refusal)
    )
    kernel = _kernel(spec, layout, size, accesses)
    reports, refused = count_kernel(kernel, spec.machine)
    unmoved = tuple(dict.fromkeys(m for m in moved if isinstance(m, Refusal)))
    check = check_report(
        spec.file,
        spec.policy or "as each notation",
        [kernel_report(kernel, reports)],
        findings=_findings(spec, layout, size),
        refusals=(*unmoved, *refused),
    )
    return SpecReport(
        check,
        spec.shape,
        spec.dims,
        spec.element_bits,
        layout.text.strip(),
        layout.what,
        size,
        spec.launch.passes if spec.launch else None,
        _published(spec, reports),
        _offsets(layout),
    )


def takes_more(spec: TileQuestion, most: int) -> bool:
    """Whether the accesses of a question take more than ``most`` passes together, told by as many
    of them as that needs. One that cannot be counted tells nothing."""
    layout = needs_layout(spec)
    for access in spec.accesses:
        moved = moves(spec, access, layout)
        if isinstance(moved, Refusal):
            return False
        (found,) = count_accesses([access_of(spec, access, moved)], spec.machine)
        if isinstance(found, Refusal):
            return False
        most -= found.run.passes
        if most < 0:
            return True
    return False


def _offsets(layout: WrittenLayout) -> tuple[int, ...] | None:
    """Where each element lives, in elements, row-major; None where nobody could draw it."""
    memory = layout.memory
    if isinstance(memory, Refusal) or prod(memory.shape) > _DRAWN_ELEMENTS:
        return None
    coordinates = np.moveaxis(np.indices(memory.shape), 0, -1)
    return tuple(memory.offsets(coordinates).ravel().tolist())


def _kernel(
    spec: TileQuestion, layout: WrittenLayout, size: int, accesses: tuple[KernelAccess, ...]
) -> Kernel:
    threads = max((_waves(a) for a in accesses), default=1) * spec.machine.wave_size
    share = size / spec.machine.lds_bytes
    return Kernel(
        name=spec.title,
        target=spec.machine.name,
        location=Location(spec.file),
        workgroup_size=(threads, 1, 1),
        grid=(spec.launch.workgroups, 1, 1) if spec.launch else None,
        lds_bytes=size,
        accesses=accesses,
        allocations=(AllocationReport("memory", spec.title, layout.location, size, share),),
    )


def _waves(access: KernelAccess) -> int:
    return len(access.patterns[0].instructions[0].offsets_bytes)


def _findings(spec: TileQuestion, layout: WrittenLayout, size: int) -> tuple[Finding, ...]:
    if isinstance(layout.memory, Refusal):
        return ()
    found = []
    wrong = fault(layout.memory, layout.what)
    if wrong:
        found.append(Finding("not-a-bijection", layout.location, wrong))
    if size > spec.machine.lds_bytes:
        message = (
            f"the layout takes {size:,} bytes of shared memory; a workgroup on "
            f"{spec.machine.name} has {spec.machine.lds_bytes:,}"
        )
        found.append(Finding("lds-overflow", layout.location, message))
    for access in spec.accesses:
        differs = disagreement(access, layout)
        if differs and access.layout is not None:
            found.append(Finding("several-maps", access.layout.location, differs))
    return tuple(found)


def _published(spec: TileQuestion, reports: Sequence[AccessReport]) -> tuple[QuotedNumber, ...]:
    """The published numbers beside ours; counters are of the whole launch."""
    groups = spec.launch.workgroups if spec.launch else 0
    ours: dict[str, int] = {"ways": max((r.ways for r in reports), default=1)}
    if spec.launch and len(reports) == len(spec.accesses):
        ours["conflicts"] = sum(r.run.extra for r in reports) * groups
        ours["loads"] = _instructions(reports, "read") * groups
        ours["stores"] = _instructions(reports, "write") * groups
    return tuple(QuotedNumber(name, v, ours.get(name)) for name, v in spec.published.items())


def _instructions(reports: Sequence[AccessReport], direction: str) -> int:
    """Executed instructions of one workgroup."""
    chosen = [r for r in reports if r.direction == direction]
    return sum(r.instructions * r.waves * r.executions for r in chosen)
