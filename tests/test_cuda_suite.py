"""The suite of CUDA kernels: whole, counted twice, and its wrong rewrites rejected."""

from __future__ import annotations

import csv
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from bankwise.algebra.address import Fold
from bankwise.ask import source_proof
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.counting.conflict import count
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import parse
from bankwise.read.source import Compilation
from bankwise.read.sources import language_of
from bankwise.read.toolkit import find_program

ROOT = Path(__file__).parents[1]
KERNELS = ROOT / "tests" / "data" / "cuda_fix"
SUITE = tomllib.loads((KERNELS / "suite.toml").read_text("utf-8"))
sys.path.insert(0, str(ROOT / "benchmarks"))

from cuda_suite import claimed  # noqa: E402
from cuda_suite_corrupt import mutants  # noqa: E402
from cuda_suite_count import least_passes, present_passes  # noqa: E402
from h200_in_flight import ratios  # noqa: E402


def test_every_kernel_has_a_manner_and_its_launch() -> None:
    files = {path.stem: path.read_text("utf-8") for path in KERNELS.glob("*.cu")}
    listed = [name for some in SUITE["manners"].values() for name in some]
    assert len(listed) == len(set(listed))
    assert files.keys() <= set(listed)
    assert len(files) >= 60
    assert len(SUITE["manners"]) >= 20
    assert all("<<<" in text for text in files.values())
    assert {*SUITE["data"], *SUITE["launches"]} <= files.keys()


@pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
@pytest.mark.parametrize(
    ("name", "least"),
    [("transpose_half2", 0), ("polynomials", 0), ("gemm_mma", 0), ("stencil_3d", 132)],
)
def test_passes_are_counted_alike_by_another_few_lines(name: str, least: int) -> None:
    """The judge of what is avoidable knows the rule of the banks from NVIDIA, not from a machine
    file."""
    what = Compilation(KERNELS / f"{name}.cu", "sm_90")
    kernels = language_of(what).check(what, args={}).kernels
    gpu = machine("sm_90")
    passes = sum(
        pattern.executions * int(count(gpu.instruction(one.instruction), offsets, active).passes)
        for kernel in kernels
        for one in kernel.accesses
        for pattern in one.access.patterns
        for offsets, active in zip(pattern.offsets_bytes, pattern.active, strict=True)
        if active.any()
    )
    assert present_passes(kernels)["passes"] == passes
    assert least_passes(kernels)["conflicts"] == least


ROW = ArraySize(4096, 4, (32, 32), 4, 0)
FLAT = ArraySize(4096, 4, (1024,), 4, 0)
PITCH = {"tile[32][32]": "tile[32][32 + 1]"}
FOLD = {
    "tile[threadIdx.y + j][threadIdx.x]": "tile[threadIdx.y + j][threadIdx.x ^ "
    "((threadIdx.y + j) & 31)]",
    "tile[threadIdx.x][threadIdx.y + j]": "tile[threadIdx.x][(threadIdx.y + j) ^ "
    "(threadIdx.x & 31)]",
}
LINE = {
    "tile[(threadIdx.y + j) * 32 + threadIdx.x]": "tile[((threadIdx.y + j) * 32 + threadIdx.x) ^ "
    "((threadIdx.y + j) * 32 + threadIdx.x >> 5 & 31)]",
    "tile[threadIdx.x * 32 + threadIdx.y + j]": "tile[(threadIdx.x * 32 + threadIdx.y + j) ^ "
    "(threadIdx.x * 32 + threadIdx.y + j >> 5 & 31)]",
}
RIGHT = [
    ("transpose_f32", PITCH, ArrayClaim(0, "tile", (), 1, (ROW,))),
    ("transpose_f32", FOLD, ArrayClaim(0, "tile", (Fold(1, 1, 32),), 0, (ROW,))),
    ("transpose_flat", LINE, ArrayClaim(0, "tile", (Fold(32, 1, 32),), 0, (FLAT,))),
]


@pytest.mark.parametrize(("name", "edits", "claim"), RIGHT)
def test_wrong_rewrites_are_rejected(name: str, edits: dict[str, str], claim: ArrayClaim) -> None:
    """The right text is proved, and none that differs from it in one place, unless it is the same
    map: ``x & 63`` of a row below 32."""
    before = (KERNELS / f"{name}.cu").read_text("utf-8")
    after = before
    for old, new in edits.items():
        after = after.replace(old, new)

    def proved(text: str) -> bool:
        found = prove_text(parse(before, "k.cu"), parse(text, "k.cu"), [claim])
        return not isinstance(found, Refusal)

    assert proved(after)
    made = {text: what for what, text in mutants(before, after) if text not in (before, after)}
    assert len(made) >= 3 * len(edits)
    accepted = [what for text, what in made.items() if proved(text)]
    assert accepted == ["31 -> 63"] * accepted.count("31 -> 63"), accepted


@pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
def test_the_judge_is_overheard(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is corrupted has to be proved first, by what was claimed of it."""
    monkeypatch.setattr(source_proof, "prove_text", source_proof.prove_text)
    report, claims = claimed(KERNELS / "transpose_f32.cu")
    assert [(one.name, one.pad) for one in claims] == [("tile", 1)]
    before, after = (parse(text, "k.cu") for text in (report.source_text, report.fixed_text))
    assert prove_text(before, after, claims) == 2


def table(text: str) -> Sequence[str]:
    """The rows of the table of the suite."""
    rows = text.partition("| manner | kernel |")[2].partition("\n\n")[0].splitlines()
    return rows[2:]


def measurements() -> list[dict[str, str]]:
    path = ROOT / "docs" / "data" / "h200_cuda.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_the_pages_say_in_words_is_the_sum_of_the_rows() -> None:
    """How many launches and kernels, how many are faster and slower, how many counted as said."""
    rows = measurements()
    gains = [float(one["us_before"]) / float(one["us_after"]) for one in rows]
    faster, slower = sum(one > 1.03 for one in gains), sum(one < 0.97 for one in gains)
    launches, kernels = len(rows), len({one["name"] for one in rows})
    trust, cuda = (
        " ".join((ROOT / "docs" / name).read_text("utf-8").split())
        for name in ("trust.md", "cuda.md")
    )
    assert f"Of {launches} launches of the {kernels} CUDA kernels that `fix` changed" in trust
    assert f"{faster} are faster by more than 3 %, {slower or 'none'} " in trust
    assert f"{faster} launches are more than 3 % faster, {slower or 'none'} " in cuda
    assert f"outputs: CUDA {launches} launches" in trust
    assert f"All {kernels} that `fix` changes were run" in cuda
    assert f"in {launches} launches" in cuda
    same = sum(
        float(one["predicted_before"]) == float(one["counted_before"])
        and float(one["predicted_after"]) == float(one["counted_after"])
        for one in rows
    )
    assert f"in {same} of {launches} launches" in cuda


def test_the_page_says_what_loads_in_flight_are_worth() -> None:
    """Folds that wait a quarter more often than the plain text beside pads, and the others."""
    found = ratios(ROOT / "docs" / "data" / "h200_in_flight.csv")
    said = " ".join((ROOT / "docs" / "cuda.md").read_text("utf-8").split())
    longer, others = (sorted(r for waits, r in found if waits == each) for each in (True, False))
    assert f"of these {len(found)} pairs" in said
    assert f"in {len(longer)}, and takes {longer[0]:.2f} to {longer[-1]:.2f} times" in said
    assert f"in the other {len(others)} it takes {others[0]:.2f} to {others[-1]:.2f}" in said


def test_the_page_shows_what_was_measured() -> None:
    measured = measurements()
    shown = table((ROOT / "docs" / "cuda.md").read_text("utf-8"))
    assert len(shown) == len(measured)
    for row, one in zip(shown, measured, strict=True):
        assert one["name"] in row
        for key in ("predicted_before", "predicted_after"):
            assert f"{int(one[key]):,}" in row
        for key in ("us_before", "us_after"):
            assert f"{float(one[key]):,.1f}" in row
