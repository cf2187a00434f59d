"""Real kernels, executed: they give what their names say, without a fault."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from bankwise.change.execute import compare
from run_mlir import KERNELS, SOURCES, floats, line_of, random, run

MATMULS = [
    ("f16", "32x32x64", "gfx942", 1e-5),
    ("f16", "32x32x64", "gfx950", 1e-5),
    ("bf16", "64x64x64", "gfx942", 1e-5),
    ("f32", "32x32x32", "gfx942", 1e-5),
    ("f64", "32x32x32", "gfx942", 1e-12),
    ("i8", "32x32x128", "gfx950", 0),
    ("f8E4M3FN", "32x32x128", "gfx950", 1e-4),
]


@pytest.mark.parametrize(("kind", "size", "target", "tolerance"), MATMULS)
def test_a_matmul_lowered_by_iree_gives_a_times_b(kind, size, target, tolerance):
    m, n, k = map(int, size.split("x"))
    text = (KERNELS / f"matmul_{kind}_{size}_{target}.mlir").read_text()
    buffers = random(text)
    a, b = (floats(x, kind) for x in buffers[:2])
    result = run(text, *buffers, size=256)
    assert result.faults == ()
    wanted = a.reshape(m, k) @ b.reshape(k, n)
    assert np.abs(buffers[2].reshape(m, n) - wanted).max() <= tolerance


@pytest.mark.parametrize("name", ["matmul_f16_32x32x64", "matmul_i8_32x32x128"])
def test_the_matmuls_that_prove_the_transposing_read_use_it(name):
    text = (KERNELS / f"{name}_gfx950.mlir").read_text()
    assert run(text, *random(text), size=256).operations["amdgpu.transpose_load"] == 4


def test_attention_lowered_by_iree_gives_softmax():
    text = (KERNELS / "attention_f16_128x64_gfx950.mlir").read_text()
    buffers = random(text)
    q, k, v = (x.astype(np.float64).reshape(128, 64) for x in buffers[:3])
    result = run(text, *buffers, size=256, grid=(2, 1, 1))
    scores = q @ k.T * 0.125
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    wanted = weights @ v / weights.sum(axis=1, keepdims=True)
    assert result.faults == ()
    assert np.abs(buffers[3].reshape(128, 64) - wanted).max() < 1e-3


def test_a_softmax_whose_lanes_reduce_by_dpp_gives_softmax():
    """Every kind of step that IREE takes over 64 lanes: quads, mirrors, broadcasts, readlane."""
    text = (KERNELS / "softmax_f32_2x512_gfx942.mlir").read_text()
    buffers = random(text)
    x = 4 * buffers[0].astype(np.float64).reshape(2, 512)
    buffers[0][:] = x.ravel()
    result = run(text, *buffers, size=128, grid=(2, 1, 1))
    weights = np.exp(x - x.max(axis=1, keepdims=True))
    wanted = weights / weights.sum(axis=1, keepdims=True)
    assert result.faults == ()
    assert result.operations["amdgpu.dpp"] == 2 * text.count("amdgpu.dpp") > 0
    assert np.abs(buffers[1].reshape(2, 512) - wanted).max() < 1e-6


def wave_kernel() -> str:
    """The kernel of source 001, with its four old spellings mended."""
    found = sorted(SOURCES.glob("001_*.txt"))
    if not found:
        pytest.skip("the source documents are not here")
    body = found[0].read_text().split(".. code-block:: mlir\n", 1)[1]
    lines = []
    for line in body.splitlines():
        if line and not line.startswith(" "):
            break
        lines += [line[3:]] if line.strip() else []
    text = "\n".join(lines)
    text = re.sub(r"pipeline = None\b", "pipeline = #iree_codegen.no_pipeline", text)
    text = re.sub(r"rocdl\.sched\.barrier 0\b", "rocdl.sched.barrier none", text)
    text = re.sub(r" blgp = none\b", "", text)
    return re.sub(r"(vector\.extract_strided_slice %\S+) \{([^}]*)\}", r"\1 \2", text)


WAVE = {"size": (256, 2, 1), "grid": (2, 8, 1)}
WAVE_SIZES = {0: 128 * 1024, 1: 256 * 1024, 2: 128 * 256}


def naive(text: str) -> str:
    """The six exclusive-ors replaced by their first operands, in the DMA sources and the reads."""
    changed, count = re.subn(
        r"(%\w+) = arith\.xori (%\w+), %\w+ : index", r"\1 = arith.addi \2, %c0 : index", text
    )
    assert count == 6
    return changed


def synchronised(text: str) -> str:
    """The wait and the barriers that the end of the published kernel lacks."""
    before = "    %47 = affine.apply"
    assert text.count(before) == 1
    wait = "    amdgpu.memory_counter_wait load(0)\n    rocdl.s.barrier\n"
    return text.replace(before, wait + before)


def wave_result(text: str):
    buffers = random(text, 1, WAVE_SIZES)
    return buffers, run(text, *buffers, **WAVE)


def test_the_wave_kernel_gives_a_times_b_transposed_over_the_whole_grid():
    buffers, result = wave_result(wave_kernel())
    a = buffers[0].reshape(128, 1024).astype(np.float64)
    b = buffers[1].reshape(256, 1024).astype(np.float64)
    assert result.workgroups == 16
    assert np.abs(buffers[2].reshape(128, 256) - a @ b.T).max() < 1e-4


def test_the_naive_wave_kernel_is_bit_identical_to_the_hand_made_one():
    made, _ = wave_result(wave_kernel())
    plain, _ = wave_result(naive(wave_kernel()))
    assert compare(made, plain) == ()


def test_a_wave_kernel_swizzled_on_one_side_only_is_found_wrong():
    text = wave_kernel()
    half = text.replace("%6 = arith.xori %5, %4", "%6 = arith.addi %5, %c0")
    assert half != text
    made, _ = wave_result(text)
    wrong, _ = wave_result(half)
    (difference,) = compare(made, wrong)
    assert difference.binding == 2


def test_the_published_wave_kernel_reads_its_last_tiles_without_a_wait():
    """Behind the loop six copies are outstanding, and neither a wait nor a full barrier follows.

    iree-compile 3.13.0 keeps it so: no vmcnt wait before the last eight ds_read_b128.
    """
    text = wave_kernel()
    _, result = wave_result(text)
    first = line_of(text, "%47 = affine.apply")
    assert {fault.kind for fault in result.faults} == {"dma"}
    assert [fault.operation for fault in result.faults] == ["vector.load"] * 8
    assert all(fault.location.line > first for fault in result.faults)


def test_the_wave_kernel_with_a_last_wait_has_no_fault():
    """Its two halves run one barrier apart (ping-pong): the race check follows them."""
    _, result = wave_result(synchronised(wave_kernel()))
    assert result.faults == ()


@pytest.mark.parametrize("barriers", [0, 1])
def test_the_wave_kernel_needs_both_barriers_behind_its_waits(barriers):
    text = synchronised(wave_kernel())
    pair = "      amdgpu.memory_counter_wait load(3)\n" + "      rocdl.s.barrier\n" * 2
    assert text.count(pair) == 2
    fewer = "      amdgpu.memory_counter_wait load(3)\n" + "      rocdl.s.barrier\n" * barriers
    _, result = wave_result(text.replace(pair, fewer))
    assert {"dma"} <= {fault.kind for fault in result.faults}
