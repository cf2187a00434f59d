"""The reason of a conflict is true of the lanes that it names, and has a place in the document.

Random addresses, under every instruction of every machine; the judge goes by the text alone, with
the address of every lane at hand.
"""

from __future__ import annotations

import functools
import json
import random
import re
from itertools import pairwise

import jsonschema
import pytest

from bankwise.ask.count import count_expression
from bankwise.counting.conflict import Witness
from bankwise.errors import InputError
from bankwise.hardware.machine import Instruction, machine, names
from bankwise.show.counting import CountReport
from bankwise.show.documents.counting import count_document
from bankwise.show.schema import dumps, json_schema
from brute import phases_of
from command import bankwise

ROWS = re.compile(
    r"rows advance by (\d+) words, (\d+) mod (\d+) banks = (\d+): (?:the banks repeat every (\d+) "
    r"rows|all rows begin in the same bank); (\d+) rows, (\d+)-way"
)
TERMS = re.compile(
    r"(word|byte) (.+): lanes (\d+) and (\d+) are (.+) = (-?\d+) apart, (\d+) rounds? of the (\d+) "
    r"banks(?: (and|less) (\d+))?(?:, within .+)?"
)
PER_INSTRUCTION = 12


def address(rng: random.Random, width: int) -> str:
    """A random expression of the lane: strides, divisions, products, XOR; mostly aligned."""
    size = rng.choice([width, width, 4, 1])
    factors = [1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 32, 33, 36, 40, 64, 65, 96, 128]
    part = [
        f"lane * {rng.choice(factors)}",
        f"lane % {rng.choice([2, 4, 8, 16, 32])} * {rng.choice(factors)}",
        f"lane // {rng.choice([2, 3, 4, 8, 16])} * {rng.choice(factors)}",
        f"lane * lane * {rng.choice([1, 4])}",
        f"(lane ^ lane // {rng.choice([2, 4, 8])}) * {rng.choice(factors)}",
        f"{rng.choice([1, 5, 32])}",
    ]
    return f"({' + '.join(rng.sample(part, rng.choice([1, 1, 2, 3])))}) * {size}"


def values(expression: str, lanes: int) -> list[int]:
    code = compile(expression, "offset", "eval")
    return [int(eval(code, {"lane": lane})) for lane in range(lanes)]


def hold_rows(said: re.Match[str], starts: dict[int, int], seen: Witness) -> None:
    """``starts``: the word at which each active lane of the phase begins."""
    step, again, banks, residue, period, rows, ways = (int(n or 1) for n in said.groups())
    assert (again, residue) == (step, step % banks)
    assert period == next(n for n in range(1, banks + 1) if n * step % banks == 0)
    assert ways == len(seen.lanes)
    first = starts[seen.lanes[0]]
    assert all((starts[lane] - first) % (step * period) == 0 for lane in seen.lanes)
    own: dict[int, int] = {}
    for lane, word in starts.items():
        if (word - first) % step == 0:
            own.setdefault(word, lane)
    words = sorted(own)
    gaps = [b - a for a, b in pairwise(words)]
    assert len(words) == rows
    assert min(gaps) == step
    slopes = {(b - a) / (own[b] - own[a]) for a, b in pairwise(words)}
    assert set(gaps) == {step} or len(slopes) == 1, "neither one by one nor by the lane's number"


def hold_terms(said: re.Match[str], at: list[int], seen: Witness) -> None:
    """``at``: the byte at which each lane begins."""
    unit, terms, one, two, sum_, apart, rounds, banks, sign, rest = said.groups()
    size = 4 if unit == "word" else 1
    first, second = int(one), int(two)
    assert {first, second} <= set(seen.lanes)
    assert (at[second] - at[first]) == int(apart) * size == eval(sum_) * size
    around = int(banks) * 4 // size
    left = {None: 0, "and": 1, "less": -1}[sign] * int(rest or 0)
    assert abs(int(apart)) == int(rounds) * around + left
    formula = terms.replace("/", "//")
    found = [eval(formula, {"lane": lane}) * size for lane in (first, second)]
    assert found[1] - found[0] == at[second] - at[first]


def hold(report: CountReport, row: Instruction, offsets: list[int], active: list[bool]) -> str:
    """Which kind of reason was said; AssertionError where it is not true."""
    said, seen = str(report.reason), report.witness
    assert seen is not None
    lanes = phases_of(row, offsets, active)[seen.phase]
    starts = {lane: offsets[lane] // 4 for lane in lanes if active[lane]}
    if rows := ROWS.fullmatch(said):
        hold_rows(rows, starts, seen)
        return "rows"
    terms = TERMS.fullmatch(said)
    assert terms, said
    hold_terms(terms, offsets, seen)
    return "terms"


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json_schema("bankwise.count/1"))


@pytest.mark.parametrize("target", names())
def test_a_reason_is_true_and_its_document_satisfies_the_schema(target: str) -> None:
    rng, kinds = random.Random(target), []
    valid: set[tuple[str, bool]] = set()
    for row in machine(target).instructions.values():
        for _ in range(PER_INSTRUCTION):
            text = address(rng, row.width_bytes)
            mask = rng.choice(["", "", "lane < 24", "lane % 2 == 0", "lane * 7 % 3 < 2"])
            try:
                report = count_expression(target, row.name, text, mask)
            except InputError:
                continue  # the machine faults on such an address
            document = json.loads(dumps(count_document(report)))
            if (row.name, report.reason is None) not in valid:  # it takes longer than all else
                validator().validate(document)
                valid.add((row.name, report.reason is None))
            assert (document["reason"] is None) == (report.reason is None)
            if report.reason:
                active = [bool(x) for x in values(mask or "1", row.wave_size)]
                kinds.append(hold(report, row, values(text, row.wave_size), active))
    assert kinds.count("rows") > 10
    assert kinds.count("terms") > 1


@pytest.mark.parametrize(
    ("target", "instruction", "offsets", "says"),
    [
        ("sm_90", "ld.shared.b32", "(lane%16*17+lane//16)*4", "= 256 apart, 8 rounds"),
        ("sm_90", "ld.shared.b8", "lane*5", "= 130 apart, 1 round of the 32 banks and 2"),
        ("gfx942", "ds_read_b32", "(lane%16*17+lane//16)*4", "= 256 apart, 8 rounds"),
        # Lanes 0 and 24: 24 rows of 32 words; 8 * lane % 8 gives both the same.
        ("gfx950", "ds_read_b128", "lane%32 * 128 + lane%8 * 16", "= 768 apart, 12 rounds"),
    ],
)
def test_lanes_that_meet_by_terms_have_no_numbers_of_rows(
    target: str, instruction: str, offsets: str, says: str
) -> None:
    ended = bankwise("count", "-t", target, instruction, offsets, "--format", "json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)
    validator().validate(found)
    assert says in found["reason"]
    assert found["arithmetic"] is None


def test_words_that_grow_as_squares_advance_by_no_step() -> None:
    """Lanes 2, 6, 10 want the words 4, 36, 100."""
    ended = bankwise("count", "-t", "sm_90", "ld.shared.b32", "lane*4*lane", "--format", "json")
    found = json.loads(ended.out)
    assert found["witness"]["words"][:3] == [4, 36, 100]
    assert (found["reason"], found["arithmetic"]) == (None, None)


def test_rows_that_a_phase_leaves_out_are_no_other_step() -> None:
    """gfx950 serves lanes 0-3, 12-15, 20-27 together: rows of 32 words on 64 banks."""
    ended = bankwise("count", "-t", "gfx950", "ds_read_b128", "lane*128", "--format", "json")
    assert json.loads(ended.out)["arithmetic"] == {
        "advance_words": 32,
        "banks": 64,
        "residue": 32,
        "gcd": 32,
        "period": 2,
        "rows": 16,
        "ways": 8,
    }


def test_the_reason_of_a_second_address_is_of_that_address() -> None:
    """The first addresses are free; the second lie 33 rows of the banks apart, lane by lane."""
    report = count_expression("gfx942", "ds_read2_b32", "lane*4", second="lane*33*128")
    assert report.witness is not None
    assert "rows advance by 1056 words, 1056 mod 32 banks = 0" in str(report.reason)
