"""CK tile: transforms and encodings by a scalar reading of their rules, texts, and errors."""

from __future__ import annotations

import contextlib
import random
import tomllib
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra.address import Identity, Padded
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation import ck
from bankwise.notation.ck.framework import CK
from bankwise.notation.framework import Ground
from bankwise.notation.values import Mapped, collision, linear, linear_memory

SOURCES = Path(__file__).parents[2] / "shared" / "sources"
EXAMPLE = Path(__file__).parents[1] / "examples" / "ck_transpose"
DATA = {p.stem: tomllib.loads(p.read_text()) for p in sorted(EXAMPLE.glob("*.toml"))}
SYMBOLS = {**DATA["08"]["symbols"], "NBanks": 64, "kKPadded": 32, "get_n_lds_banks()": 64}
TEXTS = list(
    dict.fromkeys(
        text
        for kernel in DATA.values()
        for text in (
            *kernel["texts"].values(),
            kernel["memory"]["layout"],
            *(a["layout"] for a in (*kernel["access"], *kernel["global"]) if "layout" in a),
        )
    )
)

MK = "<1 | (1,4,16),(4,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>"
WRITTEN_OUT = (
    "tile_distribution_encoding<sequence<1>, tuple<sequence<1, 4, 16>, sequence<4, 8>>, "
    "tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<1>, sequence<2, 0>>, "
    "sequence<1, 2>, sequence<0, 1>>"
)


def at(descriptor: ck.TensorDescriptor, *index: int) -> int:
    return int(descriptor.offsets(np.array(index)))


def step(
    below: ck.TensorDescriptor, *transforms: tuple[ck.Transform, str, str]
) -> ck.TensorDescriptor:
    """Transforms with their lower and upper dimensions as strings of digits."""
    groups = [tuple(tuple(map(int, t[i])) for t in transforms) for i in (1, 2)]
    return ck.transform(below, tuple(t[0] for t in transforms), *groups)


# Encodings


@pytest.mark.parametrize(
    ("text", "m", "k"),
    [
        (MK, lambda w, lane, j: 16 * w + lane // 4, lambda w, lane, j: 8 * (lane % 4) + j),
        (
            "<1 | (1,8,8),(4,8) | (2),(1,1) | (0),(1,2) | 1,2 | 0,1>",
            lambda w, lane, j: lane,
            lambda w, lane, j: 8 * w + j,
        ),
        (
            "<1 | (8,8),(4,8,1) | (2),(1,2) | (0),(0,1) | 1,2 | 1,2>",
            lambda w, lane, j: 8 * (lane // 8) + j,
            lambda w, lane, j: 8 * w + lane % 8,
        ),
        (
            "<1 | (1,4,8),(8,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>",
            lambda w, lane, j: 8 * w + lane // 8,
            lambda w, lane, j: 8 * (lane % 8) + j,
        ),
    ],
)
def test_the_encodings_of_the_tutorials_hold_what_their_table_says(text, m, k):
    encoding = ck.encoding(text)
    held = encoding.coordinates()
    assert held.shape == (4, 64, 8, 2)
    for wave, lane, j in product(range(4), range(64), range(8)):
        assert tuple(held[wave, lane, j]) == (m(wave, lane, j), k(wave, lane, j))


def test_the_short_form_and_the_written_out_form_are_one_encoding():
    assert ck.parse(MK) == ck.parse(WRITTEN_OUT)
    assert str(ck.parse(MK)) == WRITTEN_OUT
    assert ck.short(ck.encoding(WRITTEN_OUT)) == MK


def test_lanes_that_differ_in_the_replication_hold_the_same_element():
    encoding = ck.encoding("<2 | (4,8),(8) | (0),(1,2) | (0),(0,0) | 1 | 1>")
    held = encoding.coordinates()
    assert (encoding.waves, encoding.lanes, encoding.registers) == (2, 32, 8)
    assert (held[0] == held[1]).all()


def test_with_one_partition_the_lanes_own_it():
    encoding = ck.encoding("<1 | (16),(4,4) | (2,1) | (0,0) | 2 | 1>")
    assert (encoding.waves, encoding.lanes, encoding.shape) == (1, 64, (16, 16))
    assert tuple(encoding.coordinates()[0, 17, 2]) == (1, 6)


@given(st.data())
def test_an_encoding_reads_back_and_holds_every_element_once(data):
    factors = data.draw(
        st.lists(
            st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=3), min_size=1, max_size=3
        )
    )
    every = [(i + 1, j) for i, group in enumerate(factors) for j in range(len(group))]
    owners = data.draw(st.lists(st.integers(0, 2), min_size=len(every), max_size=len(every)))
    order = data.draw(st.permutations(every))
    parts = [[f for f, o in zip(order, owners, strict=True) if o == owner] for owner in range(3)]
    majors, minors = ([tuple(f[i] for f in part) for part in parts] for i in (0, 1))
    encoding = ck.Encoding(
        (1,), tuple(map(tuple, factors)), tuple(majors[:2]), tuple(minors[:2]), majors[2], minors[2]
    )
    assert ck.parse(str(encoding)) == encoding
    assert ck.parse(ck.short(encoding)) == encoding
    held = encoding.coordinates().reshape(-1, len(factors))
    assert len(np.unique(held, axis=0)) == len(held) == np.prod(encoding.shape)


# Descriptors


def test_every_transform_computes_what_its_row_of_the_table_says():
    box = ck.naive((6, 4), (10, 1))
    padded = step(
        box,
        (ck.Transform("pad", (6,), (1, 2)), "0", "0"),
        (ck.Transform("pass_through", (4,)), "1", "1"),
    )
    assert padded.shape == (9, 4)
    assert at(padded, 3, 2) == 10 * (3 - 1) + 2
    inside = [bool(padded.valid(np.array([i, 0]))) for i in range(9)]
    assert inside == [False, *[True] * 6, False, False]
    shifted = step(
        box,
        (ck.Transform("offset", (4,), (2,)), "0", "0"),
        (ck.Transform("modulo", (8,), (4,)), "1", "1"),
    )
    assert at(shifted, 1, 6) == 10 * (1 + 2) + 6 % 4
    line = ck.packed((24,))
    split = step(line, (ck.Transform("unmerge", (2, 3, 4)), "0", "012"))
    assert at(split, 1, 2, 3) == 1 * 12 + 2 * 4 + 3
    joined = step(
        split,
        (ck.Transform("merge", (3, 4)), "12", "0"),
        (ck.Transform("replicate", (5,)), "", "2"),
        (ck.Transform("pass_through", (2,)), "0", "1"),
    )
    assert joined.shape == (12, 2, 5)
    assert at(joined, 7, 1, 4) == 12 + 7
    strided = step(line, (ck.Transform("embed", (2, 3), (1, 7)), "0", "01"))
    assert at(strided, 1, 2) == 1 + 14
    left = step(ck.packed((4,)), (ck.Transform("left_pad", (4,), (3,)), "0", "0"))
    right = step(ck.packed((4,)), (ck.Transform("right_pad", (4,), (3,)), "0", "0"))
    assert (left.shape, right.shape) == ((7,), (7,))
    assert (at(left, 5), at(right, 3)) == (2, 3)


def test_xor_folds_the_second_index_by_the_first_and_never_reads_the_first_length():
    box = ck.packed((8, 4))
    folded = step(box, (ck.Transform("xor", (8, 4)), "01", "01"))
    doubled = step(box, (ck.Transform("xor", (16, 4)), "01", "01"))
    for i, j in product(range(8), range(4)):
        assert at(folded, i, j) == 4 * i + (j ^ (i % 4)) == at(doubled, i, j)


@pytest.mark.parametrize("banks", [32, 64])
@pytest.mark.parametrize(("k", "pad"), [(32, 0), (32, 1), (64, 0), (128, 0), (256, 0)])
def test_the_standard_xor_descriptor_is_its_formula(banks, k, pad):
    pack, size, rows = 8, 2, 64
    descriptor = ck.xor_descriptor(rows, k, banks=banks, element_bytes=size, pack=pack, pad=pad)
    layers = max(1, banks * 4 // k // size)
    chunks = k // pack * layers
    for m, column in product(range(rows), range(k)):
        b, inner, k0, c = m // layers, m % layers, column // pack, column % pack
        a = (inner * k // pack + k0) ^ (b % chunks)
        assert at(descriptor, m, column) == b * (k + pad) * layers + a * pack + c


def test_an_aligned_descriptor_rounds_its_rows_up():
    descriptor = ck.descriptor(
        "make_naive_tensor_descriptor_aligned(make_tuple(number<2>{}, number<3>{}, number<5>{}), "
        "number<4>{})"
    )
    assert descriptor.strides == (24, 8, 1)
    assert descriptor.size == 1 + 24 + 2 * 8 + 4


def test_guarantees_survive_merge_unmerge_and_pass_through_but_not_padding():
    assert ck.xor_descriptor(64, 32, banks=64, element_bytes=2, pack=8).guarantees()[1] == (8, 1)
    row = ck.packed((16,), 8)
    assert step(row, (ck.Transform("unmerge", (4, 4)), "0", "01")).guarantees()[1] == (4, 1)
    assert step(row, (ck.Transform("pad", (16,), (0, 8)), "0", "0")).guarantees() == ((-1, -1),)
    assert step(row, (ck.Transform("right_pad", (16,), (8,)), "0", "0")).guarantees() == ((8, 1),)


def test_the_standard_xor_descriptor_is_linear_and_the_padded_one_is_not():
    plain = ck.xor_descriptor(64, 32, banks=64, element_bytes=2, pack=8)
    padded = ck.xor_descriptor(64, 32, banks=32, element_bytes=2, pack=8, pad=1)
    assert not isinstance(linear_memory(plain), Refusal)
    assert isinstance(linear_memory(padded), Refusal)
    assert not isinstance(linear(ck.encoding(MK)), Refusal)


def test_an_xor_over_a_length_that_is_no_power_of_two_makes_two_elements_collide():
    bad = step(ck.packed((8, 6)), (ck.Transform("xor", (8, 6)), "01", "01"))
    (refusal, *_) = ck.legality(bad)
    clash = collision(bad)
    assert clash is not None
    assert "6 is no power of two" in refusal.reason
    assert str(clash) in refusal.reason
    assert at(bad, *clash.first) == at(bad, *clash.second) == clash.offset


def test_a_descriptor_that_reaches_behind_its_space_says_so():
    beyond = step(ck.packed((4,)), (ck.Transform("offset", (4,), (2,)), "0", "0"))
    assert ck.legality(beyond) == (Refusal("an element at offset 5: the space is of 4 elements"),)


# Texts


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_written_reads_back(text):
    value = ck.parse(text, SYMBOLS)
    assert ck.parse(str(value)) == value


TRANSFORMS = st.one_of(
    st.builds(lambda n: ck.Transform("pass_through", (n,)), st.integers(1, 9)),
    st.builds(lambda n, a, b: ck.Transform("pad", (n,), (a, b)), *[st.integers(1, 9)] * 3),
    st.builds(lambda n, a: ck.Transform("left_pad", (n,), (a,)), *[st.integers(1, 9)] * 2),
    st.builds(lambda n, a: ck.Transform("right_pad", (n,), (a,)), *[st.integers(1, 9)] * 2),
    st.builds(lambda n, a: ck.Transform("offset", (n,), (a,)), *[st.integers(1, 9)] * 2),
    st.builds(lambda n, a: ck.Transform("modulo", (n,), (a,)), *[st.integers(1, 9)] * 2),
    *(
        st.builds(
            lambda n, kind=kind: ck.Transform(kind, tuple(n)),
            st.lists(st.integers(1, 9), min_size=2, max_size=2),
        )
        for kind in ("unmerge", "merge", "xor", "replicate")
    ),
    st.builds(
        lambda n, s: ck.Transform("embed", tuple(n), tuple(s)),
        *[st.lists(st.integers(1, 9), min_size=2, max_size=2)] * 2,
    ),
)


@given(TRANSFORMS)
def test_every_transform_reads_back(transform):
    assert ck.parse(str(transform)) == transform


def test_arithmetic_is_that_of_c_plus_plus():
    assert ck.parse("constexpr index_t a = 7; return -a / 2 * 2 + a % 4;") == -3
    assert ck.parse("(32 * 4 / 32 / 2) < 1 ? 1 : 32 * 4 / 32 / 2") == 2
    assert ck.parse("sequence<(2 > 1 ? 4 : 5), 6>{}") == (4, 6)
    assert ck.parse("/* two */ max(1, 2) // rows") == 2


def test_whole_functions_are_read_and_may_call_each_other():
    text = """
    static constexpr auto Row() { constexpr index_t k = 8; return number<k * 4>{}; }
    CK_TILE_HOST_DEVICE static constexpr auto MakeLdsDescriptorMK()
    {
        return make_naive_tensor_descriptor_packed(make_tuple(number<kM>{}, number<Row()>{}));
    }
    """
    assert ck.descriptor(text, {"kM": 64}) == ck.packed((64, 32))


def slide(start: str, function: str) -> str:
    """A function as source 002 prints it, on the slide that starts with ``start``."""
    found = sorted(SOURCES.glob("002_*.txt"))
    if not found:
        pytest.skip("the source documents are not beside this checkout")
    text = found[0].read_text()
    begin = text.index(f"static constexpr auto {function}()", text.index(start))
    return text[begin : text.index("\n}", begin) + 2]


@pytest.mark.parametrize(
    ("start", "suffix"),
    [
        ("01 Row-Major Baseline - Code", "MK"),
        ("01 Row-Major Baseline - Code", "KM"),
        ("02 Column-Major LDS", "MK"),
        ("02 Column-Major LDS", "KM"),
        ("03 Row-Major + Padding", "MK"),
        ("03 Row-Major + Padding", "KM"),
    ],
)
def test_the_descriptors_on_the_slides_of_source_002_are_those_of_the_example(start, suffix):
    kernel = DATA[start[:2]]
    shown = kernel["memory"] if suffix == "MK" else kernel["access"][1]
    text = slide(start, f"MakeLdsDescriptor{suffix}")
    read = ck.descriptor(text, {**SYMBOLS, "kKPadded": 34})
    assert read == ck.descriptor(shown["layout"], SYMBOLS)


def test_the_read_distribution_on_the_slide_of_kernel_08_is_that_of_the_example():
    text = slide("08 - Why It Actually Has 0 Conflicts", "MakeReadDistributionMK")
    shown = ck.encoding(DATA["08"]["texts"]["mk_k_vector"], SYMBOLS)
    assert ck.encoding(text, SYMBOLS) == shown


# Errors


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("make_naive_tensor_descriptor(make_tuple(number<kN>{}), make_tuple(1))", "ck:1:48", "kN"),
        ("make_tupel(1)", "ck:1:1", "make_tuple"),
        ("make_xor_transform(make_tuple(number<4>{}))", "ck:1:1", "2 expected"),
        ("make_naive_tensor_descriptor(make_tuple(4, 8),\n make_tuple(1))", "ck:1:1", "stride"),
        ("constexpr index_t a = 4;\nreturn a /\n 0;", "ck:2:10", "division by zero"),
        ("make_unmerge_transform(make_tuple(0, 4))", "ck:1:1", "a length of 0"),
        ("number<3, 4>{}", "ck:1:1", "one number"),
        ("make_tuple(1, 2", "ck:1:16", "the end of the text"),
        ("number<99999999999999999999>{}", "ck:1:8", "63 bits"),
        ("4 ` 5", "ck:1:3", "'`'"),
        ("<1 | (4),(4) | (1) | (0) | 2 | 0 | 7>", "ck:1:34", "'>' expected"),
        ("<1 | (4),(4) | (1) | (0) | 1 | 0>", "ck:1:1", "owners"),
        ("<1 | (4),(4) | (1) | (3) | 2 | 0>", "ck:1:1", "no factor 3 of tile dimension 0"),
        ("(" * 200 + "1", "ck:1:61", "nested deeper"),
    ],
)
def test_an_error_names_place_and_value(text, place, words):
    with pytest.raises(InputError) as caught:
        ck.parse(text)
    assert str(caught.value).startswith(place + ": "), str(caught.value)
    assert words in str(caught.value)


def test_a_step_must_name_every_dimension_once():
    with pytest.raises(InputError, match="name each of 0 to 1 once"):
        step(ck.packed((4, 4)), (ck.Transform("pass_through", (4,)), "0", "0"))


def test_a_distribution_where_a_descriptor_belongs_is_named():
    with pytest.raises(InputError, match="a tensor descriptor expected, not a tile distribution"):
        ck.descriptor(MK)


@given(st.text(alphabet="<>(){}|,;:= 0123456789kMsequnctpl_+-*/%?\n", max_size=60))
def test_any_text_gives_a_value_or_an_input_error(text):
    with contextlib.suppress(InputError):
        ck.parse(text, SYMBOLS)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_real_text_gives_a_value_or_an_input_error(seed):
    chance = random.Random(seed)
    text = chance.choice(TEXTS)
    for _ in range(chance.randint(1, 4)):
        at_, size = chance.randrange(len(text)), chance.randint(0, 6)
        text = (
            text[:at_]
            + chance.choice(["", "(", ">", "9", "{", ",", "kM", "0"])
            + text[at_ + size :]
        )
    with contextlib.suppress(InputError):
        value = ck.parse(text, SYMBOLS)
        if isinstance(value, ck.TensorDescriptor):
            ck.legality(value)


@pytest.mark.parametrize(
    ("row", "pad", "bits", "vector"),
    [
        (64, 8, 16, 8),
        (64, 4, 16, 4),
        (64, 1, 16, 0),
        (64, 2, 32, 2),
        (48, 16, 8, 16),
        (20, 0, 16, 4),
    ],
)
def test_strides_promise_the_vectors_that_begin_at_multiples_of_themselves(
    row: int, pad: int, bits: int, vector: int
) -> None:
    """Without a promise CK's vector is one element, whatever the plan prices."""
    shape = Shape((("k", row), ("m", 32)), bits)
    memory = Mapped((32, row), Padded(row, pad) if pad else Identity())
    written = str(CK.write(memory, Ground(shape)))
    assert written.endswith(f"number<{vector}>{{}}, number<1>{{}})" if vector else "number<1>{}))")
    held = ck.encoding(f"<1 | (32),({row // 4},4) | (1) | (0) | 2,2 | 0,1>")
    assert ck.vector_length(held, ck.descriptor(written)) == (min(vector, 4) or 1)
