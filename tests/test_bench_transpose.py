"""``bench transpose`` without a GPU: a worker that times nothing, counters that are given.

The worker's own code runs (jobs, tuning, rounds, order of launches); only CuPy is replaced.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.lab import bench_transpose as verb
from bankwise.lab.bench_transpose import (
    IDEAL,
    LIMITS,
    PASSES,
    BenchOptions,
    bench_transpose,
    read_sizes,
)
from bankwise.lab.gpu import transpose_run
from bankwise.lab.gpu.counters import CONFLICTS
from bankwise.lab.gpu.launch import compile_kernel
from bankwise.lab.gpu.profile_run import launches_with, profile_module
from bankwise.lab.kernels.transpose_variant import Variant
from bankwise.lab.report.documents import transpose_document
from bankwise.lab.report.transpose_files import save, table_csv
from bankwise.lab.report.transposing import shown
from bankwise.profile.read import parse_profile
from bankwise.profile.values import Launch, Quantity
from bankwise.show.schema import plain
from command import bankwise

SMALL = BenchOptions(sizes=((32768, 256),), dtypes=("fp16",), variants=4, repeats=20)
COPY_MS = 0.5


@pytest.fixture
def gpu(monkeypatch) -> Iterator[SimpleNamespace]:
    """CuPy, compiler, clock and profiler, made up. ``clock``: milliseconds of a call by name."""
    made = SimpleNamespace(clock=lambda name: 1.0, wrong="", launched=[], counter=_true_counter)
    device = SimpleNamespace(attributes={"MultiProcessorCount": 132}, synchronize=lambda: None)
    fake = SimpleNamespace(cuda=SimpleNamespace(Device=lambda: device))
    monkeypatch.setattr(transpose_run, "cupy", lambda: fake)
    monkeypatch.setattr(transpose_run, "compile_kernel", _compiled(made))
    used = SimpleNamespace(registers=40, local_bytes=0)
    monkeypatch.setattr(transpose_run, "resources", lambda one: used)
    monkeypatch.setattr(transpose_run, "median_ms", _timed(made))
    monkeypatch.setattr(transpose_run, "device_copy", lambda x, y: _named(made, "copy"))
    monkeypatch.setattr(transpose_run, "empty_launch", lambda: _named(made, "empty"))
    others = ("torch x", "triton a", "triton b")
    monkeypatch.setattr(
        transpose_run, "peers", lambda *a: [(name, _named(made, name)) for name in others]
    )
    monkeypatch.setattr(
        transpose_run.MatrixPair, "correct", lambda case, call: call() != made.wrong
    )
    monkeypatch.setattr(transpose_run, "_cases", _cases)
    monkeypatch.setattr(verb, "_times", _times)
    monkeypatch.setattr(verb, "profile_module", _profiler(made))
    monkeypatch.setattr(importlib.util, "find_spec", lambda *a: object())
    return made


def _named(made, name):
    def call():
        made.launched.append(name)
        return name

    return call


def _compiled(made):
    def compiled(text, name, shared_bytes=0):
        assert f"{name}(const " in text
        return lambda grid, block, args: made.launched.append(name) or name

    return compiled


def _timed(made):
    def timed(call, **options):
        ms = made.clock(call())
        return SimpleNamespace(median_ms=ms, all_ms=(ms,) * 3)

    return timed


def _cases(job):
    for dtype in job["dtypes"]:
        for m, k in job["sizes"]:
            yield transpose_run.MatrixPair(dtype, (m, k), np.zeros(1), np.zeros(1))


def _times(asked, folder, progress):
    job = json.loads(json.dumps(verb._job(asked, mode="time")))
    pool = SimpleNamespace(map=lambda f, items, chunksize: map(f, items))
    rows = [row for case in _cases(job) for row in transpose_run._timed(job, case, pool)]
    return json.loads(json.dumps({"about": {"gpu": "none"}, "rows": rows}))


def _true_counter(name, metric):
    return {PASSES: 10.0, IDEAL: 7.0, CONFLICTS[0]: 2.0, CONFLICTS[1]: 3.0}.get(metric, 50.0)


def _quantity(made, row, metric):
    return Quantity(made.counter(row["name"], metric))


def _profiler(made):
    def profiler(module, arguments, *, kernels, metrics, vendor):
        job = json.loads(Path(arguments[0]).read_text())
        rows = transpose_run._count(job)
        Path(arguments[1]).write_text(json.dumps({"rows": rows}))
        assert {row["name"] for row in rows} <= set(kernels)
        return tuple(
            Launch(row["name"], "0", counters={m: _quantity(made, row, m) for m in metrics})
            for row in rows
        )

    return profiler


@pytest.fixture
def call_returns_name(monkeypatch):
    """A launch tells its kernel's name, so that the clock can look it up."""
    monkeypatch.setattr(
        transpose_run.Ready,
        "on",
        lambda ready, case: lambda: ready.compiled((1,), (1,), ()) or ready.plan.name,
    )


def test_rates_and_shares_come_from_the_times(gpu, call_returns_name):
    gpu.clock = lambda name: COPY_MS if name == "copy" else 1.0
    report = bench_transpose(SMALL)
    copy = next(x for x in report.lines if x.kind == "copy")
    rung = next(x for x in report.lines if x.kind == "rung")
    size = 2 * 32768 * 256 * 2
    assert copy.gb_per_s == pytest.approx(size / (COPY_MS / 1000) / 1e9, rel=1e-3)
    assert (copy.share, rung.share) == (1.0, 0.5)
    assert len(report.tried) >= 4


def test_the_counters_of_a_launch_stand_beside_its_prediction(gpu, call_returns_name):
    report = bench_transpose(SMALL)
    rows = {x.name: x for x in report.lines}
    rung = rows["transpose_fp16_row_major"]
    assert rung.predicted_extra == 448 * 32768 * 256 // (64 * 32)
    assert (rung.measured_passes, rung.measured_extra, rung.aggregate_extra) == (10, 3, 5)
    assert rung.agrees is False
    assert not report.good
    assert rung.limits == dict.fromkeys(LIMITS, 50.0)
    tuned = [x for x in report.lines if x.kind == "tuned"]
    assert [x.predicted_extra for x in tuned if x.measured_extra is not None] == [0]
    relaid = [x for x in report.lines if x.kind == "relaid"]
    assert len(relaid) == 2
    assert all(x.predicted_extra and x.measured_extra == 3 for x in relaid)


def test_the_copy_engine_takes_part_with_its_passes_predicted(gpu, call_returns_name, monkeypatch):
    """64 x 64 halves: 512 vectors of 16 bytes each way, 4 passes for 32 of them."""
    first = (Variant(64, 64, 64, kind="tma", blocks=12),)
    monkeypatch.setattr(verb, "SEEDS", {"fp16": first})
    report = bench_transpose(replace(SMALL, variants=1))
    tuned = next(x for x in report.lines if x.kind == "tuned" and x.predicted_passes)
    assert tuned.variant == str(first[0])
    assert tuned.title == "copy engine (TMA) in and out, registers transpose 8 x 8"
    assert tuned.predicted_passes == 2 * (512 // 32 * 4) * 512 * 4
    (relaid,) = [x for x in report.lines if x.kind == "relaid"]
    assert relaid.name == "transpose_fp16_relaid_row_major"
    assert (tuned.predicted_extra, relaid.predicted_extra) == (0, 0)
    assert {"transpose_fp16_tuned", relaid.name} <= set(gpu.launched)
    amd = bench_transpose(replace(SMALL, variants=1, target="gfx950", profile=False))
    assert all(" tma " not in x.variant for x in (*amd.lines, *amd.tried))


def test_a_report_is_good_only_if_counters_agree_and_results_are_right(gpu, call_returns_name):
    options = BenchOptions(((65536, 256),), ("fp16",), variants=0, repeats=20, profile=False)
    assert bench_transpose(options).good
    gpu.wrong = "transpose_fp16_xor"
    report = bench_transpose(options)
    assert not report.good
    assert [x.name for x in report.lines if x.correct is False] == ["transpose_fp16_xor"]


def test_only_the_best_triton_tile_and_variant_are_shown(gpu, call_returns_name):
    gpu.clock = lambda name: {"triton b": 0.5}.get(name, 1.0)
    report = bench_transpose(SMALL)
    names = [x.name for x in shown(report, report.cases[0])]
    assert "triton b" in names
    assert "triton a" not in names
    assert sum(x.kind == "tuned" for x in shown(report, report.cases[0])) == 1


def test_the_results_are_written_as_csv_json_and_a_plot(gpu, call_returns_name, tmp_path):
    pytest.importorskip("matplotlib")
    report = bench_transpose(SMALL)
    written = save(report, tmp_path / "new")
    assert [p.name for p in written] == [
        "results.csv",
        "variants.csv",
        "results.json",
        "results.png",
    ]
    document = json.loads(written[2].read_text())
    assert document["schema"] == "bankwise.bench_transpose/1"
    assert document["tried"] == len(report.tried)
    assert len(written[0].read_text().splitlines()) == 1 + len(report.lines)
    assert written[3].read_bytes()[:4] == b"\x89PNG"
    assert plain(transpose_document(report))["good"] is False
    assert table_csv(()) == ""


def test_a_folder_that_cannot_be_is_said_before_anything_is_measured(tmp_path):
    (tmp_path / "file").write_text("")
    ended = bankwise("bench", "transpose", "--size", "65536x256", "-o", str(tmp_path / "file"))
    assert ended.code == 2
    assert "cannot make this folder" in ended.err
    assert "CuPy" not in ended.err


def test_without_cupy_one_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda *a: None)
    with pytest.raises(InputError, match="needs CuPy") as caught:
        bench_transpose(SMALL)
    assert re.fullmatch(r"pip install (-e )?'[^']+\[gpu\]'", caught.value.hint)


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is here")
def test_compiling_without_cupy_says_so_too():
    with pytest.raises(InputError, match="needs CuPy"):
        compile_kernel("", "k")


def test_bad_sizes_and_types_are_said_before_anything_runs():
    assert read_sizes(["128x64", "3x5x7"]) == ((128, 64), (3, 5, 7))
    assert read_sizes([]) == ((65536, 256), (65536, 4096))
    for text in ("128", "x64", "0x64", "-1x64", "axb", "1x2x3x4"):
        with pytest.raises(InputError, match="bad size"):
            read_sizes([text])
    with pytest.raises(InputError, match="unknown type 'int3'"):
        bench_transpose(BenchOptions(dtypes=("int3",)))
    with pytest.raises(InputError, match="100 x 256 is no multiple"):
        bench_transpose(BenchOptions(sizes=((100, 256),), variants=0))


NSIGHT = """==PROF== Connected to process 1
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid \
Size","Device","CC","a.sum","b"
"","","","","","","","","","","","sector","%"
"0","1","python","host","k1","1","7","(32, 1, 1)","(2, 1, 1)","0","9.0","1,024","2.5"
"1","1","python","host","k2","1","7","(32, 1, 1)","(2, 1, 1)","0","9.0","7","0"
"""


def test_a_page_of_nsight_compute_is_read_launch_by_launch():
    found = launches_with(parse_profile(NSIGHT), ("a.sum", "b"))
    assert [(x.kernel, dict(x.values)) for x in found] == [
        ("k1", {"a.sum": 1024.0, "b": 2.5}),
        ("k2", {"a.sum": 7.0, "b": 0.0}),
    ]
    with pytest.raises(InputError, match="no value of c"):
        launches_with(parse_profile(NSIGHT), ("c",))


def test_a_table_of_rocprofv3_is_read_dispatch_by_dispatch():
    text = "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n"
    text += "2,k2,X,5\n1,k1,X,3\n1,k1,X,7\n1,k1,Y,4\n"
    found = launches_with(parse_profile(text), ("X",))
    assert [(x.kernel, dict(x.values)) for x in found] == [
        ("k1", {"X": 10, "Y": 4}),
        ("k2", {"X": 5}),
    ]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo nothing; exit 3", "failed: nothing"),
        ('printf \'"ID","Kernel Name","a"\\n"","",""\\n\'', "shows no launch of k1"),
    ],
)
def test_a_profiler_that_fails_or_sees_nothing_is_an_error(tmp_path, script, words):
    program = tmp_path / "ncu"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with pytest.raises(InputError, match=words):
        profile_module("m", [], kernels=["k1"], metrics=["a"], profiler=str(program))


def test_a_profiler_that_is_not_there_is_an_error():
    with pytest.raises(InputError, match="is not installed"):
        profile_module("m", [], kernels=["k"], metrics=["a"], profiler="no-such-profiler")


def test_the_profiler_is_asked_for_the_kernels_and_counters_alone(tmp_path):
    program, seen = tmp_path / "ncu", tmp_path / "seen"
    program.write_text(f'#!/bin/sh\necho "$@" > {seen}\ncat {tmp_path}/page\n')
    program.chmod(0o755)
    (tmp_path / "page").write_text(NSIGHT)
    metrics = ["a.sum", "b"]
    profile_module(
        "some.module", ["x"], kernels=["k1", "k2"], metrics=metrics, profiler=str(program)
    )
    words = seen.read_text().split()
    assert words[words.index("--metrics") + 1] == "a.sum,b"
    assert words[words.index("--kernel-name") + 1] == "regex:^(k1|k2)$"
    assert words[words.index("--clock-control") + 1] == "none"
    assert words[-3:] == ["-m", "some.module", "x"]


TIMES = {"warm": (1.0, 2.0), "cold": (2.0, 1.0), "both": (1.1, 1.1)}
"""A search's (warm, cold) milliseconds by name: no kernel is the fastest on both sides."""


def test_finalists_are_the_fastest_warm_and_cold_and_one_near_both(monkeypatch):
    slow = {f"slow{n}": (1.0 + n / 100, 3.0 + n) for n in range(1, 8)}
    slow |= {f"late{n}": (3.0 + n, 1.0 + n / 100) for n in range(1, 8)}
    tuned = [(name, None, *times) for name, times in (TIMES | slow).items()]
    tuned.append(("wrong", None, None, None))
    found = [one[0] for one in transpose_run._finalists(tuned)]
    assert found[0] == "warm"
    assert {"cold", "both"} < set(found) - {"wrong"}
    assert "wrong" not in found
    assert len(found) == len(set(found))


def test_the_kernel_that_is_shown_is_the_one_whose_slower_side_is_nearest_to_the_copy():
    head = {"dtype": "fp16", "batch": 1, "m": 64, "k": 64}
    copy = {**head, "kind": "copy", "median_ms": 1.0, "cold_ms": 1.0}
    rows = [
        {**head, "kind": "tuned", "correct": True, "variant": name, "median_ms": w, "cold_ms": c}
        for name, (w, c) in TIMES.items()
    ]
    assert set(verb._best([copy, *rows]).values()) == {"both"}
    wrong = {**rows[2], "correct": False}
    assert set(verb._best([copy, rows[0], wrong]).values()) == {"warm"}
