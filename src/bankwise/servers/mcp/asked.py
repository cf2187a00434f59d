"""A call of a tool, from its arguments to its document. Nothing here knows the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.ask.jobs import Answer, Jobs, Order, check_text, file_name
from bankwise.errors import InputError, Location
from bankwise.read.format import Format
from bankwise.read.options import Options
from bankwise.read.recognise import recognise_text, require, takers
from bankwise.read.settings import fitting, settings_of
from bankwise.servers.awaited import Told, finished, with_target
from bankwise.servers.mcp.kept import Kept
from bankwise.servers.mcp.roots import RootedFile, rooted
from bankwise.servers.mcp.tools import (
    TOOLS,
    CountArguments,
    ExplainArguments,
    FileArguments,
    MoreArguments,
    ShowArguments,
)
from bankwise.show.schema import plain

_WORKERS = 2
"""Jobs at a time; who comes later waits."""


class AgentLimits(Struct, frozen=True):
    """``roots``: folders whose files may be read, links followed. ``compiled``: source may be
    compiled, with whatever it includes. ``seconds``: of one job."""

    roots: tuple[Path, ...]
    compiled: bool = False
    seconds: float = 120.0


class Desk(Struct):
    """Answers calls of tools, a few at a time, and keeps the whole answers for a while."""

    limits: AgentLimits
    jobs: Jobs
    kept: Kept = field(default_factory=Kept)
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_WORKERS))

    async def call(
        self, name: str, values: Mapping[str, Any], told: Told | None = None
    ) -> dict[str, Any]:
        """The document of a tool. Raises :class:`InputError`, also for what a job refuses."""
        if name not in TOOLS:
            raise InputError(f"no tool is called {name[:40]!r}", hint=", ".join(TOOLS))
        asked = _arguments(name, values)
        if isinstance(asked, FileArguments):
            return await self._file(name, asked, told)
        if isinstance(asked, CountArguments):
            return await asyncio.to_thread(_count, asked)
        if isinstance(asked, ExplainArguments):
            return _explained(asked)
        if isinstance(asked, ShowArguments):
            question = msgspec.json.encode(asked).decode()
            return await self._kept(Order("brief show", question, "layout.json"), "", told)
        assert isinstance(asked, MoreArguments), "there is no other"
        return plain(self.kept.piece(asked.answer, asked.at, asked.start, asked.many))

    async def _file(self, verb: str, asked: FileArguments, told: Told | None) -> dict[str, Any]:
        return await self._kept(*await asyncio.to_thread(self._order, verb, asked), told)

    async def _kept(self, order: Order, target: str, told: Told | None) -> dict[str, Any]:
        """The short answer of a job; the whole one is kept."""

        async def ask(order: Order) -> Answer:
            async with self.slots:
                return await finished(self.jobs, order, told)

        found = await with_target(ask, order, target)
        if found["state"] != "done":
            raise _failed(found)
        both = found["document"]
        return {**both["brief"], "answer": self.kept.keep(both["whole"])}

    def _order(self, verb: str, asked: FileArguments) -> tuple[Order, str]:
        """What a job has to do, and the project's target; what can be refused without one is."""
        if bool(asked.file) == bool(asked.text):
            raise InputError("either `file` or `text`, one of them")
        roots = tuple(map(str, self.limits.roots))
        if asked.text:
            check_text(asked.text)
            name = file_name(asked.name, asked.text)
            kind, options = recognise_text(name, asked.text), _said(asked, Options())
            self._check_kind(kind, name)
            fence = () if kind.compiled else roots
            order = Order(f"brief {verb}", asked.text, name, options, "", kind.compiled, fence)
            return order, ""
        found = rooted(asked.file, self.limits.roots)
        kind = _kind(found, verb)
        self._check_kind(kind, found.name)
        settings = settings_of(found.path, top=found.root)
        own = fitting(settings.options, kind, takers(verb))
        options = _said(asked, own if kind.compiled else replace(own, target=""))
        folder, name = str(found.root), found.name
        if own.flags or own.compile_commands:
            folder, name = str(settings.folder), str(found.path)
        fence = () if kind.compiled else roots
        return Order(f"brief {verb}", "", name, options, folder, kind.compiled, fence), own.target

    def _check_kind(self, kind: Format, name: str) -> None:
        if kind.compiled and not self.limits.compiled:
            message = f"this is {kind}, which is compiled only by a server that may: its compiler "
            hint = f"bankwise mcp --compile; or {kind.instead}"
            more = "opens whatever the source includes"
            raise InputError(message + more, location=Location(name), hint=hint)


def _kind(found: RootedFile, verb: str) -> Format:
    """What a file is; an error names it as the agent did."""
    try:
        return require(found.path, verb)
    except InputError as error:
        where = error.location and replace(error.location, file=found.name)
        raise InputError(error.message, location=where, hint=error.hint) from error


def _arguments(name: str, values: Mapping[str, Any]) -> msgspec.Struct:
    try:
        found: msgspec.Struct = msgspec.convert(dict(values), TOOLS[name].arguments)
    except msgspec.ValidationError as error:
        keys = ", ".join(one.name for one in msgspec.structs.fields(TOOLS[name].arguments))
        raise InputError(f"{name}: {error}", hint=f"arguments: {keys}") from error
    return found


_FIELDS = {"dim": "dims", "arg": "arguments", "launch": "launches"}


def _said(asked: FileArguments, own: Options) -> Options:
    """The project's options, with what the call says over them."""
    said = msgspec.structs.asdict(asked)
    for key in ("file", "text", "name"):
        del said[key]
    given = {_FIELDS.get(key, key): value for key, value in said.items() if value}
    return replace(own, **given)


def _failed(found: Answer) -> InputError:
    """What a job could not do, as it said it."""
    if "message" not in found:
        return InputError(found["error"])
    at = found.get("location")
    where = at and Location(at["file"], at["line"] or 0, at["column"] or 0)
    return InputError(found["message"], location=where, hint=found.get("hint", ""))


def _count(asked: CountArguments) -> dict[str, Any]:
    from bankwise.ask.count import count_expression
    from bankwise.show.documents.counting import count_document

    words = (asked.target, asked.instruction, asked.offsets, asked.active, asked.second)
    return plain(count_document(count_expression(*words)))


def _explained(asked: ExplainArguments) -> dict[str, Any]:
    from bankwise.ask.explain import explain
    from bankwise.show.documents.explaining import explained_document

    return plain(explained_document(explain(asked.name)))
