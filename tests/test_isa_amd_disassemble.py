"""AMD machine code without LLVM, against LLVM's own disassembler and assembler."""

from __future__ import annotations

import io
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bankwise.errors import InputError

pytest.importorskip("tinygrad", reason="needs the extra binary")
pytest.importorskip("elftools", reason="needs the extra binary")

from elftools.elf.elffile import ELFFile

from bankwise.read.amd.disassemble import MachineInstruction, disassemble
from bankwise.read.amd.encodings import MachineEncoding, tables

DATA = Path(__file__).parent / "data/isa"
_PRINTED = re.compile(r"\s+(.*?)\s*// ([0-9A-F]{12}): ([0-9A-F ]+)")
_WORDS = ("s_sendmsg", "ds_swizzle", "s_nop", "s_atc_probe")
"""Where LLVM has words for a number, or writes it in another base."""


def tool(name: str) -> str:
    """LLVM 19's program; skips where it is not."""
    found = shutil.which(f"{name}-19")
    if found is None:
        pytest.skip(f"needs {name}-19")
    return found


def text_of(elf: bytes) -> bytes:
    return bytes(ELFFile(io.BytesIO(elf)).get_section_by_name(".text").data())


def llvm(path: Path, base: int = 0) -> dict[int, tuple[int, str]]:
    """Offset to length and text, as llvm-objdump prints."""
    words = [tool("llvm-objdump"), "-d", "--mcpu=gfx942", "--section=.text", str(path)]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = {}
    for line in printed.splitlines():
        if m := _PRINTED.match(line):
            found[int(m[2], 16) - base] = (4 * len(m[3].split()), " ".join(m[1].split()))
    return found


def differ(mine: MachineInstruction, length: int, text: str) -> bool:
    if mine.goes_to is not None or text.startswith(_WORDS):
        return (mine.length, mine.text.split()[0]) != (length, text.split()[0])
    return (mine.length, mine.text) != (length, text)


KERNEL = """
kernel void work(global const float *a, global float *b, global const ushort *h, int n) {
  local float tile[64][33];
  local ushort part[256];
  int t = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
  for (int i = y; i < n; i += 4) {
    tile[i & 63][t & 31] = a[i * 64 + t] / (float)(i + 3);
    part[(t * 7 + i) & 255] = h[i * 5 + t] + (ushort)(i % 13);
    __atomic_fetch_max((local int *)&tile[t & 63][32], i / (t + 1), __ATOMIC_RELAXED);
  }
  __builtin_amdgcn_s_barrier();
  double sum = 0;
  long mix = n;
  for (int i = 0; i < 32; ++i) {
    sum += tile[t & 63][i] * (double)part[(i * t) & 255];
    mix = mix * 6364136223846793005L + (mix >> (i & 31)) % 7919;
    if (mix & 1) sum = __builtin_sqrt(__builtin_fabs(sum)) + __builtin_popcount((uint)mix);
  }
  b[t] = (float)sum + (float)mix + as_float(as_uint(tile[t & 63][3]) >> 7);
}
"""


@pytest.mark.parametrize("level", ["-O1", "-O3"])
def test_what_clang_compiles_reads_as_in_llvm(level: str, tmp_path: Path) -> None:
    source, path = tmp_path / "k.cl", tmp_path / "k.o"
    source.write_text(KERNEL, "utf-8")
    flags = ["-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-nogpulib"]
    target = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", level, "-c"]
    run = [tool("clang"), *flags, *target, "-o", str(path), str(source)]
    subprocess.run(run, check=True, capture_output=True)
    reference = llvm(path)
    code = text_of(path.read_bytes())
    assert len(reference) > 300
    for mine in disassemble(code, "gfx942"):
        assert not differ(mine, *reference[mine.offset]), reference[mine.offset]


def _one(encoding: MachineEncoding, fixed: int, draw: random.Random) -> bytes:
    """An instruction with plausible fields: no modifiers of the sources' signs, no odd scalars."""
    raw = draw.getrandbits(64)
    sizes = {"op", "encoding", "simm16", "literal", "offset", "offset0", "offset1", "seg"}
    for name, (low, mask) in encoding.fields.items():
        unused = name not in encoding.registers and name not in sizes
        if unused and not (encoding.kind == "GLOBAL" and name == "saddr"):
            raw &= ~(mask << low)
        elif encoding.kind == "VOP3_SDST" and name == "vdst":
            raw = raw & ~(mask << low) | 4 * draw.randrange(24) << low
        elif mask in (0xFF, 0x1FF) and name.startswith(("src", "ssrc", "soffset")):
            raw = raw & ~(mask << low) | 4 * draw.randrange(24) << low
            if (mask == 0x1FF and draw.random() < 0.6) or encoding.kind == "VOP3P_MFMA":
                raw |= 256 << low
        elif name in ("vdst", "vsrc1", "addr", "data0", "data1", "data", "vdata", "vaddr"):
            raw &= ~(1 << low)  # wide operands begin at even registers
        elif name in ("sdst", "sbase", "sdata", "saddr", "srsrc"):
            raw = raw & ~(mask << low) | 4 * draw.randrange(mask // 8) << low
        elif mask < 64 and name not in ("offen", "idxen", "acc", "acc_cd", "sc0", "sc1", "nt"):
            raw &= ~(mask << low)
    if encoding.kind == "FLAT":
        raw &= ~(1 << 12)  # of no field
    keep = next(m for m, entries in tables() if entries.get(fixed) is encoding)
    return (raw & ~keep | fixed).to_bytes(8, "little")


def test_every_instruction_of_the_tables_reads_as_in_llvm(tmp_path: Path) -> None:
    draw = random.Random(1)
    every = [(e, fixed) for _, entries in tables() for fixed, e in entries.items()]
    words = [_one(encoding, fixed, draw) for encoding, fixed in every for _ in range(2)]
    nops = ".long 0xbf800000, 0xbf800000\n"
    source = "".join(f".byte {', '.join(map(str, word))}\n{nops}" for word in words)
    path = tmp_path / "all.o"
    run = [tool("llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj"]
    subprocess.run([*run, "-o", str(path)], input=source, text=True, check=True)
    reference = llvm(path)
    wrong, same = [], 0
    for n, word in enumerate(words):
        length, text = reference.get(16 * n, (0, ".long"))
        if text.startswith((".long", "<unknown", "s_nop")) or "Invalid" in text or "null" in text:
            continue
        mine = disassemble(word + bytes.fromhex("000080bf" * 2), "gfx942")[0]
        bits = mine.text.removesuffix(" glc").removesuffix(" nt").removesuffix(" gds")
        if differ(mine, length, text) and bits != text:
            wrong.append((text, mine.text, word.hex()))
        same += 1
    assert same > 2000
    assert not wrong, wrong[:20]


@pytest.mark.parametrize("name", ["triton_matmul.gfx950.amdgcn", "triton_attention.gfx950.amdgcn"])
def test_gfx950_reads_as_triton_s_llvm_wrote_it(name: str) -> None:
    compiler = pytest.importorskip("triton.backends.amd.compiler", reason="needs Triton")
    text = (DATA / name).read_text("utf-8")
    code = text_of(compiler.assemble_amdgcn(text, "gfx950", ""))
    body = text.partition(".amdhsa_kernel")[0]
    lines = (re.sub(r"\s*(;|//).*", "", line) for line in body.splitlines())
    wanted = [" ".join(x.split()) for x in lines if re.match(r"\s+[a-z]+_", x)]
    wanted = [line for line in wanted if line != "s_nop 0"]  # also fills what is preloaded
    found = [m for m in disassemble(code, "gfx950") if m.text != "s_nop 0"][: len(wanted)]
    assert len(wanted) > 200
    for mine, line in zip(found, wanted, strict=True):
        branch = mine.goes_to is not None
        assert (mine.text.split()[0] if branch else mine.text) == (
            line.split()[0] if branch else line
        )
    assert any("_tr_b" in line or line.startswith("v_mfma") for line in wanted)


def test_a_word_that_is_no_instruction_is_said_and_nothing_is_lost() -> None:
    code = bytes.fromhex("ffffffff000080bf0000")
    found = disassemble(code, "gfx950")
    assert [m.text for m in found] == [".long 0xffffffff", "s_nop 0", ".byte 0x0, 0x0"]
    assert [(m.offset, m.length) for m in found] == [(0, 4), (4, 4), (8, 2)]


def test_random_bytes_end_without_a_gap() -> None:
    draw = random.Random(2)
    code = draw.randbytes(40_001)
    found = disassemble(code, "gfx942")
    assert sum(m.length for m in found) == len(code)
    assert [m.offset for m in found[1:]] == [m.offset + m.length for m in found[:-1]]


def test_branches_go_where_llvm_says(tmp_path: Path) -> None:
    source = "a:\n s_nop 0\n s_cbranch_scc0 b\n s_branch a\n s_mov_b32 s0, 0x12345\nb:\n s_endpgm\n"
    path = tmp_path / "b.o"
    run = [tool("llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj"]
    subprocess.run([*run, "-o", str(path)], input=source, text=True, check=True)
    found = disassemble(text_of(path.read_bytes()), "gfx942")
    ends = next(m.offset for m in found if m.text == "s_endpgm")
    assert [m.goes_to for m in found if m.goes_to is not None] == [ends, 0]


def test_code_for_other_gpus_is_what_llvm_reads() -> None:
    """s_mov_b32 s0, 5; zeros; no instruction; a branch over one word; s_endpgm."""
    tool("llvm-objdump")
    code = bytes.fromhex("850080be 00000000 ffffffff 010082bf 000080bf 000081bf")
    found = disassemble(code, "gfx90a")
    assert [m.text for m in found if m.goes_to is None and m.offset != 4] == [
        "s_mov_b32 s0, 5",
        ".long 0xffffffff",
        "s_nop 0",
        "s_endpgm",
    ]
    assert [(m.offset, m.goes_to) for m in found if m.goes_to is not None] == [(12, 20)]
    assert sum(m.length for m in found) == len(code)
    for target in ("gfx9999", ""):
        with pytest.raises(InputError, match="does not read code"):
            disassemble(code, target)
    with pytest.raises(InputError, match="does not read code"):
        disassemble(code[:-1], "gfx90a")


def test_a_missing_extra_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tables.cache_clear()
    monkeypatch.setitem(sys.modules, "tinygrad.runtime.autogen.amd.cdna.ins", None)
    with pytest.raises(InputError) as missing:
        disassemble(b"\0\0\0\0", "gfx942")
    assert "[binary]" in missing.value.hint
