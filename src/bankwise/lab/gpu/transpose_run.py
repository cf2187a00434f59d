"""The process that runs transposes on the GPU: it measures what a job names and nothing else.

    python -m bankwise.lab.gpu.transpose_run JOB.json OUT.json

A job: ``mode`` (``time`` or ``count``), ``target``, ``sizes`` [[m, k] or [batch, m, k], ..],
``dtypes``, ``seed``, ``repeats``; how many ``variants`` to try, and which ``first`` by type; for
``count`` the ``chosen`` variant of every case. Every kernel's result is compared bit by bit with
the transposed matrix, the output being overwritten before. A line ``progress DONE TOTAL`` per case
goes to stdout.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.hardware.machine import machine as machine_named
from bankwise.lab.gpu.launch import Launchable, compile_kernel, cupy, median_ms, resources
from bankwise.lab.gpu.peers import device_copy, empty_launch, peers
from bankwise.lab.gpu.tensor_map import tensor_map
from bankwise.lab.kernels.transpose import dynamic_bytes, kernel
from bankwise.lab.kernels.transpose_ladder import element_bytes, ladder, relaid
from bankwise.lab.kernels.transpose_launch import fitted
from bankwise.lab.kernels.transpose_order import grid
from bankwise.lab.kernels.transpose_tma import AnyTranspose, TensorTranspose
from bankwise.lab.kernels.transpose_tune import follow, plan, sample, takes
from bankwise.lab.kernels.transpose_variant import Variant, from_json, to_json

Row = dict[str, Any]
Sizes = tuple[int, int]
_FINALISTS = 6
_COLD_FINALISTS = 6
_BOTH_FINALISTS = 4
_FOLLOWED = 6
_ROUNDS = 6
_FINAL_ROUNDS = 5
_PROCESSES = 14


class MatrixPair(Struct, frozen=True):
    """Matrices on the GPU: ``x`` [m, k] and ``y`` [k, m] of ``dtype``, as unsigned integers; a
    batch of more than one in front.
    """

    dtype: str
    size: tuple[int, int]
    x: Any
    y: Any
    batch: int = 1

    @property
    def bytes(self) -> int:
        """Of one matrix."""
        return int(self.x.nbytes)

    def correct(self, call: Callable[[], object]) -> bool:
        """Whether ``call`` transposes every bit; ``y`` is overwritten before."""
        self.y.fill(0)
        call()
        return bool((self.y == self.x.swapaxes(-1, -2)).all())


def main(job_file: str, out_file: str) -> None:
    """Run the job and write its rows."""
    job = json.loads(Path(job_file).read_text("utf-8"))
    about = _device_facts()
    rows: list[Row] = []
    for found in [_count(job)] if job["mode"] == "count" else _time(job):
        rows += found
        Path(out_file).write_text(json.dumps({"about": about, "rows": rows}), "utf-8")


def _device_facts() -> Row:
    module = cupy()
    properties = module.cuda.runtime.getDeviceProperties(0)
    return {
        "gpu": properties["name"].decode(),
        "driver": module.cuda.runtime.driverGetVersion(),
        "runtime": module.cuda.runtime.runtimeGetVersion(),
        "cupy": module.__version__,
        "multiprocessors": int(properties["multiProcessorCount"]),
        "l2_bytes": int(properties["l2CacheSize"]),
    }


def _cases(job: Mapping[str, Any]) -> Iterable[MatrixPair]:
    module = cupy()
    random = module.random.RandomState(seed=job["seed"])
    for dtype in job["dtypes"]:
        kind = {2: module.uint16, 4: module.uint32}[element_bytes(dtype)]
        for size in job["sizes"]:
            *batch, m, k = size
            number = int(np.prod(size, dtype=np.int64))
            words = -(-number * element_bytes(dtype) // 4)
            x = random.randint(0, (1 << 31) - 1, words, dtype=module.int32).view(kind)[:number]
            y = module.empty((*batch, k, m), kind)
            yield MatrixPair(dtype, (m, k), x.reshape(size), y, *batch)


class Ready(Struct, frozen=True):
    """A compiled plan and how to launch it on a case."""

    plan: AnyTranspose
    compiled: Launchable

    def on(self, case: MatrixPair) -> Callable[[], None]:
        """A call that launches it. InputError where its tiles do not cover the matrix."""
        count = cupy().cuda.Device().attributes["MultiProcessorCount"]
        blocks = grid(self.plan, case.size, count, case.batch)
        args = (*_matrices(self.plan, case), *map(np.int32, case.size))
        threads = self.plan.threads
        return lambda: self.compiled(blocks, (threads,), args)


def _matrices(plan: AnyTranspose, case: MatrixPair) -> tuple[Any, Any]:
    """Both matrices, as the kernel takes them."""
    if not isinstance(plan, TensorTranspose):
        return case.x, case.y
    boxes = zip((case.x, case.y), case.size, reversed(case.size), plan.tile, strict=True)
    into, out = (
        tensor_map(array, (rows, columns), (height, plan.wide), plan.mode)
        for array, rows, columns, height in boxes
    )
    return into, out


def ready(made: AnyTranspose, text: str = "") -> Ready:
    """Compile a plan, or the ``text`` made from it (CuPy keeps what it compiled before)."""
    shared = dynamic_bytes(made)
    return Ready(made, compile_kernel(text or kernel(made), made.name, shared_bytes=shared))


def _made(item: tuple[dict[str, Any], str, str, Sizes]) -> tuple[AnyTranspose, str] | None:
    """In a process of its own: solve and compile a variant; None if it cannot be."""
    data, dtype, target, size = item
    try:
        found = plan(from_json(data), dtype, machine_named(target), f"transpose_{dtype}_tuned")
        made = fitted(found, size)
        text = kernel(made)
        ready(made, text)
    except InputError as error:
        print(f"no kernel: {error}", file=sys.stderr)
        return None
    return made, text


def _build(
    variants: Iterable[Variant], case: MatrixPair, target: str, pool: ProcessPoolExecutor
) -> dict[Variant, Ready]:
    items = [(to_json(v), case.dtype, target, case.size) for v in variants]
    found = zip(items, pool.map(_made, items, chunksize=4), strict=True)
    return {from_json(item[0]): ready(*made) for item, made in found if made}


def _time(job: Mapping[str, Any]) -> Iterator[list[Row]]:
    processes = min(_PROCESSES, cpu_count() or 1)
    cases = list(_cases(job))
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for number, case in enumerate(cases):
            print(f"progress {number} {len(cases)}", flush=True)
            yield _timed(job, case, pool)


def _timed(job: Mapping[str, Any], case: MatrixPair, pool: ProcessPoolExecutor) -> list[Row]:
    """Tune on this case, then measure the rungs, the best variants and the peers in turns."""
    target = machine_named(job["target"])
    tuned = _tune(job, case, pool)
    best = _finalists(tuned)
    calls: dict[str, Callable[[], object]] = {"copy": device_copy(case.x, case.y)}
    calls["empty"] = empty_launch()
    about: dict[str, Row] = {name: {"kind": name} for name in calls}
    for made in _rungs(case, target):
        _enter(calls, about, case, made.plan.name, made, {"kind": "rung"})
    for variant, made, *_ in best[:1]:
        for other in relaid(replace(made.plan, name=f"transpose_{case.dtype}_relaid")):
            row = {"kind": "relaid", "variant": to_json(variant)}
            _enter(calls, about, case, other.name, ready(other), row)
    for number, (variant, made, *_) in enumerate(best):
        row = {"kind": "tuned", "variant": to_json(variant)}
        _enter(calls, about, case, f"transpose_{case.dtype}_tuned_{number}", made, row)
    for name, call in peers(case.x, case.y, case.dtype):
        if _works(case, name, call):
            calls[name], about[name] = call, {"kind": name.split()[0]}
    final = _final(case, calls, int(job["repeats"]))
    rows = [{**_head(case, name), **about[name], **final[name]} for name in calls]
    return rows + [_tried(case, *one) for one in tuned]


Tried = tuple[Variant, Ready, float | None, float | None]
"""With its times, warm and cold; None if it is wrong."""


def _finalists(tuned: list[Tried]) -> list[Tried]:
    """The fastest with a warm L2 cache, then others that are fastest with a cold one, or whose
    slower side is nearest to the fastest of both.
    """
    found = _leading(tuned, _FINALISTS)
    return [one for number, one in enumerate(found) if one not in found[:number]]


def _leading(tuned: list[Tried], warm: int) -> list[Tried]:
    """``warm`` of them by warm times, then by cold ones, then by both; one may come twice."""
    right = [one for one in tuned if one[2] and one[3]]
    least = [min((side(one) for one in right), default=0.0) for side in (_warm, _cold)]

    def slower(one: Tried) -> float:
        return max(_warm(one) / least[0], _cold(one) / least[1])

    return [
        *sorted(right, key=_warm)[:warm],
        *sorted(right, key=_cold)[:_COLD_FINALISTS],
        *sorted(right, key=slower)[:_BOTH_FINALISTS],
    ]


def _warm(one: Tried) -> float:
    return one[2] or 0.0


def _cold(one: Tried) -> float:
    return one[3] or 0.0


def _works(case: MatrixPair, name: str, call: Callable[[], object]) -> bool:
    """Whether a peer runs and is right, but for PyTorch, whose result is its own, and cuBLAS, which
    changes some of the bits that are no numbers."""
    try:
        return case.correct(call) or name.startswith(("torch", "cublas"))
    except Exception as error:
        print(f"{name} does not run: {error}", file=sys.stderr)
        return False


def _rungs(case: MatrixPair, target: Machine) -> list[Ready]:
    """Those whose tiles cover the matrix."""
    return [ready(rung) for rung in ladder(case.dtype, target) if covers(rung, case)]


def covers(made: AnyTranspose, case: MatrixPair) -> bool:
    """Whether a launch of the plan takes these matrices."""
    try:
        grid(made, case.size, 1, case.batch)
    except InputError:
        return False
    return True


def _enter(
    calls: dict[str, Callable[[], object]],
    about: dict[str, Row],
    case: MatrixPair,
    name: str,
    made: Ready,
    row: Row,
) -> None:
    used = resources(made.compiled)
    call = made.on(case)
    calls[name] = call
    about[name] = {
        **row,
        "correct": case.correct(call),
        "registers": used.registers,
        "local_bytes": used.local_bytes,
    }


def _head(case: MatrixPair, name: str) -> Row:
    return {
        "dtype": case.dtype,
        "batch": case.batch,
        "m": case.size[0],
        "k": case.size[1],
        "name": name,
    }


def _tried(
    case: MatrixPair, variant: Variant, made: Ready, warm: float | None, cold: float | None
) -> Row:
    row = {**_head(case, str(variant)), "kind": "tried", "variant": to_json(variant)}
    used = resources(made.compiled)
    more = {"registers": used.registers, "local_bytes": used.local_bytes}
    times = {"median_ms": warm, "cold_ms": cold}
    return {**row, **more, **times, "correct": warm is not None}


def _tune(job: Mapping[str, Any], case: MatrixPair, pool: ProcessPoolExecutor) -> list[Tried]:
    """Neighbours of where the search starts, some at random, then neighbours of the best."""
    number = int(job["variants"])
    if not number:
        return []
    given = [from_json(v) for v in job.get("first", {}).get(case.dtype, [])]
    asked = case.size, case.batch, machine_named(job["target"]).name
    fixed = [v for v in given if takes(v, case.dtype, *asked)]
    near = follow(tuple(fixed[:2]), set(fixed), case.dtype, number // 3, *asked)
    drawn = sample(case.dtype, max(1, number // 6), int(job["seed"]), *asked)
    tried = _try(case, dict.fromkeys((*fixed, *near, *drawn)), job["target"], pool)
    for left in range(_ROUNDS, 0, -1):
        more = max(0, number - len(tried)) // left
        best = _leading(tried, _FOLLOWED)
        start, known = tuple(dict.fromkeys(t[0] for t in best)), {t[0] for t in tried}
        near = follow(start, known, case.dtype, more, *asked)
        tried += _try(case, near, job["target"], pool)
    return tried


def _try(
    case: MatrixPair, variants: Iterable[Variant], target: str, pool: ProcessPoolExecutor
) -> list[Tried]:
    found: list[Tried] = []
    for variant, made in _build(variants, case, target, pool).items():
        try:
            call = made.on(case)
        except InputError:
            continue
        if not case.correct(call):
            found.append((variant, made, None, None))
            continue
        warm = median_ms(call, warmup=1, repeats=9).median_ms
        cold = median_ms(call, warmup=0, repeats=9, flush=True).median_ms
        found.append((variant, made, warm, cold))
    return found


def _final(
    case: MatrixPair, calls: Mapping[str, Callable[[], object]], repeats: int
) -> dict[str, Row]:
    """Rounds over all calls, so that no one has the cooler GPU; the median of all launches."""
    warm: dict[str, list[float]] = {name: [] for name in calls}
    cold: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(_FINAL_ROUNDS):
        for name, call in calls.items():
            each = max(3, repeats // _FINAL_ROUNDS)
            warm[name] += median_ms(call, warmup=2, repeats=each).all_ms
            cold[name] += median_ms(call, warmup=0, repeats=5, flush=True).all_ms
    return {
        name: {
            "median_ms": float(np.median(warm[name])),
            "best_ms": min(warm[name]),
            "cold_ms": float(np.median(cold[name])),
            "all_ms": [round(ms, 6) for ms in warm[name]],
        }
        for name in calls
    }


def _count(job: Mapping[str, Any]) -> list[Row]:
    """Launch every rung once, and the chosen variants, in the order of the rows."""
    rows: list[Row] = []
    chosen = {
        (c["dtype"], c["batch"], c["m"], c["k"], c["kind"]): c["variant"] for c in job["chosen"]
    }
    target = machine_named(job["target"])
    for case in _cases(job):
        made = _rungs(case, target)
        for kind in ("relaid", "tuned"):
            found = chosen.get((case.dtype, case.batch, *case.size, kind))
            if found is not None:
                name = f"transpose_{case.dtype}_{kind}"
                one = fitted(plan(from_json(found), case.dtype, target, name), case.size)
                made += [ready(p) for p in (relaid(one) if kind == "relaid" else (one,))]
        for ready_one in made:
            ready_one.on(case)()
            rows.append(_head(case, ready_one.plan.name))
    cupy().cuda.Device().synchronize()
    return rows


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
