"""The transposes of sources 002 and 003 as kernels: counted, compiled, executed, measured."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.counting.conflict import count
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.lab.kernels.transpose import kernel
from bankwise.lab.kernels.transpose_ladder import blocked, ladder, relaid, solved
from bankwise.lab.kernels.transpose_launch import fitted, launch_counts
from bankwise.lab.kernels.transpose_order import grid
from bankwise.lab.kernels.transpose_plan import Schedule, Transpose, counts, tiles
from bankwise.lab.kernels.transpose_tune import fits, follow, plan, sample
from bankwise.lab.kernels.transpose_variant import SEEDS, Variant
from bankwise.notation.values import same_memory
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX
from bankwise.read.tile_file.read import read_question
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
    published = read_question(SPECS / f"{tutorial}.toml").published["conflicts"]
    assert extra(rung(name, target="gfx950"), "gfx950") == published


@pytest.mark.parametrize("name", ["row_major", "column_major", "padding", "xor", "m_vector"])
def test_and_the_published_number_of_lds_instructions(name):
    """05 is left out: CK promises its compiler an alignment that the padded rows do not have."""
    tutorial = next(t for t, n in TUTORIALS.items() if n == name)
    published = read_question(SPECS / f"{tutorial}.toml").published
    made = rung(name, target="gfx950")
    found = counts(made, machine("gfx950"))
    number = tiles(made, SIZE)
    assert found.read.instructions * number == published["loads"]
    assert found.write.instructions * number == published["stores"]


@pytest.mark.parametrize(("tutorial", "name"), TUTORIALS.items())
def test_the_layouts_are_the_descriptors_of_source_002(tutorial, name):
    layout = read_question(SPECS / f"{tutorial}.toml").layout
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
            assert launch_counts(made, H200, SIZE).extra == 0
            others = [launch_counts(other, H200, SIZE).extra for other in relaid(made)]
            assert others == [0] if variant.kind == "tma" else all(others)


def test_the_two_halves_move_every_element_of_the_tile_once():
    for made in (
        *ladder("fp32", H200),
        *(plan(v, "fp16", H200) for v in SEEDS["fp16"] if v.kind != "tma"),
    ):
        for walk in (made.write, made.read):
            m, k = walk.coordinates(32)
            cells = np.ravel_multi_index((m.ravel(), k.ravel()), made.tile)
            assert np.array_equal(np.sort(cells), np.arange(made.tile[0] * made.tile[1]))


def small(dtype: str) -> list[Transpose]:
    """Kernels of every shape of code, with tiles that a CPU moves quickly."""
    block = {"fp16": (8, 8), "fp32": (4, 4)}[dtype]
    ahead = Schedule("persistent", group=2, across=2, skew=1, prefetch=True, blocks=1)
    sweep = Schedule("tile", group=0, across=2, skew=2, load="p256", cluster=2)
    made = [
        blocked(dtype, (64, 64), 64, block, name="early"),
        blocked(dtype, (64, 64), 64, block, late=True, name="late", schedule=ahead),
        blocked(dtype, (64, 64), 64, (block[0] // 2, block[1]), name="flat", schedule=sweep),
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


ANY_SIZE = (
    ("fp16", Variant(64, 64, 64, kind="grid"), (3, 67, 133)),
    ("fp16", Variant(32, 64, 64, 2, True, kind="grid"), (2, 72, 67)),
    ("fp16", Variant(128, 32, 64, 2, kind="grid", single=True), (2, 127, 33)),
    ("fp32", Variant(64, 32, 64, 1, kind="grid"), (1, 5, 3)),
    ("fp32", Variant(32, 32, 64, 5, kind="grid"), (1, 33, 65)),
    ("fp32", Variant(64, 64, 64, kind="grid"), (2, 129, 71)),
    ("fp32", Variant(64, 32, 64, 1, kind="grid", group=1), (2, 129, 71)),
    ("fp32", Variant(32, 32, 64, 3, True, kind="grid"), (1, 63, 65)),
)
"""Rows that start anywhere on both sides, on one, on none; a matrix smaller than a vector."""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the kernels' texts")
@pytest.mark.parametrize(("dtype", "variant", "size"), ANY_SIZE)
def test_any_size_and_batch_is_transposed_and_nothing_beyond_it_touched(
    dtype, variant, size, tmp_path
):
    """The address sanitizer watches the ends of both arrays."""
    kind = {"fp16": np.uint16, "fp32": np.uint32}[dtype]
    random = np.random.default_rng(2)
    matrix = random.integers(0, np.iinfo(kind).max, size, dtype=kind, endpoint=True)
    made = fitted(plan(variant, dtype, H200, "k"), size[1:])
    assert np.array_equal(transposed(made, matrix, tmp_path), matrix.swapaxes(1, 2))


def test_tiles_at_the_edge_read_less_and_whole_ones_as_much_as_ever():
    made = plan(Variant(64, 64, 64, kind="grid"), "fp32", H200)
    one = counts(made, H200)
    assert launch_counts(made, H200, (128, 64), 3).read.passes == 6 * one.read.passes
    edge = launch_counts(made, H200, (64 + 4, 64))
    assert edge.write.passes == 2 * one.write.passes
    assert edge.read.instructions == 2 * one.read.instructions == 64
    assert edge.read.passes == one.read.passes + 64
    odd = fitted(made, (64 + 4, 65))
    assert odd.aligned == (False, True)
    assert fitted(made, (66, 65)).aligned == (False, False)


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
    subprocess.run(["nvcc", "-std=c++14", "-arch=sm_90", "-ptx", "-o", out, source], check=True)
    m, k = made.tile
    args = {"ctaid.x": 0, f"{made.name}_param_2": 4 * m, f"{made.name}_param_3": k}
    args |= {"nctaid.x": 4}
    (found,) = check_code(PTX, out.read_text(), "k.ptx", args=args)
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
        Schedule("tile", across=4, skew=1),
        Schedule("tile", group=8, across=2, skew=1),
        Schedule("tile", group=0),
        Schedule("tile", group=0, across=4, cluster=4),
        Schedule("tile", group=0, across=2, skew=4),
    ):
        made = blocked("fp16", (64, 64), 64, (8, 8), schedule=schedule)
        lines = [
            x.strip(" ;") for x in kernel(made).splitlines() if x.strip()[:4] in ("m0 =", "k0 =")
        ]
        taken = set()
        for b in range(16 * 8):
            names = {"b": b, "columns": 8, "M": 64 * 16}
            for line in lines:
                exec(line.replace("/", "//"), {}, names)
            taken.add((names["m0"], names["k0"]))
        assert taken == {(64 * i, 64 * j) for i in range(16) for j in range(8)}


def test_launches_cover_the_matrix():
    made = rung("row_major")
    assert grid(made, SIZE, 132) == (1024, 1, 1)
    assert tiles(made, SIZE) == 8192
    ahead = replace(made, schedule=Schedule("persistent", blocks=2))
    assert grid(ahead, SIZE, 132) == (264, 1, 1)
    assert grid(replace(made, schedule=Schedule("tile")), SIZE, 132) == (8192, 1, 1)
    every = blocked("fp16", (64, 64), 64, (8, 8), schedule=Schedule("grid", group=0))
    assert grid(every, (129, 64), 132, 5) == (3, 1, 5)
    turned = replace(every, schedule=Schedule("grid", group=1))
    assert grid(turned, (129, 64), 132, 5) == (1, 3, 5)
    for batch, words in ((65536, "a grid of 3 x 1 x 65536"), (2, "transposes one matrix")):
        with pytest.raises(InputError, match=words):
            grid(every if batch > 2 else made, (129, 64) if batch > 2 else SIZE, 132, batch)


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
        (
            lambda: plan(Variant(kind="persistent", blocks=1, cluster=2), "fp16", H200),
            "start together anyway",
        ),
        (lambda: tiles(plan(Variant(cluster=8), "fp16", H200), (256, 128)), "no multiple of 8"),
        (lambda: plan(Variant(512, 512), "fp32", H200), "is not for 128 threads"),
        (lambda: plan(Variant(kind="grid", group=4), "fp16", H200), "along all of m"),
        (lambda: plan(Variant(single=True, late=True), "fp16", H200), "leave as they lie"),
        (
            lambda: kernel(fitted(plan(Variant(late=True, kind="grid"), "fp16", H200), (65, 64))),
            "leave vector by vector",
        ),
    ],
)
def test_what_has_no_kernel_is_said(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_clusters_reach_nvcc_and_not_hip():
    text = kernel(plan(Variant(cluster=4), "fp16", H200))
    assert "void CLUSTER(4) __launch_bounds__(128)" in text
    amd, nvidia = text.split("#else", 1)
    assert "#define CLUSTER(n)\n" in amd
    assert "__cluster_dims__" not in amd
    assert "#define CLUSTER(n) __cluster_dims__(n, 1, 1)" in nvidia


def test_a_search_follows_every_choice_of_the_best_and_none_twice():
    start = SEEDS["fp32"][:2]
    near = follow(start, set(start), "fp32", 1000)
    assert len(set(near)) == len(near)
    assert not set(near) & set(start)
    names = [*Variant.__struct_fields__]
    changed = {
        name
        for one in near
        for name in names
        if any(replace(one, **{name: getattr(s, name)}) == s for s in start)
    }
    assert changed == set(names) - {"prefetch"}
    few = follow(start, set(start), "fp32", 40)
    assert {v.load for v in few} > {""}
    assert follow(start, {*start, *near}, "fp32", 40) == []


def test_samples_are_the_same_for_a_seed_and_all_have_kernels():
    one, two = (sample("fp16", 40, 7) for _ in range(2))
    assert one == two
    assert len(set(one)) == 40
    assert sample("fp16", 40, 8) != one
    assert all(fits(v, "fp16") for v in one)
