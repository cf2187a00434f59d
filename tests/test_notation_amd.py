"""MFMA operands, IREE's attributes and Wave's: held to other tools and to the source documents."""

from __future__ import annotations

import contextlib
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra.address import Padded
from bankwise.ask.spec import check_spec
from bankwise.counting.counted import AccessReport
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation import iree, wave
from bankwise.notation.accesses import count_accesses
from bankwise.notation.mfma import Mfma, mfma, names, operand
from bankwise.notation.values import (
    Mapped,
    collision,
    same,
)
from bankwise.read.tile_file.read import read_question

EXAMPLES = Path(__file__).parents[1] / "examples"

READER = (
    "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 4], "
    "outer_tile = [4, 1], thread_tile = [4, 2], element_tile = [1, 4], "
    "subgroup_strides = [0, 0], thread_strides = [1, 4]>"
)


def instruction(name: str) -> Mfma:
    found = mfma(name)
    assert isinstance(found, Mfma), found
    return found


def passes(distribution, memory, target, element_bytes=2, vector=None, direction="read"):
    """(passes of every instruction of one wave, ideal) of one read of a tile."""
    counted = count_accesses(
        distribution,
        memory,
        element_bytes=element_bytes,
        machine=machine(target),
        direction=direction,
        policy="ck",
        vector=vector,
    )
    assert not isinstance(counted, Refusal), counted
    return counted


# MFMA


@pytest.mark.parametrize("name", names())
def test_every_operand_of_every_instruction_is_iree_s_single_subgroup_layout(name):
    ir = pytest.importorskip("iree.compiler.ir", reason="needs the extra [ir]")
    from iree.compiler.dialects import iree_gpu

    spelled = _iree_name(name)
    virtual = spelled.startswith("V")
    kind = iree_gpu.VirtualMMAIntrinsic if virtual else iree_gpu.MMAIntrinsic
    attribute = iree_gpu.VirtualMMAIntrinsicAttr if virtual else iree_gpu.MMAIntrinsicAttr
    if not hasattr(kind, spelled):
        pytest.skip(f"this IREE has no {spelled}")
    with ir.Context(), ir.Location.unknown():
        intrinsic = attribute.get(getattr(kind, spelled))
        layouts = [iree_gpu.get_single_subgroup_layout(intrinsic, f) for f in range(3)]
        parts = [[list(x) for x in (q.outer, q.thread, q.tstrides, q.element)] for q in layouts]
    for which, (outer, thread, strides, element) in zip("ABD", parts, strict=True):
        ours = operand(instruction(spelled), which)
        assert ours.shape == tuple(np.prod([outer, thread, element], axis=0))
        theirs = _nested(outer, thread, strides, element)
        assert (ours.coordinates()[0] == theirs).all(), which


def _iree_name(name: str) -> str:
    """The spelling of IREE: of the 8-bit floats the variants without signed zeros."""
    spelled = name.replace("_fp8_fp8", "_fp8").replace("_bf8_bf8", "_bf8").replace("_16b", "x16b")
    spelled = spelled if name.startswith("v") else f"mfma_{spelled}"
    spelled = spelled.upper().replace("X", "x")
    return spelled.replace("FP8", "F8E4M3FNUZ").replace("_BF8", "_F8E5M2FNUZ")


def _nested(outer, thread, strides, element):
    """Coordinates [lane, register, rank] as the four lists of IREE define them."""
    out = []
    for lane in range(64):
        row = []
        for o in product(*map(range, outer)):
            for e in product(*map(range, element)):
                ids = [lane // s % t if s else 0 for s, t in zip(strides, thread, strict=True)]
                parts = zip(o, ids, e, thread, element, strict=True)
                row.append([(a * t + i) * n + b for a, i, b, t, n in parts])
        out.append(row)
    return np.array(out)


@pytest.mark.parametrize(
    ("name", "sizes", "kind"),
    [
        ("f32_16x16x16_f16", (16, 16, 16, 1), "f16"),
        ("f32_32x32x8_bf16", (32, 32, 8, 1), "bf16"),
        ("f32_16x16x32_f16", (16, 16, 32, 1), "f16"),
        ("i32_32x32x16_i8", (32, 32, 16, 1), "i8"),
        ("f32_16x16x4_f32", (16, 16, 4, 1), "f32"),
        ("f64_16x16x4_f64", (16, 16, 4, 1), "f64"),
        ("f32_4x4x4_16b_f16", (4, 4, 4, 16), "f16"),
    ],
)
def test_the_operands_are_those_with_which_executed_kernels_gave_right_products(name, sizes, kind):
    """The executor has its own tables; real matmul and attention kernels prove those."""
    from bankwise.change.execute.fragments import amd

    fragments = amd(*sizes, kind)
    assert fragments is not None
    for which in ("A", "B", "D"):
        theirs = np.stack(getattr(fragments, which.lower()), axis=-1)
        ours = operand(instruction(name), which).coordinates()[0]
        assert (ours == theirs[..., 1:] if sizes[3] == 1 else ours == theirs).all()


@pytest.mark.parametrize("name", names())
def test_every_operand_holds_every_element_equally_often(name):
    for which in ("A", "B", "D"):
        held = operand(instruction(name), which)
        _, times = np.unique(
            held.coordinates().reshape(-1, len(held.shape)), axis=0, return_counts=True
        )
        assert len(times) == np.prod(held.shape)
        assert (times == times[0]).all()


@pytest.mark.parametrize("spelled", ["v_mfma_f32_16x16x16_f16", "MFMA_F32_16x16x16_F16"])
def test_an_instruction_has_several_spellings(spelled):
    assert instruction(spelled) == instruction("f32_16x16x16_f16")
    assert (instruction(spelled).a_bits, instruction(spelled).d_bits) == (16, 32)


def test_a_disputed_order_of_k_is_refused_not_guessed():
    assert isinstance(mfma("MFMA_F32_16x16x128_F8E4M3FN"), Refusal)


def test_an_unknown_instruction_is_met_with_the_nearest():
    with pytest.raises(InputError, match="f32_16x16x16_f16"):
        mfma("f32_16x16x16_f17")


# Source 000: the talk


def talk(layout: str) -> AccessReport:
    """The readback of 16 x 128 f16 in eight steps of the operand, counted from its spec file."""
    (access,) = check_spec(EXAMPLES / "mfma_readback" / f"{layout}.toml").check.accesses
    return access


def test_source_000_the_plain_readback_is_16_way_in_each_of_its_four_phases():
    counted = talk("plain")
    assert counted.instructions == 8
    assert counted.instruction == "ds_read_b64"
    assert counted.cost.ideal == 4 * 8
    assert counted.cost.passes == 16 * counted.cost.ideal


@pytest.mark.parametrize("how", ["swizzled", "padded"])
def test_source_000_swizzle_and_padding_each_remove_every_conflict(how):
    assert talk(how).cost.extra == 0


def test_source_000_the_address_of_row_3_column_8():
    layout = read_question(EXAMPLES / "mfma_readback" / "swizzled.toml").layout
    assert 3 * 128 + 8 == 392
    assert int(layout.memory.offsets(np.array([3, 8]))) == 388


# Source 003: the transpose


@pytest.mark.parametrize(("layout", "passes"), [("row_major", 16), ("n_xor_m", 2), ("n_xor_2m", 1)])
def test_source_003_the_store_takes_one_pass_and_the_read_16_2_1(layout, passes):
    report = check_spec(EXAMPLES / "transpose_16x32" / f"{layout}.toml").check
    found = {a.direction: a for a in report.accesses}
    assert {a.instructions for a in found.values()} == {16}
    assert found["write"].cost.passes == 16
    assert found["read"].cost.passes == 16 * passes


# Source 001: Wave


def wave_read(columns: int) -> wave.IndexMapping:
    """A 16 x k tile for MFMA 16x16x32, 8 elements per lane: row l mod 16, chunk l div 16."""
    return wave.parse_index("{M : Mod($T0, 16) : 1 : 1, K : floor(Mod($T0, 64)/16)*8 : 8 : 1}")


def test_source_001_the_plain_tile_is_4_way_in_each_of_four_phases_and_its_swizzle_is_free():
    held = wave.distribution(wave_read(64), (32, 64), workgroup=(64, 1, 1))
    plain = Mapped((32, 64), Padded(64, 0))
    swizzled = wave.head(32, 64, gather=2, read=8)
    assert swizzled == wave.SwizzledTile(32, 64, unit=8, max_phase=8)
    counted = passes(held, plain, "gfx950")
    assert (counted.passes, counted.ideal) == (16, 4)
    assert passes(held, swizzled, "gfx950").passes == 4


def test_source_001_thread_1_moves_to_banks_36_to_39():
    first = int(wave.SwizzledTile(32, 64, 8, 8).offsets(np.array([1, 0]))) * 2
    assert [(first + byte) // 4 % 64 for byte in range(0, 16, 4)] == [36, 37, 38, 39]


@pytest.mark.parametrize(
    ("target", "columns", "before", "after"),
    [
        ("gfx950", 32, 2, 2),
        ("gfx950", 64, 4, 1),
        ("gfx950", 128, 8, 2),
        ("gfx950", 256, 8, 2),
        ("gfx942", 32, 2, 1),
        ("gfx942", 64, 4, 1),
        ("gfx942", 128, 4, 1),
    ],
)
def test_the_swizzle_of_wave_s_head_helps_only_as_far_as_its_eight_phases(
    target, columns, before, after
):
    held = wave.distribution(wave_read(columns), (16, columns), workgroup=(64, 1, 1))
    swizzled = wave.head(16, columns, gather=8, read=8)
    plain = passes(held, Mapped((16, columns), Padded(columns, 0)), target)
    assert plain.passes == before * plain.ideal
    assert passes(held, swizzled, target).passes == after * plain.ideal


def test_the_domain_of_head_is_2_4_and_multiples_of_8_chunks_that_of_the_wheel_multiples_of_8():
    unit = 8
    for chunks in range(2, 33):
        from_head = wave.head(64, chunks * unit, gather=8, read=8)
        from_wheel = wave.wheel(64, chunks * unit, gather=8, read=8, element_bits=16)
        for swizzle, right in (
            (from_head, chunks in (2, 4) or chunks % 8 == 0),
            (from_wheel, chunks % 8 == 0),
        ):
            assert not isinstance(swizzle, Refusal)
            everything = np.moveaxis(np.indices((64, chunks * unit)), 0, -1)
            columns = swizzle.column(everything[..., 0], everything[..., 1])
            inside = bool((columns < chunks * unit).all())
            assert (wave.legality(swizzle) is None) == right == inside


def test_the_wheel_declines_what_it_does_not_handle():
    assert isinstance(wave.wheel(32, 64, gather=2, read=8, element_bits=16), Refusal)
    assert isinstance(wave.wheel(32, 64, gather=4, read=4, element_bits=16), Refusal)
    assert isinstance(wave.head(32, 8, gather=2, read=8), Refusal)


def test_a_gather_from_the_swizzled_source_fills_the_tile_as_the_reader_expects():
    swizzle = wave.SwizzledTile(32, 64, 8, 8)
    slots = np.arange(0, 32 * 64, 2)
    rows, columns = swizzle.gathered(slots)
    for inside in (0, 1):
        at = np.stack([rows, columns + inside], axis=-1)
        assert (swizzle.offsets(at) == slots + inside).all()


def test_an_index_sequence_is_the_operand_of_the_instruction_it_is_for():
    index = wave.parse_index("M : $T0 % 16 : 1 : 1, K : 4*($T0 // 16) : 4")
    held = wave.distribution(index, (16, 16), workgroup=(64, 1, 1))
    assert same(held, operand(instruction("f32_16x16x16_f16"), "A"))
    assert wave.parse_index(str(index)) == index


def test_an_index_sequence_takes_workgroups_and_symbols():
    index = wave.parse_index("{M : $WG0*BLOCK_M + $T1 : 1 : 1, N : $T0 : 2 : 64}")
    held = wave.distribution(
        index, (64, 128), workgroup=(64, 2, 1), symbols={"$WG0": 3, "BLOCK_M": 16}
    )
    assert held.coordinates()[1, 5].tolist() == [[49, 5], [49, 69]]


# IREE


def test_xor_shuffle_is_its_formula():
    for w, a, s, p in [
        (128, 4, 128, 1),
        (64, 8, 0, 0),
        (64, 8, 128, 2),
        (96, 4, 96, 1),
        (64, 4, 64, 16),
    ]:
        shuffle = iree.XorShuffle(w, a, s, p)
        for offset in range(0, 4096, 3):
            rem, groups = offset % a, w // a
            al = offset - rem
            phase = al // (s or w) // (p or 1) % groups
            wanted = al - al % w + ((al % w // a) ^ phase) * a + rem
            assert int(shuffle(np.array(offset))) == wanted


def test_rotate_rows_is_its_formula_and_always_a_permutation():
    for w, a in [(64, 8), (96, 8), (60, 4)]:
        rotate = iree.RotateRows(w, a)
        for offset in range(w * 40):
            group = (offset % w // a + offset // w) % (w // a)
            assert int(rotate(np.array(offset))) == offset - offset % w + group * a + offset % a
        assert iree.legality(rotate, w * 40) is None


@pytest.mark.parametrize("text", ["xor_shuffle<96, 4>", "xor_shuffle<48, 8>"])
def test_group_counts_that_iree_accepts_and_that_lose_elements_are_refused(text):
    shuffle = iree.swizzle(text)
    elements = shuffle.row_width * 32
    clash = collision(Mapped((elements,), shuffle))
    assert clash is not None
    assert str(clash) in str(iree.legality(shuffle, elements))


@given(st.integers(0, 6), st.integers(0, 3), st.integers(0, 2), st.integers(1, 8))
def test_a_power_of_two_of_groups_is_always_legal(groups, access, stride, per_phase):
    width = 1 << groups + access
    shuffle = iree.XorShuffle(width, 1 << access, width << stride, min(per_phase, 1 << groups))
    assert iree.legality(shuffle, (width << stride) * 64) is None


@pytest.mark.parametrize(
    "text",
    [
        "#iree_codegen.xor_shuffle<128, 4, 128, 1>",
        "#iree_codegen.xor_shuffle<64, 8>",
        "#iree_codegen.xor_shuffle<64, 8, 128>",
        "#iree_codegen.rotate_rows<64, 8>",
        READER,
    ],
)
def test_iree_prints_an_attribute_as_we_do_and_both_read_it_back(text):
    assert str(iree.parse(text)) == text
    assert iree.parse(str(iree.parse(text))) == iree.parse(text)
    ir = pytest.importorskip("iree.compiler.ir", reason="needs the extra [ir]")
    with ir.Context():
        assert str(ir.Attribute.parse(text)) == text


def test_the_named_form_of_the_documentation_is_read_too():
    named = "xor_shuffle<row_width=128, access_width=4, row_stride=128, per_phase=1>"
    noted = "#iree_codegen.xor_shuffle</*row_width=*/128, /*access_width=*/4, 128, 1>"
    assert iree.parse(named) == iree.parse(noted) == iree.XorShuffle(128, 4, 128, 1)


def test_a_matrix_layout_is_read_by_name():
    assert iree.parse("#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>") == instruction(
        "f32_16x16x16_f16"
    )


def test_the_nested_layout_of_source_000_holds_every_element_once_per_8_lanes():
    layout = iree.parse(READER)
    assert isinstance(layout, iree.NestedLayout)
    assert layout.shape == (32, 32)
    held = layout.spread().coordinates()
    for lane, register in ((0, 0), (13, 77), (63, 127)):
        b0, b1, o0, _, _, e1 = np.unravel_index(register, (2, 4, 4, 1, 1, 4))
        m = (b0 * 4 + o0) * 4 + lane % 4
        n = (b1 * 2 + lane // 4 % 2) * 4 + e1
        assert held[0, lane, register].tolist() == [m, n]
    _, times = np.unique(held.reshape(-1, 2), axis=0, return_counts=True)
    assert (times == 8).all()


# Errors


@pytest.mark.parametrize(
    ("read", "text", "place", "words"),
    [
        (iree.parse, "#iree_codegen.xor_shuffle<0, 4>", "iree:1:15", "rows of 0"),
        (iree.parse, "xor_shuffle<128, 0>", "iree:1:1", "groups of 0"),
        (iree.parse, "xor_shuffle<128, 4, 100, 1>", "iree:1:1", "row_stride of 100"),
        (iree.parse, "xor_shuffle<128, 4, 128, 33>", "iree:1:1", "per_phase 33"),
        (iree.parse, "xor_shufle<128, 4>", "iree:1:1", "xor_shuffle"),
        (iree.parse, "xor_shuffle<128>", "iree:1:17", "access_width is missing"),
        (iree.parse, "xor_shuffle<128, 4, 128, 1, 1>", "iree:1:29", "more than 4"),
        (iree.parse, "mma_layout<MFMA_F32_16x16x17_F16>", "iree:1:12", "unknown matrix"),
        (iree.parse, "nested_layout<subgroup_tile = [1]>", "iree:1:34", "batch_tile is missing"),
        (wave.parse_index, "{M : $T0 % : 1}", "wave:1:6", "cannot read"),
        (wave.parse_index, "{M : $T0 : 0}", "wave:1:13", "a size of 0"),
        (wave.parse_index, "{M : $T0, M : $T1}", "wave:1:11", "twice"),
        (wave.parse_swizzle, "swizzle<[4], unit = 1, max_phase = 1>", "wave:1:12", "rank 1"),
        (wave.parse_swizzle, "swizzle<[4, 6], unit = 4, max_phase = 1>", "wave:1:1", "divides"),
    ],
)
def test_an_error_names_place_and_value(read, text, place, words):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith(place + ": "), str(caught.value)
    assert words in str(caught.value)


def test_an_index_without_a_value_names_it():
    index = wave.parse_index("M : $T0 + $DD1 : 1")
    with pytest.raises(InputError, match=r"no value for \$DD1"):
        wave.distribution(index, (64,), workgroup=(64, 1, 1))


@given(st.text(alphabet="xor_shuflenstd<>[]=,.# 0123456789$TMKod(){}:%/*+-", max_size=50))
def test_any_text_gives_a_value_or_an_input_error(text):
    for read in (iree.parse, wave.parse_index, wave.parse_swizzle):
        with contextlib.suppress(InputError):
            read(text)


@given(st.integers(0, len(READER) - 1), st.sampled_from(["", "<", "]", "=", "7", ",", "0", "-"]))
def test_a_damaged_layout_gives_a_value_or_an_input_error(place, other):
    for text in (READER, "#iree_codegen.xor_shuffle<128, 4, 128, 1>"):
        at = place % len(text)
        with contextlib.suppress(InputError):
            iree.parse(text[:at] + other + text[at + 1 :])
