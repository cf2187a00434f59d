"""``check --isa``: what the compiler emits is what is counted, at the lines of the source."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check import check
from bankwise.counting.counted import AccessReport
from bankwise.hardware.machine import machine
from bankwise.show.values import CheckReport, KernelReport
from brute import brute_count
from command import bankwise
from kernel_texts import EXAMPLES, ROWS, SHARED, changed, written

THREADS, PITCH = 64, 128
HEAD = f"""\
func.func @k(%in: memref<64x64xf16>, %out: memref<64x64xf16>) attributes {{
    gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 4, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c63 = arith.constant 63 : index
  %t = gpu.thread_id x upper_bound 64
  %other = arith.subi %c63, %t : index
  %lds = memref.alloc() : {SHARED}
"""
"""64 threads, rows of 128 bytes."""


def four_stores(value: str = "%v{n}") -> str:
    """Four neighbouring elements of a thread's own row, each by a store of its own."""
    loads = "".join(f"  %v{n} = memref.load %in[%c{n}, %t] : memref<64x64xf16>\n" for n in range(4))
    stores = "".join(
        f"  memref.store {value.format(n=n)}, %lds[%t, %c{n}] : {SHARED}\n" for n in range(4)
    )
    return loads + stores


READ = f"""\
  gpu.barrier
  %r = vector.load %lds[%other, %c0] : {SHARED}, vector<4xf16>
  vector.store %r, %out[%t, %c0] : memref<64x64xf16>, vector<4xf16>
  return
}}
"""
JOINED = HEAD + four_stores() + READ
FORWARDED = (
    HEAD
    + four_stores()
    + f"  %own = memref.load %lds[%t, %c0] : {SHARED}\n"
    + "  memref.store %own, %out[%t, %c63] : memref<64x64xf16>\n"
    + READ
)
HIDDEN = JOINED.replace("%lds[%t, %c1]", "%lds[%t, %one]").replace(
    "  %v0 =", "  %bit = arith.andi %t, %c0 : index\n  %one = arith.ori %bit, %c1 : index\n  %v0 ="
)
"""One index is the same to LLVM only: the source does not see that the stores are joined."""


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def extra(instruction: str, gpu: str) -> int:
    """Of one wave whose lanes start at rows of their own, counted word by word."""
    row = machine(gpu).instructions[instruction]
    passes, ideal, _ = brute_count(row, [[PITCH * t for t in range(THREADS)]], [True] * THREADS)
    return passes - ideal


def only(report: CheckReport) -> KernelReport:
    (kernel,) = report.kernels
    return kernel


def by_direction(kernel: KernelReport) -> dict[str, list[AccessReport]]:
    return {way: [a for a in kernel.accesses if a.direction == way] for way in ("read", "write")}


@pytest.mark.parametrize("gpu", ["gfx942", "gfx950"])
def test_the_totals_are_those_of_the_emitted_code_at_lines_of_the_source(
    tmp_path: Path, gpu: str
) -> None:
    path = written(tmp_path, JOINED)
    kernel = only(check(path, gpu, isa=True))
    found = by_direction(kernel)
    (write,), (read,) = found["write"], found["read"]
    assert (write.written, read.written) == ("ds_write_b64", "ds_read_b64")
    assert write.location.line == line_of(JOINED, "memref.store")
    assert read.location.line == line_of(JOINED, "%r = vector.load")
    first = write.location.line
    assert f"for lines {', '.join(str(first + n) for n in range(4))}" in write.note
    assert write.allocations == read.allocations == ("lds",)
    assert {write.location.file, read.location.file} == {str(path)}
    assert write.run.extra == extra("ds_write_b64", gpu)
    assert read.run.extra == extra("ds_read_b64", gpu)
    launch = kernel.totals.launch
    assert launch is not None
    assert launch.extra == 4 * (write.run.extra + read.run.extra)


@pytest.mark.parametrize("name", ["matmul_1024.gfx942", "attention_1x1024x128.gfx950"])
def test_every_instruction_of_a_real_kernel_finds_its_line(name: str) -> None:
    """Lines of the source that touch the allocation, in the direction of the instruction."""
    path = EXAMPLES / "iree" / f"{name}.mlir"
    lines = path.read_text("utf-8").splitlines()
    emitted = only(check(path, isa=True))
    assert emitted.accesses
    for access in emitted.accesses:
        text = lines[access.location.line - 1]
        (allocation,) = access.allocations
        assert f"%{allocation}[" in text
        assert {"read": "load", "write": "store"}[access.direction] in text
    source = only(check(path))
    moved = [
        sum(a.run.passes for a in kernel.accesses if a.direction == way)
        for kernel in (source, emitted)
        for way in ("read", "write")
    ]
    assert moved[:2] == moved[2:]


def test_what_is_forwarded_or_dropped_is_not_counted(tmp_path: Path) -> None:
    path = written(tmp_path, FORWARDED)
    emitted = only(check(path, "gfx942", isa=True))
    (read,) = by_direction(emitted)["read"]
    assert read.location.line == line_of(FORWARDED, "%r = vector.load")


def test_compiler_version_and_the_count_of_the_source_stand_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path, HIDDEN)
    source = json.loads(bankwise("check", path, "-t", "gfx942", "--format", "json").out)
    emitted = json.loads(bankwise("check", path, "-t", "gfx942", "--isa", "--format", "json").out)
    (before,), (after,) = source["kernels"], emitted["kernels"]
    assert before["compiled"] is None
    assert after["compiled"]["compiler"] == f"iree-compile {version('iree-base-compiler')}"
    assert after["compiled"]["source"] == before["added"]
    assert after["added"]["followed"] < before["added"]["followed"]
    text = bankwise("check", path, "-t", "gfx942", "--isa").out
    assert f"counted from the source: {before['added']['followed']:,}\n" in text
    assert "--isa counts what it emits" in source["notes"][-1]
    assert not any("--isa" in note for note in emitted["notes"])


def test_a_kernel_that_is_not_compiled_keeps_its_count_and_is_not_clean(tmp_path: Path) -> None:
    path = written(tmp_path, changed(ROWS, ("64x64xf16, #gpu", "64x68xf16, #gpu")))
    report = check(path, "sm_90", isa=True)
    assert only(report).compiled is None
    assert {a.instruction_source for a in report.accesses} == {"predicted"}
    assert not report.accounted
    assert any("not available for sm_90" in r.reason for r in report.refusals)
    (note,) = [n for n in check(path, "sm_90").notes if "counted from the source" in n]
    assert "--isa" not in note, "there is no back end to ask"


def test_what_is_emitted_for_nvidia_is_not_the_last_word(tmp_path: Path) -> None:
    kernel = only(check(written(tmp_path, ROWS), "sm_80", isa=True))
    assert {a.written.split(".")[0] for a in kernel.accesses} == {"ld", "st"}
    assert any("ptxas may still join" in note for note in kernel.notes)
    assert not any("ptxas" in note for note in only(check(written(tmp_path, ROWS), "gfx942")).notes)


def test_compiled_code_has_its_registers_and_what_to_write(tmp_path: Path) -> None:
    """Both come of other texts than the count: sizes of the code, advice of the source."""
    file = written(tmp_path, JOINED)
    plain, compiled = check(file, "gfx950"), check(file, "gfx950", isa=True)
    asked = {one.command for kernel in plain.kernels for one in kernel.snippets}
    assert asked
    assert {one.command for kernel in compiled.kernels for one in kernel.snippets} == asked
    done = bankwise("check", file, "-t", "gfx950", "--isa")
    told = " ".join(done.out.split())
    assert "by vector registers" in told
    assert "registers are not known here" not in told
    assert "bankwise fix" in done.out
