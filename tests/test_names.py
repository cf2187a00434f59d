"""One class per noun: the glossary of docs/architecture.md is the code's, and no name is given
twice."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bankwise"
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
ROW = re.compile(r"^\| (?P<noun>[^|`]+) \| (?P<meaning>[^|]+) \| `(?P<home>[\w.]+)` \|$")

TWINS: dict[str, set[str]] = {}
"""Names that several classes still have, by module. It only ever gets shorter."""


@cache
def classes() -> dict[str, set[str]]:
    """The modules below bankwise that define a class, by its name without a leading underscore."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name.lstrip("_")].add(module.removesuffix(".__init__"))
    return found


def glossary() -> list[re.Match[str]]:
    """The rows of the table, without its two head lines."""
    lines = PAGE.partition("\n## Glossary\n")[2].partition("\n## ")[0].splitlines()
    rows = [line for line in lines if line.startswith("|")][2:]
    found = [ROW.match(row) for row in rows]
    assert all(found), [row for row, match in zip(rows, found, strict=True) if not match]
    return [match for match in found if match]


def defined(home: str) -> bool:
    """Whether ``module.name`` or ``module.Class.member`` is defined there, not only imported."""
    parts = home.split(".")
    for length in range(len(parts) - 1, 0, -1):
        path = SOURCE.joinpath(*parts[:length]).with_suffix(".py")
        if path.is_file():
            return _inside(ast.parse(path.read_text("utf-8")).body, parts[length:])
    return False


def _inside(body: list[ast.stmt], names: list[str]) -> bool:
    for node in body:
        if names[0] in _names(node):
            rest = names[1:]
            return not rest or (isinstance(node, ast.ClassDef) and _inside(node.body, rest))
    return False


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
    return {target.id for target in targets if isinstance(target, ast.Name)}


def test_every_noun_is_where_the_glossary_says() -> None:
    rows = glossary()
    assert len(rows) >= 40
    assert [row["home"] for row in rows if not defined(row["home"])] == []
    assert not defined("counting.kernel.Bound"), "imported there, at home elsewhere"
    assert not defined("counting.kernel.Kernel.nothing")


def test_nouns_and_homes_are_unique() -> None:
    rows = glossary()
    for part in ("noun", "meaning", "home"):
        found = [row[part] for row in rows]
        assert len(found) == len(set(found)), part


def test_a_class_of_the_glossary_is_called_by_its_noun() -> None:
    """A name that is longer says more, and one that is no class has another reason."""
    known = classes()
    for row in glossary():
        last = row["home"].split(".")[-1]
        if last in known and row["home"].removesuffix(f".{last}") in known[last]:
            words = re.findall(r"[A-Z][a-z]+", last)
            same = row["noun"].title().split()[-1]
            assert same in words or row["noun"] in NAMED_OTHERWISE, row["noun"]


NAMED_OTHERWISE = {"instruction row", "layout", "swizzle", "padding"}
"""The machine's row is its Instruction; layouts are values of the protocol AddressMap."""


def test_no_name_stands_for_two_classes() -> None:
    assert {name: homes for name, homes in classes().items() if len(homes) > 1} == TWINS


def test_every_class_of_the_documents_is_called_document() -> None:
    homes = ("show.documents", "lab.report.documents")
    found = {n for n, where in classes().items() if any(w.startswith(homes) for w in where)}
    assert found
    assert {name for name in found if not name.endswith("Document")} == set()
