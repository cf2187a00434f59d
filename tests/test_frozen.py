"""What every verb answers to every kind of input stays as it was recorded (tests/frozen).

The record holds exit codes, numbers and keys, no prose. A cell that changes is either a mistake or
meant; then it is recorded again with ``python tests/frozen/record.py`` and told in the CHANGELOG.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path

import pytest

from frozen.cells import Cell, cells
from frozen.inputs import ROOT, kinds
from frozen.known_wrong import KNOWN_WRONG
from frozen.observe import Observation, dumps, missing, observe, recorded, recorded_keys

CELLS = cells()
RECORDED = recorded()
KEYS = recorded_keys()
AGAIN = "if this is meant, run `python tests/frozen/record.py` and list it in the CHANGELOG"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("frozen")


@pytest.fixture(scope="module")
def inputs(folder: Path) -> Mapping[str, Path]:
    return kinds(folder)


@pytest.mark.parametrize("cell", CELLS, ids=[c.name for c in CELLS])
def test_a_cell_answers_as_recorded(
    cell: Cell, inputs: Mapping[str, Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing(cell):
        pytest.skip(missing(cell))
    monkeypatch.chdir(ROOT)
    found, keys = observe(cell, inputs, folder)
    # What was recorded has been through JSON: a tuple is a list there.
    seen, wanted = json.loads(json.dumps(found)), RECORDED.get(cell.name, {})
    if seen != wanted:
        pytest.fail(_told(cell, wanted, seen), pytrace=False)
    assert keys <= KEYS, f"cell {cell.name}: keys that were not recorded; {AGAIN}"


def test_the_record_has_the_cells_of_the_matrix_and_no_other() -> None:
    assert {c.name for c in CELLS} == set(RECORDED), AGAIN


def test_what_is_known_to_be_wrong_is_in_the_matrix() -> None:
    marked = {name for name, found in RECORDED.items() if "known_wrong" in found}
    assert set(KNOWN_WRONG) <= marked


def _told(cell: Cell, wanted: Observation, seen: Observation) -> str:
    lines = unified_diff(
        dumps(wanted).splitlines(), dumps(seen).splitlines(), "recorded", "seen", "", "", 1, ""
    )
    wrong = wanted.get("known_wrong")
    mended = f"\n  it was known to be wrong: {wrong}" if wrong else ""
    what = "\n".join(list(lines)[:40])
    return f"cell {cell.name} changed:{mended}\n{what}\n{AGAIN}"
