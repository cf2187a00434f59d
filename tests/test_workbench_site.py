"""``bankwise workbench --static``: a site of plain files, in a real browser, and offline."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from command import bankwise
from workbench_browser import Tab, chromium


class Quiet(SimpleHTTPRequestHandler):
    """A host of plain files that knows nothing of bankwise."""

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    assert bankwise("workbench", "--static", tmp_path / "any" / "site").code == 0
    assert {path.name for path in (tmp_path / "any" / "site").iterdir()} == {"index.html", "sw.js"}
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_site_opens_from_any_folder_and_again_without_its_host(
    host: ThreadingHTTPServer,
) -> None:
    address = f"http://127.0.0.1:{host.server_port}/any/site/"
    with chromium() as browser:
        tab = Tab(browser).open(address)
        assert all(request.startswith(address) for request in tab.requests)
        tab.until("navigator.serviceWorker.controller !== null")
        host.shutdown()
        host.server_close()
        tab.page.goto(f"{address}#l=f1.2.4.8")
        tab.page.reload()
        tab.page.wait_for_selector("html[data-ready=yes]")
        assert tab.number("passes-read") == 2
        tab.page.get_by_role("radio", name="Kernel", exact=True).click()
        tab.page.fill("#kernel textarea", ".version 8.0")
        tab.page.locator("#kernel").get_by_role("button", name="Check").click()
        assert "bankwise check kernel.cu" in str(tab.page.text_content("#kernel .error"))
        tab.close()


def test_a_site_is_not_written_over_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert bankwise("workbench", "--static", tmp_path / "file").code == 2
    assert (tmp_path / "file").read_text() == "mine"
