"""Kernels as programs have them: under decorators, in packages, with constants of all kinds."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import bankwise.triton
from bankwise.errors import InputError
from bankwise.read.ttgir.constants import decoded, encoded
from bankwise.triton.install import plain as plain_text
from test_ttgir_wheel import needs_wheel

TURN = """import triton
import triton.language as tl
from .sizes import SIDE


@triton.heuristics({"wide": lambda args: args["y"] is not None})
@triton.autotune([triton.Config({"bm": 64}), triton.Config({"bm": 32})], key=[])
@triton.jit
def turn(x, y, bm: tl.constexpr, wide: tl.constexpr):
    at = tl.arange(0, bm)[:, None] * SIDE + tl.arange(0, bm)[None, :]
    tl.store(y + at, tl.trans(tl.load(x + at)))
"""
PLAIN = "\n".join(
    line for line in TURN.splitlines() if not line.startswith(("@triton.h", "@triton.a"))
)
TYPES = {"x": "*fp32", "y": "*fp32"}
SAID: dict[str, Any] = {"constexprs": {"bm": 64, "wide": True}, "optima": False}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package whose files have names that Python's library has, too; one of them asks."""
    folder = tmp_path_factory.mktemp("package") / "own" / "ops"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("from . import token\n")
    (folder / "sizes.py").write_text("import triton.language as tl\nSIDE = tl.constexpr(64)\n")
    (folder / "token.py").write_text(TURN)
    (folder / "plain.py").write_text(PLAIN)
    return folder


@needs_wheel
def test_a_kernel_is_found_under_its_decorators_and_in_its_package(package: Path) -> None:
    """The text that Triton makes is that of the same kernel without any decorator."""
    decorated, plain = (
        bankwise.triton.check(f"{package / name}:turn", TYPES, "gfx950", **SAID)
        for name in ("token.py", "plain.py")
    )
    assert plain_text(decorated.ttgir) == plain_text(plain.ttgir)
    assert "#loc" in decorated.ttgir
    assert decorated.shared_bytes == plain.shared_bytes == 64 * 64 * 4


@needs_wheel
def test_a_decorated_function_itself_can_be_asked_about(package: Path) -> None:
    program = (
        "import bankwise.triton\nfrom own.ops.token import turn\n"
        f"print(bankwise.triton.check(turn, {TYPES}, 'gfx950', **{SAID}).shared_bytes)\n"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, cwd=package.parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


@needs_wheel
def test_what_is_no_kernel_names_those_of_the_file_whatever_decorates_them(package: Path) -> None:
    with pytest.raises(InputError, match=r"'spin' is no @triton\.jit function .* it has turn"):
        bankwise.triton.check(f"{package / 'token.py'}:spin", TYPES, "gfx950", **SAID)


@needs_wheel
def test_a_file_alone_finds_the_files_beside_it_and_hides_no_module(tmp_path: Path) -> None:
    """``random`` is imported by Triton's own modules."""
    (tmp_path / "sizes_of_it.py").write_text(
        "import triton.language as tl\nSIDE = tl.constexpr(64)\n"
    )
    (tmp_path / "random.py").write_text(TURN.replace(".sizes", "sizes_of_it"))
    report = bankwise.triton.check(f"{tmp_path / 'random.py'}:turn", TYPES, "gfx950", **SAID)
    assert report.shared_bytes > 0


@needs_wheel
def test_constants_reach_triton_as_they_are() -> None:
    import numpy as np
    import triton.language as tl

    import triton_program as user

    for value in (tl.float16, (1, (tl.int8, None)), True, "relu", 0.1, math.inf):
        found = decoded(encoded("c", value))
        assert (found, type(found)) == (value, type(value))
    again = decoded(encoded("c", user.triton_kernels.column_sums))
    assert again.cache_key == user.triton_kernels.column_sums.cache_key
    assert decoded(encoded("c", np.int64(64))) == decoded(encoded("c", tl.constexpr(64))) == 64
    for value in (object(), {1: 2}, len, b"1"):
        with pytest.raises(InputError, match=r"constexprs: c is .*\n.*a constant of a kernel is"):
            encoded("c", value)
