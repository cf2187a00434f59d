"""``bankwise fix`` where nobody says how a kernel is launched: the change holds for every block.

What the new index does is counted here by brute force, on the index as it is written.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from bankwise.ask import array_search, fix_source
from bankwise.ask.every_launch import EmittedCost, LaunchKey
from bankwise.ask.source_text import CompiledText
from bankwise.read.cxx.tree import parse
from bankwise.read.options import Options
from bankwise.read.toolkit import find_program
from bankwise.show.fixing import Verdict
from command import bankwise, unfolded

pytestmark = pytest.mark.skipif(
    any(find_program(name) is None for name in ("nvcc", "nvdisasm", "ptxas")),
    reason="needs nvcc, ptxas and nvdisasm",
)

TRANSPOSE = """\
__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  for (int r = threadIdx.y; r < 32; r += blockDim.y)
    for (int c = threadIdx.x; c < 32; c += blockDim.x)
      tile[r][c] = in[(blockIdx.y * 32 + r) * n + blockIdx.x * 32 + c];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += blockDim.y)
    for (int c = threadIdx.x; c < 32; c += blockDim.x)
      out[(blockIdx.x * 32 + r) * n + blockIdx.y * 32 + c] = tile[c][r];
}
"""
"""In blocks of 16 x 16 a warp reads two columns of half a tile, in wider ones a whole column."""

TORN = """\
__device__ int times(int a, int b) {  // in the field of 32 elements
  int c = 0;
  for (int i = 0; i < 5; ++i) c ^= (b >> i & 1) ? a << i : 0;
  for (int i = 8; i >= 5; --i) c ^= (c >> i & 1) ? 0x25 << (i - 5) : 0;
  return c;
}
__global__ void kernel(float* out, const float* in) {
  __shared__ float s[1024];
  int t = threadIdx.y * blockDim.x + threadIdx.x, lane = t & 31;
  for (int i = t; i < 1024; i += 128) s[i] = in[i];
  __syncthreads();
  if (blockDim.x == 16) {
    out[t] = s[lane * 32 + t / 32];
  } else {
    for (int c = 1; c < 32; ++c) out[c * 1024 + t] = s[times(c, lane) * 32 + lane];
  }
}
"""
"""What 16 x 16 threads read in one bank lies, with others, on lines of every slope: a linear map
that parts the first brings some line together, since it has a slope at which it is no injection."""


def conflicts(column: str, block: tuple[int, int]) -> int:
    """Extra passes of the reads of TRANSPOSE; ``column``: as it is written, of r and c."""
    threads = [(x, y) for y in range(block[1]) for x in range(block[0])]
    made = compile(column, "index", "eval")
    extra = 0
    for first in range(0, len(threads), 32):
        for r0 in range(0, 32, block[1]):
            for c0 in range(0, 32, block[0]):
                words = defaultdict(set)
                for x, y in threads[first : first + 32]:
                    r, c = r0 + y, c0 + x
                    if r < 32 and c < 32:
                        word = c * 32 + eval(made, {"c": c, "r": r})
                        words[word % 32].add(word)
                extra += max((len(one) for one in words.values()), default=1) - 1
    return extra


def fixed(path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = bankwise("fix", str(path), "-t", "sm_80", "--format", "json", *options)
    assert done.out, done.err
    return done.code, json.loads(done.out)


def status(answer: dict[str, Any]) -> dict[str, str]:
    return {one["judge"]: one["status"] for one in answer["verdicts"]}


def isa(answer: dict[str, Any]) -> dict[str, tuple[int, int]]:
    (found,) = [one for one in answer["verdicts"] if one["judge"] == "isa"]
    return {row["name"]: (row["before"], row["after"]) for row in found["rows"]}


def test_the_map_is_free_of_conflicts_in_every_block_that_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "t.cu"
    path.write_text(TRANSPOSE)
    code, answer = fixed(path, "--accept-sampled")
    assert code == 3
    assert status(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    read = re.search(r"^\+.*= tile\[c\]\[(.*)\];$", answer["patch"], re.MULTILINE)
    assert read is not None
    for block in [(16, 16), (32, 8), (32, 4), (32, 32)]:
        assert conflicts("r", block) > 0
        assert conflicts(read[1], block) == 0, block
    tried = {name: row for name, row in isa(answer).items() if "threads" in name}
    writes = 32
    assert tried["passes with 32,8,1 threads"] == (
        writes + 32 + conflicts("r", (32, 8)),
        writes + 32,
    )


def test_the_report_says_for_which_blocks(tmp_path: Path) -> None:
    path = tmp_path / "t.cu"
    path.write_text(TRANSPOSE)
    told = bankwise("fix", str(path), "-t", "sm_80", "--no-execute").err
    assert "open in transpose: assumed: 16,16,1 threads a block" in told
    before = conflicts("r", (32, 8))
    assert f"\n  32,8,1 threads a block (tried, too): conflicts {before} -> 0\n" in told


def test_ptx_is_folded_for_every_block_that_is_tried(tmp_path: Path) -> None:
    source, made, out = tmp_path / "t.cu", tmp_path / "t.ptx", tmp_path / "fixed.ptx"
    source.write_text(TRANSPOSE)
    words = ["nvcc", "-ptx", "-arch=sm_90", str(source), "-o", str(made)]
    subprocess.run(words, check=True)
    done = bankwise("fix", str(made), "-o", str(out), "--accept-sampled")
    assert "execution: passed: PTX of 12 blocks" in done.err
    for block in ("16,16", "32,8", "32,32"):
        told = bankwise("check", str(out), "--isa", "--workgroup-size", block, "--format", "json")
        (kernel,) = json.loads(told.out)["kernels"]
        assert kernel["totals"]["run"]["extra"] == 0, block


def test_where_no_map_serves_every_block_the_user_is_asked_for_his(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(TORN)
    code, answer = fixed(path, "--no-execute")
    assert code == 3
    assert answer["changes"] == []
    (why,) = [one["reason"] for one in answer["refusals"]]
    assert "without taking more in another launch: s[i] -> s[i ^ (i >> 5 & 31)]" in why
    assert why.endswith("with 16,16,1 threads; if it is launched so: --workgroup-size 16,16,1")
    _, answer = fixed(path, "--no-execute", "--workgroup-size", "16,16,1")
    assert answer["accepted"]
    before, after = isa(answer)["passes of a workgroup"]
    assert before - after == 8 * 31


def test_no_launch_that_is_said_pays_for_another(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(TORN)
    said = ("--launch", "kernel<<<1, 16x16>>>()", "--launch", "kernel<<<1, 32x8>>>()")
    _, answer = fixed(path, "--no-execute", *said)
    assert answer["changes"] == []
    (why,) = [one["reason"] for one in answer["refusals"]]
    assert "without taking more in another launch" in why
    assert "--workgroup-size" not in why


SUITE = Path(__file__).parent / "data" / "cuda_fix"


def test_what_costs_more_instructions_than_it_saves_passes_is_told() -> None:
    """On an H200 the first takes a quarter of its time, the second as long as before
    (docs/data/h200_cuda.csv)."""
    _, answer = fixed(SUITE / "gemm_float4.cu", "--no-execute")
    assert answer["notes"] == []
    done = bankwise("fix", str(SUITE / "fft_radix2.cu"), "-t", "sm_80", "--no-execute")
    assert re.search(
        r"^note: \d+% more instructions are executed for 15% fewer passes: time it with --run "
        r"before you take it$",
        unfolded(done.err),
        re.MULTILINE,
    )


def test_what_keeps_the_schedulers_longer_busy_than_shared_memory_was_is_not_written() -> None:
    """A fold of the sort's index keeps the compiler from unrolling it: an H200 took twice its time.
    A block took 5,504 passes; 29,648 instructions on four schedulers are 7,412 cycles."""
    done = bankwise("fix", str(SUITE / "bitonic_sort.cu"), "-t", "sm_90", "--no-execute")
    assert done.code == 1
    assert not done.out
    said = unfolded(done.err)
    assert "would issue instructions for 7,412 cycles, where shared memory took 5,504" in said


def test_where_a_judge_rejects_a_text_the_next_one_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "t.cu", list[str]()
    path.write_text(TRANSPOSE)

    def judge(emits: str, old: str, new: str, kernels: Any) -> Verdict:
        seen.append(new)
        return Verdict("execution", "failed" if new == seen[0] else "passed", "")

    monkeypatch.setattr(fix_source, "judge_code", judge)
    report = fix_source.fix_source_file(path, Options(target="sm_80", workgroup_size="32,8,1"))
    assert report.accepted
    assert report.fixed_text != TRANSPOSE
    assert seen[-1] != seen[0]
    before, after = (one.kernels[0].totals.run for one in (report.before, report.after))
    assert after.extra < before.extra


def test_no_instance_of_a_template_pays_for_another(tmp_path: Path) -> None:
    """``transpose<33>`` is free of conflicts; a map that frees ``transpose<32>`` costs it more."""
    path = tmp_path / "tiles.cu"
    path.write_bytes((Path(__file__).parent / "data" / "profile" / "tiles.cu").read_bytes())
    done = bankwise("fix", path, "--target", "sm_80", "--no-execute", "--format", "json")
    answer = json.loads(done.out)
    before, after = (
        {kernel["name"]: kernel["totals"]["run"]["passes"] for kernel in answer[when]["kernels"]}
        for when in ("before", "after")
    )
    assert all(after[name] <= passes for name, passes in before.items())
    assert sum(after.values()) < sum(before.values())
    reasons = " ".join(str(one) for one in answer["refusals"])
    assert "a block of transpose<33> would take 64 -> " in reasons
    promised = bankwise("check", path, "--target", "sm_80", "--kernel", "transpose*").out
    assert "the command counts" not in promised, "nothing is promised that fix refuses"
    alone = bankwise("fix", path, "--target", "sm_80", "--kernel", "transpose<32>")
    assert (alone.code, "tile[" in alone.out) == (1, False), alone.out
    assert "a block of transpose<33> would take 64 -> " in alone.err


def test_a_text_whose_rounds_are_not_followed_again_is_no_cheaper() -> None:
    """512 rounds before and one afterwards, of a loop that is too long then, are no gain."""
    key: LaunchKey = ("gemm", "1,256")
    took = EmittedCost({key: 512}, {key: 512}, {key: 512}, frozenset())
    takes = EmittedCost({key: 1}, {key: 1}, {key: 1}, frozenset({key}))
    source = parse("__global__ void gemm() {}\n", "k.cu")

    def tried(emitted: EmittedCost) -> object:
        made: Any = SimpleNamespace(emitted=emitted)
        made.under = lambda keys: made
        author: Any = SimpleNamespace(source=source, compiled=lambda text: made)
        found = array_search.compiled_with(author, CompiledText("", (), "", took), [])
        return found if isinstance(found, str) else found is made

    assert tried(takes) == "the rounds of a block of gemm are too many to follow them again"
    assert tried(replace(takes, open=frozenset())) is True
