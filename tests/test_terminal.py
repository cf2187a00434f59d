"""What a check prints: one cause once, in 80 columns, nothing broken, and one honest last line."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bankwise import check
from bankwise.errors import Location
from bankwise.show.columns import cut
from bankwise.show.diagnostics import Diagnostic, marked
from bankwise.show.own_lines import _declared, _memref
from bankwise.show.wrap import code_lines
from command import bankwise

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
READS = EXAMPLES / "ck_transpose" / "04_reads.s"
QUESTION = EXAMPLES / "ck_transpose" / "01.toml"
INPUTS = (
    EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir",
    EXAMPLES / "upstream" / "triton" / "fp8_operand_gfx942.ttgir",
    QUESTION,
    READS,
    ROOT / "tests" / "data" / "profile" / "tiles.ptx",
)


def document(*words: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bankwise("check", *words, "--format", "json").out)
    return found


@cache
def known_of(path: Path) -> tuple[dict[str, Any], frozenset[str]]:
    """Of a file of the folder that the test is in: its document, and its instructions, once for
    all that is printed of it."""
    names = {name for one in check(path.name).accesses for name in one.called.split(" + ")}
    return document(path.name), frozenset(names)


@pytest.mark.parametrize(
    ("path", "more"),
    [(path, ()) for path in INPUTS] + [(path, ("--all",)) for path in INPUTS if path != QUESTION],
)
def test_lines_fit_and_break_no_word(
    path: Path, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But the last line, which is one line, a verdict, text to paste, and words that are longer."""
    monkeypatch.chdir(path.parent)
    report, names = known_of(path)
    lines = bankwise("check", path.name, *more).out.splitlines()
    pasted = {line.strip() for s in report.get("snippets", []) for line in _texts(s)}
    whole = re.compile(r"\s*[^\s<]+<[^<>]*>\S*")
    wide = [line for line in lines if len(line) > 80 and line.strip() not in pasted]
    wide = [line for line in wide if not whole.fullmatch(line)]
    verdicts = {report["verdict"], *(k["verdict"] for k in report["kernels"])}
    assert {line.strip() for line in wide} <= verdicts | {lines[-1]}
    table = lines[next(n for n, line in enumerate(lines) if re.match("(extra|line) ", line)) :]
    shown = names & set(" ".join(table).split())
    assert shown
    assert not more or shown == names


def _texts(snippet: dict[str, Any]) -> list[str]:
    said = (snippet["snippet"], snippet.get("command"), snippet.get("patch"))
    return "\n".join(text for text in said if text).splitlines()


def test_one_cause_is_told_once_with_its_lines_and_lanes_as_ranges() -> None:
    report, out = document(READS), bankwise("check", READS).out
    assert len(report["causes"]) == 1
    heads = [line for line in out.splitlines() if re.search(r"\d: \d+-way bank conflict", line)]
    first, *others = sorted({a["location"]["line"] for a in report["accesses"]})
    assert heads == [f"{READS}:{first}: 4-way bank conflict: read of shared"] or len(heads) == 1
    assert f"= also: lines {others[0]}-{others[-1]} ({len(others) + 1} accesses)" in out
    assert READS.read_text("utf-8").splitlines()[first - 1].strip() in out
    assert out.splitlines()[-1] == report["verdict"]


def test_the_term_that_steps_is_the_address_that_the_lanes_have() -> None:
    """``v6 = 1024 * (lane / 2 % 4) + ..``: by hand, two lanes one term apart."""
    out = " ".join(bankwise("check", READS).out.split())
    found = re.search(
        r"the term (\d+) \* \(lane / 2 % 4\) of the address steps by (\d+) words", out
    )
    assert found is not None
    assert int(found[1]) == 4 * int(found[2])


def test_a_line_a_finding_a_line_a_kernel_and_exit_codes() -> None:
    path = ROOT / "tests" / "data" / "profile" / "tiles.ptx"
    report, concise = document(path), bankwise("check", path, "--concise")
    lines = concise.out.splitlines()
    assert lines[-1] == report["verdict"]
    places = {f"{path}:{a['location']['line']}" for a in report["accesses"] if a["run"]["extra"]}
    assert {line.split(": bank-conflict: ")[0] for line in lines[:-1]} <= places
    statistics = bankwise("check", path, "--statistics").out.splitlines()
    rows = {one.split()[-1]: one.split()[0] for one in statistics[1 : 1 + len(report["kernels"])]}
    assert rows == {
        k["demangled"].partition("(")[0].removeprefix("void "): f"{k['totals']['run']['extra']:,}"
        for k in report["kernels"]
    }
    assert concise.code == bankwise("check", path).code == 1
    assert bankwise("check", path, "--exit-zero").code == 0
    assert bankwise("check", path.with_name("nowhere.ptx"), "--exit-zero").code == 2
    for other in ("--statistics", "--format=json"):
        ended = bankwise("check", path, "--concise", other)
        assert (ended.code, "one at a time" in ended.err) == (2, True)


def test_of_two_hundred_kernels_ten_are_told(tmp_path: Path) -> None:
    """Kernel n writes rows that are a power of two apart: of two of them the first costs most."""
    entries = [
        f".visible .entry k{n}() .maxntid 32, 1, 1\n{{\n\t.shared .align 16 .b8 tile{n}[4096];\n"
        f"\t.reg .b32 %r<5>;\n\tmov.u32 %r1, %tid.x;\n\tshl.b32 %r2, %r1, {3 + n % 5};\n"
        f"\tmov.u32 %r3, tile{n};\n\tadd.s32 %r4, %r3, %r2;\n"
        f"\tst.shared.u32 [%r4], %r1;\n\tret;\n}}\n"
        for n in range(200)
    ]
    path = tmp_path / "many.ptx"
    path.write_text(".version 8.5\n.target sm_90\n.address_size 64\n" + "".join(entries))
    out = bankwise("check", path).out
    lines = out.splitlines()
    assert sum("-way bank conflict" in line for line in lines) == 10
    table = lines[next(n for n, line in enumerate(lines) if line.startswith("extra")) :]
    worst = [int(line.split()[0]) for line in table[1:11]]
    assert worst == [31] * 10
    assert "more causes, " in out
    assert lines[-1].startswith("conflicts in 200 of 200 kernels")
    assert len(lines) < 200


# The author's names


def names(line: str, text: str, tmp_path: Path) -> list[Any]:
    path = tmp_path / "k.cu"
    path.write_text(f"{text}\n{line}\n", "utf-8")
    number = len(text.splitlines()) + 1
    return list(_declared(Diagnostic(Location(str(path), number), line, ())))


def test_an_element_of_a_declared_array_has_indices_with_pitches(tmp_path: Path) -> None:
    text = "constexpr int N = 16;\n__global__ void k() {\n__shared__ float t[8][N][N + 1];"
    assert names("t[a][b + 1][c]", text, tmp_path) == [
        (["a", "b + 1", "c"], [16 * 17 * 4, 17 * 4, 4], [8, 16, 17])
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("__shared__ float t[8][M];", "t[a][b]"),  # nobody says how much M is
        ("#define M 3\n#define M 4\n__shared__ float t[8][M];", "t[a][b]"),
        ("__shared__ T t[8][8];", "t[a][b]"),
        ("__shared__ float t[8][8];", "t[a]"),  # a row
        ("__shared__ float t[8][8];", "t[a][b] += t[b][a]"),  # either of two
        ("void f() {\n__shared__ float t[8][8];\n}", "t[a][b]"),  # another function's
        ("__shared__ float t[8][8];", "u[a][b]"),
        ("__shared__ float t[8][8 * 2];", "t[a][b]"),
    ],
)
def test_an_index_that_is_not_known_has_no_name(text: str, line: str, tmp_path: Path) -> None:
    assert names(line, text, tmp_path) == []


def test_an_index_of_a_memref_has_its_pitch_where_rows_are_dense() -> None:
    space = "#gpu.address_space<workgroup>"
    plain = f"%v = vector.load %a[%i, %j] : memref<4x64xf16, {space}>, vector<8xf16>"
    assert [(list(i), list(p), list(e)) for i, p, e in _memref(plain)] == [
        (["%i", "%j"], [128, 2], [4, 64])
    ]
    for other in ("strided<[80, 1]>", "affine_map<(d0, d1) -> (d1, d0)>", "#map"):
        assert list(_memref(plain.replace("f16, #gpu", f"f16, {other}, #gpu"))) == []
    assert list(_memref(plain.replace("4x64xf16", "?x64xf16"))) == []
    copy = f"x.copy %a[%i, %j], %b[%k, %l] : memref<9x9xf16> to memref<4x64xf16, {space}>"
    assert list(_memref(copy)) == []


# Lines and columns


def test_a_long_line_is_shown_where_its_mark_stands() -> None:
    line = "x" * 90 + " tile[i][j] " + "y" * 90
    one = Diagnostic(Location("k.cu", 7, 92, end_column=102), line, ())
    shown, under = marked(one, 80)
    assert max(len(shown), len(under)) <= 80
    start = under.index("^")
    assert shown[start : len(under)] == "tile[i][j]"


@pytest.mark.parametrize("most", range(6, 14))
def test_a_cut_text_keeps_both_ends(most: int) -> None:
    text = "abcdefghijklm"
    found = cut(text, most)
    assert len(found) == min(most, len(text))
    assert found[0] == "a"
    assert found[-1] == "m"


def test_the_table_of_a_fix_fits_and_names_whole_instructions() -> None:
    path = EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir"
    words = ("fix", path, "--no-isa", "--no-execute")
    report = json.loads(bankwise(*words, "--format", "json").out)
    lines = bankwise(*words).err.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("before "))
    table = lines[start : lines.index("", start)]
    assert max(map(len, table)) <= 80
    names = {a["instruction"] for a in report["before"]["accesses"] if a["run"]["extra"]}
    assert names
    assert names <= set(" ".join(table).split())


def test_the_tables_of_solve_fit_and_cut_nothing() -> None:
    path = EXAMPLES / "solve" / "transpose_sm90.toml"
    plans = json.loads(bankwise("solve", path, "--format", "json").out)["pareto"]
    lines = bankwise("solve", path).out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.endswith("what competes"))
    table = lines[start : lines.index("", start)]
    assert max(map(len, table)) <= 80
    said = " ".join(" ".join(table).split())
    assert plans
    assert sum(line[:6].strip().isdigit() for line in table) == len(plans)
    assert ".." not in said


@pytest.mark.parametrize(
    "name", ["transpose_sm90", "masked_odd_sm90", "attention_k_gfx942", "wgmma_epilogue_sm90"]
)
def test_texts_to_paste_are_whole_and_fit(name: str) -> None:
    path = EXAMPLES / "solve" / f"{name}.toml"
    found = json.loads(bankwise("solve", path, "--format", "json").out)["layout"]
    out = bankwise("solve", path).out
    assert max(map(len, out.splitlines())) <= 80
    assert " ..." not in out
    squeezed = "".join(out.split())
    said = [one for name, one in found["emit"].items() if name not in ("python", "c", "mlir")]
    assert len(said) > 3
    assert all("".join(one.split()) in squeezed for one in said)
    assert "of each access executed once" in out


@pytest.mark.parametrize(
    ("text", "tile"),
    [
        ("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>", "64x64"),
        ("make_naive_tensor_descriptor(make_tuple(64, 64), make_tuple(68, 1))", "64x64"),
        ("Sw<3,3,3> o 0 o (64,64):(64,1)", "64x64"),
        ("(offset:4) n = offset0 offset1; m = offset2 offset3^offset0", "4x4"),
    ],
)
def test_a_text_in_several_lines_means_the_same(text: str, tile: str) -> None:
    lines = code_lines(text, 20)
    assert len(lines) > 1
    both = [
        json.loads(bankwise("show", one, "--tile", tile, "--format", "json").out)["offsets"]
        for one in (text, "\n    ".join(lines))
    ]
    assert both[0] == both[1]


def test_one_extra_pass_is_one(tmp_path: Path) -> None:
    """32 lanes, of which the last wants the word one round of the banks behind the first."""
    path = tmp_path / "one.toml"
    path.write_text(
        """machine = "sm_90"
tile = [1, 64]
element_bits = 32
memory = { layout = "row-major" }

[[access]]
name = "read"
op = "read"
offset = "lane + lane // 31"
""",
        "utf-8",
    )
    out = " ".join(bankwise("check", path).out.split())
    assert "1 x ld.shared.b32, 2 passes, ideal 1; 1 extra pass a workgroup" in out
    assert "1 extra passes" not in out


def test_where_an_answer_goes_is_said_to_who_wants_a_file(tmp_path: Path) -> None:
    ended = bankwise("check", tmp_path / "a.toml", "--format", "html", "-o", "a.html")
    assert ended.code == 2
    assert "> FILE" in ended.err
    assert "> FILE" not in bankwise("check", tmp_path / "a.toml", "--outpt", "a.html").err
    assert "--format json" in bankwise("check", tmp_path / "a.toml", "--json").err


def test_a_count_fits() -> None:
    ended = bankwise("count", "-t", "gfx950", "ds_read_b128", "(lane%16)*128 + lane//16*16")
    assert max(map(len, ended.out.splitlines())) <= 80
    assert "32 mod 64 banks = 32: the banks repeat every 2 rows" in " ".join(ended.out.split())
