"""Servers for other programs: an editor, an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import a_time, app, examples


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


@app.command(epilog=examples("bankwise mcp", "bankwise mcp --root kernels --compile"))
def mcp(
    root: Annotated[
        list[Path], typer.Option(metavar="DIR", help="Files below it may be read. Repeatable.")
    ] = [Path()],  # noqa: B006 - typer reads the default, nobody changes it
    compile_source: Annotated[
        bool,
        typer.Option("--compile", help="Compile CUDA and HIP source, with all that it includes."),
    ] = False,
    seconds: Annotated[
        float, typer.Option(min=1, help="The most that one answer takes.", callback=a_time)
    ] = 120.0,
) -> None:
    """Serve an agent that writes kernels: check, fix, solve, count, explain as tools.

    Speaks the Model Context Protocol over stdin and stdout; the agent's program starts it
    (docs/agents.md). It reads files below its roots, the current folder unless told, and writes
    none.
    """
    from bankwise.servers.awaited import need

    need("mcp", "mcp")
    from bankwise.servers.mcp.asked import AgentLimits
    from bankwise.servers.mcp.roots import real_roots
    from bankwise.servers.mcp.server import serve

    serve(AgentLimits(real_roots(root), compile_source, seconds))
