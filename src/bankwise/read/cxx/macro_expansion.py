"""What a call of a macro stands for, as the preprocessor puts it in the place of the call.

    #define AT(tile, y, x) tile[(y) * 32 + (x)]
    AT(As, ty, k + 1)                               As[ty * 32 + (k + 1)]

Only of macros of which the text says all that there is: defined once, or each time in the same
words, under no condition and by no flag, never taken back, without ``#`` and variable parameters.
What an argument does it does as often as in the call: the parameter stands as often in the macro's
text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from bankwise.read.cxx.functions import definitions
from bankwise.read.cxx.macro_calls import macros_called, macros_defined
from bankwise.read.cxx.macros import macro_words
from bankwise.read.cxx.operand import has_comma, macro_texts, operand
from bankwise.read.cxx.tree import (
    ByteSpan,
    CxxSource,
    Node,
    called,
    every,
    macro_text,
    named,
    node_at,
    without_comments,
)

_TOKEN = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)"""
    r"""|(?P<word>[A-Za-z_]\w*)|(?P<blank>\s+)|(?P<sign>.)""",
    re.DOTALL,
)
_NEVER = re.compile(r"""#|__VA_|__COUNTER__|__LINE__|R"|@|\?\?""")
_DEFINES = r"#[ \t]*(?:define|undef|ifn?def)[ \t]+{word}\b"
_SIGNS = frozenset("+-*/%&|^<>=!.:#")
_BEFORE, _BEHIND = frozenset("[+-*/%,="), frozenset("])+-*/%,;")
"""Between which the parentheses around one variable or number mean nothing."""


def expansion_of(source: CxxSource, call: Node) -> str | None:
    """The text that a call stands for; None for a call of a function, and where the text does not
    tell which macro it is, or what that stands for."""
    macro = _macro_of(source, call)
    given = None if macro is None else _given(source, call)
    if macro is None or given is None:
        return None
    text, node = macro
    taken = [text.of(one) for one in named(node.child_by_field_name("parameters"))]
    body = _lines(macro_text(text, node))
    if len(taken) != len(given) or len(set(taken)) != len(taken) or not body:
        return None
    if not all(re.fullmatch(r"\w+", one) for one in taken):
        return None
    arguments = dict(zip(taken, (source.of(one) for one in given), strict=True))
    alone = {name for name, at in zip(taken, given, strict=True) if _alone(source, at)}
    made = _substituted(body, arguments, alone.__contains__)
    return _beside(source, call, _in_lines(source, call, made))


def _lines(text: str) -> str:
    """A macro's text in its lines, which begin at the left."""
    first, *more = (one.expandtabs().rstrip() for one in re.split(r"\\\r?\n", text))
    more = [one for one in more if one.strip()]
    margin = min((len(one) - len(one.lstrip()) for one in more), default=0)
    every_ = [one for one in (first.strip(), *(one[margin:] for one in more)) if one]
    return "\n".join(one if '"' in one else re.sub(r"(?<=\S) +", " ", one) for one in every_)


_LONG = 100
"""Letters of a line."""


def _in_lines(source: CxxSource, call: Node, text: str) -> str:
    """A text in one line, or in the macro's lines where that is long."""
    one = re.sub(r"\n *", " ", text)
    line = source.data.rfind(b"\n", 0, call.start_byte) + 1
    before = source.data[line : call.start_byte]
    blank = before[: len(before) - len(before.lstrip())].decode()
    return one if len(before) + len(one) <= _LONG else text.replace("\n", f"\n{blank}")


def _macro_of(source: CxxSource, call: Node) -> tuple[CxxSource, Node] | None:
    """The one macro that a call can mean, with the text that it stands in."""
    function = call.child_by_field_name("function")
    found = _only(source, source.of(function)) if function.type == "identifier" else None
    if found is None or not _is_before(source, *found, call):
        return None
    return None if any(_reads_text(source, one) for one in _calls_around(call)) else found


@lru_cache(maxsize=16)
def _only(source: CxxSource, word: str) -> tuple[CxxSource, Node] | None:
    """The macro that a word is wherever it is called; None where it may be another one, or a
    function, or where what it stands for depends on more than its arguments."""
    found = macros_defined(source, word)
    if not found or definitions(source, word):
        return None
    says = re.compile(_DEFINES.format(word=re.escape(word)))
    texts = (source.text, *(text for _, text in source.beside))
    several = len({macro_words(text, node) for text, node in found}) > 1
    if several or sum(len(says.findall(text)) for text in texts) != len(found):
        return None
    if any(_is_conditional(text, word) for text in texts) or any(t.file == "-D" for t, _ in found):
        return None
    text, node = found[0]
    body, inner = macro_text(text, node), re.compile(rf"\b{re.escape(word)}\b")
    again = any(inner.search(one) for one in (body, *macro_texts(source, body)))
    return None if again or _NEVER.search(body) else found[0]


_CONDITION = re.compile(
    r"^[ \t]*#[ \t]*(?P<word>if\w*|endif|define)\b[ \t]*(?P<name>\w*)(?P<rest>.*)", re.M
)


def _is_conditional(text: str, word: str) -> bool:
    """Whether a definition of a macro is kept under a condition, but for that a header is read
    once: whoever compiles the text otherwise has another macro, or a function."""
    open_: list[str] = []
    for one in _CONDITION.finditer(without_comments(text.encode()).decode()):
        if one["word"] == "endif":
            open_ = open_[:-1]
        elif one["word"] != "define":
            open_.append(one["name"] if one["word"] == "ifndef" else "#")
        elif open_ and one["name"] == open_[-1]:
            open_[-1] = ""
        elif one["name"] == word and any(open_):
            return True
    return False


def _is_before(source: CxxSource, text: CxxSource, macro: Node, call: Node) -> bool:
    """Whether a macro is defined before the call, for everybody who has the call: a header may be
    read behind another definition than the one it does not ask for itself."""
    own = text is source
    here = source.place(call.start_byte).file
    there = source.place(macro.start_byte).file if own else text.file
    if own and macro.start_byte > call.start_byte:
        return False
    return here in (source.file, there) or _includes(source, here, there)


def _includes(source: CxxSource, header: str, other: str) -> bool:
    """Whether a header, which is in the text, includes another one itself."""
    found = (node for node in every(source, "preproc_include"))
    mine = (node for node in found if source.place(node.start_byte).file == header)
    said = (source.of(node.child_by_field_name("path")).strip('<">') for node in mine)
    return any(Path(one).name == Path(other).name for one in said)


def _calls_around(call: Node) -> Iterator[Node]:
    node = call.parent
    while node is not None and not node.type.endswith("_statement"):
        if node.type == "call_expression":
            yield node
        node = node.parent


def _reads_text(source: CxxSource, call: Node) -> bool:
    """Whether a call is of a macro that makes a string, or a name, of what it is given."""
    if called(source, call) in ("assert", "static_assert"):
        return True
    found = macros_called(source, call.child_by_field_name("arguments"))
    return any("#" in macro_text(text, node) for text, node in found)


def _given(source: CxxSource, call: Node) -> list[ByteSpan] | None:
    """Where the arguments of a call stand, as the preprocessor parts them: at commas that no
    parentheses hold. None where that cannot be told."""
    inside = call.child_by_field_name("arguments")
    begin, stop = inside.start_byte + 1, inside.end_byte - 1
    whole = source.data[begin:stop]
    plain = without_comments(whole)
    if plain != whole or b"#" in whole or source.data[stop : stop + 1] != b")":
        return None
    parts, depth = [begin], 0
    for one in _TOKEN.finditer(plain.decode("latin-1")):
        depth += (one[0] == "(") - (one[0] == ")")
        if one[0] == "," and not depth:
            parts.append(begin + one.end())
    ends = [*(at - 1 for at in parts[1:]), stop]
    found = [_stripped(source, *one) for one in zip(parts, ends, strict=True)]
    return None if any(has_comma(source, source.of(one)) for one in found) else found


def _stripped(source: CxxSource, start: int, stop: int) -> ByteSpan:
    """A span without the blanks at its ends."""
    text = source.data[start:stop]
    before = len(text) - len(text.lstrip())
    return ByteSpan(start + before, start + before + len(text.strip()))


def _alone(source: CxxSource, at: ByteSpan) -> bool:
    """Whether an argument is one variable or number, which wants no parentheses."""
    if not re.fullmatch(r"\w+", source.of(at)):
        return False
    node = node_at(source, at)
    whole = (node.start_byte, node.end_byte) == (at.start, at.stop)
    return whole and node.type in ("identifier", "number_literal") and operand(source, node)


def _substituted(body: str, arguments: dict[str, str], alone: Callable[[str], bool]) -> str:
    """A macro's text with arguments in the places of its parameters; blanks keep two signs apart
    that would be read as one."""
    tokens = [one[0] for one in _TOKEN.finditer(body)]
    dropped = {
        place
        for n, token in enumerate(tokens)
        if token in arguments and alone(token) and _are_idle(tokens, n)
        for place in (n - 1, n + 1)
    }
    found = ""
    for n, token in enumerate(tokens):
        if n in dropped:
            continue
        if token not in arguments:
            apart = n > 0 and tokens[n - 1] in arguments and _reads_as_one(found, token)
            found += " " * apart + token
            continue
        text = " ".join(arguments[token].split("\n"))
        found += " " * _reads_as_one(found, text) + text
    return found


def _are_idle(tokens: list[str], at: int) -> bool:
    """Whether the parentheses around a parameter mean nothing where they stand."""
    if tokens[at - 1 : at + 2 : 2] != ["(", ")"] or not at:
        return False
    before = next((one for one in reversed(tokens[: at - 1]) if one.strip()), "")
    behind = next((one for one in tokens[at + 2 :] if one.strip()), ";")
    return before in _BEFORE and behind in _BEHIND


def _reads_as_one(left: str, right: str) -> bool:
    """Whether the end of a text and the begin of another would be one word or one operator."""
    if not left or not right:
        return False
    signs = left[-1] in _SIGNS and right[0] in _SIGNS
    return signs or bool(re.fullmatch(r"\w\w", left[-1] + right[0]))


def _beside(source: CxxSource, call: Node, text: str) -> str:
    """A text that stays apart from what stands around the call."""
    before = source.data[: call.start_byte][-1:].decode("latin-1")
    behind = source.data[call.end_byte :][:1].decode("latin-1")
    return " " * _reads_as_one(before, text) + text + " " * _reads_as_one(text, behind)
