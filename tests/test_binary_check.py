"""Binaries are answered as the text that their compiler would have printed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tinygrad", reason="needs the extra binary")
pytest.importorskip("elftools", reason="needs the extra binary")

from bankwise.ask.check_assembly import check_assembly_file
from bankwise.ask.check_binary import check_binary_file
from bankwise.errors import InputError
from bankwise.read.binary.kernels import kernels_in, readings
from bankwise.read.options import Options
from bankwise.read.recognise import recognise
from bankwise.read.sass import disassemble
from bankwise.read.toolkit import find_program
from bankwise.show.values import CheckReport
from binary_files import archive, bundle, compressed, fatbin, fatbin_entry, host
from command import bankwise
from test_binary_container import BUNDLE, CODE, IDS

CL = """\
#define X __builtin_amdgcn_workitem_id_x()
float leaf(local float *t, int i) __attribute__((noinline));
float leaf(local float *t, int i) { return t[i * 17 & 1023]; }
__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void reads(global const float *a, global float *b, int n) {
  local float tile[64][33];
  local float4 wide[256];
  int t = X;
  for (int i = 0; i < 8; ++i) tile[t & 63][(t >> 6) + 4 * i] = a[i * 256 + t];
  wide[t * 2 & 255] = ((global const float4 *)a)[t];
  __builtin_amdgcn_s_barrier();
  float sum = leaf(&tile[0][0], t);
  for (int i = 0; i < n; ++i) sum += tile[i & 63][t & 31] + tile[t & 63][i & 31];
  b[t] = sum + wide[t ^ 5].y;
}
__attribute__((reqd_work_group_size(64, 4, 1)))
kernel void second(global float *b) {
  local int hist[512];
  hist[X * 8 + __builtin_amdgcn_workitem_id_y()] = 1;
  __builtin_amdgcn_s_barrier();
  b[X] = hist[X * 3];
}
"""
CUDA = """\
__global__ void __launch_bounds__(256) one(float *x) {
  __shared__ float t[16][16];
  t[threadIdx.x % 16][threadIdx.x / 16] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = t[threadIdx.x / 16][threadIdx.x % 16];
}
__global__ void __launch_bounds__(128) two(float *x) {
  __shared__ float t[1024];
  t[threadIdx.x * 8] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = t[threadIdx.x];
}
"""


def run(folder: Path, *words: str) -> None:
    program = shutil.which(words[0])
    if program is None:
        pytest.skip(f"needs {words[0]}")
    subprocess.run([program, *words[1:]], cwd=folder, check=True, capture_output=True)


def clang(folder: Path, *words: str) -> None:
    (folder / "k.cl").write_text(CL, "utf-8")
    language = ["-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-nogpulib"]
    target = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-O2"]
    run(folder, "clang-19", *language, *target, *words, "k.cl")


@pytest.fixture(scope="module")
def amd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one program as assembly, as an object file, and linked."""
    folder = tmp_path_factory.mktemp("amd")
    clang(folder, "-S", "-o", "k.s")
    clang(folder, "-g", "-c", "-o", "k.o")
    run(folder, "ld.lld-19", "-shared", "-o", "k.co", "k.o")
    return folder


@pytest.fixture(scope="module")
def nvidia(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one program as a cubin and as a shared library for two GPUs."""
    folder = tmp_path_factory.mktemp("nvidia")
    if find_program("nvdisasm") is None:
        pytest.skip("needs nvdisasm")
    (folder / "k.cu").write_text(CUDA, "utf-8")
    run(folder, "nvcc", "-cubin", "-arch=sm_90", "-o", "k.cubin", "k.cu")
    gpus = ["-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"]
    size = ["-Xfatbin", "-compress-all"]
    run(folder, "nvcc", "-shared", "-Xcompiler", "-fPIC", *gpus, *size, "-o", "k.so", "k.cu")
    return folder


def said(report: CheckReport) -> dict[str, Sequence[Any]]:
    """What an answer counts of each kernel, and how many places it refuses."""
    return {
        k.name: (
            k.workgroup_size,
            k.lds_bytes,
            len(report.refused(k)),
            [(a.instruction, a.cost.passes, a.cost.ideal, a.executions) for a in k.accesses],
        )
        for k in report.kernels
    }


def bundled(code: bytes) -> bytes:
    return compressed(bundle({IDS[0]: b"", IDS[1]: code}), 3)


@pytest.mark.parametrize("kind", ["k.o", "k.co", "bundle", "library", "archive"])
def test_amd_binaries_are_answered_as_the_compiler_s_assembly(
    kind: str, amd: Path, tmp_path: Path
) -> None:
    linked = (amd / "k.co").read_bytes()
    library = host([(".hip_fatbin", bundled(linked))])
    made = {"bundle": bundled(linked), "library": library, "archive": archive({"a.o": library})}
    path = amd / kind
    if kind in made:
        path = tmp_path / "file.bin"
        path.write_bytes(made[kind])
    wanted = said(check_assembly_file(amd / "k.s", Options()))
    report = check_binary_file(path, Options())
    found = said(report)
    assert set(found) == {"reads", "second"}
    assert found == wanted
    assert sum(len(one[3]) for one in found.values()) > 5
    places = {str(a.location) for a in report.accesses}
    assert {Path(p).name.partition(":")[0] for p in places} == {"k.cl"}


def test_code_that_the_tables_lack_is_read_by_llvm_or_says_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("-mcpu=gfx90a", "-o")
    clang(tmp_path, "-S", *words, "k.s")
    clang(tmp_path, "-c", *words, "k.o")
    wanted = said(check_assembly_file(tmp_path / "k.s", Options()))
    assert sum(len(one[3]) for one in wanted.values()) > 5
    assert said(check_binary_file(tmp_path / "k.o", Options())) == wanted
    monkeypatch.setattr("bankwise.read.amd.llvm.find_objdump", lambda: None)
    with pytest.raises(InputError, match="gfx90a are not in the tables") as refused:
        check_binary_file(tmp_path / "k.o", Options())
    assert "llvm-objdump" in refused.value.hint
    clang(tmp_path, "-c", "-mcpu=gfx1100", "-o", "other.o")
    with pytest.raises(InputError, match="gfx1100 is not followed"):
        check_binary_file(tmp_path / "other.o", Options())


def test_without_debug_information_places_are_addresses(amd: Path, tmp_path: Path) -> None:
    run(amd, "llvm-strip-19", "--strip-debug", "-o", str(tmp_path / "k.co"), str(amd / "k.co"))
    path = tmp_path / "lib.so"
    path.write_bytes(host([(".hip_fatbin", bundled((tmp_path / "k.co").read_bytes()))]))
    report = check_binary_file(path, Options(kernel="second"))
    (write, read) = report.kernels[0].accesses
    assert str(write.location) == f"{path}[gfx942][second]+{write.address:#x}"
    at = objdump(tmp_path / "k.co", "second")
    names = [at[one.address or 0].split()[0] for one in (write, read)]
    assert names == ["ds_write_b32", "ds_read_b32"]
    ended = bankwise("check", path, "--kernel", "second")
    assert f" +{write.address:#x} " in ended.out


def test_notes_name_addresses_and_what_stands_there(amd: Path) -> None:
    """Nobody sees the lines of a disassembly that bankwise makes."""
    report = check_binary_file(amd / "k.co", Options(kernel="reads"))
    words = [*report.notes, *(n for k in report.kernels for n in k.notes)]
    words += [one.reason for one in report.refusals]
    assert not [text for text in words if re.search(r"\bline \d", text)]
    told = {m for text in words for m in re.findall(r"\((\+0x[0-9a-f]+ \w+) ", text)}
    assert told, "the loop's count is an argument"
    shown = objdump(amd / "k.co", "reads")
    assert told <= {f"+{at:#x} {text.split()[0]}" for at, text in shown.items()}


def objdump(path: Path, function: str) -> dict[int, str]:
    """LLVM's text of a function, by the distance from its start."""
    program = shutil.which("llvm-objdump-19")
    if program is None:
        pytest.skip("needs llvm-objdump-19")
    printed = subprocess.run(
        [program, "-d", path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    code = printed.partition(f"<{function}>:")[2].splitlines()[1:]
    code = list(takewhile(lambda line: "//" in line, code))
    starts = [int(line.rpartition("// ")[2].partition(":")[0], 16) for line in code]
    return {a - starts[0]: line for a, line in zip(starts, code, strict=True)}


def test_a_broken_member_costs_no_other(amd: Path, tmp_path: Path) -> None:
    mark = b"__CLANG_OFFLOAD_BUNDLE__"
    wild = bundled(CODE[:20] + b"\xff" * 300)
    cut, junk = (host([(".hip_fatbin", one)]) for one in (mark + b"\xff" * 8, wild))
    good = host([(".hip_fatbin", bundled((amd / "k.co").read_bytes()))])
    path = tmp_path / "lib.a"
    path.write_bytes(archive({"cut.o": cut, "junk.o": junk, "good.o": good}))
    byte = path.read_bytes().index(mark) + len(mark)
    report = check_binary_file(path, Options())
    alone = said(check_binary_file(amd / "k.co", Options()))
    assert alone.items() <= said(report).items()
    refused = {str(r.location): r.reason for r in report.refusals}
    assert f"byte {byte:#x}: " in refused[f"{path}[cut.o]"]
    assert "the list of sections of" in refused[f"{path}[junk.o][gfx942]"]
    found = bankwise("scan", path, "--jobs", "1", "--format", "json")
    broken = [one["location"]["inside"] for one in json.loads(found.out)["broken"]]
    assert (found.code, broken) == (1, ["[cut.o]", "[junk.o][gfx942]"])
    path.write_bytes(archive({"cut.o": cut, "junk.o": junk}))
    assert [bankwise(verb, path).code for verb in ("check", "scan")] == [2, 2]


def test_a_library_for_two_gpus_is_answered_for_the_newest_and_says_so(nvidia: Path) -> None:
    wanted = said(check_assembly_file(nvidia / "k.cubin", Options()))
    report = check_binary_file(nvidia / "k.so", Options())
    assert said(report) == wanted
    assert {k.name for k in report.kernels} == {"_Z3onePf", "_Z3twoPf"}
    assert {k.target for k in report.kernels} == {"sm_90"}
    assert report.notes == ("checked for sm_90; --target chooses another: sm_80",)
    older = check_binary_file(nvidia / "k.so", Options(target="sm_80", kernel="two"))
    assert [(k.name, k.target) for k in older.kernels] == [("_Z3twoPf", "sm_80")]
    assert not older.notes
    with pytest.raises(InputError, match="no code for sm_100 in this file") as refused:
        check_binary_file(nvidia / "k.so", Options(target="sm_100"))
    assert refused.value.hint == "it has code for sm_80, sm_90"
    with pytest.raises(InputError, match="no kernel 'three'"):
        check_binary_file(nvidia / "k.so", Options(kernel="three"))


def test_kernels_are_listed_without_a_disassembler_and_only_those_wanted_are_read(
    nvidia: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    real = disassemble.disassemble

    def noted(path: Path, only: Sequence[int] = ()) -> str:
        text = real(path, only)
        calls.append(text)
        return text

    monkeypatch.setattr(disassemble, "disassemble", noted)
    found = list(kernels_in(nvidia / "k.so"))
    assert sorted((k.name, k.target) for k in found) == [
        (name, gpu) for name in ("_Z3onePf", "_Z3twoPf") for gpu in ("sm_80", "sm_90")
    ]
    assert not calls
    (reading,) = readings(kernels_in(nvidia / "k.so", "sm_90", "two"))
    assert reading.code.name == "_Z3twoPf"
    assert len(calls) == 1
    assert ".text._Z3twoPf" in calls[0]
    assert ".text._Z3onePf" not in calls[0]


def test_ptx_is_checked_where_there_is_nothing_else(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "data/isa/ldmatrix.ptx").read_bytes()
    path = tmp_path / "k.fatbin"
    path.write_bytes(fatbin(fatbin_entry(1, 80, text + b"\0")))
    wanted = bankwise("check", Path(__file__).parent / "data/isa/ldmatrix.ptx", "-t", "sm_80")
    found = bankwise("check", path, "-t", "sm_80")
    assert found.code == wanted.code
    assert "ldmatrix" in found.out


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (host([(".text", b"\x90")]), "no code for a GPU in this file"),
        (BUNDLE, "no kernel for a GPU"),
        (bundle({"hip-amdgcn-amd-amdhsa--gfx906": CODE}), "code for gfx906 is not followed"),
        (fatbin(fatbin_entry(2, 90, CODE[:18] + b"\xbe\0" + CODE[20:])), "the cubin is cut off"),
    ],
)
def test_a_binary_without_a_kernel_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "lib.so"
    path.write_bytes(data)
    ended = bankwise("check", path)
    assert ended.code == 2
    assert message in ended.err
    assert "hint: " in ended.err


def test_a_missing_package_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lib.so"
    path.write_bytes(host([(".text", b"\x90")]))
    monkeypatch.setitem(sys.modules, "elftools.elf.elffile", None)
    with pytest.raises(InputError) as missing:
        check_binary_file(path, Options())
    assert re.fullmatch(r"pip install (-e )?'[^']+\[binary\]'", missing.value.hint)


def test_a_large_library_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    path = tmp_path / "lib.so"
    path.write_bytes(host([(".text", bytes(1 << 20))]))
    assert recognise(path).name == "object or library"


def test_sarif_names_the_file_and_the_address_in_it(amd: Path, tmp_path: Path) -> None:
    run(amd, "llvm-strip-19", "--strip-debug", "-o", str(tmp_path / "k.co"), str(amd / "k.co"))
    path = tmp_path / "lib.so"
    path.write_bytes(host([(".hip_fatbin", bundled((tmp_path / "k.co").read_bytes()))]))
    (write, _) = check_binary_file(path, Options(kernel="second")).kernels[0].accesses
    for verb, inside in (("check", f"[gfx942][second]+{write.address:#x}"),
                         ("scan", "[gfx942][second]")):  # fmt: skip
        told = json.loads(bankwise(verb, path, "--kernel", "second", "--format", "sarif").out)
        places = [one["locations"][0] for one in told["runs"][0]["results"]]
        assert {one["physicalLocation"]["artifactLocation"]["uri"] for one in places} == {
            path.as_uri()
        }
        assert inside in {one["logicalLocations"][0]["fullyQualifiedName"] for one in places}
