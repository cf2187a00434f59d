"""Better encodings written into TTGIR: the edit, its judge, and Triton's own word on both."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from base64 import b32encode
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

import bankwise.triton
from bankwise.ask.check_ttgir import better_of, check_ttgir, plan
from bankwise.ask.fix_ttgir import fix_ttgir_file
from bankwise.ask.judge_emitted import taken
from bankwise.ask.ttgir_better import Better
from bankwise.ask.ttgir_exchange import keeps, ties
from bankwise.ask.ttgir_judges import unsaid
from bankwise.change.ttgir.prove import prove_encodings
from bankwise.change.ttgir.reencode import reencoded
from bankwise.change.ttgir.views import reshaped, transposed
from bankwise.errors import InputError, Refusal
from bankwise.notation.triton import memory, parse_shared
from bankwise.notation.triton.encodings import Blocked
from bankwise.notation.triton.gluon import gluon_text
from bankwise.notation.values import points
from bankwise.read.options import Judges, Options
from bankwise.read.ttgir import wheel
from bankwise.read.ttgir.text import every
from isa_texts import DATA
from ttgir_texts import checked, module

HERE = Path(__file__).parent
KERNELS = DATA.parent / "triton_kernels.py"
ATTENTION = (DATA / "triton_attention.gfx942.ttgir").read_text("utf-8")

needs_wheel = pytest.mark.skipif(
    not wheel.installed(), reason="Triton is not installed (pip install 'bankwise[triton]')"
)

ENCODINGS = [
    "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [1, 0]}>",
    "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [0, 1]}>",
    "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [32, 64]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>",
    "#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
]
SHAPE = (32, 64)


@pytest.mark.parametrize("text", ENCODINGS)
@pytest.mark.parametrize("order", list(permutations(range(2))))
def test_a_transposed_view_names_the_same_places(text: str, order: tuple[int, int]) -> None:
    """Element x of the view is element y of the buffer, y[order[d]] = x[d]."""
    encoding = parse_shared(text)
    turned = transposed(encoding, order)
    assert not isinstance(turned, Refusal)
    shape = tuple(SHAPE[d] for d in order)
    seen = points(shape)
    own = np.empty_like(seen)
    own[..., list(order)] = seen
    assert np.array_equal(memory(turned, shape).offsets(seen), memory(encoding, SHAPE).offsets(own))


@pytest.mark.parametrize("text", [t for t in ENCODINGS if "padded" not in t])
def test_a_view_of_another_shape_names_the_same_places(text: str) -> None:
    encoding, after = parse_shared(text), (4, 8, 64)
    found = reshaped(encoding, SHAPE, after)
    assert not isinstance(found, Refusal)
    old, new = memory(encoding, SHAPE), memory(found, after)
    assert np.array_equal(old.offsets(points(SHAPE)), new.offsets(points(after)))


OLD = "#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
NEW = "#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>"


def line_of(text: str, words: str) -> int:
    (found,) = (n for n, line in enumerate(text.split("\n"), 1) if words in line)
    return found


def changed() -> str:
    """The key tile of the attention kernel under another encoding."""
    found = reencoded(ATTENTION, "k.ttgir", {line_of(ATTENTION, "%key_29 = "): parse_shared(NEW)})
    assert isinstance(found, str)
    return found


def test_an_alias_without_another_use_is_edited_where_it_stands() -> None:
    before, after = ATTENTION.split("\n"), changed().split("\n")
    differing = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert differing == [(OLD, f"#shared1 = {NEW}")]


def test_a_conflict_of_rows_that_a_swizzle_treats_alike_is_told_so() -> None:
    """Rows of 64 f16 are 32 words: lanes of neighbouring rows never meet, those 8 rows apart do."""
    line, short = line_of(ATTENTION, "%key_29 = "), NEW.replace("maxPhase = 16", "maxPhase = 8")
    text = reencoded(ATTENTION, "k.ttgir", {line: parse_shared(short)})
    assert isinstance(text, str)
    report = check_ttgir(text, "k.ttgir", Options(), verify=False, optima=False)
    told = {str(a.reason) for a in report.accesses if "key_29" in a.allocations and a.run.extra}
    assert told == {
        "the swizzle repeats after 8 rows (perPhase * maxPhase): 8 rows on, 256 words, 256 mod 32 "
        "banks = 0; 2 such rows, 2-way"
    }


def test_an_alias_with_other_uses_stays_and_every_line_of_the_buffer_gets_a_new_one() -> None:
    text = (DATA / "triton_attention.sm_90.ttgir").read_text("utf-8")
    line = line_of(text, "%key_18 = ttg.local_alloc")
    wide = parse_shared(ENCODINGS[0])
    found = reencoded(text, "k.ttgir", {line: wide})
    assert isinstance(found, str)
    assert f"#better = {wide}" in found
    same = found.replace(f"#better = {wide}\n", "").split("\n")
    for old, new in zip(text.split("\n"), same, strict=True):
        if "%key_18" in old and "memdesc<" in old:
            assert "#better" in new, new
        if "%value_19" in old:
            assert old == new


def test_the_judge_names_what_was_changed() -> None:
    assert prove_encodings(ATTENTION, changed(), "k.ttgir") == ("key_29",)


CORRUPTED = [
    ("arith.constant 64 : i32", "arith.constant 32 : i32"),
    ("arith.addf", "arith.mulf"),
    ("tt.dot ", "tt.dot_scaled "),
    ("order = array<i32: 1, 0>", "order = array<i32: 0, 1>"),
    ("tt.store %", "tt.store %not_"),
    ("scf.yield %", "scf.yield %not_"),
    ("tt.divisibility = 16", "tt.divisibility = 8"),
    ("ttg.local_load %", "ttg.local_load %not_"),
    ("isTransposed = true", "isTransposed = false"),
    ("threadsPerWarp = [", "threadsPerWarp = [1, "),
    ('"ttg.num-warps" = 4', '"ttg.num-warps" = 8'),
    ("arith.maxnumf", "arith.minnumf"),
]


@pytest.mark.parametrize(("old", "new"), CORRUPTED)
def test_the_judge_rejects_whatever_else_is_changed(old: str, new: str) -> None:
    """Each place on its own: in the text that was fixed, once, at the first and the last."""
    text = changed()
    places = [m.start() for m in re.finditer(re.escape(old), text)]
    if not places:
        pytest.skip(f"this kernel has no {old}")
    for at in {places[0], places[-1]}:
        wrong = text[:at] + new + text[at + len(old) :]
        try:
            found = prove_encodings(ATTENTION, wrong, "k.ttgir")
        except InputError:
            continue
        assert isinstance(found, Refusal), f"{old} -> {new}"


def test_the_judge_rejects_lines_that_are_gone_swapped_or_new() -> None:
    lines = changed().split("\n")
    first = next(n for n, line in enumerate(lines) if "arith." in line)
    gone = [*lines[:first], *lines[first + 1 :]]
    swapped = [*lines[:first], lines[first + 1], lines[first], *lines[first + 2 :]]
    twice = [*lines[:first], lines[first], *lines[first:]]
    for wrong in (gone, swapped, twice):
        found = prove_encodings(ATTENTION, "\n".join(wrong), "k.ttgir")
        assert isinstance(found, Refusal)


def test_the_judge_rejects_two_elements_in_one_place() -> None:
    """Offset bases that repeat one: half of the elements lie on the other half."""
    shape = re.search(r"%key_29 = .*memdesc<(?:1x)?(\d+)x(\d+)x", ATTENTION)
    assert shape is not None
    rows, columns = int(shape[1]), int(shape[2])
    bases = [[0, 1 << n] for n in range(columns.bit_length() - 1)]
    bases += [[1 << n, 0] for n in range(rows.bit_length() - 1)]
    bases[1] = bases[0]
    linear = f"#ttg.shared_linear<{{offset = {bases}}}, alignment = 16>"
    wrong = ATTENTION.replace(OLD, f"#shared1 = {linear}")
    assert wrong != ATTENTION
    assert isinstance(prove_encodings(ATTENTION, wrong, "k.ttgir"), Refusal)


def test_the_judge_rejects_another_encoding_for_a_matrix_unit() -> None:
    text = (DATA / "triton_attention.sm_90.ttgir").read_text("utf-8")
    old = "#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128"
    wrong = text.replace(old, old.replace("128", "64"))
    assert wrong != text
    assert isinstance(prove_encodings(text, wrong, "k.ttgir"), Refusal)


@pytest.mark.parametrize("name", ["triton_reduce.gfx950", "triton_reduce.sm_90"])
def test_the_judge_rejects_another_order_of_a_sum(name: str) -> None:
    """The types of a reduction stand behind its region, on another line than its name."""
    text = (DATA / f"{name}.ttgir").read_text("utf-8")
    ends = re.findall(r'"tt\.reduce"\(.*?\}\) : \((.*?)\) ->', text, re.DOTALL)
    sums = {alias for types in ends for alias in re.findall(r"#(\w+)>", types)}
    blocked = r"^#(\w+) = #ttg\.blocked<.*(warpsPerCTA = \[(\d), (\d)\])"
    named = [each for each in re.findall(blocked, text, re.MULTILINE) if each[0] in sums]
    assert named
    for alias, warps, one, two in named:
        line = re.compile(rf"^(#{alias} = .*){re.escape(warps)}", re.MULTILINE)
        other = line.sub(rf"\1warpsPerCTA = [{two}, {one}]", text)
        found = prove_encodings(text, other, "k.ttgir")
        assert isinstance(found, Refusal)
        assert "who holds what: tt.reduce" in found.reason


@needs_wheel
def test_fix_on_the_command_line(tmp_path: Path) -> None:
    """Conflicts remain in nothing; AMD code is not executed, which --no-execute leaves out. LLVM
    joins writes, and how gfx942 serves them nobody knows: the numbers rest on that."""
    (tmp_path / "k.ttgir").write_text(ATTENTION, "utf-8")
    words = [
        "fix",
        "k.ttgir",
        "--arg",
        "keys=128",
        "--no-execute",
        "--format",
        "json",
        "-o",
        "new/",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "bankwise", *words],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert (answer["schema"], answer["accepted"]) == ("bankwise.fix/1", True)
    rows = {row["name"]: (row["before"], row["after"]) for row in answer["verdicts"][-1]["rows"]}
    assert rows["conflicts"][0] > rows["conflicts"][1] == 0
    assert rows["passes of a workgroup"][0] > rows["passes of a workgroup"][1]
    assert [v["judge"] for v in answer["verdicts"]] == ["proof", "isa"]
    fixed = (tmp_path / "new" / "k.ttgir").read_text("utf-8")
    assert prove_encodings(ATTENTION, fixed, "k.ttgir")
    assert "TRITON_KERNEL_DUMP" in answer["settings"][-1]
    assert answer["verdicts"][-1]["open"] == ["unknown: the rule of ds_write2st64_b64"]
    assert done.returncode == 3, (done.stderr, answer["refusals"])


def program(words: list[str], **environment: str) -> str:
    """What the program of another user prints, with some variables set."""
    import os

    done = subprocess.run(
        [sys.executable, str(HERE / "triton_program.py"), *words],
        env={**os.environ, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@needs_wheel
def test_triton_takes_what_fix_of_its_dump_and_of_its_cache_writes(tmp_path: Path) -> None:
    words = ["product_f32_nt", "gfx942"]
    folders = {f"TRITON_{n}_DIR": str(tmp_path / n.lower()) for n in ("CACHE", "DUMP")}
    before = program(words, TRITON_KERNEL_DUMP="1", **folders)
    fixed = {}
    for name in ("dump", "cache"):
        (entry,) = (tmp_path / name).iterdir()
        output = tmp_path / f"new_{name}"
        done = subprocess.run(
            [sys.executable, "-m", "bankwise", "fix", str(entry), "--arg", "size=64",
             "--no-execute", "-o", f"{output}/"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 3, done.stderr  # joined writes, whose rule nobody knows
        fixed[name] = (output / entry.name / "product.ttgir").read_text("utf-8")
    override = program(
        words, TRITON_KERNEL_OVERRIDE="1", TRITON_OVERRIDE_DIR=str(tmp_path / "new_dump"),
        TRITON_ALWAYS_COMPILE="1", TRITON_CACHE_DIR=str(tmp_path / "other"),
    )  # fmt: skip
    assert "Overriding kernel" in override
    cached = program(words, TRITON_CACHE_DIR=str(tmp_path / "new_cache"))
    assert cached == fixed["cache"] != before
    line = next(x for x in fixed["dump"].split("\n") if x.startswith("#shared"))
    assert line in override
    assert line not in before


@needs_wheel
def test_an_installed_fix_replaces_the_kernel_that_it_is_of_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from triton.knobs import runtime

    import triton_program as user

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    case = user.triton_kernels.CASES["product_f32_nt"]
    fixed = bankwise.triton.fix(
        f"{KERNELS}:product", case["types"], "gfx942", constexprs=case["constants"],
        numbers=case["numbers"], execute=False,
    )  # fmt: skip
    assert fixed.patch
    assert 'found.write("override") writes this TTGIR' in str(fixed).rpartition("+++")[2]
    # LLVM need not name the same registers twice: what is compared is the text that it is given.
    before = user.compiled("product_f32_nt", "gfx942").asm["ttgir"]
    with bankwise.triton.install(fixed) as replaced:
        inside = user.compiled("product_f32_nt", "gfx942")
        other = user.compiled("product_f16_tt", "gfx942")
    assert replaced == ["product"]
    assert runtime.add_stages_inspection_hook is None
    assert inside.asm["ttgir"] != before
    assert other.asm["ttgir"] == user.compiled("product_f16_tt", "gfx942").asm["ttgir"]
    assert user.compiled("product_f32_nt", "gfx942").asm["ttgir"] == before
    said = fixed.write(tmp_path / "override")
    assert (Path(said["TRITON_OVERRIDE_DIR"]) / fixed.source_hash / "product.ttgir").is_file()
    launched = b32encode(bytes.fromhex(user.source("product_f32_nt", "gfx942").hash()))
    assert fixed.source_hash == launched.decode().rstrip("=")
    note = "pointers have tt.pointer_range = 32"
    assert sum(line.startswith(note) for line in fixed.report.notes) == 1


@needs_wheel
def test_after_a_run_with_the_variables_of_write_a_plain_run_has_the_own_kernel(
    tmp_path: Path,
) -> None:
    """Triton keeps a replaced kernel under the name of the one that it replaces."""
    import triton_program as user

    words, home = ["product_f32_nt", "gfx942"], {"TRITON_HOME": str(tmp_path)}
    case = user.triton_kernels.CASES[words[0]]
    fixed = bankwise.triton.fix(
        f"{KERNELS}:product", case["types"], "gfx942", constexprs=case["constants"],
        numbers=case["numbers"], execute=False,
    )  # fmt: skip
    before = program(words, **home)
    replaced = program(words, **home, **fixed.write(tmp_path / "override"))
    assert "Overriding kernel" in replaced
    assert program(words, **home) == before
    nothing = replace(fixed, report=replace(fixed.report, changes=()))
    assert nothing.write(tmp_path / "none") == {}
    assert not (tmp_path / "none").exists()


@needs_wheel
def test_a_triton_whose_caches_do_not_ask_the_hook_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Triton 3.6.0 calls the hook with the stages alone: a replaced kernel stayed in its cache."""
    from triton.knobs import runtime

    monkeypatch.setattr("inspect.getsource", lambda module: "hook(self, stages, options)")
    refused = pytest.raises(InputError, match="caches of Triton")
    with refused as caught, bankwise.triton.install():
        pass
    assert "fixed.write" in (caught.value.hint or "")
    assert runtime.add_stages_inspection_hook is None


@needs_wheel
def test_what_a_matrix_unit_reads_is_spread_otherwise() -> None:
    """8-bit operands of wgmma along N: single bytes 16-way, and words of four along K instead."""
    import triton_program as user

    case = user.triton_kernels.CASES["product_i8_nn"]
    fixed = bankwise.triton.fix(
        f"{KERNELS}:product", case["types"], "sm_90", constexprs=case["constants"],
        numbers={"size": 128}, num_warps=8,
    )  # fmt: skip
    (change,) = fixed.report.changes
    assert change.before.passes >= 8 * change.after.passes
    assert "sectors of 32 bytes of global memory" in change.coalescing
    proof = prove_encodings(fixed.report.source_text, fixed.ttgir, "k.ttgir")
    assert not isinstance(proof, Refusal)
    old, new = (
        text.replace("tt.load %", "tt.reduce %") for text in (fixed.report.source_text, fixed.ttgir)
    )
    assert isinstance(prove_encodings(old, new, "k.ttgir"), Refusal)


def test_copies_of_buffer_operations_count_as_those_through_pointers() -> None:
    """amdg.buffer_load_to_local has a base and offsets where the other copy has pointers."""
    text = (DATA / "triton_attention.gfx950.ttgir").read_text("utf-8")
    copy = r"ttg.async_copy_\w+ (%\w+), (%\w+)(.*) : tensor<(\w+x)!tt.ptr<f16>, (.*?)> ->"
    as_buffers = (
        r"amdg.buffer_load_to_local %keys[\1] into \2\3 : !tt.ptr<f16>[tensor<\4i32, \5>]  ->"
    )
    buffers, count = re.subn(copy, as_buffers, text)
    assert count > 1
    old, new = (check_ttgir(t, "k.ttgir", Options(), verify=False) for t in (text, buffers))
    assert new.refusals == old.refusals
    copies = [a.run for a in new.accesses if a.instruction.startswith("buffer_load_")]
    assert copies == [a.run for a in old.accesses if a.instruction.startswith("global_load_lds_")]
    assert len(copies) >= count


@needs_wheel
def test_reads_that_share_their_data_are_in_the_comparison() -> None:
    """gfx950's ds_read_*_tr exchange data between lanes: alone, their 256 bytes a row look the same
    before and after. What a fix costs is compared over them as well, and so the better of both is
    found: by the machine code, not by the accesses that `check` sums for other instructions."""
    fixed = bankwise.triton.fix(
        f"{DATA.parent / 'make_triton_kernels.py'}:matmul",
        {"a": "*fp16", "b": "*fp16", "c": "*fp16", "size": "i32"},
        "gfx950",
        constexprs={"bm": 64, "bn": 64, "bk": 32},
        numbers={"size": 256},
        divisible=["a", "b", "c"],
        execute=False,
    )
    assert fixed.patch
    (isa,) = (one for one in fixed.report.verdicts if one.judge == "isa")
    rows = {row[0]: row[1:] for row in isa.rows}
    assert rows["conflicts"][0] > 0
    assert rows["conflicts"][1] == 0
    passes = rows["passes of a workgroup"]
    assert passes[0] - passes[1] == rows["conflicts"][0]
    table = re.findall(r"^ *([\d,]+) +([\d,]+) +[\d,]+ (.*)$", str(fixed.report), re.MULTILINE)
    *shown, total = [
        (int(a.replace(",", "")), int(b.replace(",", "")), what) for a, b, what in table
    ]
    assert total[2].strip() == "all accesses"
    assert total[0] - total[1] == sum(a - b for a, b, _ in shown) > 0


@needs_wheel
def test_a_conversion_through_scratch_is_spread_otherwise() -> None:
    """Both names that `tt.trans` joins change, or Triton refuses the text. A wave still reads and
    writes whole lines of gfx950, 128 bytes each: 64 x 64 f16, four waves."""
    import triton_program as user

    case = user.triton_kernels.CASES["transpose_f16"]
    fixed = bankwise.triton.fix(
        f"{KERNELS}:transpose", case["types"], "gfx950", constexprs=case["constants"],
        numbers=case["numbers"], accept_sampled=True, pointer_range=None,
    )  # fmt: skip
    assert fixed.report.exit_code == 0
    (change,) = fixed.report.changes
    assert "touch 32 lines of 128 bytes of global memory in 4 instr" in change.coalescing
    lines = Path(KERNELS).read_text("utf-8").splitlines()
    (turned,) = (n for n, line in enumerate(lines, 1) if "tl.trans(tile)" in line)
    assert re.search(rf"^in triton_kernels\.py: \d+ is line {turned}$", str(fixed), re.M)
    held = re.findall(r"^#blocked1? = .*threadsPerWarp = \[(\d+), (\d+)\]", fixed.ttgir, re.M)
    assert held == [("8", "8"), ("8", "8")]  # eight lanes of 16 bytes along a row
    ran = next(one for one in fixed.report.verdicts if one.judge == "execution")
    assert ran.status == "passed"  # its arguments are preloaded
    # Two blocks of 64 x 64 halves: nothing is masked off, since all numbers are those of the case.
    assert f"of 2 blocks, values as terms: {2 * 64 * 64 // 2:,} words" in ran.detail
    assert "nobody says" not in ran.detail
    rows = {row[0]: row[1:] for one in fixed.report.verdicts for row in one.rows}
    assert rows["conflicts"][0] > 0
    assert rows["conflicts"][1] == 0
    assert rows["shared bytes"][0] == rows["shared bytes"][1]
    proof = next(one for one in fixed.report.verdicts if one.judge == "proof")
    assert proof.status == "passed"
    assert "differ in who holds what" in proof.detail
    old, new = fixed.report.source_text.split("\n"), fixed.ttgir.split("\n")
    differing = [n for n, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
    assert len(differing) == 2
    for n in differing:
        half = "\n".join([*new[:n], old[n], *new[n + 1 :]])
        with pytest.raises(InputError):
            wheel.verified(half, "k.ttgir")


@needs_wheel
def test_of_two_changes_of_scratch_each_says_what_it_takes() -> None:
    """The writes of 32 x 128 f16 first, then the reads, eight bytes each: 64 and 32 passes."""
    import triton_program as user

    case = user.triton_kernels.CASES["transpose_f16"]
    fixed = bankwise.triton.fix(
        f"{KERNELS}:transpose", case["types"], "gfx950", constexprs={"bm": 32, "bn": 128},
        execute=False,
    )  # fmt: skip
    passes = [(each.before.passes, each.after.passes) for each in fixed.report.changes]
    assert passes == [(256, 192), (192, 96)]


@needs_wheel
def test_a_sum_keeps_its_distribution_and_that_is_said() -> None:
    import triton_program as user

    case = user.triton_kernels.CASES["column_sums"]
    fixed = bankwise.triton.fix(
        f"{KERNELS}:column_sums", case["types"], "gfx950", constexprs=case["constants"],
        numbers={"size": 64},
    )  # fmt: skip
    assert not fixed.patch
    (why,) = fixed.report.refusals
    assert "tt.reduce depends on who holds what" in why.reason


@needs_wheel
def test_knobs_are_ranked_by_what_their_code_takes() -> None:
    import triton_program as user

    case = user.triton_kernels.CASES["product_f32_nt"]
    constants = {**case["constants"], "bk": 32}
    seen: list[tuple[int, int]] = []
    report = bankwise.triton.tune(
        f"{KERNELS}:product", case["types"], "gfx942",
        {"bm": [32, 64], "num_warps": [4, 3]},
        work=lambda k: k["bm"] * k["bn"],
        constexprs=constants, numbers={"size": 64}, progress=lambda n, of: seen.append((n, of)),
    )  # fmt: skip
    assert seen[-1] == (4, 4)
    good, bad = report.rows[:2], report.rows[2:]
    assert all(row.knobs["num_warps"] == 3 and row.refusal for row in bad)
    assert good[0].price <= good[1].price
    for row in good:
        alone = bankwise.triton.check(
            f"{KERNELS}:product", case["types"], "gfx942", numbers={"size": 64},
            constexprs={**constants, "bm": row.knobs["bm"]}, optima=False,
        )  # fmt: skip
        assert row.passes == alone.comparison.emitted.passes
        assert row.work == row.knobs["bm"] * 64
    assert json.loads(json.dumps(report.document()))["rows"][0]["refusal"] is None
    assert str(report).splitlines()[1].split()[:3] == ["bm", "num_warps", "passes/work"]
    (launch,) = ast.parse(report.paste).body
    assert isinstance(launch, ast.Expr)
    assert isinstance(launch.value, ast.Call)
    said = {one.arg: ast.literal_eval(one.value) for one in launch.value.keywords}
    assert said == {**constants, **good[0].knobs}
    assert [ast.unparse(one) for one in launch.value.args] == ["a", "b", "c", "size"]
    config = f"triton.Config({{'bm': {good[0].knobs['bm']}}}, num_warps=4)"
    assert str(report).splitlines()[-1] == config


@needs_wheel
@pytest.mark.parametrize("knobs", [{}, {"bk": []}, {"bk": list(range(600))}])
def test_too_many_settings_or_none_are_bad_input(knobs: dict[str, list[int]]) -> None:
    with pytest.raises(InputError, match="settings of the knobs"):
        bankwise.triton.tune(f"{KERNELS}:product", {}, "gfx942", knobs)


def test_without_the_wheel_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "installed", lambda: False)
    file = tmp_path / "k.ttgir"
    file.write_text(ATTENTION, "utf-8")
    with pytest.raises(InputError, match="Triton is not installed"):
        fix_ttgir_file(file, Options(), Judges())


@needs_wheel
@pytest.mark.parametrize("text", ENCODINGS)
def test_gluon_writes_the_same_encoding(text: str) -> None:
    """The bases that Gluon's own builder gives for it; of padding what its class holds."""
    from triton._C.libtriton import gluon_ir, ir, nvidia
    from triton.experimental.gluon import language as gl

    encoding = parse_shared(text)
    laid = memory(encoding, SHAPE)
    layout = eval(gluon_text(encoding, SHAPE), {"gl": gl})
    if laid.paddings:
        assert [tuple(pair) for pair in layout.interval_padding_pairs] == list(laid.paddings)
        assert [tuple(basis) for basis in layout.offset_bases] == list(laid.bases)
        return
    context = ir.context()
    for dialects in (ir, nvidia):
        dialects.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    made = builder.to_linear_layout(layout._to_ir(builder), list(SHAPE))
    assert [tuple(basis) for basis in made.offset_bases] == list(laid.bases)


MATRICES = (
    "#rows4 = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [32, 32, 16], "
    "isTransposed = true}>\n"
    "#rows2 = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], "
    "isTransposed = true}>\n"
    "#turned = #ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 8, order = [0, 1]}>\n"
)
HANDED_ON = """
    %p = arith.constant dense<0.000000e+00> : tensor<64x64xf16, #rows4>
    %a = ttg.local_alloc %p : (tensor<64x64xf16, #rows4>) -> !ttg.memdesc<64x64xf16, #turned, #smem>
    %r = ttg.local_load %a : !ttg.memdesc<64x64xf16, #turned, #smem> -> \
tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #rows2, kWidth = 4}>>
"""


def the_buffer(text: str) -> Better:
    (found,) = better_of(plan(text, "k.ttgir", Options(), verify=False)[0])
    assert isinstance(found, Better)
    return found


def test_the_optimum_is_asked_for_the_instructions_of_the_best_encoding() -> None:
    """Columns first, each 16-bit element is a store of its own; rows first, four are one, and the
    best swizzle leaves conflicts, which an optimum for the 16-bit stores says nothing of.

    Two of four waves hold the other two's rows again, both ways: 16,384 bytes are written and as
    many read. ds_write_b64 serves 16 lanes of 8 bytes a pass, ds_read_b64 32 of them: 128 + 64.
    """
    text = module(HANDED_ON, aliases=MATRICES, target="hip:gfx950", lanes=64)
    found = the_buffer(text)
    assert found.best.passes == 16_384 // (16 * 8) + 16_384 // (32 * 8)
    assert found.known.optimal
    assert found.known.conditions == ("with the instructions of this encoding",)
    assert found.encoding is not None
    written = reencoded(text, "k.ttgir", {found.buffer.line: found.encoding})
    assert isinstance(written, str)
    assert not the_buffer(written).plans


@needs_wheel
def test_what_triton_says_of_a_place_of_the_source_is_told_at_that_place() -> None:
    """MLIR brackets the places that a text names: loc("x"("own.py":18:9))."""
    body = """
    %line = arith.constant dense<1> : tensor<1x32xi32, #rows>
    %all = tt.broadcast %line : tensor<1x32xi32, #rows> -> tensor<64x32xi32, #column> \
loc("x"("own.py":18:9))
"""
    with pytest.raises(InputError) as told:
        wheel.verified(module(body), "k.ttgir")
    assert "matching source and result layouts" in told.value.message
    assert told.value.location is not None
    assert (told.value.location.file, told.value.location.line) == ("own.py", 18)


def test_who_holds_a_tensor_that_is_broadcast_to_another_distribution_must_stay() -> None:
    """Of 1x64 the lanes 0 to 7 of a row hold eight elements each, and 16 of other lanes four."""
    text = module(
        "    %line = arith.constant dense<1> : tensor<1x64xi32, #wide>\n"
        "    %all = tt.broadcast %line : tensor<1x64xi32, #wide> -> tensor<64x64xi32, #other>",
        aliases=(
            "#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], "
            "warpsPerCTA = [4, 1], order = [1, 0]}>\n#other = #ttg.linear<{register = [[0, 1], "
            "[0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], "
            "warp = [[8, 0], [16, 0]], block = []}>\n"
        ),
        target="hip:gfx950",
        lanes=64,
    )
    (planned,) = plan(text, "k.ttgir", Options(), verify=False)
    wide = planned.module.aliases["wide"]
    assert isinstance(wide, Blocked)
    (tie,) = ties(tuple(every(planned.kernel.body)), {"wide": False})
    assert tie.pair == "#wide -> #other"
    taller = replace(wide, size_per_thread=(2, 8))
    other = replace(wide, size_per_thread=(1, 4), threads_per_warp=(4, 16))
    assert [keeps(planned, {"wide": one}, tie) for one in (wide, taller, other)] == [
        True, True, False,
    ]  # fmt: skip


def test_a_better_encoding_that_leaves_conflicts_says_of_which_accesses_it_saves() -> None:
    """As both texts are counted access by access: the heading may be of one that saves nothing."""
    narrow = MATRICES.replace("[32, 32, 16]", "[16, 16, 32]")
    text = module(
        HANDED_ON.replace("kWidth = 4", "kWidth = 8"),
        aliases=narrow, target="hip:gfx950", lanes=64,
    )  # fmt: skip
    found = the_buffer(text)
    assert found.encoding is not None
    assert found.best.passes > found.best.ideal
    written = reencoded(text, "k.ttgir", {found.buffer.line: found.encoding})
    assert isinstance(written, str)
    old, new = (
        {access.direction: access.run.passes for access in checked(one).accesses}
        for one in (text, written)
    )
    assert found.notes[0] == (
        f"passes: ttg.local_alloc {old['write']} -> {new['write']}, "
        f"ttg.local_load {old['read']} -> {new['read']}"
    )


def test_numbers_that_nobody_says_are_named_and_a_float_is_no_integer() -> None:
    kernel = module("", arguments="%p: !tt.ptr<f16>, %n: i32, %m: i32, %scale: f32")
    (planned,) = plan(kernel, "k.ttgir", Options(), verify=False)
    said = Options(arguments=("n=64",))
    assert list(unsaid(planned, said)) == ["m", "the bits of scale (a float)"]
    assert taken([64, 100], list(unsaid(planned, said))) == (
        ", with 64 and 100 for m, the bits of scale (a float), which nobody says"
    )
    assert taken([]) == ""
