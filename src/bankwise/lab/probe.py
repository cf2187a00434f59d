"""``bankwise probe``: measure a machine's rules, hold a machine file against them, propose one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from msgspec import Struct, field

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.lab.gpu import records, source
from bankwise.lab.gpu.cases import WaveAccess, cases
from bankwise.lab.gpu.counters import Counters, measure
from bankwise.lab.gpu.machine_text import device_properties, machine_text
from bankwise.lab.gpu.probe import Agreement, compare
from bankwise.lab.gpu.propose import Proposed, ask, propose


class Proposal(Struct, frozen=True):
    """A machine file from measurements: ``rows`` as found, ``text`` the TOML."""

    machine: str
    rows: tuple[Proposed, ...]
    text: str

    @property
    def complete(self) -> bool:
        """Whether every instruction that was asked about got a row that holds."""
        return bool(self.rows) and all(row.holds for row in self.rows)


class KitReport(Struct, frozen=True):
    """What a kit settled. ``copies``: what one direct-to-LDS copy adds to the counter, by name."""

    proposal: Proposal
    device: str
    copies: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]

    @property
    def contradicted(self) -> tuple[Proposed, ...]:
        """The rows of the machine file that the counters refute."""
        return tuple(row for row in self.proposal.rows if row.holds and not row.same)


class _CountedAccesses(ByIdentity, frozen=True, eq=False):
    """Accesses with their counters, where they come from, and the GPU's properties if known."""

    cases: tuple[WaveAccess, ...]
    counters: Counters
    origin: str
    properties: Mapping[str, int | str] = field(default_factory=dict)


def probe(
    target: str, *, each: int = 350, seed: int = 0, replay: Sequence[str] = (), save: str = ""
) -> Agreement:
    """Measure ``each`` fresh accesses per instruction on this computer's GPU and compare.

    ``replay``: CSVs of accesses measured before, instead of measuring. ``save``: where to write
    what was measured. InputError where there is no GPU, no profiler, or the file is not one.
    """
    gpu = machine(target)
    found = _replayed(replay) if replay else _random(gpu, each, seed)
    _save(found, save)
    return compare(gpu, found.cases, found.counters)


def propose_machine(
    target: str,
    *,
    name: str = "",
    each: int = 350,
    seed: int = 0,
    replay: Sequence[str] = (),
    save: str = "",
) -> Proposal:
    """Read a machine's rules off its counters, without its machine file.

    ``target`` gives the names and widths of the instructions, the wave size and the vendor;
    ``name`` is the name of the new machine (default: the target). Other arguments as in
    :func:`probe`; a replay needs the accesses of a proposal that was saved.
    """
    gpu = machine(target)
    found = _replayed(replay) if replay else _measured_here(gpu, each, seed)
    _save(found, save)
    rows = propose(gpu, found.cases, found.counters)
    if not rows:
        raise InputError(
            "these accesses do not ask for banks and phases",
            hint="replay accesses that `bankwise probe --propose FILE --save CSV` measured",
        )
    called = name or target
    text = machine_text(gpu, called, rows, found.properties, found.origin)
    return Proposal(called, rows, text)


def import_kit(folder: Path) -> KitReport:
    """Read the rules off the counters in a kit's folder (:mod:`bankwise.lab.kit`).

    InputError where it is no kit, was not run, was run on another GPU, or misses a launch.
    """
    from bankwise.lab.kit.answers import read_answers

    found = read_answers(folder)
    rows = propose(found.machine, found.cases, found.counters)
    origin = f"measured on {found.device} by a probe kit and rocprofv3"
    text = machine_text(found.machine, found.machine.name, rows, {}, origin)
    proposal = Proposal(found.machine.name, rows, text)
    return KitReport(proposal, found.device, found.copies, found.notes)


def _random(gpu: Machine, each: int, seed: int) -> _CountedAccesses:
    chosen = cases(gpu, _askable(gpu), each, seed)
    return _CountedAccesses(chosen, measure(chosen, gpu.vendor), "measured")


def _askable(gpu: Machine) -> tuple[str, ...]:
    """The instructions of a machine for which there is a kernel."""
    return tuple(name for name in source.instructions(gpu.vendor) if name in gpu.instructions)


def _measured_here(gpu: Machine, each: int, seed: int) -> _CountedAccesses:
    names = _askable(gpu)
    directed, rounds = ask(gpu, names, lambda batch: measure(batch, gpu.vendor))
    chosen = cases(gpu, names, each, seed)
    counters = joined([*rounds, measure(chosen, gpu.vendor)])
    stated = device_properties()
    origin = f"measured on {stated['name']}, {date.today().isoformat()}"
    return _CountedAccesses((*directed, *chosen), counters, origin, stated)


def _replayed(files: Sequence[str]) -> _CountedAccesses:
    from bankwise.files import read_text

    read = [records.loads(read_text(file), file) for file in files]
    chosen = tuple(case for part, _ in read for case in part)
    names = ", ".join(Path(file).name for file in files)
    return _CountedAccesses(
        chosen, joined([counters for _, counters in read]), f"replayed from {names}"
    )


def joined(parts: Sequence[Counters]) -> Counters:
    """The counters of several measurements one after the other."""
    passes = [p.passes for p in parts if p.passes is not None]
    every = np.concatenate(passes) if len(passes) == len(parts) else None
    return Counters(every, np.concatenate([p.conflicts for p in parts]))


def _save(found: _CountedAccesses, path: str) -> None:
    if path:
        from bankwise.files import write_atomically

        write_atomically(Path(path), records.dumps(found.cases, found.counters))
