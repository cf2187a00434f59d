"""docs/upstream.md says what its kernels take, and what it says of data was executed."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from iree.compiler import passmanager

from bankwise.ask.opt import opt
from bankwise.change.passes.decide import decide
from bankwise.change.passes.materialise import materialise
from bankwise.change.passes.values import PassOptions
from bankwise.read.mlir.module import open_text
from run_mlir import random, run

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "upstream.md").read_text("utf-8")
EXAMPLES = ROOT / "examples" / "upstream"
WILD: Any = runpy.run_path(str(ROOT / "benchmarks" / "wild.py"))
"""A counter that shares no code with bankwise."""


@pytest.fixture(scope="module")
def tables() -> Any:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        import upstream_page

        return upstream_page
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


NAMES = ("totals", "causes", "allocations", "copies", "frameworks", "instructions")


def shown(name: str) -> str:
    """The lines of a table on the page."""
    (lines,) = re.findall(f"<!-- {name} -->\n(.*?)<!-- end of {name} -->", PAGE, re.DOTALL)
    return str(lines)


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_are_what_is_counted(tables: Any, name: str) -> None:
    assert shown(name) == tables.table(name)


@pytest.mark.parametrize("name", ["narrow_reader_gfx942", "short_rows_gfx942"])
def test_the_plans_of_a_kernel_are_what_is_counted(tables: Any, name: str) -> None:
    cells = tables.plans(EXAMPLES / "iree" / f"{name}.mlir")
    assert f"| `{name}` | {' | '.join(cells)} |" in shown("kernels").splitlines()


def test_every_table_is_judged(tables: Any) -> None:
    assert set(re.findall(r"<!-- end of (\w+) -->", PAGE)) == {*tables.TABLES}
    assert {*tables.TABLES} - {*NAMES} == {"kernels"}


def test_rows_of_the_corpus_come_out_again(tables: Any) -> None:
    import upstream
    from iree_corpus import models

    name, target = "mm_f16_small", "gfx942"
    committed = [row for row in tables.read(tables.DATA) if row["kernel"] == name]
    own = [row for row in committed if row["target"] == target]
    again = [dict(row) for row in upstream.judged(models(target)[name], target, name)]
    assert own
    assert own == [{key: str(value) for key, value in row.items()} for row in again]


def test_the_published_conflicts_of_copies_are_counted(tables: Any) -> None:
    """Nine counters of an MI355X, as iree-org/iree#23932 has them."""
    for name, values in tables.PUBLISHED.items():
        text = (EXAMPLES / "iree" / f"{name}.toml").read_text("utf-8")
        assert [tables.conflicts(text, layout) for layout in tables.LAYOUTS] == list(values)


def passes(rule: str, address: Any) -> int:
    """By the counter of wild.py: all phases of one instruction."""
    return sum(WILD["ways"](WILD[rule], address))


def test_short_rows_by_hand() -> None:
    """Rows of 16 f16: 4 stores and 4 reads of 8 bytes, each lane 4 elements of one row."""

    def ruled(row: int, group: int) -> int:
        return 32 * row + 8 * (group ^ row % 4)

    stores = passes("WRITE64_942", lambda t: ruled(t // 4, t % 4))
    reads = passes("B64_942", lambda t: ruled(t % 16, t // 16))
    padded = passes("WRITE64_942", lambda t: 40 * (t // 4) + 8 * (t % 4))
    padded += passes("B64_942", lambda t: 40 * (t % 16) + 8 * (t // 16))
    row = next(line for line in PAGE.splitlines() if line.startswith("| `short_rows_gfx942`"))
    shown = [int(cell.split("(")[0]) for cell in row.split("|")[2:5]]
    assert shown[1:] == [4 * padded, 4 * (stores + reads)]


def test_rows_of_32_by_hand() -> None:
    """The swizzle that the attribute of the page writes leaves no lane waiting (gfx950)."""

    def place(row: int, chunk: int) -> int:
        return 64 * row + 16 * (chunk ^ row // 2 % 4)

    assert passes("B128_950", lambda t: place(t % 16, t // 16)) == 4
    assert passes("B128_950", lambda t: 64 * (t % 16) + 16 * (t // 16 ^ t % 4)) == 8


def test_a_transposing_read_by_hand() -> None:
    """16 lanes take 4 rows of 16 columns, 8 bytes each; rows of 128 f16 begin on bank 0 of 64."""

    def swizzled(vec: int, row: int, column: int) -> int:
        return 256 * row + 2 * (column ^ vec * row)

    def read(vec: int) -> int:
        return passes(
            "TR16_950", lambda t: swizzled(vec, t % 16 // 4, 16 * (t // 16 % 2) + 4 * (t % 4))
        )

    assert (read(8), read(32)) == (4 * 2, 2)


def test_the_padding_of_the_tutorial_by_hand() -> None:
    """A warp stores 8 columns of 4 rows."""
    assert [passes("LDS32", lambda t, p=p: 4 * (t // 8 + p * (t % 8))) for p in (129, 132)] == [
        4,
        1,
    ]


def test_the_attribute_is_what_the_command_prints() -> None:
    (said,) = re.findall(r"\n(      %tile_flat = memref\.alloc.*)\n", PAGE)
    report = opt(EXAMPLES / "iree" / "short_rows_gfx950.mlir", ["decide", "absorb"])
    assert said in report.text.splitlines()


def test_the_lit_test_gets_the_hint_that_it_asks_for() -> None:
    (text,) = re.findall(r"```mlir\n(.*?)```", PAGE, re.DOTALL)
    (asked,) = re.findall(r"CHECK: .*\[(#iree_codegen\S+ .*?>)\]", text)
    launch = PassOptions("gfx942")
    decided = decide(open_text(text, "lit.mlir"), launch)
    assert "544 -> 96 passes" in decided.remarks[0].reason
    made = materialise(open_text(decided.text, "lit.mlir"))
    assert re.search(rf"iree_codegen\.swizzle_hint %\S+\[{re.escape(asked)}\]", made.text)
    declined = decide(open_text(text, "lit.mlir"), launch, rule="pr23778")
    assert declined.text == text


def test_the_attribute_counts_as_iree_resolves_it(tables: Any) -> None:
    """It was read as if it were not there, and fix swizzled on top of it."""
    path = EXAMPLES / "iree" / "short_rows_gfx950.mlir"
    text = opt(path, ["decide", "absorb"]).text
    (own,) = tables.counted(text, "gfx950").values()
    (iree,) = tables.counted(resolved_by_iree(text), "gfx950").values()
    assert own == iree
    assert own["passes"] < tables.counted(path.read_text("utf-8"), "gfx950")["tile"]["passes"]
    assert tables.fixed(text, "gfx950") == text


def resolved_by_iree(text: str) -> str:
    """The kernel after IREE's own passes on hints."""
    module = open_text(text, "k.mlir", isolated=False)
    passes = (
        "iree-codegen-reinsert-swizzle-hints,iree-codegen-fold-memref-alias-ops,"
        "iree-codegen-propagate-constant-offsets,cse,iree-codegen-resolve-swizzle-hints"
    )
    nested = f"builtin.module(stream.executable(builtin.module(func.func({passes}))))"
    with module.module.context:
        passmanager.PassManager.parse(nested).run(module.module.operation)
        return str(module.module)


def test_twelve_groups_lose_elements_under_the_rule() -> None:
    text = (EXAMPLES / "iree" / "rows_of_96_gfx942.mlir").read_text("utf-8")
    hinted = decide(open_text(text, "k.mlir"), PassOptions("gfx942"), rule="pr23778").text
    assert "#iree_codegen.xor_shuffle<96, 8, 96, 1>" in hinted
    before = random(text)
    after = [buffer.copy() for buffer in before]
    run(text, *before)
    ruled = resolved_by_iree(hinted)
    assert "swizzle_hint" not in ruled
    run(ruled, *after)
    assert np.array_equal(before[0], after[0])
    assert not np.array_equal(before[1], after[1])


@pytest.mark.parametrize(("phase", "right"), [("mod 8", 256), ("mod 4", 512)])
def test_the_phases_of_wave_fetch_other_elements(phase: str, right: int) -> None:
    """16 rows of 32, of which the kernel returns a copy."""
    text = (EXAMPLES / "wave" / "phases_gfx950.mlir").read_text("utf-8")
    source, out = random(text.replace("m mod 8", f"m {phase}"))
    done = run(text.replace("m mod 8", f"m {phase}"), source, out)
    same = out.reshape(16, 32) == source.reshape(16, 64)[:, :32]
    assert int(same.sum()) == right
    assert bool(done.faults) == (right < 512)


def test_every_kernel_is_on_the_page() -> None:
    for path in EXAMPLES.rglob("*.*"):
        assert path.stem in PAGE, path
    for name in re.findall(r"`((?:triton|wave|cute)/\w+\.\w+)`", PAGE):
        assert (EXAMPLES / name).exists(), name
    for name in re.findall(r"examples/\S+\.(?:toml|mlir)", PAGE):
        assert (ROOT / name).exists(), name
