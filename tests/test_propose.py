"""A machine file read off counters: from the H200's, and from counters that a judge computes."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.hardware.machine import Machine, machine, parse
from bankwise.lab.gpu import records, source
from bankwise.lab.gpu.cases import WaveAccess, cases
from bankwise.lab.gpu.counters import Counters
from bankwise.lab.gpu.propose import ask, generators, propose
from bankwise.lab.probe import joined
from brute import brute_count
from command import bankwise

DATA = Path(__file__).parent / "data"
FILES = [DATA / "h200_probe.csv", DATA / "h200_rules.csv"]


def _measured() -> tuple[tuple[WaveAccess, ...], Counters]:
    parts = [records.loads(f.read_text("utf-8"), str(f)) for f in FILES]
    passes = [c.passes for _, c in parts if c.passes is not None]
    found = Counters(np.concatenate(passes), np.concatenate([c.conflicts for _, c in parts]))
    return tuple(case for chosen, _ in parts for case in chosen), found


def _ignorant(gpu: Machine) -> Machine:
    """The machine with every rule wrong: nothing of it may reach the proposal."""
    rows = {
        name: replace(row, banks=7, phases=(tuple(range(gpu.wave_size)),), merge="none")
        for name, row in gpu.instructions.items()
    }
    return replace(gpu, instructions=rows)


def test_the_counters_of_the_h200_give_the_rows_of_its_machine_file() -> None:
    gpu = machine("sm_90")
    chosen, counters = _measured()
    found = propose(_ignorant(gpu), chosen, counters)
    assert {p.instruction for p in found} == set(source.instructions("nvidia"))
    for one in found:
        stated = gpu.instruction(one.instruction)
        assert one.holds
        assert one.judged >= 350
        assert one.row is not None
        assert (one.row.banks, one.row.merge) == (stated.banks, stated.merge)
        assert one.row.phases == stated.phases
        assert set(one.row.span) == set(stated.span)


def test_a_rule_that_one_access_contradicts_is_not_written(tmp_path: Path) -> None:
    chosen, counters = _measured()
    stores = [n for n, case in enumerate(chosen) if case.instruction == "st.shared.b32"]
    counters.conflicts[stores[0]] += 1
    file, toml = tmp_path / "changed.csv", tmp_path / "new.toml"
    file.write_text(records.dumps(chosen, counters), "utf-8")
    ended = bankwise("probe", "-t", "sm_90", "--replay", str(file), "--propose", str(toml))
    assert ended.code == 1
    assert "349 of 350" in ended.out
    rows = tomllib.loads(toml.read_text("utf-8"))["instruction"]
    assert "st.shared.b32" not in {name for row in rows for name in row["names"]}
    assert "# st.shared.b32: no row" in toml.read_text("utf-8")


def test_the_proposal_is_a_machine_file(tmp_path: Path) -> None:
    toml = tmp_path / "sm_new.toml"
    replay = [word for file in FILES for word in ("--replay", str(file))]
    ended = bankwise("probe", "-t", "sm_90", *replay, "--propose", str(toml), "--name", "sm_new")
    assert ended.code == 0
    read = parse(toml.read_text("utf-8"), "sm_new.toml")
    assert read.name == "sm_new"
    assert all(row.evidence == "measured" for row in read.instructions.values())
    stated = machine("sm_90")
    assert {n: r.phases for n, r in read.instructions.items()} == {
        n: stated.instruction(n).phases for n in source.instructions("nvidia")
    }


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_the_questions_find_the_phases_of_an_amd_machine_without_knowing_them(target: str) -> None:
    """The counters are computed by the judge: there is no AMD GPU behind this test."""
    gpu = machine(target)

    def counters(batch: Sequence[WaveAccess]) -> Counters:
        found = []
        for case in batch:
            offsets, active = case.offsets_bytes.tolist(), case.active.tolist()
            passes, ideal, _ = brute_count(gpu.instruction(case.instruction), [offsets], active)
            found.append(passes - ideal)
        return Counters(None, np.array(found))

    names = ("ds_read_b128", "ds_write_b64", "ds_read_b32")
    asked, rounds = ask(_ignorant(gpu), names, counters)
    fresh = cases(gpu, names, 20, 3)
    together = [*asked, *fresh]
    conflicts = np.concatenate([*(r.conflicts for r in rounds), counters(fresh).conflicts])
    found = propose(_ignorant(gpu), together, Counters(None, conflicts))
    assert len(found) == 3
    for one in found:
        assert one.holds
        assert one.row is not None
        stated = gpu.instruction(one.instruction)
        assert set(map(frozenset, one.row.phases)) == set(map(frozenset, stated.phases))
        assert one.row.banks == stated.banks


def test_phases_that_are_no_cosets_are_refused() -> None:
    assert generators([(0, 1, 2, 3), (4, 5, 6, 7)]) == (1, 2)
    assert generators([(0, 1, 12, 13), (2, 3, 14, 15)]) == (1, 12)
    assert generators([(0, 1, 2, 4), (3, 5, 6, 7)]) is None
    assert generators([(0, 1), (2, 5)]) is None


def test_accesses_that_ask_no_questions_propose_nothing(tmp_path: Path) -> None:
    toml = tmp_path / "new.toml"
    ended = bankwise("probe", "-t", "sm_90", "--replay", str(FILES[0]), "--propose", str(toml))
    assert ended.code == 2
    assert "do not ask for banks and phases" in ended.err
    assert not toml.exists()


def test_passes_that_one_profiler_did_not_count_are_not_known_of_the_whole() -> None:
    counted, uncounted = Counters(np.array([4]), np.array([3])), Counters(None, np.array([1]))
    assert joined([counted, uncounted]).passes is None
    assert joined([counted, uncounted]).conflicts.tolist() == [3, 1]
    whole = joined([counted, counted]).passes
    assert whole is not None
    assert whole.tolist() == [4, 4]
