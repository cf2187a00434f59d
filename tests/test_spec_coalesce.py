"""``bankwise coalesce``: transactions, sets and descriptors of a spec's global accesses."""

from __future__ import annotations

import pytest

from bankwise.ask.coalesce import coalesced
from bankwise.errors import InputError, Refusal
from bankwise.read.tile_file.read import parse_question
from bankwise.show.coalescing import CoalesceRow
from bankwise.show.documents.coalescing import coalesce_document
from bankwise.show.schema import dumps

SPEC = """
machine = "{machine}"
tile = {tile}
element_bits = {bits}

[[global]]
name = "load"
op = "read"
distribution = "{distribution}"
layout = "{layout}"
{more}
"""


def spec(
    distribution: str,
    layout: str = "row-major",
    *,
    tile: str = "[64, 64]",
    machine: str = "gfx942",
    bits: int = 32,
    more: str = "",
) -> str:
    return SPEC.format(
        machine=machine,
        tile=tile,
        bits=bits,
        distribution=distribution,
        layout=layout,
        more=more,
    )


def row(text: str) -> CoalesceRow:
    report = coalesced(parse_question(text))
    dumps(coalesce_document(report))
    return report.rows[0]


@pytest.mark.parametrize(
    ("scenario", "held", "layout", "base", "lines", "percent"),
    [
        (1, "{M : 0 : 1 : 1, K : $T0 : 1 : 1}", "row-major", 0, 4, 100),
        (2, "{M : $T0 : 1 : 1, K : 0 : 1 : 1}", "(64,64):(64,1)", 0, 64, 6.25),
        (3, "{M : $T0 // 16 : 1 : 1, K : 4 * ($T0 % 16) : 4 : 1}", "row-major", 0, 16, 100),
        (4, "{M : $T0 : 1 : 1, K : 0 : 4 : 1}", "(64,64):(256,1)", 0, 64, 25),
        (5, "{M : $T0 // 16 : 1 : 1, K : 4 * ($T0 % 16) : 4 : 1}", "row-major", 4, 17, 94.1),
        (6, "{M : $T0 : 1 : 1, K : 0 : 1 : 1}", "(64,64):(1024,1)", 0, 64, 6.25),
    ],
)
def test_source_002_the_scenarios_as_specs(scenario, held, layout, base, lines, percent):
    found = row(spec(held, layout, more=f"base_bytes = {base}"))
    assert found.lines == (lines, lines)
    assert round(100 * found.efficiency, 2 if percent < 50 else 1) == percent


def test_source_002_a_misaligned_wave_is_named_with_its_straddling_lanes():
    held = "{M : $T0 // 16 : 1 : 1, K : 4 * ($T0 % 16) : 4 : 1}"
    found = row(spec(held, more="base_bytes = 4"))
    assert (found.rule, found.straddling) == ("misaligned-lines", (16, 16))
    assert row(spec(held)).rule == ""


def test_nvidia_counts_sectors_of_32_bytes():
    held = "{M : 0 : 1 : 1, K : 2 * $T0 : 1 : 1}"
    found = row(spec(held, machine="sm_90"))
    assert (found.line_bytes, found.lines, found.least) == (32, (8, 8), 4)
    assert (found.rule, found.sets, found.descriptor) == ("uncoalesced", None, None)


def test_source_004_rows_of_512_bytes_reach_one_set_and_get_a_descriptor_in_bytes():
    held = "{M : $T0 : 1 : 1, K : 0 : 4 : 1}"
    found = row(spec(held, "(64,64):(128,1)"))
    assert (found.pitch_bytes, found.sets.of_rows) == (512, 1)
    assert found.sets.hit == (64, 0, 0, 0)
    assert found.descriptor.stride_bytes == 512
    assert row(spec(held, "(64,64):(64,1)")).sets.of_rows == 2


def test_a_stride_beyond_the_descriptor_is_refused():
    found = row(spec("{M : $T0 : 1 : 1, K : 0 : 4 : 1}", "(64,64):(4096,1)"))
    assert isinstance(found.descriptor, Refusal)
    assert "8192" in found.descriptor.reason


def test_source_001_a_stride_in_elements_is_a_finding():
    held = "{M : $T0 : 1 : 1, K : 0 : 8 : 1}"
    text = spec(held, "(64,64):(1024,1)", bits=16, more="cache_swizzle_stride = 1024")
    report = coalesced(parse_question(text))
    (finding,) = report.findings
    assert finding.rule == "elements-against-bytes"
    assert "2048 bytes" in finding.message
    assert report.exit_code == 1
    assert not coalesced(parse_question(text.replace("stride = 1024", "stride = 2048"))).findings


def test_a_spec_without_global_accesses_says_what_to_write():
    text = """
        machine = "gfx942"
        tile = [16, 16]
        element_bits = 16
        [memory]
        layout = "row-major"
        [[access]]
        name = "read"
        op = "read"
        distribution = "mfma_f32_16x16x16_f16"
    """
    with pytest.raises(InputError, match=r"no \[\[global\]\] access"):
        coalesced(parse_question(text))


def test_a_vector_that_does_not_lie_together_is_named_at_its_access():
    with pytest.raises(InputError) as caught:
        row(spec("{M : $T0 : 1 : 1, K : 0 : 4 : 1}", more="vector = 3"))
    assert caught.value.location.line == 6
