"""The first minute: demo, doctor, show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import Output, Target, app, examples, out, write_json


@app.command(epilog=examples("bankwise demo"))
def demo() -> None:
    """Show a bank conflict, its reason and its end: needs no file, no compiler, no GPU."""
    from bankwise.ask.demo import NEXT, STEPS
    from bankwise.show.counting import print_count

    console = out()
    for step in STEPS:
        code = "\n".join(f"    {line}" for line in step.code)
        console.print(f"{step.words}\n\n{code}\n\n$ {step.command}", markup=False, highlight=False)
        print_count(step.answer(), console)
        console.print()
    console.print("Next:")
    wide = max(len(command) for command, _ in NEXT)
    for command, what in NEXT:
        console.print(f"  {command:{wide}}  {what}", markup=False, highlight=False, soft_wrap=True)


@app.command(epilog=examples("bankwise doctor", "bankwise doctor --format json"))
def doctor(
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Say which compilers, GPUs, profilers and extras are there, and what each opens."""
    from bankwise.ask.doctor import doctor as examine
    from bankwise.show.health import print_health

    found = examine()
    if form is Output.json:
        from bankwise.show.documents.health import health_document

        write_json(health_document(found))
    else:
        print_health(found, out())


@app.command(
    epilog=examples(
        "bankwise show 'Swizzle<3,4,3>'",
        "bankwise show 'float tile[32][33]'",
        "bankwise show '(row*33 + col)*4'",
        "bankwise show '#iree_codegen.xor_shuffle<128, 16>' --tile 32x128 --bits 8 -t gfx950",
    )
)
def show(
    layout: Annotated[
        str,
        typer.Argument(
            help="A layout in the words of any framework, or pad 1, tile[32][33], an address."
        ),
    ],
    tile: Annotated[
        str, typer.Option(metavar="ROWSxCOLUMNS", help="The tile; else as the text says.")
    ] = "",
    bits: Annotated[
        int, typer.Option(metavar="BITS", help="Bits of an element; 0: as the text says.")
    ] = 0,
    notation: Annotated[
        str, typer.Option(metavar="NAME", help="Its notation, where that cannot be seen.")
    ] = "",
    target: Target = "",
    everything: Annotated[bool, typer.Option("--all", help="All rows and columns.")] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="SVG", help="Write a drawing here, too.")
    ] = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Draw a layout: the bank in which each piece of a tile lies."""
    from bankwise.ask.picture import picture
    from bankwise.show.picture import print_picture, svg

    found = picture(layout, target, tile, bits, notation)
    if output:
        from bankwise.files import write_atomically

        write_atomically(Path(output), svg(found))
    if form is Output.json:
        from bankwise.show.documents.picture import picture_document

        write_json(picture_document(found))
    else:
        print_picture(found, out(), everything=everything)
