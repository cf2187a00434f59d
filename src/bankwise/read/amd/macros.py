"""What an assembler unfolds before there are instructions: macros, conditions, repetition, symbols.

    .set vgprX, 12                     v[vgprX+1:vgprX+4] is v[13:16] from here on
    .macro ADD dst:req, x, y=1         ADD v0, v1   writes   v_add_u32 v0, v1, 1
    .rept 4 / .irp r, 1, 2             what follows, four times, or for r = 1 and r = 2
    .if MT0 > 64 / .else / .endif

What depends on something that has no number here stays as it is written: where it stands in code,
control is lost. Lines keep the number of the line of the text that they come from. Source: LLVM,
AsmParser.cpp (macros, conditionals); GNU as, "Assembler Directives".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from bankwise.read.amd.expressions import NAME, evaluate
from bankwise.read.amd.operands import operand
from bankwise.regex import regex

Line = tuple[int, str]
"""Its number in the text, from 1, and what it says."""

MOST_LINES = 400_000
_DEEPEST = 40

_UNFOLDS = regex(
    r"^[ \t]*(?:\.(?:macro|rept|rep|irpc?|if\w*|set|equ|equiv)\b|[A-Za-z_][\w.$]*[ \t]*=)"
    r"|\b[vsa]\[[ \t]*(?:0x|[^\s\d])|\b[vsa]\[[^\]\n]*[-+*/]",
    re.MULTILINE | re.IGNORECASE,
)
_LONG_COMMENT = regex(r'"(?:\\.|[^"\\\n])*"|;[^\n]*|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMENT = regex(r"/\*.*?\*/|//.*|;.*")
_DIRECTIVE = regex(r"\.(\w+)\s*(.*)", re.DOTALL)
_ASSIGNED = regex(r"([A-Za-z_.$][\w.$@]*)\s*=(?!=)\s*(.*)")
_LABEL = regex(r'(?:"[^"]+"|[\w.$@?]+):(?!:)')
_PARAMETER = regex(r"([\w.$]+)(?::(req|vararg))?\s*(?:=\s*(\"[^\"]*\"|[^\s,]*))?")
_USE = regex(r"\\(\(\)|@|[A-Za-z_$][\w$]*)")
_BLOCKS = {"macro": ("endm", "endmacro"), "rept": ("endr",), "rep": ("endr",)}
_BLOCKS |= {"irp": ("endr",), "irpc": ("endr",)}
_REGISTERS = regex(r"\b(v|s|a|ttmp|acc)\[([^\[\]]*)\]")
_COMPUTED = regex(r"[\w)]\s*(?:[-+*/%|&^]|<<|>>)|\(|~")


class _Macro(Struct, frozen=True):
    """``parameters``: name, "req" or "vararg" or "", and what stands for it otherwise."""

    parameters: tuple[tuple[str, str, str], ...]
    body: tuple[str, ...]


class _Unfolding(Struct):
    """Macros and symbols by name, as they are at this place of the text. ``calls``: of macros."""

    macros: dict[str, _Macro] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)
    made: int = 0
    calls: int = 0


def unfolded(text: str) -> Sequence[Line]:
    """The lines of ``text`` with macros, repetition, conditions and symbols unfolded; as they are
    where nothing is to unfold. At most :data:`MOST_LINES`; the rest stays as written."""
    if "/*" in text:
        text = _LONG_COMMENT.sub(_shortened, text)
    lines = list(enumerate(text.splitlines(), 1))
    return list(_unfold(lines, _Unfolding(), 0)) if _UNFOLDS.search(text) else lines


def _shortened(found: re.Match[str]) -> str:
    """A comment of several lines as so many empty ones."""
    whole = found[0]
    return "\n" * whole.count("\n") if whole.startswith("/*") and "\n" in whole else whole


def _unfold(lines: Sequence[Line], at: _Unfolding, depth: int) -> Iterator[Line]:
    position = 0
    while position < len(lines):
        number, line = lines[position]
        position += 1
        at.made += 1
        code = _COMMENT.sub(" ", line).strip() if "/" in line or ";" in line else line.strip()
        label = _LABEL.match(code)
        if label and (rest := code[label.end() :].strip()):
            yield number, label[0]
            code = line = rest
        word, arguments = _first_word(code)
        end = _end(lines, position, word) if word in _BLOCKS or word.startswith("if") else 0
        if end is None or at.made > MOST_LINES or depth > _DEEPEST:
            yield number, line
        elif word in _BLOCKS:
            body = lines[position : end - 1]
            yield from _block(word, arguments, number, body, lines[position - 1 : end], at, depth)
            position = end
        elif word.startswith("if"):
            taken = _taken(_ways(lines[position : end - 1], word, arguments), at)
            yield from lines[position - 1 : end] if taken is None else _unfold(taken, at, depth + 1)
            position = end
        elif word == "amdgpu_metadata":
            end = _metadata_end(lines, position)
            yield from lines[position - 1 : end]
            position = end
        elif word in ("set", "equ", "equiv"):
            _define(*_name_and_rest(arguments), at)
        elif "=" in code and not code.startswith(".") and (found := _ASSIGNED.fullmatch(code)):
            _define(found[1], found[2], at)
        elif word == "purgem":
            at.macros.pop(arguments.strip(), None)
        elif code and not word and (macro := at.macros.get(code.split(None, 1)[0])):
            yield from _called(macro, number, code, at, depth)
        else:
            yield number, substituted(line, code, at.symbols)


def _first_word(code: str) -> tuple[str, str]:
    """A directive without its point, in small letters, and what stands behind it."""
    found = _DIRECTIVE.fullmatch(code) if code.startswith(".") else None
    return (found[1].lower(), found[2]) if found else ("", code)


def _name_and_rest(arguments: str) -> tuple[str, str]:
    name, _, rest = arguments.partition(",")
    return name.strip(), rest


def _define(name: str, expression: str, at: _Unfolding) -> None:
    number = evaluate(expression, at.symbols)
    if number is None:
        at.symbols.pop(name, None)
    else:
        at.symbols[name] = number


def _metadata_end(lines: Sequence[Line], position: int) -> int:
    """Behind the metadata, which are YAML."""
    ends = (n for n in range(position, len(lines)) if "end_amdgpu_metadata" in lines[n][1])
    return next(ends, len(lines) - 1) + 1


def _end(lines: Sequence[Line], position: int, word: str) -> int | None:
    """Behind the line that ends a block or a condition; None if none does."""
    ends, depth = _BLOCKS.get(word, ("endif",)), 1
    opens = [one for one, two in _BLOCKS.items() if two == ends]
    while position < len(lines):
        inner = _first_word(lines[position][1].strip())[0] if "." in lines[position][1] else ""
        depth += inner in opens or (ends == ("endif",) and inner.startswith("if"))
        depth -= inner in ends
        position += 1
        if not depth:
            return position
    return None


def _block(
    word: str,
    arguments: str,
    number: int,
    body: Sequence[Line],
    whole: Sequence[Line],
    at: _Unfolding,
    depth: int,
) -> Iterator[Line]:
    """A macro is kept; what is to be repeated is, or stays as it is if nobody knows how often."""
    if word == "macro":
        name, _, rest = arguments.replace(",", " ", 1).strip().partition(" ")
        found = tuple(
            (p[1], p[2] or "", (p[3] or "").strip('"')) for p in _PARAMETER.finditer(rest)
        )
        at.macros[name] = _Macro(found, tuple(line for _, line in body))
        return
    rounds = _rounds(word, arguments, at)
    if rounds is None or len(rounds) * len(body) > MOST_LINES - at.made:
        yield from whole
        return
    for given in rounds:
        made = [(line, _with(text, given, at.calls)) for line, text in body]
        yield from _unfold(made, at, depth + 1)


def _rounds(word: str, arguments: str, at: _Unfolding) -> Sequence[dict[str, str]] | None:
    """What stands for the parameters in each round."""
    if word in ("rept", "rep"):
        count = evaluate(arguments, at.symbols)
        return None if count is None or not 0 <= count <= MOST_LINES else [{}] * count
    name, rest = (
        _name_and_rest(arguments.strip().replace(" ", ",", 1))
        if "," not in (arguments)
        else _name_and_rest(arguments)
    )
    values = list(rest.strip()) if word == "irpc" else _split_arguments(rest)
    return [{name: value} for value in values]


Ways = Sequence[tuple[str, str, Sequence[Line]]]
"""Of a condition: its word and arguments, and the lines behind it."""


def _ways(lines: Sequence[Line], word: str, arguments: str) -> Ways:
    """The ways of a condition, in order."""
    ways: list[tuple[str, str, list[Line]]] = [(word, arguments, [])]
    depth = 0
    for number, line in lines:
        inner, rest = _first_word(_COMMENT.sub(" ", line).strip()) if "." in line else ("", "")
        depth += inner.startswith("if") - (inner == "endif")
        if not depth and inner in ("else", "elseif"):
            ways.append((inner, rest, []))
        else:
            ways[-1][2].append((number, line))
    return ways


def _taken(ways: Ways, at: _Unfolding) -> Sequence[Line] | None:
    """The lines of the way that is taken; None if nobody knows which."""
    for word, arguments, lines in ways:
        holds = True if word == "else" else _holds(word, arguments, at)
        if holds is None or holds:
            return lines if holds else None
    return ()


_AGAINST_ZERO = {"if": "!=", "elseif": "!=", "ifne": "!=", "ifeq": "==", "ifge": ">="}
_AGAINST_ZERO |= {"ifgt": ">", "ifle": "<=", "iflt": "<"}


def _holds(word: str, arguments: str, at: _Unfolding) -> bool | None:
    if word in _AGAINST_ZERO:
        number = evaluate(f"({arguments}) {_AGAINST_ZERO[word]} 0", at.symbols)
        return None if number is None else bool(number)
    if word in ("ifdef", "ifndef", "ifnotdef"):
        return (arguments.strip() in at.symbols) == (word == "ifdef")
    if word in ("ifb", "ifnb"):
        return (not arguments.strip()) == (word == "ifb")
    if word in ("ifc", "ifnc"):
        first, second = _name_and_rest(arguments)
        return (first == second.strip()) == (word == "ifc")
    return None


def _called(macro: _Macro, number: int, code: str, at: _Unfolding, depth: int) -> Iterator[Line]:
    """The lines of a macro for the arguments of a call; the call itself if they do not fit."""
    given = _arguments(macro, _split_arguments(code.partition(code.split(None, 1)[0])[2]))
    if given is None:
        yield number, code
        return
    lines = [(number, _with(line, given, at.calls)) for line in macro.body]
    at.calls += 1
    yield from _unfold(lines, at, depth + 1)


def _arguments(macro: _Macro, values: Sequence[str]) -> dict[str, str] | None:
    given: dict[str, str] = {}
    names = [name for name, _, _ in macro.parameters]
    place = 0
    for n, text in enumerate(values):
        name, sign, value = text.partition("=")
        if sign and name.strip() in names:
            given[name.strip()] = value.strip()
            continue
        if place >= len(names):
            return None
        if macro.parameters[place][1] == "vararg":
            given[names[place]] = ", ".join(values[n:])
            break
        given[names[place]] = text
        place += 1
    for name, kind, usual in macro.parameters:
        if not given.get(name):
            if kind == "req":
                return None
            given[name] = usual
    return given


def _split_arguments(text: str) -> list[str]:
    """Arguments between commas, or between blanks that no operator stands beside."""
    parts: list[str] = []
    for part in _outside(text.strip(), ","):
        words = re.sub(r"\s*([-+*/%|&^=<>]+)\s*", r"\1", part.strip())
        parts += _outside(words, " ") or [""]
    return [part.strip().strip('"') for part in parts] if text.strip() else []


def _outside(text: str, mark: str) -> list[str]:
    """Split at ``mark`` outside of brackets and quotation marks."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, sign in enumerate(text):
        quoted ^= sign == '"'
        depth += (sign in "([") - (sign in ")]")
        if sign == mark and not depth and not quoted:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()] if mark == " " else parts


def _with(line: str, given: dict[str, str], calls: int) -> str:
    """A line of a body with what stands for its parameters."""
    if "\\" not in line:
        return line

    def one(found: re.Match[str]) -> str:
        name = found[1]
        return "" if name == "()" else str(calls) if name == "@" else given.get(name, found[0])

    return _USE.sub(one, line)


def substituted(line: str, code: str, symbols: dict[str, int]) -> str:
    """``line`` (``code`` without comments) with numbers for registers and operands that are
    expressions; what has no number stays."""
    known = symbols and any(name in symbols for name in NAME.findall(code))
    if not known and ("[" not in code or (not _COMPUTED.search(code) and "[0x" not in code)):
        return line
    registers = _REGISTERS.sub(lambda found: _register(found, symbols), code)
    if not known or registers.startswith("."):
        known = known and registers.startswith(".amdhsa_")
    if not known:
        return registers
    word, _, rest = registers.replace("\t", " ").partition(" ")
    return f"{word} {','.join(_operand(part, symbols) for part in _outside(rest, ','))}"


def _register(found: re.Match[str], symbols: dict[str, int]) -> str:
    parts = [evaluate(part, symbols) for part in found[2].split(":")]
    if None in parts:
        return found[0]
    return f"{found[1]}[{':'.join(map(str, parts))}]"


def _operand(text: str, symbols: dict[str, int]) -> str:
    """An operand with its modifiers: ``LDS+4``, ``v1 offset:X*4``."""
    whole = evaluate(text, symbols)
    if whole is not None and not operand(text.strip()).registers:
        return f" {whole}"
    words = []
    for word in _outside(text.strip(), " "):
        name, sign, value = word.partition(":")
        number = evaluate(value if sign else word, symbols) if NAME.match(name) else None
        if sign and "[" not in name:
            words.append(word if number is None else f"{name}:{number}")
        else:
            words.append(word if number is None else str(number))
    return " " + " ".join(words)
