"""What an agent may read beside answers: rules, machine files, schemas, nouns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from msgspec import Struct

from bankwise.errors import InputError

SCHEME = "bankwise://"
Read = Callable[[str], str]


class Shelf(Struct, frozen=True):
    """Texts of one kind: ``names`` with a sentence each, and how to ``read`` one."""

    name: str
    about: str
    mime: str
    names: Callable[[], Mapping[str, str]]
    read: Read


def shelves() -> Mapping[str, Shelf]:
    """All shelves by name."""
    return {
        one.name: one
        for one in (
            Shelf("glossary", "what words mean", "text/markdown", _nouns, _noun),
            Shelf("rules", "what findings mean", "text/markdown", _rules, _rule),
            Shelf(
                "machines", "GPUs as data, with sources", "application/toml", _machines, _machine
            ),
            Shelf("schemas", "JSON Schema of answers", "application/json", _schemas, _schema),
        )
    }


def index(shelf: Shelf) -> str:
    """What stands on a shelf, a line each."""
    lines = (f"- {SCHEME}{shelf.name}/{name}: {said}" for name, said in shelf.names().items())
    return "\n".join((f"# {shelf.name}: {shelf.about}", "", *lines, ""))


def read(uri: str) -> tuple[str, str]:
    """The media type and the text at an address; InputError where there is none."""
    name, _, entry = uri.removeprefix(SCHEME).partition("/")
    known = shelves()
    if not uri.startswith(SCHEME) or name not in known:
        places = ", ".join(f"{SCHEME}{one}" for one in known)
        raise InputError(f"nothing is at {uri[:80]!r}", hint=f"there are {places}")
    if not entry:
        return "text/markdown", index(known[name])
    if entry not in known[name].names():
        raise InputError(f"nothing is at {uri[:80]!r}", hint=f"{SCHEME}{name} lists what is there")
    return known[name].mime, known[name].read(entry)


def _nouns() -> Mapping[str, str]:
    from bankwise.show.nouns import nouns

    return {_address(n.name): " ".join(n.meaning.split()) for n in nouns()}


def _noun(name: str) -> str:
    from bankwise.show.nouns import nouns

    found = next(n for n in nouns() if _address(n.name) == name)
    also = f"\n\nAlso: {', '.join(found.also)}" if found.also else ""
    more = f"\n\nMore: {SCHEME}rules/{found.rule}" if found.rule else ""
    return f"# {found.name}\n\n{found.meaning.strip()}{also}\n\nSource: {found.source}{more}\n"


def _address(name: str) -> str:
    return name.replace(" ", "-")


def _rules() -> Mapping[str, str]:
    from bankwise.show.rules import rules

    return {rule.name: rule.summary for rule in rules()}


def _rule(name: str) -> str:
    from bankwise.show.rules import rule

    found = rule(name)
    parts = (f"## {title}\n\n{text}" for title, text in found.sections())
    return "\n\n".join((f"# {found.name}: {found.summary}", *parts)) + "\n"


def _machines() -> Mapping[str, str]:
    from bankwise.hardware.machine import machine, names

    return {name: f"{machine(name).vendor}, {machine(name).counter}" for name in names()}


def _machine(name: str) -> str:
    from bankwise.hardware.folders import machine_files

    return machine_files()[name].read_text("utf-8")


def _schemas() -> Mapping[str, str]:
    from bankwise.show.schema import DOCUMENTS, summary

    return {name: summary(name) for name in DOCUMENTS}


def _schema(name: str) -> str:
    from bankwise.show.schema import json_schema

    return json.dumps(json_schema(name), indent=1) + "\n"
