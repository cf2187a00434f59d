"""Side by side with Triton's LinearLayout and tensor-layouts, in one run: ratios, not seconds.

    make bench-peers

runs this in an environment of its own, since Triton alone takes a gigabyte.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from bankwise.algebra.layout import Layout, parse, table

BITS = 14
REPEATS = 7


def median_ms(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def ours() -> Layout:
    low = " ".join(f"n{i}" for i in range(7))
    folded = " ".join(f"m{i}^n{i}" for i in range(7))
    return parse(f"(n:7 m:7) a = {low}; b = {folded}")


def triton_layout() -> Callable[[], object]:
    from triton._C.libtriton.linear_layout import LinearLayout

    bases = [[0, 1 << i] for i in range(7)] + [[1 << i, 1 << i] for i in range(7)]
    layout = LinearLayout.from_bases([("x", bases)], ["m", "n"], [128, 128], True)
    return lambda: [layout.apply({"x": x}) for x in range(1 << BITS)]


def tensor_layout() -> Callable[[], object]:
    from tensor_layouts import Layout, Swizzle, compose

    layout = compose(Swizzle(3, 3, 4), Layout((128, 128), (128, 1)))
    return lambda: [layout(i, j) for i in range(128) for j in range(128)]


def main() -> None:
    layout = ours()
    base = median_ms(lambda: table(layout))
    print(f"bankwise, all {1 << BITS} elements: {base:.3f} ms")
    for name, make in (("Triton LinearLayout", triton_layout), ("tensor-layouts", tensor_layout)):
        try:
            took = median_ms(make())
        except ImportError as error:
            print(f"{name}: not installed ({error})")
            continue
        print(f"{name}, the same number of elements: {took:.1f} ms, {took / base:,.0f} times ours")
    assert len(np.unique(table(layout))) == 1 << BITS


if __name__ == "__main__":
    main()
