"""One format for questions about a tile: old words and new ones ask the same, and mix."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bankwise
from bankwise.ask.check import check
from bankwise.ask.solve import answered
from bankwise.ask.spec import check_spec_text
from bankwise.ask.spec_solution import solved
from bankwise.ask.spec_solve import solve_question
from bankwise.ask.tile_problem import tile_problem
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.lab.to_measure import question_parts
from bankwise.read.options import Options
from bankwise.read.tile_file.question import SolveOptions
from bankwise.read.tile_file.read import parse_question
from bankwise.show.solving import SolveReport
from bankwise.show.spec import SpecReport, SpecSolution
from command import bankwise as command

EXAMPLES = Path(__file__).parents[1] / "examples"
PROBLEMS = sorted((EXAMPLES / "solve").glob("*.toml"))
SPECS = sorted(
    p
    for d in ("ck_transpose", "mfma_readback", "transpose_16x32")
    for p in (EXAMPLES / d).glob("*.toml")
)
FILES = [*PROBLEMS, *SPECS]

HEAD = """machine = "sm_90"
tile = [16, 32]
element_bits = 32
layout = "row-major"
"""
STORE = """
[[access]]
name = "store"
op = "write"
distribution = "(n:5 m:4) reg = m0 m1 m2 m3; lane = n0 n1 n2 n3 n4"
"""
READ = """
[[access]]
name = "read"
op = "read"
"""
LANES = READ + 'lanes = "m0 m1 m2 m3 n0"\nregisters = "n1 n2 n3 n4"\n'
OFFSET = READ + 'offset = "lane % 16 * 32 + lane // 16 + 2 * reg"\nregisters = 16\n'
HELD = READ + 'distribution = "(n:5 m:4) reg = n1 n2 n3 n4; lane = m0 m1 m2 m3 n0"\n'
XOR = "#iree_codegen.xor_shuffle<32, 1, 32, 1>"
TWICE = (
    "(offset:9) n = offset0 offset1 offset2 offset3 offset4; "
    "m = offset1^offset5 offset2^offset6 offset3^offset7 offset4^offset8"
)
"""n XOR m and n XOR 2m of Swizzle by Hand."""


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def rows(text: str) -> dict[str, tuple[int, int, int]]:
    """(instructions of a wave, passes, ideal) of every access."""
    report = check_spec_text(text)
    assert not report.check.refusals
    names = [a.name for a in parse_question(text).accesses]
    (kernel,) = report.check.kernels
    return {
        name: (a.instructions, a.cost.passes, a.cost.ideal)
        for name, a in zip(names, kernel.accesses, strict=True)
    }


# Old words and new ones


@pytest.mark.parametrize("path", FILES, ids=named)
def test_every_example_is_read(path: Path) -> None:
    found = parse_question(path.read_text(), str(path))
    assert found.accesses
    assert (found.layout is None) == (path in PROBLEMS)


@pytest.mark.parametrize("path", PROBLEMS, ids=named)
def test_a_tile_in_one_table_or_beside_it_is_one_question(path: Path) -> None:
    text = path.read_text()
    tile = tomllib.loads(text)["tile"]
    start = text.index("tile = {")
    flat = f"tile = {tile['shape']}\nelement_bits = {tile['element_bits']}\n"
    if "dims" in tile:
        flat += f"dims = {tile['dims']}\n"
    moved = text[:start] + flat + text[text.index("\n", start) :]
    one, other = parse_question(text), parse_question(moved)
    assert (one.whole, one.stages, one.options) == (other.whole, other.stages, other.options)
    listed = [[a.held for a in q.accesses] for q in (one, other)]
    assert [getattr(h, "request", h) for h in listed[0]] == [
        getattr(h, "request", h) for h in listed[1]
    ]


@pytest.mark.parametrize("path", SPECS, ids=named)
def test_a_layout_in_memory_or_at_the_top_is_one_question(path: Path) -> None:
    data = tomllib.loads(path.read_text())
    memory = data.pop("memory")
    tile = {k: data.pop(k) for k in ("dims", "element_bits") if k in data}
    top = {**data, **memory, "tile": {"shape": data["tile"], **tile}}
    one = check_spec_text(path.read_text())
    assert bankwise.solve(top).bases == solve_question(path).report.bases
    from bankwise.ask.spec import counted
    from bankwise.read.tile_file.read import read_question

    other = counted(read_question(top))
    assert (one.check.totals, one.published, one.offsets, one.layout) == (
        *(other.check.totals, other.published, other.offsets),
        other.layout,
    )


# One access in several words


@pytest.mark.parametrize("words", [LANES, OFFSET, HELD])
@pytest.mark.parametrize(("layout", "passes"), [("row-major", 256), (XOR, 32), (TWICE, 16)])
def test_an_access_costs_the_same_in_any_words(words: str, layout: str, passes: int) -> None:
    """A column of 16 rows of 32 words is in one bank: 16 executions of 16 passes."""
    found = rows(HEAD.replace("row-major", layout) + STORE + words)
    assert found == {"store": (16, 16, 16), "read": (16, passes, 16)}


@pytest.mark.parametrize("words", [LANES, OFFSET, HELD])
def test_the_best_layout_is_the_same_in_any_words(words: str) -> None:
    found = solved(parse_question(HEAD + STORE + words))
    assert found.report.optimal
    assert found.report.total_passes == 2
    assert found.before.check.totals.once.extra == 240


def test_a_mixed_file_is_checked_solved_and_measured(tmp_path: Path) -> None:
    file = tmp_path / "mixed.toml"
    file.write_text(HEAD + STORE + LANES)
    assert check(file).totals.once.passes == 16 + 256
    answer = solve_question(file)
    assert isinstance(answer, SpecSolution)
    assert answer.asked == "row-major"
    parts = {p.access: p for p in question_parts(file, Options()).parts}
    assert set(parts) == {"store", "read"}
    assert all(p.cases and not p.left_out for p in parts.values())
    assert command("solve", file).code == 0
    assert command("check", file).code == 1


def test_lanes_that_take_no_part_are_not_counted() -> None:
    """Lanes 0 to 7 read the first column of 8 rows: one bank, eight words."""
    words = READ + 'offset = "lane * 32"\nactive = "lane < 8"\n'
    assert rows(HEAD + words) == {"read": (1, 8, 1)}


def test_rows_of_odd_length_are_free() -> None:
    text = HEAD.replace("[16, 32]", "[32, 33]") + READ + 'offset = "lane * 33"\n'
    assert rows(text) == {"read": (1, 1, 1)}


def test_a_layout_that_takes_a_vector_apart_is_no_answer() -> None:
    words = STORE.replace("distribution", "#").replace("#", 'vector = "m0"\n#')
    words += 'lanes = "n0 n1 n2 n3 n4"\n'
    report = check_spec_text(HEAD + words)
    (refusal,) = report.check.refusals
    assert "splits the 2 elements" in refusal.reason
    assert report.check.exit_code == 3


COPY = """machine = "gfx950"
tile = { shape = [64, 64], element_bits = 32 }
layout = "row-major"

[[access]]
name = "copy"
op = "write"
kind = "dma"
lanes = "n2 n3 n4 n5 m0 m1"
vector = "n0 n1"
"""


@pytest.mark.parametrize("layout", ["row-major", "#iree_codegen.xor_shuffle<64, 4, 64, 1>"])
def test_a_copy_in_lane_order_is_free_where_what_it_fills_has_no_gap(layout: str) -> None:
    """64 x 64 x 4 bytes in 64 lanes of 16 bytes: 16 executions."""
    phases = len(machine("gfx950").instruction("buffer_load_dwordx4_lds").phases)
    found = rows(COPY.replace("row-major", layout))
    assert found == {"copy": (16, 16 * phases, 16 * phases)}


def test_a_copy_in_lane_order_cannot_leave_gaps() -> None:
    report = check_spec_text(COPY.replace("row-major", "(64,64):(68,1)"))
    (refusal,) = report.check.refusals
    assert "the layout has its elements apart" in refusal.reason


# Three stages


@pytest.mark.parametrize("words", [LANES, HELD.replace("m:4)", "m:4 stage:0)")])
def test_three_stages_are_a_batch(words: str) -> None:
    head = HEAD.replace("[16, 32]", '[3, 16, 32]\ndims = ["stage", "m", "n"]')
    store = STORE.replace("m:4)", "m:4 stage:0)")
    question = parse_question(head + store + words)
    assert (question.batch, question.tile.elements) == (3, 512)
    assert rows(head + store + words) == {"store": (48, 48, 48), "read": (48, 768, 48)}
    answer = solved(question).report
    assert answer.optimal
    assert answer.total_passes == 2
    assert answer.layout is not None
    assert answer.layout.lds_bytes == 3 * 2048
    assert "512 * stage" in answer.layout.offset


# Without a layout


def test_without_a_layout_check_says_what_to_do(tmp_path: Path) -> None:
    file = tmp_path / "no_layout.toml"
    file.write_text(HEAD.replace('layout = "row-major"\n', "") + STORE + LANES)
    said = command("check", file)
    assert said.code == 2
    assert "no layout to check" in said.err
    assert "layout = ..." in said.err
    assert "bankwise solve" in said.err
    found = solve_question(file)
    assert isinstance(found, SolveReport)
    assert found.optimal


def test_distributions_without_a_layout_pose_the_problem_of_their_directions() -> None:
    bare = HEAD.replace('layout = "row-major"\n', "")
    store = 'lanes = "n0 n1 n2 n3 n4"\nregisters = "m0 m1 m2 m3"\n'
    listed = STORE[: STORE.index("distribution")] + store
    reports = [answered(parse_question(bare + t)) for t in (STORE + HELD, listed + LANES)]
    assert reports[0].bases == reports[1].bases
    assert reports[0].total_passes == reports[1].total_passes == 2


def test_the_solve_table_is_for_files_with_a_layout_too() -> None:
    text = HEAD + STORE + LANES + '\n[solve]\nfamily = "padding"\n'
    assert solved(parse_question(text)).report.family == "padding"


# Errors


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("tile = ", "tyle = ", 2, "did you mean tile?"),
        ("layout = ", "[memory]\nlayuot = ", 5, "did you mean layout?"),
        ("registers", "regsters", 15, "did you mean registers?"),
        ('lanes = "m0 m1 m2 m3 n0"', 'axes = ["m", "n"]', 15, "registers and axes in one access"),
        (
            'lanes = "m0 m1 m2 m3 n0"',
            'distribution = "x"',
            15,
            "registers and distribution in one access",
        ),
        ('lanes = "m0 m1 m2 m3 n0"', "", 11, "needs either lanes or offset"),
        ('lanes = "m0 m1 m2 m3 n0"', 'lanes = ["m0", "m1"]', 14, 'one text: lanes = "m0 m1"'),
        (
            'lanes = "m0 m1 m2 m3 n0"',
            'lanes = "m0"\ninstruction = "wgmma"',
            14,
            "wgmma of a whole tile names no lanes",
        ),
        ('"row-major"', '"row-minor"', 4, "row-minor"),
        ("element_bits = 32", "element_bits = 4", 3, "element_bits = 4"),
    ],
)
def test_an_error_names_its_line(old: str, new: str, line: int, words: str) -> None:
    text = HEAD + STORE + LANES
    assert old in text
    with pytest.raises(InputError) as raised:
        parse_question(text.replace(old, new), "q.toml")
    said = f"{raised.value} {raised.value.hint}"
    assert words in said
    assert raised.value.location is not None
    assert raised.value.location.line == line


WORDS = st.sampled_from(
    (
        *("lanes", "layout", "registers", '"row-major"', "distribution", "offset", "tile"),
        *("[memory]", "[[access]]", "element_bits", "3", "0", "-1", '"', "]", "=", "\n", "n0"),
    )
)
PIECES = st.text("=[]{}\"'#nm01 \n.", max_size=8)
TEXTS = [HEAD + STORE + LANES, HEAD + HELD + OFFSET]
TEXTS += [p.read_text() for p in FILES if p.stat().st_size < 1500]


@settings(max_examples=150)
@given(st.sampled_from(TEXTS), st.data(), WORDS | PIECES)
def test_any_text_is_a_question_or_one_input_error(
    text: str, data: st.DataObject, new: str
) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 30)))
    with suppress(InputError):
        question = parse_question(text[:start] + new + text[stop:])
        if question.accesses:
            tile_problem(question)


VALUES = st.one_of(
    st.integers(-3, 70),
    st.booleans(),
    st.floats(),
    st.text("nm0123^ lane<+*()", max_size=12),
    st.sampled_from(["row-major", "n0 n1 n2 n3 n4", "lane // 0", "dma", "ld.shared.b64", XOR]),
    st.lists(st.integers(-1, 33), max_size=3),
    st.dictionaries(st.sampled_from(["name", "layout", "shape"]), st.text(max_size=3)),
)
KEYS = ["lanes", "vector", "registers", "offset", "active", "kind", "instruction", "axes", "weight"]
KEYS += ["distribution", "layout", "operand", "notation", "op", "name", "tile", "dims", "memory"]


@settings(max_examples=150)
@given(st.sampled_from(TEXTS), st.sampled_from(KEYS), VALUES, st.booleans())
@example(next(text for text in TEXTS if "tma.store" in text), "axes", 0, False)
def test_any_value_of_a_key_is_a_question_or_one_input_error(
    text: str, key: str, value: object, top: bool
) -> None:
    data = tomllib.loads(text)
    (data if top else data["access"][-1])[key] = value
    with suppress(InputError):
        report = bankwise.solve(data, budget_s=0.01)
        assert report.layout is not None or report.refusal is not None


def test_a_check_of_a_question_is_a_spec_report() -> None:
    assert isinstance(check_spec_text(HEAD + STORE), SpecReport)


@pytest.mark.parametrize("path", PROBLEMS, ids=named)
def test_check_counts_under_the_answer_what_solve_says_of_it(path: Path) -> None:
    """Mean passes of an execution, times executions; where both issue the same instructions.

    Accesses in parts are not those of the file.
    """
    text = path.read_text()
    report = answered(parse_question(text), SolveOptions(allow_narrowing=False))
    texts = [(report.emit or {})[name] for name in ("cute", "triton", "iree")]
    said = next((text for text in texts if not text.startswith("not ")), "")
    if not said:
        pytest.skip("nobody's words are short enough")
    found = check_spec_text(f"layout = '''{said}'''\n{text}").check
    assert not found.refusals
    by_line = {a.name: a.location.line + 1 for a in parse_question(text).accesses}
    (kernel,) = found.kernels
    counted = {a.location.line: a for a in kernel.accesses}
    compared = 0
    for row in report.accesses:
        mine = counted[by_line[row.name]]
        if mine.instruction == row.instruction:
            assert mine.cost.passes == row.passes * mine.instructions
            assert mine.cost.ideal == row.ideal * mine.instructions
            compared += 1
    assert compared
