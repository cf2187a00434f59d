"""Which kernel of a profile is meant: what `--profiled` takes, and what a message proposes."""

from __future__ import annotations

import re
import shlex

import pytest

from bankwise.ask.beside.profiled import called, glob_of, is_meant, one_kernel, only
from bankwise.errors import InputError
from bankwise.profile.values import Launch, Profile, Quantity

GEMM = (
    "void ck_tile::kentry<2, ck_tile::GemmKernel<ck_tile::TileGemmShape<ck_tile::sequence<{m}, 128,"
    " 64>, ck_tile::sequence<2, 2, 1> >, ck_tile::DefaultGemm2DEpilogue<> >, ck_tile::"
    "GemmKernelArgs>(ck_tile::GemmKernelArgs)"
)
BIG, SMALL = GEMM.format(m=256), GEMM.format(m=128)
SOFTMAX = "void ck_tile::kentry<2, ck_tile::SoftmaxKernel<float>, ck_tile::Args>(ck_tile::Args)"


def profile(*names: str) -> Profile:
    """A launch of each kernel, which touches shared memory."""
    counters = {"SQ_INSTS_LDS": Quantity(64.0, "")}
    launches = tuple(Launch(name, str(n), counters=counters) for n, name in enumerate(names))
    return Profile("p.csv", "rocprofv3", "amd", launches)


@pytest.mark.parametrize(
    "pattern",
    [
        BIG,
        "kentry",
        "ck_tile::kentry",
        "kentry<2, ck_tile::GemmKernel*",
        "ck_tile::kentry<2, ck_tile::GemmKernel*",
        "ck_tile::kentry<2, ck_tile::GemmKernel<..>, ck_tile::GemmKernelArgs>",
        "kentry<2, ..>",
        "ck_tile::kentry<..",
    ],
)
def test_a_kernel_has_names_with_and_without_namespace_and_template_arguments(pattern: str) -> None:
    assert is_meant(pattern, BIG)
    assert is_meant(pattern, f"{BIG} [clone .kd]")
    assert not is_meant(pattern, "void ck_tile::other<2>(int)")


def test_what_a_message_calls_a_kernel_means_it() -> None:
    for name in (BIG, SOFTMAX, "void f<a<" + "b, " * 90 + "c> >(int)", "gemm"):
        assert is_meant(called(name), name)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ((BIG, SMALL), ("*sequence<256*", "*sequence<128*")),
        ((BIG, SOFTMAX), ("*GemmKernel*", "*SoftmaxKernel*")),
        (("gemm", "gemm_v2"), ("gemm", "gemm_v2")),
        (("f(int)", "f(float)"), ("f(int)", "f(float)")),
        (("f(int, int)", "f(int)"), ("f(int,?int)", "f(int)")),
    ],
)
def test_several_kernels_are_told_with_a_pattern_that_means_one(
    names: tuple[str, ...], says: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as caught:
        one_kernel(profile(*names))
    assert not re.search(r"'[^' ]* [^']*' is", caught.value.hint)
    said = re.findall(r"--profiled (\S+) is", caught.value.hint)
    assert tuple(shlex.split(one)[0] for one in said) == says
    for name, pattern in zip(names, says, strict=True):
        mine, why = one_kernel(only(profile(*names), pattern))
        assert (mine.kernels, why) == ((name,), "the one that --profiled names")


def test_a_pattern_means_no_kernel_that_an_earlier_one_left_out() -> None:
    """Both are GEMMs; the third has the word that tells them apart as well."""
    third = "void other<ck_tile::sequence<256> >(int)"
    with pytest.raises(InputError) as caught:
        one_kernel(only(profile(BIG, SMALL, third), "*GemmKernel*"))
    assert "2 kernels of this profile that --profiled names touch" in caught.value.message
    (first, _) = re.findall(r"--profiled (\S+) is", caught.value.hint)
    (pattern,) = shlex.split(first)
    assert only(profile(BIG, SMALL, third), pattern).kernels == (BIG,)


def test_names_that_nothing_tells_apart_get_no_pattern() -> None:
    assert glob_of("a*", ("a*", "ab")) == ""
    assert one_kernel(profile("k"))[1] == "the only kernel of this profile"
