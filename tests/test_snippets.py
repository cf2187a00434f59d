"""A check ends with what to write, and what it promises of that is what the text then takes."""

# ruff: noqa: E501

import io
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.ask.check import check
from bankwise.read.toolkit import find_program
from bankwise.show.advised import Snippet
from bankwise.show.as_text import print_conflicts
from bankwise.show.page import Page
from command import bankwise
from isa_texts import amd_text
from sass_texts import sass_text
from test_fix_hip import needs

ROOT = Path(__file__).parents[1]
CUDA = ROOT / "tests" / "data" / "cuda_fix"
ROW_COPY = ROOT / "examples" / "row_copy" / "row_copy_gfx950.mlir"
QUESTION = """\
machine = "sm_90"
tile = [64, 64]
element_bits = 16
layout = "{layout}"
[[access]]
name = "store"
op = "write"
vector = 8
distribution = "((8,16),8):((512,1),64)"
[[access]]
name = "load"
op = "read"
vector = 1
distribution = "((32,4),(1,16)):((1,32),(1,128))"
"""
TTGIR = """\
#blocked = #ttg.blocked<{{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}}>
#turned = #ttg.blocked<{{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}}>
#shared = {encoding}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @turn(%a: tensor<64x64xf16, #blocked>) {{
    %b = ttg.local_alloc %a : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %c = ttg.local_load %b : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #turned>
    tt.return
  }}
}}
"""
PLAIN = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"


needs_nvcc = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)


def checked(file: Path) -> dict:
    """The JSON of a check."""
    return json.loads(bankwise("check", file, "--format", "json").out)


def passes(answer: dict) -> int:
    """Of all accesses, once."""
    return answer["totals"]["once"]["passes"]


@pytest.mark.parametrize(
    ("name", "text", "old"),
    [
        ("tile.toml", QUESTION.replace("{layout}", "(64,64):(64,1)"), "(64,64):(64,1)"),
        ("tile.toml", QUESTION.replace("{layout}", "row-major"), "row-major"),
        ("turn.ttgir", TTGIR.format(encoding=PLAIN), PLAIN),
    ],
)
def test_a_pasted_text_takes_what_was_said(tmp_path: Path, name: str, text: str, old: str) -> None:
    """The snippet in place of the old text, checked as any file is."""
    file = tmp_path / name
    file.write_text(text)
    before = checked(file)
    (snippet,) = before["snippets"]
    assert snippet["counted"]
    assert snippet["before"] == passes(before)
    file.write_text(text.replace(old, snippet["snippet"]))
    after = checked(file)
    assert passes(after) == snippet["after"] < snippet["before"]
    assert "snippets" not in after


def test_the_command_that_is_named_writes_what_was_planned() -> None:
    """Of MLIR: `bankwise fix` makes the passes that check named."""
    (snippet,) = checked(ROW_COPY)["snippets"]
    assert snippet["snippet"] is None
    words = shlex.split(snippet["command"])
    assert words[:2] == ["bankwise", "fix"]
    fixed = bankwise(*words[1:], "--no-isa", "--no-execute", "--format", "json")
    (change,) = json.loads(fixed.out)["changes"]
    assert change["after"]["passes"] == snippet["after"]
    assert change["before"]["passes"] == snippet["before"]


@pytest.mark.parametrize(
    ("name", "target", "language"),
    [
        pytest.param("transpose_f32", "sm_90", "CUDA source", marks=needs_nvcc),
        pytest.param("gemm_float4", "sm_90", "CUDA source", marks=needs_nvcc),
        ("gemm_float4", "gfx942", "HIP source"),
        ("transpose_f32", "gfx950", "HIP source"),
    ],
)
def test_the_command_of_a_source_stands_once_and_takes_what_was_planned(
    name: str, target: str, language: str, tmp_path: Path
) -> None:
    """One compiled by nvcc or clang: what fix writes, compiled and counted again, takes what check
    said."""
    file = CUDA / f"{name}.cu"
    if language == "HIP source":
        needs(target)
        file = Path(shutil.copy(file, tmp_path / f"{name}.hip"))
    told = bankwise("check", file, "-t", target, "--format", "json")
    snippets = json.loads(told.out)["snippets"]
    assert {(s["language"], s["snippet"]) for s in snippets} == {(language, None)}
    (command,) = {s["command"] for s in snippets}
    out = bankwise("check", file, "-t", target).out
    assert out.splitlines().count(f"    {command}") == 1
    fixed = json.loads(bankwise(*shlex.split(command)[1:], "--no-execute", "--format", "json").out)
    rows = {r["name"]: r for v in fixed["verdicts"] for r in v["rows"]}
    passes = rows["passes of a workgroup"]
    assert passes["before"] - passes["after"] == sum(s["before"] - s["after"] for s in snippets)


SHARED = "\t.shared .align 16 .b8 tile[4096];\n"
PTX = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k() .maxntid 32, 1, 1\n"
"""Each lane writes a row of 128 bytes at its first word: 32 ways on bank 0."""
COLUMN = f"""{PTX}{{
{SHARED}\t.reg .b32 %r<5>;
\tmov.u32 %r1, %tid.x;
\tshl.b32 %r2, %r1, 7;
\tmov.u32 %r3, tile;
\tadd.s32 %r4, %r3, %r2;
\tst.shared.u32 [%r4], %r1;
\tret;
}}
"""


def test_ptx_has_its_command_at_a_place_that_is_printed_as_it_is(tmp_path: Path) -> None:
    """`:100:` is the hundredth line and no pictograph."""
    file = tmp_path / "k.ptx"
    lines = COLUMN.splitlines()
    here = next(number for number, line in enumerate(lines, 1) if "st.shared" in line)
    file.write_text("\n" * (100 - here) + COLUMN)
    (snippet,) = checked(file)["snippets"]
    assert (snippet["language"], snippet["snippet"]) == ("PTX", None)
    assert (snippet["before"], snippet["after"]) == (32, 1)
    assert shlex.split(snippet["command"]) == ["bankwise", "fix", str(file)]
    out = bankwise("check", file).out
    assert "k.ptx:100: 32-way" in out
    assert "= help: PTX: " in out
    assert out.splitlines().count(f"    {snippet['command']}") == 1


def test_passes_of_what_may_not_run_are_said_to_be_as_followed(tmp_path: Path) -> None:
    """A store behind a branch on what memory gives."""
    file = tmp_path / "k.ptx"
    guard = "\t.reg .pred %p;\n\tld.global.u32 %r0, [0];\n\tsetp.eq.u32 %p, %r0, 7;\n"
    text = COLUMN.replace("\tmov.u32 %r1,", f"{guard}\tmov.u32 %r1,")
    file.write_text(text.replace("\tst.shared", "\t@%p st.shared"))
    (snippet,) = checked(file)["snippets"]
    assert snippet["each"] == "workgroup as followed"
    assert "32, by the plan" in snippet["effect"]


def test_of_sass_the_place_of_every_byte_is_said(tmp_path: Path) -> None:
    """The map that is said, applied by hand to what the lanes write, leaves no two on a bank."""
    file = tmp_path / "k.sass"
    code = "S2R R0, SR_TID.X\nIMAD.SHL.U32 R2, R0, 0x80, RZ\nSTS [R2], R0\nEXIT"
    file.write_text(sass_text(code))
    told = bankwise("check", file, "--workgroup-size", "32", "--format", "json")
    (snippet,) = json.loads(told.out)["snippets"]
    assert (snippet["language"], snippet["command"]) == ("SASS", None)
    assert (snippet["before"], snippet["after"]) == (32, 1)
    moved = [eval(snippet["snippet"], {"a": 128 * lane}) for lane in range(32)]
    assert len({place // 4 % 32 for place in moved}) == 32


def test_the_text_stands_under_its_conflict(tmp_path: Path) -> None:
    """Whole, unwrapped and unmarked, so that it can be copied from any terminal."""
    file = tmp_path / "turn.ttgir"
    file.write_text(TTGIR.format(encoding=PLAIN))
    (snippet,) = checked(file)["snippets"]
    lines = bankwise("check", file).out.splitlines()
    place = next(number for number, line in enumerate(lines) if "= help: TTGIR: " in line)
    text = lines.index(f"    {snippet['snippet']}")
    assert f"{snippet['after']:,} passes per workgroup" in " ".join(
        " ".join(lines[place:text]).split()
    )
    assert any(re.match(r"\S+turn\.ttgir:\d+: ", line) for line in lines[:place])


def test_without_conflicts_nothing_is_to_be_written(tmp_path: Path) -> None:
    """Nor where the notation has nothing better."""
    file = tmp_path / "tile.toml"
    file.write_text(QUESTION.replace("{layout}", "Sw<3,3,3> o 0 o (64,64):(64,1)"))
    assert "snippets" not in checked(file)
    assert "= help" not in bankwise("check", file).out


def test_help_stands_under_the_conflict_that_it_is_against() -> None:
    """Two buffers, a conflict of each, one command for both."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    file = ROOT / "examples" / "iree" / "matmul_1024.gfx942.mlir"
    flat = " ".join(bankwise("check", file).out.split())
    first, second = flat.split("bank conflict: read")[1:3]
    assert "alloc_0" in first.split("= help")[0]
    assert re.findall(r"the indices of (\w+),", first) == ["alloc_0"]
    assert re.findall(r"the indices of (\w+),", second) == ["alloc"]


def test_help_without_a_conflict_says_that_there_is_none() -> None:
    """Two buffers of an attention are read in narrower pieces than they need to be, without one."""
    file = ROOT / "tests/data/isa/triton_attention.gfx942.ttgir"
    lines = bankwise("check", file).out.splitlines()
    apart = [n for n, line in enumerate(lines) if "= help" in line]
    said = [lines[n - 1] for n in apart]
    assert "" not in said
    flat = " ".join(" ".join(lines).split())
    for line, name in ((133, "total_118"), (183, "total_69")):
        told = f"{file}:{line}: no bank conflict, but fewer passes are possible: {name} = help: "
        assert told in flat


def test_help_stands_under_the_conflict_of_the_buffer_that_it_moves(tmp_path: Path) -> None:
    """Two buffers of one allocation, which accesses call `shared` both: what moves the second one
    is no help for the first, whose conflict costs more."""
    body = "\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1\n"
    body += "\tv_lshlrev_b32_e32 v3, 7, v0\n\tds_read_b32 v4, v3 offset:32768"
    file = tmp_path / "k.s"
    file.write_text(amd_text(body), "ascii")
    report = check(file, workgroup_size="64")
    (kernel,) = report.kernels
    first, second = (access.location for access in kernel.accesses)
    help_ = Snippet(
        *("AMD assembly", "WHAT MOVES IT", "a ^ b", second, 64, 32),
        buffers=("shared[32768:40964]",),
        places=(second,),
    )
    told = io.StringIO()
    shown = replace(report, kernels=(replace(kernel, snippets=(help_,)),))
    print_conflicts(shown, Page(file=told), everything=True)
    above, _, below = told.getvalue().partition("WHAT MOVES IT")
    assert below
    assert above.index(f"k.s:{first.line}:") < above.index(f"k.s:{second.line}:")
