"""What ``bankwise verify`` measures: the accesses of a kernel or a tile question, one by one.

A counter depends on the offsets only through the bank and the word, so equal patterns at another
multiple of 1,024 bytes are one measurement.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bankwise.algebra.address import AddressMap, Identity
from bankwise.algebra.offset import offset_text
from bankwise.counting.access import BoolArray, IntArray, Pattern
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.read.options import Options
from bankwise.read.tile_file.question import TileQuestion
from bankwise.read.tile_file.read import read_question
from bankwise.solver.certificate import Certificate
from bankwise.solver.price import Workload, place
from bankwise.tile import Use

_PERIOD_BYTES = 1024


class AccessToMeasure(ByIdentity, frozen=True, eq=False):
    """One access under one layout: its distinct accesses by a wave, or why there are none.

    ``machine``: whose rules predict it. ``left_out``: why it is not measured ("" if it is).
    """

    layout: str
    access: str
    machine: Machine
    cases: tuple[WaveAccess, ...]
    left_out: str = ""


class ToMeasure(ByIdentity, frozen=True, eq=False):
    """What a file asks to measure; of a tile without a layout also the solver's ``layout``,
    ``how`` in words it is known to be best, and its ``certificate``."""

    parts: tuple[AccessToMeasure, ...]
    layout: str = ""
    how: str = ""
    certificate: Certificate | None = None


def mlir_parts(file: Path, options: Options) -> ToMeasure:
    """The shared-memory accesses of MLIR, as written."""
    return ToMeasure(tuple(_mlir(file, options)))


def emitted_parts(file: Path, options: Options) -> ToMeasure:
    """The shared-memory accesses of emitted code."""
    return ToMeasure(tuple(_assembly(file, options)))


def _mlir(file: Path, options: Options) -> Iterator[AccessToMeasure]:
    from bankwise.ask.analysis import analyse
    from bankwise.read.mlir.module import open_module

    for analysis in analyse(open_module(file), options):
        for site in analysis.extraction.accesses:
            access = site.access
            name = f"{access.location} {access.operation}"
            issues = analysis.issues.get(access.shared_index, ())
            found = [
                case
                for issue in issues
                for pattern in access.patterns
                for case in waves(issue.instruction, pattern, issue.offset_bytes)
            ]
            why = "" if issues else "no instruction of this machine"
            yield AccessToMeasure("as written", name, analysis.machine, distinct(found), why)


def _assembly(file: Path, options: Options) -> Iterator[AccessToMeasure]:
    from bankwise.ask.check_assembly import kernels_of

    for kernel in kernels_of(file, options):
        for one in kernel.accesses:
            name = f"{one.access.location} {one.instruction}"
            found = [c for p in one.access.patterns for c in waves(one.instruction, p, 0)]
            why = "" if one.apart_bytes is None else "a two-address form: there is no kernel for it"
            yield AccessToMeasure("as emitted", name, machine(kernel.target), distinct(found), why)


def question_parts(file: Path, options: Options) -> ToMeasure:
    """The accesses of a tile, under the layout of the file; else row-major and proved best."""
    from bankwise.read.tile_file.question import chosen

    question = chosen(read_question(file, options.target), options.policy)
    return _as_asked(question) if question.layout else _solved(question)


def _as_asked(spec: TileQuestion) -> ToMeasure:
    from bankwise.ask.spec import needs_layout
    from bankwise.ask.spec_count import lanes_of
    from bankwise.ask.spec_moves import moves

    layout = needs_layout(spec)
    parts = []
    for access in spec.accesses:
        moved = moves(spec, access, layout)
        if isinstance(moved, Refusal):
            parts.append(
                AccessToMeasure(layout.text.strip(), access.name, spec.machine, (), moved.reason)
            )
            continue
        found = [
            WaveAccess(m.instruction.name, offsets, active)
            for m in moved
            for offsets, active in zip(m.offsets_bytes, lanes_of(m), strict=True)
        ]
        parts.append(
            AccessToMeasure(layout.text.strip(), access.name, spec.machine, distinct(found))
        )
    return ToMeasure(tuple(parts))


def _solved(stated: TileQuestion) -> ToMeasure:
    """The accesses under a row-major layout and the one that the solver proves best."""
    from bankwise.ask.solve import answer_of

    answer = answer_of(stated)
    if isinstance(answer, Refusal):
        raise InputError(f"there is no layout to verify: {answer.reason}")
    layouts = {"row-major": Identity(), str(answer.layout.layout): answer.layout.layout}
    parts = tuple(
        AccessToMeasure(name, use.name, stated.machine, _placed(answer.work, use, address))
        for name, address in layouts.items()
        for use in answer.work.uses
    )
    text = offset_text(answer.work.shape, answer.layout.layout)
    return ToMeasure(parts, text, str(answer.known), answer.certificate)


def _placed(work: Workload, use: Use, address: AddressMap) -> tuple[WaveAccess, ...]:
    placed = place(work, use, address)
    if isinstance(placed, Refusal):
        raise InputError(f"{use.name}: {placed.reason}")
    found = [
        WaveAccess(issue.instruction, np.asarray(offsets + issue.offset_bytes), np.asarray(active))
        for issue in placed.issues
        for offsets, active in zip(placed.bytes_, placed.active, strict=True)
    ]
    return distinct(found)


def waves(instruction: str, pattern: Pattern, offset_bytes: int) -> Iterator[WaveAccess]:
    """One case for each wave of a pattern that has an active lane."""
    for offsets, active in zip(pattern.offsets_bytes, pattern.active, strict=True):
        if active.any():
            yield WaveAccess(instruction, *_rebased(offsets + offset_bytes, active))


def _rebased(offsets: IntArray, active: BoolArray) -> tuple[IntArray, BoolArray]:
    """The same banks and words near 0; lanes that take no part at offset 0."""
    base = int(offsets[active].min()) // _PERIOD_BYTES * _PERIOD_BYTES
    return np.where(active, offsets - base, 0), active


def distinct(cases: list[WaveAccess]) -> tuple[WaveAccess, ...]:
    """Each access once, in order."""
    known = {(c.instruction, c.offsets_bytes.tobytes(), c.active.tobytes()): c for c in cases}
    return tuple(known.values())
