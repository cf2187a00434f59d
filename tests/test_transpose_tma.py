"""Transposes whose tiles the tensor copy engine moves: addresses, passes, text, launches."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.counting.conflict import count
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.lab.gpu import tensor_map as maps
from bankwise.lab.gpu import transpose_run
from bankwise.lab.kernels.transpose import dynamic_bytes, kernel
from bankwise.lab.kernels.transpose_ladder import relaid
from bankwise.lab.kernels.transpose_launch import launch_counts
from bankwise.lab.kernels.transpose_order import grid
from bankwise.lab.kernels.transpose_tma import TensorTranspose, best_mode, engine_counts, layouts
from bankwise.lab.kernels.transpose_tune import fits, neighbours, plan, sample, takes
from bankwise.lab.kernels.transpose_variant import SEEDS, Variant, from_json, to_json
from bankwise.read.binary.check import check_binary
from bankwise.read.toolkit import find_program
from emulated_kernel import transposed

H200 = machine("sm_90")
BYTES = {"fp16": 2, "fp32": 4}
BASE = {
    "fp16": Variant(64, 128, 64, kind="tma", blocks=3),
    "fp32": Variant(64, 64, 128, kind="tma", blocks=4, load="el"),
}
TILES = {
    "fp16": ((64, 64, 64), (128, 64, 128), (64, 256, 256), (128, 128, 64)),
    "fp32": ((64, 64, 256), (32, 64, 64), (128, 32, 64), (64, 128, 128), (32, 32, 64)),
}
"""Tiles with their threads: one step or several, square and not, one slab and several."""


def made(dtype: str, variant: Variant, name: str = "k") -> TensorTranspose:
    found = plan(variant, dtype, H200, name)
    assert isinstance(found, TensorTranspose)
    return found


def small(dtype: str) -> list[TensorTranspose]:
    shapes = [Variant(m, k, t, kind="tma") for m, k, t in TILES[dtype]]
    return [made(dtype, one, f"k{number}") for number, one in enumerate(shapes)]


def hand(one: TensorTranspose, swizzled: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Bytes where thread t reads and writes 16 bytes, [instructions, threads], written out."""
    (tm, tk), size = one.tile, one.element_bytes
    wide, each = 128 // size, 16 // size
    read, write = [], []
    for step in range(tm * tk // each**2 // one.threads):
        for i in range(each):
            places = ([], [])
            for t in range(one.threads):
                u = t + step * one.threads
                mi, kc = u & 7, (u & 7) ^ (u >> 3 & 7)
                sm, sk = (u >> 6) % (tm // wide), (u >> 6) // (tm // wide)
                r, q = sm * wide + each * mi + i, sk * wide + each * kc + i
                turned = (r & 7, q & 7) if swizzled else (0, 0)
                places[0].append(sk * tm * 128 + r * 128 + ((kc ^ turned[0]) << 4))
                places[1].append(sm * tk * 128 + q * 128 + ((mi ^ turned[1]) << 4))
            read.append(places[0])
            write.append(places[1])
    return np.array(read), np.array(write)


def passes(bytes_of_lanes: list[int]) -> int:
    """Of one instruction that moves 16 bytes a lane: 8 lanes at a time, a turn for every
    different word of one bank."""
    total = 0
    for first in range(0, 32, 8):
        words = {at // 4 + i for at in bytes_of_lanes[first : first + 8] for i in range(4)}
        banks = [word % 32 for word in words]
        total += max(banks.count(bank) for bank in set(banks))
    return total


def written(one: TensorTranspose) -> tuple[np.ndarray, np.ndarray]:
    """The same bytes by the arithmetic of the kernel's text, evaluated."""
    text = kernel(one)
    returned = re.search(r"offset\(int row, int column\) \{\s*return (.+);", text)
    assert returned
    loops = re.findall(r"for \(int s = 0; s < (\d+); \+\+s\) \{(.+?)\n  \}", text, re.DOTALL)
    found = []
    for steps, body in loops:
        names = [part for line in re.findall(r"const int (.+);", body) for part in line.split(", ")]
        places = re.findall(r"tile \+ offset\((.+), (.+)\)\)", body)
        assert len(places) == one.each
        rows = []
        for s, (row, column) in product(range(int(steps)), places):
            values = {"s": s, "t": np.arange(one.threads)}
            for line in names:
                exec(line.replace("/", "//"), {}, values)
            at = {"row": eval(row, {}, values), "column": eval(column, {}, values)}
            rows.append(eval(returned[1], {}, at) * one.element_bytes)
        found.append(np.array(rows))
    return found[0], found[1]


def of_warps(places: np.ndarray) -> list[list[int]]:
    return places.reshape(-1, 32).tolist()


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_the_solver_proves_that_nothing_undercuts_the_128_byte_swizzle(dtype):
    answer = layouts(BYTES[dtype])
    assert answer.optimal
    assert answer.known.space == "all layouts"
    assert best_mode(BYTES[dtype]) == "128B"
    modes = {one.label.split()[0]: one.plan for one in answer.modes if one.plan is not None}
    assert modes["128B"].passes == answer.layout.passes == 4 + 4
    assert modes["64B"].passes > 8
    one = made(dtype, BASE[dtype])
    offsets = np.arange(128 // one.element_bytes * 64)
    byte = offsets * one.element_bytes
    swizzled = (byte ^ (byte >> 7 & 7) << 4) // one.element_bytes
    assert np.array_equal(one.address(offsets), swizzled)
    square = offsets[: (128 // one.element_bytes) ** 2]
    assert np.array_equal(modes["128B"].layout(square), swizzled[: len(square)])


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_the_text_uses_the_addresses_that_are_free_of_conflicts(dtype):
    for one in small(dtype):
        for places, text in zip(hand(one), written(one), strict=True):
            assert np.array_equal(places, text)
            assert all(passes(lanes) == 4 for lanes in of_warps(text))
        every = np.sort(np.concatenate(hand(one)[0]))
        assert np.array_equal(every, np.arange(0, one.tile_bytes, 16))


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_tiles_and_launches_cost_what_a_brute_force_counts(dtype):
    for one in small(dtype):
        for swizzled, each in ((True, one), (False, relaid(one)[0])):
            found = engine_counts(each, H200)
            for half, places in zip((found.read, found.write), hand(one, swizzled), strict=True):
                lanes = of_warps(places)
                assert half.instructions == len(lanes)
                assert half.passes == sum(map(passes, lanes))
                assert half.extra == half.passes - 4 * len(lanes)
        m, k = one.tile
        launch = launch_counts(one, H200, (3 * m, 5 * k))
        assert launch.read.passes == 15 * engine_counts(one, H200).read.passes


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_lanes_that_are_not_turned_would_conflict_in_either_mode(dtype):
    """Why thread 8 a + x takes block (x, x XOR a), and not (x, a)."""
    each = 16 // BYTES[dtype]
    for swizzled in (False, True):
        costs = []
        for side in ("read", "write"):
            blocks = [(lane & 7, lane >> 3) for lane in range(32)]
            at = [(x, y) if side == "read" else (y, x) for x, y in blocks]
            lanes = [
                row * each * 128 + (c ^ (row * each & 7 if swizzled else 0)) * 16 for row, c in at
            ]
            costs.append(passes(lanes))
        assert sum(costs) > 2 * 8


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the kernels' texts")
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_every_shape_executed_on_the_cpu_transposes_every_bit(dtype, tmp_path):
    kind = {"fp16": np.uint16, "fp32": np.uint32}[dtype]
    random = np.random.default_rng(3)
    across = replace(BASE[dtype], across=2)
    plain = relaid(small(dtype)[0])[0]
    for one in (*small(dtype), made(dtype, across, "across"), plain):
        size = 2 * one.tile[0], 2 * one.tile[1]
        matrix = random.integers(0, np.iinfo(kind).max, size, dtype=kind, endpoint=True)
        assert np.array_equal(transposed(one, matrix, tmp_path), matrix.T), one.name


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ to compile the kernels' texts")
def test_a_tensor_map_in_another_mode_is_caught_by_executing_it(tmp_path, monkeypatch):
    """The emulation is a judge only if it says no."""
    one = made("fp32", BASE["fp32"])
    matrix = np.arange(128 * 128, dtype=np.uint32).reshape(128, 128)
    wrong = replace(one, mode="none")
    assert "^ ((row & 7) * 4)" in kernel(one)
    monkeypatch.setattr("emulated_kernel.kernel", lambda _: kernel(one))
    assert not np.array_equal(transposed(wrong, matrix, tmp_path), matrix.T)


def choices(dtype: str) -> list[TensorTranspose]:
    """Every tile, each side of one with every number of threads, and every other choice of one."""
    base = BASE[dtype]
    found = {one for one in neighbours(base, dtype) if one.kind == "tma"} | {base}
    sides, seen = (32, 64, 128, 256), set()
    for m, k, threads in product(sides, sides, (64, 128, 256, 512, 1024)):
        one = Variant(m, k, threads, kind="tma")
        pairs = {(m, k), (m, "m", threads), (k, "k", threads)}
        if fits(one, dtype) and not pairs <= seen:
            found.add(one)
            seen |= pairs
    for load, store in product(("", "el", "ef", "el20"), ("", "el", "ef")):
        found.add(replace(base, load=load, store=store))
    found.add(replace(base, load="el20", store="ef", across=8))
    some = sorted((one for one in found if fits(one, dtype)), key=str)
    plans = [made(dtype, one, f"k{number}") for number, one in enumerate(some)]
    return [*plans, *relaid(replace(plans[0], name="plain"))]


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on PATH")
@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_the_text_of_every_choice_compiles_and_keeps_its_registers(dtype, tmp_path):
    """Namespaces keep the texts apart: nvcc starts once."""
    source = tmp_path / "k.cu"
    every = choices(dtype)
    assert {one.tile for one in every} >= {(64, 64), (128, 64), (64, 256)}
    assert {one.schedule.blocks for one in every} >= {0, 2, 3, 4}
    texts = (f"namespace n{i} {{\n{kernel(one)}}}\n" for i, one in enumerate(every))
    source.write_text("".join(texts))
    words = [
        "nvcc",
        "-std=c++14",
        "-arch=sm_90",
        "-cubin",
        "-Xptxas",
        "-v",
        "-o",
        tmp_path / "k.cubin",
        source,
    ]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert done.stderr.count("0 bytes spill stores, 0 bytes spill loads") == len(every)
    assert "warning" not in done.stderr


@pytest.mark.skipif(
    shutil.which("nvcc") is None or find_program("nvdisasm") is None,
    reason="no nvcc on PATH, or no nvdisasm",
)
@pytest.mark.parametrize(("dtype", "number"), [("fp16", 0), ("fp16", 3), ("fp32", 0), ("fp32", 3)])
def test_the_machine_code_touches_the_bytes_that_were_written_out(dtype, number, tmp_path):
    one = small(dtype)[number]
    source, out = tmp_path / "k.cu", tmp_path / "k.cubin"
    source.write_text(kernel(one))
    subprocess.run(["nvcc", "-std=c++14", "-arch=sm_90", "-cubin", "-o", out, source], check=True)
    (found,) = check_binary(out, workgroup_size=(one.threads, 1, 1))
    assert not found.refusals
    wanted = dict(zip(("read", "write"), map(of_warps, hand(one)), strict=True))
    rows = {"ld.shared.b128": "read", "st.shared.b128": "write"}
    seen: dict[str, list[list[int]]] = {"read": [], "write": []}
    for access in (a for a in found.accesses if a.instruction in rows):
        for pattern in access.access.patterns:
            cost = count(
                H200.instruction(access.instruction), pattern.offsets_bytes, pattern.active
            )
            assert pattern.active.all()
            assert (cost.passes == 4).all()
            assert not cost.extra.any()
            seen[rows[access.instruction]] += pattern.offsets_bytes.reshape(-1, 32).tolist()
    first = min(min(lanes) for lanes in seen["read"])
    for half, lanes in seen.items():
        assert sorted([at - first for at in one] for one in lanes) == sorted(wanted[half]), half


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_blocks_in_any_order_take_every_tile_once(dtype):
    for across in (1, 2, 4, 8):
        one = made(dtype, replace(BASE[dtype], across=across))
        text = [
            x.strip(" ;") for x in kernel(one).splitlines() if x.strip()[:4] in ("m0 =", "k0 =")
        ]
        taken = set()
        (m, k), size = one.tile, (4 * one.tile[0], 8 * one.tile[1])
        for b in range(grid(one, size, 132)[0]):
            names = {"b": b, "M": size[0], "K": size[1]}
            for line in text:
                exec(line.replace("/", "//"), {}, names)
            taken.add((names["m0"], names["k0"]))
        assert taken == {(m * i, k * j) for i in range(4) for j in range(8)}


def test_so_many_blocks_fit_a_multiprocessor_and_one_more_does_not():
    for dtype, blocks in product(BYTES, (2, 3, 4, 5, 6, 8, 12)):
        variant = Variant(64, 64, 64, kind="tma", blocks=blocks)
        if not fits(variant, dtype):
            continue
        one = made(dtype, variant)
        whole = dynamic_bytes(one) + 1024 + 1024
        assert whole * blocks <= 227 * 1024 < whole * (blocks + 1)
        assert dynamic_bytes(one) >= one.tile_bytes
        assert f"// Dynamic shared memory: {dynamic_bytes(one)} bytes." in kernel(one)
    assert dynamic_bytes(made("fp32", Variant(64, 64, 64, kind="tma"))) == 64 * 64 * 4


@pytest.mark.parametrize(
    ("dtype", "variant", "words"),
    [
        ("fp32", Variant(512, 32, 256, kind="tma"), "boxes of 128 bytes by 256 rows"),
        ("fp16", Variant(32, 64, 64, kind="tma"), "is not made of them"),
        ("fp16", Variant(64, 64, 128, kind="tma"), "do not share 64 x 64"),
        ("fp32", Variant(256, 128, 64, kind="tma"), "512 words a thread"),
        ("fp32", Variant(128, 128, 256, kind="tma", blocks=4), "do not fit"),
        ("fp32", Variant(64, 64, 256, kind="tma", blocks=12), "12 blocks of 256 threads"),
        ("fp32", Variant(64, 64, 256, kind="tma", load="cs"), "unknown policy 'cs'"),
        ("fp32", Variant(64, 64, 256, kind="tma", late=True), "late is no choice"),
        ("fp32", Variant(64, 64, 256, store="el"), "unknown cache hint .*'el'"),
    ],
)
def test_what_has_no_kernel_is_said(dtype, variant, words):
    with pytest.raises(InputError, match=words):
        plan(variant, dtype, H200)
    assert not fits(variant, dtype)


def test_it_is_offered_on_sm_90_alone_and_for_what_its_tiles_divide():
    one = Variant(64, 64, 256, kind="tma", blocks=4, load="el")
    assert takes(one, "fp32", (65536, 4096))
    assert not takes(one, "fp32", (65536, 4096), target="gfx950")
    assert not takes(one, "fp32", (65536, 4100))
    assert not takes(one, "fp32", (65504, 4096))
    assert not takes(one, "fp32", (128, 128), 2)
    assert takes(replace(one, across=2), "fp32", (128, 128))
    assert not takes(replace(one, across=2), "fp32", (128, 64))
    for target in ("sm_80", "gfx950"):
        with pytest.raises(InputError, match="sm_90 alone"):
            plan(one, "fp32", machine(target))
        assert all(v.kind != "tma" for v in sample("fp32", 60, 1, target=target))
    assert any(v.kind == "tma" for v in sample("fp32", 200, 1))


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_a_search_starts_at_the_best_known_and_follows_its_choices(dtype):
    seeds = [one for one in SEEDS[dtype] if one.kind == "tma"]
    assert seeds
    assert any(one.kind == "tma" for one in SEEDS[dtype][:2])
    near = [one for one in neighbours(BASE[dtype], dtype) if one.kind == "tma"]
    names = Variant.__struct_fields__
    changed = {n for one in near for n in names if getattr(one, n) != getattr(BASE[dtype], n)}
    assert changed == {"tile_m", "tile_k", "threads", "blocks", "load", "store", "across"}
    assert all(from_json(to_json(one)) == one for one in near)


def test_a_launch_hands_over_tensor_maps_of_both_matrices(monkeypatch):
    one = made("fp32", Variant(64, 128, 128, kind="tma", blocks=2))
    device = SimpleNamespace(attributes={"MultiProcessorCount": 132})
    fake = SimpleNamespace(cuda=SimpleNamespace(Device=lambda: device))
    monkeypatch.setattr(transpose_run, "cupy", lambda: fake)
    monkeypatch.setattr(transpose_run, "tensor_map", lambda *words: words)
    launched = []
    compiled = lambda *words: launched.append(words)  # noqa: E731 - it stands for a kernel
    x, y = np.zeros((256, 512), np.uint32), np.zeros((512, 256), np.uint32)
    case = transpose_run.MatrixPair("fp32", (256, 512), x, y)
    transpose_run.Ready(one, compiled).on(case)()
    ((blocks, threads, (into, out, m, k)),) = launched
    assert (blocks, threads, m, k) == ((16, 1, 1), (128,), 256, 512)
    assert into[0] is x
    assert out[0] is y
    assert into[1:] == ((256, 512), (64, 32), "128B")
    assert out[1:] == ((512, 256), (128, 32), "128B")


def test_compiling_brings_the_shared_memory_of_the_launch(monkeypatch):
    asked = []
    monkeypatch.setattr(
        transpose_run, "compile_kernel", lambda text, name, shared_bytes: asked.append(shared_bytes)
    )
    for blocks in (0, 4):
        transpose_run.ready(made("fp32", Variant(64, 64, 128, kind="tma", blocks=blocks)))
    assert asked == [16384, 56064]


class Driver:
    """libcuda, as far as tensor maps go: it writes down what it is told."""

    def __init__(self, status: int) -> None:
        self.status, self.told = status, ()

    def cuTensorMapEncodeTiled(self, place, *rest):  # noqa: N802 - the driver's name
        assert place.value % 64 == 0
        ctypes.memmove(place.value, bytes(range(128)), 128)
        self.told = [list(x) if isinstance(x, ctypes.Array) else x.value for x in rest]
        return self.status


@pytest.mark.parametrize(("size", "kind"), [(2, 1), (4, 2)])
def test_a_tensor_map_says_matrix_box_and_mode(monkeypatch, size, kind):
    driver = Driver(0)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
    array = SimpleNamespace(itemsize=size, data=SimpleNamespace(ptr=4096))
    found = maps.tensor_map(array, (512, 256), (128, 32), "128B")
    assert found.tobytes() == bytes(range(128))
    assert (found.nbytes, found.size) == (128, 1)
    # type, rank, address, sizes, strides, box, steps, interleave, swizzle, promotion, fill
    sizes = [kind, 2, 4096, [256, 512], [256 * size], [32, 128], [1, 1], 0, 3, 3, 0]
    assert driver.told == sizes
    driver.status = 1
    with pytest.raises(InputError, match="cuTensorMapEncodeTiled: error 1 for 512 x 256"):
        maps.tensor_map(array, (512, 256), (128, 32))
