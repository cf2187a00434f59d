"""The transposes of sources 002 and 003 as kernels: counted, compiled, executed, measured."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bankwise.conflict import count
from bankwise.errors import InputError
from bankwise.isa.ptx.check import check_ptx
from bankwise.kernels.transpose import grid, kernel
from bankwise.kernels.transpose_ladder import blocked, ladder, relaid, solved
from bankwise.kernels.transpose_plan import Schedule, Transpose, counts, tiles
from bankwise.kernels.transpose_tune import SEEDS, Variant, fits, plan, sample
from bankwise.machine import machine
from bankwise.notation.values import same_memory
from bankwise.spec_file.read import read_spec
from emulated_kernel import transposed

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "examples" / "ck_transpose"
SIZE = (65536, 256)
H200 = machine("sm_90")
TUTORIALS = {
    "01": "row_major",
    "02": "column_major",
    "03": "padding",
    "05": "xor_padding",
    "08": "xor",
    "10": "m_vector",
}


def rung(name: str, dtype: str = "fp16", target: str = "sm_90") -> Transpose:
    return next(r for r in ladder(dtype, machine(target)) if r.name.endswith(name))


def extra(made: Transpose, target: str) -> int:
    return counts(made, machine(target)).extra * tiles(made, SIZE)


@pytest.mark.parametrize(("tutorial", "name"), TUTORIALS.items())
def test_each_rung_of_source_002_has_the_published_conflicts_on_its_own_gpu(tutorial, name):
    published = read_spec(SPECS / f"{tutorial}.toml").published["conflicts"]
    assert extra(rung(name, target="gfx950"), "gfx950") == published


@pytest.mark.parametrize("name", ["row_major", "column_major", "padding", "xor", "m_vector"])
def test_and_the_published_number_of_lds_instructions(name):
    """05 is left out: CK promises its compiler an alignment that the padded rows do not have."""
    tutorial = next(t for t, n in TUTORIALS.items() if n == name)
    published = read_spec(SPECS / f"{tutorial}.toml").published
    made = rung(name, target="gfx950")
    found = counts(made, machine("gfx950"))
    number = tiles(made, SIZE)
    assert found.read.instructions * number == published["loads"]
    assert found.write.instructions * number == published["stores"]


@pytest.mark.parametrize(("tutorial", "name"), TUTORIALS.items())
def test_the_layouts_are_the_descriptors_of_source_002(tutorial, name):
    layout = read_spec(SPECS / f"{tutorial}.toml").layout
    assert layout is not None
    assert same_memory(rung(name, target="gfx950").memory, layout.memory)


def test_with_warps_of_32_lanes_rung_10_conflicts_and_the_solvers_layout_does_not():
    assert extra(rung("m_vector"), "sm_90") == 524_288
    assert extra(rung("m_vector", target="gfx942"), "gfx942") == 524_288
    for dtype in ("fp16", "fp32"):
        assert extra(rung("solved", dtype), "sm_90") == 0


@pytest.mark.parametrize(
    ("name", "passes"),
    [("warp_row_major", 16), ("warp_padding", 2), ("warp_n_xor_m", 2), ("warp_n_xor_2m", 1)],
)
def test_a_step_of_the_column_read_of_source_003_takes(name, passes):
    found = counts(rung(name, "fp32"), H200)
    assert found.read.passes / found.read.instructions == passes
    assert found.write.passes == found.write.instructions


def test_register_blocks_under_solved_layouts_are_free_and_row_major_ones_are_not():
    for dtype in SEEDS:
        for variant in SEEDS[dtype][:2]:
            made = plan(variant, dtype, H200)
            assert counts(made, H200).extra == 0
            assert all(counts(other, H200).extra > 0 for other in relaid(made))


def test_the_two_halves_move_every_element_of_the_tile_once():
    for made in (*ladder("fp32", H200), *(plan(v, "fp16", H200) for v in SEEDS["fp16"])):
        for walk in (made.write, made.read):
            m, k = walk.coordinates(32)
            cells = np.ravel_multi_index((m.ravel(), k.ravel()), made.tile)
            assert np.array_equal(np.sort(cells), np.arange(made.tile[0] * made.tile[1]))


def small(dtype: str) -> list[Transpose]:
    """Kernels of every shape of code, with tiles that a CPU moves quickly."""
    block = {"fp16": (8, 8), "fp32": (4, 4)}[dtype]
    ahead = Schedule("persistent", group=2, across=2, skew=True, prefetch=True, blocks=1)
    made = [
        blocked(dtype, (64, 64), 64, block, name="early"),
        blocked(dtype, (64, 64), 64, block, late=True, name="late", schedule=ahead),
        blocked(dtype, (64, 64), 64, (block[0] // 2, block[1]), name="flat"),
        blocked(dtype, (64, 32), 64, (block[0], block[1] // 2), late=True, name="slim"),
    ]
    made[3] = replace(made[3], schedule=Schedule("persistent", group=1, across=2, blocks=2))
    return [*(solved(one, H200) for one in made), relaid(made[0])[1]]


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the kernels' texts")
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_every_shape_of_kernel_executed_on_the_cpu_transposes_every_bit(dtype, tmp_path):
    kind = {"fp16": np.uint16, "fp32": np.uint32}[dtype]
    random = np.random.default_rng(1)
    matrix = random.integers(0, np.iinfo(kind).max, (256, 128), dtype=kind, endpoint=True)
    few = {"fp16": ("xor_padding", "_xor", "m_vector"), "fp32": ("32_padding", "n_xor_2m")}[dtype]
    chosen = [r for r in ladder(dtype, H200) if r.name.endswith(few)]
    assert len(chosen) == len(few)
    for made in (*chosen, *small(dtype)):
        assert np.array_equal(transposed(made, matrix, tmp_path), matrix.T), made.name


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the kernels' texts")
def test_a_wrong_address_is_caught_by_executing_it(tmp_path, monkeypatch):
    """The emulation is a judge only if it says no."""
    made = small("fp16")[0]
    text = kernel(made)
    assert text.count("offset(k + 1, m)") == 1
    matrix = np.arange(256 * 128, dtype=np.uint16).reshape(256, 128)
    wrong = text.replace("offset(k + 1, m)", "offset(k + 2, m)")
    monkeypatch.setattr("emulated_kernel.kernel", lambda one: wrong)
    assert not np.array_equal(transposed(made, matrix, tmp_path), matrix.T)


def compiled() -> list[Transpose]:
    """What is compiled here: both types, all shapes of code."""
    fp32 = [r for r in ladder("fp32", H200) if r.name in ("transpose_fp32_xor", "warp_n_xor_m")]
    tuned = [plan(SEEDS["fp16"][0], "fp16", H200, "tuned"), *relaid(small("fp32")[0])]
    return [*ladder("fp16", H200), *fp32, *tuned]


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")
@pytest.mark.parametrize("made", compiled(), ids=lambda made: made.name)
def test_the_compiled_code_touches_shared_memory_as_the_plan_was_counted(made, tmp_path):
    source, out = tmp_path / "k.cu", tmp_path / "k.ptx"
    source.write_text(kernel(made))
    subprocess.run(["nvcc", "-arch=sm_90", "-ptx", "-o", out, source], check=True)
    m, k = made.tile
    args = {"ctaid.x": 0, f"{made.name}_param_2": 4 * m, f"{made.name}_param_3": k}
    args |= {"nctaid.x": 4}
    (found,) = check_ptx(out.read_text(), "k.ptx", args=args)
    assert not found.refusals
    planned = counts(made, H200)
    for half, expected in (("write", planned.write), ("read", planned.read)):
        seen = [0, 0, 0]
        for one in found.accesses:
            if one.access.direction != half:
                continue
            for pattern in one.access.patterns:
                cost = count(
                    H200.instruction(one.instruction), pattern.offsets_bytes, pattern.active
                )
                waves = int(pattern.active.any(axis=-1).sum())
                parts = (waves, int(cost.passes.sum()), int(cost.extra.sum()))
                seen = [a + b * pattern.executions for a, b in zip(seen, parts, strict=True)]
        assert seen == [expected.instructions, expected.passes, expected.extra], half


def test_blocks_in_any_order_take_every_tile_once():
    """The text's own arithmetic, evaluated."""
    for schedule in (
        Schedule("tile"),
        Schedule("tile", group=4),
        Schedule("tile", across=4, skew=True),
        Schedule("tile", group=8, across=2, skew=True),
    ):
        made = blocked("fp16", (64, 64), 64, (8, 8), schedule=schedule)
        lines = [
            x.strip(" ;") for x in kernel(made).splitlines() if x.strip()[:4] in ("m0 =", "k0 =")
        ]
        taken = set()
        for b in range(16 * 8):
            names = {"b": b, "columns": 8}
            for line in lines:
                exec(line.replace("/", "//"), {}, names)
            taken.add((names["m0"], names["k0"]))
        assert taken == {(64 * i, 64 * j) for i in range(16) for j in range(8)}


def test_launches_cover_the_matrix():
    made = rung("row_major")
    assert grid(made, SIZE, 132) == 1024
    assert tiles(made, SIZE) == 8192
    ahead = replace(made, schedule=Schedule("persistent", blocks=2))
    assert grid(ahead, SIZE, 132) == 264
    assert grid(replace(made, schedule=Schedule("tile")), SIZE, 132) == 8192


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ladder("fp8", H200), "unknown type 'fp8'"),
        (lambda: tiles(rung("xor"), (100, 256)), "100 x 256 is no multiple"),
        (lambda: blocked("fp16", (64, 64), 100, (8, 8)), "no multiple of 8 vectors"),
        (lambda: blocked("fp16", (64, 64), 256, (8, 8)), "do not cover"),
        (lambda: blocked("fp16", (64, 64), 64, (8, 1)), "a vector of 2 bytes"),
        (
            lambda: blocked("fp16", (64, 64), 64, (8, 8), schedule=Schedule("tile", load="wt")),
            "unknown cache hint 'wt'",
        ),
        (lambda: plan(Variant(kind="persistent"), "fp16", H200), "need a number"),
        (lambda: plan(Variant(prefetch=True), "fp16", H200), "no next tile"),
        (lambda: plan(Variant(512, 512), "fp32", H200), "is not for 128 threads"),
    ],
)
def test_what_has_no_kernel_is_said(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_samples_are_the_same_for_a_seed_and_all_have_kernels():
    one, two = (sample("fp16", 40, 7) for _ in range(2))
    assert one == two
    assert len(set(one)) == 40
    assert sample("fp16", 40, 8) != one
    assert all(fits(v, "fp16") for v in one)


MEASURED = ROOT / "docs" / "data" / "h200_transpose" / "results.csv"


def measured() -> list[dict[str, str]]:
    return list(csv.DictReader(MEASURED.open()))


def named(text: str) -> Variant:
    """A variant from the words that name it in the tables."""
    tile, threads, block, late, order, *rest = text.split()
    hints, kind = rest[-1].split("/"), next(w for w in rest if w in ("tile", "persistent"))
    blocks = [w for w in rest if w.startswith("x")]
    m, k = map(int, tile.split("x"))
    across, group = map(int, order.removeprefix("order").split("x"))
    load, store = ("" if h == "plain" else h for h in hints)
    return Variant(
        m, k, int(threads[1:]), int(block[5:]), late == "late", group, across, "skew" in rest,
        kind, "prefetch" in rest, int(blocks[0][1:]) if blocks else 0, load, store,
    )  # fmt: skip


def test_the_measured_counters_of_the_h200_are_what_is_counted_here_from_the_layouts():
    rows = [r for r in measured() if r["measured_extra"]]
    names = {r["name"] for r in rows}
    assert {r.name for d in ("fp16", "fp32") for r in ladder(d, H200)} <= names
    for row in rows:
        size = (int(row["m"]), int(row["k"]))
        made = next((r for r in ladder(row["dtype"], H200) if r.name == row["name"]), None)
        if made is None:
            made = plan(named(row["variant"]), row["dtype"], H200)
            if row["kind"] == "relaid":
                made = next(r for r in relaid(made) if r.name[-7:] == row["name"][-7:])
        found, number = counts(made, H200), tiles(made, size)
        assert int(row["measured_extra"]) == found.extra * number, row["name"]
        assert int(row["measured_passes"]) == (found.write.passes + found.read.passes) * number
        assert row["correct"] == "True"
    cases = {(r["dtype"], r["k"]) for r in rows}
    assert cases == {(d, k) for d in ("fp16", "fp32") for k in ("256", "4096")}


def test_the_measured_shares_follow_from_the_measured_times():
    rows = measured()
    copies = {(r["dtype"], r["k"]): r for r in rows if r["kind"] == "copy"}
    for row in rows:
        copy = copies[row["dtype"], row["k"]]
        share = float(copy["median_ms"]) / float(row["median_ms"])
        assert float(row["share"]) == pytest.approx(share, rel=1e-9)
        size = int(row["m"]) * int(row["k"]) * {"fp16": 2, "fp32": 4}[row["dtype"]] * 2
        assert float(row["gb_per_s"]) == pytest.approx(
            size / float(row["median_ms"]) / 1e6, rel=1e-3
        )


def test_the_best_kernel_beats_triton_and_torch_and_reaches_the_copy_as_the_page_says():
    rows = measured()
    for dtype in ("fp16", "fp32"):
        for k in ("256", "4096"):
            rates: dict[str, float] = {}
            for row in rows:
                if (row["dtype"], row["k"]) == (dtype, k):
                    rates[row["kind"]] = max(rates.get(row["kind"], 0), float(row["gb_per_s"]))
            assert rates["tuned"] > rates["triton"] > rates["torch"]
            assert rates["tuned"] >= (0.98 if dtype == "fp16" else 0.95) * rates["copy"]


def test_the_page_shows_the_tables_of_the_measured_data():
    words = [sys.executable, str(ROOT / "benchmarks" / "h200_transpose.py"), "tables"]
    found = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert found.count("\n| ") > 50
    assert found.strip() in (ROOT / "docs" / "results_transpose.md").read_text("utf-8")


def test_at_least_200_variants_were_tried_for_every_matrix():
    rows = list(csv.DictReader(MEASURED.with_name("variants.csv").open()))
    tried = Counter((r["dtype"], r["k"]) for r in rows)
    assert set(tried) == {(d, k) for d in ("fp16", "fp32") for k in ("256", "4096")}
    assert min(tried.values()) >= 200
