"""What a kernel is measured against: a copy, PyTorch, cuBLAS, Triton, where they are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bankwise.lab.gpu.launch import compile_kernel, cupy

Call = Callable[[], object]


def device_copy(x: Any, y: Any) -> Call:
    """The driver's copy of the bytes of ``x`` to ``y``, on the default stream."""
    module = cupy()
    runtime = module.cuda.runtime
    kind, stream = runtime.memcpyDeviceToDevice, module.cuda.get_current_stream().ptr
    return lambda: runtime.memcpyAsync(y.data.ptr, x.data.ptr, x.nbytes, kind, stream)


def empty_launch() -> Call:
    """A kernel that does nothing, of as many blocks as a small matrix has tiles."""
    nothing = compile_kernel('extern "C" __global__ void nothing() {}', "nothing")
    return lambda: nothing((1024,), (128,), ())


def peers(x: Any, y: Any, dtype: str) -> Iterator[tuple[str, Call]]:
    """(name, call) of every other transpose of ``x`` [.., m, k] that this computer has."""
    yield from _torch(x, dtype)
    yield from _cublas(x, y, dtype)
    yield from _triton(x, y, dtype)


def _floats(array: Any, dtype: str) -> Any:
    """The array as a torch tensor of floats, sharing memory."""
    import torch

    module = cupy()
    kind = {"fp16": module.float16, "fp32": module.float32}[dtype]
    return torch.from_dlpack(array.view(kind))


def _torch(x: Any, dtype: str) -> Iterator[tuple[str, Call]]:
    try:
        tensor = _floats(x, dtype)
    except ImportError:
        return
    if tensor.dim() > 2:
        yield "torch x.transpose(1, 2).contiguous()", lambda: tensor.transpose(1, 2).contiguous()
        return
    yield "torch x.t().contiguous()", lambda: tensor.t().contiguous()


def _cublas(x: Any, y: Any, dtype: str) -> Iterator[tuple[str, Call]]:
    """``geam`` as a transpose: of floats, so a signaling NaN comes out as a quiet one. One
    matrix at a time: there is no batched ``geam``."""
    try:
        from cupy import cublas
    except ImportError:
        return
    if dtype == "fp32" and x.ndim == 2:
        kind = cupy().float32
        a, out = x.view(kind), y.view(kind)
        yield "cublas geam", lambda: cublas.geam("T", "T", 1.0, a, 0.0, a, out=out)


def _triton(x: Any, y: Any, dtype: str) -> Iterator[tuple[str, Call]]:
    try:
        from bankwise.lab.gpu.triton_transpose import TILES, transpose_triton

        source, target = _floats(x, dtype), _floats(y, dtype)
    except ImportError:
        return
    *batch, m, k = x.shape

    def call(rows: int, columns: int, warps: int) -> Call:
        blocks = (-(-m // rows) * -(-k // columns), *(batch or [1]))
        masked = bool(m % rows or k % columns)
        return lambda: transpose_triton[blocks](
            source, target, m, k, rows, columns, masked, num_warps=warps
        )

    for rows, columns in TILES:
        for warps in (4, 8):
            yield f"triton {rows}x{columns} w{warps}", call(rows, columns, warps)
