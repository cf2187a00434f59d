"""What the page asks: what a text is, and orders of jobs."""

from __future__ import annotations

from typing import Any, Literal, get_args

from bankwise.ask.jobs import Order, check_text, file_name, is_plain
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.read.options import Options, three
from bankwise.read.recognise import recognise_text

Verb = Literal["check", "fix", "solve"]
_KEYS = "verb, text, file, target, workgroup_size, arguments"


def order_of(value: Any) -> Order:
    """Read the body of a request. Raises :class:`InputError` for anything unexpected."""
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise InputError(f"a job is an object of texts: {_KEYS}")
    verb, text = value.get("verb", ""), value.get("text", "")
    if verb not in get_args(Verb):
        raise InputError(f"unknown verb {verb[:40]!r}", hint="check, fix or solve")
    check_text(text)
    target = value.get("target", "").strip()
    if target:
        machine(target)
    size, numbers = value.get("workgroup_size", "").strip(), value.get("arguments", "")
    if size:
        three(size)
    arguments = tuple(numbers.replace(",", " ").split())
    options = Options(target, workgroup_size=size, arguments=arguments)
    return Order(verb, text, file_name(value.get("file", ""), text), options)


_FIELDS = {"workgroup_size": "--workgroup-size", "arguments": "--arg"}
"""What the page may ask besides a text, and the option that it stands for."""


def describe(value: Any) -> dict[str, Any]:
    """What a text is and what the page can do with it: ``format``, ``verbs``, ``fields``.

    ``instead``: what to do where that is nothing. ``value``: ``{"text", "file"}``; raises
    :class:`InputError` for anything else.
    """
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise InputError("a text is asked about as an object of texts: text, file")
    name = value.get("file", "")
    found = recognise_text(name if is_plain(name) else "", value.get("text", ""))
    verbs = [] if found.compiled else [verb for verb in get_args(Verb) if verb in found.verbs]
    page = "no page compiles it; `bankwise check FILE --format html` does, and makes a page; or"
    instead = f"{page} {found.instead}" if found.compiled else found.instead
    return {
        "format": str(found),
        "verbs": verbs,
        "fields": [name for name, option in _FIELDS.items() if option in found.options],
        "instead": "" if verbs else instead,
    }
