"""Models in all the forms that people compile with IREE, to judge plans by. No GPU is needed.

    python benchmarks/iree_corpus.py models OUT              # the texts, one .mlir each
    python benchmarks/iree_corpus.py dumps OUT gfx942        # what IREE makes of them by default

What `bankwise fix` makes of models and dumps: benchmarks/iree_fixes.py.

Matrix products of all types and transpositions, odd, skinny, dynamic and batched ones, convolutions
in both layouts, attentions, reductions, norms, transposes and fusions. Nothing is left out because
it goes badly: a model that IREE cannot compile for a GPU is named in the table with IREE's reason.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bankwise.change.compile.lower import Lowering, lower
from bankwise.errors import InputError

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


def main() -> int:
    """Write the models, and what IREE makes of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("models", "dumps"):
        one = verbs.add_parser(verb)
        one.add_argument("folder", type=Path)
        if verb == "dumps":
            one.add_argument("target")
            one.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if given.verb == "models":
        write_models(given.folder)
    else:
        write_dumps(given.folder, given.target, given.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
