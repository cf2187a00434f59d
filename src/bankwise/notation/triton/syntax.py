"""Reading Triton's encoding text: ``#ttg.blocked<{..}>``, alias lines, tensor and memdesc types.

Two steps. The text becomes an attribute (a name and fields with their places), whatever the
encoding; then each encoding takes the fields it knows (:mod:`.parse`). Nothing of Triton is
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeGuard

from msgspec import Struct

from bankwise.errors import InputError
from bankwise.notation.linear import Bases, is_power_of_two
from bankwise.notation.reader import Cursor, Token, unknown

Ints = tuple[int, ...]


class Field(Struct, frozen=True):
    """A value and the token it starts with."""

    value: object
    at: Token


class Attribute(Struct, frozen=True):
    """``#ttg.name<..>`` as written. ``paddings``: (64, 4, place) for every ``64:+4``."""

    name: str
    at: Token
    fields: Mapping[str, Field]
    paddings: tuple[tuple[int, int, Token], ...] = ()


def attribute(cursor: Cursor, aliases: Mapping[str, Attribute]) -> Attribute:
    """Read one attribute or the name of one."""
    with cursor.nested():
        at = cursor.expect("#", hint="an encoding looks like #ttg.blocked<{..}> or #alias")
        prefix = cursor.name()
        if not cursor.accept("."):
            return _alias(cursor, prefix, aliases)
        if prefix.text != "ttg":
            raise unknown(cursor, prefix, "dialect", ["ttg"])
        name = cursor.name()
        fields: dict[str, Field] = {}
        cursor.expect("<")
        paddings = _paddings(cursor)
        cursor.expect("{")
        if not cursor.accept("}"):
            _fields(cursor, fields, aliases)
            cursor.expect("}")
        if cursor.accept(","):
            _fields(cursor, fields, aliases)
        cursor.expect(">")
        return Attribute(name.text, at, fields, paddings)


def _alias(cursor: Cursor, name: Token, aliases: Mapping[str, Attribute]) -> Attribute:
    found = aliases.get(name.text)
    if found is None:
        raise unknown(cursor, name, "alias", aliases)
    return found


def _fields(cursor: Cursor, fields: dict[str, Field], aliases: Mapping[str, Attribute]) -> None:
    """Read ``key = value, ..``."""
    while True:
        key = cursor.name(hint="fields are written name = value")
        if key.text in fields:
            raise cursor.error(f"{key.text!r} is given twice", token=key)
        cursor.expect("=")
        start = cursor.token
        fields[key.text] = Field(_value(cursor, aliases), start)
        if not cursor.accept(","):
            return


def _value(cursor: Cursor, aliases: Mapping[str, Attribute]) -> object:
    if cursor.ahead("#"):
        return attribute(cursor, aliases)
    if cursor.accept("["):
        return _values(cursor, aliases)
    if cursor.token.kind == "number":
        return cursor.number()
    word = cursor.name(hint="a value is a number, a list, true, false or an encoding")
    if word.text not in ("true", "false"):
        raise unknown(cursor, word, "value", ["true", "false"])
    return word.text == "true"


def _values(cursor: Cursor, aliases: Mapping[str, Attribute]) -> tuple[object, ...]:
    out: list[object] = []
    with cursor.nested():
        while not cursor.accept("]"):
            if out:
                cursor.expect(",")
            out.append(_value(cursor, aliases))
    return tuple(out)


def _paddings(cursor: Cursor) -> tuple[tuple[int, int, Token], ...]:
    """Read ``[64:+4, 128:+8]`` if it stands here."""
    hint = "a padding is interval:+pad in elements, [64:+4]"
    out: list[tuple[int, int, Token]] = []
    if not cursor.accept("["):
        return ()
    while not cursor.accept("]"):
        if out:
            cursor.expect(",", hint)
        at = cursor.token
        interval = cursor.number(hint)
        cursor.expect(":", hint)
        cursor.expect("+", hint)
        out.append((interval, cursor.number(hint), at))
    return tuple(out)


class FieldReader(Struct, frozen=True):
    """Takes typed fields out of an attribute; every complaint has its place in the text."""

    source: Attribute
    cursor: Cursor

    def only(self, *known: str) -> None:
        """An error if a field is none of these."""
        for key, field in self.source.fields.items():
            if key not in known:
                hint = "known: " + ", ".join(known)
                raise self.error(f"{self.source.name} has no field {key!r}", field, hint)

    def has(self, key: str) -> bool:
        """Whether the field is written."""
        return key in self.source.fields

    def error(self, message: str, field: Field | None = None, hint: str = "") -> InputError:
        """An error at a field, or at the attribute."""
        at = field.at if field is not None else self.source.at
        return self.cursor.error(message, hint, at)

    def field(self, key: str) -> Field:
        """The field; an error if it is missing."""
        found = self.source.fields.get(key)
        if found is None:
            raise self.error(f"{self.source.name} needs the field {key!r}")
        return found

    def integer(self, key: str, rule: Callable[[int], bool], wanted: str) -> int:
        """A whole number that obeys a rule."""
        found = self.field(key)
        value = found.value
        if not _is_int(value) or not rule(value):
            raise self.error(f"{key} = {_shown(value)}: {wanted} is wanted", found)
        return value

    def power(self, key: str) -> int:
        """A power of two."""
        return self.integer(key, is_power_of_two, "a power of two")

    def flag(self, key: str, default: bool | None = None) -> bool:
        """true or false."""
        if default is not None and not self.has(key):
            return default
        found = self.field(key)
        if not isinstance(found.value, bool):
            raise self.error(f"{key} = {_shown(found.value)}: true or false is wanted", found)
        return found.value

    def sizes(self, key: str, rank: int | None = None) -> Ints:
        """A list of powers of two, of this rank if one is given."""
        found = self.field(key)
        values = self._ints(key, found)
        if not values or not all(map(is_power_of_two, values)):
            raise self.error(f"{key} = {_shown(found.value)}: powers of two are wanted", found)
        self._rank(key, found, values, rank)
        return values

    def order(self, key: str, rank: int | None = None) -> Ints:
        """A permutation of the dimensions, the fastest first."""
        found = self.field(key)
        values = self._ints(key, found)
        if not values or sorted(values) != list(range(len(values))):
            raise self.error(
                f"{key} = {_shown(found.value)} is no permutation of the dimensions",
                found,
                "the fastest dimension first: [1, 0] is row-major",
            )
        self._rank(key, found, values, rank)
        return values

    def bases(self, key: str, default: Bases | None = None) -> Bases:
        """A list of coordinate bases, all of one rank."""
        if default is not None and not self.has(key):
            return default
        found = self.field(key)
        hint = "bases are lists of coordinates, lowest bit first: [[0, 1], [0, 2], [1, 0]]"
        rows = found.value
        if not isinstance(rows, tuple) or not all(isinstance(row, tuple) for row in rows):
            raise self.error(f"{key} = {_shown(rows)} is no list of bases", found, hint)
        if not all(row and all(map(_is_int, row)) for row in rows):
            raise self.error(f"{key} = {_shown(rows)} is no list of bases", found, hint)
        if len({len(row) for row in rows}) > 1:
            raise self.error(f"{key} = {_shown(rows)} mixes ranks", found, hint)
        for value in (v for row in rows for v in row):
            if value and not is_power_of_two(value) and self.source.name == "linear":
                raise self.error(f"{key} has the step {value}: no power of two", found)
        return rows

    def _ints(self, key: str, found: Field) -> Ints:
        values = found.value
        if not isinstance(values, tuple) or not all(map(_is_int, values)):
            raise self.error(f"{key} = {_shown(values)}: a list of numbers is wanted", found)
        return values

    def _rank(self, key: str, found: Field, values: Ints, rank: int | None) -> None:
        if rank is not None and len(values) != rank:
            raise self.error(f"{key} = {_shown(values)} has not the rank {rank} of the rest", found)


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: object) -> str:
    """A value as Triton writes it, cut short."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"#ttg.{value.name}<..>" if isinstance(value, Attribute) else str(value)
