"""Take the pictures of the README and the docs: ``python tests/make_screenshots.py FOLDER``.

They are what a visitor sees: the page from a file, and a report that ``bankwise fix`` makes now.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bankwise.report.fixing import fix_document
from bankwise.verbs.check import Options
from bankwise.verbs.fix import fix_file
from bankwise.workbench.page import html, page
from workbench_browser import Tab, chromium

KERNEL = Path("examples/ldmatrix_sm80/ldmatrix.mlir")
SIZE = {"width": 1240, "height": 1300}
PICTURES = {
    "opening.png": '[data-figure="opening"] .stage',
    "workbench.png": "#workbench",
    "wave.png": '[data-figure="wave-read"]',
}


def main(folder: Path) -> None:
    """Write every picture into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        tab = Tab(browser, viewport=SIZE)
        tab.open(_written(Path(name, "page.html"), page()))
        for file, place in PICTURES.items():
            tab.page.locator(place).screenshot(path=folder / file)
        document = fix_document(fix_file(KERNEL, Options(), isa=False))
        tab.open(_written(Path(name, "report.html"), html(document)))
        tab.page.locator("tbody tr").first.hover()
        tab.page.screenshot(path=folder / "report.png")
        tab.close()


def _written(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    return path.as_uri()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
