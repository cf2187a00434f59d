"""The hand-written examples compute what their first line says, and no run shows a fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from iree.compiler import ir

from bankwise.change.execute.run import execute
from bankwise.errors import Location

EXAMPLES = Path(__file__).parent.parent / "examples"
M, N, K, TILE = 256, 256, 512, 64


def functions(module: ir.Module) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.func":
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


@pytest.mark.parametrize(
    ("path", "threads", "wave_size"),
    [("gemm_gather_to_lds/gemm_gfx950.mlir", 256, 64), ("ldmatrix_sm80/ldmatrix.mlir", 128, 32)],
)
def test_hand_written_gemms_compute_a_times_b_transposed(
    path: str, threads: int, wave_size: int
) -> None:
    """Small multiples of 1/4: every product and sum is exact in f32."""
    random = np.random.default_rng(0)
    a = (random.integers(-8, 8, (M, K)) / 4).astype(np.float16)
    b = (random.integers(-8, 8, (N, K)) / 4).astype(np.float16)
    c = np.full(M * N, np.nan, np.float32)
    with ir.Context():
        module = ir.Module.parseFile(str(EXAMPLES / path))
        (kernel,) = functions(module)
        done = execute(
            kernel,
            [a.ravel().copy(), b.ravel().copy(), c],
            workgroup_size=(threads, 1, 1),
            wave_size=wave_size,
            grid=(M // TILE, N // TILE, 1),
            workgroups=[(0, 0, 0), (3, 1, 0)],
            locate=lambda op: Location(path),
        )
    assert done.faults == ()
    product = a.astype(np.float32) @ b.astype(np.float32).T
    for rows, columns in ((slice(0, 64), slice(0, 64)), (slice(192, 256), slice(64, 128))):
        made = c.reshape(M, N)[rows, columns]
        np.testing.assert_array_equal(made, product[rows, columns])


@pytest.mark.parametrize("path", sorted(p.name for p in (EXAMPLES / "iree").glob("*.mlir")))
def test_iree_examples_parse_and_verify(path: str) -> None:
    with ir.Context():
        module = ir.Module.parseFile(str(EXAMPLES / "iree" / path))
        assert module.operation.verify()
        assert len(functions(module)) == 1
