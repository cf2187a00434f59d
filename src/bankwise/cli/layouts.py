"""Layouts: solve, certify, explain, coalesce."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bankwise.cli.common import (
    FixFormat,
    Output,
    Policy,
    PolicyOption,
    PreferenceOption,
    Target,
    a_time,
    app,
    examples,
    file_of,
    given,
    out,
    write_json,
)


@app.command(
    epilog=examples(
        "bankwise solve examples/solve/transpose_sm90.toml --steps",
        "bankwise solve tile.toml --family cute -o cert.json",
        "bankwise solve tile.toml --prefer fewest-passes",
        "bankwise solve examples/solve/wgmma_operand_sm90.toml",
        "bankwise solve tile.toml --format html > tile.html",
    )
)
def solve(
    context: typer.Context,
    problem: Annotated[Path, file_of("solve", "QUESTION")],
    steps: Annotated[
        bool, typer.Option("--steps", help="Show the construction for two accesses.")
    ] = False,
    family: Annotated[
        str,
        typer.Option(
            help="Restrict the answer: cute, triton, iree, wave, ck, xor, rotation, padding."
        ),
    ] = "",
    prefer: PreferenceOption = None,
    budget: Annotated[
        float,
        typer.Option(help="Seconds for the search; 0: the default effort.", callback=a_time),
    ] = 0.0,
    policy: PolicyOption = Policy.iree,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="CERT", help="Write the certificate here.")
    ] = "",
    form: Annotated[FixFormat, typer.Option("--format", help="How to print.")] = FixFormat.text,
) -> None:
    """Find the best layout of a tile for all of its accesses, and prove it."""
    from bankwise.ask.solve import solve_file
    from bankwise.errors import InputError
    from bankwise.show import solutions

    answer = solve_file(
        problem,
        family=family,
        budget_s=budget or None,
        policy=given(context, "policy", policy),
        steps=steps,
        prefer="" if prefer is None else prefer.value,
    )
    report = solutions.solved(answer)
    if output:
        from bankwise.files import write_atomically
        from bankwise.show.schema import dumps
        from bankwise.solver.certificate_json import certificate_document

        if report.certificate is None:
            raise InputError("this answer has no certificate: it was found by counting")
        write_atomically(Path(output), dumps(certificate_document(report.certificate)))
    if form is FixFormat.json:
        write_json(solutions.solve_document(answer))
    elif form is FixFormat.html:
        import sys

        from bankwise.workbench.page import html

        sys.stdout.write(html(solutions.solve_document(answer)))
    else:
        solutions.print_solve(answer, out())
    raise typer.Exit(report.exit_code)


@app.command(
    epilog=examples(
        "bankwise certify cert.json",
    )
)
def certify(
    file: Annotated[Path, file_of("certify", "CERT")],
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Check a certificate with a judge that shares no code with the solver."""
    from bankwise.ask.certify import certify as run
    from bankwise.show import solving

    certificate, verdict = run(file)
    if form is Output.json:
        from bankwise.show.documents.solving import certify_document

        write_json(certify_document(str(file), certificate, verdict))
    else:
        solving.print_certify(certificate, verdict, out())
    raise typer.Exit(verdict.exit_code)


def _rule_names(incomplete: str) -> list[str]:
    from bankwise.show.nouns import nouns
    from bankwise.show.rules import rules

    names = ["choose", *(rule.name for rule in rules()), *(noun.name for noun in nouns())]
    return [name for name in names if name.startswith(incomplete)]


@app.command(
    epilog=examples(
        "bankwise explain",
        "bankwise explain bank-conflict",
        "bankwise explain pass",
        "bankwise explain choose examples/ck_transpose/08.toml",
    )
)
def explain(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="[RULE]",
            help="A rule, a word, or `choose`; nothing: list them.",
            autocompletion=_rule_names,
        ),
    ] = "",
    spec: Annotated[Path | None, file_of("explain choose", "[QUESTION]")] = None,
    target: Target = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Say what a finding or a word means, what to do instead, and who says so."""
    from bankwise.ask.explain import explain as one
    from bankwise.ask.explain import explain_all
    from bankwise.errors import InputError
    from bankwise.show import explaining

    if rule == "choose" and spec is None:
        raise InputError("`explain choose` takes a tile question")
    if rule != "choose" and spec is not None:
        rule, spec = f"{rule} {spec}", None  # A word of two words.
    if spec is not None:
        from bankwise.ask.choose import choose
        from bankwise.show.choosing import print_choose

        report = choose(spec, target=target)
        if form is Output.json:
            from bankwise.show.documents.choosing import choose_document

            write_json(choose_document(report))
        else:
            print_choose(report, out())
    elif form is Output.json:
        from bankwise.show.documents.explaining import explained_document, rules_document

        found = explained_document(one(rule, target)) if rule else rules_document(explain_all())
        write_json(found)
    elif rule:
        explaining.print_explained(one(rule, target), out())
    else:
        explaining.print_rules(explain_all(), out())


@app.command(
    epilog=examples(
        "bankwise coalesce examples/ck_transpose/01.toml",
    )
)
def coalesce(
    file: Annotated[Path, file_of("coalesce", "QUESTION")],
    target: Target = "",
    form: Annotated[Output, typer.Option("--format", help="How to print.")] = Output.text,
) -> None:
    """Count the global-memory transactions of a tile question, and the cache sets they meet in."""
    from bankwise.ask.coalesce import coalesce_spec
    from bankwise.show.coalescing import print_coalesce

    report = coalesce_spec(file, target=target)
    if form is Output.json:
        from bankwise.show.documents.coalescing import coalesce_document

        write_json(coalesce_document(report))
    else:
        print_coalesce(report, out())
    raise typer.Exit(report.exit_code)
