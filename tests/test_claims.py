"""The published results as data, and the page that puts ours beside them."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from bankwise.ask.claims import names, source
from bankwise.ask.model import fix_model
from bankwise.change.compile.lower import Lowering, lower
from bankwise.cost.mix import executed, mix
from bankwise.read.amd.listing import listings
from bankwise.read.mlir.swizzle_hint import SwizzleHint
from bankwise.read.options import Judges, Options
from kernel_texts import EXAMPLES, ROOT, SOURCES

TALK = source("iree_talk")
DATA = ROOT / "docs" / "data" / "attention_110.csv"
EVALUATE = EXAMPLES / "sweep" / "evaluate_110.py"

RESULTS = (
    *("1.485", "1.477", "21/110", "0.995", "8.52M", "+0.45%", "+0.9%", "110/110", "55/110", "4.7%"),
    *("1.724", "1.830", "109/110", "4.1%", "532K", "298K", "514K", "+72%", "1.78", "1.04", "-42%"),
    *("48.2", "43.7", "-9.5%", "2.04M", "1.62M", "-21%", "7.88M", "7.67M", "-2.7%"),
)
"""Every result number of the talk."""


def test_every_result_number_of_the_talk_is_shipped() -> None:
    said = (
        " ".join(claim.published for claim in TALK.claims).replace(" of ", "/").replace(" %", "%")
    )
    assert [number for number in RESULTS if number not in said] == []


def test_every_number_stands_in_the_talk() -> None:
    found = sorted(SOURCES.glob("000_*.txt"))
    if not found:
        pytest.skip("the source documents are not beside this checkout")
    text = found[0].read_text("utf-8")
    assert [number for number in RESULTS if number not in text] == []


def test_a_claim_has_a_number_of_ours_unless_it_needs_hardware() -> None:
    assert names() == ("iree_talk",)
    for claim in TALK.claims:
        assert bool(claim.ours) == (claim.status != "needs hardware"), claim.id
        assert claim.why or claim.status != "contradicted", claim.id


def test_the_swizzled_offset_of_the_talk_is_388() -> None:
    hint = SwizzleHint(False, 128, 4, 128, 1)
    (place,) = hint.place(np.array([392]))
    assert TALK.claim("swizzled-offset").ours == f"392 -> {place}"


def test_the_page_is_what_the_table_gives() -> None:
    page = runpy.run_path(str(EVALUATE))["page_of"](DATA.parent)
    assert Path(ROOT / "docs" / "evaluation_110.md").read_text("utf-8") == page


def test_the_110_cases_of_each_configuration_are_all_there() -> None:
    table = runpy.run_path(str(EVALUATE))["read"](DATA)
    assert len(table) == 110 * 2 * 4
    assert {row["status"] for row in table.values()} == {"done"}


def test_the_instructions_of_the_f16_kernel_are_those_of_the_claims(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    model = EXAMPLES / "iree" / "attention_1x1024x128.mlir"
    (padded,) = lower(model.read_text("utf-8"), "gfx942", Lowering(padding=True))
    fix_model(model, Options("gfx942", keep=str(tmp_path)), Judges(execute=False, isa=False))
    (fixed,) = listings((tmp_path / "attn_dispatch_0.gfx942.fixed.rocmasm").read_text("utf-8"))
    trips = 1024 // 64
    before, after = (
        {name: executed(mix(one, prefixes), trips) for name, prefixes in FAMILIES.items()}
        for one in (padded.listings[0], fixed)
    )
    assert before["matrix"] == after["matrix"]
    assert before["memory"] == after["memory"]
    assert (
        f"{before['matrix']} matrix and {before['memory']} global"
        in TALK.claim("f16-mfma-vmem").why
    )
    growth = f"{after['all'] / before['all'] - 1:+.2%}".replace("%", " %")
    assert TALK.claim("f16-instructions").ours == growth


FAMILIES = {"matrix": ("v_mfma",), "memory": ("buffer_", "global_"), "all": ("",)}
