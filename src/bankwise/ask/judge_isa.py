"""The ISA verdict: what the compiler emits before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bankwise.errors import Refusal
from bankwise.show.fixing import Verdict

if TYPE_CHECKING:
    from bankwise.ask.analysis import Analysis
    from bankwise.read.emitted import Listing
    from bankwise.read.mlir.module import Opened


def judge_isa(before: Opened, after: Opened, analyses: Sequence[Analysis]) -> Verdict:
    """Compile every kernel before and after; put the emitted instructions side by side."""
    rows: list[tuple[str, int, int]] = []
    for analysis in analyses:
        found = _rows(before, after, analysis)
        if isinstance(found, Verdict):
            return found
        rows += found
    grown = [name for name, b, a in rows if name == "LDS bytes" and a > b]
    if grown:
        return Verdict("isa", "failed", "the fixed kernel takes more shared memory", tuple(rows))
    same = sum(b == a for _, b, a in rows)
    targets = ", ".join(dict.fromkeys(a.machine.name for a in analyses))
    detail = f"compiled for {targets}: {same} of {len(rows)} counts unchanged"
    return Verdict("isa", "passed", detail, tuple(rows))


def _rows(
    before: Opened, after: Opened, analysis: Analysis
) -> list[tuple[str, int, int]] | Verdict:
    from bankwise.read.emitted import compare

    old = _listing(before, analysis)
    if isinstance(old, Refusal):
        return Verdict("isa", "not available", old.reason)
    new = _listing(after, analysis)
    if isinstance(new, Refusal):
        return Verdict("isa", "failed", f"the fixed kernel does not compile: {new.reason}")
    dropped = [text for text in new.diagnostics if text not in old.diagnostics]
    if dropped:
        return Verdict("isa", "failed", f"the compiler says: {dropped[0]}")
    return [(row.name, row.before or 0, row.after or 0) for row in compare(old, new)]


def _listing(opened: Opened, analysis: Analysis) -> Listing | Refusal:
    from bankwise.change.compile.compile import compile_text

    return compile_text(
        opened.source.parsed,
        analysis.machine.name,
        kernel=analysis.kernel.name,
        workgroup_size=analysis.workgroup_size,
        file=opened.source.file,
    )
