"""What the reports promise: the JSON contract, SARIF 2.1.0, and that all ways to print agree."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from command import bankwise
from isa_texts import ptx_text
from kernel_texts import EXAMPLES, LOAD, ROWS, changed, naive_by_adding, wave_page, written

KINDS: dict[str, Any] = {"int": int, "str": str, "float": (int, float), "bool": bool}

PLACE = {"file": "str", "line": "int?", "column": "int?"}
COST = {"passes": "int", "ideal": "int", "extra": "int"}
TOTALS = {"once": COST, "run": COST, "launch": [COST, None]}
ITERATION = {"first": ["*int"], "allocation": "str", "executions": "int", **COST}
WITNESS = {
    "phase": "int",
    "bank": "int",
    "banks": ["*int"],
    "lanes": ["*int"],
    "words": ["*int"],
    "text": "str",
}
ACCESS = {
    "location": PLACE,
    "kernel": "str",
    "allocations": ["*str"],
    "direction": "str",
    "instruction": "str",
    "instruction_source": "str",
    "waves": "int",
    "executions": "int",
    **COST,
    "ways": "int",
    "witness": [WITNESS, None],
    "reason": "str?",
    "rule": "str?",
    "evidence": "str",
    "confidence": "float",
    "iterations": ["*", ITERATION],
}
CHECK = {
    "schema": "str",
    "target": "str",
    "accesses": ["*", ACCESS],
    "totals": TOTALS,
    "totals_dma": TOTALS,
    "lds_bytes": "int",
    "refusals": ["*", {"location": [PLACE, None], "reason": "str"}],
}
CHANGE = {
    "kernel": "str",
    "allocations": ["*str"],
    "address": "str",
    "before": COST,
    "after": COST,
    "coalescing": "str?",
}
VERDICT = {
    "judge": "str",
    "status": "str",
    "detail": "str",
    "rows": ["*", {"name": "str", "before": "int", "after": "int"}],
}
FIX = {
    "schema": "str",
    "target": "str",
    "accepted": "bool",
    "changes": ["*", CHANGE],
    "verdicts": ["*", VERDICT],
    "refusals": ["*", {"location": [PLACE, None], "reason": "str"}],
    "before": CHECK,
    "after": CHECK,
    "patch": "str",
}
"""``?``: or null. A list of alternatives, or ``*`` and what every item is. More keys may come."""


def conforms(value: Any, shape: Any, path: str = "$") -> None:
    if isinstance(shape, dict):
        assert isinstance(value, dict), path
        assert shape.keys() <= value.keys(), (path, shape.keys() - value.keys())
        for key, inner in shape.items():
            conforms(value[key], inner, f"{path}.{key}")
    elif isinstance(shape, list) and shape[0] == "*":
        assert isinstance(value, list), path
        for number, item in enumerate(value):
            conforms(item, shape[1], f"{path}[{number}]")
    elif isinstance(shape, list) and isinstance(shape[0], str):
        conforms(value, ["*", shape[0][1:]], path)
    elif isinstance(shape, list):
        assert value is None or conforms(value, shape[0], path) is None
    elif not (shape.endswith("?") and value is None):
        kind = KINDS[shape.rstrip("?")]
        assert isinstance(value, kind), (path, value)
        assert shape == "bool" or not isinstance(value, bool), (path, value)


def document(*words: object) -> dict[str, Any]:
    found = json.loads(bankwise(*words, "--format", "json").out)
    assert isinstance(found, dict)
    return found


DOCUMENTS = {
    "conflicts": (ROWS, ()),
    "without a grid": (
        changed(ROWS, (", gpu.known_grid_size = array<i32: 1, 1, 1>", "")),
        (),
    ),
    "refusals": (
        changed(
            ROWS,
            ("%out: memref<64x64xf16>", "%out: memref<64x64xf16>, %n: index"),
            ("to %c64", "to %n"),
        ),
        (),
    ),
    "one kernel of two": (ROWS + changed(ROWS, ("@k", "@other")), ("--kernel", "other")),
    "clean": (changed(ROWS, ("64x64xf16, #gpu", "64x72xf16, #gpu")), ()),
}


@pytest.mark.parametrize(("text", "words"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_check_and_fix_keep_their_contracts(
    tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    path = written(tmp_path, text)
    found = document("check", path, "-t", "gfx950", *words)
    conforms(found, CHECK)
    assert found["schema"] == "bankwise.check/1"
    fixed = document("fix", path, "-t", "gfx950", "--no-isa", *words)
    conforms(fixed, FIX)
    assert fixed["schema"] == "bankwise.fix/1"
    assert found.pop("folder")
    assert fixed["before"] == found


@pytest.mark.parametrize(
    "name", sorted(str(p.relative_to(EXAMPLES)) for p in EXAMPLES.glob("iree/*.gfx*.mlir"))
)
def test_numbers_of_a_report_add_up(name: str) -> None:
    found = document("check", EXAMPLES / name)
    conforms(found, CHECK)
    x, y, z = found["kernels"][0]["grid"]
    sums = dict.fromkeys(COST, 0)
    for access in found["accesses"]:
        assert access["extra"] == access["passes"] - access["ideal"] >= 0
        assert access["executions"] == sum(i["executions"] for i in access["iterations"])
        for key in COST:
            run = sum(i[key] * i["executions"] for i in access["iterations"])
            assert access["run"][key] == run
            sums[key] += run if access["kind"] == "plain" else 0
        assert (access["rule"] == "bank-conflict") == (access["run"]["extra"] > 0)
        assert (access["witness"] is None) == (access["run"]["extra"] == 0)
    assert found["totals"]["run"] == sums
    assert found["totals"]["launch"] == {key: n * x * y * z for key, n in sums.items()}
    assert found["lds_bytes"] == sum(a["bytes"] for a in found["kernels"][0]["allocations"])
    assert sum(a["share"] for a in found["accesses"]) == pytest.approx(1, abs=1e-3)


def test_the_wave_kernel_as_json(tmp_path: Path) -> None:
    path = written(tmp_path, naive_by_adding(wave_page().read_text("utf-8")), "naive.rst")
    found = document("check", path, "-t", "gfx950")
    conforms(found, CHECK)
    assert found["totals"]["once"] == {"passes": 2048, "ideal": 512, "extra": 1536}
    assert found["totals_dma"]["once"]["extra"] == 0
    assert found["lds_bytes"] == 36_864
    worst = found["accesses"][0]
    assert (worst["direction"], worst["instruction"], worst["waves"]) == ("read", "ds_read_b128", 8)
    assert worst["witness"]["lanes"] == [0, 2, 12, 14]
    assert worst["instruction_source"] == "predicted"
    (three,) = {len(a["allocations"]) for a in found["accesses"] if a["executions"] == 7}
    assert three == 3


def test_an_unknown_launch_is_null(tmp_path: Path) -> None:
    text, _ = DOCUMENTS["without a grid"]
    found = document("check", written(tmp_path, text), "-t", "gfx950")
    assert found["totals"]["launch"] is None
    assert found["kernels"][0]["grid"] is None


def test_the_patch_in_the_document_is_the_one_on_standard_output(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    words = ("fix", path, "-t", "gfx950", "--no-isa", "--no-execute")
    assert document(*words)["patch"] == bankwise(*words).out


# SARIF


REQUIRED = {
    "log": {"version", "runs"},
    "run": {"tool"},
    "tool": {"driver"},
    "driver": {"name"},
    "rule": {"id"},
    "message": {"text"},
    "result": {"message"},
    "suppression": {"kind"},
}
"""What the schema of SARIF 2.1.0 (OASIS, sarif-schema-2.1.0.json) lists as required, of the objects
used here. A message may have an ``id`` for its ``text``, which these have not."""
ALLOWED = {
    "log": {"$schema", "version", "runs"},
    "run": {"tool", "results"},
    "tool": {"driver"},
    "driver": {"name", "version", "rules"},
    "rule": {"id", "shortDescription", "fullDescription", "help"},
    "message": {"text"},
    "result": {
        *("ruleId", "level", "message", "locations", "relatedLocations"),
        *("properties", "suppressions"),
    },
    "suppression": {"kind", "justification"},
    "location": {"physicalLocation", "logicalLocations"},
    "logical location": {"name", "kind"},
    "physical location": {"artifactLocation", "region"},
    "artifact": {"uri"},
    "region": {"startLine", "startColumn"},
}
"""The properties used: the schema takes no others under these objects but its own."""


def sarif_objects(log: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Every object of a log with its kind."""
    found = [("log", log)]
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        found += [("run", run), ("tool", run["tool"]), ("driver", driver)]
        for rule in driver["rules"]:
            found.append(("rule", rule))
            found += [("message", rule[k]) for k in rule if k != "id"]
        for result in run["results"]:
            found += [("result", result), ("message", result["message"])]
            found += [("suppression", one) for one in result.get("suppressions", ())]
            for place in result.get("locations", []):
                physical = place["physicalLocation"]
                found += [("location", place), ("physical location", physical)]
                found += [("logical location", one) for one in place.get("logicalLocations", ())]
                found += [("artifact", physical["artifactLocation"])]
                found += [("region", physical[k]) for k in ("region",) if k in physical]
    return found


def sarif(path: Path, *words: str) -> dict[str, Any]:
    found = json.loads(bankwise("check", path, "--format", "sarif", *words).out)
    assert isinstance(found, dict)
    return found


def valid_sarif(log: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of a log that keeps the rules of SARIF 2.1.0 for what it uses (sections 3.13
    log, 3.14 run, 3.19 tool component, 3.27 result, 3.29 physical location, 3.30 region)."""
    for kind, found in sarif_objects(log):
        assert REQUIRED.get(kind, set()) <= found.keys() <= ALLOWED[kind], (kind, found)
    assert log["version"] == "2.1.0"
    assert urlparse(log["$schema"]).path.endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "bankwise"
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(set(rules)) == len(rules)
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    for result in run["results"]:
        assert result["ruleId"] in rules
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        for place in result.get("locations", []):
            physical = place["physicalLocation"]
            uri = physical["artifactLocation"]["uri"]
            assert not set(uri) & set(' <>"{}|\\^`')
            region = physical.get("region", {"startLine": 1})
            assert region["startLine"] >= 1
            assert region.get("startColumn", 1) >= 1
    found: list[dict[str, Any]] = run["results"]
    return found


def test_conflicts_are_errors_where_they_fail_the_build_and_else_warnings(tmp_path: Path) -> None:
    for words, level in (((), "error"), (("--fail-on", "9-way"), "warning")):
        results = valid_sarif(sarif(written(tmp_path, ROWS), "-t", "gfx950", *words))
        assert [(r["ruleId"], r["level"]) for r in results] == [("bank-conflict", level)] * 2
        regions = [r["locations"][0]["physicalLocation"]["region"] for r in results]
        assert regions == [{"startLine": 9, "startColumn": 5}, {"startLine": 13, "startColumn": 10}]
        assert "64 passes, ideal 8, 8-way" in results[0]["message"]["text"]


def test_accesses_of_one_cause_are_one_result_with_the_places_of_the_others(tmp_path: Path) -> None:
    """Three reads of a word every 128 bytes; GitHub has one annotation of them, too."""
    shift = "mov.u32 %r1, %tid.x;\n\tshl.b32 %r2, %r1, 7;\n\t"
    path = tmp_path / "k.ptx"
    path.write_text(ptx_text(shift + "ld.shared.u32 %r3, [%r2];\n\t" * 3), "utf-8")
    (result,) = valid_sarif(sarif(path))
    places = [*result["locations"], *result["relatedLocations"]]
    lines = [one["physicalLocation"]["region"]["startLine"] for one in places]
    assert lines == [lines[0], lines[0] + 1, lines[0] + 2]
    assert "(3 accesses)" in result["message"]["text"]
    assert bankwise("check", path, "--format", "github").out.count("::error") == 1


def test_findings_and_refusals_are_results_too(tmp_path: Path) -> None:
    text = changed(
        ROWS,
        (LOAD, LOAD.replace("%t", "%w")),
        ("64x64xf16, #gpu", "2048x64xf16, #gpu"),
        ("%out: memref<64x64xf16>", "%out: memref<64x64xf16>, %rows: memref<64xindex>"),
        ("  gpu.barrier\n", "  gpu.barrier\n  %w = memref.load %rows[%t] : memref<64xindex>\n"),
    )
    results = valid_sarif(sarif(written(tmp_path, text), "-t", "gfx950"))
    found = sorted((r["ruleId"], r["level"]) for r in results)
    assert found == [
        ("bank-conflict", "error"),
        ("lds-overflow", "error"),
        ("not-analysed", "note"),
    ]


def test_a_hole_of_the_compiler_is_a_result_whose_rule_is_described(tmp_path: Path) -> None:
    text = (EXAMPLES / "row_copy" / "row_copy_gfx950.mlir").read_text("utf-8")
    hint = "memref.alloc() {iree_codegen.swizzle = #iree_codegen.xor_shuffle<48, 8>} :"
    path = written(tmp_path, text.replace("memref.alloc() :", hint))
    log = sarif(path)
    assert "swizzle-not-bijective" in [r["ruleId"] for r in valid_sarif(log)]
    rules = {r["id"]: r for r in log["runs"][0]["tool"]["driver"]["rules"]}
    assert "power of two" in rules["swizzle-not-bijective"]["fullDescription"]["text"]


def test_a_clean_kernel_has_no_results(tmp_path: Path) -> None:
    text, _ = DOCUMENTS["clean"]
    assert valid_sarif(sarif(written(tmp_path, text), "-t", "gfx950")) == []


@pytest.mark.parametrize("name", ["a b#c?.mlir", "größe.mlir", "100%.mlir"])
def test_file_names_are_uris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (written(Path(), ROWS, name), tmp_path / name):
        first = valid_sarif(sarif(path, "-t", "gfx950"))[0]
        uri = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        parsed = urlparse(uri)
        assert (parsed.query, parsed.fragment) == ("", "")
        assert unquote(parsed.path) == str(path)
        assert parsed.scheme == ("file" if path.is_absolute() else "")


def test_the_wave_kernel_on_gfx942_as_sarif() -> None:
    results = valid_sarif(sarif(wave_page(), "-t", "gfx942"))
    assert [r["ruleId"] for r in results] == ["dma-width"] * 4
    assert {r["level"] for r in results} == {"error"}


# Text


def test_the_text_names_everything_a_reader_needs(tmp_path: Path) -> None:
    out = bankwise("check", written(tmp_path, ROWS), "-t", "gfx950", "--all").out
    out = " ".join(out.split())
    for words in (
        "k on gfx950: 64x1x1 threads, grid 1x1x1",
        "lds: 8,192 bytes, 5.0% of the LDS",
        ": 8-way bank conflict: ",
        "lanes 0-7 of phase 0 want different words of banks 0-3",
        "steps by 32 words, 32 mod 32 banks = 0",
        "once 96 / 12 passes / ideal, workgroup 768 / 96, launch 768 / 96",
        "SQ_LDS_BANK_CONFLICT += 672 per workgroup",
    ):
        assert words in out


def test_names_that_look_like_markup_are_printed_as_they_are(tmp_path: Path) -> None:
    text = changed(ROWS, ("@k(", '@"[red]k[/]"('))
    out = bankwise("check", written(tmp_path, text, "[bold].mlir"), "-t", "gfx950").out
    assert "[red]k[/] on gfx950" in out
    assert "[bold].mlir:6:10" in out


def test_the_rest_of_a_long_list_is_summed_up() -> None:
    path = EXAMPLES / "iree" / "matmul_abt_4096.gfx950.mlir"
    short, long = bankwise("check", path).out, bankwise("check", path, "--all").out
    rows = [one for one in long.splitlines() if re.search(r" ds_\w+  |_lds  ", one)]
    more = re.search(r"^and (\d+) more accesses, ([\d,]+) extra passes \(--all\)$", short, re.M)
    assert more is not None
    assert int(more[1]) == len(rows) - 10
    assert int(more[2].replace(",", "")) == sum(
        int(r.split()[0].replace(",", "")) for r in rows[10:]
    )
    assert "more accesses" not in long
    assert sum("ds_write_b128" in row for row in rows) == 8
