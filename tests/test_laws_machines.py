"""Every machine file goes through every verb, and so does a new one: a GPU is a file, no code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command import bankwise

HERE = Path(__file__).parent
ROOT = HERE.parent
EXAMPLES, ISA = ROOT / "examples", HERE / "data" / "isa"
MACHINES = tuple(
    m["name"] for m in json.loads(bankwise("machines", "--format", "json").out)["machines"]
)
OLD, NEW = "gfx950", "gfx980"
"""A machine, and the name of its copy: as long, so that places in files stay."""

SPEC = """\
machine = "{name}"
tile = [64, 32]
element_bits = 32

[memory]
layout = "row-major"

[[access]]
name = "read"
op = "read"
distribution = "(n:5 m:6) reg = n0 n1 n2 n3 n4{reg}; lane = m0 m1 m2 m3 m4{lane}; wave ="
"""
PROBLEM = """\
machine = "{name}"
tile = {{ shape = [64, 32], element_bits = 32 }}

[[access]]
name = "store"
op = "write"
lanes = "n0 n1 n2 n3 n4{lane}"
registers = "m0 m1 m2 m3 m4{reg}"

[[access]]
name = "column"
op = "read"
lanes = "m0 m1 m2 m3 m4{lane}"
registers = "n0 n1 n2 n3 n4{reg}"
"""


def document(*words: object) -> dict[str, Any]:
    """What a command that can answer prints."""
    ended = bankwise(*words, "--format", "json")
    assert ended.code in (0, 1, 3), ended.err
    return dict(json.loads(ended.out))


def stated(text: str, name: str, folder: Path) -> Path:
    """A file for the machine: with waves of 64, lane bit 5 is row bit 5 (or, of a store, m5)."""
    wide = json.loads(bankwise("machines", name, "--format", "json").out)
    long = wide["machines"][0]["wave_size"] == 64
    file = folder / "stated.toml"
    more = {"lane": " m5" if long else "", "reg": "" if long else " m5"}
    file.write_text(text.format(name=name, **more), "utf-8")
    return file


@pytest.mark.parametrize("name", MACHINES)
def test_count_knows_every_instruction_of_every_machine(name: str) -> None:
    (machine,) = document("machines", name)["machines"]
    for row in machine["instructions"]:
        second = ("--second", "lane*64") if row["addresses"] == 2 else ()
        found = document("count", "-t", name, row["name"], "lane*64", *second)
        assert (found["target"], found["instruction"]) == (name, row["name"])
        assert found["passes"] >= found["ideal"] > 0


@pytest.mark.parametrize("name", MACHINES)
def test_a_column_of_a_tile_conflicts_on_every_machine(name: str, tmp_path: Path) -> None:
    found = document("check", stated(SPEC, name, tmp_path))
    assert found["target"] == name
    # A row is 128 bytes: all 32 rows of a column lie in one bank of 32, in two of 64.
    assert found["totals"]["once"]["extra"] > 0


@pytest.mark.parametrize("name", MACHINES)
def test_solve_frees_a_transpose_on_every_machine(name: str, tmp_path: Path) -> None:
    found = document("solve", stated(PROBLEM, name, tmp_path))
    assert (found["machine"], found["optimal"]) == (name, True)
    assert [a["passes"] for a in found["accesses"]] == [a["ideal"] for a in found["accesses"]]


@pytest.mark.parametrize("name", MACHINES)
def test_check_reads_a_kernel_for_every_machine(name: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    file = EXAMPLES / "row_copy" / "row_copy_gfx950.mlir"
    found = document("check", file, "--target", name)
    # Each lane has a row of 128 bytes to itself: no machine serves that without conflicts.
    assert found["target"] == name
    assert found["totals"]["once"]["extra"] > 0


KERNELS = {
    "mlir": EXAMPLES / "row_copy" / "row_copy_gfx950.mlir",
    "amdgcn": ISA / "triton_transpose.gfx950.amdgcn",
    "rocmasm": ISA / "matmul_abt_4096.gfx950.s",
    "ttgir": ISA / "triton_transpose.gfx950.ttgir",
    "scratch.ttgir": ISA / "triton_reduce.gfx950.ttgir",
    "spec": EXAMPLES / "ck_transpose" / "08.toml",
    "problem": EXAMPLES / "solve" / "ck_kernel08_gfx950.toml",
    "global": EXAMPLES / "ck_transpose" / "01.toml",
}
VERBS: dict[str, tuple[str, ...]] = {
    "machines": ("machines", "{}"),
    "count": ("count", "-t", "{}", "ds_read_b128", "lane*64"),
    "check": ("check", "{mlir}"),
    "check --target": ("check", str(KERNELS["mlir"]), "--target", "{}"),
    "check --worth": ("check", "{mlir}", "--worth"),
    "check --isa": ("check", "{mlir}", "--isa"),
    "check spec": ("check", "{spec}"),
    "check Triton's assembly": ("check", "{amdgcn}"),
    "check IREE's assembly": ("check", "{rocmasm}"),
    "check TTGIR": ("check", "{ttgir}"),
    "check TTGIR with scratch": ("check", "{scratch.ttgir}"),
    "fix": ("fix", "{mlir}", "--no-isa", "--no-execute"),
    "cost": ("cost", "{mlir}"),
    "opt": ("opt", "{mlir}", "--pass", "decide"),
    "solve": ("solve", "{problem}"),
    "solve spec": ("solve", "{spec}"),
    "coalesce": ("coalesce", "{global}"),
    "explain choose": ("explain", "choose", "{spec}"),
    "triton-plan": ("triton-plan", "{ttgir}", "{amdgcn}"),
}
"""Every verb on a kernel, spec or problem of the machine that is copied."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, Any]]:
    """What each verb says to the machine, and to its copy under a new name."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    folder = tmp_path_factory.mktemp("copied")
    package = folder / "bankwise"
    shutil.copytree(ROOT / "src" / "bankwise", package)
    (file,) = package.rglob(f"{OLD}.toml")
    text = file.read_text("utf-8")
    for named in (f'name = "{OLD}"', f'target = "hip:{OLD}"'):
        assert text.count(named) == 1
        text = text.replace(named, _renamed(named))
    file.with_name(f"{NEW}.toml").write_text(text, "utf-8")
    words = [*_words(folder, OLD), *_words(folder, NEW)]
    found = _asked(folder, words)
    return dict(zip(VERBS, zip(found, found[len(VERBS) :], strict=False), strict=True))


def _words(folder: Path, name: str) -> list[list[str]]:
    """The commands for a machine; its kernels lie in a folder of their own, under equal names."""
    place = folder / name
    place.mkdir()
    files = {kind: place / path.name.replace(OLD, "kernel") for kind, path in KERNELS.items()}
    for kind, path in KERNELS.items():
        text = path.read_text("utf-8")
        files[kind].write_text(text if name == OLD else _renamed(text), "utf-8")
    named = {"{}": name, **{f"{{{kind}}}": str(file) for kind, file in files.items()}}
    return [[*(named.get(w, w) for w in words), "--format", "json"] for words in VERBS.values()]


def _renamed(text: str) -> str:
    return text.replace(OLD, NEW)


def _asked(folder: Path, words: list[list[str]]) -> list[list[Any]]:
    path = os.pathsep.join([str(folder), str(HERE)])
    done = subprocess.run(
        [sys.executable, str(HERE / "machine_copy.py")],
        input=json.dumps(words),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    # The digest of a certificate is of the machine's name, too.
    plain = re.sub(r'(\\"digest\\": \\")\w+', r"\1", done.stdout.replace(NEW, OLD))
    return list(json.loads(plain))


@pytest.mark.parametrize("verb", VERBS)
def test_a_copy_of_a_machine_file_answers_like_the_machine(
    verb: str, answers: dict[str, tuple[Any, Any]]
) -> None:
    old, new = answers[verb]
    assert old[0] in (0, 1, 3), old[2]
    assert [new[0], new[2]] == [old[0], old[2]]
    assert json.loads(new[1]) == json.loads(old[1])
