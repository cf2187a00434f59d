"""Every verb that prints JSON, on a small input: what the tests of its keys and schemas read."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from command import bankwise

ROOT = Path(__file__).parents[1]
EXAMPLES, DATA = ROOT / "examples", ROOT / "tests" / "data"
ROW_COPY = EXAMPLES / "row_copy" / "row_copy_gfx950.mlir"
SOLVED = EXAMPLES / "solve" / "transpose_sm90.toml"
CK = EXAMPLES / "ck_transpose"
_ATTENTION = ROOT / "docs" / "data" / "h200_attention" / "attention.csv"
_TTGIR = DATA / "isa" / "triton_transpose.gfx942.ttgir"

VERBS: dict[str, tuple[object, ...]] = {
    "check": ("check", ROW_COPY, "--worth"),
    "check refused": ("check", EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir"),
    "check emitted": ("check", CK / "04_reads.s"),
    "check beside": (
        "check",
        DATA / "profile" / "tiles.ptx",
        "--counters",
        DATA / "profile" / "source.csv",
    ),
    "check spec": ("check", CK / "08.toml"),
    "check ttgir": ("check", _TTGIR),
    "check of unknown loops": ("check", DATA / "isa" / "triton_attention.gfx942.ttgir"),
    "fix": ("fix", ROW_COPY, "--no-isa"),
    "cost": ("cost", ROW_COPY),
    "count": ("count", "-t", "gfx942", "ds_read_b64", "lane%16*256"),
    "count, no conflict": ("count", "-t", "gfx942", "ds_read_b64", "lane*8"),
    "solve": ("solve", SOLVED, "--steps"),
    "solve, no certificate": ("solve", SOLVED, "--family", "padding"),
    "solve spec": ("solve", CK / "08.toml"),
    "certify": ("certify", "CERT"),
    "explain": ("explain",),
    "explain a rule": ("explain", "bank-conflict"),
    "explain a word": ("explain", "pass"),
    "show": ("show", "Swizzle<2,4,3>"),
    "doctor": ("doctor",),
    "explain choose": ("explain", "choose", CK / "08.toml"),
    "coalesce": ("coalesce", CK / "01.toml"),
    "opt": ("opt", "--pass", "pad", ROW_COPY),
    "triton-plan": ("triton-plan", _TTGIR, DATA / "isa" / "triton_transpose.gfx942.amdgcn"),
    "scan": ("scan", CK, "--jobs", "1"),
    "evidence": ("evidence", CK, "--target", "gfx950", "--jobs", "1"),
    "machines": ("machines", "gfx942"),
    "probe": ("probe", "--target", "sm_90", "--replay", DATA / "h200_probe.csv"),
    "bench attention": ("bench", "attention", "--replay", _ATTENTION),
}
"""Every verb that prints JSON and needs no GPU, on a small input."""


@functools.cache
def printed(name: str) -> str:
    """What a verb of :data:`VERBS` prints with ``--format json``; it runs once."""
    words = VERBS[name]
    with tempfile.TemporaryDirectory() as folder:
        certificate = Path(folder) / "cert.json"
        if "CERT" in words:
            bankwise("solve", SOLVED, "-o", certificate)
        given = (certificate if word == "CERT" else word for word in words)
        ended = bankwise(*given, "--format", "json")
    assert ended.code in (0, 1, 3), ended.err
    return ended.out
