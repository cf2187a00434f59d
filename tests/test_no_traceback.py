"""Whatever goes wrong, the user reads one message: no traceback, exit code 2."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command import Ended, bankwise, unfolded
from kernel_texts import ROWS, changed, written
from sass_texts import sass_text

ROOT = Path(__file__).parents[1]
SPEC = (ROOT / "examples/transpose_16x32/n_xor_m.toml").read_text("utf-8")
ENCODING = "tile_distribution_encoding<sequence<1>, tuple<sequence<16>, sequence<32>>"


def process(
    *words: object,
    before: str = "",
    folder: Path = ROOT,
    script: str = "",
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """A process of its own, in which ``before`` runs first; ``script``: shell around it."""
    program = f"{before}\nfrom bankwise.cli import main\nmain()\n"
    command = [sys.executable, "-c", program, *map(str, words)]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "0", **variables}
    if script:
        command = ["bash", "-c", script, "bash", *command]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def one_message(ended: Ended | subprocess.CompletedProcess[str], *says: str) -> None:
    code = ended.code if isinstance(ended, Ended) else ended.returncode
    err = ended.err if isinstance(ended, Ended) else ended.stderr
    assert code == 2, err
    assert err.startswith("error: ")
    assert "Traceback" not in err
    assert "internal error" not in err
    for words in says:
        assert words in err


# The last boundary

BROKEN = "import bankwise.ask.count as c\ndef f(*_): raise ZeroDivisionError('by 0')\n"
COUNT = ("count", "-t", "sm_90", "ld.shared.b32", "lane*4")


def test_a_defect_is_one_line_and_a_traceback_only_where_it_is_asked_for() -> None:
    before = f"{BROKEN}c.count_expression = f"
    done = process(*COUNT, before=before)
    assert (done.returncode, done.stdout) == (2, "")
    assert unfolded(done.stderr) == (
        "internal error: ZeroDivisionError: by 0 (this is a bug in bankwise; with --debug "
        "there is a traceback to report)\n"
    )
    for words in (("--debug", *COUNT), (*COUNT, "--debug")):
        told = process(*words, before=before)
        assert told.returncode == 2
        assert told.stderr.startswith("Traceback (most recent call last)")
        assert told.stderr.endswith("a traceback to report)\n")


FULL = """
import io, sys
class Full(io.StringIO):
    def write(self, text): raise OSError(28, "No space left on device")
sys.stdout = Full()
"""
FULL_AT_THE_END = FULL.replace("def write(self, text)", "def flush(self)")


@pytest.mark.parametrize("words", [("--version",), COUNT, ("machines", "--format", "json")])
@pytest.mark.parametrize("full", [FULL, FULL_AT_THE_END])
def test_a_full_disk_behind_standard_output_is_told(words: tuple[str, ...], full: str) -> None:
    one_message(process(*words, before=full), "standard output", "No space left on device")


def test_a_closed_standard_output_is_told() -> None:
    one_message(process("machines", script='exec "$@" >&-'), "standard output is closed")
    assert process("machines", script='exec "$@" 2>&-').returncode == 0


def test_an_answer_that_nobody_read_is_no_clean_end() -> None:
    """``bankwise check k.cu | head -1`` in a shell with ``pipefail``: as SIGPIPE ends a program."""
    done = process(*COUNT, script='"$@" | true; exit "${PIPESTATUS[0]}"')
    assert (done.returncode, done.stderr) == (141, "")


def test_a_memory_that_is_too_small_is_told() -> None:
    done = process(*COUNT, before=f"{BROKEN}c.count_expression = lambda *_: bytearray(1 << 62)")
    one_message(done, "more memory than there is")


def test_an_encoding_without_a_sign_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SPEC, "utf-8")
    words = ("check", tmp_path / "a.toml", "--format", "html")
    done = process(*words, PYTHONIOENCODING="ascii")
    one_message(done, "the encoding of the output, ascii, has no", "set PYTHONUTF8=1")
    assert done.stdout == ""


@pytest.mark.parametrize("verb", ["check", "fix", "solve", "opt", "certify", "cost", "coalesce"])
def test_a_file_name_of_300_characters_is_told(verb: str) -> None:
    words = (verb, "--pass", "pad") if verb == "opt" else (verb,)
    one_message(bankwise(*words, "x" * 300), "x: ", "File name too long")


def test_a_deleted_working_directory_is_told(tmp_path: Path) -> None:
    script = f'mkdir {tmp_path}/gone; cd {tmp_path}/gone; rmdir ../gone; exec "$@"'
    done = process("check", "k.mlir", script=script)
    one_message(done)


@pytest.mark.parametrize("module", ["typer", "bankwise.cli.count", "bankwise.ask.count"])
def test_an_interrupt_is_one_word_from_the_first_import_on(tmp_path: Path, module: str) -> None:
    """The import of ``module`` is where the signal arrives."""
    before = f"""
import os, signal, sys
class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Stop())
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
    done = process(*COUNT, before=before)
    assert (done.returncode, done.stdout) == (130, "")
    assert "Traceback" not in done.stderr
    assert signal.SIGINT == 2


# Causes


@pytest.mark.parametrize("text", ["\u00b2", "\u0664", "1_0", "9" * 30])
def test_digits_that_are_no_number_are_no_size(tmp_path: Path, text: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    path = written(tmp_path, ROWS)
    one_message(bankwise("check", path, "-t", "gfx950", "--workgroup-size", text), "is not X,Y,Z")
    dim = f"c8={text}"
    one_message(bankwise("check", path, "-t", "gfx950", "--dim", dim), "is not NAME=SIZE")
    words = ("bench", "transpose", "--size", f"{text}x{text}")
    one_message(bankwise(*words), "hint: rows x columns")


REFERENCES = {
    "raises": "def f(b): raise ValueError('no')",
    "ends": "def f(b): raise SystemExit(0)",
    "gives nothing": "def f(b): return None",
    "gives words": "def f(b): return ['a', 'b']",
    "no function": "f = 3",
    "file raises": "1 / 0",
    "file ends": "raise SystemExit(0)",
}


@pytest.mark.parametrize("text", REFERENCES.values(), ids=REFERENCES)
def test_a_reference_that_gives_no_buffers_is_told(tmp_path: Path, text: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    path = written(tmp_path, ROWS)
    reference = f"{written(tmp_path, text, 'ref.py')}:f"
    ended = bankwise("fix", path, "-t", "gfx950", "--no-isa", "--reference", reference)
    one_message(ended, f"--reference {reference}: ", "hint: ")
    assert ended.out == ""


LAYOUT = '"""\n(offset:9)'
DISTRIBUTION = '"(n:5 m:4) reg = n1 n2 n3 n4; lane = m0 m1 m2 m3 n0; wave ="'
SPECS = {
    "a distribution of too many bits": (DISTRIBUTION, '"(n:2147483647 m:4)"', "more than 48 bits"),
    "a layout of too many bits": (LAYOUT, '"""\n(offset:2147483647)', "more than 48 bits"),
    "a huge tile": ("tile = [16, 32]", f"tile = [16, {1 << 40}]", "are the most looked at"),
    "a huger tile": ("tile = [16, 32]", f"tile = [16, {1 << 70}]", "are the most looked at"),
    "a factor below 0": (
        DISTRIBUTION,
        f'"{ENCODING}, tuple<sequence<2>>, tuple<sequence<0>>, sequence<1,-2147483648>, '
        'sequence<0,0>>"',
        "there is no factor 0",
    ),
}


@pytest.mark.parametrize(("old", "new", "says"), SPECS.values(), ids=SPECS)
def test_a_spec_of_absurd_size_is_told_at_its_line(
    tmp_path: Path, old: str, new: str, says: str
) -> None:
    path = tmp_path / "s.toml"
    path.write_text(changed(SPEC, (old, new)), "utf-8")
    for verb in ("check", "solve"):
        one_message(bankwise(verb, path), "s.toml:", says)


def test_a_byte_with_a_leading_0_is_octal(tmp_path: Path) -> None:
    text = sass_text("S2R R0, SR_TID.X\nIMAD.SHL.U32 R3, R0, 0x4, RZ\nSTS [R3], R0")
    path = tmp_path / "k.sass"
    plain, octal = ".byte\t0x04, 0x10", ".byte\t004, 020"
    path.write_text(changed(text, (plain, octal)), "utf-8")
    ended = bankwise("check", path)
    assert (ended.code, ended.err) == (0, "")
    path.write_text(text, "utf-8")
    assert bankwise("check", path).out == ended.out


@pytest.mark.parametrize("size", ["0, 1, 1", "64, -1, 1"])
@pytest.mark.parametrize(("what", "old"), [("block", "64, 1, 1"), ("grid", "1, 1, 1")])
def test_a_launch_without_threads_is_told(tmp_path: Path, what: str, old: str, size: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    attribute = f"gpu.known_{what}_size = array<i32: {{}}>"
    text = changed(ROWS, (attribute.format(old), attribute.format(size)))
    for verb in ("check", "fix"):
        ended = bankwise(verb, written(tmp_path, text), "-t", "gfx950")
        one_message(ended, "k.mlir:1:1: kernel k has a", f"{size.replace(', ', 'x')}: each is 1")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("scan", ROOT / "examples/ck_transpose", "--time", "nan"), "nan is no number of seconds"),
        (("scan", ROOT / "examples/ck_transpose", "--jobs", "9" * 12), "not in the range"),
        (("solve", ROOT / "examples/solve/transpose_sm90.toml", "--budget", "nan"), "nan is no"),
    ],
)
def test_a_time_or_a_number_of_processes_that_is_none_is_told(
    words: tuple[object, ...], says: str
) -> None:
    """A scan that had no time ended at once, with exit code 0."""
    ended = bankwise(*words)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err


def test_a_launch_of_too_many_threads_is_told(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    size = ("gpu.known_block_size = array<i32: 64, 1, 1>, ", "")
    text = changed(ROWS, size, ("upper_bound 64", f"upper_bound {1 << 62}"))
    ended = bankwise("check", written(tmp_path, text), "-t", "gfx950")
    one_message(ended, f"a workgroup of {1 << 62} threads", "1024 is the most a GPU takes")


def test_a_store_with_somebody_elses_table_is_told(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    import sqlite3

    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as store:
        store.execute("CREATE TABLE cases (id INTEGER)")
    ended = bankwise("sweep", ROOT / "examples/sweep/attention_110.toml", "--store", path)
    one_message(ended, "other.sqlite: cannot be used as a store", "hint: ")


RANK_0 = """\
func.func @k(%o: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<\
pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %one = arith.constant dense<1.0> : vector<f32>
  %p = arith.constant 0.0 : f32
  %t = gpu.thread_id x
  %m = memref.alloc() : memref<f32, #gpu.address_space<workgroup>>
  vector.transfer_write %one, %m[] : vector<f32>, memref<f32, #gpu.address_space<workgroup>>
  gpu.barrier
  %v = vector.transfer_read %m[], %p : memref<f32, #gpu.address_space<workgroup>>, vector<f32>
  %w = memref.load %m[] : memref<f32, #gpu.address_space<workgroup>>
  memref.store %w, %o[%t] : memref<64xf32>
  return
}
"""


def test_a_buffer_of_one_element_has_no_layout_and_no_traceback(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    path = written(tmp_path, RANK_0)
    checked = bankwise("check", path, "-t", "gfx942", "--format", "json")
    assert checked.code == 0
    document = json.loads(checked.out)
    assert [access["operation"] for access in document["accesses"]] == [
        "vector.transfer_write",
        "vector.transfer_read",
        "memref.load",
    ]
    (kernel,) = document["kernels"]
    assert kernel["totals"]["run"]["extra"] == 0, "all lanes want one word"
    assert bankwise("fix", path, "-t", "gfx942").code == 0
    for name in ("pad", "flatten", "decide"):
        assert bankwise("opt", "--pass", name, path, "-t", "gfx942").code == 0
