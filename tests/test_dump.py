"""Dumps of all passes: each kernel alone in its executable, and what iree-compile makes of that.

The dumps are put together from real ones of single passes (``data/dumps``), in the order in which
``--mlir-print-ir-after-all`` prints them.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from textwrap import dedent

import pytest
from msgspec.structs import replace

from bankwise.ask.fix import fix
from bankwise.change.compile import compile as compiling
from bankwise.change.compile.compilers import own_compiler
from bankwise.change.compile.wrap import CompilerInput, executables, prepare
from bankwise.errors import Refusal
from bankwise.read.emitted import Listing
from bankwise.read.mlir.kernels import kernels
from bankwise.read.mlir.module import open_text
from bankwise.read.mlir.sections import candidates
from bankwise.show.fixing import FixReport, Verdict
from command import bankwise, unfolded
from kernel_texts import written
from patches import applied

DUMPS = Path(__file__).parent / "data" / "dumps"
NAME = "mm_dispatch_0_matmul_64x64x64_f16xf16xf32"
SLICE = "%x, %y, %z = iree_tensor_ext.dispatch.workgroup_count_from_slice()"
BANNER = "// -----// IR Dump After {} //----- //\n"


def dump(stage: str) -> str:
    """A dump of one pass without the comment above it."""
    text = (DUMPS / f"iree-3.13.0-{stage}.mlir").read_text("utf-8")
    return text[text.index("// -----// IR Dump") :].rstrip("\n") + "\n\n"


def executable() -> str:
    """The executable of the module's dump, as it stands alone."""
    found = re.search(r"^  hal\.executable .*?^  \}\n", dump("module"), re.MULTILINE | re.DOTALL)
    assert found
    return dedent(found[0])


def all_passes() -> str:
    first = BANNER.format("ConfigureExecutablesPass: iree-hal-configure-executables")
    last = BANNER.format("ConvertToROCDLPass: iree-convert-to-rocdl")
    lowered = f"{last}module {{\n  llvm.func @{NAME}() {{ llvm.return }}\n}}\n"
    counted = dump("executable").replace(SLICE, "%x = arith.constant 1 : index")
    counted = counted.replace("yield %x, %y, %z", "yield %x, %x, %x")
    parts = (first, executable(), "\n", counted, dump("kernel"), lowered)
    return "".join(parts)


def one_pass() -> str:
    """The kernel that conflicts, printed with its whole module."""
    kernel = dump("kernel")
    kernel = kernel[kernel.index("func.func") :].rstrip("\n")
    return re.sub(
        r"^ +func\.func @mm_dispatch_0.*?^        \}$",
        lambda _: kernel,
        dump("module"),
        count=1,
        flags=re.MULTILINE | re.DOTALL,
    )


def two_modules() -> str:
    """Two kernels, each printed with its whole module, in which an alias means something else."""
    one = dump("module").replace(
        "module attributes", "#map = affine_map<(d0) -> (d0)>\nmodule attributes", 1
    )
    other = one.replace("mm_dispatch_0", "mm_dispatch_1").replace("(d0)>", "(d0 + 1)>")
    return f"{one}{other}"


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> FixReport:
    path = written(tmp_path_factory.mktemp("dump"), all_passes())
    report = fix(path, execute=False, isa=False)
    assert isinstance(report, FixReport)
    return report


def test_a_kernel_that_was_printed_alone_knows_its_gpu_its_threads_and_its_grid() -> None:
    opened = open_text(all_passes())
    (kernel,) = kernels(opened)
    assert (kernel.name, kernel.target) == (NAME, "gfx950")
    assert (kernel.workgroup_size, kernel.grid) == ((256, 1, 1), (1, 1, 1))
    at, lines = opened.location_of(kernel.op).line, all_passes().split("\n")
    assert "ResolveSwizzleHints" in lines[at - 2]
    assert lines[at - 1].startswith(f"func.func @{NAME}")


def test_what_is_written_is_the_executable_and_compiles(fixed: FixReport) -> None:
    ((name, text),) = fixed.modules
    assert (name, executables(text)) == ("mm_dispatch_0", (("mm_dispatch_0", (NAME,)),))
    assert "#iree_codegen.no_pipeline workgroup_size = [256, 1, 1] subgroup_size = 64" in text
    assert "llvm." not in text
    assert isinstance(compiling.compile_text(text, "gfx950"), Listing)
    flag = "--iree-hal-substitute-executable-configuration=mm_dispatch_0=FIXED.mlir"
    assert flag in " ".join(fixed.settings)


def test_the_patch_is_of_the_dump_and_touches_its_stage_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, all_passes())
    report = fix(path.name, execute=False, isa=False)
    assert isinstance(report, FixReport)
    assert report.source_text == all_passes()
    assert applied(report.patch, tmp_path, path.name) == report.fixed_text
    start, end = (all_passes().index(mark) for mark in (dump("kernel"), "ConvertToROCDLPass"))
    assert report.fixed_text[:start] == all_passes()[:start]
    assert report.fixed_text.endswith(all_passes()[end:])


def test_the_command_that_check_says_of_a_dump_writes_the_executable(tmp_path: Path) -> None:
    """A patch of a log is none that anybody applies; a function that stands alone has a patch."""
    path = written(tmp_path, all_passes())
    assert f"bankwise fix {path} -o fixed.mlir\n" in bankwise("check", path).out
    alone = bankwise("check", written(tmp_path, dump("kernel")), "-t", "gfx950").out
    assert "bankwise fix" in alone
    assert "-o fixed.mlir" not in alone


def test_the_command_writes_the_executable_and_no_log(tmp_path: Path) -> None:
    path = written(tmp_path, all_passes())
    out = tmp_path / "fixed.mlir"
    bankwise("fix", path, "--no-execute", "--no-isa", "-o", out)
    assert "IR Dump After Configure" not in out.read_text("utf-8")
    assert executables(out.read_text("utf-8"))[0][0] == "mm_dispatch_0"
    refused = bankwise("fix", path, "--write")
    assert refused.code == 2
    assert "-o FIXED.mlir writes the executable" in unfolded(refused.err)


def test_of_a_dump_of_one_pass_the_executable_is_written_too(tmp_path: Path) -> None:
    """What was printed with its module is a log with a whole program in it: IREE takes neither."""
    path, out = written(tmp_path, one_pass()), tmp_path / "fixed.mlir"
    ended = bankwise("fix", path, "--no-execute", "--no-isa", "-o", out)
    text = out.read_text("utf-8")
    assert executables(text) == (("mm_dispatch_0", (NAME,)),)
    assert "IR Dump" not in text
    assert "util.func" not in text
    assert "#iree_codegen.no_pipeline workgroup_size = [256, 1, 1] subgroup_size = 64" in text
    assert isinstance(compiling.compile_text(text, "gfx950"), Listing)
    assert ended.err.count(f"executable-configuration=mm_dispatch_0={out}") == 1
    assert "translation_info" not in ended.err, "nothing is left to edit by hand"


def test_of_a_dump_of_one_pass_each_executable_gets_its_own_file(tmp_path: Path) -> None:
    two = one_pass() + one_pass().replace("mm_dispatch_0", "mm_dispatch_1")
    path, out = written(tmp_path, two), tmp_path / "fixed.mlir"
    ended = bankwise("fix", path, "--no-execute", "--no-isa", "-o", out)
    for name in ("mm_dispatch_0", "mm_dispatch_1"):
        file = tmp_path / f"fixed.{name}.mlir"
        assert [held for held, _ in executables(file.read_text("utf-8"))] == [name]
        assert f"executable-configuration={name}={file}" in ended.err
        assert f"written: {file}" in unfolded(ended.err)
    assert not out.exists()


def test_what_is_written_back_into_a_dump_of_one_pass_is_the_dump(tmp_path: Path) -> None:
    path = written(tmp_path, one_pass())
    ended = bankwise("fix", path, "--no-execute", "--no-isa", "--write")
    assert "IR Dump" in path.read_text("utf-8")
    assert "-o FIXED.mlir writes it as iree-compile takes it" in unfolded(ended.err)


def test_a_program_that_is_no_dump_is_told_its_edit_before_its_flag(tmp_path: Path) -> None:
    banner, _, text = one_pass().partition("\n")
    assert "IR Dump" in banner
    path, out = written(tmp_path, text), tmp_path / "fixed.mlir"
    err = bankwise("fix", path, "--no-execute", "--no-isa", "-o", out).err
    assert "util.func" in out.read_text("utf-8"), "a text of the user's own stays whole"
    said, flag = err.index("translation_info = "), err.index("--iree-hal-substitute")
    assert said < flag
    assert f"mm_dispatch_0={out}" in err[flag:]


def test_an_older_dump_is_told_that_what_is_written_is_newer(tmp_path: Path) -> None:
    older = re.sub(r"upper_bound (\d+)", r"{upper_bound = \1 : index}", one_pass())
    out = tmp_path / "fixed.mlir"
    err = bankwise("fix", written(tmp_path, older), "--no-execute", "--no-isa", "-o", out).err
    assert "the syntax of iree-compile 3.13, which the dump is older than" in unfolded(err)


def test_kernels_that_were_printed_one_after_the_other_are_fixed_together(tmp_path: Path) -> None:
    """The head of the second stands behind the first: what was left out of the dump is that."""
    two = all_passes() + all_passes().replace("mm_dispatch_0", "mm_dispatch_1")
    again = open_text(open_text(two).source.text)
    found = [(k.name, k.target) for k in kernels(again)]
    assert found == [(NAME, "gfx950"), (NAME.replace("0_", "1_", 1), "gfx950")]
    out = tmp_path / "fixed"
    out.mkdir()
    ended = bankwise("fix", written(tmp_path, two), "--no-execute", "--no-isa", "-o", out)
    assert ended.code in (0, 3), ended.err
    assert {path.name for path in out.iterdir()} == {"mm_dispatch_0.mlir", "mm_dispatch_1.mlir"}


def test_an_executable_that_stays_as_it_is_has_neither_file_nor_flag(
    tmp_path: Path, fixed: FixReport
) -> None:
    two = fixed.fixed_text + all_passes().replace("mm_dispatch_0", "mm_dispatch_1")
    out = tmp_path / "a folder"
    ended = bankwise("fix", written(tmp_path, two), "--no-execute", "--no-isa", "-o", f"{out}/")
    assert [path.name for path in out.iterdir()] == ["mm_dispatch_1.mlir"], ended.err
    (flag,) = (line for line in ended.err.split("\n") if "--iree-hal-substitute" in line)
    assert flag.strip().endswith(f"configuration=mm_dispatch_1={out}/mm_dispatch_1.mlir'")


def test_each_kernel_of_modules_is_read_in_its_own_executable() -> None:
    opened = open_text(two_modules())
    found = [(k.name, k.target) for k in kernels(opened)]
    assert found == [(NAME, "gfx950"), (NAME.replace("0_", "1_", 1), "gfx950")]
    assert "#map_of1 = affine_map<(d0) -> (d0 + 1)>" in opened.source.parsed
    assert "util.global" not in opened.source.parsed


def test_the_compiler_gets_the_executable_of_the_kernel_alone() -> None:
    text = next(candidates("k", two_modules())).source.parsed
    taken = prepare(text, kernel=NAME)
    assert isinstance(taken, CompilerInput)
    assert [name for name, _ in executables(taken.text)] == ["mm_dispatch_0"]
    assert taken.text.count("\n") == text.count("\n"), "lines keep their numbers"
    assert "hal.executable public @mm_dispatch_0" in taken.text


def test_a_crash_of_the_compiler_is_told_as_one_with_the_way_to_see_it_again(
    fixed: FixReport,
) -> None:
    """iree-compile 3.13.0 drops a private executable that nobody dispatches, and crashes then."""
    private = fixed.modules[0][1].replace("hal.executable public", "hal.executable private")
    backend = compiling.backend_of("gfx950")
    assert backend is not None
    taken = CompilerInput(private, ("--compile-mode=hal-executable",))
    found = compiling._run(own_compiler(), taken, "gfx950", backend, "k.mlir", 100)
    assert isinstance(found, Refusal)
    assert found.crash
    said = re.search(r"crashed on this text \(SIG\w+\); again: cd (\S+) && (.*)", found.reason)
    assert said
    assert (Path(said[1]) / "kernel.mlir").read_text("utf-8") == private
    assert said[2].startswith("iree-compile kernel.mlir --iree-hal-target-backends=rocm")
    shutil.rmtree(said[1])
    silent = replace(fixed, verdicts=(Verdict("isa", "no answer", found.reason),))
    assert silent.exit_code == 3
    assert "isa gives no answer" in silent.incomplete


TENSORS = """\
module {
  func.func @f(%a: tensor<4xf16>) -> tensor<4xf16> {
    return %a : tensor<4xf16>
  }
}
"""


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        (f"{BANNER.format('A: a')}func.func @k() {{\n  %x = gpu.thread_id", 1),
        (f"{BANNER.format('A: a')}{TENSORS}{BANNER.format('B: b')}{TENSORS[:70]}", 2),
    ],
)
def test_a_dump_that_was_cut_off_is_told_so(tmp_path: Path, text: str, opened: int) -> None:
    """The kernel's function is open; of tensors, which nobody takes for a model, its module too."""
    ended = bankwise("check", written(tmp_path, text))
    assert ended.code == 2
    many = "a `{` is" if opened == 1 else f"{opened} `{{` are"
    assert f"the text ends early, {many} not closed" in unfolded(ended.err)


def test_a_text_that_is_whole_is_not_told_that_it_ends_early(tmp_path: Path) -> None:
    ended = bankwise("check", written(tmp_path, TENSORS.replace("return %a", "return %b")))
    assert ended.code == 2
    assert "ends early" not in ended.err


def test_a_text_that_is_cut_in_a_header_is_told_so(tmp_path: Path) -> None:
    """No brace is open yet in the last dump: the parenthesis of a map is."""
    cut = f"{BANNER.format('A: a')}{TENSORS}{BANNER.format('B: b')}#map = affine_map<(d0,84xf32>\n"
    ended = bankwise("check", written(tmp_path, cut))
    assert ended.code == 2
    assert "the text ends early, a `(` is not closed" in unfolded(ended.err)


def test_a_model_that_was_cut_off_is_told_so(tmp_path: Path) -> None:
    ended = bankwise("check", written(tmp_path, TENSORS.rstrip()[:-1]), "-t", "gfx942")
    assert ended.code == 2
    assert "the text ends early, a `{` is not closed" in unfolded(ended.err)


OTHER = "mm_dispatch_1_matmul_32x32x32_f16xf16xf32"
PASSES = "".join(f"{BANNER.format(f'P{n}Pass: p{n}')}module {{\n}}\n\n" for n in range(8))


def two_dispatches(*, second: str) -> str:
    """All passes of one dispatch, then those of another as far as they were printed."""
    early = re.sub(r"(?s)      func\.func .*?\n      \}\n", "", executable()).replace(NAME, OTHER)
    return PASSES + BANNER.format("EarlyPass: early") + early + "\n" + all_passes() + second


LATE = BANNER.format("ConvertToROCDLPass: iree-convert-to-rocdl")
CUT = BANNER.format("LatePass: late") + f"func.func @{OTHER}() {{\n  %x = gpu.thread_"


@pytest.mark.parametrize(
    ("second", "missing"),
    [
        ("", True),
        (f"{BANNER.format('LatePass: late')}func.func @{OTHER}() {{\n  return\n}}\n", True),
        (f"{LATE}module {{\n  llvm.func @{OTHER}() {{ llvm.return }}\n}}\n", False),
    ],
)
def test_a_dispatch_whose_later_dumps_were_cut_off_is_named(
    tmp_path: Path, second: str, missing: bool
) -> None:
    """Each of the texts parses: it was cut at the end of a line. A dispatch without shared memory
    ends as code for LLVM, too, and is no loss."""
    text = two_dispatches(second=second)
    ended = bankwise("check", written(tmp_path, text))
    lines = text.count("\n")
    said = f"not read: {OTHER}: its later dumps are missing, the text ends at line {lines}"
    assert (said in unfolded(ended.out)) is missing
    assert "print it without" not in ended.out
    assert ("; 1 not analysed;" in unfolded(ended.out)) is missing


def test_of_a_dump_that_was_cut_in_a_kernel_the_other_one_keeps_its_gpu(tmp_path: Path) -> None:
    shared = "  %m = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>\n"
    text = two_dispatches(second=CUT.replace("  %x", f"{shared}  %x"))
    ended = bankwise("check", written(tmp_path, text))
    out = unfolded(ended.out)
    assert f"{NAME} on gfx9" in out, ended.err
    assert "the text ends early, " in out
    assert f"not read: {OTHER}: its later dumps are missing" in out
    assert "ir-module-scope" not in out


def test_a_hint_for_a_gpu_is_the_one_that_the_text_names(tmp_path: Path) -> None:
    """The kernel's executable is cut away; another dispatch still says what all are for."""
    alone = f'// arch = "gfx942"\n{dump("kernel")}'
    ended = bankwise("check", written(tmp_path, alone))
    assert "--target gfx942" in ended.err
    assert "--target gfx950" in bankwise("check", written(tmp_path, dump("kernel"))).err


def test_the_cost_of_a_dump_that_was_cut_off_names_what_it_lacks(tmp_path: Path) -> None:
    ended = bankwise("cost", written(tmp_path, two_dispatches(second="")))
    assert f"not read: {OTHER}: its later dumps are missing" in unfolded(ended.out + ended.err)
    assert ended.code == 3
