"""The claims of the IREE swizzling talk beside the sweep's results, as a page of Markdown.

    bankwise sweep examples/sweep/attention_110.toml -o docs/data/attention_110.csv
    bankwise sweep examples/sweep/attention_head_dims.toml -o docs/data/attention_head_dims.csv
    python examples/sweep/evaluate_110.py docs/data > docs/evaluation_110.md

Every number of the page is computed here from the table. Where the package ships one as the result
of a claim (bankwise/ask/claims/iree_talk.toml), both must be the same, or this ends with an error.
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bankwise.ask.claims import source

Table = dict[tuple[str, str, str], dict[str, str]]
"""Rows by (type, shape, mitigation)."""

NAMED = "1x1024x128"
MITIGATIONS = ("none", "padding", "swizzle", "pr23778")


def read(path: Path) -> Table:
    """The table of the sweep."""
    with path.open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    return {(row["type"], row["shape"], row["mitigation"]): row for row in found}


def shapes(table: Table) -> list[str]:
    """All shapes, in the order of the table."""
    return list(dict.fromkeys(shape for _, shape, _ in table))


def number(table: Table, kind: str, shape: str, mitigation: str, column: str) -> int:
    """One number of the table."""
    return int(table[kind, shape, mitigation][column])


def zero(table: Table, kind: str, mitigation: str) -> str:
    """On how many shapes the counter is 0."""
    found = shapes(table)
    clear = sum(not number(table, kind, s, mitigation, "extra_launch") for s in found)
    return f"{clear} of {len(found)}"


def same(table: Table, kind: str, one: str, other: str) -> str:
    """On how many shapes two mitigations have the same counter."""
    found = shapes(table)
    equal = sum(
        number(table, kind, s, one, "extra_launch") == number(table, kind, s, other, "extra_launch")
        for s in found
    )
    return f"{equal} of {len(found)}"


def lds_saved(table: Table, kind: str, mitigation: str, shape: str = "") -> float:
    """Median part of the LDS bytes of padding that a mitigation does not need."""
    saved = [
        1 - number(table, kind, s, mitigation, "lds_bytes")
        / number(table, kind, s, "padding", "lds_bytes")
        for s in ([shape] if shape else shapes(table))
    ]  # fmt: skip
    return statistics.median(saved)


def percent(value: float) -> str:
    """A part in percent."""
    return f"{value:.1%}".replace("%", " %")


def per_instruction(table: Table, mitigation: str) -> float:
    """Conflicts per executed LDS instruction of the named f32 kernel."""
    extra = number(table, "f32", NAMED, mitigation, "extra_launch")
    return extra / number(table, "f32", NAMED, mitigation, "lds_instructions")


def pair(table: Table, column: str) -> tuple[int, int]:
    """A column of the named f32 kernel: with padding, with the rule of the pull request."""
    before = number(table, "f32", NAMED, "padding", column)
    return before, number(table, "f32", NAMED, "pr23778", column)


def instructions(table: Table) -> str:
    """LDS instructions of the named f32 kernel."""
    before, after = pair(table, "lds_instructions")
    return f"{before:,} -> {after:,} ({after / before - 1:+.0%})".replace("%", " %")


def per_instruction_text(table: Table) -> str:
    """Conflicts per instruction of the named f32 kernel."""
    before, after = per_instruction(table, "padding"), per_instruction(table, "pr23778")
    return f"{before:.2f} -> {after:.2f} ({after / before - 1:+.0%})".replace("%", " %")


def drains(table: Table) -> str:
    """Matrix instructions of the named f32 kernel behind a full drain."""
    before, after = pair(table, "full_drains")
    matrix, _ = pair(table, "matrix_static")
    return f"{before} -> {after} of {matrix} matrix instructions behind a full drain"


RECOMPUTED: dict[str, Callable[[Table], str]] = {
    "f16-swizzle-zero": lambda t: zero(t, "f16", "swizzle"),
    "f16-padding-zero": lambda t: zero(t, "f16", "padding"),
    "f16-lds-saved": lambda t: percent(lds_saved(t, "f16", "swizzle")),
    "f32-same-floor": lambda t: same(t, "f32", "padding", "pr23778"),
    "f32-lds-saved": lambda t: percent(lds_saved(t, "f32", "swizzle")),
    "f32-counter": lambda t: "{:,} -> {:,}".format(*pair(t, "extra_launch")),
    "f32-lds-instructions": instructions,
    "f32-per-instruction": per_instruction_text,
    "f32-waits": drains,
}


def claims(table: Table) -> Iterator[str]:
    """The talk's claims beside ours."""
    yield "| claim | published | ours | |"
    yield "|---|---|---|---|"
    for claim in source("iree_talk").claims:
        if claim.id in RECOMPUTED and (found := RECOMPUTED[claim.id](table)) != claim.ours:
            sys.exit(f"{claim.id}: the package ships {claim.ours!r}, the table gives {found!r}")
        note = f"{claim.status}: {claim.why}" if claim.why else claim.status
        yield f"| {claim.statement} | {claim.published} | {claim.ours or '-'} | {note} |"


def summary(table: Table) -> Iterator[str]:
    """One line per type and mitigation."""
    yield (
        "| type | mitigation | conflict-free | median counter | median LDS bytes | LDS saved "
        "against padding | median LDS instructions | waves of 32 |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for kind in ("f16", "f32"):
        for mitigation in MITIGATIONS:
            columns = ("extra_launch", "lds_bytes", "lds_instructions", "resident_waves")
            extra, lds, issued, waves = (
                statistics.median(number(table, kind, s, mitigation, c) for s in shapes(table))
                for c in columns
            )
            saved = percent(lds_saved(table, kind, mitigation))
            clear = zero(table, kind, mitigation)
            yield (
                f"| {kind} | {mitigation} | {clear} | {extra:,.0f} | {lds:,.0f} | {saved} | "
                f"{issued:,.0f} | {waves:g} |"
            )


def by_shape(table: Table) -> Iterator[str]:
    """The counter of every shape under every mitigation."""
    head = [f"{kind} {m}" for kind in ("f16", "f32") for m in MITIGATIONS]
    yield f"| shape | {' | '.join(head)} |"
    yield "|---|" + "--:|" * len(head)
    for shape in shapes(table):
        cells = [
            f"{number(table, kind, shape, m, 'extra_launch'):,}"
            for kind in ("f16", "f32")
            for m in MITIGATIONS
        ]
        yield f"| {shape} | {' | '.join(cells)} |"


def mixes(table: Table) -> Iterator[str]:
    """The LDS instructions of the kernels: those of one head dimension are alike."""
    yield "| shape | type | mitigation | LDS instructions, outside + inside of the loop |"
    yield "|---|---|---|---|"
    for shape in ("1x1024x64", NAMED):
        for kind in ("f16", "f32"):
            for m in MITIGATIONS:
                mix = table[kind, shape, m]["mix"].replace(":", " ").replace(" ds_", ", ds_")
                yield f"| {shape} | {kind} | {m} | {mix} |"


PAGE = """\
# The 110-shape evaluation, without a GPU

The IREE swizzling talk (AMD, MI300X, 2026) measured 110 attention shapes with hardware counters.
This page puts its claims beside what bankwise computes from the kernels that IREE 3.13.0 emits for
gfx942. Nothing here was executed. Regenerate it with `examples/sweep/evaluate_110.py`; the data are
in [data/attention_110.csv](data/attention_110.csv).

- **none**: no padding, no direct loads. **padding**: IREE's, 8 bytes behind each row.
- **swizzle**: the kernels of *none* after `bankwise fix`. **pr23778**: the same kernels with the
  rule of iree-org/iree#23778, the pull request that the talk is about; what it declines is padded.
- The *counter* is `SQ_LDS_BANK_CONFLICT` of the launch, LDS instructions are `SQ_INSTS_LDS`
  (executed: static counts of the emitted code times the trip count of its loop).

## What the talk says and what comes out

{claims}

The talk's shapes are not published. It names one, 1x1024x128, and on that kernel the three counters
that decide its f32 story come out to the last printed digit, for padding and for the swizzle:
they test bankwise's gfx942 rules against hardware. The 55 of 110 are no such test: padding clears
one of the two head dimensions, and we chose as many shapes of each.

The f32 story in one line: *same conflicts, fewer full drains*. Padding reads pairs of words with
one instruction and waits for all of them before each matrix instruction; the swizzle scatters the
words, so that each needs an instruction of its own, and the younger ones may still be under way.

## Medians over the 110 shapes

{summary}

Occupancy does not change: the LDS that the swizzle saves is too little for one more workgroup.

## What was emitted

Other lengths have other trip counts, very short ones another schedule. `8+3` means 8 outside and 3
inside of the loop.

{mixes}

## Other head dimensions

The claims are about tiles of 64 and 128 columns. Elsewhere (counter of the launch, batch 1, 1024
positions) neither swizzle clears everything, and padding sometimes does: at 80 and 96 IREE uses no
matrix instructions and 1 KiB of LDS, and the best exchange of columns that `fix` finds for the f16
tile leaves a seventh of its conflicts.

{others}

## The 110 shapes

Batch x sequence x head dimension; the counter of the launch.

{by_shape}
"""


def page(table: Table, others: Table) -> str:
    """The whole page. ``others``: the other head dimensions."""
    parts = {"claims": claims, "summary": summary, "mixes": mixes, "by_shape": by_shape}
    filled = {name: "\n".join(part(table)) for name, part in parts.items()}
    return PAGE.format(**filled, others="\n".join(by_shape(others)))


def page_of(folder: Path) -> str:
    """The whole page, from the tables in ``folder``."""
    names = ("attention_110.csv", "attention_head_dims.csv")
    return page(*(read(folder / name) for name in names))


if __name__ == "__main__":
    sys.stdout.write(page_of(Path(sys.argv[1])))
