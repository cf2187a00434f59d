"""Address maps as program text: compiled or executed, and equal to the map on every element."""

from __future__ import annotations

import re
import shutil
import subprocess
from math import prod
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra.address import Fold, Identity, Linear, Padded, Rotated, RowFolds
from bankwise.errors import InputError, Refusal
from bankwise.notation import ck, code, iree, wave
from bankwise.notation.symbols import Sum, masked, name
from bankwise.notation.values import Mapped, MemoryTable, linear_memory, memory_from_linear, points

XOR64 = ck.xor_descriptor(64, 32, banks=64, element_bytes=2, pack=8)
LAYOUT = linear_memory(XOR64)
assert not isinstance(LAYOUT, Refusal)

MEMORIES = {
    "row-major": Mapped((16, 32), Identity()),
    "padded": Mapped((64, 32), Padded(32, 2)),
    "padded, odd sizes": Mapped((7, 60), Padded(60, 3)),
    "xor fold": Mapped((64, 64), Fold(64, 8, 8)),
    "xor fold, two rows a phase": Mapped((64, 32), Fold(64, 8, 4)),
    "folds of rows": Mapped((64, 32), RowFolds(32, (Fold(32, 8, 4), Fold(128, 16, 2)))),
    "chunks of three": Mapped((8, 96), Fold(96, 3, 8)),
    "xor shuffle": Mapped((16, 128), iree.XorShuffle(128, 4, 128, 1)),
    "rotated": Mapped((16, 64), iree.RotateRows(64, 8)),
    "rotated by rows": Mapped((16, 60), Rotated(60, 4, 2)),
    "linear": Mapped((8, 8), Linear((4, 2, 1, 8 ^ 4, 16, 32 ^ 1))),
    "ck, 64 banks": XOR64,
    "ck, 32 banks and padding": ck.xor_descriptor(64, 32, banks=32, element_bytes=2, pack=8, pad=1),
    "ck, rows of 24": ck.xor_descriptor(16, 24, banks=32, element_bytes=4, pack=4),
    "wave": wave.SwizzledTile(32, 64, 8, 8),
    "linear table": memory_from_linear(LAYOUT),
    "three dimensions": Mapped((4, 8, 16), Fold(16, 4, 4)),
}


def formula(which: str) -> code.OffsetFormula:
    found = code.formula(MEMORIES[which])
    assert isinstance(found, code.OffsetFormula), found
    return found


def wanted(which: str) -> np.ndarray:
    return MEMORIES[which].offsets(points(MEMORIES[which].shape))


def written(which: str, language: code.Language) -> code.Code:
    found = code.write(formula(which), language)
    assert isinstance(found, code.Code), found
    return found


@pytest.mark.parametrize("which", MEMORIES)
@pytest.mark.parametrize("language", ["python", "triton"])
def test_the_python_text_computes_the_map(which, language):
    scope = {"triton": SimpleNamespace(jit=lambda function: function)}
    exec(written(which, language).text, scope)
    index = points(MEMORIES[which].shape).T
    assert (scope["offset"](*index) == wanted(which)).all()


def loops(which: str) -> str:
    """A C main that prints the offset of every element."""
    shape, names = MEMORIES[which].shape, formula(which).names
    heads = [f"for (int {n} = 0; {n} < {s}; ++{n})" for n, s in zip(names, shape, strict=True)]
    return f'{" ".join(heads)} printf("%lld\\n", (long long)offset({", ".join(names)}));'


@pytest.mark.parametrize("which", MEMORIES)
def test_the_c_text_compiles_and_computes_the_map(which, tmp_path):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    main = (
        f"#include <stdio.h>\n{written(which, 'c')}int main(void) {{ {loops(which)} return 0; }}\n"
    )
    (tmp_path / "a.c").write_text(main)
    warnings = ["-Wall", "-Wextra", "-Werror", "-std=c11", "-O0"]
    program = str(tmp_path / "a")
    subprocess.run([compiler, *warnings, str(tmp_path / "a.c"), "-o", program], check=True)
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert (np.array(printed.split(), np.int64) == wanted(which)).all()


@pytest.mark.parametrize("language", ["cuda", "hip"])
def test_the_cuda_and_hip_texts_differ_from_c_in_their_qualifiers_only(language):
    for which in MEMORIES:
        plain = written(which, "c").text.replace("static inline", "__device__ __forceinline__")
        assert written(which, language).text == plain


def test_the_cuda_text_compiles(tmp_path):
    compiler = shutil.which("nvcc")
    if compiler is None:
        pytest.skip("no CUDA compiler here")
    text = written("ck, 32 banks and padding", "cuda").text
    kernel = "__global__ void k(int *p) { p[threadIdx.x] = offset(threadIdx.y, threadIdx.x); }\n"
    (tmp_path / "a.cu").write_text(text + kernel)
    subprocess.run(
        [compiler, "-ptx", str(tmp_path / "a.cu"), "-o", str(tmp_path / "a.ptx")], check=True
    )
    assert "xor.b32" in (tmp_path / "a.ptx").read_text()


def mlir(which: str, body: str) -> str:
    """A kernel whose thread t stores %r, the offset of element t of the tile."""
    memory = MEMORIES[which]
    names = ", ".join(f"%{n}" for n in formula(which).names)
    basis = ", ".join(map(str, memory.shape))
    count = prod(memory.shape)
    digits = f"{names} = affine.delinearize_index %id into ({basis})"
    kinds = ", ".join("index" for _ in memory.shape)
    return f"""func.func @k(%out: memref<{count}xi32>) {{
  %thread = gpu.thread_id x upper_bound 64
  %block = gpu.block_id x upper_bound {count // 64}
  %id = affine.apply affine_map<(b, t) -> (b * 64 + t)>(%block, %thread)
  {digits} : {kinds}
{body}
  %i = arith.index_cast %r : index to i32
  %v = vector.broadcast %i : i32 to vector<1xi32>
  vector.store %v, %out[%id] : memref<{count}xi32>, vector<1xi32>
  return
}}
"""


def executed(which: str, body: str) -> np.ndarray:
    from run_mlir import run

    count = prod(MEMORIES[which].shape)
    out = np.full(count, -1, np.int32)
    assert run(mlir(which, body), out, size=64, grid=(count // 64, 1, 1)).faults == ()
    return out


WHOLE_WAVES = [w for w in MEMORIES if prod(MEMORIES[w].shape) % 64 == 0]


@pytest.mark.parametrize("which", WHOLE_WAVES)
def test_the_arith_text_computes_the_map(which):
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    text = written(which, "arith").text
    body = text[text.index("\n") + 1 : text.rindex("}")]
    result = re.search(r"return (%\w+) : index", body)
    assert result
    body = body.replace(
        result[0], f"%zero = arith.constant 0 : index\n  %r = arith.addi {result[1]}, %zero : index"
    )
    assert (executed(which, body) == wanted(which)).all()


@pytest.mark.parametrize("which", MEMORIES)
def test_the_arith_text_is_a_function_that_iree_verifies(which):
    ir = pytest.importorskip("iree.compiler.ir", reason="needs the extra [ir]")
    with ir.Context():
        ir.Module.parse(written(which, "arith").text).operation.verify()


@pytest.mark.parametrize("which", ["row-major", "padded", "rotated"])
def test_the_affine_text_computes_the_map(which):
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    names = ", ".join(f"%{n}" for n in formula(which).names)
    body = f"  %r = affine.apply {written(which, 'affine').text}({names})"
    assert (executed(which, body) == wanted(which)).all()


def test_an_affine_map_cannot_say_xor():
    refused = code.write(formula("xor fold"), "affine")
    assert isinstance(refused, Refusal)
    assert "no XOR" in refused.reason


@pytest.mark.parametrize(
    ("which", "text", "operations"),
    [
        ("row-major", "return m * 32 + n;", 2),
        ("padded", "return m * 34 + n;", 2),
        ("xor fold", "return (m * 64 + n) ^ ((m & 7) * 8);", 5),
        ("ck, 64 banks", "return n ^ (((m & 60) * 2) ^ (m * 32));", 5),
    ],
)
def test_what_a_map_costs(which, text, operations):
    found = written(which, "c")
    assert text in found.text
    assert found.operations == operations == code.operations(formula(which))


@pytest.mark.parametrize("which", MEMORIES)
def test_the_operation_count_is_that_of_the_text(which):
    arith = written(which, "arith")
    assert arith.operations == len(re.findall(r"= arith\.(?!constant)", arith.text))
    python = written(which, "python")
    assert python.operations == len(re.findall(r" (?:\+|-|\*|//|%|\^|&|>>) ", python.text))


def test_a_table_without_a_formula_is_refused():
    table = MemoryTable(np.array([[0, 5], [3, 1]]), 6)
    assert isinstance(code.formula(table), Refusal)


def test_an_unknown_language_is_met_with_the_known_ones():
    with pytest.raises(InputError, match="cuda"):
        code.write(formula("padded"), "fortran")  # type: ignore[arg-type]


# The arithmetic


def value(of: Sum, **names: int) -> int:
    scope: dict[str, object] = {}
    exec(code.write(code.OffsetFormula(tuple(names), of), "python").text, scope)  # type: ignore[union-attr]
    return scope["offset"](*names.values())  # type: ignore[operator]


SMALL = st.integers(1, 12)


@given(
    st.lists(st.tuples(st.sampled_from("+*/%^&+*"), SMALL), max_size=7),
    st.integers(1, 40),
    st.integers(1, 40),
    st.data(),
)
def test_simplified_arithmetic_is_the_arithmetic(steps, width, height, data):
    m, n = name("m", height), name("n", width)
    at = {"m": data.draw(st.integers(0, height - 1)), "n": data.draw(st.integers(0, width - 1))}
    total, number = m * width + n, at["m"] * width + at["n"]
    for step, amount in steps:
        match step:
            case "+":
                total, number = total + n * amount, number + at["n"] * amount
            case "*":
                total, number = total * amount, number * amount
            case "/":
                total, number = total // amount, number // amount
            case "%":
                total, number = total % amount, number % amount
            case "^":
                total, number = total ^ (m % amount), number ^ (at["m"] % amount)
            case "&":
                total, number = total & amount, number & amount
    assert value(total, **at) == number
    assert total.least <= number <= total.most


@given(st.lists(st.integers(0, 255), min_size=6, max_size=6), st.integers(0, 63))
def test_bits_that_move_together_give_the_linear_map(bases, x):
    wanted_ = 0
    for i, base in enumerate(bases):
        wanted_ ^= (x >> i & 1) * base
    assert value(masked(name("x", 64), bases), x=x) == wanted_
