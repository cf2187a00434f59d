"""Of a Triton kernel the author's own text is told: its line at a conflict, its names in a call."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bankwise.read import triton_calls
from bankwise.read.ptx.places import LOC, places_of
from command import bankwise
from isa_texts import DATA
from test_ttgir_wheel import needs_wheel
from ttgir_texts import TILE, module

LINE = "    tile = tl.load(x + places)"
COLUMNS = "tensor<64x32xf16, #column>"


def _conflict(folder: Path, place: str) -> Path:
    """A TTGIR text whose only read conflicts: 32 lanes go down a column of 64 bytes a row."""
    body = (
        f"    %m = ttg.local_alloc : () -> {TILE}\n"
        f"    %x = ttg.local_load %m : {TILE} -> {COLUMNS} loc(#loc2)\n"
    )
    path = folder / "k.ttgir"
    path.write_text(f'{module(body)}#loc1 = loc({place})\n#loc2 = loc("tile"(#loc1))\n')
    return path


def test_a_conflict_of_ttgir_names_the_line_of_the_python_file_and_shows_it(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(f"@triton.jit\ndef k(x):\n{LINE}\n")
    path = _conflict(tmp_path, f'"{own}":3:12')
    printed = bankwise("check", path).out.splitlines()
    at = printed.index(f"      = source: {own}:3:12")
    assert printed[at + 1] == f"    3 | {LINE}"
    assert printed[at + 2] == f"      | {' ' * LINE.index('tl.load')}^"
    (access,) = json.loads(bankwise("check", path, "--format", "json").out)["accesses"]
    assert access["origin"] == {"file": str(own), "line": 3, "column": 12}


@pytest.mark.parametrize("text", [None, "one line\n", "a\nb\nshort\n"])
def test_where_the_file_is_gone_or_another_the_place_alone_is_told(
    text: str | None, tmp_path: Path
) -> None:
    own = tmp_path / "own.py"
    if text is not None:
        own.write_text(text)
    printed = bankwise("check", _conflict(tmp_path, f'"{own}":3:12')).out.splitlines()
    at = printed.index(f"      = source: {own}:3:12")
    assert printed[at + 1].startswith("      = why:")


def test_a_text_without_places_names_none(tmp_path: Path) -> None:
    path = _conflict(tmp_path, "unknown")
    assert "= source:" not in bankwise("check", path).out
    (access,) = json.loads(bankwise("check", path, "--format", "json").out)["accesses"]
    assert access["origin"] is None


def test_assembly_names_the_line_that_its_debug_lines_say(tmp_path: Path) -> None:
    text = (DATA / "triton_attention.gfx942.amdgcn").read_text()
    said = re.findall(r"\.loc\t1 (\d+) (\d+)", text.partition("\tds_read2_b64 v[124:127]")[0])[-1]
    path = tmp_path / "k.amdgcn"
    path.write_text(text)
    printed = bankwise("check", path, "--kernel", "attention").out
    assert f"= source: tests/data/make_triton_kernels.py:{said[0]}:{said[1]}" in printed


@pytest.mark.parametrize("name", ["reduce.gfx942.amdgcn", "reduce.sm_90.ptx"])
def test_what_is_inlined_of_triton_is_told_at_the_authors_line(name: str) -> None:
    """``tl.max`` stands in Triton's standard.py; its scratch is that of the kernel's own line."""
    text = (DATA / f"triton_{name}").read_text()
    own = (DATA.parent / "make_triton_kernels.py").read_text().splitlines()
    printed = bankwise("check", DATA / f"triton_{name}", "--all", "--format", "json").out
    origins = [a["origin"] for a in json.loads(printed)["accesses"]]
    assert "standard.py" in text
    assert origins
    assert all(at["file"].endswith("make_triton_kernels.py") for at in origins if at), origins
    assert any("tl.max(" in own[at["line"] - 1] for at in origins if at)


def test_two_ways_to_one_inlined_place_keep_it() -> None:
    """Of which ``tl.sum`` a line of Triton's is, nobody says where there are two."""
    said = ".loc 2 300 4, function_name $L__a, inlined_at 1 {} 9\n"
    leaf = ".loc 2 200 4, function_name $L__a, inlined_at 2 300 4\n"
    files = '.file 1 "own.py"\n.file 2 "site/triton/language/standard.py"\n'
    one, two = (
        places_of(files + leaf.join([said.format(7), *more]))
        for more in ([""], [said.format(8), ""])
    )
    (at,) = (found for found in LOC.finditer(leaf))
    assert str(one.at(at)) == "own.py:7:9"
    assert str(two.at(at)) == "site/triton/language/standard.py:200:4"


def _calls(file: Path, verb: str, *target: str) -> list[list[str]]:
    """The commands that the refusal of a Triton program gives, as a shell takes them apart."""
    ended = bankwise(verb, file, *target)
    assert ended.code == 2
    assert "this is Triton source" in ended.err
    assert all(len(line) <= 80 or str(file) in line for line in ended.printed.splitlines())
    found = re.findall(r"^python -c '[^']*'$", ended.printed, re.MULTILINE)
    return [shlex.split(one) for one in found]


@needs_wheel
@pytest.mark.parametrize(
    ("verb", "says"), [("check", "transpose on sm_90"), ("fix", "nothing to fix")]
)
def test_the_refusal_of_a_triton_program_gives_a_call_that_runs(verb: str, says: str) -> None:
    """Pasted as it is: the first kernel takes the placeholders."""
    (_, *rest), *_ = _calls(DATA.parent / "make_triton_kernels.py", verb)
    done = subprocess.run([sys.executable, *rest], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout


@needs_wheel
def test_the_call_ends_as_the_command_would(tmp_path: Path) -> None:
    """A tile of 64 x 64 is turned through scratch: conflicts, and so 1 for the shell."""
    path = tmp_path / "own.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def turn(x_ptr, y_ptr):\n"
        "    at = tl.arange(0, 64)\n    x = tl.load(x_ptr + at[:, None] * 64 + at[None, :])\n"
        "    tl.store(y_ptr + at[:, None] * 64 + at[None, :], x.trans(1, 0))\n"
    )
    ((_, *rest),) = _calls(path, "check", "-t", "MI355X")
    done = subprocess.run([sys.executable, *rest], capture_output=True, text=True, check=False)
    assert "conflicts: SQ_LDS_BANK_CONFLICT += " in done.stdout
    assert done.returncode == 1, done.stderr


def test_the_call_is_for_the_gpu_that_was_said_and_two_stages(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "import triton\n@triton.jit\ndef k(x_ptr, n, num_stages: tl.constexpr):\n"
        "    tl.load(x_ptr + n)\n"
    )
    ((_, _, program),) = _calls(path, "fix", "-t", "MI355X")
    assert '"gfx950"' in program
    assert '"num_stages": 2' in program


def test_strides_have_places_to_fill_and_the_last_of_a_tensor_is_1(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "import triton\n@triton.jit\ndef k(a_ptr, M, stride_am, stride_ak, row_stride, "
        "bm: tl.constexpr):\n    tl.load(a_ptr + M)\n"
    )
    ((_, _, program),) = _calls(path, "fix")
    said = '"M": 1024, "stride_am": 1024, "stride_ak": 1, "row_stride": 1024'
    assert f"numbers={{{said}}}" in " ".join(program.split())


GUESSED = """import triton
import triton.language as tl
@triton.jit
def k(X, Y, Mean, Lock, Sums, sm_scale, eps, factor, stride_h, stride_m, N,
      GROUP: tl.constexpr, CAUSAL: tl.constexpr, FAST: tl.constexpr, KIND: tl.constexpr):
    Lock += tl.program_id(0)
    Count = Lock + GROUP
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    tl.atomic_xchg(Count, 1)
    at = X + stride_m
    x = tl.load(at) * (factor * 1.5) + tl.load(Mean)
    if CAUSAL and not FAST:
        x = x + N
    if KIND == "relu":
        x = tl.maximum(x, 0.0)
    tl.atomic_add(Sums, x)
    tl.store(Y, x)
"""


def test_what_is_guessed_follows_the_text_and_is_marked(tmp_path: Path) -> None:
    """No pointer to f16 in an atomic of whole numbers, no integer for a scale, no 64 for a flag."""
    path = tmp_path / "own.py"
    path.write_text(GUESSED)
    ((*_, program),) = _calls(path, "check")
    types, constants, numbers = map(ast.literal_eval, re.findall(r"\{[^}]*\}", program))
    assert types == {
        "X": "*fp16",
        "Y": "*fp16",
        "Mean": "*fp32",
        "Lock": "*i32",
        "Sums": "*fp32",
        "sm_scale": "fp32",
        "eps": "fp32",
        "factor": "fp32",
        "stride_h": "i32",
        "stride_m": "i32",
        "N": "i32",
    }
    assert constants == {"GROUP": 8, "CAUSAL": True, "FAST": True, "KIND": "relu"}
    assert numbers == {"stride_h": 1024, "stride_m": 1024, "N": 1024}
    assert program.count("# say yours") == 4  # types, the GPU, constants, numbers
    ast.parse(program)


def test_pointers_whose_data_are_made_whole_numbers_are_to_those(tmp_path: Path) -> None:
    """As the tables of sequences are in kernels for sequences of several lengths."""
    path = tmp_path / "own.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def k(x, ends, table, y):\n"
        "    n, m = tl.load(table + 2 * tl.program_id(0)).to(tl.int32), 1\n"
        "    end = tl.load(ends + n).to(tl.int64)\n"
        "    tl.store(y + end, tl.load(x + end).to(tl.float32))\n"
    )
    ((*_, program),) = _calls(path, "check")
    said = '{"x": "*fp16", "ends": "*i32", "table": "*i32", "y": "*fp16"}'
    assert said in " ".join(program.split())


def test_pointers_whose_data_say_where_or_how_often_are_to_whole_numbers(tmp_path: Path) -> None:
    """As tables of experts and offsets are: what they load stands in addresses and in loops."""
    path = tmp_path / "own.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n@triton.jit\n"
        "def k(x, y, w, experts, ends, picked, bins, weights, bm: tl.constexpr):\n"
        "    pid = tl.program_id(0)\n"
        "    expert = tl.load(experts + pid)\n"
        "    first, last = tl.load(ends + expert), tl.load(ends + expert + 1)\n"
        "    rows = tl.where(first < last, first, 0) + tl.arange(0, bm)\n"
        "    x += rows * 64\n"
        "    w_at = w + tl.load(picked + rows) * 64\n"
        "    total = tl.zeros([bm], tl.float32)\n"
        "    for n in range(0, last - first, bm):\n"
        "        total += tl.load(x + n) * tl.load(w_at + n) * tl.load(weights + n)\n"
        "    tl.atomic_add(bins + expert, 1)\n"
        "    tl.store(y + rows, total)\n"
    )
    ((*_, program),) = _calls(path, "check")
    (types, _) = map(ast.literal_eval, re.findall(r"\{[^}]*\}", program))
    whole = {"experts", "ends", "picked", "bins"}
    assert types == {n: "*i32" if n in whole else "*fp16" for n in types}
    assert types.keys() == {"x", "y", "w", "weights"} | whole


SEVERAL = "import triton\nimport triton.language as tl\n" + "".join(
    f"@triton.jit\ndef {name}({given}):\n    {body}\n"
    for name, given, body in [
        ("plus", "a, b", "return a + b"),
        *((f"sums_{n}", "x", "tl.associative_scan(tl.load(x + 1), 0, plus)") for n in range(5)),
    ]
)


def test_a_kernel_of_many_is_asked_for_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(SEVERAL)
    first = [program for *_, program in _calls(path, "check")]
    assert [f"sums_{n}" in one for n, one in enumerate(first)] == [True] * 3
    told = " ".join(bankwise("check", path).err.split())
    assert "--kernel NAME gives the call of another: sums_3, sums_4" in told
    ((*_, program),) = _calls(path, "fix", "--kernel", "sums_4")
    assert "sums_4" in program


def test_what_a_scan_combines_with_is_no_kernel(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(SEVERAL)
    ended = bankwise("check", path, "--kernel", "plus")
    assert ended.code == 2
    assert "no kernel is named 'plus'; there are sums_0, sums_1" in " ".join(ended.err.split())


@needs_wheel
def test_the_script_of_the_page_asks_as_a_command_does(tmp_path: Path) -> None:
    """As it stands there: conflicts end it with 1, a kernel that is not there with 2."""
    page = (DATA.parents[2] / "docs" / "triton.md").read_text("utf-8")
    (script,) = re.findall(r"The same in a script:\n\n((?: {4}.*\n|\n)+)", page)
    text = (DATA.parent / "triton_kernels.py").read_text("utf-8")
    head = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    (tmp_path / "transpose.py").write_text(head + _alone(text, "transpose").split("\n", 1)[1])
    words = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1, done.stderr
    assert "conflicts: SQ_LDS_BANK_CONFLICT += " in done.stdout
    (tmp_path / "transpose.py").unlink()
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (2, "error: transpose.py: no such file\n")


@needs_wheel
def test_a_call_with_a_wrong_guess_ends_as_a_command_does(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text("import triton\n@triton.jit\ndef k(x_ptr, n):\n    tl.load(x_ptr + n)\n")
    ((_, *rest),) = _calls(path, "check")
    path.unlink()
    done = subprocess.run([sys.executable, *rest], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"error: {path}: no such file\n"


def test_the_gpu_that_nobody_said_is_named_as_assumed(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(GUESSED)
    assert "sm_90 is assumed, -t NAME says another" in bankwise("check", path).err
    assert "assumed" not in bankwise("check", path, "-t", "gfx950").err


def test_pointers_that_only_an_fp8_kernel_reads_are_to_fp8(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "import triton\n@triton.jit\ndef fp8_gemm(a_ptr, a_s_ptr, c_ptr):\n"
        "    tl.store(c_ptr, tl.load(a_ptr) * tl.load(a_s_ptr))\n"
    )
    ((*_, program),) = _calls(path, "check")
    assert '{"a_ptr": "*fp8e4nv", "a_s_ptr": "*fp32", "c_ptr": "*fp16"}' in " ".join(
        program.split()
    )


def _alone(text: str, name: str) -> str:
    """One function of a file."""
    found = (one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef))
    return ast.unparse(next(one for one in found if one.name == name))


@needs_wheel
def test_pointers_are_told_from_numbers_in_all_kernels_that_are_here() -> None:
    """The cases say which arguments are pointers: they are compiled and launched so."""
    import triton_program

    path = Path(triton_program.triton_kernels.__file__)
    text = path.read_text()
    for case in triton_program.triton_kernels.CASES.values():
        hint = triton_calls.instead(str(path), _alone(text, case["fn"]), "check")
        (call,) = re.findall(r"^python -c '[^']*'$", hint, re.MULTILINE)
        said = json.loads(re.findall(r"\{[^}]*\}", call)[0])
        assert {n for n, kind in said.items() if kind[0] == "*"} == {
            n for n, kind in case["types"].items() if kind[0] == "*"
        }, case["fn"]
        assert said.keys() == case["types"].keys()


def test_constants_are_those_of_the_text_where_it_says_some(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(
        "import triton\nimport triton.language as tl\nraise SystemExit('it was run')\n"
        "@triton.autotune([triton.Config({'bm': 16, 'bn': 128}, num_warps=8)], key=[])\n"
        "@triton.jit\n"
        "def outer(x_ptr, step, bm: tl.constexpr, bn: tl.constexpr, fast: tl.constexpr = True):\n"
        "    x_ptr = x_ptr + step\n    helper(x_ptr)\n"
        "@triton.jit\ndef helper(x):\n    tl.load(x)\n"
    )
    ((*_, program),) = _calls(path, "check")
    assert f'"{path}:outer"' in program
    assert '{"x_ptr": "*fp16", "step": "i32"}' in program
    assert '{"bm": 16, "bn": 128, "fast": True}' in " ".join(program.split())
    assert "\n  num_warps=8,\n)" in program


@pytest.mark.parametrize("text", ["def k(:\n", "\n", "@triton.heuristics\ndef k(x): pass\n"])
def test_a_text_without_a_kernel_is_told_what_there_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(f"import triton\n@triton.x\n{text}")
    ended = bankwise("check", path)
    assert ended.code == 2
    assert "call bankwise.triton.check" in ended.err


DESCRIBED = """import triton
import triton.language as tl
@triton.autotune([triton.Config({'BM': 32, 'BN': 16}, num_warps=4)], key=[])
@triton.jit
def product(a_desc, b_desc, c_desc, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            OUT: tl.constexpr, HOW: tl.constexpr):
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        a, b = a_desc.load([m, k]), b_desc.load([n, k])
        total = tl.dot(a, b.T, total, input_precision=HOW)
    c_desc.store([m, n], total.to(OUT))
"""


@needs_wheel
def test_descriptors_and_types_are_guessed_so_that_the_call_compiles(tmp_path: Path) -> None:
    """What Triton compiles with the block of each as the text counts its offsets."""
    path = tmp_path / "own.py"
    path.write_text(DESCRIBED)
    ((_, *rest),) = _calls(path, "check", "-t", "gfx942")
    said = " ".join(rest[-1].split())
    assert '"a_desc": "tensordesc<fp16[32, 64]>"' in said
    assert '"b_desc": "tensordesc<fp16[16, 64]>"' in said
    assert '"c_desc": "tensordesc<fp16[32, 16]>"' in said
    assert '"OUT": tl.float16, "HOW": "ieee"' in said
    done = subprocess.run([sys.executable, *rest], capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1, 3}, done.stderr
    assert "product on gfx942" in done.stdout


def test_what_data_must_be_is_guessed_by_what_is_done_to_them(tmp_path: Path) -> None:
    """Yes or no in masks, whole numbers under shifts, f32 under exp, addresses; also in helpers."""
    path = tmp_path / "own.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n"
        "@triton.jit\ndef unpack(packed, at):\n    return (packed >> at) & 15\n"
        "@triton.jit\ndef fetch(rows, at):\n    return tl.load(rows + at) // 16\n"
        "@triton.jit\n"
        "def k(on, kept, bits, given, x, y, places, gate, tables, out, N, bm: tl.constexpr):\n"
        "    at = tl.arange(0, bm)\n    inside = at < N\n"
        "    live = tl.load(kept + at) & inside & on\n"
        "    nibble = unpack(tl.load(bits + at), 4)\n"
        "    page = fetch(places, at)\n"
        "    row = tl.load(tables + page).to(tl.pointer_type(tl.float16))\n"
        "    if not tl.load(given):\n        return\n"
        "    weight = tl.exp(tl.load(gate + at) - 1.0) * tl.exp(tl.sum(tl.load(y + at)))\n"
        "    tl.store(out + at, tl.load(x + at, mask=live) * weight + nibble + tl.load(row))\n"
    )
    ((*_, program),) = _calls(path, "check")
    (types, _) = map(ast.literal_eval, re.findall(r"\{[^}]*\}", program)[:2])
    assert types == {
        **dict.fromkeys(("kept", "given"), "*i1"),
        **dict.fromkeys(("bits", "places"), "*i32"),
        "on": "i1",
        "tables": "*u64",
        "N": "i32",
        "gate": "*fp32",
        **dict.fromkeys(("x", "y", "out"), "*fp16"),
    }
