"""``count`` takes an instruction as people type it."""

from __future__ import annotations

import json

import pytest

from command import bankwise


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("LDS.128", "ld.shared.b128"),
        ("lds.64", "ld.shared.b64"),
        ("LDS", "ld.shared.b32"),
        ("STS.U8", "st.shared.b8"),
        ("LDSM.16.M88.4", "ldmatrix.x4"),
        ("LDSM.16.MT88.2", "ldmatrix.x2.trans"),
        ("ld.shared.v4.f32", "ld.shared.b128"),
        ("ld.shared.v2.u16", "ld.shared.b32"),
        ("st.volatile.shared::cta.u32", "st.shared.b32"),
        ("LD.SHARED.B128", "ld.shared.b128"),
    ],
)
def test_an_instruction_of_nvidia_is_taken_as_ptx_and_sass_spell_it(said: str, name: str) -> None:
    """By the PTX ISA: .v4.f32 is one access of 16 bytes."""
    ended = bankwise("count", "-t", "sm_90", said, "lane*16", "--format", "json")
    assert ended.err == ""
    assert json.loads(ended.out)["instruction"] == name


def test_an_instruction_of_another_machine_says_whose_it_is() -> None:
    other = bankwise("count", "-t", "sm_90", "ds_read_b128", "lane*16")
    assert (other.code, other.out) == (2, "")
    assert "sm_90 has no ds_read_b128: it is an instruction of " in other.err
    assert "gfx942" in other.err
    none = bankwise("count", "LDS.128", "lane*16")
    assert none.code == 2
    assert none.err.startswith("error: --target is missing: it is an instruction of ")
    assert "sm_90" in none.err
    assert "gfx942" not in none.err
    unknown = bankwise("count", "polish", "lane*16")
    assert (unknown.code, "no machine has" in unknown.err) == (2, True)
