"""The kit for whoever has an AMD GPU: its accesses tell rival rules apart, its kernels compile, and
counters of any rule, computed by a judge of this folder, give that rule back.

There is no AMD GPU behind these tests.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import mkdtemp

import pytest
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.hardware.machine import Instruction, machine
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.kit.answers import read_answers
from bankwise.lab.kit.design import copies, design, instructions, rivals
from bankwise.lab.kit.folder import case_line, read_cases, write_kit
from bankwise.lab.kit.program import REPEATS, program
from bankwise.lab.probe import import_kit
from brute import brute_count
from command import bankwise

Phases = tuple[tuple[int, ...], ...]


def grouped(key: Callable[[int], object]) -> Phases:
    """The lanes of a wave with the same key, in order."""
    found: dict[object, list[int]] = {}
    for lane in range(64):
        found.setdefault(key(lane), []).append(lane)
    return tuple(map(tuple, found.values()))


HALVES, QUARTERS = grouped(lambda lane: lane // 32), grouped(lambda lane: lane // 16)
ALL = grouped(lambda lane: 0)
MIXED = grouped(lambda lane: (lane // 32, (lane >> 2 ^ lane >> 3 ^ lane >> 4) & 1))
EIGHTS = grouped(lambda lane: (lane // 32, lane >> 3 & 1, (lane >> 2 ^ lane >> 4) & 1))


def counted(row: Instruction, case: WaveAccess) -> int:
    """Extra passes by a rule, as the judge counts them."""
    first = case.offsets_bytes.tolist()
    rounds = [first, [x + row.width_bytes for x in first]][: row.addresses]
    passes, ideal, _ = brute_count(row, rounds, case.active.tolist())
    return passes - ideal


def export(folder: Path, values: Sequence[tuple[str, int]]) -> Path:
    """What rocprofv3 writes of launches: (kernel, counter) each."""
    path = folder / "out" / "host" / "17_counter_collection.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        table = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        table.writerow(
            [
                *("Correlation_Id", "Dispatch_Id", "Process_Id", "Grid_Size", "Kernel_Name"),
                *("Workgroup_Size", "Counter_Name", "Counter_Value"),
            ]
        )
        for number, (kernel, value) in enumerate(values, 1):
            for name, count in (("SQ_LDS_BANK_CONFLICT", value), ("SQ_LDS_IDX_ACTIVE", 99)):
                table.writerow([number, number, 17, 64, kernel, 64, name, float(count)])
    return path


@cache
def written(target: str) -> Path:
    """A kit for a machine, written once."""
    folder = Path(mkdtemp(prefix="bankwise-")) / "kit"
    write_kit(folder, target, each=25)
    return folder


@pytest.fixture(scope="module", autouse=True)
def cleared() -> Iterator[None]:
    yield
    for target in ("gfx942", "gfx950"):
        shutil.rmtree(written(target).parent)
    written.cache_clear()


def kit_of(tmp_path: Path, target: str, names: Sequence[str]) -> tuple[Path, list[WaveAccess]]:
    """A kit of which only the accesses of some instructions were kept."""
    folder = tmp_path / "kit"
    shutil.copytree(written(target), folder)
    lines = (folder / "cases.txt").read_text().splitlines()
    kept = [line for line in lines if line.split()[0] in names]
    (folder / "cases.txt").write_text("".join(f"{line}\n" for line in kept))
    return folder, list(read_cases(folder / "cases.txt", machine(target).wave_size))


def run_by(rule: dict[str, Instruction], folder: Path, asked: Sequence[WaveAccess]) -> None:
    """What the kit would bring back from a GPU that follows the rules; copies conflict never."""
    values = [
        (
            f"access_{case.instruction}",
            REPEATS * counted(rule[case.instruction], case) if case.instruction in rule else 0,
        )
        for case in asked
    ]
    export(folder, values)


def like(target: str, name: str, banks: int, phases: Phases, wide: bool = False) -> Instruction:
    row = machine(target).instruction(name)
    if wide:
        row = replace(row, addresses=1, width_bytes=2 * row.width_bytes)
    return replace(row, banks=banks, phases=phases, merge="none")


MODELS = [
    pytest.param("gfx950", "ds_read_b64_tr_b16", 64, HALVES, False, id="tr as the file has it"),
    pytest.param("gfx950", "ds_read_b64_tr_b16", 32, MIXED, False, id="tr by its rival"),
    pytest.param("gfx950", "ds_read_b32", 64, ALL, False, id="b32 as one phase"),
    pytest.param("gfx950", "ds_read_b96", 32, EIGHTS, False, id="b96"),
    pytest.param("gfx950", "ds_read2_b64", 64, HALVES, False, id="read2 as two b64"),
    pytest.param("gfx942", "ds_write2_b64", 32, EIGHTS, True, id="write2 as one wide write"),
    pytest.param("gfx942", "ds_read2_b32", 32, HALVES, False, id="read2 as the file has it"),
]


@pytest.mark.parametrize(("target", "name", "banks", "phases", "wide"), MODELS)
def test_the_counters_of_a_rule_give_that_rule_back(
    tmp_path: Path, target: str, name: str, banks: int, phases: Phases, wide: bool
) -> None:
    rule = like(target, name, banks, phases, wide)
    folder, asked = kit_of(tmp_path, target, [name])
    run_by({name: rule}, folder, asked)
    found = import_kit(folder)
    (row,) = found.proposal.rows
    assert row.holds
    assert row.judged == 25
    assert row.row is not None
    assert row.row.banks == banks
    assert set(map(frozenset, row.row.phases)) == set(map(frozenset, phases))
    assert row.row.addresses == rule.addresses
    stated = machine(target).instruction(name)
    same = (stated.banks, set(map(frozenset, stated.phases)), stated.addresses) == (
        banks,
        set(map(frozenset, phases)),
        rule.addresses,
    )
    assert row.same is same
    assert [r.instruction for r in found.contradicted] == ([] if same else [name])


def shapes(target: str) -> Iterator[str]:
    """An instruction for each width, direction and number of addresses: others ask the same."""
    gpu, seen = machine(target), set()
    for name in instructions(gpu):
        row = gpu.instruction(name)
        key = (row.width_bytes, row.addresses, row.banks, row.phases)
        if key not in seen:
            seen.add(key)
            yield name


@cache
def asked_of(target: str) -> dict[str, list[WaveAccess]]:
    found: dict[str, list[WaveAccess]] = {}
    for case in design(machine(target), each=12):
        found.setdefault(case.instruction, []).append(case)
    return found


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_some_access_tells_each_pair_of_rivals_apart(target: str) -> None:
    """Judged on a part of the accesses: every 24th pair of lanes, and the random ones."""
    gpu = machine(target)
    for name in shapes(target):
        some = asked_of(target)[name]
        some = [*some[64:-12:24], *some[-12:]]
        rules = rivals(gpu, name)
        assert len(rules) > 5
        assert [rule.stated for rule in rules] == [True] + [False] * (len(rules) - 1)
        told = [tuple(counted(rule.row, case) for case in some) for rule in rules]
        for (one, a), (other, b) in combinations(zip(rules, told, strict=True), 2):
            assert a != b, f"{name}: {one} and {other}"


def test_the_open_rows_of_gfx950_are_asked_about() -> None:
    gpu = machine("gfx950")
    for name in ("ds_read_b32", "ds_read2_b64", "ds_write2_b64", "ds_read_b96_tr_b6"):
        assert name in instructions(gpu)
    assert {n for n in gpu.instructions if "_tr_" in n} <= set(instructions(gpu))
    assert copies(gpu) == ("global_load_lds_dword", "global_load_lds_dwordx4")
    assert "ds_read_b64_tr_b16" not in instructions(machine("gfx942"))


def test_a_line_of_a_case_reads_back(tmp_path: Path) -> None:
    asked = design(machine("gfx950"), each=3)
    some = asked[::97]
    (tmp_path / "cases.txt").write_text("".join(f"{case_line(case)}\n" for case in some))
    for one, case in zip(read_cases(tmp_path / "cases.txt", 64), some, strict=True):
        assert one.instruction == case.instruction
        assert (one.active == case.active).all()
        assert (one.offsets_bytes[case.active] == case.offsets_bytes[case.active]).all()


def test_the_manifest_says_what_each_rival_predicts(tmp_path: Path) -> None:
    folder, asked = kit_of(tmp_path, "gfx942", ["ds_read_b128"])
    known = json.loads((folder / "manifest.json").read_text())
    assert known["target"] == "gfx942"
    told = known["instructions"]["ds_read_b128"]
    assert told["cases"] == len(asked)
    for rival, said in zip(rivals(machine("gfx942"), "ds_read_b128"), told["rivals"], strict=True):
        extra = [counted(rival.row, case) for case in asked]
        assert (said["extra"], said["conflicting"]) == (sum(extra), sum(n > 0 for n in extra))
    assert str(known["cases"]) in (folder / "README.md").read_text().replace(",", "")


def test_the_command_names_what_is_contradicted_and_writes_the_rows(tmp_path: Path) -> None:
    folder, asked = kit_of(
        tmp_path, "gfx950", ["ds_write_b64", "ds_read2_b64", "global_load_lds_dword"]
    )
    right = machine("gfx950").instruction("ds_write_b64")
    wrong = like("gfx950", "ds_read2_b64", 64, HALVES)
    run_by({"ds_write_b64": right, "ds_read2_b64": wrong}, folder, asked)
    (folder / "device.txt").write_text("gfx950:sramecc+:xnack-\nAMD Instinct MI355X\n")
    toml = tmp_path / "new.toml"
    ended = bankwise("probe", "--import", str(folder), "--propose", str(toml))
    assert ended.code == 1
    assert "gfx950.toml is contradicted: ds_read2_b64" in ended.out
    assert "global_load_lds_dword: the counter adds 0" in ended.out
    rows = {r["names"][0]: r for r in tomllib.loads(toml.read_text())["instruction"]}
    assert rows["ds_read2_b64"]["phases"] == ["0-31", "32-63"]
    assert rows["ds_read2_b64"]["addresses"] == 2
    assert rows["ds_write_b64"]["evidence"] == "measured"
    told = bankwise("probe", "--import", str(folder), "--format", "json")
    document = json.loads(told.out)
    assert document["contradicted"] == ["ds_read2_b64"]
    assert document["device"] == "AMD Instinct MI355X"


def test_a_counter_that_is_always_zero_settles_nothing(tmp_path: Path) -> None:
    folder, asked = kit_of(tmp_path, "gfx942", ["ds_read_b32"])
    export(folder, [("access_ds_read_b32", 0)] * len(asked))
    ended = bankwise("probe", "--import", str(folder))
    assert ended.code == 3
    assert "still open: ds_read_b32" in ended.out


def test_lanes_that_share_phases_in_no_order_give_no_row(tmp_path: Path) -> None:
    """One pair more meets than any grouping allows."""
    folder, asked = kit_of(tmp_path, "gfx942", ["ds_read_b64"])
    row = machine("gfx942").instruction("ds_read_b64")
    values = [counted(row, case) for case in asked]
    pair = next(n for n, line in enumerate(asked) if case_line(line).endswith(" 2 20 0 40 4096"))
    assert values[pair] == 0
    values[pair] = 1
    export(folder, [("access_ds_read_b64", REPEATS * value) for value in values])
    (found,) = import_kit(folder).proposal.rows
    assert not found.holds
    assert "in no order" in found.why


def test_counters_that_something_else_added_to_are_left_out_and_told(tmp_path: Path) -> None:
    folder, asked = kit_of(tmp_path, "gfx942", ["ds_write_b32"])
    row = machine("gfx942").instruction("ds_write_b32")
    values = [("access_ds_write_b32", REPEATS * counted(row, case)) for case in asked]
    values[-1] = (values[-1][0], values[-1][1] + 3)
    export(folder, values)
    found = read_answers(folder)
    assert len(found.cases) == len(asked) - 1
    assert "1 of " in found.notes[0]
    assert bankwise("probe", "--import", str(folder)).code == 3


def lose_a_launch(folder: Path) -> None:
    path = next(folder.rglob("*.csv"))
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-2]))


def other_kernel(folder: Path) -> None:
    path = next(folder.rglob("*.csv"))
    path.write_text(path.read_text().replace("access_ds_read_u8", "access_ds_read_b32", 2))


BROKEN: list[tuple[str, Callable[[Path], object], str]] = [
    ("no manifest", lambda f: (f / "manifest.json").unlink(), "not the folder of a probe kit"),
    ("no json", lambda f: (f / "manifest.json").write_text("{"), "not the manifest"),
    ("a list", lambda f: (f / "manifest.json").write_text("[]"), "not the manifest"),
    ("other schema", lambda f: _manifest(f, schema="x"), "it says 'x'"),
    ("no repeats", lambda f: _manifest(f, repeats=0), "cannot repeat"),
    ("other target", lambda f: _manifest(f, target="gfx1"), "unknown target"),
    ("not run", lambda f: next(f.rglob("*.csv")).unlink(), "was not run"),
    ("empty export", lambda f: next(f.rglob("*.csv")).write_text("x"), "no profile export"),
    ("two runs", lambda f: shutil.copytree(f / "out", f / "old"), "2 exports in one folder"),
    ("other GPU", lambda f: (f / "device.txt").write_text("gfx942:x\nMI300X\n"), "run on gfx942"),
    ("launch lost", lose_a_launch, "accesses in cases.txt"),
    ("other kernel", other_kernel, "cases.txt has ds_read_u8"),
    ("no cases", lambda f: (f / "cases.txt").unlink(), "no such file"),
    ("case cut off", lambda f: (f / "cases.txt").write_text("ds_read_u8 0 1 3\n"), "no access"),
    ("no lane", lambda f: (f / "cases.txt").write_text("ds_read_u8 0 1 64 0\n"), "no access"),
    ("empty line", lambda f: (f / "cases.txt").write_text("\n\nds_read_u8 0 0\n"), "no access"),
]


def _manifest(folder: Path, **changed: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


@pytest.mark.parametrize(("how", "said"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_a_folder_that_is_not_whole_is_refused(
    whole: Path, tmp_path: Path, how: Callable[[Path], object], said: str
) -> None:
    folder = tmp_path / "kit"
    shutil.copytree(whole, folder)
    how(folder)
    with pytest.raises(InputError) as told:
        read_answers(folder)
    assert said in str(told.value)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kit that was run, its 2-byte reads alone."""
    folder, asked = kit_of(tmp_path_factory.mktemp("run"), "gfx950", ["ds_read_u8"])
    export(folder, [("access_ds_read_u8", 0)] * len(asked))
    return folder


def test_kits_are_for_amd_and_for_empty_folders(tmp_path: Path) -> None:
    ended = bankwise("probe", "--target", "sm_90", "--kit", str(tmp_path / "kit"))
    assert ended.code == 2
    assert "kits are for GPUs of AMD" in ended.err
    (tmp_path / "kept").write_text("mine")
    ended = bankwise("probe", "--target", "gfx950", "--kit", str(tmp_path))
    assert ended.code == 2
    assert "not an empty folder" in ended.err
    assert (tmp_path / "kept").read_text() == "mine"
    assert bankwise("probe").code == 2


CLANG = shutil.which("clang-19") or shutil.which("clang-20") or shutil.which("clang")
STUB = """#pragma once
#include <stddef.h>
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
enum hipError_t { hipSuccess, hipErrorOther };
enum hipMemcpyKind { hipMemcpyHostToDevice };
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1) : x(a), y(1), z(1) {} };
struct hipDeviceProp_t { char name[256]; char gcnArchName[256]; };
typedef struct ihipStream* hipStream_t;
extern "C" {
const char* hipGetErrorString(hipError_t);
hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int);
hipError_t hipMalloc(void**, size_t);
hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t hipDeviceSynchronize();
hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
}
"""
"""What the host's half names of ROCm, declared as its documentation has it."""


def compiled(source: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(CLANG), "-x", "hip", "--offload-arch=gfx942", "-nogpulib", "-nogpuinc", "-O1"]
    command += ["-Werror", *options, str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(CLANG is None, reason="no clang")
def test_the_kernels_and_the_host_compile_for_gfx942(tmp_path: Path) -> None:
    gpu = machine("gfx942")
    source, out = tmp_path / "probe.hip", tmp_path / "probe.s"
    source.write_text(program(instructions(gpu), copies(gpu), gpu.wave_size))
    alone = ("--offload-device-only", "-DBANKWISE_WITHOUT_ROCM", "-S", "-o", str(out))
    done = compiled(source, *alone)
    if done.returncode and "unknown target" in done.stderr:
        pytest.skip("this clang has no AMDGPU")
    if done.returncode and "unsupported option" in done.stderr:
        pytest.skip("this clang is older than the GPU")
    assert done.returncode == 0, done.stderr
    executed_once_a_repeat(out.read_text(), instructions(gpu))
    (tmp_path / "hip").mkdir()
    (tmp_path / "hip" / "hip_runtime.h").write_text(STUB)
    host = ("--offload-host-only", f"-I{tmp_path}", "-c", "-o", str(tmp_path / "host.o"))
    assert compiled(source, *host).returncode == 0


def executed_once_a_repeat(assembly: str, names: Sequence[str]) -> None:
    """Each kernel has its instruction so often, and no other that touches LDS."""
    for name in names:
        body = assembly.split(f"\naccess_{name}:", 1)[1].split("s_endpgm", 1)[0]
        assert re.findall(r"^\s*(ds_\w+)", body, re.M) == [name] * REPEATS
    assert set(re.findall(r"group_segment_fixed_size[: ]+(\d+)", assembly)) == {"20480"}


@pytest.mark.skipif(CLANG is None, reason="no clang")
def test_the_kernels_assemble_for_gfx950(tmp_path: Path) -> None:
    """By the LLVM in Triton's wheel, which knows CDNA4: also the text of inline assembly."""
    llvm = pytest.importorskip("triton._C.libtriton").llvm
    gpu = machine("gfx950")
    source, out = tmp_path / "probe.hip", tmp_path / "probe.ll"
    source.write_text(program(instructions(gpu), copies(gpu), gpu.wave_size))
    options = ("--offload-device-only", "-DBANKWISE_WITHOUT_ROCM", "-S", "-emit-llvm")
    done = compiled(source, *options, "-o", str(out))
    if done.returncode:
        pytest.skip(f"this clang has no AMDGPU: {done.stderr[-200:]}")
    text = re.sub(r'"target-cpu"="gfx942" "target-features"="[^"]*"', "", out.read_text())
    llvm.init_targets()
    where = (text, "amdgcn-amd-amdhsa", "gfx950", "", [], False)
    assert len(llvm.translate_to_asm(*where, True, False)) > 1000
    executed_once_a_repeat(llvm.translate_to_asm(*where, False, False), instructions(gpu))
