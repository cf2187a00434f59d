"""``check`` with a profile, with ``--worth``, and of a folder, on the command line."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from command import bankwise
from isa_texts import amd_text

DATA = Path(__file__).parent / "data" / "profile"
TILES = DATA / "tiles.ptx"


def test_a_profile_that_agrees_is_compared_below_the_check_and_changes_no_exit_code() -> None:
    ended = bankwise("check", TILES, "--counters", DATA / "source.csv")
    assert ended.code == bankwise("check", TILES).code == 1
    kernels = ("transpose<32>", "transpose<33>", "wide", "fragments")
    assert ended.out.count("all: as predicted") == len(kernels)
    said = " ".join(ended.out.split())
    assert said.count("workgroups (8 waves a workgroup executed its first instruction)") == 4


def test_a_profile_of_another_text_is_told_and_ends_with_3(tmp_path: Path) -> None:
    """The same kernel, its lanes side by side: what was measured conflicted."""
    text = TILES.read_text("utf-8")
    for old in ("%r11, %r10, 4", "%r27, %r26, 4"):
        assert text.count(old) == 1
        text = text.replace(old, f"{old[:4]}, %r1, 4")
    (tmp_path / "k.ptx").write_text(text, "utf-8")
    words = ("check", tmp_path / "k.ptx", "--kernel", "wide", "--workgroup-size", "256")
    assert bankwise(*words).code == 0
    for profile, what in (("source.csv", "instructions"), ("raw.csv", "counters")):
        ended = bankwise(*words, "--counters", DATA / profile)
        assert ended.code == 3
        told = f"the profile contradicts: wide: the {what} were not as predicted"
        assert told in " ".join(ended.out.split())
    same = ("check", TILES, "--kernel", "wide", "--counters", DATA / "source.csv")
    assert "the profile contradicts" not in bankwise(*same).out


def test_json_has_the_comparison_under_counters_and_only_if_asked_for() -> None:
    words = ("check", TILES, "--format", "json")
    document = json.loads(bankwise(*words, "--counters", DATA / "raw.csv", "--worth").out)
    assert all(k["agrees"] for k in document["counters"]["kernels"])
    assert len(document["worth"]) == 4
    assert not {"counters", "worth"} & json.loads(bankwise(*words).out).keys()


def test_a_folder_is_checked_and_its_worth_told(tmp_path: Path) -> None:
    body = "\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1"
    (tmp_path / "k.s").write_text(amd_text(body), "utf-8")
    ended = bankwise("check", tmp_path, "--worth")
    assert ended.code == 1
    assert "k: checked k.s" in ended.out
    assert "shared memory is the busiest of the known units" in ended.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--counters", "missing.csv"), "no such file"),
        (("--counters", str(TILES)), "this is PTX; `check --counters` takes a profile"),
        (("--counters", str(DATA / "rocprof.csv")), "measured no sm_90"),
        (("--worth", "--format", "sarif"), "print no sarif"),
    ],
)
def test_what_cannot_be_compared_is_told_without_a_traceback(
    words: tuple[str, ...], says: str
) -> None:
    ended = bankwise("check", TILES, *words)
    assert ended.code == 2
    assert says in ended.err


@pytest.mark.parametrize("words", [(), ("--isa",)])
def test_a_folder_without_kernels_is_told(tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = bankwise("check", tmp_path, *words)
    assert ended.code == 2
    assert "folder is empty" in ended.err


# Composable Kernel's published counters, as rocprof-compute would write them

QUESTION = Path(__file__).parents[1] / "examples" / "ck_transpose" / "01.toml"
HEADER = (
    "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,"
    "Scratch_Per_Workitem,Arch_VGPR,Accum_VGPR,SGPR,Kernel_Name,Start_Timestamp,End_Timestamp,"
    "Correlation_ID,Node_ID,SQ_LDS_BANK_CONFLICT,SQ_INSTS_LDS"
)


def workload(folder: Path, conflicts: int) -> Path:
    """A folder of rocprof-compute, of one dispatch."""
    question = tomllib.loads(QUESTION.read_text("utf-8"))
    groups = question["launch"]["workgroups"]
    instructions = question["published"]["loads"] + question["published"]["stores"]
    into = folder / "workloads" / "transpose" / "MI300X_A1"
    into.mkdir(parents=True)
    row = (
        f"0,4,1,7,7,{groups * 256},256,4096,0,32,4,32,transpose,1,2,1,0,{conflicts},{instructions}"
    )
    (into / "pmc_perf.csv").write_text(f"{HEADER}\n{row}\n", "ascii")
    return folder / "workloads"


def test_a_tile_question_stands_beside_a_workload_of_rocprof_compute(tmp_path: Path) -> None:
    published = tomllib.loads(QUESTION.read_text("utf-8"))["published"]["conflicts"]
    folder = workload(tmp_path, published)
    words = ("check", QUESTION, "--counters", folder)
    document = json.loads(bankwise(*words, "--format", "json").out)
    (kernel,) = document["counters"]["kernels"]
    assert document["counters"]["tool"] == "rocprof-compute"
    rows = {row["counter"]: row for row in kernel["rows"]}
    assert rows["SQ_LDS_BANK_CONFLICT"]["predicted"] == published
    assert {row["difference"] for row in rows.values()} == {0}
    out = bankwise(*words).out
    assert "the question its one tile" in out
    assert "Node_ID" not in out


def test_a_question_that_says_no_launch_is_not_compared(tmp_path: Path) -> None:
    text = QUESTION.read_text("utf-8")
    lines = [one for one in text.splitlines() if not one.startswith("launch")]
    end = next(n for n, one in enumerate(lines) if one.startswith("[published]"))
    (tmp_path / "q.toml").write_text("\n".join(lines[:end]), "utf-8")
    ended = bankwise("check", tmp_path / "q.toml", "--counters", workload(tmp_path, 1))
    assert ended.code == 2
    assert "how often a workgroup passes over the tile is not said" in ended.err


def test_a_folder_without_one_workload_is_refused(tmp_path: Path) -> None:
    ended = bankwise("check", QUESTION, "--counters", tmp_path)
    assert (ended.code, "takes a profile" in ended.err) == (2, True)
    workload(tmp_path / "a", 1)
    workload(tmp_path / "b", 1)
    ended = bankwise("check", QUESTION, "--counters", tmp_path)
    assert (ended.code, "2 files pmc_perf.csv" in ended.err) == (2, True)


def test_a_profile_that_is_not_there_is_told_before_the_kernel_is_read(tmp_path: Path) -> None:
    (tmp_path / "no.ptx").write_text("not a kernel", "utf-8")
    ended = bankwise("check", tmp_path / "no.ptx", "--counters", tmp_path / "nosuch.csv")
    assert ended.code == 2
    assert "nosuch.csv: no such file" in ended.err
