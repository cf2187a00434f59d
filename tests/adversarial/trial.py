"""What ``fix`` does with an adversarial kernel, and what the oracle says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from adversarial.kernel import AdversarialKernel
from adversarial.oracle import judge
from bankwise.ask.fix import fix
from bankwise.errors import InputError
from bankwise.show.fixing import FixReport

OUTCOMES = ("right", "refused", "nothing", "caught", "wrong", "unjudged", "crash")
"""Fixed right; refused with a reason; nothing to do; a wrong text that a judge of ``fix`` rejects;
a wrong text that is offered; a text that the oracle cannot run; an exception."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One kernel and its outcome. ``fixed``: the text that ``fix`` writes; ``faults``: of the
    kernel itself, None where it did not run."""

    kernel: AdversarialKernel
    outcome: str
    detail: str = ""
    fixed: str = ""
    faults: tuple[tuple[str, str, int], ...] | None = None


def trial(kernel: AdversarialKernel, folder: Path) -> Trial:
    """Let ``fix`` rewrite the kernel; its judges are asked only about a text that is wrong."""
    path = folder / "k.mlir"
    path.write_text(kernel.text, "utf-8")
    try:
        report = _fixed(path, kernel, execute=False)
    except InputError as error:
        return Trial(kernel, "refused", str(error))
    except Exception as error:
        return Trial(kernel, "crash", f"{type(error).__name__}: {error}")
    if report.fixed_text == kernel.text:
        told = "; ".join(str(r) for r in (*report.refusals, *report.before.refusals))
        return Trial(kernel, "refused" if told else "nothing", told)
    judgement = judge(kernel.text, report.fixed_text, kernel)
    if judgement.same:
        return Trial(kernel, "right", "", report.fixed_text, judgement.faults)
    if judgement.same is None:
        return Trial(kernel, "unjudged", judgement.detail, report.fixed_text)
    heard = _fixed(path, kernel, execute=True)
    rejected = bool(heard.changes) and not heard.accepted
    return Trial(kernel, "caught" if rejected else "wrong", judgement.detail, report.fixed_text)


def _fixed(path: Path, kernel: AdversarialKernel, execute: bool) -> FixReport:
    given = {"dims": kernel.dims, "workgroup_size": kernel.workgroup_size}
    report = fix(path, kernel.target, execute=execute, isa=False, **given)  # type: ignore[arg-type]
    assert isinstance(report, FixReport)
    return report


def table(trials: Sequence[Trial]) -> str:
    """Kind by outcome, and how many of the right-fixable kernels are fixed right."""
    lines = [f"{'kind':28}{'fixable':>8}" + "".join(f"{name:>9}" for name in OUTCOMES)]
    for kind in dict.fromkeys(t.kernel.kind for t in trials):
        lines.append(_row(kind, [t for t in trials if t.kernel.kind == kind]))
    lines.append(_row("all", trials))
    able = [t for t in trials if t.kernel.fixable]
    done = sum(t.outcome == "right" for t in able)
    kinds = len({t.kernel.kind for t in trials})
    lines.append(
        f"{len(trials)} kernels of {kinds} kinds; {done} of {len(able)} fixable ones fixed"
    )
    return "\n".join(lines)


def _row(name: str, trials: Iterable[Trial]) -> str:
    found = list(trials)
    counts = Counter(t.outcome for t in found)
    able = sum(t.kernel.fixable for t in found)
    return f"{name:28}{able:8}" + "".join(f"{counts[outcome] or '':>9}" for outcome in OUTCOMES)
