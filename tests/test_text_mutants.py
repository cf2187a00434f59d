"""Corrupted answers of CuTe and CK: a changed header with one thing wrong is never accepted.

The rules know nothing of layouts: another number somewhere in what was written, two neighbours
swapped, one use left with the old words, one function left as it was.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("tree_sitter_cuda")

import cute_texts
from bankwise.ask.check_ck import report_of
from bankwise.ask.check_cute import CuteFile, Replacement, open_cute, replacements
from bankwise.ask.ck_reading import CkReading
from bankwise.ask.fix_ck import fix_ck_file, planned_of
from bankwise.ask.fix_cute import edited, fix_cute_file, judged
from bankwise.change.ck import Planned, proved
from bankwise.errors import InputError, Refusal
from bankwise.read.options import Options
from test_ck_headers import CASES, HEADERS, STAYS, only_the_assertion, options, reading
from test_cute_files import EXPECTED, named

NUMBER = re.compile(r"(?<![\w.])_?\d+\b")
PAIR = re.compile(r"(?<![\w.])(\d+)(, ?)(\d+)\b")


def written(before: str, after: str) -> Iterator[tuple[int, int]]:
    """The characters of the new text that are not of the old one, by lines."""
    starts = [0]
    for line in after.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    pair = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for word, _, _, first, last in difflib.SequenceMatcher(None, *pair, False).get_opcodes():
        if word in ("replace", "insert"):
            yield starts[first], starts[last]


def wrong_numbers(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Another number in one place of some spans; two neighbours swapped."""
    for start, stop in spans:
        for found in NUMBER.finditer(text, start, stop):
            front, number = ("_", found[0][1:]) if found[0][0] == "_" else ("", found[0])
            for other in sorted({int(number) + 1, int(number) * 2, max(0, int(number) - 1)}):
                if other != int(number):
                    yield f"{text[: found.start()]}{front}{other}{text[found.end() :]}"
        for found in PAIR.finditer(text, start, stop):
            if found[1] != found[3]:
                swapped = f"{found[3]}{found[2]}{found[1]}"
                yield text[: found.start()] + swapped + text[found.end() :]


def cute_file(name: str, text: str) -> CuteFile:
    return open_cute(text, named(name), Options("sm_80", dims=EXPECTED[name][1]))


@functools.cache
def answer(name: str) -> tuple[CuteFile, Replacement, str]:
    """A text, its answer, and the text with it."""
    before = cute_file(name, getattr(cute_texts, name))
    (chosen,) = replacements(before, before.sites)
    return before, chosen, edited(before, (chosen,))


def cute_accepted(name: str, text: str) -> bool:
    """Whether the judge of ``fix`` takes a text for the answer."""
    before, chosen, _ = answer(name)
    try:
        after = cute_file(name, text)
    except InputError:
        return False
    return judged(before, after, (chosen,)).status == "passed"


def left_behind(name: str) -> Iterator[str]:
    """One use of a changed name with the old words in its place."""
    before, chosen, fixed = answer(name)
    old = before.text.of(chosen.place.term.span)
    for said in re.finditer(r"using (\w+) = ([^;]*);", fixed):
        if chosen.answer.text == said[2]:
            for use in re.finditer(rf"\b{said[1]}\{{\}}", fixed):
                yield fixed[: use.start()] + old + fixed[use.start() + len(said[1]) :]


@pytest.mark.parametrize("name", ["TURN", "OPERAND", "SIMPLE", "MATRICES"])
def test_no_corrupted_answer_of_cute_is_accepted(name: str) -> None:
    before, chosen, fixed = answer(name)
    assert cute_accepted(name, fixed)
    first = fixed.index(chosen.answer.text)
    span = first, first + len(chosen.answer.text)
    mutants = [*wrong_numbers(fixed, [span]), before.text.text]
    assert len(mutants) >= 7
    assert [text for text in mutants if cute_accepted(name, text)] == []


@pytest.mark.parametrize("name", ["TURN", "VALUES"])
def test_a_use_with_the_old_layout_is_not_accepted(name: str) -> None:
    mutants = [*left_behind(name)]
    assert mutants
    assert [text for text in mutants if cute_accepted(name, text)] == []


ALIASED = cute_texts.TURN.replace(
    "composition(SmemLayout{}, make_layout(Shape<_64, _64>{}, GenRowMajor{}))",
    "Layout<Shape<_64, _64>, Stride<_1, _64>>{}",
)


@pytest.mark.parametrize("second", ["make_smem_ptr(smem)", "sA.data()", "make_smem_ptr( smem )"])
def test_memory_that_two_terms_lay_out_is_left_alone(second: str, tmp_path: Path) -> None:
    """A swizzle in one of them would give the other one other elements."""
    text = ALIASED.replace(
        "auto sT = make_tensor(make_smem_ptr(smem)", f"auto sT = make_tensor({second}"
    )
    file = tmp_path / "kernel.hpp"
    file.write_text(text, "utf-8")
    report = fix_cute_file(file, Options("sm_80"))
    assert report.before.totals.run.extra
    assert not report.changes
    assert ["uses the same pointer" in one.reason for one in report.refusals] == [True]
    apart = text.replace(
        f"auto sT = make_tensor({second}", "auto sT = make_tensor(make_smem_ptr(b)"
    )
    file.write_text(apart, "utf-8")
    assert fix_cute_file(file, Options("sm_80")).changes


@pytest.mark.parametrize("use", ["out[0] = smem[threadIdx.x];", "T* p = smem + 8;", "f(smem[3]);"])
def test_memory_that_is_used_past_its_layout_is_left_alone(use: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.hpp"
    file.write_text(
        cute_texts.TURN.replace("  __syncthreads();", f"  __syncthreads();\n  {use}"), "utf-8"
    )
    report = fix_cute_file(file, Options("sm_80"))
    assert not report.changes
    assert report.refusals


@functools.cache
def ck_plan(name: str, dims: tuple[str, ...]) -> tuple[CkReading, Planned]:
    before = reading(name, dims)
    return before, planned_of(report_of(before)[1])


def ck_accepted(name: str, dims: tuple[str, ...], text: str) -> bool:
    before, planned = ck_plan(name, dims)
    try:
        after = reading(name, dims, text)
    except InputError:
        return False
    return not isinstance(proved(before.made, after.made, planned), Refusal)


@pytest.mark.parametrize("name", ["attention_keys", "scenario_rows"])
def test_no_corrupted_answer_of_ck_is_accepted(name: str) -> None:
    """What a ``static_assert`` says more or less moves no element."""
    assert name not in STAYS
    dims = CASES[name][0]
    report = fix_ck_file(HEADERS / f"{name}.hpp", options(dims))
    assert ck_accepted(name, dims, report.fixed_text)
    changed = written(report.source_text, report.fixed_text)
    mutants = [*wrong_numbers(report.fixed_text, changed), report.source_text]
    mutants = [text for text in mutants if not only_the_assertion(text, report.fixed_text)]
    assert len(mutants) >= 12
    assert [text for text in mutants if ck_accepted(name, dims, text)] == []
