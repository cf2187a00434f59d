"""One CK header for several GPUs: a layout that is counted for each, and worse on none.

Counts are those of ``brute.py`` over formulas; that no XOR alone would do is shown by trying them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tree_sitter_cuda")

from bankwise.ask.fix_ck import fix_ck_file
from bankwise.hardware.machine import machine
from bankwise.read.options import Options
from brute import brute_count
from command import bankwise
from test_ck_headers import HEADERS, operand, raked
from test_ck_sizes import answers, words

HEADER = HEADERS / "two_operands.hpp"
GPUS = ("gfx942", "gfx950")
BOTH = ("-t", "gfx942", "-t", "gfx950")
Place = Callable[[int, int], int]


def on(gpu: str, rows: int, at: Place) -> int:
    """Passes of one operand of so many rows of 64 halves on a GPU: stored, then loaded."""
    stored = ("ds_write_b128", raked(rows, 64, 8, "block"))
    loaded = ("ds_read_b128", operand(rows, 64, (32, 16), 2, 2))
    return sum(
        brute_count(
            machine(gpu).instruction(name), [[at(m, k) * 2 for m, k in lanes]], [True] * 64
        )[0]
        for name, moves in (stored, loaded)
        for lanes in moves
    )


def plain(m: int, k: int) -> int:
    return m * 64 + k


def padded(m: int, k: int) -> int:
    return m * 72 + k


def test_each_gpu_s_own_xor_is_not_free_on_the_other() -> None:
    """So that one answer for both has to be another one."""
    for shift in range(4):
        free = [
            on(gpu, 128, lambda m, k, s=shift: m * 64 + (k ^ ((m >> s) % 8 * 8))) == on_ideal(gpu)
            for gpu in GPUS
        ]
        assert not all(free)


def on_ideal(gpu: str) -> int:
    """Of 16 stores and 32 loads, a pass for each phase of the instruction."""
    row = machine(gpu).instruction
    return 16 * len(row("ds_write_b128").phases) + 32 * len(row("ds_read_b128").phases)


def test_one_padding_serves_both_and_is_counted_for_each() -> None:
    report = fix_ck_file(HEADER, Options("gfx942", dims=answers(128, 64, 64), targets=("gfx950",)))
    counted = [
        (kernel.name, kernel.target, kernel.totals.run.passes) for kernel in report.before.kernels
    ]
    assert counted == [
        (f"Make{operand_}LdsBlockDescriptor [{gpu}]", gpu, on(gpu, rows, plain))
        for gpu in GPUS
        for operand_, rows in (("A", 128), ("B", 64))
    ]
    after = [kernel.totals.run.passes for kernel in report.after.kernels]
    assert after == [on(gpu, rows, padded) for gpu in GPUS for rows in (128, 64)]
    assert on("gfx942", 128, padded) == on_ideal("gfx942")
    assert report.fixed_text.count("number<kKPerBlock + kKPack>{}, number<1>{}),") == 2
    assert report.fixed_text.count("static_assert(kKPerBlock % kKPack == 0);") == 2
    assert "number<8>" not in report.fixed_text
    assert [verdict.status for verdict in report.verdicts] == ["passed", "passed"]
    assert [verdict.detail.split()[1] for verdict in report.verdicts] == list(GPUS)


def test_a_padding_that_no_name_has_the_value_of_is_a_number(tmp_path: Path) -> None:
    path = tmp_path / "plain.hpp"
    text = HEADER.read_text().replace("        constexpr index_t kKPack     = 8;\n", "")
    path.write_text(text.replace("kKPack", "8"))
    done = bankwise("fix", path, *BOTH, *words(answers(64, 64, 64)), "-o", path)
    assert done.code == 0
    assert path.read_text().count("number<kKPerBlock + 8>{}") == 2
    assert path.read_text().count("static_assert(kKPerBlock % 8 == 0);") == 2


def folded(shift: int, phases: int) -> Place:
    return lambda m, k: m * 64 + (k ^ ((m >> shift) % phases * 8))


def test_where_lds_has_no_room_for_a_padding_an_xor_stands(tmp_path: Path) -> None:
    """The best of the XORs of pieces of 16 bytes that is worse on neither GPU."""
    path = tmp_path / "fixed_size.hpp"
    text = HEADER.read_text()
    for name, rows in (("A", "kM"), ("B", "kN")):
        sized = f"Make{name}LdsBlockDescriptor<Problem>().get_element_space_size()"
        assert sized in text
        shape = "Problem::BlockGemmShape"
        text = text.replace(sized, f"{shape}::{rows} * {shape}::kK")
    path.write_text(text)
    dims = answers(128, 64, 64)
    report = fix_ck_file(path, Options("gfx942", dims=dims, targets=("gfx950",)))
    after = {kernel.name: kernel.totals.run.passes for kernel in report.after.kernels}
    for operand_, rows in (("A", 128), ("B", 64)):
        here = {gpu: after[f"Make{operand_}LdsBlockDescriptor [{gpu}]"] for gpu in GPUS}
        assert all(here[gpu] < on(gpu, rows, plain) for gpu in GPUS)
        some = [[on(gpu, rows, folded(s, p)) for gpu in GPUS] for s in range(4) for p in (2, 4, 8)]
        assert sum(here.values()) == min(map(sum, some))
    assert report.fixed_text.count("make_xor_transform") == 2
    assert [verdict.status for verdict in report.verdicts] == ["passed", "passed"]
    told = [note for note in report.notes if "sizes LDS" in note]
    assert len(told) == 2
    both = sum(on(gpu, 128, padded) for gpu in GPUS)
    assert f"strides [72, 1] take {both:,} passes in all" in told[0]
    assert "MakeALdsBlockDescriptor<Problem>().get_element_space_size()" in told[0]
    assert "bankwise check" not in told[0]


def test_the_text_says_each_gpu_before_and_after(tmp_path: Path) -> None:
    path = tmp_path / "both.hpp"
    dims = words(answers(64, 64, 64))
    done = bankwise("fix", HEADER, *BOTH, *dims, "-o", path)
    told = " ".join(done.err.split())
    assert done.code == 0
    for gpu in GPUS:
        before, after = on(gpu, 64, plain), on(gpu, 64, padded)
        name = f"MakeALdsBlockDescriptor [{gpu}]"
        assert f"{name}: strides [72, 1], 1,008 bytes of LDS more {before:,} -> {after:,}" in told
        assert bankwise("check", path, "-t", gpu, *dims).code == 0
    again = bankwise("fix", path, *BOTH, *dims)
    assert (again.code, again.out) == (0, "")
    assert "nothing to fix" in again.err


def test_a_gpu_that_is_named_twice_is_one(tmp_path: Path) -> None:
    done = bankwise("fix", HEADER, "-t", "gfx942", "-t", "MI300X", *words(answers(128, 64, 64)))
    assert "MakeALdsBlockDescriptor: make_xor_transform" in done.err


def documented(*more: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bankwise("fix", HEADER, *more, "--format", "json").out)
    return found


def test_a_document_has_a_kernel_for_each_tile_and_gpu() -> None:
    found = documented(*BOTH, *words(answers(64, 64, 64)))
    assert [kernel["target"] for kernel in found["after"]["kernels"]] == [
        *("gfx942", "gfx942", "gfx950", "gfx950")
    ]


def test_what_gpus_compile_differently_is_not_written(tmp_path: Path) -> None:
    """The author already tells them apart: one text for both would be the end of that."""
    text = HEADER.read_text()
    line = "            make_tuple(number<kKPerBlock>{}, number<1>{}),\n"
    other = line.replace("kKPerBlock", "kKPerBlock + 16")
    apart = f"#if defined(__gfx950__)\n{other}#else\n{line}#endif\n"
    path = tmp_path / "apart.hpp"
    path.write_text(text.replace(line, apart, 1))
    done = bankwise("fix", path, *BOTH, *words(answers(128, 64, 64)))
    told = " ".join(done.err.split())
    assert "MakeALdsBlockDescriptor: not all GPUs compile the same statements of it" in told
    assert "MakeBLdsBlockDescriptor [gfx950]: strides [72, 1]" in told


def test_what_together_has_no_room_is_said() -> None:
    """Rows of 72 for 64: 384 + 128 of them are 73,696 bytes less what no last row has behind it."""
    report = fix_ck_file(HEADER, Options("gfx942", dims=answers(384, 128, 64), targets=("gfx950",)))
    size = 2 * (383 * 72 + 64 + 127 * 72 + 64)
    (note,) = report.notes
    assert f"take {size:,} bytes, a workgroup on gfx942 has 65,536" in note


@pytest.mark.parametrize("verb", ["check", "fix"])
def test_several_gpus_are_for_a_fix_of_ck_source(verb: str, tmp_path: Path) -> None:
    path = tmp_path / "k.mlir"
    path.write_text("module { func.func @f() { return } }")
    done = bankwise(verb, path, *BOTH)
    assert (done.code, done.out) == (2, "")
    assert "CK source" in " ".join(done.err.split())
