"""Integer operations as terms of the solver, against Python's integers and the definitions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, floor

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
pytest.importorskip("z3", reason="needs the extra [prove]")

from z3 import simplify

from bankwise.change.prove.launch import TextLaunch
from bankwise.change.prove.numbering import Numbering
from bankwise.change.prove.smt_terms import Terms
from run_mlir import opened

WIDTHS = {"i8": 8, "i32": 32, "i64": 64, "index": 64}
NOWHERE = TextLaunch(None, False, None, None, True)


def signed(value: int, bits: int) -> int:
    """The number of so many bits that is equal to ``value`` modulo 2^bits."""
    low = value % (1 << bits)
    return low - (1 << bits) if low >> (bits - 1) else low


def results(lines: list[str]) -> list[int]:
    """What the results of the operations of a text give, signed, those of constants left out."""
    module, function = opened("func.func @k() {\n" + "\n".join(lines) + "\n  return\n}")
    operations = [op.operation for op in function.regions[0].blocks[0].operations]
    terms = Terms(Numbering(), NOWHERE)
    values = [r for op in operations if op.name != "arith.constant" for r in op.results]
    found = [int(simplify(terms.value(value)).as_signed_long()) for value in values]
    assert module
    return found


def binary(name: str, kind: str, pairs: list[tuple[int, int]]) -> list[int]:
    """``arith.name`` of every pair."""
    lines = [
        line
        for n, (a, b) in enumerate(pairs)
        for line in (
            f"  %a{n} = arith.constant {a} : {kind}",
            f"  %b{n} = arith.constant {b} : {kind}",
            f"  %r{n} = arith.{name} %a{n}, %b{n} : {kind}",
        )
    ]
    return results(lines)


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


SIGNED: dict[str, Callable[[int, int], int]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "minsi": min,
    "maxsi": max,
    "divsi": _truncated,
    "remsi": lambda a, b: a - b * _truncated(a, b),
    "floordivsi": operator.floordiv,
    "ceildivsi": lambda a, b: ceil(Fraction(a, b)),
}
UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "divui": operator.floordiv,
    "remui": operator.mod,
    "ceildivui": lambda a, b: ceil(Fraction(a, b)),
    "minui": min,
    "maxui": max,
}
NUMBERS = [0, 1, -1, 2, 3, 7, -7, 100, 127, -128, 12_345, -99_999, 2**31, 2**63 - 1, -(2**63)]


def numbers(bits: int) -> list[int]:
    """Numbers of a width, small, large and at its ends."""
    return sorted({signed(n, bits) for n in NUMBERS} | {-(1 << bits - 1), (1 << bits - 1) - 1})


@pytest.mark.parametrize("kind", WIDTHS)
@pytest.mark.parametrize("name", [*SIGNED, *UNSIGNED])
def test_two_numbers(name: str, kind: str) -> None:
    bits = WIDTHS[kind]
    pairs = list(product(numbers(bits), repeat=2))
    if "div" in name or "rem" in name:
        least = -(1 << bits - 1)
        pairs = [(a, b) for a, b in pairs if b and (a, b) != (least, -1)]
    function = SIGNED.get(name) or UNSIGNED[name]
    sides = pairs if name in SIGNED else [(a % (1 << bits), b % (1 << bits)) for a, b in pairs]
    assert binary(name, kind, pairs) == [signed(function(a, b), bits) for a, b in sides]


@pytest.mark.parametrize("kind", WIDTHS)
def test_shifts(kind: str) -> None:
    bits = WIDTHS[kind]
    pairs = list(product(numbers(bits), (0, 1, bits // 2, bits - 1)))
    assert binary("shli", kind, pairs) == [signed(a << b, bits) for a, b in pairs]
    assert binary("shrsi", kind, pairs) == [signed(a >> b, bits) for a, b in pairs]
    shifted = [signed(a % (1 << bits) >> b, bits) for a, b in pairs]
    assert binary("shrui", kind, pairs) == shifted


PREDICATES = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
    "ult": operator.lt,
    "ule": operator.le,
    "ugt": operator.gt,
    "uge": operator.ge,
}


@pytest.mark.parametrize("name", PREDICATES)
def test_comparisons(name: str) -> None:
    pairs = list(product(numbers(8), repeat=2))
    sides = [(a % 256, b % 256) for a, b in pairs] if name.startswith("u") else pairs
    wanted = [-1 if PREDICATES[name](a, b) else 0 for a, b in sides]
    assert binary(f"cmpi {name},", "i8", pairs) == wanted, "one bit, read as a signed number"


def test_a_selection_takes_its_second_operand_where_the_condition_holds() -> None:
    lines = ["  %t = arith.constant true", "  %f = arith.constant false"]
    lines += [f"  %{name} = arith.constant {n} : i8" for name, n in (("a", 5), ("b", 9))]
    lines += [f"  %r{c} = arith.select %{c}, %a, %b : i8" for c in "tf"]
    assert results(lines) == [5, 9]


CASTS = {
    "index_cast %a{} : i32 to index": lambda a: a,
    "index_castui %a{} : i32 to index": lambda a: a % 2**32,
    "extsi %a{} : i32 to i64": lambda a: a,
    "extui %a{} : i32 to i64": lambda a: a % 2**32,
    "trunci %a{} : i32 to i8": lambda a: signed(a, 8),
}


@pytest.mark.parametrize("cast", CASTS)
def test_casts(cast: str) -> None:
    lines = []
    for n, a in enumerate(numbers(32)):
        lines += [f"  %a{n} = arith.constant {a} : i32", f"  %r{n} = arith.{cast.format(n)}"]
    assert results(lines) == [CASTS[cast](a) for a in numbers(32)]


AFFINE = {
    "s0 floordiv {}": lambda a, b: floor(Fraction(a, b)),
    "s0 ceildiv {}": lambda a, b: ceil(Fraction(a, b)),
    "s0 mod {}": operator.mod,
    "s0 * {} - 7": lambda a, b: a * b - 7,
}
PAIRS = list(product((0, 1, 5, 63, 64, 5000, -1, -64, -4999), (1, 2, 3, 64, 99)))


@pytest.mark.parametrize("text", AFFINE)
def test_affine_maps(text: str) -> None:
    lines = []
    for n, (a, b) in enumerate(PAIRS):
        made = f"affine_map<()[s0] -> ({text.format(b)})>"
        lines += [f"  %a{n} = arith.constant {a} : index"]
        lines += [f"  %r{n} = affine.apply {made}()[%a{n}]"]
    assert results(lines) == [AFFINE[text](a, b) for a, b in PAIRS]


@pytest.mark.parametrize(("name", "best"), [("min", min), ("max", max)])
def test_affine_minimum_and_maximum(name: str, best: Callable[..., int]) -> None:
    lines = []
    for n, (a, b) in enumerate(PAIRS):
        lines += [f"  %a{n} = arith.constant {a} : index"]
        lines += [f"  %r{n} = affine.{name} affine_map<()[s0] -> (s0, {b}, s0 * 2)>()[%a{n}]"]
    assert results(lines) == [best(a, b, 2 * a) for a, b in PAIRS]


def test_mixed_radix() -> None:
    lines, wanted = [], []
    for n, (a, b, c) in enumerate(product((0, 1, 77, 5000), (1, 3, 9), (1, 4, 7))):
        kinds = "index, index, index"
        lines += [
            f"  %a{n} = arith.constant {a} : index",
            f"  %b{n} = arith.constant {b - 1} : index",
            f"  %d{n}:3 = affine.delinearize_index %a{n} into (7, {b}, {c}) : {kinds}",
            f"  %r{n} = affine.linearize_index [%a{n}, %b{n}] by (9, {b}) : index",
        ]
        wanted += [a // (b * c), a // c % b, a % c, a * b + b - 1]
    assert results(lines) == wanted
