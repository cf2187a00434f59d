"""What a kernel of TTGIR leaves open: only what decides how often something runs is asked for."""

from __future__ import annotations

import pytest

from bankwise.errors import InputError
from test_ttgir import INSIDE, loop
from ttgir_texts import checked, module

SIGNATURE = "%x: !tt.ptr<f16>, %scale: f32, %stride: i32, %n: i32"
CAUSAL = """    %block = tt.get_program_id x : i32
    %next = arith.addi %block, %c1 : i32
    %end = arith.muli %next, %c8 : i32
    %bound = arith.minsi %end, %n : i32
"""
ROUND = 32
"""Passes of a read of 64 rows of 64 bytes by 4 waves: 4 KiB, 128 bytes a pass."""


def causal(bound: str, target: str = "cuda:80", lanes: int = 32) -> str:
    """A loop up to eight rounds for each block, and for those before it."""
    body = CAUSAL + loop(bound, INSIDE)
    return module(body, arguments=SIGNATURE, target=target, lanes=lanes)


@pytest.mark.parametrize(
    ("bound", "said", "asked"),
    [
        ("%n", (), "says it: n)"),
        ("%end", (), "says it: blockIdx.x (tl.program_id(0)))"),
        ("%end", ("n=64", "stride=1"), "says it: blockIdx.x (tl.program_id(0)))"),
        ("%bound", (), "says it: n, blockIdx.x (tl.program_id(0)))"),
        ("%bound", ("blockIdx.x=1",), "says it: n)"),
    ],
)
def test_only_what_decides_the_rounds_is_asked_for(
    bound: str, said: tuple[str, ...], asked: str
) -> None:
    notes = checked(causal(bound), *said).kernels[0].notes
    (told,) = (note for note in notes if note.startswith("how often loops run is not known"))
    assert told.endswith(asked)


def test_of_an_amd_kernel_the_block_is_called_as_its_assembly_calls_it() -> None:
    text = causal("%end", "hip:gfx942", 64).replace("[8, 4]", "[16, 4]")
    assert "workgroup_id_x (tl.program_id(0))" in checked(text).kernels[0].notes[-1]


@pytest.mark.parametrize("name", ["blockIdx.x", "ctaid.x", "workgroup_id_x"])
def test_the_number_of_the_block_says_how_far_a_causal_loop_runs(name: str) -> None:
    report = checked(causal("%end"), f"{name}=2")
    assert report.totals.run.passes == (2 + 1) * 8 * ROUND
    assert "counted is the block of blockIdx.x = 2, as was said" in report.kernels[0].notes
    assert not any("not known" in note for note in report.kernels[0].notes)


def test_how_many_blocks_there_are_may_be_said() -> None:
    body = "    %all = tt.get_num_programs y : i32\n" + loop("%all", INSIDE)
    assert "says it: gridDim.y (tl.num_programs(1))" in checked(module(body)).kernels[0].notes[-1]
    assert checked(module(body), "gridDim.y=3").totals.run.passes == 3 * ROUND


def test_what_no_argument_decides_says_what_does() -> None:
    body = "    %all = tt.load %x : !tt.ptr<i32>\n" + loop("%all", INSIDE)
    text = module(body, arguments="%x: !tt.ptr<i32>, %n: i32")
    assert "no argument decides it: data in memory" in checked(text).kernels[0].notes[-1]
    body = "    %all = arith.fptosi %f : f32 to i32\n" + loop("%all", INSIDE)
    text = module(body, arguments="%f: f32, %n: i32")
    assert "no argument decides it: f (no integer)" in checked(text).kernels[0].notes[-1]


def test_a_loop_inside_another_asks_for_what_either_needs() -> None:
    """The inner one runs as often as the round of the outer one says."""
    inner = f"    scf.for %j = %c0 to %i step %c1  : i32 {{\n{INSIDE}    }}\n"
    asked = checked(module(loop("%n", inner))).kernels[0].notes[-1]
    assert asked.endswith("says it: n)")
    counted = checked(module(loop("%n", inner)), "n=5")
    assert counted.totals.run.passes == (0 + 1 + 2 + 3 + 4) * ROUND


def test_a_branch_of_unknown_way_asks_for_what_decides_it() -> None:
    body = (
        f"    %p = arith.cmpi sgt, %n, %c8 : i32\n    scf.if %p {{\n{loop('%c8', INSIDE)}    }}\n"
    )
    assert checked(module(body)).kernels[0].notes[-1].endswith("says it: n)")


def test_a_number_that_is_none_and_a_strange_name_are_told_what_is_wanted() -> None:
    with pytest.raises(InputError, match=r"'scale=0\.088': no whole number") as caught:
        checked(causal("%end"), "scale=0.088")
    assert "leave arguments of other types out" in (caught.value.hint or "")
    with pytest.raises(InputError, match="no argument 'm'") as caught:
        checked(causal("%end"), "m=4")
    assert "blockIdx.x, or workgroup_id_x, is the block's number" in (caught.value.hint or "")
