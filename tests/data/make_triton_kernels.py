"""Make tests/data/isa/triton_*: four Triton 3.9.0 kernels as TTGIR, AMD assembly and PTX.

    python -m venv /tmp/triton && /tmp/triton/bin/pip install triton==3.9.0
    /tmp/triton/bin/python tests/data/make_triton_kernels.py [KERNEL..]

No GPU is needed. Each kernel is compiled for gfx942, gfx950, sm_80 and sm_90; the header of every
stored text names this script and the kernel's launch constants.
"""

import os
import sys
from pathlib import Path
from tempfile import mkdtemp

os.environ["TRITON_CACHE_DIR"] = mkdtemp(prefix="triton-cache-")
os.environ["TRITON_ALWAYS_COMPILE"] = "1"

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

OUT = Path(__file__).parent / "isa"
TARGETS = {
    "gfx942": GPUTarget("hip", "gfx942", 64),
    "gfx950": GPUTarget("hip", "gfx950", 64),
    "sm_80": GPUTarget("cuda", 80, 32),
    "sm_90": GPUTarget("cuda", 90, 32),
}
MOST_BYTES = 150_000


@triton.jit
def transpose(x, y, m: tl.constexpr, n: tl.constexpr):
    """One m x n tile, transposed through shared memory."""
    rows, columns = tl.arange(0, m), tl.arange(0, n)
    tile = tl.load(x + rows[:, None] * n + columns[None, :])
    tl.store(y + columns[:, None] * m + rows[None, :], tl.trans(tile))


@triton.jit
def matmul(a, b, c, size, bm: tl.constexpr, bn: tl.constexpr, bk: tl.constexpr):
    """C = A * B, square, one bm x bn tile of C for each program."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    columns = tl.program_id(1) * bn + tl.arange(0, bn)
    inner = tl.arange(0, bk)
    left = a + rows[:, None] * size + inner[None, :]
    right = b + inner[:, None] * size + columns[None, :]
    total = tl.zeros((bm, bn), dtype=tl.float32)
    for _ in range(0, size, bk):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += bk
        right += bk * size
    tl.store(c + rows[:, None] * size + columns[None, :], total.to(tl.float16))


@triton.jit
def attention(q, k, v, o, keys, scale, bm: tl.constexpr, bn: tl.constexpr, d: tl.constexpr):
    """softmax(Q K^T) V for bm queries of one head, bn keys at a time."""
    rows = tl.program_id(0) * bm + tl.arange(0, bm)
    inner, wide = tl.arange(0, d), tl.arange(0, bn)
    query = tl.load(q + rows[:, None] * d + inner[None, :])
    top = tl.full((bm,), float("-inf"), dtype=tl.float32)
    weight = tl.zeros((bm,), dtype=tl.float32)
    total = tl.zeros((bm, d), dtype=tl.float32)
    for start in range(0, keys, bn):
        key = tl.load(k + (start + wide)[:, None] * d + inner[None, :])
        scores = tl.dot(query, tl.trans(key)) * scale
        higher = tl.maximum(top, tl.max(scores, 1))
        share = tl.exp2(scores - higher[:, None])
        fade = tl.exp2(top - higher)
        value = tl.load(v + (start + wide)[:, None] * d + inner[None, :])
        total = tl.dot(share.to(tl.float16), value, total * fade[:, None])
        weight = weight * fade + tl.sum(share, 1)
        top = higher
    tl.store(o + rows[:, None] * d + inner[None, :], (total / weight[:, None]).to(tl.float16))


@triton.jit
def reduce(x, y, z, m: tl.constexpr, n: tl.constexpr):
    """Reductions over rows that several waves hold, a running sum, and counters that are read."""
    rows, columns = tl.arange(0, m), tl.arange(0, n)
    tile = tl.load(x + rows[:, None] * n + columns[None, :])
    best, place = tl.max(tile, 0, return_indices=True)
    tl.store(y + columns, best * tl.sum(best, 0))
    old = tl.atomic_add(z + columns, place)
    tl.store(z + n + columns, old)
    tl.store(y + n + rows[:, None] * n + columns[None, :], tl.cumsum(tile, 0))


KERNELS = {
    "transpose": (transpose, ("*fp16", "*fp16"), (64, 64), 4),
    "matmul": (matmul, ("*fp16", "*fp16", "*fp16", "i32"), (64, 64, 32), 4),
    "attention": (attention, ("*fp16",) * 4 + ("i32", "fp32"), (64, 64, 64), 4),
    "reduce": (reduce, ("*fp32", "*fp32", "*i32"), (32, 16), 4),
}
"""Name: kernel, types of its arguments, its constants, waves."""


def compiled(name, target):
    """The compiled kernel; every pointer and size is a multiple of 16."""
    kernel, types, constants, waves = KERNELS[name]
    names = kernel.arg_names
    signature = dict(zip(names, types + ("constexpr",) * len(constants), strict=True))
    first = len(types)
    values = {(first + i,): value for i, value in enumerate(constants)}
    attrs = {(i,): [["tt.divisibility", 16]] for i, t in enumerate(types) if t != "fp32"}
    source = ASTSource(fn=kernel, signature=signature, constexprs=values, attrs=attrs)
    return triton.compile(source, target=target, options={"num_warps": waves})


def without_folders(text):
    """The debug information without where this was made."""
    packages = str(Path(triton.__file__).parent.parent) + "/"
    return text.replace(str(OUT.parent), "tests/data").replace(packages, "")


def main():
    OUT.mkdir(exist_ok=True)
    chosen = sys.argv[1:] or KERNELS
    for name, (_, _, constants, waves) in ((name, KERNELS[name]) for name in chosen):
        for target, gpu in TARGETS.items():
            made = compiled(name, gpu).asm
            amd = target.startswith("gfx")
            kinds = (("amdgcn", ";") if amd else ("ptx", "//"), ("ttgir", "//"))
            for kind, comment in kinds:
                said = f"Triton {triton.__version__}, {name} {constants}, {waves} waves, {target}"
                code = without_folders(made[kind])
                text = f"{comment} {said}: tests/data/make_triton_kernels.py\n{code}"
                path = OUT / f"triton_{name}.{target}.{kind}"
                if len(text) > MOST_BYTES:
                    sys.exit(f"{path.name}: {len(text)} bytes")
                path.write_text(text)
                print(path.name, len(text), file=sys.stderr)


if __name__ == "__main__":
    main()
