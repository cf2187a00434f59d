"""``python tests/mutants.py [--count N] [--seed S]``: do the tests notice a wrong line?

One operator, constant or condition of the core is changed at a time, in a copy of the tree, and the
tests that are about that file run until one fails. What survives is printed: a test is missing, or
the change changes nothing. No part of the test suite; it takes about 20 s a mutant.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 300

TESTS = {
    "counting/conflict": "test_counting test_counting_published test_counting_together",
    "counting/bound": "test_bound test_sureness",
    "counting/cost": "test_bound test_counting_together test_sureness test_check",
    "counting/count_kernel": "test_bound test_check test_sureness test_counting_together",
    "counting/coalesce": "test_coalesce test_spec_coalesce",
    "counting/reason": "test_counting test_explain test_check",
    "algebra/f2": "test_f2 test_layout test_proof test_synth",
    "algebra/layout": "test_layout test_f2 test_frameworks test_notation_triton",
    "algebra/address": "test_address test_offset_text test_families test_synth",
    "algebra/offset": "test_offset_text test_families test_address test_solve",
    "algebra/expression": "test_expression",
    "solver/theorem": "test_proof test_synth",
    "solver/search": "test_proof test_synth",
    "solver/colouring": "test_proof test_synth",
    "solver/certify": "test_proof test_solve",
    "solver/price": "test_best test_synth test_spec_solve",
    "solver/spaces": "test_best test_families test_synth",
    "solver/linear_form": "test_best test_proof test_spec_solve",
    "solver/best": "test_best test_spec_solve test_solve",
    "change/execute/values": "test_execute_values test_execute_ops",
    "change/execute/memory": "test_execute_faults test_execute_kernels test_execute_ops",
    "change/execute/ops_access": "test_execute_ops test_execute_faults test_execute_kernels",
    "change/execute/ops_arith": "test_execute_ops test_execute_values",
    "change/execute/ops_vector": "test_execute_ops test_execute_kernels",
    "change/execute/ops_memref": "test_execute_ops test_execute_faults test_execute_kernels",
    "change/execute/ops_sync": "test_execute_ops test_execute_faults",
    "change/execute/shadow": "test_execute_faults",
    "change/execute/several": "test_execute_beside test_judges",
    "change/execute/side_by_side": "test_execute_beside",
    "change/execute/control": "test_execute_ops test_execute_kernels",
    "change/prove/forms": "test_prove_forms test_prove_accesses test_prove_copies",
    "change/prove/division": "test_prove_forms test_prove_accesses",
    "change/prove/bitwise": "test_prove_forms test_prove_accesses",
    "change/prove/choice": "test_prove_forms test_prove_accesses",
    "change/prove/arithmetic": "test_prove_forms test_prove_accesses test_prove_wrong",
    "change/prove/sigma": "test_prove_forms test_prove_accesses test_prove_copies",
    "change/prove/cases": "test_prove_accesses test_prove_padding test_prove_wrong",
    "change/prove/evaluate": "test_prove_accesses test_prove_copies test_prove_wrong",
    "change/prove/numbering": "test_prove_wrong test_prove_texts test_prove_accesses",
    "change/prove/launch": "test_prove_wrong test_prove_accesses test_prove_copies",
    "change/prove/threads": "test_prove_accesses test_prove_copies",
    "change/prove/lanes": "test_prove_forms test_prove_copies",
    "change/prove/waves": "test_prove_copies test_prove_wrong",
    "change/prove/barriers": "test_prove_copies test_prove_wrong",
    "change/prove/places": "test_prove_accesses test_prove_texts test_prove_wrong",
    "change/prove/accesses": "test_prove_accesses test_prove_wrong test_prove_copies",
    "change/prove/copies": "test_prove_copies test_prove_wrong",
    "change/prove/pairing": "test_prove_texts test_prove_wrong test_prove_accesses",
    "change/prove/claimed": "test_prove_texts",
    "change/prove/storage": "test_prove_texts test_prove_wrong",
    "change/prove/prove": "test_prove_texts test_prove_accesses test_prove_wrong test_prove_copies",
    "change/prove/smt": "test_prove_smt_doubts test_prove_smt test_prove_smt_terms",
    "change/prove/smt_access": "test_prove_smt_doubts test_prove_smt test_prove_smt_terms",
    "change/prove/smt_map": "test_prove_smt_doubts test_prove_smt test_prove_smt_terms",
    "change/prove/smt_terms": "test_prove_smt_doubts test_prove_smt test_prove_smt_terms",
    "change/prove/smt_arithmetic": "test_prove_smt_doubts test_prove_smt test_prove_smt_terms",
    "change/rewrite/fold_index": "test_rewriting test_fix test_fix_other_workgroups",
    "change/rewrite/plan": "test_fix test_fix_padded test_rewriting",
    "change/passes/resolve": "test_passes_resolve test_passes_flow",
    "change/passes/pad": "test_passes_pad test_fix_padded",
    "read/integers": "test_integers test_isa_amd_integers test_isa_sass_integers",
    "read/bits": "test_integers test_isa_amd_integers test_isa_sass_integers",
    "read/mlir/affine": "test_indexing test_extract",
    "read/mlir/indexing": "test_indexing test_extract",
    "read/mlir/loops": "test_extract test_indexing test_ir_kernels",
    "read/mlir/masks": "test_extract test_indexing",
    "read/mlir/trace": "test_extract test_check",
    "read/mlir/views": "test_extract test_check",
    "read/mlir/touches": "test_extract test_widths",
    "read/amd/vector": "test_isa_amd_integers test_isa_amd_check",
    "read/amd/scalar": "test_isa_amd_integers test_isa_amd_check",
    "read/sass/integers": "test_isa_sass_integers test_isa_sass_check",
    "read/ptx/integers": "test_isa_ptx_check test_integers",
}
"""The tests that are about a file; one that does not exist (any more) is left out."""


@dataclass(frozen=True)
class Mutant:
    """``new`` in place of the characters ``start .. end`` of a file."""

    file: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.old!r} -> {self.new!r}"


_OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "//",
    ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|", ast.LShift: ">>", ast.RShift: "<<",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.And: "or", ast.Or: "and", ast.In: "not in", ast.NotIn: "in", ast.Is: "is not",
    ast.IsNot: "is",
}  # fmt: skip


def mutants(file: Path) -> Iterator[Mutant]:
    """Every change of one place of a file, of the code that runs."""
    text = (ROOT / file).read_text("utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    for node in _running(ast.parse(text)):
        if isinstance(node, ast.BinOp):
            pair: tuple[ast.expr, ast.expr] = (node.left, node.right)
            operator: ast.AST = node.op
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            pair, operator = (node.left, node.comparators[0]), node.ops[0]
        elif isinstance(node, ast.BoolOp):
            pair, operator = (node.values[0], node.values[1]), node.op
        elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            new = str(not node.value) if isinstance(node.value, bool) else str(node.value + 1)
            start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)  # type: ignore[arg-type]
            yield Mutant(file, node.lineno, start, end, text[start:end], new)
            continue
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            start = at(node.lineno, node.col_offset)
            yield Mutant(file, node.lineno, start, start + 4, "not ", "")
            continue
        else:
            continue
        start = at(pair[0].end_lineno, pair[0].end_col_offset)  # type: ignore[arg-type]
        end = at(pair[1].lineno, pair[1].col_offset)
        between = text[start:end]
        sign, new = between.strip("() \n\t"), _OPERATORS.get(type(operator))
        if new is not None and sign and "#" not in between and "|" not in sign[1:]:
            changed = between.replace(sign, new, 1)
            yield Mutant(file, pair[0].end_lineno or 0, start, end, between.strip(), changed)


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of the code that runs: no decorators, no annotations."""
    for name, value in ast.iter_fields(tree):
        if name in ("decorator_list", "annotation", "returns"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield node
                yield from _running(node)


def sample(count: int, seed: int, only: str) -> list[Mutant]:
    """Some mutants, as many of each file as of the next."""
    chance = random.Random(seed)
    pools = []
    for name in TESTS:
        file = Path("src/bankwise") / f"{name}.py"
        if only in name and (ROOT / file).exists():
            pool = sorted(mutants(file), key=lambda m: m.start)
            chance.shuffle(pool)
            pools.append(pool)
    found: list[Mutant] = []
    while len(found) < count and any(pools):
        found += [pool.pop() for pool in pools if pool]
    return found[:count]


def killed(mutant: Mutant, copy: Path) -> str:
    """Which test fails; empty if none does, or if none is done in time ("time")."""
    place = copy / mutant.file
    good = place.read_text("utf-8")
    name = str(mutant.file.relative_to("src/bankwise").with_suffix(""))
    tests = [f"tests/{t}.py" for t in TESTS[name].split() if (copy / f"tests/{t}.py").exists()]
    env = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    place.write_text(good[: mutant.start] + mutant.new + good[mutant.end :], "utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        done = subprocess.run(
            command, cwd=copy, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "time"
    finally:
        place.write_text(good, "utf-8")
    failed = [x for x in done.stdout.splitlines() if x.startswith(("FAILED", "ERROR"))]
    return (failed or [f"exit {done.returncode}"])[0] if done.returncode else ""


def main() -> None:
    """Try them, and tell the rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a part of a file's name")
    given = parser.parse_args()
    chosen = sample(given.count, given.seed, given.only)
    alive = 0
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for part in ("src", "tests", "examples", "docs", "pyproject.toml", "README.md"):
            where = ROOT / part
            if where.is_dir():
                shutil.copytree(where, copy / part)
            else:
                shutil.copy(where, copy)
        for number, mutant in enumerate(chosen, 1):
            by = killed(mutant, copy)
            alive += not by
            print(f"{number}/{len(chosen)} {mutant}: {by[:110] or 'SURVIVED'}", flush=True)
    print(f"{len(chosen) - alive} of {len(chosen)} killed")


if __name__ == "__main__":
    main()
