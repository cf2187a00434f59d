"""`bankwise.triton.install` in a running program on an NVIDIA H200: a line of JSON for each kernel.

    python benchmarks/h200_triton_install.py

The same call three times, before, while the fix is installed, and afterwards: which kernels were
replaced, whether results are equal bit for bit, whether the code differs as it should, and medians
of Triton's `do_bench` in microseconds. Needs Triton 3.9.0, PyTorch and nvdisasm.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).parents[1] / "tests" / "data" / "triton_kernels.py"
NAMES = ("product_f32_nt", "product_f32_tt", "product_f32_skinny", "product_i8_nn")
SIZE = 1024


def installed(name: str) -> dict[str, Any]:
    """One product of two square matrices."""
    import torch
    import triton.testing
    import triton_kernels

    import bankwise.triton

    case = triton_kernels.CASES[name]
    function, fixed_at = getattr(triton_kernels, case["fn"]), {**case["constants"]}
    fix = bankwise.triton.fix(
        f"{KERNELS}:{case['fn']}", case["types"], "sm_90", constexprs=fixed_at,
        numbers={**case["numbers"], "size": SIZE}, execute=False, **case["options"],
    )  # fmt: skip
    kinds = {"*fp32": torch.float32, "*i8": torch.int8, "*i32": torch.int32}
    torch.manual_seed(0)
    whole = torch.randint(-100, 100, (2, SIZE, SIZE), device="cuda")
    a, b = (one.to(kinds[case["types"][key]]) for one, key in zip(whole, "ab", strict=True))
    grid = SIZE // fixed_at["bm"], SIZE // fixed_at["bn"]

    def called() -> tuple[Any, str, float]:
        out = torch.zeros(SIZE, SIZE, device="cuda", dtype=kinds[case["types"]["c"]])

        def call() -> Any:
            return function[grid](a, b, out, SIZE, **fixed_at, **case["options"])

        code = call().asm["cubin"]
        return out, code, 1000 * triton.testing.do_bench(call, return_mode="median")

    before = called()
    with bankwise.triton.install(fix) as replaced:
        inside = called()
    after = called()
    return {
        "name": name,
        "replaced": replaced,
        "equal": all(torch.equal(before[0], other[0]) for other in (inside, after)),
        "code_replaced": before[1] != inside[1] and before[1] == after[1],
        "us": [round(one[2], 2) for one in (before, inside, after)],
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    sys.path.insert(0, str(KERNELS.parent))
    for each in NAMES:
        print(json.dumps(installed(each)), flush=True)
