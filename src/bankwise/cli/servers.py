"""Servers for other programs: an editor, an agent."""

from __future__ import annotations

from bankwise.cli.common import app, examples


@app.command(epilog=examples("bankwise lsp"))
def lsp() -> None:
    """Serve an editor: conflicts at their lines, banks to hover over, proved fixes.

    Speaks the Language Server Protocol over stdin and stdout; the editor starts it
    (docs/editor.md). Options of a project stand in its `bankwise.toml`.
    """
    from bankwise.servers.awaited import need

    need("pygls", "lsp")
    from bankwise.servers.lsp.server import serve

    serve()
