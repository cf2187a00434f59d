"""TTGIR: reading, following, counting; from small texts with known answers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from bankwise.ask.check import check_file
from bankwise.ask.check_ttgir import check_ttgir_file
from bankwise.counting.bound import exactly
from bankwise.errors import InputError, Location
from bankwise.read.options import Options
from bankwise.read.recognise import recognise
from bankwise.read.ttgir import wheel
from bankwise.read.ttgir.cache import open_entry
from bankwise.read.ttgir.locations import sources
from bankwise.read.ttgir.module import read_module
from bankwise.read.ttgir.text import split_types
from bankwise.read.ttgir.values import Open
from bankwise.read.ttgir.views import join
from bankwise.show.as_sarif import check_sarif
from bankwise.show.as_text import print_check
from bankwise.show.documents.checking import check_document
from bankwise.show.schema import plain
from isa_texts import DATA
from ttgir_texts import ROWS, TENSOR, TILE, checked, module, only

ALLOC = f"    %m = ttg.local_alloc : () -> {TILE}\n"
LOAD = f"    %x = ttg.local_load %m : {TILE} -> {TENSOR}\n"


@pytest.mark.parametrize(
    ("text", "body", "types"),
    [
        ("%a, %b : i32", "%a, %b", "i32"),
        (": i32", "", "i32"),
        ("%a : i1 {k = 1 : i32} : (i32) -> tensor<4x!tt.ptr<f16>>",
         "%a : i1 {k = 1 : i32}", "(i32) -> tensor<4x!tt.ptr<f16>>"),
        ('%a "x : y" : i32', '%a "x : y"', "i32"),
        ("(%a : i32)", "(%a : i32)", ""),
        ("%a -> %b : f32", "%a -> %b", "f32"),
        ('%a "x : i32', '%a "x : i32', ""),
        ("%a : : i32", "%a :", "i32"),
    ],
)  # fmt: skip
def test_types_stand_behind_the_last_colon_outside_brackets_and_quotes(
    text: str, body: str, types: str
) -> None:
    assert split_types(text) == (body, types)


def test_rows_of_sixteen_bytes_are_read_in_vectors_without_a_conflict() -> None:
    access = only(checked(module(ALLOC + LOAD)))
    # 64 x 32 x 2 bytes, 16 bytes a lane, 128 threads: two instructions of each of four warps, and
    # a warp of 16-byte accesses takes four passes at least.
    assert (access.instruction, access.instructions, access.waves) == ("ld.shared.b128", 2, 4)
    assert (access.cost.passes, access.cost.ideal) == (2 * 4 * 4, 2 * 4 * 4)
    assert access.allocations == ("m",)
    assert access.location == Location("k.ttgir", 12)


def test_a_swizzle_below_a_word_leaves_sixteen_ways_where_triton_counts_eight() -> None:
    """The published wrong case: 64 x 128 f16, a row a lane, four phases of single elements."""
    shared = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>"
    tile = "!ttg.memdesc<64x128xf16, #s, #smem, mutable>"
    body = f"    %m = ttg.local_alloc : () -> {tile}\n"
    body += f"    %x = ttg.local_load %m : {tile} -> tensor<64x128xf16, #column>\n"
    access = only(checked(module(body, aliases=f"#s = {shared}\n")))
    assert (access.instruction, access.instructions, access.ways) == ("ld.shared.b16", 64, 16)
    assert access.cost.passes == 64 * 4 * 16


@pytest.mark.parametrize(
    ("view", "tensor", "instruction", "ways"),
    [
        # A lane's eight elements lie in eight rows of 64 bytes: the transposed form takes them. The
        # eight rows of a matrix are 64, 512 and 1024 bytes apart: two banks' worth of places.
        ("ttg.memdesc_trans %m {order = array<i32: 1, 0>}", "32x64", "ldmatrix.x4.trans", 4),
        # Rows of 256 bytes: a phase of 8 lanes takes 64 bytes of each of two.
        ("ttg.memdesc_reshape %m", "16x128", "ld.shared.b128", 2),
        # Rows of 64 bytes as before.
        ("ttg.memdesc_subslice %m[32, 0]", "32x32", "ld.shared.b128", 1),
    ],
)
def test_views_move_what_a_lane_touches(
    view: str, tensor: str, instruction: str, ways: int
) -> None:
    tail = ", 64x32" if "subslice" in view else ""
    kind = f"!ttg.memdesc<{tensor}xf16, #plain, #smem, mutable{tail}>"
    body = f"{ALLOC}    %v = {view} : {TILE} -> {kind}\n"
    body += f"    %x = ttg.local_load %v : {kind} -> tensor<{tensor}xf16, #rows>\n"
    access = only(checked(module(body)))
    assert (access.instruction, access.ways) == (instruction, ways)


def test_a_part_of_a_buffer_starts_where_the_view_says() -> None:
    kind = "!ttg.memdesc<32x32xf16, #plain, #smem, mutable, 64x32>"
    body = f"{ALLOC}    %v = ttg.memdesc_subslice %m[32, 0] : {TILE} -> {kind}\n"
    body += f"    %x = ttg.local_load %v : {kind} -> tensor<32x32xf16, #rows>\n"
    lanes = only(checked(module(body))).lanes
    assert lanes is not None
    assert lanes.offsets_bytes[:5] == (2048, 2064, 2080, 2096, 2112)


def loop(bound: str, inside: str) -> str:
    buffers = "!ttg.memdesc<2x64x32xf16, #plain, #smem, mutable>"
    carried = "iter_args(%at = %c0, %v = %m)"
    return f"""    %b = ttg.local_alloc : () -> {buffers}
    %m = ttg.memdesc_index %b[%c0] : {buffers} -> {TILE}
    %r:2 = scf.for %i = %c0 to {bound} step %c1 {carried} -> (i32, {TILE})  : i32 {{
{inside}      %next = arith.addi %at, %c1 : i32
      %wrap = arith.cmpi slt, %next, %c8 : i32
      %to = arith.select %wrap, %c1, %c0 : i32
      %w = ttg.memdesc_index %b[%to] : {buffers} -> {TILE}
      scf.yield %to, %w : i32, {TILE}
    }}
"""


INSIDE = f"      %x = ttg.local_load %v : {TILE} -> {TENSOR}\n"


@pytest.mark.parametrize(("bound", "said"), [("%c8", ()), ("%n", ("n=8",))])
def test_a_loop_of_known_length_counts_every_round(bound: str, said: tuple[str, ...]) -> None:
    report = checked(module(loop(bound, INSIDE)), *said)
    # The first round reads buffer 0, the others buffer 1: two views of one operation.
    assert sorted(a.executions for a in report.accesses) == [1, 7]
    assert report.totals.run.passes == 8 * 32
    assert not any("not known" in a.note for a in report.accesses)


def test_a_loop_of_unknown_length_counts_once_and_says_so() -> None:
    report = checked(module(loop("%n", INSIDE)))
    assert only(report).executions == 1
    assert "how often it runs is not known" in only(report).note
    assert "in Python numbers={..}, says it: n)" in report.kernels[0].notes[-1]


def test_both_ways_of_an_open_branch_count_and_may_not_run() -> None:
    body = f"""{ALLOC}    %p = arith.cmpi sgt, %n, %c8 : i32
    scf.if %p {{
{INSIDE.replace("%v", "%m")}    }} else {{
{INSIDE.replace("%v", "%m")}    }}
"""
    assert ["it may not run" in a.note for a in checked(module(body)).accesses] == [True, True]
    (taken,) = checked(module(body), "n=9").accesses
    assert "may not run" not in taken.note


def test_what_reaches_memory_through_a_descriptor_is_counted_and_fixes_the_encoding() -> None:
    report = checked((DATA / "triton_matmul.sm_90.ttgir").read_text("utf-8"), optima=True)
    assert report.refusals == ()
    assert report.kernels[0].optima == ()
    assert any("ttng.warp_group_dot needs it so" in n for n in report.kernels[0].notes)
    read = [a for a in report.accesses if a.operation == "ttng.warp_group_dot"]
    assert {a.kind for a in read} == {"operand"}
    # 64 x 32 of A and 32 x 64 of B in f16: a pass for every 128 bytes, in both swizzle modes.
    assert {(a.cost.passes, a.cost.ideal) for a in read} == {(64 * 32 * 2 // 128,) * 2}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("    tt.call @f(%n) : (i32) -> ()\n", "@f may touch shared memory"),
        (ALLOC + f"    ttg.foo %m : {TILE}\n", "how it touches shared memory is not modelled"),
        (
            ALLOC.replace("#plain", "#wide") + LOAD.replace("#plain", "#wide"),
            "several CTAs",
        ),
        (
            "    %h = tt.histogram %n : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> "
            "tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>\n",
            "decided by data",
        ),
    ],
)
def test_what_is_not_modelled_is_a_refusal_at_its_line(body: str, reason: str) -> None:
    wide = "#wide = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], "
    report = checked(module(body, aliases=wide + "CGALayout = [[1, 0]]}>\n"))
    assert report.refusals
    assert any(reason in r.reason for r in report.refusals)
    assert all(r.location is not None and r.location.line >= 11 for r in report.refusals)
    assert report.exit_code == 3


GOOD = module(ALLOC + LOAD)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "no TTGIR", 0),
        ("module {\n}\n", "no TTGIR", 0),
        (GOOD.replace('"ttg.num-warps" = 4 : i32, ', ""), "'ttg.num-warps' is missing", 6),
        (GOOD.replace('"ttg.threads-per-warp" = 32', '"ttg.threads-per-warp" = 33'), "33", 6),
        (GOOD.replace("cuda:80", "xpu:12"), "'xpu:12' is no GPU known here", 6),
        (GOOD.replace("cuda:80", "cuda:12"), "there is no machine 'cuda:12'", 6),
        (GOOD.replace('ttg.target = "cuda:80", ', ""), "names no ttg.target", 6),
        (GOOD.replace("cuda:80", "hip:gfx942"), "for waves of 32 lanes, gfx942 has 64", 0),
        (GOOD.replace("#ttg.swizzled_shared<", "#ttg.twisted<"), "unknown encoding 'twisted'", 3),
        (GOOD.replace("vec = 1", "vec = 3"), "vec = 3", 3),
        (GOOD.replace("64x32xf16, #plain", "64x32xf16, #none"), "unknown alias 'none'", 11),
        (GOOD.replace("64x32xf16, #rows", "64x30xf16, #rows"), "30", 12),
        (GOOD.replace("64x32xf16, #rows", "64x64xf16, #rows"), "the memory [64, 32]", 12),
        (GOOD.replace("64x32xf16, #rows", "64x32xf32, #rows"), "32 bits an element", 12),
        (GOOD.replace("64x32xf16, #rows", "64x32xwhat, #rows"), "no element type", 12),
        (GOOD.replace("warpsPerCTA = [4, 1]", "warpsPerCTA = [2, 1]"), "of 2 waves", 12),
        (GOOD.replace("    %x = ttg", "    ???"), "this is no operation", 12),
        (GOOD[: GOOD.index("    tt.return")], "opens a region that is not closed", 7),
        (GOOD.replace("tt.func public @k", "tt.func private @k"), "no kernel", 0),
        (GOOD.replace("#ttg.blocked", "#triton_gpu.blocked"), "before 3.2", 0),
        (GOOD.replace("order = [1, 0]}>\n#column", "order = [1, 1]}>\n#column"), "permutation", 1),
    ],
)
def test_bad_input_is_one_error_with_its_place(text: str, message: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        checked(text)
    assert message in str(caught.value)
    assert caught.value.location is not None
    assert caught.value.location.file == "k.ttgir"
    assert caught.value.location.line == line


@pytest.mark.parametrize(
    ("said", "message"), [(("m=4",), "no argument 'm'"), (("n",), "is not NAME=VALUE")]
)
def test_arguments_are_those_of_the_kernel(said: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        checked(GOOD, *said)


def test_a_view_that_does_not_fit_what_it_views_is_an_error() -> None:
    kind = "!ttg.memdesc<32x32xf16, #plain, #smem, mutable>"
    body = f"{ALLOC}    %v = ttg.memdesc_subslice %m[48, 0] : {TILE} -> {kind}\n"
    with pytest.raises(InputError, match="does not fit the shape") as caught:
        checked(module(body))
    assert caught.value.location == Location("k.ttgir", 12)


@pytest.mark.parametrize(
    "bad",
    [
        LOAD.replace("%x", "%y").replace("64x32xf16, #rows", "64x64xf16, #rows"),
        f"    %v = ttg.memdesc_subslice %m[48, 0] : {TILE} -> {TILE.replace('64x32', '32x32')}\n",
        "    %w = ttg.local_alloc : () -> !ttg.memdesc<64x24xf16, #plain, #smem, mutable>\n",
        "    scf.for %i in %n {\n    }\n",
        "    partition7(%q: i32) {\n    }\n",
    ],
)
def test_one_operation_never_costs_the_file(bad: str) -> None:
    """What is wrong with it is told at its line; the load behind it is counted."""
    report = checked(module(ALLOC + bad + LOAD))
    (refusal,) = report.refusals
    assert refusal.location == Location("k.ttgir", 12)
    assert [(a.operation, a.cost.passes) for a in report.accesses] == [
        ("ttg.local_load", 2 * 4 * 4)
    ]
    assert report.exit_code == 3


TWO_WARPS = ROWS.replace("[4, 1]", "[2, 1]")
PARTITIONS = f"""{ALLOC}    ttg.warp_specialize(%m, %n)
    default {{
{LOAD.replace("    %x", "      %x")}      ttg.warp_yield
    }}
    partition0(%a: {TILE}, %b: i32) num_warps(2) {{
      %y = ttg.local_load %a : {TILE} -> tensor<64x32xf16, #two>
      ttg.warp_return
    }} : ({TILE}, i32) -> ()
"""


@pytest.mark.parametrize(("width", "turned"), [(128, "false"), (64, "true"), (32, "false")])
def test_units_take_a_pass_for_every_128_bytes_that_they_read_or_write(width, turned) -> None:
    """tcgen05 in blocks of 128 x 256: A is read for both blocks of N, B for both of M."""
    nv = f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = {turned}, "
    aliases = f"#nv = {nv}elementBitWidth = 16}}>\n"
    a, b = (f"!ttg.memdesc<{s}xf16, #nv, #smem, mutable>" for s in ("256x64", "64x512"))
    d = "!ttg.memdesc<256x512xf32, #tmem, #ttng.tensor_memory, mutable>"
    bar = "!ttg.memdesc<1xi64, #bar, #smem, mutable>"
    box = "!tt.tensordesc<256x64xf16, #nv>"
    aliases += "#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
    aliases += "#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1>\n"
    body = f"""    %a = ttg.local_alloc : () -> {a}
    %b = ttg.local_alloc : () -> {b}
    %d = ttng.tmem_alloc : () -> {d}
    %m = ttg.local_alloc : () -> {bar}
    ttng.async_tma_copy_global_to_local %t[%c0, %c0] %a, %m, %c1 : {box}, {bar} -> {a}
    ttng.tc_gen5_mma %a, %b, %d, %c1, %c1, %m[%c1] {{is_async}} : {a}, {b}, {d}, {bar}
"""
    report = checked(module(body, aliases=aliases, target="cuda:100"))
    assert report.refusals == ()
    bytes_of = {"a": 256 * 64 * 2, "b": 64 * 512 * 2}
    assert [
        (x.instruction, x.allocations[0], x.cost.passes, x.cost.ideal) for x in report.accesses
    ] == [
        (row, name, times * bytes_of[name] // 128, times * bytes_of[name] // 128)
        for row, name, times in (("tma.load", "a", 1), ("tcgen05", "a", 2), ("tcgen05", "b", 2))
    ]


def test_every_partition_of_specialised_warps_has_its_own() -> None:
    report = checked(module(PARTITIONS, aliases=f"#two = {TWO_WARPS}\n"))
    assert report.refusals == ()
    # Two warps more take a warpgroup of their own: Triton rounds up.
    assert report.kernels[0].workgroup_size == ((4 + 4) * 32, 1, 1)
    # The same tile of 4,096 bytes: 512 bytes an instruction, by four warps and by two.
    assert [(a.waves, a.instructions, a.cost.passes) for a in report.accesses] == [
        (4, 2, 4 * 2 * 4),
        (2, 4, 2 * 4 * 4),
    ]


def test_a_called_function_and_a_loop_of_unknown_length_are_followed() -> None:
    body = f"""{ALLOC}    tt.call @f(%m) : ({TILE}) -> ()
    %k = scf.while (%i = %n) : (i32) -> i32 {{
      %p = arith.cmpi sgt, %i, %c0 : i32
      scf.condition(%p) %i : i32
    }} do {{
    ^bb0(%j: i32):
{LOAD}      scf.yield %j : i32
    }}
"""
    callee = f"""  tt.func private @f(%m: {TILE}) attributes {{noinline = true}} {{
{LOAD}    tt.return
  }}
"""
    text = module(body)
    report = checked(text[: text.rindex("}")] + callee + "}\n")
    assert report.refusals == ()
    called, looped = report.accesses
    assert called.times == exactly(1)
    assert (looped.times.low, looped.times.high) == (0, None)
    assert called.cost == looped.cost


def test_damaged_texts_are_refused_or_read_but_never_crash() -> None:
    random.seed(7)
    texts = [p.read_text("utf-8") for p in sorted(DATA.glob("triton_*.ttgir"))]
    told = 0
    for _ in range(60):
        text = random.choice(texts)
        for _ in range(random.randint(1, 3)):
            text = damaged(text)
        try:
            checked(text)
        except InputError as error:
            told += error.location is not None
    assert told > 20


def damaged(text: str) -> str:
    at = random.randrange(len(text))
    lines = text.splitlines(keepends=True)
    number = random.randrange(min(len(lines), 120))
    return random.choice(
        (
            text[:at],
            text[:at] + random.choice("{}()<>[]#%,:=01x") + text[at + 1 :],
            "".join(lines[:number] + lines[number + 1 :]),
            "".join(lines[: number + 1] + lines[number:]),
        )
    )


def test_locations_are_followed_to_the_innermost_place() -> None:
    locations = {
        "#loc1": '"lib.py":5:1',
        "#loc2": '"k.py":9:3',
        "#loc3": '"x"(#loc2)',
        "#loc4": "callsite(#loc1 at #loc3)",
        "#loc5": "fused[#loc2, #loc4]",
        "#loc6": "#loc6",
    }
    assert sources("#loc3", locations) == (Location("k.py", 9, 3),)
    assert sources("#loc4", locations) == (Location("lib.py", 5, 1), Location("k.py", 9, 3))
    assert sources("#loc5", locations)[0] == Location("k.py", 9, 3)
    assert sources("#loc6", locations) == ()


def test_a_conflict_names_its_place_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    """The innermost that is not Triton's own: who calls `tl.max`, not where it is written."""
    load = LOAD.replace(TENSOR, "tensor<64x32xf16, #column>").rstrip() + " loc(#loc3)\n"
    places = '#loc1 = loc("/a/triton/language/s.py":5:1)\n#loc2 = loc("/b/triton/k.py":9:3)\n'
    text = module(ALLOC + load) + places + "#loc3 = loc(callsite(#loc1 at #loc2))\n"
    report = checked(text)
    print_check(report, Console(width=80))
    assert "= source: /b/triton/k.py:9:3\n" in capsys.readouterr().out
    without = checked(module(ALLOC + load.replace(" loc(#loc3)", "")))
    print_check(without, Console(width=80))
    assert "= source" not in capsys.readouterr().out


def test_a_conflict_names_all_its_lines_in_python(capsys: pytest.CaptureFixture[str]) -> None:
    """Three reads of one kind, on two lines of the author: the other one is named, too."""
    load = LOAD.replace(TENSOR, "tensor<64x32xf16, #column>").rstrip()
    loads = "".join(
        load.replace("%x =", f"%x{n} =") + f" loc(#loc{at})\n" for n, at in enumerate((1, 1, 2))
    )
    assert "%x0" in loads
    places = '#loc1 = loc("/b/k.py":9:3)\n#loc2 = loc("/b/k.py":12:3)\n'
    print_check(checked(module(ALLOC + loads) + places), Console(width=80))
    told = " ".join(capsys.readouterr().out.split())
    assert "= source: /b/k.py:9:3" in told
    assert "(3 accesses); of k.py:12 " in told


def test_values_of_two_ways_are_what_both_have_in_common() -> None:
    assert join(3, 3) == 3
    assert join(3, 4) == Open()
    assert join(3, Open(frozenset("n")), frozenset("m")) == Open(frozenset("mn"))
    assert join(None, None) is None
    assert join(3, None) is None


def test_without_the_wheel_the_text_is_read_and_the_note_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(wheel, "installed", lambda: False)
    path = tmp_path / "k.ttgir"
    path.write_text(GOOD)
    report = check_file(path, Options())
    (note,) = report.notes
    assert note.startswith("the text was not verified: Triton is not installed (pip install ")
    with pytest.raises(InputError, match=r"pip install .*\[triton\]'"):
        wheel.verified(GOOD, "k.ttgir")


def test_another_machine_can_be_asked_for_and_the_report_says_so(tmp_path: Path) -> None:
    path = tmp_path / "k.ttgir"
    path.write_text(GOOD)
    report = check_ttgir_file(path, Options(target="sm_90"), verify=False)
    assert (report.target, report.notes) == ("sm_90", ("the text is for sm_80; counted for sm_90",))
    with pytest.raises(InputError, match="leave --workgroup-size out"):
        check_ttgir_file(path, Options(workgroup_size="64,1,1"), verify=False)
    with pytest.raises(InputError, match="no kernel 'q' in this module"):
        check_ttgir_file(path, Options(kernel="q"), verify=False)


def test_every_format_prints_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    load = LOAD.replace(TENSOR, "tensor<64x32xf16, #column>")
    report = checked(module(ALLOC + load), optima=True)
    print_check(report, Console(width=160))
    printed = capsys.readouterr().out
    # A row of 64 bytes a lane: 32 rows share two banks' worth of places.
    assert "16-way" in printed
    assert "instead of #ttg.swizzled_shared<{vec = 1" in " ".join(printed.split())
    document = plain(check_document(report))
    assert document["policy"] == "triton"
    assert [a["operation"] for a in document["accesses"]] == ["ttg.local_load"]
    (optimum,) = document["kernels"][0]["optima"]
    assert optimum["notation"].startswith("#ttg.")
    assert optimum["best"]["passes"] < optimum["present"]["passes"]
    assert "bank-conflict" in json.dumps(check_sarif(report))


def test_a_cache_entry_is_opened_by_its_module(tmp_path: Path) -> None:
    assert recognise(tmp_path).name == "folder"
    with pytest.raises(InputError, match=r"no Triton cache entry"):
        open_entry(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        open_entry(tmp_path / "none")
    (tmp_path / "k.ttgir").write_text(GOOD)
    (tmp_path / "k.ptx").write_text("")
    (tmp_path / "k.json").write_text('{"shared": 4096}')
    entry = open_entry(tmp_path)
    assert recognise(tmp_path).name == "Triton cache entry"
    assert (entry.name, entry.assembly, entry.shared_bytes) == ("k", tmp_path / "k.ptx", 4096)
    (tmp_path / "k.json").write_text("{")
    with pytest.raises(InputError, match="no JSON metadata"):
        open_entry(tmp_path)
    (tmp_path / "other.ttgir").write_text(GOOD)
    with pytest.raises(InputError, match="several kernels"):
        open_entry(tmp_path)


def test_functions_are_read_with_their_arguments() -> None:
    kernels = read_module((DATA / "triton_matmul.sm_80.ttgir").read_text("utf-8"), "m").kernels
    assert [(k.name, k.arguments, k.sizes) for k in kernels] == [
        ("matmul", ("%a", "%b", "%c", "%size"), (8, 8, 8, 4))
    ]


def test_lanes_of_a_report_are_those_of_the_costliest_instruction() -> None:
    lanes = only(checked(GOOD)).lanes
    assert lanes is not None
    offsets = np.array(lanes.offsets_bytes)
    # Lane l of warp 0 holds 8 elements of row l / 4 from column 8 (l mod 4) on, rows of 64 bytes.
    assert (offsets == 64 * (np.arange(32) // 4) + 16 * (np.arange(32) % 4)).all()
