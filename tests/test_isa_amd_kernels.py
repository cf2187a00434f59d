"""Whole kernels: what bankwise says of the MLIR text and of the assembly made from it agrees."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from bankwise.errors import Refusal
from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX
from isa_texts import DATA, Total, totals

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
SOURCES = ROOT.parent / "shared" / "sources"

KERNELS = (
    "iree/matmul_1024.gfx942.mlir",
    "iree/matmul_1024.gfx950.mlir",
    "iree/matmul_abt_4096.gfx942.mlir",
    "iree/matmul_abt_4096.gfx950.mlir",
    "iree/attention_1x1024x128.gfx942.mlir",
    "iree/attention_1x1024x128.gfx950.mlir",
    "gemm_gather_to_lds/gemm_gfx950.mlir",
    "ldmatrix_sm80/ldmatrix.mlir",
)
JOINED = {"iree/matmul_1024.gfx942.mlir", "iree/matmul_abt_4096.gfx942.mlir"}
"""Here LLVM joins two 8-byte reads of the text into one ds_read2_b64."""

SHARED = re.compile(
    r"\s+(?:ds_(?!bpermute|permute|swizzle|nop)|buffer_load_\w+.* lds\s*(?:;|$)|global_load_lds_"
    r"|(?:@!?%p\d+ )?(?:(?:ld|st|atom|red)\.(?:\w+\.)*shared|(?:ld|st)matrix|cp\.async\.c[ag]"
    r"|wgmma\.mma_async))"
)
"""A line of AMD assembly or PTX whose instruction touches shared memory, by its name."""

TRITON = [path.name for path in sorted(DATA.glob("triton_*")) if path.suffix != ".ttgir"]


def checked(path: Path, **options: object) -> tuple[AssemblyKernel, ...]:
    dialect = PTX if path.suffix == ".ptx" else AMD
    return check_code(dialect, path.read_text("utf-8"), path.name, **options)  # type: ignore[arg-type]


@cache
def emitted(name: str) -> tuple[AssemblyKernel, ...]:
    stem = Path(name).stem
    return checked(DATA / (stem + (".ptx" if "sm80" in name else ".s")))


def planned(path: Path) -> dict[str, Total]:
    """What checking the MLIR text says, per instruction."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.ask.check import check

    sums: dict[str, Total] = {}
    for access in (a for kernel in check(path).kernels for a in kernel.accesses):
        n, passes, ideal = sums.get(access.instruction, (0, 0, 0))
        sums[access.instruction] = (
            n + access.executions * access.instructions,
            passes + access.run.passes,
            ideal + access.run.ideal,
        )
    return sums


@pytest.mark.parametrize("name", KERNELS)
def test_mlir_and_emitted_code_agree_on_executions_passes_and_ideal(name: str) -> None:
    plan, found = planned(EXAMPLES / name), totals(emitted(name))
    assert ("ds_read2_b64" in found) == (name in JOINED)
    if name in JOINED:
        n, passes, ideal = found.pop("ds_read2_b64")
        found["ds_read_b64"] = (2 * n, passes, ideal)
    assert found == plan


@pytest.mark.parametrize("name", KERNELS)
def test_nothing_of_these_kernels_is_left_open(name: str) -> None:
    for kernel in emitted(name):
        assert kernel.refusals == ()
        assert kernel.not_followed == ()
        assert kernel.open_branches == {}
        assert all(found.counted for found in kernel.accesses)


def test_the_wave_kernel_agrees_on_both_levels() -> None:
    path = next(SOURCES.glob("001_*"), None) if SOURCES.exists() else None
    if path is None:
        pytest.skip("the source documents are not here")
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.ask.check_mlir import check_opened
    from bankwise.change.compile.compile import emit
    from bankwise.read.mlir.module import open_module
    from bankwise.read.options import Options

    opened = open_module(path)
    report = check_opened(opened, Options(target="gfx950"))
    made = emit(opened.source.parsed, "gfx950", file=path.name)
    assert not isinstance(made, Refusal)
    found = totals(k for text in made.texts for k in check_code(AMD, text, path.name))
    plan: dict[str, Total] = {}
    for access in (a for kernel in report.kernels for a in kernel.accesses):
        n, passes, ideal = plan.get(access.instruction, (0, 0, 0))
        more = (access.executions * access.instructions, access.run.passes, access.run.ideal)
        plan[access.instruction] = (n + more[0], passes + more[1], ideal + more[2])
    assert found == plan


@pytest.mark.parametrize("name", [*TRITON, *(p.name for p in sorted(DATA.glob("*.s")))])
def test_every_line_that_names_shared_memory_is_answered(name: str) -> None:
    """Each of them has an access or a refusal."""
    path = DATA / name
    (kernel,) = checked(path)
    lines = path.read_text("utf-8").splitlines()
    named = {number for number, line in enumerate(lines, 1) if SHARED.match(line)}
    answered = {found.access.location.line for found in kernel.accesses}
    assert answered <= named
    assert named <= answered | {r.location.line for r in kernel.refusals if r.location}


@pytest.mark.parametrize("name", TRITON)
def test_every_address_of_the_triton_kernels_is_known(name: str) -> None:
    (kernel,) = checked(DATA / name)
    assert kernel.accesses
    assert kernel.not_followed == ()
    assert kernel.refusals == ()
    bounded = {found.instruction for found in kernel.accesses if found.access.note}
    assert bounded <= {"global_load_lds_dwordx4"}, "prefetches run only if the loop does"


@pytest.mark.parametrize("name", [n for n in TRITON if "matmul" in n or "attention" in n])
def test_loops_of_unknown_length_become_counts_once_the_length_is_given(name: str) -> None:
    """With the size given, the same patterns come, and no branch is open."""
    size = {"matmul": 256, "attention": 512}[name.split("_")[1].split(".")[0]]
    where: str | int = {"matmul": 24, "attention": 32}[name.split("_")[1].split(".")[0]]
    if name.endswith("ptx"):
        where = 3 if "matmul" in name else 4
    (open_,), (known,) = checked(DATA / name), checked(DATA / name, args={where: size})
    assert open_.open_branches
    assert known.open_branches == {}
    assert all(found.counted for found in known.accesses)
    every: dict[int, set[bytes]] = defaultdict(set)
    for found in open_.accesses:
        places = {p.offsets_bytes.tobytes() for p in found.access.patterns}
        every[found.access.location.line] |= places
    for found in known.accesses:
        places = {p.offsets_bytes.tobytes() for p in found.access.patterns}
        assert places <= every[found.access.location.line]


def test_triton_says_which_source_line_an_access_is_of() -> None:
    (kernel,) = checked(DATA / "triton_transpose.gfx942.amdgcn")
    script = (DATA.parent / "make_triton_kernels.py").read_text("utf-8").splitlines()
    for found in kernel.accesses:
        assert found.source is not None
        assert found.source.file.endswith("make_triton_kernels.py")
        assert "tl.store(y" in script[found.source.line - 1]
