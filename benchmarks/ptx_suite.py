"""What `bankwise fix` does for PTX, beside what it does for the source that the PTX came from.

    python benchmarks/ptx_suite.py [NAME ...]       # of tests/data/cuda_fix; all of them by default
    python benchmarks/ptx_suite.py --ptx-only ..    # leave the sources alone
    python benchmarks/ptx_suite.py --cubins CASES OUT    # for `h200_cuda_suite.py measure OUT`

Every source is compiled by `nvcc -ptx`. The PTX is fixed with the block sizes that the source's
launches say; nothing else is told about it. A row: conflicts of all kernels of a file per workgroup
before and after, of the source and of the PTX, and what became of instructions and registers.
Needs nvcc, ptxas, nvdisasm and the extra [cuda]. ``--cubins``: the launches of the sources
(CASES: what `h200_cuda_suite.py build` wrote), with what ptxas makes of the PTX before and after.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bankwise.ask.fix import fix_file
from bankwise.errors import InputError
from bankwise.read.cuda import CUDA
from bankwise.read.options import Options
from bankwise.read.source import Compilation
from bankwise.show.fixing import FixReport

KERNELS = Path(__file__).parents[1] / "tests" / "data" / "cuda_fix"
TARGET = "sm_90"


def launches(source: Path) -> Iterator[str]:
    """How the kernels of a source are launched, as a file of launches."""
    for kernel in CUDA.check(Compilation(source, TARGET), args={}).kernels:
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


def fixed(source: Path, text: Path, said: Path) -> FixReport:
    """The PTX of a source at ``text``, fixed as its launches say, which stand at ``said``."""
    text.write_text(CUDA.emitted(Compilation(source, TARGET)))
    said.write_text("".join(launches(source)))
    report = fix_file(text, Options(TARGET, launches=(str(said),)))
    assert isinstance(report, FixReport)
    return report


def cubins(cases: Path, out: Path) -> None:
    """Both versions of every PTX that is changed, assembled, and cases.json."""
    made, told_of = [], json.loads(cases.read_text("utf-8"))
    for name in dict.fromkeys(case["name"] for case in told_of):
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        try:
            report = fixed(KERNELS / f"{name}.cu", folder / "k.ptx", folder / "k.toml")
        except InputError as error:
            print(name, error.message, flush=True)
            continue
        if not report.changes or not report.accepted:
            print(name, "not changed", *(one.reason for one in report.refusals), flush=True)
            continue
        for version, text in (("before", report.source_text), ("after", report.fixed_text)):
            (folder / f"{version}.ptx").write_text(text)
            command = ["ptxas", f"-arch={TARGET}", folder / f"{version}.ptx", "-o"]
            subprocess.run([*command, folder / f"{version}.cubin"], check=True)
        runs = [
            {kernel.name: kernel.totals.run for kernel in side.kernels}
            for side in (report.before, report.after)
        ]
        for case in (case for case in told_of if case["name"] == name):
            mine = [run[case["kernel"]] for run in runs]
            sums = [{"passes": int(one.passes), "conflicts": int(one.extra)} for one in mine]
            files = {v: f"{name}/{v}.cubin" for v in ("before", "after")}
            made.append({**case, **files, "changed": True, "predicted": sums})
        print(name, flush=True)
    (out / "cases.json").write_text(json.dumps(made), "utf-8")


def row(source: Path, folder: Path, ptx_only: bool) -> str:
    """One line of the table."""
    text, said = folder / f"{source.stem}.ptx", folder / f"{source.stem}.toml"
    of_ptx = fixed(source, text, said)
    cells = [source.stem]
    if not ptx_only:
        before, after, word = told(fix_file(source, Options(TARGET)))  # type: ignore[arg-type]
        cells.append(f"{word} {before:,} -> {after:,}")
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
    if words[:1] == ["--cubins"]:
        cubins(Path(words[1]), Path(words[2]))
        return
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
