"""``verify`` on kernels and specs: which accesses are measured, and what a wrong counter does.

The counters come from the judge that shares no code with the counting, or from a falsified one;
`docs/data/h200_verify` holds what a real H200 said.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from bankwise.counting.access import Pattern
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.gpu.counters import Counters
from bankwise.lab.report.documents import verify_document
from bankwise.lab.to_measure import waves
from bankwise.lab.verify import verify
from bankwise.read.options import Options
from bankwise.show.schema import plain
from brute import brute_count
from command import bankwise

ROOT = Path(__file__).parent.parent
PTX = ROOT / "tests" / "data" / "isa" / "triton_transpose.sm_90.ptx"


def _judged(target: str, wrong: int = 0):  # type: ignore[no-untyped-def]
    """Counters as the judge computes them; ``wrong`` is added to the first."""

    def counters(batch: Sequence[WaveAccess], vendor: str) -> Counters:
        found = [
            brute_count(
                machine(target).instruction(c.instruction),
                [c.offsets_bytes.tolist()],
                c.active.tolist(),
            )
            for c in batch
        ]
        conflicts = np.array([passes - ideal for passes, ideal, _ in found])
        conflicts[0] += wrong
        return Counters(np.array([passes for passes, _, _ in found]), conflicts)

    return counters


@pytest.mark.parametrize(
    ("file", "target"),
    [
        (PTX, "sm_90"),
        (ROOT / "examples" / "transpose_16x32" / "n_xor_m.toml", "sm_90"),
        (ROOT / "examples" / "ldmatrix_sm80" / "ldmatrix.mlir", "sm_80"),
    ],
)
def test_every_access_of_a_kernel_or_spec_is_put_to_the_counters(file: Path, target: str) -> None:
    options = Options(target=target)
    report = verify(file, options, counters=_judged(target))
    assert report.agrees
    assert report.rows
    assert any(sum(row.predicted_passes) > len(row.predicted_passes) for row in report.rows)
    assert not verify(file, options, counters=_judged(target, wrong=1)).agrees


def test_the_16x32_transpose_predicts_two_passes_for_n_xor_m() -> None:
    file = ROOT / "examples" / "transpose_16x32" / "n_xor_m.toml"
    report = verify(file, Options(target="sm_90"), counters=_judged("sm_90"))
    assert {max(row.predicted_passes) for row in report.rows} == {1, 2}


def test_a_problem_carries_the_certificate_that_certify_accepts(tmp_path: Path) -> None:
    report = verify(ROOT / "examples/solve/transpose_sm90.toml", counters=_judged("sm_90"))
    document = plain(verify_document(report))
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(document["certificate"]), "utf-8")
    assert bankwise("certify", str(file)).code == 0


def test_what_cannot_be_measured_is_named() -> None:
    file = ROOT / "tests" / "data" / "isa" / "triton_matmul.sm_90.ptx"
    report = verify(file, counters=_judged("sm_90"))
    assert report.rows
    assert any("cp.async.cg.b128" in why for why in report.left_out.values())
    whole = verify(PTX, counters=_judged("sm_90"))
    first = len(whole.rows[0].predicted_passes)
    few = verify(PTX, counters=_judged("sm_90"), limit=first)
    assert few.rows == whole.rows[:1]
    assert len(few.left_out) == len(whole.rows) - 1
    assert all(f"more than {first} launches" in why for why in few.left_out.values())


def test_no_gpu_no_access_and_no_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to measure"):
        verify(PTX, counters=_judged("sm_90"), limit=0)
    ended = bankwise("verify", str(tmp_path / "missing.ptx"))
    assert ended.code == 2
    assert "no such file" in ended.err
    broken = tmp_path / "broken.toml"
    broken.write_text("a = [", "utf-8")
    ended = bankwise("verify", str(broken))
    assert ended.code == 2
    assert "broken.toml" in ended.err


STORED = ROOT / "docs" / "data" / "h200_verify"
MEASURED = {
    "triton_transpose_sm_90": "tests/data/isa/triton_transpose.sm_90.ptx",
    "triton_matmul_sm_90": "tests/data/isa/triton_matmul.sm_90.ptx",
    "triton_attention_sm_90": "tests/data/isa/triton_attention.sm_90.ptx",
    "profile_tiles": "tests/data/profile/tiles.ptx",
    "sass_tiles": "tests/data/sass/tiles.ptx",
    "n_xor_m": "examples/transpose_16x32/n_xor_m.toml",
    "n_xor_2m": "examples/transpose_16x32/n_xor_2m.toml",
    "row_major": "examples/transpose_16x32/row_major.toml",
}


@pytest.mark.parametrize("name", MEASURED)
def test_what_the_h200_counted_is_what_is_predicted_today(name: str) -> None:
    stored = json.loads((STORED / f"{name}.json").read_text("utf-8"))
    passes = [p for row in stored["rows"] for p in row["measured_passes"]]
    conflicts = [e for row in stored["rows"] for e in row["measured_extra"]]

    def counters(batch: Sequence[WaveAccess], vendor: str) -> Counters:
        assert len(batch) == len(passes)
        return Counters(np.array(passes), np.array(conflicts))

    size = "256,1,1" if name == "profile_tiles" else ""
    launches = ("block_of_two_axes<<<1,240>>>",) if name == "sass_tiles" else ()
    options = Options(workgroup_size=size, launches=launches)
    report = verify(ROOT / MEASURED[name], options, limit=900, counters=counters)
    assert report.agrees
    assert len(report.rows) == len(stored["rows"])


def test_every_instruction_of_a_split_access_is_measured_at_its_own_bytes() -> None:
    active = np.ones((1, 32), np.bool_)
    active[0, 31] = False
    pattern = Pattern(np.arange(32)[None, :] * 32 + 4096, active, "tile")
    (first,) = waves("ld.shared.b128", pattern, 0)
    (second,) = waves("ld.shared.b128", pattern, 16)
    assert first.offsets_bytes.tolist() == [32 * lane for lane in range(31)] + [0]
    assert second.offsets_bytes.tolist() == [32 * lane + 16 for lane in range(31)] + [0]
