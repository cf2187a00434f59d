"""Narrow floats and integers as the executor keeps them."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from hypothesis import given
from hypothesis import strategies as st

from bankwise.change.execute import compare
from bankwise.change.execute.values import Element, numbers, rounded
from bankwise.errors import InputError
from run_mlir import floats, random, run

EIGHT_BITS = ["f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"]


def coded(name: str) -> Element:
    wide = name == "bf16"
    return Element(name, 16 if wide else 8, np.dtype(np.uint16 if wide else np.uint8), "coded")


@pytest.mark.parametrize("name", [*EIGHT_BITS, "bf16"])
def test_every_bit_pattern_survives_decoding_and_rounding(name):
    of = coded(name)
    codes = np.arange(1 << of.bits).astype(of.storage)
    values = numbers(of, codes)
    same = rounded(of, values) == codes
    assert (same | np.isnan(values)).all()
    assert np.isnan(numbers(of, rounded(of, np.array([np.nan], np.float32)))).all()


@pytest.mark.parametrize(
    ("name", "largest", "smallest"),
    [
        # OCP 8-bit floating point specification 1.0, table 1; the FNUZ pair: arXiv 2206.02915
        ("f8E4M3FN", 448.0, 2.0**-9),
        ("f8E5M2", 57344.0, 2.0**-16),
        ("f8E4M3FNUZ", 240.0, 2.0**-10),
        ("f8E5M2FNUZ", 57344.0, 2.0**-17),
    ],
)
def test_the_range_of_the_eight_bit_floats_is_that_of_their_definitions(name, largest, smallest):
    values = numbers(coded(name), np.arange(256).astype(np.uint8))
    finite = values[np.isfinite(values)]
    assert finite.max() == largest
    assert finite[finite > 0].min() == smallest


@pytest.mark.parametrize("name", ["f8E4M3FN", "bf16"])
def test_decoding_is_the_definition_of_the_format(name):
    of = coded(name)
    codes = np.arange(1 << of.bits).astype(of.storage)
    ours, defined = numbers(of, codes), floats(codes, name)
    assert ((ours == defined) | (np.isnan(ours) & np.isnan(defined))).all()


@pytest.mark.parametrize("name", [*EIGHT_BITS, "bf16"])
@given(x=st.floats(-200, 200, width=32))
def test_rounding_goes_to_a_nearest_number(name, x):
    of = coded(name)
    every = numbers(of, np.arange(1 << of.bits).astype(of.storage))
    every = every[np.isfinite(every)].astype(np.float64)
    got = numbers(of, rounded(of, np.array([x], np.float32)))[0]
    assert abs(float(got) - x) == np.abs(every - x).min()


@pytest.mark.parametrize("name", [*EIGHT_BITS, "bf16"])
def test_a_tie_goes_to_the_even_code(name):
    of = coded(name)
    codes = np.arange(8, 100).astype(of.storage)
    low, high = (numbers(of, codes + n).astype(np.float64) for n in (0, 1))
    middle = ((low + high) / 2).astype(np.float32)
    even = codes + codes % 2
    assert (rounded(of, middle) == even).all()


def test_arithmetic_on_bf16_rounds_each_result():
    text = """func.func @k(%a: memref<64xbf16>, %b: memref<64xbf16>) {
  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<64xbf16>
  %y = memref.load %b[%t] : memref<64xbf16>
  %z = arith.mulf %x, %y : bf16
  memref.store %z, %b[%t] : memref<64xbf16>
  return
}"""
    a, b = random(text, 4)
    before = floats(a, "bf16") * floats(b, "bf16")
    run(text, a, b)
    error = np.abs(floats(b, "bf16") - before)
    assert (error <= np.abs(before) * 2.0**-8).all()
    assert error.max() > 0


def test_equal_buffers_have_no_difference_and_nan_equals_nan():
    nan = np.array([0x7E00, 0x7E01], np.uint16).view(np.float16)
    assert compare([nan], [nan[::-1].copy()]) == ()
    (difference,) = compare([np.array([0.0, 1.0])], [np.array([-0.0, 1.0])])
    assert (difference.binding, difference.count, difference.first) == (0, 1, 0)


def test_a_span_that_begins_behind_the_first_byte_of_its_binding_is_filled_to_its_end():
    """A tensor that IREE packs behind another: its loads are values, not zeros and faults."""
    text = """func.func @k(%in: !stream.binding, %out: !stream.binding) {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %t = gpu.thread_id x
  %a = stream.binding.subspan %in[%c1024] : !stream.binding -> memref<64xf32>
  %b = stream.binding.subspan %out[%c0] : !stream.binding -> memref<64xf32>
  %v = memref.load %a[%t] : memref<64xf32>
  memref.store %v, %b[%t] : memref<64xf32>
  return
}"""
    inputs, outputs = random(text)
    assert (inputs.size, outputs.size) == (1024 // 4 + 64, 64)
    assert run(text, inputs, outputs).faults == ()
    assert np.array_equal(outputs, inputs[1024 // 4 :])
    with pytest.raises(InputError, match="too far to execute"):
        random(text.replace("constant 1024 ", f"constant {1 << 40} "))


def test_random_buffers_repeat_for_a_seed_and_follow_the_bindings():
    text = "func.func @k(%a: memref<4x8xf16>, %b: memref<16xi8>) {\n  return\n}"
    one, again, other = (random(text, seed) for seed in (1, 1, 2))
    assert [(x.dtype, x.size) for x in one] == [(np.float16, 32), (np.int8, 16)]
    assert compare(one, again) == ()
    assert compare(one, other) != ()
