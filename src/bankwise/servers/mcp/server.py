"""The protocol: tools and resources over standard input and output."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from bankwise.ask.jobs import Answer, Jobs
from bankwise.errors import InputError
from bankwise.servers.awaited import Told
from bankwise.servers.mcp import resources
from bankwise.servers.mcp.asked import AgentLimits, Desk
from bankwise.servers.mcp.tools import TOOLS

_INSTRUCTIONS = """\
bankwise predicts, explains and fixes shared-memory (LDS) bank conflicts of GPU kernels without a
GPU. Start with check: its answer is short and names the places, the reasons and what to write. more
reads the rest of an answer. fix returns a patch with what its judges said: apply it yourself,
nothing is written. A count is exact unless the answer says otherwise; exit_code 3 means that
something is open. Passes are what Nsight calls wavefronts of an access, and AMD LDS cycles; extra
is what the vendor's bank-conflict counter adds."""

_MOST_JOBS = 64
"""Those that were ended count until they are gone; few of them work."""
_MOST_ERROR = 2_000
"""Characters of what an agent is told that went wrong: it may quote what he gave."""


def server(desk: Desk) -> Server[Any]:
    """The server of a desk."""

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            document = await desk.call(params.name, params.arguments or {}, _progress(context))
        except InputError as error:
            text = f"error: {error}"[:_MOST_ERROR]
            return types.CallToolResult(content=[_text(text)], is_error=True)
        said: list[types.ContentBlock] = [_text(json.dumps(document))]
        return types.CallToolResult(content=said, structured_content=document)

    return Server(
        "bankwise",
        version=version("bankwise"),
        instructions=_INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
    )


def _progress(context: Any) -> Told:
    """Tells the caller of every new stage, and once a second."""
    said: list[tuple[str, int]] = []

    async def told(state: Answer) -> None:
        stage = (state["stage"], int(state["seconds"]))
        if stage not in said[-1:]:
            said.append(stage)
            done, total = state["seconds"], state["limit_seconds"]
            await context.session.report_progress(done, total, state["stage"])

    return told


async def _list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    hints = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ListToolsResult(
        tools=[
            types.Tool(
                name=tool.name,
                description=tool.text,
                input_schema=tool.input_schema,
                output_schema=tool.output_schema,
                annotations=hints,
            )
            for tool in TOOLS.values()
        ]
    )


async def _list_resources(_context: Any, _params: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(
                uri=f"{resources.SCHEME}{one.name}",
                name=one.name,
                description=f"{one.about}: the list",
                mime_type="text/markdown",
            )
            for one in resources.shelves().values()
        ]
    )


async def _list_templates(_context: Any, _params: Any) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(
        resource_templates=[
            types.ResourceTemplate(
                uri_template=f"{resources.SCHEME}{one.name}/{{+name}}",
                name=one.name,
                description=one.about,
                mime_type=one.mime,
            )
            for one in resources.shelves().values()
        ]
    )


async def _read_resource(
    _context: Any, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    try:
        mime, text = resources.read(str(params.uri))
    except InputError as error:
        raise MCPError(types.INVALID_PARAMS, str(error)) from error
    contents = types.TextResourceContents(uri=params.uri, mime_type=mime, text=text)
    return types.ReadResourceResult(contents=[contents])


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def serve(limits: AgentLimits) -> None:
    """Serve standard input and output until they end."""
    jobs = Jobs(seconds=limits.seconds, running=_MOST_JOBS)

    async def run() -> None:
        made = server(Desk(limits, jobs))
        async with stdio_server() as (reads, writes):
            await made.run(reads, writes, made.create_initialization_options())

    try:
        anyio.run(run)
    finally:
        jobs.close()
