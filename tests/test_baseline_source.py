"""A saved check knows a conflict of source by its expression, whatever the compiler makes of it.

A lane reads row t of a tile with rows of 32 words: all 32 lanes want bank 0, 31 extra passes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bankwise.read.toolkit import find_program
from command import bankwise

pytestmark = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

KERNEL = """\
__global__ void k(float* o) {
  __shared__ float A[32][32], B[32][32];
  int t = threadIdx.x;
  for (int j = 0; j < 32; ++j) {
    A[j][t] = o[j * 32 + t];
    B[j][t] = o[j * 32 + t + 1024];
  }
  __syncthreads();
  float sum = A[3][t];
#pragma unroll
  for (int j = 0; j < 4; ++j)
    sum += B[t][j * 8 + 1];
  o[t] = sum;
}
void go(float* o) { k<<<1, 32>>>(o); }
"""
"""Four reads of a column of B: 124 extra passes."""


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("k.cu").write_text(KERNEL, "utf-8")
    ended = bankwise("check", "k.cu", "-t", "sm_80", "--format", "json")
    (told,) = json.loads(ended.out)["diagnostics"]
    assert told["expression"] == "B[t][j * 8 + 1]"
    (tmp_path / "known.json").write_text(ended.out, "utf-8")
    return tmp_path / "known.json"


def gated(*edits: tuple[str, str], form: str = "--concise") -> tuple[int, str]:
    """The gate's answer once the kernel is edited."""
    text = KERNEL
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    Path("k.cu").write_text(text, "utf-8")
    ended = bankwise(
        *("check", "k.cu", "-t", "sm_80", "--baseline", "known.json", *form.split()),
    )
    return ended.code, " ".join(ended.out.split())


@pytest.mark.usefixtures("known")
def test_a_conflict_of_another_array_is_new_however_alike_its_instructions_are() -> None:
    other = ("B[t][j * 8 + 1]", "B[j * 8 + 1][t]"), ("A[3][t]", "A[t][3]")
    code, said = gated(*other)
    assert code == 1
    assert "1 conflict in the baseline is here no more" in said


@pytest.mark.usefixtures("known")
def test_what_the_compiler_makes_of_an_expression_says_nothing() -> None:
    """A loop of one instruction, four times: 4 x 31 as before."""
    assert gated(("#pragma unroll\n", "#pragma unroll 1\n"))[0] == 0
    assert gated(("B[t][j * 8 + 1]", "B[ t ][j*8 + 1]"), ("  int t", "\n  int t"))[0] == 0


@pytest.mark.usefixtures("known")
def test_more_passes_at_one_expression_are_new_and_both_numbers_are_told() -> None:
    """Eight reads: 8 x 31 = 248."""
    more = ("j < 4", "j < 8"), ("[j * 8 + 1]", "[j * 4 + 1]")
    code, said = gated(("j < 4", "j < 8"))
    assert code == 1, said
    assert "the baseline has 124 extra passes, now 248" in said
    code, said = gated(*more, form="--format github")
    assert code == 1
    assert "248 extra passes a workgroup%0Athe baseline has 124 extra passes, now 248" in said
    assert said.count("::") == 2


@pytest.mark.usefixtures("known")
def test_an_edited_expression_of_the_same_array_is_known_if_it_costs_no_more() -> None:
    """Rows 2t mod 32: two lanes share each word, 16 words of one bank, 15 extra passes."""
    code, said = gated(("B[t][j", "B[t * 2 % 32][j"))
    assert (code, "no more" in said) == (0, False), said
    assert "1 conflict (4 accesses) known by the baseline" in said
    dearer = ("B[t][j", "B[t][t / 32 + j"), ("j < 4", "j < 8")
    assert gated(*dearer)[0] == 1


def test_a_baseline_without_expressions_goes_by_instructions(known: Path) -> None:
    document = json.loads(known.read_text("utf-8"))
    del document["diagnostics"]
    known.write_text(json.dumps(document), "utf-8")
    assert gated()[0] == 0
    assert gated(("j < 4", "j < 8"))[0] == 1


@pytest.mark.parametrize("saved", [True, False])
def test_where_lines_alone_are_known_instructions_are_compared(
    known: Path, monkeypatch: pytest.MonkeyPatch, saved: bool
) -> None:
    """Saved with a parser and checked without one, or the other way round."""
    from bankwise.ask import check_source
    from bankwise.errors import InputError

    def no_parser(*_: object) -> None:
        raise InputError("no tree-sitter")

    with monkeypatch.context() as without:
        without.setattr(check_source, "at_expressions", no_parser)
        if saved:
            assert gated()[0] == 0
            assert gated(("j < 4", "j < 8"))[0] == 1
        ended = bankwise("check", "k.cu", "-t", "sm_80", "--format", "json")
    if not saved:
        known.write_text(ended.out, "utf-8")
        assert gated()[0] == 0
        assert gated(("j < 4", "j < 8"))[0] == 1


@pytest.mark.usefixtures("known")
def test_a_renamed_file_is_told_from_a_new_conflict() -> None:
    Path("k.cu").rename("moved.cu")
    for form in ("", "--format github", "--format sarif"):
        ended = bankwise(
            *("check", "moved.cu", "-t", "sm_80", "--baseline", "known.json", *form.split()),
        )
        assert ended.code == 1
        told = "moved.cu has conflicts known at k.cu, which is gone: renamed? save the baseline"
        assert told in " ".join(ended.out.split())


def test_an_annotation_says_also_only_with_a_place_behind_it(tmp_path: Path) -> None:
    """Read and write of one statement begin in one column, and have one cause."""
    text = KERNEL.replace("sum += B[t][j * 8 + 1];", "B[t][j * 8 + 1] += B[t][j * 8 + 2];")
    (tmp_path / "k.cu").write_text(text.replace("o[t] = sum", "o[t] = sum + B[3][t]"), "utf-8")
    ended = bankwise("check", tmp_path / "k.cu", "-t", "sm_80", "--format", "github")
    assert "read and write of B[t]" in ended.out
    assert "also %0A" not in ended.out


def test_a_conflict_without_a_line_is_not_called_one_of_line_1(tmp_path: Path) -> None:
    """Instances that one macro makes of another: no line is named for all but the last."""
    body = KERNEL.partition("void go")[0].replace("#pragma unroll\n", "").rstrip()
    define = f"#define DEFINE(name) {body.replace('k(float', 'name(float')}"
    lines = define.replace("\n", " \\\n")
    every = "#define EVERY(X) X(one) X(two) X(three)\nEVERY(DEFINE)\n"
    (tmp_path / "k.cu").write_text(f"{lines}\n{every}", "utf-8")
    ended = bankwise("check", tmp_path / "k.cu", "-t", "sm_80", "--format", "github")
    told = [line for line in ended.out.splitlines() if "at which line is not known" in line]
    assert told
    assert not any("line=" in line for line in told)


@pytest.mark.usefixtures("known")
def test_what_is_known_for_another_expression_of_its_array_says_which() -> None:
    """The read in line 12 is mended, and one is written in line 13: 31 extra passes for 124."""
    line = KERNEL[: KERNEL.index("sum += B")].count("\n") + 1
    edits = ("B[t][j * 8 + 1]", "B[j * 8 + 1][t]"), ("o[t] = sum", "o[t] = sum + B[t][3]")
    told = f"known: taken for the B[t][j*8+1] that was at line {line}; save the baseline anew"
    for form in ("--concise", "--format sarif"):
        code, said = gated(*edits, form=form)
        assert (code, f"k.cu:{line + 1}:16: {told}" in said) == (0, True)
    code, said = gated(*edits, form="--format github")
    assert (code, said.count("::notice ")) == (0, 1)
    assert f"::notice file=k.cu,line={line + 1},col=16,endColumn=23,title=bankwise::{told}" in said
    moved = ("  int t", "\n  int t"), ("B[t][j * 8 + 1]", "B[ t ][j*8 + 1]")
    assert "taken for" not in gated(*moved)[1]


def test_a_read_and_a_write_of_one_expression_are_one_conflict_known_or_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = KERNEL.replace("sum += B[t][j * 8 + 1]", "B[t][j * 8 + 1] += 1.f")
    Path("k.cu").write_text(text.replace("= sum", "= sum + B[3][t]"), "utf-8")
    ended = bankwise("check", "k.cu", "-t", "sm_80", "--format", "json")
    Path("known.json").write_text(ended.out, "utf-8")
    asked = ("check", "k.cu", "-t", "sm_80", "--baseline", "known.json")
    directions = {one["direction"] for one in json.loads(ended.out)["accesses"] if one["ways"] > 1}
    assert directions == {"read", "write"}
    assert "1 conflict (8 accesses) known by" in " ".join(bankwise(*asked).out.split())
    Path("k.cu").write_text(KERNEL.replace("B[t][j * 8 + 1]", "B[j * 8 + 1][t]"), "utf-8")
    said = " ".join(bankwise(*asked).out.split())
    assert "1 conflict in the baseline is here no more, save it anew: k.cu: k" in said


TWIN = KERNEL.partition("void go")[0].replace("void k(", "void twin(")


@pytest.mark.usefixtures("known")
def test_a_renamed_kernel_is_known_and_its_new_name_is_told() -> None:
    for form in ("--concise", "--format github", "--format sarif"):
        code, said = gated(("void k(", "void rows("), ("{ k<<<", "{ rows<<<"), form=form)
        assert code == 0, said
        assert "k is named rows now: save the baseline anew" in said
    code, said = gated(("void k(", "void rows("), ("{ k<<<", "{ rows<<<"), ("j < 4", "j < 8"))
    assert code == 1
    assert "the baseline has 124 extra passes, now 248" in said


@pytest.mark.usefixtures("known")
def test_a_twin_beside_the_old_kernel_is_new() -> None:
    """Also where the old one is not asked about."""
    both = ("void go", f"{TWIN}void go"), ("(o); }", "(o); twin<<<1, 32>>>(o); }")
    code, said = gated(*both)
    assert code == 1, said
    assert "is named" not in said
    assert gated(*both, form="--concise --kernel twin")[0] == 1
    renamed = ("void k(", "void rows("), ("{ k<<<", "{ rows<<<")
    code, said = gated(*renamed, *both)
    assert code == 1, said
    assert said.count("is named") == 1


def test_of_several_renamed_kernels_each_is_taken_for_the_one_that_costs_the_same(
    known: Path,
) -> None:
    """Of k and its twin the twin reads eight times, 248 extra passes. Of the new ones the first,
    which stands where k was, does so too; where it does not, k is the one at its own line."""
    few = TWIN.replace("void twin", "void __launch_bounds__(32) twin")
    twin = few.replace("j < 4", "j < 8")
    Path("k.cu").write_text(f"{KERNEL}{twin}", "utf-8")
    ended = bankwise("check", "k.cu", "-t", "sm_80", "--format", "json")
    known.write_text(ended.out, "utf-8")
    text = KERNEL.replace("void k(", "void rows(").replace("{ k<<<", "{ rows<<<")
    for first, names in ((twin, ("rows", "more")), (few, ("more", "rows"))):
        Path("k.cu").write_text(f"{first.replace('twin', 'more')}{text}", "utf-8")
        ended = bankwise(
            *("check", "k.cu", "-t", "sm_80", "--baseline", "known.json", "--concise"),
        )
        said = " ".join(ended.out.split())
        assert ended.code == 0, said
        assert f"k is named {names[0]} now" in said
        assert f"twin is named {names[1]} now" in said


@pytest.mark.usefixtures("known")
def test_a_renamed_kernel_of_a_renamed_file_is_told_from_a_new_conflict() -> None:
    text = KERNEL.replace("void k(", "void rows(").replace("{ k<<<", "{ rows<<<")
    Path("k.cu").unlink()
    Path("moved.cu").write_text(text, "utf-8")
    ended = bankwise(
        *("check", "moved.cu", "-t", "sm_80", "--baseline", "known.json", "--concise"),
    )
    assert ended.code == 1
    assert "moved.cu has conflicts known at k.cu, which is gone: renamed?" in " ".join(
        ended.out.split()
    )


@pytest.mark.usefixtures("known")
def test_what_costs_less_than_before_is_told_with_both_numbers() -> None:
    """Two reads instead of four: 62 extra passes. Saved anew nothing more is said of it."""
    less = ("j < 4", "j < 2")
    for form in ("--concise", "--format github", "--format sarif"):
        code, said = gated(less, form=form)
        assert code == 0, said
        assert "the baseline has 124 extra passes, now 62: save it anew" in said
    ended = bankwise(
        *("check", "k.cu", "-t", "sm_80", "--baseline", "known.json", "--format", "json")
    )
    assert "the baseline has 124 extra passes, now 62" in ended.err
    assert "anew" not in ended.err
    Path("known.json").write_text(ended.out, "utf-8")
    assert "the baseline has" not in gated(less)[1]
    assert gated()[0] == 1
