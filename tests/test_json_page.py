"""docs/json.md names every key that a verb prints, and every schema."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from bankwise.sweep.table import Summary
from command import bankwise

ROOT = Path(__file__).parents[1]
EXAMPLES, DATA = ROOT / "examples", ROOT / "tests" / "data"
PAGE = (ROOT / "docs" / "json.md").read_text("utf-8")
NAMED = set(re.findall(r"[A-Za-z][\w]*", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
"""Every word that stands in backticks on the page."""

BY_NAME = frozenset({"facts", "sources", "tile", "mix", "bases", "emit", "values", "issued"})
"""What lies below these is listed under names of the input: facts, dimensions, accesses."""

ROW_COPY = EXAMPLES / "row_copy" / "row_copy_gfx950.mlir"
SOLVED = EXAMPLES / "solve" / "transpose_sm90.toml"
CK = EXAMPLES / "ck_transpose"
VERBS: dict[str, tuple[object, ...]] = {
    "check": ("check", ROW_COPY, "--worth"),
    "check emitted": ("check", CK / "04_reads.s"),
    "check beside": (
        "check",
        DATA / "profile" / "tiles.ptx",
        "--counters",
        DATA / "profile" / "source.csv",
    ),
    "check spec": ("check", CK / "08.toml"),
    "check ttgir": ("check", DATA / "isa" / "triton_transpose.gfx942.ttgir"),
    "fix": ("fix", ROW_COPY, "--no-isa"),
    "cost": ("cost", ROW_COPY),
    "count": ("count", "-t", "gfx942", "ds_read_b64", "lane%16*256"),
    "solve": ("solve", SOLVED, "--steps"),
    "solve spec": ("solve", CK / "08.toml"),
    "certify": ("certify", "CERT"),
    "explain": ("explain",),
    "explain a rule": ("explain", "bank-conflict"),
    "explain choose": ("explain", "choose", CK / "08.toml"),
    "coalesce": ("coalesce", CK / "01.toml"),
    "opt": ("opt", "--pass", "pad", ROW_COPY),
    "triton-plan": (
        "triton-plan",
        DATA / "isa" / "triton_transpose.gfx942.ttgir",
        DATA / "isa" / "triton_transpose.gfx942.amdgcn",
    ),
    "machines": ("machines", "gfx942"),
    "probe": ("probe", "--target", "sm_90", "--replay", DATA / "h200_probe.csv"),
    "bench attention": (
        "bench",
        "attention",
        "--replay",
        ROOT / "docs" / "data" / "h200_attention" / "attention.csv",
    ),
}
"""Every verb that prints JSON and needs no GPU, on a small input."""


def keys(value: Any, below: str = "") -> set[str]:
    """All keys of a document."""
    if isinstance(value, list):
        return {k for item in value for k in keys(item, below)}
    if not isinstance(value, dict):
        return set()
    found = set() if below in BY_NAME else set(value)
    return found | {k for key, item in value.items() for k in keys(item, key)}


@pytest.mark.parametrize("words", VERBS.values(), ids=VERBS)
def test_every_key_that_is_printed_is_on_the_page(
    tmp_path: Path, words: tuple[object, ...]
) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    certificate = tmp_path / "cert.json"
    if "CERT" in words:
        bankwise("solve", SOLVED, "-o", certificate)
    ended = bankwise(*(certificate if w == "CERT" else w for w in words), "--format", "json")
    assert ended.code in (0, 1), ended.err
    document = json.loads(ended.out)
    assert f"`{document['schema']}`" in PAGE
    missing = keys(document) - NAMED
    assert not missing


def test_every_schema_of_the_source_is_on_the_page() -> None:
    schemas = {
        name
        for p in (ROOT / "src" / "bankwise").rglob("*.py")
        for name in re.findall(r'"(bankwise\.[\w-]+/\d+)"', p.read_text("utf-8"))
    }
    assert len(schemas) > 15
    assert not {s for s in schemas if f"`{s}`" not in PAGE}


def test_what_a_sweep_sums_up_is_on_the_page() -> None:
    assert {f.name for f in fields(Summary)} <= NAMED
    assert {"cases", "summaries", "name"} <= NAMED
