"""Structures that host code hands the sizes of launches on in, and what their members are.

    struct Params { dim3 grid, block; size_t bytes; };          Params p{n, 256, 0}; p.block
    struct Params {                                              the same with a constructor: what
        Params(dim3 g, int b) : grid(g), block(b, 1) {}          its list of members sets, and
    };                                                           statements like ``config.blockDim =
    struct Config { cudaLaunchConfig_t config; .. };             p.block;`` of its body

Known is a structure without bases, whose functions leave it as it is, and whose constructors stand
in it. A variable of one is ``p`` with a constant ``p.block`` for each member.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from bankwise.read.launch.bodies import ClassBlock, scope_name
from bankwise.read.launch.brackets import CLOSING, closing
from bankwise.read.launch.constants import cut
from bankwise.read.launch.launchers import Parameter, parameter_of
from bankwise.read.launch.tokens import SourceWord

CONFIGURATIONS = ("cudaLaunchConfig_t", "hipLaunchConfig_t")
_LABELS = ("public", "private", "protected")
_NO_MEMBERS = ("struct", "class", "enum", "union", "using", "typedef", "static")
_LEAVES = ("const", "static", "delete", "default", "friend")
"""Words of a function that leaves its structure as it is, or of none."""


class RecordField(Struct, frozen=True):
    """The type of a member, and its first value; empty without one."""

    kind: str
    value: Sequence[SourceWord] = ()


class RecordMaker(Struct, frozen=True):
    """A constructor: its parameters, what its list of members sets them to, its body."""

    parameters: tuple[Parameter, ...]
    sets: tuple[tuple[str, Sequence[SourceWord]], ...]
    body: Sequence[SourceWord]


class Record(Struct, frozen=True):
    """A structure: its members in order, and its constructors; () of one that has none."""

    fields: Mapping[str, RecordField]
    makers: tuple[RecordMaker, ...] = ()


def records_in(words: Sequence[SourceWord], classes: Mapping[int, ClassBlock]) -> dict[str, Record]:
    """The structures with sizes that are known by their names."""
    found: dict[str, Record | None] = {}
    for begins in classes:
        name = scope_name(words, begins)
        found[name] = None if name in found else _record(words, begins, name)
    return {name: one for name, one in found.items() if one is not None and name}


def kept_by_constructors(records: Mapping[str, Record]) -> Mapping[str, frozenset[int]]:
    """The places of arguments that constructors take as values, or leave as they are."""
    return {name: frozenset(_kept(one)) for name, one in records.items()}


def _kept(record: Record) -> Iterator[int]:
    places = range(max((len(one.parameters) for one in record.makers), default=len(record.fields)))
    for place in places:
        theirs = (one.parameters[place : place + 1] for one in record.makers)
        if all(each.by_value for some in theirs for each in some):
            yield place


def _record(words: Sequence[SourceWord], begins: int, name: str) -> Record | None:
    start = begins
    while start and words[start - 1].text not in (";", "{", "}", "#end", *_LABELS):
        start -= 1
    if ":" in [one.text for one in words[start:begins]]:
        return None
    fields, makers = dict[str, RecordField](), list[RecordMaker]()
    for part in parts_of(words[begins + 1 : closing(words, begins)]):
        texts = [one.text for one in part]
        if texts[0] in _NO_MEMBERS or {"operator", "delete"} <= set(texts):
            continue
        if "(" not in texts[: texts.index("=") if "=" in texts else None]:
            fields |= _fields(part)
        elif name in texts and texts[texts.index(name) + 1] == "(":
            maker = _maker(part, texts.index(name) + 1)
            if maker is not None:
                makers.append(maker)
            elif not {"delete", "default", "~"} & set(texts):
                return None
        elif not {*_LEAVES, "~"} & set(texts):
            return None  # a function that may change what a variable holds
    sized = any(one.kind in ("dim3", *CONFIGURATIONS) for one in fields.values())
    return Record(fields, tuple(makers)) if sized else None


def parts_of(words: Sequence[SourceWord]) -> Iterator[Sequence[SourceWord]]:
    """What a structure declares, one after the other: up to a sign that ends it, or with a body."""
    start = at = 0
    while at < len(words):
        text = words[at].text
        if text in (";", ":") and (text == ";" or words[at - 1].text in _LABELS):
            if at > start and text == ";":
                yield words[start:at]
            start = at + 1
        elif text == "{" and words[at - 1].text in (")", "}", "const", "noexcept", "override"):
            end = closing(words, at)
            after = words[end + 1].text if end + 1 < len(words) else ";"
            if after not in (",", "{"):  # a body, and not the value of a member in a list
                yield words[start : end + 1]
                start = end + 1
            at = end
        elif text in CLOSING:
            at = closing(words, at)
        at += 1


def _fields(part: Sequence[SourceWord]) -> dict[str, RecordField]:
    """``a`` and ``b`` of ``const int a = 4, b;``."""
    found = dict[str, RecordField]()
    kind = ""
    for each in cut(part):
        texts = [one.text for one in each]
        ends = next((n for n, text in enumerate(texts) if text in ("=", "{", "[")), len(texts))
        if not ends or not each[ends - 1].is_name:
            continue
        own = [text for text in texts[: ends - 1] if text not in ("const", "mutable", "volatile")]
        kind = kind or (own[-1] if own and not {"&", "*"} & set(own) else "")
        plain = ends == len(texts) or texts[ends] == "="
        found[texts[ends - 1]] = RecordField(kind if plain else "", each[ends + 1 :])
    return found


def _maker(part: Sequence[SourceWord], opens: int) -> RecordMaker | None:
    """The constructor whose parameters open at a place; None for one that is only declared."""
    closes = closing(part, opens)
    body = next((n for n in range(len(part) - 1, 0, -1) if part[n].text == "{"), 0)
    while body and closing(part, body) != len(part) - 1:
        body = next((n for n in range(body - 1, 0, -1) if part[n].text == "{"), 0)
    if not body or closes > body:
        return None
    parameters = tuple(parameter_of(one) for one in cut(part[opens + 1 : closes]) if one)
    sets = list[tuple[str, Sequence[SourceWord]]]()
    colon = next((n for n in range(closes, body) if part[n].text == ":"), body)
    for one in cut(part[colon + 1 : body]):
        if len(one) > 2 and one[1].text in ("(", "{"):
            sets.append((one[0].text, one[2:-1]))
    return RecordMaker(parameters, tuple(sets), part[body + 1 : -1])
