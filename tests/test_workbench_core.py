"""The page's JavaScript core says what Python says."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.hardware.machine import machine, names
from bankwise.solver.construct import Construction, construct
from bankwise.solver.family import counted, family_size, predicted
from bankwise.solver.problem import BitTile, Problem, Request, problem
from bankwise.solver.search import Solution, solve
from bankwise.workbench import facts
from bankwise.workbench.page import script
from tile_problems import transpose_problem
from workbench_golden import golden

HERE = Path(__file__).parent
STATIC = Path(facts.__file__).parent / "static"
SOURCE_FAMILY = {1: 322_560, 2: 604_800, 4: 117_600, 8: 3_600, 16: 16}

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def node(name: str, *arguments: Any) -> Any:
    """What a script of tests/js prints, read as JSON."""
    command = ["node", str(HERE / "js" / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_javascript_replays_at_least_10_000_vectors_that_python_writes(tmp_path: Path) -> None:
    vectors = tmp_path / "golden.json"
    vectors.write_text(json.dumps(golden()), "utf-8")
    assert node("golden.mjs", vectors, STATIC) >= 10_000


@needs_node
def test_all_settings_of_the_toggles_agree_between_counting_rank_and_python() -> None:
    answer = node("sweep.mjs", STATIC)
    offsets = [32 * (t % 16) + t // 16 for t in range(32)]
    toggles = np.arange(1 << 20)
    python = [
        counted(offsets, 5, toggles),
        predicted([32, 64, 128, 256, 1], 5, toggles),
    ]
    histograms = [
        {int(p): int(n) for p, n in zip(*np.unique(each, return_counts=True), strict=True)}
        for each in python
    ]
    for kind in ("counted", "ranked"):
        assert {int(k): v for k, v in answer["read"][kind].items()} == SOURCE_FAMILY
        assert answer["store"][kind] == {"1": 1 << 20}
    assert {int(k): v for k, v in answer["closed"].items()} == SOURCE_FAMILY
    assert histograms == [SOURCE_FAMILY, SOURCE_FAMILY]
    assert answer["read"]["disagree"] == answer["store"]["disagree"] == 0


def one_round_problems(seed: int, many: int) -> list[Problem]:
    """Random accesses of f32 tiles whose rows are one round of 32 banks."""
    rng = random.Random(seed)
    out = []
    for _ in range(many):
        rows = rng.randint(2, 5)
        tile = BitTile((("n", 5), ("m", rows)), 32)
        bits = [1 << i for i in range(5 + rows)]
        requests = [
            Request(f"a{i}", "read", tuple(rng.sample(bits, 5)), ())
            for i in range(rng.randint(1, 4))
        ]
        out.append(problem(machine("sm_90"), tile, requests, widen=False))
    return out


@needs_node
def test_the_solver_of_the_page_finds_the_optimum_and_the_family_of_python(tmp_path: Path) -> None:
    problems = one_round_problems(7, 40)
    text = [
        {
            "machine": "sm_90",
            "tile": [5, p.tile.dims[1][1], 32],
            "requests": [
                {"name": a.name, "op": "read", "lanes": p.tile.text(a.lanes), "vector": ""}
                for a in p.accesses
            ],
        }
        for p in problems
    ]
    (tmp_path / "problems.json").write_text(json.dumps(text), "utf-8")
    compared = 0
    answers = node("answers.mjs", tmp_path / "problems.json", STATIC)
    for asked, answer in zip(problems, answers, strict=True):
        solution = solve(asked)
        assert isinstance(solution, Solution)
        size = family_size(solution)
        assert answer["complete"]
        assert answer["counted"] == answer["cost"]
        assert set(answer["members"]) == {answer["cost"]}
        if size:
            assert answer["cost"] == solution.certificate.total_passes
            assert answer["family"] == size
            assert answer["different"] == min(5, size)
            compared += 1
    assert compared > 20, "the problems are too easy or too hard to compare anything"


@needs_node
def test_the_algorithm_of_the_page_pairs_what_python_pairs() -> None:
    built = construct(transpose_problem())
    assert isinstance(built, Construction)
    pairs = dict(built.steps[5].values)["H"]
    assert node("construct.mjs", STATIC)["pairs"] == pairs.split()


def test_the_exported_machine_facts_are_those_of_the_machine_files() -> None:
    stored = (STATIC / "machines.json").read_text("utf-8")
    assert stored == facts.text(), "stale: run python -m bankwise.workbench.facts"


def test_the_page_may_derive_the_alignment_from_vendor_and_width() -> None:
    for gpu in map(machine, names()):
        for row in gpu.instructions.values():
            wanted = row.width_bytes if gpu.vendor == "nvidia" else 1
            assert row.alignment_bytes == wanted, f"{gpu.name} {row.name}: see core/machines.js"


def test_every_module_of_the_page_is_joined_once() -> None:
    joined = script()
    others = {STATIC / name for name in ("sw.js", "report.js", "scan.js")}  # Of other pages.
    for path in set(STATIC.rglob("*.js")) - others:
        name = "module_" + path.relative_to(STATIC).with_suffix("").as_posix().replace("/", "_")
        assert joined.count(f"const {name} = (() =>") == 1, f"{path} is not part of the page"
