"""From a model: lowered by IREE, every dispatch analysed, fixed, and linked to a loadable file."""

from __future__ import annotations

import io
import re
import subprocess
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace
from rich.console import Console

from bankwise.ask import model_best
from bankwise.ask.analysis import Analysis
from bankwise.ask.check import check
from bankwise.ask.code_price import CodePrice
from bankwise.ask.fix import fix_file
from bankwise.ask.model import check_model, fix_model
from bankwise.change.compile.compilers import own_compiler
from bankwise.change.compile.lower import Lowering, code_object, last_dump, link, lower, unpadded
from bankwise.errors import InputError, Refusal
from bankwise.read.amd.listing import listings
from bankwise.read.emitted import SPILLED
from bankwise.read.mlir.module import Opened
from bankwise.read.options import Judges, Options
from bankwise.read.recognise import recognise, recognise_text
from bankwise.show.fixing import FixReport
from bankwise.show.model import ModelFix, print_model_fix
from command import bankwise
from kernel_texts import EXAMPLES, ROWS, written

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

ATTENTION = EXAMPLES / "iree" / "attention_1x1024x128.mlir"
GFX942 = Options("gfx942")

SMALL = """\
func.func @mm(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
"""  # noqa: E501


def model(folder: Path, text: str) -> Path:
    path = folder / "model.mlir"
    path.write_text(text, "utf-8")
    return path


def test_a_text_on_tensors_is_a_model_and_one_with_threads_is_not() -> None:
    lowered = EXAMPLES / "iree" / "attention_1x1024x128.gfx942.mlir"
    assert recognise(ATTENTION).name == "model"
    assert recognise(lowered).name == "MLIR kernel"
    for text, kind in (
        ("func.func @f(%a: !torch.vtensor<[4],f32>) { return }", "model"),
        (ROWS, "MLIR kernel"),
        ("// tensor<4xf32>\nfunc.func @f() { return }", "MLIR kernel"),
    ):
        assert recognise_text("", text).name == kind


def test_a_model_has_the_conflicts_of_the_kernel_that_make_sh_lowered() -> None:
    of_model = check_model(ATTENTION, replace(GFX942, padding=False, direct_load=False))
    of_kernel = check(EXAMPLES / "iree" / "attention_1x1024x128.gfx942.mlir")
    assert of_model.totals == of_kernel.totals
    assert of_model.exit_code == 1
    assert of_model.accesses[0].location.file == f"{ATTENTION}[attn_dispatch_0]"


def test_padding_is_selectable() -> None:
    plain, padded = (check_model(ATTENTION, Options("gfx942", padding=p)) for p in (False, True))
    assert padded.kernels[0].lds_bytes > plain.kernels[0].lds_bytes
    assert padded.totals.run.extra < plain.totals.run.extra


def test_direct_loads_are_selectable() -> None:
    text = (EXAMPLES / "iree" / "matmul_abt_4096.mlir").read_text("utf-8")
    names = [
        {
            name
            for one in lower(text, "gfx950", Lowering(direct_load=d))
            for listing in one.listings
            for name in listing.counts
        }
        for d in (False, True)
    ]
    assert not any("lds" in name for name in names[0])
    assert any(name.endswith("_lds") for name in names[1])


def test_kernels_are_the_same_where_no_code_is_made_of_them() -> None:
    for way in (Lowering(), Lowering(padding=True, direct_load=True)):
        (made,), (left,) = (lower(SMALL, "gfx942", way, code=code) for code in (True, False))
        assert made.listings
        assert left == replace(made, listings=())
        assert left.uses_shared_memory


def test_the_option_is_set_beside_the_ones_that_are_there() -> None:
    start = "translation_info<pipeline = #x workgroup_size = [64, 1, 1] subgroup_size = 64"
    option = "no_reduce_shared_memory_bank_conflicts = true"
    assert unpadded(f"{start}>") == (
        f"{start}, {{gpu_pipeline_options = #iree_gpu.pipeline_options<{option}>}}>"
    )
    stages = "{gpu_pipeline_options = #iree_gpu.pipeline_options<prefetch_num_stages = 2>}"
    assert f"<{option}, prefetch_num_stages = 2>" in unpadded(f"{start}, {stages}>")
    stated = unpadded(f"{start}, {{x<{option.replace('true', 'false')}>}}>")
    assert stated.count("no_reduce") == 1
    assert option in stated


def test_the_last_of_several_printed_modules_is_the_one() -> None:
    mark = "// -----// IR Dump After P: {} ('func.func' operation: @f) //----- //\n"
    wanted, other = mark.format("iree-codegen-resolve-swizzle-hints"), mark.format("translate")
    assert last_dump(f"warning\n{wanted}first\n{wanted}second\n") == "second\n"
    assert last_dump(f"{wanted}first\n{other}second\n") == "first\n"
    assert last_dump(f"{other}second\n") == ""
    assert last_dump("warning\n") == ""


def test_a_model_is_lowered_for_nvidia_too() -> None:
    """IREE's CUDA backend prints a second module, of LLVM dialect, which has no accesses."""
    (one,) = lower(SMALL, "sm_80")
    assert one.uses_shared_memory
    assert "memref.load" in one.text or "vector.load" in one.text


def test_what_copies_in_lane_order_keep_from_being_written_is_not_promised(tmp_path: Path) -> None:
    large = SMALL.replace("64x64", "2048x2048")
    report = check_model(model(tmp_path, large), Options("gfx950"))
    assert report.accesses[0].run.extra
    assert report.snippets == ()
    told = [note for optimum in report.kernels[0].optima for note in optimum.notes]
    assert any("--iree-llvmgpu-use-direct-load=false lowers it without" in note for note in told)
    judges = Judges(execute=False, isa=False)
    (row,) = fix_model(tmp_path / "model.mlir", Options("gfx950"), judges).defaults
    assert "what copies straight to LDS write is in neither number" in str(row)


def test_every_dispatch_is_analysed_and_kept(tmp_path: Path) -> None:
    two = SMALL + SMALL.replace("@mm", "@nn").replace("64x64", "128x128")
    told: list[tuple[int, int]] = []
    report = check_model(
        model(tmp_path, two),
        Options("gfx942", keep=str(tmp_path / "kept")),
        lambda done, total: told.append((done, total)),
    )
    assert told == [(1, 2), (2, 2)]
    assert len(report.kernels) == 2
    assert "2 dispatches, 2 with workgroup memory" in report.notes[0]
    files = {access.location.file for access in report.accesses}
    assert {Path(file).parent for file in files} == {tmp_path / "kept"}
    place = report.accesses[0].location
    line = Path(place.file).read_text("utf-8").splitlines()[place.line - 1]
    assert report.accesses[0].operation in line[place.column - 1 :]
    asked = Options("gfx942", kernel="nn_dispatch*")
    assert [k.name[:2] for k in check_model(model(tmp_path, two), asked).kernels] == ["nn"]
    with pytest.raises(InputError, match="no kernel 'zz' with workgroup memory in this model"):
        check_model(model(tmp_path, two), replace(asked, kernel="zz"))


def test_fix_links_the_rewritten_kernel_into_a_loadable_model(tmp_path: Path) -> None:
    found = fix_model(
        ATTENTION, Options("gfx942", keep=str(tmp_path)), Judges(execute=False, isa=False)
    )
    (report,) = found.reports
    assert report.before.conflict == "sure"
    assert report.after.conflict == "none"
    assert found.exit_code == 3, "what is gained is gained only if a rule that nobody knows holds"
    said = r"gains \S+ cycles if ds_write2_b64 conflicts as assumed, else none"
    assert re.search(said, report.hinge)
    names = {path.name: path for path in found.files}
    assert found.vmfb is not None
    assert names["attention_1x1024x128.gfx942.vmfb"].read_bytes() == found.vmfb
    assert names["attn_dispatch_0.gfx942.fixed.hsaco"].read_bytes().startswith(b"\x7fELF")
    (listing,) = listings(names["attn_dispatch_0.gfx942.fixed.rocmasm"].read_text("utf-8"))
    assert listing.lds_bytes == report.after.kernels[0].lds_bytes
    own = code_object(lower(ATTENTION.read_text("utf-8"), "gfx942")[0].text, "gfx942")[0]
    fixed = names["attn_dispatch_0.gfx942.fixed.hsaco"].read_bytes()
    assert a_piece_only_in(fixed, own) in found.vmfb


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_the_answer_is_never_worse_than_what_iree_does_unasked(target: str, tmp_path: Path) -> None:
    """f16 A B^T: padding alone beats every fold of whole 16-byte stores on gfx942."""
    text = (EXAMPLES / "iree" / "matmul_abt_4096.mlir").read_text("utf-8").replace("4096", "128")
    found = fix_model(model(tmp_path, text), Options(target), Judges(execute=False, isa=False))
    (default,) = lower(text, target, Lowering(padding=True, direct_load=True))
    unasked = check(written(tmp_path, default.text))
    (row,), (report,) = found.defaults, found.reports
    launch, now = (r.kernels[0].totals.launch for r in (unasked, report.after))
    assert row.default is not None
    assert row.answer is not None
    assert launch is not None
    assert now is not None
    assert row.default[0] == launch.passes
    assert row.answer[0] == now.passes < row.default[0]
    assert row.answer[1] < row.default[1]
    assert f"IREE's default {launch.passes:,} passes" in str(row)
    own, times = unasked.kernels[0].accesses, prod(unasked.kernels[0].grid or ())
    unreal = times * sum(a.run.extra for a in own if a.assumed)
    assert bool(row.assumed) == bool(unreal)
    assert bool(row.copies) == any(a.kind == "dma" for a in own)
    if unreal:
        cycles = row.default[1] - unreal, row.answer[1]
        assert f"{launch.passes - unreal:,} -> {now.passes:,} passes" in str(row)
        assert f"{cycles[0]:,} -> {cycles[1]:,} cycles" in str(row)
        assert row.assumed.endswith("more than before") == (cycles[1] > cycles[0])


def small_abt(folder: Path) -> Path:
    text = (EXAMPLES / "iree" / "matmul_abt_4096.mlir").read_text("utf-8").replace("4096", "128")
    return model(folder, text)


def test_the_code_of_the_answer_stands_beside_that_of_the_default(tmp_path: Path) -> None:
    file = small_abt(tmp_path)
    found = fix_model(file, Options("gfx942"), Judges(execute=False))
    (row,), (report,) = found.defaults, found.reports
    (default,) = lower(file.read_text("utf-8"), "gfx942", Lowering(padding=True, direct_load=True))
    texts = (default.text, report.fixed_text)
    counted = [check(written(tmp_path, text), isa=True).totals.run.passes for text in texts]
    assert counted[1] < counted[0]
    assert f"takes {counted[0]:,} -> {counted[1]:,} passes" in row.code
    assert row.code in str(row)


def test_where_the_code_is_worse_the_default_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever takes fewer passes in the text: here its code is said to take more cycles."""
    real = model_best.code_price

    def dear(opened: Opened, analysis: Analysis) -> CodePrice | Refusal:
        found = real(opened, analysis)
        fixed = "%swz" in opened.source.text
        assert isinstance(found, CodePrice)
        return replace(found, cycles=found.cycles * (1 + 9 * fixed))

    monkeypatch.setattr(model_best, "code_price", dear)
    found = fix_model(small_abt(tmp_path), Options("gfx942"), Judges(execute=False))
    (row,), (report,) = found.defaults, found.reports
    assert row.default == row.answer
    assert (report.changes, found.vmfb) == ((), None)
    assert all("IREE's own stays" in refusal.reason for refusal in report.refusals)
    assert report.refusals
    assert found.exit_code == 3


PASSES, CYCLES = 1_024, 2_000


def code(cycles: int, doubted: int = 0, registers: int = 128) -> CodePrice:
    rules = (("ds_write2_b64", doubted),) if doubted else ()
    return CodePrice(PASSES, 900, cycles, 50, 0, 8192, registers, 20, 0, 8, rules)


@pytest.mark.parametrize(
    ("dear", "why"),
    [
        (code(CYCLES + 1), "beside IREE's default their code of a workgroup takes 1,024 -> 1,024"),
        (
            code(CYCLES - 20),
            "beside IREE's default their code of a workgroup takes 2,000 -> 1,980 cycles if "
            "ds_write2_b64 conflicts as assumed, 1,900 -> 1,980 if it does not",
        ),
        (code(CYCLES, 100, 140), "beside the answer their code of a workgroup takes"),
    ],
)
def test_why_fewer_passes_are_not_taken_is_what_is_worse(dear: CodePrice, why: str) -> None:
    """The default's 100 conflicts may not be real; the answer has as many, and fewer registers."""
    options = SimpleNamespace(options=Options())
    own, answer = (
        cast(model_best._FixedLowering, SimpleNamespace(code=each, plan=options))
        for each in (code(CYCLES, 100), code(CYCLES - 10, 100))
    )
    assert model_best._why_dear(dear, answer, own).startswith(why)


def test_code_that_spills_or_takes_more_is_worse_and_fewer_registers_are_better() -> None:
    one = CodePrice(100, 100, 300, 50, 0, 8192, 128, 20, 0, 8)
    assert replace(one, spilled=4).worse(one)
    assert replace(one, cycles=301, passes=90).worse(one)
    assert not replace(one, cycles=301, passes=90).worse(one, "fewest-passes")
    assert replace(one, passes=101, cycles=90).worse(one, "fewest-passes")
    more_waves, fewer = replace(one, waves=12, vgprs=140), replace(one, vgprs=96)
    assert not fewer.worse(one)
    assert more_waves.taken < fewer.taken < one.taken


def test_registers_that_are_kept_in_memory_are_read_from_the_assembly() -> None:
    (dispatch,) = lower(SMALL, "gfx942")
    text = code_object(dispatch.text, "gfx942")[1]
    (plain,) = listings(text)
    (spilling,) = listings(
        re.sub(r"(\.vgpr_spill_count: +)0$", r"\g<1>3", text, flags=re.MULTILINE)
    )
    assert SPILLED not in plain.totals
    assert spilling.totals[SPILLED] == 3


def test_what_check_kept_of_a_model_stays_the_text_of_its_places(tmp_path: Path) -> None:
    file, kept = small_abt(tmp_path), tmp_path / "kept"
    bankwise("check", file, "-t", "gfx942", "--keep", kept)
    before = {path.name: path.read_text("utf-8") for path in kept.iterdir()}
    assert [*before] == ["mm_dispatch_0.gfx942.mlir"]
    bankwise("fix", file, "-t", "gfx942", "--no-isa", "--no-execute", "--keep", kept)
    assert {name: (kept / name).read_text("utf-8") for name in before} == before


def test_a_model_that_is_fixed_nowhere_says_how_to_write_it(tmp_path: Path) -> None:
    file = small_abt(tmp_path)
    said = "fix", file, "-t", "gfx942", "--no-isa", "--no-execute"
    plain = bankwise(*said)
    assert plain.out == ""
    assert "nothing was written: a model has no patch; --keep DIR" in plain.err
    kept = bankwise(*said, "--keep", tmp_path / "kept")
    (unasked,) = check_model(file, Options("gfx942")).kernels
    name = "mm_dispatch_0.gfx942.no-padding.no-direct-load.mlir"
    place = tmp_path / "kept" / name
    told = f"not of IREE's default ({unasked.totals.run.passes:,} passes a workgroup)"
    said_kept, said_plain = (" ".join(ended.err.split()) for ended in (kept, plain))
    assert f'mm_dispatch_0: "before" and all places are of {place}, ' in said_kept
    assert told in said_kept
    assert f"DIR/{name} (--keep DIR)" in said_plain
    assert "each dispatch twice (padding off, direct loads off) and (padding on," in said_plain
    assert "nothing was written" not in kept.err
    assert f"written: {tmp_path / 'kept'}" in kept.err
    (name, path), *more = re.findall(
        r"--iree-hal-substitute-executable-configuration=(\w+)=(\S+)", kept.err
    )
    assert not more
    assert path == str(tmp_path / "kept" / f"{name}.gfx942.fixed.mlir")
    assert Path(path).is_file()


def test_what_a_checked_model_says_to_run_writes_what_it_fixes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = bankwise("check", small_abt(tmp_path).name, "-t", "gfx950", "--direct-load").out
    command = next(line.split() for line in told.splitlines() if "bankwise fix" in line)
    ended = bankwise(*command[1:], "--no-execute", "--no-isa")
    assert "nothing was written" not in ended.err
    assert list((tmp_path / "fixed").glob("*.vmfb"))


def test_a_checked_model_says_that_iree_makes_another_kernel_by_default(tmp_path: Path) -> None:
    file = small_abt(tmp_path)
    noted = [
        check_model(file, Options("gfx942", padding=on, direct_load=on)) for on in (False, None)
    ]
    told = [[n for n in each.notes if "by default" in n] for each in noted]
    assert ["without `--no-padding --no-direct-load`" in n for n in told[0]] == [True]
    assert told[1] == []
    assert "padding on, direct loads on, as iree-compile does unasked" in noted[1].notes[0]
    assert noted[1].kernels[0].lds_bytes > noted[0].kernels[0].lds_bytes
    said = "check", file, "-t", "gfx942", "--concise"
    other = bankwise(*said, "--no-padding", "--no-direct-load")
    assert f"{file}: not-default: {told[0][0]}" in other.out
    assert "not-default" not in bankwise(*said).out


def lds_when_put_back(file: Path, name: str, kernel: Path, folder: Path) -> int | None:
    """Bytes of LDS of what iree-compile makes of a model with a kernel in place of its own."""
    flags = ["--iree-hal-target-backends=rocm", "--iree-rocm-target=gfx942"]
    flag = f"--iree-hal-substitute-executable-configuration={name}={kernel}"
    dump = f"--iree-hal-dump-executable-intermediates-to={folder}"
    words = [
        str(own_compiler().program),
        str(file),
        *flags,
        flag,
        dump,
        "-o",
        str(folder / "out.vmfb"),
    ]
    subprocess.run(words, check=True, capture_output=True)
    (assembly,) = folder.glob("*.rocmasm")
    (listing,) = listings(assembly.read_text("utf-8"))
    return listing.lds_bytes


def test_what_was_fixed_goes_back_into_the_model_as_is_said(tmp_path: Path) -> None:
    """A kept kernel as it is; a program that was fixed, with the attribute that is told; what is
    written of a dump of one pass as it is."""
    file, kept = small_abt(tmp_path), tmp_path / "kept"
    options = Options("gfx942", keep=str(kept))
    (report,) = fix_model(file, options, Judges(execute=False, isa=False)).reports
    (fixed,) = kept.glob("*.fixed.mlir")
    name = fixed.name.partition(".")[0]
    (tmp_path / "one").mkdir()
    wanted = report.after.kernels[0].lds_bytes
    assert lds_when_put_back(file, name, fixed, tmp_path / "one") == wanted

    dump = kept / f"{name}.gfx942.mlir"
    again = fix_file(dump, Options("gfx942"), Judges(execute=False, isa=False))
    assert isinstance(again, FixReport)
    _, needs, _, goes = again.settings
    assert f"--iree-hal-substitute-executable-configuration={name}=" in goes
    attribute = needs.strip()
    assert attribute.startswith("translation_info = ")
    marked, count = re.subn(
        r"(func\.func .*attributes \{)", rf"\g<1>{attribute}, ", again.fixed_text
    )
    assert count == 1
    (tmp_path / "two").mkdir()
    (tmp_path / "marked.mlir").write_text(marked, "utf-8")
    wanted = again.after.kernels[0].lds_bytes
    assert lds_when_put_back(file, name, tmp_path / "marked.mlir", tmp_path / "two") == wanted

    banner = "// -----// IR Dump After X: iree-codegen-resolve-swizzle-hints //----- //\n"
    (tmp_path / "log.mlir").write_text(banner + dump.read_text("utf-8"), "utf-8")
    out = tmp_path / "of_a_log.mlir"
    bankwise("fix", tmp_path / "log.mlir", "--no-execute", "--no-isa", "-o", out)
    (tmp_path / "three").mkdir()
    assert lds_when_put_back(file, name, out, tmp_path / "three") == wanted


def test_lines_to_paste_are_one_command_of_a_shell() -> None:
    told = io.StringIO()
    lines = ("append to your command", "  --one=1 \\", "  --two=2")
    print_model_fix(ModelFix((), None, (), (), (), (), lines), Console(file=told, width=80))
    assert "\n  --one=1 \\\n  --two=2\n" in told.getvalue()


def a_piece_only_in(one: bytes, other: bytes, size: int = 256) -> bytes:
    pieces = (one[i : i + size] for i in range(0, len(one) - size, size))
    return next(piece for piece in pieces if piece not in other)


def test_a_model_that_iree_cannot_compile_gives_its_diagnosis_at_the_place(tmp_path: Path) -> None:
    path = model(tmp_path, SMALL.replace("return %r", "return %nothing"))
    with pytest.raises(InputError) as raised:
        check_model(path, GFX942)
    assert "the compiler says: use of undeclared SSA value name" in raised.value.message
    location = raised.value.location
    assert location is not None
    assert (location.file, location.line, location.column) == (str(path), 6, 10)


def test_a_model_without_a_target_asks_for_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a model names no GPU"):
        check_model(model(tmp_path, SMALL), Options())


def test_a_target_without_a_code_generator_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="models cannot be lowered for 'sm_90'"):
        check_model(model(tmp_path, SMALL), Options("sm_90"))


def test_a_kernel_that_iree_rejects_is_told_when_linking() -> None:
    (dispatch,) = lower(SMALL, "gfx942")
    broken = dispatch.text.replace("gpu.barrier", "gpu.nothing")
    with pytest.raises(InputError, match="the compiler says"):
        link(SMALL, "gfx942", {dispatch.executable: broken})
