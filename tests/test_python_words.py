"""What Python says of a kernel in its own words is what the command line says in texts."""

from __future__ import annotations

import doctest
import json
from pathlib import Path
from typing import Any

import pytest

import bankwise
from bankwise.ask.check import check_file
from bankwise.errors import InputError
from bankwise.read.options import Options
from bankwise.show.fixing import FixReport
from command import bankwise as command
from cuda_fixes import real


def test_the_example_of_the_package_runs() -> None:
    """64 lanes in 8 phases, in each two groups of rows that all begin in one bank: 8 x 4 passes."""
    found = doctest.testmod(bankwise)
    assert found.attempted > 0
    assert found.failed == 0


PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry rows(.param .u64 out, .param .u32 n)
{
  .shared .align 4 .b8 s[8192];
  .reg .b32 %r<6>;
  .reg .pred %p;
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 7;
  ld.param.u32 %r3, [n];
  setp.ge.u32 %p, %r1, %r3;
  @%p bra DONE;
  mov.u32 %r4, s;
  add.s32 %r5, %r4, %r2;
  st.shared.u32 [%r5], %r1;
DONE:
  ret;
}
"""


@pytest.fixture
def ptx(tmp_path: Path) -> Path:
    path = tmp_path / "rows.ptx"
    path.write_text(PTX)
    return path


def test_a_size_is_numbers_and_an_argument_a_number_by_name(ptx: Path) -> None:
    said = Options("sm_90", workgroup_size="64,1,1", arguments=("n=32",))
    expected = check_file(ptx, said).totals.run  # type: ignore[union-attr]
    assert expected.passes == 32  # of one warp, all lanes in one bank
    for size in ((64, 1, 1), [64], "64"):
        for arguments in ({"n": 32}, ["n=32"], "n=32"):
            found = bankwise.check(ptx, "sm_90", workgroup_size=size, arguments=arguments)
            assert found.totals.run == expected


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"workgroup_size": 64}, "workgroup size 64"),
        ({"workgroup_size": (64, "1")}, "workgroup size (64, '1')"),
        ({"workgroup_size": (64, True, 1)}, "workgroup size"),
        ({"workgroup_size": (0, 1, 1)}, "'0,1,1' is not X,Y,Z"),
        ({"arguments": 4}, "arguments 4"),
        ({"arguments": [4]}, "arguments [4]"),
        ({"arguments": {"n": 1.5}}, "--arg 'n=1.5'"),
        ({"launches": 7}, "launches 7"),
    ],
)
def test_anything_else_is_bad_input(said: dict[str, Any], word: str, ptx: Path) -> None:
    for verb in (bankwise.check, bankwise.fix):
        with pytest.raises(InputError) as error:
            verb(ptx, "sm_90", **said)
        assert word in str(error.value)


def test_flags_that_are_no_words_are_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k() {}\n")
    with pytest.raises(InputError, match="flags"):
        bankwise.check(path, "sm_90", flags="-DA='1")


@real
def test_flags_and_arguments_of_a_fix_are_those_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        "__global__ void k(float* out, int n) {\n"
        "  __shared__ float s[SIDE][SIDE];\n"
        "  for (int i = 0; i < n; ++i) s[threadIdx.x][i] = out[i];\n"
        "  __syncthreads();\n"
        "  for (int i = 0; i < n; ++i) out[i * SIDE + threadIdx.x] = s[threadIdx.x][i];\n"
        "}\n"
    )
    words = ("-t", "sm_90", "--workgroup-size", "32", "--arg", "n=32", "--no-execute")
    done = command("fix", path, *words, "--format", "json", "--", "-DSIDE=32")
    report = bankwise.fix(
        path, "sm_90", workgroup_size=(32,), arguments={"n": 32}, execute=False, flags="-DSIDE=32"
    )
    assert isinstance(report, FixReport)
    assert report.patch == json.loads(done.out)["patch"] != ""
