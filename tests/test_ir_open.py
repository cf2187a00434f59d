"""Opening real MLIR text: what is read, where it is said to be, and how errors look."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.errors import InputError
from bankwise.read.mlir import isolate
from bankwise.read.mlir.module import Opened, open_module, open_text
from bankwise.read.mlir.sections import candidates, sections

ir = pytest.importorskip("iree.compiler.ir", reason="needs the extra [ir]")

from bankwise.read.mlir.kernels import kernels, operations  # noqa: E402

ROOT = Path(__file__).parent.parent
WAVE = ROOT.parent / "shared" / "sources" / "001_310590777696acf1.txt"

KERNEL = """\
func.func @k(%m: memref<64xf32>) attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %lds = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  %t = gpu.thread_id x upper_bound 64
  %v = memref.load %m[%t] : memref<64xf32>
  memref.store %v, %lds[%t] : memref<64xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  return
}
"""


def named(opened: Opened, name: str) -> list[ir.Operation]:
    return [op for op in operations(opened.module.operation) if op.name == name]


def failure(text: str, file: str = "bad.mlir") -> InputError:
    with pytest.raises(InputError) as caught:
        open_text(text, file)
    return caught.value


# Where the MLIR is


RST = """\
Title
=====

.. code-block:: mlir
   :linenos:

   func.func private @a()

   func.func private @b()

Text. ``func.func private @c()``

"""
MARKDOWN = "# Page\n\n```mlir\nfunc.func private @a()\n```\n\n```python\nprint()\n```\n"


@pytest.mark.parametrize(
    ("text", "names", "line"),
    [
        (RST, ["a", "b"], 7),
        (RST + ".. code-block:: mlir\n\n   func.func private @d()", ["a", "b", "d"], 7),
        (MARKDOWN, ["a"], 4),
        (MARKDOWN + "~~~~ mlir\nfunc.func private @e()\n", ["a", "e"], 4),
        (MARKDOWN.replace("\n", "\r\n"), ["a"], 4),
        ("\ufefffunc.func private @a()", ["a"], 1),
    ],
)
def test_code_blocks_of_pages_are_read_together(text: str, names: list[str], line: int) -> None:
    opened = open_text(text, "page")
    found = named(opened, "func.func")
    assert [ir.StringAttr(op.attributes["sym_name"]).value for op in found] == names
    assert opened.location_of(found[0]).line == line


def dump(function: str, name: str = "P") -> str:
    return f"// -----// IR Dump After {name} ({name.lower()}) //----- //\n{function}\n\n"


def test_of_several_dumps_the_last_of_each_function_is_read() -> None:
    first, last = (
        f"func.func @f() {{\n  %c = arith.constant {n} : index\n  return\n}}" for n in (1, 2)
    )
    text = dump(first) + dump("func.func private @g()") + dump(last, "Q")
    opened = open_text(text, "dump")
    (constant,) = named(opened, "arith.constant")
    assert (
        text.split("\n")[opened.location_of(constant).line - 1] == "  %c = arith.constant 2 : index"
    )
    assert len(named(opened, "func.func")) == 2
    assert opened.notes == ("of 3 dumps the ones at lines 7, 10 used, 1 left out",)


def test_parts_that_do_not_parse_together_are_read_one_alone_and_told() -> None:
    other = KERNEL.replace("@k", "@k2").replace("memref<64xf32>", "memref<64xf32, #m>", 1)
    text = f"#m = affine_map<(d0) -> (d0)>\n{other}\n// -----\n#m = 1\n{KERNEL}\n// -----\n#m = 2\n"
    opened = open_text(text, "f")
    assert [k.name for k in kernels(opened)] == ["k"]
    assert "of 3 parts the one at line 12 used, 2 left out" in opened.notes[0]
    assert "f:12:" in opened.notes[1]


def test_parts_that_parse_together_are_all_read_without_a_note() -> None:
    opened = open_text(f"{KERNEL}// -----\n{KERNEL.replace('@k', '@k2')}")
    assert [k.name for k in kernels(opened)] == ["k", "k2"]
    assert not opened.notes


def test_debug_locations_do_not_hide_the_lines_of_the_file() -> None:
    text = (
        '#loc = loc("a.py":1:2)\n'
        'func.func @f(%a: index loc("a"("b(\\".py":3:4))) {\n'
        '  %c = arith.constant 1 : index loc(fused["x":1:1, #loc])\n'
        "  return loc(#loc)\n"
        '} loc(callsite("f" at #loc))\n'
    )
    opened = open_text(text, "f")
    lines = [opened.location_of(op).line for op in operations(opened.module.operation)]
    assert lines[1:] == [2, 3, 4]


def test_plain_text_is_one_reading_and_has_no_sections() -> None:
    assert sections(KERNEL) == ()
    (only,) = candidates("f", KERNEL)
    assert only.source.parsed == KERNEL


# The Wave kernel, straight from its page


@pytest.fixture(scope="module")
def wave() -> Opened:
    if not WAVE.exists():
        pytest.skip("the source documents are not beside this checkout")
    return open_module(WAVE)


def test_every_operation_of_the_wave_kernel_is_found_at_its_line_of_the_page(wave: Opened) -> None:
    lines = WAVE.read_text("utf-8").split("\n")
    checked = 0
    for op in operations(wave.module.operation):
        place, offset = wave.location_of(op), wave.offset_of(op)
        assert offset is not None
        if op.name in ("vector.load", "amdgpu.gather_to_lds", "amdgpu.mfma", "affine.apply"):
            assert lines[place.line - 1][place.column - 1 :].startswith(op.name)
            assert wave.source.text[offset:].startswith(op.name)
            checked += 1
    assert checked > 60


def test_the_six_allocations_of_the_wave_kernel_are_on_lines_323_to_333(wave: Opened) -> None:
    places = [wave.location_of(op) for op in named(wave, "memref.alloc")]
    assert [str(p) for p in places[:2]] == [f"{WAVE}:323:17", f"{WAVE}:325:19"]
    assert [p.line for p in places] == [323, 325, 327, 329, 331, 333]


def test_the_older_syntax_of_the_wave_kernel_is_told_with_place_and_count(wave: Opened) -> None:
    told = [note for note in wave.notes if "older syntax" in note]
    assert [re.search(r"read: (.*)", note)[1] for note in told] == [  # type: ignore[index]
        "pipeline = None -> #iree_codegen.no_pipeline, 1 place",
        "rocdl.sched.barrier 0 -> none (mask by name), 16 places",
        "blgp = .. -> blgp(..), 8 places",
        "strided_slice {offsets = ..} -> offsets = .., 4 places",
    ]
    assert told[0].startswith(f"{WAVE}:275:")


def test_the_launch_of_the_wave_kernel_is_read_from_it(wave: Opened) -> None:
    (kernel,) = kernels(wave)
    assert kernel.name == "gemm_prefetch"
    assert (kernel.workgroup_size, kernel.grid) == ((256, 2, 1), (2, 8, 1))
    assert kernel.target is None


# Bad input


@pytest.mark.parametrize(
    ("name", "data", "message", "line"),
    [
        ("binary", b"\x7fELF\0\0", "binary file", 0),
        ("bytecode", b"ML\xefR\x06", "bytecode", 0),
        ("latin", b"// a\n// \xe9\n", "not UTF-8 text: byte 0xe9", 2),
        ("empty", b"", "the file is empty", 0),
        ("blank", b" \n\t\n", "the file is empty", 0),
    ],
)
def test_files_without_text_are_refused(
    tmp_path: Path, name: str, data: bytes, message: str, line: int
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        open_module(path)
    assert caught.value.location is not None
    assert (caught.value.location.file, caught.value.location.line) == (str(path), line)


def test_missing_files_and_directories_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_module(tmp_path / "none.mlir")
    with pytest.raises(InputError, match="a directory"):
        open_module(tmp_path)


@pytest.mark.parametrize("text", ["// only a comment\n", "// -----\n", RST.split(".. code")[0]])
def test_a_text_without_an_operation_is_refused(text: str) -> None:
    assert "no MLIR operation" in str(failure(text)) or "unknown" in str(failure(text))


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        (
            KERNEL.replace("%lds[%t]", "%lds[%t, %t]"),
            (5, 3),
            "invalid number of indices",
            "",
        ),
        (KERNEL.replace("%lds[%t]", "%nope[%t]"), (5, 20), "undeclared SSA value", ""),
        (KERNEL.replace("  gpu.barrier", "  é gpu.barrier"), (6, 3), "unexpected character", ""),
        ("// é\n%a = tt.load %b : f32", (2, 6), "Dialect `tt' not found", "Triton IR"),
        ("Some prose.\n", (1, 1), "custom op 'Some' is unknown", "code-block:: mlir"),
        ("func.func @f() { %a = wave.x return }", (1, 23), "Dialect `wave'", "generic form"),
        (
            "func.func @f(%a: memref<4xf32, #map>) { return }",
            (1, 36),
            "undefined symbol",
            "local-scope",
        ),
        (KERNEL + KERNEL, (9, 1), "redefinition of symbol named 'k'", "// -----"),
    ],
)
def test_the_first_complaint_of_the_parser_is_given_at_its_place(
    text: str, place: tuple[int, int], message: str, hint: str
) -> None:
    for prefix, shift in [("", 0), (".. code-block:: mlir\n\n   ", 2)]:
        body = text.replace("\n", "\n   ") if shift else text
        error = failure(prefix + body)
        assert message in error.message
        assert hint in error.hint
        assert error.location is not None
        expected = (place[0] + shift, place[1] + (3 if shift else 0))
        assert (error.location.line, error.location.column) == expected


def test_an_error_behind_rewritten_text_is_at_its_place_in_the_users_text() -> None:
    line = "  rocdl.sched.barrier 0 rocdl.sched.barrier 1 rocdl.nope\n"
    error = failure(f"func.func @f() {{\n{line}  return\n}}")
    assert (error.location.line, error.location.column) == (2, 47)  # type: ignore[union-attr]


def test_unknown_operations_in_generic_form_are_kept_and_told() -> None:
    opened = open_text(
        KERNEL.replace("  gpu.barrier", '  "wave.x"() : () -> ()\n  gpu.barrier'), "f"
    )
    assert opened.notes == ("f: from dialects unknown to IREE, kept unread: wave.x (1)",)
    assert len(kernels(opened)) == 1


@pytest.mark.parametrize(
    "sizes",
    [
        "xor_shuffle<0, 4>",
        "xor_shuffle<128, 0, 128, 1>",
        "xor_shuffle<row_width=128, access_width=0>",
        "rotate_rows<128, 0>",
    ],
)
def test_swizzle_sizes_that_kill_the_parser_are_refused_at_their_place(sizes: str) -> None:
    text = f"func.func private @f()\n  attributes {{s = #iree_codegen.{sizes}}}\n"
    error = failure(text)
    assert "must not be 0" in error.message
    assert str(error.location) == "bad.mlir:2:33"


def test_without_the_extra_the_command_to_install_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "iree.compiler", None)
    error = failure(KERNEL)
    assert error.hint.startswith("pip install ")
    assert error.hint.endswith("[ir]'")


# Native crashes

DEEP = [
    "#m = affine_map<(d0) -> (" + "(" * 50_000 + "d0" + ")" * 50_000 + ")>",
    "module { " * 50_000 + "}" * 50_000,
    '"a.b"() {x = ' + "[" * 50_000 + "]" * 50_000 + "} : () -> ()",
]


@pytest.mark.parametrize("text", DEEP, ids=["parentheses", "regions", "arrays"])
def test_a_text_that_overflows_the_parsers_stack_is_an_error_like_any_other(text: str) -> None:
    error = failure(text)
    assert "the MLIR parser gives no answer to this text: " in error.message
    assert "Segmentation fault (SIGSEGV)" in error.message
    assert str(error.location) == "bad.mlir"


def test_a_child_that_dies_of_a_division_by_zero_is_seen() -> None:
    def parse() -> None:
        with ir.Context():
            ir.Attribute.parse("#iree_codegen.xor_shuffle<0, 4>")

    assert isolate.crash_of(parse) == "Floating point exception (SIGFPE)"


def test_dialects_are_loaded_where_a_text_names_them() -> None:
    text = 'func.func @f() attributes {gpu.a} { "tensor.empty"() : () -> tensor<4xf32>\n return }'
    context = open_text(text, isolated=False).context
    asked = ("func", "gpu", "tensor", "vector", "iree_gpu")
    assert [one for one in asked if context.is_dialect_loaded(one)] == ["func", "gpu", "tensor"]


def test_a_child_that_ends_or_raises_is_no_crash() -> None:
    assert isolate.crash_of(lambda: None) is None
    assert isolate.crash_of(lambda: 1 // 0) is None


def test_a_child_that_does_not_end_is_ended() -> None:
    def endless() -> None:
        while True:
            pass

    assert isolate.crash_of(endless, seconds=1) == (
        "it is not done within its limits of time and memory"
    )


def test_a_crash_is_also_seen_where_there_is_no_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolate, "can_fork", lambda: False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    assert "SIGSEGV" in failure(DEEP[1]).message
    assert kernels(open_text(f"{KERNEL}// where there is no fork"))


def test_a_text_that_ended_no_child_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = list[object]()

    def crash_of(work: object) -> str | None:
        tried.append(work)
        return "it ends" if len(tried) > 1 else None

    monkeypatch.setattr(isolate, "crash_of", crash_of)
    texts = [f"{KERNEL}// {name}" for name in ("once", "another")]
    assert kernels(open_text(texts[0]))
    assert kernels(open_text(texts[0]))
    assert len(tried) == 1
    for number in (2, 3):  # what ends one is
        with pytest.raises(InputError, match="gives no answer to this text: it ends"):
            open_text(texts[1])
        assert len(tried) == number


def test_long_runs_of_blanks_are_read_once() -> None:
    """Comments become blanks: looking for ``loc(`` from each of them again would not come to an
    end here, nor in a dump of 200 MB."""
    text = KERNEL.replace("\n", " " * 1_000_000 + "// loc(\n", 1)
    assert kernels(open_text(text, isolated=False))


# Mutated texts

SWIZZLED = """\
func.func @s(%m: memref<8192xf16>) {
  %h = iree_codegen.swizzle_hint %m[#iree_codegen.xor_shuffle<row_width=128, access_width=4,
    row_stride=128, per_phase=1>] : memref<8192xf16>
  rocdl.sched.barrier 0
  return
}
"""


@st.composite
def mutated(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from([KERNEL, SWIZZLED, RST, dump(KERNEL), MARKDOWN]))
    for _ in range(draw(st.integers(1, 4))):
        a, b, c = sorted(draw(st.integers(0, len(text))) for _ in range(3))
        parts = text[:a], text[a:b], text[b:c], text[c:]
        order = draw(st.sampled_from([(0, 2, 3), (0, 1, 1, 2, 3), (0, 2, 1, 3)]))
        text = "".join(parts[i] for i in order)
    return text


@settings(max_examples=60)
@given(mutated())
def test_a_mutated_text_opens_or_is_an_input_error(text: str) -> None:
    try:
        kernels(open_text(text, "f"))
    except InputError as error:
        place = error.location
    else:
        return
    assert place is not None
    assert place.line <= text.count("\n") + 1
