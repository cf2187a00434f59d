"""Triton's encodings: agreement with Triton 3.9.0, published counts, round trips, bad input."""

import json
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra.layout import Layout
from bankwise.counting.conflict import count
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.accesses import accesses
from bankwise.notation.linear import packed
from bankwise.notation.triton import (
    distribution,
    memory,
    parse,
    parse_aliases,
    parse_distributed,
    parse_shared,
)
from bankwise.notation.values import linear, linear_memory, points

GOLDEN = json.loads((Path(__file__).parent / "data" / "triton_golden.json").read_text())
ADDRESSES = json.loads((Path(__file__).parent / "data" / "triton_addresses.json").read_text())
TEXTS = sorted({case[1] for case in GOLDEN})
COLUMN = (
    "#ttg.blocked<{sizePerThread = [1, %d], threadsPerWarp = [32, 1], "
    "warpsPerCTA = [%d, %d], order = [1, 0]}>"
)
SWIZZLE = "#ttg.swizzled_shared<{vec = %d, perPhase = %d, maxPhase = %d, order = [1, 0]}>"


def cases(kind):
    return [case[1:] for case in GOLDEN if case[0] == kind]


def name(text):
    return text.split("<")[0].removeprefix("#ttg.")


def numbers(bases, shape):
    return [packed(basis, shape) for basis in bases]


def extra_of_a_phase(register, shared, shape, bits):
    """By counting: the worst phase of any instruction of the write, minus one."""
    moved = accesses(
        distribution(parse_distributed(register), shape),
        memory(parse_shared(shared), shape),
        element_bytes=bits // 8,
        machine=machine("sm_90"),
        direction="write",
        policy="triton",
    )
    assert not isinstance(moved, Refusal)
    return max(int(count(m.instruction, m.offsets_bytes).ways.max()) for m in moved) - 1


def test_bases_agree_with_triton_in_every_case():
    seen = Counter()
    for text, shape, wanted in cases("bases"):
        encoding = parse(text)
        if len(wanted) == 3:
            found = distribution(encoding, shape)
            bases = (found.register_bases, found.lane_bases, found.wave_bases)
        else:
            bases = (memory(encoding, shape).bases,)
        assert [numbers(b, shape) for b in bases] == wanted, (text, shape)
        seen[name(text)] += 1
    assert sum(seen.values()) == 980
    assert set(seen) == {
        "amd_mfma",
        "blocked",
        "dot_op",
        "generic_linear",
        "linear",
        "nvidia_mma",
        "nvmma_shared",
        "shared_linear",
        "slice",
        "swizzled_shared",
    }


def test_paddings_and_their_bases_agree_with_triton():
    for text, shape, pairs, wanted in cases("padded"):
        encoding = parse(text)
        assert sorted(map(list, encoding.paddings)) == sorted(pairs), text
        assert numbers(memory(encoding, shape).bases, shape) == wanted, text


def test_offsets_are_the_addresses_that_triton_emits_for_gfx942():
    """Padded, rotating and swizzled memories: the store addresses of compiled kernels."""
    seen = Counter()
    for text, shape, element_bytes, lds_bytes, rows in ADDRESSES:
        tile = memory(parse(text), shape)
        found = tile.offsets(np.array([row[:2] for row in rows])) * element_bytes
        assert found.tolist() == [row[2] for row in rows], (text, shape)
        assert tile.size * element_bytes == lds_bytes, (text, shape)
        seen[name(text)] += 1
    assert seen == {"amd_rotating_shared": 27, "swizzled_shared": 27, "padded_shared": 26}


@pytest.mark.parametrize("kind", ["bases", "padded", "conflict"])
def test_what_triton_prints_parses_and_prints_the_same(kind):
    for case in cases(kind):
        assert str(parse(case[0])) == case[0]


def test_counts_agree_with_triton_where_an_element_fills_a_word():
    checked = 0
    for register, shared, shape, bits, extra in cases("conflict"):
        if bits == 32:
            assert extra_of_a_phase(register, shared, shape, bits) == extra, (register, shared)
            checked += 1
    assert checked > 30


def test_triton_never_counts_more_than_there_is_and_sometimes_less():
    found = [(extra_of_a_phase(*case[:4]), case[4]) for case in cases("conflict")]
    assert all(truth >= triton for truth, triton in found)
    assert any(truth > triton for truth, triton in found)


@pytest.mark.parametrize(("numbers", "extra"), [((1, 1, 1), 7), ((1, 1, 16), 1), ((1, 1, 32), 0)])
def test_f32_column_read_of_the_published_table(numbers, extra):
    """Four columns of a lane make one 16-byte vector only where no swizzle parts them."""
    assert extra_of_a_phase(COLUMN % (1, 1, 1), SWIZZLE % numbers, (32, 32), 32) == extra


@pytest.mark.parametrize(("numbers", "extra"), [((8, 1, 1), 7), ((8, 1, 8), 0), ((8, 2, 4), 1)])
def test_f16_rows_of_8_of_the_published_table(numbers, extra):
    rows = COLUMN % (8, 1, 1)
    assert extra_of_a_phase(rows, SWIZZLE % numbers, (64, 64), 16) == extra


def test_subword_swizzle_costs_15_where_triton_answers_7():
    column, swizzle = COLUMN % (1, 2, 2), SWIZZLE % (1, 1, 4)
    answers = [case[4] for case in cases("conflict") if case[:2] == [column, swizzle]]
    assert answers == [7]
    assert extra_of_a_phase(column, swizzle, (64, 128), 16) == 15


@pytest.mark.parametrize(("fold", "extra"), [(0, 15), (1, 1), (2, 0)])
def test_transpose_16x32_column_read_has_15_1_0_extra(fold, extra):
    """Row-major, n XOR m and n XOR 2m; lane t reads m = t mod 16, n = t / 16."""
    offset = [[0, 1 << i] for i in range(5)] + [[1 << i, fold << i] for i in range(4)]
    offsets = memory(parse(f"#ttg.shared_linear<{{offset = {offset}}}, alignment = 16>"), (16, 32))
    lane = np.arange(32)
    at = offsets.offsets(np.stack([lane % 16, lane // 16], axis=-1)) * 4
    assert int(count(machine("sm_90").instruction("ld.shared.b32"), at).extra) == extra


@pytest.mark.parametrize(("numbers", "ways"), [((1, 1, 1), 4), ((8, 1, 8), 1)])
def test_gfx950_b128_read_of_the_wave_kernel_is_4_way_until_swizzled(numbers, ways):
    """64x64 f16; lane l reads 16 bytes at row l mod 16, chunk l / 16."""
    tile = memory(parse(SWIZZLE % numbers), (64, 64))
    lane = np.arange(64)
    at = tile.offsets(np.stack([lane % 16, 8 * (lane // 16)], axis=-1)) * 2
    assert int(count(machine("gfx950").instruction("ds_read_b128"), at).ways) == ways


def test_rotating_phases_change_from_block_to_block():
    """Enumerated from the formula: phase = (r / p mod x) XOR (r / (p x) mod x)."""
    vec, per, top, rows, columns = 4, 2, 4, 64, 32
    text = (
        f"#ttg.amd_rotating_shared<{{vec = {vec}, perPhase = {per}, "
        f"maxPhase = {top}, order = [1, 0]}}>"
    )
    tile = memory(parse(text), (rows, columns))
    for r in range(rows):
        phase = (r // per % top) ^ (r // (per * top) % top)
        wanted = [r * columns + (c ^ (vec * phase) % columns) for c in range(columns)]
        row = np.stack([np.full(columns, r), np.arange(columns)], axis=-1)
        assert tile.offsets(row).tolist() == wanted


def test_swizzled_shared_is_the_xor_of_its_formula():
    tile = memory(parse(SWIZZLE % (8, 2, 4)), (64, 64))
    r, c = points((64, 64)).T
    assert (tile.offsets(points((64, 64))) == r * 64 + (c ^ 8 * (r // 2 % 4))).all()


def test_padding_adds_no_pad_after_the_last_element_and_runs_over_buffers():
    text = "#ttg.padded_shared<[64:+4] {order = [1, 0], shape = [4, 64]}>"
    one, two = memory(parse(text), (4, 64)), memory(parse(text), (2, 4, 64))
    assert one.size == 4 * 64 + 3 * 4
    assert two.size == 8 * 64 + 7 * 4
    assert two.offsets(np.array([[1, 0, 0], [1, 3, 63]])).tolist() == [4 * 68, 8 * 68 - 5]


def test_three_buffers_follow_each_other():
    tile = memory(parse(SWIZZLE % (8, 1, 8)), (3, 16, 64))
    assert tile.size == 3 * 16 * 64
    assert tile.offsets(np.array([2, 1, 0])) == 2 * 1024 + 64 + 8


def test_memories_hold_every_element_once():
    for text, shape, wanted in cases("bases"):
        if len(wanted) == 1:
            tile = memory(parse(text), shape)
            offsets = tile.offsets(points(shape))
            assert len(np.unique(offsets)) == len(offsets)
            assert int(offsets.max()) < tile.size


def test_every_linear_encoding_is_a_layout_of_the_algebra():
    for text, shape, wanted in cases("bases")[::10]:
        encoding = parse(text)
        if len(wanted) == 3:
            found = linear(distribution(encoding, shape))
            assert isinstance(found, Layout)
            images = [list(images) for images in found.images().values()]
            assert images == wanted
        else:
            assert isinstance(linear_memory(memory(encoding, shape)), Layout)


def test_aliases_of_a_module_are_read_with_their_parents():
    blocked = COLUMN % (8, 4, 1)
    mma = (
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
        "warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
    )
    module = f"""
#blocked = {blocked}
#mma = {mma}
#dot = #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 2}}>
#shared = {SWIZZLE % (8, 1, 8)}
#smem = #ttg.shared_memory
#loc = loc("x":1:1)
module attributes {{"ttg.num-warps" = 4 : i32}} {{}}
"""
    found = parse_aliases(module)
    assert list(found) == ["blocked", "mma", "dot", "shared"]
    assert found["dot"].parent == found["mma"]
    assert parse("#shared", found) == parse(SWIZZLE % (8, 1, 8))
    assert parse("#ttg.slice<{dim = 1, parent = #blocked}>", found).parent == found["blocked"]


def test_one_cta_may_be_spelled_out_and_several_are_refused():
    blocked = (COLUMN % (8, 1, 1)).removesuffix("}>")
    assert parse(blocked + ", CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]}>")
    with pytest.raises(InputError, match="several CTAs"):
        parse(blocked + ", CTAsPerCGA = [2, 1]}>")
    with pytest.raises(InputError, match="several CTAs"):
        parse(blocked + ", CGALayout = [[1, 0]]}>")


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("#ttg.blokked<{}>", 1, "'blokked' is not read here"),
        ("#ttg.blocked<{sizePerThread = [1, 3]}>", 1, "needs the field 'order'"),
        (SWIZZLE.replace("%d", "3"), 29, "vec = 3: a power of two is wanted"),
        ("#ttg.swizzled_shared<{vec = 8, vec = 8}>", 32, "'vec' is given twice"),
        ("#ttg.swizzled_shared<{vec : 8}>", 27, "'=' expected"),
        (COLUMN % (8, 1, 1) + ";", 103, "is left over"),
        ("#blocked", 2, "unknown alias 'blocked'"),
        ("#ttg.padded_shared<[64:+3] {order = [0], shape = [64]}>", 21, "not of powers of two"),
        ("#ttg.slice<{dim = 2, parent = " + COLUMN % (8, 1, 1) + "}>", 19, "dim = 2"),
        (
            "#ttg.nvmma_shared<{swizzlingByteWidth = 48, transposed = false, elementBitWidth = 8}>",
            41,
            "0, 32, 64 or 128",
        ),
        ("#ttg.shared_linear<{offset = [[0, 1], [1]]}>", 30, "mixes ranks"),
        (
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [64, 4, 4], "
            "isTransposed = false}>",
            64,
            "64x4 exists transposed only",
        ),
    ],
)
def test_bad_text_names_place_rule_and_value(text, column, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        parse(text)
    assert caught.value.location is not None
    assert (caught.value.location.line, caught.value.location.column) == (1, column)


def test_an_error_in_a_module_names_the_line():
    with pytest.raises(InputError) as caught:
        parse_aliases("#loc = loc(1)\n  #shared = #ttg.swizzled_shared<{vec = 8}>\n")
    assert caught.value.location.line == 2
    assert caught.value.location.column == 13


@pytest.mark.parametrize(
    ("encoding", "shape", "message"),
    [
        (COLUMN % (8, 1, 1), (64,), "rank"),
        (COLUMN % (8, 1, 1), (48, 64), "no power of two"),
    ],
)
def test_an_encoding_that_does_not_fit_the_tensor_is_refused(encoding, shape, message):
    with pytest.raises(InputError, match=message):
        distribution(parse(encoding), shape)


def test_a_tile_below_8_rows_is_refused_where_triton_aborts():
    nvmma = (
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
    )
    with pytest.raises(InputError, match="8 rows of 64 columns at least"):
        memory(parse(nvmma), (4, 64))


@given(st.text(alphabet="#ttg.blockedswizz_har<{[]}>=, :+0123456789", max_size=60))
def test_any_text_is_read_or_refused(text):
    with suppress(InputError):
        assert parse(str(parse(text))) == parse(text)


@given(
    st.sampled_from(TEXTS),
    st.integers(0, 400),
    st.integers(0, 6),
    st.sampled_from(
        ["", "0", "3", "-1", "[", "]", "}", ",", "true", "#x", "99999999999999999999", "\n"]
    ),
    st.sampled_from([(16,), (16, 32), (64, 64), (2, 8, 8), (3, 16)]),
)
def test_real_texts_with_a_hole_or_a_patch_are_read_or_refused(text, at, cut, patch, shape):
    at = min(at, len(text))
    mutated = text[:at] + patch + text[at + cut :]
    with suppress(InputError):
        encoding = parse(mutated)
        assert parse(str(encoding)) == encoding
        if "shared" in name(str(encoding)):
            memory(encoding, shape).offsets(np.zeros(len(shape), np.int64))
        else:
            distribution(encoding, shape)


NVMMA_FOLDS = {0: 0, 32: 1, 64: 2, 128: 3}
"""Bits that are XORed: byte address bits 4, 5, 6 with 7, 8, 9: CuTe's Swizzle<b, 4, 3> on bytes."""


def folded(address: int, width: int) -> int:
    """Where the swizzle of TMA and wgmma puts a byte, from the published map of addresses."""
    for bit in range(NVMMA_FOLDS[width]):
        address ^= (address >> (7 + bit) & 1) << (4 + bit)
    return address


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("width", [32, 64, 128])
def test_nvmma_shared_is_the_swizzle_of_the_hardware_byte_by_byte(width, bits, transposed):
    """Tiles of ``width`` bytes a row, one row below the other, tile beside tile; then the XOR."""
    columns, size = 8 * width // bits, bits // 8
    rows, wide = 32, 2 * columns
    text = (
        f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, "
        f"transposed = {str(transposed).lower()}, elementBitWidth = {bits}}}>"
    )
    shape = (wide, rows) if transposed else (rows, wide)
    places = np.stack(np.indices(shape), axis=-1)
    found = memory(parse(text), shape).offsets(places) * size
    for row in range(rows):
        for column in range(wide):
            tile, inside = divmod(column, columns)
            wanted = folded((tile * rows + row) * width + inside * size, width)
            assert (found[column, row] if transposed else found[row, column]) == wanted


def test_padded_fp4_takes_16_bytes_for_8_of_data():
    text = (
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, "
        "fp4Padded = true}>"
    )
    found = memory(parse(text), (16, 64)).offsets(np.stack(np.indices((16, 64)), axis=-1))
    for row in range(16):
        for column in range(64):
            assert found[row, column] == folded(row * 128 + column // 8 * 16 + column % 8, 128)


@pytest.mark.parametrize("buffers", [2, 3])
def test_barriers_are_buffers_of_one_element(buffers):
    """``!ttg.memdesc<3x1xi64, ..>``: as many as are wanted, one behind the other."""
    laid = memory(parse(SWIZZLE.replace("[1, 0]", "[0]") % (1, 1, 1)), (buffers, 1))
    assert laid.size == buffers
    assert laid.offsets(np.array([[n, 0] for n in range(buffers)])).tolist() == [*range(buffers)]
