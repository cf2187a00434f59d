"""The rungs of the transpose ladders of sources 002 and 003, and the solver's answers to both.

Source 002 (CK tile): 256 threads, tile 64 x 32, a block walks along k. Everything but the layout,
and where it says so the reading side, is the same on every rung, so that rungs can be compared.
Source 003: one warp, a 16 x 32 tile of f32. Descriptors and distributions are those of
``examples/ck_transpose`` and ``examples/transpose_16x32``, thread by thread, for any wave size.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address import AddressMap, Fold, Identity, Linear, Padded
from bankwise.counting.access import IntArray
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.lab.kernels.transpose_plan import Lanes, Schedule, Transpose, Walk, checked
from bankwise.lab.kernels.transpose_tma import AnyTranspose, TensorTranspose, engine_relaid
from bankwise.solver.answer import Limits, exact
from bankwise.solver.problem import BitTile, Request, problem

ELEMENT_BYTES = {"fp16": 2, "fp32": 4}
CK_TILE = (64, 32)
CK_THREADS = 256
SMALL_TILE = (16, 32)


class FoldedPadded(Struct, frozen=True):
    """A fold of chunks, then ``pad`` unused elements after every ``fold.block``."""

    fold: Fold
    pad: int

    def __call__(self, offsets: IntArray) -> IntArray:
        """The folded offsets, in the wider rows."""
        return self.fold(offsets) + offsets // self.fold.block * self.pad

    def __str__(self) -> str:
        return f"{self.fold}, padded<row={self.fold.block}, pad={self.pad}>"


def ck_fold(element_bytes: int, tile: tuple[int, int] = CK_TILE, banks: int = 32) -> Fold:
    """CK's XOR descriptor: chunks of 16 bytes, exchanged in rows that fill all banks."""
    unit = 16 // element_bytes
    layers = max(1, banks * 4 // (tile[1] * element_bytes))
    width = tile[1] * layers
    return Fold(width, unit, width // unit)


def column_major(tile: tuple[int, int]) -> Linear:
    """The [m, k] tile with m contiguous, as a map of its row-major offsets."""
    bits_m, bits_k = (size.bit_length() - 1 for size in tile)
    k = tuple(1 << (bits_m + i) for i in range(bits_k))
    return Linear((*k, *(1 << i for i in range(bits_m))))


def ladder(dtype: str, machine: Machine) -> tuple[Transpose, ...]:
    """All rungs of a type, the worst first. InputError for an unknown type."""
    size = element_bytes(dtype)
    rungs = (*_ck(dtype, machine), *(_small() if size == 4 and machine.wave_size == 32 else ()))
    return tuple(checked(rung) for rung in rungs)


def element_bytes(dtype: str) -> int:
    """The size of a type. InputError for an unknown one."""
    if dtype not in ELEMENT_BYTES:
        raise InputError(f"unknown type {dtype!r}", hint="known: " + ", ".join(ELEMENT_BYTES))
    return ELEMENT_BYTES[dtype]


def _ck(dtype: str, machine: Machine) -> tuple[Transpose, ...]:
    """Source 002; the names are those of its tutorials."""
    size, tile = element_bytes(dtype), CK_TILE
    vector = 16 // size
    fold = ck_fold(size, banks=_banks(machine))
    padded = Padded(tile[1], 4 // size)
    narrow = ck_fold(size)
    both = FoldedPadded(narrow, narrow.block // tile[1])
    rows, columns = tile[0] // vector, tile[1] // vector
    load: Lanes = (("k", columns), ("m", CK_THREADS // columns))
    gather: Lanes = (("m", rows), ("k", CK_THREADS // rows))
    along_k = Walk(tile, (1, vector), "k", (("m", tile[0]), ("k", CK_THREADS // tile[0])))
    eight: Lanes = (("k", 8), ("m", rows), ("k", CK_THREADS // rows // 8))

    def rung(name: str, title: str, address: AddressMap, read: Walk, store: int) -> Transpose:
        write = Walk(tile, (1, vector), "k", load)
        full = f"transpose_{dtype}_{name}"
        return Transpose(full, title, size, ("m", "k"), address, write, read, store)

    gathered = Walk(tile, (vector, 1), "m", gather)
    wide = replace(gathered, lanes=eight)
    xor = rung("m_vector", "10 as 08, 16-byte stores along m", fold, wide, vector)
    return (
        rung("row_major", "01 row-major", Identity(), gathered, 1),
        rung("column_major", "02 column-major", column_major(tile), gathered, 1),
        rung("padding", "03 padded by 4 bytes", padded, gathered, 1),
        rung("xor_padding", "05 XOR and padding", both, gathered, 1),
        rung("xor", "08 XOR, read along k", fold, along_k, 1),
        xor,
        solved(
            replace(xor, name=f"transpose_{dtype}_solved", title="10 with bankwise's layout"),
            machine,
        ),
    )


def _banks(machine: Machine) -> int:
    """CK's ``get_n_lds_banks``: of the widest read."""
    return max(row.banks for row in machine.instructions.values())


def _small() -> tuple[Transpose, ...]:
    """Source 003, for warps of 32 lanes: rows in, two columns out per step."""
    tile = SMALL_TILE
    write = Walk(tile, (1, 1), "k", (("k", 32),))
    read = Walk(tile, (1, 1), "m", (("m", 16), ("k", 2)))
    maps: tuple[tuple[str, str, AddressMap], ...] = (
        ("row_major", "003 row-major", Identity()),
        ("padding", "003 rows of 33", Padded(32, 1)),
        ("n_xor_m", "003 n XOR m", Fold(32, 1, 16)),
        ("n_xor_2m", "003 n XOR 2m", Fold(32, 2, 16)),
    )
    return tuple(
        Transpose(f"warp_{name}", title, 4, ("m", "k"), address, write, read, 1)
        for name, title, address in maps
    )


def solved(plan: Transpose, machine: Machine) -> Transpose:
    """The plan with the layout that the exact solver proves best for its two walks."""
    address = _best(plan.order, plan.element_bytes, plan.write, plan.read, machine.name)
    return replace(plan, address=address)


def relaid(plan: AnyTranspose) -> tuple[AnyTranspose, ...]:
    """The same code on a row-major tile, and on rows padded by 16 bytes: only addresses differ.

    The copy engine fills no padded rows.
    """
    if isinstance(plan, TensorTranspose):
        return engine_relaid(plan)
    padded = Padded(plan.memory.shape[1], 16 // plan.element_bytes)
    return (
        replace(plan, name=f"{plan.name}_row_major", title="tuned, row-major", address=Identity()),
        replace(plan, name=f"{plan.name}_padding", title="tuned, padded rows", address=padded),
    )


@lru_cache(maxsize=1024)
def _best(order: tuple[str, str], size: int, write: Walk, read: Walk, target: str) -> AddressMap:
    from bankwise.hardware.machine import machine as machine_named

    gpu = machine_named(target)
    bits = {axis: length.bit_length() - 1 for axis, length in zip("mk", write.tile, strict=True)}
    start = {order[1]: 0, order[0]: bits[order[1]]}
    tile = BitTile(((order[1], bits[order[1]]), (order[0], bits[order[0]])), size * 8)
    requests = [
        _request("write", write, start, gpu, order[1]),
        _request("read", read, start, gpu, order[1]),
    ]
    limits = Limits(gpu.lds_bytes, split=False, pad=False)
    answer = exact(problem(gpu, tile, requests, widen=False), limits)
    if isinstance(answer, Refusal):
        raise InputError(f"no layout for this transpose: {answer.reason}")
    return answer.layout.layout


def _request(
    name: str, walk: Walk, start: dict[str, int], machine: Machine, contiguous: str
) -> Request:
    """The lanes of one wave and the vector of one thread, as directions of the tile.

    A vector that does not lie along the contiguous axis is moved element by element.
    """
    lanes = []
    for axis, divisor, size, factor in walk.digits():
        for bit in range(size.bit_length() - 1):
            if divisor << bit < machine.wave_size:
                lanes.append(factor << bit << start[axis])
    span = walk.span if walk.vector == contiguous else 1
    vector = tuple(1 << bit << start[walk.vector] for bit in range(span.bit_length() - 1))
    return Request(name, "write" if name == "write" else "read", tuple(lanes), vector)


def _check_even(threads: int, parts: int, axis: str) -> None:
    """InputError where the vectors along an axis cannot be dealt out evenly."""
    if not parts or threads % parts:
        raise InputError(f"{threads} threads are no multiple of {parts} vectors along {axis}")


def blocked(
    dtype: str,
    tile: tuple[int, int],
    threads: int,
    block: tuple[int, int],
    *,
    late: bool = False,
    single: bool = False,
    schedule: Schedule | None = None,
    name: str = "",
) -> Transpose:
    """A kernel whose threads transpose blocks of (rows, columns) in registers; row-major tile.

    Both sides of shared memory are vectors. ``late``: the tile lies as it came, and is transposed
    when it leaves. ``single``: it leaves element by element. InputError where threads, block and
    tile do not fit.
    """
    write, read = _walks(tile, threads, block, late=late, single=single)
    where = "out of" if late else "into"
    return checked(
        Transpose(
            name or f"transpose_{dtype}_tuned",
            f"registers transpose {block[0]} x {block[1]}, {where} shared memory",
            element_bytes(dtype),
            ("m", "k") if late else ("k", "m"),
            Identity(),
            write,
            read,
            read.block[0],
            schedule or Schedule("tile"),
        )
    )


def _walks(
    tile: tuple[int, int], threads: int, block: tuple[int, int], *, late: bool, single: bool
) -> tuple[Walk, Walk]:
    """How threads go over a tile into shared memory, and out of it."""
    (m, k), (rows, columns) = tile, block
    _check_even(threads, k // columns, "k")
    _check_even(threads, m // rows, "m")
    load: Lanes = (("k", k // columns), ("m", threads // (k // columns)))
    store: Lanes = (("m", m // rows), ("k", threads // (m // rows)))
    if late:
        write = Walk(tile, (1, columns), "k", load)
        read = Walk(tile, block, "k", store)
    else:
        write = Walk(tile, block, "m", load)
        read = Walk(tile, (rows, 1), "m", store)
    if single:
        read = Walk(tile, (1, 1), "m", (("m", min(m, threads)), ("k", max(1, threads // m))))
    return write, read
