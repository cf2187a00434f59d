"""``bankwise schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from bankwise.cli.common import app, examples, out, write_json


def _document_names(incomplete: str) -> list[str]:
    from bankwise.show.schema import DOCUMENTS

    return [name for name in DOCUMENTS if name.startswith(incomplete)]


@app.command(
    epilog=examples(
        "bankwise schema",
        "bankwise schema bankwise.count/1",
    )
)
def schema(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            help="A document, e.g. bankwise.count/1; nothing: list them.",
            autocompletion=_document_names,
        ),
    ] = "",
) -> None:
    """Print the JSON Schema of a document that `--format json` prints."""
    from bankwise.show.schema import DOCUMENTS, json_schema, summary

    if name:
        write_json(json_schema(name))
        return
    for known in DOCUMENTS:
        out().print(f"[bold]{known}[/]  {summary(known)}")
