"""The width policies, held to what the compiler emits (tests/data/widths_gfx9.json)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Direction, Machine, machine, names
from bankwise.hardware.policies import Issue, policies, select

GOLDEN = json.loads((Path(__file__).parent / "data" / "widths_gfx9.json").read_text("utf-8"))
ROWS = [tuple(row) for row in GOLDEN["rows"]]

ONLY_OF_BYTES = {("i8", 6, 4, "read")}
"""Six i8 at exactly 4 bytes of alignment are read as two dwords; six bytes of f16 are not."""

ALIGNMENTS = st.sampled_from([1, 2, 4, 8, 16, 32, 128])
WIDTHS = st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 48, 64])
DIRECTIONS: st.SearchStrategy[Direction] = st.sampled_from(["read", "write"])
MACHINES = st.sampled_from(names())


def emitted(*arguments: object, **options: object) -> list[str]:
    issues = select(*arguments, **options)  # type: ignore[arg-type]
    assert not isinstance(issues, Refusal), issues
    return [str(issue) for issue in issues]


def touched(of: Machine, issue: Issue) -> set[int]:
    """The bytes of a lane that an instruction touches, as the machine file describes it."""
    row = of.instruction(issue.instruction)
    return set(range(issue.offset_bytes, issue.offset_bytes + row.addresses * row.width_bytes))


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_iree_policy_is_what_the_compiler_emits(target: str) -> None:
    compared = 0
    for chip, element, width, alignment, direction, instructions in ROWS:
        if chip != target or (element, width, alignment, direction) in ONLY_OF_BYTES:
            continue
        issues = select(machine(target), direction, width, alignment, "iree")
        assert not isinstance(issues, Refusal)
        said = [f"{i.instruction}@{i.offset_bytes}" for i in issues]
        assert said == instructions, (element, width, alignment, direction)
        compared += 1
    assert compared == len([r for r in ROWS if r[0] == target]) - len(ONLY_OF_BYTES)


def test_the_compiler_still_emits_what_the_golden_file_says() -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from data import make_widths

    for target, element, width, alignment in (("gfx942", "f16", 16, 8), ("gfx950", "f16", 16, 4)):
        case = (element, width, alignment)
        found = make_widths.compiled(target, [case])[make_widths.name(case)]
        want = [row[5] for row in ROWS if row[:4] == (target, *case)]
        assert make_widths.answers(found) == want


def test_padding_by_8_bytes_halves_the_width_of_16_byte_accesses() -> None:
    padded_pitch = 136
    alignment = padded_pitch & -padded_pitch
    for direction in ("read", "write"):
        wide = emitted(machine("gfx950"), direction, 16, 16)
        assert wide == [f"ds_{direction}_b128"]
        assert emitted(machine("gfx950"), direction, 16, alignment) == [f"ds_{direction}2_b64"]


def test_triton_and_ck_keep_the_width_on_amd() -> None:
    for policy in ("triton", "ck"):
        assert emitted(machine("gfx942"), "read", 16, 4, policy) == ["ds_read_b128"]
        assert emitted(machine("gfx942"), "write", 32, 2, policy) == [
            "ds_write_b128",
            "ds_write_b128@16",
        ]


@given(MACHINES, DIRECTIONS, WIDTHS, ALIGNMENTS, st.sampled_from(policies()))
def test_every_byte_is_touched_once_and_writes_touch_no_other(
    name: str, direction: Direction, width: int, alignment: int, policy: str
) -> None:
    of = machine(name)
    issues = select(of, direction, width, alignment, policy)
    if isinstance(issues, Refusal):
        assert of.vendor == "nvidia"
        return
    parts = [touched(of, issue) for issue in issues]
    assert sum(map(len, parts)) == len(set.union(*parts))
    assert set(range(width)) <= set.union(*parts)
    if direction == "write" or of.vendor == "nvidia":
        assert set.union(*parts) == set(range(width))
    assert [i.offset_bytes for i in issues] == sorted(i.offset_bytes for i in issues)


@given(DIRECTIONS, WIDTHS, ALIGNMENTS, st.sampled_from(policies()))
def test_nvidia_instructions_are_naturally_aligned(
    direction: Direction, width: int, alignment: int, policy: str
) -> None:
    of = machine("sm_90")
    issues = select(of, direction, width, alignment, policy)
    if isinstance(issues, Refusal):
        return
    for issue in issues:
        size = of.instruction(issue.instruction).width_bytes
        assert size <= alignment
        assert issue.offset_bytes % size == 0


@pytest.mark.parametrize(
    ("width", "alignment", "instructions"),
    [
        (16, 16, ["b128"]),
        (16, 8, ["b64", "b64@8"]),
        (16, 4, ["b32", "b32@4", "b32@8", "b32@12"]),
        (24, 16, ["b64", "b64@8", "b64@16"]),
        (12, 8, ["b64", "b32@8"]),
        (4, 2, ["b16", "b16@2"]),
    ],
)
def test_nvidia_widths_are_those_of_the_nvptx_back_end(
    width: int, alignment: int, instructions: list[str]
) -> None:
    """As read from PTX compiled for sm_80 by IREE 3.13.0."""
    said = emitted(machine("sm_80"), "write", width, alignment)
    assert said == [f"st.shared.{name}" for name in instructions]


@pytest.mark.parametrize(
    ("target", "arguments", "options", "name"),
    [
        ("gfx942", ("write", 4, 4, "iree", "dma"), {}, "buffer_load_dword_lds"),
        ("gfx950", ("write", 12, 4, "iree", "dma"), {}, "buffer_load_dwordx3_lds"),
        ("gfx950", ("write", 16, 16, "iree", "dma"), {}, "buffer_load_dwordx4_lds"),
        (
            "gfx950",
            ("read", 8, 8, "iree", "transpose"),
            {"element_bits": 16},
            "ds_read_b64_tr_b16",
        ),
        ("gfx950", ("read", 12, 4, "iree", "transpose"), {"element_bits": 6}, "ds_read_b96_tr_b6"),
        ("gfx942", ("write", 4, 4, "iree", "atomic"), {}, "ds_add_u32"),
        ("gfx942", ("write", 4, 4, "iree", "atomic"), {"operation": "max_rtn_f32"}, None),
        ("gfx950", ("write", 4, 4, "iree", "atomic"), {"operation": "zap_b32"}, "!ds_zap_b32"),
        ("sm_80", ("write", 4, 4, "iree", "atomic"), {}, "atom.shared.b32"),
        ("sm_80", ("write", 16, 16, "iree", "async"), {}, "cp.async.b128"),
        ("sm_80", ("read", 16, 16, "iree", "matrix"), {}, "ldmatrix.x4"),
        ("sm_80", ("read", 16, 16, "iree", "matrix"), {"operation": "x2.trans"}, None),
        ("sm_90", ("write", 16, 16, "iree", "matrix"), {"operation": "x4"}, "stmatrix.x4"),
        ("sm_80", ("write", 16, 16, "iree", "matrix"), {}, "!stmatrix.x4"),
        ("gfx942", ("write", 16, 16, "iree", "dma"), {}, "!16-byte direct-to-LDS"),
        ("gfx950", ("write", 8, 8, "iree", "dma"), {}, "!8-byte direct-to-LDS"),
        ("gfx942", ("read", 8, 8, "iree", "transpose"), {"element_bits": 16}, "!tr_b16"),
        ("gfx950", ("read", 10, 2, "iree", "plain"), {}, "!not modelled"),
        ("gfx950", ("read", 128, 16, "iree", "plain"), {}, "!not modelled"),
    ],
)
def test_other_kinds_have_one_instruction_or_a_reason(
    target: str, arguments: tuple[object, ...], options: dict[str, object], name: str | None
) -> None:
    found = select(machine(target), *arguments, **options)  # type: ignore[arg-type]
    if name is not None and name.startswith("!"):
        assert isinstance(found, Refusal)
        assert name[1:] in found.reason
        return
    assert not isinstance(found, Refusal)
    assert len(found) == 1
    assert name in (None, found[0].instruction)
    assert found[0].instruction in machine(target).instructions


def test_an_unknown_policy_is_bad_input_that_names_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"unknown policy 'cuda'(.|\n)*iree, triton, ck"):
        select(machine("gfx942"), "read", 16, 16, "cuda")
