"""docs/architecture.md names every room of the house and no other; scripts import what is there."""

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
from copy import copy
from pathlib import Path

import pytest

from bankwise.regex import regex

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
SOURCE = ROOT / "src" / "bankwise"


def rooms() -> set[str]:
    """The modules and packages directly under the root, without its two doors."""
    inside = [p for p in SOURCE.iterdir() if not p.name.startswith("__") and p.name != "py.typed"]
    return {p.name.removesuffix(".py") for p in inside}


def test_the_table_of_rooms_is_the_tree() -> None:
    first = re.findall(r"^\| (.*?) \|", PAGE, re.MULTILINE)
    named = {n.split("/")[0] for cell in first for n in re.findall(r"`([\w/*.]+)`", cell)}
    assert named == rooms()


def test_what_the_page_says_of_the_compiler_is_so() -> None:
    """``iree.compiler`` is imported in ``read`` and ``change`` alone."""
    users = {
        p.relative_to(SOURCE).parts[0]
        for p in SOURCE.rglob("*.py")
        if re.search(r"^\s*(?:from|import) iree\b", p.read_text("utf-8"), re.MULTILINE)
    }
    assert users == {"read", "change"}


@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_what_a_benchmark_imports_is_there(script: Path) -> None:
    for node in ast.walk(ast.parse(script.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("bankwise."):
            continue
        module = importlib.import_module(str(node.module))
        for name in (alias.name for alias in node.names):
            inner = f"{node.module}.{name}"
            assert hasattr(module, name) or importlib.util.find_spec(inner), f"{script}: {inner}"


def test_patterns_that_are_compiled_late_can_be() -> None:
    """All of them: those too that no text of the tests asks."""
    using = [p for p in SOURCE.rglob("*.py") if "import regex" in p.read_text("utf-8")]
    names = [".".join(p.relative_to(SOURCE.parent).with_suffix("").parts) for p in using]
    assert names
    script = (
        "import importlib, re, sys, bankwise.regex as late; late.regex = re.compile;"
        "[importlib.import_module(name) for name in sys.argv[1:]]"
    )
    subprocess.run([sys.executable, "-c", script, *names], check=True)


def test_a_check_of_assembly_loads_nothing_that_starts_programs() -> None:
    """What is imported is most of what a short command takes."""
    kernel = ROOT / "tests" / "data" / "isa" / "triton_attention.gfx950.amdgcn"
    script = (
        "import sys; from bankwise import check; check(sys.argv[1]);"
        "print(*{'subprocess', 'bankwise.read.toolkit'} & set(sys.modules))"
    )
    words = [sys.executable, "-c", script, str(kernel)]
    ended = subprocess.run(words, check=True, capture_output=True, text=True)
    assert ended.stdout == "\n"


def test_a_late_pattern_is_what_re_makes() -> None:
    late, now = regex(r"(?P<one>A)b?", re.IGNORECASE), re.compile(r"(?P<one>A)b?", re.IGNORECASE)
    assert copy(late).pattern == now.pattern
    assert late.sub(r"<\g<one>>", "xaby") == "x<a>y"
    assert [m.span() for m in late.finditer("a AB")] == [(0, 1), (2, 4)]
    assert (late.flags, dict(late.groupindex)) == (now.flags, {"one": 1})
    with pytest.raises(re.error):
        regex("(").match("")
