"""A saved check knows its own files' conflicts, and nobody else's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import Ended, bankwise
from isa_texts import amd_text, ptx_text

KNOWN = "a.ptx"
SHIFTS = {"conflict": 7, "milder": 4, "clean": 2}
"""Lane i reads a word at i << shift bytes: all of bank 0, four of a bank, or each of its own."""


def write(path: Path, kind: str) -> Path:
    body = f"mov.u32 %r1, %tid.x;\n\tshl.b32 %r2, %r1, {SHIFTS[kind]};\n\tld.shared.u32 %r3, [%r2];"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(ptx_text(body), "utf-8")
    return path


def save(asked: Path | str, known: Path) -> Path:
    known.write_text(bankwise("check", asked, "--format", "json").out, "utf-8")
    return known


def unfolded(text: str) -> str:
    """Without the ends of lines, which depend on how long a path is."""
    return " ".join(text.split())


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A saved check of one file with one conflict, in the working folder."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / KNOWN, "conflict")
    return save(KNOWN, tmp_path / "known.json")


def test_a_conflict_of_another_file_is_new(known: Path) -> None:
    write(Path("b.ptx"), "conflict")
    assert bankwise("check", KNOWN, "--baseline", known).code == 0
    ended = bankwise("check", "b.ptx", "--baseline", known)
    assert ended.code == 1
    assert "0 conflicts known by the baseline" in ended.out
    write(Path("sub") / KNOWN, "conflict")
    assert bankwise("check", f"sub/{KNOWN}", "--baseline", known).code == 1
    assert bankwise("check", f"./sub/../{KNOWN}", "--baseline", known).code == 0
    write(Path("c.ptx"), "clean")
    assert "baseline" not in bankwise("check", "c.ptx", "--baseline", known).out


def test_a_conflict_that_costs_less_is_known_and_one_that_costs_more_is_new(known: Path) -> None:
    write(Path(KNOWN), "milder")
    ended = bankwise("check", KNOWN, "--baseline", known)
    assert (ended.code, "no more" in ended.out) == (0, False), ended.out
    saved = save(KNOWN, known.with_name("milder.json"))
    write(Path(KNOWN), "conflict")
    assert bankwise("check", KNOWN, "--baseline", saved).code == 1


def test_a_repository_is_known_from_the_folder_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "src"
    file = write(top / "kernels" / KNOWN, "conflict")
    (top / ".git").mkdir()
    monkeypatch.chdir(top)
    save(f"kernels/{KNOWN}", top / "known.json")
    for here in (tmp_path, tmp_path.parent):
        monkeypatch.chdir(here)
        for asked in (file, file.relative_to(here)):
            assert bankwise("check", asked, "--baseline", top / "known.json").code == 0


@pytest.mark.parametrize("repository", [False, True])
def test_a_file_is_the_same_from_whichever_folder_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: bool
) -> None:
    """Saved in its folder or above it, by a relative or an absolute path; of a repository also in
    another clone."""
    sub, other = tmp_path / "one/sub", tmp_path / "two/sub"
    for folder in (sub, other):
        write(folder / KNOWN, "conflict")
        if repository:
            (folder.parent / ".git").mkdir()
    saved = []
    for here, asked in ((sub, KNOWN), (sub.parent, f"sub/{KNOWN}"), (other, sub / KNOWN)):
        monkeypatch.chdir(here)
        saved.append(save(asked, tmp_path / f"{len(saved)}.json"))
    top = "" if repository else f"{tmp_path}/one/"
    assert json.loads(saved[0].read_text("utf-8"))["folder"] == f"{top}sub"
    for known in saved:
        for here, name in (
            (sub, KNOWN),
            (sub.parent, f"sub/{KNOWN}"),
            (other, f"../../one/sub/{KNOWN}"),
        ):
            monkeypatch.chdir(here)
            for asked in (name, sub / KNOWN):
                assert bankwise("check", asked, "--baseline", known).code == 0, (known, asked)
    monkeypatch.chdir(other.parent)
    assert (bankwise("check", f"sub/{KNOWN}", "--baseline", saved[0]).code == 0) or not repository


def test_neighbours_of_one_name_do_not_change_what_is_known(known: Path) -> None:
    for kind, code in (("clean", 0), ("conflict", 1)):
        write(Path("b.ptx"), kind)
        ended = bankwise("check", ".", "--baseline", known)
        assert ended.code == code, kind
        assert f"1 conflict known by the baseline {known}: {KNOWN}:" in unfolded(ended.out)
    save(".", known)
    assert bankwise("check", KNOWN, "--baseline", known).code == 0
    assert bankwise("check", ".", "--baseline", known).code == 0
    Path("b.ptx").unlink()
    assert bankwise("check", ".", "--baseline", known).code == 0


def test_another_checkout_is_held_against_the_same_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for top in ("one", "two"):
        write(tmp_path / top / "kernels" / KNOWN, "conflict")
    monkeypatch.chdir(tmp_path)
    two = tmp_path / "two" / "kernels"
    for asked in (tmp_path / "one" / "kernels", "one/kernels", tmp_path / "one"):
        saved = save(asked, tmp_path / "known.json")
        above = asked == tmp_path / "one"
        assert bankwise("check", "two" if above else two, "--baseline", saved).code == 0
    monkeypatch.chdir(tmp_path / "two")
    assert bankwise("check", f"kernels/{KNOWN}", "--baseline", saved).code == 0
    write(two / "more" / KNOWN, "conflict")
    assert bankwise("check", ".", "--baseline", saved).code == 1


def test_a_moved_copy_is_not_known_for_the_one_that_was_mended(known: Path) -> None:
    save(".", known)
    write(Path("sub") / KNOWN, "conflict")
    write(Path(KNOWN), "clean")
    ended = bankwise("check", ".", "--baseline", known)
    assert ended.code == 1
    assert "1 access in the baseline is here no more" in ended.out
    assert f"{KNOWN}: k" in ended.out


def test_a_baseline_that_was_saved_of_a_folder_has_names_that_only_it_made(known: Path) -> None:
    write(Path("b.ptx"), "clean")
    save(".", known)
    names = {kernel["name"] for kernel in json.loads(known.read_text("utf-8"))["kernels"]}
    assert any(name.endswith(f"[{KNOWN}]") for name in names)
    assert bankwise("check", KNOWN, "--baseline", known).code == 0


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"schema": "bankwise.check/1"}',
        '{"schema": "bankwise.check/1", "kernels": [3], "accesses": [], "file": ""}',
        '{"schema": "bankwise.check/1", "kernels": [], "accesses": [{"run": 3}], "file": ""}',
        '{"schema": "bankwise.check/1", "kernels": [], "accesses": [], "refusals": [], "file": "",'
        ' "diagnostics": [{"accesses": [7], "expression": "x", "location": {"column": 1}}]}',
    ],
)
def test_what_is_no_saved_check_is_refused_with_the_way_on(known: Path, text: str) -> None:
    known.write_text(text, "utf-8")
    ended = bankwise("check", KNOWN, "--baseline", known)
    assert (ended.code, ended.out) == (2, "")
    assert "known.json" in ended.err


def test_every_format_says_which_conflicts_are_known_and_what_is_stale(known: Path) -> None:
    write(Path("b.ptx"), "conflict")
    asked = ("check", ".", "--baseline", known)
    document = json.loads(bankwise(*asked, "--format", "json").out)
    held = document["baseline"]
    (place,) = held["known"]
    assert document["accesses"][place]["location"]["file"] == KNOWN
    assert (held["asked"], held["stale"]) == (KNOWN, 0)
    lines = bankwise(*asked, "--concise").out.splitlines()
    assert [line for line in lines if line.endswith("); known by the baseline")] == [
        line for line in lines if line.startswith(f"{KNOWN}:")
    ]
    (run,) = json.loads(bankwise(*asked, "--format", "sarif").out)["runs"]
    states = {
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: (
            r["baselineState"],
            "suppressions" in r,
        )
        for r in run["results"]
    }
    assert states == {KNOWN: ("unchanged", True), "b.ptx": ("new", False)}
    notes = bankwise(*asked, "--format", "github").out.splitlines()
    assert [n.split(",")[0] for n in notes if n.startswith("::error")] == ["::error file=b.ptx"]
    assert "k [b.ptx]: " in notes[0]
    assert "extra passes a workgroup" in notes[0]
    write(Path(KNOWN), "clean")
    (run,) = json.loads(bankwise(*asked, "--format", "sarif").out)["runs"]
    told = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert any("1 access in the baseline is here no more" in text for text in told)


def test_what_is_new_stands_apart_from_what_is_known(known: Path) -> None:
    """A second read of the same form: its own line, and its own number."""
    text = Path(KNOWN).read_text("utf-8")
    load = "ld.shared.u32 %r3, [%r2];"
    line = text[: text.index(load)].count("\n") + 1
    Path(KNOWN).write_text(text.replace(load, f"{load}\n// another\n\t{load}"), "utf-8")
    asked = ("check", KNOWN, "--baseline", known)
    lines = bankwise(*asked, "--concise").out.splitlines()
    assert lines[0].startswith(f"{KNOWN}:{line + 2}:")
    assert lines[1].startswith(f"{KNOWN}:{line}:")
    assert ["accesses" in one for one in lines[:2]] == [False, False]
    assert [one.endswith("; known by the baseline") for one in lines[:2]] == [False, True]
    told = bankwise(*asked).out
    first, second = (told.index(f"{KNOWN}:{line + n}:") for n in (2, 0))
    assert first < second < told.index("= note: known by the baseline")
    (error,) = (n for n in bankwise(*asked, "--format", "github").out.splitlines() if "::err" in n)
    assert f",line={line + 2}," in error


def test_without_a_baseline_nothing_is_said_of_one(known: Path) -> None:
    assert "baseline" not in json.loads(bankwise("check", KNOWN, "--format", "json").out)
    (run,) = json.loads(bankwise("check", KNOWN, "--format", "sarif").out)["runs"]
    assert "invocations" not in run
    assert not any("baselineState" in result for result in run["results"])
    assert "known by" not in bankwise("check", KNOWN).out


def test_a_folder_is_counted_as_it_is_emitted(tmp_path: Path) -> None:
    """Machine code is; PTX is where there is an assembler, and else nothing is said of it."""
    write(tmp_path / "a.ptx", "conflict")
    code = "\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1"
    (tmp_path / "b.s").write_text(amd_text(code), "utf-8")
    ended = bankwise("check", tmp_path, "--isa", "--format", "json")
    assert ended.code == 1
    document = json.loads(ended.out)
    emitted = [k for k in document["kernels"] if k["location"]["file"].endswith(".ptx")]
    assert all(kernel["compiled"] for kernel in emitted)
    assert bool(emitted) != any("a.ptx" in str(r) for r in document["refusals"])
    assert len(document["kernels"]) == 1 + len(emitted)


def test_known_lines_are_told_as_ranges_and_not_all_of_them(tmp_path: Path) -> None:
    """Twenty conflicts on every other line: eight places are named, the rest is dots."""
    load = "ld.shared.u32 %r3, [%r2];"
    shift = "mov.u32 %r1, %tid.x;\n\tshl.b32 %r2, %r1, 7;\n\t"
    for text, told in ((f"{load}\n\t" * 20, 1), (f"{load}\n\n\t" * 20, 9)):
        (tmp_path / "k.ptx").write_text(ptx_text(shift + text), "utf-8")
        known = save(tmp_path / "k.ptx", tmp_path / "known.json")
        ended = bankwise("check", tmp_path / "k.ptx", "--baseline", known)
        said = unfolded(ended.out).partition(
            f"1 conflict (20 accesses) known by the baseline {known}: "
        )[2]
        lines = said.split()[0].rpartition(":")[2].split(",")
        assert len(lines) == told
        assert (lines[-1] == "..") == (told == 9)


OPEN = "open.ptx"
"""One access at an address from memory (not analysed), one with a conflict."""


def write_open() -> None:
    body = (
        "ld.param.u64 %rd1, [k_param_0];\n\tld.global.u32 %r2, [%rd1];\n\tld.shared.u32 %r3, [%r2];"
        "\n\tmov.u32 %r1, %tid.x;\n\tshl.b32 %r4, %r1, 7;\n\tld.shared.u32 %r5, [%r4];"
    )
    Path(OPEN).write_text(ptx_text(body), "utf-8")


def test_what_the_saved_check_could_not_analyse_does_not_keep_a_build_at_3(known: Path) -> None:
    write_open()
    assert bankwise("check", OPEN, "--format", "json").code == 1
    save(OPEN, known)
    ended = bankwise("check", OPEN, "--baseline", known)
    assert ended.code == 0
    assert "1 not analysed or assumed, known by the baseline" in ended.out
    moved = Path(OPEN).read_text("utf-8")
    Path(OPEN).write_text(f"// a line\n{moved}", "utf-8")
    assert bankwise("check", OPEN, "--baseline", known).code == 0
    again = "ld.shared.u32 %r3, [%r2];"
    Path(OPEN).write_text(moved.replace(again, f"{again}\n\t{again}"), "utf-8")
    ended = bankwise("check", OPEN, "--baseline", known)
    assert ended.code == 3
    told = unfolded(ended.out).partition(f"1 not analysed or assumed, new: {OPEN}: ")[2]
    assert told.startswith("ld.shared.u32:")
    assert "*" not in told
    annotated = bankwise("check", OPEN, "--baseline", known, "--format", "github").out
    assert f"{OPEN}: exit code 3: nothing wrong is found" in annotated
    Path("other.ptx").write_text(moved, "utf-8")
    assert bankwise("check", "other.ptx", "--baseline", known, "--fail-on", "64").code == 3


TWO = """mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 7;
	ld.shared.u32 %r3, [%r2];
	st.shared.u32 [%r2], %r1;"""


def line_of(file: str, text: str) -> int:
    lines = Path(file).read_text("utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


def accepting(*words: str) -> Ended:
    return bankwise("check", "two.ptx", "--format", "json", *words)


def test_of_two_new_conflicts_one_is_accepted_by_itself(known: Path) -> None:
    """And then the other, beside what is known; at no place with nothing new, into no text."""
    Path("two.ptx").write_text(ptx_text(TWO), "utf-8")
    read, write = line_of("two.ptx", "ld.sh"), line_of("two.ptx", "st.sh")
    ended = accepting("--accept", f"{write}")
    said = unfolded(ended.err)
    assert f"new: two.ptx:{write}: 32-way bank conflict: write" in said
    assert f"two.ptx:{read}:" not in said
    assert "not accepted, stays new: 1 conflict, 0 not analysed or assumed" in said
    known.write_text(ended.out, "utf-8")
    gated = bankwise("check", "two.ptx", "--baseline", known, "--format", "github")
    (error,) = (line for line in gated.out.splitlines() if line.startswith("::error"))
    assert (gated.code, f",line={read}," in error, "also" in error) == (1, True, False)
    for bad in (f"{write}", "other.ptx:3", "two.ptx"):
        refused = accepting("--baseline", str(known), "--accept", bad)
        assert (refused.code, refused.out) == (2, "")
        assert f"--accept {bad}: nothing is new there" in unfolded(refused.err)
        assert f"new: two.ptx:{read}" in unfolded(refused.err)
    known.write_text(
        accepting("--baseline", str(known), "--accept", f"two.ptx:{read}").out, "utf-8"
    )
    assert bankwise("check", "two.ptx", "--baseline", known).code == 0
    refused = bankwise("check", "two.ptx", "--accept", f"{read}")
    assert (refused.code, "--format json" in refused.err) == (2, True)


def test_a_known_conflict_that_grew_stays_known_at_its_old_size_where_another_is_accepted(
    known: Path,
) -> None:
    """32 lanes 16 bytes apart: 4 words of a bank, 3 extra passes; 128 bytes apart 31. The write
    alone is accepted; the read is new, told with what it was, and known again where it is 3."""
    mild = TWO.replace("st.shared.u32 [%r2], %r1;", "").replace("%r1, 7", "%r1, 4")
    Path("two.ptx").write_text(ptx_text(mild), "utf-8")
    save("two.ptx", known)
    Path("two.ptx").write_text(ptx_text(TWO), "utf-8")
    read, write = line_of("two.ptx", "ld.sh"), line_of("two.ptx", "st.sh")
    saved = accepting("--baseline", str(known), "--accept", f"{write}").out
    document = json.loads(saved)
    ((grown),) = document["not_accepted"]["grown"]
    assert document["accesses"][grown["access"]]["direction"] == "read"
    assert grown["extra"] == 3
    known.write_text(saved, "utf-8")
    gated = bankwise("check", "two.ptx", "--baseline", known, "--format", "github")
    (error,) = (line for line in gated.out.splitlines() if line.startswith("::error"))
    assert (gated.code, f",line={read}," in error) == (1, True)
    assert "the baseline has 3 extra passes, now 31" in error
    Path("two.ptx").write_text(ptx_text(mild), "utf-8")
    assert bankwise("check", "two.ptx", "--baseline", known).code == 0


def test_what_is_not_analysed_is_accepted_by_its_line_and_the_way_to_that_is_told(
    known: Path,
) -> None:
    """An access at an address from memory, and a conflict: each by itself."""
    write_open()
    unknown, conflict = line_of(OPEN, "[%r2]"), line_of(OPEN, "[%r4]")
    for line, code, left in ((unknown, 1, "1 conflict, 0"), (conflict, 3, "0 conflicts, 1")):
        ended = bankwise("check", OPEN, "--accept", f"{line}", "--format", "json")
        assert f"not accepted, stays new: {left} not analysed" in unfolded(ended.err)
        known.write_text(ended.out, "utf-8")
        gated = bankwise("check", OPEN, "--baseline", known)
        assert gated.code == code
        way_on = "(by the same command with --format json) and given as --baseline"
        assert (way_on in unfolded(gated.out)) == (code == 3)


LOOP = """ld.param.u32 %r9, [k_param_1];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 7;
	mov.u32 %r4, 0;
$L1:
	ld.shared.u32 %r3, [%r2];
	add.s32 %r4, %r4, 1;
	setp.lt.u32 %p1, %r4, %r9;
	@%p1 bra $L1;"""
"""A conflict in a loop whose rounds an argument decides."""


def test_what_would_answer_a_known_open_end_is_no_notice_again(known: Path) -> None:
    asked = ("check", "loop.ptx", "-t", "sm_90")
    Path("loop.ptx").write_text(ptx_text(LOOP), "utf-8")
    plain = bankwise(*asked, "--format", "github").out
    assert "::notice" in plain
    assert "--arg k_param_1=" in plain
    known.write_text(bankwise(*asked, "--format", "json").out, "utf-8")
    again = LOOP.replace("$L1:", "st.shared.u32 [%r2], %r1;\n$L1:")
    Path("loop.ptx").write_text(ptx_text(again), "utf-8")
    ended = bankwise(*asked, "--baseline", known, "--format", "github")
    assert ended.code == 1
    assert "::error" in ended.out
    assert "--arg k_param_1=" not in ended.out


def test_an_empty_baseline_is_answered_with_the_command_that_saves_it(known: Path) -> None:
    known.write_text("", "utf-8")
    ended = bankwise("check", KNOWN, "--default-target", "sm_90", "--baseline", known)
    assert ended.code == 2
    told = "".join(ended.err.split())
    assert f"bankwisecheck{KNOWN}--targetsm_90--formatjson>{known}" in told
    several = ("--baseline", known, "--baseline", known)
    told = "".join(bankwise("check", KNOWN, "-t", "sm_90", *several).err.split())
    assert f"ofitsownFILE:bankwisecheckFILE--targetsm_90--formatjson>{known}" in told


def test_a_rule_that_nobody_knows_is_known_by_the_baseline_too(known: Path) -> None:
    adds = "\tv_lshlrev_b32_e32 v1, 2, v0\n\tds_add_u32 v1, v0"
    Path("a.s").write_text(amd_text(adds), "utf-8")
    assert bankwise("check", "a.s").code == 3
    assert bankwise("check", "a.s", "--baseline", known).code == 3
    save("a.s", known)
    assert bankwise("check", "a.s", "--baseline", known).code == 0
    Path("a.s").write_text(amd_text(f"{adds}\n\tds_max_u32 v1, v0"), "utf-8")
    ended = bankwise("check", "a.s", "--baseline", known)
    assert ended.code == 3
    assert "ds_max_u32" in unfolded(ended.out).partition("assumed, new: ")[2]


def test_several_saved_checks_are_one_baseline(known: Path) -> None:
    """What a folder and a file named beside it have is known by the two together."""
    write(Path("sub/b.ptx"), "conflict")
    other = save("sub", Path("other.json"))
    both = ("--baseline", known, "--baseline", other)
    for asked in (KNOWN, "sub", "sub/b.ptx"):
        for order in (both, (*both[2:], *both[:2])):
            assert bankwise("check", asked, *order).code == 0, asked
    assert bankwise("check", KNOWN, "--baseline", other).code == 1
    held = json.loads(bankwise("check", KNOWN, *both, "--format", "json").out)["baseline"]
    assert (held["saved"], held["asked"]) == (f"{known}, {other}", f"{KNOWN}, sub")
    twice = ("--baseline", known, "--baseline", known)
    text = Path(KNOWN).read_text("utf-8")
    load = "ld.shared.u32 %r3, [%r2];"
    Path(KNOWN).write_text(text.replace(load, f"{load}\n\t{load}"), "utf-8")
    assert bankwise("check", KNOWN, *twice).code == 1


def test_a_deleted_files_conflicts_are_told_as_gone(known: Path) -> None:
    for name in ("b.ptx", "c.ptx", "more/d.ptx"):
        write(Path("sub") / name, "conflict")
    save("sub", known)
    Path("sub/b.ptx").unlink()
    told = "1 access in the baseline is here no more, save it anew: sub/b.ptx: k"
    ended = bankwise("check", "sub", "--baseline", known)
    assert ended.code == 0
    assert told in unfolded(ended.out)
    assert told in unfolded(bankwise("check", ".", "--baseline", known).out)
    for other in ("sub/c.ptx", "sub/more"):
        assert "no more" not in bankwise("check", other, "--baseline", known).out


def test_a_baseline_of_another_gpu_knows_nothing_and_says_so(known: Path) -> None:
    """Saved for the GPU that the file names, sm_80; each GPU has a baseline of its own."""
    (target,) = {k["target"] for k in json.loads(known.read_text("utf-8"))["kernels"]}
    assert target != "sm_100"
    said = f"the baseline of {KNOWN} is for {target}, this is sm_100: nothing of it is known"
    for form in ("--concise", "--format github", "--format sarif"):
        ended = bankwise("check", KNOWN, "-t", "sm_100", "--baseline", known, *form.split())
        assert ended.code == 1
        assert said in unfolded(ended.out)
    other = known.with_name("other.json")
    saved = bankwise("check", KNOWN, "-t", "sm_100", "--format", "json").out
    other.write_text(saved, "utf-8")
    both = ("--baseline", known, "--baseline", other)
    for gpu, mine in ((target, known), ("sm_100", other)):
        ended = bankwise("check", KNOWN, "-t", gpu, *both)
        assert ended.code == 0
        assert f"1 conflict known by the baseline {mine}: {KNOWN}:" in unfolded(ended.out)


def test_a_clean_file_is_no_question_of_the_baselines_gpu(known: Path) -> None:
    write(Path(KNOWN), "clean")
    ended = bankwise("check", KNOWN, "-t", "sm_100", "--baseline", known)
    assert (ended.code, "baseline" in ended.out) == (0, False)


def test_a_clean_gate_writes_no_annotation(known: Path) -> None:
    ended = bankwise("check", KNOWN, "--baseline", known, "--format", "github")
    assert (ended.code, "::" in ended.out) == (0, False)
    assert f"1 conflict known by the baseline {known}: {KNOWN}:" in ended.out


def test_what_is_said_of_a_folder_stands_at_no_file(known: Path) -> None:
    """The saved check in it is left out."""
    ended = bankwise("check", ".", "--baseline", known, "--format", "github")
    told = [line for line in ended.out.splitlines() if line.startswith("::")]
    assert told[0].startswith("::notice title=bankwise::left out")
    assert len(told) == 1


@pytest.mark.usefixtures("known")
def test_a_baseline_that_is_not_there_is_answered_with_the_command_that_saves_it() -> None:
    ended = bankwise("check", "a.s", "--baseline", "missing/b.json")
    assert ended.code == 2
    assert "no such file" in ended.err
    assert "save it: bankwise check a.s --format json > missing/b.json" in ended.err
