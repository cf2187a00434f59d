"""Linear layouts: the worked transpose, and laws against plain evaluation of index functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra.layout import (
    Layout,
    compose,
    divide,
    from_function,
    identity,
    invert,
    parse,
    product,
    table,
)
from bankwise.errors import InputError, Refusal

STORE = "(n:5 m:4) lane = n0 n1 n2 n3 n4; reg = m0 m1 m2 m3"
READ = "(n:5 m:4) lane = m0 m1 m2 m3 n0; reg = n1 n2 n3 n4"
SWIZZLE = "(n:5 m:4) offset = n0 n1 n2 n3 n4 m0^n1 m1^n2 m2^n3 m3^n4"


@st.composite
def layouts(draw, inputs=None, outputs=None, names="abc"):
    def dims(given, letters):
        if given is not None:
            return given
        count = draw(st.integers(1, len(letters)))
        return tuple((letters[i], draw(st.integers(0, 3))) for i in range(count))

    inputs, outputs = dims(inputs, names), dims(outputs, "xyz")
    top = 2 ** sum(b for _, b in outputs) - 1
    count = sum(b for _, b in inputs)
    return Layout(
        inputs,
        outputs,
        tuple(draw(st.lists(st.integers(0, top), min_size=count, max_size=count))),
    )


def test_the_worked_transpose_reads_where_it_says():
    read = parse(READ)
    for lane in range(32):
        for step in range(16):
            assert read(lane=lane, reg=step) == {"m": lane % 16, "n": 2 * step + lane // 16}


def test_the_worked_swizzle_is_n_xor_2m():
    memory = invert(parse(SWIZZLE))
    assert isinstance(memory, Layout)
    for m in range(16):
        for n in range(32):
            assert memory(m=m, n=n) == {"offset": 32 * m + (n ^ 2 * m)}
    where = compose(parse(STORE), memory)
    assert where(lane=5, reg=3) == {"offset": 32 * 3 + (5 ^ 6)}


@given(layouts())
def test_the_notation_parses_back(layout):
    assert parse(str(layout)) == layout


@given(layouts())
def test_the_table_is_the_function_on_every_index(layout):
    images = table(layout)
    for packed in range(len(images)):
        index, rest = {}, packed
        for name, bits in layout.inputs:
            index[name], rest = rest % 2**bits, rest >> bits
        got = layout(**index)
        expected, rest = {}, int(images[packed])
        for name, bits in layout.outputs:
            expected[name], rest = rest % 2**bits, rest >> bits
        assert got == expected


@given(st.data())
def test_compose_is_one_after_the_other(data):
    first = data.draw(layouts())
    then = data.draw(layouts(inputs=first.outputs))
    assert np.array_equal(table(compose(first, then)), table(then)[table(first)])


@given(layouts(inputs=(("a", 2), ("b", 3)), outputs=(("x", 5),)))
def test_invert_undoes_every_index_or_refuses(layout):
    undo = invert(layout)
    images = table(layout)
    if isinstance(undo, Refusal):
        assert len(set(images.tolist())) < 32
        assert "moves nothing" in undo.reason
    else:
        assert table(undo)[images].tolist() == list(range(32))


@given(layouts(), layouts(names="bca"))
def test_divide_undoes_product(low, high):
    whole = product(low, high)
    got = divide(whole, low)
    assert isinstance(got, Layout)
    assert product(low, got) == whole
    for name, bits in high.inputs:
        for i in range(bits):
            shift = dict(low.inputs).get(name, 0)
            image = whole(**{name: 1 << i + shift})
            for out, value in high(**{name: 1 << i}).items():
                assert image[out] == value << dict(low.outputs).get(out, 0)


def test_divide_refuses_what_is_no_factor():
    assert isinstance(divide(parse(STORE), parse("(n:1) lane = 0")), Refusal)
    assert isinstance(divide(parse(STORE), parse("(n:6) lane = n0")), Refusal)


def test_from_function_reads_a_swizzle_and_refuses_padding_with_a_witness():
    dims = (("n", 5), ("m", 4))
    xor = from_function(dims, (("o", 9),), lambda m, n: {"o": 32 * m + (n ^ 2 * m)})
    undo = invert(xor)
    assert isinstance(undo, Layout)
    assert str(undo).split(" = ")[1] == SWIZZLE.split(" = ")[1]
    with pytest.raises(InputError, match=r"not linear over F2: \{'n': 31, 'm': 1\} goes to"):
        from_function(
            dims, (("o", 9),), lambda m, n: {"o": np.where((m == 1) & (n == 31), 0, 32 * m + n)}
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n0 n1", "not a layout"),
        ("(n:2) lane n0", "no '='"),
        ("(n:2) lane = n2", "no bit 'n2'"),
        ("(n:2) lane = n0^q1", "no bit 'q1'"),
        ("(n2) lane = n0", "not a dimension: 'n2'"),
        ("(n:2) lane = n0; lane = n1", "bad dimension name 'lane'"),
        ("(n1:2) lane = 0", "bad dimension name 'n1'"),
    ],
)
def test_bad_notation_names_the_offender(text, message):
    with pytest.raises(InputError, match=message):
        parse(text)


def test_compose_and_index_errors_name_the_dimensions():
    with pytest.raises(InputError, match=r"ends in \(n:5 m:4\).*starts from \(m:4\)"):
        compose(parse(STORE), identity((("m", 4),)))
    with pytest.raises(InputError, match="no dimension 'warp'"):
        parse(STORE)(warp=1)
    with pytest.raises(InputError, match="lane = 32 does not fit into 5 bits"):
        parse(STORE)(lane=32)
