"""``fix --prove``: the solver's verdict beside the proof, and what it does to the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask import judge_smt
from bankwise.ask.fix import fix
from bankwise.errors import InputError
from command import bankwise
from kernel_texts import ROWS, written
from patches import verdict


def test_the_solver_agrees_and_is_named(tmp_path: Path) -> None:
    z3 = pytest.importorskip("z3", reason="needs the extra [prove]")
    path = written(tmp_path, ROWS)
    ended = bankwise("fix", path, "-t", "gfx950", "--no-isa", "--prove", "--format", "json")
    assert ended.code == 0
    verdicts = {v["judge"]: v for v in json.loads(ended.out)["verdicts"]}
    assert verdicts["smt"]["status"] == "passed"
    assert verdicts["smt"]["detail"].startswith("2 accesses, for all threads, workgroups, rounds")
    assert f"z3 {z3.get_version_string()}" in verdicts["smt"]["detail"]
    assert "smt" not in {v.judge for v in fix(path, "gfx950", isa=False).verdicts}


def test_no_answer_within_the_limit_ends_with_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("z3", reason="needs the extra [prove]")
    from bankwise.change.prove import smt

    monkeypatch.setattr(smt.decide, "__defaults__", (1,))
    report = fix(written(tmp_path, ROWS), "gfx950", isa=False, prove=True, accept_sampled=True)
    assert verdict(report, "smt").status == "not available"
    assert (report.accepted, report.exit_code) == (True, 3)


def test_without_the_solver_prove_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge_smt, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="z3, which is not installed") as error:
        fix(written(tmp_path, ROWS), "gfx950", isa=False, prove=True)
    assert "[prove]" in error.value.hint
