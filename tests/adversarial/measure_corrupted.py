"""Count corrupted rewrites that are rejected: python tests/adversarial/measure_corrupted.py.

Arguments: fixes of each kind (default 1), corruptions of each fix inside and outside of the
rewrite (default 8 and 4).
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from adversarial.claims import accepted, judged, proved_fixes


def main(arguments: list[str]) -> None:
    each, inside, outside = (*map(int, arguments), *(1, 8, 4)[len(arguments) :])[:3]
    counts: Counter[tuple[str, bool]] = Counter()
    fixes = 0
    with TemporaryDirectory() as folder:
        for fix in proved_fixes(Path(folder), each):
            assert accepted(fix, fix.fixed), f"{fix.kernel.name}: its own fix is not accepted"
            fixes += 1
            for one, wrongly in judged(fix, inside, outside):
                counts[one.how, wrongly] += 1
                if wrongly:
                    print(f"accepted {one.name}: {one.text.splitlines()[one.line - 1]}", flush=True)
    total, wrong = (sum(n for (_, w), n in counts.items() if w in of) for of in ((0, 1), (1,)))
    for how in sorted({how for how, _ in counts}):
        print(f"{how:28}{counts[how, False]:6} rejected{counts[how, True]:6} accepted")
    print(f"{total} corruptions of {fixes} fixes, {total - wrong} rejected, {wrong} accepted")


if __name__ == "__main__":
    main(sys.argv[1:])
