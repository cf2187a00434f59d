"""Kernels of IREE and Triton on an NVIDIA H200: as their compilers leave them, and as fixed.

    python benchmarks/h200_fix.py FOLDER                # machine code of all versions; no GPU
    python benchmarks/h200_fix_run.py measure FOLDER    # on a computer with the GPU

*IREE*: models of benchmarks/iree_corpus.py, lowered by IREE for sm_80 without a flag (its release
knows no sm_90); *after*: `bankwise fix` on the kernel as it stands; *padded*: `bankwise opt --pass
unpad --pass pad`, the best padding instead; all compiled by IREE to PTX and by ptxas to code for
sm_90, which is what the driver does with IREE's PTX on an H200. *Triton*: the kernels of
benchmarks/h200_triton.py, compiled by Triton for sm_90; *after*: the encoding that `bankwise check`
names for a buffer put into the TTGIR; *by hand*: another distribution of what is stored, where the
encoding is the matrix instruction's.

The prediction is `bankwise check` of the machine code. Needs iree-base-compiler, triton
3.9.0, ptxas and nvdisasm.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

TRITON = Path(__file__).parent / "h200_triton.py"
TARGET = "sm_80"
"""For which IREE lowers: its newest GPU whose code an H200 runs too."""

MODELS = (
    "mm_f16_nt", "mm_f16_nn", "mm_f16_tt", "mm_f16_large", "mm_f16_skinny", "mm_f16_tall",
    "mm_f16_odd", "mm_bias_gelu", "bmm_f16_nt", "conv_nchw_f16_3x3", "conv_nhwc_f16_5x5",
    "attn_f16_d64", "attn_f16_d128", "transpose_f16", "transpose_f32", "transpose_i8",
    "transpose_021", "transpose_210",
)  # fmt: skip

SIZE = 1024
PRODUCTS = {
    "product_f32_nt_64x64x32": ((64, 64, 32, 0, 1), 4, 3, "fp32"),
    "product_f32_tt_128x128x32": ((128, 128, 32, 1, 1), 8, 3, "fp32"),
    "product_f32_nt_128x64x32": ((128, 64, 32, 0, 1), 4, 3, "fp32"),
    "product_f32_nt_16x64x64": ((16, 64, 64, 0, 1), 4, 3, "fp32"),
    "product_i8_nn_128x128x64": ((128, 128, 64, 0, 0), 8, 3, "i8"),
}
"""Tile and which operands are transposed; warps; stages; type."""

_ROWS = "sizePerThread = [8, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 4], order = [0, 1]"
BY_HAND = {"product_i8_nn_128x128x64": ("#blocked2", f"#ttg.blocked<{{{_ROWS}}}>")}
"""wgmma wants B of 8 bits along K, and memory has it along N: a thread that loads rows of 16 bytes
stores single bytes. Here it loads 8 rows of 4, and stores columns of 8."""
BYTES = {"f32": 4, "i8": 1, "i32": 4}

KEYS, QUERIES, HEAD = 1024, 16384, 64
SPARE = 2
"""Pointers behind the arguments that Triton 3.9 adds, for scratch memory that none of these has."""

_OPS = ("ld", "st")


def iree_cases(folder: Path) -> Iterator[dict[str, Any]]:
    """Kernels of the corpus that IREE's default leaves with conflicts, and as fixed."""
    import iree_corpus

    from bankwise.ask.fix import fix_kernels
    from bankwise.change.compile.lower import code_object, lower
    from bankwise.read.options import Judges, Options

    models = iree_corpus.models(TARGET)
    for name in MODELS:
        found = lower(models[name], TARGET, iree_corpus.DEFAULT, file=name)
        for dispatch in (d for d in found if d.uses_shared_memory):
            path = folder / f"{name}.before.mlir"
            path.write_text(dispatch.text, "utf-8")
            report = fix_kernels(path, Options(), Judges(execute=False, isa=False))
            if not report.changes:
                continue
            (folder / f"{name}.after.mlir").write_text(report.fixed_text, "utf-8")
            texts = {"before": dispatch.text, "after": report.fixed_text}
            texts["padded"] = padded(path)
            ptx = {v: code_object(x, TARGET, iree_corpus.DEFAULT)[1] for v, x in texts.items()}
            yield {
                "name": name, "framework": "iree", "ptx": ptx, **launch_of(dispatch.text),
                "shared": {v: shared_bytes(x) for v, x in texts.items()},
            }  # fmt: skip


def padded(path: Path) -> str:
    """The kernel with the best padding instead of IREE's."""
    from bankwise.ask.opt import opt

    text = opt(path, ["unpad", "pad"]).text
    path.with_name(path.name.replace("before", "padded")).write_text(text, "utf-8")
    return text


def launch_of(text: str) -> dict[str, Any]:
    """Grid, block and buffers of a thread-level executable."""
    config = text[text.index("iree_codegen.dispatch_config") :]
    block = [int(n) for n in re.search(r"workgroup_size = \[([\d, ]+)\]", config)[1].split(",")]
    known = dict(re.findall(r"%(\w+) = arith\.constant (\d+) : index", config))
    given = re.search(r"iree_codegen\.yield ([^:]+) :", config)[1]
    grid = [int(known[one.strip().lstrip("%")]) for one in given.split(",")]
    return {"grid": grid, "block": block, "buffers": buffers(text)}


def buffers(text: str) -> list[dict[str, Any]]:
    """Every binding with its type, the bytes that it takes and whether it is only read."""
    known = dict(re.findall(r"%(\w+) = arith\.constant (\d+) : index", text))
    found: dict[int, dict[str, Any]] = {}
    pattern = (
        r"binding\((\d+)\) alignment\(\d+\) offset\(%(\w+)\)(?: flags\(([^)]*)\))?"
        r"[^\n]* : memref<((?:\d+x)+)(\w+)"
    )
    for number, offset, flags, shape, kind in re.findall(pattern, text):
        bits = int(re.sub(r"\D", "", kind))
        size = prod(map(int, shape.rstrip("x").split("x"))) * bits // 8 + int(known[offset])
        mine = found.setdefault(
            int(number), {"kind": kind, "bytes": 0, "read": "ReadOnly" in flags}
        )
        mine["bytes"] = max(mine["bytes"], size)
    return [found[number] for number in sorted(found)]


def shared_bytes(text: str) -> int:
    """What the kernel allocates of shared memory, each buffer at a multiple of 16 bytes."""
    from bankwise.ask.analysis import analyse
    from bankwise.read.mlir.module import open_text
    from bankwise.read.options import Options

    found = [a for x in analyse(open_text(text, "k"), Options()) for a in x.extraction.allocations]
    return sum(-(-a.size_bytes // 16) * 16 for a in found)


def triton_cases(folder: Path) -> Iterator[dict[str, Any]]:
    """The kernels of h200_triton.py with the better encoding, or distribution, in the TTGIR."""
    import bankwise.triton

    for name, (tile, warps, stages, kind) in PRODUCTS.items():
        bm, bn, bk, *across = tile
        constants = {"bm": bm, "bn": bn, "bk": bk, "across_a": across[0], "across_b": across[1]}
        pointers = dict.fromkeys("ab", f"*{kind}") | {"c": "*i32" if kind == "i8" else "*fp32"}
        report = bankwise.triton.check(
            f"{TRITON}:product", {**pointers, "size": "i32"}, "sm_90", constexprs=constants,
            numbers={"size": SIZE}, num_warps=warps, num_stages=stages,
        )  # fmt: skip
        types = ("i8", "i8", "i32") if kind == "i8" else ("f32",) * 3
        operands = [buffer(each, SIZE * SIZE, number < 2) for number, each in enumerate(types)]
        texts = {"before": report.ttgir}
        if name in BY_HAND:
            texts["by hand"] = redistributed(report.ttgir, *BY_HAND[name])
        else:
            texts["after"] = bettered(report)
        made = compiled(texts, folder, name, warps, SIZE)
        yield {**made, "grid": [SIZE // bm, SIZE // bn, 1], "buffers": operands}
    yield attention(folder)


def attention(folder: Path) -> dict[str, Any]:
    """One head; its K tile is read transposed."""
    import bankwise.triton

    types = {**dict.fromkeys("qkvo", "*fp32"), "keys": "i32"}
    tile = {"scale": 0.125, "bm": 64, "bn": 64, "d": HEAD}
    report = bankwise.triton.check(
        f"{TRITON}:attention", types, "sm_90", constexprs=tile, numbers={"keys": KEYS}, num_stages=2
    )
    rows = (QUERIES, KEYS, KEYS, QUERIES)
    operands = [buffer("f32", n * HEAD, number < 3) for number, n in enumerate(rows)]
    texts = {"before": report.ttgir, "after": bettered(report)}
    made = compiled(texts, folder, "attention_f32", 4, KEYS)
    return {**made, "grid": [QUERIES // 64, 1, 1], "buffers": operands}


def buffer(kind: str, elements: int, read: bool) -> dict[str, Any]:
    """One argument of a kernel."""
    return {"kind": kind, "bytes": elements * BYTES[kind], "read": read}


def compiled(
    texts: Mapping[str, str], folder: Path, name: str, warps: int, scalar: int
) -> dict[str, Any]:
    """All TTGIR texts of a kernel as machine code."""
    import triton
    from triton.backends.compiler import GPUTarget

    shared, kernel = {}, ""
    for version, text in texts.items():
        path = folder / f"{name}.{version.replace(' ', '_')}.ttgir"
        path.write_text(text, "utf-8")
        made = triton.compile(str(path), target=GPUTarget("cuda", 90, 32))
        path.with_suffix(".cubin").write_bytes(made.asm["cubin"])
        shared[version.replace(" ", "_")] = made.metadata.shared
        kernel = made.metadata.name
    return {
        "name": name, "framework": "triton", "kernel": kernel, "block": [32 * warps, 1, 1],
        "shared": shared, "scalars": [scalar], "spare": SPARE,
    }  # fmt: skip


def redistributed(text: str, alias: str, layout: str) -> str:
    """The TTGIR with another distribution of what a thread loads and stores."""
    assert f"{alias} = " in text
    return re.sub(rf"^{alias} = .*$", f"{alias} = {layout}", text, flags=re.MULTILINE)


def bettered(report: Any) -> str:
    """The TTGIR with the encodings that `bankwise check` names, buffer by buffer."""
    text, added = report.ttgir, []
    (kernel,) = report.plan.kernels
    for number, found in enumerate(k for k in kernel.optima if k.best.passes < k.present.passes):
        (buffer,) = found.allocations
        alias = f"#better{number}"
        turned = re.sub(r"order = \[(\d), (\d)\]", r"order = [\2, \1]", found.notation)
        added += [f"{alias} = {found.notation}", f"{alias}t = {turned}"]
        text = moved(text, buffer, alias)
    return "\n".join(added) + "\n" + text


def moved(text: str, buffer: str, alias: str) -> str:
    """The TTGIR with another alias in the types of a buffer and of its views; ``alias`` and a t for
    those that are transposed."""
    names, lines, own = {f"%{buffer}"}, [], ""
    for line in text.split("\n"):
        if names & set(re.findall(r"%\w+", line)):
            view = re.match(r"\s*(%\w+) = ttg\.memdesc_", line)
            names |= {view[1]} if view else set()
            own = own or re.search(r"#shared\d*", line)[0]
            line = re.sub(r"#shared\d*\b", alias + "t", line.replace(f"{own},", f"{alias},"))
        lines.append(line)
    return "\n".join(lines)


def build(folder: Path) -> None:
    """Machine code of all versions of every kernel, and cases.json."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = [*iree_built(folder), *triton_cases(folder)]
    for case in cases:
        case["versions"] = list(case["shared"])
        case["predicted"] = {v: predicted(folder, case, v) for v in case["versions"]}
        print(case["name"], *(each["passes"] for each in case["predicted"].values()), flush=True)
    (folder / "cases.json").write_text(json.dumps(cases, indent=1), "utf-8")


def iree_built(folder: Path) -> Iterator[dict[str, Any]]:
    """The PTX of IREE's kernels through ptxas."""
    for case in iree_cases(folder):
        for version, text in case.pop("ptx").items():
            code = f"{case['name']}.{version}"
            (folder / f"{code}.ptx").write_text(text, "utf-8")
            case["kernel"] = re.search(r"\.entry (\w+)", text)[1]
            command = ["ptxas", "-arch=sm_90", f"{code}.ptx", "-o", f"{code}.cubin"]
            subprocess.run(command, cwd=folder, check=True)
        yield {**case, "scalars": [], "spare": 0}


def predicted(folder: Path, case: Mapping[str, Any], version: str) -> dict[str, int | bool]:
    """Of a launch, as `bankwise check` counts the machine code."""
    pointers = "".join("_, " for _ in case["buffers"])
    arguments = pointers + ", ".join(map(str, case["scalars"])) if case["scalars"] else ""
    grid, block = (f"dim3({', '.join(map(str, case[key]))})" for key in ("grid", "block"))
    shared = case["shared"][version]
    launch = f"{case['kernel']}<<<{grid}, {block}, {shared}>>>({arguments})"
    command = [
        sys.executable,
        "-m",
        "bankwise",
        "check",
        f"{case['name']}.{version}.cubin",
        "--format",
        "json",
    ]
    done = subprocess.run(
        [*command, "--launch", launch], cwd=folder, capture_output=True, text=True, check=False
    )
    (kernel,) = json.loads(done.stdout)["kernels"]
    run, times = kernel["totals"]["run"], prod(case["grid"])
    return {
        "passes": run["passes"] * times, "conflicts": run["extra"] * times,
        "exact": kernel["counted"] and "bound" not in run,
    }  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build(Path(sys.argv[1]))
