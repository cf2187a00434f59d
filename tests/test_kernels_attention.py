"""The attention and product kernels: what they touch, what is predicted, what was measured."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from collections import Counter
from functools import lru_cache
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.counting.access import Access
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.lab.bench_cases import Steps, bench_cases, check_outputs, export, read_shape, replayed
from bankwise.lab.kernels import attention, gemm
from bankwise.lab.kernels.cases import (
    BenchmarkCase,
    attention_cases,
    attention_shapes,
    gemm_cases,
    plan,
)
from bankwise.lab.kernels.generated import source, workgroup_passes
from bankwise.lab.kernels.tiles import VARIANTS, KernelTile, Passes, accesses
from bankwise.lab.report.bench_cases import medians
from bankwise.lab.report.bench_plot import plot_bench
from bankwise.lab.report.bench_row import BenchRow, bench_csv, bench_rows
from bankwise.lab.report.documents import bench_document
from bankwise.notation.nvidia_mma import fragment
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX
from bankwise.show.schema import plain

ROOT = Path(__file__).parent.parent
DATA = ROOT / "docs" / "data" / "h200_attention"
COUNTERS = ("read_passes", "read_extra", "write_passes", "write_extra")
attention_kernel = lru_cache(attention.kernel)
F16 = [("f16", "interleaved")]
F32 = [("f32", "interleaved"), ("f32", "blocked")]


def memory(tile: KernelTile, place, values: np.ndarray) -> np.ndarray:
    """The tile's bytes after its first store, elements that nobody wrote are NaN."""
    span = 16 // tile.element_bytes
    store = next(t for t in tile.touches if t.name.startswith("store"))
    lying = np.full(place.size_bytes // tile.element_bytes, np.nan)
    for k in range(span):
        rows, columns = store.rows, store.columns
        at = place.address(rows * tile.columns + columns)
        lying[at + k] = values[rows, columns + k]
    return lying


def read(tile: KernelTile, place, lying: np.ndarray, touch) -> np.ndarray:
    """[executions, waves, lanes, elements]: the 16 bytes at each lane's address."""
    at = place.address(touch.rows * tile.columns + touch.columns)
    return lying[at[..., None] + np.arange(16 // tile.element_bytes)]


def ldmatrix(rows: np.ndarray, *, transposed: bool) -> np.ndarray:
    """PTX ISA: lane 8 i + r gives row r of matrix i; [..., lane, matrix, 2] comes back."""
    matrices = rows.reshape(*rows.shape[:-2], 4, 8, 8)
    if transposed:
        matrices = np.swapaxes(matrices, -1, -2)
    lane = np.arange(32)
    pairs = np.stack([matrices[..., lane // 4, 2 * (lane % 4) + j] for j in (0, 1)], axis=-1)
    return np.moveaxis(pairs, -3, -2)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("head", attention.HEADS)
def test_fragments_of_every_layout_are_those_of_the_matrix_instruction(variant, head) -> None:
    one = attention_kernel(head, "f16", variant)
    ids = np.arange(64 * head, dtype=float).reshape(64, head)
    got = {}
    for tile, place in zip(attention.tiles(head, "f16"), one.placements, strict=True):
        touch = tile.touches[1]
        rows = read(tile, place, memory(tile, place, ids), touch)
        got[tile.name] = ldmatrix(rows, transposed=touch.instruction.endswith("trans"))
    left, right = (fragment("m16n8k16.f16", x).table[0] for x in "AB")
    for d in range(head // 16):
        for warp in range(4):
            rows, columns = left[..., 0] + 16 * warp, left[..., 1] + 16 * d
            assert (got["q"][d, warp].reshape(32, 8) == ids[rows, columns]).all()
    for n in range(4):
        for d in range(head // 16):
            for half in (0, 1):
                k = got["k"][n * (head // 16) + d, 0][:, 2 * half : 2 * half + 2].reshape(32, 4)
                assert (k == ids[right[..., 1] + 16 * n + 8 * half, right[..., 0] + 16 * d]).all()
                v = got["v"][n * (head // 16) + d, 3][:, 2 * half : 2 * half + 2].reshape(32, 4)
                assert (v == ids[right[..., 0] + 16 * n, right[..., 1] + 16 * d + 8 * half]).all()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("dealing", ["interleaved", "blocked"])
@pytest.mark.parametrize("head", attention.HEADS)
def test_f32_index_arithmetic_computes_attention(variant, dealing, head) -> None:
    """One workgroup over one tile of keys, every operand through the memory of its layout."""
    random = np.random.default_rng(7)
    values = {name: random.standard_normal((64, head)) for name in "qkv"}
    one = attention_kernel(head, "f32", variant, dealing=dealing)
    tiles = {t.name: t for t in attention.tiles(head, "f32", dealing)}
    places = {p.tile: p for p in one.placements}

    def loaded(name: str, lying: np.ndarray, *outer: int) -> np.ndarray:
        touch = next(t for t in tiles[name].touches if t.name.startswith("read"))
        return read(tiles[name], places[name], lying, touch).reshape(*outer, 4, 32, 4)

    q = loaded("q", memory(tiles["q"], places["q"], values["q"]), 8, head // 4)
    k = loaded("k", memory(tiles["k"], places["k"], values["k"]), 4, head // 4)
    scores = np.einsum("idwlx,jdwlx->ijwl", q, k)
    store = next(t for t in tiles["p"].touches if t.name.startswith("store"))
    p = np.full(places["p"].size_bytes // 4, np.nan)
    weights = np.exp(scores)
    sums = weights.sum(axis=1)
    for bit in (2, 4, 8, 16):
        sums = sums + sums[..., np.arange(32) ^ bit]
    for j in range(4):
        p[places["p"].address(store.rows * 64 + store.columns) + j] = weights[:, j]
    p = loaded("p", p, 8, 16)
    v = loaded("v", memory(tiles["v"], places["v"], values["v"]), head // 64, 4, 16)
    out = np.einsum("inwlj,gjnwlx->igwlx", p, v) / sums[:, None, ..., None]

    weights = np.exp(values["q"] @ values["k"].T)
    expected = weights / weights.sum(axis=1, keepdims=True) @ values["v"]
    lane, warp = np.arange(32), np.arange(4)[:, None]
    for i in range(8):
        interleaved, blocked = 2 * warp + lane % 2 + 8 * i, 16 * warp + 8 * (lane % 2) + i
        rows = interleaved if dealing == "interleaved" else blocked
        for g in range(head // 64):
            for x in range(4):
                columns = 4 * (lane // 2) + 64 * g + x
                np.testing.assert_allclose(out[i, g, ..., x], expected[rows, columns], rtol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("element", ["f16", "f32"])
def test_product_reads_every_element_where_it_was_stored(variant, element) -> None:
    one = gemm.kernel(element, variant)
    for tile, place in zip(gemm.tiles(element), one.placements, strict=True):
        ids = np.arange(tile.rows * tile.columns, dtype=float).reshape(tile.rows, tile.columns)
        lying, touch = memory(tile, place, ids), tile.touches[1]
        span = np.arange(16 // tile.element_bytes)
        wanted = ids[touch.rows[..., None], touch.columns[..., None] + span]
        assert (read(tile, place, lying, touch) == wanted).all()
        assert len(np.unique(wanted)) == ids.size


def test_f32_product_gives_every_thread_all_of_its_rows_and_columns() -> None:
    """Thread (warp, lane) multiplies each of its 8 rows by each of its 8 columns, over all of k."""
    a, b = (t.touches[1] for t in gemm.tiles("f32"))
    rows, columns = a.rows.reshape(8, 8, 8, 32), b.rows.reshape(8, 8, 8, 32)
    assert (rows == rows[:, :1]).all()
    assert (columns == columns[:, :1]).all()
    made = {(int(r), int(c)) for w in range(8) for lane in range(32)
            for r in rows[:, 0, w, lane] for c in columns[:, 0, w, lane]}  # fmt: skip
    assert len(made) == 128 * 128


def test_row_major_costs_what_the_bank_arithmetic_says() -> None:
    """Rows of 128 and 256 bytes are whole bank periods: the 8 rows of a phase are 8-way."""
    for head in attention.HEADS:
        once, trip = 4 * head // 16, 2 * 4 * 4 * head // 16
        found = workgroup_passes(attention_kernel(head, "f16", "none"), 5)
        assert found.read_passes == 8 * 4 * (once + 5 * trip)
        assert found.read_ideal == 4 * (once + 5 * trip)
        stores = 64 * head // 8 // 32 * 4
        assert found.write_passes == found.write_ideal == stores * (1 + 2 * 5)


@pytest.mark.parametrize(("element", "dealing"), [*F16, *F32])
def test_the_solver_clears_every_tile_and_proves_it(element, dealing) -> None:
    for head in attention.HEADS:
        one = attention_kernel(head, element, "swizzle", dealing=dealing)
        assert workgroup_passes(one, 3).extra == 0
        assert all(p.optimal for p in one.placements)
        plain = attention_kernel(head, element, "none", dealing=dealing)
        assert one.shared_bytes == plain.shared_bytes


def test_no_pad_of_whole_vectors_parts_rows_that_are_eight_apart() -> None:
    """8 rows times a pad of 4 words is a whole bank period; neighbouring rows do part."""
    for head in attention.HEADS:
        for pad in range(0, 32, 4):
            assert 8 * (head + pad) % 32 == 0
        blocked = attention_kernel(head, "f32", "padding", dealing="blocked")
        assert workgroup_passes(blocked, 3).extra > 0
        dealt = attention_kernel(head, "f32", "padding")
        assert workgroup_passes(dealt, 3).extra == 0
        assert dealt.shared_bytes > attention_kernel(head, "f32", "swizzle").shared_bytes


def test_variants_differ_in_the_addresses_and_sizes_alone() -> None:
    texts = [source(attention_kernel(128, "f32", v)) for v in VARIANTS]
    kept = [
        [x for x in t.split("\n") if "_BYTES " not in x and "    return " not in x] for t in texts
    ]
    head = texts[0].index("// Shared memory through")
    assert texts[0][head:] == texts[1][head - len(texts[0]) :] == texts[2][head - len(texts[0]) :]
    assert len(set(texts)) == 3
    assert kept[0][:5] == kept[1][:5] == kept[2][:5]


COMPILED = [
    *(BenchmarkCase("attention", (1, 128, 64), "f16", v) for v in VARIANTS),
    BenchmarkCase("attention", (1, 128, 128), "f16", "swizzle"),
    BenchmarkCase("attention", (1, 128, 64), "f32", "none"),
    BenchmarkCase("attention", (1, 128, 64), "f32", "padding"),
    BenchmarkCase("attention", (1, 128, 64), "f32", "swizzle"),
    BenchmarkCase("attention", (1, 128, 128), "f32", "swizzle", "blocked"),
    *(
        BenchmarkCase("gemm", (128, 128, 128), e, v)
        for e in ("f16", "f32")
        for v in ("none", "swizzle")
    ),
]


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="compiling the kernels needs nvcc")
@pytest.mark.parametrize("case", COMPILED, ids=lambda c: "-".join(map(str, c.words())))
def test_compiled_ptx_touches_exactly_what_was_counted(case: BenchmarkCase, tmp_path: Path) -> None:
    """Every address of every lane of every execution, followed through the compiler's PTX."""
    found = plan(case)
    (tmp_path / "kernel.cu").write_text(found.source)
    command = ["nvcc", "-std=c++14", "-arch=sm_90", "-ptx", "-o", "kernel.ptx", "kernel.cu"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    arguments = {"ctaid.x": 0, "ctaid.y": 0}
    arguments |= {4: 128} if case.kernel == "attention" else {3: 128, 4: 128}
    (kernel,) = check_code(
        PTX,
        (tmp_path / "kernel.ptx").read_text(),
        "kernel.ptx",
        "sm_90",
        args=arguments,
        workgroup_size=(found.threads, 1, 1),
    )
    assert not kernel.refusals
    assert not kernel.not_followed
    assert all(a.counted for a in kernel.accesses)
    compiled = _touched((a.instruction, a.access) for a in kernel.accesses)
    tiles, trips = _tiles(case)
    own = accesses(tiles, found.placements, trips, "sm_90")
    start, moved = {}, 0
    for place in found.placements:
        start[place.tile], moved = moved, moved + place.size_bytes
    assert compiled == _touched(((a.operation, a) for a in own), start)


def _touched(found, start: dict[str, int] | None = None) -> Counter:
    """How often each instruction touches each set of lane addresses."""
    seen: Counter = Counter()
    for name, one in found:
        assert isinstance(one, Access)
        for p in one.patterns:
            base = 0 if start is None else start[p.allocation]
            assert p.active.all()
            seen[name, (p.offsets_bytes.astype(np.int64) + base).tobytes()] += p.executions
    return seen


def _tiles(case: BenchmarkCase) -> tuple[tuple[KernelTile, ...], int]:
    if case.kernel == "gemm":
        return gemm.tiles(case.element), 128 // gemm.DEPTH[case.element]
    return attention.tiles(case.sizes[2], case.element, case.dealing), 2


@pytest.mark.parametrize(
    ("sizes", "kernel"),
    [((1, 100, 64), "attention"), ((1, 128, 80), "attention"), ((0, 64, 64), "attention"),
     ((128, 128, 32), "gemm"), ((100, 128, 64), "gemm")],
)  # fmt: skip
def test_sizes_that_a_kernel_does_not_take_are_refused(sizes, kernel) -> None:
    with pytest.raises(InputError) as caught:
        plan(BenchmarkCase(kernel, sizes, "f16", "none"))
    assert caught.value.hint


def test_too_few_repeats_are_refused_before_anything_runs() -> None:
    cases = gemm_cases([(128, 128, 64)], "f16")
    with pytest.raises(InputError, match="5 repeats"):
        bench_cases("gemm", cases, Steps(run=False, count=False, repeats=5))


def test_predictions_need_no_gpu() -> None:
    cases = attention_cases([(2, 128, 64)], "f16")
    report = bench_cases("attention", cases, Steps(run=False, count=False))
    assert report.device == ""
    assert [row.predicted_extra > 0 for row in report.rows] == [True, False, False]
    assert bench_csv(report.rows).count("\n") == 4


def test_the_shapes_are_those_of_the_evaluation() -> None:
    with (ROOT / "docs" / "data" / "attention_110.csv").open() as file:
        listed = {tuple(map(int, r["shape"].split("x"))) for r in csv.DictReader(file)}
    assert set(attention_shapes()) == listed
    assert len(attention_shapes()) == 110


def _row(shape: str, variant: str, ms: float, lds: int, extra: int) -> BenchRow:
    return BenchRow(
        "gemm", "f16", shape, variant, "", 1, 1, lds, 10 + extra, extra, 5, 0, 10 + extra, extra,
        5, 0, median_ms=ms, same_lds_ms=ms * 2 if variant == "swizzle" else None,
    )  # fmt: skip


def test_medians_are_of_ratios_shape_by_shape() -> None:
    rows = [
        _row("a", "none", 4, 100, 7),
        _row("a", "padding", 2, 110, 1),
        _row("a", "swizzle", 1, 100, 0),
        _row("b", "none", 6, 100, 9),
        _row("b", "padding", 2, 110, 0),
        _row("b", "swizzle", 4, 100, 0),
    ]
    (found,) = medians(rows)
    assert found.conflict_free == {"none": 0, "padding": 1, "swizzle": 2}
    assert found.conflicts == {"none": 8, "padding": 0.5, "swizzle": 0}
    assert (found.padding_speed, found.swizzle_speed) == (2.5, 2.75)
    assert (found.swizzle_over_padding, found.swizzle_faster) == (1.25, 1)
    assert found.lds_saved == pytest.approx(1 - 100 / 110)
    assert found.same_lds == pytest.approx((1 + 0.25) / 2)


def test_one_counter_that_differs_is_seen() -> None:
    good = _row("a", "none", 1, 1, 3)
    assert good.agrees
    assert good.correct is None
    for name in COUNTERS:
        counted = getattr(good, f"measured_{name}")
        more = replace(good, **{f"measured_{name}": counted + 1})
        assert more.agrees is False
        alone = {f"alone_{c}": getattr(good, f"measured_{c}") for c in COUNTERS}
        assert replace(more, **alone).agrees is True
        assert replace(more, **alone).measured_extra == good.measured_extra
        assert replace(good, **(alone | {f"alone_{name}": counted - 1})).agrees is False


@pytest.mark.parametrize("error", [float("nan"), 0.5])
def test_a_wrong_result_is_seen(error: float) -> None:
    assert replace(_row("a", "none", 1, 1, 3), max_error=error, tolerance=0.1).correct is False


def test_tables_come_back_as_they_were(tmp_path: Path) -> None:
    rows = (_row("a", "none", 1.5, 1, 3), _row("a", "swizzle", 1, 1, 0))
    assert bench_rows(bench_csv(rows), "x.csv") == rows
    with pytest.raises(InputError, match="other columns"):
        bench_rows("a,b\n1,2\n", "x.csv")
    broken = bench_csv(rows).replace("1.5", "much")
    with pytest.raises(InputError, match=r"x\.csv:2"):
        bench_rows(broken, "x.csv")


@pytest.mark.parametrize("text", ["4x4", "axbxc", "1x-2x3", "", "1x2x3x4"])
def test_what_is_no_shape_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no shape"):
        read_shape(text)


def test_unknown_outputs_are_refused_before_anything_is_measured() -> None:
    check_outputs([Path("a.csv"), Path("a.png")])
    with pytest.raises(InputError, match=r"a\.txt: unknown kind"):
        check_outputs([Path("a.csv"), Path("a.txt")])


def test_a_written_table_is_shown_without_a_gpu(tmp_path: Path) -> None:
    report = replayed("attention", str(DATA / "attention.csv"))
    assert report.good
    stated = json.loads((DATA / "attention.json").read_text())
    assert plain(bench_document(report))["medians"] == stated["medians"]
    export(report, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == (DATA / "attention.csv").read_text()
    with pytest.raises(InputError, match="a table of attention, not of gemm"):
        replayed("gemm", str(DATA / "attention.csv"))


def test_plots_need_times(tmp_path: Path) -> None:
    rows = tuple(_row(s, v, 1, 100, 0) for s in "ab" for v in VARIANTS)
    pytest.importorskip("matplotlib")
    plot_bench(rows, tmp_path / "a.svg", "title")
    assert "<svg" in (tmp_path / "a.svg").read_text()
    with pytest.raises(InputError, match="no times"):
        plot_bench([replace(r, median_ms=None) for r in rows], tmp_path / "b.svg", "")
    with pytest.raises(InputError, match="no kind of plot"):
        plot_bench(rows, tmp_path / "b.txt", "")


def measured(name: str) -> list[dict[str, str]]:
    with (DATA / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["attention", "gemm"])
def test_every_counter_of_every_launch_is_the_predicted_number(name: str) -> None:
    """One workgroup on an SM at a time; with several, other traffic adds and never takes away."""
    rows = measured(name)
    assert len(rows) == {"attention": 3 * 330, "gemm": 2 * 30}[name]
    for row in rows:
        for counter in COUNTERS:
            predicted = int(row[f"predicted_{counter}"])
            assert int(row[f"alone_{counter}"]) == predicted, row
            assert int(row[f"measured_{counter}"]) >= predicted, row
        assert float(row["max_error"]) <= float(row["tolerance"]), row
        assert int(row["repeats"]) >= 20


def test_passes_attributed_to_instructions_miss_only_conflicting_pairs() -> None:
    """The profiler's own arithmetic misses the merging of groups where such a load conflicts."""
    for row in [*measured("attention"), *measured("gemm")]:
        if not row["attributed_read_passes"]:
            continue
        assert row["attributed_write_passes"] == row["predicted_write_passes"]
        same = row["attributed_read_passes"] == row["predicted_read_passes"]
        assert same == ("f32" not in row["group"] or row["predicted_read_extra"] == "0")


def test_predictions_of_the_measured_launches_follow_from_the_kernels_accesses() -> None:
    """Passes are linear in the trips: two of them give every sequence."""
    known: dict[tuple[str, str, int], tuple[Passes, Passes, int]] = {}
    for row in measured("attention"):
        batch, sequence, head = map(int, row["shape"].split("x"))
        element, _, dealing = row["group"].partition(" ")
        key = (row["group"], row["variant"], head)
        if key not in known:
            one = attention_kernel(head, element, row["variant"], dealing=dealing or "interleaved")
            one_trip, two = (workgroup_passes(one, n) for n in (1, 2))
            known[key] = (one_trip, two, one.shared_bytes)
        first, second, lds = known[key]
        assert int(row["lds_bytes"]) == lds
        for counter in COUNTERS:
            a, b = getattr(first, counter), getattr(second, counter)
            expected = batch * (sequence // 64) * (a + (sequence // 64 - 1) * (b - a))
            assert int(row[f"predicted_{counter}"]) == expected


def test_the_swizzle_leaves_no_conflict_on_110_of_110_shapes_in_hardware() -> None:
    rows = measured("attention")
    for group in ("f16", "f32", "f32 blocked"):
        mine = [r for r in rows if r["group"] == group]
        assert len({r["shape"] for r in mine}) == 110
        free = Counter(
            r["variant"]
            for r in mine
            if int(r["alone_read_extra"]) + int(r["alone_write_extra"]) == 0
        )
        padding = 0 if group == "f32 blocked" else 110
        assert free == Counter(swizzle=110, padding=padding)


def test_the_stated_medians_are_those_of_the_rows() -> None:
    stated = json.loads((DATA / "attention.json").read_text())
    rows = measured("attention")
    assert stated["good"]
    assert "H200" in stated["device"]
    for group in stated["medians"]:
        time = {
            (r["shape"], r["variant"]): float(r["median_ms"])
            for r in rows
            if r["group"] == group["group"]
        }
        shapes = {shape for shape, _ in time}
        for key, slow, fast in (
            ("padding_speed", "none", "padding"),
            ("swizzle_speed", "none", "swizzle"),
            ("swizzle_over_padding", "padding", "swizzle"),
        ):
            ratios = [time[s, slow] / time[s, fast] for s in shapes]
            assert group[key] == pytest.approx(median(ratios))


def test_the_machine_knows_every_instruction_of_the_kernels() -> None:
    rows = machine("sm_90").instructions
    tiles = [*attention.tiles(64, "f16"), *attention.tiles(64, "f32"), *gemm.tiles("f16")]
    for tile in tiles:
        for touch in tile.touches:
            assert rows[touch.instruction].evidence == "measured"
