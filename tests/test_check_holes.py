"""check names what IREE 3.13.0 would get wrong about a swizzle hint, at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check import check

EXAMPLE = Path(__file__).parent.parent / "examples/row_copy/row_copy_gfx950.mlir"
ALLOC = "memref.alloc() :"


def hinted(tmp_path: Path, attribute: str) -> Path:
    text = EXAMPLE.read_text("utf-8")
    assert ALLOC in text
    text = text.replace(ALLOC, f"memref.alloc() {{iree_codegen.swizzle = {attribute}}} :")
    path = tmp_path / "hinted.mlir"
    path.write_text(text, "utf-8")
    return path


def test_a_hint_that_is_no_bijection_is_a_finding_with_its_place(tmp_path: Path) -> None:
    path = hinted(tmp_path, "#iree_codegen.xor_shuffle<48, 8>")
    report = check(path)
    assert report.findings
    line = path.read_text("utf-8").split("\n")[report.findings[0].location.line - 1]
    assert "memref.alloc" in line
    assert report.exit_code == 1


def test_a_kernel_without_hints_has_no_such_finding() -> None:
    assert not check(EXAMPLE).findings
