"""The seven CK transpose kernels, from their own texts: every published number comes out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bankwise.ask.coalesce import coalesce_spec
from bankwise.ask.spec import check_spec, check_spec_text
from bankwise.notation import ck
from bankwise.read.tile_file.read import parse_question, read_question

FOLDER = Path(__file__).parents[1] / "examples" / "ck_transpose"
KERNELS = ("01", "02", "03", "04", "05", "08", "10")
COUNTED = tuple(k for k in KERNELS if k != "04")
WAVES, LAUNCH = 4, 1024 * 8


def kernel(name: str) -> Path:
    return FOLDER / f"{name}.toml"


def per_wave(name: str, target: str = "gfx950", banks: str = "") -> float:
    """Extra passes of write and read in one pass over the tile; ``banks``: of the descriptor."""
    text = kernel(name).read_text()
    if banks:
        assert '"get_n_lds_banks()"' in text
        text = text.replace('"get_n_lds_banks()"', banks)
    return check_spec_text(text, target=target).check.totals.once.extra / WAVES


def published(name: str) -> dict[str, tuple[object, object]]:
    return {p.name: (p.value, p.counted) for p in check_spec(kernel(name)).published}


def test_the_folder_holds_the_seven_kernels():
    assert sorted(p.stem for p in FOLDER.glob("*.toml")) == list(KERNELS)


@pytest.mark.parametrize("name", KERNELS)
def test_every_published_conflict_counter_comes_out_exactly_under_the_rules_of_gfx950(name):
    value, counted = published(name)["conflicts"]
    assert counted == value


@pytest.mark.parametrize("name", COUNTED)
def test_every_published_number_of_lds_instructions_comes_out_exactly(name):
    for kind in ("loads", "stores"):
        value, counted = published(name)[kind]
        assert counted == value, kind


@pytest.mark.parametrize(
    ("name", "extra"),
    [("01", 112), ("02", 48), ("03", 24), ("04", 48), ("05", 0), ("08", 0), ("10", 0)],
)
def test_extra_passes_per_wave_iteration_are_those_of_the_published_counters(name, extra):
    """3,670,016 / 32,768 and so on; 04: 3,072 in 64 wave iterations."""
    assert per_wave(name) == extra


@pytest.mark.parametrize("name", COUNTED)
def test_gfx942_with_its_own_descriptor_agrees_except_for_kernel_10(name):
    value = published(name)["conflicts"][0]
    assert isinstance(value, int)
    assert per_wave(name, "gfx942") == (16 if name == "10" else value / (LAUNCH * WAVES))


def test_no_published_row_but_10_decides_between_the_two_machines():
    assert per_wave("10", "gfx942") * LAUNCH * WAVES == 524_288
    assert published("10")["conflicts"][0] == 0


def test_an_xor_descriptor_for_32_banks_costs_4_per_wave_iteration_on_gfx950():
    """Published as non-zero for kernel 07, which has 08's descriptor with the banks fixed to 32."""
    assert per_wave("08", banks="32") == 4


def test_row_mul_changes_nothing_because_xor_never_reads_its_first_length():
    text = kernel("08").read_text()
    doubled = text.replace(
        "make_xor_transform(make_tuple(number<kM / MLdsLayer>{},",
        "make_xor_transform(make_tuple(number<kM / MLdsLayer * 2>{},",
    )
    assert doubled != text
    plain, twice = (parse_question(t).layout.memory for t in (text, doubled))
    everything = np.moveaxis(np.indices((64, 32)), 0, -1)
    assert (plain.offsets(everything) == twice.offsets(everything)).all()


@pytest.mark.parametrize(
    ("name", "instructions", "lines"),
    [*((n, 8, 16) for n in ("01", "02", "03", "04", "05")), ("08", 8, 2), ("10", 1, 16)],
)
def test_global_stores_in_64_byte_lines_per_wave_iteration(name, instructions, lines):
    """08's eight narrow stores touch no more lines than 10's wide one: they are coalesced."""
    store = next(r for r in coalesce_spec(kernel(name)).rows if r.name == "store")
    assert (store.instructions, store.lines) == (instructions, (lines, lines))
    assert store.line_bytes == 64


@pytest.mark.parametrize("name", KERNELS)
def test_the_global_load_of_every_kernel_is_one_fully_coalesced_16_byte_load(name):
    load = next(r for r in coalesce_spec(kernel(name)).rows if r.name == "load")
    assert (load.instructions, load.width_bytes, load.lines) == (1, 16, (16, 16))
    assert load.efficiency == 1


@pytest.mark.parametrize(
    ("name", "side", "vector", "policy"),
    [
        ("01", "write", None, "iree"),
        ("03", "write", None, "iree"),
        ("05", "write", 8, "ck"),
        ("05", "read", None, "iree"),
        ("08", "write", 8, "ck"),
        ("08", "read", 8, "ck"),
        ("10", "read", None, "iree"),
    ],
)
def test_guarantees_decide_who_makes_the_vectors(name, side, vector, policy):
    spec = read_question(kernel(name))
    access = next(a for a in spec.accesses if a.name == side)
    memory = (access.layout or spec.layout).memory
    assert ck.emitted(access.held.distribution, memory) == (vector, policy)


@pytest.mark.parametrize("name", KERNELS)
def test_write_and_read_of_a_kernel_use_the_same_memory(name):
    assert check_spec(kernel(name)).check.findings == ()
    assert not ck.legality(read_question(kernel(name)).layout.memory)
