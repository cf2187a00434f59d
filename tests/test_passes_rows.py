"""Rows of another length through views, and wide accesses in halves."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler")

from bankwise.change.passes.pad import pad
from bankwise.change.passes.split_access import split_access
from bankwise.change.passes.unpad import unpad
from bankwise.change.passes.values import PassOptions
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from passes_cases import GFX942, LDS, opened, places, same_results
from test_passes_pad import rows

NO_TARGET = PassOptions()


def viewed(view: str, access: str, of: str) -> str:
    """The rows of :func:`rows`, written through a view of them."""
    text = rows(64)
    alloc = f"%lds = memref.alloc() : memref<64x64xf16, {LDS}>\n"
    return text.replace(alloc, f"{alloc}  {view}\n").replace(
        f"vector.store %v, %lds[%t, %c0] : memref<64x64xf16, {LDS}>",
        f"vector.store %v, {access} : {of}",
    )


CARRIED = {
    "expand": viewed(
        f"%w4 = memref.expand_shape %lds [[0], [1, 2]] output_shape [64, 8, 8] : "
        f"memref<64x64xf16, {LDS}> into memref<64x8x8xf16, {LDS}>",
        "%w4[%t, %c0, %c0]",
        f"memref<64x8x8xf16, {LDS}>",
    ),
    "subview": viewed(
        f"%w4 = memref.subview %lds[0, 0] [64, 32] [1, 1] : memref<64x64xf16, {LDS}> to "
        f"memref<64x32xf16, strided<[64, 1]>, {LDS}>",
        "%w4[%t, %c0]",
        f"memref<64x32xf16, strided<[64, 1]>, {LDS}>",
    ),
    "collapse of rows": viewed(
        f"%w3 = memref.expand_shape %lds [[0, 1], [2]] output_shape [4, 16, 64] : "
        f"memref<64x64xf16, {LDS}> into memref<4x16x64xf16, {LDS}>\n"
        f"  %w4 = memref.collapse_shape %w3 [[0, 1], [2]] : memref<4x16x64xf16, {LDS}> into "
        f"memref<64x64xf16, {LDS}>",
        "%w4[%t, %c0]",
        f"memref<64x64xf16, {LDS}>",
    ),
}


@pytest.mark.parametrize("launch", [GFX942, NO_TARGET], ids=["gfx942", "no target"])
@pytest.mark.parametrize("bits", [64, 128])
@pytest.mark.parametrize("text", CARRIED.values(), ids=CARRIED)
def test_padding_goes_through_views_and_is_proved(text, bits, launch):
    done = pad(opened(text), launch, bits=bits)
    (remark,) = done.remarks
    assert "proved for all launches" in remark.reason
    assert f"memref<64x{64 + bits // 16}xf16" in done.text
    assert same_results(text, done.text)
    moved = [[row * (128 + bits // 8) for row in range(64)]]
    assert places(opened(done.text)) == [moved, moved]


def test_counted_padding_goes_through_views_too():
    done = pad(opened(CARRIED["expand"]), GFX942)
    assert "memref<64x72xf16" in done.text
    assert same_results(CARRIED["expand"], done.text)


LEFT = {
    f"memref<8x?xf32, {LDS}>": "has no fixed size",
    f"memref<4096xf32, {LDS}>": "one dimension, no rows",
    f"memref<f32, {LDS}>": "one element, no rows",
    f"memref<128x127xf32, {LDS}>": "a workgroup has 65536",
    f"memref<8x8xcomplex<f64>, {LDS}>": "64 bits hold no element",
}


@pytest.mark.parametrize("of", LEFT)
def test_what_cannot_be_padded_by_bits_says_why(of):
    size = "%n" if "?" in of else ""
    text = f"func.func @k(%n: index) {{\n  %a = memref.alloc({size}) : {of}\n  return\n}}\n"
    done = pad(opened(text), NO_TARGET, bits=64)
    assert done.text == text
    assert LEFT[of] in done.refusals[0].reason


def test_a_target_has_its_own_limit():
    text = f"func.func @k() {{\n  %a = memref.alloc() : memref<128x127xf32, {LDS}>\n  return\n}}\n"
    assert machine("gfx950").lds_bytes > 128 * 129 * 4
    assert pad(opened(text), PassOptions("gfx950"), bits=64).changed


def test_unpadding_is_the_way_back():
    text = rows(8)
    padded = pad(opened(text), GFX942, bits=64).text
    done = unpad(opened(padded), GFX942)
    (remark,) = done.remarks
    assert "4 elements behind each row taken away" in remark.reason
    assert "512 bytes less; proved for all launches" in remark.reason
    assert places(opened(done.text)) == places(opened(text))
    assert same_results(text, done.text)


def test_rows_without_padding_stay():
    done = unpad(opened(rows(64)), GFX942)
    assert done.text == rows(64)
    assert "no unused elements" in done.remarks[0].reason


def test_wide_accesses_become_two_halves_at_the_same_elements():
    done = split_access(opened(rows(64)), GFX942)
    assert same_results(rows(64), done.text)
    assert "proved for all launches" in done.remarks[0].reason
    (low, high) = ([[row * 128 + at for row in range(64)]] for at in (0, 8))
    assert places(opened(done.text)) == [low, high, low, high]
    assert "vector<8xf16>" not in "".join(
        line for line in done.text.splitlines() if "%lds[" in line
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [(rows(72), "no conflict"), (rows(64, width=4), "more than 8 bytes")],
)
def test_what_gains_nothing_by_halves_stays_whole(text, reason):
    done = split_access(opened(text), GFX942)
    assert done.text == text
    assert reason in done.remarks[0].reason


def test_halves_of_a_wide_element_are_not_cut():
    text = rows(64).replace("vector<8xf16>", "vector<6xf16>")
    done = split_access(opened(text), GFX942)
    assert done.text == text
    assert not isinstance(done.remarks[0], Refusal)
