"""An entry of Triton's cache: what stands beside its machine code says the block and the names."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bankwise.ask.check import check_file
from bankwise.ask.ttgir_files import destination, override
from bankwise.errors import InputError
from bankwise.read.options import Options
from bankwise.read.ttgir.beside import block_of, keys_beside, launches_beside
from command import bankwise
from isa_texts import DATA
from ttgir_texts import module

ASSEMBLY = """.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.text
.globl k
.type k,@function
k:
  s_load_dword s4, s[0:1], 0x8
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s5, 0
loop:
  ds_write_b32 v1, v2
  s_add_i32 s5, s5, 1
  s_cmp_lt_i32 s5, s4
  s_cbranch_scc1 loop
  s_endpgm
.Lend:
  .size k, .Lend-k
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size 0
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_vgpr_workitem_id 2
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .offset: 8
        .size: 4
        .value_kind: by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_size: 16
    .max_flat_workgroup_size: 256
    .name: k
    .symbol: k.kd
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.version: [1, 2]
...
.end_amdgpu_metadata
"""
"""Stores n words for each of its lanes, n the four bytes behind a pointer."""


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """The kernel, its metadata, and a TTGIR that names its arguments."""
    folder = tmp_path / ("A" * 52)
    folder.mkdir()
    said = {"name": "k", "num_warps": 2, "warp_size": 64}
    (folder / "k.json").write_text(json.dumps(said))
    (folder / "k.amdgcn").write_text(ASSEMBLY)
    text = module("", target="hip:gfx942", lanes=64, arguments="%x: !tt.ptr<f32>, %rounds: i32")
    (folder / "k.ttgir").write_text(text.replace("[8, 4]", "[16, 4]"))
    return folder


def test_the_block_is_that_of_the_metadata(entry: Path) -> None:
    """Two waves of 64 lanes: without it the code's own limit of 256 was assumed, and other shapes,
    as it asks for three numbers of a work-item."""
    (kernel,) = check_file(entry / "k.amdgcn", Options()).kernels
    assert (kernel.workgroup_size, kernel.launched, kernel.assumed) == (
        (128, 1, 1),
        "as k.json says",
        "",
    )
    assert kernel.others == ()
    assert "workgroup size 128,1,1, as k.json says" in kernel.notes
    (entry / "k.json").unlink()
    (kernel,) = check_file(entry / "k.amdgcn", Options()).kernels
    assert kernel.assumed


@pytest.mark.parametrize("said", ["", "[]", "{", '{"num_warps": 2}', '{"num_warps": 1e9}'])
def test_a_neighbour_that_says_nothing_is_no_matter(said: str, entry: Path) -> None:
    (entry / "k.json").write_text(said)
    (kernel,) = check_file(entry / "k.amdgcn", Options()).kernels
    assert kernel.assumed


def test_what_the_user_says_goes_first(entry: Path) -> None:
    said = Options(workgroup_size="64")
    assert check_file(entry / "k.amdgcn", said).kernels[0].workgroup_size == (64, 1, 1)


def test_arguments_have_the_names_of_the_ttgir_beside(entry: Path) -> None:
    """A store of 64 words in a row takes two passes; two waves, five rounds."""
    printed = bankwise("check", entry).out
    assert "--arg rounds=" in printed
    assert "--arg 8=" not in printed
    for name in ("rounds", "8"):
        report = check_file(entry / "k.amdgcn", Options(arguments=(f"{name}=5",)))
        assert report.kernels[0].counted
        assert report.totals.run.passes == 2 * 2 * 5
    text = (entry / "k.ttgir").read_text()
    unread = "#new = #ttg.made_later<{vec = 8}>\n"  # an encoding names no argument
    (entry / "k.ttgir").write_text(unread + text)
    assert "--arg rounds=" in bankwise("check", entry / "k.amdgcn").out
    (entry / "k.ttgir").unlink()
    assert "--arg 8=" in bankwise("check", entry / "k.amdgcn").out
    with pytest.raises(InputError, match="no parameter 'rounds'"):
        check_file(entry / "k.amdgcn", Options(arguments=("rounds=5",)))


def test_a_block_is_warps_times_lanes_where_both_are_said() -> None:
    assert block_of({"num_warps": 8, "target": {"warp_size": 32}}) == (256, 1, 1)
    assert block_of({"num_warps": 8}) is None
    assert block_of({"num_warps": 64, "warp_size": 64}) is None


@pytest.mark.parametrize("name", ["", "-", "k.so:lib.a", "missing.amdgcn", "/.ptx"])
def test_a_file_without_neighbours_has_no_names_and_no_block(name: str) -> None:
    assert keys_beside(Path(name)) == {}
    assert launches_beside(Path(name)) == ()


def test_ptx_of_an_entry_takes_names_by_position(tmp_path: Path) -> None:
    """Of a product its size is the fourth argument: with either name all loops are counted."""
    for kind in ("ptx", "ttgir"):
        shutil.copy(DATA / f"triton_matmul.sm_90.{kind}", tmp_path / f"k.{kind}")
    for name in ("size", "3"):
        assert (
            check_file(tmp_path / "k.ptx", Options(arguments=(f"{name}=256",))).kernels[0].counted
        )


@pytest.mark.parametrize(
    ("output", "inside"),
    [
        ("k.ttgir", True),
        ("k.amdgcn", True),
        (".", True),
        ("new/", True),
        ("new.ttgir", True),
        ("../new.ttgir", False),
        ("../new/", False),
    ],
)
def test_nothing_is_written_into_the_entry_that_is_read(
    output: str, inside: bool, entry: Path
) -> None:
    """Its machine code would be of another text, and `fix` call it clean by the new one."""
    if inside:
        with pytest.raises(InputError, match="in the entry that is read"):
            destination(entry / "k.ttgir", f"{entry}/{output}")
    else:
        destination(entry / "k.ttgir", f"{entry}/{output}")


def test_a_copy_of_an_entry_by_another_name_is_one_too(entry: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(entry, other)
    for output in ("k.ttgir", ""):
        with pytest.raises(InputError, match="in the entry that is read"):
            destination(other / "k.ttgir", f"{other}/{output}")
    for path in other.glob("k.[!t]*"):
        path.unlink()
    destination(other / "k.ttgir", f"{other}/k.ttgir")
    assert destination(other / "k.ttgir", f"{other}/new/").folder == f"{other}/new"


def test_a_folder_of_entries_says_that_the_folder_of_one_will_do(entry: Path) -> None:
    refused = bankwise("fix", entry.parent)
    assert refused.code == 2
    assert "the folder of one kernel does, named by its hash" in " ".join(refused.err.split())


def test_for_an_entry_a_name_without_a_suffix_is_a_folder_that_is_made(tmp_path: Path) -> None:
    """Triton looks for HASH/NAME.ttgir below a folder; elsewhere a name is a file's, as ever."""
    entry = tmp_path / ("A" * 52)
    entry.mkdir()
    for file in (entry / "k.ttgir", tmp_path / "k.ttgir"):
        file.write_text(module(""))
    new = str(tmp_path / "new")
    assert destination(entry / "k.ttgir", new).folder == new
    assert destination(entry / "k.ttgir", f"{new}.ttgir").folder == ""
    assert destination(tmp_path / "k.ttgir", new).folder == ""


def test_what_to_set_is_one_command_that_a_shell_takes() -> None:
    """Pasted with its ends of lines, a program gets all four variables."""
    told = override("a folder/below/" + 3 * "quite/far/" + "down")
    first, _, command = told.partition("\n")
    assert first == "run it with"
    assert max(map(len, told.split("\n"))) <= 80
    printed = command.replace("python ..", "env")
    done = subprocess.run(["sh", "-c", printed], capture_output=True, text=True, check=True)
    said = dict(line.split("=", 1) for line in done.stdout.splitlines() if "TRITON" in line)
    folder = "a folder/below/" + 3 * "quite/far/" + "down"
    assert said == {
        "TRITON_KERNEL_OVERRIDE": "1",
        "TRITON_OVERRIDE_DIR": folder,
        "TRITON_ALWAYS_COMPILE": "1",
        "TRITON_CACHE_DIR": f"{folder}/cache",
    }
