"""The prover and the SMT solver, each about the other: python tests/adversarial/measure_smt.py.

Arguments: fixes of each kind (default 3; 0: all), corruptions of each fix (default 1). Both judges
are asked about every fix and every corruption; what one proves and the other refutes is printed,
and so is why the solver does not know.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from adversarial.claims import ProvedFix, accepted, proved_fixes
from adversarial.corruptions import corrupted
from bankwise.change.prove.smt import decide
from bankwise.errors import InputError
from bankwise.read.mlir.module import open_text


def asked(fix: ProvedFix, text: str) -> tuple[str, str]:
    """What both say of a text: ``proved`` or ``refused``, and the solver's word with its reason."""
    verdict = "proved" if accepted(fix, text) else "refused"
    before, after = (open_text(each, "k.mlir") for each in (fix.kernel.text, text))
    answers = decide(before, after, fix.claims)
    for status in ("counterexample", "unknown"):
        for answer in answers:
            if answer.status == status:
                return f"{verdict}, SMT {status}", answer.detail
    return f"{verdict}, SMT proved", ""


def main(arguments: list[str]) -> None:
    each, wrong = (*map(int, arguments), *(3, 1)[len(arguments) :])[:2]
    counts: Counter[tuple[str, str]] = Counter()
    with TemporaryDirectory() as folder:
        for fix in proved_fixes(Path(folder), each or sys.maxsize):
            texts = [("fix", fix.kernel.name, fix.fixed)]
            texts += [
                ("corruption", c.name, c.text) for c in corrupted(fix.kernel, fix.fixed, wrong, 0)
            ]
            for what, name, text in texts:
                try:
                    found, detail = asked(fix, text)
                except InputError as error:
                    found, detail = "no answer", str(error)
                counts[what, found] += 1
                if (detail and what == "fix") or found == "refused, SMT proved":
                    print(f"{what} {name}: {found}: {detail[:300]}", flush=True)
    for (what, found), count in sorted(counts.items()):
        print(f"{what:12}{found:34}{count:6}")


if __name__ == "__main__":
    main(sys.argv[1:])
