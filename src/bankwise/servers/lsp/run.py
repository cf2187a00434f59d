"""What is known of one open document: its text as it was checked, its marks, its proved fix."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.jobs import Answer, Jobs, Order
from bankwise.errors import InputError
from bankwise.files import read_text
from bankwise.read.format import Format
from bankwise.read.formats_source import SOURCES
from bankwise.read.recognise import recognise, takers
from bankwise.read.settings import FileSettings, fitting, settings_of
from bankwise.servers.awaited import finished, with_target
from bankwise.servers.lsp.shapes import Found

_MOST_BYTES = 64 << 20
"""Of a text that an editor has open; a larger one is not checked unasked."""
_SETTLED_S = 0.1
"""Files that are saved again within it are checked once."""


class Checked(Struct, frozen=True):
    """A document as it was checked: ``text`` as it was on disk, the ``marks``, why there are none
    (``error``), the ``fix`` and what the judges say of it, None where nothing is proved."""

    file: Path
    text: str
    marks: tuple[Found, ...] = ()
    error: Found | None = None
    fix: Found | None = None

    @property
    def lines(self) -> list[str]:
        """Its lines. Only a newline ends one."""
        return self.text.split("\n")


Publish = Callable[[Checked], Awaitable[None]]


class DocumentChecks:
    """Checks files, at most ``slots`` at a time, with what the editor ``said`` of all of them."""

    def __init__(self, jobs: Jobs, slots: int) -> None:
        self.jobs, self.said = jobs, dict[str, Any]()
        self._slots = asyncio.Semaphore(slots)

    async def run(self, file: Path, publish: Publish) -> None:
        """Check a file as it is on disk, then look for a fix; ``publish`` hears of both."""
        await asyncio.sleep(_SETTLED_S)
        read = await asyncio.to_thread(_read, file, self.said)
        if isinstance(read, Checked):
            await publish(read)
        elif read is not None:
            await self._check(*read, publish)

    async def _check(
        self, text: str, file: Path, kind: Format, settings: FileSettings, publish: Publish
    ) -> None:
        found = await self._ask("marks", file, kind, settings)
        if found["state"] != "done":
            # A header that is read and has nothing to judge is no error of its author.
            level = "note" if kind in SOURCES and not kind.compiled else "error"
            await publish(Checked(file, text, error={**found, "level": level}))
            return
        marks = tuple(found["document"]["marks"])
        await publish(Checked(file, text, marks))
        wanted = settings.fix and "fix" in kind.verbs
        if wanted and any(one["rule"] == "bank-conflict" for one in marks):
            found = await self._ask("edits", file, kind, settings)
            if found["state"] == "done" and found["document"]["edits"]:
                await publish(Checked(file, text, marks, fix=found["document"]))

    async def _ask(self, verb: str, file: Path, kind: Format, settings: FileSettings) -> Answer:
        """One job, and a second one for the project's target where the text says none."""
        options = fitting(settings.options, kind, takers("check" if verb == "marks" else "fix"))
        own = options if kind.compiled else replace(options, target="")
        order = Order(verb, "", str(file), own, str(settings.folder), compiled=True)
        return await with_target(self._job, order, options.target)

    async def _job(self, order: Order) -> Answer:
        async with self._slots:
            return await finished(self.jobs, order)


def _read(
    file: Path, said: Mapping[str, Any]
) -> tuple[str, Path, Format, FileSettings] | Checked | None:
    """The text of a file, what it is, and what is said of it; why not; or None, for what bankwise
    does not check."""
    try:
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return None
        kind = recognise(file)
        if kind.binary or "check" not in kind.verbs:
            return None
        return read_text(file), file, kind, settings_of(file, said)
    except InputError as error:
        at = error.location
        where = at and {"file": at.file, "line": at.line, "column": at.column}
        told = {"message": error.message, "hint": error.hint, "location": where}
        return Checked(file, "", error=told)
