"""The README shows the main verbs and leads to every page; test_pages.py runs what it shows."""

import re
from pathlib import Path

from pages import shown

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_session_shows_every_main_verb() -> None:
    assert {s.command.split()[1] for s in shown("README.md")} >= {"count", "check", "fix"}


def test_every_page_is_reached_from_the_first_one() -> None:
    """The README leads to docs/index.md, and that to all others; what it names is there."""
    first = (ROOT / "docs" / "index.md").read_text("utf-8")
    pages = {p.name for p in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= set(re.findall(r"\]\((\S+?)\)", first))
    linked = set(re.findall(r"\]\((\S+?)\)", README))
    assert "docs/index.md" in linked
    assert all((ROOT / link).exists() for link in linked if "://" not in link)


def test_the_map_of_the_house_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = {p for p in re.findall(r"`([\w./]+(?:/|\.\w+))`", text) if "/" in p}
    assert len(named) > 15
    homes = (ROOT, ROOT / "src" / "bankwise")
    assert not [p for p in named if "NAME" not in p and not any((h / p).exists() for h in homes)]
