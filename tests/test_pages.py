"""Pages that teach tell the truth: what they show is run, their Python examples are executed."""

from __future__ import annotations

import doctest
import re
import subprocess
from pathlib import Path

import pytest

from bankwise.read.toolkit import find_program
from pages import PAGES, ROOT, can_run, printed, reader, shown

_NVCC = re.compile(r"nvcc [\d.]+")
"""A page shows the version of the compiler that wrote it."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_its_commands_print(page: str) -> None:
    """After a change that is meant: ``python tests/pages.py``."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    sessions = [session for session in shown(page) if can_run(session.command)]
    with reader():
        for session in sessions:
            seen, wanted = (
                _NVCC.sub("nvcc", text) for text in (printed(session.command), session.output)
            )
            assert seen == wanted, session.command
    assert all(session.output for session in shown(page))


@pytest.mark.parametrize("page", [p for p in PAGES if ">>> " in (ROOT / p).read_text("utf-8")])
def test_the_python_examples_of_a_page_run(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / page), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_question_was_asked_somewhere_and_is_answered_by_something_that_runs() -> None:
    text = (ROOT / "docs" / "faq.md").read_text("utf-8")
    questions = text.split("\n### ")[1:]
    assert len(questions) >= 20
    addresses = [re.findall(r"\]\((https://[^)\s]+)\)", question) for question in questions]
    assert all(addresses)
    assert len({a for found in addresses for a in found}) >= len(questions)
    assert all("```console" in q or ">>> " in q for q in questions)


@pytest.mark.skipif(not can_run("gemm.cu"), reason="needs nvcc and nvdisasm")
def test_the_gemm_of_the_pages_is_the_kernel_that_was_measured(tmp_path: Path) -> None:
    """The same instructions as of gemm_float4, whose counters and times the pages tell."""
    kernels = ("examples/cuda/gemm.cu", "tests/data/cuda_fix/gemm_float4.cu")
    first, second = (_instructions(ROOT / name, tmp_path / "a.cubin") for name in kernels)
    assert first == second
    assert any("LDS.128" in line for line in first)


def _instructions(source: Path, cubin: Path) -> list[str]:
    nvcc, nvdisasm = find_program("nvcc"), find_program("nvdisasm")
    subprocess.run([nvcc, "-cubin", "-arch=sm_90", source, "-o", cubin], check=True)
    listing = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True)
    return re.findall(r"/\*[0-9a-f]{4}\*/\s+(.*?);", listing.stdout)
