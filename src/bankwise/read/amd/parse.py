"""Reading AMD assembly text: kernels, their descriptors and metadata, instructions, labels.

LLVM prints one instruction a line, comments behind ``;``, and for each kernel a descriptor
(``.amdhsa_*`` lines: which registers hold what at the start) and an entry of the code object
metadata (arguments, workgroup size). Nothing is interpreted here.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.read.amd.directives import data, ends, makes_code
from bankwise.read.amd.encoded import with_words_read
from bankwise.read.amd.literals import integer, modifier
from bankwise.read.amd.text import LABEL, AmdText, amd_text
from bankwise.read.author_place import author_place, in_library
from bankwise.read.names import means
from bankwise.regex import regex

_COMMENT = regex(r"/\*.*?\*/|//.*|;.*")
_OUTSIDE = (".", "#", "*")
"""How lines begin that are no instruction: directives, marks of a preprocessor, comments."""
_CALLER = regex(r"@\[ ([^\s:]+):(\d{1,9}):(\d{1,9})")
_SECTION = regex(r"(?:\.section\s+)?(\.text|\.rodata|\.data|\.bss|(?<=\s)\S+)")
"""Where what follows is put."""
_LOCAL = regex(r"(\d+)([bf])")
_ENCODING = regex(r"_(e32|e64|sdwa|dpp|e64_dpp)$")
_MODIFIER = regex(r"[a-z_0-9]+:|[a-z]+cnt\w*\(")


class AmdInstruction(Struct, frozen=True):
    """One instruction: ``s_mov_b32 m0, s10``.

    ``name`` is without its encoding ("_e32"), which ``encoding`` holds. ``operands`` as written;
    ``modifiers``: what stands behind them, ``offset:64`` as ("offset", "64"), ``lds`` as
    ("lds", ""). ``source``: the place in the source text, from ``.loc``.
    """

    line: int
    name: str
    encoding: str
    operands: tuple[str, ...]
    modifiers: Mapping[str, str]
    source: Location | None = None

    @property
    def mnemonic(self) -> str:
        """The name as written, with its encoding: "v_add_u32_e32"."""
        return f"{self.name}_{self.encoding}" if self.encoding else self.name


class Argument(Struct, frozen=True):
    """One kernel argument: where it lies in the argument segment. Units: bytes."""

    name: str
    offset: int
    size: int
    kind: str


class AmdKernel(Struct, frozen=True):
    """One kernel as the text gives it.

    ``descriptor``: the ``.amdhsa_`` lines, without that prefix. ``labels``: to the number of the
    operation behind each. ``workgroup_size``: None if the text does not require one;
    ``largest_workgroup``: threads, as the metadata bounds them. ``producer``: see
    :class:`~bankwise.read.amd.text.AmdText`.
    """

    name: str
    line: int
    descriptor: Mapping[str, str]
    operations: tuple[AmdInstruction, ...]
    labels: Mapping[str, int]
    arguments: tuple[Argument, ...] = ()
    workgroup_size: tuple[int, ...] | None = None
    largest_workgroup: int | None = None
    numbers: Mapping[str, int] = field(default_factory=dict)
    producer: str = ""

    @property
    def lds_bytes(self) -> int:
        """Static LDS; 0 where the descriptor does not state it."""
        return self.bits("group_segment_fixed_size")

    def bits(self, name: str) -> int:
        """A number of the descriptor; 0 where it is not printed."""
        return modifier(self.descriptor, name) or 0


def kernel_names(text: str) -> tuple[str, ...]:
    """The names of all kernels of the text, in order."""
    return tuple(name.strip('"') for _, name in amd_text(text).descriptors)


def kernels(text: str, file: str = "<text>", only: str = "") -> tuple[AmdKernel, ...]:
    """All kernels of the text, in order, or ``only`` one.

    Raises :class:`InputError` if one ends in the middle.
    """
    whole = amd_text(text)
    return tuple(
        _kernel(whole, at, name, file)
        for at, name in whole.descriptors
        if means(only, name.strip('"'))
    )


def fragment(text: str) -> tuple[tuple[AmdInstruction, ...], dict[str, int]]:
    """The operations and labels of text that is no whole kernel, such as an abridged trace.

    Comments and directives that make no code are left out.
    """
    return _code(amd_text(text), 0)[:2]


def function(text: AmdText, name: str) -> tuple[tuple[AmdInstruction, ...], dict[str, int]] | None:
    """The operations and labels of the function ``name``; None if the text has it not whole."""
    start = text.labels.get(name)
    if start is None:
        return None
    operations, labels, ended = _code(text, start)
    return (operations, labels) if ended else None


def _kernel(text: AmdText, at: int, name: str, file: str) -> AmdKernel:
    start = text.labels.get(name)
    if start is None:
        raise InputError(
            f"kernel {name} has a descriptor but no code: no line says {name}:",
            location=Location(file, text.numbers[at]),
            hint="the text may be cut off, or be a part of one",
        )
    operations, labels = _body(text, start, file)
    entry = _metadata(text.metadata, name)
    sizes = re.search(r"^\s*\.reqd_workgroup_size:((?:\s+- \d+$)+)", entry, re.MULTILINE)
    sizes = sizes or re.search(r"\.reqd_workgroup_size:\s*\[([\d, ]+)\]", entry)
    stated = re.findall(r"^\s+(?:- )?\.(\w+): +(\d+)$", entry, re.MULTILINE)
    numbers = {k: number for k, v in stated if (number := integer(v)) is not None}
    return AmdKernel(
        name=name.strip('"'),
        line=text.numbers[start],
        descriptor=_descriptor(text.lines, at),
        operations=operations,
        labels=labels,
        arguments=tuple(_arguments(entry)),
        workgroup_size=_sizes(sizes[1]) if sizes else None,
        largest_workgroup=numbers.get("max_flat_workgroup_size"),
        numbers=numbers,
        producer=text.producer,
    )


def _sizes(text: str) -> tuple[int, ...] | None:
    numbers = [integer(word) for word in re.findall(r"\d+", text)]
    return None if None in numbers else tuple(n for n in numbers if n is not None)


def _descriptor(lines: Sequence[str], at: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines[at + 1 :]:
        words = line.partition(";")[0].split()
        if words[:1] == [".end_amdhsa_kernel"]:
            break
        if len(words) >= 2 and words[0].startswith(".amdhsa_"):
            found[words[0].removeprefix(".amdhsa_")] = words[1]
    return found


def _body(
    text: AmdText, start: int, file: str
) -> tuple[tuple[AmdInstruction, ...], dict[str, int]]:
    """The operations of one function, up to its end, and its labels."""
    operations, labels, ended = _kernel_code(text, start)
    if not ended:
        raise InputError(
            f"the code of {text.lines[start].partition(':')[0]} has no end",
            location=Location(file, text.numbers[-1]),
            hint="the text is cut off: its last instruction ends nothing, and .size is missing",
        )
    return operations, labels


@lru_cache(maxsize=4)
def _kernel_code(
    text: AmdText, start: int
) -> tuple[tuple[AmdInstruction, ...], dict[str, int], bool]:
    """:func:`_code` of a kernel, whoever asks; of a function each call has a copy of its own."""
    return _code(text, start)


def _code(text: AmdText, start: int) -> tuple[tuple[AmdInstruction, ...], dict[str, int], bool]:
    """Operations and labels from the line ``start`` on, and whether an end was seen: the one that
    compilers write, or, where a person wrote no such, the next kernel or what is no code behind an
    instruction that ends one."""
    operations: list[AmdInstruction] = []
    labels: dict[str, int] = {}
    others = {name for _, name in text.descriptors}
    source: Location | None = None
    local = _LocalLabels()
    elsewhere = ended = False
    for at in range(start, len(text.lines)):
        line = _COMMENT.sub(" ", text.lines[at]).strip()
        label = LABEL.match(line)
        if label:
            ended = label[1].startswith(".Lfunc_end")
            if ended or (at > start and label[1] in others):
                break
            name = local.defined(label[1])
            if not elsewhere:
                labels[name] = len(operations)
            line = line[label.end() :].strip()
        if line.startswith(".loc"):
            source = _loc(line, text.lines[at], text.files)
        elif line.startswith((".size", ".amdgpu_metadata")):
            ended = line.startswith(".size")
            break
        elif line.startswith(".") and (section := _SECTION.match(line)):
            elsewhere = not section[1].startswith(".text")
        elif line and not elsewhere and (not line.startswith(_OUTSIDE) or makes_code(line)):
            operations.append(local.resolved(_operation(text.numbers[at], line, source)))
    kept = with_words_read(*_without_data(operations, labels), text.gpu, _from_word)
    return *kept, ended or ends(kept[0])


class _LocalLabels(Struct):
    """Labels that are numbers, as inline assembly has them: ``1f`` is the next ``1:``, ``1b`` the
    last one. Each definition gets a name of its own, ``1:0``, ``1:1``, .."""

    seen: dict[str, int] = field(default_factory=dict)

    def defined(self, name: str) -> str:
        if not name.isdecimal():
            return name
        times = self.seen.get(name, 0)
        self.seen[name] = times + 1
        return f"{name}:{times}"

    def resolved(self, op: AmdInstruction) -> AmdInstruction:
        """A branch with the name of the definition that it goes to."""
        branches = op.name.startswith(("s_branch", "s_cbranch"))
        found = _LOCAL.fullmatch(op.operands[-1]) if branches and op.operands else None
        if found is None:
            return op
        place = self.seen.get(found[1], 0) - (found[2] == "b")
        return replace(op, operands=(*op.operands[:-1], f"{found[1]}:{place}"))


def _without_data(
    operations: Sequence[AmdInstruction], labels: Mapping[str, int]
) -> tuple[tuple[AmdInstruction, ...], dict[str, int]]:
    """Without what stands between functions and is never run."""
    unreached = tuple(data(operations, labels))
    left_out = set(unreached)
    kept = tuple(op for n, op in enumerate(operations) if n not in left_out)
    return kept, {name: at - bisect_left(unreached, at) for name, at in labels.items()}


def _loc(line: str, whole: str, files: Mapping[str, str]) -> Location | None:
    """The author's place of a ``.loc``; ``whole``: the line with LLVM's remark, which alone says
    where that was inlined: ``; math.py:80:9 @[ own.py:12:5 ]``."""
    words = line.split()
    numbers = [n for w in words[1:4] if (n := integer(w)) is not None]
    if len(numbers) < 2 or not numbers[1]:
        return None
    column = numbers[2] if len(numbers) > 2 else 0
    place = Location(files.get(words[1], f"file {words[1]}"), numbers[1], column)
    return author_place((place, *_callers(whole, files))) if in_library(place.file) else place


def _callers(line: str, files: Mapping[str, str]) -> Iterator[Location]:
    """Where a place was inlined. A remark has names without folders: they are those of the one
    file that is named so."""
    for name, row, column in _CALLER.findall(line):
        whole = {one for one in files.values() if posixpath.basename(one) == name}
        yield Location(whole.pop() if len(whole) == 1 else name, int(row), int(column))


def _from_word(line: int, text: str, label: str) -> AmdInstruction:
    found = _operation(line, text, None)
    return replace(found, operands=(*found.operands[:-1], label)) if label else found


def _operation(line: int, text: str, source: Location | None) -> AmdInstruction:
    word, _, rest = text.partition(" ") if "\t" not in text else _tabbed(text)
    name, encoding = _named(word)
    parts = _split(rest.strip(), ",")
    words = _split(parts[-1], " ") if parts else []
    modifiers: dict[str, str] = {}
    operands = [part.strip() for part in parts[:-1]]
    if words and _is_modifier(words[0]):
        modifiers = _modifiers(words)
    elif words:
        operands.append(words[0])
        modifiers = _modifiers(words[1:])
    return AmdInstruction(
        line=line,
        name=name,
        encoding=encoding,
        operands=tuple(operands),
        modifiers=modifiers,
        source=source,
    )


@lru_cache(maxsize=1024)
def _named(word: str) -> tuple[str, str]:
    """The name of an instruction, and its encoding where the text says it."""
    name = word.strip('"').lower()
    encoding = _ENCODING.search(name)
    return (name[: encoding.start()], encoding[1]) if encoding else (name, "")


def _tabbed(text: str) -> tuple[str, str, str]:
    word, gap, rest = text.replace("\t", " ").partition(" ")
    return word, gap, rest


def _is_modifier(word: str) -> bool:
    return bool(_MODIFIER.match(word))


def _modifiers(words: Sequence[str]) -> dict[str, str]:
    pairs = (word.partition(":") for word in words if word)
    return {name: value for name, _, value in pairs}


def _split(text: str, mark: str) -> list[str]:
    """Split at ``mark`` outside brackets."""
    if not text:
        return []
    if "[" not in text and "(" not in text:
        return [part for part in text.split(mark) if part.strip()]
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        if sign in "[(":
            depth += 1
        elif sign in "])":
            depth -= 1
        elif sign == mark and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [part for part in [*parts, text[start:]] if part.strip()]


def _metadata(notes: str, name: str) -> str:
    """The kernel's entry in the code object metadata; empty if it is not printed."""
    entries = re.split(r"^  - (?=\.)", notes, flags=re.MULTILINE)[1:]
    wanted = re.compile(rf"^(?:    )?\.name: +'?{re.escape(name)}'?$", re.MULTILINE)
    entry = next((e for e in entries if wanted.search(e)), "")
    return re.split(r"^amdhsa\.", entry, flags=re.MULTILINE)[0]


def _arguments(entry: str) -> Iterator[Argument]:
    found = re.search(r"^\s*\.args:\n((?:      .*\n?)*)", entry, re.MULTILINE)
    for text in re.split(r"^      - ", found[1] if found else "", flags=re.MULTILINE)[1:]:
        facts = dict(re.findall(r"\.(\w+): +(\S+)", text))
        offset, size = (integer(facts.get(key, "")) for key in ("offset", "size"))
        if offset is not None and size is not None:
            name = facts.get("name", "").strip("'\"")
            yield Argument(name, offset, size, facts.get("value_kind", ""))
