"""Loads of global memory in flight: how many, how often waves wait, and what ``fix`` says."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from bankwise.ask.array_plans import ArrayPlan, ArrayPlans
from bankwise.ask.array_texts import WrittenArray
from bankwise.ask.array_unrolled import in_flight, is_better
from bankwise.ask.dearer import slower, waiting
from bankwise.ask.every_launch import EmittedCost, emitted_cost
from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.spelling import Spelling, edited
from bankwise.change.cxx.unrolling import staging_lines, under_pragma
from bankwise.errors import Location, Refusal
from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import AssemblyKernel, LoadsInFlight
from bankwise.read.cuda import CUDA
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.tree import parse
from bankwise.read.follow.driver import check_code
from bankwise.read.options import Options
from bankwise.read.source import Compilation
from command import bankwise
from cuda_fixes import KERNELS, extra, fixed, real, verdicts
from isa_texts import amd_text
from sass_texts import SHARED, sass

LOAD, STORE, ADD = "LDG.E R{0}, desc[UR4][R20.64]", "STS [R2], R{0}", "FADD R{0}, R{0}, R{0}"


def sass_of(*lines: str) -> AssemblyKernel:
    return sass(SHARED + "\n".join(lines))


def stage(*groups: int) -> list[str]:
    """Groups of so many loads, each stored behind the last of its group."""
    numbers, lines = iter(range(4, 200)), []
    for many in groups:
        registers = [next(numbers) + 30 for _ in range(many)]
        lines += [form.format(n) for form in (LOAD, STORE) for n in registers]
    return lines


@pytest.mark.parametrize(
    ("groups", "most", "waits"),
    [((12,), 12, 1), ((6, 6), 6, 2), ((1,) * 12, 1, 12), ((3, 5), 5, 2)],
)
def test_loads_that_are_stored_together_are_waited_for_once(
    groups: tuple[int, ...], most: int, waits: int
) -> None:
    assert sass_of(*stage(*groups)).loads == LoadsInFlight(most, waits)


def test_a_load_ends_with_what_reads_it_or_writes_where_it_will() -> None:
    load, store = LOAD.format(40), STORE.format(40)
    assert sass_of(load, ADD.format(41), LOAD.format(42), store, STORE.format(42)).loads.waits == 1
    assert sass_of(load, "MOV R40, 0x1", LOAD.format(42), STORE.format(42)).loads.waits == 2
    assert sass_of(load, LOAD.format(40), STORE.format(40)).loads.waits == 2
    # A copy that goes past the registers is none; nor is a load of shared or constant memory.
    for other in ("LDGSTS.E [R2], desc[UR4][R20.64]", "LDS R40, [R2]", "LDC R40, c[0x0][R3]"):
        assert sass_of(other, store).loads == LoadsInFlight()


def test_a_wide_store_waits_for_each_of_its_registers() -> None:
    wide = "STS.128 [R2], R40"
    assert sass_of(LOAD.format(41), wide, LOAD.format(44), STORE.format(44)).loads.waits == 2
    assert sass_of(LOAD.format(45), wide, LOAD.format(44), STORE.format(44)).loads.waits == 1


def test_what_a_round_of_a_loop_leaves_in_flight_is_waited_for_in_the_next() -> None:
    body = ["MOV R6, 0x0", "L1:", STORE.format(40), LOAD.format(40), "IADD3 R6, R6, 0x1, RZ"]
    loop = [*body, "ISETP.NE.AND P0, PT, R6, 0x5, PT", "@P0 BRA `(L1)"]
    assert sass_of(*loop).loads == LoadsInFlight(1, 5)


def test_all_waves_are_counted() -> None:
    found = sass(SHARED + "\n".join(stage(2, 2)), threads=128)
    assert found.loads == LoadsInFlight(2, 4 * 2)


def test_amd_assembly_has_them_by_its_registers() -> None:
    code = """\
\ts_load_dwordx2 s[4:5], s[0:1], 0x0
\tv_lshlrev_b32_e32 v1, 2, v0
\ts_waitcnt lgkmcnt(0)
\tglobal_load_dword v2, v1, s[4:5]
\tglobal_load_dwordx2 v[4:5], v1, s[4:5] offset:16
\ts_waitcnt vmcnt(1)
\tds_write_b32 v1, v2
\ts_waitcnt vmcnt(0)
\tds_write_b32 v1, v5 offset:1024
\tglobal_load_dword v2, v1, s[4:5] offset:64
\ts_waitcnt vmcnt(0)
\tds_write_b32 v1, v2 offset:2048"""
    (found,) = check_code(AMD, amd_text(code), "k.s")
    assert found.loads == LoadsInFlight(2, 2)


def kernel(waits: int, most: int = 8) -> AssemblyKernel:
    """256 threads without an access of shared memory: no pass is saved."""
    place = Location("k.cu", 1)
    made = AssemblyKernel(
        *("k", "sm_90", place, 8_192, 32, (256, 1, 1), (), (), (), {}), instructions=100
    )
    return replace(made, loads=LoadsInFlight(most, waits))


@pytest.mark.parametrize(
    ("before", "after", "told"), [(8, 16, True), (8, 15, False), (0, 64, False), (16, 8, False)]
)
def test_waits_are_told_from_twice_as_many_on(before: int, after: int, told: bool) -> None:
    said = slower([kernel(before)], [kernel(after, 3)])
    assert said == "k takes 8 -> 3 loads of global memory in flight" * told


@pytest.mark.parametrize(("waits", "told"), [(64, False), (65, True), (96, True), (0, False)])
def test_fewer_blocks_are_no_reason_where_waves_wait_as_much_less_often(
    waits: int, told: bool
) -> None:
    """65,536 registers: 3 blocks of 256 threads with 80, 2 with 96; of 96 waits two thirds."""
    before, after = (
        replace(kernel(each, 8), registers=registers) for each, registers in ((96, 80), (waits, 96))
    )
    assert ("3 -> 2 blocks fit a unit" in slower([before], [after])) == told


def test_fewer_blocks_are_a_reason_where_nothing_waits() -> None:
    before, after = (replace(kernel(0, 0), registers=registers) for registers in (80, 96))
    assert "3 -> 2 blocks fit a unit" in slower([before], [after])


@real
def test_a_fold_that_takes_the_registers_of_what_is_in_flight_gives_way_to_a_pad() -> None:
    """An H200 took 1.14 times as long with the fold, whose 12 addresses left registers for 3 loads
    for 12 before."""
    code, answer = fixed("matvec", "--accept-sampled")
    assert code == 0
    assert extra(answer["before"]) == 3_584
    assert extra(answer["after"]) == 0
    assert [one["address"] for one in answer["changes"]] == ["a: rows of 128 become 128 + 4"]
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}


PRODUCT = """\
__global__ void k(double* y, const double* A, const double* x, int n) {
  __shared__ double a[32][64];
  __shared__ double xs[64];
  int t = threadIdx.x;
  double sum = 0;
  for (int j = 0; j < n; j += 64) {
    for (int i = 0; i < 32; ++i) a[i][t] = A[(blockIdx.x * 32 + i) * n + j + t];
    xs[t] = x[j + t];
    __syncthreads();
    int row = t % 32, at = t / 32 * 32;
    for (int k = 0; k < 32; ++k) sum += a[row][at + k] * xs[at + k];
    __syncthreads();
  }
  y[blockIdx.x * 64 + t] = sum;
}
void go(double* y, const double* A, const double* x) { k<<<4096, 64>>>(y, A, x, 512); }
"""


@real
def test_of_texts_that_need_no_warning_the_one_is_kept_that_waits_less(tmp_path: Path) -> None:
    """docs/data/h200_in_flight.csv, 32 64 double: the fold waits 272 times for 96, without a
    warning, and took 208 us, the pad 137, though one block less fits an SM."""
    (tmp_path / "k.cu").write_text(PRODUCT)
    path = str(tmp_path / "k.cu")
    done = bankwise("fix", path, "-t", "sm_80", "--accept-sampled", "--format", "json")
    (change,) = json.loads(done.out)["changes"]
    assert change["address"] == "a: rows of 64 become 64 + 2"


@real
def test_a_loop_that_a_pad_keeps_from_being_unrolled_is_unrolled_by_a_pragma() -> None:
    """nvcc unrolls the loop that stages 16 elements a thread, and with a pad in steps of 4: 4 loads
    are in flight for 16 then, which was told, and exit code 3."""
    path = str(KERNELS / "kmeans.cu")
    done = bankwise("fix", path, "-t", "sm_90", "--accept-sampled", "--format", "json")
    answer = json.loads(done.out)
    assert done.code == 0
    assert answer["slower"] == []
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    added = [line[1:] for line in answer["patch"].splitlines() if line[0] == "+"][1:]
    assert added[1] == "#pragma unroll 16"
    assert added[2].startswith("  for (int i = t; i < 128 * 16; i += 128) p[i + ")
    (change,) = answer["changes"]
    assert change["address"].endswith(", under #pragma unroll 16")
    said = "#pragma unroll 16 keeps 16 loads of global memory in flight, 4 without it"
    assert said in json.dumps(answer["changes"])


def test_waves_that_wait_as_often_beside_fewer_blocks_need_no_pragma() -> None:
    """3 blocks fit before, 2 after: as many loads are in flight, so no loop has lost some."""
    text, nothing = "", emitted_cost(())
    before, after = (
        CompiledText(text, (replace(kernel(96), registers=registers),), "", nothing)
        for registers in (80, 96)
    )
    assert waiting(before.kernels, after.kernels)
    source, what = parse(text, "k.cu"), Compilation(Path("k.cu"))
    chosen = (cast("WrittenArray", None),)
    author = Author(source, CUDA, what, Options())
    assert in_flight(author, before, chosen, after) == (chosen, after)


def emitted(one: AssemblyKernel, passes: int = 100, executed: int = 100) -> CompiledText:
    key = ("k", "")
    cost = EmittedCost({key: passes}, {key: executed}, {key: 0}, frozenset())
    return CompiledText("", (one,), "", cost)


def test_a_pragma_is_kept_only_where_nothing_speaks_against_it() -> None:
    """As it was waves wait 8 times, behind the pad 32 times."""
    before, after = emitted(kernel(8, 16)), emitted(kernel(32, 4))
    assert is_better(before, after, emitted(kernel(8, 16)))
    assert not is_better(before, after, emitted(kernel(11, 12)))
    assert not is_better(before, after, emitted(kernel(16, 8)))
    assert not is_better(before, after, emitted(kernel(8, 16), passes=101))
    assert not is_better(before, after, emitted(kernel(8, 16), executed=101))
    long = replace(kernel(8, 16), instructions=10_000)
    assert not is_better(before, after, emitted(long))
    fat = replace(kernel(8, 16), registers=160)
    assert not is_better(before, after, emitted(fat))


def test_a_pragma_that_leaves_room_for_fewer_blocks_is_not_kept() -> None:
    """3 blocks of 80 registers a thread, 2 of 96, whose waves wait as much less often."""
    before, after = (emitted(replace(kernel(n, 8), registers=80)) for n in (96, 300))
    assert is_better(before, after, emitted(replace(kernel(64, 8), registers=80)))
    assert not is_better(before, after, emitted(replace(kernel(64, 8), registers=96)))


STAGING = """
#define P(i, v) s[i] = v
__global__ void k(const float* a, float* o, int t) {
  __shared__ float s[512];
  for (int i = t; i < 512; i += 64) s[i] = a[i];
#pragma unroll 2
  for (int i = t; i < 512; i += 64) s[i] = a[i];
  if (t) for (int i = t; i < 512; i += 64) s[i] = a[i];
  for (int j = 0; j < 4; ++j)
    if (t) { *(float4*)&s[j] = *(const float4*)&a[j]; }
  for (int j = 0; j < 4; ++j) o[j] = s[j];
  for (int j = 0; j < 4; ++j) P(j, a[j]);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) o[s[i]] = s[j];
    s[j] = a[j];
  }
}
"""


def test_a_pragma_stands_before_the_loops_that_assign_and_have_none() -> None:
    source = parse(STAGING, "k.cu")
    (array,) = shared_arrays(source)
    assert not array.refusals
    lines = [source.place(at).line for at in staging_lines(source, array)]
    assert lines == [5, 9, 13]


def test_a_loop_has_one_pragma_whatever_several_arrays_ask_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The loop of line 5 has one from the fold, so 16 stands before those of lines 9 and 13 alone.
    Two of different numbers in one place are no text."""
    source = parse(STAGING, "k.cu")
    (array,) = shared_arrays(source)
    first, *others = staging_lines(source, array)
    fold = under_pragma(Spelling(array, IndexMap(), (), "xor", ""), [first], "#pragma unroll 4")
    plans = SimpleNamespace(arrays=(SimpleNamespace(array=array),))
    chosen = (WrittenArray(cast("ArrayPlans", plans), cast("ArrayPlan", None), fold),)
    tried: list[Spelling] = []

    def compiled(author: Author, before: CompiledText, spellings: list[Spelling]) -> Refusal:
        tried.extend(spellings)
        return Refusal("not asked")

    monkeypatch.setattr("bankwise.ask.array_unrolled.compiled_with", compiled)
    before, after = emitted(kernel(8, 16)), emitted(kernel(32, 4))
    author = Author(source, CUDA, Compilation(Path("k.cu")), Options())
    assert in_flight(author, before, chosen, after) == (chosen, after)
    assert [at.span.start for at in tried[0].edits] == [first, *others]
    text = edited(source, tried[0].edits)
    assert str(text).count("#pragma unroll 16") == len(others)
    twice = under_pragma(fold, [first], "#pragma unroll 8")
    assert isinstance(edited(source, twice.edits), Refusal)
