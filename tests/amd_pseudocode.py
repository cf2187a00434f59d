"""A reader of AMD's pseudo-code: what the ISA documents say that an instruction does, executed.

    tmp = 64'U(S0.u32) + 64'U(S1.u32) + SCC.u64;
    SCC = tmp >= 0x100000000ULL ? 1'1U : 1'0U;
    D0.u32 = tmp.u32

Numbers have a width and a sign, as in C; ``.u16``, ``[15 : 0]`` and ``[3]`` are parts of one. The
texts are AMD's, as tinygrad carries them. Shares no code with what it judges.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

_TOKEN = re.compile(
    r"\s*(?:(\d+'-?(?:0x[0-9a-fA-F]+|\d+)U?)|(\d+'[UIB])|(0x[0-9a-fA-F]+|\d+)(U?L?L?)"
    r"|([A-Za-z_]\w*)|(\.[a-z]+\d+)|(<<|>>|<=|>=|==|!=|<>|&&|\|\||\+=|-=|[-+*/%&|^~!<>=?:(){}\[\],]))"
)
_LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!=", "<>"), ("<", ">", "<=", ">="),
           ("<<", ">>"), ("+", "-"), ("*", "/", "%"))  # fmt: skip


class Typed(NamedTuple):
    """A number of ``bits`` bits; ``value`` is what they mean."""

    value: int
    bits: int = 32
    signed: bool = True


Names = dict[str, Typed]
Value = Callable[[Names], Typed]


class LoopEnd(Exception):  # noqa: N818 - it is none
    """Of a loop."""


def typed(value: int, bits: int, signed: bool) -> Typed:
    value &= (1 << bits) - 1
    return Typed(value - (1 << bits) if signed and value >> (bits - 1) else value, bits, signed)


def tokens(text: str) -> list[str]:
    text, at, found = re.sub(r"//[^\n]*|;", " ", text).strip(), 0, []
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None:
            raise ValueError(f"pseudo-code {text[at : at + 20]!r}")
        found.append(m[0].strip())
        at = m.end()
    return found


@dataclass
class Reader:
    """Reads statements, as functions of the names."""

    words: list[str]
    at: int = 0

    def peek(self, ahead: int = 0) -> str:
        return self.words[self.at + ahead] if self.at + ahead < len(self.words) else ""

    def take(self, wanted: str = "") -> str:
        word = self.peek()
        if wanted and word != wanted:
            raise ValueError(f"{word!r} where {wanted!r} stands")
        self.at += 1
        return word

    def block(self, *ends: str) -> Callable[[Names], None]:
        found = []
        while self.peek() and self.peek() not in ends:
            found.append(self.statement())

        def run(names: Names) -> None:
            for one in found:
                one(names)

        return run

    def statement(self) -> Callable[[Names], None]:
        word = self.peek()
        if word == "if":
            return self.choice()
        if word == "for":
            return self.loop()
        if word == "break":
            self.take()
            return _break
        if word == "declare":
            self.at += 3
            if self.peek() == "[":
                raise ValueError("an array")
            self.take()
            return lambda names: None
        return self.assignment()

    def choice(self) -> Callable[[Names], None]:
        self.at += 1
        test = self.expression()
        self.take("then")
        yes, no = self.block("elsif", "else", "endif"), None
        if self.peek() == "elsif":
            no = self.choice()
        else:
            if self.peek() == "else":
                self.take()
                no = self.block("endif")
            self.take("endif")

        def run(names: Names) -> None:
            if test(names).value:
                yes(names)
            elif no is not None:
                no(names)

        return run

    def loop(self) -> Callable[[Names], None]:
        self.take("for")
        name = self.take()
        self.take("in")
        first = self.expression()
        self.take(":")
        last = self.expression()
        self.take("do")
        body = self.block("endfor")
        self.take("endfor")

        def run(names: Names) -> None:
            try:
                for n in range(first(names).value, last(names).value + 1):
                    names[name] = Typed(n)
                    body(names)
            except LoopEnd:
                return

        return run

    def assignment(self) -> Callable[[Names], None]:
        name = self.take()
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(f"no statement: {name}")
        parts = self.parts()
        sign = self.take()
        if sign not in ("=", "+=", "-="):
            raise ValueError(f"no assignment: {sign}")
        if self.peek() == "lambda":
            raise ValueError("a function")
        value = self.expression()

        def run(names: Names) -> None:
            found = value(names)
            if sign != "=":
                found = _combined(sign[0], _part(names[name], parts, names), found)
            names[name] = _stored(names.get(name, Typed(0, 64, False)), parts, found, names)

        return run

    def parts(self) -> list[tuple[str, Value | None, Value | None]]:
        found: list[tuple[str, Value | None, Value | None]] = []
        while self.peek().startswith(".") or self.peek() == "[":
            if self.peek() != "[":
                found.append((self.take()[1:], None, None))
                continue
            self.take("[")
            high, low = self.expression(), None
            if self.peek() == ":":
                self.take()
                low = self.expression()
            self.take("]")
            found.append(("", high, low or high))
        return found

    def expression(self) -> Value:
        test = self.level(0)
        if self.peek() != "?":
            return test
        self.take()
        yes = self.expression()
        self.take(":")
        no = self.expression()
        return lambda names: yes(names) if test(names).value else no(names)

    def level(self, n: int) -> Value:
        if n == len(_LEVELS):
            return self.unary()
        left = self.level(n + 1)
        while self.peek() in _LEVELS[n]:
            left = _binary(self.take(), left, self.level(n + 1))
        return left

    def unary(self) -> Value:
        sign = self.peek()
        if sign in ("-", "~", "!"):
            self.take()
            inner = self.unary()
            return lambda names: _signed(sign, inner(names))
        value = self.atom()
        parts = self.parts()
        return (lambda names: _part(value(names), parts, names)) if parts else value

    def atom(self) -> Value:
        word = self.take()
        if word == "(":
            inner = self.expression()
            self.take(")")
            return inner
        if word == "{":
            high = self.expression()
            self.take(",")
            low = self.expression()
            self.take("}")
            return lambda names: _joined(high(names), low(names))
        if re.fullmatch(r"\d+'[UIB]", word):
            bits, kind = word.split("'")
            self.take("(")
            inner = self.expression()
            self.take(")")
            return lambda names: typed(inner(names).value, int(bits), kind == "I")
        if word[0].isdigit():
            return _literal(word)
        if self.peek() == "(":
            return self.call(word)
        if not re.fullmatch(r"[A-Za-z_]\w*", word):
            raise ValueError(f"no value: {word}")
        return lambda names: names[word]

    def call(self, name: str) -> Value:
        self.take("(")
        arguments = [self.expression()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.expression())
        self.take(")")
        function = _FUNCTIONS.get(name)
        if function is None:
            raise ValueError(f"function {name}")
        return lambda names: function(*(one(names) for one in arguments))


def _break(names: Names) -> None:
    raise LoopEnd


def _literal(word: str) -> Value:
    if "'" in word:
        bits, number = word.split("'")
        found = typed(int(number.rstrip("U"), 0), int(bits), not number.endswith("U"))
    else:
        plain = word.rstrip("UL")
        found = typed(int(plain, 0), 64 if "LL" in word else 32, "U" not in word)
    return lambda names: found


def _combined(sign: str, x: Typed, y: Typed) -> Typed:
    if sign in ("<<", ">>"):
        bits = max(x.bits, 32)
        return typed(x.value << y.value if sign == "<<" else x.value >> y.value, bits, x.signed)
    bits = max(x.bits, y.bits, 32)
    signs = {one.signed for one in (x, y) if one.bits == bits} or {True}
    signed = signs == {True}
    a, b = typed(x.value, bits, signed).value, typed(y.value, bits, signed).value
    if sign in _TESTS:
        return Typed(int(_TESTS[sign](a, b)), 1, False)
    return typed(_SUMS[sign](a, b), bits, signed)


_TESTS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b, "&&": lambda a, b: bool(a and b), "||": lambda a, b: bool(a or b),
}  # fmt: skip
_SUMS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a // b, "%": lambda a, b: a % b, "&": lambda a, b: a & b,
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
}  # fmt: skip


def _binary(sign: str, left: Value, right: Value) -> Value:
    return lambda names: _combined(sign, left(names), right(names))


def _signed(sign: str, x: Typed) -> Typed:
    if sign == "!":
        return Typed(int(not x.value), 1, False)
    return typed(-x.value if sign == "-" else ~x.value, max(x.bits, 32), x.signed)


def _joined(high: Typed, low: Typed) -> Typed:
    mask = (1 << low.bits) - 1
    return typed(high.value << low.bits | low.value & mask, high.bits + low.bits, False)


def _place(part: tuple[str, Value | None, Value | None], names: Names) -> tuple[int, int, bool]:
    """Lowest bit, width and sign of a part."""
    kind, high, low = part
    if high is None or low is None:
        return 0, int(kind[1:]), kind[0] == "i"
    start = low(names).value
    return start, high(names).value - start + 1, False


def _part(x: Typed, parts: list[tuple[str, Value | None, Value | None]], names: Names) -> Typed:
    for one in parts:
        low, width, signed = _place(one, names)
        if width > 0:
            x = typed(x.value >> low, width, signed)
        else:  # [0 : 31] is [31 : 0] backwards
            bits = f"{x.value >> low + width - 1 & (1 << 2 - width) - 1:0{2 - width}b}"
            x = typed(int(bits[::-1], 2), 2 - width, False)
    return x


def _stored(
    old: Typed, parts: list[tuple[str, Value | None, Value | None]], new: Typed, names: Names
) -> Typed:
    if not parts:
        return new
    start, width = 0, 0
    for one in parts:
        low, width, _ = _place(one, names)
        start += low
    mask = ((1 << width) - 1) << start
    bits = max(old.bits, start + width)
    return typed(old.value & ~mask | new.value << start & mask, bits, old.signed)


def _sign_extended(x: Typed, width: Typed) -> Typed:
    value = typed(x.value, width.value, True).value if width.value else 0
    return typed(value, max(x.bits, 32), True)


def _least(*values: Typed) -> Typed:
    return min(values, key=lambda one: one.value)


def _most(*values: Typed) -> Typed:
    return max(values, key=lambda one: one.value)


_EXTREMES = {"min": _least, "min3": _least, "max": _most, "max3": _most}
_FUNCTIONS: dict[str, Callable[..., Typed]] = {
    "signext_from_bit": _sign_extended,
    "signext": lambda x: typed(typed(x.value, x.bits, True).value, 64, True),
    "abs": lambda x: typed(abs(x.value), x.bits, x.signed),
    **{f"v_{w}_{k}": f for w, f in _EXTREMES.items() for k in ("u32", "i32", "u16", "i16")},
}


def program(text: str) -> Callable[[Names], None]:
    """The pseudo-code of an instruction; :class:`ValueError` for what is not read."""
    reader = Reader(tokens(text))
    run = reader.block()
    if reader.peek():
        raise ValueError(f"a rest: {reader.peek()}")
    return run
