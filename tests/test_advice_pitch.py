"""A longer row for padded arrays, and conflicts of one cause told once, with the address's terms.

Judged by counting each pitch anew from the indices of the CUDA source, in this file alone.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

import bankwise
from bankwise.show.as_sarif import check_sarif
from bankwise.show.as_text import print_check
from bankwise.show.documents.checking import check_document
from isa_texts import amd_text, ptx_text

Places = list[list[tuple[int, int]]]
"""(row, column) that each lane wants, by wave and access."""

SHAPES = [
    # threads in x, rows, columns, what an access adds to the column
    pytest.param(16, 16, 81, [0, 8, 16], id="separable convolution"),
    pytest.param(32, 32, 32, [0, 8, 16], id="transpose"),
    pytest.param(16, 16, 40, [0], id="rows of 40"),
    pytest.param(8, 8, 66, [0, 4], id="eight rows of 66"),
]


def kernel_text(across: int, rows: int, columns: int, added: list[int], threads: int) -> str:
    """``s[tid % across][tid / across + c]``, read for each c, and one store ``s[..][..] =``."""
    lines = [
        f"\tand.b32 %r2, %r1, {across - 1};",
        f"\tshr.u32 %r3, %r1, {across.bit_length() - 1};",
        "\tmov.u32 %r5, tile;",
        f"\tmad.lo.s32 %r6, %r2, {4 * columns}, %r5;",
        "\tshl.b32 %r7, %r3, 2;",
        "\tadd.s32 %r8, %r6, %r7;",
        "\tst.shared.u32 [%r8], %r1;",
    ]
    lines += [f"\tld.shared.u32 %r9, [%r8+{4 * c}];" for c in added]
    return ptx_text("\n".join(lines), threads=threads, shared=f"tile[{4 * rows * columns}]")


def wanted(across: int, added: list[int], threads: int) -> Places:
    """The same by hand: a store and the loads of every warp."""
    warps = [range(first, first + 32) for first in range(0, threads, 32)]
    return [
        [(t % across, t // across + more) for t in warp] for more in [0, *added] for warp in warps
    ]


def taken(places: Places, pitch: int) -> int:
    """Passes on 32 banks, words counted with sets."""
    total = 0
    for wave in places:
        banks: dict[int, set[int]] = {}
        for row, column in wave:
            word = row * pitch + column
            banks.setdefault(word % 32, set()).add(word)
        total += max(map(len, banks.values()))
    return total


def checked(tmp_path: Path, text: str, name: str = "k.ptx") -> bankwise.CheckReport:
    (tmp_path / name).write_text(text)
    return bankwise.check(tmp_path / name)


@pytest.mark.parametrize(("across", "rows", "columns", "added"), SHAPES)
def test_the_smallest_pitch_of_the_fewest_passes_is_named(
    tmp_path, across: int, rows: int, columns: int, added: list[int]
) -> None:
    report = checked(tmp_path, kernel_text(across, rows, columns, added, 128))
    (optimum,) = report.kernels[0].optima
    places = wanted(across, added, 128)
    assert optimum.present.passes == taken(places, columns), "the count itself"
    passes = {pitch: taken(places, pitch) for pitch in range(columns, columns + 32)}
    least = min(passes, key=lambda pitch: (passes[pitch], pitch))
    found = optimum.pitch
    assert found is not None
    assert (found.row_bytes, found.pitch_bytes) == (4 * columns, 4 * least)
    assert found.run.passes == passes[least]
    assert found.free is (passes[least] == len(places))
    assert found.more_bytes == 4 * rows * (least - columns)


def test_a_pitch_that_is_free_already_is_left_alone(tmp_path) -> None:
    report = checked(tmp_path, kernel_text(16, 16, 82, [0, 8], 128))
    assert report.clean
    assert [o.pitch for o in report.kernels[0].optima] == [None]


def test_lanes_that_run_on_from_row_to_row_have_no_pitch(tmp_path) -> None:
    """A flat store over rows of 81 words: no longer row leaves ``s[tid]`` where its author has it.

    The columns are read as before, and conflict as before.
    """
    text = kernel_text(16, 16, 81, [0], 128)
    flat = "\tshl.b32 %r10, %r1, 2;\n\tadd.s32 %r11, %r10, %r5;\n\tst.shared.u32 [%r11], %r1;\n"
    report = checked(tmp_path, text.replace("\tld.shared", flat + "\tld.shared", 1))
    (optimum,) = report.kernels[0].optima
    assert optimum.present.extra
    assert optimum.pitch is None


def test_a_pitch_has_to_fit_into_shared_memory(tmp_path) -> None:
    """256 rows of 64 words fill the 64 KiB of gfx942: not one word more fits behind each."""
    body = "\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1\n\tds_read_b32 v2, v1 offset:"
    full = checked(tmp_path, amd_text(body + "49152"), "full.s")
    half = checked(tmp_path, amd_text(body + "16128").replace("65536", "32768"), "half.s")
    assert full.kernels[0].optima[0].pitch is None
    found = half.kernels[0].optima[0].pitch
    assert found is not None
    assert found.free


def test_the_pitch_is_said_in_text_and_json(tmp_path) -> None:
    report = checked(tmp_path, kernel_text(16, 16, 81, [0, 8], 128))
    sentence = "pad 1 word behind every 81: free, 64 bytes more: a + (a / 324) * 4"
    console = Console(file=io.StringIO(), width=300)
    print_check(report, console)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert sentence in printed
    assert "it stays as it is" not in printed
    (optimum,) = check_document(report).kernels[0].optima
    assert optimum.pitch is not None
    assert (optimum.pitch.pitch_bytes, optimum.pitch.free) == (328, True)


def test_accesses_of_one_cause_are_told_once_with_all_places(tmp_path) -> None:
    """A store and three loads, 2-way everywhere: lanes 0 and 31, a constant apart."""
    report = checked(tmp_path, kernel_text(16, 16, 81, [0, 8, 16], 32))
    document = check_document(report)
    (cause,) = document.causes
    assert sorted(cause.accesses) == [0, 1, 2, 3]
    assert cause.lanes == (0, 31)
    assert cause.run.extra == sum(a.run.extra for a in document.accesses)
    lines = {a.location.line for a in document.accesses}
    results = check_sarif(report)["runs"][0]["results"]
    for result in (r for r in results if r["ruleId"] == "bank-conflict"):
        places = result["locations"] + result["relatedLocations"]
        assert {p["physicalLocation"]["region"]["startLine"] for p in places} == lines
    console = Console(file=io.StringIO(), width=300)
    print_check(report, console)
    assert console.file.getvalue().count("lanes 0, 31 ") == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("across", "pitch"), [(16, 81), (16, 17), (8, 33), (4, 57), (16, 49), (8, 12)]
)
def test_the_terms_of_a_reason_are_the_address(tmp_path, across: int, pitch: int) -> None:
    """The words evaluated for every lane; the two lanes named do meet, and do want two words."""
    report = checked(tmp_path, kernel_text(across, across, pitch, [1], 32))
    words = {lane: lane % across * pitch + lane // across for lane in range(32)}
    conflict = taken([[(lane % across, lane // across) for lane in range(32)]], pitch) > 1
    said = [str(a.reason) for a in report.accesses if a.witness]
    assert len(said) == (2 if conflict else 0)
    for text in said:
        if text.startswith("rows advance by"):
            assert pitch == int(text.split()[3]), "a step that the author wrote"
            continue
        terms = re.match(r"word (.+?):", text)
        assert terms
        for lane, word in words.items():
            assert eval(terms[1].replace("/", "//"), {"lane": lane}) == word
        first, second = map(int, re.findall(r"lanes (\d+) and (\d+)", text)[0])
        apart = words[second] - words[first]
        assert apart
        assert apart % 32 == 0
        assert f"= {apart} apart, {abs(apart) // 32} round" in text
