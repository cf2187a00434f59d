"""A real browser for the tests of the page; they skip, with the reason, where there is none."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

VIEWS = ("1", "algebra", "hardware", "memory")
"""Views besides the instrument; chapters share their figures."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A Playwright browser on the system's chromium."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Tab:
    """One page, with what went wrong on it and whatever it asked the network for."""

    def __init__(self, browser: Any, **context: Any) -> None:
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address: str) -> Tab:
        """Load the address and wait until the page says that it is ready."""
        self.page.goto("about:blank")
        self.requests.clear()
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready=yes]")
        return self

    def link(self) -> str:
        """The address, once it says what the page shows: it is written 350 ms late at most.

        Timers of a page fire in the order in which they are due, however busy the machine is.
        """
        late = "new Promise((done) => setTimeout(() => done(location.href), 400))"
        return str(self.page.evaluate(late))

    def until(self, expression: str, seconds: float = 20.0) -> None:
        """Wait for a state of the page; its policy forbids the polling of Playwright."""
        deadline = time.monotonic() + seconds
        while not self.page.evaluate(expression):
            assert time.monotonic() < deadline, f"never came true: {expression}"
            self.page.wait_for_timeout(20)

    def go(self, state: str) -> None:
        """Give the page another state, as a link would."""
        self.page.evaluate(
            """(text) => new Promise((done) => {
                addEventListener("hashchange", () => setTimeout(done), { once: true });
                if (location.hash.slice(1) !== text) location.hash = text;
                else dispatchEvent(new Event("hashchange")); // A press may not stand there yet.
            })""",
            state,
        )

    def view(self, name: str) -> None:
        """Show a chapter or an article with the state that there is; "" is the instrument."""
        state = self.link().partition("#")[2].split("&")
        kept = [part for part in state if part and not part.startswith("y=")]
        self.go("&".join([*kept, *([f"y={name}"] if name else [])]))

    def show(self, figure: str) -> None:
        """Show the chapter or the article that has this figure."""
        place = f"""document.querySelector('[data-figure="{figure}"]').closest("[data-view-of]")"""
        if self.page.evaluate(f"{place}?.hidden"):
            self.view(str(self.page.evaluate(f"{place}.dataset.viewOf")))

    def draw_all(self) -> None:
        """Show every view once: only then its figures are drawn."""
        state = self.link().partition("#")[2]
        for name in VIEWS:
            self.view(name)
        self.go(state)

    def claim(self, name: str) -> str:
        """The value of a claim that the page makes."""
        mark = f'[data-claim="{name}"]'
        if self.page.query_selector(mark) is None:
            self.draw_all()
        return str(self.page.get_attribute(mark, "data-value"))

    def number(self, name: str) -> int:
        """The same as a number."""
        return int(self.claim(name))

    def press(self, text: str) -> None:
        """Press the button of the workbench with exactly this text."""
        self.page.get_by_role("button", name=text, exact=True).first.click()

    def choose(self, figure: str, value: object) -> None:
        """Choose one of a figure's radio buttons."""
        self.show(figure)
        self.page.click(f'[data-figure="{figure}"] [role=radio][data-value="{value}"]')

    def close(self) -> None:
        """Close it; a page that complained fails the test."""
        self.context.close()
        assert self.errors == []
