"""The page alone builds what Python's construction builds: layouts for two accesses, any matrix."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.hardware.machine import machine
from bankwise.solver.construct import Construction, construct
from bankwise.solver.problem import BitTile, Problem, Request, problem
from bankwise.workbench import facts
from bankwise.workbench.page import page
from workbench_browser import Tab, chromium

HERE = Path(__file__).parent
STATIC = Path(facts.__file__).parent / "static"
MANY = 120


def two_reads(seed: int) -> list[Problem]:
    """Random pairs of scalar reads of 32-bit tiles, whatever their rows are to the banks."""
    rng = random.Random(seed)
    out = []
    while len(out) < MANY:
        gpu = machine(rng.choice(("sm_90", "gfx942", "gfx950", "gfx1201")))
        lanes = gpu.wave_size.bit_length() - 1
        columns, rows = rng.randint(1, 7), rng.randint(1, 7)
        if columns + rows < lanes:
            continue
        tile = BitTile((("n", columns), ("m", rows)), 32)
        bits = [1 << i for i in range(columns + rows)]
        reads = []
        for i in range(2):
            moved = rng.sample(bits, lanes)
            if rng.random() < 0.4:
                moved[rng.randrange(lanes)] ^= rng.choice(bits)
            reads.append(Request(f"a{i}", "read", tuple(moved), ()))
        out.append(problem(gpu, tile, reads, widen=False))
    return out


def stated(asked: Problem) -> dict[str, Any]:
    (_, columns), (_, rows) = asked.tile.dims
    text = asked.tile.text
    return {
        "machine": asked.accesses[0].instruction.machine,
        "tile": [columns, rows, 32],
        "requests": [
            {"name": a.name, "op": "read", "lanes": text(a.lanes), "vector": ""}
            for a in asked.accesses
        ],
    }


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_page_builds_layouts_as_good_as_pythons_and_no_worse_than_proved(
    tmp_path: Path,
) -> None:
    problems = two_reads(11)
    (tmp_path / "problems.json").write_text(json.dumps([stated(p) for p in problems]), "utf-8")
    command = ["node", HERE / "js" / "built.mjs", tmp_path / "problems.json", STATIC]
    answers = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    kinds = set()
    for asked, answer in zip(problems, answers, strict=True):
        built = construct(asked)
        assert isinstance(built, Construction)
        assert sum(answer["passes"]) == built.certificate.total_passes
        assert sorted(answer["places"]) == list(range(1 << asked.tile.bits)), "a bijection"
        x = np.arange(1 << asked.tile.bits)
        offset = eval(answer["python"].removeprefix("offset = "), {"x": x})
        assert offset.tolist() == answer["places"], "the notation says what the layout does"
        kinds.add(answer["kind"])
    assert kinds == {"fold", "linear"}


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Tab]:
    (tmp_path / "page.html").write_text(page(), "utf-8")
    with chromium() as browser:
        tab = Tab(browser).open((tmp_path / "page.html").as_uri())
        yield tab
        tab.close()


def test_without_a_server_the_page_builds_and_says_what_it_cannot(alone: Tab) -> None:
    assert "stands alone" in str(alone.page.text_content("#ask"))
    assert "bankwise workbench" in str(alone.page.text_content("#ask"))
    alone.press("Build it")
    assert alone.number("built-passes") == 2
    assert alone.number("passes-store") + alone.number("passes-read") == 2
    url = alone.page.url.partition("#")[0]
    lanes = "n0.n1.n2.m0.m1", "m1.m2.m3.m4.n0"
    reads = ",".join(f"a{i}:r:{x}:" for i, x in enumerate(lanes))
    alone.page.goto(f"{url}#t=3x6x32&a={reads}")
    alone.press("Build it")
    assert alone.number("built-passes") == alone.number("passes-a0") + alone.number("passes-a1")
    alone.page.goto(f"{url}#a={reads},a2:r:n0.n1.n2.m0.m2:&t=3x6x32")
    alone.press("Build it")
    assert "two accesses" in str(alone.page.text_content("#ask .error"))


def test_a_link_that_is_no_layout_of_the_tile_says_so(alone: Tab) -> None:
    url = alone.page.url.partition("#")[0]
    for matrix in ("x1.2", "x1.1.4.8.16.32.64.128.256", "x0", "f64", "f1.2.4.8.16"):
        alone.page.goto(f"{url}#l={matrix}")
        assert f"“{matrix}” is no layout of this tile" in str(alone.page.text_content(".strange"))
        if matrix[0] == "x":
            assert alone.number("passes-read") == 16, "row-major"
        alone.page.goto(f"{url}#l=p1")
        assert alone.number("passes-read") == 2
        assert alone.page.is_hidden(".strange")
    for strange in ("l=xfoo", "l=x1.2.4.-8", "g=nothing", "q=1", "v=7", "c=99999", "t=9x4x32"):
        alone.page.goto(f"{url}#{strange}")
        assert strange.partition("=")[2] in str(alone.page.text_content(".strange")) or (
            "no part of a link" in str(alone.page.text_content(".strange"))
        )
