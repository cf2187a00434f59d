"""The command line: help, versions, streams, exit codes, and life without the extra."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy
import pytest

from command import bankwise
from kernel_texts import EXAMPLES, ROWS, changed, written

ROOT = Path(__file__).parent.parent
SITE = Path(numpy.__file__).parents[1]


def run(
    *words: object, folder: Path = ROOT, path: str = "src", options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """A process of its own; ``path`` is where Python looks for packages."""
    paths = os.pathsep.join(str(ROOT / part) for part in path.split(os.pathsep))
    return subprocess.run(
        [sys.executable, *options, "-m", "bankwise", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


def needs_ir() -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")


# What needs nothing but numpy


@pytest.mark.parametrize(
    "words",
    [["--help"], ["-h"], ["check", "--help"], ["fix", "-h"], ["count", "-h"], ["machines", "-h"]],
)
def test_help_names_the_command_and_shows_an_example(words: list[str]) -> None:
    ended = bankwise(*words)
    assert (ended.code, ended.err) == (0, "")
    assert "Usage: " in ended.out
    assert "Example" in ended.out


def test_the_help_lists_the_verbs() -> None:
    out = bankwise("--help").out
    assert all(f" {verb} " in out for verb in ("count", "machines", "check", "fix"))


def test_without_words_the_help_is_shown() -> None:
    """It was no command: talk, and exit code 2."""
    ended = bankwise()
    assert (ended.code, ended.out) == (2, "")
    assert "Usage: " in ended.err


def test_the_version_is_that_of_the_package() -> None:
    assert bankwise("--version").out == f"bankwise {version('bankwise')}\n"


@pytest.mark.parametrize(
    "words", [["frob"], ["check"], ["check", "k.mlir", "--frob"], ["count", "x"], ["fix"]]
)
def test_misuse_ends_with_2_and_says_so_on_standard_error(words: list[str]) -> None:
    ended = bankwise(*words)
    assert (ended.code, ended.out) == (2, "")
    assert "Error" in ended.err


@pytest.mark.parametrize("option", ["--policy", "--format"])
def test_a_choice_outside_the_list_names_the_list(tmp_path: Path, option: str) -> None:
    ended = bankwise("check", written(tmp_path, ROWS), option, "frob")
    assert ended.code == 2
    assert "iree" in ended.err or "json" in ended.err


def test_machines_prints_all_and_one() -> None:
    everything = bankwise("machines")
    assert everything.code == 0
    for name in ("gfx942", "gfx950", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "gfx90a"):
        assert name in everything.out
    one = bankwise("machines", "gfx950").out
    assert "ds_read_b128" in one
    assert "documented" in one or "measured" in one
    found = json.loads(bankwise("machines", "gfx950", "--format", "json").out)
    assert found["schema"] == "bankwise.machines/1"


def test_an_unknown_machine_is_refused_with_a_suggestion() -> None:
    ended = bankwise("machines", "gfx94")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert "gfx942" in ended.err


def test_count_prints_passes_witness_and_reason() -> None:
    """16 lanes at a stride of 256 bytes: 64 words, 0 on 32 banks."""
    words = ("count", "--target", "gfx942", "ds_read_b128", "(lane%16)*256 + lane//16*16")
    ended = bankwise(*words)
    assert (ended.code, ended.err) == (0, "")
    assert "64 mod 32 banks = 0: all rows begin in the same" in ended.out
    # Eight phases of eight lanes; four rows of each phase, 64 words apart, meet on one place.
    head, counter, *_ = ended.out.splitlines()
    assert head == "ds_read_b128 on gfx942: 32 passes, ideal 8"
    assert counter == "  SQ_LDS_BANK_CONFLICT += 24"
    found = json.loads(bankwise(*words, "--format", "json").out)
    assert found["schema"] == "bankwise.count/1"
    assert found["passes"] > found["ideal"]


@pytest.mark.parametrize(
    ("instruction", "offsets", "says"),
    [
        ("ds_read_b129", "lane", "ds_read_b12"),
        ("ds_read_b128", "lane +", "error: "),
        ("ds_read_b128", "line*4", "line"),
        ("ds_read_b128", "lane//0", "error: "),
        ("ds_read_b128", "-lane*16", "error: "),
    ],
)
def test_count_refuses_what_it_cannot_read(instruction: str, offsets: str, says: str) -> None:
    ended = bankwise("count", "--target", "gfx942", instruction, "--", offsets)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err


# Streams and exit codes of the verbs on kernels


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (changed(ROWS, ("64x64xf16, #gpu", "64x72xf16, #gpu")), 0),
        (ROWS, 1),
        ("", 2),
    ],
)
@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_check_ends_with_0_clean_1_conflicts_2_could_not(
    tmp_path: Path, text: str, code: int, form: str
) -> None:
    needs_ir()
    path = written(tmp_path, text)
    ended = bankwise("check", path, "-t", "gfx950", "--format", form)
    assert ended.code == code
    assert (ended.out == "") == (code == 2 and form != "sarif")
    assert (ended.err == "") == (code != 2)


def test_fix_puts_the_patch_on_one_stream_and_the_story_on_the_other(tmp_path: Path) -> None:
    needs_ir()
    ended = bankwise("fix", written(tmp_path, ROWS), "-t", "gfx950", "--no-isa")
    assert ended.out.startswith("--- a/")
    assert "passes" not in ended.out
    assert "768 -> 96 passes per workgroup, ideal 96" in ended.err
    assert "execution: passed" in ended.err


def test_a_process_of_its_own_behaves_the_same(tmp_path: Path) -> None:
    needs_ir()
    path = written(tmp_path, ROWS)
    done = run("check", path, "-t", "gfx950")
    assert (done.returncode, done.stdout) == (1, bankwise("check", path, "-t", "gfx950").out)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    """``bankwise machines | head -1``."""
    command = f"{sys.executable} -m bankwise machines --format json | head -1"
    done = subprocess.run(
        command,
        shell=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "{\n"
    assert done.stderr == ""


def test_a_crash_of_the_native_parser_is_a_message(tmp_path: Path) -> None:
    needs_ir()
    path = written(tmp_path, "func.func @f() {" + "scf.execute_region {" * 60_000)
    done = run("check", path, "-t", "gfx950")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {path}")
    assert "Traceback" not in done.stderr


# Life without the extra


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with all packages beside numpy, but without IREE's; used in place of theirs."""
    folder = tmp_path_factory.mktemp("bare")
    for entry in SITE.iterdir():
        if not entry.name.startswith("iree") and entry.suffix != ".pth":
            (folder / entry.name).symlink_to(entry)
    return os.pathsep.join(["src", str(folder)])


def without_ir(bare: str, *words: object) -> subprocess.CompletedProcess[str]:
    """``-S`` keeps Python from adding its own site-packages."""
    return run(*words, path=bare, options=("-S",))


@pytest.mark.parametrize("verb", ["check", "fix"])
def test_without_the_extra_one_line_says_what_to_install(
    bare: str, tmp_path: Path, verb: str
) -> None:
    file = written(tmp_path, ROWS)
    done = without_ir(bare, verb, file, "-t", "gfx950")
    assert (done.returncode, done.stdout) == (2, "")
    said = r"reading MLIR needs the IREE compiler\n  hint: pip install (-e )?'\S+\[ir\]'\n"
    said = rf"error: {re.escape(str(file))}: {said}"
    assert re.fullmatch(said.replace(" ", r"\s+"), done.stderr)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--help",), 0),
        (("machines",), 0),
        (("machines", "sm_90"), 0),
        (("count", "-t", "sm_90", "ld.shared.b32", "lane*4"), 0),
    ],
)
def test_without_the_extra_everything_else_works(
    bare: str, words: tuple[str, ...], code: int
) -> None:
    done = without_ir(bare, *words)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout


def test_help_and_machines_import_no_compiler_and_help_no_numpy() -> None:
    program = (
        "import sys; from bankwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    for words in (["--help"], ["machines"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = done.stderr.split()
        assert "iree" not in loaded
        assert words == ["machines"] or "numpy" not in loaded


def test_the_table_of_a_fix_folds_what_is_alike_and_all_is_every_access(tmp_path: Path) -> None:
    """The passes of the folded rows and of all rows add up to the same."""
    needs_ir()
    said = "fix", EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir", "--no-isa", "--no-execute"
    sums = []
    for words in (said, (*said, "--all")):
        found = re.findall(
            r"^ *([\d,]+) +[\d,]+ +[\d,]+ +\d+:\d+.*ds_read", bankwise(*words).err, re.M
        )
        sums.append([int(one.replace(",", "")) for one in found])
    assert sum(sums[0]) == sum(sums[1])
    assert len(sums[0]) == 2 < len(sums[1]) == 8


def test_what_fix_writes_is_said_and_a_folder_is_told_what_to_give(tmp_path: Path) -> None:
    needs_ir()
    words = "fix", written(tmp_path, ROWS), "-t", "gfx950", "--no-isa", "--no-execute"
    ended = bankwise(*words, "-o", tmp_path / "out.mlir")
    assert f"written: {tmp_path / 'out.mlir'}" in ended.err
    lines = ended.err.splitlines()
    ends = [n for n, line in enumerate(lines) if line.startswith("exit ")] or [len(lines)]
    assert next(n for n, line in enumerate(lines) if line.startswith("written:")) < ends[0]
    assert "written:" not in bankwise(*words).err
    refused = bankwise("fix", tmp_path)
    assert refused.code == 2
    assert "`fix` takes one file" in refused.err
