"""Take the pictures of the README and the docs: ``python tests/make_screenshots.py FOLDER``.

They are what a visitor sees: the page from a file, reports that ``fix`` and ``check`` make now, and
what the server's solver answers now.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from bankwise.ask.fix import fix_file
from bankwise.ask.spec import check_spec
from bankwise.read.options import Judges, Options
from bankwise.show.documents.checking import spec_document
from bankwise.show.documents.fixing import fix_document
from bankwise.show.schema import plain
from bankwise.workbench.page import html, page
from bankwise.workbench.server import Server
from workbench_browser import Tab, chromium

KERNEL = Path("examples/ldmatrix_sm80/ldmatrix.mlir")
SPEC = Path("examples/ck_transpose/01.toml")
SPEC_SIZE = {"width": 1240, "height": 720}
SIZE = {"width": 1240, "height": 1300}
SCREEN = {"width": 1440, "height": 900}


def main(folder: Path) -> None:
    """Write every picture into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        tab = Tab(browser, viewport=SCREEN)
        tab.open(_written(Path(name, "page.html"), page()))
        tab.page.screenshot(path=folder / "workbench.png")
        tab.page.set_viewport_size(SIZE)
        tab.view("hardware")
        tab.page.add_style_tag(content=".top { display: none }")  # It would cover a tall figure.
        tab.page.locator('[data-figure="wave-read"]').screenshot(path=folder / "wave.png")
        document = plain(fix_document(fix_file(KERNEL, Options(), Judges(isa=False)), lanes=True))
        tab.open(_written(Path(name, "report.html"), html(document)))
        tab.page.locator(".looked tbody tr:not(.group)").first.hover()
        tab.page.screenshot(path=folder / "report.png")
        spec = plain(spec_document(check_spec(SPEC), lanes=True))
        tab.open(_written(Path(name, "spec.html"), html(spec)))
        tab.page.screenshot(path=folder / "spec.png", clip={"x": 0, "y": 0, **SPEC_SIZE})
        tab.close()
        _solver(browser, folder)


def _solver(browser: Any, folder: Path) -> None:
    """What the server's solver answers, beside the workbench."""
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tab = Tab(browser, viewport=SIZE).open(server.address)
    tab.press("Ask the solver")
    tab.page.click("#ask .certificate summary", timeout=60_000)
    tab.page.locator("#ask").screenshot(path=folder / "solver.png")
    tab.close()
    server.shutdown()
    server.close()


def _written(path: Path, text: str) -> str:
    path.write_text(text, "utf-8")
    return path.as_uri()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
