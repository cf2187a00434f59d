"""The pre-commit hook and the GitHub Action: their scripts run as those tools run them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import warm
from isa_texts import amd_text, ptx_text

yaml = pytest.importorskip("yaml", reason="needs PyYAML")
ROOT = Path(__file__).parent.parent
CONFLICTS, CLEAN = "conflicts.s", "with space.amdgcn"
"""One wave reads a word every 256 bytes, 32-way; or every 4."""

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


def hook(which: str = "bankwise-check") -> dict[str, Any]:
    every = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (found,) = [one for one in every if one["id"] == which]
    return dict(found)


def action() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "action.yml").read_text("utf-8")))


def installed() -> dict[str, str]:
    """``bankwise`` on the path, as where it is installed."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def environment() -> dict[str, str]:
    """The same, and its processes begin with their modules imported."""
    env = installed()
    return env | {"PATH": f"{warm.programs(*warm.CHECKS)}{os.pathsep}{env['PATH']}"}


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process is the one that is installed."""
    monkeypatch.setattr("test_ci_files.environment", installed)


def run_hook(
    folder: Path, *words: str, which: str = "bankwise-check"
) -> subprocess.CompletedProcess[str]:
    command = [*shlex.split(hook(which)["entry"]), *words]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, check=False
    )


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    for name, shift in ((CONFLICTS, 8), (CLEAN, 2)):
        body = f"\tv_lshlrev_b32_e32 v1, {shift}, v0\n\tds_read_b32 v2, v1"
        (tmp_path / name).write_text(amd_text(body), "utf-8")
    return tmp_path


def test_the_hook_names_what_pre_commit_needs_and_the_kernels_that_are_read() -> None:
    import re

    from bankwise.read.recognise import stages

    found = hook()
    assert {"id", "name", "entry", "language", "files"} <= found.keys()
    assert found["id"] == "bankwise-check"
    assert all(re.search(found["files"], f"k{s}") for s in stages() if s != ".asm")
    assert not re.search(found["files"], "k.py")


@pytest.mark.parametrize(
    ("language", "files"), [("cuda", (r"\.cuh?$", ".cu")), ("hip", (r"\.hip$", ".hip"))]
)
def test_the_hook_of_a_source_installs_what_compiles_it(
    language: str, files: tuple[str, str]
) -> None:
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = hook(f"bankwise-check-{language}")
    assert found["additional_dependencies"] == extras["optional-dependencies"][language]
    assert (found["files"], found["entry"]) == (files[0], f"{hook()['entry']} {files[1]}")


def test_the_hook_fails_where_it_is_given_no_kernel(kernels: Path) -> None:
    """Names that it does not know are no options of a check that passed."""
    (kernels / "known.json").write_text("{}", "utf-8")
    (kernels / "a.foo").write_text("", "utf-8")
    for words in (("a.foo",), ("--baseline", "known.json"), ("--concise",), ()):
        ended = run_hook(kernels, *words)
        assert ended.returncode == 2, words
        assert "no kernel to check" in ended.stderr
    assert run_hook(kernels, CLEAN, "a.foo").returncode == 2
    assert "gone.ptx is not there" in run_hook(kernels, "gone.ptx").stderr


def test_a_header_stands_for_every_kernel_that_may_include_it(kernels: Path) -> None:
    """Here kernels of assembly, which need no compiler: what git does not track is left out."""
    from bankwise.cli.hook import main

    (kernels / "tile.cuh").write_text("", "utf-8")
    ended = run_hook(kernels, "tile.cuh", which="bankwise-check-cuda")
    assert (ended.returncode, "has no .cu to check for tile.cuh" in ended.stderr) == (2, True)
    assert "no kernel" in run_hook(kernels, "tile.cuh").stderr
    for command in ("init -q", f"add {CONFLICTS}"):
        subprocess.run(["git", *command.split()], cwd=kernels, check=True)
    here = os.getcwd()
    try:
        os.chdir(kernels)
        assert [main((".s", "tile.cuh")), main((".amdgcn", "tile.cuh"))] == [1, 2]
    finally:
        os.chdir(here)


@pytest.mark.usefixtures("anew")
def test_the_hook_checks_every_file_and_passes_options_on(kernels: Path) -> None:
    both = run_hook(kernels, CONFLICTS, CLEAN)
    assert both.returncode == 1
    assert both.stdout.count(" threads, ") == 2
    assert run_hook(kernels, "--fail-on", "33-way", CONFLICTS, CLEAN).returncode == 0


def test_the_hook_fails_where_an_option_is_wrong(kernels: Path) -> None:
    ended = run_hook(kernels, "--fail-on", "many", CLEAN)
    assert ended.returncode == 2
    assert "is not N-way" in ended.stderr


def run_action(folder: Path, **inputs: str) -> tuple[int, str, Path]:
    """The action's own script, with the inputs as GitHub hands them over; its report folder."""
    (step,) = [s for s in action()["runs"]["steps"] if s.get("id") == "check"]
    defaults = {name: str(v.get("default", "")) for name, v in action()["inputs"].items()}
    given = {**defaults, **{k.replace("_", "-"): v for k, v in inputs.items()}}
    names = {key: value.strip("${} ").removeprefix("inputs.") for key, value in step["env"].items()}
    code = {key: names.pop(key) for key in ("ONE_RUN", "GONE")}
    assert set(names.values()) == set(defaults) - {"category"}
    output = folder / "github_output"
    env = {**environment(), "GITHUB_OUTPUT": str(output), **code}
    env |= {key: given[name] for key, name in names.items()}
    ended = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    said = dict(line.split("=", 1) for line in output.read_text("utf-8").splitlines())
    return ended.returncode, ended.stdout + ended.stderr, Path(said["folder"])


@pytest.mark.usefixtures("anew")
def test_the_action_checks_wildcards_and_prints_annotations(kernels: Path) -> None:
    code, text, folder = run_action(kernels, files="  conf*.s  \n\nwith space.amdgcn\n")
    assert code == 1
    assert f"::error file={CONFLICTS}" in text
    assert len(list(folder.iterdir())) == 2


def test_the_actions_target_is_for_kernels_that_name_none(kernels: Path) -> None:
    """The texts name gfx942, which is no error where the input says another."""
    assert run_action(kernels, files=CLEAN, target="gfx950")[0] == 0
    silent = (kernels / CONFLICTS).read_text("utf-8").replace(".amdgcn_target", "; ")
    (kernels / "silent.s").write_text(silent, "utf-8")
    code, text, _ = run_action(kernels, files="silent.s", target="gfx950", format="json")
    assert (code, json.loads(text)["target"]) == (1, "gfx950")


def test_the_action_writes_one_sarif_run_of_all_kernels(kernels: Path) -> None:
    """Code scanning takes one run of a tool and category from an upload."""
    again = "other.s"
    (kernels / again).write_text((kernels / CONFLICTS).read_text("utf-8"), "utf-8")
    code, text, folder = run_action(kernels, files="*.s\n*.amdgcn", format="sarif", fail_on="33")
    assert code == 0, text
    (path,) = folder.iterdir()
    assert path.suffix == ".sarif"
    assert f"sarif={path}" in (kernels / "github_output").read_text("utf-8")
    report = json.loads(path.read_text("utf-8"))
    assert report["version"] == "2.1.0"
    (run,) = report["runs"]
    physical = [r["locations"][0]["physicalLocation"] for r in run["results"]]
    assert {p["artifactLocation"]["uri"] for p in physical} == {CONFLICTS, again}


def test_the_action_uploads_a_failure_as_one(kernels: Path) -> None:
    """One file is read, one is not: alerts of the other one are not closed by silence."""
    code, _, folder = run_action(kernels, files=f"{CONFLICTS}\nmissing.s", format="sarif")
    (path,) = folder.iterdir()
    (run,) = json.loads(path.read_text("utf-8"))["runs"]
    (ran,) = run["invocations"]
    assert (code, len(run["results"]), ran["executionSuccessful"]) == (2, 1, False)
    assert "missing.s" in json.dumps(ran)


def test_the_action_uploads_nothing_where_no_file_matches(kernels: Path) -> None:
    code, _, folder = run_action(kernels, files="*.ptx", format="sarif")
    assert (code, list(folder.iterdir())) == (2, [])
    assert "sarif=" not in (kernels / "github_output").read_text("utf-8")


def test_the_action_uploads_no_conflict_that_is_known(kernels: Path) -> None:
    """Code scanning shows what SARIF calls suppressed as an open alert."""
    again = "other.s"
    (kernels / again).write_text((kernels / CONFLICTS).read_text("utf-8"), "utf-8")
    _, text, _ = run_action(kernels, files=CONFLICTS, format="json")
    (kernels / "known.json").write_text(text, "utf-8")
    asked = {"files": f"{CONFLICTS}\n{again}", "baseline": "known.json", "format": "sarif"}
    code, _, folder = run_action(kernels, **asked)
    (run,) = json.loads(next(folder.iterdir()).read_text("utf-8"))["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert (code, place, result["baselineState"]) == (1, again, "new")


def test_each_step_of_a_job_uploads_in_a_category_of_its_own() -> None:
    steps = action()["runs"]["steps"]
    upload = next(s for s in steps if "upload-sarif" in s.get("uses", ""))
    category = upload["with"]["category"]
    assert category.startswith("${{ inputs.category || (inputs.target && format(")


def test_the_action_fails_for_files_that_are_not_there(kernels: Path) -> None:
    code, text, _ = run_action(kernels, files="*.ptx")
    assert code == 2
    assert "no file matches *.ptx" in text
    assert run_action(kernels, files="missing.s")[0] == 2


def test_the_action_takes_a_baseline_of_each_thing_that_it_checks(kernels: Path) -> None:
    again = "other.s"
    (kernels / again).write_text((kernels / CONFLICTS).read_text("utf-8"), "utf-8")
    for name in (CONFLICTS, again):
        _, text, _ = run_action(kernels, files=name, format="json")
        (kernels / f"{name}.json").write_text(text, "utf-8")
    asked = {"files": f"{CONFLICTS}\n{again}"}
    one, both = f"{CONFLICTS}.json", f"  {CONFLICTS}.json \n\n{again}.json\n"
    assert run_action(kernels, **asked, baseline=one)[0] == 1
    assert run_action(kernels, **asked, baseline=both)[0] == 0


@pytest.mark.parametrize(
    ("files", "extras"),
    [
        ("kernels/**/*.mlir\nbuild/dump.cubin", "ir"),
        ("kernels/**/*.cu\nk.s", "ir,cuda"),
        ("a.cuh", "ir,cuda"),
        ("a.hip\nb.cu", "ir,cuda,hip"),
    ],
)
def test_the_action_installs_a_compiler_for_source(tmp_path: Path, files: str, extras: str) -> None:
    (step,) = [s for s in action()["runs"]["steps"] if s.get("id") == "install"]
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$@"\n', "utf-8")
    python.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "FILES": files, "GITHUB_ACTION_PATH": "HERE"}
    ended = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split()[-1] == f"HERE[{extras}]"


UNKNOWN = "unknown.ptx"
"""A kernel whose address is a value from memory: answered, not everything analysed."""


def test_of_several_files_the_worst_code_decides_2_then_1_then_3(kernels: Path) -> None:
    body = (
        "ld.param.u64 %rd1, [k_param_0];\n\tld.global.u32 %r2, [%rd1];\n\tld.shared.u32 %r3, [%r2];"
    )
    (kernels / UNKNOWN).write_text(ptx_text(body), "utf-8")
    alone = run_action(kernels, files=UNKNOWN)
    assert alone[0] == run_hook(kernels, UNKNOWN).returncode == 3
    for order in ((UNKNOWN, CONFLICTS), (CONFLICTS, UNKNOWN)):
        assert run_action(kernels, files="\n".join(order))[0] == 1
        assert run_hook(kernels, *order).returncode == 1
    assert run_action(kernels, files=f"{UNKNOWN}\nmissing.s\n{CONFLICTS}")[0] == 2
    assert run_action(kernels, files=f"{CLEAN}\n{UNKNOWN}\n{CLEAN}")[0] == 3


def test_the_action_uploads_nothing_of_what_is_open_and_known(kernels: Path) -> None:
    """Saved: one address from memory. A second one of another kernel is new, and uploaded."""
    body = "ld.param.u64 %rd1, [k_param_0];\n\tld.global.u32 %r2, [%rd1];\n\t{} %r3, [%r2];"
    asked = {"files": "*.ptx", "baseline": "known/*.json", "format": "sarif"}

    def write(name: str, load: str) -> None:
        (kernels / name).write_text(ptx_text(body.format(load)), "utf-8")

    def uploaded() -> list[dict[str, Any]]:
        code, text, folder = run_action(kernels, **asked)
        (run,) = json.loads(next(folder.iterdir()).read_text("utf-8"))["runs"]
        assert code == (3 if run["results"] else 0), text
        return list(run["results"])

    write(UNKNOWN, "ld.shared.u32")
    _, text, _ = run_action(kernels, files=UNKNOWN, format="json")
    (kernels / "known").mkdir()
    (kernels / "known" / "one.json").write_text(text, "utf-8")
    assert uploaded() == []
    write("other.ptx", "ld.shared.u32")
    uris = {json.dumps(result["locations"]) for result in uploaded()}
    assert uris
    assert all("other.ptx" in uri for uri in uris)
    assert all(result["baselineState"] == "new" for result in uploaded())


def test_the_action_fails_for_a_baseline_that_is_not_there(kernels: Path) -> None:
    for baseline, said in (("known/*.json", "no baseline matches "), ("a.json", "no such file")):
        code, text, _ = run_action(kernels, files=CLEAN, baseline=baseline)
        assert (code, said in text) == (2, True)


def test_the_action_uploads_what_it_wrote_and_takes_no_text_as_code() -> None:
    steps = action()["runs"]["steps"]
    upload = next(s for s in steps if "upload-sarif" in s.get("uses", ""))
    assert upload["with"]["sarif_file"] == "${{ steps.check.outputs.sarif }}"
    assert upload["if"] == "always() && steps.check.outputs.sarif"
    assert all("${{" not in s.get("run", "") for s in steps)


def test_the_documentation_names_every_input_and_the_hook() -> None:
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in action()["inputs"])
    assert "id: bankwise-check" in page


def test_the_pages_placeholders_are_yaml_and_can_fetch_nothing() -> None:
    """A name on GitHub has no angle brackets; a bare OWNER may be somebody's."""
    import re

    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    flow, hooks = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.DOTALL))
    steps = [s for s in flow["jobs"]["bank-conflicts"]["steps"] if "checkout" not in s["uses"]]
    assert all(set(step["with"]) <= set(action()["inputs"]) for step in steps)
    (repository,) = hooks["repos"]
    for text in (*(s["uses"] for s in steps), repository["repo"], repository["rev"]):
        assert text.startswith("<")
        assert text.endswith(">")


def written_on_the_page(language: str) -> str:
    import re

    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    return str(re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)[0])


def write_ptx(folder: Path, name: str, shift: int, end: str = "") -> Path:
    """A kernel that reads a word every ``2**shift`` bytes, without the ``end`` of its text."""
    load = f"mov.u32 %r1, %tid.x;\n\tshl.b32 %r2, %r1, {shift};\n\tld.shared.u32 %r3, [%r2];"
    path = folder / "ptx" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(ptx_text(load).removesuffix(end), "utf-8")
    return path


def run_banks(
    folder: Path, *words: str, files: str = "ptx/*.ptx", path: str = "", form: str = ""
) -> subprocess.CompletedProcess[str]:
    """The page's script, of some ``files`` in place of those that it names."""
    import re

    script = re.sub(r"(?m)^check .*\n", "", written_on_the_page("bash"))
    script = script.replace("\n}\n", f"\n}}\ncheck H200 {files}\n", 1)
    env = environment() | ({"PATH": path} if path else {})
    env |= {"BANKS_FORMAT": form} if form else {}
    command = ["bash", "-c", script, "banks.sh", *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def test_the_pages_script_saves_and_is_a_gate(repository: Path) -> None:
    """PTX, counted for the GPU of its line."""
    first, _ = write_ptx(repository, "a.ptx", 7), write_ptx(repository, "b.ptx", 2)
    assert run_banks(repository, "save").returncode == 0
    saved = repository / "known" / "H200"
    assert {one.name for one in saved.iterdir()} == {"ptx_a.ptx.json", "ptx_b.ptx.json"}
    ended = run_banks(repository)
    assert (ended.returncode, "ci/banks.sh" in ended.stderr) == (0, False)
    write_ptx(repository, "b.ptx", 7)
    assert run_banks(repository).returncode == 1
    first.rename(repository / "ptx" / "c.ptx")
    told = " ".join(run_banks(repository, files="ptx/c.ptx").stdout.split())
    assert "ptx/c.ptx has conflicts known at ptx/a.ptx, which is gone: renamed?" in told
    write_ptx(repository, "d.ptx", 2, "}\n")
    assert run_banks(repository, files="ptx/[bd].ptx").returncode == 2
    assert run_banks(repository, "save", files="ptx/[bd].ptx").returncode == 2
    assert not (saved / "ptx_d.ptx.json").exists()


def test_the_pages_script_says_what_it_newly_accepts(repository: Path) -> None:
    """32 lanes a row of 128 bytes apart are 32 passes where one is ideal: 31 extra a warp."""
    write_ptx(repository, "a.ptx", 2)
    first = run_banks(repository, "save")
    assert "ptx_a.ptx.json: the first of this GPU: all that it has is accepted:" in first.stderr
    assert "findings: none" in first.stderr
    ended = run_banks(repository)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "ci/banks.sh: files checked: 1; nothing new fails\n"
    write_ptx(repository, "a.ptx", 7)
    told = " ".join(run_banks(repository, "save").stderr.split())
    assert "new: ptx/a.ptx:" in told
    assert "32-way bank conflict: read" in told
    assert "31 extra passes" in told
    assert "ptx/a.ptx: saved, this accepts what is new: 1 conflict, 0 not" in told
    again = " ".join(run_banks(repository, "save").stderr.split())
    assert "new: ptx" not in again
    assert "this accepts what is new: 0 conflicts, 0 not" in again
    write_ptx(repository, "a.ptx", 2)
    mended = run_banks(repository)
    assert mended.returncode == 0
    assert "1 access in the baseline is here no more, save it anew: ptx/a.ptx: k" in mended.stdout


def test_the_pages_script_accepts_one_conflict_of_two(repository: Path) -> None:
    """A read and a write, each of one bank; nothing of another file is saved beside it."""
    write_ptx(repository, "b.ptx", 7)
    text = write_ptx(repository, "a.ptx", 7).read_text("utf-8")
    load = "ld.shared.u32 %r3, [%r2];"
    text = text.replace(load, f"{load}\n\tst.shared.u32 [%r2], %r1;")
    (repository / "ptx" / "a.ptx").write_text(text, "utf-8")
    read, write = (
        next(n for n, line in enumerate(text.splitlines(), 1) if word in line)
        for word in (load, "st.shared")
    )
    ended = run_banks(repository, "save", f"ptx/a.ptx:{write}")
    assert ended.returncode == 0
    assert "not accepted, stays new: 1 conflict, 0" in " ".join(ended.stderr.split())
    saved = repository / "known" / "H200"
    assert [one.name for one in saved.iterdir()] == ["ptx_a.ptx.json"]
    told = run_banks(repository, form="github", files="ptx/a.ptx")
    (error,) = (line for line in told.stdout.splitlines() if line.startswith("::error"))
    assert (told.returncode, f"line={read}," in error) == (1, True)
    assert run_banks(repository, "save", f"ptx/a.ptx:{read}").returncode == 0
    assert run_banks(repository, files="ptx/a.ptx").returncode == 0
    assert run_banks(repository, "save", "ptx/a.ptx:1").returncode == 2


def test_the_pages_script_prints_in_another_format(repository: Path) -> None:
    write_ptx(repository, "a.ptx", 7)
    ended = run_banks(repository, form="github")
    assert ended.returncode == 1
    assert any(line.startswith("::error file=ptx/a.ptx") for line in ended.stdout.splitlines())


def test_the_pages_script_keeps_a_report_of_what_does_not_read_just_then(repository: Path) -> None:
    write_ptx(repository, "a.ptx", 7)
    assert run_banks(repository, "save").returncode == 0
    (saved,) = (repository / "known" / "H200").iterdir()
    before = saved.read_text("utf-8")
    write_ptx(repository, "a.ptx", 7, "}\n")
    assert run_banks(repository, "save").returncode == 2
    assert list(saved.parent.iterdir()) == [saved]
    assert saved.read_text("utf-8") == before


def test_the_pages_script_is_not_green_where_nothing_was_checked(repository: Path) -> None:
    """No file, no bankwise, no repository; from another folder of it the files are the same."""
    write_ptx(repository, "a.ptx", 7)
    for words in ((), ("save",)):
        ended = run_banks(repository, *words, files="ptxs/*.ptx")
        assert (ended.returncode, ended.stderr) == (2, "ci/banks.sh: no file matches ptxs/*.ptx\n")
    assert not (repository / "known").exists()
    assert run_banks(repository / "ptx").returncode == 1
    assert not (repository / "ptx" / "known").exists()
    assert run_banks(repository, path="/usr/bin:/bin").returncode == 2
    shutil.rmtree(repository / ".git")
    assert run_banks(repository).returncode == 2


@pytest.mark.usefixtures("anew")
def test_the_pages_script_names_a_report_whose_source_is_gone(repository: Path) -> None:
    first, _ = write_ptx(repository, "a b.ptx", 7), write_ptx(repository, "c.ptx", 2)
    run_banks(repository, "save")
    first.unlink()
    ended = run_banks(repository)
    assert ended.returncode == 0
    (line,) = (line for line in ended.stderr.splitlines() if line.startswith("ci/banks.sh"))
    assert line.endswith("that of known/H200/ptx_a b.ptx.json: delete it if its source is gone")


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_pages_makefile_checks_every_kernel(tmp_path: Path) -> None:
    """Whatever stands in for `bankwise` is called with each file and each baseline."""
    for name in ("kernels/a.cu", "kernels/b.cu", "known/H200/a.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", "utf-8")
    (tmp_path / "Makefile").write_text(written_on_the_page("make"), "utf-8")
    said = subprocess.run(
        ["make", "--no-print-directory", "-n", "banks"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    end = "--target H200 --baseline known/H200/a.json"
    lines = said.splitlines()
    assert len(lines) == 2
    for name, line in zip("ab", lines, strict=True):
        assert line.startswith(f"said=$(bankwise check kernels/{name}.cu {end} -- ")
    (tmp_path / "kernels" / "a.cu").unlink()
    (tmp_path / "kernels" / "b.cu").unlink()
    ended = subprocess.run(
        ["make", "banks"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, "no file matches kernels/*.cu" in ended.stderr) == (2, True)


def test_the_pages_script_leaves_a_report_as_it_is_where_nothing_changed(repository: Path) -> None:
    """Beside other baselines, saved at another time, in another clone."""
    write_ptx(repository, "a.ptx", 7)
    run_banks(repository, "save")
    saved = repository / "known" / "H200" / "ptx_a.ptx.json"
    before, written = saved.read_text("utf-8"), saved.stat().st_mtime_ns
    write_ptx(repository, "b.ptx", 7)
    run_banks(repository, "save")
    assert saved.read_text("utf-8") == before
    clone = repository.parent / "clone"
    shutil.copytree(repository, clone)
    run_banks(repository, "save", files="ptx/a.ptx")
    run_banks(clone, "save", files="ptx/a.ptx")
    assert saved.stat().st_mtime_ns == written
    assert (clone / "known" / "H200" / saved.name).read_text("utf-8") == before


def answering(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """What stands in for `bankwise`."""
    program = folder / "bin" / "bankwise"
    program.parent.mkdir()
    program.write_text(f"#!/bin/bash\n{script}\n", "utf-8")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setattr("test_ci_files.environment", lambda: dict(os.environ, PATH=path))


def test_the_action_gives_the_flags_to_source_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(tmp_path, monkeypatch, 'echo "asked: $*"; echo "note: H100 is sm_90" >&2')
    for name in ("a.cu", "b.ptx", "c.cu"):
        (tmp_path / name).write_text("", "utf-8")
    _, told, _ = run_action(tmp_path, files="*.cu\n*.ptx", flags=" -Iinclude\n-DN=4 ")
    lines = [line for line in told.splitlines() if line.startswith("asked")]
    assert [line.endswith(" -- -Iinclude -DN=4") for line in lines] == [True, True, False]
    assert told.count("note: H100 is sm_90") == 1


def test_the_action_tells_a_baseline_whose_source_is_gone(kernels: Path) -> None:
    of = {"schema": "bankwise.check/1", "kernels": [], "accesses": [], "refusals": []}
    for name in ("there.s", "gone.s"):
        document = json.dumps({**of, "file": name})
        (kernels / f"{name}.json").write_text(document, "utf-8")
    (kernels / "there.s").write_text("", "utf-8")
    _, told, _ = run_action(kernels, files="free.s", baseline="*.s.json")
    notices = [line for line in told.splitlines() if "gone" in line]
    assert notices == ["::notice::bankwise: gone.s.json is of gone.s, which is gone: delete it"], (
        told
    )
