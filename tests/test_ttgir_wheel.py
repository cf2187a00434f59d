"""What needs the Triton wheel: verification, compilation, and random kernels on both levels."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import bankwise.triton
from bankwise.ask.check_ttgir import check_ttgir
from bankwise.errors import InputError
from bankwise.read.amd.dialect import AMD
from bankwise.read.follow.driver import check_code
from bankwise.read.options import Options
from bankwise.read.ptx.dialect import PTX
from bankwise.read.ttgir import wheel
from bankwise.show.planning import total
from isa_texts import DATA, totals
from test_ttgir_kernels import plain
from ttgir_random import kernel, outcome
from ttgir_texts import TENSOR, TILE, module

pytestmark = pytest.mark.compiles

SCRIPT = DATA.parent / "make_triton_kernels.py"
MATMUL = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "size": "i32"}
SIZES = {"bm": 64, "bn": 64, "bk": 32}

needs_wheel = pytest.mark.skipif(
    not wheel.installed(), reason="Triton is not installed (pip install 'bankwise[triton]')"
)

BODY = f"    %m = ttg.local_alloc : () -> {TILE}\n    %x = ttg.local_load %m : {TILE} -> {TENSOR}\n"


@needs_wheel
def test_a_good_text_is_verified_and_keeps_its_own_lines() -> None:
    report = check_ttgir(module(BODY), "k.ttgir", Options())
    assert report.notes == ()
    assert [a.location.line for a in report.accesses] == [12]


@needs_wheel
@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("64x32xf16, #rows", "64x32xf32, #rows", "Triton does not accept it", 12),
        ("ttg.local_load %m", "ttg.local_load %q", "undeclared SSA value", 12),
        ("ttg.local_load", "ttg.local_lode", "Triton does not accept it", 12),
    ],
)
def test_what_triton_refuses_is_an_error_at_its_line(
    old: str, new: str, message: str, line: int
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_ttgir(module(BODY).replace(old, new), "k.ttgir", Options())
    assert caught.value.location is not None
    assert (caught.value.location.file, caught.value.location.line) == ("k.ttgir", line)


@needs_wheel
def test_of_several_modules_in_one_file_it_is_told_that_one_is_read() -> None:
    """As the tests of Triton's own passes have them, each with its aliases."""
    text = module(BODY)
    with pytest.raises(InputError, match="redefinition of attribute alias id") as caught:
        check_ttgir(f"{text}\n// -----\n\n{text}", "k.ttgir", Options())
    assert "parted by `// -----`" in caught.value.hint


@needs_wheel
def test_what_ends_tritons_process_is_an_error_here() -> None:
    text = module(BODY).replace("64x32xf16", "64x33xf16")
    with pytest.raises(InputError):
        check_ttgir(text, "k.ttgir", Options())


@needs_wheel
@pytest.mark.parametrize("target", ["gfx942", "sm_80"])
def test_a_kernel_is_compiled_offline_and_compared(target: str) -> None:
    report = bankwise.triton.check(
        f"{SCRIPT}:matmul",
        MATMUL,
        target,
        constexprs=SIZES,
        numbers={"size": 256},
        optima=False,
    )
    assert report.agrees
    assert report.comparison.counted
    assert report.comparison.planned.passes > 0
    assert report.shared_bytes > 0
    assert report.plan.accesses[0].location.file == "matmul.ttgir"


@needs_wheel
def test_the_address_of_tensor_memory_is_read_once_by_each_warp() -> None:
    """The code reads the word that tcgen05.alloc leaves: one pass for each of the 4 warps."""
    sizes = {"bm": 128, "bn": 64, "bk": 64}
    said: dict[str, Any] = {"constexprs": sizes, "numbers": {"size": 256}, "optima": False}
    report = bankwise.triton.check(f"{SCRIPT}:matmul", MATMUL, "sm_100", **said)
    assert "tcgen05.alloc" in report.assembly
    rows = [r for r in report.comparison.rows if "the address of tensor memory" in r.buffers]
    assert [(r.alike, r.agrees, total(r.emitted).passes) for r in rows] == [(True, True, 4)]
    assert report.comparison.not_compared == ()


@needs_wheel
@pytest.mark.parametrize("target", ["sm_90", "sm_100"])
def test_of_waves_that_hold_copies_one_writes_the_total_of_a_scan(
    tmp_path: Path, target: str
) -> None:
    """64 elements on 4 warps: two hold them, two hold copies. Two lanes write, one pass each; all
    warps read the one total that is needed."""
    path = tmp_path / "sums.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef sums(x, y):\n"
        "    at = tl.arange(0, 64)\n    tl.store(y + at, tl.cumsum(tl.load(x + at), 0))\n"
    )
    report = bankwise.triton.check(f"{path}:sums", {"x": "*fp32", "y": "*fp32"}, target)
    assert report.comparison.not_compared == ()
    passes = {r.direction: (total(r.planned).passes, r.agrees) for r in report.comparison.rows}
    assert passes == {"write": (2, True), "read": (4, True)}


@needs_wheel
def test_an_integer_that_is_one_is_a_constant_as_tritons_launches_compile_it() -> None:
    """Triton specialises an argument that is 1: the kernel that runs does not take it."""
    asked = (f"{SCRIPT}:matmul", MATMUL, "sm_80")
    one = bankwise.triton.check(*asked, constexprs=SIZES, numbers={"size": 1}, optima=False)
    same = bankwise.triton.check(*asked, constexprs={**SIZES, "size": 1}, optima=False)
    other = bankwise.triton.check(*asked, constexprs=SIZES, numbers={"size": 2}, optima=False)
    assert one.ttgir == same.ttgir != other.ttgir
    assert "%size" not in one.ttgir
    assert "%size" in other.ttgir
    assert str(other).startswith(str(other.plan))


@needs_wheel
@pytest.mark.parametrize(
    ("fn", "signature", "target", "message"),
    [
        (f"{SCRIPT}:nothing", MATMUL, "sm_80", "is no @triton.jit function of this file"),
        (f"{SCRIPT}:matmul", {"a": "*fp16"}, "sm_80", "the signature says nothing of b, c, size"),
        (f"{SCRIPT}:matmul", {**MATMUL, "q": "i32"}, "sm_80", "has no argument q"),
        (f"{SCRIPT}:matmul", {**MATMUL, "a": "fp16"}, "sm_80", "CompilationError"),
        (f"{SCRIPT}:matmul", MATMUL, "h2000", "unknown target 'h2000'"),
        ("nowhere.py:matmul", MATMUL, "sm_80", "no such file"),
        ("matmul", MATMUL, "sm_80", "is not FILE:NAME"),
        (len, MATMUL, "sm_80", "stands in no file"),
        (
            test_a_good_text_is_verified_and_keeps_its_own_lines,
            MATMUL,
            "sm_80",
            "is no @triton.jit",
        ),
    ],
)
def test_bad_requests_say_what_is_wrong(
    fn: object, signature: dict[str, str], target: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        bankwise.triton.check(fn, signature, target, constexprs=SIZES)


@needs_wheel
@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"num_warp": 8}, "no option 'num_warp' for gfx950: num_warps?"),
        (
            {"options": {"num_warps": 8}},
            "no option 'options' for gfx950: num_warps, num_stages, ..",
        ),
        ({"numbers": {"sise": 64}}, "the kernel has no argument sise"),
        ({"numbers": {"sise": 64}}, "its arguments are a, b, c, size"),
    ],
)
def test_a_misspelt_option_or_number_is_an_error(said: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bankwise.triton.check(f"{SCRIPT}:matmul", MATMUL, "gfx950", constexprs=SIZES, **said)


def test_without_the_wheel_compiling_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel, "installed", lambda: False)
    with pytest.raises(InputError, match=r"pip install .*\[triton\]'"):
        bankwise.triton.check(f"{SCRIPT}:matmul", MATMUL, "sm_80")


@needs_wheel
def test_random_kernels_agree_with_what_triton_makes_of_them(tmp_path: Path) -> None:
    """Random layouts through registers, scratch and buffers; every kernel on both levels.

    LLVM may cut a vector into narrower instructions (in 4 of 650 kernels it did): the passes stay.
    Left out: readers that hold copies, whose reads LLVM moves behind the predicate of the store.
    """
    random.seed(20261122)
    targets = ("gfx942", "gfx950", "sm_80", "sm_90")
    every = [kernel(target, through) for target in targets for through in (0, 1) * 4]
    asked = [one for one in every if not one.copies]
    compared = same = 0
    for made, text in zip(asked, outcome([a.text for a in asked], tmp_path), strict=True):
        if text is None:
            continue
        plan, found = planned(made.text), emitted(text, made.target)
        assert summed(plan) == summed(found), made.text
        compared, same = compared + 1, same + (plan == found)
    assert compared >= 8
    assert same >= compared - 1


@needs_wheel
def test_a_better_encoding_is_better_in_the_emitted_code(tmp_path: Path) -> None:
    """The whole kernel, compiled again from TTGIR with the encoding that was proposed."""
    text = (DATA / "triton_attention.gfx942.ttgir").read_text("utf-8")
    report = check_ttgir(text, "k.ttgir", Options(), verify=False)
    (optimum,) = (o for o in report.kernels[0].optima if o.allocations == ("key_29",))
    old = "#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
    assert old in text
    better = text.replace(old, f"#shared1 = {optimum.notation}")
    before, after = (emitted(t or "", "gfx942") for t in outcome([text, better], tmp_path))
    saved = optimum.present.passes - optimum.best.passes
    assert saved > 0
    assert summed(before)[0] - summed(after)[0] == saved
    assert summed(before)[0] - summed(before)[1] > summed(after)[0] - summed(after)[1]


Counts = dict[str, tuple[int, int, int]]


def planned(text: str) -> Counts:
    report = check_ttgir(text, "k.ttgir", Options(), verify=False, optima=False)
    assert report.refusals == ()
    found: Counts = {}
    for a in report.accesses:
        n, p, i = found.get(a.instruction, (0, 0, 0))
        found[a.instruction] = (n + a.instructions, p + a.run.passes, i + a.run.ideal)
    return found


def emitted(text: str, target: str) -> Counts:
    dialect = PTX if target.startswith("sm_") else AMD
    return plain(totals(check_code(dialect, text, "k.s")))


def summed(counts: Counts) -> tuple[int, int]:
    return sum(p for _, p, _ in counts.values()), sum(i for _, _, i in counts.values())
