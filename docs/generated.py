"""Pages that nobody writes: the reference, made of the code while the site is built.

A hook of MkDocs (mkdocs.yml). The command line comes from its parsers, the rules from their files,
the machines from their TOML, the schemas from the structs of the documents; none of it is ever a
file in the repository, and so does Python, by its docstrings. Files beside docs/ that a page names
are taken into the site as they are.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import bankwise
import bankwise.triton
from bankwise.cli.commands import app
from bankwise.hardware.machine import Machine, machine, names, phases_text
from bankwise.show.fixing import FixReport
from bankwise.show.nouns import nouns
from bankwise.show.rules import rules
from bankwise.show.schema import DOCUMENTS, json_schema, summary
from bankwise.show.solving import SolveReport
from bankwise.show.values import CheckReport
from bankwise.triton.source import source_of

ROOT = Path(__file__).parents[1]
_OUTSIDE = re.compile(r"\]\(\.\./([\w./-]+)\)")
"""A link of a page to a file of the repository that is no page."""
_TO_PAGES = re.compile(r"\]\((?:\.\./)*docs/")
"""A link of such a file to a page."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add every generated page, every schema, and the files outside docs/ that pages name."""
    beside = [_beside(config, path) for path in sorted(_outside(files))]
    for path, text in pages():
        files.append(File.generated(config, path, content=text))
    for file in beside:
        files.append(file)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links that leave docs/ lead to the copies of :func:`on_files`."""
    if page.file.generated_by:
        return markdown
    return _OUTSIDE.sub(lambda found: f"]({_copy(found[1])})", markdown)


def pages() -> Iterator[tuple[str, str]]:
    """Path below docs/ and text of all that is generated."""
    yield "reference/cli.md", command_line()
    yield "reference/python.md", python_page()
    yield "reference/words.md", word_page()
    yield "reference/rules.md", rule_page()
    yield "reference/machines.md", machine_index()
    for name in names():
        yield f"reference/machines/{name}.md", machine_page(machine(name))
    yield "reference/schemas.md", schema_index()
    for name in DOCUMENTS:
        yield _schema_path(name), json.dumps(json_schema(name), indent=2)


def command_line() -> str:
    """Every verb: what it does, its arguments and options, examples."""
    parts = [
        "# The command line\n\nWritten by the parsers: `bankwise VERB --help` says the same.\n"
    ]
    for path, command in _commands(typer.main.get_command(app), "bankwise"):
        context = typer.Context(command, info_name=path)
        rows = [p.get_help_record(context) for p in command.params]
        parts.append(f"## {path}\n\n{_inline(command.help or '')}\n")
        parts.append(_table(("option", "meaning"), [(f"`{r[0]}`", r[1]) for r in rows if r]))
        examples = (command.epilog or "").split("\n\n")[1:]
        parts.append("```sh\n" + "\n".join(examples) + "\n```\n")
    return "\n".join(parts)


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


_ROLE = re.compile(r":\w+:`~?([\w.]+)`|``(.+?)``", re.DOTALL)
"""How docstrings name code; Markdown has one backtick for both."""


def python_page() -> str:
    """Every public name of the Python API, and what those give, with its docstring."""
    parts = [
        "# From Python\n\nWritten by the docstrings: `help(bankwise.check)` says the same. In use: "
        "[a longer session](../session.md), [Triton](../triton.md).\n"
    ]
    for module in (bankwise, bankwise.triton):
        for name in sorted(module.__all__, key=str.lower):
            parts.append(_python(f"{module.__name__}.{name}", getattr(module, name)))
    for found in (CheckReport, FixReport, SolveReport, source_of):
        parts.append(_python(f"{found.__module__}.{found.__name__}", found))
    return "\n".join(parts)


def _python(name: str, found: Any) -> str:
    """A function, or a class with what is public of it."""
    kind = "class " * inspect.isclass(found)
    call = f"{kind}{found.__name__}{_taken(found)}"
    parts = [f"## {name}\n", f"```python\n{call}\n```\n"]
    parts += [f"{_prose(part)}\n" for part in (inspect.getdoc(found) or "").split("\n\n")]
    members = [(m, v) for m, v in vars(found).items() if not m.startswith("_")] if kind else []
    said = [(f"`{m}`", _prose(inspect.getdoc(v))) for m, v in members if _written(v)]
    return "\n".join([*parts, *([_table(("of it", "meaning"), said)] if said else [])])


def _written(member: Any) -> bool:
    """Whether somebody wrote it: no field."""
    return inspect.isfunction(member) or isinstance(member, property | cached_property)


def _taken(found: Any) -> str:
    """What is given, with defaults, or the fields of a value; types are told in words."""
    if fields := getattr(found, "__struct_fields__", ()):
        return f"({', '.join(fields)})"
    empty = inspect.Parameter.empty
    taken = inspect.signature(found)
    plain = [one.replace(annotation=empty) for one in taken.parameters.values()]
    return str(taken.replace(parameters=plain, return_annotation=empty))


def _prose(text: str | None) -> str:
    return _inline(_ROLE.sub(lambda found: f"`{found[1] or found[2]}`", text or ""))


def word_page() -> str:
    """The words of reports, each with its meaning and who says so."""
    parts = [
        "# Words\n\nWhat reports say, in a sentence or two; `bankwise explain pass` prints one.\n"
    ]
    for noun in nouns():
        also = f" (also {', '.join(noun.also)})" if noun.also else ""
        rule = f" More: [{noun.rule}](rules.md#{noun.rule})." if noun.rule else ""
        parts.append(f"## {_inline(noun.name)}\n\n{_inline(noun.meaning)}{_inline(also)}{rule}\n")
        parts.append(f"*{_inline(noun.source)}*\n")
    return "\n".join(parts)


def rule_page() -> str:
    """Every rule that a report can name, in its own words."""
    parts = ["# Rules\n\n`bankwise explain NAME` prints one of them.\n"]
    for rule in rules():
        parts.append(f"## {rule.name}\n\n*{rule.kind}*: {rule.summary}\n")
        parts += [f"**{title}**\n\n{text}\n" for title, text in rule.sections()]
    return "\n".join(parts)


def machine_index() -> str:
    """One row for each machine."""
    found = [machine(name) for name in names()]
    title = "# Machines\n\nOne TOML file each; `bankwise machines TARGET` prints the same.\n\n"
    return title + _table(
        ("target", "product", "wave", "shared memory", "rows measured"),
        [
            (
                f"[{m.name}](machines/{m.name}.md)",
                m.product,
                m.wave_size,
                f"{m.lds_bytes // 1024} KiB",
                f"{_measured(m)} of {len(m.instructions)}",
            )
            for m in found
        ],
    )


def _measured(found: Machine) -> int:
    return sum(row.evidence == "measured" for row in found.instructions.values())


def machine_page(found: Machine) -> str:
    """The rows of one machine with their evidence, its facts, its sources."""
    rows = [
        (
            f"`{r.name}`",
            r.width_bytes,
            r.banks,
            phases_text(r.phases),
            f"{r.evidence} {r.confidence:g}",
            ", ".join(r.source),
        )
        for r in found.instructions.values()
    ]
    facts = [(f"`{k}`", f"{f.value:,}", f.evidence, f.source) for k, f in found.facts.items()]
    return "\n".join(
        (
            f"# {found.name}: {found.product}\n",
            f"Waves of {found.wave_size}; `{found.counter}` counts conflicts. {found.note}\n",
            _table(("instruction", "bytes", "banks", "phases", "evidence", "source"), rows),
            "## Facts\n",
            _table(("fact", "value", "evidence", "source"), facts),
            "## Sources\n",
            _table(("name", "where"), list(found.sources.items())),
        )
    )


def schema_index() -> str:
    """The documents that `--format json` prints."""
    rows = [(f"[{n}]({_schema_path(n)[len('reference/') :]})", summary(n)) for n in DOCUMENTS]
    title = "# JSON Schemas\n\nDraft 2020-12; [what their keys mean](../json.md).\n\n"
    return title + _table(("document", "what it is"), rows)


def _schema_path(name: str) -> str:
    return f"reference/schemas/{name.replace('/', '-')}.json"


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(map(_inline, line)) + " |\n" for line in lines)


def _inline(value: object) -> str:
    """One line of Markdown that no bar ends and no angle bracket turns into HTML."""
    text = " ".join(str(value).split()).replace("|", "\\|")
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;") for part in parts[::2]]
    return "`".join(parts)


def _outside(files: Files) -> set[str]:
    texts = (f.content_string for f in files.documentation_pages())
    return {path for text in texts for path in _OUTSIDE.findall(text)}


def _copy(path: str) -> str:
    """Where the site has a file that lies outside docs/: folders and pages become pages."""
    base = f"repository/{path}"
    return f"{base}/index.md" if (ROOT / path).is_dir() else base


def _beside(config: MkDocsConfig, path: str) -> File:
    source = ROOT / path
    if source.suffix == ".md":
        up = "](" + "../" * len(Path(path).parts)
        text = _TO_PAGES.sub(lambda _: up, source.read_text("utf-8"))
        return File.generated(config, _copy(path), content=text)
    if not source.is_dir():
        return File.generated(config, _copy(path), abs_src_path=str(source))
    inside = sorted(p for p in source.rglob("*") if p.is_file())
    texts = [f"## {p.relative_to(source)}\n\n```\n{p.read_text('utf-8')}\n```\n" for p in inside]
    return File.generated(config, _copy(path), content="\n".join([f"# {path}\n", *texts]))
