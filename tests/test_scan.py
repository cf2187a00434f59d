"""``bankwise scan``: a line a kernel, the worst first; what is broken is a line; it goes on."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import asdict, replace

from bankwise.ask import scan_open
from bankwise.ask.scan import ScanLimits, scan
from bankwise.ask.scan_case import answer
from bankwise.errors import InputError, Location
from bankwise.read.amd.dialect import AMD
from bankwise.read.binary import kernels as kernels_of_binaries
from bankwise.read.binary.container import CODE_OBJECT, BinaryMember
from bankwise.read.binary.kernels import BinaryKernel, Disassembly
from bankwise.read.launch.shapes import USUAL
from bankwise.read.options import Options
from bankwise.show.scanning import ScannedKernel, ScanReport, summary
from binary_files import host
from command import bankwise
from isa_texts import amd_text, ptx_text
from kernel_texts import ROWS

COLUMN = "\tv_lshlrev_b32_e32 v1, 7, v0\n\tds_read_b32 v2, v1"
"""64 lanes 128 bytes apart: each phase of 32 finds all its words on bank 0."""
PAIRS = "\tv_lshlrev_b32_e32 v1, 3, v0\n\tds_read_b32 v2, v1"
"""8 bytes apart: each bank of a phase is wanted by two lanes."""
ROW = "\tv_lshlrev_b32_e32 v1, 2, v0\n\tds_read_b32 v2, v1"
LOADED = ROW + "\n\tglobal_load_dword v3, v0, s[0:1]\n\tds_read_b32 v4, v3"
"""The second address is data."""
JUMPS = ROW + "\n\ts_setpc_b64 s[6:7]"
"""Nobody knows where it goes on; no access of the text lies there."""
PLAIN = "\tv_mov_b32_e32 v1, v0"


def kernel(name: str, body: str, **options: int) -> str:
    text = amd_text(body, **options)  # type: ignore[arg-type]
    return re.sub(r"(?m)^k:|(?<=amdhsa_kernel )k$|(?<=\.name:           )k$",
                  lambda found: found[0].replace("k", name), text)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six kernels, two of which are one, and files that hold none."""
    texts = {
        "row.s": kernel("row", ROW),
        "deep/pairs.s": kernel("pairs", PAIRS),
        "deep/column.s": kernel("_Z6columnILi32EEvPf", COLUMN),
        "deep/again.s": "; another comment\n" + kernel("column_again", COLUMN),
        "loaded.s": kernel("loaded", LOADED),
        "plain.s": kernel("plain", PLAIN),
        "cut.s": kernel("cut", ROW).partition(".Lfunc_end")[0],
        "notes.md": "no kernel\n",
        ".hidden/row.s": kernel("hidden", ROW),
    }
    place = tmp_path / "kernels"
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, "utf-8")
    return place


def scanned(*paths: Path, options: Options | None = None, **more: object) -> ScanReport:
    return scan(paths, options or Options(), limits=ScanLimits(workers=1), **more)  # type: ignore[arg-type]


def numbers(found: ScannedKernel) -> tuple[int, ...]:
    return found.answered, found.accesses, found.passes, found.ideal, found.low, found.wasted


def test_kernels_stand_by_wasted_passes_and_each_once(folder: Path) -> None:
    report = scanned(folder)
    phases = 2
    assert [(k.called, *numbers(k)) for k in report.kernels] == [
        ("column_again", 1, 1, phases * 32, phases, phases * 31, phases * 31),
        ("pairs", 1, 1, phases * 2, phases, phases * 1, phases * 1),
        ("loaded", 1, 2, phases, phases, 0, 0),
        ("row", 1, 1, phases, phases, 0, 0),
    ]
    assert [k.high for k in report.kernels] == [phases * 31, phases * 1, None, 0]
    assert report.kernels[0].copies == (f"{folder}/deep/column.s: _Z6columnILi32EEvPf",)
    assert report.kernels[0].where == "ds_read_b32: 32-way (line 5)"
    assert report.without == 1
    assert [Path(r.location.file).name for r in report.broken if r.location] == ["cut.s"]
    assert report.exit_code == 1


def test_what_is_open_is_told_with_its_reason(folder: Path) -> None:
    (found,) = scanned(folder / "loaded.s").kernels
    assert (found.open, found.conflict) == (1, "none")
    assert not found.accounted
    assert [one.accesses for one in found.reasons] == [1]
    assert found.reasons[0].reason == "its address depends on a value loaded from memory"


@pytest.mark.parametrize(
    ("names", "code"),
    [(["row.s"], 0), (["plain.s"], 0), (["loaded.s"], 3), (["row.s", "cut.s"], 3),
     (["deep/pairs.s", "cut.s"], 1), (["cut.s"], 2), (["notes.md"], 2), (["none.s"], 2)],
)  # fmt: skip
def test_exit_codes(folder: Path, names: list[str], code: int) -> None:
    ended = bankwise("scan", *(folder / name for name in names), "--jobs", "1")
    assert ended.code == code, ended.out + ended.err


def test_an_empty_file_costs_no_other_its_answer(folder: Path) -> None:
    """A target is for the files that name none: which those are is asked of each."""
    (folder / "empty.s").touch()
    ended = bankwise("scan", folder, "--target", "gfx942", "--jobs", "1")
    assert ended.code == 1
    out = " ".join(ended.out.split())
    assert "empty.s: the file is empty" in out
    assert re.search(r"\b4 kernels with shared memory of .*\b2 not read$", out)


def test_a_file_that_is_not_read_is_named_once_with_its_column(folder: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    path = folder / "k.mlir"
    path.write_text(ROWS, "utf-8")
    (told,) = (one for one in scanned(folder).broken if "k.mlir" in str(one))
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: kernel \w+ names no target", str(told))


def test_no_file_at_all_is_no_clean_scan(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no kernel\n", "utf-8")
    ended = bankwise("scan", tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "no file that may hold a kernel" in ended.err
    assert ".ptx" in ended.err


def test_a_path_that_is_not_there_is_told_before_the_work(folder: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        scanned(folder, folder / "none")


def test_a_scan_that_is_ended_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "scan.sqlite"

    def interrupt(ended: int, found: int) -> None:
        raise KeyboardInterrupt

    first = scan([folder], Options(), store_file=store, limits=ScanLimits(1e-9, workers=1))
    assert (first.unfinished, len(first.kernels) + first.without) == ("--time 1e-09 is over", 1)
    second = scanned(folder, store_file=store, progress=interrupt)
    assert second.unfinished == "interrupted"
    assert second.exit_code in (1, 3)
    computed: list[int] = []
    third = scanned(folder, store_file=store, progress=lambda n, _: computed.append(n))
    assert not third.unfinished
    assert third.resumed + len(computed) == 5
    assert third.resumed == 2
    again = scanned(folder, store_file=store)
    assert again.resumed == 5
    assert f"5 answers of {store}" in summary(again)
    assert again.kernels == third.kernels == scanned(folder).kernels


def test_another_launch_is_another_question(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "scan.sqlite"
    scanned(folder / "row.s", store_file=store)
    fewer = scanned(folder / "row.s", store_file=store, options=Options(workgroup_size="32,1,1"))
    assert fewer.resumed == 0
    assert [k.passes for k in fewer.kernels] == [1]


UNSIZED = """.version 8.0
.target sm_80
.address_size 64
.visible .entry unsized(.param .u32 n) {
  .reg .b32 %r<9>;
  .shared .align 4 .b8 t[131072];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, t;
  shl.b32 %r3, %r1, 7;
  add.s32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %r1;
  ld.param.u32 %r4, [n];
  mad.lo.s32 %r5, %r1, %r4, %r2;
  st.shared.u32 [%r5], %r1;
  ret;
}
"""
"""Threads lie 128 bytes apart; of what the argument decides nothing is known."""


def test_one_assumed_block_is_followed_and_what_opens_the_rest_on_request(tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(UNSIZED, "utf-8")

    def found(*words: str) -> dict[str, object]:
        ended = bankwise("scan", file, "--jobs", "1", "--format", "json", *words)
        (one,) = json.loads(ended.out)["kernels"]
        return {**one, "code": ended.code}

    plain = found()
    assert (plain["answered"], plain["accesses"], plain["openers"]) == (1, 2, [])
    assert plain["threads"] in [list(shape) for shape in USUAL[1]]
    assert (plain["conflict"], plain["code"]) == ("possible", 3), "one block is not all blocks"
    assert found("--shapes")["conflict"] == "sure", "all blocks that were tried have it"
    opened = found("--openers")
    assert opened["openers"]
    assert all(one.startswith("--arg n=") for one in opened["openers"])  # type: ignore[attr-defined]


def test_a_kernel_is_followed_for_so_many_steps(tmp_path: Path) -> None:
    file = tmp_path / "k.s"
    file.write_text(kernel("column", COLUMN), "utf-8")
    (whole,) = scanned(file, options=Options(work=1_000)).kernels
    (cut,) = scanned(file, options=Options(work=1)).kernels
    assert (whole.answered, whole.open) == (1, 0)
    assert (cut.answered, cut.open) == (0, 1)
    assert cut.reasons[0].reason.startswith("more work than 1 steps")


def test_the_summary_counts_every_kernel_once(folder: Path) -> None:
    """Of the kernels above: "column" stands twice, "plain" has no shared memory, "loaded" has
    two accesses, of which data decides one."""
    (row,) = scanned(folder).summary
    of_kernels = (row.kernels, row.touching, row.answered)
    assert of_kernels == (5, 4, 4)
    assert (row.accesses, row.counted, row.by_data) == (5, 4, 1)
    assert scanned(folder, least_extra=1).summary == (row,), "--min-extra hides, it does not forget"
    ended = bankwise("scan", folder, "--jobs", "1", "--top", "1")
    assert re.search(rf"{row.target} +5 +4 +4 +5 +4 +1", ended.out)
    shown = json.loads(bankwise("scan", folder, "--jobs", "1", "--format", "json").out)
    assert shown["summary"] == [asdict(row) | {"share": "100.0 %"}]


def test_a_lost_way_is_no_access_and_no_promise(tmp_path: Path) -> None:
    path = tmp_path / "jumps.s"
    path.write_text(kernel("jumps", JUMPS), "utf-8")
    report = scanned(path)
    (found,) = report.kernels
    assert (found.answered, found.accesses, found.high) == (1, 1, None)
    assert [(one.reason.partition(":")[0], one.accesses) for one in found.reasons] == [
        ("s_setpc_b64", 0)
    ]
    assert not found.accounted
    assert report.exit_code == 3
    assert "s_setpc_b64: where control goes" in bankwise("scan", path, "--jobs", "1").out


def test_every_format_tells_the_same_numbers(folder: Path) -> None:
    """Of five accesses four have a number, and data decides the fifth."""
    said = "4 of 5 accesses answered, data decides 1"
    for form in ("text", "html", "sarif"):
        for more in ((), ("--top", "1")):
            ended = bankwise("scan", folder, "--jobs", "1", "--format", form, *more)
            assert said in " ".join(ended.out.split()), form
    (row,) = scanned(folder).summary
    told = json.loads(bankwise("scan", folder, "--jobs", "1", "--format", "sarif").out)
    (target,) = told["runs"][0]["properties"]["targets"]
    assert target == asdict(row) | {"share": "100.0 %"}
    by_name = {k["name"]: k for k in csv.DictReader(
        io.StringIO(bankwise("scan", folder, "--jobs", "1", "--format", "csv").out))}  # fmt: skip
    assert by_name["loaded"]["by_data"] == "1"
    shown = json.loads(bankwise("scan", folder, "--jobs", "1", "--format", "json").out)
    assert {k["name"]: k["by_data"] for k in shown["kernels"]}["loaded"] == 1


def test_a_terminated_scan_tells_what_it_found(folder: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    ended = scanned(folder, progress=lambda n, _: signal.raise_signal(signal.SIGTERM))
    assert ended.unfinished == "interrupted"
    assert len(ended.kernels) + ended.without == 1
    assert sum(row.kernels for row in ended.summary) == 1
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_kernel_that_cannot_be_disassembled_does_not_cost_its_library(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine kernels of a library, two of which make the disassembler fail with all its batch."""
    monkeypatch.setattr(scan_open, "chosen_target", lambda *_: ("gfx942", ""))
    monkeypatch.setattr(scan_open, "chosen_kernels", lambda *_: tuple(map(_inside, range(9))))
    monkeypatch.setattr(kernels_of_binaries, "readings", _readings)
    options = Options("gfx942")
    cases = tuple(scan_open.of_binary(Path("lib.so"), options))
    assert [one.kernel for one in cases if not one.refused] == [
        f"k{n}" for n in (0, 1, 2, 4, 5, 6, 8)
    ]
    assert [(one.kernel, one.refused) for one in cases if one.refused] == [
        ("k3", "word 3 is no instruction"),
        ("k7", "word 7 is no instruction"),
    ]
    (seven,) = [one for one in cases if one.kernel == "k7"]
    with pytest.raises(InputError, match="word 7"):
        answer(seven)
    (found,) = answer(cases[0])
    line = kernel("k0", COLUMN).splitlines().index("\tds_read_b32 v2, v1") + 1
    assert found["worst"] == f"ds_read_b32 at 0x{16 * line:04x}: 32-way", (
        "its address in the library"
    )
    monkeypatch.setattr(scan_open, "chosen_kernels", lambda *_: (_inside(3), _inside(7)))
    with pytest.raises(InputError, match="word 3"):
        tuple(scan_open.of_binary(Path("lib.so"), options))


def test_a_library_without_code_for_a_gpu_is_none_of_a_folders_trouble(folder: Path) -> None:
    pytest.importorskip("elftools", reason="needs the extra binary")
    (folder / "libhost.so").write_bytes(host([(".text", b"\xc3")]))
    assert all("libhost" not in str(one) for one in scanned(folder).broken)
    with pytest.raises(InputError, match="no code for a GPU"):
        scanned(folder / "libhost.so")


def _inside(number: int) -> BinaryKernel:
    member = BinaryMember("lib.so", ("gfx942",), CODE_OBJECT, "gfx942", 0, lambda: None)  # type: ignore[arg-type,return-value]
    return BinaryKernel(f"k{number}", "gfx942", member, 0, "")


def _readings(kernels: Iterable[BinaryKernel]) -> Iterator[Disassembly]:
    for one in kernels:
        if one.name in ("k3", "k7"):
            raise InputError(f"word {one.name[1:]} is no instruction", location=one.place())
        (code,) = AMD.kernels(kernel(one.name, COLUMN), "lib.so", "")
        dialect = replace(AMD, address=lambda op: 16 * op.line)
        yield Disassembly(one, dialect, code, lambda op: Location("lib.so"), str)


def test_no_store_is_taken_for_one(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_text("no database, but long enough to be read as a header\n" * 9)
    ended = bankwise("scan", folder, "--jobs", "1", "--store", tmp_path / "x.sqlite")
    assert ended.code == 2
    assert "a file that `bankwise scan` made" in ended.err


def test_globs_and_least_waste_choose(folder: Path) -> None:
    chosen = scanned(folder, options=Options(kernel="column*"))
    assert [k.called for k in chosen.kernels] == ["column_again"]
    assert len(chosen.kernels[0].copies) == 1, "the mangled name is meant, too"
    assert [k.called for k in scanned(folder, least_extra=3).kernels] == ["column_again", "loaded"]
    assert scanned(folder, least_extra=3).hidden == 2


def test_every_format_says_the_same(folder: Path) -> None:
    words = ("scan", folder, "--jobs", "1", "--format")
    document = json.loads(bankwise(*words, "json").out)
    names = [k["name"] for k in document["kernels"]]
    rows = list(csv.DictReader(io.StringIO(bankwise(*words, "csv").out)))
    assert [row["name"] for row in rows] == names
    assert [int(row["wasted"]) for row in rows] == [k["wasted"] for k in document["kernels"]]
    results = json.loads(bankwise(*words, "sarif").out)["runs"][0]["results"]
    found = [r["properties"]["kernel"] for r in results if r["ruleId"] == "bank-conflict"]
    assert found == names[:2]
    notices = bankwise(*words, "github").out.splitlines()
    assert sum(line.startswith("::warning file=") for line in notices) == 2
    page = bankwise(*words, "html").out
    assert page.index("column_again") < page.index("pairs") < page.index("loaded")
    assert page.count("<script") == 1, "the one that sorts and filters the rows"
    assert "http" not in page.partition("<tbody>")[2].replace("http-equiv", "")


def test_top_shortens_the_list_and_says_so(folder: Path) -> None:
    text = bankwise("scan", folder, "--jobs", "1", "--top", "1").out
    assert "column_again" in text
    assert "pairs" not in text
    assert "and 3 more kernels" in text
    assert "4 kernels with shared memory" in text


def test_a_name_is_no_markup(tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    path.write_text(kernel("k_bold_", PAIRS).replace("k_bold_", '"[bold]<b>"'), "utf-8")
    words = ("scan", path, "--jobs", "1")
    assert "[bold]<b>" in bankwise(*words).out
    assert "<b>" not in bankwise(*words, "--format", "html").out.partition("<tbody>")[2]


def test_ttgir_and_mlir_are_read_by_their_own_verb() -> None:
    path = Path(__file__).parent / "data" / "isa" / "triton_transpose.gfx942.ttgir"
    (found,) = scanned(path).kernels
    checked = json.loads(bankwise("check", path, "--format", "json").out)
    assert found.passes - found.ideal == checked["totals"]["run"]["extra"]


def test_several_processes_give_the_same_report(folder: Path) -> None:
    many = scan([folder], Options(), limits=ScanLimits(workers=2))
    assert many.kernels == scanned(folder).kernels
    assert (many.without, many.broken) == (scanned(folder).without, scanned(folder).broken)


def test_a_dask_cluster_gives_the_same_report(folder: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra [dask]")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as on:
        address = on.scheduler_address.replace("tcp://", "dask://")
        report = scan([folder], Options(), limits=ScanLimits(engine=address, workers=1))
    assert report.kernels == scanned(folder).kernels


def test_of_several_files_each_is_scanned_for_the_gpu_it_names(folder: Path) -> None:
    asked = Options(target="gfx950")
    files = folder / "row.s", folder / "deep" / "pairs.s"
    for paths in (files, (folder / "deep",)):
        assert {k.target for k in scanned(*paths, options=asked).kernels} == {"gfx942"}
    with pytest.raises(InputError, match="is for gfx942, not for gfx950"):
        scanned(files[0], options=asked)


@pytest.mark.parametrize("many", [False, True])
def test_a_kernel_that_no_file_has_is_refused(many: bool) -> None:
    tiles = Path(__file__).parent / "data" / "profile" / "tiles.ptx"
    sass = tiles.parents[1] / "sass" / "tiles.sass"
    done = bankwise("scan", *[str(tiles), str(sass)][: 1 + many], "--kernel", "nobody")
    assert done.code == 2
    assert "no kernel 'nobody' in " in done.err
    assert ("wide, fragments" in done.err) != many


def test_a_script_that_scans_without_a_guard_runs_once(tmp_path: Path) -> None:
    for at in (0, 4):
        text = ptx_text(f"\tst.shared.b32 [%r1+{at}], %r1;")
        (tmp_path / f"{at}.ptx").write_text(text)
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\n"
        "from bankwise.ask.scan import scan\n"
        "from bankwise.read.options import Options\n"
        f"print('runs', len(scan([Path({str(tmp_path)!r})], Options()).kernels))\n"
    )
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert ended.stdout == "runs 2\n", ended.stderr
