"""Broken input from good input: one to four random edits, the same for the same seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Edit = Callable[[bytes, random.Random], bytes]

_NUMBER = re.compile(rb"-?(?:0x[0-9a-fA-F]+|\d+)")
_WORD = re.compile(rb"[\w.$%@#]+")
_NUMBERS = (
    b"0 1 -1 2 3 7 31 32 33 63 64 127 128 255 256 1023 1024 4095 4096 65535 65536 65537 2147483647 "
    b"2147483648 -2147483648 4294967295 4294967296 9223372036854775807 9223372036854775808 "
    b"340282366920938463463374607431768211456 1e309 0x 0xg 1.5 011 \xc2\xb2 \xd9\xa4 1_0 nan -0"
).split()
_PIECES = (
    b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\n", b"\r", b"\t", b" ", b'"', b"'", b"\\",
    b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b",", b";", b":", b"=", b"#", b"%", b"//",
    b"/*", b"$", b"@", b"!", b"|", b"^", b"*", b"1" * 400, b"(" * 300, b"[" * 300, b"{" * 300,
)  # fmt: skip


def mutated(seeds: Sequence[bytes], number: int) -> bytes:
    """The ``number``-th broken input made of these good ones."""
    chance = random.Random(number)
    data = chance.choice(seeds)
    for _ in range(chance.choice((1, 1, 1, 1, 1, 2, 2, 3, 4))):
        data = chance.choice(_EDITS)(data, chance)
    if chance.random() < 0.03:
        other = chance.choice(seeds)
        data = data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]
    return data


def _number(data: bytes, chance: random.Random) -> bytes:
    """Another number in place of one."""
    return _replaced(data, _NUMBER, chance, chance.choice(_NUMBERS))


def _near(data: bytes, chance: random.Random) -> bytes:
    """A number that is nearly the same."""
    found = _picked(data, _NUMBER, chance)
    if found is None:
        return data
    value = int(found[0], 0) if not found[0].lstrip(b"-").startswith(b"0") else 8
    near = chance.choice((value + 1, value - 1, 2 * value, value // 2, -value))
    return data[: found.start()] + b"%d" % near + data[found.end() :]


def _word(data: bytes, chance: random.Random) -> bytes:
    """A word in the place of another one."""
    other = _picked(data, _WORD, chance)
    return data if other is None else _replaced(data, _WORD, chance, other[0])


def _replaced(data: bytes, what: re.Pattern[bytes], chance: random.Random, new: bytes) -> bytes:
    found = _picked(data, what, chance)
    return data if found is None else data[: found.start()] + new + data[found.end() :]


def _picked(data: bytes, what: re.Pattern[bytes], chance: random.Random) -> re.Match[bytes] | None:
    """One match from a random place on, or the first."""
    return what.search(data, chance.randrange(len(data) + 1)) or what.search(data)


def _lines(data: bytes, chance: random.Random) -> bytes:
    """A line left out, said twice, or moved."""
    lines = data.split(b"\n")
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    line = lines[at]
    if chance.random() < 0.66:
        del lines[at]
    if chance.random() < 0.66:
        lines.insert(to, line)
    return b"\n".join(lines)


def _cut(data: bytes, chance: random.Random) -> bytes:
    """The beginning, the end, or all but a piece."""
    at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    kind = chance.random()
    if kind < 0.3:
        return data[:at]
    return data[to:] if kind < 0.4 else data[:at] + data[min(to, at + 60) :]


def _piece(data: bytes, chance: random.Random) -> bytes:
    """A sign, or many, put in."""
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(_PIECES) + data[at:]


def _byte(data: bytes, chance: random.Random) -> bytes:
    """One byte changed."""
    if not data:
        return data
    at = chance.randrange(len(data))
    new = bytes([chance.randrange(256)]) if chance.random() < 0.5 else b"%c" % (data[at] ^ 1)
    return data[:at] + new + data[at + 1 :]


_EDITS: tuple[Edit, ...] = (_number, _near, _near, _near, _word, _word, _lines, _cut, _piece, _byte)
