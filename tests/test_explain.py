"""The rules: complete, true by execution, and there for everything that a report can name."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path

import pytest
from rich.console import Console

from bankwise.ask.explain import explain
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.hardware.machine import names as machine_files
from bankwise.show.documents.explaining import rules_document
from bankwise.show.explaining import print_rule, print_rules
from bankwise.show.nouns import Noun, nouns
from bankwise.show.rules import rule, rules
from bankwise.show.schema import plain
from command import bankwise

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bankwise"
SESSIONS = [
    (r.name, *session)
    for r in rules()
    for session in re.findall(r"```console\n\$ bankwise (.*?)\n(.*?)```", r.example, re.DOTALL)
]


@pytest.mark.parametrize("found", rules(), ids=lambda r: r.name)
def test_every_rule_has_five_sections_in_whole_sentences(found):
    assert found.summary.endswith(".")
    assert all(len(text) > 20 for _, text in found.sections())
    prose = re.sub(r"```.*?```", "", "\n".join(t for _, t in found.sections()), flags=re.DOTALL)
    assert all(len(line) <= 110 for line in prose.splitlines())


def test_everything_that_a_report_can_name_is_explained():
    named = {"bank-conflict", "not-analysed"}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        named |= set(re.findall(r'\b(?:Finding|Hole|Thumb|Wrong)\(\s*"([a-z0-9-]+)"', text))
    named |= {"uncoalesced", "misaligned-lines", "padding-narrows", "offset-after-xor", "row-mul"}
    assert named <= {r.name for r in rules()}
    assert len(named) > 10


def test_every_hole_of_the_compiler_is_explained_as_a_finding() -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.change.passes import holes

    assert holes.RULES.keys() <= {r.name for r in rules() if r.kind == "finding"}


def test_what_texts_refer_to_exists():
    names = {r.name for r in rules()}
    for found in rules():
        for _, text in found.sections():
            for other in re.findall(r"`bankwise explain ([a-z0-9-]+)`", text):
                assert other in names
            for path in re.findall(r"`bankwise \w+(?: choose)? (examples/\S+?\.toml)", text):
                assert (ROOT / path).exists(), path


@pytest.mark.parametrize(("name", "words", "output"), SESSIONS, ids=[s[0] for s in SESSIONS])
def test_the_example_of_a_rule_prints_what_it_shows(name: str, words: str, output: str) -> None:
    ended = bankwise(*shlex.split(words))
    assert ended.out + ended.err == output


def test_every_word_has_one_meaning_and_a_source() -> None:
    table = nouns()
    assert len(table) >= 40
    names = [name.casefold() for one in table for name in (one.name, *one.also)]
    assert len(names) == len(set(names))
    assert not set(names) & {r.name for r in rules()}
    for one in table:
        assert one.meaning.endswith(".")
        assert len(one.meaning) < 320
        assert one.source
        assert not one.rule or rule(one.rule)
        for page in re.findall(r"docs/\w+\.md", f"{one.meaning} {one.source}"):
            assert (ROOT / page).exists(), page
        for words in re.findall(r"`bankwise ([^`]+)`", f"{one.meaning} {one.source}"):
            assert bankwise(*shlex.split(words.replace("certify", "certify -h"))).code == 0


TITLES = ("extra", "runs", "place", "instruction", "kernel", "access")
"""Of the columns of a check, as far as they are in no other test."""
SAID = ("possible conflict", "per_phase", "policy emitted", "as followed", "byte a", "best found")
"""Words that a report prints."""


@pytest.mark.parametrize(
    "said", ["pass", "PASS", "Nsight's", "warp", "direct to lds", "16-way", *TITLES, *SAID]
)
def test_a_word_is_found_by_any_of_its_names(said: str) -> None:
    ended = bankwise("explain", said)
    if said == "Nsight's":
        assert ended.code == 2
        return
    assert (ended.code, ended.err) == (0, "")
    assert "source: " in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    document = json.loads(bankwise("explain", said, "--format", "json").out)
    assert document["schema"] == "bankwise.noun/1"
    assert document["meaning"].split()[0] in ended.out


@pytest.mark.parametrize(
    ("said", "name", "facts"),
    [
        ("H100", "sm_90", ("waves of 32", "227 KiB", "32 banks.", "measured")),
        ("sm_90", "sm_90", ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared",)),
        ("MI300X", "gfx942", ("waves of 64", "64 KiB", "32 banks.", "8 of 16 bytes", "unknown")),
        ("gfx950", "gfx950", ("160 KiB", "32 or 64 banks by instruction")),
    ],
)
def test_a_gpu_is_explained_by_any_of_its_names(
    said: str, name: str, facts: tuple[str, ...]
) -> None:
    """The facts of the vendors' documents, as docs/hardware.md has them."""
    found = explain(said)
    assert isinstance(found, Noun)
    assert found.name == name
    assert all(fact in found.meaning for fact in facts), found.meaning
    assert bankwise("explain", said).code == 0


@pytest.mark.parametrize(
    ("bits", "base", "shift"), [(3, 4, 3), (3, 3, 3), (2, 4, 5), (1, 0, 1), (0, 4, 3)]
)
def test_every_swizzle_of_cute_is_explained_by_its_formula(
    bits: int, base: int, shift: int
) -> None:
    """The formula of cute/swizzle.hpp: ``offset ^ ((offset & yyy_msk) >> S)``."""
    said = f"Swizzle<{bits},{base},{shift}>"
    found = explain(said)
    assert isinstance(found, Noun)
    formula = re.search(r": (x \^ \([^)]*\))", found.meaning)
    assert formula
    mask = ((1 << bits) - 1) << (base + shift)
    for x in range(1 << 13):
        assert eval(formula[1], {"x": x}) == x ^ ((x & mask) >> shift)
    rows = re.search(r"Pieces of (\d+) stay .* row r of (\d+), .*r mod (\d+)", found.meaning)
    assert rows
    piece, row, numbers = map(int, rows.groups())
    for x in range(1 << 13):
        r, p = x // row, x % row // piece
        assert eval(formula[1], {"x": x}) == r * row + (p ^ r % numbers) * piece + x % piece
    assert explain(f"sw<{bits}, {base}, {shift}>") == found
    ended = bankwise("explain", said)
    assert (ended.code, ended.err) == (0, "")
    for words in re.findall(r"`bankwise ([^`]+)`", found.meaning):
        assert bankwise(*shlex.split(words)).code == 0


@pytest.mark.parametrize("said", ["Swizzle<3,4,2>", "Swizzle<9,20,20>"])
def test_what_is_no_swizzle_of_cute_is_told(said: str) -> None:
    ended = bankwise("explain", said)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("ldmatrix", ["lanes 0-7 ", "all of x1", "row l / 4", "2 * (l % 4)"]),
        ("half", ["two share a word", "M = 3"]),
        ("float2", ["8 bytes (float2)"]),
        ("phase", ["0-3, 12-15 and 20-27", "`bankwise machines`"]),
    ],
)
def test_what_people_look_up_is_there(said: str, facts: list[str]) -> None:
    out = " ".join(bankwise("explain", said).out.split())
    assert all(fact in out for fact in facts), out


def test_machines_lists_the_lanes_of_every_phase_that_is_no_run() -> None:
    """As the page of hardware has them: shark-guide's order of ds_read_b128."""
    out = " ".join(bankwise("machines", "gfx950").out.split())
    phases = "0-3 12-15 20-27 | 4-11 16-19 28-31 | 32-35 44-47 52-59 | 36-43 48-51 60-63"
    assert f"4 x 16: {phases};" in out


COUNTERS = (
    *("SQ_LDS_BANK_CONFLICT", "SQ_LDS_IDX_ACTIVE"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared",
)


@pytest.mark.parametrize("said", COUNTERS)
def test_a_counter_is_explained_with_who_says_so(said: str) -> None:
    found = explain(said)
    assert isinstance(found, Noun)
    assert "counter" in found.meaning
    assert "documentation" in found.source


@pytest.mark.parametrize("said", ["isa", "ISA", "unknown", "unknown rule"])
def test_words_of_verdicts_are_explained(said: str) -> None:
    assert explain(said).name == said.casefold().removesuffix(" rule")


def test_every_instruction_of_a_machine_file_is_explained() -> None:
    known = {row for name in machine_files() for row in machine(name).instructions.values()}
    assert len({row.name for row in known}) > 50
    for row in known:
        found = explain(row.name)
        assert isinstance(found, Noun)
        if found.name == row.name and not found.also:
            (said,) = (s for s in re.split(r"(?<=\d)\.(?: |$)", found.meaning) if row.machine in s)
            assert f"{row.width_bytes} bytes" in said
            assert f"in {len(row.phases)} phase" in said
            assert ("is unknown" in said) == (row.evidence == "unknown")
            assert f"confidence {row.confidence}" in said


def test_an_instruction_is_explained_as_one_gpu_serves_it() -> None:
    """4 phases on gfx942; of other GPUs, whose numbers differ, nothing is said."""
    ended = bankwise("explain", "ds_write2_b64", "-t", "MI300X")
    assert "gfx942: a write of 8 bytes" in ended.out
    assert "in 4 phases of 16" in ended.out
    assert "gfx1250" not in ended.out
    for word, said in (("bank", "says something of an instruction"), ("no_word", "is none")):
        refused = bankwise("explain", word, "-t", "gfx942")
        assert (refused.code, said in refused.err) == (2, True)
    assert bankwise("explain", "ds_write2_b64", "-t", "sm_90").code == 2


@pytest.mark.parametrize(
    ("said", "name", "means"),
    [
        ("unpadded<pitch=132, row=128>", "unpadded<pitch, row>", "padding undone"),
        ("xor<stride=64, runs=64:2:4, 128:16:4>", "xor<stride, runs>", "(offset / D) mod N"),
        ("xor<width=8, unit=1, stride=8, per_phase=1, period=8>", "xor<width, ", "mod period"),
        ("#iree_codegen.xor_shuffle<256, 128>", "xor_shuffle<row, ", "mod (row / access)"),
        ("Swizzle<2,4,3>", "Swizzle<2,4,3>", "XORed into"),
    ],
)
def test_a_layout_with_its_numbers_is_explained(said: str, name: str, means: str) -> None:
    found = explain(said)
    assert isinstance(found, Noun)
    assert found.name.startswith(name)
    assert means in found.meaning
    ended = bankwise("explain", "xor<x>y")
    assert ended.code == 2


def test_a_word_of_two_words_needs_no_quotes() -> None:
    assert bankwise("explain", "bank", "conflict").out == bankwise("explain", "bank conflict").out
    ended = bankwise("explain", "bank", "conflictt")
    assert ended.code == 2
    assert "bank conflict" in ended.err


def test_an_unknown_rule_is_met_with_the_nearest():
    with pytest.raises(InputError) as caught:
        rule("bank-conflicts")
    assert "bank-conflict" in caught.value.hint


def test_a_rule_is_printed_with_all_its_words():
    out = io.StringIO()
    print_rule(rule("row-mul"), Console(file=out, width=200, highlight=False))
    said = rule("row-mul").what.split()
    assert " ".join(said) in " ".join(out.getvalue().split())
    assert all(len(line) <= 80 for line in out.getvalue().splitlines())
    out = io.StringIO()
    print_rules(rules(), Console(file=out, width=200, highlight=False))
    assert all(r.name in out.getvalue() for r in rules())
    assert len(plain(rules_document(rules()))["rules"]) == len(rules())


@pytest.mark.parametrize("said", ["no worse", "data and issue cycles", "cycles with issue"])
def test_terms_of_the_verdict_on_code_are_explained(said: str) -> None:
    assert bankwise("explain", said).code == 0
