"""What comes back in a kit's folder: the profiler's export, as accesses with their counters.

A launch is known by its place: the n-th dispatch of a kernel of the kit executed line n of
``cases.txt``. Names have to agree line by line, so nothing that was lost or added goes unseen, and
every counter has to be a multiple of the repeats.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.gpu.counters import AMD_CONFLICTS, Counters
from bankwise.lab.gpu.profile_run import launches_with
from bankwise.lab.gpu.source import COPIES
from bankwise.lab.kit.folder import SCHEMA, read_cases
from bankwise.lab.kit.program import PREFIX
from bankwise.profile.read import parse_profile
from bankwise.profile.values import Launch

_EXPORT = "*counter_collection.csv"


class KitAnswers(ByIdentity, frozen=True, eq=False):
    """The accesses of a kit as counted on ``device``; ``copies``: what one direct-to-LDS copy adds
    to the counter, by its name. ``notes``: what was left out, and why."""

    machine: Machine
    cases: tuple[WaveAccess, ...]
    counters: Counters
    device: str
    copies: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]


def read_answers(folder: Path) -> KitAnswers:
    """The answers in a kit's folder.

    InputError where it is no kit, was not run, was run on another GPU, or misses a launch.
    """
    gpu, repeats = _manifest(folder / "manifest.json")
    cases = read_cases(folder / "cases.txt", gpu.wave_size)
    device = _device(folder / "device.txt", gpu)
    file, launches = _launches(folder)
    _same_order(cases, launches, file)
    values = np.array([launch.values[AMD_CONFLICTS] for launch in launches])
    whole = values % repeats == 0
    kept = [case for case, fine in zip(cases, whole, strict=True) if fine]
    conflicts = (values[whole] // repeats).astype(np.int64)
    asked = [n for n, case in enumerate(kept) if case.instruction not in COPIES]
    return KitAnswers(
        gpu,
        tuple(kept[n] for n in asked),
        Counters(None, conflicts[asked]),
        device,
        tuple(_most(kept, conflicts.tolist()).items()),
        _left_out(len(cases) - len(kept), len(cases), repeats),
    )


def _most(cases: Sequence[WaveAccess], conflicts: Sequence[int]) -> dict[str, int]:
    """The most that one direct-to-LDS copy added, by its name."""
    found: dict[str, int] = {}
    for case, extra in zip(cases, conflicts, strict=True):
        if case.instruction in COPIES:
            found[case.instruction] = max(extra, found.get(case.instruction, 0))
    return found


def _left_out(left: int, cases: int, repeats: int) -> tuple[str, ...]:
    if not left:
        return ()
    return (
        f"{left:,} of {cases:,} launches are left out: their counter is no multiple of {repeats}, "
        "so something else was counted, too",
    )


def _manifest(path: Path) -> tuple[Machine, int]:
    place = Location(str(path))
    if not path.is_file():
        raise InputError("not the folder of a probe kit", location=place, hint="--kit writes one")
    try:
        read = json.loads(read_text(path))
        known = (read["schema"], read["target"], read["repeats"])
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"not the manifest of a probe kit: {error}", location=place) from error
    schema, target, repeats = known
    if schema != SCHEMA or not isinstance(target, str) or not isinstance(repeats, int):
        raise InputError(f"not the manifest of a probe kit: it says {schema!r}", location=place)
    if repeats < 1:
        raise InputError(f"a launch cannot repeat its access {repeats} times", location=place)
    return machine(target), repeats


def _device(path: Path, gpu: Machine) -> str:
    """The name of the GPU; InputError if it is not the one that the kit is for."""
    if not path.is_file():
        return gpu.product
    lines = read_text(path).splitlines()
    arch = lines[0].partition(":")[0] if lines else ""
    if arch != gpu.name:
        message = f"run on {arch or 'no GPU'}, the kit is for {gpu.name}"
        raise InputError(message, location=Location(str(path)), hint="write a kit for that GPU")
    return lines[1] if len(lines) > 1 and lines[1] else gpu.product


def _launches(folder: Path) -> tuple[str, tuple[Launch, ...]]:
    """The export with the launches of the kit, and these in their order."""
    files = sorted(folder.rglob(_EXPORT))
    if not files:
        message = f"no {_EXPORT.removeprefix('*')} in this folder: the kit was not run"
        raise InputError(message, location=Location(str(folder)), hint="sh run.sh, on the GPU")
    if len(files) > 1:
        names = ", ".join(str(file.relative_to(folder)) for file in files[:3])
        raise InputError(
            f"{len(files)} exports in one folder: {names}",
            location=Location(str(folder)),
            hint="keep that of the last run",
        )
    profile = parse_profile(read_text(files[0]), str(files[0]))
    mine = tuple(one for one in profile.launches if one.kernel.startswith(PREFIX))
    return str(files[0]), launches_with(replace(profile, launches=mine), (AMD_CONFLICTS,))


def _same_order(cases: Sequence[WaveAccess], launches: Sequence[Launch], file: str) -> None:
    for number, (case, launch) in enumerate(zip(cases, launches, strict=False), 1):
        if launch.kernel != PREFIX + case.instruction:
            message = f"launch {number} is {launch.kernel}, cases.txt has {case.instruction}"
            raise InputError(message, location=Location(file))
    if len(cases) != len(launches):
        message = f"{len(launches):,} launches, {len(cases):,} accesses in cases.txt"
        raise InputError(message, location=Location(file), hint="was the run ended early?")
