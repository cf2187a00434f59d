"""Functions of integers that a source names, and macros that launch: what a call is, as text.

    #define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))               the text of its arguments
    constexpr int div_up(int a, int b) { return (a + b - 1) / b; }          their values
    template <class T> T up(const T& a, const T& b) { if (a % b) return a / b + 1; return a / b; }
    auto up = [](int a, int b) { return (a + b - 1) / b; };
    #define RUN(n, ...) k<n><<<g, n>>>(__VA_ARGS__)              statements, in the line of the call

Beside those that launch only those of arithmetic: whatever is handed to one keeps its value. A name
that is defined twice, and differs, is none of them.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bankwise.read.launch.tokens import SourceWord

_SIGN_TEXT = "( ) , ? : + - * / % < > <= >= == != && || | ^ ~ ! << >>"
_TYPE_TEXT = "int unsigned long short size_t int32_t uint32_t int64_t uint64_t uint auto T"
_SIGNS, _TYPES = frozenset(_SIGN_TEXT.split()), frozenset(_TYPE_TEXT.split())
_BEFORE = frozenset(("const", "std", "::"))
_FRACTIONS = frozenset(("float", "double", "half"))
_KNOWN = frozenset(("min", "max", "static_cast"))
_MOST_WORDS, _MOST_INSIDE = 400, 20
_MOST_STATEMENTS = 20_000
_REST = "__VA_ARGS__"
"""The parameter of a macro that is what follows the others."""


class CallText(Struct, frozen=True):
    """``body`` with the text of an argument in place of each parameter; of what is ``valued`` the
    arguments, and the result, are values: in brackets. What ``launches`` is statements."""

    parameters: tuple[str, ...]
    body: tuple[SourceWord, ...]
    valued: bool = False
    launches: bool = False

    @property
    def most_words(self) -> int:
        """How long the text of a call may be."""
        return _MOST_STATEMENTS if self.launches else _MOST_WORDS


Functions = Mapping[str, CallText]


def functions_of(words: Sequence[SourceWord], launching: Collection[str] = ()) -> Functions:
    """The functions of integers, and the macros that are ``launching``, by name."""
    found: dict[str, CallText | None] = {}
    for name, one in _defined(words, launching):
        same = one is not None and (name not in found or _alike(found[name], one))
        found[name] = one if same else None
    return {name: one for name, one in found.items() if one is not None}


def _alike(one: CallText | None, other: CallText) -> bool:
    """Whether two are written alike, wherever they stand."""
    if one is None or (one.parameters, one.valued) != (other.parameters, other.valued):
        return False
    return [word.text for word in one.body] == [word.text for word in other.body]


def _defined(
    words: Sequence[SourceWord], launching: Collection[str]
) -> Iterator[tuple[str, CallText | None]]:
    """Every definition of a macro, and of a function; None for one of something else."""
    for at, word in enumerate(words[:-2]):
        if word.text == "#define":
            name = words[at + 1].text
            yield name, _macro(words, at + 2, launches=name in launching)
        elif word.is_name and words[at + 1].text == "(" and at and words[at - 1].is_name:
            stop = closing(words, at + 1)
            if [one.text for one in words[stop + 1 : stop + 2]] == ["{"]:
                types = {words[at - 1].text} <= _TYPES | _template(words, at)
                yield word.text, _function(words, at, at + 1, stop) if types else None
        elif word.text == "auto" and (opens := _lambda(words, at + 1)) is not None:
            own = _only_here(words, at + 1)
            found = _function(words, at, opens, closing(words, opens)) if own else None
            yield words[at + 1].text, found


def _template(words: Sequence[SourceWord], at: int) -> frozenset[str]:
    """The types that are parameters of the template that the function of a name is of."""
    begins = at
    while begins and words[begins].text not in (";", "{", "}", "#end", "template"):
        begins -= 1
    every = zip(words[begins:at], words[begins + 1 : at], strict=False)
    return frozenset(name.text for kind, name in every if kind.text in ("typename", "class"))


def _lambda(words: Sequence[SourceWord], at: int) -> int | None:
    """Where the parameters open of a function that a variable is set to; None for another one."""
    if [one.text for one in words[at + 1 : at + 3]] != ["=", "["]:
        return None
    opens = at + 3
    while opens < len(words) and words[opens].text in ("&", "=", "]"):
        opens += 1
    after = closing(words, opens) + 1 if words[opens - 1].text == "]" else len(words)
    return opens if [one.text for one in words[after : after + 1]] == ["{"] else None


def _only_here(words: Sequence[SourceWord], at: int) -> bool:
    """Whether a name stands nowhere before its place, nor behind the block that it is in."""
    name, depth = words[at].text, 0
    for place in range(at, len(words)):
        depth += (words[place].text == "{") - (words[place].text == "}")
        if depth < 0:
            break
    others = (*words[:at], *words[place:])
    return all(one.text != name for one in others)


def _macro(words: Sequence[SourceWord], at: int, *, launches: bool) -> CallText | None:
    """A macro whose parameters open at a place."""
    if words[at].text != "(":
        return None
    stop = closing(words, at)
    end = next((n for n in range(stop, len(words)) if words[n].text == "#end"), len(words))
    parameters = [word.text for word in words[at + 1 : stop] if word.text != ","]
    body = words[stop + 2 : end]
    if not launches:
        return _arithmetic(parameters, body, valued=False)
    if parameters[-3:] == ["."] * 3:
        parameters[-3:] = [_REST]
    return CallText(tuple(parameters), tuple(body), launches=True)


def _function(words: Sequence[SourceWord], at: int, opens: int, stop: int) -> CallText | None:
    """A function that gives a number, whose parameters stand from a place to another one; of
    integers, which it takes as they are."""
    types, parameters = _TYPES | _template(words, at), list[str]()
    for part in parted(words[opens : stop + 1]):
        *kinds, name = part or [words[at]]
        said = {one.text for one in kinds}
        if (
            not kinds
            or not said <= types | _BEFORE | {"&"}
            or ("&" in said and "const" not in said)
        ):
            return None
        parameters.append(name.text)
    body = _returned(words[stop + 2 : stop + 2 + _MOST_WORDS], {}, types)
    names = {word.text for word in body or () if word.is_name}
    own = body and names <= {*parameters, *types, *_BEFORE, *_KNOWN}
    return _arithmetic(parameters, body or (), valued=True) if own else None


_Texts = Mapping[str, Sequence[SourceWord]]


def _returned(
    body: Sequence[SourceWord], known: _Texts, types: frozenset[str]
) -> list[SourceWord] | None:
    """What statements give that set variables once, and return: ``if (a) return b; return c;`` is
    ``(a) ? (b) : (c)``. ``known``: what variables are. None for other statements."""
    end = next((n for n, one in enumerate(body) if one.text in (";", "{", "}")), 0)
    if not end:
        return None
    if body[0].text == "if":
        return _either(body, known, types)
    text = _said_with(body[1:end], known)
    if body[0].text == "return" or body[end].text != ";":
        return text if body[end].text == ";" else None
    equal = next((n for n, one in enumerate(body[:end]) if one.text == "="), 0)
    kinds, name = body[: max(equal - 1, 0)], body[equal - 1].text
    if not kinds or any(one.text not in types | _BEFORE | {"constexpr"} for one in kinds):
        return None
    value = _bracketed(_said_with(body[equal + 1 : end], known))
    return _returned(body[end + 1 :], {**known, name: value}, types)


def _either(
    body: Sequence[SourceWord], known: _Texts, types: frozenset[str]
) -> list[SourceWord] | None:
    """The same of an ``if`` that returns, and what stands behind it."""
    stop = closing(body, 1)
    then = body[stop + 1 :]
    braces = [one.text for one in then[:1]] == ["{"]
    then = then[braces:]
    end = next((n for n, one in enumerate(then) if one.text in (";", "{", "}")), 0)
    closed = [one.text for one in then[end : end + 1 + braces]] == [";", "}"][: 1 + braces]
    if not end or then[0].text != "return" or not closed:
        return None
    rest = then[end + 1 + braces :]
    rest = rest[[one.text for one in rest[:1]] == ["else"] :]
    other = _returned(rest[[one.text for one in rest[:1]] == ["{"] :], known, types)
    if other is None:
        return None
    parts = (_said_with(one, known) for one in (body[2:stop], then[1:end]))
    asked, value, other = map(_bracketed, (*parts, other))
    line = body[0].line
    return [*asked, SourceWord("?", line), *value, SourceWord(":", line), *other]


def _said_with(text: Sequence[SourceWord], known: _Texts) -> list[SourceWord]:
    return [word for one in text for word in known.get(one.text, (one,))]


def _bracketed(text: Sequence[SourceWord]) -> list[SourceWord]:
    line = text[0].line if text else 0
    return [SourceWord("(", line), *text, SourceWord(")", line)]


def _arithmetic(
    parameters: Sequence[str], body: Sequence[SourceWord], *, valued: bool
) -> CallText | None:
    """None for a body of more than names, numbers and the signs of arithmetic."""
    plain = all(word.is_name or word.text[0].isdigit() or word.text in _SIGNS for word in body)
    plain &= not any(word.text in _FRACTIONS for word in body)
    if not plain or not body or len(set(parameters)) < len(parameters):
        return None
    return CallText(tuple(parameters), tuple(body), valued)


def expanded(words: Sequence[SourceWord], launching: Collection[str] = ()) -> Sequence[SourceWord]:
    """A text with what a call is in place of each call of one of its functions, and of the macros
    that are ``launching``; of neither, or not of those macros, where that is too long."""
    for names in (launching, ()) if launching else ((),):
        functions = functions_of(words, names)
        try:
            done = _expanded(words, _Expansion(functions), frozenset(), sys.maxsize)
        except OverflowError:
            continue
        return words if done is None else done
    return words


class _Expansion(Struct):
    """``left``: words that may be looked at: macros of macros grow without end."""

    functions: Functions
    left: int = 300_000

    def look_at(self, words: int) -> None:
        """Raises OverflowError where too many were."""
        self.left -= words
        if self.left < 0:
            raise OverflowError


def _expanded(
    words: Sequence[SourceWord], of: _Expansion, inside: frozenset[str], most: int
) -> list[SourceWord] | None:
    """None for more words than ``most``. ``inside``: what is being expanded: that stays, as C++
    has it."""
    done: list[SourceWord] = []
    at = 0
    while at < len(words):
        text = _call(words, at, of, inside)
        if text is None:
            done.append(words[at])
            at += 1
        else:
            _unqualify(done)
            done += text[0]
            at = text[1]
        if len(done) > most:
            return None
    return done


def _unqualify(done: list[SourceWord]) -> None:
    """Without ``util::`` before a call that was there."""
    while len(done) > 1 and done[-1].text == "::" and done[-2].is_name:
        del done[-2:]


def _call(
    words: Sequence[SourceWord], at: int, of: _Expansion, inside: frozenset[str]
) -> tuple[list[SourceWord], int] | None:
    """What a call at a place is, and where it ends; None for no call, or one that is too long."""
    found = of.functions.get(words[at].text)
    if found is None or words[at].text in inside or len(inside) > _MOST_INSIDE:
        return None
    opens = _behind_types(words, at + 1) if found.valued else at + 1
    if _declares(words, at) or [one.text for one in words[opens : opens + 1]] != ["("]:
        return None
    stop = closing(words, opens)
    of.look_at(stop - at)
    given = parted(words[opens : stop + 1])
    if found.parameters[-1:] == (_REST,):
        given = _with_rest(given, len(found.parameters) - 1, words[at].line)
    if len(given) != len(found.parameters):
        return None
    deeper = inside | {f"({len(inside)}"}
    known = [_expanded(one, of, deeper, _MOST_WORDS) for one in given]
    named = {n: one for n, one in zip(found.parameters, known, strict=True) if one is not None}
    if len(named) < len(given):
        return None
    body = _stated(found, named, words[at].line) if found.launches else _with(found, named)
    text = _expanded(body, of, inside | {words[at].text}, found.most_words)
    return None if text is None else (text, stop + 1)


def _behind_types(words: Sequence[SourceWord], at: int) -> int:
    """The place behind ``<int>``, if that stands at a place."""
    types = [one.text for one in words[at : at + 3]]
    return at + 3 if types[::2] == ["<", ">"] and types[1] in _WIDE else at


_WIDE = ("int", "unsigned", "long", "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "uint")


def _with_rest(
    given: Sequence[Sequence[SourceWord]], named: int, line: int
) -> list[Sequence[SourceWord]]:
    """Arguments of which those behind the first ``named`` ones are one, with its commas."""
    rest = [word for part in given[named:] for word in (SourceWord(",", line), *part)]
    return [*given[:named], rest[1:]]


def _stated(
    macro: CallText, given: Mapping[str, Sequence[SourceWord]], line: int
) -> list[SourceWord]:
    """The statements of a macro with its arguments, in the line of its call; ``a##b`` is one word,
    ``#a`` none."""
    done: list[SourceWord] = []
    pasted, body = False, macro.body
    for at, word in enumerate(body):
        if word.text == "#":
            pasted |= at > 0 and body[at - 1].text == "#"
            continue
        text = [replace(one, line=line) for one in given.get(word.text, (word,))]
        quoted = at > 0 and body[at - 1].text == "#" and not pasted
        if pasted and text and done and done[-1].is_name:
            text[0] = SourceWord(done.pop().text + text[0].text, line)
        done += [] if quoted else text
        pasted = False
    return done


def _declares(words: Sequence[SourceWord], at: int) -> bool:
    """Whether a name is defined at a place, or is one of the library."""
    before = words[at - 1] if at else None
    if before is None or before.text == "::":
        return at > 1 and words[at - 2].text == "std"
    return before.text == "#define" or (before.is_name and before.text not in _BEFORE_CALLS)


_BEFORE_CALLS = ("return", "else", "do")
"""Words that end before a call, and declare nothing."""


def _with(function: CallText, given: Mapping[str, Sequence[SourceWord]]) -> list[SourceWord]:
    """The body with its arguments."""
    line = function.body[0].line
    opens, closes = ([SourceWord(sign, line)] if function.valued else [] for sign in "()")
    done = list(opens)
    for word in function.body:
        argument = given.get(word.text)
        done += [word] if argument is None else [*opens, *argument, *closes]
    return [*done, *closes]


def parted(words: Sequence[SourceWord]) -> list[Sequence[SourceWord]]:
    """The arguments of a call, from its bracket to the one that closes it; none of ``()``."""
    depth, start, parts = 0, 1, list[Sequence[SourceWord]]()
    for at, word in enumerate(words):
        depth += (word.text in ("(", "[", "{")) - (word.text in (")", "]", "}"))
        if (word.text == "," and depth == 1) or depth == 0:
            parts.append(words[start:at])
            start = at + 1
    return parts if len(words) > 2 else []


def closing(words: Sequence[SourceWord], at: int) -> int:
    """The bracket that closes the round one at a place; the end, or one far off, if none does."""
    depth, end = 0, min(len(words), at + _MOST_WORDS)
    for place in range(at, end):
        depth += (words[place].text == "(") - (words[place].text == ")")
        if depth == 0:
            return place
    return end
