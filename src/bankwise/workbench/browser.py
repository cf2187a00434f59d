"""Opening an address that holds a secret.

The arguments of a process are readable by everybody on the machine, so a browser is not started
with the address but with a file that only its user can read, and that sends it there.
"""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>bankwise workbench</title>
<a href="{address}">bankwise workbench</a>
"""


@contextmanager
def opened(address: str) -> Iterator[None]:
    """Open ``address`` in the user's browser; the file that sends it there goes at the end."""
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        page = Path(folder) / "workbench.html"
        page.write_text(_PAGE.format(address=escape(address)), "utf-8")
        webbrowser.open(page.as_uri())
        yield
