"""How long a toggle of the workbench takes in a browser: ``python benchmarks/bench_workbench.py``.

Prints when the first paint of the page was, then, for tiles of 16x32, 64x64 and 256x256 with three
accesses, presses toggles one after the other and prints the median and the 95th percentile of two
times in milliseconds: *script*, until the page has changed everything that it shows, and *layout*,
until the browser has also laid it out. Wanted on two quiet cores: first paint within 500 ms, a
toggle within 16 ms, one frame of a display, for 64x64, within 50 ms for 256x256.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from bankwise.workbench.page import page
from workbench_browser import Tab, chromium

TILES = {"16x32": (5, 4), "64x64": (6, 6), "256x256": (8, 8)}
PRESSES = 220
WARM_UP = 20
MEASURE = """async (presses) => {
    const toggles = [...document.querySelectorAll(".toggles button")];
    const times = [];
    for (let i = 0; i < presses; i++) {
        await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
        const start = performance.now();
        toggles[(i * 7) % toggles.length].click();
        const script = performance.now() - start;
        document.body.offsetHeight;
        times.push([script, performance.now() - start]);
    }
    return times;
}"""


def link(columns: int, rows: int) -> str:
    """A session with a row, a column and a block access of 32-bit elements."""
    rows_first = ".".join(f"m{i}" for i in range(min(rows, 5)))
    column = rows_first if rows >= 5 else f"{rows_first}.n0"
    accesses = f"rows:w:n0.n1.n2.n3.n4:,columns:r:{column}:,blocks:r:n0.n1.m0.m1.m2:"
    return f"#g=sm_90&t={columns}x{rows}x32&l=f&a={accesses}&v=1"


def paint(browser: Any, address: str) -> float:
    """When a fresh page showed its first content, in milliseconds."""
    tab = Tab(browser, viewport={"width": 1440, "height": 900}).open(address)
    tab.page.wait_for_timeout(300)
    first = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    found = float(tab.page.evaluate(first))
    tab.close()
    return found


def line(name: str, values: list[float], skipped: int = WARM_UP) -> str:
    """Median and 95th percentile."""
    ordered = sorted(values[skipped:])
    median, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
    return f"{name:<16} median {median:6.2f} ms   p95 {late:6.2f} ms"


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder, "page.html")
        path.write_text(page(), "utf-8")
        first = [paint(browser, path.as_uri()) for _ in range(5)]
        print(line("first paint", first, 0))
        for name, (columns, rows) in TILES.items():
            tab = Tab(browser, viewport={"width": 1440, "height": 900})
            tab.open(path.as_uri() + link(columns, rows))
            times = tab.page.evaluate(MEASURE, PRESSES)
            print(line(f"{name} script", [t[0] for t in times]))
            print(line(f"{name} layout", [t[1] for t in times]))
            tab.close()


if __name__ == "__main__":
    main()
