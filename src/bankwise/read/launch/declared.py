"""Names that host code declares: macros, enumerations, variables, sizes, and what they are."""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.read.launch.brackets import CLOSING, closing
from bankwise.read.launch.changes import is_constant, type_before
from bankwise.read.launch.constants import AXES, Constants, Known, cut, evaluate, held, stands_apart
from bankwise.read.launch.facts import Size
from bankwise.read.launch.reading import CONFIGURED, HostReading
from bankwise.read.launch.tokens import SourceWord


def is_enum(words: Sequence[SourceWord], at: int) -> bool:
    """Whether a bracket opens an enumeration."""
    return "enum" in [word.text for word in words[max(0, at - 5) : at]]


def enumerate_names(reading: HostReading, at: int) -> None:
    """``A = 4, B, C = A * 2``: each is one more than the one before, unless it says more."""
    words = reading.words[max(0, at - 6) : at]
    scoped = any(word.text in ("class", "struct") for word in words)
    following: Known = 0
    for part in cut(reading.words[at + 1 : closing(reading.words, at)]):
        if not part:
            continue
        said = evaluate(part[2:], reading.scopes) if len(part) > 2 else following
        reading.scopes[-1][part[0].text] = said
        reading.enumerated.add(part[0].text)
        if not scoped:
            reading.scopes[-2][part[0].text] = said
        following = said + 1 if isinstance(said, int) else None


def leave(reading: HostReading) -> None:
    """Out of a block: what a structure or a namespace names is ``name::constant`` then; names of an
    enumeration stay, and those of a namespace without a name."""
    left, name = reading.scopes.pop(), reading.called.pop()
    reading.blocks.pop()
    if name == "namespace":
        around = reading.scopes[-1]
        same = {n: value if around.get(n, value) == value else None for n, value in left.items()}
        around.update(same)
    elif name:
        reading.scopes[-1].update({f"{name}::{one}": value for one, value in left.items()})


def define(reading: HostReading, at: int) -> int:
    """A macro without parameters; of another definition of it, if it differs, nothing is left."""
    words = reading.words
    end = next((n for n in range(at, len(words)) if words[n].text == "#end"), len(words))
    name, body = words[at + 1].text, words[at + 3 : end]
    if words[at + 2].text == "=":
        apart = stands_apart(words, name, body)
        apart &= not any(word.text in reading.several for word in body)
        value = evaluate(body, reading.scopes) if apart else None
        macros = reading.scopes[0]
        macros[name] = value if macros.get(name, value) == value else None
    return end + 1


def declare(reading: HostReading, at: int) -> None:
    """``type name = value, name2(value);``: names that keep their first value. The type is the
    word before the first name; what stands there in other places declares nothing of use. Of
    different values in one block, of two ways of an ``#if``, nothing is left."""
    words, place = reading.words, at + 1
    constant = is_constant(words, at)
    is_size = "dim3" in (words[at].text, words[at - 1].text if words[at].text == "const" else "")
    while place + 1 < len(words) and words[place].is_name:
        name, opens, begins = words[place].text, words[place + 1].text, place + 1
        value, place = first_value(reading, begins, is_size)
        known = constant or not reading.may_change(name)
        known &= not _is_parameter(words, place)
        kept = held(value, words[at].text) if known else None
        kept = kept if reading.scopes[-1].get(name, kept) == kept else None
        if opens in ("=", "(", "{"):
            reading.scopes[-1][name] = kept
            reading.initial.pop(name, None)
            if known and kept is None:
                reading.initial[name] = reading.scopes[-1], begins, is_size, words[at].text
        elif opens in (",", ")", ";", "[") or (opens == ":" and words[at].text != "case"):
            known = is_size and opens == ";" and not reading.may_change(name)
            reading.scopes[-1][name] = (1, 1, 1) if known else None
        _forget_parts(reading, name)
        if place >= len(words) or words[place].text != ",":
            return
        place += 1


def _forget_parts(reading: HostReading, name: str) -> None:
    """Elements of an array, and members of a configuration, that have the name around."""
    scope = reading.scopes[-1]
    for part in (f"{name}[]", *(f"{name}.{member}" for member in CONFIGURED)):
        if any(part in around for around in reading.scopes):
            scope[part] = None
    if f"{name}[]" in scope:
        scope.update({part: None for part in scope if part.startswith(f"{name}[")})


def declare_reference(reading: HostReading, at: int) -> None:
    """``int& n = m;``, ``for (const auto& n : sizes)``, whose sign stands at a place: nothing is
    known of it."""
    words = reading.words
    behind = [word.text for word in words[at + 1 : at + 3]]
    declares = len(behind) == 2 and words[at + 1].is_name and behind[1] in ("=", ":", "(", "{")
    if declares and type_before(words, at - 1):
        reading.scopes[-1][behind[0]] = None
        _forget_parts(reading, behind[0])


def declare_parts(reading: HostReading, at: int) -> None:
    """``auto [a, b] = ..``, and with ``&``: nothing is known of these."""
    words = reading.words
    opens = at + 1 + (words[at + 1].text in ("&", "&&"))
    if words[opens].text == "[":
        inside = words[opens + 1 : closing(words, opens)]
        reading.scopes[-1].update({one.text: None for one in inside if one.is_name})


def _is_parameter(words: Sequence[SourceWord], end: int) -> bool:
    """Whether a first value that ends there is a default, which a caller may replace."""
    after = [word.text for word in words[end : end + 3]]
    if after[:1] == [")"]:
        return True
    typed = len(after) == 3 and words[end + 1].is_name
    return after[:1] == [","] and typed and (words[end + 2].is_name or after[2] in ("*", "&", "::"))


def first_value(reading: HostReading, at: int, is_size: bool) -> tuple[Known, int]:
    """The value behind a declared name, and where it ends."""
    words = reading.words
    opens = words[at].text
    if opens in ("(", "{"):
        end = closing(words, at)
        inside = words[at + 1 : end]
        value = _dim3(inside, reading.scopes) if is_size else evaluate(inside, reading.scopes)
        return value, end + 1
    if opens != "=":
        return None, at
    end = at + 1
    while end < len(words) and words[end].text not in (",", ";", ")", "}", "#end"):
        end = closing(words, end) + 1 if words[end].text in CLOSING else end + 1
    inside = words[at + 1 : end]
    is_size |= bool(inside) and inside[0].text == "dim3"
    return (size_of(inside, reading.scopes) if is_size else evaluate(inside, reading.scopes)), end


def _dim3(inside: Sequence[SourceWord], scopes: Sequence[Constants]) -> Size | None:
    """The arguments of ``dim3(..)``."""
    values = [evaluate(part, scopes) for part in cut(inside)] if inside else []
    numbers = [one for one in values if isinstance(one, int) and one > 0]
    if not 1 <= len(values) <= 3 or len(numbers) != len(values):
        return None
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def size_of(part: Sequence[SourceWord], scopes: Sequence[Constants]) -> Size | None:
    """A size: a number, a variable, ``dim3(..)``, ``{..}``."""
    if part and part[0].text == "dim3" and len(part) > 2:
        part = part[1:]
        return _dim3(part[1:-1], scopes) if part[0].text in ("(", "{") else None
    if part and part[0].text == "{":
        return _dim3(part[1:-1], scopes)
    found = evaluate(part, scopes)
    return (found, 1, 1) if isinstance(found, int) and found > 0 else _whole(found)


def _whole(found: Known) -> Size | None:
    return found if isinstance(found, tuple) else None


def assign_member(reading: HostReading, at: int) -> None:
    """``block.x = 32;`` and ``config.blockDim = block;``."""
    words, name, member = reading.words, reading.words[at].text, reading.words[at + 2].text
    end = next((n for n in range(at, len(words)) if words[n].text == ";"), len(words))
    said = words[at + 4 : end]
    if name not in reading.steady:
        return
    if member in CONFIGURED:
        is_bytes = member == CONFIGURED[-1]
        known = evaluate(said, reading.scopes) if is_bytes else size_of(said, reading.scopes)
        reading.scopes[-1][f"{name}.{member}"] = known
    value = reading.scopes[-1].get(name)
    if member in AXES and isinstance(value, tuple):
        number, axis = evaluate(said, reading.scopes), AXES[member]
        fits = isinstance(number, int) and number > 0
        changed = (*value[:axis], number, *value[axis + 1 :])
        reading.scopes[-1][name] = (changed[0], changed[1], changed[2]) if fits else None  # type: ignore[assignment]
