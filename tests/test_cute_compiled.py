"""CuTe's own compiler as the judge: every text and every answer by nvcc, with CUTLASS's headers.

Each text is compiled as it is and as ``fix`` writes it, all in one unit. The compiler holds every
coordinate of the layouts to where bankwise says it lies (``static_assert``), and the passes that
are read from the text to those of the machine code, for sm_80. The headers are found as the package
nvidia-cutlass brings them.
"""

from __future__ import annotations

import functools
import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import cute_texts
from bankwise.ask.check_assembly import check_assembly_file
from bankwise.ask.check_cute import open_cute
from bankwise.ask.check_source import check_source_file
from bankwise.ask.fix_source import fix_source_file
from bankwise.notation.cute.swizzle import CuteLayout, CuteMemory
from bankwise.read.cute.forms import elements, sizes_of
from bankwise.read.cute.sites import layout_of
from bankwise.read.options import Options
from bankwise.read.toolkit import find_program
from bankwise.show.values import KernelReport
from test_cute_files import EXPECTED, FIXED, counted, fixed, named


def headers() -> Path | None:
    """Of CuTe, in the package nvidia-cutlass."""
    package = find_spec("cutlass_library")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "source" / "include"
    return folder if (folder / "cute" / "tensor.hpp").is_file() else None


pytestmark = pytest.mark.skipif(
    headers() is None or find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc, nvdisasm and CuTe's headers (pip install nvidia-cutlass)",
)


MEMORY = "  extern __shared__ __align__(1024) char memory[];\n"
MATRIX = """
  auto r{0} = make_tiled_copy_{0}(typename Used::SmemCopyAtom{{}}, mma);
  auto t{0} = r{0}.get_slice(threadIdx.x);
  auto f{0} = mma.get_slice(threadIdx.x).partition_fragment_{0}(tile);
  copy(r{0}, t{0}.partition_S(tile), t{0}.retile_D(f{0}));
  copy(f{0}, make_tensor(make_gmem_ptr(out + threadIdx.x * size(f{0})), f{0}.layout()));
"""
LOADED = """
  auto loads = typename Used::GmemTiledCopy{}.get_slice(threadIdx.x);
  auto whole = make_tensor(make_gmem_ptr(out), make_shape(_128{}, _64{}), LayoutRight{});
  copy(typename Used::GmemTiledCopy{}, loads.partition_S(whole), loads.partition_D(tile));
"""
TILED = """
  typename Used::{copy} by;
  auto part = by.get_slice(threadIdx.x).partition_{way}(tile);
  auto frag = make_fragment_like(part);
  auto kept = make_tensor(make_gmem_ptr(out + threadIdx.x * size(frag)), frag.layout());
"""
READ, STORE = (
    "copy(by, part, frag);\n  copy(frag, kept);\n",
    "copy(kept, frag);\n  copy(by, frag, part);\n",
)


def calling(call: str, parameters: str = "") -> str:
    """A kernel that calls the function of a text."""
    return f"__global__ void kernel({parameters}) {{\n{MEMORY}  {call};\n}}\n"


def using(types: str, element: str, layout: str, body: str) -> str:
    """A kernel that uses the struct of a text: a tile, and what is done to it."""
    tile = f"make_smem_ptr(reinterpret_cast<{element}*>(memory)), typename Used::{layout}{{}}"
    lines = f"  using Used = {types};\n  auto tile = make_tensor({tile});\n"
    return f"__global__ void kernel({element}* out) {{\n{MEMORY}{lines}{body}}}\n"


SMEM = "reinterpret_cast<half_t*>(memory)"
MMA = "  typename Used::TiledMma mma;\n"
KERNELS: dict[str, str] = {
    "TURN": calling(f"turn(in, out, {SMEM})", "half_t const* in, half_t* out"),
    "OPERAND": calling(f"operand(in, {SMEM}, out)", "half_t const* in, half_t* out"),
    "VALUES": calling(f"values({SMEM}, out)", "half_t* out"),
    "SIMPLE": calling("simple(in, out)", "float const* in, float* out"),
    "EPILOGUE": calling(f"epilogue({SMEM})"),
    "ORDERED": calling(f"ordered({SMEM}, out)", "half_t* out"),
    "TRAITS": using(
        *("AttentionTypes<64, 128, 4>", "half_t", "SmemLayoutQ"),
        LOADED + MMA + MATRIX.format("A") + MATRIX.format("B"),
    ),
    "DERIVED": using("Types<4>", "bfloat16_t", "SmemLayoutA", MMA + MATRIX.format("A")),
    "QUALIFIED": using(
        *("mine::Tiles", "half_t", "smem_a", TILED.format(copy="CopyA", way="S") + READ),
    ),
    "REVERSED": using(
        *("Columns", "float", "SmemLayoutB", TILED.format(copy="StoreB", way="D") + STORE),
    ),
    "UNITS": using("Stage", "half_t", "SmemLayoutA", ""),
    "HOST": "",
}
"""The text itself is a kernel, or what a kernel is made of: that one."""
UNUSED = ("UNITS",)
"""Only where its elements lie is compiled: what passes past the cache take data decide."""
CHANGED = ("ORDERED", "DERIVED", "REVERSED")
BOTH = [name for name in KERNELS if name in (*FIXED, *CHANGED)]
CASES = [*((name, False) for name in KERNELS), *((name, True) for name in BOTH)]
STEP = 1024
"""Elements of one assertion: a compiler evaluates only so much at once."""
FLAGS = ("-std=c++17", "--expt-relaxed-constexpr", "-arch=sm_80", "-cubin", f"-DSTEP={STEP}")
LIES = """
template <class L, int N>
__host__ __device__ constexpr bool lies(L where, int const (&wanted)[N], int rows, int first) {
  for (int n = first; n < N && n < first + STEP; ++n) {
    if constexpr (decltype(rank(where))::value == 3) {
      if (int(where(n % rows, n / rows, 0)) != wanted[n]) return false;
    } else {
      if (int(where(n % rows, n / rows)) != wanted[n]) return false;
    }
  }
  return true;
}
"""


def unit(name: str, text: str, space: str) -> str:
    """The text in a namespace of its own, every coordinate of its layouts held to where bankwise
    says that it lies."""
    found = open_cute(text, named(name), Options("sm_80", dims=EXPECTED[name][1]))
    text = text.removeprefix(cute_texts.HEAD).replace("#include <cute/tensor.hpp>", "")
    tables, behind = "", KERNELS[name]
    for site in {site.name: site for site in found.sites}.values():
        rows, places = lying(layout_of(found.evaluation, site))
        tables += f"constexpr int at_{site.name}[] = {{{', '.join(map(str, places))}}};\n"
        local = re.search(rf"(?:auto|Tensor) {site.name} = make_tensor\([^;]*;", text)
        type_ = f"{site.name}.layout()" if local else f"typename Used::{site.name}{{}}"
        if name == "UNITS":
            type_ = f"as_position_independent_swizzle_layout({type_})"
        said = "".join(
            f"\n  static_assert(lies(remove_cvref_t<decltype({type_})>{{}}, "
            f"at_{site.name}, {rows}, {first}));"
            for first in range(0, len(places), STEP)
        )
        if local:
            text = text[: local.end()] + said + text[local.end() :]
        else:
            behind = behind.replace("{});\n", "{});" + said + "\n", 1)
    return f"namespace {space} {{\n{tables}{text}{behind}}}\n"


def lying(layout: CuteLayout) -> tuple[int, list[int]]:
    """The rows of a tile, and where its elements lie, column by column."""
    where = elements(layout)
    sizes = sizes_of(where)
    columns, rows = np.indices((sizes[1], sizes[0])).reshape(2, -1)
    index = np.zeros((len(rows), len(sizes)), np.int64)
    index[:, 0], index[:, 1] = rows, columns
    return sizes[0], CuteMemory(where).offsets(index).reshape(-1).tolist()


def space(name: str, after: bool) -> str:
    return f"{name.lower()}_{'after' if after else 'before'}"


def text_of(name: str, after: bool) -> str:
    return fixed(name)[0] if after else getattr(cute_texts, name)


@functools.cache
def compiled() -> tuple[str, Path]:
    """What the compiler says against the texts, before and after, and their cubin."""
    folder = Path(tempfile.mkdtemp())
    source, cubin = folder / "all.cu", folder / "all.cubin"
    units = "".join(unit(name, text_of(name, a), space(name, a)) for name, a in CASES)
    source.write_text(cute_texts.HEAD + LIES + units, "utf-8")
    words = (find_program("nvcc"), *FLAGS, f"-I{headers()}", source, "-o", cubin)
    done = subprocess.run([*map(str, words)], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr, cubin


@functools.cache
def emitted(threads: int) -> tuple[KernelReport, ...]:
    """The kernels of the machine code, all for so many threads."""
    said, cubin = compiled()
    assert not said
    return check_assembly_file(cubin, Options(workgroup_size=f"{threads},1,1")).kernels


@pytest.mark.parametrize(("name", "after"), CASES)
def test_the_machine_code_takes_the_passes_that_are_read(name: str, after: bool) -> None:
    """The unit compiles, so that every element lies where it is said to; and every bank."""
    threads = 256 if name == "SIMPLE" else 128
    (kernel,) = (k for k in emitted(threads) if space(name, after) in k.name)
    found: dict[str, int] = {}
    for access in kernel.accesses:
        found[access.direction] = found.get(access.direction, 0) + access.run.passes
    read = counted(name, text_of(name, after))
    assert found == ({} if name in UNUSED else read)


def test_a_kernel_of_cute_is_fixed_in_its_source(tmp_path: Path) -> None:
    """``fix kernel.cu``: the term is changed, and the code of both versions stores the same."""
    file = tmp_path / "kernel.cu"
    kernel = KERNELS["TURN"].replace("void kernel", "void __launch_bounds__(128) kernel")
    file.write_text(cute_texts.TURN + kernel, "utf-8")
    flags = ("-std=c++17", f"-I{headers()}")
    options = Options("sm_80", workgroup_size="128,1,1", flags=flags)
    (snippet,) = check_source_file(file, options).snippets
    report = fix_source_file(file, options)
    assert snippet.text in report.fixed_text
    assert snippet.text not in report.source_text
    assert (snippet.before, snippet.after) == fixed("TURN")[1:]
    assert [(v.judge, v.status) for v in report.verdicts] == [
        ("proof", "passed"),
        ("isa", "passed"),
        ("execution", "passed"),
    ]
    assert "Swizzle<3, 3, 3>" in report.fixed_text
    _, before, after = fixed("TURN")
    assert report.before.totals.run.passes == before
    assert report.after.totals.run.passes == after
