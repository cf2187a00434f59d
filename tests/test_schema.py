"""Every document has a JSON Schema that it satisfies, and reads back as the struct it was."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
import msgspec
import pytest

from bankwise.ask.job import document
from bankwise.ask.jobs import Order
from bankwise.ask.solve import solve
from bankwise.ask.triton_plan import plan_files
from bankwise.errors import InputError, Location
from bankwise.hardware.machine import machine
from bankwise.lab.gpu.propose import Proposed
from bankwise.lab.probe import KitReport, Proposal
from bankwise.lab.report.documents import (
    kit_document,
    proposal_document,
    transpose_document,
    verify_document,
)
from bankwise.lab.report.transpose_files import save
from bankwise.lab.report.transposing import TransposeBench, TransposeRow, Tried
from bankwise.lab.report.verifying import AccessComparison, VerifyReport
from bankwise.read.options import Options
from bankwise.servers.mcp.kept import Kept
from bankwise.show.documents.parts import LocationDocument, view
from bankwise.show.documents.planning import plans_document
from bankwise.show.documents.sweeping import sweep_document
from bankwise.show.schema import DOCUMENTS, dumps, json_schema, struct
from bankwise.show.sweeping import SweepReport
from bankwise.show.tuning import KnobRow, TuneReport
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult
from command import bankwise
from json_documents import DATA, EXAMPLES, ROW_COPY, SOLVED, VERBS, printed


def proposed() -> str:
    """A machine file that was read off: one rule found, one not."""
    row = machine("gfx942").instruction("ds_read_b64")
    rows = (
        Proposed("ds_read_b64", row, 7, 7, True),
        Proposed("ds_read_b128", None, 0, 0, False, "no two lanes collide"),
    )
    return dumps(proposal_document("gfx_new", rows, "[machine]\n"))


def kit_answered() -> str:
    """Of an empty kit: what its document is made of, tests/test_probe_kit.py fills."""
    proposal = Proposal("gfx942", (), "[machine]\n")
    copies = (("global_load_lds_dword", 0),)
    return dumps(kit_document(KitReport(proposal, "AMD Instinct MI300X", copies, ("a note",))))


def swept() -> str:
    """Two cases of a sweep, one of which failed."""
    case = Case("copy", (("m", 64),), "f16", "gfx942", "none", "the text")
    done = CaseResult(case, "done", 0.5, {"extra_launch": 3, "lds_bytes": 4096})
    failed = CaseResult(case, "failed", 0.1, {}, "no such file")
    return dumps(sweep_document(SweepReport("two", "two.sqlite", (done, failed))))


def planned() -> str:
    """Two kernels of Triton."""
    folder = DATA / "isa"
    files = (folder / f"triton_transpose.gfx942.{end}" for end in ("ttgir", "amdgcn"))
    return dumps(plans_document([*plan_files(*files, Options())] * 2))


def fixed_model() -> str:
    """A model, neither executed nor compiled again."""
    model = EXAMPLES / "iree" / "attention_1x1024x128.mlir"
    words = ("-t", "gfx942", "--no-isa", "--no-execute", "--format", "json")
    ended = bankwise("fix", model, *words)
    assert ended.code in (0, 1, 3), ended.err
    return ended.out


def tuned() -> str:
    """Two settings, one of which Triton refused."""
    good = KnobRow({"bk": 32, "num_warps": 4}, 4096.0, 12, 4, 8, 1024, 42, True)
    bad = KnobRow({"bk": 32, "num_warps": 3}, 4096.0, refusal="num_warps must be a power of 2")
    report = TuneReport("matmul", "gfx942", (good, bad), "AMD assembly")
    return json.dumps(report.document(), indent=2) + "\n"


def verified() -> str:
    """A problem whose second access was not measured, with its certificate."""
    rows = (
        AccessComparison("row-major", "store", ("st.shared.b32",), (1,), (1,), (0,), (0,)),
        AccessComparison("row-major", "read", ("ld.shared.b32",), (16,), None, (15,), (14,)),
    )
    certificate = solve(SOLVED).certificate
    left_out = {"copy": "a direct-to-LDS copy"}
    report = VerifyReport("p.toml", "sm_90", "n", "by the floor", rows, certificate, left_out)
    return dumps(verify_document(report))


def transposed() -> TransposeBench:
    """Two kernels, one with counters and one without, and a variant."""
    copy = TransposeRow("fp16", 64, 32, "copy", "copy", median_ms=0.5, gb_per_s=812.5)
    tuned = TransposeRow(
        "fp16", 64, 32, "t", "tuned", predicted_extra=3, limits={"l1": 61.5}, correct=True
    )
    tried = Tried("fp16", 64, 32, "v", None, None, 32, 0)
    return TransposeBench("sm_90", {"gpu": "H200", "driver": 1}, (copy, tuned), (tried,))


def saved() -> str:
    """What ``bench transpose -o`` writes: the number of variants alone."""
    with tempfile.TemporaryDirectory() as folder:
        save(transposed(), Path(folder))
        return (Path(folder) / "results.json").read_text("utf-8")


def brief() -> str:
    """What the tool check answers."""
    made = document(Order("brief check", "", str(ROW_COPY)), lambda *_: None)
    return dumps(made["brief"])


def piece() -> str:
    """What the tool more answers."""
    kept = Kept()
    name = kept.keep(json.loads(printed("check")))
    return dumps(kept.piece(name, "/accesses", 0, 2))


OTHERS = {
    "brief": brief,
    "piece": piece,
    "proposal": proposed,
    "kit": kit_answered,
    "sweep": swept,
    "triton-plans": planned,
    "triton.tune": tuned,
    "fix a model": fixed_model,
    "verify": verified,
    "bench transpose": lambda: dumps(transpose_document(transposed())),
    "bench transpose -o": saved,
}
"""Documents that need a GPU, a large input or minutes, made from their values."""


@functools.cache
def text_of(name: str) -> str:
    """A document of the tests, by what prints it, which runs once."""
    return OTHERS[name]() if name in OTHERS else printed(name)


def validator(name: str) -> jsonschema.Draft202012Validator:
    """Of the schema that ``bankwise schema`` prints."""
    schema = json_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("made_by", [*VERBS, *OTHERS])
def test_a_document_satisfies_its_schema_and_reads_back(made_by: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    found = text_of(made_by)
    name = json.loads(found)["schema"]
    validator(name).validate(json.loads(found))
    again = msgspec.json.decode(found, type=struct(name))
    assert dumps(again) == found


def test_every_document_of_the_table_is_among_those() -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    names = {json.loads(text_of(made_by))["schema"] for made_by in (*VERBS, *OTHERS)}
    certificate = json.loads(printed("solve"))["certificate"]
    assert names | {certificate["schema"]} == set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_struct_carries_the_name_it_is_listed_under(name: str) -> None:
    assert struct(name).__struct_config__.tag == name
    assert struct(name).__struct_config__.tag_field == "schema"
    schema = json_schema(name)
    assert schema["title"] == name
    assert schema["$id"].startswith("urn:bankwise:")
    undescribed = [d for d, s in schema["$defs"].items() if not s.get("description")]
    assert not undescribed


def test_a_schema_refuses_what_is_no_such_document() -> None:
    document = json.loads(printed("count"))
    good = validator("bankwise.count/1")
    assert good.is_valid(document)
    for wrong in ({"passes": "8"}, {"passes": None}, {"schema": "bankwise.solve/1"}):
        assert not good.is_valid({**document, **wrong})
    for key in document:
        assert not good.is_valid({k: v for k, v in document.items() if k != key}), key


def test_the_verb_lists_documents_and_prints_schemas() -> None:
    listed = bankwise("schema")
    assert listed.code == 0
    begins = [line.split()[0] for line in listed.out.splitlines() if not line.startswith(" ")]
    assert begins == list(DOCUMENTS)
    one = bankwise("schema", "bankwise.certify/1")
    assert json.loads(one.out) == json_schema("bankwise.certify/1")
    none = bankwise("schema", "bankwise.nothing/1")
    assert (none.code, none.out) == (2, "")
    assert "bankwise.certify/1" in none.err
    assert "did you mean bankwise.certify/1?" in bankwise("schema", "certify").err


def test_an_unknown_name_is_an_input_error() -> None:
    with pytest.raises(InputError, match="unknown document"):
        struct("bankwise.count/9")


def test_an_unknown_line_is_null_and_a_document_stays_frozen() -> None:
    place = view(LocationDocument, Location("a.mlir"))
    assert (place.line, place.column) == (None, None)
    assert view(LocationDocument, Location("a.mlir", 3, 7)) == LocationDocument("a.mlir", 3, 7)
    with pytest.raises(AttributeError):
        place.file = "b.mlir"  # type: ignore[misc]


@pytest.mark.parametrize(
    "words",
    [("--version",), ("--help",), ("count", "-t", "gfx942", "ds_read_b64", "lane*8")],
    ids=["version", "help", "count"],
)
def test_text_does_not_pay_for_documents(words: tuple[str, ...]) -> None:
    code = (
        "import sys\nfrom bankwise.cli import main\n"
        f"sys.argv = ['bankwise', *{words!r}]\n"
        "try:\n    main()\nfinally:\n    assert 'bankwise.show.documents' not in sys.modules\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
