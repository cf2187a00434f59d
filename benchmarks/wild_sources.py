"""A folder of other people's CUDA sources: what `check` says of each, and what `fix` writes.

    python benchmarks/wild_sources.py run FOLDER RESULTS [FLAGS.toml] [--limit SECONDS]
    python benchmarks/wild_sources.py table RESULTS

`run` takes every ``.cu`` below FOLDER that declares shared memory, checks it for sm_90, and fixes
it where there may be conflicts, as many at once as there are cores. FLAGS.toml has the flags of
the compiler by a pattern on the path: ``'*/samples/*' = ["-I{folder}/common"]``; all that fit are
joined. RESULTS gets a line of JSON for each file. `table` counts them by the top folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

TARGET = "sm_90"
CHECK_SECONDS, FIX_SECONDS = 120.0, 240.0
_SHARED = b"__shared__"
_HEAD = 4000
"""Characters kept of what a command prints."""


def sources(folder: Path) -> list[Path]:
    """Files that declare shared memory, the largest first: none of them runs alone at the end."""
    found = [one for one in folder.rglob("*.cu") if one.is_file() and _SHARED in one.read_bytes()]
    return sorted(found, key=lambda one: (-one.stat().st_size, one))


def run(folder: Path, results: Path, flags: Mapping[str, Sequence[str]], limit: float) -> None:
    """Each file checked, and fixed where it may have conflicts, within ``limit`` seconds in all."""
    end = time.monotonic() + limit
    with ThreadPoolExecutor(os.cpu_count()) as several, results.open("w", encoding="utf-8") as out:
        jobs = [several.submit(asked, one, folder, flags, end) for one in sources(folder)]
        for job in jobs:
            if (row := job.result()) is not None:
                out.write(json.dumps(row) + "\n")
                out.flush()


def asked(
    path: Path, folder: Path, flags: Mapping[str, Sequence[str]], end: float
) -> dict[str, Any] | None:
    """What both commands say of a file; None where no time is left."""
    where = str(path.relative_to(folder))
    fit = [flag for sign, some in flags.items() if fnmatch(where, sign) for flag in some]
    more = ["--", *(flag.format(folder=folder) for flag in fit)] if fit else []
    checked = answer(["check", str(path), "--target", TARGET, *more], CHECK_SECONDS, end)
    if checked is None:
        return None
    row = {"file": where, "check": checked}
    if checked["code"] in (1, 3):
        words = ["fix", str(path), "--target", TARGET, "--accept-sampled", *more]
        row["fix"] = answer(words, FIX_SECONDS, end)
    return row


def answer(words: Sequence[str], most: float, end: float) -> dict[str, Any] | None:
    """Exit code (None: it took too long), seconds, and what was printed."""
    begun = time.monotonic()
    left = min(most, end - begun)
    if left <= 0:
        return None
    command = [sys.executable, "-m", "bankwise", *words]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=left, check=False)
    except subprocess.TimeoutExpired:
        return {"code": None, "seconds": round(left, 1), "patch": "", "said": ""}
    took = round(time.monotonic() - begun, 1)
    patch = ended.stdout if words[0] == "fix" else ""
    said = ended.stderr if words[0] == "fix" else f"{ended.stdout}\n{ended.stderr}"
    return {"code": ended.returncode, "seconds": took, "patch": patch, "said": said[:_HEAD]}


def verdict(row: Mapping[str, Any]) -> str:
    """A file in one word: of those that compile, whether there are conflicts and what is left."""
    checked, fixed = row["check"]["code"], row.get("fix")
    if checked == 2:
        return "not compiled, or not for this GPU"
    if checked is None:
        return "took too long"
    if "conflict:" not in row["check"]["said"]:
        return "no conflicts" if checked == 0 else "no conflicts in what is known"
    if fixed is None or fixed["code"] is None:
        return "fix took too long"
    if fixed["code"] == 2:
        return "fix refused the file"
    return "patch" if fixed["patch"].strip() else "conflicts, no patch"


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Files by top folder and verdict."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        found[row["file"].split("/", 1)[0]][verdict(row)] += 1
    kinds = [kind for kind, _ in sum(found.values(), Counter()).most_common()]
    yield f"| folder | {' | '.join(kinds)} |"
    yield f"|---|{'--:|' * len(kinds)}"
    for folder, counts in sorted(found.items()):
        yield f"| {folder} | {' | '.join(str(counts[kind]) for kind in kinds)} |"


def main(words: Sequence[str]) -> None:
    """See the top of the file."""
    words = list(words)
    limit = float("inf")
    if "--limit" in words:
        at = words.index("--limit")
        limit = float(words[at + 1])
        del words[at : at + 2]
    match words:
        case ["run", folder, results, *flags]:
            said = tomllib.loads(Path(flags[0]).read_text("utf-8")) if flags else {}
            run(Path(folder).resolve(), Path(results), said, limit)
        case ["table", results]:
            lines = Path(results).read_text("utf-8").splitlines()
            print("\n".join(table([json.loads(line) for line in lines])))
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
