"""``fix --run``: what is run, what is said of it; the runs themselves on a GPU of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bankwise.ask.judge_run import run_cases, verdict_of
from bankwise.lab.gpu import run_cuda
from bankwise.read.instances import ChangedArgument
from bankwise.read.names import parameters
from bankwise.read.source import Compilation
from bankwise.read.sources import language_of
from bankwise.read.toolkit import find_program
from command import bankwise

KERNELS = Path(__file__).parent / "data" / "cuda_fix"

needs_nvcc = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)


@pytest.mark.skipif(find_spec("cupy") is not None, reason="there may be a GPU")
def test_without_a_gpu_it_is_said_what_is_missing() -> None:
    done = bankwise("fix", str(KERNELS / "transpose_f32.cu"), "-t", "sm_90", "--run")
    assert done.code == 2
    assert "CuPy, which is not installed" in done.err
    assert "[gpu]" in done.err
    assert not done.out


def test_only_what_is_compiled_here_can_be_run(tmp_path: Path) -> None:
    path = tmp_path / "k.mlir"
    path.write_text("module {}\n")
    done = bankwise("fix", str(path), "--run")
    assert done.code == 2
    assert "--run" in done.err


@pytest.mark.parametrize(
    ("spelled", "types"),
    [
        ("void k<float, 32>(float*, float const*, int)", ("float*", "float const*", "int")),
        ("(anonymous namespace)::k(std::pair<int, int>)", ("std::pair<int, int>",)),
        ("void f<int (*)(int)>(int (*)(int), bool)", ("int (*)(int)", "bool")),
        ("k()", ()),
        ("k", ()),
    ],
)
def test_the_types_that_a_function_takes(spelled: str, types: tuple[str, ...]) -> None:
    assert parameters(spelled) == types


SOURCE = """
#include <cuda_fp16.h>
struct Pair { int a, b; };
__constant__ float weights[5];
__global__ void k(half* a, const unsigned char* b, int n, Pair* c, unsigned m) {
  __shared__ float s[32];
  s[threadIdx.x] = n * weights[m];
  __syncthreads();
  a[threadIdx.x] = __float2half(s[31 - threadIdx.x] + b[n] + c[0].a);
}
__global__ void by_value(float* a, Pair p) { a[threadIdx.x] = p.a; }
void launch(half* a, unsigned char* b, Pair* c) { k<<<dim3(3, 2), 32, 64>>>(a, b, -7, c, x()); }
"""


@needs_nvcc
def test_what_is_run_is_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE.replace("x()", "2 + 1"))
    what = Compilation(path, "sm_90")
    kernels = language_of(what).check(what, args={}).kernels
    found = list(run_cases(what, kernels, path.read_text(), path.read_text(), tmp_path))
    case = next(one for one in found if isinstance(one, dict))
    assert (case["grid"], case["block"], case["shared_bytes"]) == ((3, 2, 1), (32, 1, 1), 64)
    assert [next(iter(one.values())) for one in case["parameters"]] == [
        "f16",
        "u8",
        (-7 & 0xFFFFFFFF).to_bytes(4, "little").hex(),
        "f32",
        (3).to_bytes(4, "little").hex(),
    ]
    assert case["variables"] == [{"name": "weights", "kind": "u8", "bytes": 20}]
    assert all(Path(case[version]).is_file() for version in ("before", "after"))
    why = next(one for one in found if isinstance(one, str))
    assert why.startswith("parameter 2 is a structure (Pair)")


STRUCTURES = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <bool B> struct Flag {};
template <class F>
__global__ void k(float* a, half x, __nv_bfloat16 y, float4 z, int3 n, half2 h, F f) {
  a[threadIdx.x] = __half2float(x) + __bfloat162float(y) + z.w + n.z + __low2float(h);
}
void launch(float* a, half x, __nv_bfloat16 y, float4 z, int3 n, half2 h) {
  k<<<1, 32>>>(a, x, y, z, n, h, Flag<true>{});
}
"""


@needs_nvcc
def test_halves_vectors_and_empty_structures_are_given_by_value(tmp_path: Path) -> None:
    path = tmp_path / "s.cu"
    path.write_text(STRUCTURES)
    what = Compilation(path, "sm_90")
    kernels = language_of(what).check(what, args={}).kernels
    (case,) = run_cases(what, kernels, STRUCTURES, STRUCTURES, tmp_path)
    assert isinstance(case, dict)
    given = [bytes.fromhex(one["value"]) for one in case["parameters"][1:]]
    assert given[0] == np.float16(1.5).tobytes()
    assert np.frombuffer(b"\0\0" + given[1], "<f4").tolist() == [2.5]
    assert np.frombuffer(given[2], "<f4").tolist() == [3.5] * 4
    assert np.frombuffer(given[3], "<i4").tolist() == [100] * 3
    assert np.frombuffer(given[4], "<f2").tolist() == [5.5] * 2
    assert given[5] == b"\0"


TEMPLATE = """
template <int PAD> __global__ void t(float* a) {
  __shared__ float s[32 + PAD];
  s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s[31 - threadIdx.x];
}
void launch(float* a) { t<0><<<1, 32>>>(a); }
"""


@needs_nvcc
def test_an_instance_of_other_numbers_runs_by_its_own_name(tmp_path: Path) -> None:
    path, after = tmp_path / "t.cu", TEMPLATE.replace("t<0>", "t<4>")
    path.write_text(TEMPLATE)
    what = Compilation(path, "sm_90")
    kernels = language_of(what).check(what, args={}).kernels
    changed = (ChangedArgument("t", 0, 0, 4),)
    (case,) = run_cases(what, kernels, TEMPLATE, after, tmp_path, changed)
    assert isinstance(case, dict)
    assert case["kernel"] == {"before": "_Z1tILi0EEvPf", "after": "_Z1tILi4EEvPf"}


CASE = {"function": "k", "grid": [4, 4, 1]}
FINE = {"outside": "", "written": 64, "varies": False, "equal": True, "differs": ""}


def told(**changed: Any) -> dict[str, Any]:
    one = {**FINE, "ns": [2000, 1000], "registers": [16, 18], **changed}
    return {"device": "GPU", "uncounted": "", "kernels": [one]}


@pytest.mark.parametrize(
    ("changed", "status", "words"),
    [
        ({}, "passed", "64 bytes written alike on random inputs, 1 launch of 16 workgroups"),
        ({"equal": False, "differs": "byte 5", "whole": FINE}, "passed", "k on whole numbers"),
        ({"equal": False, "whole": {**FINE, "equal": False}}, "failed", "k leaves other bits"),
        (
            {"equal": False, "whole": {**FINE, "equal": False, "varies": True}},
            "not available",
            "the original itself leaves other bits",
        ),
        ({"ns": [2000, 2400]}, "passed", "k is slower than it was, by 20%"),
        ({"written": 0}, "not available", "it changes nothing"),
        ({"outside": "it writes outside"}, "not available", "it writes outside"),
    ],
)
def test_what_the_runs_say(changed: dict[str, Any], status: str, words: str) -> None:
    verdict = verdict_of([CASE], told(**changed))
    assert verdict.judge == "run"
    assert verdict.status == status
    assert words in verdict.detail
    if status == "passed":
        after = changed.get("ns", [2000, 1000])[1]
        assert ("k: median time of a launch, ns", 2000, after) in verdict.rows


def test_a_tick_of_the_clock_is_no_slower_kernel() -> None:
    verdict = verdict_of([CASE], told(ns=[2000, 2100]))
    assert "slower" not in verdict.detail


def test_a_fault_of_the_changed_text_alone_is_a_failure() -> None:
    verdict = verdict_of([CASE], {"fault": "k: an illegal memory access", "changed": True})
    assert verdict.status == "failed"
    assert "where the original ran: k: an illegal memory access" in verdict.detail


def test_a_fault_of_the_gpu_is_no_answer() -> None:
    verdict = verdict_of([CASE], {"fault": "an illegal memory access"})
    assert verdict.status == "not available"
    assert "an illegal memory access" in verdict.detail


Kernel = Callable[..., None]


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> dict[str, Kernel]:
    """Kernels of Python by the names of their files, on arrays of NumPy."""
    kernels: dict[str, Kernel] = {}

    class Function:
        shared_size_bytes = num_regs = 0

        def __init__(self, run: Kernel) -> None:
            self.run = run

        def __call__(self, grid: Any, block: Any, given: Any, shared_mem: int = 0) -> None:
            self.run(*given)

    def loaded(path: str) -> SimpleNamespace:
        return SimpleNamespace(get_function=lambda name: Function(kernels[path]))

    runtime = SimpleNamespace(memGetInfo=lambda: (1 << 22, 1 << 22))
    device = lambda: SimpleNamespace(synchronize=lambda: None)  # noqa: E731
    fake = SimpleNamespace(
        RawModule=loaded,
        cuda=SimpleNamespace(runtime=runtime, Device=device),
        **{name: getattr(np, name) for name in ("arange", "full", "rint")},
    )
    monkeypatch.setattr(run_cuda, "cupy", lambda: fake)
    return kernels


def case_of(*kinds: str) -> dict[str, Any]:
    given: list[dict[str, str]] = [{"pointer": kind} for kind in kinds]
    given.append({"value": (5).to_bytes(4, "little").hex()})
    paths = {
        "before": "before",
        "after": "after",
        "kernel": {"before": "k", "after": "k"},
        "variables": [],
    }
    return {**paths, "parameters": given, "shared_bytes": 0, "grid": [1], "block": [32]}


def doubled(out: Any, of: Any, n: Any) -> None:
    out.view(np.float32)[:n] = 2 * of.view(np.float32)[:n]


def test_versions_that_leave_the_same_are_equal(gpu: dict[str, Kernel]) -> None:
    gpu.update(before=doubled, after=doubled)
    found = run_cuda.compared(case_of("f32", "f32"), small=False, whole=False)
    assert found["equal"]
    assert not found["varies"]
    assert 0 < found["written"] <= 20


def test_one_byte_that_differs_is_found(gpu: dict[str, Kernel]) -> None:
    def other(out: Any, of: Any, n: Any) -> None:
        doubled(out, of, n)
        out[17] ^= 1

    gpu.update(before=doubled, after=other)
    found = run_cuda.compared(case_of("f32", "f32"), small=False, whole=False)
    assert not found["equal"]
    assert found["differs"] == "byte 17 behind pointer 1, and 0 more"


@pytest.mark.parametrize("at", [-1, "end"])
def test_what_is_written_outside_is_caught(gpu: dict[str, Kernel], at: int | str) -> None:
    def outside(out: Any, n: Any) -> None:
        zone = out.base
        zone[run_cuda.GUARD_BYTES - 1 if at == -1 else run_cuda.GUARD_BYTES + len(out)] = 0

    gpu.update(before=outside, after=outside)
    found = run_cuda.compared(case_of("u8"), small=False, whole=False)
    assert "writes outside of" in found["outside"]
    assert "pointer 1" in found["outside"]


def test_what_the_changed_text_alone_writes_outside_is_a_difference(gpu: dict[str, Kernel]) -> None:
    def outside(out: Any, of: Any, n: Any) -> None:
        doubled(out, of, n)
        out.base[run_cuda.GUARD_BYTES - 1] = 0

    gpu.update(before=doubled, after=outside)
    found = run_cuda.compared(case_of("f32", "f32"), small=False, whole=False)
    assert not found["outside"]
    assert not found["equal"]
    assert "writes outside of" in found["differs"]


def test_a_fault_of_the_changed_text_is_told_from_one_of_the_original(
    gpu: dict[str, Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    class FaultError(Exception):
        pass

    def faults(out: Any, of: Any, n: Any) -> None:
        raise FaultError("an illegal memory access")

    monkeypatch.setattr(run_cuda, "_faults", lambda: (FaultError,))
    gpu.update(before=doubled, after=faults)
    with pytest.raises(run_cuda.ChangedFault, match="an illegal memory access"):
        run_cuda.compared({**case_of("f32", "f32"), "function": "k"}, small=False, whole=False)
    gpu.update(before=faults)
    with pytest.raises(FaultError):
        run_cuda.compared({**case_of("f32", "f32"), "function": "k"}, small=False, whole=False)


def test_a_variable_that_no_code_has_is_passed_over(
    gpu: dict[str, Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ptxas leaves out what a header declares and nothing reads."""

    class MissingError(Exception):
        pass

    def missing(name: str) -> None:
        raise MissingError(name)

    fake = run_cuda.cupy()
    loaded = fake.RawModule
    fake.RawModule = lambda path: SimpleNamespace(**vars(loaded(path)), get_global=missing)
    fake.cuda.driver = SimpleNamespace(CUDADriverError=MissingError)
    gpu.update(before=doubled, after=doubled)
    case = case_of("f32", "f32")
    case["variables"] = [{"name": "placeholder", "kind": "u8", "bytes": 4}]
    assert run_cuda.compared(case, small=False, whole=False)["equal"]


def test_a_structure_is_handed_over_byte_for_byte(gpu: dict[str, Kernel]) -> None:
    given: list[bytes] = []
    gpu.update(before=lambda out, n: given.append(n.tobytes()), after=lambda out, n: None)
    case = case_of("f32")
    for size in (1, 2, 12, 16):
        case["parameters"][-1] = {"value": bytes(range(size)).hex()}
        run_cuda.compared(case, small=False, whole=False)
    assert given[::2] == [bytes(range(size)) for size in (1, 2, 12, 16)]


def test_an_original_that_varies_is_told(gpu: dict[str, Kernel]) -> None:
    runs = iter(range(100))

    def counts(out: Any, n: Any) -> None:
        out[0] = next(runs)

    gpu.update(before=counts, after=counts)
    assert run_cuda.compared(case_of("i32"), small=False, whole=False)["varies"]


@pytest.mark.parametrize(
    ("kind", "small", "whole", "least", "most"),
    [
        ("i32", False, False, -64, 63),
        ("i32", True, False, 0, 63),
        ("u32", True, False, 0, 63),
        ("u8", False, False, 0, 255),
        ("f32", False, True, -8, 8),
        ("f64", False, False, -1, 1),
        ("f16", False, True, -8, 8),
    ],
)
def test_inputs_are_random_and_in_range(
    gpu: dict[str, Kernel], kind: str, small: bool, whole: bool, least: int, most: int
) -> None:
    seen: list[Any] = []
    gpu.update(before=lambda out, n: seen.append(out.copy()), after=lambda out, n: None)
    run_cuda.compared(case_of(kind), small=small, whole=whole)
    width = int(kind[1:]) // 8
    numbers = seen[0].view(f"{kind[0]}{width}").astype(np.float64)
    assert least <= numbers.min() < numbers.max() <= most
    assert len(np.unique(numbers)) > (10 if whole else 50)
    assert not whole or (numbers == np.rint(numbers)).all()
