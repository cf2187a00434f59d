"""A JSON document made small and lasting: numbers, names and keys stay, prose and bulk do not.

Sentences become ``"…"``: they may be rewritten. Long texts become a hash. Of a long list of
records a table stays with the columns that a reader asks for first, and a hash of all the rest; a
very long one is grouped by these columns.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

PROSE = frozenset(
    {
        *("cause", "claim", "detail", "digest", "doubt", "errors"),
        *("example", "folder", "fullDescription", "here"),
        *("hint", "how", "instead", "markdown", "message", "note", "notes", "product", "reason"),
        *("refusal", "scale", "scope"),
        *("says", "shortDescription", "sources", "statement", "summary", "text", "toml"),
        *("trusted", "verdict", "version", "what", "why", "wrong"),
    }
)
"""Keys whose texts are sentences and mean nothing to a program, or are of this machine; ``digest``
hashes such a one."""

BY_NAME = frozenset({"facts", "sources"})
"""What lies below these is listed under names of the input."""

COLUMNS = (
    *("line", "name", "option", "present", "best", "optimal", "rule", "ruleId", "instruction"),
    *("op", "family", "label", "notation", "executions", "weight", "passes", "ideal", "extra"),
    *("floor", "ways", "lost", "lds_bytes", "operations", "predicted", "measured", "difference"),
    *("judge", "status", "pass", "changed", "bytes", "refusal"),
)
"""What of a record stays readable, in this order."""

INLINE, MANY, LONG = 300, 12, 120
"""Characters of a value that is kept whole; records that are grouped; a text that is hashed."""


def digest(document: Any) -> Any:
    """The document as it is recorded."""
    return compact(_short(lasting(document)))


def _short(value: Any, key: str = "") -> Any:
    """Costs and places as texts; of certificates, code and what is recorded elsewhere a hash."""
    if isinstance(value, list):
        return [_short(v) for v in value]
    if not isinstance(value, dict):
        return value
    if value.keys() - {"bound"} == {"passes", "ideal", "extra"}:
        return f"{value['passes']} / {value['ideal']}, {value['extra']} extra" + _ends(value)
    if value.keys() == {"file", "line", "column"}:
        return f"{value['line']}:{value['column']}"
    if key == "certificate":
        told = {k: value.get(k) for k in ("schema", "bases", "nodes", "optimal")}
        return {**told, "sha": _hash(_text(value))}
    if key == "before" and "accesses" in value:
        return {"totals": _short(value["totals"]), "sha": _hash(_text(value))}
    if key == "emit":
        return {"in": " ".join(value), "sha": _hash(_text(value))}
    return {k: _short(v, k) for k, v in value.items()}


def _ends(cost: dict[str, Any]) -> str:
    """Between which ends the numbers of a cost lie, where they are not exact."""
    if "bound" not in cost:
        return ""
    names = ("passes", "ideal", "extra")
    ends = (cost["bound"][name] for name in names)
    shown = ("?" if e["high"] is None else str(e["high"]) for e in ends)
    lows = (str(cost["bound"][name]["low"]) for name in names)
    return f" ({' / '.join(lows)} to {' / '.join(shown)})"


def lasting(value: Any, key: str = "", above: str = "") -> Any:
    """The value without prose. A text of a notation (below ``notations``) is no prose."""
    if isinstance(value, dict):
        return {k: lasting(v, k, key) for k, v in value.items()}
    if isinstance(value, list):
        said = key in PROSE and all(isinstance(v, str) for v in value)
        return (["…"] if value else []) if said else [lasting(v, key, above) for v in value]
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if not isinstance(value, str) or not value:
        return value
    if (key in PROSE or above in PROSE) and not (key == "text" and above == "notations"):
        return "…"
    if above == "emit" and value.startswith("not a member"):
        return "…"
    return value if len(value) <= LONG and "\n" not in value else f"sha {_hash(value)}"


def compact(value: Any) -> Any:
    """The value with its bulk in tables and hashes."""
    if len(_text(value)) <= INLINE:
        return value
    if isinstance(value, dict):
        return {k: compact(v) for k, v in value.items()}
    if isinstance(value, list) and all(isinstance(v, dict) for v in value):
        return [compact(v) for v in value] if len(value) == 1 else _table(value)
    return {"items": len(value), "sha": _hash(_text(value))} if isinstance(value, list) else value


def key_paths(value: Any, path: str = "") -> Iterator[str]:
    """All keys of a document, with what they lie below."""
    if isinstance(value, list):
        for item in value:
            yield from key_paths(item, f"{path}[]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{path}.{key}"
            if key not in BY_NAME:
                yield from key_paths(item, f"{path}.{key}")


def _table(records: list[dict[str, Any]]) -> dict[str, Any]:
    flat = [{**r, "line": r["location"]} if "location" in r else r for r in records]
    names = [c for c in COLUMNS if any(_plain(r.get(c)) for r in flat)]
    rows = [[r.get(n) if _plain(r.get(n)) else None for n in names] for r in flat]
    whole = {"records": len(records), "columns": names}
    if len(records) <= MANY:
        told = [[*row, _hash(_text(r))[:6]] for row, r in zip(rows, records, strict=True)]
        return {**whole, "rows": told}
    kept = [i for i, name in enumerate(names) if name != "line"]
    groups = Counter(_text([row[i] for i in kept]) for row in rows)
    told = [[count, *json.loads(row)] for row, count in sorted(groups.items())]
    if len(told) > MANY:
        return {**whole, "sums": _sums(names, rows), "sha": _hash(_text(records))}
    columns = ["records", *(names[i] for i in kept)]
    return {**whole, "columns": columns, "groups": told, "sha": _hash(_text(records))}


def _sums(names: list[str], rows: list[list[Any]]) -> dict[str, float]:
    """Of every column of numbers its sum."""
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return {
        name: round(sum(v for v in column if v is not None), 6)
        for name, column in columns.items()
        if name != "line" and all(v is None or isinstance(v, int | float) for v in column)
    }


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
