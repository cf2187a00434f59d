"""The names that people have for a GPU, and how a report looks where Python shows a value."""

from __future__ import annotations

import builtins
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import bankwise
from bankwise.errors import InputError
from bankwise.hardware import native
from bankwise.hardware.machine import canonical, machine, names
from bankwise.read.options import Options
from command import bankwise as run

ROOT = Path(__file__).parents[1]
READS = ROOT / "examples" / "ck_transpose" / "04_reads.s"

CALLED = {
    "H100": "sm_90",
    "h200": "sm_90",
    "sm_90a": "sm_90",
    "cuda:90": "sm_90",
    "B200": "sm_100",
    "rtx-4090": "sm_89",
    "RTX 4090": "sm_89",
    "MI300X": "gfx942",
    "mi325x": "gfx942",
    "hip:gfx942": "gfx942",
    "gfx942:sramecc+:xnack-": "gfx942",
    "MI355X": "gfx950",
    "hopper": "sm_90",
    "Ada Lovelace": "sm_89",
    "CDNA3": "gfx942",
}


@pytest.mark.parametrize(
    ("said", "meant"), [("ampere", "sm_80, sm_86"), ("Blackwell", "sm_100, sm_120")]
)
def test_of_an_architecture_of_several_rules_all_are_offered(said: str, meant: str) -> None:
    with pytest.raises(InputError) as caught:
        machine(said)
    assert f"did you mean {meant}?" in caught.value.hint


@pytest.mark.parametrize(("said", "name"), CALLED.items())
def test_a_gpu_is_found_by_what_people_call_it(said: str, name: str) -> None:
    assert canonical(said) == machine(said).name == Options(target=said).target == name


def test_no_two_machines_are_called_the_same() -> None:
    everything = [one for name in names() for one in (name, *machine(name).also)]
    plain = [one.casefold().replace(" ", "") for one in everything]
    assert len(plain) == len(set(plain))
    assert all(canonical(one) in names() for one in everything)


@pytest.mark.parametrize("said", ["", "gfx943", "H9", "MI", "sm_90b", ":"])
def test_what_nobody_is_called_stays_as_it_is(said: str) -> None:
    assert canonical(said) == said


def test_another_product_of_the_same_rules_is_told() -> None:
    ended = run("count", "-t", "MI300A", "ds_read_b32", "lane*128")
    assert ended.out.startswith("ds_read_b32 on gfx942: ")
    assert ended.err == "note: MI300A is gfx942, counted as AMD Instinct MI300X\n"
    assert run("count", "-t", "gfx942", "ds_read_b32", "lane*128").err == ""


def test_a_bad_list_of_names_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "src/bankwise/hardware/gfx942.toml").read_text("utf-8")
    text = text.replace('name = "gfx942"', 'name = "mine"', 1)
    for bad in ('"MI300X"', "[1]", '[""]'):
        lines = [f"also = {bad}" if one.startswith("also") else one for one in text.splitlines()]
        (tmp_path / "mine.toml").write_text("\n".join(lines), "utf-8")
        monkeypatch.setenv("BANKWISE_MACHINES", str(tmp_path))
        with pytest.raises(InputError, match=r"also: .* is not a list of texts"):
            machine("mine")


# The GPU of this computer


def driver(folder: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    """A program in place of nvidia-smi."""
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\nprintf '{says}'\n", "ascii")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def test_native_is_what_the_driver_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver(tmp_path, monkeypatch, "9.0\\n9.0\\n")
    assert native.gpus(tmp_path) == ("sm_90",)
    assert canonical("native") == "sm_90"


@pytest.mark.parametrize("says", ["", "no devices were found\\n", "8.6\\n9.0\\n"])
def test_native_without_one_kind_of_gpu_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    driver(tmp_path, monkeypatch, says)
    ended = run("count", "-t", "native", "ds_read_b32", "lane*4")
    assert ended.code == 2
    assert "name the GPU" in ended.err


@pytest.mark.parametrize(
    ("version_number", "name"), [("90402", "gfx942"), ("90010", "gfx90a"), ("110000", "gfx1100")]
)
def test_native_of_amd_is_read_off_the_topology(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version_number: str, name: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for node, number in enumerate(("0", version_number)):
        folder = tmp_path / str(node)
        folder.mkdir()
        text = f"cpu_cores_count 1\ngfx_target_version {number}\nvendor_id 4098\n"
        (folder / "properties").write_text(text, "ascii")
    assert native.gpus(tmp_path) == (name,)


# Values


def test_the_package_says_its_version() -> None:
    assert bankwise.__version__ == version("bankwise")


def test_a_report_is_a_line_at_the_prompt_and_a_page_in_a_notebook() -> None:
    report = bankwise.check(READS)
    assert repr(report).startswith("<CheckReport: ")
    assert "\n" not in repr(report)
    assert len(repr(report)) < 120
    page = report._repr_html_()  # type: ignore[attr-defined]
    assert page.startswith("<pre")
    assert all(f"{line}" in page for line in (32, 39))
    assert "kernel_04_reads" in page


def test_a_report_in_a_notebook_shows_itself_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """rich takes a shell of this name for Jupyter, and shows there whatever is printed."""
    shell = type("ZMQInteractiveShell", (), {})
    monkeypatch.setattr(builtins, "get_ipython", shell, raising=False)
    shown: list[str] = []
    monkeypatch.setattr("rich.jupyter.display", lambda _, text: shown.append(text))
    report = bankwise.check(READS)
    assert "32" in str(report)
    assert "kernel_04_reads" in report._repr_html_()  # type: ignore[attr-defined]
    assert shown == []


# A reader that has enough


@pytest.mark.parametrize(
    "words",
    [("machines", "sm_90"), ("machines", "--format", "json"), ("check", READS, "--all"), ("-h",)],
)
def test_a_pipe_that_ends_early_ends_the_command_as_sigpipe_does(words: tuple[object, ...]) -> None:
    ended = subprocess.Popen(
        [sys.executable, "-m", "bankwise", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert ended.stdout is not None
    ended.stdout.close()
    _, err = ended.communicate()
    assert (ended.returncode, err) == (128 + signal.SIGPIPE, b"")
