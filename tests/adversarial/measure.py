"""Print what ``fix`` does with every adversarial kernel: ``python tests/adversarial/measure.py``.

Arguments: kinds to look at, default all; ``-v`` tells every kernel with its reason.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from adversarial.kinds import every_kernel
from adversarial.trial import table, trial


def main(arguments: list[str]) -> None:
    wanted = [a for a in arguments if a != "-v"]
    chosen = [k for k in every_kernel() if not wanted or k.kind in wanted]
    with TemporaryDirectory() as folder:
        trials = [trial(kernel, Path(folder)) for kernel in chosen]
    for one in trials:
        if "-v" in arguments or one.outcome in ("wrong", "caught", "crash", "unjudged"):
            print(f"{one.outcome:9}{one.kernel.name}: {one.detail[:400]}")
    print(table(trials))


if __name__ == "__main__":
    main(sys.argv[1:])
