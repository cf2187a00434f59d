"""Run one cell of the matrix and say what came out, as it is recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from os import environ
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from command import bankwise
from frozen.cells import Cell
from frozen.digest import digest, key_paths
from frozen.inputs import ROOT
from frozen.known_wrong import KNOWN_WRONG

Observation = dict[str, Any]

RECORD = Path(__file__).parent / "record"
MEASURES = frozenset({"verify", "probe", "bench"})

_OTHER_PARSER = re.compile(
    r"expected operation name|custom op '|Dialect `|invalid attribute name|unexpected character|"
    r"attribute alias definition|operation name is invalid|three consecutive dots|"
    r"(not|is no) (TOML|JSON):|an assembly text that names no target"
)
"""What the parsers of MLIR, TOML, JSON and assembly say to a file that is none of theirs."""

_TEMPORARY = re.compile(re.escape(gettempdir()) + r"/[\w.-]+")

_PROMISES = {
    "amd": "AMD assembly",
    "amdgcn": "AMD assembly",
    "ptx": "PTX",
    "sass": "SASS",
    "cubin": "cubin",
    "ttgir": "TTGIR",
    "dump": "folder of a dump",
    "triton-cache": "Triton cache entry",
}
"""Kinds of input, and the words by which a verb's help promises to take them."""


def missing(cell: Cell) -> str:
    """What this installation lacks, or has too much of, for the cell; "" if nothing."""
    lacks = [name for name in cell.needs if find_spec(name.partition(".")[0]) is None]
    if cell.words[0] in MEASURES and find_spec("cupy") is not None:
        return "there may be a GPU here"
    return f"needs {', '.join(lacks)}" if lacks else ""


def observe(cell: Cell, inputs: Mapping[str, Path], folder: Path) -> tuple[Observation, set[str]]:
    """What the cell answers, and the key paths of its document. The caller stands in ROOT."""
    words = [str(inputs[w[1:-1]]) if w.startswith("{") else w for w in cell.words]
    with _without_profilers(cell.words[0] in MEASURES):
        try:
            ended = bankwise(*words)
        except Exception as error:
            found = {"exit": None, "error": "traceback", "exception": type(error).__name__}
            return _marked(cell, found), set()
    out = ended.out.replace(str(folder), "TMP").replace(str(ROOT), "ROOT")
    out = _TEMPORARY.sub("TMP", out)
    if not out:
        kind = "wrong-parser" if _OTHER_PARSER.search(ended.err) else "clean"
        return _marked(cell, {"exit": ended.code, "error": kind}), set()
    document = json.loads(out)
    schema = document.get("schema", document.get("$schema", ""))
    paths = {f"{schema} {path}" for path in key_paths(document)}
    return _marked(cell, {"exit": ended.code, "document": digest(document)}), paths


def _marked(cell: Cell, found: Observation) -> Observation:
    """The observation, with why it is wrong where that is known."""
    error = found.get("error")
    kind = cell.name.rpartition(" x ")[2]
    why = KNOWN_WRONG.get(cell.name, "")
    if error == "traceback":
        why = why or "a traceback"
    elif error == "wrong-parser":
        why = why or "a parser of another kind of file"
    elif error and " x " in cell.name and _promised(cell.words[0], kind):
        why = why or f"the help of {cell.words[0]} promises {_PROMISES[kind]}"
    return {"known_wrong": why, **found} if why else found


def _promised(verb: str, kind: str) -> bool:
    """Whether the verb's help names this kind of input, which it refuses."""
    if verb not in ("fix", "cost", "opt") or kind not in _PROMISES:
        return False
    page = re.sub(r"[\s│|]+", " ", bankwise(verb, "--help").out)
    return _PROMISES[kind] in page


@contextmanager
def _without_profilers(wanted: bool) -> Iterator[None]:
    """A PATH on which no profiler lies: a cell must not depend on what is installed here."""
    before = environ.get("PATH", "")
    try:
        environ["PATH"] = "/nonexistent" if wanted else before
        yield
    finally:
        environ["PATH"] = before


def dumps(value: Any, indent: int = 0) -> str:
    """JSON with short values on one line: good to read in a diff."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= 98 or not _nested(value):
        return line
    inner = " " * (indent + 1)
    if isinstance(value, list):
        parts = [dumps(v, indent + 1) for v in value]
    else:
        parts = [f"{json.dumps(k)}: {dumps(v, indent + 1)}" for k, v in value.items()]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    return opening + "\n" + ",\n".join(inner + p for p in parts) + "\n" + " " * indent + closing


def _nested(value: Any) -> bool:
    """A row of a table stays on its line, however long."""
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(v, dict | list) for v in value)
    )


def recorded_keys() -> set[str]:
    """All key paths as they were recorded, each behind its schema."""
    folded = json.loads((RECORD / "keys.json").read_text("utf-8"))
    return {
        f"{schema} {below}.{key}"
        for schema, paths in folded.items()
        for below, keys in paths.items()
        for key in keys.split(", ")
    }


def fold(keys: set[str]) -> dict[str, dict[str, str]]:
    """The opposite of :func:`recorded_keys`: of each schema, the keys below each path."""
    folded: dict[str, dict[str, str]] = {}
    for whole in sorted(keys):
        schema, _, path = whole.partition(" ")
        below, _, key = path.rpartition(".")
        paths = folded.setdefault(schema, {})
        paths[below] = f"{paths[below]}, {key}" if below in paths else key
    return folded


def recorded() -> dict[str, Observation]:
    """All cells as they were recorded."""
    files = sorted(RECORD.glob("*.json"))
    return {
        name: found
        for path in files
        if path.stem != "keys"
        for name, found in json.loads(path.read_text("utf-8")).items()
    }
