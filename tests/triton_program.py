"""A program that compiles a kernel for a GPU that is not there, as tests run it with environment
variables: the name of a case of data/triton_kernels.py, a target; prints the TTGIR and the folder.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "data"))

import triton
import triton_kernels
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.runtime.jit import MockTensor, create_function_from_signature

TARGETS = {
    "gfx942": GPUTarget("hip", "gfx942", 64),
    "gfx950": GPUTarget("hip", "gfx950", 64),
    "sm_90": GPUTarget("cuda", 90, 32),
}


class Tensor(MockTensor):
    """A tensor that is not there, of 4 kB."""

    def ptr_range(self):
        return 4096


def source(name, target):
    """A case as a launch hands it to Triton's compiler; numbers that it does not name are odd."""
    case = triton_kernels.CASES[name]
    fn = getattr(triton_kernels, case["fn"])
    values = {**dict.fromkeys(case["types"], 7), **case["numbers"], **case["constants"]}
    pointers = {k: Tensor(t[1:]) for k, t in case["types"].items() if t.startswith("*")}
    floats = {k: 0.5 for k, t in case["types"].items() if t.startswith("fp")}
    backend = make_backend(TARGETS[target])
    bind = create_function_from_signature(fn.signature, fn.params, backend)
    bound, kinds, options = bind(**{**values, **pointers, **floats})
    _, signature, constants, attrs = fn._pack_args(backend, {}, bound, kinds, options)
    return ASTSource(fn, signature, constants, attrs)


def compiled(name, target, **options):
    """The compiled kernel."""
    said = {**triton_kernels.CASES[name]["options"], **options}
    return triton.compile(source(name, target), target=TARGETS[target], options=said)


if __name__ == "__main__":
    made = compiled(*sys.argv[1:])
    sys.stdout.write(made.asm["ttgir"])
