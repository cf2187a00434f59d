"""Measured accesses as CSV: so that a probe can be kept, read again and held against new rules.

Columns: ``instruction``, ``active_mask`` (hexadecimal, bit l = lane l), ``passes`` (empty where the
profiler has no such counter), ``conflicts``, ``offsets_bytes`` (one number per lane, lane 0 first).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from bankwise.errors import InputError, Location
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.gpu.counters import Counters

_COLUMNS = ("instruction", "active_mask", "passes", "conflicts", "offsets_bytes")


def dumps(cases: Sequence[WaveAccess], counters: Counters) -> str:
    """The cases and their counters as CSV text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for number, case in enumerate(cases):
        mask = sum(int(on) << lane for lane, on in enumerate(case.active))
        passes = "" if counters.passes is None else int(counters.passes[number])
        offsets = " ".join(map(str, case.offsets_bytes.tolist()))
        digits = len(case.active) // 4
        conflicts = int(counters.conflicts[number])
        writer.writerow([case.instruction, f"{mask:0{digits}x}", passes, conflicts, offsets])
    return out.getvalue()


def loads(text: str, file: str) -> tuple[tuple[WaveAccess, ...], Counters]:
    """Read what :func:`dumps` wrote. InputError, with the line, for anything else."""
    reader = csv.DictReader(io.StringIO(text))
    if tuple(reader.fieldnames or ()) != _COLUMNS:
        message = f"not a file of measured accesses: the columns are {reader.fieldnames}"
        raise InputError(message, location=Location(file, 1))
    cases, passes, conflicts = [], [], []
    for row in reader:
        try:
            offsets = np.array([int(x) for x in row["offsets_bytes"].split()], np.int64)
            mask = int(row["active_mask"], 16)
            active = np.array([mask >> lane & 1 for lane in range(len(offsets))], np.bool_)
            cases.append(WaveAccess(row["instruction"], offsets, active))
            passes.append(int(row["passes"]) if row["passes"] else None)
            conflicts.append(int(row["conflicts"]))
        except (ValueError, AttributeError, TypeError) as error:
            place = Location(file, reader.line_num)
            raise InputError(f"cannot read this row: {error}", location=place) from error
    known = [p for p in passes if p is not None]
    seen = np.array(known) if len(known) == len(passes) else None
    return tuple(cases), Counters(seen, np.array(conflicts))
