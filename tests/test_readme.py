"""The README is short, and leads to every page; tests/test_pages.py runs what it shows."""

import re
from pathlib import Path

from command import bankwise

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_it_is_read_in_a_minute() -> None:
    lines = README.splitlines()
    assert len(lines) < 100
    assert max(len(line) for line in lines) <= 80


def test_a_verb_takes_what_the_table_gives_it() -> None:
    """The suffix of each file stands in the help of the verb that the table names for it."""
    rows = re.findall(r"\| `bankwise (\w+) \w+(\.\w+)\b", README)
    assert len(rows) > 10
    for verb, suffix in rows:
        assert suffix in bankwise(verb, "--help").out, (verb, suffix)


def test_every_page_is_reached_from_the_first_one() -> None:
    """The README leads to docs/index.md, and that to all others; what it names is there."""
    first = (ROOT / "docs" / "index.md").read_text("utf-8")
    pages = {p.name for p in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages <= set(re.findall(r"\]\((\S+?)\)", first))
    linked = set(re.findall(r"\]\((\S+?)\)", README))
    assert "docs/index.md" in linked
    assert all((ROOT / link.split("#")[0]).exists() for link in linked if "://" not in link)


def test_the_map_of_the_house_names_what_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = {p for p in re.findall(r"`([\w./]+(?:/|\.\w+))`", text) if "/" in p}
    assert len(named) > 15
    homes = (ROOT, ROOT / "src" / "bankwise")
    assert not [p for p in named if "NAME" not in p and not any((h / p).exists() for h in homes)]
