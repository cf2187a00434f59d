"""docs/json.md names every key that a verb prints, and every schema."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from bankwise.show.schema import DOCUMENTS, json_schema
from bankwise.sweep.table import Summary
from json_documents import ROOT, VERBS, printed

PAGE = (ROOT / "docs" / "json.md").read_text("utf-8")
NAMED = set(re.findall(r"[A-Za-z][\w]*", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
"""Every word that stands in backticks on the page."""

BY_NAME = frozenset({"facts", "sources", "tile", "mix", "bases", "emit", "values", "issued"})
"""What lies below these is listed under names of the input: facts, dimensions, accesses."""


def keys(value: Any, below: str = "") -> set[str]:
    """All keys of a document."""
    if isinstance(value, list):
        return {k for item in value for k in keys(item, below)}
    if not isinstance(value, dict):
        return set()
    found = set() if below in BY_NAME else set(value)
    return found | {k for key, item in value.items() for k in keys(item, key)}


@pytest.mark.parametrize("name", VERBS)
def test_every_key_that_is_printed_is_on_the_page(name: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    document = json.loads(printed(name))
    assert f"`{document['schema']}`" in PAGE
    missing = keys(document) - NAMED
    assert not missing


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_key_of_a_schema_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE
    structs = json_schema(name)["$defs"].values()
    missing = {key for one in structs for key in one["properties"]} - NAMED
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
    assert {*Summary.__struct_fields__} <= NAMED
    assert {"cases", "summaries", "name"} <= NAMED
