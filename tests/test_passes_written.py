"""Texts in all the ways that people and printers write them: every pass, and what it makes."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("iree.compiler")

from bankwise.ask.opt import names, opt
from bankwise.change.passes.decide import decide
from bankwise.change.passes.pad import pad
from bankwise.change.passes.resolve import resolve
from bankwise.change.passes.split_access import split_access
from bankwise.change.passes.unpad import unpad
from passes_cases import GFX942, LDS, opened, places, roundtrip, same_results
from test_passes_pad import rows

HINT = "#iree_codegen.xor_shuffle<64, 8>"


def padded() -> str:
    return pad(opened(rows(8)), GFX942, bits=64).text


def printed(text: str, **how: bool) -> str:
    return str(opened(text).module.operation.get_asm(**how))


def aliased(text: str) -> str:
    """The type of the allocation under a name, its memory space under another."""
    (of,) = re.findall(r"memref\.alloc\(\) : (memref<.*>)", text)
    named = of.replace(LDS, "#space")
    return f"#space = {LDS}\n!tile = {named} // memref<4xf16>\n{text.replace(of, '!tile')}"


def located(text: str) -> str:
    """A place in a model behind every load, store and allocation."""
    where = r'\1 loc(callsite("a)"("m.py":1:2) at fused<"x">["b", "c":3:4]))'
    return re.sub(r"(?m)^(.*(?:memref|vector)\.\w+.*)$", where, text)


STYLES = {
    "printed": printed,
    "generic": lambda text: printed(text, print_generic_op_form=True),
    "debug": lambda text: printed(text, enable_debug_info=True),
    "located": located,
    "aliased": aliased,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "types below": lambda text: text.replace(" : memref", "\n    : memref"),
}

WORK = {
    "pad": rows(64),
    "split-access": rows(64),
    "resolve": roundtrip(HINT),
    "unpad": padded(),
}


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("style", STYLES)
def test_a_pass_reads_all_ways_to_write_a_text(tmp_path, style, name):
    text = STYLES[style](WORK[name])
    file = tmp_path / "k.mlir"
    file.write_bytes(text.encode())
    report = opt(file, [name], "gfx942")
    outcome = report.passes[-1][1]
    assert not outcome.refusals
    assert outcome.changed
    assert same_results(WORK[name], report.text)
    assert style != "crlf" or not re.search(r"(?<!\r)\n", report.text)


def test_a_text_in_generic_form_that_nothing_changes_stays_as_it_is(tmp_path):
    text = printed(rows(72), print_generic_op_form=True)
    file = tmp_path / "k.mlir"
    file.write_text(text)
    report = opt(file, ["absorb"], "gfx942")
    assert report.text == text
    assert [name for name, _ in report.passes] == ["absorb"]


def test_an_attribute_under_a_name_is_resolved():
    plain = roundtrip(HINT)
    lines = [line for line in plain.splitlines() if "swizzle_hint" not in line]
    alloc = "memref.alloc() {alignment = 64 : i64, iree_codegen.swizzle = #fold}"
    text = "\n".join([f"#fold = {HINT}", *lines, ""]).replace("%h[", "%lds[")
    text = text.replace("memref.alloc()", alloc)
    done = resolve(opened(text), GFX942)
    assert "proved for all launches" in done.remarks[0].reason
    assert "memref.alloc() {alignment = 64 : i64} :" in done.text
    assert same_results(text, done.text)


def test_an_allocation_that_says_its_strides_gets_no_hint():
    of = f"memref<64x64xf16, {LDS}>"
    text = rows(64).replace(of, f"memref<64x64xf16, strided<[64, 1]>, {LDS}>")
    done = decide(opened(text), GFX942)
    assert done.text == text
    assert "says its strides" in done.remarks[0].reason


@pytest.mark.parametrize("name", names())
def test_a_text_without_kernels_is_told_what_was_looked_for(tmp_path, name):
    file = tmp_path / "k.mlir"
    file.write_text("func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n")
    ((_, outcome),) = opt(file, [name], "gfx942").passes
    assert (outcome.remarks, outcome.refusals) == ((), ())
    assert outcome.looked_for


def test_a_vector_of_32_bytes_is_split_once():
    text = roundtrip(HINT, width=16).replace("xor_shuffle<64, 8>", "xor_shuffle<64, 16>")
    done = split_access(opened(text), GFX942)
    assert "proved for all launches" in done.remarks[0].reason
    assert done.text.count("vector.extract_strided_slice") == 4
    assert same_results(text, done.text)


def test_a_part_of_a_byte_pool_loses_its_padding():
    alloc = re.search(r"%lds_padded = memref\.alloc\(\) : (memref<.*>)\n", padded())
    assert alloc is not None
    start = 64 * (8 + 4) * 2
    pool = f"memref<{2 * start}xi8, {LDS}>"
    text = padded().replace(
        alloc[0],
        f"%pool = memref.alloc() : {pool}\n  %first = arith.constant {start} : index\n"
        f"  %lds_padded = memref.view %pool[%first][] : {pool} to {alloc[1]}\n",
    )
    done = unpad(opened(text), GFX942)
    assert "proved for all launches" in done.remarks[0].reason
    assert f"to memref<64x8xf16, {LDS}>" in done.text
    assert same_results(text, done.text)
    assert places(opened(done.text))[0] == [[row * 8 * 2 for row in range(64)]]
