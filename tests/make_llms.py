"""docs/llms.txt from the code and the pages: ``python tests/make_llms.py`` writes it.

The form is that of llmstxt.org: a title, a summary, lists of links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bankwise.cli.commands import app
from bankwise.read.recognise import takers
from bankwise.servers.mcp.tools import TOOLS

DOCS = Path(__file__).parents[1] / "docs"
FILE = DOCS / "llms.txt"
_WIDTH = 200


def text() -> str:
    """The whole file."""
    kinds = ", ".join(dict.fromkeys(one.name for one in takers("check")))
    parts = (
        "# bankwise",
        "> Predicts, explains, proves and fixes bank conflicts of GPU shared memory (AMD: LDS) "
        "without a GPU, for AMD and NVIDIA.",
        f"`bankwise check FILE` takes: {kinds}.",
        "Exit codes: 0 clean, 1 findings, 2 bad input or failure, 3 answered, but incomplete. "
        "`--format json` everywhere; `bankwise schema` prints the JSON Schemas.",
        "## Commands\n\n" + "\n".join(_commands()),
        "## Tools of `bankwise mcp`\n\n"
        + "\n".join(f"- {tool.name}: {tool.text}" for tool in TOOLS.values()),
        "## Pages\n\n" + "\n".join(_pages()),
    )
    return "\n\n".join(parts) + "\n"


def _commands() -> Iterator[str]:
    for one in app.registered_commands:
        assert one.callback is not None
        name = one.name or one.callback.__name__.replace("_", "-")
        yield f"- `bankwise {name}`: {_sentence(one.callback.__doc__ or '')}"

    for group in app.registered_groups:
        help_text = getattr(group.typer_instance and group.typer_instance.info, "help", "")
        yield f"- `bankwise {group.name}`: {_sentence(str(help_text or ''))}"


def _pages() -> Iterator[str]:
    for page in sorted(DOCS.glob("*.md")):
        title, _, rest = page.read_text("utf-8").partition("\n")
        prose = next(
            (p for p in re.split(r"\n\s*\n", rest) if re.match(r"[A-Z`*\[]", p.strip())), ""
        )
        yield f"- [{title.removeprefix('# ')}]({page.name}): {_sentence(prose)}"


def _sentence(paragraph: str) -> str:
    """The first sentence, in one line, without links."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
    first = re.split(r"(?<=[.:])\s(?=[A-Z`*])", words)[0]
    return first if len(first) <= _WIDTH else f"{first[: _WIDTH - 3]} .."


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
