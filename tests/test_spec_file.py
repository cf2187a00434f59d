"""Spec files: any notation, errors at their place, and the check that follows."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bankwise.ask.spec import check_spec, check_spec_text
from bankwise.errors import InputError, Refusal
from bankwise.notation.frameworks import notation_of
from bankwise.read.recognise import recognise
from bankwise.read.tile_file.question import Held
from bankwise.read.tile_file.read import parse_question, read_question
from bankwise.show.as_sarif import check_sarif
from bankwise.show.documents.checking import spec_document
from bankwise.show.schema import plain
from bankwise.show.spec import print_spec

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SPECS = sorted(
    p
    for d in ("ck_transpose", "mfma_readback", "transpose_16x32")
    for p in (EXAMPLES / d).glob("*.toml")
)
PROBLEMS = sorted((EXAMPLES / "solve").glob("*.toml"))
PAGE = (ROOT / "docs" / "notations.md").read_text("utf-8")
SHOWN = re.findall(r"```toml\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
MK = "<1 | (1,4,16),(4,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>"

SPEC = f"""machine = "gfx950"
tile = [64, 32]
element_bits = 16

[memory]
layout = "row-major"

[[access]]
name = "write"
op = "write"
distribution = "{MK}"
"""


def printed(text: str) -> str:
    out = io.StringIO()
    print_spec(check_spec_text(text), Console(file=out, width=110, highlight=False))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


# The page about notations


@pytest.mark.parametrize(("text", "output"), SHOWN, ids=[t.split("\n")[0] for t, _ in SHOWN])
def test_the_examples_of_the_notations_page_give_what_it_shows(text: str, output: str) -> None:
    assert printed(text) == output


def test_the_page_has_an_example_of_every_notation() -> None:
    used = set()
    for text, _ in SHOWN:
        spec = parse_question(text)
        used |= {spec.layout.what}
        used |= {a.held.notation for a in spec.accesses if isinstance(a.held, Held)}
    frameworks = {"ck", "iree", "wave", "triton", "cute", "linear", "matrix", "row-major"}
    assert used == {*frameworks, "tilelang"}


def test_every_key_of_a_question_is_on_the_page() -> None:
    from bankwise.read.tile_file import entries, read, tables

    keys = {*read._TOP, *entries._ACCESS, *entries._GLOBAL}
    keys |= {*tables.LAUNCH, *tables.TILE, *tables.SOLVE}
    missing = {key for key in keys if not re.search(rf"\b{key}\b", PAGE)}
    assert missing == set()


# Meaning


@pytest.mark.parametrize("path", SPECS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_every_shipped_spec_agrees_with_its_published_numbers(path: Path) -> None:
    report = check_spec(path)
    compared = [p for p in report.published if p.counted is not None]
    assert compared
    assert all(p.agrees for p in compared)
    assert not report.check.findings
    assert not report.check.refusals


def test_a_transposed_view_is_the_same_memory_in_its_own_words_or_not() -> None:
    """Kernel 01 read through the descriptor of the padded kernel 03."""
    text = (EXAMPLES / "ck_transpose" / "01.toml").read_text()
    wrong = text.replace(
        "make_tuple(number<1>{}, number<kK>{}))\n", "make_tuple(number<1>{}, number<kK + 2>{}))\n"
    )
    assert wrong != text
    (finding,) = check_spec_text(wrong).check.findings
    assert finding.rule == "several-maps"
    assert "element (1, 0) at offset 34, the memory layout has it at 32" in finding.message
    assert wrong.splitlines()[finding.location.line - 1].startswith("layout = ")


@pytest.mark.parametrize(
    ("tile", "layout"),
    [
        ([32, 48], "#iree_codegen.xor_shuffle<48, 16>"),
        ([32, 48], "swizzle<[32, 48], unit = 8, max_phase = 8>"),
        ([32, 64], "(32,64):(64,0)"),
    ],
)
def test_a_layout_that_puts_two_elements_at_one_place_is_a_finding(tile, layout) -> None:
    text = SPEC.replace("[64, 32]", str(tile)).replace("row-major", layout)
    text = text.replace(MK, "{M : $T0 % 32 : 1 : 1, K : 8 * ($T0 // 32) : 8 : 1}")
    (finding,) = check_spec_text(text).check.findings
    assert finding.rule == "not-a-bijection"
    assert finding.location.line == 6


def test_a_layout_larger_than_shared_memory_is_a_finding() -> None:
    text = SPEC.replace("row-major", "(64,32):(2048,1)").replace("gfx950", "gfx942")
    (finding,) = check_spec_text(text).check.findings
    assert finding.rule == "lds-overflow"
    assert "258,112 bytes" in finding.message


def test_a_disputed_matrix_layout_is_refused_not_guessed() -> None:
    text = SPEC.replace("write", "read").replace(MK, "mfma_f32_16x16x128_f8f6f4")
    report = check_spec_text(text)
    assert report.check.accesses == ()
    (refusal,) = report.check.refusals
    assert "order of k" in refusal.reason
    assert (refusal.location.line, report.exit_code) == (8, 3)


def test_a_smaller_distribution_is_moved_over_the_tile() -> None:
    text = SPEC.replace("write", "read").replace(MK, "mfma_f32_16x16x16_f16")
    (access,) = check_spec_text(text).check.accesses
    assert access.instructions == (64 // 16) * (32 // 16)


def test_weight_and_launch_multiply() -> None:
    text = SPEC.replace("[memory]", "launch = { workgroups = 3, iterations = 5 }\n[memory]", 1)
    once = check_spec_text(SPEC).check.totals.once
    totals = check_spec_text(text + "weight = 2\n").check.totals
    assert totals.run.passes == once.passes * 5 * 2
    assert totals.launch.passes == once.passes * 5 * 2 * 3


def test_the_policy_of_the_user_comes_first() -> None:
    padded = SPEC.replace("row-major", "(64,32):(36,1)")
    assert check_spec_text(padded).check.accesses[0].instruction == "ds_write2_b64"
    (access,) = check_spec_text(padded, policy="triton").check.accesses
    assert access.instruction == "ds_write_b128"


def test_texts_may_be_named() -> None:
    text = SPEC.replace("[memory]", f'[texts]\nmk = "{MK}"\n\n[memory]').replace(
        f'distribution = "{MK}"', 'distribution = "mk"'
    )
    assert check_spec_text(text).check.totals == check_spec_text(SPEC).check.totals


@pytest.mark.parametrize("path", [*SPECS, *PROBLEMS], ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_with_and_without_a_layout_it_is_a_tile_question(path: Path) -> None:
    assert recognise(path).name == "tile question"


def test_the_json_is_a_check_document() -> None:
    document = plain(spec_document(check_spec_text(SPEC)))
    assert document["schema"] == "bankwise.check/1"
    (access,) = document["accesses"]
    assert (access["passes"], access["ideal"], access["instruction"]) == (32, 32, "ds_write_b128")
    assert document["spec"]["footprint_bytes"] == 64 * 32 * 2
    json.dumps(document)


def test_conflicts_are_sarif_results_at_the_access() -> None:
    report = check_spec(EXAMPLES / "ck_transpose" / "01.toml")
    (result,) = check_sarif(report.check)["runs"][0]["results"]
    line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
    text = (EXAMPLES / "ck_transpose" / "01.toml").read_text().splitlines()
    assert text[line - 1 : line + 1] == ["[[access]]", 'name = "read"']


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("#ttg.blocked<{}>", "triton"),
        ("#iree_vector_ext.nested_layout<>", "iree"),
        ("swizzle<[32, 64], unit = 8, max_phase = 8>", "wave"),
        ("{M : 1}", "wave"),
        ("Sw<3,4,3> o 0 o (8,64):(64,1)", "cute"),
        ("(_8,_64):(_64,_1)", "cute"),
        ("(n:5 m:4) reg = n0", "linear"),
        ("v_mfma_f32_16x16x16_f16", "matrix"),
        ("MFMA_F32_16x16x16_F16", "matrix"),
        ("m16n8k16.f16", "matrix"),
        (MK, "ck"),
        ("make_naive_tensor_descriptor_packed(make_tuple(number<64>{}))", "ck"),
        ("\nconstexpr index_t kM = 64;", "ck"),
    ],
)
def test_whose_words_a_text_is_is_seen_by_its_looks(text: str, notation: str) -> None:
    assert notation_of(text) == notation


# Bad input


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ('"gfx950"', '"gfx95"', (1, 0), "unknown target 'gfx95'"),
        ("[64, 32]", "[64, 0]", (2, 0), "tile = [64, 0]"),
        ("[64, 32]", "64", (2, 0), "tile = 64"),
        ("bits = 16", "bits = 4", (3, 0), "element_bits = 4"),
        ('layout = "row', 'layouts = "row', (6, 0), "unknown key 'layouts'"),
        ("row-major", "rows", (6, 0), "'rows' is in no notation"),
        ("row-major", "(64,32):(32,1,1)", (6, 19), "strides (32,1,1) are not nested"),
        ("row-major", "(32,64):(64,1)", (6, 0), "a tile [32, 64], not [64, 32]"),
        ("row-major", "mfma_f32_16x16x16_f16", (6, 0), "no memory layout"),
        ('op = "write"', 'op = "wirte"', (10, 0), "op = 'wirte'"),
        ("0,1>", "0,7>", (11, 17), "no factor 7 of tile dimension 1"),
        ("0,1>", "0,1", (11, 72), "'>' expected, not the end of the text"),
        ("(1,4,16)", "(1,4,8)", (11, 0), "32 lanes in a wave, gfx950 has 64"),
        (MK, "#ttg.swizzled_shared<{}>", (11, 17), "vec"),
        (MK, "swizzle<[64, 32], unit = 8, max_phase = 4>", (11, 24), "expected"),
        (MK, "xor_shuffle<32, 8>", (11, 0), "is a memory layout, no distribution"),
        (MK, "make_nave(1)", (11, 17), "unknown name 'make_nave'"),
        ('name = "write"', 'name = "write"\naxes = ["m", "k"]', (10, 0), "axes = ['m', 'k']"),
        ('name = "write"', 'name = "write"\nvector = 3', (8, 0), "a vector of 3"),
        ('name = "write"', 'name = "write"\nweight = 0', (10, 0), "weight = 0"),
        ('name = "write"', 'name = "write"\noperand = "E"', (10, 0), "operand = 'E'"),
        ("[memory]", 'launch = "often"\n[memory]', (5, 0), "launch = 'often'"),
        ("[memory]", 'symbols = { kM = "many" }\n[memory]', (5, 0), "kM = 'many'"),
        ("[memory]", "workgroup = [32, 64]\n[memory]", (5, 0), "workgroup = [32, 64]"),
        ("[memory]", "[memory", (5, 8), "not TOML"),
    ],
)
def test_an_error_names_place_and_value(old, new, place, words) -> None:
    text = SPEC.replace(old, new, 1)
    assert text != SPEC
    with pytest.raises(InputError) as caught:
        check_spec_text(text, "a.toml")
    where = caught.value.location
    assert words in caught.value.message
    assert (where.file, where.line, where.column) == ("a.toml", *place)


def test_an_error_inside_a_long_text_has_its_own_line() -> None:
    layout = '"""\nconstexpr index_t kP = 34;\nreturn make_naive(kP);\n"""'
    text = SPEC.replace('"row-major"', layout)
    with pytest.raises(InputError) as caught:
        parse_question(text, "a.toml")
    assert str(caught.value.location) == "a.toml:8:8"
    assert text.splitlines()[7][7:].startswith("make_naive")


def test_an_error_in_a_named_text_is_where_the_text_stands() -> None:
    text = SPEC.replace("[memory]", '[texts]\nlds = "make_nave(1)"\n\n[memory]')
    with pytest.raises(InputError) as caught:
        parse_question(text.replace("row-major", "lds"), "a.toml")
    assert str(caught.value.location) == "a.toml:6:8"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.toml"):
        read_question(tmp_path / "missing.toml")


def test_a_question_without_a_layout_is_sent_to_solve() -> None:
    with pytest.raises(InputError) as caught:
        check_spec(EXAMPLES / "solve" / "transpose_sm90.toml")
    assert caught.value.message == "no layout to check"
    assert "bankwise solve" in caught.value.hint


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    with pytest.raises(InputError, match=r"nested too deeply|not TOML"):
        parse_question("a = " + "[" * 5000 + "]" * 5000)


REAL = [p.read_text() for p in SPECS] + [t for t, _ in SHOWN]


@given(st.integers(0, 1 << 30), st.sampled_from("<>(){}[]|=,:#\"'0123456789-mk \n"))
def test_a_damaged_spec_gives_a_report_or_an_input_error(seed: int, other: str) -> None:
    random = np.random.default_rng(seed)
    text = REAL[int(random.integers(len(REAL)))]
    for _ in range(int(random.integers(1, 4))):
        at = int(random.integers(len(text)))
        cut = at + int(random.integers(0, 4))
        text = text[:at] + other * int(random.integers(0, 3)) + text[cut:]
    with contextlib.suppress(InputError):
        report = check_spec_text(text)
        assert all(isinstance(r, Refusal) for r in report.check.refusals)


VALUES = st.recursive(
    st.one_of(st.integers(-(2**63), 2**63 - 1), st.booleans(), st.text(max_size=20), st.floats()),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@given(st.sampled_from([k for k in SPEC.split("\n") if " = " in k]), VALUES)
def test_any_value_of_any_key_gives_a_report_or_an_input_error(line: str, value: object) -> None:
    key = line.split(" = ")[0]
    text = SPEC.replace(line, f"{key} = {_toml(value)}")
    with contextlib.suppress(InputError):
        check_spec_text(text)


def _toml(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value) if isinstance(value, str) else str(value).lower()


def test_every_key_of_the_json_documents_is_documented() -> None:
    from bankwise.ask.choose import choose
    from bankwise.ask.coalesce import coalesce_spec
    from bankwise.ask.spec_solve import solve_question
    from bankwise.show.documents.choosing import choose_document
    from bankwise.show.documents.coalescing import coalesce_document
    from bankwise.show.documents.solving import solution_document

    page = (ROOT / "docs" / "json.md").read_text("utf-8")
    file = EXAMPLES / "ck_transpose" / "08.toml"
    documents = [
        plain(spec_document(check_spec(file)))["spec"],
        plain(solution_document(solve_question(file)))["notations"][0],
        plain(coalesce_document(coalesce_spec(file)))["accesses"][0],
        plain(choose_document(choose(file))),
    ]
    missing = {k for d in documents for k in d if not re.search(rf"\b{k}\b", page)}
    assert missing == set()
