"""``explain choose``: source 002's checklist and rules of thumb beside the count."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from bankwise.ask.choose import choose, chosen_for
from bankwise.ask.choose_options import exchange
from bankwise.notation import ck
from bankwise.read.tile_file.read import parse_question, read_question
from bankwise.show.choosing import ChooseReport, Option, print_choose
from bankwise.show.documents.choosing import choose_document
from bankwise.show.schema import plain

EXAMPLES = Path(__file__).parents[1] / "examples"


@cache
def report(name: str) -> ChooseReport:
    return choose(EXAMPLES / f"{name}.toml")


def option(name: str, which: str) -> Option:
    return next(o for o in report(name).options if o.name == which)


def rules(name: str) -> set[str]:
    return {w.rule for w in report(name).wrong}


def test_kernel_08_stays_as_it_is_because_its_narrow_stores_are_coalesced():
    assert report("ck_transpose/08").choice == "as is"
    now, wide = (option("ck_transpose/08", n) for n in ("as is", "M-vector store"))
    assert (now.store.instructions, now.store.lines, now.extra) == (8, (2, 2), 0)
    assert (wide.store.instructions, wide.store.lines, wide.extra) == (1, (16, 16), 0)
    assert (now.instructions, wide.instructions) == (4 + 4, 4 + 32)


def test_the_m_vector_store_of_kernel_08_is_the_distribution_of_kernel_10():
    eight, ten = (read_question(EXAMPLES / "ck_transpose" / f"{n}.toml") for n in ("08", "10"))
    held, wanted = (s.accesses[1].held.distribution.coordinates() for s in (eight, ten))
    assert (exchange(held, 0) == wanted).all()


def test_exchanging_twice_changes_nothing():
    held = ck.encoding("<1 | (1,8,8),(4,8) | (2),(1,1) | (0),(1,2) | 1,2 | 0,1>").coordinates()
    for low in range(4):
        assert (exchange(exchange(held, low), low) == held).all()
    assert not np.array_equal(exchange(held, 0), held)


def test_kernel_01_is_told_to_store_wide_and_to_swizzle():
    found = report("ck_transpose/01")
    assert found.choice == "M-vector store"
    assert option("ck_transpose/01", "as is").extra == 448
    assert option("ck_transpose/01", "XOR").extra == 0
    assert option("ck_transpose/01", "M-vector store").store.fetched_bytes == 4096


def test_a_word_of_padding_is_kernel_03_and_is_not_free():
    """96 extra for four waves: 8 of the write and 16 of the read in each."""
    word = option("ck_transpose/01", "a word of padding")
    assert (word.extra, word.instructions) == (96, 4 * (2 + 8))
    thumb = report("ck_transpose/01").thumbs[1]
    assert (thumb.number, thumb.rule) == (2, "padding-narrows")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("ck_transpose/01", {"sub-steps", "same-word", "row-mul"}),
        ("ck_transpose/08", {"sub-steps", "row-mul"}),
        ("ck_transpose/04", {"sub-steps", "same-word", "row-mul", "cache-set-stride"}),
    ],
)
def test_where_the_source_is_wrong_is_told_where_a_reader_meets_it(name, wrong):
    assert rules(name) == wrong


def test_the_checklist_is_right_where_accesses_are_of_one_word():
    found = report("transpose_16x32/n_xor_m")
    assert [q.checklist for q in found.questions] == [q.counted for q in found.questions]
    assert found.wrong == ()
    assert found.thumbs[3].here == "not for sm_90"


def test_without_global_accesses_the_store_is_not_judged():
    found = report("mfma_readback/plain")
    assert found.choice == "XOR"
    assert ("M-vector store", "the spec has no [[global]] write") in found.refused
    assert found.thumbs[0].here.startswith("not judged")


def test_six_rules_and_every_question_are_walked():
    found = report("ck_transpose/08")
    assert [t.number for t in found.thumbs] == [1, 2, 3, 4, 5, 6]
    assert [q.access for q in found.questions] == ["write", "read"]
    assert "for 32 banks 16 extra, for 64 banks 0 extra" in found.thumbs[3].here


def test_an_odd_tile_is_counted_without_the_solver():
    text = """
        machine = "gfx942"
        tile = [48, 32]
        element_bits = 16
        [memory]
        layout = "row-major"
        [[access]]
        name = "odd"
        op = "read"
        distribution = "<1 | (3,16),(4,8) | (1),(1,2) | (0),(1,0) | 2 | 1>"
    """
    found = chosen_for(parse_question(text))
    assert {name for name, _ in found.refused} >= {"XOR", "padding"}
    assert found.choice in ("as is", "a word of padding")


@pytest.mark.parametrize("name", ["ck_transpose/01", "mfma_readback/plain"])
def test_the_answer_is_printed_and_is_json(name):
    out = io.StringIO()
    print_choose(report(name), Console(file=out, width=160, highlight=False))
    assert f"Choose: {report(name).choice}." in out.getvalue()
    document = plain(choose_document(report(name)))
    assert (document["schema"], len(document["rules_of_thumb"])) == ("bankwise.choose/1", 6)
    json.dumps(document)
