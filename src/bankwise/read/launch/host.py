"""What the host code of a CUDA or HIP source says about its launches: constants, and nothing else.

    #define TILE 32                                   a macro that is an expression of constants
    #define DIV(a, b) (((a) + (b) - 1) / (b))         what a call of it is; of a function, too
    const int rows = 8;                               a variable that is never assigned again
    dim3 threads(TILE, rows);                         likewise, its members set in order or not
    transpose<<<grid, threads>>>(out, in, 1024);      launched at line 9 with 32,8,1

What a parameter, a loop, a condition or another file decides is not known. A macro that is defined
twice, and differs, is none, and so is the default of a parameter. A launch through a pointer to a
kernel counts for the kernels that are assigned to it, one in a macro where that is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from bankwise.errors import InputError
from bankwise.read.launch.changes import CLOSING, changed, closing, steady
from bankwise.read.launch.constants import AXES, Constants, Known, cut, evaluate
from bankwise.read.launch.facts import KernelLaunch, Size, check_block
from bankwise.read.launch.functions import expanded
from bankwise.read.launch.headers import header_words
from bankwise.read.launch.launchers import (
    GivenWords,
    Launcher,
    by_value,
    given_in,
    launchers_in,
    launching_macros,
    numbers_in,
)
from bankwise.read.launch.tokens import SourceWord, tokens

_MOST_TOKENS = 400_000
_MOST_CALLS = 64
"""Of templates that launch kernels, which are followed."""
_BY_CALL: Mapping[str, tuple[int, tuple[int, ...]]] = {
    "hipLaunchKernelGGL": (0, (1, 2, 3)),
    "cudaLaunchKernel": (0, (1, 2, 4)),
    "cudaLaunchCooperativeKernel": (0, (1, 2, 4)),
    "hipLaunchKernel": (0, (1, 2, 4)),
    "cudaLaunchKernelEx": (1, ()),
}
"""Which argument is the kernel; which are grid, block and bytes: () where a configuration says."""
_CONFIGURED = ("gridDim", "blockDim", "dynamicSmemBytes")
_LAUNCHES = ("<<<", *_BY_CALL)


class _Reading(Struct):
    """``scopes``: what names are, the innermost block last, each ``called`` as its structure or
    namespace, "" for others; ``changed``: names that something
    assigns; ``pointers``: names to what is assigned to them; ``steady``: those whose
    members are set in order; ``configured``: members of launch configurations; ``launchers``:
    functions that launch, of which so many more calls (``left``) are followed; ``bodies``: where
    such a body begins that is read where it is called, by where it ends; ``followed``: those that
    were; ``calls``: the lines of the calls that are followed now, the outermost first; ``values``:
    the places of arguments that such functions leave as they are."""

    words: Sequence[SourceWord]
    scopes: list[Constants] = field(default_factory=lambda: [{}])
    changed: frozenset[str] = frozenset()
    pointers: dict[str, set[str]] = field(default_factory=dict)
    found: list[KernelLaunch] = field(default_factory=list)
    steady: frozenset[str] = frozenset()
    launchers: Mapping[str, Launcher] = field(default_factory=dict)
    left: int = _MOST_CALLS
    configured: dict[str, dict[str, Sequence[SourceWord]]] = field(default_factory=dict)
    called: list[str] = field(default_factory=lambda: [""])
    bodies: Mapping[int, int] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    calls: tuple[int, ...] = ()
    values: Mapping[str, frozenset[int]] = field(default_factory=dict)


def launches_in(source: str, headers: Sequence[str] = ()) -> tuple[KernelLaunch, ...]:
    """The launches ``kernel<<<..>>>`` of a CUDA or HIP source whose block size is constant.

    ``headers``: texts that stand before it, for their constants; what they launch is left out.
    """
    own = tokens(source)
    every = (*header_words(headers, _MOST_TOKENS), *own)
    if len(own) > _MOST_TOKENS or not any(word.text in _LAUNCHES for word in every):
        return ()
    words = expanded(every, launching_macros(every, _LAUNCHES))
    launchers = launchers_in(words, _LAUNCHES)
    values = by_value(launchers)
    names = frozenset(changed(words, values))
    reading = _Reading(words, changed=names, pointers=_pointers(words), values=values)
    reading.steady, reading.launchers = steady(words), launchers
    reading.bodies = {one.start: one.stop for one in launchers.values() if not one.numbers}
    _read_to(reading, 0, len(words))
    for name, one in launchers.items():
        if not one.numbers and name not in reading.followed:
            _read_to(reading, one.start + 1, one.stop)
    return tuple(reading.found)


def _read_to(reading: _Reading, start: int, stop: int) -> None:
    at = start
    while at < stop:
        at = _read(reading, at)


def _pointers(words: Sequence[SourceWord]) -> dict[str, set[str]]:
    """What names occur on the right of the assignments to a name."""
    found: dict[str, set[str]] = {}
    for at, word in enumerate(words):
        if word.text != "=" or not at or not words[at - 1].is_name:
            continue
        for other in words[at + 1 :]:
            if other.text in (";", "{", "}", "#end"):
                break
            if other.is_name:
                found.setdefault(words[at - 1].text, set()).add(other.text)
    return found


def _read(reading: _Reading, at: int) -> int:
    """Read what begins at a place; the next place."""
    words, word = reading.words, reading.words[at]
    if word.text == "#define":
        return _define(reading, at)
    if at in reading.bodies:
        return reading.bodies[at]
    if word.text == "{":
        reading.scopes.append({})
        reading.called.append(_scope_name(words, at))
        if _is_enum(words, at):
            _enumerate(reading, at)
    elif word.text == "}" and len(reading.scopes) > 1:
        _leave(reading)
    elif word.text in ("<<<", *_BY_CALL) and not word.line:
        return at + 1
    elif word.text == "<<<":
        _launch(reading, at)
    elif word.text in _BY_CALL:
        _called(reading, at)
    elif word.text in reading.launchers:
        _follow(reading, at)
    elif word.is_name and [one.text for one in words[at + 1 : at + 4 : 2]] == [".", "="]:
        _assign(reading, at)
    elif word.is_name and at + 2 < len(words) and words[at + 1].is_name:
        _declare(reading, at)
    return at + 1


def _scope_name(words: Sequence[SourceWord], at: int) -> str:
    """The structure, namespace or enumeration that a bracket opens; ``enum`` for one without a
    name."""
    place = at - 1
    while place >= 0 and (words[place].is_name or words[place].text in (":", "::", ",")):
        if words[place].text in ("struct", "class", "namespace", "enum"):
            named = words[place + 1].is_name
            return words[place + 1].text if named else words[place].text
        place -= 1
    return ""


def _is_enum(words: Sequence[SourceWord], at: int) -> bool:
    return "enum" in [word.text for word in words[max(0, at - 5) : at]]


def _enumerate(reading: _Reading, at: int) -> None:
    """``A = 4, B, C = A * 2``: each is one more than the one before, unless it says more."""
    following: Known = 0
    for part in cut(reading.words[at + 1 : closing(reading.words, at)]):
        if not part:
            continue
        said = evaluate(part[2:], reading.scopes) if len(part) > 2 else following
        reading.scopes[-1][part[0].text] = reading.scopes[-2][part[0].text] = said
        following = said + 1 if isinstance(said, int) else None


def _leave(reading: _Reading) -> None:
    """Out of a block: what a structure or a namespace names is ``name::constant`` then; names of an
    enumeration stay."""
    left, name = reading.scopes.pop(), reading.called.pop()
    if name:
        reading.scopes[-1].update({f"{name}::{one}": value for one, value in left.items()})


def _define(reading: _Reading, at: int) -> int:
    """A macro without parameters; of another definition of it, if it differs, nothing is left."""
    words = reading.words
    end = next((n for n in range(at, len(words)) if words[n].text == "#end"), len(words))
    name, body = words[at + 1].text, words[at + 3 : end]
    if words[at + 2].text == "=":
        value = evaluate(body, reading.scopes)
        macros = reading.scopes[0]
        macros[name] = value if macros.get(name, value) == value else None
    return end + 1


def _declare(reading: _Reading, at: int) -> None:
    """``type name = value, name2(value);``: names that keep their first value. The type is the
    word before the first name; what stands there in other places declares nothing of use."""
    words, place = reading.words, at + 1
    is_size = "dim3" in (words[at].text, words[at - 1].text if words[at].text == "const" else "")
    while place + 1 < len(words) and words[place].is_name:
        name, opens = words[place].text, words[place + 1].text
        value, place = _initial(reading, place + 1, is_size)
        known = name not in reading.changed and not _is_parameter(words, place)
        kept = value if known else None
        if opens in ("=", "(", "{") and (is_size or kept is not None or opens == "="):
            reading.scopes[-1][name] = kept
        elif opens in (",", ")", ";"):
            known = is_size and opens == ";" and name not in reading.changed
            reading.scopes[-1][name] = (1, 1, 1) if known else None
        if place >= len(words) or words[place].text != ",":
            return
        place += 1


def _is_parameter(words: Sequence[SourceWord], end: int) -> bool:
    """Whether a first value that ends there is a default, which a caller may replace."""
    after = [word.text for word in words[end : end + 3]]
    if after[:1] == [")"]:
        return True
    typed = len(after) == 3 and words[end + 1].is_name
    return after[:1] == [","] and typed and (words[end + 2].is_name or after[2] in ("*", "&", "::"))


def _initial(reading: _Reading, at: int, is_size: bool) -> tuple[Known, int]:
    """The value behind a declared name, and where it ends."""
    words = reading.words
    opens = words[at].text
    if opens in ("(", "{"):
        end = closing(words, at)
        inside = words[at + 1 : end]
        value = _dim3(reading, inside) if is_size else evaluate(inside, reading.scopes)
        return value, end + 1
    if opens != "=":
        return None, at
    end = at + 1
    while end < len(words) and words[end].text not in (",", ";", ")", "}", "#end"):
        end = closing(words, end) + 1 if words[end].text in CLOSING else end + 1
    inside = words[at + 1 : end]
    is_size |= bool(inside) and inside[0].text == "dim3"
    return (_size(reading, inside) if is_size else evaluate(inside, reading.scopes)), end


def _dim3(reading: _Reading, inside: Sequence[SourceWord]) -> Size | None:
    """The arguments of ``dim3(..)``."""
    values = [evaluate(part, reading.scopes) for part in cut(inside)] if inside else []
    numbers = [one for one in values if isinstance(one, int) and one > 0]
    if not 1 <= len(values) <= 3 or len(numbers) != len(values):
        return None
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _size(reading: _Reading, part: Sequence[SourceWord]) -> Size | None:
    """A size: a number, a variable, ``dim3(..)``, ``{..}``."""
    if part and part[0].text == "dim3" and len(part) > 2:
        part = part[1:]
        return _dim3(reading, part[1:-1]) if part[0].text in ("(", "{") else None
    if part and part[0].text == "{":
        return _dim3(reading, part[1:-1])
    found = evaluate(part, reading.scopes)
    return (found, 1, 1) if isinstance(found, int) and found > 0 else _whole(found)


def _whole(found: Known) -> Size | None:
    return found if isinstance(found, tuple) else None


def _launch(reading: _Reading, at: int) -> None:
    """``kernel<<<grid, block, bytes>>>(..)``."""
    words = reading.words
    end = next((n for n in range(at, min(len(words), at + 400)) if words[n].text == ">>>"), 0)
    if end:
        parts = cut(words[at + 1 : end])
        _launched(reading, at, _named(reading, at), parts, _arguments(reading, end + 1))


def _called(reading: _Reading, at: int) -> None:
    """``hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ..)`` and its like; the kernel
    perhaps in brackets, behind a cast, or within ``HIP_KERNEL_NAME``."""
    words = reading.words
    which, sizes = _BY_CALL[words[at].text]
    if at + 1 >= len(words) or words[at + 1].text != "(":
        return
    parts = _whole_arguments(words[at + 2 : closing(words, at + 1)])
    if len(parts) <= max((which, *sizes[:2])):
        return
    end = at + 1 + sum(len(part) + 1 for part in parts[: which + 1]) - 1
    while words[end].text == ")":
        end -= 1
    given = [parts[one] for one in sizes if one < len(parts)]
    if not sizes:
        members = reading.configured.get(parts[0][-1].text if parts[0] else "", {})
        given = [members.get(name, ()) for name in _CONFIGURED]
    listed = {"hipLaunchKernelGGL": 5, "cudaLaunchKernelEx": 2}.get(words[at].text, len(parts))
    values = [evaluate(part, reading.scopes) for part in parts[listed:]]
    numbers = tuple(one if isinstance(one, int) else None for one in values)
    _launched(reading, at, _named(reading, end + 1), given, numbers)


def _whole_arguments(words: Sequence[SourceWord]) -> list[Sequence[SourceWord]]:
    """The arguments of a call; commas within ``kernel<float, 32>`` part none."""
    found: list[Sequence[SourceWord]] = []
    start = end = 0
    for part in cut(words):
        end += len(part)
        texts = [word.text for word in words[start:end]]
        if texts.count("<") <= texts.count(">"):
            found.append(words[start:end])
            start = end + 1
        end += 1
    return found


def _assign(reading: _Reading, at: int) -> None:
    """``block.x = 32;`` and ``config.blockDim = block;``."""
    words, name, member = reading.words, reading.words[at].text, reading.words[at + 2].text
    end = next((n for n in range(at, len(words)) if words[n].text == ";"), len(words))
    said = words[at + 4 : end]
    if name not in reading.steady:
        return
    if member in _CONFIGURED:
        reading.configured.setdefault(name, {})[member] = said
    value = reading.scopes[-1].get(name)
    if member in AXES and isinstance(value, tuple):
        number, axis = evaluate(said, reading.scopes), AXES[member]
        fits = isinstance(number, int) and number > 0
        changed = (*value[:axis], number, *value[axis + 1 :])
        reading.scopes[-1][name] = (changed[0], changed[1], changed[2]) if fits else None  # type: ignore[assignment]


def _launched(
    reading: _Reading,
    at: int,
    names: Sequence[str],
    parts: Sequence[Sequence[SourceWord]],
    arguments: tuple[int | None, ...],
) -> None:
    block = _size(reading, parts[1]) if len(parts) > 1 else None
    try:
        block = check_block(block) if block else None
    except InputError:
        return
    shared = evaluate(parts[2], reading.scopes) if len(parts) > 2 else 0
    said = f"as it is launched at line {reading.words[at].line}"
    said += f" (called at {', '.join(map(str, reading.calls))})" if reading.calls else ""
    reading.found += (
        KernelLaunch(
            kernel=name,
            block=block,
            grid=_size(reading, parts[0]),
            shared_bytes=shared if isinstance(shared, int) else None,
            positional=arguments,
            said=said,
        )
        for name in names
        if block
    )


def _follow(reading: _Reading, at: int) -> None:
    """The body of a function that launches, as it is called at a place."""
    name, every = reading.words[at].text, reading.launchers
    one = every[name]
    numbers = numbers_in(reading.words, at, one, reading.scopes)
    given = given_in(reading.words, at, one)
    if numbers is None or given is None or not reading.left or at == one.named:
        return
    reading.left -= 1
    reading.followed.add(name)
    mine = frozenset(changed(reading.words[one.start : one.stop], reading.values))
    known = numbers | {each.parameter.name: _given(reading, each) for each in given}
    known = {n: None if n in mine else value for n, value in known.items()}
    scopes, called, calls = reading.scopes, reading.called, reading.calls
    reading.scopes, reading.called = [scopes[0], known], ["", ""]
    reading.launchers = {n: other for n, other in every.items() if n != name}
    reading.calls = (*calls, reading.words[at].line)
    _read_to(reading, one.start + 1, one.stop - 1)
    reading.scopes, reading.called, reading.launchers = scopes, called, every
    reading.calls = calls


def _given(reading: _Reading, one: GivenWords) -> Known:
    """The value of an argument, as far as constants decide it."""
    return (_size if one.parameter.is_size else _value)(reading, one.words)


def _value(reading: _Reading, words: Sequence[SourceWord]) -> Known:
    return evaluate(words, reading.scopes) if words else None


def _arguments(reading: _Reading, at: int) -> tuple[int | None, ...]:
    words = reading.words
    if at >= len(words) or words[at].text != "(":
        return ()
    inside = words[at + 1 : closing(words, at)]
    values = [evaluate(part, reading.scopes) for part in cut(inside)] if inside else []
    return tuple(one if isinstance(one, int) else None for one in values)


def _named(reading: _Reading, at: int) -> tuple[str, ...]:
    """The kernels that stand before ``<<<``, as globs."""
    words, place = reading.words, at - 1
    arguments: list[str] | None = None
    if place > 0 and words[place].text in (">", ">>"):
        start = _opening(words, place)
        arguments = [_template(reading, part) for part in cut(words[start + 1 : place])]
        place = start - 1
    if place < 0 or not words[place].is_name:
        return ()
    name = words[place].text
    if arguments is not None:
        inside = ", ".join(arguments)
        return f"{name}<{inside}>", f"{name}<{inside}, *>"
    return name, *sorted(reading.pointers.get(name, ()))


def _opening(words: Sequence[SourceWord], at: int) -> int:
    """The ``<`` of template arguments that end at a place."""
    depth = 0
    for place in range(at, -1, -1):
        depth += {">": 1, ">>": 2, "<": -1, "<<": -2}.get(words[place].text, 0)
        if depth <= 0 or words[place].text in (";", "{", "}"):
            return place
    return 0


def _template(reading: _Reading, part: Sequence[SourceWord]) -> str:
    """A template argument as it is spelled: a number, or anything."""
    if len(part) == 1 and part[0].text in ("true", "false"):
        return part[0].text
    found = evaluate(part, reading.scopes)
    return str(found) if isinstance(found, int) else "*"
