"""Executions of an access that cost differently are told from the cheapest to the dearest."""

from __future__ import annotations

import json
from pathlib import Path

from command import bankwise
from isa_texts import ptx_text

# A store of 32 threads at 4 bytes, then 8, then 16 from one to the next: 1, 2 and 4 passes.
WIDENING = """\
mov.u32 %r2, 2;
LOOP:
shl.b32 %r3, %r1, %r2;
mov.u32 %r4, tile;
add.u32 %r5, %r4, %r3;
st.shared.u32 [%r5], %r1;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 5;
@%p1 bra LOOP;
"""


def test_executions_that_differ_are_told_from_the_cheapest_to_the_dearest(tmp_path: Path) -> None:
    path = tmp_path / "widening.ptx"
    path.write_text(ptx_text(WIDENING))
    said = " ".join(bankwise("check", str(path)).out.split())
    assert "1 x st.shared.u32, 1 to 4 passes, ideal 1; 4 extra passes a workgroup" in said
    assert "4 4 1 to 4 1 3" in said, "extra, ways, passes, ideal, runs of the table"
    sarif = json.loads(bankwise("check", str(path), "--format", "sarif").out)
    (result,) = sarif["runs"][0]["results"]
    assert "1 to 4 passes, ideal 1, 4-way" in result["message"]["text"]
