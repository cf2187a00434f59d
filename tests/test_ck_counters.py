"""A CK header beside a profile: passes over its tiles, and the counters of the kernel that uses it.

`scenario_rows.hpp` is the layout of the first of Composable Kernel's six published scenarios, and
`ck_rows.csv` has its published counters (``examples/ck_transpose/01.toml``), written as rocprofv3
writes them. So what is predicted of the header is held against numbers that AMD measured.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tree_sitter_cuda")

from command import Ended, bankwise

TESTS = Path(__file__).parent
ROWS = TESTS / "data" / "ck_headers" / "scenario_rows.hpp"
PROFILE = TESTS / "data" / "profile" / "ck_rows.csv"
QUESTION = TESTS.parent / "examples" / "ck_transpose" / "01.toml"
PUBLISHED = tomllib.loads(QUESTION.read_text("utf-8"))["published"]
INSTRUCTIONS = PUBLISHED["loads"] + PUBLISHED["stores"]


def check(*words: object, header: Path = ROWS, profile: Path = PROFILE) -> Ended:
    return bankwise("check", header, "-t", "gfx950", "--counters", profile, *words)


def compared(*words: object, **files: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The one kernel that is compared, and its rows by counter."""
    (kernel,) = json.loads(check("--format", "json", *words, **files).out)["counters"]["kernels"]
    return kernel, {row["counter"]: row for row in kernel["rows"]}


def changed(folder: Path, *pairs: tuple[str, str]) -> Path:
    """The profile with other numbers or names."""
    text = PROFILE.read_text("ascii")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    (folder / "other.csv").write_text(text, "ascii")
    return folder / "other.csv"


def test_the_profile_has_the_published_numbers() -> None:
    text = PROFILE.read_text("ascii")
    assert f'"SQ_LDS_BANK_CONFLICT",{PUBLISHED["conflicts"]}.' in text
    assert f'"SQ_INSTS_LDS",{INSTRUCTIONS}.' in text


def test_instructions_say_how_often_the_tile_is_passed_and_conflicts_agree() -> None:
    kernel, rows = compared()
    assert kernel["kernel"] == "make_lds_descriptor"
    assert kernel["measured_as"].startswith("_ZN7ck_tile6kentry")
    assert rows["SQ_LDS_BANK_CONFLICT"]["predicted"] == PUBLISHED["conflicts"]
    assert rows["SQ_INSTS_LDS"]["predicted"] is None
    assert kernel["agrees"]
    out = " ".join(check().out.split())
    assert "that of 8 passes a workgroup" in out
    assert "if the kernel does nothing to shared memory but that" in out
    assert "no other kernel here touches shared memory" in out


def test_passes_that_are_said_are_predicted_and_confirmed_by_the_instructions() -> None:
    kernel, rows = compared("--times", 8)
    assert rows["SQ_LDS_BANK_CONFLICT"]["predicted"] == PUBLISHED["conflicts"]
    assert rows["SQ_INSTS_LDS"]["predicted"] == INSTRUCTIONS
    assert kernel["agrees"]
    assert kernel["each"] == "workgroup"
    document = json.loads(
        bankwise("check", ROWS, "-t", "gfx950", "--times", 8, "--format", "json").out
    )
    (whole,) = document["kernels"]
    assert whole["totals"]["run"]["extra"] * 1024 == PUBLISHED["conflicts"]
    (snippet,) = document["snippets"]
    assert snippet["each"] == "pass over the tile"
    assert snippet["before"] * 8 == whole["totals"]["run"]["passes"]


@pytest.mark.parametrize(
    ("name", "typo", "said"),
    [
        ("SQ_LDS_BANK_CONFLICT", "SQ_LDS_BANK_CONFLCT", True),
        ("SQ_LDS_BANK_CONFLICT", "sq_lds_bank_conflicts", True),
        ("SQ_LDS_BANK_CONFLICT", "SQ_LDS_ADDR_CONFLICT", False),
        ("SQ_INSTS_LDS", "SQ_INST_LDS", True),
        ("SQ_INSTS_LDS", "SQ_INSTS_GDS", False),
    ],
)
def test_a_counter_that_is_misspelt_is_told_with_the_one_that_it_is_near(
    tmp_path: Path, name: str, typo: str, said: bool
) -> None:
    """SQ_LDS_ADDR_CONFLICT and SQ_INSTS_GDS are real counters of AMD that are not read."""
    done = check("--statistics", profile=changed(tmp_path, (f'"{name}"', f'"{typo}"')))
    told = f"{typo} is no counter that is read: did you mean {name}?"
    assert (told in " ".join(done.out.split())) is said
    assert "did you mean" not in check("--statistics").out


def test_other_passes_than_there_were_are_no_verdict() -> None:
    kernel, rows = compared("--times", "make_lds*=4")
    assert rows["SQ_LDS_BANK_CONFLICT"]["difference"] == PUBLISHED["conflicts"] // 2
    assert "instructions were executed" in rows["SQ_LDS_BANK_CONFLICT"]["cause"]
    assert kernel["agrees"] is None


FREE = ("kM=128", "kK=64", "ADataType=half_t", "LayoutA=RowMajor", "kBlockSize=256")
"""Of `layered_xor.hpp`, which has no conflicts: 4 waves write 4 and read 8 times of 16 bytes."""


@pytest.mark.parametrize(
    ("words", "counters", "code", "says"),
    [
        (("--times", "5"), (960, 4096), 3, "as many instructions were executed"),
        (("--times", "5"), (960, 0), 0, "all: as predicted"),
        (("--times", "4"), (960, 4096), 0, "960 instructions were executed, 768 predicted"),
        ((), (960, 4096), 3, "no mixture of its tiles has as many conflicts"),
        ((), (960, 0), 0, "as predicted"),
    ],
)
def test_a_profile_of_another_layout_contradicts_a_header_without_conflicts(
    tmp_path: Path, words: tuple[str, ...], counters: tuple[int, int], code: int, says: str
) -> None:
    """Four workgroups, five passes over the tile each: 4 * 5 * 48 executed instructions."""
    profile = tmp_path / "p.csv"
    names = "SQ_INSTS_LDS,SQ_LDS_BANK_CONFLICT"
    values = ",".join(map(str, counters))
    profile.write_text(
        f"Kernel_Name,Grid_Size,Workgroup_Size,{names}\nk,1024,256,{values}\n", "ascii"
    )
    answers = (*FREE, "WarpTile=32,32,16", "BlockWarps=2,2,1")
    dims = [word for one in answers for word in ("--dim", one)]
    header = ROWS.with_name("layered_xor.hpp")
    ended = bankwise("check", header, "-t", "gfx942", "--counters", profile, *dims, *words)
    out = " ".join(ended.out.split())
    assert ended.code == code, out
    assert says in out
    assert ("the profile contradicts: MakeALdsBlockDescriptor" in out) is (code == 3)
    assert "direct-to-LDS" not in out


def test_instructions_that_are_no_whole_passes_leave_rates(tmp_path: Path) -> None:
    more = INSTRUCTIONS + 1024 * 8
    profile = changed(tmp_path, (f"{INSTRUCTIONS}.", f"{more}."))
    kernel, rows = compared(profile=profile)
    assert kernel["agrees"] is None
    assert kernel["each"] == "pass over the tile"
    assert all(row["predicted"] is None for row in rows.values())
    predicted = PUBLISHED["conflicts"] / INSTRUCTIONS
    measured = PUBLISHED["conflicts"] / more
    said = f"predicted {predicted:.2f}, measured {measured:.2f}"
    assert said in rows["SQ_LDS_BANK_CONFLICT"]["cause"]
    assert any("other accesses conflict less" in note for note in kernel["notes"])


def test_whole_passes_with_other_conflicts_are_no_scale(tmp_path: Path) -> None:
    """A difference may be that of the scale: nothing is predicted by it."""
    profile = changed(tmp_path, (f"{PUBLISHED['conflicts']}.", f"{PUBLISHED['conflicts'] * 2}."))
    kernel, rows = compared(profile=profile)
    assert all(row["predicted"] is None for row in rows.values())
    assert kernel["agrees"] is None
    assert any("other accesses conflict more" in note for note in kernel["notes"])


def test_a_kernel_is_named_where_several_touch_shared_memory(tmp_path: Path) -> None:
    profile = changed(tmp_path, ('"SQ_INSTS_LDS",0.', '"SQ_INSTS_LDS",64.'))
    ended = check(profile=profile)
    assert (ended.code, ended.out) == (2, "")
    assert "2 kernels of this profile touch shared memory" in ended.err
    assert "ck_tile::kentry<1, ck_tile::MatrixTransposeKernel<" in ended.err
    for name in ("*MatrixTranspose*", "kentry", "ck_tile::kentry<1*"):
        kernel, _ = compared("--profiled", name, profile=profile)
        assert kernel["agrees"], name
    ended = check("--profiled", "*Gemm*", profile=profile)
    assert ended.code == 2
    assert "--profiled '*Gemm*': no kernel of this profile is so named" in ended.err


def test_no_kernel_that_touches_shared_memory_is_said(tmp_path: Path) -> None:
    numbers = [(f"{n}.000000", "0.000000") for n in (PUBLISHED["conflicts"], INSTRUCTIONS)]
    ended = check(profile=changed(tmp_path, *numbers))
    assert (ended.code, "no kernel of this profile touches" in ended.err) == (2, True)


def test_another_block_than_the_header_is_read_for_is_refused(tmp_path: Path) -> None:
    ended = check(profile=changed(tmp_path, ('.kd",256,', '.kd",512,')))
    assert ended.code == 2
    assert "ran with workgroups of 512 threads, make_lds_descriptor is read for 256" in ended.err


TWO = ("kBlockSize=256", "WarpTile=32,32,16", "kN0=128", "kK1=64", "KDataType=bf16_t")
GEMM = ("kM=128", "kK=64", "ADataType=half_t", "LayoutA=RowMajor")


@pytest.fixture
def two_tiles(tmp_path: Path) -> Path:
    """A tile that is free of conflicts, and one whose rate is 3,584 of 4,224 passes."""
    names = ("layered_xor", "attention_keys")
    texts = [(ROWS.parent / f"{name}.hpp").read_text("utf-8") for name in names]
    (tmp_path / "two.hpp").write_text("\n".join(texts), "utf-8")
    return tmp_path / "two.hpp"


@pytest.mark.parametrize(
    ("conflicts", "says"),
    [
        (500, "lies between those of these tiles"),
        (900, "more than any mixture of its tiles has"),
        (0, "lies between those of these tiles"),
    ],
)
def test_a_rate_is_held_against_every_mixture_of_tiles(
    tmp_path: Path, two_tiles: Path, conflicts: int, says: str
) -> None:
    profile = tmp_path / "p.csv"
    header = "Kernel_Name,Grid_Size,Workgroup_Size,SQ_LDS_BANK_CONFLICT,SQ_LDS_IDX_ACTIVE"
    profile.write_text(f"{header}\nk,256,256,{conflicts},1000\n", "ascii")
    answers = (*TWO, *GEMM, "BlockWarps=4,1,1")
    dims = [word for one in answers for word in ("--dim", one)]
    ended = bankwise("check", two_tiles, "-t", "gfx942", "--counters", profile, *dims)
    out = " ".join(ended.out.split())
    assert says in out
    assert f"measured {conflicts / 1000:.1%}" in out
    assert "and passes over each of them as often" in out
    assert "MakeALdsBlockDescriptor and MakeKLdsBlockDescriptor: 1 launch, 1 workgroup" in out
    words = ("check", two_tiles, "-t", "gfx942", *dims, "--times", "MakeK*=3")
    ended = bankwise(*words)
    assert (ended.code, "--times says nothing of MakeALdsBlockDescriptor" in ended.err) == (2, True)
    ended = bankwise(*words, "--times", "MakeA*=6", "--format", "json")
    totals = {kernel["name"][:5]: kernel["totals"] for kernel in json.loads(ended.out)["kernels"]}
    often = {name: t["run"]["passes"] / t["once"]["passes"] for name, t in totals.items()}
    assert often == {"MakeA": 6, "MakeK": 3}


def test_each_tile_of_a_fix_has_its_name(two_tiles: Path) -> None:
    dims = [word for one in (*TWO, *GEMM, "BlockWarps=4,1,1") for word in ("--dim", one)]
    told = bankwise("fix", two_tiles, "-t", "gfx942", *dims).err
    for name in ("MakeALdsBlockDescriptor", "MakeKLdsBlockDescriptor"):
        assert ["all", "of", name] in [line.split()[-3:] for line in told.splitlines()]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--launch", "k<<<1, 256>>>()"), "--times says how often a workgroup passes"),
        (("--workgroup-size", "256"), "--dim kBlockSize=256"),
        (("--arg", "n=4"), "is said by --dim"),
        (("--times", "0"), "is not N, nor NAME=N"),
        (("--times", "Nobody=3"), "it has make_lds_descriptor"),
    ],
)
def test_what_a_header_has_no_use_for_is_refused_with_the_way_on(
    words: tuple[str, ...], says: str
) -> None:
    ended = bankwise("check", ROWS, "-t", "gfx950", *words)
    assert (ended.code, ended.out) == (2, "")
    assert says in " ".join(ended.err.split())


def test_a_header_of_which_nothing_is_counted_says_why_not_what_the_profile_lacks() -> None:
    header = ROWS.with_name("attention_keys.hpp")
    dims = ("kN0=128", "kK1=64", "kBlockSize=256", "KDataType=bf16_t")
    ended = check(*(word for one in dims for word in ("--dim", one)), header=header)
    assert ended.code == 2
    assert "attention_keys.hpp:53:25: nothing was counted" in ended.err
    assert "--dim WarpTile=32,32,16" in ended.err


def test_one_pass_is_called_so_where_nobody_says_more() -> None:
    out = " ".join(bankwise("check", ROWS, "-t", "gfx950").out.split())
    assert "extra passes in one pass over the tile" in out
    assert "per pass over the tile; " in f"{out}; "
    assert "extra passes a workgroup" not in out


def test_a_name_in_a_profile_that_nobody_gave_is_refused() -> None:
    ended = bankwise("check", ROWS, "-t", "gfx950", "--profiled", "k*")
    assert (ended.code, "there is no profile" in ended.err) == (2, True)


def test_executed_instructions_that_are_other_passes_are_told_with_what_fits() -> None:
    """8 passes were measured, and all counters with it; of 4 the conflicts are half."""
    out = " ".join(check("--times", 4).out.split())
    assert "counters fit --times 8" in out
    assert "counters fit" not in " ".join(check("--times", 8).out.split())


@pytest.mark.parametrize("said", [(), ("--times", 5)])
def test_instructions_that_fit_where_the_conflicts_do_not_are_told(
    tmp_path: Path, said: tuple[str, ...]
) -> None:
    profile = changed(tmp_path, (f"{PUBLISHED['conflicts']}.", "12345."))
    out = " ".join(check(*said, profile=profile).out.split())
    would = f"SQ_LDS_BANK_CONFLICT would be {PUBLISHED['conflicts']:,}, and is 12,345: was another"
    assert f"SQ_INSTS_LDS fits --times 8; then {would} text of the header measured" in out


def test_a_profile_that_is_not_there_is_told_with_what_one_is(tmp_path: Path) -> None:
    ended = check(profile=tmp_path / "nope.csv")
    assert ended.code == 2
    assert "rocprofv3" in ended.err
    near = bankwise("check", ROWS, "-t", "gfx950", "--counters", PROFILE.with_name("ck_row.csv"))
    assert "did you mean" in near.err
