"""count: one instruction, without a file."""

from __future__ import annotations

from typing import Annotated

import typer
from typer.core import TyperCommand

from bankwise.cli.common import Output, Target, app, examples, out, write_json


class _Expressions(TyperCommand):
    """A command whose arguments may begin with a minus: ``-lane*4 + 124`` is no option."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """See :class:`TyperCommand`; a blank before an expression changes nothing of it."""
        return super().parse_args(ctx, [f" {one}" if _is_negative(one) else one for one in args])


def _is_negative(text: str) -> bool:
    return text.startswith("-") and not text.startswith("--") and "lane" in text


@app.command(
    cls=_Expressions,
    epilog=examples(
        "bankwise count --target gfx942 ds_read_b128 '(lane%16)*256'",
    ),
)
def count(
    instruction: Annotated[
        str, typer.Argument(help="Its name: ds_read_b128, LDS.128, ld.shared.v4.f32.")
    ],
    offsets: Annotated[str, typer.Argument(help="Byte offset, an expression of `lane`.")],
    target: Target = "",
    active: Annotated[str, typer.Option(help="Active lanes, e.g. 'lane < 48'.")] = "",
    second: Annotated[str, typer.Option(help="Second address of a read2 / write2 form.")] = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Count the passes of one instruction whose offsets you write as an expression."""
    from bankwise.ask.count import count_expression
    from bankwise.show import counting

    report = count_expression(target, instruction, offsets, active, second)
    if form is Output.json:
        from bankwise.show.documents.counting import count_document

        write_json(count_document(report))
    else:
        counting.print_count(report, out())
    raise typer.Exit(report.exit_code)
