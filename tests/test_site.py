"""The documentation as a site: it builds without a warning, and every link leads somewhere."""

from __future__ import annotations

import logging
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("material", reason="needs the extra [docs]")

from mkdocs.commands.build import build
from mkdocs.config import load_config

import bankwise
import bankwise.triton
from bankwise.hardware.machine import names
from bankwise.show.nouns import nouns
from bankwise.show.rules import rules
from bankwise.show.schema import DOCUMENTS

ROOT = Path(__file__).parents[1]


class Links(HTMLParser):
    """What a page refers to, and the places in it that can be referred to."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.places |= {found.get("id") or "", found.get("name") or ""}
        if tag == "a" and found.get("href"):
            self.wanted.append(str(found["href"]))
        if tag in ("script", "img") and found.get("src"):
            self.loaded.append(str(found["src"]))
        if tag == "link" and found.get("href") and found.get("rel") != "canonical":
            self.loaded.append(str(found["href"]))


@cache
def links(path: Path) -> Links:
    read = Links()
    read.feed(path.read_text("utf-8"))
    return read


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it; a warning of MkDocs ends it."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_MKDOCS_2_WARNING", "1")
        logging.getLogger("mkdocs").setLevel(logging.WARNING)
        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def test_every_page_of_the_folder_is_a_page_of_the_site(site: Path) -> None:
    pages = {p.relative_to(ROOT / "docs") for p in (ROOT / "docs").glob("*.md")}
    assert len(pages) > 30
    assert all((site / page.with_suffix(".html")).exists() for page in pages)


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    lost = []
    for page in sorted(site.rglob("*.html")):
        if page.name == "404.html":  # its links are those of a server's root
            continue
        for link in links(page).wanted + links(page).loaded:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            there = target.exists()
            if there and parts.fragment and target.suffix == ".html":
                there = unquote(parts.fragment) in links(target).places
            if not there:
                lost.append(f"{page.relative_to(site)}: {link}")
    assert lost == []


def test_a_page_of_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = {link for page in site.rglob("*.html") for link in links(page).loaded}
    assert loaded
    assert not [link for link in loaded if urlsplit(link).netloc]


def test_the_reference_is_all_that_the_code_has(site: Path) -> None:
    rule_page = links(site / "reference" / "rules.html")
    assert {rule.name for rule in rules()} <= rule_page.places
    words = (site / "reference" / "words.html").read_text("utf-8")
    assert words.count("<h2") == len(nouns())
    machines = {p.stem for p in (site / "reference" / "machines").glob("*.html")}
    assert machines == set(names())
    schemas = list((site / "reference" / "schemas").glob("*.json"))
    assert len(schemas) == len(DOCUMENTS)


def test_the_command_line_is_documented_verb_by_verb_and_option_by_option(site: Path) -> None:
    """The words of `bankwise VERB --help` are those of the page."""
    from command import bankwise

    page = re.sub(r"<[^>]+>", " ", (site / "reference" / "cli.html").read_text("utf-8"))
    verbs = re.findall(r"^  ([a-z][\w-]*)  +[A-Z]", bankwise("--help").out, re.MULTILINE)
    assert len(verbs) > 15
    for verb in verbs:
        options = set(re.findall(r"--[a-z][\w-]+", bankwise(verb, "--help").out.split("Exampl")[0]))
        assert all(option in page for option in options - {"--help"}), verb


def test_every_public_name_of_python_is_told_in_a_sentence(site: Path) -> None:
    html = (site / "reference" / "python.html").read_text("utf-8")
    told = dict(
        re.findall(r"<h2[^>]*>(bankwise[\w.]+).*?</h2>(.*?)(?=<h2|</article)", html, re.DOTALL)
    )
    public = {f"{m.__name__}.{name}" for m in (bankwise, bankwise.triton) for name in m.__all__}
    answers = {"show.values.CheckReport", "show.fixing.FixReport", "show.solving.SolveReport"}
    assert set(told) - public == {
        f"bankwise.{one}" for one in (*answers, "triton.source.source_of")
    }
    assert public < set(told)
    assert all(re.search(r"<p>.{20,}?[.:]", text, re.DOTALL) for text in told.values())
    assert ":func:" not in html
    assert "<code>passes - ideal</code>" in told["bankwise.Count"]  # of its property `extra`


def test_nothing_of_the_reference_is_a_file_of_the_repository() -> None:
    assert not (ROOT / "docs" / "reference").exists()
