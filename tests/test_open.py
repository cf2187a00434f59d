"""Nothing that is open is lost on the way: every kind of openness, in every form of every answer.

A row is a kernel with one thing open; the expectation is written beside it. Each is asked for as
text, JSON, SARIF, GitHub annotations, a page, and beside a profile.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from command import bankwise, unfolded
from isa_texts import amd_text, ptx_text
from kernel_texts import ROWS, STORE, changed, written

COLUMN = "\tv_lshlrev_b32_e32 v1, 7, v0\n"
FREE = "\tv_lshlrev_b32_e32 v1, 2, v0\n"
READ = "\tds_read_b32 v2, v1\n"
PAIR = "\tds_write2_b64 v1, v[2:3], v[4:5] offset1:1\n"
APART = PAIR.replace("offset1:1", "offset1:64")
LOOP = f"""\ts_load_dword s4, s[0:1], 0x8
\ts_mov_b32 s5, 0
.Lloop:
{READ}\ts_add_i32 s5, s5, 1
\ts_cmp_lt_i32 s5, s4
\ts_cbranch_scc1 .Lloop
"""
BRANCH = f"""\ts_load_dword s4, s[0:1], 0x8
\ts_cmp_lt_i32 s4, 7
\ts_cbranch_scc1 .Lskip
{READ}.Lskip:
"""
LANES = "\tld.global.u32 %r9, [%rd1];\n\tsetp.lt.u32 %p1, %r9, 7;\n"
GENERIC = "\tld.param.u64 %rd5, [k_param_0];\n\tld.global.u64 %rd6, [%rd5];\n\tld.b32 %r3, [%rd6];"


@dataclass(frozen=True, slots=True)
class Open:
    """``file``: with one thing open. ``code``: of check. ``low``, ``high``: what the counter adds.
    ``says``: of the last line; ``left``: in JSON's ``open``, one item, or none."""

    file: str
    text: Callable[[], str]
    code: int
    low: int
    high: int | None
    says: str
    left: str = ""


def block(condition: str) -> str:
    """The store of ROWS where ``condition`` of the workgroup's number holds."""
    ids = f"%b = gpu.block_id x\n    %p = {condition}\n    scf.if %p {{\n    {STORE}\n    }}"
    return changed(ROWS, (STORE, ids), ("i32: 1, 1, 1>}", "i32: 4, 1, 1>}"))


EXTRA = 62
"""64 lanes, 128 bytes apart: a ds_read_b32 of them takes 64 passes for 2."""
KINDS = {
    "nothing": Open("k.s", lambda: amd_text(FREE + READ), 0, 0, 0, "no conflicts: "),
    "a loop of unknown length": Open(
        *("k.s", lambda: amd_text(COLUMN + LOOP), 1, EXTRA, None),
        f"conflicts: SQ_LDS_BANK_CONFLICT += at least {EXTRA} ({EXTRA} as followed)",
    ),
    "a free loop of unknown length": Open(
        "k.s", lambda: amd_text(FREE + LOOP), 0, 0, 0, "no conflicts: "
    ),
    "a branch that may be off": Open(
        *("k.s", lambda: amd_text(COLUMN + BRANCH), 1, 0, None),
        f"+= unknown ({EXTRA} as followed)",
    ),
    "lanes that depend on data": Open(
        "k.ptx",
        lambda: ptx_text(f"\tshl.b32 %r2, %r1, 7;\n{LANES}\t@%p1 ld.shared.u32 %r3, [%r2];"),
        *(3, 0, 31),
        "+= at most 31 (31 as followed)",
    ),
    "a conflict by an unknown rule": Open(
        *("k.s", lambda: amd_text(COLUMN + PAIR), 3, 0, None),
        "possible conflicts: SQ_LDS_BANK_CONFLICT += 0 known, 120 assumed (rule unknown)",
        "unknown: the rule of ds_write2_b64",
    ),
    "no conflict by an unknown rule": Open(
        *("k.s", lambda: amd_text("\tv_lshlrev_b32_e32 v1, 3, v0\n" + APART), 3, 0, None),
        "no conflicts in what is known: SQ_LDS_BANK_CONFLICT += 0 ",
        "unknown: the rule of ds_write2_b64",
    ),
    "a generic access": Open(
        "k.ptx",
        lambda: ptx_text(f"\tshl.b32 %r2, %r1, 2;\n\tst.shared.u32 [%r2], %r1;\n{GENERIC}"),
        *(3, 0, 0),
        "no conflicts in what is known: ",
        "1 not analysed",
    ),
    "a trip count of an argument": Open(
        "k.mlir",
        lambda: changed(
            ROWS,
            ("%out: memref<64x64xf16>", "%out: memref<64x64xf16>, %n: index"),
            ("to %c64", "to %n"),
        ),
        *(3, 0, 0),
        "no conflicts in what is known: ",
        "2 not analysed",
    ),
    "what only another workgroup runs": Open(
        *("k.mlir", lambda: block("arith.cmpi eq, %b, %c8 : index"), 1, 0, None),
        "1 not analysed",
        "1 not analysed",
    ),
    "what this workgroup alone runs": Open(
        *("k.mlir", lambda: block("arith.cmpi eq, %b, %c0 : index"), 1, 0, None),
        "in the workgroup that was counted; other workgroups touch other places",
        "other workgroups touch other places, which are not counted",
    ),
}
MLIR = [name for name, kind in KINDS.items() if kind.file == "k.mlir"]


@pytest.fixture(params=KINDS)
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Open, Path]:
    name: str = request.param
    kind = KINDS[name]
    if name in MLIR:
        pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    path = tmp_path / kind.file
    path.write_text(kind.text(), "utf-8")
    return kind, path


def target(path: Path) -> tuple[str, ...]:
    return ("-t", "gfx950") if path.suffix == ".mlir" else ()


def test_text_json_and_exit_code_say_the_same(asked: tuple[Open, Path]) -> None:
    kind, path = asked
    text = bankwise("check", path, *target(path))
    ended = bankwise("check", path, *target(path), "--format", "json")
    document = json.loads(ended.out)
    (kernel,) = document["kernels"]
    lines = unfolded(text.out).splitlines()
    last = lines[lines.index(document["verdict"])]
    assert (text.code, ended.code) == (kind.code, kind.code)
    assert kind.says in last
    assert document["verdict"] == kernel["verdict"] == last
    assert kernel["open"] == ([kind.left] if kind.left else [])
    assert all(left in last for left in kernel["open"])
    if path.suffix != ".mlir" or not kernel["added"]["followed"]:
        assert (kernel["added"]["low"], kernel["added"]["high"]) == (kind.low, kind.high)
    assert ("no conflicts:" in last) == (kind.code == 0)


def test_code_hosts_and_pages_are_told(asked: tuple[Open, Path]) -> None:
    kind, path = asked
    document = json.loads(bankwise("check", path, *target(path), "--format", "json").out)
    ended = bankwise("check", path, *target(path), "--format", "sarif")
    (run,) = json.loads(ended.out)["runs"]
    page = bankwise("check", path, *target(path), "--format", "html")
    hosts = bankwise("check", path, *target(path), "--format", "github")
    assert {ended.code, page.code, hosts.code} == {kind.code}
    conflicts = [r for r in run["results"] if r["ruleId"] == "bank-conflict"]
    kinds = {a["conflict"] for a in document["accesses"]} - {"none"}
    assert {r["level"] for r in conflicts} == {
        {"possible": "note", "sure": "error"}[one] for one in kinds
    }
    assert all(f"::{'notice' if k == 'possible' else 'error'} " in hosts.out for k in kinds)
    refused = [r for r in run["results"] if r["ruleId"] == "not-analysed"]
    (kernel,) = document["kernels"]
    many = len(document["refusals"])
    assert len(refused) == hosts.out.count("not analysed: ") == many
    told = [r for r in run["results"] if r["ruleId"] == "assumed"]
    assert len(told) == sum("not analysed" not in left for left in kernel["open"])
    assert all(f"bankwise::{r['message']['text']}" in hosts.out for r in told)
    assert json.dumps(document["verdict"])[1:-1] in page.out
    for one, access in zip(conflicts, document["accesses"], strict=False):
        bound = access["run"].get("bound", {}).get("extra")
        exact = {"low": access["run"]["extra"], "high": access["run"]["extra"]}
        ends = bound or exact
        high = None if access["evidence"] == "unknown" else ends["high"]
        assert (one["properties"]["low"], one["properties"]["high"]) == (ends["low"], high)


def test_what_fix_leaves_open_is_said_too(asked: tuple[Open, Path]) -> None:
    kind, path = asked
    if path.suffix != ".mlir":
        pytest.skip("`fix` takes sources")
    ended = bankwise("fix", path, *target(path), "--no-isa", "--no-execute")
    assert ended.code != 0
    assert f"open in k: {kind.left}" in ended.out + ended.err


TILE = "memref<64x68xf16, #gpu.address_space<workgroup>>"
WIDE = f"""
func.func @k(%in: memref<64x64xf16>, %out: memref<64x64xf16>) attributes {{
    gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x upper_bound 64
  %p = memref.alloc() : {TILE}
  %a = vector.load %in[%t, %c0] : memref<64x64xf16>, vector<8xf16>
  vector.store %a, %p[%t, %c0] : {TILE}, vector<8xf16>
  gpu.barrier
  %b = vector.load %p[%t, %c0] : {TILE}, vector<4xf16>
  vector.store %b, %out[%t, %c0] : memref<64x64xf16>, vector<4xf16>
  return
}}
"""
"""Rows of 34 words: 16 lanes take 2 words each, 2 banks apart, all of the 32 banks once."""


def test_what_fix_leaves_to_an_unknown_rule_says_what_settles_it(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    ended = bankwise("fix", written(tmp_path, WIDE), "-t", "gfx942", "--no-isa")
    assert ended.code == 3
    assert "nothing to fix" in ended.err
    assert "open in k: unknown: the rule of ds_write2_b64" in ended.err
    assert "`bankwise check FILE --counters CSV`" in ended.err


def test_a_count_by_an_unknown_rule_says_so() -> None:
    ended = bankwise("count", "-t", "gfx942", "ds_write2_b64", "lane*16")
    assert ended.code == 3
    assert "unknown: the rule of ds_write2_b64" in ended.out
    known = bankwise("count", "-t", "gfx942", "ds_read_b64", "lane*8")
    assert known.code == 0
    assert "the rule of" not in known.out
