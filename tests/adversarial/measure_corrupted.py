"""Count corrupted rewrites that are rejected: python tests/adversarial/measure_corrupted.py.

Arguments: fixes of each kind (default 1), corruptions of each fix inside and outside of the
rewrite (default 8 and 4). Behind the adversarial kernels come the repository's own.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from adversarial.claims import ProvedFix, accepted, judged, proved_fixes
from adversarial.corruptions import Corruption
from adversarial.real_texts import files, judged_by_solver, real_fix

Judged = Iterator[tuple[ProvedFix, Iterator[tuple[Corruption, bool]]]]


def main(arguments: list[str]) -> None:
    each, inside, outside = (*map(int, arguments), *(1, 8, 4)[len(arguments) :])[:3]
    with TemporaryDirectory() as folder:
        fixes = proved_fixes(Path(folder), each)
        told("adversarial kernels", ((f, judged(f, inside, outside)) for f in fixes))
    fixed = (found for path in files() if (found := real_fix(path)) is not None)
    told("examples and tests", ((f, judged_by_solver(f, inside, outside)) for f in fixed))


def told(what: str, fixes: Judged) -> None:
    """Print what is accepted, and how many of each sort are rejected."""
    counts: Counter[tuple[str, bool]] = Counter()
    number = 0
    for fix, corruptions in fixes:
        number += 1
        assert accepted(fix, fix.fixed), f"{fix.kernel.name}: its own fix is not accepted"
        for one, wrongly in corruptions:
            counts[one.how, wrongly] += 1
            if wrongly:
                print(f"accepted {one.name}: {one.text.splitlines()[one.line - 1]}", flush=True)
    total, wrong = (sum(n for (_, w), n in counts.items() if w in of) for of in ((0, 1), (1,)))
    for how in sorted({how for how, _ in counts}):
        print(f"{how:28}{counts[how, False]:6} rejected{counts[how, True]:6} accepted")
    said = f"{total} corruptions of {number} fixes, {total - wrong} rejected, {wrong} accepted"
    print(f"{what}: {said}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
