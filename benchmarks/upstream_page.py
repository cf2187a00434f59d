"""The tables of docs/upstream.md, each between two comments of the page that have its name."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from upstream import COLUMNS, IREE_BITS, SIDES, by_counting, counted, fixed, flow, opened

from bankwise.ask.check import check
from bankwise.ask.count import count_expression
from bankwise.ask.spec import check_spec_text
from bankwise.change.passes.pad import pad
from bankwise.change.passes.values import PassOptions
from bankwise.tile import COPIES

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "upstream.md"
DATA = ROOT / "docs" / "data" / "rule_23778.csv"
EXAMPLES = ROOT / "examples" / "upstream"

Row = Mapping[str, str]


def write_page(folder: Path | None) -> None:
    """All tables anew; rows of ``folder`` become the committed ones first."""
    if folder is not None:
        found = [row for path in sorted(folder.glob("rule_*.csv")) for row in read(path)]
        with DATA.open("w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            out.writeheader()
            out.writerows(found)
    page = PAGE.read_text("utf-8")
    for name in TABLES:
        page = with_table(page, name, table(name))
    PAGE.write_text(page, "utf-8")


def with_table(page: str, name: str, lines: str) -> str:
    """The page with other lines between the comments of a table."""
    before, _, rest = page.partition(f"<!-- {name} -->\n")
    _, _, after = rest.partition(f"<!-- end of {name} -->")
    return f"{before}<!-- {name} -->\n{lines}<!-- end of {name} -->{after}"


def table(name: str) -> str:
    """The lines of one table."""
    return "".join(f"{line}\n" for line in TABLES[name]())


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def order(row: Row, side: str) -> tuple[int, int]:
    """Passes, then cycles. What a rule cannot be applied to stays as IREE has it, and a plan that
    costs more than that is none."""
    iree = (int(row["iree_passes"]), int(row["iree_cycles"]))
    own = (int(row[f"{side}_passes"]), int(row[f"{side}_cycles"]))
    floor = min(int(row["ideal"]), int(row["best_passes"]))
    if side == "rule" and (int(row["copied"]) or own[0] < floor):
        return iree
    return min(own, iree) if side == "best" else own


def loses(row: Row) -> bool:
    """Whether a plan takes fewer passes than the rule's, or as many and fewer cycles."""
    return order(row, "best") < order(row, "rule")


def cause(row: Row) -> str:
    """What of the rule decides an allocation."""
    reason, attribute = row["reason"], row["attribute"]
    if int(row["copied"]):
        return "copies straight to LDS"
    if "x" not in row["tile"].rpartition("x")[0]:
        return "one dimension: no row to read off"
    if not attribute:
        known = (word for word in DECLINES if word in reason)
        said = DECLINES.get(next(known, ""), "declined")
        narrow = said == "widths differ" and row["reads"] != "1"
        return "widths differ, reads of several elements" if narrow else (
            "widths differ, reads of one element" if said == "widths differ" else said)  # fmt: skip
    if "capped" in reason:
        return "f32, groups capped at 2"
    short = int(row["tile"].split("x")[-2]) * bits(row) < 8 * 128
    return "rows shorter than 128 bytes" if short else "hint as it is"


DECLINES = {
    "the narrow side": "widths differ",
    "one group": "a row is one group",
    "do not divide": "accesses do not divide a row",
    "already spread": "rows already spread",
    "nested_layout": "stored or read by nobody",
}
"""What the rule says where it declines, and how it is called here."""


SHOWN_BY = {
    "widths differ, reads of several elements": "narrow_reader_gfx942",
    "widths differ, reads of one element": "element_reader_gfx942",
    "f32, groups capped at 2": "f32_capped_gfx942",
    "rows shorter than 128 bytes": "short_rows_gfx942",
}


def causes() -> Iterator[str]:
    """How often each cause decides, and what that costs, over all allocations of a target."""
    yield "| cause | target | allocations | of them lose | passes: IREE's default | the rule | " \
        "best | shown by |"  # fmt: skip
    yield "|---|---|--:|--:|--:|--:|--:|---|"
    found = read(DATA)
    groups = {(cause(row), row["target"]): None for row in found}
    for name, target in sorted(groups):
        own = [r for r in found if (cause(r), r["target"]) == (name, target)]
        sums = (f"{sum(order(row, side)[0] for row in own):,}" for side in SIDES)
        kernel = f"`{SHOWN_BY[name]}`" if name in SHOWN_BY else ""
        lost = sum(map(loses, own))
        yield f"| {name} | {target} | {len(own)} | {lost} | {' | '.join(sums)} | {kernel} |"


def allocations() -> Iterator[str]:
    """Every allocation with which the rule loses; equal ones in one row."""
    yield "| target | kernels | tile, bits | stored, read | IREE's default | the rule | " \
        "best | LDS bytes |"  # fmt: skip
    yield "|---|---|---|---|--:|--:|--:|---|"
    same: dict[tuple[str, ...], list[str]] = {}
    for row in filter(loses, read(DATA)):
        costs = ["{:,} ({:,})".format(*order(row, side)) for side in SIDES]
        costs[1] += f" `{row['attribute']}`" if row["attribute"] and not int(row["copied"]) else ""
        size = f"{int(row['iree_bytes']):,} -> {int(row['best_bytes']):,}"
        taken = f"{row['writes'] or '-'}, {row['reads']}"
        key = (row["target"], sizes(row), taken, *costs, size)
        same.setdefault(key, []).append(row["kernel"])
    for (target, *cells), names in same.items():
        yield f"| {target} | {', '.join(dict.fromkeys(names))} | {' | '.join(cells)} |"


def sizes(row: Row) -> str:
    """A tile without its leading ones, and the bits of its elements: ``128x64, 16``."""
    shape = re.sub(r"^(1x)+(?=\d)", "", row["tile"].rpartition("x")[0])
    return f"{shape}, {bits(row)}"


def bits(row: Row) -> int:
    """Of an element of a tile, ``128x64xbf16``."""
    found = re.match(r"[a-z]+(\d+)", row["tile"].rpartition("x")[2])
    assert found is not None, row["tile"]
    return int(found[1])


def totals() -> Iterator[str]:
    """Kernels and allocations of each pipeline, and how often the rule is behind, equal, ahead."""
    yield (
        "| target | pipeline | kernels | allocations | the rule loses to the best plan in | "
        "takes more passes than IREE's default in | fewer in | all: rule / default / best |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|---|"
    found = read(DATA)
    for group in sorted({(row["target"], row["pipeline"]) for row in found}):
        own = [row for row in found if (row["target"], row["pipeline"]) == group]
        more = sum(order(row, "rule")[0] > order(row, "iree")[0] for row in own)
        fewer = sum(order(row, "rule")[0] < order(row, "iree")[0] for row in own)
        sums = [f"{sum(order(row, s)[0] for row in own):,}" for s in ("rule", "iree", "best")]
        kernels = len({row["kernel"] for row in own})
        counts = (kernels, len(own), sum(map(loses, own)), more, fewer)
        yield f"| {' | '.join((*group, *map(str, counts), ' / '.join(sums)))} |"


def kernels() -> Iterator[str]:
    """The kernels of examples/upstream/iree under every plan: passes (and cycles)."""
    yield "| kernel | as it is | IREE's padding | the rule | xor_shuffle, counted | best |"
    yield "|---|--:|--:|--:|--:|--:|"
    for path in sorted((EXAMPLES / "iree").glob("*.mlir")):
        yield f"| `{path.stem}` | {' | '.join(plans(path))} |"


def plans(path: Path) -> Iterator[str]:
    """What one kernel takes under every plan."""
    text, target = path.read_text("utf-8"), path.stem.rpartition("_")[2]
    padded = pad(opened(text), PassOptions(target), bits=IREE_BITS).text
    ruled = flow(text, target)
    refused = [r.reason for r in ruled.refusals if "no bijection" in r.reason]
    hints = [by_counting(text, target, halves) for halves in (False, True)]
    yield cost(text, target)
    yield cost(padded, target)
    yield "two elements in one place" if refused else cost(ruled.text, target)
    best, chosen = min(hints, key=lambda way: counted(way[0], target)["tile"].order)
    yield f"{cost(best, target)} `{chosen['tile']}{', in halves' if best is hints[1][0] else ''}`"
    yield cost(fixed(text, target), target)


def cost(text: str, target: str) -> str:
    """Passes and cycles of a kernel's tile, ``96 (208)``."""
    return "{:,} ({:,})".format(*counted(text, target)["tile"].order)


PUBLISHED = {
    "dma_rows_of_128_gfx950": (7.0, 0.0, 1.0),
    "dma_rows_of_32_gfx950": (1.0, 1.0, 0.0),
    "dma_rows_of_32_by_32_gfx950": (3.0, 0.0, 1.0),
}
"""Conflicts per access as iree-org/iree#23932 publishes them for MI355X, of LAYOUTS."""

LAYOUTS = (
    "row-major",
    "#iree_codegen.xor_shuffle<128, 8>",
    "#iree_codegen.xor_shuffle<64, 8>",
)


def copies() -> Iterator[str]:
    """Conflicts per access of operands that copies fill: counted, beside the published ones."""
    yield "| kernel | no swizzle | `xor_shuffle<128, 8>` | `xor_shuffle<64, 8>` | published |"
    yield "|---|--:|--:|--:|---|"
    for name, values in PUBLISHED.items():
        text = (EXAMPLES / "iree" / f"{name}.toml").read_text("utf-8")
        found = [f"{conflicts(text, layout):.2f}" for layout in LAYOUTS]
        said = ", ".join(f"{value:.2f}" for value in values)
        yield f"| `{name}` | {' | '.join(found)} | {said} |"


def conflicts(text: str, layout: str) -> float:
    """Extra passes per pass that there has to be, of a tile question with another layout."""
    asked = re.sub(r'^layout = ".*"$', f'layout = "{layout}"', text, flags=re.MULTILINE)
    (access,) = check_spec_text(asked, "question.toml").check.accesses
    return access.cost.extra / access.cost.ideal


class Case(NamedTuple):
    """A kernel of examples/upstream, how its text is changed (not at all: ``fix``), from what."""

    file: str
    changes: tuple[tuple[str, str], ...]
    before: tuple[tuple[str, str], ...] = ()


FREE = "vec = 32, perPhase = 1, maxPhase = 4"
CASES: tuple[Case, ...] = (
    Case("triton/transposed_read_gfx950.ttgir", (("vec = 8, perPhase = 1, maxPhase = 16", FREE),)),
    Case("triton/transposed_operand_gfx942.ttgir",
         (("vec = 1, perPhase = 1, maxPhase = 1,", "vec = 4, perPhase = 1, maxPhase = 16,"),)),
    Case("triton/fp8_operand_gfx942.ttgir", (("maxPhase = 16", "maxPhase = 32"),)),
    Case("triton/f32_operand_sm90.ttgir",
         (("vec = 1, perPhase = 1, maxPhase = 1,", "vec = 4, perPhase = 4, maxPhase = 8,"),)),
    Case("wave/phases_gfx950.mlir", (("m mod 4", "m floordiv 2 mod 4"),), (("mod 8)", "mod 4)"),)),
    Case("wave/rows_of_128_gfx950.toml", (("max_phase = 8", "max_phase = 16"),)),
    Case("wave/padded_rows_gfx950.mlir", ()),
    Case("cute/tutorial_tn_sm90.toml", (("(1,129)", "(1,132)"),)),
    Case("../ck_transpose/04.toml", (("NBanks = 32", "NBanks = 64"),)),
)  # fmt: skip


def frameworks() -> Iterator[str]:
    """Passes of a workgroup before and after the change of each case."""
    yield "| kernel | change | passes | ideal | after |"
    yield "|---|---|--:|--:|--:|"
    for case in CASES:
        text = changed((EXAMPLES / case.file).read_text("utf-8"), case.before)
        after = changed(text, case.changes) if case.changes else fixed(text, TARGET)
        now, then = taken(case.file, text), taken(case.file, after)
        said = f"`{case.changes[0][0]}` -> `{case.changes[0][1]}`" if case.changes else FIX
        name = case.file.removeprefix("../")
        yield f"| `{name}` | {said} | {now[0]:,} | {now[1]:,} | {then[0]:,} |"


TARGET, FIX = "gfx950", "`bankwise fix`: rows without padding, XOR by pairs of rows"


def changed(text: str, changes: Sequence[tuple[str, str]]) -> str:
    """The text with every change made."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def taken(name: str, text: str) -> tuple[int, int]:
    """Passes and ideal passes of what a kernel's threads load and store."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="upstream-") as folder:
        path = Path(folder) / Path(name).name
        path.write_text(text, "utf-8")
        spec = path.suffix == ".toml"
        report = check_spec_text(text, str(path)).check if spec else check(path)
    own = [each for each in report.accesses if each.kind not in COPIES]
    return sum(each.run.passes for each in own), sum(each.run.ideal for each in own)


class Instruction(NamedTuple):
    """One instruction of a kernel: its bytes as they are, and changed."""

    kernel: str
    target: str
    name: str
    now: str
    then: str


INSTRUCTIONS = (
    Instruction("CUB 13.0 `BlockExchange`, 2-byte items, 8 a thread", "sm_90", "ld.shared.b16",
                "2*(8*lane+1+(8*lane+1)//32)", "2*(8*lane+1)+4*(2*(8*lane+1)//128)"),
    Instruction("cuda-samples `convolutionSeparable`, columns", "sm_90", "ld.shared.b32",
                "4*(81*(lane%16)+lane//16)", "4*(82*(lane%16)+lane//16)"),
    Instruction("aiter 0.1.7 `fmoe`, MI350", "gfx950", "ds_read_b64",
                "256*(lane//16)+8*(lane%16)", "256*(lane//16)+(8*(lane%16)^128*(lane//16%2))"),
    Instruction("aiter 0.1.7 `pa_fp16_pertokenInt8_gqa8`, MI350", "gfx950", "ds_read_b64",
                "264*(lane%16)+8*(lane//16)", "272*(lane%16)+8*(lane//16)"),
)  # fmt: skip


def instructions() -> Iterator[str]:
    """Passes of single instructions, by ``bankwise count``."""
    yield "| kernel | instruction | byte of a lane | passes | changed | passes |"
    yield "|---|---|---|--:|---|--:|"
    for one in INSTRUCTIONS:
        now, then = (
            count_expression(one.target, one.name, each).passes for each in (one.now, one.then)
        )
        cells = f"`{one.now}` | {now} | `{one.then}` | {then}"
        yield f"| {one.kernel} | {one.target} `{one.name}` | {cells} |"


TABLES: Mapping[str, Callable[[], Iterator[str]]] = {
    "totals": totals,
    "causes": causes,
    "kernels": kernels,
    "copies": copies,
    "frameworks": frameworks,
    "instructions": instructions,
    "allocations": allocations,
}
