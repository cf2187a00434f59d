"""What `bankwise fix` does for PTX, beside what it does for the source that the PTX came from.

    python benchmarks/ptx_suite.py [NAME ...]       # of tests/data/cuda_fix; all of them by default
    python benchmarks/ptx_suite.py --ptx-only ..    # leave the sources alone

Every source is compiled by `nvcc -ptx`. The PTX is fixed with the block sizes that the source's
launches say; nothing else is told about it. A row: conflicts of all kernels of a file per workgroup
before and after, of the source and of the PTX, and what became of instructions and registers.
Needs nvcc, ptxas, nvdisasm and the extra [cuda].
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bankwise.ask.fix import fix_file
from bankwise.errors import InputError
from bankwise.read.cuda import check_cuda, compiled_ptx
from bankwise.read.options import Options
from bankwise.show.fixing import FixReport

KERNELS = Path(__file__).parents[1] / "tests" / "data" / "cuda_fix"
TARGET = "sm_90"


def launches(source: Path) -> Iterator[str]:
    """How the kernels of a source are launched, as a file of launches."""
    for kernel in check_cuda(source, TARGET, args={}).kernels:
        x, y, z = kernel.workgroup_size
        shared = kernel.launch.shared_bytes
        yield f'[[launch]]\nkernel = "{kernel.name}"\nblock = [{x}, {y}, {z}]\n'
        yield f"shared = {shared}\n" if shared else ""


def told(report: FixReport) -> tuple[int, int, str]:
    """Conflicts before and after, and what the judges say in a word."""
    before, after = (
        sum(kernel.totals.run.extra for kernel in check.kernels)
        for check in (report.before, report.after)
    )
    if not report.changes:
        return before, after, "nothing to fix" if not before else "refused"
    proved = any(one.judge == "proof" and one.status == "passed" for one in report.verdicts)
    return before, after, "fixed" if proved and report.accepted else "rejected"


def row(source: Path, folder: Path, ptx_only: bool) -> str:
    """One line of the table."""
    text, said = folder / f"{source.stem}.ptx", folder / f"{source.stem}.toml"
    text.write_text(compiled_ptx(source, TARGET))
    said.write_text("".join(launches(source)))
    of_ptx = fix_file(text, Options(TARGET, launches=(str(said),)))
    cells = [source.stem]
    if not ptx_only:
        before, after, word = told(fix_file(source, Options(TARGET)))  # type: ignore[arg-type]
        cells.append(f"{word} {before:,} -> {after:,}")
    assert isinstance(of_ptx, FixReport)
    before, after, word = told(of_ptx)
    rows = [r for v in of_ptx.verdicts for r in v.rows]
    cells.append(f"{word} {before:,} -> {after:,}")
    for key in ("instructions", "registers"):
        own = [(old, new) for name, old, new in rows if name.endswith(f": {key}")]
        old, new = sum(one for one, _ in own), sum(one for _, one in own)
        cells.append(f"{old:,} -> {new:,}" if rows else "")
    cells.append("; ".join(one.reason for one in of_ptx.refusals))
    return f"| {' | '.join(cells)} |"


def main(words: list[str]) -> None:
    """Print the table."""
    ptx_only = "--ptx-only" in words
    names = [word for word in words if not word.startswith("--")]
    sources = [KERNELS / f"{name}.cu" for name in names] or sorted(KERNELS.glob("*.cu"))
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            try:
                print(row(source, Path(folder), ptx_only), flush=True)
            except InputError as error:
                print(f"| {source.stem} | {error.message} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
