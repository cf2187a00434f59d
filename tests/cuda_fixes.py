"""``bankwise fix`` of the CUDA files of ``tests/data/cuda_fix``, and what its answers say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bankwise.read import cuda
from bankwise.read.nvcc import compile_cuda
from bankwise.read.toolkit import find_program
from command import bankwise

KERNELS = Path(__file__).parent / "data" / "cuda_fix"

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)


def fixed(name: str, *options: str, gpu: str = "sm_90") -> tuple[int, dict[str, Any]]:
    done = bankwise("fix", str(KERNELS / f"{name}.cu"), "-t", gpu, "--format", "json", *options)
    return done.code, json.loads(done.out)


def extra(answer: dict[str, Any]) -> int:
    return sum(kernel["totals"]["run"]["extra"] for kernel in answer["kernels"])


def verdicts(answer: dict[str, Any]) -> dict[str, str]:
    return {one["judge"]: one["status"] for one in answer["verdicts"]}


def compilations(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What nvcc makes from now on, and of which text."""
    ran: list[tuple[str, str]] = []

    def compile_(source: Path, made: Path, *rest: Any) -> str:
        ran.append((made.suffix, source.read_text()))
        return compile_cuda(source, made, *rest)

    monkeypatch.setattr(cuda, "compile_cuda", compile_)
    return ran
