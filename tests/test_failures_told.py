"""Whoever reads annotations or SARIF alone learns of a file that could not be checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import bankwise
from isa_texts import ptx_text

CUT = "cut.ptx"


@pytest.fixture
def cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """A text that is cut off in its kernel, which begins at the line that is returned."""
    monkeypatch.chdir(tmp_path)
    text = ptx_text("mov.u32 %r1, %tid.x;").rpartition("}")[0]
    Path(CUT).write_text(text, "utf-8")
    return text[: text.index(".entry")].count("\n") + 1


def test_a_failure_is_an_annotation_at_its_place(cut: int) -> None:
    ended = bankwise("check", CUT, "--format", "github")
    assert ended.code == 2
    (line,) = ended.out.splitlines()
    assert line.startswith(
        f"::error file={CUT},line={cut},title=bankwise::the code of k has no end"
    )
    assert "%0Athe text is cut off" in line
    (line,) = bankwise("check", "gone.cu", "--format", "github").out.splitlines()
    assert line == "::error file=gone.cu,title=bankwise::no such file"
    (line,) = bankwise("check", CUT, "--format", "github", "--fail-on", "x").out.splitlines()
    assert "is not N-way" in line


def test_a_failure_is_an_unsuccessful_run_in_sarif(cut: int) -> None:
    """Code scanning refuses such an upload, and closes no alert for it."""
    ended = bankwise("check", CUT, "--format", "sarif")
    assert ended.code == 2
    (run,) = json.loads(ended.out)["runs"]
    (invocation,) = run["invocations"]
    assert (run["results"], invocation["executionSuccessful"]) == ([], False)
    (note,) = invocation["toolExecutionNotifications"]
    place = note["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (CUT, cut)
    assert note["level"] == "error"


@pytest.mark.parametrize("form", ["text", "json"])
def test_other_formats_print_nothing_for_a_failure(cut: int, form: str) -> None:
    assert bankwise("check", CUT, "--format", form).out == ""
