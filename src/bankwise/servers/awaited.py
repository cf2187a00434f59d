"""A job, awaited; and how a server says that its package is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.util import find_spec

from msgspec.structs import replace

from bankwise.ask.jobs import Answer, Jobs, Order
from bankwise.errors import InputError
from bankwise.read.extra import install

_EVERY_S = 0.03
Told = Callable[[Answer], Awaitable[None]]
"""Hears the state of a job while it runs."""


async def finished(jobs: Jobs, order: Order, told: Told | None = None) -> Answer:
    """The answer to an order. Whoever is cancelled while he waits ends the job."""
    name = jobs.start(order)
    try:
        while (state := jobs.state(name)) is not None and state["state"] == "running":
            if told is not None:
                await told(state)
            await asyncio.sleep(_EVERY_S)
        return state or {"state": "failed", "error": "the answer was forgotten"}
    finally:
        jobs.stop(name)


async def with_target(
    ask: Callable[[Order], Awaitable[Answer]], order: Order, target: str
) -> Answer:
    """The answer to an order; where it says that the text names no GPU, for the ``target`` of the
    project. Most texts say their own, and know better."""
    found = await ask(order)
    asked = order.options
    if found["state"] == "done" or asked.target or not target or "--target" not in found["error"]:
        return found
    return await ask(replace(order, options=replace(asked, target=target)))


def need(package: str, extra: str) -> None:
    """:class:`InputError` with the line that installs what is missing."""
    if find_spec(package) is None:
        message = f"`bankwise {extra}` needs the package {package}"
        raise InputError(message, hint=install(extra))
