"""From text to operations: a reader of the lines that Triton prints.

MLIR prints one operation a line, and a region between ``{`` at the end of a line and ``}`` at the
start of another. That is all that is used here: no grammar of any dialect. What an operation means
is decided by whoever looks at its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bankwise.errors import InputError, Location
from bankwise.read.ttgir.values import Op
from bankwise.regex import regex

_NAME = regex(r'"?([A-Za-z_][\w$]*(?:\.[\w$]+)*)"?')
_VALUE = r"%[\w$.\-]+"
_RESULTS = regex(rf"({_VALUE}(?::\d+)?(?:\s*,\s*{_VALUE}(?::\d+)?)*)\s*=\s*(?!=)")
_USE = regex(rf"{_VALUE}(?:#\d+)?")
_OPEN, _CLOSE = "([{<", ")]}>"
_PIECE = regex(r'"[^"]*"?|->|[()\[\]{}<>]| (?=: )')
"""What decides where types begin: quotes, arrows, brackets, a colon between blanks."""

MAX_LINES = 200_000

BLOCK = "^"
"""The name of what stands for the head of a block."""


def operations(text: str, file: str) -> list[Op]:
    """The operations of a text, those of regions inside their own; alias lines are left out.

    Raises :class:`InputError` with the line for text that is no operation, and for regions that
    are not closed.
    """
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        raise InputError(f"{len(lines)} lines; {MAX_LINES} are read", location=Location(file))
    top: list[Op] = []
    open_ops: list[Op] = []
    for number, line in enumerate(lines, 1):
        code = without_comment(line).strip()
        if not code or code.startswith("#"):
            continue
        if not _read(code, number, open_ops, top):
            raise InputError(
                f"this is no operation: {code[:60]!r}",
                location=Location(file, number),
                hint="one operation a line, as Triton prints TTGIR",
            )
    if open_ops:
        raise InputError(
            f"{open_ops[-1].name} opens a region that is not closed",
            location=Location(file, open_ops[-1].line),
            hint="the text may be cut off",
        )
    return top


def every(ops: Iterable[Op]) -> Iterator[Op]:
    """Operations with those of their regions."""
    for op in ops:
        yield op
        for region in op.regions:
            yield from every(region)


def _read(code: str, number: int, open_ops: list[Op], top: list[Op]) -> bool:
    """Take one line in; whether it could be read."""
    if code.startswith("}"):
        return _close(code, open_ops)
    op = _block_of(code, number) if code.startswith("^") else _operation(code, number)
    if op is None:
        return False
    (open_ops[-1].regions[-1] if open_ops else top).append(op)
    if code.endswith("{"):
        op.regions.append([])
        open_ops.append(op)
    return True


def _close(code: str, open_ops: list[Op]) -> bool:
    if not open_ops:
        return False
    op, rest = open_ops[-1], code[1:].strip()
    if rest.endswith("{"):
        op.regions.append([])
        return True
    open_ops.pop()
    rest, loc = _location(rest.removeprefix(")").strip())
    op.loc = loc or op.loc
    op.types = split_types(rest)[1] or op.types
    return True


def _block_of(code: str, number: int) -> Op:
    """``^bb0(%a: i32, ..):``: an operation whose results are the arguments of the block."""
    return Op(BLOCK, number, arguments(code.partition("(")[2]), code)


def arguments(text: str) -> tuple[str, ...]:
    """The names in ``%a: i32 loc(..), %b: ..)``, up to the parenthesis that closes them."""
    depth, end = 1, len(text)
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            end = at
            break
    return tuple(p.partition(":")[0].strip() for p in split_top(text[:end], ",") if p)


def _operation(code: str, number: int) -> Op | None:
    results = _RESULTS.match(code)
    rest = code[results.end() :] if results else code
    name = _NAME.match(rest)
    if name is None:
        return None
    body, loc = _location(rest[name.end() :].strip())
    if code.endswith("{"):
        body = body.removesuffix("{").strip()
    body, types = split_types(body)
    named = tuple(_value_names(results[1])) if results else ()
    return Op(name[1], number, named, body, types, loc, tuple(_USE.findall(body)))


def _value_names(text: str) -> Iterator[str]:
    """``%a, %b:2`` gives %a, %b#0, %b#1."""
    for part in text.split(","):
        name, _, count = part.strip().partition(":")
        if not count:
            yield name
        else:
            yield from (f"{name}#{n}" for n in range(min(int(count), 4096)))


def _location(text: str) -> tuple[str, str]:
    """The text without ``loc(..)`` at its end, and what stands inside."""
    if not text.endswith(")"):
        return text, ""
    start = _opening(text, len(text) - 1)
    if start >= 3 and text[start - 3 : start] == "loc" and text[: start - 3].strip()[-1:] != ",":
        return text[: start - 3].strip(), text[start + 1 : -1]
    return text, ""


def _opening(text: str, close: int) -> int:
    """The place of the parenthesis that belongs to the one at ``close``; -1 if there is none."""
    depth, quoted = 0, False
    for at in range(close, -1, -1):
        if text[at] == '"':
            quoted = not quoted
        elif not quoted and text[at] == ")":
            depth += 1
        elif not quoted and text[at] == "(":
            depth -= 1
            if depth == 0:
                return at
    return -1


def split_types(text: str) -> tuple[str, str]:
    """The text before and behind the last " : " that stands in no bracket and no quotes."""
    depth, found = 0, 0 if text.startswith(": ") else -1
    for piece in _PIECE.finditer(text):
        sign = piece[0]
        if sign == " ":
            found = found if depth else piece.start()
        elif len(sign) == 1 and sign != '"':
            depth += 1 if sign in _OPEN else -1
    if found < 0:
        return text, ""
    return text[:found].strip(), text[found:].strip().removeprefix(":").strip()


def top_level(text: str) -> Iterator[int]:
    """The places of a text that stand in no bracket and no quotes."""
    depth, quoted = 0, False
    for at, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        if quoted:
            continue
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE and not (char == ">" and text[at - 1 : at] == "-"):
            depth -= 1
        elif depth == 0:
            yield at


def split_top(text: str, separator: str) -> list[str]:
    """Split at a separator that stands in no bracket."""
    parts, start = [], 0
    for at in top_level(text):
        if at >= start and text.startswith(separator, at):
            parts.append(text[start:at].strip())
            start = at + len(separator)
    return [*parts, text[start:].strip()]


def without_comment(line: str) -> str:
    """A line up to ``//`` outside quotes."""
    if "//" not in line:
        return line
    quoted = False
    for at, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        elif not quoted and line.startswith("//", at):
            return line[:at]
    return line
