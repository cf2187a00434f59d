"""What the page asks for, as an order of a job."""

from __future__ import annotations

from typing import Any, Literal, get_args

from bankwise.ask.jobs import Order, check_text, file_name
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.read.options import Options, three

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
