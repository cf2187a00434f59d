"""CK headers: what their constants and templates say, who stores and loads, the text that answers.

The headers are written for this test in the manner of CK's policies. Counts are held against a
scalar count here, over the layout and the lanes as formulas; a rewritten header is held against
its plan by changing it in one place after the other.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("tree_sitter_cuda")

from bankwise.ask.check_ck import report_of
from bankwise.ask.ck_cases import CkPlan
from bankwise.ask.ck_reading import CkReading, read_header
from bankwise.ask.fix_ck import fix_ck_file, planned_of
from bankwise.change.ck import Planned, proved
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.read.options import Options
from brute import brute_count
from command import bankwise

HEADERS = Path(__file__).parent / "data" / "ck_headers"
BLOCKS = ("kBlockSize=256", "kK=64", "WarpTile=32,32,16", "BlockWarps=2,2,1")
GEMM_A = (*BLOCKS, "kM=128", "ADataType=half_t")
GEMM_B = (*BLOCKS, "kN=128", "BDataType=half_t")
HEADS = ("kBlockSize=256", "WarpTile=32,32,16", "BlockWarps=4,1,1")
KEYS = (*HEADS, "kN0=128", "kK1=64", "KDataType=bf16_t")
QUERIES = (*HEADS, "kM0=128", "kK0=64", "QDataType=bf16_t")

Place = Callable[[int, int], int]
Moves = Iterator[list[tuple[int, int]]]


def raked(rows: int, row: int, vector: int, order: str) -> Moves:
    """The first element of every lane, instruction by instruction: 256 threads by rows."""
    lanes = row // vector
    down = 64 // lanes
    rounds = rows // (4 * down)
    for warp in range(4):
        for turn in range(rounds):
            yield [
                (_row(order, warp, turn, lane // lanes, down, rounds), lane % lanes * vector)
                for lane in range(64)
            ]


def _row(order: str, warp: int, turn: int, lane: int, down: int, rounds: int) -> int:
    if order == "block":
        return (turn * 4 + warp) * down + lane
    if order == "warp":
        return (warp * rounds + turn) * down + lane
    return (warp * down + lane) * rounds + turn


def operand(rows: int, row: int, tile: tuple[int, int], warps: int, others: int) -> Moves:
    """The first element of every lane of the operand of a warp GEMM."""
    high, deep = tile
    each = deep // (64 // high)
    for warp in range(warps):
        for _ in range(others):
            for turn in range(rows // (high * warps)):
                for k in range(0, row, deep):
                    base = (turn * warps + warp) * high
                    yield [(base + lane % high, k + lane // high * each) for lane in range(64)]


def columns(rows: int, row: int) -> Moves:
    """Eight neighbouring rows of a lane, one by one, as batched_transpose reads."""
    for warp in range(4):
        for turn in range(row // 32):
            for r in range(8):
                yield [(lane % 8 * 8 + r, (turn * 4 + warp) * 8 + lane // 8) for lane in range(64)]


def scenario_columns() -> Moves:
    """The same with the rows in the slow bits of the lane's number inside a warp of k."""
    for warp in range(4):
        for r in range(8):
            yield [(lane % 8 * 8 + r, warp * 8 + lane // 8) for lane in range(64)]


def passes(moves: Moves, at: Place, element: int, instruction: str) -> int:
    row = machine("gfx942").instruction(instruction)
    return sum(
        brute_count(row, [[at(m, k) * element for m, k in lanes]], [True] * 64)[0]
        for lanes in moves
    )


def padded_chunks(m: int, k: int) -> int:
    return k // 8 * 129 * 8 + m * 8 + k % 8


def layered(m: int, k: int) -> int:
    """64 halves are 128 bytes: one row of the tile in a row of 32 banks."""
    return m * 64 + ((k // 8) ^ (m % 8)) * 8 + k % 8


CASES: dict[str, tuple[tuple[str, ...], Callable[[], int]]] = {
    "padded_chunks": (
        GEMM_A,
        lambda: (
            passes(raked(128, 64, 8, "block"), padded_chunks, 2, "ds_write_b128")
            + passes(operand(128, 64, (32, 16), 2, 2), padded_chunks, 2, "ds_read_b128")
        ),
    ),
    "plain_rows": (
        GEMM_B,
        lambda: (
            passes(raked(128, 64, 8, "thread"), lambda m, k: m * 64 + k, 2, "ds_write_b128")
            + passes(operand(128, 64, (32, 16), 2, 2), lambda m, k: m * 64 + k, 2, "ds_read_b128")
        ),
    ),
    "layered_xor": (
        (*GEMM_A, "LayoutA=RowMajor"),
        lambda: (
            passes(raked(128, 64, 8, "block"), layered, 2, "ds_write_b128")
            + passes(operand(128, 64, (32, 16), 2, 2), layered, 2, "ds_read_b128")
        ),
    ),
    "attention_keys": (
        KEYS,
        lambda: (
            passes(raked(128, 64, 8, "block"), lambda m, k: m * 64 + k, 2, "ds_write_b128")
            + passes(operand(128, 64, (32, 16), 1, 4), lambda m, k: m * 64 + k, 2, "ds_read_b128")
        ),
    ),
    "embedded_operand": (
        (*QUERIES, "WarpGemm::kM=32", "WarpGemm::kK=16"),
        lambda: (
            passes(raked(128, 64, 8, "block"), lambda m, k: m * 64 + k, 2, "ds_write_b128")
            + passes(operand(128, 64, (32, 16), 4, 1), lambda m, k: m * 64 + k, 2, "ds_read_b128")
        ),
    ),
    "chosen_by_macro": (
        (*("kBlockSize=256", "kM=128", "kK=32"), "WarpTile=32,32,8", "BlockWarps=2,2,1"),
        lambda: (
            passes(raked(128, 32, 4, "thread"), lambda m, k: m * 32 + k, 4, "ds_write_b128")
            + passes(operand(128, 32, (32, 8), 2, 2), lambda m, k: m * 32 + k, 4, "ds_read_b128")
        ),
    ),
    "specialised_base": (
        GEMM_B,
        lambda: (
            passes(raked(128, 64, 8, "block"), lambda m, k: m * 64 + k, 2, "ds_write_b128")
            + passes(operand(128, 64, (32, 16), 2, 2), lambda m, k: m * 64 + k, 2, "ds_read_b128")
        ),
    ),
    "reused_helper": (
        GEMM_A,
        lambda: (
            passes(raked(128, 64, 8, "warp"), lambda m, k: m * 64 + k, 2, "ds_write_b128")
            + passes(operand(128, 64, (32, 16), 2, 2), lambda m, k: m * 64 + k, 2, "ds_read_b128")
        ),
    ),
    "tile_functions": (
        (
            *("kMPerTile=128", "kKPerTile=64", "kThreads=256", "DataType=half_t"),
            *("WarpTile=16,16,32", "BlockWarps=2,2,1"),
        ),
        lambda: (
            passes(raked(128, 64, 8, "block"), lambda m, k: m * 64 + k, 2, "ds_write_b128")
            + passes(operand(128, 64, (16, 32), 2, 2), lambda m, k: m * 64 + k, 2, "ds_read_b128")
        ),
    ),
    "scenario_rows": (
        (),
        lambda: (
            passes(raked(64, 32, 8, "block"), lambda m, k: m * 32 + k, 2, "ds_write_b128")
            + passes(scenario_columns(), lambda m, k: m * 32 + k, 2, "ds_read_u16")
        ),
    ),
    "batched_transpose": (
        (
            *("kBlockSize=256", "DataType=half_t"),
            *("kLeadSizePerBlock=64", "kSecondSizePerBlock=64"),
        ),
        lambda: (
            passes(raked(64, 64, 8, "warp"), lambda m, k: m * 64 + k, 2, "ds_write_b128")
            + passes(columns(64, 64), lambda m, k: m * 64 + k, 2, "ds_read_u16")
        ),
    ),
}
"""Answers, and the passes of one pass over the tile as formulas."""
STAYS = {"padded_chunks", "layered_xor"}
"""Free of conflicts as they are."""


def options(dims: tuple[str, ...], target: str = "gfx942") -> Options:
    return Options(target=target, dims=dims)


def reading(name: str, dims: tuple[str, ...], text: str = "") -> CkReading:
    path = HEADERS / f"{name}.hpp"
    return read_header(path, text or path.read_text(), options(dims))


@pytest.mark.parametrize("name", CASES)
def test_a_header_is_counted_as_its_formulas_say(name: str) -> None:
    dims, count = CASES[name]
    report, _ = report_of(reading(name, dims))
    (kernel,) = report.kernels
    assert kernel.totals.run.passes == count()


@pytest.mark.parametrize("name", CASES)
def test_what_conflicts_is_rewritten_and_proved(name: str) -> None:
    dims, _ = CASES[name]
    report = fix_ck_file(HEADERS / f"{name}.hpp", options(dims))
    if name in STAYS:
        assert not report.changes
        return
    assert [v.status for v in report.verdicts] == ["passed"]
    (kernel,) = report.after.kernels
    assert kernel.totals.run.extra == 0
    assert "make_xor_transform" in report.fixed_text
    after = reading(name, dims, report.fixed_text)
    assert {f.name for f in after.made} == {f.name for f in reading(name, dims).made}


NUMBER = re.compile(r"\b\d+\b")


def corrupted(before: str, after: str) -> Iterator[str]:
    """The fixed text with one number of what was written changed, or two places swapped."""
    old = set(before.splitlines())
    start = 0
    for line in after.splitlines(keepends=True):
        end = start + len(line)
        if line.rstrip("\n") not in old:
            for found in NUMBER.finditer(after, start, end):
                for other in {int(found[0]) + 1, int(found[0]) * 2, max(0, int(found[0]) - 1)}:
                    if other != int(found[0]):
                        yield after[: found.start()] + str(other) + after[found.end() :]
        start = end


@pytest.mark.parametrize(
    "name", ["plain_rows", "scenario_rows", "layered_columns", "chosen_by_macro"]
)
def test_a_wrong_number_in_the_answer_is_rejected(name: str) -> None:
    dims = (*GEMM_A, "LayoutA=ColumnMajor") if name == "layered_columns" else CASES[name][0]
    name = "layered_xor" if name == "layered_columns" else name
    before = reading(name, dims)
    _, plans = report_of(before)
    report = fix_ck_file(HEADERS / f"{name}.hpp", options(dims))
    planned = planned_of(plans)
    tried, accepted = 0, []
    for text in corrupted(report.source_text, report.fixed_text):
        tried += 1
        if _accepted(before, plans, planned, name, dims, text):
            accepted.append(text)
    assert tried >= 12
    assert [t for t in accepted if not only_the_assertion(t, report.fixed_text)] == []


def _accepted(
    before: CkReading,
    plans: tuple[CkPlan, ...],
    planned: Planned,
    name: str,
    dims: tuple[str, ...],
    text: str,
) -> bool:
    assert plans
    try:
        after = reading(name, dims, text)
    except InputError:
        return False
    return not isinstance(proved(before.made, after.made, planned), Refusal)


def only_the_assertion(text: str, fixed: str) -> bool:
    """What a ``static_assert`` says more or less moves no element."""
    pairs = zip(text.splitlines(), fixed.splitlines(), strict=True)
    return all(a == b or "static_assert" in b for a, b in pairs)


def test_without_answers_the_names_are_asked_for() -> None:
    done = bankwise("check", str(HEADERS / "plain_rows.hpp"), "-t", "gfx942")
    assert done.code == 2
    for name in ("--dim kBlockSize=", "--dim BDataType=half_t", "kN="):
        assert name in done.err


def test_the_warp_gemm_is_asked_for_with_the_names_only_where_the_header_loads_nothing() -> None:
    asked = "nothing here loads from MakeBLdsBlockDescriptor: if a warp GEMM does"
    words = ("check", str(HEADERS / "plain_rows.hpp"), "-t", "gfx942")
    said = " ".join(bankwise(*words).err.split())
    assert f"{asked}, --dim WarpTile=32,32,16 --dim BlockWarps=2,2,1" in said
    gemm = ("--dim", "WarpTile=16,16,16", "--dim", "BlockWarps=1,4,1")
    assert "warp GEMM" not in bankwise(*words, *gemm).err
    loads = ("check", str(HEADERS / "embedded_operand.hpp"), "-t", "gfx942")
    assert "warp GEMM" not in bankwise(*loads).err


def test_a_name_that_means_two_things_is_refused() -> None:
    done = bankwise(
        *("check", str(HEADERS / "embedded_operand.hpp"), "-t", "gfx942"),
        *(
            word
            for d in (*instead(QUERIES, "kM0=64"), "kM=32", "WarpGemm::kK=16")
            for word in ("--dim", d)
        ),
    )
    assert done.code in (2, 3)
    text = (HEADERS / "plain_rows.hpp").read_text().replace("Problem::kBlockSize", "Problem::kN")
    with pytest.raises(InputError, match="kN"):
        reading("plain_rows", ("kN=128", "kK=64", "BDataType=half_t"), text)


def test_a_fix_names_what_it_changes_once() -> None:
    words = [word for d in GEMM_B for word in ("--dim", d)]
    said = bankwise("fix", str(HEADERS / "plain_rows.hpp"), "-t", "gfx942", *words)
    told = said.out + said.err
    assert "MakeBLdsBlockDescriptor: make_xor_transform" in told
    assert "MakeBLdsBlockDescriptor: MakeBLdsBlockDescriptor" not in told
    assert "2,176 -> 384 passes in one pass over the tile" in told
    assert "elements of 1 descriptor lie" in told


def instead(dims: tuple[str, ...], answer: str) -> tuple[str, ...]:
    """The answers with another one to the same name."""
    name = answer.partition("=")[0]
    return (*(one for one in dims if one.partition("=")[0] != name), answer)


def refused(dims: tuple[str, ...], *options: str) -> str:
    """What is said of `attention_keys.hpp` with these answers, and no more than that."""
    words = [word for d in dims for word in ("--dim", d)]
    done = bankwise("check", str(HEADERS / "attention_keys.hpp"), "-t", "gfx942", *words, *options)
    assert (done.code, done.out) == (2, "")
    return " ".join(done.err.split())


def test_an_answer_that_nobody_asks_for_is_refused_with_the_nearest_name() -> None:
    said = refused((*KEYS, "kBlocksize=512"))
    assert "--dim kBlocksize: the header has no such name" in said
    assert "did you mean kBlockSize?" in said
    said = refused((*KEYS, "kM0=128"))
    assert "it asks for" in said
    assert {"kN0", "kK1", "kBlockSize", "KDataType"} <= set(re.findall(r"\w+", said))
    assert "BlockWarps" in refused((*KEYS, "BlockWrap=4,1,1"))


def test_a_name_that_the_header_writes_is_no_unknown_one() -> None:
    report, _ = report_of(reading("attention_keys", (*KEYS, "AsyncCopyK=false")))
    assert [k.name for k in report.kernels] == ["MakeKLdsBlockDescriptor"]


@pytest.mark.parametrize(("warps", "threads"), [("4,2,1", 512), ("2,1,1", 128)])
def test_warps_that_are_another_block_than_the_answers_say_are_refused(
    warps: str, threads: int
) -> None:
    said = refused(instead(KEYS, f"BlockWarps={warps}"))
    assert "attention_keys.hpp:53:25: " in said
    assert f"operand of the warp GEMM is of {threads} threads" in said
    assert "MakeKDramTileDistribution is of 256 threads" in said
    assert f"or --dim kBlockSize={threads}" in said


def test_warps_along_k_are_not_read() -> None:
    report, _ = report_of(reading("attention_keys", instead(KEYS, "BlockWarps=2,1,2")))
    assert ["2 warps along k" in r.reason for r in report.refusals] == [True]


def test_kernels_of_a_header_are_its_layouts() -> None:
    said = refused(KEYS, "--kernel", "kentry*")
    assert "it has MakeKLdsBlockDescriptor; of a profile, --profiled names" in said
    words = [word for d in KEYS for word in ("--dim", d)]
    path = str(HEADERS / "attention_keys.hpp")
    done = bankwise("check", path, "-t", "gfx942", *words, "--kernel", "Make?Lds*")
    assert done.code == 1


def test_the_answer_is_in_the_header_s_own_names() -> None:
    report = fix_ck_file(HEADERS / "attention_keys.hpp", options(KEYS))
    assert "number<kKPerBlock / kKPack>{}" in report.fixed_text
    assert "static_assert(" in report.patch
    assert (
        "static_assert(((kKPerBlock / kKPack) & (kKPerBlock / kKPack - 1)) == 0);" in report.patch
    )
    done = bankwise(
        *("check", str(HEADERS / "attention_keys.hpp"), "-t", "gfx942", "--format", "json"),
        *(word for d in KEYS for word in ("--dim", d)),
    )
    (kernel,) = json.loads(done.out)["kernels"]
    (snippet,) = json.loads(done.out)["snippets"]
    assert "make_xor_transform" in snippet["snippet"]
    assert snippet["before"] == kernel["optima"][0]["present"]["passes"]
    assert snippet["after"] == kernel["optima"][0]["best"]["passes"]
    assert snippet["after"] == report.after.totals.run.passes


def test_a_reader_that_nobody_names_is_a_refusal() -> None:
    dims = tuple(d for d in GEMM_B if not d.startswith(("WarpTile", "BlockWarps")))
    report, plans = report_of(reading("plain_rows", dims))
    assert not plans
    assert ["WarpTile" in r.reason for r in report.refusals] == [True]


def test_an_answer_that_does_not_fit_is_said_at_its_place() -> None:
    report, _ = report_of(reading("attention_keys", instead(KEYS, "kN0=16")))
    assert ["more threads than rows" in r.reason or "N0" in r.reason for r in report.refusals]
    assert all(r.location is not None for r in report.refusals)


@pytest.mark.parametrize(
    "text",
    [
        "#if 1\nnamespace ck_tile { }",
        "namespace ck_tile { constexpr auto MakeALdsDescriptor() { return MakeALdsDescriptor(); "
        "/* make_naive_tensor_descriptor */ } }",
        "namespace ck_tile { constexpr auto MakeALdsDescriptor() { return "
        "make_naive_tensor_descriptor(make_tuple(number<1 / 0>{}), make_tuple(1)); } }",
        "namespace ck_tile { constexpr auto MakeALdsDescriptor() { return "
        "make_naive_tensor_descriptor_packed(make_tuple(number<1 << 62>{})); } }",
        "namespace ck_tile { constexpr auto MakeALdsDescriptor() { constexpr auto a = b; "
        "constexpr auto b = a; return make_naive_tensor_descriptor_packed(make_tuple(b)); } }",
    ],
)
def test_a_header_that_means_nothing_is_said_no_to(text: str) -> None:
    path = HEADERS / "nothing.hpp"
    refused: list[object] = []
    with contextlib.suppress(InputError):
        report, plans = report_of(read_header(path, text, options(())))
        refused += [*plans] or [*report.refusals]
        assert not plans
        assert refused


@pytest.mark.parametrize("seed", range(60))
def test_headers_that_are_torn_end_in_words(seed: int) -> None:
    """Words left out, doubled, moved, numbers of any size: an answer, or an InputError."""
    rng = random.Random(seed)
    name = rng.choice(sorted(CASES))
    words = re.findall(r"\w+|\s+|[^\w\s]", (HEADERS / f"{name}.hpp").read_text())
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(words))
        other = ["", rng.choice(words), str(rng.choice([0, 1, 3, 1 << 30, 1 << 61]))]
        words[place] = rng.choice(other)
    with contextlib.suppress(InputError):
        reading(name, CASES[name][0], "".join(words))
