"""The table of formats: every file has one, every verb takes what its help names and no other."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import bankwise.ask.check
from bankwise.cli.commands import app
from bankwise.errors import InputError
from bankwise.files import read_text
from bankwise.read import formats
from bankwise.read.follow.driver import Dialect
from bankwise.read.format import Format
from bankwise.read.formats import FORMATS
from bankwise.read.recognise import (
    load,
    recognise,
    recognise_bytes,
    recognise_text,
    require,
    takers,
)
from bankwise.read.signs import lines
from bankwise.show.values import CheckReport
from binary_files import zip_file
from command import bankwise as command
from isa_texts import amd_text
from kernel_texts import ROWS

ROOT = Path(__file__).parents[1]
EXAMPLES, DATA = ROOT / "examples", ROOT / "tests" / "data"

SAMPLES: dict[str, bytes] = {
    "MLIR kernel": ROWS.encode(),
    "model": (EXAMPLES / "iree" / "matmul_1024.mlir").read_bytes(),
    "print of several passes": b"".join(
        b"// -----// IR Dump After %s //----- //\nmodule {\n}\n" % name for name in (b"A", b"B")
    ),
    "MLIR in a document": b"A kernel\n\n```mlir\nmodule {\n}\n```\n",
    "AMD assembly": amd_text("\tds_read_b32 v2, v1").encode(),
    "PTX": b"//\n// Generated\n\n.version 8.5\n.target sm_90\n",
    "SASS": b'\t.headerflags @"EF_CUDA_SM90"\n\t.elftype\t@"ET_EXEC"\n',
    "cubin": b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xbe\x00" + bytes(40),
    "TTGIR": (DATA / "isa" / "triton_transpose.sm_90.ttgir").read_bytes(),
    "tile question": (EXAMPLES / "solve" / "transpose_sm90.toml").read_bytes(),
    "file of launches": (EXAMPLES / "launch" / "launches.toml").read_bytes(),
    "wheel or zip file": zip_file({"a.py": b"import x\n"}),
    "sweep": (EXAMPLES / "sweep" / "attention_110.toml").read_bytes(),
    "machine file": (ROOT / "src" / "bankwise" / "hardware" / "gfx950.toml").read_bytes(),
    "profile": (DATA / "profile" / "rocprofv3.csv").read_bytes(),
    "certificate": b'{"schema": "bankwise.certificate/1", "digest": ""}',
    "answer of solve": b'{"schema": "bankwise.solve/1", "certificate": null}',
    "answer of check": b'{"schema": "bankwise.check/1", "accesses": []}',
    "AMD code object": b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\xe0\x00" + bytes(40),
    "offload bundle": b"__CLANG_OFFLOAD_BUNDLE__" + bytes(8),
    "program of another system": b"MZ" + bytes(60),
    "fat binary": b"\x50\xed\x55\xba\x01\x00\x10\x00" + bytes(40),
    "compiled IREE module": b"\x00\x01\x00\x00IREE" + bytes(40),
    "object or library": b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00" + bytes(40),
    "MLIR bytecode": b"ML\xefR\rMLIR20",
    "LLVM bitcode": b"BC\xc0\xde" + bytes(20),
    "UTF-16 text": "module {\n}\n".encode("utf-16"),
    "pointer of Git LFS": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 9\n",
    "store of a sweep": b"SQLite format 3\0" + bytes(84),
    "LLVM IR": b"; ModuleID = 'k'\ntarget triple = \"amdgcn-amd-amdhsa\"\n",
    "TTIR": b"module {\n  tt.func public @k(%a: !tt.ptr<f32>) {\n    tt.return\n  }\n}\n",
    "answer of bankwise": b'{"schema": "bankwise.fix/1", "changes": []}',
    "JSON": b'{"shared": 4096}',
    "Triton source": b"import torch\nimport triton\n\n@triton.jit\ndef k(a):\n    pass\n",
    "Wave source": b"import wave_lang.kernel.lang as tkl\n",
    "Python source": b"import numpy as np\n\n\ndef k(a):\n    return a\n",
    "HIP source": b"#include <hip/hip_runtime.h>\n__global__ void k(float *a) {}\n",
    "CuTe source": b"#include <cute/tensor.hpp>\nusing namespace cute;\n",
    "CuTe DSL source": b"import cutlass.cute as cute\n",
    "CK source": b'#include "ck_tile/core.hpp"\nnamespace ck_tile { struct P {}; }\n',
    "CUDA source": b"#include <cuda_fp16.h>\n__global__ void k(float *a) {}\n",
    "C++ source": b"#pragma once\n#include <cstdint>\nstruct Tile { float a[16][32]; };\n",
    "text of an unknown kind": b"Dear compiler,\n",
    "binary file": bytes(range(256)),
}
"""One text or binary of every format that content tells, without a name."""

NAMED = {
    "report of a profiler": "p.ncu-rep",
    "document without MLIR": "README.md",
    "TOML": "pyproject.toml",
    "table (CSV)": "prices.csv",
}
"""Formats that only a name tells."""

VERBS = {
    "check": ("check",),
    "fix": ("fix",),
    "opt": ("opt", "--pass", "pad"),
    "cost": ("cost",),
    "verify": ("verify",),
    "solve": ("solve",),
    "coalesce": ("coalesce",),
    "explain choose": ("explain", "choose"),
    "certify": ("certify",),
    "scan": ("scan",),
    "sweep": ("sweep",),
    "triton-plan": ("triton-plan",),
    "check --counters": ("check", str(EXAMPLES / "ck_transpose" / "04_reads.s"), "--counters"),
    "check --baseline": ("check", str(EXAMPLES / "ck_transpose" / "04_reads.s"), "--baseline"),
    "triton-plan ASSEMBLY": (*("triton-plan", str(DATA / "isa" / "triton_transpose.sm_90.ttgir")),),
}
"""Every verb of the table, and how it is typed in front of a file."""

PARSERS = re.compile(r"custom op|dialect|not TOML|not JSON|invalid|expected|Traceback", re.I)


def named(name: str) -> Format:
    (found,) = [one for one in FORMATS if one.name == name]
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_content_without_a_name_tells_the_format(name: str) -> None:
    assert recognise_bytes("", SAMPLES[name]).name == name


@pytest.mark.parametrize("name", NAMED)
def test_what_content_does_not_tell_the_name_does(name: str) -> None:
    assert recognise_text(NAMED[name], "a = 1\n").name == name


def test_every_format_is_told_by_a_sample_here(tmp_path: Path) -> None:
    folders = {recognise(tmp_path).name}
    (tmp_path / "k.ttgir").write_bytes(SAMPLES["TTGIR"])
    folders.add(recognise(tmp_path).name)
    assert {*SAMPLES, *NAMED, *folders} == {one.name for one in FORMATS}
    assert len({one.name for one in FORMATS}) == len(FORMATS)


@pytest.mark.parametrize(
    ("file", "sample", "name"),
    [
        ("words.txt", "PTX", "PTX"),
        ("k.mlir", "TTGIR", "TTGIR"),
        ("k.s", "SASS", "SASS"),
        ("k.mlir", "CUDA source", "CUDA source"),
        ("k.py", "PTX", "Python source"),
        ("k.cu", "Triton source", "CUDA source"),
        ("k.toml", "MLIR kernel", "TOML"),
        ("k.s", "text of an unknown kind", "AMD assembly"),
        ("k.mlir", "text of an unknown kind", "MLIR kernel"),
        ("k.ptx", "binary file", "binary file"),
        ("k.cpp", "HIP source", "HIP source"),
        ("k.cuh", "C++ source", "CUDA source"),
        ("k.hpp", "CUDA source", "CUDA source"),
        ("k.cu", "C++ source", "CUDA source"),
        ("k.cu", "HIP source", "HIP source"),
        ("k.hip", "CUDA source", "HIP source"),
    ],
)
def test_content_goes_before_the_suffix_and_a_family_before_content(
    file: str, sample: str, name: str
) -> None:
    assert recognise_bytes(file, SAMPLES[sample]).name == name


_GUARD = "#ifndef TILE_H\n#define TILE_H\n{}#endif\n"
_HIP, _KERNEL = "#include <hip/hip_runtime.h>\n", "__global__ void k(float *a) {}\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"#if defined(USE_HIP)\n{_HIP}#endif\n{_KERNEL}", "CUDA source"),
        (f"#ifdef USE_HIP\n# if 1\n# endif\n{_HIP}#else\n#endif\n{_KERNEL}", "CUDA source"),
        (f"#ifdef DEBUG\n#endif\n{_HIP}{_KERNEL}", "HIP source"),
        (_GUARD.format(_HIP + _KERNEL), "HIP source"),
        (
            _GUARD.format(_HIP + _KERNEL).replace("ifndef TILE_H", "if !defined(TILE_H)"),
            "HIP source",
        ),
        (_GUARD.format(f"#ifdef USE_HIP\n{_HIP}#endif\n{_KERNEL}"), "CUDA source"),
    ],
)
def test_a_header_of_hips_that_an_if_may_leave_out_makes_no_hip(text: str, name: str) -> None:
    """As one source that is compiled as either includes them."""
    for file in ("k.cu", "k.cpp"):
        assert recognise_text(file, text).name == name


def test_the_zero_that_ends_a_text_in_c_is_no_part_of_it(tmp_path: Path) -> None:
    """As nvrtcGetPTX fills its buffer, and warp-lang writes it to a file."""
    (tmp_path / "k.ptx").write_bytes(SAMPLES["PTX"] + b"\0")
    found, text = recognise(tmp_path / "k.ptx"), read_text(tmp_path / "k.ptx")
    assert (found.name, text.encode()) == ("PTX", SAMPLES["PTX"])
    (tmp_path / "k.ptx").write_bytes(SAMPLES["PTX"] + b"\0\0")
    with pytest.raises(InputError, match="binary file"):
        read_text(tmp_path / "k.ptx")


@pytest.mark.parametrize(
    ("file", "code", "name"),
    [
        ("k.cu", "__global__ void k(float *a) {}\n", "CUDA source"),
        ("k.cu", "template <class T>\n__global__ static void k(T *a) {}\n", "CUDA source"),
        ("k.cu", "// called by a __global__ function\n", "CuTe source"),
        ("k.cuh", "__device__ void f(float *a) {}\n", "CuTe source"),
        ("k.hpp", "struct Tile {};\n", "CuTe source"),
    ],
)
def test_what_has_kernels_is_compiled_whatever_it_includes(file: str, code: str, name: str) -> None:
    """A kernel that uses CuTe is followed in its machine code, as any other; comments have none."""
    assert recognise_text(file, SAMPLES["CuTe source"].decode() + code).name == name


def test_ttgir_that_is_cut_off_before_its_module_is_ttgir() -> None:
    text = SAMPLES["TTGIR"].decode("utf-8")
    aliases = text[: text.index("\nmodule")].rpartition("{")[0]
    assert "#ttg." in aliases
    assert recognise_text("cut.ttgir", aliases).name == "TTGIR"


def test_toml_that_is_damaged_is_still_what_its_lines_show() -> None:
    for name in ("tile question", "sweep", "machine file"):
        damaged = SAMPLES[name].decode() + "\n[[[\n"
        assert recognise_text("k.toml", damaged).name == name


@given(
    st.binary(min_size=1, max_size=200), st.sampled_from(["", "k.mlir", "k.toml", "k.cu", "k.json"])
)
def test_random_bytes_have_a_format(data: bytes, name: str) -> None:
    assert recognise_bytes(name, data) in FORMATS


@given(
    st.sampled_from(sorted(SAMPLES)),
    st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=4)), max_size=4),
    st.sampled_from(["", "k.mlir", "k.s", "k.toml", "k.csv", "k.py"]),
)
def test_a_mutated_head_has_a_format(
    sample: str, edits: list[tuple[int, bytes]], name: str
) -> None:
    data = SAMPLES[sample][:2000]
    for at, piece in edits:
        data = data[:at] + piece + data[at + 1 :]
    assert recognise_bytes(name, data or b"x") in FORMATS


# --- verbs ----------------------------------------------------------------------------------------


def files(folder: Path) -> Mapping[str, Path]:
    """A file of every format, with a suffix of its own, and a folder."""
    made = {}
    for name, content in SAMPLES.items():
        suffix = next(iter(named(name).suffixes), ".bin" if b"\0" in content else ".txt")
        made[name] = folder / f"{re.sub(r'[^a-z]', '_', name.lower())}{suffix}"
        made[name].write_bytes(content)
    for name, file in NAMED.items():
        made[name] = folder / file
        made[name].write_text("a = 1\n")
    made["folder"] = folder / "folder"
    made["folder"].mkdir()
    return made


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_kind_is_refused_by_its_name_with_a_way_on(verb: str, tmp_path: Path) -> None:
    """Exit code 2, the kind, who takes it or what to do instead; never another parser's words."""
    refused = 0
    for name, file in files(tmp_path).items():
        kind = named(name)
        if verb in kind.verbs:
            continue
        ended = command(*VERBS[verb], file)
        assert (ended.code, ended.out) == (2, ""), name
        first, _, hint = ended.err.partition("\n  hint: ")
        assert first == f"error: {file}: this is {kind}{_not_taken(verb)}"
        assert hint.strip(), name
        if kind.compiled and " --" not in verb:
            assert hint.startswith("`check`"), "what takes it as it is comes first"
        assert not PARSERS.search(first), name
        refused += 1
    assert refused > 20


def _not_taken(verb: str) -> str:
    """Of up to a dozen kinds of file all are named."""
    if sum(verb in one.verbs for one in FORMATS) <= 12:
        return f"; `{verb}` takes {_takes(verb)}"
    return f", which `{verb}` does not take: `bankwise {verb} --help` lists what it takes"


def _takes(verb: str) -> str:
    """The formats of a verb in a sentence, put together here."""
    kinds = [f"{one.article} {one.name}".strip() for one in FORMATS if verb in one.verbs]
    return " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def _help(verb: str) -> str:
    """What the help of a verb says of its file, or of its second file."""
    name, _, second = verb.partition(" ")
    arguments = [
        p
        for p in typer.main.get_command(app).commands[name].params
        if p.param_type_name == "argument"
    ]
    return str(arguments[1 if second else 0].help)


@pytest.mark.parametrize("verb", [v for v in VERBS if " --" not in v])
def test_the_help_of_a_verb_names_what_it_takes_and_nothing_else(verb: str) -> None:
    said = re.sub(r" \(\.[^)]*\)", "", _help(verb)).rstrip(".").split(", ")
    assert set(said) == {one.name for one in FORMATS if verb in one.verbs}


def test_every_verb_of_the_table_is_one_of_the_command_line_and_has_somebody_who_answers() -> None:
    assert {verb for one in FORMATS for verb in one.verbs} == set(VERBS)
    answers = {w for one in FORMATS for w in (*one.verbs.values(), one.listing) if w}
    assert all(callable(load(where)) for where in answers)
    readers = {load(one.reader) for one in FORMATS if one.reader}
    assert all(callable(reader) or isinstance(reader, Dialect) for reader in readers)


def test_what_no_verb_takes_says_what_to_do() -> None:
    assert all(one.verbs or one.instead for one in FORMATS)


def test_options_that_say_nothing_about_a_kind_are_refused_from_both_sides(tmp_path: Path) -> None:
    made = files(tmp_path)
    for option, kind in (
        ("--isa", "AMD assembly"),
        ("--keep=d", "MLIR kernel"),
        ("--padding", "folder"),
    ):
        flag = option.partition("=")[0]
        ended = command("check", made[kind], option)
        assert ended.code == 2
        assert f"{flag} says nothing about {named(kind)}\n  hint: it is for " in ended.err
        said = {flag.strip("-"): option.partition("=")[2] or True}
        with pytest.raises(InputError, match=f"{flag} says nothing about"):
            bankwise.ask.check.check(made[kind], **said)
    ended = command("fix", made["model"], "--write")
    assert "--write says nothing about a model" in ended.err


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("k.cubin", bytes(range(256)), "this is a binary file, not a cubin, as its name says"),
        ("k.ptx", SAMPLES["UTF-16 text"], "this is UTF-16 text, which `check` does not take"),
        ("k.so", SAMPLES["pointer of Git LFS"], "this is a pointer of Git LFS"),
    ],
)
def test_what_is_wrong_is_not_hidden_by_all_that_would_be_right(
    tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    """`check` takes more than twenty kinds of file: its help lists them."""
    (tmp_path / name).write_bytes(data)
    ended = command("check", tmp_path / name)
    assert ended.code == 2
    assert says in ended.err
    assert "tile question" not in ended.err
    assert "hint: " in ended.err


# --- standard input and pipes ---------------------------------------------------------------------


def test_a_kernel_comes_through_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    text = amd_text("\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1")
    with (ROOT / "LICENSE").open("rb") as real:
        monkeypatch.setattr(sys, "stdin", _Stdin(text.encode(), real.fileno()))
        ended = command("check", "-", "--workgroup-size", "64")
    assert ended.code == 1, ended.err
    assert "ds_read_b32" in ended.out


class _Stdin(io.TextIOWrapper):
    """Standard input with some content; its number is that of a file."""

    def __init__(self, data: bytes, number: int) -> None:
        super().__init__(io.BytesIO(data))
        self.number = number

    def fileno(self) -> int:
        return self.number


# --- adding a format ------------------------------------------------------------------------------


def answer(file: Path, options: object, progress: object) -> CheckReport:
    """An asker of a format that nobody has."""
    return CheckReport(str(file), "sm_90", "", "", (), (), (), ("quilt was checked",))


def test_a_format_is_added_by_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "k.quilt"
    file.write_text("quilt 1.0\n")
    assert recognise(file).name == "text of an unknown kind"
    quilt = Format("quilt", "a", (".quilt",), lines("quilt "), verbs={"check": "test_quilt:answer"})
    monkeypatch.setattr(formats, "FORMATS", (quilt, *FORMATS))
    monkeypatch.setitem(sys.modules, "bankwise.test_quilt", sys.modules[__name__])
    assert "quilt was checked" in command("check", file).out
    assert bankwise.ask.check.check(file).notes == ("quilt was checked",)
    assert quilt in takers("check")
    assert "this is a quilt; `fix` takes" in command("fix", file).err
    assert recognise_text("", "quilt 2.0\n") is quilt


def test_a_verb_that_a_format_loses_refuses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table alone decides: nothing else knows which verb takes what."""
    kernel = EXAMPLES / "iree" / "matmul_1024.mlir"
    assert require(kernel, "fix").name == "model"
    less = tuple(replace(one, verbs={}) if one.name == "model" else one for one in FORMATS)
    monkeypatch.setattr(formats, "FORMATS", less)
    assert "this is a model; `fix` takes an MLIR kernel" in command("fix", kernel).err


def test_a_size_with_a_name_is_refused_of_code_that_has_arguments(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n")
    ended = command("check", str(tmp_path / "k.cu"), "--dim", "N=4")
    assert ended.code == 2
    assert "--dim says nothing about CUDA source" in ended.err
    assert "--arg" in ended.err
