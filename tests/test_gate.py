"""When a check fails a build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from command import bankwise

ROOT = Path(__file__).parent.parent
KERNEL = ROOT / "examples/gemm_gather_to_lds/gemm_gfx950.mlir"


@pytest.mark.parametrize(("ways", "code"), [("2-way", 1), ("4", 1), ("4-way", 1), ("5-way", 0)])
def test_conflicts_of_fewer_ways_do_not_fail(ways: str, code: int) -> None:
    assert bankwise("check", KERNEL, "--fail-on", ways).code == code


def test_what_a_baseline_knows_does_not_fail_and_what_is_new_does(tmp_path: Path) -> None:
    saved = bankwise("check", KERNEL, "--format", "json").out
    document = json.loads(saved)
    known = tmp_path / "known.json"
    known.write_text(saved, "utf-8")
    assert bankwise("check", KERNEL, "--baseline", known).code == 0
    document["accesses"] = document["accesses"][1:]
    known.write_text(json.dumps(document), "utf-8")
    assert bankwise("check", KERNEL, "--baseline", known).code == 1


def test_annotations_stand_at_the_lines_of_the_new_conflicts() -> None:
    ended = bankwise("check", KERNEL, "--format", "github")
    lines = ended.out.splitlines()
    document = json.loads(bankwise("check", KERNEL, "--format", "json").out)
    wanted = {a["location"]["line"] for a in document["accesses"] if a["run"]["extra"]}
    assert all(line.startswith("::error file=") for line in lines)
    told = {int(line.split("line=")[1].split(",")[0]) for line in lines}
    assert told <= wanted
    assert len(lines) == len(document["causes"])
    assert all(" extra passes a workgroup" in line for line in lines)
    text = KERNEL.read_text("utf-8").split("\n")
    assert all("vector.load" in text[n - 1] for n in wanted)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--fail-on", "many"), "is not N-way"),
        (("--fail-on", "1-way"), "is not N-way"),
        (("--baseline", "missing.json"), "no such file"),
        (("--baseline", str(KERNEL)), "this is an MLIR kernel"),
        (("--baseline", str(KERNEL)), f"{KERNEL.name} --format json > known.json"),
    ],
)
def test_bad_options_are_told(words: tuple[str, ...], says: str) -> None:
    ended = bankwise("check", KERNEL, *words)
    assert ended.code == 2
    assert says in ended.err


SPEC = Path(__file__).parents[1] / "examples" / "transpose_16x32"


def test_a_spec_is_gated_as_a_kernel_is(tmp_path: Path) -> None:
    """Row-major 16 x 32 of f32: a 16-way read, known or tolerated."""
    (spec,) = [p for p in SPEC.glob("*.toml") if bankwise("check", p).code == 1][:1]
    saved = tmp_path / "known.json"
    saved.write_text(bankwise("check", spec, "--format", "json").out, "utf-8")
    assert bankwise("check", spec, "--fail-on", "33-way").code == 0
    assert bankwise("check", spec, "--baseline", saved).code == 0
    assert bankwise("check", spec, "--fail-on", "many").code == 2
    ended = bankwise("check", spec, "--format", "github")
    assert ended.code == 1
    assert ended.out.startswith("::error file=")


@pytest.mark.parametrize(
    "option",
    ["--kernel=k", "--dim=m=1", "--isa", "--arg=n=1", "--keep=d", "--padding", "--worth"],
)
def test_an_option_of_kernels_is_refused_for_a_spec(option: str) -> None:
    ended = bankwise("check", next(SPEC.glob("*.toml")), option)
    assert (ended.code, ended.out) == (2, "")
    assert f"{option.split('=')[0]} says nothing about a tile question" in ended.err
    assert "AMD assembly" in ended.err or "a model" in ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("check", "--isa"), "--isa says nothing about AMD assembly"),
        (("cost",), "this is AMD assembly; `cost` takes an MLIR kernel, "),
    ],
)
def test_what_compiles_says_so_to_emitted_code(words: tuple[str, ...], says: str) -> None:
    verb, *options = words
    path = SPEC.parent / "ck_transpose" / "04_reads.s"
    ended = bankwise(verb, path, *options)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err


@pytest.mark.parametrize(("said", "noted"), [("gfx90a", True), ("gfx942", True), ("MI355X", False)])
def test_a_kernel_that_is_for_another_gpu_is_counted_with_a_note(said: str, noted: bool) -> None:
    ended = bankwise("check", KERNEL, "--target", said)
    assert (" is for gfx950, and is counted for " in " ".join(ended.out.split())) == noted


def test_a_second_file_is_refused_with_what_takes_several() -> None:
    ended = bankwise("check", KERNEL, KERNEL)
    assert ended.code == 2
    assert "`scan` takes several, and folders" in " ".join(ended.err.replace("\u2502", " ").split())
