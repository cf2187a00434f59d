"""The one table of integer arithmetic against LLVM: each operation, at the edges of its width."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import numpy as np
import pytest

from bankwise.read import bits as b
from bankwise.read import integers as i
from bankwise.read.operations import COMPARISONS, undefined
from bankwise.read.ttgir.scalars import evaluate
from bankwise.read.ttgir.values import Op

WIDTHS = (1, 8, 16, 24, 32, 48, 64)

TWO = {
    "add": (i.add, "%r = add T %x, %y"),
    "sub": (i.subtract, "%r = sub T %x, %y"),
    "mul": (i.multiply, "%r = mul T %x, %y"),
    "and": (i.conjunction, "%r = and T %x, %y"),
    "or": (i.disjunction, "%r = or T %x, %y"),
    "xor": (i.difference, "%r = xor T %x, %y"),
    "divu": (i.divide_unsigned, "%r = udiv T %x, %y"),
    "divs": (i.divide_signed, "%r = sdiv T %x, %y"),
    "remu": (i.remainder_unsigned, "%r = urem T %x, %y"),
    "rems": (i.remainder_signed, "%r = srem T %x, %y"),
    "shl": (i.shift_left, "%r = shl T %x, %y"),
    "shru": (i.shift_right_unsigned, "%r = lshr T %x, %y"),
    "shrs": (i.shift_right_signed, "%r = ashr T %x, %y"),
    "minu": (i.minimum_unsigned, "%r = call T @llvm.umin.T(T %x, T %y)"),
    "mins": (i.minimum_signed, "%r = call T @llvm.smin.T(T %x, T %y)"),
    "maxu": (i.maximum_unsigned, "%r = call T @llvm.umax.T(T %x, T %y)"),
    "maxs": (i.maximum_signed, "%r = call T @llvm.smax.T(T %x, T %y)"),
    "mul_high_u": (i.multiply_high_unsigned, "HIGH zext"),
    "mul_high_s": (i.multiply_high_signed, "HIGH sext"),
    "ceildivu": (
        i.divide_unsigned_up,
        "%q = udiv T %x, %y\n%m = urem T %x, %y\n%c = icmp ne T %m, 0\n%u = zext i1 %c to T\n"
        "%r = add T %q, %u",
    ),
    "floordivs": (
        i.divide_signed_down,
        "%q = sdiv T %x, %y\n%m = srem T %x, %y\n%c = icmp ne T %m, 0\n%z = xor T %x, %y\n"
        "%n = icmp slt T %z, 0\n%d = and i1 %c, %n\n%s = sext i1 %d to T\n%r = add T %q, %s",
    ),
    "ceildivs": (
        i.divide_signed_up,
        "%q = sdiv T %x, %y\n%m = srem T %x, %y\n%c = icmp ne T %m, 0\n%z = xor T %x, %y\n"
        "%n = icmp sge T %z, 0\n%d = and i1 %c, %n\n%s = zext i1 %d to T\n%r = add T %q, %s",
    ),
}
"""Operation and the same in LLVM's words; T is the type."""

ONE = {
    "neg": (i.negate, "%r = sub T 0, %x"),
    "not": (i.complement, "%r = xor T %x, -1"),
    "abs": (i.absolute, "%r = call T @llvm.abs.T(T %x, i1 false)"),
    "ones": (b.ones, "%r = call T @llvm.ctpop.T(T %x)"),
    "leading": (b.leading_zeros, "%r = call T @llvm.ctlz.T(T %x, i1 false)"),
    "trailing": (b.trailing_zeros, "%r = call T @llvm.cttz.T(T %x, i1 false)"),
    "reverse": (b.reverse, "%r = call T @llvm.bitreverse.T(T %x)"),
}
_CALLED = ("umin", "smin", "umax", "smax")


@cache
def engine() -> object:
    llvm = pytest.importorskip("llvmlite.binding", reason="LLVM's own answers need llvmlite")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    return llvm, llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def compiled(body: str, bits: int, operands: int) -> Callable[..., int]:
    """LLVM's own function of 64-bit words: cut to ``bits``, the body, zeros above its result."""
    llvm, jit = engine()  # type: ignore[misc]
    kind, double = f"i{bits}", f"i{2 * bits}"
    if body.startswith("HIGH"):
        how = body.split()[1]
        body = (
            f"%a = {how} T %x to D\n%b = {how} T %y to D\n%p = mul D %a, %b\n"
            f"%h = lshr D %p, {bits}\n%r = trunc D %h to T"
        )
    names = "xyz"[:operands]
    name = f"f{random.getrandbits(64)}"
    cut = [f"%{n} = {'bitcast i64' if bits == 64 else 'trunc i64'} %{n}0 to {kind}" for n in names]
    widen = f"%w = {'bitcast' if bits == 64 else 'zext'} {kind} %r to i64"
    text = "\n".join(
        [
            *(f"declare T @llvm.{c}.T(T, T)" for c in _CALLED),
            *(f"declare T @llvm.{c}.T(T)" for c in ("ctpop", "bitreverse")),
            *(f"declare T @llvm.{c}.T(T, i1)" for c in ("abs", "ctlz", "cttz")),
            *(f"declare T @llvm.{c}.T(T, T, T)" for c in ("fshl", "fshr")),
            f"define i64 @{name}({', '.join(f'i64 %{n}0' for n in names)}) {{",
            *cut,
            body,
            widen,
            "ret i64 %w\n}",
        ]
    )
    module = llvm.parse_assembly(text.replace("T", kind).replace("D", double))
    module.verify()
    jit.add_module(module)
    jit.finalize_object()
    word = ctypes.c_uint64
    return ctypes.CFUNCTYPE(word, *[word] * operands)(jit.get_function_address(name))


def edges(bits: int) -> list[int]:
    rng = random.Random(bits)
    top = 1 << (bits - 1)
    some = {
        0,
        1,
        2,
        3,
        7,
        top,
        top - 1,
        top + 1,
        2 * top - 1,
        2 * top - 2,
        bits - 1,
        bits,
        bits + 1,
    }
    some |= {rng.getrandbits(bits) for _ in range(12)}
    return sorted(value & (2 * top - 1) for value in some)


def numbers(values: Sequence[int], bits: int) -> i.Array:
    return i.fit(np.array(values, np.uint64), bits)


def same(found: i.Array, wanted: Sequence[int]) -> None:
    assert [int(value) for value in found] == list(wanted)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", TWO)
def test_two_operands_give_what_llvm_gives(name: str, bits: int) -> None:
    function, body = TWO[name]
    if bits == 1 and name.startswith(("ceil", "floor")):
        pytest.skip("one bit has no signed quotient to round")
    pairs = list(product(edges(bits), repeat=2))
    x, y = (numbers([pair[n] for pair in pairs], bits) for n in (0, 1))
    promised = ~undefined(name, x, y, bits)
    truth = compiled(body, bits, 2)
    kept = [pair for pair, good in zip(pairs, promised, strict=True) if good]
    assert kept
    same(function(x, y, bits)[promised], [truth(*pair) for pair in kept])


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", ONE)
def test_one_operand_gives_what_llvm_gives(name: str, bits: int) -> None:
    function, body = ONE[name]
    truth, values = compiled(body, bits, 1), edges(bits)
    wanted = [truth(value) for value in values]
    if name in ("ones", "leading", "trailing") and bits < 8:
        wanted = [w % (1 << bits) for w in wanted]  # LLVM's count has the width of its operand
        same(function(numbers(values, bits), bits) % (1 << bits), wanted)
    else:
        same(function(numbers(values, bits), bits), wanted)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_are_those_of_icmp(name: str, bits: int) -> None:
    widened = "" if bits == 1 else "\n%r = zext i1 %c to T"
    test = f"%{'r' if bits == 1 else 'c'} = icmp {name} T %x, %y"
    truth = compiled(test + widened, bits, 2)
    pairs = list(product(edges(bits), repeat=2))
    x, y = (numbers([pair[n] for pair in pairs], bits) for n in (0, 1))
    same(COMPARISONS[name](x, y, bits), [truth(*pair) for pair in pairs])


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize(("name", "function"), [("l", i.funnel_left), ("r", i.funnel_right)])
def test_funnel_shifts_are_those_of_llvm(name: str, function: i.Operation, bits: int) -> None:
    truth = compiled(f"%r = call T @llvm.fsh{name}.T(T %x, T %y, T %z)", bits, 3)
    triples = list(product(edges(bits)[::3], edges(bits)[1::3], range(bits)))
    x, y, n = (numbers([triple[k] for triple in triples], bits) for k in range(3))
    same(function(x, y, n, bits), [truth(*triple) for triple in triples])


@pytest.mark.parametrize(("of", "to"), [(1, 32), (8, 32), (16, 64), (32, 64), (64, 32), (64, 1)])
@pytest.mark.parametrize("how", ["sext", "zext"])
def test_casts_are_those_of_llvm(how: str, of: int, to: int) -> None:
    cast = "trunc" if to < of else how
    wide, values = max(of, to), edges(of)
    body = f"%a = trunc T %x to i{of}\n" if of < wide else f"%a = add i{of} %x, 0\n"
    body += f"%c = {cast} i{of} %a to i{to}\n"
    body += f"%r = zext i{to} %c to T" if to < wide else f"%r = add i{to} %c, 0"
    truth = compiled(body, wide, 1)
    given = numbers(values, of)
    found = i.extend(given, of, to) if how == "sext" else i.fit(given, to)
    same(found, [truth(value) for value in values])


FIELD = """
%past = icmp uge T %z, {bits}
%most = select i1 %past, T {bits}, T %z
%m = sub T {bits}, %most
%s = {shift} T %x, %y
%e = shl T %s, %m
%r = {shift} T %e, %m
"""


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize(
    ("shift", "function"), [("lshr", b.extract_unsigned), ("ashr", b.extract_signed)]
)
def test_bit_fields_are_two_shifts_of_llvm(shift: str, function: i.Operation, bits: int) -> None:
    """A field of w bits: up to the top, and down again. Without bits there is none."""
    truth = compiled(FIELD.format(bits=bits, shift=shift).strip(), bits, 3)
    triples = list(product(edges(bits)[::2], range(0, bits, 3), [1, 5, bits - 1, bits, bits + 3]))
    x, start, width = (numbers([triple[k] for triple in triples], bits) for k in range(3))
    same(function(x, start, width, bits), [truth(*triple) for triple in triples])
    assert not function(x, start, np.zeros_like(width), bits).any()


def test_a_field_is_put_where_it_was_taken_from() -> None:
    x, into = numbers([0xABCD] * 3, 32), numbers([0x11111111] * 3, 32)
    start, width = numbers([4, 0, 24], 32), numbers([8, 32, 16], 32)
    same(b.insert(x, into, start, width), [0x11111CD1, 0xABCD, 0xCD111111])


@pytest.mark.parametrize("bits", [1, 8, 32, 64])
def test_nothing_is_promised_of_division_by_zero_and_of_the_smallest_by_minus_one(
    bits: int,
) -> None:
    least, last = 1 << (bits - 1), (1 << bits) - 1
    x, y = numbers([5 & last, least, least], bits), numbers([0, last, 1], bits)
    assert undefined("divs", x, y, bits).tolist()[:2] == [True, True]
    assert undefined("divu", x, y, bits).tolist() == [True, False, False]
    assert undefined("add", x, y, bits).tolist() == [False, False, False]
    assert int(i.divide_signed(x, y, bits)[0]) == int(i.remainder_unsigned(x, y, bits)[0]) == 0
    assert int(i.divide_signed(x, y, bits)[1]) == least


def test_shifts_by_the_width_or_more_leave_zeros_or_the_sign() -> None:
    x, n = numbers([0x80000001] * 3, 32), numbers([31, 32, 0xFFFFFFFF], 32)
    same(i.shift_left(x, n), [0x80000000, 0, 0])
    same(i.shift_right_unsigned(x, n), [1, 0, 0])
    same(i.shift_right_signed(x, n), [0xFFFFFFFF] * 3)
    same(i.shift_left(x, i.modulo(n)), [0x80000000, 0x80000001, 0x80000000])


def test_numbers_of_mlir_keep_their_sign_but_a_bit_has_none() -> None:
    values = np.array([255, 128, 127, -1, 256], np.int64)
    assert i.wrap(values, 8).tolist() == [-1, -128, 127, -1, 0]
    assert i.wrap(values, 1).tolist() == [1, 0, 1, 1, 0]
    assert i.unsigned(values, 8).tolist() == [255, 128, 127, 255, 0]


@pytest.mark.parametrize(
    ("name", "types", "values", "result"),
    [
        ("divui", "i32", (-1, 2), 2147483647),
        ("remui", "i32", (-1, 10), 4294967295 % 10),
        ("addi", "i32", (2147483647, 1), -2147483648),
        ("addi", "i64", (2147483647, 1), 2147483648),
        ("muli", "i32", (65536, 65536), 0),
        ("divsi", "i32", (-7, 2), -3),
        ("remsi", "i32", (-7, 2), -1),
        ("floordivsi", "i32", (-7, 2), -4),
        ("ceildivsi", "i32", (7, 2), 4),
        ("divsi", "i32", (1, 0), None),
        ("divsi", "i32", (-2147483648, -1), None),
        ("shli", "i32", (1, 31), -2147483648),
        ("shli", "i32", (1, 32), None),
        ("shrui", "i32", (-1, 28), 15),
        ("maxui", "i32", (-1, 1), -1),
        ("trunci", "i64 to i32", (4294967301,), 5),
        ("extui", "i32 to i64", (-1,), 4294967295),
        ("extsi", "i1 to i32", (1,), -1),
        ("extui", "i1 to i32", (1,), 1),
        ("addi", "i32", (None, 1), None),
    ],
)
def test_whole_numbers_of_ttgir_are_those_of_their_type(
    name: str, types: str, values: tuple[int | None, ...], result: int | None
) -> None:
    assert evaluate(Op(f"arith.{name}", 1, ("%r",), "", types), values) == result


def test_unsigned_comparisons_of_ttgir_are_unsigned() -> None:
    op = Op("arith.cmpi", 1, ("%r",), "ult, %a, %b", "i32")
    assert (evaluate(op, (-1, 1)), evaluate(op, (1, -1))) == (0, 1)
