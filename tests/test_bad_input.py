"""Bad input: one clear message with its place, exit code 2 or a listed refusal, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check import check
from bankwise.ask.fix import fix
from bankwise.errors import InputError
from bankwise.show.as_sarif import check_sarif
from bankwise.show.documents.checking import check_document
from bankwise.show.documents.fixing import fix_document
from bankwise.show.schema import dumps
from command import Ended, bankwise
from kernel_texts import LOAD, ROWS, SHARED, STORE, changed, place_of, written

VERBS = ["check", "fix"]


def refused(ended: Ended, *says: str) -> None:
    """One message on standard error, nothing on standard output, exit code 2."""
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("error: ")
    assert ended.err.count("error:") == 1
    assert "Traceback" not in ended.err
    for words in says:
        assert words in ended.err


UNREADABLE = {
    "empty": (b"", "k.mlir: the file is empty"),
    "blank": (b" \n\t\n", "k.mlir: the file is empty"),
    "binary": (b"\x00\x01\x02\x03", "k.mlir: this is a binary file"),
    "an object": (b"\x7fELF\x02\x01\x00\x00", "k.mlir: "),
    "bytecode": (b"ML\xefR\rMLIR20", "k.mlir: this is MLIR bytecode"),
    "not UTF-8": (b"// one\n// \xff\n", "k.mlir:2: not UTF-8 text: byte 0xff"),
    "only a comment": (b"// nothing\n", "k.mlir: no MLIR operation"),
    "prose": (b"Dear compiler,\n", "k.mlir:1:1: "),
    "an unknown operation": (b"func.func @f() {\n  retur\n}\n", "k.mlir:2:3: custom op 'retur'"),
    "cut off": (ROWS[:700].encode(), f"k.mlir:{ROWS[:700].count(chr(10)) + 1}:"),
    "a value used before it is made": (
        changed(ROWS, ("[%t, %i] : memref<64x64xf16>,", "[%t, %z] : memref<64x64xf16>,")).encode(),
        "k.mlir:8:30: use of undeclared SSA value name",
    ),
    "a size that kills the parser": (
        b"func.func @f() attributes {\n  x = #iree_codegen.xor_shuffle<0, 8>} { return }\n",
        "k.mlir:2:21: xor_shuffle<0, 8>",
    ),
    "depth that kills the parser": (
        b"func.func @f() {" + b"scf.execute_region {" * 60_000,
        "k.mlir",
    ),
    "no workgroup memory": (
        b"func.func @f(%m: memref<4xf32>) { return }\n",
        "k.mlir: no kernel with workgroup memory",
    ),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("data", "says"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_without_a_kernel_is_refused_at_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, says: str, verb: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.mlir").write_bytes(data)
    refused(bankwise(verb, "k.mlir", "--target", "gfx950"), f"error: {says}")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.mlir"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_missing_file_or_a_folder_is_refused(tmp_path: Path, verb: str) -> None:
    refused(bankwise(verb, tmp_path / "none.mlir"), "none.mlir: no such file")
    says = "the folder is empty" if verb == "check" else "this is a folder"
    refused(bankwise(verb, tmp_path), says)


@pytest.mark.parametrize("verb", [*VERBS, "scan"])
def test_a_name_that_is_empty_is_not_the_folder_around(verb: str) -> None:
    """What a shell makes of "$KERNEL" that is not set."""
    ended = bankwise(verb, "", "-t", "gfx950")
    assert (ended.code, ended.out) == (2, "")
    assert "the name is empty" in ended.err


def test_of_a_link_is_told_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "k.mlir").symlink_to("gone.mlir")
    ended = bankwise("check", tmp_path / "k.mlir", "-t", "gfx950")
    refused(ended, "k.mlir: no such file", "it is a link to gone.mlir, which is not there")


@pytest.mark.parametrize("verb", VERBS)
def test_a_text_that_ends_too_soon_a_slip_in_a_name_and_a_near_file_are_told(
    tmp_path: Path, verb: str
) -> None:
    cut = ROWS[: ROWS.index(" : ", ROWS.index("vector.load %lds"))]
    refused(bankwise(verb, written(tmp_path, cut), "-t", "gfx950"), "the text ends early, ")
    slip = changed(ROWS, ("vector.load %lds", "vector.load %ldz"))
    said = "use of undeclared SSA value name %ldz", "did you mean %lds?"
    refused(bankwise(verb, written(tmp_path, slip), "-t", "gfx950"), *said)
    wrong = changed(ROWS, ("vector.load %lds", "vector.lod %lds"))
    ended = bankwise(verb, written(tmp_path, wrong), "-t", "gfx950")
    assert "ends early" not in ended.err
    near = str(tmp_path / "l.mlir")
    refused(bankwise(verb, near, "-t", "gfx950"), "no such file", "did you mean", "k.mlir?")


def test_a_script_of_waves_is_told_what_to_check(tmp_path: Path) -> None:
    script = tmp_path / "gemm.py"
    script.write_text("import wave_lang.kernel.lang as tkl\n")
    refused(bankwise("check", script), "compile_to_mlir=True", "docs/wave.md")


NO_SIZE = changed(
    ROWS, ("gpu.known_block_size = array<i32: 64, 1, 1>, ", ""), (" upper_bound 64", "")
)
WRONG_OPTIONS = {
    "no target": ((), ROWS, ("k.mlir:1:1: kernel k names no target", "pass --target")),
    "unknown target": (("-t", "gfx95"), ROWS, ("unknown target 'gfx95'", "did you mean gfx950")),
    "a near target": (("-t", "gfx943"), ROWS, ("'gfx943'", "did you mean gfx942")),
    "unknown kernel": (("-t", "gfx950", "--kernel", "q"), ROWS, ("no kernel 'q'", "it has k")),
    "no threads": (("-t", "gfx950"), NO_SIZE, ("k.mlir:1:1:", "--workgroup-size 256,1,1")),
    "dim without size": (("-t", "gfx950", "--dim", "n"), ROWS, ("--dim 'n' is not NAME=SIZE",)),
    "dim without name": (("-t", "gfx950", "--dim", "=4"), ROWS, ("--dim '=4' is not NAME=SIZE",)),
    "dim that is no number": (("-t", "gfx950", "--dim", "c8=x"), ROWS, ("'c8=x' is not",)),
    "dim below 0": (("-t", "gfx950", "--dim", "c8=-8"), ROWS, ("'c8=-8' is not",)),
    "dim of no value": (("-t", "gfx950", "--dim", "m=8"), ROWS, ("no value %m in this file",)),
    "size of four axes": (("-t", "gfx950", "--workgroup-size", "1,1,1,1"), ROWS, ("'1,1,1,1'",)),
    "size that is no number": (("-t", "gfx950", "--workgroup-size", "x"), ROWS, ("'x' is not",)),
    "size 0": (("-t", "gfx950", "--workgroup-size", "0"), ROWS, ("'0' is not X,Y,Z",)),
    "size too large": (("-t", "gfx950", "--workgroup-size", "64,64"), ROWS, ("4096 threads",)),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("options", "text", "says"), WRONG_OPTIONS.values(), ids=WRONG_OPTIONS)
def test_wrong_options_are_refused_with_a_hint(
    tmp_path: Path, options: tuple[str, ...], text: str, says: tuple[str, ...], verb: str
) -> None:
    refused(bankwise(verb, written(tmp_path, text), *options), *says)


# What is listed and not refused as a whole


def test_an_index_from_data_is_listed_with_both_places(tmp_path: Path) -> None:
    load = "%w = memref.load %rows[%t] : memref<64xindex>"
    text = changed(
        ROWS,
        ("%out: memref<64x64xf16>", "%out: memref<64x64xf16>, %rows: memref<64xindex>"),
        ("  gpu.barrier\n", f"  gpu.barrier\n  {load}\n"),
        (LOAD, LOAD.replace("%t", "%w")),
    )
    ended = bankwise("check", written(tmp_path, text), "-t", "gfx950")
    line, column = place_of(text, "vector.load %lds")
    other, at = place_of(text, "memref.load")
    said = " ".join(ended.out.split())
    assert f"k.mlir:{line}:{column}: the index of vector.load depends on data" in said
    assert f"k.mlir:{other}:{at})" in ended.out
    assert ended.code == 1


def test_without_a_conflict_what_is_not_analysed_ends_with_3(tmp_path: Path) -> None:
    text = changed(
        ROWS,
        ("%out: memref<64x64xf16>", "%out: memref<64x64xf16>, %n: index"),
        ("to %c64", "to %n"),
    )
    path = written(tmp_path, text)
    ended = bankwise("check", path, "-t", "gfx950")
    assert ended.code == 3
    assert ended.out.count("not analysed: ") == 2
    assert "no conflicts in what is known" in ended.out
    fixed = bankwise("fix", path, "-t", "gfx950")
    assert (fixed.code, fixed.out) == (3, "")
    assert fixed.err.count("not analysed: ") == 2


@pytest.mark.parametrize(("target", "size"), [("gfx942", 65_536), ("gfx950", 163_840)])
def test_an_allocation_larger_than_the_lds_is_a_finding_at_its_place(
    tmp_path: Path, target: str, size: int
) -> None:
    text = changed(ROWS, ("64x64xf16, #gpu", "2048x64xf16, #gpu"))
    report = check(written(tmp_path, text), target)
    (finding,) = report.findings
    assert (finding.rule, finding.location.line) == ("lds-overflow", 6)
    assert "262,144 bytes" in finding.message
    assert f"{size:,}" in finding.message
    assert report.exit_code == 1


def test_an_access_outside_its_allocation_is_listed(tmp_path: Path) -> None:
    text = changed(ROWS, ("64x64xf16, #gpu", "32x64xf16, #gpu"))
    report = check(written(tmp_path, text), "gfx950")
    write, read = report.refusals
    assert write.reason == "lane 32 of wave 0 writes element 2048 of 2048 of lds"
    assert read.reason == "lane 32 of wave 0 reads element 2048 of 2048 of lds"
    assert bankwise("fix", written(tmp_path, text), "-t", "gfx950").out == ""


def test_an_atomic_that_the_machine_lacks_is_listed(tmp_path: Path) -> None:
    atomic = (
        "  gpu.barrier\n  %one = arith.constant 1.0 : f16\n  %u = memref.atomic_rmw addf %one, "
        "%lds[%t, %c8] : (f16, memref<64x64xf16, #gpu.address_space<workgroup>>) -> f16\n"
    )
    report = check(written(tmp_path, changed(ROWS, ("  gpu.barrier\n", atomic))), "gfx950")
    (refusal,) = report.refusals
    assert "ds_add_f16" in refusal.reason


# Writing


def listing(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


FAST = ("--no-isa", "--no-execute", "-t", "gfx950")


def test_nothing_is_written_unless_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path(), ROWS)
    before = listing(tmp_path)
    ended = bankwise("fix", "k.mlir", *FAST)
    assert ended.out.startswith("--- a/k.mlir\n+++ b/k.mlir\n@@ ")
    assert listing(tmp_path) == before


@pytest.mark.parametrize("words", [("-o", "out.mlir"), ("--write",)])
def test_the_fixed_kernel_is_written_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path(), ROWS)
    Path("k.mlir").chmod(0o640)
    ended = bankwise("fix", "k.mlir", *FAST, *words)
    target = Path("k.mlir" if words == ("--write",) else "out.mlir")
    assert (ended.code, ended.out) == (0, "")
    assert "arith.xori" in target.read_text()
    assert {p.name for p in tmp_path.iterdir()} == {"k.mlir", target.name}
    assert Path("k.mlir").stat().st_mode & 0o777 == 0o640


def test_write_follows_a_link(tmp_path: Path) -> None:
    written(tmp_path, ROWS)
    (tmp_path / "link.mlir").symlink_to("k.mlir")
    bankwise("fix", tmp_path / "link.mlir", *FAST, "--write")
    assert (tmp_path / "link.mlir").is_symlink()
    assert "arith.xori" in (tmp_path / "k.mlir").read_text()


@pytest.mark.parametrize("place", ["missing/out.mlir", "folder", "k.mlir/out.mlir", "x" * 300])
def test_an_output_that_cannot_be_written_leaves_nothing(tmp_path: Path, place: str) -> None:
    path = written(tmp_path, ROWS)
    (tmp_path / "folder").mkdir()
    before = listing(tmp_path)
    refused(bankwise("fix", path, *FAST, "-o", tmp_path / place), "cannot be written")
    assert listing(tmp_path) == before
    assert {p.name for p in tmp_path.iterdir()} == {"k.mlir", "folder"}


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    path.chmod(0o444)
    refused(bankwise("fix", path, *FAST, "--write"), "k.mlir: cannot be written: it is read-only")
    assert path.read_text() == ROWS
    assert [p.name for p in tmp_path.iterdir()] == ["k.mlir"]


def test_write_and_output_exclude_each_other(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    refused(bankwise("fix", path, *FAST, "--write", "-o", tmp_path / "o"), "exclude each other")


def test_a_rejected_fix_is_not_written(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    written(tmp_path, "def f(buffers):\n    return [None, buffers[0] + 1]\n", "ref.py")
    words = ("--reference", f"{tmp_path / 'ref.py'}:f", "-t", "gfx950", "--no-isa", "--write")
    ended = bankwise("fix", path, *words)
    assert (ended.code, ended.out) == (2, "")
    assert path.read_text() == ROWS


@pytest.mark.parametrize("reference", ["none.py:f", "k.mlir:f", "ref.py:g", "ref.py", ""])
def test_a_reference_that_is_no_function_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reference: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path(), ROWS)
    written(Path(), "def f(buffers):\n    return buffers\n", "ref.py")
    ended = bankwise("fix", "k.mlir", "-t", "gfx950", "--no-isa", "--reference", reference)
    if reference:
        refused(ended, "--reference FILE.py:FUNCTION")
    else:
        assert ended.code == 0


# Fuzz: a text that was damaged anywhere is reported on or refused, never an accident

PIECES = [
    *("%t", "%i", "%c0", "%c8", "%c64", "%lds", "%v", "64", "8", "0", "-1", "99999999999", "f16"),
    *(
        "f32",
        "i8",
        "index",
        "vector.load",
        "vector.store",
        "memref.alloc",
        "gpu.barrier",
        "scf.for",
    ),
    *("[%t, %i]", "[%i, %t]", "vector<8xf16>", "vector<4xf16>", "vector<2x8xf16>", SHARED, STORE),
    *("memref<64x64xf16>", "memref<64x65xf16>", "memref<?x64xf16>", "upper_bound 64", "// ", '"'),
    *("{", "}", "(", ")", "[", "]", "<", ">", ",", ":", "=", "\n", " ", "\r", "\t", "é", "\u2028"),
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """The kernel with one to three pieces of it replaced, doubled or left out."""
    text = ROWS
    for _ in range(draw(st.integers(1, 3))):
        found = [p for p in PIECES if p in text]
        piece = draw(st.sampled_from(found))
        at = [n for n in range(len(text)) if text.startswith(piece, n)]
        start = draw(st.sampled_from(at))
        instead = draw(st.sampled_from([*PIECES, "", piece * 2]))
        text = text[:start] + instead + text[start + len(piece) :]
    return text


@settings(max_examples=200, derandomize=True)
@given(damaged(), st.sampled_from(["gfx942", "gfx950", "sm_90"]))
def test_a_damaged_kernel_is_reported_on_or_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, target: str
) -> None:
    path = written(tmp_path_factory.getbasetemp(), text, "damaged.mlir")
    try:
        report = check(path, target)
    except InputError:
        return
    dumps(check_document(report))
    dumps(check_sarif(report))
    fixed = fix(path, target, isa=False)
    dumps(fix_document(fixed))
    assert all(v.status in ("passed", "not available") for v in fixed.verdicts)
    assert fixed.accepted or fixed.fixed_text == text
