"""Advice for AMD assembly in exact instructions: written into the text, it does what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from command import bankwise

ISA = Path(__file__).parent / "data" / "isa"


def checked(path: Path) -> dict[str, Any]:
    answer = json.loads(bankwise("check", path, "--all", "--format", "json").out)
    assert isinstance(answer, dict)
    return answer


def advised(answer: dict[str, Any]) -> dict[str, Any]:
    found = next(s for s in answer["snippets"] if "v_xor_b32" in s["snippet"])
    assert isinstance(found, dict)
    return found


KERNEL = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
k:
	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v3, v0
	ds_write_b32 v1, v3
	ds_write_b32 v1, v3 offset:256
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_lshlrev_b32_e32 v2, 7, v0
	ds_read_b32 v4, v2
	ds_read_b32 v5, v2 offset:4
	s_waitcnt lgkmcnt(0)
	s_endpgm
	.amdhsa_kernel k
		.amdhsa_group_segment_fixed_size 8192
		.amdhsa_next_free_vgpr 9
		.amdhsa_accum_offset 12
		.amdhsa_next_free_sgpr 16
		.amdhsa_system_vgpr_workitem_id 0
	.end_amdhsa_kernel
"""


def spliced(text: str, advice: dict[str, Any]) -> str:
    """The text with the advice in it, by hand as a reader of it would do it."""
    said, notes = advice["snippet"].splitlines(), advice["notes"]
    where = next(n for n in notes if n.startswith("vA is"))
    free = next(n for n in notes if "which no instruction names" in n)
    names, registers = (re.findall(r"\bv\w+", part) for part in free.split(":"))
    lines = text.split("\n")
    for register, places in re.findall(r"(v\d+) at lines? ([\d, ]+)", where):
        for line in map(int, places.split(", ")):
            offset = re.search(r" offset:(\d+)", lines[line - 1])
            own = dict(zip(names, registers, strict=True))
            own |= {"vA": register, "OFFSET": offset[1] if offset else "0"}
            steps = [re.sub(r"\bv[A-Z]|OFFSET", lambda m, o=own: o[m[0]], one) for one in said]  # type: ignore[misc]
            access = re.sub(
                rf"\b{register}\b", own["vT"], re.sub(r" offset:\d+", "", lines[line - 1])
            )
            lines[line - 1] = "\n".join((*steps, access))
    return "\n".join(lines)


def test_the_instructions_do_what_is_promised(tmp_path: Path) -> None:
    source, changed = tmp_path / "k.s", tmp_path / "changed.s"
    source.write_text(KERNEL)
    before = checked(source)
    found = advised(before)
    assert "v6, v7, which no instruction names" in " ".join(found["notes"])
    changed.write_text(spliced(KERNEL, found))
    after = checked(changed)["totals"]["run"]
    assert found["before"] == before["totals"]["run"]["passes"] > found["after"]
    assert after["passes"] == found["after"]


@pytest.mark.parametrize("name", ["matmul_1024.gfx942.s", "attention_1x1024x128.gfx942.s"])
def test_compiled_kernels_get_registers_that_their_text_does_not_name(name: str) -> None:
    notes = " ".join(advised(checked(ISA / name))["notes"])
    said = re.search(r"vT, vU: (v\d+), (v\d+), which no instruction names", notes)
    assert said is not None
    text = (ISA / name).read_text()
    ranges = [range(int(a), int(b) + 1) for a, b in re.findall(r"\bv\[(\d+):(\d+)\]", text)]
    for number in (int(one[1:]) for one in said.groups()):
        assert not re.search(rf"\bv{number}\b", text)
        assert not any(number in one for one in ranges)


def test_two_addresses_of_one_read_are_counted_once(tmp_path: Path) -> None:
    """gfx950 serves ``ds_read2st64_b64`` in quarter waves, and a single read in halves."""
    text = KERNEL.replace("gfx942", "gfx950").replace(
        "ds_read_b32 v4, v2\n\tds_read_b32 v5, v2 offset:4", "ds_read2st64_b64 v[4:7], v2 offset1:2"
    )
    path = tmp_path / "pairs.s"
    path.write_text(text, "utf-8")
    answer = checked(path)
    (kernel,) = answer["kernels"]
    assert any(a["instruction"] == "ds_read2st64_b64" for a in answer["accesses"])
    present = sum(optimum["present"]["passes"] for optimum in kernel["optima"])
    assert present == kernel["totals"]["run"]["passes"] > 0
