"""What a variable is where host code has asked: in the ``case`` of a ``switch``, behind an ``if``.

    dim3 block(threads);
    switch (threads) {
        case 128: k<128><<<grid, block>>>(p); break;      128 threads, and so the block
        ..
    }
    if (threads == 256 && n > 4) { k<256><<<grid, block>>>(p); }

Only of a variable that keeps its value, and of what was set from it; a ``case`` that another one
falls into says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bankwise.read.launch.brackets import opening
from bankwise.read.launch.constants import Known, cut_at, evaluate, held
from bankwise.read.launch.declared import first_value
from bankwise.read.launch.reading import HostReading
from bankwise.read.launch.tokens import SourceWord

_LEAVES = ("break", "return", "continue", "goto", "throw")


def narrow_case(reading: HostReading, at: int) -> None:
    """``case 128:`` or ``default:`` that stands at a place."""
    words, opens = reading.words, reading.blocks[-1]
    head = _asked(words, opens)
    if head is None or words[head - 1].text != "switch":
        return
    scope = reading.scopes[-1]
    for name in reading.narrowed.pop(opens, ()):
        del scope[name]
    asked = words[head + 1 : opens - 1]
    colon = next((n for n in range(at, len(words)) if words[n].text == ":"), at)
    value = evaluate(words[at + 1 : colon], reading.scopes)
    alone = len(asked) == 1 and asked[0].is_name and _entered_alone(words, opens, at)
    if words[at].text == "case" and alone and isinstance(value, int):
        _narrow(reading, asked[0].text, value)


def narrow_block(reading: HostReading, at: int) -> None:
    """The block that begins at a place, if it is what an ``if`` leads to."""
    words, head = reading.words, _asked(reading.words, at)
    reading.narrowed.pop(at, None)
    if head is None or "if" not in (words[head - 1].text, words[head - 2].text):
        return
    for name, said in _equal(words[head + 1 : at - 1]):
        value = evaluate(said, reading.scopes)
        if isinstance(value, int):
            _narrow(reading, name, value)


def _asked(words: Sequence[SourceWord], at: int) -> int | None:
    """Where the brackets open of what is asked before a block; None without that."""
    if at < 3 or words[at - 1].text != ")":
        return None
    opens = opening(words, at - 1)
    return opens if opens > 1 else None


def _entered_alone(words: Sequence[SourceWord], opens: int, at: int) -> bool:
    """Whether nothing falls into the ``case`` at a place."""
    end = at - 1
    if words[end].text == "}" and words[opening(words, end) - 1].text == ":":
        end -= 1
    if end <= opens:
        return end == opens
    begins = end - 1
    while begins > opens and words[begins].text not in (";", "{", "}", ":"):
        begins -= 1
    return words[end].text == ";" and words[begins + 1].text in _LEAVES


def _equal(asked: Sequence[SourceWord]) -> Iterator[tuple[str, Sequence[SourceWord]]]:
    """``n`` and ``64`` of ``n == 64 && m > 2``."""
    if any(word.text in ("||", "?") for word in asked):
        return
    for part in cut_at("&&", asked):
        sides = list(cut_at("==", part))
        if len(sides) == 2:
            for name, said in (sides, sides[::-1]):
                if len(name) == 1 and name[0].is_name:
                    yield name[0].text, said


def _narrow(reading: HostReading, name: str, value: int) -> None:
    """A variable is a number in the innermost scope, and so is what was set from it."""
    home, around = _home(reading, name), reading.function
    local = 0 <= around <= reading.blocks[home]
    if not home or not local or reading.scopes[home][name] is not None:
        return
    if name in reading.changes_in(around):
        return
    found: dict[str, Known] = {name: value}
    for other, (scope, place, is_size, kind) in reading.initial.items():
        own = _home(reading, other)
        if own and reading.scopes[own] is scope and scope[other] is None and own >= home:
            scopes = reading.scopes
            reading.scopes = [*scopes[: own + 1], found]
            known = held(first_value(reading, place, is_size)[0], kind)
            reading.scopes = scopes
            found |= {} if known is None else {other: known}
    scope = reading.scopes[-1]
    found = {n: one for n, one in found.items() if n not in scope}
    scope.update(found)
    opens = reading.blocks[-1]
    reading.narrowed[opens] = {*reading.narrowed.get(opens, ()), *found}


def _home(reading: HostReading, name: str) -> int:
    """Which scope a name is of, 0 for that of the file, or of none."""
    places = range(len(reading.scopes) - 1, 0, -1)
    return next((at for at in places if name in reading.scopes[at]), 0)
