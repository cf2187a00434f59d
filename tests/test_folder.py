"""Folders that compilers leave: the last stage is checked, the rest is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bankwise.ask.check import check, check_file
from bankwise.errors import InputError
from bankwise.read.options import Options
from bankwise.read.own_gpu import of_one_among_many
from bankwise.show.values import CheckReport
from binary_files import fatbin, fatbin_entry
from command import bankwise, unfolded
from isa_texts import DATA as ISA
from isa_texts import amd_text

ROOT = Path(__file__).parent
STEM = "module_mm_dispatch_0"


def folder(base: Path, **files: str | Path) -> Path:
    """A folder of files: texts, or copies of others; ``__`` in a name is a dot."""
    for name, content in files.items():
        path = base / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copy(content, path)
        else:
            path.write_text(content, "utf-8")
    return base


def numbers(report: CheckReport) -> list[tuple[str, int, int]]:
    return [(a.instruction, a.location.line, a.run.passes) for a in report.accesses]


def test_of_an_iree_dump_the_assembly_is_checked(tmp_path: Path) -> None:
    source = ISA / "matmul_1024.gfx942.s"
    found = check(
        folder(
            tmp_path,
            **{
                f"{STEM}_rocm_hsaco_fb__rocmasm": source,
                f"{STEM}_rocm_hsaco_fb__optimized__ll": "define void @k() { ret void }",
                f"{STEM}_rocm_hsaco_fb_benchmark__mlir": "module {}",
                f"{STEM}_rocm_hsaco_fb__hsaco": "\x7fELF",
                f"configured_{STEM}__mlir": "module {}",
                f"{STEM}__mlir": "module {}",
            },
        )
    )
    assert found.file == str(tmp_path)
    assert numbers(found) == numbers(check(source))
    assert found.refusals == ()
    checked, earlier, other = found.notes[:3]
    assert checked == f"{STEM}: checked {STEM}_rocm_hsaco_fb.rocmasm"
    assert all(n in earlier for n in (f"configured_{STEM}.mlir", "_benchmark.mlir"))
    assert ".optimized.ll" in other
    assert ".hsaco" in other


def test_what_iree_really_dumps_is_checked(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from iree.compiler import tools

    dump = tmp_path / "dump"
    tools.compile_file(
        str(ROOT / "data" / "dumps" / "matmul.mlir"),
        target_backends=["rocm"],
        extra_args=["--iree-rocm-target=gfx942", f"--iree-hal-dump-executable-files-to={dump}"],
    )
    found = check(dump)
    (assembly,) = dump.glob("*.rocmasm")
    assert numbers(found) == numbers(check(assembly))
    assert found.target == "gfx942"
    assert {a.location.file for a in found.accesses} == {str(assembly)}


def test_of_a_triton_cache_entry_the_emitted_code_is_checked(tmp_path: Path) -> None:
    source = ISA / "triton_transpose.sm_90.ptx"
    entry = folder(
        tmp_path / "abc",
        transpose__ptx=source,
        transpose__ttgir=ISA / "triton_transpose.sm_90.ttgir",
        transpose__cubin="\x7fELF",
        transpose__json="{}",
        __grp__transpose__json="{}",
    )
    found = check(entry)
    assert numbers(found) == numbers(check(source))
    assert any("transpose.ttgir" in n and "earlier stage" in n for n in found.notes)
    assert numbers(check(tmp_path)) == numbers(found)
    (entry / "transpose.ptx").write_text("no PTX", "utf-8")
    assert any(n.startswith("left out, a later stage: transpose.ptx: ") for n in check(entry).notes)


def test_kernels_of_several_files_are_one_report_and_keep_apart(tmp_path: Path) -> None:
    """Both kernels are called k: one reads a word every 256 bytes, one every 4."""
    body = "\tv_lshlrev_b32_e32 v1, {}, v0\n\tds_read_b32 v2, v1"
    found = check(
        folder(tmp_path, a__s=amd_text(body.format(8)), b__s=amd_text(body.format(2))),
        workgroup_size="64",
    )
    assert [k.name for k in found.kernels] == ["k [a.s]", "k [b.s]"]
    assert {a.kernel: a.run.extra for a in found.accesses} == {"k [a.s]": 62, "k [b.s]": 0}


def test_one_kernel_of_a_folder_can_be_chosen(tmp_path: Path) -> None:
    other = amd_text("\tds_read_b32 v2, v0").replace("k:", "j:").replace("_kernel k", "_kernel j")
    base = folder(tmp_path, a__s=amd_text("\tds_read_b32 v2, v0"), b__s=other)
    found = check(base, kernel="j", workgroup_size="64")
    assert [k.name for k in found.kernels] == ["j"]
    assert found.refusals == ()
    with pytest.raises(InputError, match="no kernel 'i' in this folder"):
        check(base, kernel="i", workgroup_size="64")


def test_the_later_of_two_readable_stages_is_checked(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    base = folder(
        tmp_path,
        **{
            f"{STEM}__mlir": ROOT / "data" / "dumps" / "iree-3.13.0-module.mlir",
            f"{STEM}_rocm_hsaco_fb__s": amd_text("\tds_read_b32 v2, v0"),
        },
    )
    assert check(base / f"{STEM}.mlir").accesses
    assert [a.instruction for a in check(base).accesses] == ["ds_read_b32"]


def test_a_stage_that_cannot_be_read_gives_way_to_an_earlier_one(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    base = folder(
        tmp_path,
        **{
            f"{STEM}_rocm_hsaco_fb__rocmasm": "cut off",
            f"{STEM}__mlir": ROOT / "data" / "dumps" / "iree-3.13.0-module.mlir",
        },
    )
    found = check(base)
    assert found.notes[0] == f"{STEM}: checked {STEM}.mlir"
    assert found.accesses


def test_what_has_no_readable_stage_is_a_refusal_beside_the_rest(tmp_path: Path) -> None:
    found = check(
        folder(tmp_path, a__s=amd_text("\tds_read_b32 v2, v0"), b__ptx="cut off"),
        workgroup_size="64",
    )
    assert [k.name for k in found.kernels] == ["k"]
    assert [Path(r.location.file).name for r in found.refusals if r.location] == ["b.ptx"]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "the folder is empty"),
        (
            {"a__py": "x", "b__py": "x"},
            "nothing that a compiler dumps in this folder: it has 2 .py",
        ),
        ({"a__cubin": "x", "a__json": "{}"}, "no stage of a kernel that is text"),
        ({"a__ptx": "cut off"}, "nothing in this folder can be checked"),
        ({".hidden__ptx": "x"}, "the folder is empty"),
    ],
)
def test_a_folder_without_kernels_is_told_what_it_has(
    tmp_path: Path, files: dict[str, str], says: str
) -> None:
    with pytest.raises(InputError, match=says) as caught:
        check_file(folder(tmp_path, **files), Options())
    assert caught.value.location is not None
    assert caught.value.location.file == str(tmp_path)


def test_numbered_dispatches_are_not_confused(tmp_path: Path) -> None:
    """module_d_1 is no stage of module_d_10, and user names that speak of CUDA are no backend."""
    text = amd_text("\tds_read_b32 v2, v0")
    files = {
        "module_d_1__mlir": "module {}",
        "module_d_1_rocm_hsaco_fb__rocmasm": text,
        "module_d_10_rocm_hsaco_fb__rocmasm": text,
        "matmul_cuda_v1__s": text,
        "matmul_cuda_v2__s": text,
    }
    found = check(folder(tmp_path, **files), workgroup_size="64")
    assert len(found.kernels) == 4


def two_kernels(*names: str) -> str:
    """Assembly of kernels that read a word every 256 bytes."""
    one = amd_text("\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1")
    return "".join(one.replace("k:", f"{n}:").replace("_kernel k", f"_kernel {n}") for n in names)


def test_dispatches_whose_code_is_linked_are_counted_once(tmp_path: Path) -> None:
    """A kernel that was put into the model stands in IREE's benchmark of it, too."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    lowered = ROOT / "data" / "dumps" / "iree-3.13.0-module.mlir"
    model = ROOT / "data" / "dumps" / "matmul.mlir"
    files: dict[str, str | Path] = {
        "module_linked_rocm_hsaco_fb__rocmasm": two_kernels("mm_dispatch_0_x", "mm_dispatch_1_x")
    }
    for number in (0, 1, 11):
        files[f"configured_module_mm_dispatch_{number}__mlir"] = model
        files[f"module_mm_dispatch_{number}__mlir"] = model
        files[f"module_mm_dispatch_{number}_rocm_hsaco_fb_benchmark__mlir"] = lowered
    base = folder(tmp_path, **files)
    found = check(base, workgroup_size="64")
    assert [kernel.name for kernel in found.kernels] == [
        *("mm_dispatch_0_x", "mm_dispatch_1_x"),
        "mm_dispatch_0_matmul_64x64x64_f16xf16xf32",
    ]
    eleventh = found.kernels[-1].location.file
    assert eleventh.endswith("module_mm_dispatch_11_rocm_hsaco_fb_benchmark.mlir")
    assert found.refusals == ()
    (earlier,) = (note for note in found.notes if "earlier stage" in note)
    assert earlier.endswith(" and 5 more"), "3 are named of the 6 of two dispatches, and of 2"
    assert not any("later stage" in note for note in found.notes)
    assert " of 2 files: " in unfolded(bankwise("scan", base).out)


def test_a_dispatch_that_has_no_threads_yet_is_told_once(tmp_path: Path) -> None:
    model = ROOT / "data" / "dumps" / "matmul.mlir"
    files: dict[str, str | Path] = {
        "a__s": amd_text("\tds_read_b32 v2, v0"),
        f"configured_{STEM}__mlir": model,
        f"{STEM}__mlir": model,
    }
    (refusal,) = check(folder(tmp_path, **files), workgroup_size="64").refusals
    assert "no threads in it yet" in refusal.reason


def test_rows_of_several_long_files_fit_a_line(tmp_path: Path) -> None:
    body = "\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1"
    long = {f"{'a_long_name_of_a_file_' * 3}{n}__s": amd_text(body) for n in "12"}
    told = bankwise("check", folder(tmp_path, **long), "--workgroup-size", "64").out
    rows = [line for line in told.splitlines() if line.split()[:1] == ["62"]]
    assert len(rows) == 2
    assert all(len(row) <= 80 and "ds_read_b32" in row for row in rows)
    places = [word for row in rows for word in row.split() if ".s:" in word]
    assert len({*places}) == 2, "files stay apart"


MIXED = {
    "a__s": "matmul_1024.gfx942.s",
    "b__ttgir": "triton_transpose.sm_80.ttgir",
    "c__ptx": "matmul_1024.sm_80.ptx",
}
"""PTX names the oldest GPU that runs it, the others the one that they are for."""


def test_in_a_folder_the_target_is_for_files_that_name_no_gpu(tmp_path: Path) -> None:
    files: dict[str, str | Path] = {name: ISA / source for name, source in MIXED.items()}
    silent = """
func.func @k(%in: memref<256xf32>) attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %x = gpu.thread_id x upper_bound 256
  %lds = memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>
  %v = memref.load %in[%x] : memref<256xf32>
  memref.store %v, %lds[%x] : memref<256xf32, #gpu.address_space<workgroup>>
  return
}
"""
    found = check_file(folder(tmp_path, d__mlir=silent, **files), Options(target="sm_90"))
    assert isinstance(found, CheckReport)
    gpus = {Path(k.location.file).name: k.target for k in found.kernels}
    assert gpus == {"a.s": "gfx942", "b.ttgir": "sm_80", "c.ptx": "sm_90", "d.mlir": "sm_90"}
    named = "counted for the GPU that they name, not for sm_90: a.s (gfx942), b.ttgir (sm_80)"
    assert named in found.notes
    assert not found.refusals


def test_mlir_of_a_folder_that_names_its_gpu_is_counted_for_it(tmp_path: Path) -> None:
    text = (ROOT / "data" / "kernels" / "matmul_f32_32x32x32_gfx942.mlir").read_text("utf-8")
    named = text.replace("{gpu.known", '{target = "gfx942", gpu.known')
    found = check_file(folder(tmp_path, a__mlir=named, b__mlir=text), Options(target="gfx950"))
    assert isinstance(found, CheckReport)
    gpus = {Path(k.location.file).name: k.target for k in found.kernels}
    assert gpus == {"a.mlir": "gfx942", "b.mlir": "gfx950"}


def test_a_default_target_gives_way_and_a_target_does_not(tmp_path: Path) -> None:
    code = folder(tmp_path, a__s=ISA / MIXED["a__s"]) / "a.s"
    default = bankwise("check", code, "--default-target", "sm_90", "--concise")
    assert default.code == 1, default.err
    told = "note: a.s names its GPU, counted for gfx942, not for A100\n"
    for form in ("text", "github"):
        other = bankwise("check", code, "--default-target", "A100", "--format", form)
        assert (told in other.err, "counted as" in other.err) == (True, False)
    taken = bankwise("check", code, "--default-target", "MI300X")
    assert ("MI300X is gfx942" in taken.err, "its GPU" in taken.err) == (True, False)
    asked = bankwise("check", code, "--target", "sm_90")
    assert (asked.code, "for gfx942, not for sm_90" in asked.err) == (2, True)
    both = bankwise("check", code, "-t", "sm_90", "--default-target", "sm_90")
    assert (both.code, "leave one out" in both.err) == (2, True)


def test_of_a_binary_for_several_gpus_the_target_chooses_one_that_it_has(tmp_path: Path) -> None:
    code = fatbin(fatbin_entry(2, 80, b"\x7fELF80"), fatbin_entry(2, 90, b"\x7fELF90"))
    (tmp_path / "two.fatbin").write_bytes(code)
    for target, left in (("sm_80", "sm_80"), ("sm_90", "sm_90"), ("gfx942", "")):
        options = of_one_among_many(tmp_path / "two.fatbin", Options(target=target))
        assert options.target == left


def test_a_source_in_a_folder_is_said_to_be_left_for_its_own_check(tmp_path: Path) -> None:
    place = folder(tmp_path, a__s=amd_text("\tds_read_b32 v1, v0"), b__cu="x", c__txt="y")
    notes = check(place).notes
    assert "left out, source, which is checked only by name: b.cu" in notes
    assert any("b.cu` compiles a source, `bankwise scan " in note for note in notes)
    assert "left out, not read: c.txt" in notes


def test_a_workgroup_of_one_thread_is_said_to_have_nothing_that_could_conflict(
    tmp_path: Path,
) -> None:
    """That is what IREE makes of a kernel that it lowers once more: clean, and of no use."""
    one = amd_text("\tds_read_b32 v2, v0", threads=1)
    other = one.replace("k:", "m_dispatch_0_x:").replace("_kernel k", "_kernel m_dispatch_0_x")
    place = folder(tmp_path, a__s=one, b__s=other)
    notes = [kernel.notes for kernel in check(place, workgroup_size="1").kernels]
    said = "a workgroup is one thread: no two lanes can conflict"
    assert said in notes[0]
    assert f"{said}; so is what IREE lowers once more (docs/models.md)" in notes[1]
    more = check(place, workgroup_size="2").kernels
    assert not [note for kernel in more for note in kernel.notes if "one thread" in note]
