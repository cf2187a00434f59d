"""``bankwise lsp``: a real process, a real client, real files."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

from bankwise.read.toolkit import find_program
from command import bankwise
from kernel_texts import ROWS

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).parent / "data"
SERVER = "from bankwise.cli import main; main()"
WAIT_SECONDS = 120.0


class Editor(LanguageClient):
    """A client that keeps what it is told."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.told: dict[str, list[lsp.PublishDiagnosticsParams]] = {}
        self.heard = asyncio.Event()
        self.shown: list[str] = []

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _(params: lsp.PublishDiagnosticsParams) -> None:
            self.told.setdefault(params.uri, []).append(params)
            self.heard.set()

        @self.feature(lsp.WINDOW_SHOW_MESSAGE)
        def _(params: lsp.ShowMessageParams) -> None:
            self.shown.append(params.message)

    def open(self, path: Path, text: str | None = None) -> str:
        uri = from_fs_path(str(path)) or ""
        text = path.read_bytes().decode() if text is None else text
        document = lsp.TextDocumentItem(uri, "kernel", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        return uri

    def save(self, uri: str, path: Path, text: str, number: int = 2) -> None:
        """Change the text, in the editor and on disk."""
        self.change(uri, text, number)
        path.write_text(text, "utf-8")
        identifier = lsp.TextDocumentIdentifier(uri)
        self.text_document_did_save(lsp.DidSaveTextDocumentParams(identifier))

    def change(self, uri: str, text: str, number: int) -> None:
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        identifier = lsp.VersionedTextDocumentIdentifier(uri=uri, version=number)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [whole]))

    async def diagnostics(self, uri: str, number: int = 1) -> list[lsp.Diagnostic]:
        """What was published of a document the ``number``-th time."""

        async def wait() -> None:
            while len(self.told.get(uri, [])) < number:
                self.heard.clear()
                await self.heard.wait()

        await asyncio.wait_for(wait(), WAIT_SECONDS)
        return list(self.told[uri][number - 1].diagnostics)

    async def hover(self, uri: str, line: int, column: int) -> str:
        at = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, column))
        found = await self.text_document_hover_async(at)
        return found.contents.value if found else ""

    async def actions(self, uri: str, place: lsp.Range) -> list[lsp.CodeAction]:
        context = lsp.CodeActionContext([], only=[lsp.CodeActionKind.QuickFix])
        asked = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), place, context)
        return list(await self.text_document_code_action_async(asked) or [])


@asynccontextmanager
async def editing(settings: dict[str, Any] | None = None) -> AsyncIterator[Editor]:
    editor = Editor()
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    await editor.start_io(sys.executable, "-c", SERVER, "lsp", env=env)
    able = lsp.WorkspaceClientCapabilities(
        workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
    )
    capabilities = lsp.ClientCapabilities(workspace=able)
    asked = lsp.InitializeParams(capabilities, initialization_options=settings)
    await editor.initialize_async(asked)
    editor.initialized(lsp.InitializedParams())
    try:
        yield editor
        assert editor.shown == []
    finally:
        await editor.shutdown_async(None)
        editor.exit(None)
        await editor.stop()


def session(
    scenario: Callable[[Editor], Awaitable[None]], settings: dict[str, Any] | None = None
) -> None:
    async def run() -> None:
        async with editing(settings) as editor:
            await scenario(editor)

    asyncio.run(run())


def applied(text: str, action: lsp.CodeAction) -> str:
    """What an editor makes of an action: edits are of the old text, so the last goes first."""
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, lsp.TextDocumentEdit)
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(change.edits, key=lambda e: e.range.start.line, reverse=True):
        first, end = (starts[p.line] + p.character for p in (edit.range.start, edit.range.end))
        text = text[:first] + edit.new_text + text[end:]
    return text


def test_ptx_has_its_conflicts_at_their_lines_a_picture_and_a_fix_that_the_command_writes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "transpose.ptx"
    text = (DATA / "ptx_fix/transpose.ptx").read_text("utf-8")
    path.write_text(text, "utf-8")
    # A column of 32 rows of 128 bytes; every read of the tile goes there, also the generic one.
    reads = [n for n, line in enumerate(text.splitlines()) if "%r15" in line and "ld." in line]
    reads += [n for n, line in enumerate(text.splitlines()) if "ld.u32" in line]

    async def scenario(editor: Editor) -> None:
        uri = editor.open(path)
        found = await editor.diagnostics(uri)
        assert sorted(one.range.start.line for one in found) == sorted(reads)
        assert all(one.message.startswith("32-way bank conflict: read of tile") for one in found)
        assert {(one.severity, one.code) for one in found} == {
            (lsp.DiagnosticSeverity.Warning, "bank-conflict")
        }
        told = await editor.hover(uri, reads[0], 3)
        assert "banks  0-15  32" + "  ." * 15 in told
        assert "banks 16-31 " + "  ." * 16 in told
        assert "word 0 of lane 0, word 32 of lane 1" in told
        store = next(n for n, line in enumerate(text.splitlines()) if "st.shared" in line)
        free = await editor.hover(uri, store, 3)
        assert "no bank conflict: write of tile" in free
        assert "banks  0-15 " + "  1" * 16 in free
        assert await editor.hover(uri, 0, 1) == ""

        found = await editor.diagnostics(uri, 2)
        assert {v["judge"]: v["status"] for v in found[0].data["verdicts"]}["proof"] == "passed"
        (action,) = await editor.actions(uri, found[0].range)
        assert action.kind == lsp.CodeActionKind.QuickFix
        assert "proof passed" in action.title
        assert await editor.actions(uri, lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))) == []
        assert path.read_text("utf-8") == text, "nothing was written"

        written = tmp_path / "written.ptx"
        bankwise("fix", path, "--no-execute", "--no-isa", "-o", written)
        assert applied(text, action) == written.read_text("utf-8") != text

        editor.change(uri, text + "\n", 2)
        assert await editor.actions(uri, found[0].range) == [], "of another text"
        editor.save(uri, path, applied(text, action), 3)
        assert await editor.diagnostics(uri, 3) == []

    session(scenario)


def test_a_text_that_does_not_parse_is_one_error_at_its_place_and_the_server_lives(
    tmp_path: Path,
) -> None:
    """A project's target is for texts that say none; each fault is told where it is."""
    path, toml = tmp_path / "k.mlir", tmp_path / "bankwise.toml"
    broken = ROWS.replace("gpu.barrier", "gpu.barrier_of_nothing")
    row = broken.splitlines().index("  gpu.barrier_of_nothing")
    path.write_text(broken, "utf-8")
    toml.write_text('target = "sm_90"\n[[file]]\nmatch = "*.mlir"\ntarget = "gfx950"\n', "utf-8")

    async def scenario(editor: Editor) -> None:
        uri = editor.open(path)
        (one,) = await editor.diagnostics(uri)
        assert (one.severity, one.range.start.line) == (lsp.DiagnosticSeverity.Error, row)
        assert "barrier_of_nothing" in one.message

        editor.save(uri, path, ROWS)
        found = await editor.diagnostics(uri, 2)
        lines = [n for n, line in enumerate(ROWS.splitlines()) if "%lds[" in line]
        assert [one.range.start.line for one in found] == lines
        assert "on gfx950" in await editor.hover(uri, lines[0], len(ROWS.splitlines()[lines[0]]))

        toml.write_text("targets = 3\n", "utf-8")
        editor.save(uri, path, ROWS + "\n", 4)
        told = len(editor.told[uri])
        while not (found := await editor.diagnostics(uri, told))[0].message.startswith("/"):
            told += 1
        assert "unknown field `targets`" in found[0].message
        assert "bankwise.toml" in found[0].message
        assert len(found) == 1

    session(scenario, {"fix": False})


def test_what_is_no_kernel_of_ours_is_left_alone(tmp_path: Path) -> None:
    texts = {"a.cpp": "int main() { return 0; }\n", "a.txt": "hello\n", "a.csv": "1,2\n"}

    async def scenario(editor: Editor) -> None:
        for name, text in texts.items():
            (tmp_path / name).write_text(text, "utf-8")
            editor.open(tmp_path / name)
        editor.open(tmp_path / "gone.ptx", "x")
        for uri in ("untitled:Untitled-1", "git:/x.ptx?ref", "file:///dev/zero", "file:///"):
            item = lsp.TextDocumentItem(uri, "ptx", 1, "x")
            editor.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        path = tmp_path / "empty.ptx"
        path.write_text("", "utf-8")
        uri = editor.open(path)
        (one,) = await editor.diagnostics(uri)
        assert one.message == "the file is empty"
        assert list(editor.told) == [uri]
        header = tmp_path / "a.hpp"
        header.write_text("#include <cute/layout.hpp>\nint f();\n", "utf-8")
        (one,) = await editor.diagnostics(editor.open(header))
        assert one.severity == lsp.DiagnosticSeverity.Information

    session(scenario)


def test_the_last_of_many_saves_is_the_one_that_is_told(tmp_path: Path) -> None:
    """Each text has one line more in front; a check that was superseded says nothing."""
    text = (DATA / "ptx_fix/transpose.ptx").read_text("utf-8")
    path = tmp_path / "k.ptx"
    path.write_text(text, "utf-8")

    async def scenario(editor: Editor) -> None:
        uri = editor.open(path)
        for number in range(1, 21):
            editor.save(uri, path, "//\n" * number + text, number + 1)
            await asyncio.sleep(random.Random(number).random() * 0.2)
        known = 0
        while not known or editor.told[uri][known - 1].version != 21:
            known += 1
            await editor.diagnostics(uri, known)
        versions = [one.version for one in editor.told[uri]]
        assert versions == sorted(versions, key=lambda one: one or 0)
        first = min(one.range.start.line for one in editor.told[uri][-1].diagnostics)
        plain = text.splitlines().index("\tld.shared.u32 \t%r16, [%r15];")
        assert first == plain + 20
        identifier = lsp.TextDocumentIdentifier(uri)
        editor.text_document_did_close(lsp.DidCloseTextDocumentParams(identifier))
        assert await editor.hover(uri, first, 3) == ""

    said = {"match": "*.ptx", "kernel": "trans*"}
    session(scenario, {"fix": False, "kernel": "none", "file": [said]})


@pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
def test_cuda_source_has_columns_and_a_fix_of_source(tmp_path: Path) -> None:
    path = tmp_path / "transpose.cu"
    text = (DATA / "cuda_fix/transpose_f32.cu").read_text("utf-8")
    # Characters of two units of UTF-16 before the expression.
    read = re.compile(r"tile\[threadIdx\.x\][^;]*")
    wide = read.sub(lambda found: f"/* \U0001f600 */ {found[0]}", text)
    assert wide != text
    path.write_text(wide, "utf-8")
    row = next(n for n, line in enumerate(wide.splitlines()) if "\U0001f600" in line)

    async def scenario(editor: Editor) -> None:
        uri = editor.open(path)
        (one,) = await editor.diagnostics(uri, 2)
        assert one.range.start.line == row
        units = wide.splitlines()[row].encode("utf-16-le")
        start, end = one.range.start.character, one.range.end.character
        found = read.search(wide)
        assert found is not None
        assert units[2 * start : 2 * end].decode("utf-16-le") == found[0]
        (action,) = await editor.actions(uri, one.range)
        assert applied(wide, action) == wide.replace("tile[32][32]", "tile[32][32 + 1]")

        editor.save(uri, path, wide.replace("__syncthreads();", "no_such_thing();", 1), 2)
        (one,) = await editor.diagnostics(uri, 3)
        assert one.severity == lsp.DiagnosticSeverity.Error
        assert "no_such_thing" in one.message
        assert one.range.start.line == next(
            n for n, line in enumerate(wide.splitlines()) if "__syncthreads" in line
        )

    session(scenario, {"target": "sm_90"})


def message(value: object) -> bytes:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_messages_that_are_none_do_not_end_it() -> None:
    rng = random.Random(4)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    values: tuple[Any, ...] = (None, [], {}, 7, "x", {"uri": 3}, {"uri": "file:///x", "text": []})
    methods = ("didOpen", "didSave", "didClose", "didChange", "hover", "codeAction")
    wrong = [
        {"jsonrpc": "2.0", "method": f"textDocument/{rng.choice(methods)}"}
        | ({"id": number} if rng.random() < 0.5 else {})
        | {"params": rng.choice((rng.choice(values), {"textDocument": rng.choice(values)}))}
        for number in range(100, 200)
    ]
    last = {"jsonrpc": "2.0", "id": 999, "method": "shutdown"}
    sent = [hello, *wrong, b"{", b"[]", b"\xff", last, {"jsonrpc": "2.0", "method": "exit"}]
    done = subprocess.run(
        [sys.executable, "-c", SERVER, "lsp"],
        input=b"".join(map(message, sent)),
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    answer = {"id": 999, "jsonrpc": "2.0", "result": None}
    assert json.loads(done.stdout.rpartition(b"\r\n\r\n")[2]) == answer, done.stderr[-2_000:]
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_editor_that_is_gone_leaves_no_job_behind(tmp_path: Path) -> None:
    """It closes the pipe in the middle of a check; nobody says goodbye."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    path = tmp_path / "k.ptx"
    path.write_bytes((DATA / "ptx_fix/transpose.ptx").read_bytes())
    item = {"uri": path.as_uri(), "languageId": "ptx", "version": 1, "text": "x"}
    opened = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(jobs)}
    command = [sys.executable, "-c", SERVER, "lsp"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env
    ) as server:
        assert server.stdin is not None
        server.stdin.write(message(hello) + message(opened))
        server.stdin.flush()
        until = time.monotonic() + WAIT_SECONDS
        while not any(jobs.iterdir()) and time.monotonic() < until:
            time.sleep(0.01)
        server.stdin.close()
        assert server.wait(WAIT_SECONDS) == 0
    assert list(jobs.iterdir()) == []


def test_without_its_package_it_says_what_to_install() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(extras["optional-dependencies"]) >= {"lsp", "mcp"}
    hide = (
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'pygls' else find(name, *more)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", hide + SERVER, "lsp"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    said = r"error: `bankwise lsp` needs the package pygls\n  hint: pip install .*\[lsp\]'\n"
    assert re.fullmatch(said, done.stderr)
