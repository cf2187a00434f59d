"""Kernels under their authors' names: what is spelled, what a glob means, in every language."""

from __future__ import annotations

import random
import shutil
import string
import subprocess
from pathlib import Path

import pytest

from bankwise.ask.check import check
from bankwise.errors import InputError
from bankwise.read.names import demangled, listed, means, short
from command import bankwise

_NAMES = (
    "_Z6reduceIfLi256EEvPKfPf",
    "_ZN2ns12_GLOBAL__N_17reduce2IiLb1EXadL_ZNS_3fooEvEEEEvPT_",
    "_Z15reduce_unrolledIiLj512ELb1EEvPKT_PS0_j",
    "_Z1fIXgtLi3ELi2EEEvv",
    "_ZN7cutlass6KernelINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJiiiiEEEvEEEEvNT_6ParamsE",
)


@pytest.mark.skipif(shutil.which("c++filt") is None, reason="binutils spell the names")
@pytest.mark.parametrize("name", _NAMES)
def test_names_are_spelled_as_binutils_spell_them_but_for_suffixes_of_numbers(name: str) -> None:
    said = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True)
    for scalar in ("(bool)0", "(bool)1", "(int)", "(unsigned int)"):
        assert scalar not in demangled(name)
    plain = said.stdout.strip().replace("(bool)1", "true").replace("(int)", "")
    plain = plain.replace("512u", "512")
    assert demangled(name) == plain


@pytest.mark.parametrize(
    ("pattern", "name", "meant"),
    [
        ("", _NAMES[0], True),
        ("*", _NAMES[0], True),
        ("reduce", _NAMES[0], True),
        ("red*", _NAMES[0], True),
        ("reduce<float*", _NAMES[0], True),
        ("reduce<float, 256>", _NAMES[0], True),
        ("_Z6reduce*", _NAMES[0], True),
        ("void reduce<float, 256>(float const*, float*)", _NAMES[0], True),
        ("reduce<int*", _NAMES[0], False),
        ("educe", _NAMES[0], False),
        ("reduce2", _NAMES[1], True),
        ("ns::*::reduce2*", _NAMES[1], True),
        ("Reduce", _NAMES[0], False),
        ("gemm*", "gemm_nt", True),
        ("gemm[1]", "gemm[1]", True),
        ("GemmUniversal*", _NAMES[4], False),
        ("Kernel", _NAMES[4], True),
    ],
)
def test_a_pattern_means_a_kernel_by_any_of_its_names(pattern: str, name: str, meant: bool) -> None:
    assert means(pattern, name) == meant


def test_a_short_name_keeps_its_outer_template_arguments() -> None:
    assert short(_NAMES[0]) == "reduce<float, 256>"
    assert short(_NAMES[4]) == "cutlass::Kernel<cutlass::gemm::kernel::GemmUniversal<..> >"
    assert short("_Z") == "_Z"
    long = "MakeALdsBlockDescriptor and MakeBLdsBlockDescriptor and MakeCLdsBlockDescriptor"
    assert short(long) == long


def test_of_many_kernels_the_first_are_listed() -> None:
    assert listed([f"k{n}" for n in range(15)]).endswith("k11 and 3 more")


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("_Z10layer_normPDF16_PKDF16_PKf", "layer_norm(half*, half const*, float const*)"),
        ("_Z6im2colPDF16bPKDF16bii", "im2col(__bf16*, __bf16 const*, int, int)"),
        ("_Z4gemmIDF16bLi64EDF16_EvPT_PT1_", "void gemm<__bf16, 64, half>(__bf16*, half*)"),
        ("_Z6DF16_xf", "DF16_x(float)"),
    ],
)
def test_the_16_bit_types_of_clang_are_spelled_whatever_the_runtime_knows(
    name: str, spelled: str
) -> None:
    assert demangled(name) == spelled
    assert means(spelled.partition("(")[0].partition("<")[0].removeprefix("void "), name)


def test_no_name_breaks_the_spelling() -> None:
    draw = random.Random(7)
    signs = string.ascii_letters + string.digits + "_<>(){}[],: \0é$."
    for _ in range(3_000):
        body = "".join(draw.choice(signs) for _ in range(draw.randrange(30)))
        for name in (body, f"_Z{body}", f"_ZN{len(body)}{body}IiE"):
            assert isinstance(short(name), str)
            assert means(name, name)
            means(body, name)
    assert demangled("_Z" + "P" * 100_000) == "_Z" + "P" * 100_000


_PTX = """.version 8.0
.target sm_80
.address_size 64
"""
_ENTRY = """.visible .entry {name}() .reqntid 32, 1, 1 {{
  .reg .b32 %r<3>;
  .shared .align 4 .b8 t_{number}[128];
  mov.u32 %r1, %tid.x;
  shl.b32 %r1, %r1, 2;
  mov.u32 %r2, t_{number};
  add.s32 %r2, %r2, %r1;
  st.shared.u32 [%r2], %r1;
  ret;
}}
"""


def test_a_glob_chooses_kernels_of_a_file(tmp_path: Path) -> None:
    names = ("_Z4gemmILi64EEvPf", "_Z4gemmILi32EEvPf", "_Z4copyPf")
    file = tmp_path / "k.ptx"
    entries = (_ENTRY.format(name=name, number=n) for n, name in enumerate(names))
    file.write_text(_PTX + "".join(entries))
    assert {k.name for k in check(file, kernel="gemm*").kernels} == set(names[:2])
    assert [k.name for k in check(file, kernel="copy").kernels] == [names[2]]
    with pytest.raises(InputError, match="no kernel 'scan'") as said:
        check(file, kernel="scan")
    assert said.value.hint == "it has gemm<64>, gemm<32>, copy"


def test_a_report_calls_kernels_and_variables_as_their_author_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Conflicts of a mangled variable, an address by the block's index; then both are gone."""
    monkeypatch.chdir(tmp_path)
    name, place = "_Z4gemmILi64EEvPf", "_ZZ4gemmILi64EEvPfE4tile"
    body = _ENTRY.replace("%r1, %r1, 2", "%r1, %r1, 7").format(name=name, number=0)
    body = body.replace("t_0[128]", f"{place}[4096]").replace("t_0", place)
    more = "mov.u32 %r2, %ctaid.x;\n  mul.lo.s32 %r1, %r1, %r2;\n  st.shared.u32 [%r1], %r1;\n"
    Path("k.ptx").write_text(_PTX + body.replace("ret;", f"{more}  ret;"))
    words = ("", "--format github", "--concise")
    told = [" ".join(bankwise("check", "k.ptx", *form.split()).out.split()) for form in words]
    assert not any("_Z" in one or "ctaid" in one for one in told)
    assert "bank conflict: write of tile" in told[0]
    assert "its address depends on the block's index blockIdx.x" in told[0]
    assert all("gemm<64>: --arg blockIdx.x=0 opens 1 access" in one for one in told)
    Path("known.json").write_text(bankwise("check", "k.ptx", "--format", "json").out)
    Path("k.ptx").write_text(_PTX + _ENTRY.format(name=name, number=0))
    said = bankwise("check", "k.ptx", "--baseline", "known.json").out
    assert "1 access in the baseline is here no more, save it anew: k.ptx: gemm<64>" in " ".join(
        said.split()
    )
