"""Where input comes in: for each entry good inputs, and the command that gets a broken one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bankwise.errors import InputError

ROOT = Path(__file__).parents[2]
DATA, EXAMPLES = ROOT / "tests/data", ROOT / "examples"


Seeds = Callable[[], tuple[bytes, ...]]
Work = Callable[[str], object]


@dataclass(frozen=True)
class Entry:
    """``words``: the command; ``{}`` is the file with the input, ``{text}`` the input itself.

    ``suffix``: of that file. ``work``: instead of a command, a function that gets the text: what
    takes microseconds is tried more often without a command line around it.
    """

    name: str
    words: tuple[str, ...]
    suffix: str
    seeds: Seeds
    work: Work | None = None


def _call(
    name: str, work: Callable[[str], object], seeds: Callable[[], tuple[bytes, ...]]
) -> Entry:
    return Entry(name, (), "", seeds, work)


def _files(*patterns: str, most: int = 1 << 20) -> Seeds:
    @cache
    def read() -> tuple[bytes, ...]:
        paths = sorted(p for pattern in patterns for p in ROOT.glob(pattern) if p.is_file())
        found = tuple(p.read_bytes() for p in paths if p.stat().st_size < most)
        assert found, patterns
        return found

    return read


def _texts(*texts: str) -> Seeds:
    return lambda: tuple(text.encode() for text in texts)


def _cute(file: str) -> Work:
    """Reading a text of CuTe and counting its copies."""

    def work(text: str) -> object:
        from bankwise.ask.check_cute import check_cute, open_cute
        from bankwise.read.options import Options

        return check_cute(open_cute(text, file, Options("sm_80")), answer=False)

    return work


def _cute_texts(*names: str) -> Seeds:
    import cute_texts

    return lambda: tuple(getattr(cute_texts, name).encode() for name in names)


@cache
def _kernels() -> tuple[bytes, ...]:
    """One kernel of each text of machine code: the whole file takes long to follow."""
    found = []
    for path in sorted(DATA.glob("sass/*.sass")):
        text = path.read_text("utf-8")
        head, *parts = text.split("//--------------------- .text.")
        first = [f"//--------------------- .text.{part}" for part in parts[:2]]
        found.append((head[:3000] + "\n".join(first))[:60_000].encode())
    return tuple(found)


@cache
def _cubins() -> tuple[bytes, ...]:
    """ELF files with the sections that are read, and where there is nvcc real ones too."""
    from test_isa_sass_cubin import FACTS, cubin

    flags = (90 << 8 | 4, 80 << 16 | 80, 100 << 8 | 4)
    made = tuple(cubin(FACTS, shared=size, flags=one) for one in flags for size in (0, 5120))
    return (*made, *(_compiled(arch) for arch in ("sm_80", "sm_90") if shutil.which("nvcc")))


@cache
def _binaries() -> tuple[bytes, ...]:
    """Containers around cubins, and where there is clang around a code object."""
    from binary_files import archive, bundle, compressed, fatbin, fatbin_entry, host, lz4_block
    from test_isa_sass_cubin import FACTS, cubin

    one = cubin(FACTS)
    packed = fatbin_entry(2, 90, lz4_block(one), 0x2011, len(one))
    made = [host([(".nv_fatbin", fatbin(fatbin_entry(2, 80, one), packed))])]
    if shutil.which("clang-19"):
        code = bundle({"hip-amdgcn-amd-amdhsa--gfx942": _code_object()})
        made += [code, host([(".hip_fatbin", compressed(code, 3))]), _code_object()]
    return (*made, archive({"a_name_that_is_long.o": made[0], "b.o": made[-1]}))


@cache
def _code_object() -> bytes:
    source = "kernel void k(global int *a) { local int t[64]; t[*a] = 1; *a = t[3]; }"
    language = ["-x", "cl", "-Xclang", "-finclude-default-header", "-nogpulib", "-c", "-g"]
    target = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-O1"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.o"
        command = ["clang-19", *language, *target, "-o", path, "-"]
        subprocess.run(command, input=source.encode(), check=True, capture_output=True)
        return path.read_bytes()


def _compiled(arch: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.cubin"
        command = ["nvcc", "-cubin", f"-arch={arch}", "-o", path, DATA / "sass/tiles.cu"]
        subprocess.run(command, check=True, capture_output=True)
        return path.read_bytes()


@cache
def _folded_ptx() -> tuple[bytes, ...]:
    """Kernels that are folded, without matrix instructions and global stores that repeat."""
    mma, store = r"\tmma\.sync[^;]*;\n", r"\tst\.global[^;]*;\n"
    found = (DATA / "isa/ldmatrix.ptx").read_text("utf-8")
    for one in (mma, store):
        found = re.sub(f"((?:{one}){{2}})(?:{one})+", r"\1", found)
    return found.encode(), (DATA / "ptx_fix/transpose.ptx").read_bytes()


@cache
def _machines() -> tuple[bytes, ...]:
    """Machine files with the first and the last few of their instructions: the others are alike."""
    found = []
    for path in sorted(ROOT.glob("src/bankwise/hardware/*.toml")):
        head, *rows = path.read_text("utf-8").split("\n[[instruction]]\n")
        found.append("\n[[instruction]]\n".join((head, *rows[:3], *rows[-2:])).encode())
    return tuple(found)


@cache
def _answers() -> tuple[bytes, ...]:
    """What solve and check write."""
    from command import bankwise

    solved = [
        bankwise("solve", path, "--format", "json").out
        for path in sorted((EXAMPLES / "solve").glob("*sm90.toml"))[:3]
    ]
    found = [s for s in solved if '"certificate"' in s]
    certificates = [json.loads(s).get("certificate") for s in found]
    return tuple(x.encode() for x in (*found, *(json.dumps(c) for c in certificates if c)))


@cache
def _baselines() -> tuple[bytes, ...]:
    from command import bankwise

    return (bankwise("check", _ROWS, "--format", "json").out.encode(),)


_SMALL = 20_000
_LAYOUTS = (
    "Sw<1,2,3> o 0 o (16,8):(8,1)",
    "((8,8),(4,8)):((4,256),(1,32))",
    "#iree_codegen.xor_shuffle<128, 8, 128, 1>",
    "#iree_codegen.rotate_rows<128, 8>",
    "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>",
    "#ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>",
    "iree-codegen-gpu-reduce-bank-conflicts{padding-bits=64}",
    "swizzle<[32, 64], unit = 8, max_phase = 8>",
    "row-major",
    "n ^ (m & 31)",
    "(n:5 m:6)",
)
_QUESTION = EXAMPLES / "transpose_16x32/n_xor_m.toml"


@cache
def _layouts() -> tuple[bytes, ...]:
    """A question about one tile with a layout in each notation."""
    text = _QUESTION.read_text("utf-8")
    more = (f"{text}\nlayout = '{layout}'\n" for layout in _LAYOUTS)
    return tuple(x.encode() for x in (text, *more))


_ROWS, _TILES = EXAMPLES / "row_copy/row_copy_gfx950.mlir", DATA / "profile/tiles.ptx"
_THREADS = ("--workgroup-size", "128,1,1")

_TEXTS = (
    *_LAYOUTS,
    "#iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>",
    "((4,8),(2,2)):((32,1),(16,8))",
    "(n:5 m:4) reg = m0 m1 m2 m3; lane = n0 n1 n2 n3 n4; wave =",
    "<1 | (1,4,16),(4,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>",
    "m16n8k16.f16",
    "v_mfma_f32_16x16x16_f16",
    "{M : $T0 % 16 : 1 : 1, K : 8 * ($T0 // 16) : 8 : 1}",
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>",
    "#ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], "
    "warp = [[16, 0]], block = []}>",
    "tile_distribution_encoding<sequence<1>, tuple<sequence<16, 4>, sequence<4, 8>>, "
    "tuple<sequence<1>, sequence<2, 1>>, tuple<sequence<0>, sequence<0, 1>>, sequence<2>, "
    "sequence<1>>",
)


def _layout(text: str) -> None:
    """A layout, or a distribution, in any notation."""
    from bankwise.algebra.offset import Shape
    from bankwise.hardware.machine import machine
    from bankwise.notation.framework import Setting
    from bankwise.notation.frameworks import notation_of, read_distribution, read_memory

    shape = Shape((("n", 32), ("m", 64)), 16)
    setting = Setting(machine("gfx942"), {}, (64, 1, 1))
    notation = notation_of(text)
    try:
        read_memory(text, notation, shape, setting)
    except InputError:
        read_distribution(text, notation, shape, setting)


def _expression(text: str) -> None:
    from bankwise.ask.count import count_expression

    count_expression("gfx942", "ds_read_b64", text)


def _problem(text: str) -> None:
    from bankwise.read.tile_file.read import parse_question

    parse_question(text)


def _profile(text: str) -> None:
    from bankwise.profile.read import parse_profile

    parse_profile(text)


def _ptx_fold(text: str) -> object:
    """What is written is proved, as far as it is written at all."""
    from bankwise.algebra.address import Fold
    from bankwise.algebra.address_fold import AddressFold
    from bankwise.change.ptx.fold import VariableFold
    from bankwise.change.ptx.prove import prove_ptx
    from bankwise.change.ptx.splice import Spliced, spliced
    from bankwise.read.ptx.parse import kernels

    names = {one.name for kernel in kernels(text) for one in kernel.shared}
    folds = [VariableFold(one, AddressFold((Fold(128, 16, 8),)), 128) for one in sorted(names)[:2]]
    done = spliced(text, "k.ptx", folds)
    return prove_ptx(text, done.text, "k.ptx", folds) if isinstance(done, Spliced) else done


def _kit_cases(text: str) -> None:
    from bankwise.lab.kit.folder import parse_cases

    parse_cases(text, "cases.txt", 64)


def _machine(text: str) -> None:
    from bankwise.hardware.machine import parse

    parse(text, "mine.toml")


def _sweep(text: str) -> None:
    from bankwise.ask.sweep_case import MITIGATIONS
    from bankwise.sweep.spec import parse_spec

    parse_spec(text, EXAMPLES / "sweep" / "fuzz.toml", MITIGATIONS)


def _certificate(text: str) -> None:
    from bankwise.ask.certify import certify

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(data, dict):
        certify(data)


def _listing(text: str) -> None:
    """What a text is, by its looks."""
    from bankwise.read.recognise import recognise_text

    recognise_text("", text)


def _launch(text: str) -> None:
    from bankwise.read.launch.expression import launch_of

    launch_of(text)


def _host(text: str) -> None:
    from bankwise.read.launch.host import launches_in

    launches_in(text)


ENTRIES = (
    Entry(
        "mlir",
        ("check", "{}", "-t", "gfx950", "--workgroup-size", "64,1,1"),
        ".mlir",
        _files("examples/*/*.mlir", most=_SMALL),
    ),
    Entry("mlir-fix", ("fix", "{}", "-t", "gfx942", "--no-isa"), ".mlir",
          _files("examples/*/*.mlir", most=6000)),
    Entry("ttgir", ("check", "{}"), ".ttgir", _files("tests/data/isa/*.ttgir", most=6000)),
    Entry("amd", ("check", "{}"), ".s",
          _files("examples/ck_transpose/*.s", "tests/data/isa/triton_transpose*.amdgcn")),
    Entry("ptx", ("check", "{}", *_THREADS), ".ptx",
          _files("tests/data/isa/triton_transpose*.ptx", "tests/data/isa/ldmatrix.ptx")),
    Entry("sass", ("check", "{}", *_THREADS), ".sass", _kernels),
    Entry("cubin", ("check", "{}", *_THREADS), ".cubin", _cubins),
    Entry("binary", ("check", "{}", *_THREADS), ".so", _binaries),
    Entry("profile", ("check", str(_TILES), *_THREADS, "--counters", "{}"), ".csv",
          _files("tests/data/profile/*.csv", most=60_000)),
    Entry("question", ("check", "{}"), ".toml",
          _files("examples/solve/*.toml", "examples/ck_transpose/*.toml",
                 "examples/transpose_16x32/*.toml")),
    Entry("layout", ("check", "{}"), ".toml", _layouts),
    Entry("solve", ("solve", "{}", "--budget", "0.2"), ".toml", _files("examples/solve/*.toml")),
    Entry("coalesce", ("coalesce", "{}"), ".toml", _files("examples/ck_transpose/*.toml")),
    Entry("certificate", ("certify", "{}"), ".json", _answers),
    Entry("baseline", ("check", str(_ROWS), "--baseline", "{}"), ".json", _baselines),
    Entry("count", ("count", "-t", "gfx942", "ds_read_b64", "{text}"), "",
          _texts("(lane%16)*256 + lane//16*8", "lane*4 ^ (lane>>3 & 7)*16", "lane%32*4+4096",
                 "((lane & 15) << 7) | (lane >> 4) * 16", "max(lane, 3) * min(lane*8, 512)")),
    Entry("instruction", ("count", "-t", "sm_90", "{text}", "lane*4"), "",
          _texts("ld.shared.b32", "ldmatrix.x4", "LDS.128", "st.shared.v4.b32", "LDSM.16.M88.4")),
    Entry("options", ("check", str(_ROWS), "--workgroup-size", "{text}"), "",
          _texts("64,1,1", "256", "16,16", "1024,1,1")),
    Entry("launch", ("check", str(_TILES), "--launch", "{text}"), "",
          _texts("transpose*<<<64, 256>>>(_, _, 4096)", "f<<<(1,2), (32,8), 64>>>(n=0x10)")),
    Entry("launches", ("check", str(_TILES), "--launch", "{}"), ".toml",
          _files("examples/launch/*.toml")),
    Entry("anything", ("check", "{}"), ".txt",
          _files("examples/*/*.toml", "examples/*/*.mlir", "tests/data/profile/*.csv",
                 "tests/data/isa/triton_transpose*", most=_SMALL)),
    _call("call expression", _expression,
          _texts("(lane%16)*256 + lane//16*8", "lane*4 ^ (lane>>3 & 7)*16", "lane%32*4+4096",
                 "((lane & 15) << 7) | (lane >> 4) * 16", "max(lane, 3) * min(lane*8, 512)")),
    _call("call launch", _launch,
          _texts("transpose*<<<64, 256>>>(_, _, 4096)", "f<<<(1,2), (32,8), 64>>>(n=0x10)")),
    _call("call host code", _host, _files("examples/launch/*.cu")),
    _call("call ptx fold", _ptx_fold, _folded_ptx),
    _call("call layout", _layout, _texts(*_TEXTS)),
    _call("call CuTe", _cute("kernel.hpp"),
          _cute_texts("TURN", "OPERAND", "TRAITS", "HOST", "UNITS")),
    _call("call CuTe DSL", _cute("kernel.py"), _cute_texts("DSL", "MATRICES")),
    _call("call question", _problem, _files("examples/solve/*.toml", "examples/ck_transpose/*.toml",
                                            "examples/transpose_16x32/*.toml")),
    _call("call profile", _profile, _files("tests/data/profile/*.csv", most=60_000)),
    _call("call sweep", _sweep,
          _files("examples/sweep/tiles.toml", "examples/sweep/k_tiles.toml",
                 "examples/sweep/attention_head_dims.toml")),
    _call("call machine", _machine, _machines),
    _call("call certificate", _certificate, _answers),
    _call("call kit cases", _kit_cases, _texts("ds_read_b64 32 2 0 0 7 4096\nds_write_b8 -1 0\n")),
    _call("call recognise", _listing, _files("examples/*/*", "tests/data/profile/*", most=_SMALL)),
)  # fmt: skip
"""Every kind of input that bankwise takes from a user."""
