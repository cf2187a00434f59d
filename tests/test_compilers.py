"""Which iree-compile makes the code that is counted, and what each of them gets.

Stand-ins are programs that note what they are given and hand it to the wheel's own compiler.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check import check
from bankwise.ask.doctor import doctor
from bankwise.ask.fix import fix
from bankwise.change.compile.compilers import HOST_FUNCTION, VARIABLE, own_compiler
from bankwise.show.fixing import FixReport
from command import bankwise
from kernel_texts import ROOT, changed, written
from patches import verdict
from test_fix_wave import joined

pytestmark = pytest.mark.compiles

GPU = "gfx950"
RELEASE = r"iree-compile \d+\.\d+\.\d+"
DUMPS = ROOT / "tests" / "data" / "dumps"
PYTHON = Path(os.environ.get("BANKWISE_WAVE_PYTHON", sys.executable))

STAND_IN = """\
#!/bin/sh
if [ "$1" = --version ]; then echo "  IREE compiler version {release}rc20251125 @ 0"; exit; fi
here="{folder}"
cp kernel.mlir "$here/text.mlir"
echo "$@" > "$here/arguments"
sed -i 's/pipeline = None/pipeline = #iree_codegen.no_pipeline/' kernel.mlir
exec "{real}" $(echo "$@" | sed 's/--iree-hip-target/--iree-rocm-target/')
"""


def stand_in(folder: Path, release: str = "3.9.0", *, wave: str = "") -> Path:
    """An environment with a compiler of a release, and with wave-lang if that has one."""
    site = folder / "lib" / "python3.11" / "site-packages"
    program = site / "iree" / "compiler" / "_mlir_libs" / "iree-compile"
    program.parent.mkdir(parents=True)
    real = own_compiler().program
    program.write_text(STAND_IN.format(release=release, folder=folder, real=real))
    (site / f"iree_base_compiler-{release}.dist-info").mkdir()
    if wave:
        (site / "wave_lang").mkdir()
        (site / f"wave_lang-{wave}.dist-info").mkdir()
    (folder / "bin").mkdir()
    shutil.copy(program, folder / "bin" / "iree-compile")
    for each in (program, folder / "bin" / "iree-compile"):
        each.chmod(0o755)
    return folder


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other compiler is about."""
    for name in (VARIABLE, "VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("inside", ["", "bin/iree-compile"])
def test_a_compiler_that_is_named_makes_the_code_and_is_said(tmp_path: Path, inside: str) -> None:
    other = stand_in(tmp_path / "env")
    file = written(tmp_path, joined(36))
    done = bankwise("fix", file, "-t", GPU, "--no-execute", "--iree-compile", other / inside)
    told = " ".join(done.err.split())
    alone = "which was named and has no wave-lang beside it (Wave's own may differ)"
    assert f"isa: passed: compiled for gfx950 by iree-compile 3.9.0, {alone}: no worse" in told
    assert "not Wave's" not in told
    assert "--iree-hip-target=gfx950" in (other / "arguments").read_text()
    done = bankwise("check", file, "-t", GPU, "--isa", "--iree-compile", other / inside)
    assert "counted as iree-compile 3.9.0 emits it" in " ".join(done.out.split())


@pytest.mark.usefixtures("alone")
def test_a_named_compiler_beside_wave_and_one_of_other_texts_are_taken_at_their_word(
    tmp_path: Path,
) -> None:
    waves, other = stand_in(tmp_path / "env", wave="3.9.1"), stand_in(tmp_path / "other")
    plain = changed(joined(36), (HOST_FUNCTION, "of nobody's"))
    for env, text in ((waves, joined(36)), (other, plain)):
        said = ("fix", written(tmp_path, text), "-t", GPU, "--no-execute", "--iree-compile", env)
        told = " ".join(bankwise(*said).err.split())
        assert "compiled for gfx950 by iree-compile 3.9.0" in told
        assert "no wave-lang beside it" not in told


@pytest.mark.usefixtures("alone")
def test_a_variable_names_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(stand_in(tmp_path / "env", "3.12.0")))
    report = check(written(tmp_path, joined(36)), GPU, isa=True)
    [kernel] = report.kernels
    assert kernel.compiled is not None
    assert kernel.compiled.compiler == "iree-compile 3.12.0"
    assert "--iree-rocm-target=gfx950" in (tmp_path / "env" / "arguments").read_text()


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("where", ["PATH", "VIRTUAL_ENV"])
def test_waves_compiler_is_found_for_a_text_of_waves_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    env = stand_in(tmp_path / "env", wave="3.9.1")
    other = stand_in(tmp_path / "other", "3.10.0")
    path = f"{other / 'bin'}:{env / 'bin'}:/usr/bin:/bin"
    monkeypatch.setenv(where, path if where == "PATH" else str(env))
    wave = written(tmp_path, joined(36))
    [kernel] = check(wave, GPU, isa=True).kernels
    assert kernel.compiled is not None
    assert kernel.compiled.compiler == "iree-compile 3.9.0 (wave-lang 3.9.1)"
    plain = written(tmp_path, changed(joined(36), (HOST_FUNCTION, "of nobody's")))
    [kernel] = check(plain, GPU, isa=True).kernels
    assert kernel.compiled is not None
    assert re.fullmatch(RELEASE, kernel.compiled.compiler)
    assert not (other / "arguments").exists()


@pytest.mark.usefixtures("alone")
def test_doctor_says_whether_waves_compiler_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def row() -> str:
        [one] = [part for part in doctor().parts if part.name == "Wave's iree-compile"]
        return one.found

    assert row() == ""
    monkeypatch.setenv(VARIABLE, str(stand_in(tmp_path / "other", "3.10.0")))
    assert row() == "", "named, and not Wave's"
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    assert row() == ""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("VIRTUAL_ENV", str(stand_in(tmp_path / "env", wave="3.9.1")))
    assert row().startswith("iree-compile 3.9.0 (wave-lang 3.9.1), ")


@pytest.mark.usefixtures("alone")
def test_the_answer_says_how_wave_makes_code_of_the_patch_and_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A script that asks Wave for MLIR gets the patch back, and nothing of its code."""
    monkeypatch.setenv("VIRTUAL_ENV", str(stand_in(tmp_path / "env", wave="3.9.1")))
    report = fix(written(tmp_path, joined(36)), GPU, execute=False)
    assert isinstance(report, FixReport)
    told = "\n".join(report.settings)
    assert "without\ncompile_to_mlir=True" in told
    assert told.count("options.dump_intermediates") == 1
    assert "bankwise check code" in told


@pytest.mark.usefixtures("alone")
def test_of_a_text_of_waves_another_compilers_code_is_no_last_word(tmp_path: Path) -> None:
    report = fix(written(tmp_path, joined(36)), GPU, execute=False)
    assert isinstance(report, FixReport)
    assert re.search(rf"by {RELEASE}, which is not Wave's: no worse", verdict(report, "isa").detail)
    assert report.exit_code == 3
    assert "the code that runs is another compiler's (--iree-compile)" in report.incomplete
    told = "\n".join(report.settings)
    assert 'options.dump_intermediates = "code"' in told
    assert "bankwise check code" in told


@pytest.mark.usefixtures("alone")
def test_statements_to_paste_are_python_and_name_the_file_that_is_there(tmp_path: Path) -> None:
    file = written(tmp_path, joined(36))
    for words, name in (((), str(file)), (("-o", "new.mlir"), "new.mlir")):
        told = bankwise("fix", file, "-t", GPU, "--no-execute", "--no-isa", *words).err
        [line] = [each for each in told.splitlines() if "override_mlir" in each]
        compile(line, "pasted", "exec")
        assert line == f'options.override_mlir=open("{name}").read()'
    Path("new.mlir").unlink()


@pytest.mark.usefixtures("alone")
def test_an_older_compiler_gets_the_syntax_that_was_written(tmp_path: Path) -> None:
    other = stand_in(tmp_path / "env")
    file = DUMPS / "iree-3.9.0-executable.mlir"
    bankwise("check", file, "--isa", "--iree-compile", other)
    assert (other / "text.mlir").read_text().count("blgp = ") == file.read_text().count("blgp = ")


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--isa", "--iree-compile", "nowhere"), "no such compiler: nowhere"),
        (("--isa", "--iree-compile", "/bin/ls"), "/bin/ls is no iree-compile"),
        (("--isa", "--iree-compile", "."), "no iree-compile in ."),
        (("--iree-compile", "nowhere"), "nothing is compiled"),
    ],
)
def test_a_compiler_that_is_none_is_said(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = bankwise("check", written(tmp_path, joined(36)), "-t", GPU, *words)
    assert done.code == 2
    assert said in done.err
    assert "hint:" in done.err


def test_a_real_older_compiler_compiles_what_it_printed(tmp_path: Path) -> None:
    """Compiler 3.9.0, of the environment of ``BANKWISE_WAVE_PYTHON``."""
    env = PYTHON.parents[1]
    found = [*env.glob("lib/python3*/site-packages/iree_base_compiler-3.9.0.dist-info")]
    if not found:
        pytest.skip("no iree-base-compiler 3.9.0: BANKWISE_WAVE_PYTHON names a Python that has it")
    for name in ("iree-3.9.0-executable.mlir", "iree-3.9.0-kernel.mlir"):
        file = shutil.copy(DUMPS / name, tmp_path / name)
        done = bankwise("check", file, "-t", "gfx942", "--isa", "--iree-compile", env)
        assert "counted as iree-compile 3.9.0" in done.out, done.out + done.err


@pytest.mark.usefixtures("alone")
def test_check_says_that_waves_compiler_decides_what_the_command_gains(tmp_path: Path) -> None:
    said = "named by --iree-compile PATH (docs/wave.md)"
    wave = bankwise("check", written(tmp_path, joined(36)), "-t", GPU)
    assert said in " ".join(wave.out.split())
    plain = written(tmp_path, changed(joined(36), (HOST_FUNCTION, "of nobody's")))
    other = bankwise("check", plain, "-t", GPU)
    assert "bankwise fix" in other.out
    assert said not in " ".join(other.out.split())


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("how", ["option", "variable"])
def test_cost_is_of_the_compiler_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    other = stand_in(tmp_path / "env")
    if how == "variable":
        monkeypatch.setenv(VARIABLE, str(other))
    named = ("--iree-compile", other) if how == "option" else ()
    done = bankwise("cost", written(tmp_path, joined(36)), "-t", GPU, *named)
    told = " ".join(done.out.split())
    assert "as iree-compile 3.9.0 emits it" in told
    assert (other / "arguments").exists()
    assert ("unknown: the rule of ds_write2_b64" in told) == ("ds_write2_b64" in told)


@pytest.mark.usefixtures("alone")
def test_worth_is_of_the_compiler_that_a_variable_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = stand_in(tmp_path / "env")
    monkeypatch.setenv(VARIABLE, str(other))
    bankwise("check", written(tmp_path, joined(36)), "-t", GPU, "--worth")
    assert (other / "arguments").exists()
