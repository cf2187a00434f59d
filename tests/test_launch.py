"""How kernels are launched: what is read of it, whose word counts, what is assumed, what opens."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from bankwise.errors import InputError
from bankwise.read.launch.expression import launch_of
from bankwise.read.launch.facts import KernelLaunch, launches_of
from bankwise.read.launch.host import launches_in
from bankwise.read.launch.read import launches_in_profile, launches_in_toml, read_launches
from bankwise.read.launch.shapes import USUAL
from command import bankwise

ROOT = Path(__file__).parents[1]
PROFILES = ROOT / "tests" / "data" / "profile"


# --- what --launch says ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kernel", "grid", "block", "shared", "positional", "named"),
    [
        ("k<<<64, 256>>>", "k", (64, 1, 1), (256, 1, 1), None, (), {}),
        ("k<<<_, 256>>>()", "k", None, (256, 1, 1), None, (), {}),
        ("a::k<<<(4,2), (32,8), 1024>>>", "a::k", (4, 2, 1), (32, 8, 1), 1024, (), {}),
        ("g*<<<4x2, 32x8x1>>>(_, -7)", "g*", (4, 2, 1), (32, 8, 1), None, (None, -7), {}),
        ("k<<<100x50, 20x5>>>", "k", (100, 50, 1), (20, 5, 1), None, (), {}),
        ("k<float, 64><<<1, 64>>>(n=0x10)", "k<float, 64>", (1, 1, 1), (64, 1, 1), None, (), 16),
        (
            "k<<<dim3(1,2,3), dim3(8, 8)>>>(1024U, n=16);",
            "k",
            (1, 2, 3),
            (8, 8, 1),
            None,
            (1024,),
            16,
        ),
        ("k(_, n=16)", "k", None, None, None, (None,), 16),
        (
            "void k<1>(float*, int)<<<1, 64>>>",
            "void k<1>(float*, int)",
            (1, 1, 1),
            (64, 1, 1),
            None,
            (),
            {},
        ),
    ],
)
def test_a_launch_is_read_as_cuda_writes_it(
    text: str,
    kernel: str,
    grid: object,
    block: object,
    shared: object,
    positional: object,
    named: object,
) -> None:
    found = launch_of(text)
    wanted = {"n": 16} if named == 16 else named
    assert (found.kernel, found.grid, found.block) == (kernel, grid, block)
    assert (found.shared_bytes, found.positional, found.arguments) == (shared, positional, wanted)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<<<1, 2>>>",
        "k<<<1>>>",
        "k<<<1, 2",
        "k<<<1, 2>>>x",
        "k<<<1, 0>>>",
        "k<<<1, -4>>>",
        "k<<<1, 2048>>>",
        "k<<<1, 32x64>>>",
        "k<<<1, 1x1x1x1>>>",
        "k<<<a, 2>>>",
        "k<<<1, 2>>>(=3)",
        "k<<<1, 2>>>(n=)x",
        "k<<<1, 2>>>(x)",
        "k<<<1, 1.5>>>",
        "k<<<1, 2, 1e3>>>",
        "k<<<1, 2>>>(.)",
        "k<<<1, 2>>>(1.5g)",
        "k<<<1, 2>>>(1e400)",
        "k<<<1, 2>>>(1e39f)",
        "k<<<1, 2>>>(nan)",
        "k<<<1, 2>>>(" + "9" * 400 + ")",
    ],
)
def test_what_is_no_launch_is_bad_input(text: str) -> None:
    with pytest.raises(InputError):
        launch_of(text)


def test_no_text_breaks_the_reading_of_a_launch() -> None:
    draw = random.Random(11)
    parts = [
        *[".", "1e", "f", "0.1"],
        *["k", "<<<", ">>>", "(", ")", ",", "_", "x", "=", "64", "0x", "dim3", "-", "*", "é", "<"],
        " ",
    ]
    read = 0
    for _ in range(6_000):
        text = "".join(draw.choice(parts) for _ in range(draw.randrange(14)))
        try:
            found = launch_of(text)
        except InputError:
            continue
        read += 1
        again = launch_of(str(found))
        assert (again.block, again.grid) == (found.block, found.grid)
        assert again.arguments == found.arguments
    assert read > 20


def test_a_file_of_launches_is_read(tmp_path: Path) -> None:
    first, second = launches_in_toml(ROOT / "examples" / "launch" / "launches.toml")
    assert (first.kernel, first.grid, first.block) == ("transpose*", (32, 32, 1), (256, 1, 1))
    assert first.positional == (None, None, 1024)
    assert (second.shared_bytes, dict(second.arguments)) == (4096, {2: 65536})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1",
        "launch = 3",
        "launch = []",
        "launch = [3]",
        "[launch]\nblock = 64",
        "[[launch]]\nblok = 64",
        "[[launch]]\nblock = 'a'",
        "[[launch]]\nblock = []",
        "[[launch]]\nblock = [1, 1, 1, 1]",
        "[[launch]]\nblock = 2048",
        "[[launch]]\nblock = true",
        "[[launch]]\ngrid = 0",
        "[[launch]]\nkernel = 3",
        "[[launch]]\nshared = -1",
        "[[launch]]\narguments = 'n'",
        "[[launch]]\narguments = { n = 'x' }",
        "[[launch]]\narguments = { 9x = 1 }",
        "[[launch]]\narguments = ['1.5']",
        "[[launch]]\nother = 1\n[other]",
        "[[launch",
    ],
)
def test_a_file_that_is_none_of_launches_is_bad_input(tmp_path: Path, text: str) -> None:
    file = tmp_path / "launches.toml"
    file.write_text(text)
    with pytest.raises(InputError):
        launches_in_toml(file)


def test_a_profile_says_how_kernels_were_launched() -> None:
    text = (PROFILES / "details.csv").read_text()
    found = launches_in_profile(str(PROFILES / "details.csv"))
    transpose = next(one for one in found if one.kernel == "transpose<32>")
    assert '"(256, 1, 1)","(32, 32, 1)"' in text
    assert (transpose.block, transpose.grid) == ((256, 1, 1), (32, 32, 1))
    mangled = "_Z9transposeILi32EEvPKfPfi"
    assert {known.block for known in launches_of(mangled, [found])} == {(256, 1, 1)}
    assert launches_of("_Z9transposeILi34EEvPKfPfi", [found])[0].block is None


@pytest.mark.parametrize("name", ["rocprof.csv", "rocprofv2.csv", "rocprofv3.csv"])
def test_of_amd_profiles_the_number_of_threads_is_taken_along_x_and_that_is_said(name: str) -> None:
    for one in launches_in_profile(str(PROFILES / name)):
        assert one.block is not None
        assert one.block[1:] == (1, 1)
        assert "along x" in one.said


def test_expressions_are_trusted_before_files() -> None:
    found = read_launches(("k<<<_, 64>>>", str(ROOT / "examples" / "launch" / "launches.toml")))
    assert [len(level) for level in found.stated] == [1, 2, 0]


# --- whose word counts ----------------------------------------------------------------------------


def test_each_level_fills_in_what_those_before_it_left_open() -> None:
    first = [KernelLaunch("k", arguments={"n": 1})]
    second = [KernelLaunch("*", block=(64, 1, 1), arguments={"n": 2, "m": 3}, said="second")]
    third = [KernelLaunch("k", block=(32, 1, 1), grid=(7, 1, 1))]
    (found,) = launches_of("k", [first, second, third])
    assert (found.block, found.grid, found.said) == ((64, 1, 1), None, "second")
    assert dict(found.arguments) == {"n": 1, "m": 3}


def test_two_launches_of_one_kernel_are_both_kept() -> None:
    level = [KernelLaunch("k", block=(n, 1, 1)) for n in (64, 128, 64)]
    assert [one.block for one in launches_of("k", [level])] == [(64, 1, 1), (128, 1, 1)]


CEIL = "#define UP(a, b) (((a) + (b) - 1) \\\n  / (b))  // rounded up\n"
DIV_UP = "constexpr int div_up(int a, const int b) { return (a + b - 1) / b; }\n"


# --- host code ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "blocks"),
    [
        ("k<<<1, 64>>>();", [(64, 1, 1)]),
        ("#define N 32\nvoid f() { k<<<1, N * 2>>>(); }", [(64, 1, 1)]),
        ("#define N 32\n#define M (N / 2)\nvoid f() { k<<<1, dim3(M, 4)>>>(); }", [(16, 4, 1)]),
        ("void f() { const int n = 1 << 6; dim3 b(n, 2); k<<<1, b>>>(); }", [(64, 2, 1)]),
        ("void f() { dim3 g(4), b(32, 8); k<<<g, b, 0, s>>>(x); }", [(32, 8, 1)]),
        ("void f() { dim3 b = dim3(32, 8); k<<<1, b>>>(); }", [(32, 8, 1)]),
        ("void f() { dim3 b(32, 8); k<<<1, b.x * b.y>>>(); }", [(256, 1, 1)]),
        ('// k<<<1, 64>>>();\n/* k<<<1, 32>>>(); */ char *s = "k<<<1, 2>>>()";', []),
        ("void f(int n) { k<<<1, n>>>(); }", []),
        ("const int n = 64; void f(int n) { k<<<1, n>>>(); }", []),
        ("void f() { int n = 64; n = 32; k<<<1, n>>>(); }", []),
        ("void f() { int n = 64; n++; k<<<1, n>>>(); }", []),
        ("void f() { int n = 64; pick(a, n); k<<<1, n>>>(); }", []),
        ("void f() { int n = 64; pick(&n); k<<<1, n>>>(); }", []),
        ("void f() { dim3 b(64); b.y = 4; k<<<1, b>>>(); }", [(64, 4, 1)]),
        ("void f() { dim3 b; b.x = 64; k<<<1, b>>>(); b.x = 32; }", [(64, 1, 1)]),
        ("void f(int n) { dim3 b(64); if (n) b.y = 4; k<<<1, b>>>(); }", []),
        ("void f(int n) { dim3 b(64); while (n--) { k<<<1, b>>>(); b.x = 32; } }", []),
        ("void f(int n) { dim3 b(64); b.y = n; k<<<1, b>>>(); }", []),
        ("void f() { dim3 b(64); b.y += 4; k<<<1, b>>>(); }", []),
        ("void f() { dim3 b = {32, 8}; k<<<1, b>>>(); }", [(32, 8, 1)]),
        ("void f() { const auto b = dim3{32, 4}; k<<<{1, 1}, b>>>(); }", [(32, 4, 1)]),
        ("void f(int n) { dim3 const b{32, 4U}; k<<<n, b>>>(); }", [(32, 4, 1)]),
        ("void f() { int const n = 8; dim3 const b(n), g(2); k<<<g, b>>>(); }", [(8, 1, 1)]),
        ("void f() { k<<<1, {16, 2}>>>(); }", [(16, 2, 1)]),
        (
            "enum { A = 16, B };\nvoid f() { k<<<1, A>>>(); k<<<1, B>>>(); }",
            [(16, 1, 1), (17, 1, 1)],
        ),
        ("struct T { static constexpr int n = 96; }; void f() { k<<<1, T::n>>>(); }", [(96, 1, 1)]),
        ("struct T { static constexpr int n = 96; }; void f() { k<<<1, n>>>(); }", []),
        ("void f() { k<<<1, std::min(64, max(32, 48))>>>(); }", [(48, 1, 1)]),
        ("void f() { k<<<1, static_cast<unsigned>(64)>>>(); }", [(64, 1, 1)]),
        ("void f() { k<<<1, sizeof(int) == 4 ? 64 : 32>>>(); }", [(64, 1, 1)]),
        ("void f(int n = 256) { k<<<1, n>>>(); }", []),
        ("void f(int n = 256, float* p = 0) { k<<<1, n>>>(); }", []),
        ("#if A\n#define N 32\n#else\n#define N 64\n#endif\nvoid f() { k<<<1, N>>>(); }", []),
        ("void f() { for (int n = 32; n < m; n *= 2) k<<<1, n>>>(); }", []),
        ("void f() { k<<<1, x ? 32 : 64>>>(); }", []),
        ("void f() { k<<<1, 2048>>>(); }", []),
        ("void f() { { int n = 64; } k<<<1, n>>>(); }", []),
        ("#define N(x) 64\nvoid f() { k<<<1, N>>>(); }", []),
        ("void f() { k<<<1, 64 / 0>>>(); }", []),
        (f"{CEIL}void f() {{ int n = 100; k<<<1, UP(n, 32)>>>(); }}", [(4, 1, 1)]),
        (f"{CEIL}void f() {{ int n = 100; k<<<1, 32 * UP(n, 32), 0, s>>>(n); }}", [(128, 1, 1)]),
        (f"{CEIL}void f() {{ k<<<1, UP(UP(100, 5), 3)>>>(); }}", [(7, 1, 1)]),
        (f"{CEIL}void f(int n) {{ k<<<1, UP(n, 32)>>>(); }}", []),
        (f"{CEIL}void f() {{ k<<<1, UP(9)>>>(); }}", []),
        (f"{CEIL}#define UP(a, b) ((a) / (b))\nvoid f() {{ k<<<1, UP(9, 2)>>>(); }}", []),
        (f"{CEIL}{CEIL}void f() {{ k<<<1, UP(9, 2)>>>(); }}", [(5, 1, 1)]),
        ("#define TWICE(a) a + a\nvoid f() { k<<<1, TWICE(8) * 3>>>(); }", [(32, 1, 1)]),
        ("#define TWICE(a) a * 2\nvoid f() { k<<<1, TWICE(8 + 1)>>>(); }", [(10, 1, 1)]),
        ("#define A(x) B(x)\n#define B(x) A(x)\nvoid f() { k<<<1, A(8)>>>(); }", []),
        ("#define H(x) ((float)(x) / 2 * 2)\nvoid f() { k<<<1, H(33)>>>(); }", []),
        ("#define SET(x) (x = 32)\nvoid f() { int n = 64; SET(n); k<<<1, n>>>(); }", []),
        (f"{DIV_UP}void f() {{ int n = 64; k<<<1, div_up(n + 1, 2)>>>(); }}", [(33, 1, 1)]),
        (f"namespace u {{ {DIV_UP}}} void f() {{ k<<<1, u::div_up(9, 2)>>>(); }}", [(5, 1, 1)]),
        (f"{DIV_UP}void f() {{ k<<<1, std::div_up(9, 2)>>>(); }}", []),
        ("int g(int& a) { return a; } void f() { int n = 64; g(n); k<<<1, n>>>(); }", []),
        ("int g(float a) { return a * 2; } void f() { k<<<1, g(64)>>>(); }", []),
        ("int g(int a) { a += 1; return a; } void f() { k<<<1, g(64)>>>(); }", []),
        ("int m; int g(int a) { return a * m; } void f() { int m = 2; k<<<1, g(64)>>>(); }", []),
    ],
)
def test_a_launch_in_host_code_counts_where_constants_decide_it(
    source: str, blocks: Sequence[object]
) -> None:
    assert [one.block for one in launches_in(source)] == blocks


@pytest.mark.parametrize(
    "source",
    [
        "".join(f"#define F{n}(x) F{n + 1}(x) + F{n + 1}(x)\n" for n in range(60)) + "F0(1)",
        "".join(f"#define F{n}(x) F{n + 1}(x)\n" for n in range(3_000)) + "F0(1)",
        "#define F(x) (x)\n" + "F(" * 20_000,
        "#define F(x) (x)\n" + "F(" * 900 + "1" + ")" * 900,
    ],
)
def test_macros_that_grow_without_end_are_left_alone(source: str) -> None:
    found = launches_in(f"{source};\nvoid f() {{ k<<<1, 64>>>(); }}")
    assert [one.block for one in found] in ([(64, 1, 1)], [])


def test_a_launch_in_host_code_is_told_with_its_line_and_constant_arguments() -> None:
    (found,) = launches_in(
        "#define LOG 11\n\n\nvoid f(int n) {\n  k<<<n, 64, 4 << LOG>>>(p, LOG);\n}\n"
    )
    assert found.said == "as it is launched at line 5"
    assert (found.grid, found.shared_bytes, found.positional) == (None, 4 << 11, (None, 11))


CONFIGURED = """\
void f(float* p) {
  cudaLaunchConfig_t c = {0};
  c.gridDim = 4;
  c.blockDim = dim3(32, 2);
  CHECK(cudaLaunchKernelEx(&c, k<float, 3>, p, 7));
  cudaLaunchKernel((const void*)&k<float, 3>, 4, dim3(32, 2), args, 128, stream);
}
"""


def test_a_launch_by_a_call_is_a_launch() -> None:
    found = launches_in(CONFIGURED)
    launched = launches_of("_Z1kIfLi3EEvPT_i", [found])
    assert [(one.grid, one.block) for one in launched] == [((4, 1, 1), (32, 2, 1))] * 2
    assert [one.shared_bytes for one in launched] == [None, 128]
    assert [one.positional for one in launched] == [(None, 7), ()]
    changed = CONFIGURED.replace("c.blockDim", "if (p) c.blockDim")
    known = [one.shared_bytes for one in launches_in(changed) if one.block]
    assert known == [128] * 2, "two spellings of one"


def test_template_arguments_tell_instances_apart() -> None:
    found = launches_in("void f() { k<T, 64><<<1, 64>>>(); k<T, 32><<<1, 32>>>(); }")
    for size in (64, 32):
        mangled = f"_Z1kIiLi{size}EEvv"
        assert [one.block for one in launches_of(mangled, [found])] == [(size, 1, 1)]


LAUNCHER = """\
template <typename T, int N, int ROWS = 4>
void run(const T* p, int n) {
  dim3 block(N, ROWS);
  k<T, N, ROWS><<<(n + N - 1) / N, block>>>(p, n);
}
template <Kind KIND, int N> void one(int* p) { k<KIND, N><<<KIND, N>>>(p); }
"""


@pytest.mark.parametrize(
    ("calls", "launched"),
    [
        ("void f() { run<float, 32, 8>(p, 100); }", [((4, 1, 1), (32, 8, 1))]),
        (
            "void f(int m) { const int A = 8; run<float, A, 2>(p, m); run<int, A * 2, 1>(p, 64); }",
            [(None, (8, 2, 1)), ((4, 1, 1), (16, 1, 1))],
        ),
        ("void f(int m) { util::run<float, 64, 2>(p, m); }", [(None, (64, 2, 1))]),
        ("template <int M> void f() { run<float, M, 8>(p, 100); }", []),
        ("template <int M> void f() { one<M, 64>(p); }", [(None, (64, 1, 1))]),
        ("void f(int m) { run<float, 32>(p, 100); }", [((4, 1, 1), (32, 4, 1))]),
        ("void f() { run(p, 100); }", []),
        (f"{LAUNCHER}void f() {{ run<float, 32, 8>(p, 100); }}", []),
    ],
)
def test_a_template_that_launches_is_followed_where_constants_call_it(
    calls: str, launched: Sequence[object]
) -> None:
    found = launches_in(LAUNCHER + calls)
    each = dict.fromkeys((one.grid, one.block) for one in found)
    assert list(each) == launched, "several spellings of each"


def test_instances_that_a_template_launches_are_told_apart() -> None:
    calls = "void f() { run<float, 32, 8>(p, 64); run<double, 16, 2>(p, 64); }"
    found = launches_in(LAUNCHER + calls)
    for name, size in (
        ("_Z1kIfLi32ELi8EEvPKT_i", (32, 8, 1)),
        ("_Z1kIdLi16ELi2EEvPKT_i", (16, 2, 1)),
    ):
        assert [one.block for one in launches_of(name, [found])] == [size]
    again = "template <int N> void r(int n) { if (n) r<N>(n - 1); k<N><<<1, N>>>(n); }"
    assert {one.block for one in launches_in(f"{again} void f() {{ r<32>(7); }}")} == {(32, 1, 1)}


def test_instances_of_types_that_the_language_has_are_told_apart() -> None:
    calls = "k<float><<<1, 32>>>(a); k<unsigned><<<1, 64>>>(b); k<real><<<1, 96>>>(c);"
    found = launches_in(f"void f() {{ {calls} k<long long int><<<1, 128>>>(d); }}")
    for name, sizes in (
        ("_Z1kIfEvPT_", [32, 96]),
        ("_Z1kIjEvPT_", [64, 96]),
        ("_Z1kIxEvPT_", [96, 128]),
        ("_Z1kIdEvPT_", [96]),
    ):
        blocks = [one.block for one in launches_of(name, [found])]
        assert blocks == [(size, 1, 1) for size in sizes], f"{name}; what `real` is nobody knows"


def test_a_launch_through_a_pointer_counts_for_the_kernels_that_it_may_hold() -> None:
    found = launches_in("void f() { void (*p)() = &a; p = c ? &b : &a; p<<<1, 32>>>(); }")
    assert {"a", "b"} <= {one.kernel for one in found}


def test_no_source_breaks_the_reading_of_launches() -> None:
    draw = random.Random(5)
    words = "k <<< >>> ( ) { } , ; = dim3 int const 64 #define < > . x & * \" ' /* // 1.5f 0x + <<"
    words += " enum struct :: ? : == min static_cast cudaLaunchKernelEx cudaLaunchKernel & x y"
    parts = [*words.split(), "\n", " ", "\\\n", "sizeof"]
    for _ in range(6_000):
        body = " ".join(draw.choice(parts) for _ in range(draw.randrange(40)))
        launches_in(f"k<<<1,2>>>{body}")
    assert launches_in("k<<<1, " + "(" * 50_000 + "1>>>();") == ()


# --- kernels by themselves ------------------------------------------------------------------------

_HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def kernel(name: str, body: str, *, size: str = "", parameters: str = "", words: int = 2048) -> str:
    """A kernel in PTX with an array ``t_NAME`` of shared memory; %r1 is the thread's x."""
    return f""".visible .entry {name}({parameters}) {size} {{
  .reg .b32 %r<20>;
  .reg .pred %p<4>;
  .shared .align 4 .b8 t_{name}[{4 * words}];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, t_{name};
{body}
  ret;
}}
"""


STORE = "  mad.lo.s32 %r3, %r1, {stride}, %r2;\n  st.shared.u32 [%r3], %r1;"
SQUARE = """  mov.u32 %r4, %tid.y;
  shl.b32 %r5, %r1, 7;
  shl.b32 %r6, %r4, 2;
  add.s32 %r3, %r5, %r6;
  add.s32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %r1;"""
NOTHING = "  add.s32 %r3, %r1, 1;"


def check(tmp_path: Path, text: str, *words: object) -> tuple[int, dict[str, object]]:
    file = tmp_path / "k.ptx"
    file.write_text(_HEAD + text)
    ended = bankwise("check", file, "--format", "json", *words)
    return ended.code, dict(json.loads(ended.out)) if ended.out else {"error": ended.err}


def passes(block: Sequence[int], word: object) -> tuple[int, int]:
    """Passes and ideal of one access of 4 bytes by all warps of a block, counted here. ``word``: of
    a thread's x and y."""
    threads = [(x, y) for _ in range(block[2]) for y in range(block[1]) for x in range(block[0])]
    total = ideal = 0
    for first in range(0, len(threads), 32):
        words = {word(*place) for place in threads[first : first + 32]}  # type: ignore[operator]
        banks = [sum(one % 32 == bank for one in words) for bank in range(32)]
        total, ideal = total + max(banks), ideal + -(-len(words) // 32)
    return total, ideal


def test_a_kernel_that_cannot_be_launched_so_is_one_refusal_among_the_others(
    tmp_path: Path,
) -> None:
    text = kernel("a", STORE.format(stride=8), size=".maxntid 64, 1, 1")
    text += kernel("b", STORE.format(stride=8), size=".reqntid 32, 1, 1")
    code, found = check(tmp_path, text, "--launch", "a<<<1, 128>>>")
    by_name = {one["name"]: one for one in found["kernels"]}  # type: ignore[attr-defined]
    assert by_name["a"]["workgroup_size"] is None
    assert by_name["b"]["workgroup_size"] == [32, 1, 1]
    assert by_name["b"]["totals"]["run"]["passes"] == passes((32, 1, 1), lambda x, y: 2 * x)[0]
    (refusal,) = found["refusals"]  # type: ignore[misc]
    assert (
        "a block of 128,1,1 threads; kernel a is compiled for at most 64,1,1" in refusal["reason"]
    )
    assert code == 1
    code, found = check(
        tmp_path,
        kernel("b", STORE.format(stride=4), size=".reqntid 32, 1, 1"),
        "--launch",
        "b<<<1, 64>>>",
    )
    assert code == 2
    assert "requires 32,1,1" in str(found)


def test_options_are_for_the_kernels_that_have_a_use_for_them(tmp_path: Path) -> None:
    text = kernel("a", STORE.format(stride=8), size=".maxntid 64, 1, 1")
    text += kernel("b", STORE.format(stride=8), parameters=".param .u32 n")
    code, found = check(tmp_path, text, "--workgroup-size", "128", "--arg", "n=4")
    sizes = {one["name"]: one["workgroup_size"] for one in found["kernels"]}  # type: ignore[attr-defined]
    assert sizes == {"a": [64, 1, 1], "b": [128, 1, 1]}
    assert code == 1
    for words in (
        ("--arg", "m=4"),
        ("--launch", "c<<<1, 32>>>"),
        ("--launch", "b<<<1, 32>>>(1, 2)"),
    ):
        one = kernel("b", NOTHING, parameters=".param .u32 n")
        assert check(tmp_path, one, *words)[0] == 2
    sized = kernel("_Z3runv", NOTHING, size=".maxntid 64, 1, 1")
    code, found = check(tmp_path, sized, "--workgroup-size", "65")
    assert (code, "kernel run is compiled for 64" in str(found["error"])) == (2, True)
    code, found = check(tmp_path, sized, "--arg", "n=4")
    assert (code, "kernel run has no parameter 'n'" in str(found["error"])) == (2, True)


def test_kernels_without_shared_memory_are_told_in_one_line(tmp_path: Path) -> None:
    text = "".join(kernel(name, NOTHING) for name in "abc") + kernel("d", STORE.format(stride=4))
    file = tmp_path / "k.ptx"
    file.write_text(_HEAD + text)
    ended = bankwise("check", file)
    assert "3 kernels touch no shared memory: a, b, c" in ended.out
    assert ended.out.count(" threads, ") == 1
    file.write_text(_HEAD + kernel("e", NOTHING))
    assert "1 kernel touches no shared memory: e" in bankwise("check", file).out


def test_a_grid_gives_the_cost_of_the_launch(tmp_path: Path) -> None:
    text = kernel("a", STORE.format(stride=8))
    _, found = check(tmp_path, text, "--launch", "a<<<(3, 5), 64>>>")
    total, _ = passes((64, 1, 1), lambda x, y: 2 * x)
    (one,) = found["kernels"]  # type: ignore[misc]
    assert one["grid"] == [3, 5, 1]
    assert one["totals"]["launch"]["passes"] == total * 15
    assert one["launch"]["said"] == "as --launch says"


# --- what nobody says -----------------------------------------------------------------------------


def test_a_shape_is_assumed_and_said(tmp_path: Path) -> None:
    code, found = check(tmp_path, kernel("a", STORE.format(stride=4)))
    (one,) = found["kernels"]  # type: ignore[misc]
    shape = one["workgroup_size"]
    assert tuple(shape) in USUAL[1]
    assert one["launch"]["assumed"] == f"{','.join(map(str, shape))} threads a block"
    assert f"assumed: {one['launch']['assumed']}" in one["open"]
    assert code == 3, "no conflict, and a launch that is assumed"


def test_a_conflict_of_every_shape_is_sure_and_one_of_some_is_possible(tmp_path: Path) -> None:
    code, found = check(tmp_path, kernel("a", STORE.format(stride=128), words=1 << 16))
    assert found["accesses"][0]["conflict"] == "sure"  # type: ignore[index]
    assert code == 1
    code, found = check(tmp_path, kernel("a", SQUARE, words=1 << 14))
    (access,), (one,) = found["accesses"], found["kernels"]  # type: ignore[misc]
    tried = [one["workgroup_size"], *(other["workgroup_size"] for other in one["launch"]["others"])]
    word = lambda x, y: 32 * x + y  # noqa: E731 - of the kernel
    extras = [total - ideal for total, ideal in (passes(shape, word) for shape in tried)]
    assert [one["added"]["low"], *(o["added"]["low"] for o in one["launch"]["others"])] == extras
    wanted = "sure" if all(extras) else "possible" if any(extras) else "none"
    assert access["conflict"] == wanted
    assert code == (1 if wanted == "sure" else 3)


def test_a_shape_that_leaves_the_shared_memory_is_none(tmp_path: Path) -> None:
    _, found = check(tmp_path, kernel("a", STORE.format(stride=4), words=64))
    (one,) = found["kernels"]  # type: ignore[misc]
    assert one["workgroup_size"][0] <= 64
    assert all(other["workgroup_size"][0] <= 64 for other in one["launch"]["others"])


def test_where_no_usual_shape_stays_inside_smaller_ones_are_tried(tmp_path: Path) -> None:
    """16 rows of 17 words, a thread each: 32 threads write behind them. Under 4 words no shape
    stays inside, and none is said to fill them."""
    _, found = check(tmp_path, kernel("a", STORE.format(stride=68), words=16 * 17))
    (one,) = found["kernels"]  # type: ignore[misc]
    assert one["workgroup_size"] == [16, 1, 1]
    assert one["launch"]["others"] == []
    _, found = check(tmp_path, kernel("a", STORE.format(stride=4), words=4))
    (one,) = found["kernels"]  # type: ignore[misc]
    leaves = "under each block that was tried an access leaves the shared memory of the text"
    assert [note for note in one["notes"] if "shared memory" in note] == [leaves]


def test_a_shape_that_fills_the_shared_memory_is_believed_before_one_that_does_not(
    tmp_path: Path,
) -> None:
    """Columns of 32 rows of 33 words: 32 x 32 threads fill the tile, 16 x 16 conflict."""
    column = SQUARE.replace("shl.b32 %r5, %r1, 7", "mul.lo.s32 %r5, %r1, 132")
    code, found = check(tmp_path, kernel("a", column, words=32 * 33))
    (access,), (one,) = found["accesses"], found["kernels"]  # type: ignore[misc]
    others = [other["workgroup_size"] for other in one["launch"]["others"]]
    assert (one["workgroup_size"], [16, 16, 1] in others) == ([32, 32, 1], True)
    assert passes((32, 32, 1), lambda x, y: 33 * x + y) == (32, 32)
    total, ideal = passes((16, 16, 1), lambda x, y: 33 * x + y)
    assert total > ideal
    assert (access["conflict"], code) == ("none", 3)
    ended = bankwise("check", tmp_path / "k.ptx", "--format", "github")
    notice = ended.out.splitlines()[0]
    assert notice.endswith("32,32,1 threads a block; --workgroup-size or --launch settles it")
    code, found = check(tmp_path, kernel("a", column, words=64 * 33))
    (access,) = found["accesses"]  # type: ignore[misc]
    assert (access["conflict"], code) == ("possible", 3), "nothing fills it"


def test_two_stated_launches_stand_side_by_side(tmp_path: Path) -> None:
    text = kernel("a", SQUARE, words=1 << 14)
    words = ("--launch", "a<<<1, 1x32>>>", "--launch", "a<<<1, 32>>>")
    code, found = check(tmp_path, text, *words)
    (one,) = found["kernels"]  # type: ignore[misc]
    total, ideal = passes((32, 1, 1), lambda x, y: 32 * x + y)
    assert one["workgroup_size"] == [32, 1, 1], "the worst comes first"
    assert one["added"]["low"] == total - ideal
    assert one["launch"]["others"][0]["added"]["low"] == 0
    assert found["accesses"][0]["conflict"] == "sure"  # type: ignore[index]
    assert code == 1


# --- what would open it ---------------------------------------------------------------------------

_PARAMETERS = ".param .u32 n, .param .u32 m"
_STRIDE = "  ld.param.u32 %r7, [n];\n  mad.lo.s32 %r3, %r1, %r7, %r2;\n" + "\n".join(
    f"  st.shared.u32 [%r3+{4 * n}], %r1;" for n in range(5)
)
_LOOP = """  ld.param.u32 %r8, [m];
  mov.u32 %r9, 0;
LOOP:
  shl.b32 %r10, %r1, 2;
  add.s32 %r10, %r10, %r2;
  st.shared.u32 [%r10+64], %r1;
  add.s32 %r9, %r9, 1;
  setp.lt.s32 %p1, %r9, %r8;
  @%p1 bra LOOP;"""


def test_the_argument_that_opens_accesses_is_named_with_their_number(tmp_path: Path) -> None:
    text = kernel(
        "a", _STRIDE + "\n" + _LOOP, parameters=_PARAMETERS, size=".reqntid 32, 1, 1", words=1 << 16
    )
    _, found = check(tmp_path, text)
    openers = {one["option"].partition("=")[0]: one for one in found["openers"]}  # type: ignore[attr-defined]
    assert openers["--arg n"]["opens"] == 5
    assert openers["--arg m"]["counts"] == 1
    for one in found["openers"]:  # type: ignore[attr-defined]
        _, again = check(tmp_path, text, *one["option"].split())
        left = [o for o in again.get("openers", []) if o["option"] == one["option"]]  # type: ignore[attr-defined]
        assert not left, "what was given opens nothing more"


def test_what_is_sampled_is_marked_and_never_sure(tmp_path: Path) -> None:
    text = kernel("a", _STRIDE, parameters=_PARAMETERS, size=".reqntid 32, 1, 1", words=1 << 16)
    code, found = check(tmp_path, text)
    assert len(found["accesses"]) == 5  # type: ignore[arg-type]
    assert not found["refusals"]
    for access in found["accesses"]:  # type: ignore[attr-defined]
        assert access["conflict"] == "possible"
        assert "which is assumed" in access["note"]
        assert access["executions_bound"] == {"low": 0, "high": None}
    assert code == 3
    code, given = check(tmp_path, text, "--arg", "n=4")
    assert {access["conflict"] for access in given["accesses"]} == {"none"}  # type: ignore[attr-defined]
    assert code == 0


def test_an_argument_of_a_byte_is_tried_with_what_it_holds(tmp_path: Path) -> None:
    """An access that data decide stays open with every number that is tried, up to 1,024."""
    flag = _STRIDE.replace("ld.param.u32 %r7, [n]", "ld.param.u8 %r7, [n]")
    data = "  ld.shared.u32 %r9, [%r2];\n  add.s32 %r9, %r9, %r2;\n  st.shared.u32 [%r9], %r1;\n"
    text = kernel(
        "a", data + flag, parameters=".param .u8 n", size=".reqntid 32, 1, 1", words=1 << 16
    )
    _, found = check(tmp_path, text)
    (opener,) = found["openers"]  # type: ignore[misc]
    assert opener["option"] == "--arg n=1"
    assert opener["opens"] == 5


def test_what_data_decides_has_no_opener(tmp_path: Path) -> None:
    body = (
        "  ld.shared.u32 %r7, [%r2];\n  mad.lo.s32 %r3, %r1, %r7, %r2;\n  st.shared.u32 [%r3], %r1;"
    )
    _, found = check(tmp_path, kernel("a", body, size=".reqntid 32, 1, 1"))
    assert "openers" not in found
    assert len(found["refusals"]) == 1  # type: ignore[arg-type]


_SORT = """  ld.param.u32 %r7, [n];
  mov.u32 %r8, 2;
OUTER:
  setp.gt.s32 %p1, %r8, %r7;
  @%p1 bra DONE;
  shr.u32 %r9, %r8, 1;
INNER:
  xor.b32 %r10, %r1, %r9;
  and.b32 %r11, %r1, %r8;
  add.s32 %r10, %r10, %r11;
  shl.b32 %r10, %r10, 2;
  add.s32 %r10, %r10, %r2;
  st.shared.u32 [%r10], %r1;
  shr.u32 %r9, %r9, 1;
  setp.ne.s32 %p2, %r9, 0;
  @%p2 bra INNER;
  shl.b32 %r8, %r8, 1;
  bra OUTER;
DONE:"""
"""The rounds of a bitonic sort of n numbers."""


def test_rounds_of_a_sort_of_unknown_length_are_no_count(tmp_path: Path) -> None:
    text = kernel("a", _SORT, parameters=".param .u32 n", size=".reqntid 128, 1, 1", words=1 << 12)
    rounds = sum(2 << step <= 128 for outer in range(7) for step in range(outer + 1))
    assert rounds == 28, "7 + 6 + .. + 1"
    _, known = check(tmp_path, text, "--arg", "n=128")
    (access,) = known["accesses"]  # type: ignore[misc]
    assert access["executions"] == sum(i["executions"] for i in access["iterations"]) == rounds
    _, found = check(tmp_path, text)
    (access,) = found["accesses"]  # type: ignore[misc]
    assert len(access["iterations"]) != rounds
    assert {i["executions"] for i in (access, *access["iterations"])} == {None}
    assert access["executions_bound"] == {"low": 0, "high": None}
    assert access["run"]["bound"]["passes"] == {"low": 0, "high": None}
    assert found["kernels"][0]["totals"]["run"]["bound"]["passes"] == {"low": 0, "high": None}  # type: ignore[index]
