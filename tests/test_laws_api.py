"""Python says what the command line says: ``bankwise.check(FILE)`` is ``bankwise check FILE``.

Over every verb that has both, and every kind of input (tests/frozen/inputs.py): both answer with
the same numbers, or both refuse with the same words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import bankwise
from command import bankwise as command
from frozen.cells import KINDS
from frozen.inputs import ROOT, kinds


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return kinds(tmp_path_factory.mktemp("kinds"))


OTHERS = {("fix", "cuda"): ROOT / "tests" / "data" / "profile" / "tiles.cu"}
"""Where the input of a kind takes long: its texts are compiled dozens of times, here in both."""
TOTALS = ("totals", "totals_dma", "totals_assumed")


def check_numbers(document: dict[str, Any]) -> object:
    """What a check says, of the document: totals, and every access."""
    each = sorted((a["passes"], a["ideal"], a["executions"] or 0) for a in document["accesses"])
    return (
        sorted([kernel[k]["run"]["passes"] for k in TOTALS] for kernel in document["kernels"]),
        each,
        len(document["refusals"]),
    )


def checked(file: Path, target: str) -> object:
    report = bankwise.check(file, target)
    each = sorted((a.cost.passes, a.cost.ideal, a.executions * a.counted) for a in report.accesses)
    totals = sorted([getattr(kernel, k).run.passes for k in TOTALS] for kernel in report.kernels)
    return totals, each, len(report.refusals)


def fix_numbers(document: dict[str, Any]) -> object:
    if "dispatches" in document:
        return [fix_numbers(d) for d in document["dispatches"]]
    return len(document["changes"]), _edits(document["patch"])


def _edits(patch: str) -> str:
    """Without the names of the files: a model's dispatches lie in a folder that vanishes."""
    return patch.partition("@@")[2]


def fixed(file: Path, target: str) -> object:
    report = bankwise.fix(file, target, execute=False, isa=False)
    each = [(len(r.changes), _edits(r.patch)) for r in getattr(report, "reports", [report])]
    return each if hasattr(report, "reports") else each[0]


def solve_numbers(document: dict[str, Any]) -> object:
    return document["total_passes"], document["optimal"]


def solved(file: Path, target: str) -> object:
    report = bankwise.solve(file)
    return float(report.total_passes), report.optimal


VERBS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any]], object], Any]] = {
    "check": (("check",), check_numbers, checked),
    "fix": (("fix", "--no-isa", "--no-execute"), fix_numbers, fixed),
    "solve": (("solve",), solve_numbers, solved),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", VERBS)
def test_python_and_the_command_line_agree(
    verb: str, kind: str, inputs: Mapping[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    monkeypatch.chdir(ROOT)
    words, numbers, ask = VERBS[verb]
    target = "gfx942" if kind == "model" and verb != "solve" else ""
    more = ("--target", target) if target else ()
    path = OTHERS.get((verb, kind), inputs[kind])
    ended = command(*words, path, *more, "--format", "json")
    try:
        answer = ask(path, target)
    except bankwise.InputError as error:
        answer = f"error: {error}\n"
    assert answer == (numbers(json.loads(ended.out)) if ended.out else ended.err)


@pytest.mark.parametrize("name", ["gfx942", "gfx950", "sm_80", "sm_90"])
def test_a_machine_is_the_same_in_both(name: str) -> None:
    (said,) = json.loads(command("machines", name, "--format", "json").out)["machines"]
    found = bankwise.machine(name)
    assert (found.vendor, found.wave_size, found.counter) == (
        *(said["vendor"], said["wave_size"], said["counter"]),
    )
    assert {n: [r.banks, r.width_bytes] for n, r in found.instructions.items()} == {
        r["name"]: [r["banks"], r["width_bytes"]] for r in said["instructions"]
    }
    assert {n: f.value for n, f in found.facts.items()} == {
        n: f["value"] for n, f in said["facts"].items()
    }


@pytest.mark.parametrize(
    ("target", "instruction", "expression"),
    [
        ("gfx942", "ds_read_b128", "lane%16*256+lane//16*16"),
        ("gfx950", "ds_write_b64", "lane*8"),
        ("sm_90", "ld.shared.b32", "lane*128"),
    ],
)
def test_a_count_is_the_same_in_both(target: str, instruction: str, expression: str) -> None:
    words = ("count", "-t", target, instruction, expression, "--format", "json")
    said = json.loads(command(*words).out)
    row = bankwise.machine(target).instruction(instruction)
    offsets = [int(eval(expression, {"lane": lane})) for lane in range(row.wave_size)]
    found = bankwise.count(row, offsets)
    assert (int(found.passes), int(found.ideal)) == (said["passes"], said["ideal"])


def test_an_unknown_machine_is_refused_in_the_same_words() -> None:
    with pytest.raises(bankwise.InputError) as raised:
        bankwise.machine("gfx9000")
    assert command("machines", "gfx9000").err == f"error: {raised.value}\n"
