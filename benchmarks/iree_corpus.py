"""Models in all the forms that people compile with IREE, to judge plans by. No GPU is needed.

    python benchmarks/iree_corpus.py models OUT              # the texts, one .mlir each
    python benchmarks/iree_corpus.py dumps OUT gfx942        # what IREE makes of them by default
    python benchmarks/iree_corpus.py fix OUT gfx942          # what `bankwise fix` makes of that
    python benchmarks/iree_corpus.py page OUT > docs/evaluation_iree.md

`fix` judges by proof alone here (executing and compiling 200 kernels takes hours) and goes on where
it stopped: OUT/gfx942.csv has a row for each dump.

Matrix products of all types and transpositions, odd, skinny, dynamic and batched ones, convolutions
in both layouts, attentions, reductions, norms, transposes and fusions. Nothing is left out because
it goes badly: a model that IREE cannot compile for a GPU is named in the table with IREE's reason.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bankwise.ask.analysis import analyse
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.fix import fix_kernels
from bankwise.ask.text_price import price_of
from bankwise.change.compile.lower import Lowering, lower
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import InputError
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from bankwise.tile import COPIES

DEFAULT = Lowering(padding=True, direct_load=True)
"""What iree-compile does without a flag."""

SUM = {"f16": "f32", "bf16": "f32", "f32": "f32", "i8": "i32", "f8E4M3FNUZ": "f32"}
"""The type that products are summed in."""

SHORT = {"f8E4M3FNUZ": "f8"}
"""The 8-bit floats of gfx942; the GPUs after it have f8E4M3FN."""


def tensor(*parts: object) -> str:
    """``tensor<4x8xf16>``."""
    return f"tensor<{'x'.join(map(str, parts))}>"


def function(name: str, arguments: str, result: str, body: str) -> str:
    """One function of a module; ``body`` leaves its answer in %r."""
    lines = "\n".join(f"  {line}" for line in body.strip().split("\n"))
    return f"func.func @{name}({arguments}) -> {result} {{\n{lines}\n  return %r : {result}\n}}\n"


def filled(shape: tuple[object, ...], kind: str, sizes: str = "") -> str:
    """%o, a tensor of zeros."""
    zero = "0" if kind.startswith("i") else "0.0"
    where = tensor(*shape, kind)
    return (
        f"%zero = arith.constant {zero} : {kind}\n"
        f"%e = tensor.empty({sizes}) : {where}\n"
        f"%o = linalg.fill ins(%zero : {kind}) outs(%e : {where}) -> {where}\n"
    )


def maps(*results: str, dims: str) -> str:
    """Indexing maps over the loops ``dims``."""
    return "[" + ", ".join(f"affine_map<({dims}) -> ({r})>" for r in results) + "]"


def product(name: str, kind: str, sizes: tuple[int, int, int], form: str = "nn") -> str:
    """C = A.B with either operand transposed (``form``: n or t for each)."""
    m, n, k = sizes
    a = tensor(*((m, k) if form[0] == "n" else (k, m)), kind)
    b = tensor(*((k, n) if form[1] == "n" else (n, k)), kind)
    c = tensor(m, n, SUM[kind])
    left, right = "m, k" if form[0] == "n" else "k, m", "k, n" if form[1] == "n" else "n, k"
    body = filled((m, n), SUM[kind]) + (
        f"%r = linalg.matmul indexing_maps = {maps(left, right, 'm, n', dims='m, n, k')}\n"
        f"  ins(%a, %b : {a}, {b}) outs(%o : {c}) -> {c}"
    )
    return function(name, f"%a: {a}, %b: {b}", c, body)


def products() -> Iterator[tuple[str, str]]:
    """Types by transpositions, then sizes that are no power of two, skinny and large ones."""
    for kind in SUM:
        for form in ("nn", "nt", "tn", "tt"):
            name = f"mm_{SHORT.get(kind, kind)}_{form}"
            yield name, product(name, kind, (1024, 1024, 1024), form)
    sizes = {
        "odd": (1023, 1025, 1031), "even": (1000, 1200, 720), "small": (128, 128, 128),
        "skinny": (16, 4096, 4096), "tall": (4096, 32, 4096), "deep": (256, 256, 16384),
        "large": (4096, 4096, 4096),
    }  # fmt: skip
    for label, size in sizes.items():
        for kind, form in (("f16", "nt"), ("f32", "nn")):
            yield f"mm_{kind}_{label}", product(f"mm_{kind}_{label}", kind, size, form)


def batched(name: str, kind: str, form: str, sizes: tuple[int, int, int, int]) -> str:
    """A batch of products."""
    b, m, n, k = sizes
    left = tensor(b, m, k, kind)
    right = tensor(*((b, k, n) if form == "nn" else (b, n, k)), kind)
    out = tensor(b, m, n, SUM[kind])
    second = "b, k, n" if form == "nn" else "b, n, k"
    body = filled((b, m, n), SUM[kind]) + (
        f"%r = linalg.batch_matmul indexing_maps = "
        f"{maps('b, m, k', second, 'b, m, n', dims='b, m, n, k')}\n"
        f"  ins(%a, %b : {left}, {right}) outs(%o : {out}) -> {out}"
    )
    return function(name, f"%a: {left}, %b: {right}", out, body)


def batches() -> Iterator[tuple[str, str]]:
    """Batches in both forms."""
    for kind, form in (("f16", "nn"), ("f16", "nt"), ("bf16", "nt"), ("f32", "nn"), ("i8", "nt")):
        yield f"bmm_{kind}_{form}", batched(f"bmm_{kind}_{form}", kind, form, (16, 512, 512, 256))


def dynamic(name: str, kind: str) -> str:
    """A product whose rows are known at run time only."""
    a, b, c = tensor("?", 1024, kind), tensor(1024, 1024, kind), tensor("?", 1024, SUM[kind])
    body = f"%c0 = arith.constant 0 : index\n%d = tensor.dim %a, %c0 : {a}\n"
    body += filled(("?", 1024), SUM[kind], "%d")
    body += f"%r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%o : {c}) -> {c}"
    return function(name, f"%a: {a}, %b: {b}", c, body)


def fused(name: str, kind: str, tail: str, extra: str = "", more: str = "") -> str:
    """A product with ``tail`` behind it: elementwise work on %x (its sum) and %y (``extra``)."""
    a, c = tensor(1024, 1024, kind), tensor(1024, 1024, SUM[kind])
    given = f", %bias: {extra}" if extra else ""
    second = ", %bias" if extra else ""
    types = f", {extra}" if extra else ""
    row = "n" if extra.count("x") == 1 else "m, n"
    reads = ["m, n", *([row] if extra else []), "m, n"]
    body = filled((1024, 1024), SUM[kind]) + (
        f"%p = linalg.matmul indexing_maps = {maps('m, k', 'n, k', 'm, n', dims='m, n, k')}\n"
        f"  ins(%a, %b : {a}, {a}) outs(%o : {c}) -> {c}\n"
        f"%r = linalg.generic {{indexing_maps = {maps(*reads, dims='m, n')}, "
        f'iterator_types = ["parallel", "parallel"]}}\n'
        f"  ins(%p{second} : {c}{types}) outs(%e : {c}) {{\n"
        f"^bb0(%x: {SUM[kind]}{', %y: f32' if extra else ''}, %z: {SUM[kind]}):\n"
        f"{tail}\n  linalg.yield %v : {SUM[kind]}\n}} -> {c}"
    )
    return function(name, f"%a: {a}, %b: {a}{given}{more}", c, body)


def fusions() -> Iterator[tuple[str, str]]:
    """Products that do something before or after."""
    bias = tensor(1024, "f32")
    whole = tensor(1024, 1024, "f32")
    gelu = (
        "  %s = arith.addf %x, %y : f32\n  %h = arith.constant 0.5 : f32\n"
        "  %t = math.erf %s : f32\n  %u = arith.mulf %t, %h : f32\n"
        "  %w = arith.addf %u, %h : f32\n  %v = arith.mulf %s, %w : f32"
    )
    relu = "  %c = arith.constant 0.0 : f32\n  %v = arith.maximumf %x, %c : f32"
    yield "mm_bias_gelu", fused("mm_bias_gelu", "f16", gelu, bias)
    yield "mm_relu", fused("mm_relu", "f16", relu)
    yield "mm_residual", fused("mm_residual", "bf16", "  %v = arith.addf %x, %y : f32", whole)
    yield "mm_dequant", dequantised("mm_dequant")
    for kind in ("f16", "f32"):
        yield f"mm_{kind}_dynamic", dynamic(f"mm_{kind}_dynamic", kind)


def dequantised(name: str) -> str:
    """A product whose weights are bytes with a scale for each column."""
    a, w, b = tensor(1024, 1024, "f16"), tensor(1024, 1024, "i8"), tensor(1024, 1024, "f16")
    s, c = tensor(1024, "f16"), tensor(1024, 1024, "f32")
    body = filled((1024, 1024), "f32") + (
        f"%we = tensor.empty() : {b}\n"
        f"%d = linalg.generic {{indexing_maps = {maps('n, k', 'n', 'n, k', dims='n, k')}, "
        f'iterator_types = ["parallel", "parallel"]}}\n'
        f"  ins(%w, %s : {w}, {s}) outs(%we : {b}) {{\n^bb0(%x: i8, %y: f16, %z: f16):\n"
        f"  %f = arith.sitofp %x : i8 to f16\n  %v = arith.mulf %f, %y : f16\n"
        f"  linalg.yield %v : f16\n}} -> {b}\n"
        f"%r = linalg.matmul indexing_maps = {maps('m, k', 'n, k', 'm, n', dims='m, n, k')}\n"
        f"  ins(%a, %d : {a}, {b}) outs(%o : {c}) -> {c}"
    )
    return function(name, f"%a: {a}, %w: {w}, %s: {s}", c, body)


CONVOLUTIONS = {
    "nhwc": ("linalg.conv_2d_nhwc_hwcf", "{n}x{h}x{w}x{c}", "{k}x{k}x{c}x{f}", "{n}x{p}x{q}x{f}"),
    "nchw": ("linalg.conv_2d_nchw_fchw", "{n}x{c}x{h}x{w}", "{f}x{c}x{k}x{k}", "{n}x{f}x{p}x{q}"),
}


def convolution(name: str, order: str, kind: str, window: int, stride: int, channels: int) -> str:
    """A convolution without padding of its input: 2 images, an output of 32 x 32."""
    operation, *texts = CONVOLUTIONS[order]
    height = (32 - 1) * stride + window
    sizes = {"n": 2, "h": height, "w": height, "c": channels, "f": 2 * channels}
    sizes |= {"k": window, "p": 32, "q": 32}
    x, f, y = (t.format(**sizes) for t in texts)
    x, f, out = tensor(x, kind), tensor(f, kind), tensor(y, SUM[kind])
    body = filled(tuple(y.split("x")), SUM[kind]) + (
        f"%r = {operation} {{dilations = dense<1> : tensor<2xi64>, "
        f"strides = dense<{stride}> : tensor<2xi64>}}\n"
        f"  ins(%x, %f : {x}, {f}) outs(%o : {out}) -> {out}"
    )
    return function(name, f"%x: {x}, %f: {f}", out, body)


def convolutions() -> Iterator[tuple[str, str]]:
    """Both orders of the axes, windows of 1, 3 and 5, strides, types."""
    forms = (
        ("f16", 3, 1, 128), ("f16", 1, 1, 256), ("f16", 5, 1, 32), ("f16", 3, 2, 64),
        ("f32", 3, 1, 64), ("i8", 3, 1, 128),
    )  # fmt: skip
    for order in CONVOLUTIONS:
        for kind, window, stride, channels in forms:
            name = f"conv_{order}_{kind}_{window}x{window}" + (f"_s{stride}" if stride > 1 else "")
            yield name, convolution(name, order, kind, window, stride, channels)


def attention(name: str, kind: str, sizes: tuple[int, int, int, int]) -> str:
    """Attention of b heads, m queries over n keys, in a dimension of d."""
    b, m, n, d = sizes
    q, k, out = tensor(b, m, d, kind), tensor(b, n, d, kind), tensor(b, m, d, kind)
    steps = maps("b, m, k", "b, n, k", "b, n, d", "", "b, m, d", dims="b, m, d, n, k")
    body = (
        f"%s = arith.constant {d**-0.5:.6f} : {kind}\n%e = tensor.empty() : {out}\n"
        f"%r = iree_linalg_ext.attention <indexing_maps = {steps}>\n"
        f"  ins(%q, %k, %v, %s : {q}, {k}, {k}, {kind}) outs(%e : {out}) {{\n"
        f"^bb0(%x: f32):\n  iree_linalg_ext.yield %x : f32\n}} -> {out}"
    )
    return function(name, f"%q: {q}, %k: {k}, %v: {k}", out, body)


def attentions() -> Iterator[tuple[str, str]]:
    """Head dimensions of 64 to 256, three types, and one query over many keys."""
    for kind, head in (("f16", 64), ("f16", 96), ("f16", 128), ("f16", 256), ("bf16", 64),
                       ("bf16", 128), ("f32", 64), ("f32", 128)):  # fmt: skip
        name = f"attn_{kind}_d{head}"
        yield name, attention(name, kind, (8, 1024, 1024, head))
    yield "attn_f16_decode", attention("attn_f16_decode", "f16", (32, 1, 4096, 128))
    yield "attn_f16_short", attention("attn_f16_short", "f16", (64, 128, 128, 64))


def elementwise(result: str, reads: tuple[str, ...], loops: str, operands: str, body: str) -> str:
    """%NAME of a linalg.generic; ``operands``: its ins and outs, the last of them the result's."""
    kinds = ", ".join(
        '"reduction"' if loop not in reads[-1] else '"parallel"' for loop in loops.split(", ")
    )
    return (
        f"{result} = linalg.generic {{indexing_maps = {maps(*reads, dims=loops)}, "
        f"iterator_types = [{kinds}]}}\n  {operands} {{\n{body}\n}}"
    )


def reduction(name: str, kind: str, sizes: tuple[int, int], along: str, step: str) -> str:
    """Rows (or columns) to one number each, by ``step`` on %x and %acc."""
    m, n = sizes
    x, out = tensor(m, n, kind), tensor(m if along == "n" else n, kind)
    kept = "m" if along == "n" else "n"
    body = filled((m if along == "n" else n,), kind) + (
        elementwise(
            *("%r", ("m, n", kept), "m, n", f"ins(%x : {x}) outs(%o : {out})"),
            f"^bb0(%i: {kind}, %acc: {kind}):\n  %v = {step} %i, %acc : {kind}\n"
            f"  linalg.yield %v : {kind}",
        )
        + f" -> {out}"
    )
    return function(name, f"%x: {x}", out, body)


def softmax(name: str, kind: str, rows: int, columns: int) -> str:
    """Softmax along rows."""
    x = tensor(rows, columns, kind)
    body = (
        f"%e = tensor.empty() : {x}\n"
        f"%r = linalg.softmax dimension(1) ins(%x : {x}) outs(%e : {x}) -> {x}"
    )
    return function(name, f"%x: {x}", x, body)


def norm(name: str, rows: int, columns: int) -> str:
    """Rows divided by the root of their mean square."""
    x, s = tensor(rows, columns, "f32"), tensor(rows, "f32")
    square = "^bb0(%i: f32, %acc: f32):\n  %q = arith.mulf %i, %i : f32\n"
    square += "  %v = arith.addf %q, %acc : f32\n  linalg.yield %v : f32"
    scale = (
        f"^bb0(%i: f32, %j: f32, %z: f32):\n  %n = arith.constant {float(columns)} : f32\n"
        "  %q = arith.divf %j, %n : f32\n  %w = math.rsqrt %q : f32\n"
        "  %v = arith.mulf %i, %w : f32\n  linalg.yield %v : f32"
    )
    body = filled((rows,), "f32")
    body += (
        elementwise("%s", ("m, n", "m"), "m, n", f"ins(%x : {x}) outs(%o : {s})", square)
        + f" -> {s}\n%w0 = tensor.empty() : {x}\n"
    )
    body += (
        elementwise(
            "%r", ("m, n", "m", "m, n"), "m, n", f"ins(%x, %s : {x}, {s}) outs(%w0 : {x})", scale
        )
        + f" -> {x}"
    )
    return function(name, f"%x: {x}", x, body)


def transpose(name: str, kind: str, shape: tuple[int, ...], order: tuple[int, ...]) -> str:
    """A permutation of axes."""
    x, out = tensor(*shape, kind), tensor(*(shape[i] for i in order), kind)
    body = (
        f"%e = tensor.empty() : {out}\n"
        f"%r = linalg.transpose ins(%x : {x}) outs(%e : {out}) permutation = {list(order)}"
    )
    return function(name, f"%x: {x}", out, body)


def others() -> Iterator[tuple[str, str]]:
    """Reductions, norms and transposes."""
    yield "sum_rows_f32", reduction("sum_rows_f32", "f32", (4096, 4096), "n", "arith.addf")
    yield "sum_columns_f32", reduction("sum_columns_f32", "f32", (4096, 4096), "m", "arith.addf")
    yield "max_rows_f16", reduction("max_rows_f16", "f16", (1024, 8192), "n", "arith.maximumf")
    yield "sum_odd_f32", reduction("sum_odd_f32", "f32", (1021, 3001), "n", "arith.addf")
    yield "softmax_f32", softmax("softmax_f32", "f32", 4096, 4096)
    yield "softmax_f16", softmax("softmax_f16", "f16", 1024, 8192)
    yield "softmax_odd", softmax("softmax_odd", "f32", 1021, 1000)
    yield "rmsnorm", norm("rmsnorm", 4096, 4096)
    yield "rmsnorm_small", norm("rmsnorm_small", 64, 768)
    for kind in ("f16", "f32", "i8"):
        yield f"transpose_{kind}", transpose(f"transpose_{kind}", kind, (2048, 2048), (1, 0))
    yield "transpose_021", transpose("transpose_021", "f16", (16, 512, 512), (0, 2, 1))
    yield "transpose_210", transpose("transpose_210", "f32", (64, 128, 256), (2, 1, 0))
    yield "transpose_odd", transpose("transpose_odd", "f32", (1000, 777), (1, 0))


def models(target: str = "gfx942") -> dict[str, str]:
    """Every model by its name."""
    found = (*products(), *batches(), *fusions(), *convolutions(), *attentions(), *others())
    if target == "gfx942":
        return dict(found)
    return {name: text.replace("f8E4M3FNUZ", "f8E4M3FN") for name, text in found}


def write_models(folder: Path) -> None:
    """The texts, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in models().items():
        (folder / f"{name}.mlir").write_text(text, "utf-8")
    print(f"{len(models())} models in {folder}")


def write_dumps(folder: Path, target: str, jobs: int) -> None:
    """Every dispatch with shared memory as IREE leaves it by default; why there is none."""
    where = folder / target
    where.mkdir(parents=True, exist_ok=True)

    def one(named: tuple[str, str]) -> str:
        name, text = named
        try:
            found = lower(text, target, DEFAULT, file=f"{name}.mlir")
        except InputError as error:
            return f"{name}: {error.message}"
        shared = [d for d in found if d.uses_shared_memory]
        for dispatch in shared:
            suffix = "" if len(shared) == 1 else f".{dispatch.executable}"
            (where / f"{name}{suffix}.mlir").write_text(dispatch.text, "utf-8")
        why = "; ".join(d.refusal.reason for d in found if d.refusal)
        return f"{name}: {len(shared)} of {len(found)} dispatches use shared memory" + (
            f" ({why})" if why else ""
        )

    with ThreadPoolExecutor(jobs) as pool:
        for line in pool.map(one, models(target).items()):
            print(line, flush=True)


COLUMNS = (
    "dump", "passes", "passes_fixed", "ideal_fixed", "cycles", "cycles_fixed", "instructions",
    "instructions_fixed", "lds_bytes", "lds_bytes_fixed", "unknown", "unknown_fixed", "changes",
    "why",
)  # fmt: skip
"""Of a workgroup; ``cycles``: passes and issue cycles (an instruction 1 where they are not known);
``unknown``: accesses without a number or under a rule that nobody knows; ``why``: the first reason
that fix gives for what it left."""


def priced(text: str, name: str) -> dict[str, int]:
    """What the loads and stores of a text take; what copies straight to LDS write is not in it."""
    analyses = analyse(open_text(text, name), Options())
    price, instructions, ideal = price_of(analyses), 0, 0
    for each in analyses:
        counted = count_kernel(kernel_of(each), each.machine)[0]
        for report in (one for one in counted if one.kind not in COPIES):
            instructions += len(report.issued) * report.waves * report.executions
            ideal += report.run.ideal
    return {
        "passes": price.passes, "cycles": price.cycles, "instructions": instructions,
        "lds_bytes": price.lds_bytes, "unknown": price.unknown, "ideal": ideal,
    }  # fmt: skip


def fixed(dump: Path) -> dict[str, object]:
    """A row of the table."""
    report = fix_kernels(dump, Options(), execute=False, isa=False)
    before, after = priced(report.source_text, str(dump)), priced(report.fixed_text, str(dump))
    row: dict[str, object] = {"dump": dump.stem, "ideal_fixed": after.pop("ideal")}
    before.pop("ideal")
    row |= before | {f"{key}_fixed": value for key, value in after.items()}
    why = report.refusals[0].reason if report.refusals else ""
    return row | {"changes": len(report.changes), "why": why}


def write_fixes(folder: Path, target: str) -> None:
    """A row for each dump that has none yet."""
    table = folder / f"{target}.csv"
    known = {row["dump"] for row in rows(table)}
    with table.open("a", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS)
        if not known:
            out.writeheader()
        for dump in sorted((folder / target).glob("*.mlir")):
            if dump.stem not in known:
                out.writerow(fixed(dump))
                file.flush()
                print(dump.stem, flush=True)


def rows(table: Path) -> list[dict[str, str]]:
    """The table as far as it is written."""
    if not table.exists():
        return []
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page(folder: Path) -> str:
    """The tables as a page."""
    found = {path.stem: rows(path) for path in sorted(folder.glob("*.csv"))}
    lines = [HEAD, *(summary(target, each) for target, each in found.items()), ""]
    for target, each in found.items():
        lines += [f"## {target}", "", *details(each), ""]
    return "\n".join(lines)


HEAD = """# IREE's own kernels: what `fix` makes of them

Models of all the forms that people compile (`benchmarks/iree_corpus.py`), compiled by the pinned
IREE without a flag, so with whatever mitigation it applies unasked; then `bankwise fix` on the
kernel as it stands. Every change is proved to compute the same. In this table nothing is executed
or compiled again, and registers and occupancy are not in it. All numbers are of one workgroup.
"Worse": more passes, or more passes and issue cycles together, than IREE's own.

| | dumps | with conflicts | fewer passes | worse | conflicts left |
|---|---|---|---|---|---|"""


def numbers(row: Mapping[str, str]) -> dict[str, int]:
    """The columns that are numbers."""
    return {key: int(row[key]) for key in COLUMNS if key not in ("dump", "why")}


def conflicts(row: Mapping[str, str]) -> bool:
    """Whether anything could be gained, or was."""
    one = numbers(row)
    return one["passes_fixed"] > one["ideal_fixed"] or one["passes_fixed"] < one["passes"]


def summary(target: str, found: Sequence[Mapping[str, str]]) -> str:
    """One line of the table of all targets."""
    each = [numbers(row) for row in found]
    fewer = sum(one["passes_fixed"] < one["passes"] for one in each)
    worse = sum(
        one["passes_fixed"] > one["passes"] or one["cycles_fixed"] > one["cycles"] for one in each
    )
    left = sum(one["passes_fixed"] > one["ideal_fixed"] for one in each)
    had = sum(map(conflicts, found))
    return f"| {target} | {len(each)} | {had} | {fewer} | {worse} | {left} |"


def details(found: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """What is behind a line: kernels that had conflicts."""
    yield "| kernel | passes | with issue cycles | LDS instructions | LDS bytes | left |"
    yield "|---|---|---|---|---|---|"
    for row in filter(conflicts, found):
        one = numbers(row)
        pairs = ("passes", "cycles", "instructions", "lds_bytes")
        cells = [change(one[key], one[f"{key}_fixed"]) for key in pairs]
        left = one["passes_fixed"] - one["ideal_fixed"]
        yield f"| {row['dump']} | {' | '.join(cells)} | {left or ''} |"


def change(before: int, after: int) -> str:
    """``12,288 -> 9,216``, or the number alone."""
    return f"{before:,}" if before == after else f"{before:,} -> {after:,}"


def main() -> int:
    """Write the models, what IREE makes of them, and what fix makes of that."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("models", "dumps", "fix", "page"):
        one = verbs.add_parser(verb)
        one.add_argument("folder", type=Path)
        if verb in ("dumps", "fix"):
            one.add_argument("target")
        if verb == "dumps":
            one.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if given.verb == "models":
        write_models(given.folder)
    elif given.verb == "dumps":
        write_dumps(given.folder, given.target, given.jobs)
    elif given.verb == "fix":
        write_fixes(given.folder, given.target)
    else:
        print(page(given.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
