"""What the members of structures are that host code makes, and hands on to functions.

Params p(n, 256, 0);  auto q = Params{n, 256, 0};      p.block, q.block
run(p);  run({n, 256, 0});  run(Params(n, 256, 0));    those of the parameter of ``run``
"""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.read.launch.brackets import CLOSING, closing
from bankwise.read.launch.changes import is_constant
from bankwise.read.launch.constants import BYTES, FRACTIONS, Constants, Known, cut, evaluate, held
from bankwise.read.launch.declared import declare_reference, size_of
from bankwise.read.launch.launchers import GivenWords, whole_arguments
from bankwise.read.launch.reading import CONFIGURED, HostReading
from bankwise.read.launch.records import CONFIGURATIONS, Record, RecordMaker, parts_of
from bankwise.read.launch.tokens import SourceWord

_WAYS = frozenset(["if", "for", "while", "switch", "do", "goto", "return", "try"])


def declare_record(reading: HostReading, at: int) -> None:
    """``Params p(..);``, ``p{..}``, ``p = {..}``, ``auto p = Params(..);`` whose type stands at a
    place: what the members of ``p`` are. Of one that is declared otherwise, as ``for (Params p :
    all)``, nothing is known."""
    words, kind, name = reading.words, reading.words[at].text, reading.words[at + 1].text
    if (kind != "auto" and kind not in reading.records) or words[at + 2].text == ":":
        _forget_members(reading, name)
        return
    start = at + 2 if words[at + 2].text != "=" else at + 3
    end = start
    while end < len(words) and words[end].text not in (";", ",", ")"):
        end = closing(words, end) + 1 if words[end].text in CLOSING else end + 1
    found = members_of(reading, words[start:end], kind)
    known = is_constant(words, at) or not reading.may_change(name)
    scope = reading.scopes[-1]
    for member, value in found.items():
        key = f"{name}.{member}"
        same = scope.get(key, value) == value
        scope[key] = value if known and same else None
        reading.members.setdefault(name, set()).add(key)


def declare_alias(reading: HostReading, at: int) -> None:
    """``int& n = m;`` and ``for (const Params& p : all)``, whose sign stands at a place."""
    declare_reference(reading, at)
    if at + 2 < len(reading.words) and reading.words[at + 2].text == ":":
        _forget_members(reading, reading.words[at + 1].text)


def _forget_members(reading: HostReading, name: str) -> None:
    """A name is another variable from here on, of which nothing is known."""
    scope = reading.scopes[-1]
    scope.update(dict.fromkeys(key for key in reading.members.get(name, ()) if key in scope))


def members_of(reading: HostReading, words: Sequence[SourceWord], kind: str) -> Constants:
    """The members of what an expression gives, where a structure ``kind`` is wanted, or any."""
    if len(words) == 1:
        return _held(reading, words[0].text)
    if words and words[0].text in reading.records:
        kind, words = words[0].text, words[1:]
    if kind not in reading.records or len(words) < 2 or words[0].text not in ("(", "{"):
        return {}
    if closing(words, 0) != len(words) - 1:
        return {}
    inside = words[1:-1]
    return _made(reading, reading.records[kind], whole_arguments(inside) if inside else [])


def _held(reading: HostReading, name: str) -> Constants:
    """The members of a variable, in the innermost scope that has its name."""
    begins = f"{name}."
    for scope in reversed(reading.scopes):
        mine = {k.removeprefix(begins): v for k, v in scope.items() if k.startswith(begins)}
        if mine or name in scope:
            return mine
    return {}


def given_constants(reading: HostReading, given: Sequence[GivenWords]) -> Constants:
    """What parameters are, and their members; of ``args`` that is all that follow how many these
    are, as ``args...``, and each, ``args...0``."""
    known: Constants = {}
    for one in given:
        parameter, said = one.parameter, one.words
        if parameter.is_pack:
            known |= {parameter.name: None, f"{parameter.name}...": len(one.every)}
            every = enumerate(evaluate(part, reading.scopes) for part in one.every)
            known |= {f"{parameter.name}...{n}": value for n, value in every}
            continue
        size = parameter.is_size
        value = size_of(said, reading.scopes) if size else evaluate(said, reading.scopes)
        known[parameter.name] = value if said else None
        members = members_of(reading, said, parameter.kind)
        named = {f"{parameter.name}.{member}": each for member, each in members.items()}
        reading.members.setdefault(parameter.name, set()).update(named)
        known |= named
    return known


def _made(reading: HostReading, record: Record, parts: Sequence[Sequence[SourceWord]]) -> Constants:
    """The members of a new one. Where several constructors may be meant, what all of them set."""
    fitting = [
        one
        for one in record.makers
        if len(parts) <= len(one.parameters)
        and all(each.default for each in one.parameters[len(parts) :])
    ]
    if not fitting and len(parts) == 1 and len(parts[0]) == 1:
        copied = _held(reading, parts[0][0].text)
        if copied.keys() >= record.fields.keys():
            return copied
    if not record.makers:
        return _listed(reading, record, parts)
    every = [_by_maker(reading, record, one, parts) for one in fitting]
    names = {name for one in every for name in one}
    alike = {n: {one.get(n) for one in every} for n in names}
    return {n: next(iter(some)) if len(some) == 1 else None for n, some in alike.items()}


def _listed(
    reading: HostReading, record: Record, parts: Sequence[Sequence[SourceWord]]
) -> Constants:
    """``{grid, block}`` and ``{.grid = grid, .block = block}``."""
    said = dict(zip(record.fields, parts, strict=False))
    if parts and parts[0][:1] and parts[0][0].text == ".":
        said = {one[1].text: one[3:] for one in parts if len(one) > 3}
    return {
        name: _of_kind(said.get(name, one.value), one.kind, reading.scopes)
        for name, one in record.fields.items()
    }


def _of_kind(words: Sequence[SourceWord], kind: str, scopes: Sequence[Constants]) -> Known:
    """What a member of a type is set to."""
    if not words:
        return None
    if kind == "dim3":
        inside = [SourceWord(sign, words[0].line) for sign in ("dim3", "(", ")")]
        several = len(cut(words)) > 1
        return size_of([*inside[:2], *words, inside[2]] if several else words, scopes)
    whole = kind in BYTES and kind not in FRACTIONS
    return held(evaluate(words, scopes), kind) if whole or kind.endswith("_t") else None


def _by_maker(
    reading: HostReading,
    record: Record,
    maker: RecordMaker,
    parts: Sequence[Sequence[SourceWord]],
) -> Constants:
    rest = [each.default for each in maker.parameters[len(parts) :]]
    pairs = zip(maker.parameters, [*parts, *rest], strict=True)
    given = given_constants(reading, [GivenWords(*pair) for pair in pairs])
    scopes = [reading.scopes[0], {**dict.fromkeys(record.fields), **given}]
    first = {name: one.value for name, one in record.fields.items()} | dict(maker.sets)
    known = {n: _of_kind(first[n], one.kind, scopes) for n, one in record.fields.items()}
    own = {one.name for one in maker.parameters}
    ways = not _WAYS.isdisjoint(one.text for one in maker.body)
    for said in parts_of([*maker.body, SourceWord(";", 0)]):
        _set(record, known, said, scopes, own)
    if ways:
        named = {one.text for one in maker.body}
        known |= dict.fromkeys(key for key in known if key.split(".")[0] in named)
    return known


def _set(
    record: Record,
    known: Constants,
    said: Sequence[SourceWord],
    scopes: Sequence[Constants],
    parameters: set[str],
) -> None:
    """A statement of a constructor: ``block = n;``, ``config.blockDim = block;``. What another one
    names is not known."""
    texts = [one.text for one in said]
    own = texts[:2] == ["this", "->"]
    said, texts = (said[2:], texts[2:]) if own else (said, texts)
    equal = texts.index("=") if "=" in texts else 0
    path = texts[:equal:2]
    member = ".".join(path)
    plain = bool(path) and set(texts[1:equal:2]) <= {"."} and "=" not in texts[equal + 1 :]
    if not plain or path[0] not in record.fields or (path[0] in parameters and not own):
        known |= dict.fromkeys(key for key in known if key.split(".")[0] in texts)
        return
    kind = record.fields[path[0]].kind
    if len(path) == 1:
        known |= dict.fromkeys(key for key in known if key.startswith(f"{member}."))
    elif kind in CONFIGURATIONS and path[1] in CONFIGURED:
        kind = "size_t" if path[1] == CONFIGURED[-1] else "dim3"
    else:
        kind = ""
    known[member] = _of_kind(said[equal + 1 :], kind, scopes)
