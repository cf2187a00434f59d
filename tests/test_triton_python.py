"""What ``bankwise.triton`` says where it is asked wrongly, and what it assumes of a launch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

import bankwise.triton
from bankwise.errors import InputError
from bankwise.triton import KnobRow, TuneReport
from command import bankwise as bankwise_command
from test_ttgir_wheel import needs_wheel

ROUND = """import triton
import triton.language as tl


@triton.jit
def causal(x, y, stride, bm: tl.constexpr):
    at = tl.arange(0, bm)[:, None] * bm + tl.arange(0, bm)[None, :]
    total = tl.zeros([bm, bm], tl.float32)
    for n in range(0, (tl.program_id(0) + 1) * bm, bm):
        a = tl.load(x + n * stride + at)
        total = tl.dot(a, tl.trans(a), total)
    tl.store(y + at, total)
"""
TYPES = {"x": "*fp16", "y": "*fp32", "stride": "i32"}


@pytest.fixture(scope="module")
def causal(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A kernel whose loop runs as often as the number of its block says."""
    path = tmp_path_factory.mktemp("causal") / "causal.py"
    path.write_text(ROUND)
    return f"{path}:causal"


def asked(fn: str, types: dict[str, str] = TYPES, **said: Any) -> bankwise.triton.TritonReport:
    said = {"constexprs": {"bm": 64}, "numbers": {"stride": 64}, **said}
    return bankwise.triton.check(fn, types, "gfx950", optima=False, **said)


SCRIPT = """
import bankwise.triton

with open("imported", "a") as log:
    log.write("once\\n")
report = bankwise.triton.check(
    causal, {"x": "*fp16", "y": "*fp32", "stride": "i32"}, "gfx950",
    constexprs={"bm": 64}, numbers={"stride": 64}, optima=False,
)
print(report.shared_bytes, "answered")
"""


@needs_wheel
def test_a_script_that_asks_at_its_top_level_is_imported_once_more_and_no_further(
    tmp_path: Path,
) -> None:
    (tmp_path / "script.py").write_text(ROUND + SCRIPT)
    words = [sys.executable, "script.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("answered\n")
    assert (tmp_path / "imported").read_text() == "once\n" * 2


@needs_wheel
def test_a_block_is_said_by_its_number_from_python_too(causal: str) -> None:
    told = asked(causal)
    assert "says it: workgroup_id_x (tl.program_id(0))" in told.comparison.unsaid
    for name in ("workgroup_id_x", "blockIdx.x"):
        report = asked(causal, numbers={"stride": np.int64(64), name: 3})
        assert report.plan.kernels[0].counted
        assert report.comparison.totals_agree


@needs_wheel
@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"numbers": {"stride": "64"}}, "stride is '64', no whole number"),
        ({"numbers": {"stride": 0.5}}, r"stride is 0\.5, no whole number"),
        ({"numbers": {"bm": 64}}, "bm stands in numbers and in constexprs"),
        ({"types": {**TYPES, "x": "*f16"}}, r"x: Triton has no type '\*f16': \*fp16"),
        ({"types": {**TYPES, "x": "*"}}, r"x: Triton has no type '\*'"),
    ],
)
def test_what_is_said_wrongly_is_named(causal: str, said: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        asked(causal, **said)


@needs_wheel
def test_a_report_is_not_installed(causal: str) -> None:
    report: Any = asked(causal)
    with (
        pytest.raises(InputError, match=r"what bankwise\.triton\.fix returns"),
        bankwise.triton.install(report),
    ):
        pass


@needs_wheel
@pytest.mark.parametrize("on", [True, False])
def test_the_note_on_tensors_stands_where_the_text_has_it(
    on: bool, causal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AMDGCN_USE_BUFFER_OPS", str(int(on)))
    report = asked(causal)
    assert ("tt.pointer_range" in report.ttgir) is on
    assert any("tt.pointer_range" in note for note in report.plan.notes) is on
    tuned = bankwise.triton.tune(
        causal, TYPES, "gfx950", {"num_warps": [4]}, constexprs={"bm": 64}, processes=1
    )
    assert bool(tuned.notes) is on


def test_a_table_of_settings_has_80_columns_and_whole_numbers() -> None:
    """Without work there is no column of it; what has no numbers says why beside its knobs."""
    rows = (
        KnobRow({"bm": 64}, 1.0, passes=12_496, counted=True),
        KnobRow({"bm": 48}, 1.0, refusal="range's arguments must be powers of two, " * 3 + "\nno"),
    )
    note = "pointers are those of tensors that take less than 2 GB each, " * 2
    plain = str(TuneReport("k", "gfx950", rows, "AMD assembly", notes=(note,)))
    assert all(len(line) <= 80 for line in plain.splitlines())
    assert "passes/work" not in plain
    assert "\n48  range's arguments" in plain
    half = str(TuneReport("k", "gfx950", (replace(rows[0], work=0.5),), "AMD assembly"))
    assert half.splitlines()[2].split()[:3] == ["64", "24,992", "12,496"]


@needs_wheel
def test_conflicts_of_scratch_say_what_moves_them(tmp_path: Path) -> None:
    """A transpose of 64 x 64 f16 through the scratch of a conversion, and a clean kernel."""
    import triton_program as user

    case = user.triton_kernels.CASES["transpose_f16"]
    path = Path(user.triton_kernels.__file__)
    said: Any = {"constexprs": case["constants"], "numbers": case["numbers"]}
    report = bankwise.triton.check(f"{path}:transpose", case["types"], "gfx950", **said)
    (note,) = (n for n in report.plan.kernels[0].notes if n.startswith("Triton lays scratch out"))
    assert "bankwise.triton.fix other distributions beside a conversion" in note
    assert "bankwise.triton.tune" in note
    file = tmp_path / "transpose.ttgir"
    file.write_text(report.ttgir)
    printed = " ".join(bankwise_command("check", file).out.split())
    assert f"bankwise fix {file} other distributions" in printed


@needs_wheel
def test_nothing_to_fix_says_which_rules_are_inferred() -> None:
    """A product of f16 on gfx950: copies straight to the LDS, transposing reads."""
    import triton_program as user

    case = user.triton_kernels.CASES["product_f16_tt"]
    said: Any = {"constexprs": case["constants"], "numbers": case["numbers"]}
    path = Path(user.triton_kernels.__file__)
    fixed = bankwise.triton.fix(f"{path}:product", case["types"], "gfx950", **said)
    assert not fixed.report.changes
    accesses = fixed.report.before.kernels[0].accesses
    inferred = {a.instruction for a in accesses if a.evidence == "inferred"}
    assert inferred
    told = " ".join(str(fixed).partition("? the rule of")[2].split())
    assert all(name in told for name in inferred)
