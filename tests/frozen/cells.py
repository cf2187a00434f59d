"""The recorded matrix: which commands are run, and what an installation needs for each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from frozen.inputs import DATA, EXAMPLES, PTX, ROOT, ROW_COPY, STANDING

JSON = ("--format", "json")
MODEL_TARGET = ("--target", "gfx942")


@dataclass(frozen=True, slots=True)
class Cell:
    """One command. A word ``{kind}`` stands for the input of that kind."""

    name: str
    words: tuple[str, ...]
    needs: tuple[str, ...] = ()


MATRIX: dict[str, tuple[str, ...]] = {
    "check": ("check", "{}"),
    "fix": ("fix", "{}", "--no-isa", "--no-execute"),
    "cost": ("cost", "{}"),
    "opt": ("opt", "{}", "--pass", "pad"),
    "solve": ("solve", "{}"),
    "certify": ("certify", "{}"),
    "coalesce": ("coalesce", "{}"),
    "choose": ("explain", "choose", "{}"),
    "sweep": ("sweep", "{}"),
    "triton-plan": ("triton-plan", "{}"),
    "triton-plan-emitted": ("triton-plan", str(STANDING["ttgir"]), "{}"),
    "verify": ("verify", "{}"),
    "probe-replay": ("probe", "--target", "sm_90", "--replay", "{}"),
    "bench-replay": ("bench", "attention", "--replay", "{}"),
    "counters": ("check", str(PTX), "--counters", "{}"),
    "baseline": ("check", str(PTX), "--baseline", "{}"),
}
"""How each verb is given a file; ``{}`` is the file."""

KINDS = (
    *STANDING,
    *("rst", "cubin", "hpp", "text", "csv", "empty", "empty-toml", "binary", "binary-toml"),
    *("dump", "triton-cache", "empty-folder", "certificate", "machine", "saved-check"),
)
TAKES_TARGET = frozenset({"check", "fix", "cost", "opt", "verify"})
MLIR_VERBS = frozenset({"check", "fix", "cost", "opt", "verify"})
SLOW = frozenset({("sweep", "sweep")})
"""What costs minutes; a tiny sweep stands in for it below."""


def cells() -> tuple[Cell, ...]:
    """Every cell, each name once."""
    found = (*_matrix(), *_examples(), *_options(), *_without_file())
    assert len({c.name for c in found}) == len(found), "a name stands for one command"
    return found


def _matrix() -> list[Cell]:
    return [
        _cell(f"{verb} x {kind}", _words(verb, kind))
        for verb in MATRIX
        for kind in KINDS
        if (verb, kind) not in SLOW
    ]


def _words(verb: str, kind: str) -> tuple[str, ...]:
    words = tuple(w.replace("{}", f"{{{kind}}}") for w in MATRIX[verb])
    return (*words, *MODEL_TARGET) if kind == "model" and verb in TAKES_TARGET else words


def _examples() -> list[Cell]:
    """Every example and some test data, under the verbs that are made for it."""
    found = []
    for path in _files():
        verbs = _verbs(path)
        found += [_cell(f"{'-'.join(v[:2])} {path}", (*v, str(path))) for v in verbs]
    return found


def _files() -> list[Path]:
    patterns = ("*.mlir", "*.toml", "*.s")
    own = [p for pattern in patterns for p in (ROOT / EXAMPLES).rglob(pattern)]
    emitted = [p for p in (ROOT / DATA / "isa").iterdir() if p.suffix != ".py"]
    sass = [*(ROOT / DATA / "sass").glob("*.sass"), *(ROOT / DATA / "sass").glob("*.ptx")]
    dumps = (ROOT / DATA / "dumps").glob("iree-3.*5.*-executable.mlir")
    found = (p.relative_to(ROOT) for p in (*own, *emitted, *sass, *dumps))
    return sorted(set(found) - set(STANDING.values()))


def _verbs(path: Path) -> tuple[tuple[str, ...], ...]:
    if path.suffix != ".toml":
        return (("check",),)
    if path.parent.name == "sweep":
        return ()
    if path.parent.name == "solve":
        return (("solve",),)
    both = (("check",), ("solve",), ("explain", "choose"))
    return (*both, ("coalesce",)) if path.parent.name == "ck_transpose" else both


def _options() -> list[Cell]:
    """Options that change numbers or documents, once each."""
    row, spec = str(ROW_COPY), str(STANDING["spec"])
    ck = str(EXAMPLES / "ck_transpose" / "08.toml")
    transpose = str(DATA / "isa" / "triton_transpose.gfx942")
    said = {
        "check --worth": ("check", row, "--worth"),
        "check --isa": ("check", row, "--isa"),
        "check --worth amd": ("check", str(STANDING["amd"]), "--worth"),
        "check amd-size": ("check", "{amd-size}"),
        "check --worth amd-size": ("check", "{amd-size}", "--worth"),
        "check --target other": ("check", row, "--target", "gfx942"),
        "check --policy triton": ("check", row, "--policy", "triton"),
        "check --fail-on 16-way": ("check", spec, "--fail-on", "16-way"),
        "check --kernel none": ("check", row, "--kernel", "none"),
        "check --format sarif": ("check", row, "--format", "sarif"),
        "check --format sarif spec": ("check", spec, "--format", "sarif"),
        "check --counters source": (
            *("check", str(PTX), "--counters", str(DATA / "profile" / "source.csv")),
        ),
        "check --counters details": (
            *("check", str(PTX), "--counters", str(DATA / "profile" / "details.csv")),
        ),
        "check model sm_80": ("check", "{model}", "--target", "sm_80"),
        "check model no target": ("check", "{model}"),
        "fix executed": ("fix", row, "--no-isa"),
        "fix executed and compiled": ("fix", row),
        "fix ldmatrix": ("fix", str(EXAMPLES / "ldmatrix_sm80" / "ldmatrix.mlir"), "--no-isa"),
        "fix gemm": (
            *("fix", str(EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir")),
            *("--no-isa", "--no-execute"),
        ),
        "fix matmul": (
            *("fix", str(EXAMPLES / "iree" / "matmul_abt_4096.gfx942.mlir")),
            *("--no-isa", "--no-execute"),
        ),
        "opt decide": ("opt", row, "--pass", "decide", "--pass", "materialise"),
        "opt unknown pass": ("opt", row, "--pass", "polish"),
        "solve --steps": ("solve", "{problem}", "--steps"),
        "solve --policy ck": ("solve", ck, "--policy", "ck"),
        "triton-plan both": ("triton-plan", f"{transpose}.ttgir", f"{transpose}.amdgcn"),
        "sweep tiny": ("sweep", "{tiny-sweep}", "--workers", "1"),
        "probe replay": (
            *("probe", "--target", "sm_90", "--replay"),
            str(DATA / "h200_probe.csv"),
        ),
        "bench replay": (
            *("bench", "attention", "--replay"),
            "docs/data/h200_attention/attention.csv",
        ),
    }
    families = ("cute", "triton", "iree", "wave", "ck", "xor", "rotation", "padding", "none")
    for family in families:
        said[f"solve --family {family}"] = ("solve", "{problem}", "--family", family)
    return [_cell(name, words) for name, words in said.items()]


def _without_file() -> list[Cell]:
    """Verbs that take no file, and those that ask for a GPU."""
    b128 = "lane%16*256"
    said: dict[str, tuple[str, ...]] = {
        "count": ("count", "-t", "gfx942", "ds_read_b128", b128),
        "count --active": ("count", "-t", "gfx942", "ds_read_b64", b128, "--active", "lane<16"),
        "count --second": (
            *("count", "-t", "gfx942", "ds_read2_b64", b128, "--second", "lane%16*256+8"),
        ),
        "count nvidia": ("count", "-t", "sm_90", "ld.shared.v4.b32", "lane*256"),
        "count ldmatrix": ("count", "-t", "sm_80", "ldmatrix.x4", "lane*128"),
        "count no such instruction": ("count", "-t", "sm_90", "ds_read_b64", "lane"),
        "count no such machine": ("count", "-t", "sm_1", "ds_read_b64", "lane"),
        "count bad expression": ("count", "-t", "gfx942", "ds_read_b64", "lane *"),
        "machines": ("machines",),
        "machines gfx950": ("machines", "gfx950"),
        "machines none": ("machines", "gfx1"),
        "explain": ("explain",),
        "explain bank-conflict": ("explain", "bank-conflict"),
        "explain no such rule": ("explain", "no-such-rule"),
        "explain choose nothing": ("explain", "choose"),
        "probe without a GPU": ("probe", "--target", "sm_90"),
        "bench transpose without a GPU": ("bench", "transpose"),
        "bench attention without a GPU": ("bench", "attention"),
        "bench gemm without a GPU": ("bench", "gemm"),
    }
    return [_cell(name, words) for name, words in said.items()]


def _cell(name: str, words: tuple[str, ...]) -> Cell:
    return Cell(name, (*words, *JSON) if "--format" not in words else words, _needs(words))


def _needs(words: tuple[str, ...]) -> tuple[str, ...]:
    """The modules of extras that the answer depends on."""
    text = " ".join(words)
    needs = ["iree.compiler"] if words[0] in MLIR_VERBS | {"sweep", "bench", "probe"} else []
    needs += ["triton"] if "ttgir" in text or "triton-cache" in text else []
    return tuple(needs)
