"""Every command that a help text or a page shows works, and a shell completes what is named."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from bankwise.cli.commands import app
from bankwise.cli.verbs import MODULES
from bankwise.hardware.machine import names
from bankwise.show.rules import rules
from command import bankwise
from cute_texts import OPERAND
from kernel_texts import ROWS
from pages import PAGES

ROOT = Path(__file__).parents[1]
EXAMPLES, DATA = ROOT / "examples", ROOT / "tests" / "data"
FILES = {
    "policy.hpp": DATA / "ck_headers" / "attention_keys.hpp",
    "kernel.mlir": EXAMPLES / "row_copy" / "row_copy_gfx950.mlir",
    "kernel.s": EXAMPLES / "ck_transpose" / "04_reads.s",
    "kernel.ptx": DATA / "profile" / "tiles.ptx",
    "kernel.ttgir": DATA / "isa" / "triton_attention.gfx942.ttgir",
    "kernel.amdgcn": DATA / "isa" / "triton_attention.gfx942.amdgcn",
    "launches.toml": EXAMPLES / "launch" / "launches.toml",
    "mine.toml": ROOT / "src" / "bankwise" / "hardware" / "gfx942.toml",
    "source.csv": DATA / "profile" / "source.csv",
    "measured.csv": DATA / "h200_probe.csv",
    "tile.toml": EXAMPLES / "solve" / "transpose_sm90.toml",
    "question.toml": EXAMPLES / "ck_transpose" / "08.toml",
}
"""What the names in an example stand for."""

NOT_RUN = {
    "bankwise lsp": "reads stdin until its editor ends",
    "bankwise mcp": "reads stdin until its agent ends",
    "bankwise bench": "needs a GPU",
    "bankwise probe --target sm_90 --save": "needs a GPU",
    "bankwise probe --target sm_90 --propose": "needs a GPU",
    "bankwise probe --import": "tests/test_probe_kit.py",
    "bankwise verify": "needs a GPU",
    "bankwise probe -t sm_90 --replay tests/data/h200_probe.csv --replay": "tests/test_propose.py",
    "bankwise triton-plan ~/.triton": "needs a Triton cache",
    "bankwise workbench": "serves until it is ended; tests/test_workbench_server.py",
    "bankwise sweep": "takes minutes; tests/test_sweep.py",
    "bankwise check kernel.cu": "needs nvcc; tests/test_cuda.py",
    "bankwise fix kernel.cu": "needs nvcc; tests/test_fix_cuda.py",
    "bankwise fix dump/": "tests/test_fix_ttgir.py",
    "bankwise check kernel.ptx --isa": "needs ptxas; tests/test_fix_ptx.py",
    "bankwise fix kernel.ptx": "needs ptxas; tests/test_fix_ptx.py",
    "bankwise check kernel.hip": "needs clang; tests/test_fix_hip.py",
    "bankwise fix kernel.hip": "needs clang; tests/test_fix_hip.py",
    "bankwise check libbitsandbytes": "needs that library; tests/test_binary_check.py",
    "bankwise check libkernels.a": "needs a compiler; tests/test_binary_check.py",
    "bankwise check kernel.hsaco": "needs a compiler; tests/test_binary_check.py",
    "bankwise check dump.mlir": "tests/test_dump.py",
    "bankwise fix dump.mlir": "tests/test_dump.py",
    "bankwise fix gemm.mlir": "tests/test_fix_wave.py",
    "bankwise check model.mlir": "tests/test_model.py",
    "bankwise fix model.mlir": "tests/test_model.py",
}
"""Beginnings of commands, and why they are not run here."""
RUN_ALL_THE_SAME = (
    "bankwise bench attention --replay",
    "bankwise workbench -o",
)


def helps(group: typer.core.TyperGroup | None = None, path: str = "") -> Iterator[tuple[str, str]]:
    """The path of every command, and the end of its help text."""
    found = typer.main.get_command(app) if group is None else group
    for name, command in found.commands.items():
        if hasattr(command, "commands"):
            yield from helps(command, f"{path} {name}")
        else:
            yield f"bankwise{path} {name}", command.epilog or ""


def shown() -> list[str]:
    """The commands of all help texts and pages, sorted; sessions are run by tests/test_pages.py."""
    found = [typer.main.get_command(app).epilog or "", *(epilog for _, epilog in helps())]
    lines = [line for text in found for line in _examples(text)]
    for page in sorted({*(ROOT / "docs").glob("*.md")} - {ROOT / name for name in PAGES}):
        text = page.read_text("utf-8")
        lines += re.findall(r"^(?:\$ |    |)(bankwise [a-z]\S* .*)$", _code(text), re.MULTILINE)
    return sorted({re.split(r"\s{3,}", line)[0].strip() for line in lines})


def _examples(epilog: str) -> list[str]:
    return epilog.partition("\b\n")[2].splitlines()


def _code(text: str) -> str:
    """Fenced and indented code; sentences may begin with the name too."""
    fenced = re.findall(r"^```(?:sh|console)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return "\n".join([*fenced, *re.findall(r"^    .*$", text, re.MULTILINE)])


def why_not(command: str) -> str:
    if command.startswith(RUN_ALL_THE_SAME):
        return ""
    return next((why for start, why in NOT_RUN.items() if command.startswith(start)), "")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("help")
    for name, source in FILES.items():
        shutil.copy(source, made / name)
    (made / "kernels").mkdir()
    renamed = FILES["kernel.s"].read_text("utf-8").replace("kernel_04_reads", "gemm_04_reads")
    (made / "kernels" / "gemm.s").write_text(renamed, "utf-8")
    for name in ("examples", "docs"):
        (made / name).symlink_to(ROOT / name)
    block = "".join(f"    {line}\n" for line in ROWS.splitlines())
    (made / "kernel.rst").write_text(f".. code-block:: mlir\n\n{block}", "utf-8")
    solved = bankwise("solve", made / "tile.toml", "-o", made / "cert.json")
    assert solved.code == 0
    (made / "operand.hpp").write_text(OPERAND, "utf-8")
    return made


@pytest.mark.parametrize("command", [c for c in shown() if not why_not(c)])
def test_a_command_that_is_shown_works(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """What follows a pipe or goes into a file is the shell's part. The code that triton-plan is
    given, and some that fix makes, has writes by a rule that nobody knows: 3."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    monkeypatch.chdir(folder)
    program, *words = shlex.split(re.split(r" [|>] ", command)[0])
    assert program == "bankwise"
    ended = bankwise(*words)
    assert ended.code in ((0, 1, 3) if words[0] in ("fix", "triton-plan") else (0, 1)), ended.err
    assert "rror" not in ended.err


KINDS = {
    "AMD assembly": EXAMPLES / "ck_transpose" / "04_reads.s",
    "PTX": DATA / "profile" / "tiles.ptx",
    "SASS": DATA / "sass" / "tiles.sass",
    "TTGIR": DATA / "isa" / "triton_attention.gfx942.ttgir",
    "folder": DATA / "isa",
}
TAKEN = {("fix", "TTGIR"), ("fix", "PTX")}


@pytest.mark.parametrize("verb", ["fix", "cost", "opt --pass pad"])
def test_a_help_text_promises_no_kind_of_file_that_its_verb_refuses(verb: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    words = verb.split()
    promised = " ".join(bankwise(words[0], "--help").out.split("Options")[0].split())
    assert "MLIR" in promised
    refused = {kind: file for kind, file in KINDS.items() if (verb, kind) not in TAKEN}
    for kind, file in refused.items():
        assert bankwise(*words, file).code == 2, kind
        assert kind not in promised
    assert all(kind in promised for taker, kind in TAKEN if taker == verb)
    assert all(
        kind in bankwise("check", "--help").out.replace("\n", " ") for kind in ("PTX", "SASS")
    )


def test_the_patch_of_the_example_is_one_that_git_takes(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    shutil.copy(folder / "kernel.mlir", tmp_path)
    words = f"{sys.executable} -m bankwise fix kernel.mlir --no-isa --no-execute | git apply"
    ended = subprocess.run(words, shell=True, cwd=tmp_path, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "kernel.mlir").read_text() != (folder / "kernel.mlir").read_text()


def test_every_command_shows_an_example_of_itself() -> None:
    for name, epilog in helps():
        commands = _examples(epilog)
        assert commands, name
        assert all(c.startswith(name) for c in commands), name


def test_no_reason_for_not_running_is_left_over() -> None:
    assert all(any(c.startswith(start) for c in shown()) for start in NOT_RUN)
    assert sum(not why_not(c) for c in shown()) > 20


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("bankwise che", {"check"}),
        ("bankwise check --target gf", {n for n in names() if n.startswith("gf")}),
        ("bankwise machines sm_1", {n for n in names() if n.startswith("sm_1")}),
        ("bankwise explain padding-", {r.name for r in rules() if r.name.startswith("padding-")}),
        ("bankwise opt --pass re", {"resolve"}),
        ("bankwise check --format s", {"sarif"}),
    ],
)
def test_the_shell_completes_commands_targets_and_rules(
    monkeypatch: pytest.MonkeyPatch, typed: str, offered: set[str]
) -> None:
    # Click names a program that runs as `python -m pytest` after pytest.
    monkeypatch.setattr(sys.modules["__main__"], "__package__", None)
    monkeypatch.setenv("_BANKWISE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert offered
    assert set(bankwise().out.split()) == offered


def test_the_completion_script_for_bash_is_one() -> None:
    # Which shell it is for is asked of the processes around: there is one, whoever runs the tests.
    typed = f"{Path(sys.executable).parent / 'bankwise'} --show-completion bash; exit $?"
    words = ["bash", "-c", typed]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "_BANKWISE_COMPLETE=complete_bash" in found
    subprocess.run(["bash", "-n"], input=found, text=True, check=True)


def test_a_verb_is_found_without_the_modules_of_others() -> None:
    """The table of verbs names what each module registers, all of it, in the order of the help."""
    registered: dict[str, list[str]] = {}
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__.replace("_", "-")
        registered.setdefault(command.callback.__module__, []).append(name)
    for group in app.registered_groups:
        registered["bankwise.cli.bench"] = [str(group.name)]
    assert {module: tuple(verbs) for module, verbs in registered.items()} == MODULES
    program = (
        "import sys, bankwise.cli\n"
        "sys.argv = ['bankwise', 'count', '--help']\n"
        "try: bankwise.cli.main()\n"
        "finally: print(*sorted(m for m in sys.modules if m.startswith('bankwise.cli.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    imported = done.stdout.splitlines()[-1].split()
    assert "bankwise.cli.count" in imported
    assert "bankwise.cli.check" not in imported


def test_all_verbs_have_one_order_whichever_a_process_asked_for_first() -> None:
    """A process that ran `machines` has its module before the others."""
    text = (
        "import bankwise.cli.study; from bankwise.cli.commands import app; "
        "from bankwise.cli.verbs import name_of; "
        "print(*map(name_of, app.registered_commands))"
    )
    words = [sys.executable, "-c", text]
    found = subprocess.run(words, capture_output=True, encoding="utf-8", check=True).stdout.split()
    every = [verb for verbs in MODULES.values() for verb in verbs if verb != "bench"]
    assert found == every  # `bench` is a group


def test_the_page_of_all_verbs_says_of_each_what_its_own_page_says() -> None:
    page = " ".join(bankwise("--help").out.split())
    places = [page.index(f" {name.removeprefix('bankwise ')} {words}") for name, words in _verbs()]
    assert places == sorted(places)
    assert "bankwise fix kernel.mlir -o fixed.mlir" in page


def _verbs() -> Iterator[tuple[str, str]]:
    for name, command in typer.main.get_group(app).commands.items():
        yield f"bankwise {name}", " ".join((command.help or "").partition("\n\n")[0].split())


def test_a_help_text_names_every_option_whole_in_80_columns() -> None:
    for name, command in typer.main.get_group(app).commands.items():
        page = bankwise(name, "--help").out
        ours = [line for line in page.splitlines() if not line.startswith(("  bankwise ", "Usage"))]
        assert max(map(len, ours)) <= 80
        options = {text for one in command.params for text in (*one.opts, *one.secondary_opts)}
        assert {o for o in options if o.startswith("-")} <= set(re.split(r"[\s,]+", page)), name
