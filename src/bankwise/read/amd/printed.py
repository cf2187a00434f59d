"""One AMD instruction as LLVM's disassembler prints it, of the fields of its encoding.

    8601FF01 0000FFFF        s_and_b32 s1, s1, 0xffff
    D86C0020 05000003        ds_read_b32 v5, v3 offset:32

The words of each operand and modifier are LLVM's (User Guide for AMDGPU Backend, "AMDGPU operand
syntax", "AMDGPU modifier syntax"), as `llvm-objdump` prints them for gfx942; numbers, which its
assembler takes as well, stand for the words of ``s_sendmsg`` and ``ds_swizzle_b32``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from bankwise.read.amd.encodings import MachineEncoding, needs_literal
from bankwise.read.amd.fields import Fields, constant, ranged, source
from bankwise.read.amd.selected import dpp, sdwa, sdwa_source

_HWREGS = (
    *("", "MODE", "STATUS", "TRAPSTS", "HW_ID", "GPR_ALLOC", "LDS_ALLOC", "IB_STS", "", "", "", ""),
    *("", "", "", "SH_MEM_BASES", "TBA_LO", "TBA_HI", "TMA_LO", "TMA_HI", "XCC_ID"),
    *("SQ_PERF_SNAPSHOT_DATA", "SQ_PERF_SNAPSHOT_DATA1", "SQ_PERF_SNAPSHOT_PC_LO"),
    "SQ_PERF_SNAPSHOT_PC_HI",
)
_TWO_ADDRESSES = re.compile(r"ds_(?:read|write|wrxchg)2(?:st64)?_")
_CALLS = ("s_call_b64", "s_cbranch_i_fork")
_DECIMAL = ("s_nop", "s_branch")
_INDEX = ("SRC0", "SRC1", "SRC2", "DST")
_CARRY = ("v_add_co", "v_sub_co", "v_subrev_co", "v_addc_co", "v_subb_co", "v_subbrev_co")
_CARRY_IN = (*_CARRY[3:], "v_cndmask")
CACHE = ("sc0", "nt", "sc1")


def printed(encoding: MachineEncoding, raw: int, literal: int | None) -> str:
    """The text of one instruction; :class:`ValueError` for a field that means nothing."""
    operands, modifiers = _KINDS[encoding.kind](Fields(encoding, raw, literal))
    words = ", ".join(operands)
    return " ".join(part for part in (encoding.name, words, *modifiers) if part)


_Parts = tuple[list[str], list[str]]


def _scalar(f: Fields) -> _Parts:
    names = [n for n in ("sdst", "ssrc0", "ssrc1") if f.has(n)]
    operands = [f.source(n) for n in names]
    if f.name == "s_set_gpr_idx_on":
        chosen = ",".join(word for n, word in enumerate(_INDEX) if f["ssrc1"] >> n & 1)
        operands[-1] = f"gpr_idx({chosen})" if f["ssrc1"] < 16 else hex(f["ssrc1"])
    return operands, []


def _immediate(f: Fields) -> _Parts:
    number = f["simm16"]
    operands = [f.source("sdst")] if f.has("sdst") else []
    if f.name in ("s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32"):
        register = _hwreg(number)
        operands = [*operands, register] if f.name == "s_getreg_b32" else [register, *operands]
        return [*operands, *([constant(f.literal)] if f.literal is not None else [])], []
    return [*operands, str(number) if f.name in _CALLS else hex(number)], []


def _hwreg(number: int) -> str:
    which, start, size = number & 63, number >> 6 & 31, (number >> 11) + 1
    known = _HWREGS[which] if which < len(_HWREGS) else ""
    name = f"HW_REG_{known}" if known else str(which)
    return f"hwreg({name})" if (start, size) == (0, 32) else f"hwreg({name}, {start}, {size})"


def _program(f: Fields) -> _Parts:
    number = f["simm16"]
    if f.name == "s_waitcnt":
        return [_wait(number)], []
    if not f.has("simm16"):
        return ([str(number)] if number and f.name == "s_endpgm" else []), []
    decimal = number <= 64 or f.name in _DECIMAL or f.name.startswith("s_cbranch")
    return [str(number) if decimal else hex(number)], []


def _wait(number: int) -> str:
    counters = (
        ("vmcnt", number & 15 | number >> 10 & 48, 63),
        ("expcnt", number >> 4 & 7, 7),
        ("lgkmcnt", number >> 8 & 15, 15),
    )
    waits = [f"{name}({n})" for name, n, most in counters if n != most]
    return " ".join(waits or (f"{name}({n})" for name, n, _ in counters))


def _memory(f: Fields) -> _Parts:
    operands = []
    if f.has("sdata"):
        operands.append(source(f["sdata"], f.size("sdata")))
    if f.has("sbase"):
        operands.append(source(f["sbase"] * 2, f.size("sbase")))
    if not f.has("soffset"):
        return operands, []
    offset, modifiers = f["offset"], []
    if f["imm"]:
        signed = offset - (1 << 21) if offset >> 20 else offset
        text = f"-{-signed:#x}" if signed < 0 else hex(signed)
        operands.append(source(f["soffset"], 1) if f["soffset_en"] else text)
        modifiers += [f"offset:{text}"] if f["soffset_en"] and offset else []
    else:
        operands.append(source(f["soffset"] if f["soffset_en"] else offset & 127, 1))
    return operands, [*modifiers, *f.flags("glc")]


def _short_vector(f: Fields) -> _Parts:
    if not f.encoding.registers:
        return [], []
    operands = [f.vector("vdst") if f.encoding.kind != "VOPC" else "vcc"]
    accumulators = f.name == "v_accvgpr_mov_b32"
    if accumulators:
        operands = [f.vector("vdst", 1)]
    operands += ["vcc"] if f.name.startswith(_CARRY) else []
    if f.has("src0"):
        first = f.source("src0")
        operands.append(first.replace("v", "a", 1) if accumulators else first)
    if f.has("vsrc1"):
        operands.append(f.vector("vsrc1"))
    if needs_literal(f.encoding):
        place = -1 if "mk" in f.name else len(operands)
        operands.insert(place, constant(f.literal or 0))
    operands += ["vcc"] if f.name.startswith(_CARRY_IN) else []
    return operands, []


def _selected(f: Fields) -> _Parts:
    """Sub-dword selection (SDWA) and lane selection (DPP)."""
    name, two = f.name, f.has("vsrc1")
    compare = f.encoding.kind.startswith("VOPC")
    operands = [_compared(f) if compare else f.vector("vdst")]
    operands += ["vcc"] if name.startswith(_CARRY) else []
    lanes = "dpp" in f.encoding.fields
    integer = not any(word in name for word in ("_f16", "_f32", "_f64"))
    for n, field in enumerate(("vsrc0", "vsrc1")[: 1 + two]):
        scalar = bool(f[f"s{n}"])
        code = f[field]
        plain = source(code, 1) if scalar else ranged("v", code, 1)
        operands.append(
            sdwa_source(
                plain,
                bool(f[f"src{n}_sext"] and integer),
                bool(f[f"src{n}_abs"]),
                bool(f[f"src{n}_neg"]),
            )
        )
    operands += ["vcc"] if name.startswith(_CARRY_IN) else []
    return operands, dpp(f.__getitem__) if lanes else sdwa(f.__getitem__, two, compare)


def _compared(f: Fields) -> str:
    return source(f["sdst"], 2) if f["sd"] else "vcc"


def _long_vector(f: Fields) -> _Parts:
    if not f.encoding.registers:
        return [], []
    scalar = f.encoding.kind == "VOP3_SDST"
    operands = [source(f["vdst"], 2) if scalar else f.vector("vdst")]
    if f.encoding.kind == "VOP3SD":
        operands.append(source(f["sdst"], 2))
    names = [n for n in ("src0", "src1", "src2") if f.has(n)]
    bitop = f.name.startswith("v_bitop3")
    for n, name in enumerate(names):
        text = f.source(name)
        if not bitop:
            text = _signed(text, f["abs"] >> n & 1, f["neg"] >> n & 1)
        operands.append(text)
    modifiers = []
    if bitop:
        table = f["neg"] | f["abs"] << 3 | f["omod"] << 6
        modifiers = [f"bitop3:{table:#x}"] if table else []
    if f["opsel"]:
        chosen = [f["opsel"] >> n & 1 for n in (*range(len(names)), 3)]
        modifiers.append(f"op_sel:[{','.join(map(str, chosen))}]")
    modifiers += ["clamp"] if f["clmp"] else []
    if f["omod"] and not bitop:
        modifiers.append(("mul:2", "mul:4", "div:2")[f["omod"] - 1])
    return operands, modifiers


def _signed(text: str, absolute: int, negative: int) -> str:
    if negative and text.isdigit():
        return f"neg({text})"
    text = f"|{text}|" if absolute else text
    return f"-{text}" if negative else text


def _packed(f: Fields) -> _Parts:
    if f.name == "v_accvgpr_read_b32":
        return [f.vector("vdst"), f.register("src0", 1)], []
    if f.name == "v_accvgpr_write_b32":
        return [ranged("a", f["vdst"], 1), f.source("src0")], []
    names = [n for n in ("src0", "src1", "src2") if f.has(n)]
    operands = [f.vector("vdst"), *(f.source(n) for n in names)]
    mixed = "_mix" in f.name
    if mixed:
        operands[1:] = [
            _signed(text, f["neg_hi"] >> n & 1, f["neg"] >> n & 1)
            for n, text in enumerate(operands[1:])
        ]
    high = f["opsel_hi"] | f["opsel_hi2"] << 2
    whole = (1 << len(names)) - 1
    bits: list[tuple[str, int, bool]] = [
        ("op_sel", f["opsel"], bool(f["opsel"] & whole)),
        ("op_sel_hi", high, high & whole != (0 if mixed else whole)),
        ("neg_lo", f["neg"], bool(f["neg"]) and not mixed),
        ("neg_hi", f["neg_hi"], bool(f["neg_hi"]) and not mixed),
    ]
    modifiers = [
        f"{word}:[{','.join(str(value >> n & 1) for n in range(len(names)))}]"
        for word, value, shown in bits
        if shown
    ]
    return operands, [*modifiers, *(["clamp"] if f["clmp"] else [])]


_NARROW = {2: 6, 3: 6, 4: 4}
"""Registers of a matrix in 6 and 4 bits, by the format's number; 8 of the others."""


def _matrix(f: Fields) -> _Parts:
    narrow = f.name.endswith("f8f6f4")
    sizes = [_NARROW.get(f[n], 8) if narrow else 0 for n in ("cbsz", "blgp")]
    operands = [f.vector("vdst", f["acc_cd"])]
    for n, name in enumerate(("src0", "src1")):
        size = sizes[n] or f.size(name)
        operands.append(f.register(name, f["acc"] >> n & 1, size))
    last = f.source("src2")
    sparse = f.name.startswith("v_smfmac")
    operands.append(last.replace("v", "a", 1) if f["acc_cd"] and not sparse else last)
    if f.has("scale_src0"):
        return [*operands, f.source("scale_src0"), f.source("scale_src1")], list(_scaled(f))
    if "_f64_" in f.name and f["blgp"]:
        signs = ",".join(str(f["blgp"] >> n & 1) for n in range(3))
        return operands, [*_numbers(f, "cbsz", "abid"), f"neg:[{signs}]"]
    return operands, list(_numbers(f, "cbsz", "abid", "blgp"))


def _scaled(f: Fields) -> Iterator[str]:
    low, high = f["opsel"] & 3, f["opsel_hi"] & 3
    if low:
        yield f"op_sel:[{low & 1},{low >> 1},0]"
    yield f"op_sel_hi:[{high & 1},{high >> 1},0]"
    yield from _numbers(f, "cbsz", "blgp")


def _numbers(f: Fields, *names: str) -> Iterator[str]:
    return (f"{name}:{f[name]}" for name in names if f[name])


def _shared(f: Fields) -> _Parts:
    names = [n for n in ("vdst", "addr", "data0", "data1") if f.has(n)]
    operands = [f.vector(n, f["acc"] if n != "addr" else 0) for n in names]
    if _TWO_ADDRESSES.match(f.name):
        offsets = list(_offsets(("offset0", f["offset0"]), ("offset1", f["offset1"])))
    else:
        offsets = list(_offsets(("offset", f["offset0"] | f["offset1"] << 8)))
    return operands, [*offsets, *f.flags("gds")]


def _offsets(*pairs: tuple[str, int]) -> Iterator[str]:
    return (f"{name}:{number}" for name, number in pairs if number)


def _global(f: Fields) -> _Parts:
    segment = f.encoding.kind
    bits = 12 if segment == "FLAT" else 13
    offset = f["offset"]
    if segment != "FLAT" and offset >> 12:
        offset -= 1 << bits
    based = f["saddr"] != 127
    operands = []
    atomic = "_atomic_" in f.name
    copies = "_load_lds_" in f.name
    if f.has("vdst") and not copies and (not atomic or f["sc0"]):
        operands.append(f.vector("vdst", f["acc"]))
    if segment == "SCRATCH":
        address = f.vector("addr") if f["sve"] else "off"
    else:
        address = f.vector("addr", 0, 1 if based and segment == "GLOBAL" else 2)
    operands.append(address)
    if f.has("data"):
        operands.append(f.vector("data", f["acc"]))
    if segment == "SCRATCH" and f.has("data"):
        operands[-2:] = [address, operands[-1]]
    if segment != "FLAT":
        operands.append(source(f["saddr"], 1 if segment == "SCRATCH" else 2) if based else "off")
    return operands, [*_offsets(("offset", offset)), *f.flags(*CACHE)]


def _buffer(f: Fields) -> _Parts:
    if not f.has("srsrc"):
        return [], list(f.flags(*CACHE))
    operands = [] if f["lds"] else [f.vector("vdata", f["acc"])]
    parts = f["idxen"] + f["offen"]
    operands.append(ranged("v", f["vaddr"], parts) if parts else "off")
    operands += [source(f["srsrc"] * 4, 4), source(f["soffset"], 1)]
    offset = _offsets(("offset", f["offset"]))
    return operands, [*f.flags("idxen", "offen"), *offset, *f.flags(*CACHE, "lds")]


_KINDS: Mapping[str, Callable[[Fields], _Parts]] = {
    **dict.fromkeys(("SOP1", "SOP2", "SOPC"), _scalar),
    "SOPK": _immediate,
    "SOPP": _program,
    "SMEM": _memory,
    "DS": _shared,
    "MUBUF": _buffer,
    **dict.fromkeys(("VOP1", "VOP2", "VOPC"), _short_vector),
    **dict.fromkeys(("VOP3", "VOP3_SDST", "VOP3SD"), _long_vector),
    "VOP3P": _packed,
    "VOP3P_MFMA": _matrix,
    "VOP3PX2": _matrix,
    **dict.fromkeys(("GLOBAL", "FLAT", "SCRATCH"), _global),
    **dict.fromkeys(
        ("VOP1_SDWA", "VOP2_SDWA", "VOPC_SDWA_SDST", "VOP1_DPP16", "VOP2_DPP16"), _selected
    ),
}
