"""The machine files: complete, consistent with themselves and with the facts they come from."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.errors import InputError
from bankwise.hardware.lanes import lane_text
from bankwise.hardware.machine import Evidence, Instruction, lanes, machine, names, parse
from brute import brute_count

CDNA = ("gfx90a", "gfx942", "gfx950")
NVIDIA = ("sm_100", "sm_120", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90")
MACHINES = ("gfx1100", "gfx1201", "gfx1250", *CDNA, *NVIDIA)
PHASE_FACTS = Path(__file__).parents[2] / "shared" / "facts" / "amd_phases.json"


def rows(name: str) -> Iterable[Instruction]:
    return machine(name).instructions.values()


def span_of(generators: tuple[int, ...]) -> set[int]:
    """All XORs of a subset of the generators."""
    out = set()
    for size in range(len(generators) + 1):
        for chosen in combinations(generators, size):
            total = 0
            for g in chosen:
                total ^= g
            out.add(total)
    return out


def test_all_the_machines_are_there() -> None:
    assert sorted(MACHINES) == list(names())


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_file_is_named_after_its_machine(name: str) -> None:
    m = machine(name)
    assert m.name == name
    assert m.wave_size == (64 if name in CDNA else 32)
    assert m.vendor == ("amd" if name.startswith("gfx") else "nvidia")


@pytest.mark.parametrize("name", MACHINES)
def test_phases_are_the_cosets_of_the_span(name: str) -> None:
    for row in rows(name):
        subspace = span_of(row.span)
        assert len(subspace) == 2 ** len(row.span), f"{row}: the generators are not independent"
        assert set(row.phases[0]) == subspace, row
        for phase in row.phases:
            assert {lane ^ phase[0] for lane in phase} == subspace, row


@pytest.mark.parametrize("name", MACHINES)
def test_phases_partition_the_lanes_that_supply_addresses(name: str) -> None:
    for row in rows(name):
        form = row.name.split(".")[1] if "matrix" in row.name else ""
        supplying = {"x1": 8, "x2": 16}.get(form, row.wave_size)
        assert sorted(lane for phase in row.phases for lane in phase) == list(range(supplying)), row


@pytest.mark.parametrize("name", MACHINES)
def test_every_row_says_where_it_comes_from_and_how_sure_it_is(name: str) -> None:
    for row in rows(name):
        assert row.source, row
        assert set(row.source) <= set(machine(name).sources), row
        assert 0 < row.confidence <= 1, row
        assert row.evidence in get_args(Evidence), row
        for claim in row.alternatives:
            assert 0 < claim.confidence <= 1 - row.confidence + 1e-9, row


@pytest.mark.parametrize("name", MACHINES)
def test_an_assumption_is_told_in_the_note(name: str) -> None:
    for row in rows(name):
        if row.evidence in ("assumed", "unknown"):
            assert "ssum" in row.note, row
            assert row.confidence <= 0.85, row


@pytest.mark.parametrize("name", MACHINES)
def test_a_phase_of_contiguous_aligned_data_is_conflict_free(name: str) -> None:
    """An ideal access exists: a phase's bytes never exceed one sweep of the banks."""
    for row in rows(name):
        assert len(row.phases[0]) * row.width_bytes <= row.banks * 4, row


@pytest.mark.parametrize("name", MACHINES)
def test_every_source_listed_is_used(name: str) -> None:
    m = machine(name)
    used = {s for row in m.instructions.values() for s in row.source}
    used |= {s for row in m.instructions.values() for c in row.alternatives for s in c.source}
    used |= {fact.source for fact in m.facts.values()}
    assert used == set(m.sources)


def phase_facts() -> Iterator[tuple[str, str, dict[str, Any]]]:
    if not PHASE_FACTS.exists():
        return
    for row in json.loads(PHASE_FACTS.read_text())["rows"]:
        instructions = [row["instr"]] if isinstance(row["instr"], str) else row["instr"]
        for name in instructions:
            yield row["arch"], name.replace(" lds", "_lds"), row


@pytest.mark.skipif(not PHASE_FACTS.exists(), reason="the table of phase facts is not here")
def test_the_phases_are_those_of_the_published_tables() -> None:
    compared = 0
    for target, name, fact in phase_facts():
        row = machine(target).instruction(name)
        if fact["phases"] is None:
            continue
        assert [list(p) for p in row.phases] == fact["phases"], (target, name)
        assert list(row.span) == fact["lane_span"], (target, name)
        assert (row.banks, row.addresses) == (fact["banks"], fact["repeat"]), (target, name)
        compared += 1
    assert compared >= 30


@pytest.mark.parametrize("target", CDNA)
def test_the_cdna_mnemonics_resolve(target: str) -> None:
    wanted = """ds_read_u8 ds_read_i8 ds_read_u16 ds_read_i16 ds_read_u16_d16 ds_read_u16_d16_hi
        ds_read_b32 ds_read_b64 ds_read_b96 ds_read_b128 ds_read2_b32 ds_read2st64_b32 ds_read2_b64
        ds_read2st64_b64 ds_write_b8 ds_write_b16 ds_write_b16_d16_hi ds_write_b32 ds_write_b64
        ds_write_b96 ds_write_b128 ds_write2_b32 ds_write2st64_b32 ds_write2_b64 ds_write2st64_b64
        ds_add_u32 ds_add_rtn_u32 ds_add_f32 ds_max_u32 buffer_load_dword_lds"""
    for name in wanted.split():
        assert machine(target).instruction(name).addresses == 1 + ("2" in name.split("_")[1])


def test_wide_direct_copies_and_transposing_reads_are_gfx950_only() -> None:
    new = {f"buffer_load_dwordx{n}_lds" for n in (3, 4)} | {"ds_read_b96_tr_b6"}
    new |= {f"ds_read_b64_tr_b{n}" for n in (4, 8, 16)}
    assert new <= set(machine("gfx950").instructions)
    assert not new & set(machine("gfx942").instructions)


@pytest.mark.parametrize("target", NVIDIA)
def test_the_ptx_names_resolve(target: str) -> None:
    m = machine(target)
    for bits in (8, 16, 32, 64, 128):
        load, store = (m.instruction(f"{op}.shared.b{bits}") for op in ("ld", "st"))
        assert load.width_bytes == store.width_bytes == load.alignment_bytes == bits // 8
        assert (load.merge, store.merge) == ("neighbours" if bits > 32 else "none", "none")
    for x in (1, 2, 4):
        for end in ("", ".trans"):
            assert m.instruction(f"ldmatrix.x{x}{end}").merge == "none"
            assert (f"stmatrix.x{x}{end}" in m.instructions) == (int(target[3:]) >= 90)
    assert ("cp.async.b128" in m.instructions) == (int(target[3:]) >= 80)


def test_only_two_reads_of_gfx950_and_their_relatives_see_64_banks() -> None:
    wide = {
        (r.machine, r.name)
        for name in MACHINES
        if name != "gfx1250"
        for r in rows(name)
        if r.banks != 32 and r.evidence != "unknown"
    }
    reads = {"ds_read_b64": "flat_load_dwordx2", "ds_read_b128": "flat_load_dwordx4"}
    transposing = ("ds_read_b64_tr_b16", "ds_read_b64_tr_b8")
    assert wide == {("gfx950", name) for name in (*reads, *reads.values(), *transposing)}


def test_triton_pads_for_the_rule_of_transposing_reads() -> None:
    """``#ttg.padded_shared<[512:+32] ..>`` of 2-byte elements, what Triton 3.9 writes for gfx950.

    A lane reads 4 columns of one row: 16 lanes 4 rows of 16 columns, then 16 columns more, then 8
    rows down. Free under the row of the machine file, 2-way under the rule of 8-byte writes.
    """

    def byte(row: int, column: int) -> int:
        offset = column + 128 * (row // 16 % 4) + 512 * (row % 16)
        return 2 * (offset + offset // 512 * 32)

    lanes = [
        byte(lane // 4 % 4 + 8 * (lane // 32), 4 * (lane % 4) + 16 * (lane // 16 % 2))
        for lane in range(64)
    ]
    gpu, every = machine("gfx950"), [True] * 64
    for name in ("ds_read_b64_tr_b16", "ds_read_b64_tr_b8"):
        row = gpu.instruction(name)
        assert brute_count(row, [lanes], every) == (2, 2, 1)
        assert row.evidence == "inferred"
    assert brute_count(gpu.instruction("ds_write_b64"), [lanes], every) == (8, 4, 2)


def test_the_padding_of_wmma_operands_is_free_on_gfx1250() -> None:
    """``#ttg.padded_shared<[128:+8]>`` and ``[128:+16]`` of 2-byte elements, as Triton 3.9 writes
    them for gfx1250; the GEMMs whose counters are published have such pads, and no conflict.

    Loads of 16 bytes: lane mod 16 is the row. Transposing ones: 8 rows of 16 columns a half wave.
    """
    gpu, every = machine("gfx1250"), [True] * 32

    def byte(offset: int, pad: int) -> int:
        return 2 * (offset + offset // 128 * pad)

    rows_ = [byte(64 * (lane % 16) + 8 * (lane // 16), 8) for lane in range(32)]
    plain = gpu.instruction("ds_load_b128")
    assert brute_count(plain, [rows_], every) == (2, 2, 1)
    bare = [128 * (lane % 16) + 16 * (lane // 16) for lane in range(32)]
    assert brute_count(plain, [bare], every)[2] == 8
    turned = [
        byte(128 * (lane % 8 + 8 * (lane // 16)) + 8 * (lane // 8 % 2), 16) for lane in range(32)
    ]
    assert brute_count(gpu.instruction("ds_load_tr16_b128"), [turned], every) == (2, 2, 1)
    assert {n: r.evidence for n, r in gpu.instructions.items() if "_tr" in n} == {
        "ds_load_tr16_b128": "inferred",
        **dict.fromkeys(("ds_load_tr8_b64", "ds_load_tr4_b64", "ds_load_tr6_b96"), "unknown"),
    }


@pytest.mark.parametrize("name", MACHINES)
def test_the_facts_of_occupancy_are_consistent(name: str) -> None:
    facts = {key: int(fact) for key, fact in machine(name).facts.items()}
    assert facts["max_waves_per_unit"] == facts["simds_per_unit"] * facts["wave_slots_per_simd"]
    reserved = facts["lds_reserved_bytes_per_workgroup"]
    assert facts["lds_bytes_per_workgroup"] + reserved <= facts["lds_bytes_per_unit"]
    assert facts["lds_bytes_per_unit"] % facts["lds_granule_bytes"] == 0
    assert facts["vgprs_per_simd"] % facts["vgpr_granule"] == 0
    if "registers_per_unit" in facts:
        lanes_of_simds = facts["simds_per_unit"] * machine(name).wave_size
        assert facts["registers_per_unit"] == facts["vgprs_per_simd"] * lanes_of_simds


def test_an_unknown_machine_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match="unknown target 'gfx943'") as caught:
        machine("gfx943")
    assert "gfx942" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "meant"),
    [("H1000", "H100"), ("rtx-4900", "RTX 4090"), ("MI3000", "MI300"), ("MI3OOX", "MI300X")],
)
def test_a_product_is_suggested_by_its_name(name: str, meant: str) -> None:
    with pytest.raises(InputError, match="unknown target") as caught:
        machine(name)
    assert caught.value.hint.startswith(f"did you mean {meant}")


def test_the_names_that_are_known_are_all_those_that_are_taken() -> None:
    with pytest.raises(InputError, match="unknown target 'nonsense'") as caught:
        machine("nonsense")
    listed = set(re.split(r"[,()] ?", caught.value.hint.removeprefix("known: ")))
    for name in MACHINES:
        also = tomllib.loads((resources.files("bankwise.hardware") / f"{name}.toml").read_text())
        assert {name, *also.get("also", ())} <= {one.strip() for one in listed}


def test_an_unknown_instruction_gets_a_suggestion() -> None:
    with pytest.raises(InputError, match="no shared-memory instruction 'ds_read_b129'") as caught:
        machine("gfx942").instruction("ds_read_b129")
    assert "ds_read_b128" in caught.value.hint


@given(st.lists(st.integers(0, 63), max_size=64))
def test_lane_lists_survive_a_round_trip(values: list[int]) -> None:
    assert lanes(lane_text(tuple(values))) == tuple(values)


def gfx942() -> str:
    return (resources.files("bankwise.hardware") / "gfx942.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name = "gfx942"', "name = ", "Invalid value"),
        ('vendor = "amd"', 'vendor = "intel"', "'intel' is none of amd, nvidia"),
        ('direction = "read"', 'direction = "load"', "'load' is none of read, write"),
        ("wave_size = 64", "", "'wave_size' is missing"),
        ('phases = ["0-31", "32-63"]', "phases = [[0, 31]]", "'[0,' is no run of lanes"),
        ('phases = ["0-31", "32-63"]', 'phases = ["0-x"]', "'0-x' is no run of lanes"),
        ('phases = ["0-31", "32-63"]', 'phases = ["31-0"]', "'31-0' is no run of lanes"),
        ('phases = ["0-31", "32-63"]', 'phases = ["0-2147483647"]', "a wave has at most 1024"),
        ("wave_size = 64", "wave_size = 2147483647", "no number of lanes up to 1024"),
        ("wave_size = 64", "wave_size = 0", "no number of lanes up to 1024"),
        ('evidence = "inferred"', 'evidence = "rumoured"', "'rumoured' is none of"),
        ('source = ["analogy"]', 'source = ["nowhere"]', "source 'nowhere' is not listed"),
        ('source = "rocm-specs"', 'source = "nowhere"', "source 'nowhere' is not listed"),
        ("confidence = 0.98", 'confidence = "high"', "could not convert"),
    ],
)
def test_a_broken_machine_file_is_named_in_the_error(old: str, new: str, says: str) -> None:
    text = gfx942()
    assert old in text
    with pytest.raises(InputError, match=r"mine\.toml: bad machine file: ") as caught:
        parse(text.replace(old, new, 1), "mine.toml")
    assert says in str(caught.value)
