"""Reading assembly: which shared-memory instructions a compiler really emitted.

Two languages: AMD assembly as LLVM prints it (``.rocmasm`` or ``.s``, code object v4 or later) and
NVIDIA PTX. The result is one :class:`Listing` per kernel. Names are those of the machine files:

    buffer_load_dwordx4 v4, s[12:15], 0 offen lds        buffer_load_dwordx4_lds
    ds_read2_b64 v[2:5], v0 offset1:1                    ds_read2_b64, offsets 0 and 8 bytes
    st.shared.v4.b32 [%rd8], {...}                       st.shared.b128
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {...}       ldmatrix.x4

PTX is not the last word (ptxas may still combine or split); AMD assembly is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bankwise.errors import InputError, Location

_EXCHANGES = ("ds_bpermute", "ds_permute", "ds_swizzle", "ds_nop")
"""LDS instructions that use no LDS storage: they move data between lanes."""

_MNEMONIC = re.compile(r"[a-z]\w*")
_ENTRY = re.compile(r"^\.visible \.entry (\S+?)\(", re.MULTILINE)
_BYTES = {"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2}
_BYTES |= {"b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8}
_BYTES |= {"b128": 16}


@dataclass(frozen=True, slots=True)
class SharedInstruction:
    """One emitted shared-memory instruction.

    ``line``: in the assembly, from 1. ``offsets_bytes``: the immediate offsets, one per address.
    """

    name: str
    line: int
    offsets_bytes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of AMD assembly, in the order of the text.

    ``line``: from 1. ``block``: the label it stands under, ``name``: the mnemonic.
    """

    line: int
    block: str
    name: str
    operands: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What one kernel was compiled to.

    ``lds_bytes`` is None where the text does not say (PTX with shared memory sized at launch).
    ``exchanges``: lane exchanges through the LDS unit, which touch no storage. ``totals``: counts
    of whole families: "v_*" and "s_*" on AMD, "instructions" on NVIDIA. ``steps``: all
    instructions in order (AMD only). ``diagnostics``: what the compiler complained about although
    it succeeded.
    """

    kernel: str
    target: str
    lds_bytes: int | None
    vgprs: int | None
    sgprs: int | None
    workgroup_size: tuple[int, ...] | None
    wave_size: int | None
    shared: tuple[SharedInstruction, ...]
    exchanges: Mapping[str, int]
    totals: Mapping[str, int]
    steps: tuple[Step, ...] = ()
    diagnostics: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Static number of each shared-memory instruction, sorted by name."""
        return dict(sorted(Counter(i.name for i in self.shared).items()))


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a comparison of two listings."""

    name: str
    before: int
    after: int

    @property
    def changed(self) -> bool:
        """Whether the two differ."""
        return self.before != self.after


def compare(before: Listing, after: Listing) -> tuple[Row, ...]:
    """LDS bytes (if both state them), every shared-memory instruction, the family totals."""
    rows = []
    if before.lds_bytes is not None and after.lds_bytes is not None:
        rows.append(Row("LDS bytes", before.lds_bytes, after.lds_bytes))
    for old, new in (
        (before.counts, after.counts),
        (before.exchanges, after.exchanges),
        (before.totals, after.totals),
    ):
        rows += [Row(n, old.get(n, 0), new.get(n, 0)) for n in sorted(old.keys() | new.keys())]
    return tuple(rows)


def read(text: str, file: str = "<text>") -> tuple[Listing, ...]:
    """All kernels of an assembly text, in order.

    Raises :class:`InputError` if it is neither AMD assembly nor PTX, or has no kernel.
    """
    if ".amdgcn_target" in text:
        found = tuple(_amd(text))
    elif ".visible .entry" in text and ".target" in text:
        found = tuple(_ptx(text))
    else:
        found = ()
    if not found:
        raise InputError(
            "no kernel in this assembly",
            location=Location(file),
            hint="AMD assembly printed by LLVM, or PTX, is understood",
        )
    return found


def steps_of(text: str, first_line: int = 1) -> tuple[Step, ...]:
    """The instructions of AMD assembly text, also of a fragment; ``first_line`` numbers it.

    Text that is neither instruction, label, comment nor directive is no instruction: it is left
    out; so are dots, by which documents abridge.
    """
    found, block = [], ""
    for number, line in enumerate(text.splitlines(), first_line):
        word, _, operands = line.partition(";")[0].strip().partition(" ")
        if word.endswith(":"):
            block = word.removesuffix(":")
        elif _MNEMONIC.fullmatch(word.rstrip(".")):
            found.append(Step(number, block, word.rstrip("."), operands.strip()))
    return tuple(found)


def _amd(text: str) -> Iterator[Listing]:
    target = _search(r'\.amdgcn_target "[^"]*-(gfx\w+)', text)
    for name in re.findall(r"^\s*\.amdhsa_kernel (\S+)", text, re.MULTILINE):
        steps = _amd_steps(text, name)
        words = [step.name for step in steps]
        meta = _metadata(text, name)
        yield Listing(
            kernel=name.strip('"'),
            target=target,
            lds_bytes=_number(
                rf"\.amdhsa_kernel {re.escape(name)}\n\s+\.amdhsa_group_segment_fixed_size (\d+)",
                text,
            ),
            vgprs=_number(r"\.vgpr_count: +(\d+)", meta),
            sgprs=_number(r"\.sgpr_count: +(\d+)", meta),
            workgroup_size=_sizes(r"\.reqd_workgroup_size:\n((?:\s+- \d+\n)+)", meta),
            wave_size=_number(r"\.wavefront_size: +(\d+)", meta),
            shared=tuple(s for step in steps if (s := shared_of(step))),
            exchanges=_count(word for word in words if word.startswith(_EXCHANGES)),
            totals={
                "v_*": sum(word.startswith("v_") for word in words),
                "s_*": sum(word.startswith("s_") for word in words),
            },
            steps=steps,
        )


def _amd_steps(text: str, name: str) -> tuple[Step, ...]:
    """The instructions of one function."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split(";")[0].rstrip() == f"{name}:")
    stop = next(i for i in range(start, len(lines)) if lines[i].startswith(".Lfunc_end"))
    return steps_of("\n".join(lines[start + 1 : stop]), start + 2)


def shared_of(step: Step) -> SharedInstruction | None:
    """The shared-memory instruction that ``step`` is, None if it touches no LDS storage."""
    line, word, operands = step.line, step.name, step.operands
    if word.startswith("buffer_load_") and operands.endswith(" lds"):
        return SharedInstruction(f"{word}_lds", line, _amd_offsets(word, operands))
    local = word.startswith("ds_") and not word.startswith(_EXCHANGES)
    if not local and not word.startswith("global_load_lds_"):
        return None
    return SharedInstruction(word, line, _amd_offsets(word, operands))


def _amd_offsets(word: str, operands: str) -> tuple[int, ...]:
    """Immediate offsets in bytes; two-address forms count in elements, or in 64 of them."""
    fields = {k: int(v) for k, v in re.findall(r"\b(offset[01]?):(\d+)", operands)}
    two = re.match(r"ds_(?:read|write|load|store)(?:2|_2addr)(st64|_stride64)?_b(32|64)", word)
    if two is None:
        return (fields.get("offset", 0),)
    step = int(two[2]) // 8 * (64 if two[1] else 1)
    return (fields.get("offset0", 0) * step, fields.get("offset1", 0) * step)


def _metadata(text: str, name: str) -> str:
    """The kernel's entry in the code object metadata; empty if it is not printed."""
    _, _, notes = text.partition("amdhsa.kernels:")
    entries = re.split(r"^  - (?=\.)", notes, flags=re.MULTILINE)[1:]
    wanted = re.compile(rf"\.name: +{re.escape(name)}\n")
    return next((entry for entry in entries if wanted.search(entry)), "")


def _ptx(text: str) -> Iterator[Listing]:
    static = re.findall(r"\.shared (?:\.align \d+ )?\.(\w+) \S+?\[(\d*)\]", text)
    sized = all(size for _, size in static)
    lds = sum(_BYTES[kind] * int(size) for kind, size in static) if sized else None
    for entry in _ENTRY.finditer(text):
        body = text[entry.end() : text.index("\n}", entry.end())]
        first = text.count("\n", 0, entry.end()) + 1
        code = [
            (n, line.strip())
            for n, line in enumerate(body.splitlines(), first)
            if re.match(r"\t[@a-z]", line)
        ]
        yield Listing(
            kernel=entry[1],
            target=_search(r"^\.target (\w+)", text),
            lds_bytes=lds,
            vgprs=None,
            sgprs=None,
            workgroup_size=_sizes(r"\.(?:maxntid|reqntid) ([\d, ]+)", body),
            wave_size=None,
            shared=tuple(s for n, line in code if (s := _ptx_shared(n, line))),
            exchanges=_count(w for _, line in code if (w := line.split()[0]).startswith("shfl.")),
            totals={"instructions": len(code)},
        )


def _ptx_shared(line: int, code: str) -> SharedInstruction | None:
    name = _ptx_name(re.sub(r"^@!?\S+\s+", "", code))
    if name is None:
        return None
    address = re.search(r"\[[^\]+]+(?:\+(-?\d+))?\]", code)
    return SharedInstruction(name, line, (int(address[1] or 0) if address else 0,))


def _ptx_name(code: str) -> str | None:
    """The name in the machine files of a PTX instruction on shared memory."""
    word = code.split()[0]
    parts = re.split(r"\.|::", word)
    if parts[0] in ("ldmatrix", "stmatrix"):
        shape = next(p for p in parts if re.fullmatch(r"x[124]", p))
        return f"{parts[0]}.{shape}" + (".trans" if "trans" in parts else "")
    if word.startswith(("cp.async.ca.", "cp.async.cg.")):
        size = re.search(r",\s*(0x[0-9a-fA-F]+|\d+)", code)
        return f"cp.async.b{8 * int(size[1], 0)}" if size else word
    if "shared" not in parts or parts[0] not in ("ld", "st", "atom", "red"):
        return None
    lanes = next((int(p[1:]) for p in parts if re.fullmatch(r"v[248]", p)), 1)
    return f"{parts[0]}.shared.b{8 * lanes * _BYTES[parts[-1]]}"


def _search(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1] if found else ""


def _number(pattern: str, text: str) -> int | None:
    found = _search(pattern, text)
    return int(found) if found else None


def _sizes(pattern: str, text: str) -> tuple[int, ...] | None:
    found = re.findall(r"\d+", _search(pattern, text))
    return tuple(int(n) for n in found) or None


def _count(words: Iterator[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
