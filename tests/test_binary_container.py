"""Containers of machine code: what they hold, and what forged ones are told."""

from __future__ import annotations

import contextlib
import random
import shutil
import subprocess
from pathlib import Path
from struct import pack

import pytest

from bankwise.errors import InputError

pytest.importorskip("elftools", reason="needs the extra binary")
pytest.importorskip("zstandard", reason="needs the extra binary")

import zstandard

from bankwise.read.binary import lz4
from bankwise.read.binary.container import CODE_OBJECT, CUBIN, PTX, members
from bankwise.read.toolkit import find_program
from binary_files import (
    archive,
    bundle,
    compressed,
    fatbin,
    fatbin_entry,
    host,
    lz4_block,
    zip_file,
)
from test_isa_sass_cubin import FACTS, cubin

CODE = b"\x7fELF\x02\x01\x01\x40\x03" + bytes(7) + b"\x03\x00\xe0\x00" + bytes(300)
IDS = ("host-x86_64-unknown-linux-gnu", "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-")
BUNDLE = bundle({IDS[0]: b"", IDS[1]: CODE, "hip-amdgcn-amd-amdhsa--gfx950": CODE})
ZSTD, LZ4 = 0x8011, 0x2011
SOURCE = "__global__ void work(float *x) { __shared__ float t[64]; t[threadIdx.x] = x[0]; }"


def held(data: bytes, folder: Path) -> list[tuple[str, str, str, bytes]]:
    """Where, what, for which GPU, and the bytes of each member."""
    path = folder / "file"
    path.write_bytes(data)
    return [(m.inside, m.kind, m.target, bytes(m.content().data)) for m in members(path)]


def test_a_bundle_holds_code_of_several_gpus(tmp_path: Path) -> None:
    wanted = [("[gfx942]", CODE_OBJECT, "gfx942", CODE), ("[gfx950]", CODE_OBJECT, "gfx950", CODE)]
    assert held(BUNDLE, tmp_path) == wanted
    for version in (1, 2, 3):
        assert held(compressed(BUNDLE, version), tmp_path) == wanted


def test_bundles_of_a_section_stand_one_behind_the_other(tmp_path: Path) -> None:
    section = b"".join(part + bytes(-len(part) % 4096) for part in (BUNDLE, compressed(BUNDLE, 3)))
    found = held(host([(".text", b"\x90"), (".hip_fatbin", section)]), tmp_path)
    assert [one[0] for one in found] == ["[gfx942]", "[gfx950]", "[gfx942]#2", "[gfx950]#2"]
    assert {one[3] for one in found} == {CODE}


def test_a_fatbin_unpacks_what_is_compressed(tmp_path: Path) -> None:
    whole = cubin(FACTS) + bytes(5000)
    packed = lz4_block(whole)
    ptx = b".version 8.0\n.target sm_80\n"
    data = fatbin(
        fatbin_entry(2, 80, whole),
        fatbin_entry(2, 90, zstandard.compress(whole), ZSTD, len(whole)),
        fatbin_entry(2, 75, packed, LZ4, len(whole)),
        fatbin_entry(1, 80, zstandard.compress(ptx), ZSTD, len(ptx)),
        fatbin_entry(16, 80, b"something else"),
    )
    found = held(data, tmp_path)
    assert [one[:3] for one in found] == [
        ("[sm_80]", CUBIN, "sm_80"),
        ("[sm_90]", CUBIN, "sm_90"),
        ("[sm_75]", CUBIN, "sm_75"),
        ("[sm_80.ptx]", PTX, "sm_80"),
    ]
    assert len(packed) < len(whole) - 4000
    assert [one[3].rstrip(b"\0") for one in found[:3]] == [whole.rstrip(b"\0")] * 3
    assert found[3][3] == ptx


def test_containers_stand_in_containers(tmp_path: Path) -> None:
    inner = host([(".nv_fatbin", fatbin(fatbin_entry(2, 90, cubin(FACTS))))])
    moved = host([("__nv_relfatbin", fatbin(fatbin_entry(2, 86, cubin(FACTS))))])
    files = {"short.o": inner, "a_name_that_is_long.o": moved, "x": b"text", "hip.o": BUNDLE}
    found = held(archive({**files, "again.a": archive({"short.o": inner})}), tmp_path)
    assert [one[0] for one in found] == [
        "[short.o][sm_90]",
        "[a_name_that_is_long.o][sm_86]",
        "[hip.o][gfx942]",
        "[hip.o][gfx950]",
        "[again.a][short.o][sm_90]",
    ]


def test_what_is_linked_stands_for_what_it_was_linked_of(tmp_path: Path) -> None:
    linked, moved = (fatbin(fatbin_entry(2, arch, cubin(FACTS))) for arch in (90, 80))
    found = held(host([("__nv_relfatbin", moved), (".nv_fatbin", linked)]), tmp_path)
    assert [one[2] for one in found] == ["sm_90"]


def test_a_module_of_iree_holds_code_behind_its_length(tmp_path: Path) -> None:
    """What no length goes before is no code: a path, a mark in the bytes of code."""
    ptx = b"//\n// Generated\n//\n\n.version 7.6\n.target sm_80\n"
    hip = b"HIP1" + bytes(20) + b"a//name\0" + pack("<I", len(CODE)) + CODE + b"\x7fELF"
    cuda = b"CDA1" + bytes(20) + pack("<I", len(ptx)) + ptx + b"\0"
    found = held(zip_file({"module.fb": b"IREE", "hip.fb": hip, "cuda.fb": cuda}), tmp_path)
    assert found == [
        ("[hip.fb]", CODE_OBJECT, "", CODE),
        ("[cuda.fb]", PTX, "sm_80", ptx),
    ]


def test_a_wheel_is_opened_where_it_holds_code(tmp_path: Path) -> None:
    library = host([(".hip_fatbin", BUNDLE)])
    data = zip_file({"a/__init__.py": b"import x\n", "a/lib.so": library, "a/k.co": CODE})
    assert held(data, tmp_path) == [
        ("[a/lib.so][gfx942]", CODE_OBJECT, "gfx942", CODE),
        ("[a/lib.so][gfx950]", CODE_OBJECT, "gfx950", CODE),
        ("[a/k.co]", CODE_OBJECT, "", CODE),
    ]


def test_a_damaged_file_of_a_wheel_costs_no_other(tmp_path: Path) -> None:
    data = bytearray(zip_file({"a.co": CODE, "b.co": CODE}))
    data[data.rindex(b"PK\x03\x04") - 1] ^= 0xFF
    broken: list[InputError] = []
    (tmp_path / "x.whl").write_bytes(data)
    found = [one.inside for one in members(tmp_path / "x.whl", broken)]
    assert found == ["[b.co]"]
    (error,) = broken
    assert error.location is not None
    assert error.location.inside == "[a.co]"
    assert "byte 0x0: no whole zip file: " in error.message


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (zip_file({"a.co": CODE})[:-30], "byte 0x0: no whole zip file"),
        (BUNDLE[:60], "byte 0x"),
        (b"__CLANG_OFFLOAD_BUNDLE__" + b"\xff" * 8, "byte 0x18: .* entries in a bundle"),
        (compressed(BUNDLE, 3, claimed=1 << 40), "byte 0x20: .* are the most read"),
        (compressed(BUNDLE, 2, claimed=len(BUNDLE) - 1), "byte 0x18: .* it claims"),
        (compressed(BUNDLE, 3)[:-4], "byte 0x20"),
        (b"CCOB\x09\x00" + bytes(40), "byte 0x4: version 9"),
        (b"CCOB\x03\x00\x07\x00" + bytes(40), "byte 0x"),
        (fatbin(fatbin_entry(2, 90, b"junk", ZSTD, 100)), "byte 0x50: a cubin for sm_90"),
        (fatbin(fatbin_entry(2, 90, b"\x10a\x09\x00", LZ4, 100)), "byte 0x50: .* 9 bytes back"),
        (fatbin(fatbin_entry(2, 90, b"j", LZ4, 1 << 50)), "are the most read"),
        (fatbin(fatbin_entry(2, 90, bytes(64)))[:-1], "byte 0x10: a fatbin of"),
        (fatbin(fatbin_entry(2, 90, b"", packed=99, flags=ZSTD)), "byte 0x50"),
        (archive({"a": CODE})[:40] + b"!" * 60, "byte 0x8: no header"),
        (archive({"a": bytes(10)})[:-4], "byte 0x44: a member of 10 bytes"),
        (host([(".nv_fatbin", b"\x50\xed\x55\xba")]), "byte 0x44"),
        (host([(".hip_fatbin", b"something")]), "byte 0x40: no offload bundle"),
        (host([(".nv_fatbin", bytes(64))])[:200], "byte 0x"),
    ],
)
def test_a_forged_header_is_told_with_its_byte(data: bytes, where: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=where):
        held(data, tmp_path)


def test_a_small_file_that_unpacks_to_much_is_not_unpacked(tmp_path: Path) -> None:
    bomb = zstandard.compress(bytes(1 << 26), 19)
    data = fatbin(fatbin_entry(2, 90, bomb, ZSTD, 1 << 20))
    assert len(data) < 10_000
    with pytest.raises(InputError, match=r"has 1,048,577 bytes, not the 1,048,576 it claims"):
        held(data, tmp_path)


def test_containers_nested_for_ever_end(tmp_path: Path) -> None:
    data = CODE
    for _ in range(12):
        data = archive({"a": data})
    with pytest.raises(InputError, match="more than 8 deep"):
        held(data, tmp_path)


def test_lz4_repeats_what_reaches_into_itself() -> None:
    draw = random.Random(3)
    data = b"".join(bytes([draw.randrange(4)]) * draw.randrange(1, 700) for _ in range(200))
    packed = lz4_block(data)
    assert len(packed) < len(data) // 20
    assert lz4.lz4(packed, len(data)) == data


def test_bytes_changed_anywhere_are_read_or_refused(tmp_path: Path) -> None:
    draw = random.Random(11)
    elf = cubin(FACTS)
    wholes = [
        BUNDLE,
        compressed(BUNDLE, 3),
        host([(".nv_fatbin", fatbin(fatbin_entry(2, 90, lz4_block(elf), LZ4, len(elf))))]),
        archive({"a_name_that_is_long.o": host([(".hip_fatbin", BUNDLE)]), "b.o": elf}),
        zip_file({"a.so": host([(".hip_fatbin", BUNDLE)]), "b.cubin": elf}),
    ]
    read = 0
    for _ in range(1500):
        data = bytearray(draw.choice(wholes))
        for _ in range(draw.randrange(1, 5)):
            data[draw.randrange(len(data))] = draw.choice((0, 1, 0x7F, 0x80, 0xFF))
        cut = draw.randrange(len(data)) if draw.random() < 0.2 else len(data)
        with contextlib.suppress(InputError):
            held(bytes(data[:cut]), tmp_path)
            read += 1
    assert read > 100


def nvcc(*words: str, folder: Path) -> Path:
    """What nvcc makes of one small kernel; skips where there is none."""
    program = shutil.which("nvcc")
    if program is None:
        pytest.skip("needs nvcc")
    (folder / "k.cu").write_text(SOURCE)
    out = folder / "out.bin"
    command = [program, *words, "-o", str(out), str(folder / "k.cu")]
    subprocess.run(command, check=True, capture_output=True)
    return out


TWO = ("-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=[sm_90,compute_90]")


@pytest.mark.parametrize(
    "words", [("-fatbin", "--compress-mode=size"), ("-lib",), ("-rdc=true", "-c")]
)
def test_what_nvcc_writes_is_listed_as_cuobjdump_lists_it(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    path = nvcc(*words, *TWO, folder=tmp_path)
    found = list(members(path))
    assert sorted((m.kind, m.target) for m in found) == [
        (PTX, "sm_90"),
        (CUBIN, "sm_80"),
        (CUBIN, "sm_90"),
    ]
    dumper = find_program("cuobjdump")
    if dumper is not None:
        listed = subprocess.run([dumper, "-lelf", path], capture_output=True, text=True).stdout
        assert listed.count("ELF file") == sum(m.kind == CUBIN for m in found)
    (ptx,) = [m for m in found if m.kind == PTX]
    assert b".entry _Z4workPf" in bytes(ptx.content().data)
