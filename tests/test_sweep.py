"""The sweep: what is declared, what is kept when it is killed, local processes and a cluster."""

from __future__ import annotations

import csv
import io
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template

import pytest

from bankwise.ask.sweep import check_outputs, export, sweep
from bankwise.ask.sweep_case import MITIGATIONS, run_case
from bankwise.errors import InputError
from bankwise.show.sweeping import SweepReport
from bankwise.sweep.engine import run
from bankwise.sweep.spec import COLUMNS, Case, read_spec
from bankwise.sweep.store import CaseResult, missing, open_store, outcomes, record
from bankwise.sweep.table import csv_text, rows, saved, summaries
from kernel_texts import EXAMPLES, ROOT
from sweep_work import product, troubled

SPEC = """\
name = "small"
[[kernel]]
name = "k"
file = "k.mlir"
targets = ["gfx942"]
types = ["f16"]
mitigations = ["iree"]
shapes = [{ a = 7, b = 1 }]
[[kernel.grid]]
a = [1, 2, 3, 4, 5]
b = [1, 2]
"""

KERNEL = SPEC[SPEC.index("[[kernel]]") : SPEC.index("[[kernel.grid]]")]


@pytest.fixture
def spec_file(tmp_path: Path) -> Path:
    (tmp_path / "k.mlir").write_text("// ${a} x ${b} x ${type}\n", "utf-8")
    path = tmp_path / "small.toml"
    path.write_text(SPEC, "utf-8")
    return path


def test_shapes_and_grids_are_all_combined(spec_file: Path) -> None:
    cases = read_spec(spec_file, MITIGATIONS).cases
    assert len(cases) == 1 + 5 * 2
    assert str(cases[0]) == "k 7x1 f16 gfx942 iree"
    assert cases[0].text == "// 7 x 1 x f16\n"
    assert len({case.key for case in cases}) == len(cases)


def test_the_default_is_a_case_beside_whatever_is_asked_for(spec_file: Path) -> None:
    spec_file.write_text(SPEC.replace('"iree"', '"none"'), "utf-8")
    cases = read_spec(spec_file, MITIGATIONS).cases
    assert [case.mitigation for case in cases[:2]] == ["none", "iree"]
    assert [case.asked for case in cases[:2]] == [True, False]
    assert len(cases) == 2 * (1 + 5 * 2)


def test_a_changed_kernel_makes_new_cases(spec_file: Path) -> None:
    before = read_spec(spec_file, MITIGATIONS).cases
    (spec_file.parent / "k.mlir").write_text("// ${a} times ${b}\n", "utf-8")
    after = read_spec(spec_file, MITIGATIONS).cases
    assert not {case.key for case in before} & {case.key for case in after}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "small"', 'name = "small', "is no TOML"),
        ('"k.mlir"', '"other.mlir"', "kernel file 'other.mlir' cannot be read"),
        ('"iree"', '"magic"', "unknown mitigation 'magic'"),
        ('"gfx942"', '"gfx1"', "unknown target 'gfx1'"),
        ("a = 7, b = 1", "a = 7", "the kernel asks for 'b'"),
        ("a = 7, b = 1", "a = 7, b = 0", "is no shape"),
        ("types", "kinds", "unknown key 'kinds'"),
        ('types = ["f16"]\n', "", "`types` must be a list"),
        ("[[kernel]]", "[[kernels]]", "unknown key 'kernels'"),
        ("[[kernel]]", "[[tile]]", "unknown key 'mitigations'"),
        (KERNEL, "", "it declares no [[kernel]] and no [[tile]]"),
        (KERNEL, "kernel = 3", "`kernel` is no list of tables"),
        ('file = "k.mlir"', "file = 3", "`file` is no text: 3"),
        ("shapes = [{ a = 7, b = 1 }]", "shapes = 3", "3 is no list of shapes"),
        ("shapes = [{ a = 7, b = 1 }]", "grid = [{ a = 7 }]", "is no grid of lists"),
        ("shapes = [{ a = 7, b = 1 }]", "grid = [{ a = [] }]", "has neither `shapes` nor"),
    ],
)
def test_a_bad_spec_is_told_with_the_value(
    spec_file: Path, old: str, new: str, message: str
) -> None:
    text = SPEC.replace("[[kernel.grid]]\na = [1, 2, 3, 4, 5]\nb = [1, 2]\n", "")
    spec_file.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(InputError) as raised:
        read_spec(spec_file, MITIGATIONS)
    assert message in str(raised.value)


def test_a_failed_case_is_kept_with_its_error_and_the_others_go_on(spec_file: Path) -> None:
    report = sweep(spec_file, work=troubled, workers=2)
    failed = {dict(o.case.shape)["a"]: o.error for o in report.failed}
    assert failed.keys() == {1, 2, 3}
    assert failed[1] == "a is one\n  hint: not one"
    assert failed[2] == "ZeroDivisionError: a is two"
    assert "worker process died" in failed[3]
    assert len(report.outcomes) - len(report.failed) == 5
    assert report.exit_code == 2


def test_a_second_run_computes_nothing_and_failed_ones_only_when_asked(spec_file: Path) -> None:
    first = sweep(spec_file, work=troubled, workers=2)
    ended: list[int] = []
    again = sweep(spec_file, work=product, workers=2, progress=lambda n, _: ended.append(n))
    assert (again.outcomes, ended) == (first.outcomes, [])
    retried = sweep(spec_file, work=product, workers=2, retry_failed=True)
    assert not retried.failed
    assert retried.resumed == len(first.outcomes) - len(first.failed)


_KILLED = """\
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from sweep_work import product
from bankwise.ask.sweep import sweep
if __name__ == "__main__":
    sweep(Path({spec!r}), work=product, workers=2, progress=lambda n, _: print(n, flush=True))
"""


def test_a_sweep_killed_in_the_middle_goes_on_where_it_was(spec_file: Path) -> None:
    grid = SPEC.replace("[1, 2, 3, 4, 5]", str(list(range(1, 41))))
    spec_file.write_text(grid, "utf-8")
    program = spec_file.parent / "run.py"
    program.write_text(_KILLED.format(tests=str(ROOT / "tests"), spec=str(spec_file)), "utf-8")
    with running([sys.executable, str(program)]) as process:
        assert process.stdout is not None
        for _ in range(10):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.wait()
    cases = read_spec(spec_file, MITIGATIONS).cases
    with open_store(spec_file.with_suffix(".sqlite"), COLUMNS, "sweep") as store:
        left = len(missing(store, cases))
        pids = {o.row["worker"] for o in outcomes(store, cases)}
    assert 0 < left <= len(cases) - 10
    assert ended(pids)
    computed: list[int] = []
    report = sweep(spec_file, work=product, workers=2, progress=lambda n, _: computed.append(n))
    assert len(computed) == left
    assert [o.row["extra_launch"] for o in report.outcomes] == [
        dict(case.shape)["a"] * dict(case.shape)["b"] for case in cases
    ]


def ended(pids: set[int], patience_s: float = 10.0) -> bool:
    """Whether these processes are gone: the workers of a killed sweep may not wait for ever."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_one_table_in_csv_parquet_and_plots(spec_file: Path, tmp_path: Path) -> None:
    report = sweep(spec_file, work=troubled, workers=2)
    export(report, tmp_path / "out.csv")
    read = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8"))))
    assert len(read) == len(report.outcomes)
    assert read[0]["shape"] == "7x1"
    assert {row["status"] for row in read} == {"done", "failed"}
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra [sweep]")
    export(report, tmp_path / "out.parquet")
    assert parquet.read_table(tmp_path / "out.parquet").to_pylist() == rows(report.outcomes)
    pytest.importorskip("matplotlib", reason="needs the extra [sweep]")
    export(report, tmp_path / "out.png")
    export(report, tmp_path / "out.svg")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "out.svg").read_text("utf-8")
    with pytest.raises(InputError, match="no kind of plot"):
        export(report, tmp_path / "out.gif")


def test_an_output_that_cannot_be_written_is_told_before_the_work(tmp_path: Path) -> None:
    check_outputs([tmp_path / "a.csv", tmp_path / "a.parquet", tmp_path / "a.svg"])
    with pytest.raises(InputError, match=r"'\.gif' is no kind of table or plot"):
        check_outputs([tmp_path / "a.gif"])
    with pytest.raises(InputError, match="its folder does not exist"):
        check_outputs([tmp_path / "none" / "a.csv"])


def test_the_summary_and_the_savings_are_those_of_the_rows(tmp_path: Path) -> None:
    def case(a: int, mitigation: str) -> Case:
        return Case("k", (("a", a),), "f16", "gfx942", mitigation, "")

    numbers = {(1, "none"): (0, 100), (2, "none"): (8, 200), (1, "padding"): (0, 110),
               (2, "padding"): (0, 250)}  # fmt: skip
    with open_store(tmp_path / "s.sqlite", COLUMNS, "sweep") as store:
        for (a, mitigation), (extra, lds) in numbers.items():
            row = {"extra_launch": extra, "lds_bytes": lds}
            record(store, CaseResult(case(a, mitigation), "done", 0.0, row))
        found = outcomes(store, [case(*key) for key in numbers])
    none, padding = summaries(found)
    assert none.passes_to_default is None, "there is no case of the default"
    assert (none.conflict_free, none.done, none.extra, none.lds_bytes) == (1, 2, 4, 150)
    assert padding.conflict_free == 2
    part = saved(found, "lds_bytes", by="none", against="padding", kind="f16")
    assert part == [1 - 100 / 110, 1 - 200 / 250]


def test_every_case_is_compared_with_the_default_of_its_own_shape() -> None:
    """8 of 4 passes and 6 of 6; a default without passes is like one without a number."""
    numbers = {(1, "none"): (8, 20), (1, "iree"): (4, 10), (2, "none"): (6, 9),
               (2, "iree"): (6, 12), (3, "none"): (5, 5),
               (3, "iree"): (0, None), (4, "none"): (7, 7)}  # fmt: skip
    found = [
        CaseResult(
            Case("k", (("a", a),), "f16", "gfx942", mitigation, ""),
            "done",
            0.0,
            {"passes_launch": passes, "cycles_launch": cycles, "lds_bytes": 64},
        )
        for (a, mitigation), (passes, cycles) in numbers.items()
    ]
    ratios = {
        (row["a"], row["mitigation"]): (row["passes_to_default"], row["cycles_to_default"])
        for row in rows(found)
    }
    assert [ratios[a, "none"] for a in (1, 2, 3, 4)] == [
        *((2, 2), (1, 0.75), (None, None), (None, None)),
    ]
    assert ratios[1, "iree"] == (1, 1)
    none = next(s for s in summaries(found) if s.mitigation == "none")
    assert (none.passes_to_default, none.cycles_to_default) == (1.5, 1.375)
    assert none.worse == 2, "8 of 4 passes, 5 of 0"


def test_shapes_stand_on_the_axis_by_name(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra [sweep]")
    cases = [
        Case("k", (("a", a), ("b", 96)), "f16", "gfx942", m, "")
        for a in (5, 7)
        for m in ("none", "iree")
    ]
    found = tuple(CaseResult(c, "done", 0.0, {"passes_launch": 3, "lds_bytes": 8}) for c in cases)
    export(SweepReport("two", "two.sqlite", found), tmp_path / "out.svg")
    drawn = (tmp_path / "out.svg").read_text("utf-8")
    for word in ("5x96", "7x96", "passes / the framework's default"):
        assert f"<!-- {word} -->" in drawn


def test_no_rows_make_a_table_with_a_header() -> None:
    assert csv_text(rows([])).startswith("kernel,shape,type")


def test_an_unknown_engine_and_a_silent_cluster_are_bad_input(spec_file: Path) -> None:
    with pytest.raises(InputError, match="unknown engine 'ray'"):
        sweep(spec_file, engine="ray", work=product)
    pytest.importorskip("distributed", reason="needs the extra [dask]")
    with pytest.raises(InputError, match="names no host"):
        sweep(spec_file, engine="dask://", work=product)


def test_attention_of_64_columns_is_freed_by_padding_and_by_a_swizzle() -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    spec = read_spec(EXAMPLES / "sweep" / "attention_110.toml", MITIGATIONS)
    shape = (("b", 1), ("n", 128), ("d", 64))
    wanted = ("none", "padding", "swizzle")
    chosen = [c for c in spec.cases if c.shape == shape and c.mitigation in wanted]
    chosen = [c for c in chosen if c.type == "f16"]
    extra = {o.case.mitigation: o.row["extra_launch"] for o in run(chosen, run_case, workers=2)}
    assert extra["none"] > 0
    assert extra["padding"] == extra["swizzle"] == 0


def test_best_is_no_worse_than_the_default_and_frees_what_it_leaves() -> None:
    """Of 128 columns IREE's padding leaves conflicts."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    text = (EXAMPLES / "sweep" / "attention.mlir").read_text("utf-8")
    filled = Template(text).substitute(b=1, n=128, d=128, type="f16")
    cases = [Case("k", (), "f16", "gfx942", how, filled) for how in ("best", "iree")]
    best, iree = (o.row for o in run(cases, run_case, engine="here"))
    assert best["passes_launch"] < iree["passes_launch"]
    assert best["cycles_launch"] <= iree["cycles_launch"]
    assert best["extra_launch"] == 0 < iree["extra_launch"]


def test_the_110_shapes_hold_the_one_that_the_talk_names() -> None:
    spec = read_spec(EXAMPLES / "sweep" / "attention_110.toml", MITIGATIONS)
    shapes = {case.size for case in spec.cases}
    assert len(shapes) == 110
    assert "1x1024x128" in shapes
    assert {case.type for case in spec.cases} == {"f16", "f32"}


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A real process, ended at the end."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    environment = os.environ | {"PYTHONPATH": paths}
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


@contextmanager
def worker(port: int) -> Iterator[subprocess.Popen[str]]:
    """A ``dask worker`` of one process, without the nanny that would start it again."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", f"127.0.0.1:{port}"]
    with running([*command, "--no-nanny", "--nthreads=1", "--no-dashboard"]) as process:
        yield process


def test_a_dask_cluster_gives_the_same_rows_although_a_worker_is_killed(spec_file: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra [dask]")
    grid = SPEC.replace("[1, 2, 3, 4, 5]", str(list(range(1, 41))))
    spec_file.write_text(grid, "utf-8")
    port = free_port()
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", f"--port={port}"]
    killed: list[int] = []
    with (
        running([*scheduler, "--host=127.0.0.1", "--no-dashboard"]),
        worker(port) as victim,
        worker(port),
    ):
        wait_for(port)

        def kill_one(number: int, _: int) -> None:
            if number == 15:
                victim.send_signal(signal.SIGKILL)
                killed.append(number)

        report = sweep(
            spec_file, engine=f"dask://127.0.0.1:{port}", work=product, progress=kill_one
        )
    assert killed == [15]
    assert not report.failed
    pids = {o.row["worker"] for o in report.outcomes}
    assert victim.pid in pids
    assert len(pids) == 2
    assert [o.row["extra_launch"] for o in report.outcomes] == [
        dict(o.case.shape)["a"] * dict(o.case.shape)["b"] for o in report.outcomes
    ]


def wait_for(port: int) -> None:
    """Until the scheduler has both workers."""
    from distributed import Client

    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            with Client(f"tcp://127.0.0.1:{port}", timeout=2) as client:
                client.wait_for_workers(2, timeout=60)
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the scheduler did not start")
