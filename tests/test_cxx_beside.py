"""What a source's headers say of its arrays through macros: of what is moved, and by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.tree import parse
from bankwise.read.toolkit import find_program
from command import bankwise

needs_nvcc = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
KERNEL = (
    "__global__ void g(int t) {{\n__shared__ float s[32][32];\n{body}\n}}\nvoid h() {{ {after} }}\n"
)


def array_beside(body: str, header: str, after: str = "", before: str = "") -> SharedArray:
    """The array of a kernel beside a header."""
    text = before + KERNEL.format(body=body, after=after)
    (found,) = shared_arrays(parse(text, "k.cu", beside=(("inc/m.h", header),)))
    return found


MOVES = (
    ("#define VEC(x) (*(float4*)&(x))", "VEC(s[t][4]) = {};", ("sizeof(float4)",)),
    ("#define LD(v, p) v = *(double*)(p)", "double v; LD(v, &s[t][4]);", ("sizeof(double)",)),
    (
        '#define LDSM(v, a) asm("ldmatrix.x4 {..}, [%1];" \\\n : "=r"(v) : "r"(a))',
        "unsigned a = __cvta_generic_to_shared(&s[t][4]), v;\nLDSM(v, a);",
        ("16",),
    ),
)


@pytest.mark.parametrize(("header", "body", "moved"), MOVES)
def test_what_a_macro_of_a_header_moves_is_known(
    header: str, body: str, moved: tuple[str, ...]
) -> None:
    array = array_beside(body, f"#pragma once\n{header}\n")
    assert not array.refusals
    assert [use.kept for use in array.uses] == [moved]


def test_of_several_definitions_each_moves_what_it_moves() -> None:
    macros = (
        "#ifdef A\n#define V(x) (*(float2*)&(x))\n#else\n#define V(x) (*(float4*)&(x))\n#endif\n"
    )
    array = array_beside("V(s[t][4]) = {};", macros)
    assert [set(use.kept) for use in array.uses] == [{"sizeof(float2)", "sizeof(float4)"}]


def test_a_macro_of_a_header_that_ends_a_statement_does() -> None:
    body = "float4 v;\nLD(v, &s[t][4])\n((float4*)s[t])[1] = v;"
    ends = array_beside(body, "#define LD(v, p) v = *(float4*)(p); // one\n")
    goes_on = array_beside(body, "#define LD(v, p) v = *(float4*)(p)\n")
    assert not ends.refusals
    assert [use.kept for use in ends.uses] == [("sizeof(float4)",)] * 2
    assert goes_on.refusals


def test_a_macro_that_is_a_function_as_well_is_not_followed() -> None:
    header = "#define LD(p) (*(float4*)(p))\n"
    before = "__device__ float LD(float* p) { return p[1]; }\n"
    array = array_beside("float x = LD(&s[t][4]);", header, before=before)
    assert [one.reason for one in array.refusals] == [
        "&s[t][4] is given to LD, which is a macro and a function"
    ]


NAMES = (
    ("#define PUT(i) s[i][t] = 0\n", "s[t][0] = 1; PUT(3);", "PUT"),
    ("#define FIRST s[0][0]\n#define PUT(i) FIRST = i\n", "s[t][0] = 1; PUT(3);", "PUT"),
    ("#define PUT(i) s[i] \\\n [t] = 0\n", "s[t][0] = 1; PUT(3);", "PUT"),
    ("#define PUT(i) q[i] = 0\n", "float* q = s[t]; q[0] = 1; PUT(3);", "PUT"),
)


@pytest.mark.parametrize(("header", "body", "macro"), NAMES)
def test_a_macro_of_a_header_that_names_the_array_keeps_it_as_it_is(
    header: str, body: str, macro: str
) -> None:
    (why,) = array_beside(body, header).refusals
    assert f"the macro {macro} of m.h names" in why.reason
    assert why.location is not None
    assert (why.location.line, why.location.column) == (3, body.index("PUT") + 1)


def test_a_macro_of_the_source_that_says_one_of_a_header_is_seen() -> None:
    array = array_beside(
        "s[t][0] = 1; OWN;", "#define PUT(i) s[i][t] = 0\n", before="#define OWN PUT(1)\n"
    )
    assert [one.reason for one in array.refusals] == ["the macro OWN of m.h names s"]


@pytest.mark.parametrize(
    "header",
    [
        "#define PUT(s) s = 0\n",
        "#define PUT(i) // s[i]\n",
        '#define PUT(i) asm("mov s, 1;")\n',
        "#define OTHER(i) s[i][0]\n#define PUT(i)\n",
        "#define s(i) s[i][0]\n#define PUT(i)\n",
    ],
)
def test_a_macro_that_does_not_name_the_array_is_no_matter(header: str) -> None:
    array = array_beside("int i; s[t][0] = 1; PUT(i);", header, after="float s[1]; PUT(s);")
    assert not array.refusals


def test_a_macro_that_names_it_where_it_is_not_seen_is_no_matter() -> None:
    array = array_beside("s[t][0] = 1;", "#define PUT s[0]\n", after="float s[1]; PUT = 1;")
    assert not array.refusals


@pytest.mark.parametrize(
    ("header", "left"), [("s[0][t] = 2;\n", True), ("t += 2; // s\n", False), ("", False)]
)
def test_text_of_a_header_amid_a_kernel_is_asked_for_the_array(header: str, left: bool) -> None:
    array = array_beside('s[t][0] = 1;\n#include "m.h"\n', header)
    why = [one.reason for one in array.refusals]
    assert why == ["m.h, which is included here, says s"] * left


def test_text_is_found_in_what_an_included_header_includes() -> None:
    text = KERNEL.format(body='s[t][0] = 1;\n#include "a.inc"\n', after="")
    files = (("x/b.inc", "s[0][t] = 2;"), ("x/a.inc", '#include "b.inc"\n#include "a.inc"\n'))
    (array,) = shared_arrays(parse(text, "k.cu", beside=files))
    assert [one.reason for one in array.refusals] == ["a.inc, which is included here, says s"]


def test_a_function_that_a_macro_of_a_header_calls_is_not_changed() -> None:
    before = "__device__ void put(float* p, int i) { p[i] = 1; }\n"
    after = "BOTH(0);"
    header = "#define BOTH(p) put(p, 1)\n"
    kept = array_beside("put(&s[0][0], t);", header, before=before)
    left = array_beside("put(&s[0][0], t);", header, after=after, before=before)
    assert not kept.refusals
    assert [one.reason for one in left.refusals] == ["the macro BOTH of m.h names put"]


def test_a_pool_that_a_macro_of_a_header_names_is_not_taken_in_pieces() -> None:
    body = "float* a = pool;\nfloat* b = pool + 64;\na[t] = 1; b[t] = 2;"
    text = f"__global__ void g(int t) {{\nextern __shared__ float pool[];\n{body} PUT;\n}}\n"
    for header, names in (("#define PUT t = 3\n", ["a", "b"]), ("#define PUT pool[3] = 1\n", [])):
        found = shared_arrays(parse(text, "k.cu", beside=(("m.h", header),)))
        assert [one.name for one in found if not one.refusals] == names


KERNEL_IN_HEADER = """#pragma once
#define AT(i, j) tile[i][j]
__global__ void turn(const float* in, float* out) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    for (int i = 0; i < 32; ++i) AT(i, t) = in[i * 32 + t];
    __syncthreads();
    for (int i = 0; i < 32; ++i) out[i * 32 + t] = AT(t, i);
}
"""


@needs_nvcc
def test_a_header_whose_kernel_is_changed_is_read_as_part_of_the_source(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "turn.cuh").write_text(KERNEL_IN_HEADER, "utf-8")
    run = '#include "turn.cuh"\nvoid go(float* a, float* b) { turn<<<1, 32>>>(a, b); }\n'
    (tmp_path / "k.cu").write_text(run, "utf-8")
    done = bankwise("fix", str(tmp_path / "k.cu"), "-t", "sm_80")
    assert "turn.cuh" in done.out
    assert "288 -> 64 passes" in done.err


ROWS = """#include "m.h"
__global__ void rows(const float* in, float* out, int n) {
    __shared__ float tile[32][32];
    int t = threadIdx.x;
    for (int i = 0; i < 32; ++i) tile[i][t] = in[t + i * 32];
    __syncthreads();
    ACT
    __syncthreads();
    for (int i = 0; i < 32; ++i) out[t * 32 + i] = tile[t][i];
}
void run(const float* in, float* out, int n) { rows<<<4, 32>>>(in, out, n); }
"""


@needs_nvcc
@pytest.mark.parametrize(
    ("more", "act", "patch"),
    [
        ("#ifdef ALL\n#undef PUT\n#endif\n", "if (n == 77) PUT(t, 3.f);", False),
        ("", "if (n == 77) PUT(t, 3.f);", True),
    ],
)
def test_fix_writes_no_text_for_which_a_header_means_other_elements(
    tmp_path: Path, more: str, act: str, patch: bool
) -> None:
    """A call of what the header defines in one way is read as that."""
    put = "#define PUT(i, v) tile[i][threadIdx.x & 7] = v\n"
    (tmp_path / "m.h").write_text(put + more, "utf-8")
    (tmp_path / "k.cu").write_text(ROWS.replace("ACT", act), "utf-8")
    done = bankwise("fix", str(tmp_path / "k.cu"), "-t", "sm_80", "--accept-sampled")
    assert bool(done.out) is patch
    assert ("k.cu:7:18: the macro PUT of m.h names tile" in done.err) is not patch


LDSM = """#include "ptx.h"
__global__ void matrices(const int4* in, unsigned* out) {
    __shared__ unsigned short rows[64][32];
    int t = threadIdx.x;
    for (int i = 0; i < 8; ++i)
        *((int4*)&rows[i * 8 + t / 4][0] + t % 4) = in[t + i * 32];
    __syncwarp();
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 2; ++k) {
            unsigned at = __cvta_generic_to_shared(&rows[i * 16 + t % 16][k * 16 + t / 16 * 8]);
            unsigned a, b, c, d;
            LDSM4(a, b, c, d, at);
            out[(i * 2 + k) * 32 + t] = a ^ b ^ c ^ d;
        }
}
void run(const int4* in, unsigned* out) { matrices<<<1, 32>>>(in, out); }
"""
PTX = """#pragma once
#define LDSM4(a, b, c, d, at)                                                     \\
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" \\
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                               \\
                 : "r"(at))
"""


@needs_nvcc
def test_fix_follows_matrices_into_a_macro_of_a_header(tmp_path: Path) -> None:
    (tmp_path / "ptx.h").write_text(PTX, "utf-8")
    (tmp_path / "k.cu").write_text(LDSM, "utf-8")
    done = bankwise("fix", str(tmp_path / "k.cu"), "-t", "sm_80")
    assert done.code == 0, done.err
    # 32 passes of stores; of the 8 rows of a matrix every second lies in the same banks: 32 times 4
    assert "160 -> 64 passes per workgroup, ideal 64" in done.err
    assert "+ ((t % 4) ^ (" in done.out
