"""A program that compiles a kernel for a GPU that is not there, as tests run it with environment
variables: the name of a case of data/triton_kernels.py, a target; prints the TTGIR and the folder.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "data"))

import triton
import triton_kernels
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGETS = {
    "gfx942": GPUTarget("hip", "gfx942", 64),
    "gfx950": GPUTarget("hip", "gfx950", 64),
    "sm_90": GPUTarget("cuda", 90, 32),
}


def source(name):
    """A case as Triton's own front end takes it, pointers and numbers multiples of 16."""
    case = triton_kernels.CASES[name]
    fn = getattr(triton_kernels, case["fn"])
    types = {**case["types"], **dict.fromkeys(case["constants"], "constexpr")}
    constants = {(fn.arg_names.index(k),): v for k, v in case["constants"].items()}
    attrs = {
        (n,): [["tt.divisibility", 16]]
        for n, k in enumerate(fn.arg_names)
        if types[k].startswith("*") or case["numbers"].get(k, 1) % 16 == 0
    }
    signature = {k: types[k] for k in fn.arg_names}
    return ASTSource(fn=fn, signature=signature, constexprs=constants, attrs=attrs)


def compiled(name, target, **options):
    """The compiled kernel."""
    said = {**triton_kernels.CASES[name]["options"], **options}
    return triton.compile(source(name), target=TARGETS[target], options=said)


if __name__ == "__main__":
    made = compiled(*sys.argv[1:])
    sys.stdout.write(made.asm["ttgir"])
