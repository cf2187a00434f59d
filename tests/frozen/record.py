"""Record the matrix anew: ``python tests/frozen/record.py``. List what changed in the CHANGELOG."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from frozen.cells import cells
from frozen.inputs import ROOT, kinds
from frozen.known_wrong import KNOWN_WRONG
from frozen.observe import RECORD, Observation, dumps, fold, missing, observe, recorded


def main() -> None:
    """Run every cell, write the record, and say which cells changed."""
    os.chdir(ROOT)
    before, keys, found = recorded(), set(), dict[str, Observation]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        inputs = kinds(folder)
        for cell in cells():
            why = missing(cell)
            if why:
                sys.exit(f"{cell.name}: {why}; a record is made where nothing is skipped")
            found[cell.name], paths = observe(cell, inputs, folder)
            keys |= paths
    _write(found, keys)
    for name in sorted({*before, *found}):
        if before.get(name) != found.get(name):
            still = "; still in known_wrong.py" if name in KNOWN_WRONG else ""
            print(f"{_change(name, before, found)} {name}{still}")


def _change(name: str, before: dict[str, Observation], found: dict[str, Observation]) -> str:
    if name not in before:
        return "new"
    return "changed" if name in found else "gone"


def _write(found: dict[str, Observation], keys: set[str]) -> None:
    RECORD.mkdir(exist_ok=True)
    groups: dict[str, dict[str, Observation]] = {}
    for name, observation in found.items():
        groups.setdefault(name.split()[0], {})[name] = observation
    for old in RECORD.glob("*.json"):
        old.unlink()
    for group, part in groups.items():
        (RECORD / f"{group}.json").write_text(dumps(part) + "\n", "utf-8")
    (RECORD / "keys.json").write_text(dumps(fold(keys)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
