"""One small file of every kind that a user may hand to a verb, right or wrong."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from command import bankwise

ROOT = Path(__file__).parents[2]
EXAMPLES, DATA = Path("examples"), Path("tests") / "data"
"""Relative to ROOT: a document names files as the user did, and must not name this machine."""

ROW_COPY = EXAMPLES / "row_copy" / "row_copy_gfx950.mlir"
PROBLEM = EXAMPLES / "solve" / "transpose_sm90.toml"
PTX = DATA / "profile" / "tiles.ptx"
DUMP = "module_mm_dispatch_0_rocm_hsaco_fb"

STANDING = {
    "mlir": ROW_COPY,
    "model": DATA / "dumps" / "matmul.mlir",
    "amd": EXAMPLES / "ck_transpose" / "04_reads.s",
    "amdgcn": DATA / "isa" / "triton_transpose.gfx942.amdgcn",
    "ptx": PTX,
    "sass": DATA / "sass" / "triton_transpose.sass",
    "ttgir": DATA / "isa" / "triton_transpose.gfx942.ttgir",
    "problem": PROBLEM,
    "spec": EXAMPLES / "transpose_16x32" / "n_xor_m.toml",
    "spec-global": EXAMPLES / "ck_transpose" / "01.toml",
    "sweep": EXAMPLES / "sweep" / "attention_head_dims.toml",
    "profile": DATA / "profile" / "direct.csv",
    "probe-csv": DATA / "h200_adding.csv",
    "cuda": DATA / "sass" / "tiles.cu",
    "python": EXAMPLES / "demo.py",
    "markdown": EXAMPLES / "README.md",
    "missing": EXAMPLES / "no_such_file.mlir",
    "other-folder": EXAMPLES / "solve",
}
"""Kinds of input that lie in the repository."""

_HPP = "#pragma once\n#include <cstdint>\nstruct Tile { float a[16][32]; };\n"
_JUNK = bytes((73 * i + 11) % 256 for i in range(512))


def kinds(folder: Path) -> dict[str, Path]:
    """All kinds of input by name; what does not lie in the repository is made in ``folder``."""
    return {**STANDING, **_texts(folder), **_folders(folder), **_copies(folder)}


def _texts(folder: Path) -> dict[str, Path]:
    mlir = "\n".join(f"   {line}" for line in (ROOT / ROW_COPY).read_text("utf-8").splitlines())
    written = {
        "rst": ("note.rst", f"A kernel\n========\n\n.. code-block:: mlir\n\n{mlir}\n".encode()),
        "cubin": ("fake.cubin", b"\x7fELF\x02\x01\x01" + bytes(57)),
        "hpp": ("tile.hpp", _HPP.encode()),
        "text": ("words.txt", b"Nothing that a compiler wrote.\n"),
        "csv": ("prices.csv", b"fruit,price\napple,3\npear,4\n"),
        "empty": ("empty.mlir", b""),
        "empty-toml": ("empty.toml", b""),
        "binary": ("junk.bin", _JUNK),
        "binary-toml": ("junk.toml", _JUNK),
    }
    for name, content in written.values():
        (folder / name).write_bytes(content)
    return {kind: folder / name for kind, (name, _) in written.items()}


_TINY = """\
name = "tiny"
[[kernel]]
name = "attention"
file = "attention.mlir"
targets = ["gfx942"]
types = ["f16"]
mitigations = ["none", "padding", "swizzle"]
[[kernel.grid]]
b = [1]
n = [128]
d = [64]
"""


def _folders(folder: Path) -> dict[str, Path]:
    dump, cache, bare = folder / "dump", folder / "cache", folder / "bare"
    for each in (dump, cache, bare):
        each.mkdir(exist_ok=True)
    isa = ROOT / DATA / "isa"
    shutil.copy(isa / "matmul_abt_4096.gfx942.s", dump / f"{DUMP}.rocmasm")
    (dump / "configured_module_mm_dispatch_0.mlir").write_text("module {}", "utf-8")
    for ending in ("ttgir", "amdgcn"):
        shutil.copy(isa / f"triton_transpose.gfx942.{ending}", cache / f"transpose.{ending}")
    return {"dump": dump, "triton-cache": cache, "empty-folder": bare}


def _copies(folder: Path) -> dict[str, Path]:
    """What is made of other files; a machine file wherever the package keeps it."""
    certificate, machine = folder / "certificate.json", folder / "machine.toml"
    bankwise("solve", ROOT / PROBLEM, "-o", certificate)
    shutil.copy(next((ROOT / "src" / "bankwise").rglob("gfx942.toml")), machine)
    saved = folder / "check.json"
    saved.write_text(bankwise("check", ROOT / PTX, "--format", "json").out, "utf-8")
    size, sweep = folder / "size.s", folder / "tiny.toml"
    amd = (ROOT / STANDING["amd"]).read_text("utf-8")
    ended = re.sub(r"(?m)^\.Lfunc_end0:", "\t.size kernel_04_reads, .-kernel_04_reads", amd)
    assert ended != amd
    size.write_text(ended, "utf-8")
    sweep.write_text(_TINY, "utf-8")
    shutil.copy(ROOT / EXAMPLES / "sweep" / "attention.mlir", folder)
    made = {"certificate": certificate, "machine": machine, "saved-check": saved}
    return {**made, "amd-size": size, "tiny-sweep": sweep}
