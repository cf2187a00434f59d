"""The language server: documents that are opened and saved, and what is asked about them."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from bankwise.ask.jobs import Jobs
from bankwise.servers.lsp import shapes
from bankwise.servers.lsp.run import Checked, DocumentChecks
from bankwise.show.edits import digest

_SECONDS = 300.0
"""Of one check, and of one fix."""
_SLOTS = 2
"""Jobs at a time: an editor is not the only program of its machine."""
_MOST_JOBS = 64
"""Those that were ended count until they are gone."""
_SAVES = lsp.TextDocumentSyncKind.Full
"""Whole texts: only of an unchanged one a fix is offered."""


class Editor(LanguageServer):
    """``runs``: the newest check of each document that is open; ``checked``: what it found."""

    def __init__(self) -> None:
        super().__init__("bankwise", version("bankwise"), text_document_sync_kind=_SAVES)
        self.jobs = Jobs(seconds=_SECONDS, running=_MOST_JOBS)
        self.checks = DocumentChecks(self.jobs, _SLOTS)
        self.runs: dict[str, asyncio.Task[None]] = {}
        self.checked: dict[str, Checked] = {}

    def check(self, uri: str) -> None:
        """Check a document anew; a check of it that still runs is dropped, with its process."""
        self.drop(uri)
        path = to_fs_path(uri)
        if path is not None:
            self.runs[uri] = asyncio.ensure_future(self._run(uri, Path(path)))

    def drop(self, uri: str) -> None:
        """End the check of a document."""
        run = self.runs.pop(uri, None)
        if run is not None:
            run.cancel()

    async def _run(self, uri: str, file: Path) -> None:
        async def publish(found: Checked) -> None:
            self.checked[uri] = found
            said = list(self._diagnostics(found))
            document = self.workspace.text_documents.get(uri)
            stands = document is not None and document.source == found.text
            number = document.version if document is not None and stands else None
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(uri, said, version=number)
            )

        await self.checks.run(file, publish)

    def _diagnostics(self, found: Checked) -> Iterator[lsp.Diagnostic]:
        place = (found.file, found.lines, self.units)
        if found.error is not None:
            yield shapes.failure(found.error, *place)
        for mark in found.marks:
            if mark["level"] != "none":
                one = shapes.diagnostic(mark, *place)
                at = mark["location"]
                if found.fix and [at["file"], at["line"]] in found.fix["helps"]:
                    one.data = {key: found.fix[key] for key in ("title", "changes", "verdicts")}
                yield one

    def units(self, text: str) -> int:
        """The length of a text as the client counts."""
        length: int = self.workspace.position_codec.client_num_units(text)
        return length

    def hover(self, uri: str, at: lsp.Position) -> lsp.Hover | None:
        """What is known of the accesses there, if the line still reads as it was checked."""
        found, document = self.checked.get(uri), self.workspace.text_documents.get(uri)
        if found is None or document is None:
            return None
        now, then = document.source.split("\n"), found.lines
        if at.line >= min(len(now), len(then)) or now[at.line] != then[at.line]:
            return None
        told = [
            (mark, place)
            for mark in found.marks
            if shapes.is_file(mark["location"]["file"], found.file)
            and mark["location"]["line"] == at.line + 1
            and _holds(place := shapes.range_of(mark["location"], then, self.units), at)
        ]
        if not told:
            return None
        text = "\n\n---\n\n".join(shapes.markdown(mark) for mark, _ in told)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), told[0][1])

    def actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        """The proved fix, where it helps something in the range and the text is what was fixed."""
        uri, only = params.text_document.uri, params.context.only
        found, document = self.checked.get(uri), self.workspace.text_documents.get(uri)
        if found is None or found.fix is None or document is None:
            return []
        if only and not any(lsp.CodeActionKind.QuickFix.value.startswith(kind) for kind in only):
            return []
        if digest(document.source) != found.fix["of"]:
            return []
        helped = [d for d in self._diagnostics(found) if d.data and _meet(d.range, params.range)]
        return [self._action(uri, document.version, found, helped)] if helped else []

    def _action(
        self, uri: str, number: int | None, found: Checked, helped: list[lsp.Diagnostic]
    ) -> lsp.CodeAction:
        assert found.fix is not None, "it is offered"
        edits = shapes.text_edits(found.fix["edits"], found.lines, self.units)
        document = lsp.OptionalVersionedTextDocumentIdentifier(uri, number)
        workspace = self.client_capabilities.workspace
        able = workspace.workspace_edit if workspace else None
        if able and able.document_changes:
            edit = lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, [*edits])])
        else:
            edit = lsp.WorkspaceEdit(changes={uri: edits})
        kind = lsp.CodeActionKind.QuickFix
        return lsp.CodeAction(found.fix["title"], kind=kind, diagnostics=helped, edit=edit)


def _holds(place: lsp.Range, at: lsp.Position) -> bool:
    return (
        (place.start.line, place.start.character)
        <= (at.line, at.character)
        <= (
            place.end.line,
            place.end.character,
        )
    )


def _meet(one: lsp.Range, other: lsp.Range) -> bool:
    """Whether two ranges share a line: an editor asks at the cursor, a finding is of its line."""
    return one.start.line <= other.end.line and other.start.line <= one.end.line


def editor() -> Editor:
    """The server with everything that it answers."""
    server = Editor()
    _hear_of_settings(server)
    _hear_of_documents(server)
    _answer_questions(server)
    return server


def _hear_of_settings(server: Editor) -> None:

    @server.feature(lsp.INITIALIZE)
    def initialise(params: lsp.InitializeParams) -> None:
        server.checks.said = _plain(params.initialization_options)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: lsp.DidChangeConfigurationParams) -> None:
        said = _plain(params.settings)
        server.checks.said = _plain(said.get("bankwise")) if "bankwise" in said else said
        for uri in list(server.workspace.text_documents):
            server.check(uri)


def _hear_of_documents(server: Editor) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.drop(uri)
        server.checked.pop(uri, None)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _answer_questions(server: Editor) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        return server.hover(params.text_document.uri, params.position)

    kinds = lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, kinds)
    def action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return server.actions(params)


def _plain(value: Any) -> dict[str, Any]:
    """Settings as the protocol brought them: an object with any keys, or nothing."""
    if isinstance(value, dict):
        return value
    return dict(value._asdict()) if hasattr(value, "_asdict") else {}


def serve() -> None:
    """Serve standard input and output until the editor ends. Whatever else prints, prints to
    stderr."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server, talk = editor(), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        server.start_io(stdout=talk)
    finally:
        server.jobs.close()
