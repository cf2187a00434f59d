"""``bankwise opt``: passes by name, text in, text out."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler")

from bankwise.ask.opt import Rules, names, opt
from bankwise.errors import InputError
from bankwise.show.documents.opting import opt_document
from bankwise.show.schema import plain
from passes_cases import opened, roundtrip

HINT = "#iree_codegen.xor_shuffle<{}>"


def written(tmp_path, text):
    file = tmp_path / "k.mlir"
    file.write_text(text)
    return file


def test_passes_run_in_the_order_given_on_each_others_text(tmp_path):
    report = opt(written(tmp_path, roundtrip(HINT.format("64, 8"))), ["resolve", "pad"], "gfx942")
    assert [name for name, _ in report.passes] == ["resolve", "pad"]
    assert "swizzle_hint" not in report.text
    assert opened(report.text)


def test_what_is_refused_gives_exit_code_1_and_the_text_as_it_was(tmp_path):
    text = roundtrip(HINT.format("48, 8"), size=6144)
    report = opt(written(tmp_path, text), ["resolve"], "gfx942")
    assert (report.exit_code, report.text) == (1, text)
    document = plain(opt_document(report))
    assert "no power of two" in document["passes"][0]["refusals"][0]["reason"]


def test_with_the_flag_off_every_byte_stays(tmp_path):
    text = roundtrip(HINT.format("64, 8")).replace("\n", "\r\n")
    file = tmp_path / "k.mlir"
    file.write_bytes(text.encode())
    assert opt(file, ["decide"], "gfx942", rules=Rules(flag=False)).text == text


def test_an_unknown_pass_is_named_with_the_nearest_one(tmp_path):
    with pytest.raises(InputError, match="unknown pass 'resolv'") as caught:
        opt(written(tmp_path, roundtrip(HINT.format("64, 8"))), ["resolv"], "gfx942")
    assert "resolve" in caught.value.hint


@pytest.mark.parametrize("name", names())
def test_every_named_pass_runs(tmp_path, name):
    report = opt(written(tmp_path, roundtrip(HINT.format("64, 8"))), [name], "gfx942")
    assert opened(report.text)
