"""Problem files: what they say, and one clear error with its line for what they must not say."""

import copy
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.ask.tile_problem import tile_problem
from bankwise.errors import InputError
from bankwise.read.tile_file.lines import key_lines, line_of
from bankwise.read.tile_file.read import parse_question, read_question

TEXT = """\
machine = "sm_90"
tile = { shape = [16, 32], element_bits = 32 }  # m, n

[[access]]
name = "store"
op = "write"
lanes = "n0 n1 n2 n3 n4"
registers = "m0 m1 m2 m3"

[[access]]
name = "read"
op = "read"
lanes = "m0 m1 m2 m3 n0"
weight = 4

[solve]
budget_s = 2.5
allow_narrowing = true
max_lds_bytes = 4096
"""


def test_a_problem_says_what_its_text_says():
    found = parse_question(TEXT)
    assert found.machine.name == "sm_90"
    assert found.tile.dims == (("n", 32), ("m", 16))
    store, read = (a.held.request for a in found.accesses)
    assert store.lanes == (1, 2, 4, 8, 16)
    assert store.registers == (32, 64, 128, 256)
    assert (read.lanes, read.weight, read.vector) == ((32, 64, 128, 256, 1), 4, None)
    assert (found.options.budget_s, found.options.allow_narrowing) == (2.5, True)
    assert tile_problem(found).linear


def test_dims_name_more_dimensions_and_directions_may_be_sums():
    text = TEXT.replace(
        "[16, 32], element_bits = 32", '[2, 8, 32], element_bits = 32, dims = ["b", "m", "n"]'
    )
    text = text.replace("m0 m1 m2 m3 n0", "m0 m1 m2 b0 n0^n1").replace("m0 m1 m2 m3", "m0 m1 m2 b0")
    found = parse_question(text)
    assert found.accesses[1].held.request.lanes == (32, 64, 128, 256, 3)


def test_an_offset_that_is_linear_after_all_becomes_directions():
    text = TEXT.replace('lanes = "m0 m1 m2 m3 n0"', 'offset = "lane % 16 * 32 + lane // 16"')
    found = parse_question(text)
    assert tile_problem(found).linear
    assert found.accesses[1].held.request.lanes == (32, 64, 128, 256, 1)
    masked = parse_question(text.replace("weight = 4", 'active = "lane < 20"'))
    assert not tile_problem(masked).linear


BAD = [
    ("machine", '"sm_90"', '"sm_91"', 1, "unknown target 'sm_91'"),
    ("syntax", "[solve]", "[solve", 16, "not TOML"),
    ("key", "weight = 4", "wieght = 4", 14, "did you mean weight?"),
    ("missing", 'op = "read"\n', "", 10, "'op' is missing"),
    ("op", '"read"\nl', '"load"\nl', 12, "one of read, write"),
    ("lanes", "m0 m1 m2 m3 n0", "m0 m1 m2 m3", 13, "5 lane bits"),
    ("outside", "m0 m1 m2 m3 n0", "m0 m1 m2 m4 n0", 13, "no bit 'm4'"),
    ("broadcast", "n0 n1 n2 n3 n4", "n0 n1 n2 n3 0", 7, "two lanes write the same"),
    ("repeat", "n0 n1 n2 n3 n4", "n0 n1 n2 n3 n3", 7, "two lanes write the same"),
    ("instruction", "weight = 4", 'instruction = "ds_read_b32"', 14, "no shared-memory instruct"),
    ("direction", "weight = 4", 'instruction = "st.shared.b32"', 14, "is a write"),
    ("width", "weight = 4", 'vector = ""\ninstruction = "ld.shared.b64"', 15, "moves 64 bits"),
    ("vector", "weight = 4", 'vector = "m0"', 14, "repeats itself or the lanes"),
    ("weight", "weight = 4", "weight = 0", 14, "1 or more"),
    ("type", "weight = 4", 'weight = "four"', 14, "not a whole number"),
    ("too large", "[16, 32]", "[4096, 32]", 2, "has 232448 bytes"),
    ("odd", "[16, 32]", "[16, 33]", 2, "powers of two"),
    ("bits", "element_bits = 32", "element_bits = 12", 2, "4, 8, 16, 32 and 64"),
    ("shape", "[16, 32]", "[]", 2, "positive sizes"),
    ("dims", "[16, 32]", "[2, 8, 32]", 2, "name them"),
    ("twice", 'name = "read"', 'name = "store"', 11, "two accesses are called 'store'"),
    ("active", "weight = 4", 'active = "lain < 4"', 14, "unknown name 'lain'"),
    ("offset", 'lanes = "m0 m1 m2 m3 n0"', 'offset = "lane * 32"', 13, "moves element 512"),
    ("both", "weight = 4", 'offset = "lane"', 10, "either lanes or offset"),
    ("family", "budget_s = 2.5", 'family = "cte"', 17, "unknown family 'cte'"),
    ("budget", "budget_s = 2.5", "budget_s = -1", 17, "no positive number"),
    ("lds", "max_lds_bytes = 4096", "max_lds_bytes = 1000", 19, "takes 2048 bytes"),
    ("copy", "weight = 4", 'kind = "dma"', 14, "no copy in lane order"),
    ("no access", "[[access]]", "[[acces]]", 4, "did you mean access?"),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"), [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_a_bad_problem_is_one_error_that_names_its_line(old, new, line, said):
    assert old in TEXT
    with pytest.raises(InputError) as raised:
        parse_question(TEXT.replace(old, new), "p.toml")
    assert str(raised.value).startswith(f"p.toml:{line}:")
    assert said in str(raised.value)


def test_a_missing_file_is_an_input_error():
    with pytest.raises(InputError, match="no such file"):
        read_question("no/such/file.toml")


def test_lines_of_inline_tables_tables_and_dotted_keys():
    lines = key_lines(
        'a.b = 1\n[t]\nx = """\ny = 2\n"""\nz = { p = "q = 1, r", r = 3 }\n[[s]]\n[[s]]\nk = 1\n'
    )
    assert lines["a", "b"] == 1
    assert ("t", "y") not in lines
    assert lines["t", "z", "r"] == 6
    assert lines["s", 1, "k"] == 9
    assert line_of(lines, ("s", 0, "missing")) == 7
    assert line_of({}, ("s",)) == 0


GOOD = {
    "machine": "gfx950",
    "tile": {"shape": [64, 64], "element_bits": 16},
    "access": [
        {"name": "w", "op": "write", "lanes": "n3 n4 n5 m0 m1 m2", "vector": "n0 n1 n2"},
        {"name": "r", "op": "read", "lanes": "m0 m1 m2 m3 n2 n3", "vector": "n0 n1"},
    ],
    "solve": {"family": "cute"},
}
SOME = st.one_of(
    st.integers(-3, 70),
    st.booleans(),
    st.floats(),
    st.none(),
    st.text("nm0123^ lane<+*()", max_size=20),
    st.sampled_from(["n0 n1 n2 n3 n4 n5", "0 0 0 0 0 0", "lane // 0", "dma", "ds_read2_b64"]),
    st.lists(st.integers(-1, 9), max_size=3),
    st.dictionaries(st.sampled_from(["name", "op", "lanes"]), st.text(max_size=3)),
)


@settings(max_examples=400)
@given(st.data())
def test_any_mapping_is_a_problem_or_one_input_error(data):
    problem = copy.deepcopy(GOOD)
    for _ in range(data.draw(st.integers(1, 3))):
        access = problem["access"][data.draw(st.integers(0, 1))]
        table = data.draw(st.sampled_from([problem, problem["tile"], problem["solve"], access]))
        if not isinstance(table, dict):
            return
        known = ["lanes", "vector", "registers", "active", "offset", "kind", "instruction", "shape"]
        table[data.draw(st.sampled_from([*table, *known]))] = data.draw(SOME)
        if not all(isinstance(problem[key], type(GOOD[key])) for key in GOOD):
            break
        if not (
            len(problem["access"]) == 2 and all(isinstance(a, dict) for a in problem["access"])
        ):
            break
    with suppress(InputError):
        assert read_question(problem).accesses


@settings(max_examples=200)
@given(st.integers(0, len(TEXT)), st.integers(0, 30), st.text("=[]{}\"'#nm01 \n.", max_size=12))
def test_any_text_is_a_problem_or_one_input_error(start, cut, inserted):
    with suppress(InputError):
        assert parse_question(TEXT[:start] + inserted + TEXT[start + cut :]).accesses


def test_an_unknown_preference_is_an_error_at_its_line() -> None:
    text = 'machine = "sm_90"\ntile = { shape = [32, 32], element_bits = 32 }\n[[access]]\n'
    text += 'name = "w"\nop = "write"\nlanes = "n0 n1 n2 n3 n4"\n[solve]\nprefer = "quick"\n'
    with pytest.raises(InputError, match="prefer = 'quick'") as error:
        parse_question(text)
    assert error.value.location.line == 8
    assert "fewest-passes" in error.value.hint
