"""Cubins: what their bytes tell, how nvdisasm is found and run, how both refuse."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
import shutil
import stat
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.ask.check_assembly import check_assembly_file
from bankwise.errors import InputError, Location
from bankwise.read.follow.driver import check_code, check_kernels
from bankwise.read.options import Options
from bankwise.read.recognise import recognise
from bankwise.read.sass import disassemble
from bankwise.read.sass.cubin import check_cubin
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.facts import from_cubin
from bankwise.read.sass.parse import kernels
from bankwise.read.toolkit import find_program
from command import bankwise
from sass_texts import DATA, sass_text

pytestmark = pytest.mark.compiles

BODY = """\
//## File "tile.cu", line 12
S2R R0, SR_TID.X
IMAD.SHL.U32 R2, R0, 0x80, RZ
STS [R2+0x400], R4"""


def info(*attributes: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack("<BBH", 4, code, len(data)) + data for code, data in attributes)


def parameter(position: int, offset: int, size: int) -> bytes:
    return struct.pack("<IHHI", 0, position, offset, size << 18 | 0xF000)


def cubin(
    attributes: bytes,
    *,
    shared: int = 5120,
    machine: int = 190,
    version: int = 8,
    flags: int = 90 << 8 | 4,
    linked: int = 2,
    shared_type: int = 8,
    more: tuple[tuple[str, bytes], ...] = (),
) -> bytes:
    """The smallest ELF file that has what is read: four sections and their names."""
    sections = [("", 0, b"", 0), (".text.k", 1, b"\0" * 128, 128)]
    sections += [(".nv.info.k", 0x70000000, attributes, len(attributes))]
    sections += [(".nv.shared.k", shared_type, b"", shared)]
    sections += [(name, 1, data, len(data)) for name, data in more]
    sections += [(".shstrtab", 3, b"", 0)]
    names = b"\0".join(name.encode() for name, *_ in sections) + b"\0"
    sections[-1] = (".shstrtab", 3, names, len(names))
    body, rows, at = b"", b"", 64
    for name, kind, data, size in sections:
        start = names.index(name.encode() + b"\0") if name else 0
        rows += struct.pack("<IIQQQQIIQQ", start, kind, 0, 0, at + len(body), size, 0, 0, 1, 0)
        body += data
    head = b"\x7fELF" + bytes([2, 1, 1, 0x41, version]) + b"\0" * 7
    head += struct.pack("<HHIQQQI", linked, machine, 1, 0, 0, at + len(body), flags)
    head += struct.pack("<HHHHHH", 64, 0, 0, 64, len(sections), len(sections) - 1)
    return head + body + rows


FACTS = info(
    (0x17, parameter(1, 8, 4)),
    (0x17, parameter(0, 0, 8)),
    (0x05, struct.pack("<III", 32, 1, 1)),
    (0x0A, struct.pack("<IHH", 7, 0x210, 12)),
)


@pytest.fixture
def nvdisasm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A disassembler on PATH that prints a prepared text and notes how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (tmp_path / "text").write_text(sass_text(BODY))
    program = folder / "nvdisasm"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\ncat {tmp_path}/text\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return program


def test_the_bytes_tell_threads_parameters_and_shared_memory() -> None:
    facts = from_cubin(cubin(FACTS), "k.cubin")["k"]
    assert facts.workgroup_size == (32, 1, 1)
    assert facts.bounded
    assert facts.parameters == ((0, 8), (8, 4))
    assert facts.parameter_base == 0x210
    assert facts.shared_bytes == 4096


def test_a_required_size_is_preferred_to_a_bound_and_is_none() -> None:
    both = info((0x05, struct.pack("<III", 64, 1, 1)), (0x10, struct.pack("<III", 8, 4, 1)))
    facts = from_cubin(cubin(both), "k.cubin")["k"]
    assert (facts.workgroup_size, facts.bounded) == ((8, 4, 1), False)


def test_older_files_keep_the_generation_elsewhere() -> None:
    old = from_cubin(cubin(FACTS, version=7, flags=80 | 80 << 16), "k.cubin")["k"]
    assert old.shared_bytes == 5120


def test_a_cubin_is_disassembled_and_checked(nvdisasm: Path, tmp_path: Path) -> None:
    path = tmp_path / "k.cubin"
    path.write_bytes(cubin(FACTS))
    assert recognise(path).name == "cubin"
    report = check_assembly_file(path, Options())
    (access,) = report.kernels[0].accesses
    assert (access.cost.passes, access.cost.ideal) == (32, 1)
    assert str(access.location) == "tile.cu:12"
    assert "STS at 0x0020" in access.note
    assert (tmp_path / "called").read_text().split() == ["-c", "-gi", "-ndf", str(path)]
    assert "the most that the kernel was compiled for" in report.kernels[0].notes[0]


def test_a_cubin_comes_through_a_pipe(
    nvdisasm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """nvdisasm reads a file alone; it is given one."""
    (tmp_path / "k.cubin").write_bytes(cubin(FACTS))
    with open(tmp_path / "k.cubin", "rb") as data, io.TextIOWrapper(data) as piped:
        monkeypatch.setattr(sys, "stdin", piped)
        ended = bankwise("check", "-")
    assert ended.code == 1
    assert "32-way bank conflict" in ended.out
    assert (tmp_path / "called").read_text().split()[-1] != "-"


@pytest.mark.parametrize(
    ("said", "name"),
    [
        (r"k/\303\274 dir/tr\303/244n.cu", "k/ü dir/trän.cu"),
        (r"\346\227\245\346\234/254.cu", "日本.cu"),
        (r"\303\274/244.cu", "ü/244.cu"),
        (r"C:\\tiles\\k.cu", r"C:\tiles\k.cu"),
        ("tiles/244.cu", "tiles/244.cu"),
    ],
)
def test_a_source_has_the_name_that_its_user_gave_it(said: str, name: str) -> None:
    """Bytes beyond ASCII are octal numbers; of the last one ptxas makes a folder."""
    (kernel,) = kernels(sass_text(BODY.replace("tile.cu", said)), "k.sass")
    assert kernel.instructions[0].source == Location(name, 12)


def test_what_is_not_analysed_belongs_to_its_kernel_not_to_its_neighbour(
    nvdisasm: Path, tmp_path: Path
) -> None:
    """Both stand in one source, whose lines do not tell which kernel an instruction is in."""
    loaded = BODY.replace("IMAD.SHL.U32 R2, R0, 0x80, RZ", "LDG.E R2, desc[UR4][R6.64]")
    other = re.sub(r"\bk\b", "other", sass_text(loaded).partition("\n\n")[2])
    (tmp_path / "text").write_text(f"{sass_text(BODY)}\n{other}")
    path = tmp_path / "k.cubin"
    path.write_bytes(cubin(FACTS))
    report = check_assembly_file(path, Options(workgroup_size="32"))
    (refusal,) = report.refusals
    assert str(refusal.location) == "tile.cu:12"
    assert {k.name: report.refused(k) for k in report.kernels} == {"k": (), "other": (refusal,)}


def test_no_disassembler_is_bad_input_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.cubin"
    path.write_bytes(cubin(FACTS))
    monkeypatch.setattr(disassemble, "find_program", lambda name: None)
    with pytest.raises(InputError, match=r"nvdisasm, which is not found\n.*\[cuda\].*CUDA Toolkit"):
        check_cubin(path)


def test_it_is_found_by_cuda_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "nvdisasm"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert find_program("nvdisasm") == program


def test_a_failing_disassembler_is_quoted(nvdisasm: Path, tmp_path: Path) -> None:
    path = tmp_path / "k.cubin"
    path.write_bytes(cubin(FACTS))
    nvdisasm.write_text("#!/bin/sh\necho 'nvdisasm fatal : bad stuff' >&2\nexit 1\n")
    with pytest.raises(InputError, match="nvdisasm refuses it: nvdisasm fatal : bad stuff"):
        check_cubin(path)
    nvdisasm.write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(InputError, match="nvdisasm refuses it: exit 0"):
        check_cubin(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no cubin"),
        (b"\x7fEL", "no cubin"),
        (b"BC\xc0\xde" * 20, "no cubin: it does not begin as ELF"),
        (cubin(FACTS, machine=62), "an ELF file for machine 62, no cubin"),
        (cubin(FACTS)[:40], "cut off"),
        (cubin(FACTS)[:-10], "cut off"),
        (cubin(FACTS)[:200], "cut off"),
    ],
)
def test_what_is_no_whole_cubin_is_bad_input(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "k.cubin"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        check_cubin(path)


def test_every_length_of_a_cut_cubin_is_read_or_refused() -> None:
    whole = cubin(FACTS)
    for length in range(len(whole)):
        with pytest.raises(InputError):
            from_cubin(whole[:length], "k.cubin")


def test_a_missing_cubin_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        check_cubin(tmp_path / "k.cubin")


def test_the_real_tools_agree_with_each_other(tmp_path: Path) -> None:
    """A cubin assembled here: read through its bytes, and as the text of both disassemblers."""
    ptxas, found = shutil.which("ptxas"), find_program("nvdisasm")
    if ptxas is None or found is None:
        pytest.skip("ptxas or nvdisasm is not installed")
    source = (DATA / "sass" / "tiles.ptx").read_text()
    (tmp_path / "tiles.ptx").write_text(source)
    path = tmp_path / "tiles.cubin"
    command = [ptxas, "-arch=sm_90", "-lineinfo", "-o", str(path), str(tmp_path / "tiles.ptx")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this ptxas does not take the text")
    own = check_cubin(path)
    texts = [subprocess.run([found, "-g", path], capture_output=True, text=True).stdout]
    dumper = found.parent / "cuobjdump"
    if dumper.exists():
        command = [str(dumper), "--dump-sass", str(path)]
        texts.append(subprocess.run(command, capture_output=True, text=True).stdout)
    for text in texts:
        for kernel in own:
            (other,) = check_code(
                SASS, text, "t.sass", kernel=kernel.name, workgroup_size=kernel.workgroup_size
            )
            assert len(own) == 12
            assert [a.instruction for a in other.accesses] == [
                a.instruction for a in kernel.accesses
            ]
            for mine, same in zip(kernel.accesses, other.accesses, strict=True):
                for one, two in zip(mine.access.patterns, same.access.patterns, strict=True):
                    assert (one.offsets_bytes == two.offsets_bytes).all()
                    assert (one.active == two.active).all()


def test_before_linking_the_driver_keeps_no_shared_memory() -> None:
    """The type of a section of shared memory as nvcc 13.0 -rdc=true writes it."""
    facts = from_cubin(cubin(FACTS, linked=1, shared_type=0x7000000A), "k.cubin")["k"]
    assert facts.shared_bytes == 5120
    assert from_cubin(cubin(FACTS), "k.cubin")["k"].shared_bytes == 5120 - 1024


def test_constants_of_the_compiler_stand_in_the_cubin() -> None:
    words = struct.pack("<III", 7, 8, 9)
    facts = from_cubin(cubin(FACTS, more=((".nv.constant2.k", words),)), "k.cubin")["k"]
    assert facts.literals == words
    moved = ((".nv.constant2.k", words), (".rela.nv.constant2.k", bytes(24)))
    assert from_cubin(cubin(FACTS, more=moved), "k.cubin")["k"].literals == b""
    code = "S2R R0, SR_TID.X\nIMAD.SHL.U32 R1, R0, 0x4, RZ\nLDC R2, c[0x2][R1]\nSTS [R2+0x400], R0"
    text = sass_text(f"{code}\nLDC R2, c[0x3][0x4]\nSTS [R2], R0", threads=3)
    found = kernels(text, "k", {"k": replace(facts, workgroup_size=(3, 1, 1))})
    where = lambda one: Location("k", one.line)  # noqa: E731 - of the record
    (kernel,) = check_kernels(SASS, found, "k", "sm_90", where, {}, None)
    (pattern,) = kernel.accesses[0].access.patterns
    assert pattern.offsets_bytes[pattern.active].tolist() == [7, 8, 9]
    (refusal,) = kernel.refusals
    assert "c[0x3][0x4], which the host may change" in refusal.reason


def test_bytes_changed_anywhere_in_a_cubin_are_read_or_refused() -> None:
    draw, whole = random.Random(7), cubin(FACTS, more=((".nv.constant2.k", b"\1" * 12),))
    read = 0
    for _ in range(2_000):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 6)):
            data[draw.randrange(len(data))] = draw.choice((0, 1, 0x7F, 0x80, 0xFF))
        cut = draw.randrange(len(data)) if draw.random() < 0.2 else len(data)
        with contextlib.suppress(InputError):
            from_cubin(bytes(data[:cut]), "k.cubin")
            read += 1
    assert read > 100


def test_without_either_there_is_no_bound() -> None:
    facts = from_cubin(cubin(info((0x17, struct.pack("<IHHI", 0, 0, 0, 8 << 18)))), "k.cubin")["k"]
    assert (facts.workgroup_size, facts.bounded) == (None, False)
