"""Launches within macros: they are those of the places that use the macro."""

from __future__ import annotations

import pytest

from bankwise.read.launch.host import launches_in


def told(source: str) -> list[str]:
    return [str(one) for one in launches_in(source)]


RUN = "#define RUN(n) k<<<4, n>>>(p, n);\n"


@pytest.mark.parametrize(
    ("source", "launches"),
    [
        (f"{RUN}void f() {{ RUN(64) }}", ["k<<<4x1x1, 64x1x1, 0>>>(_, 64)"]),
        (
            f"{RUN}void f() {{ RUN(64); RUN(32) }}",
            ["k<<<4x1x1, 64x1x1, 0>>>(_, 64)", "k<<<4x1x1, 32x1x1, 0>>>(_, 32)"],
        ),
        (RUN, []),  # nobody uses it
        (f"{RUN}#define RUN(n) k<<<4, 2 * n>>>(p, n);\nvoid f() {{ RUN(64) }}", []),
        (  # statements, with what they declare
            "#define RUN(n) { \\\n  dim3 b((n), 2); \\\n  k<<<4, b>>>(p); }\n"
            "void f() { RUN(8 + 8) }",
            ["k<<<4x1x1, 16x2x1, 0>>>(_)"],
        ),
        (  # of where it is used
            f"{RUN}void f() {{ const int m = 96; RUN(m) }}",
            ["k<<<4x1x1, 96x1x1, 0>>>(_, 96)"],
        ),
        (  # through another one
            f"{RUN}#define PICK(w) if (w) {{ RUN(64) }} else {{ RUN(128) }}\n"
            "void f() { PICK(a) }",
            ["k<<<4x1x1, 64x1x1, 0>>>(_, 64)", "k<<<4x1x1, 128x1x1, 0>>>(_, 128)"],
        ),
        (  # the kernel, and all that it is given
            "#define RUN(kernel, n, ...) kernel<<<n, 32>>>(__VA_ARGS__)\n"
            "void f() { RUN(a, 2, p, 5); RUN(b, 3); }",
            ["a<<<2x1x1, 32x1x1, 0>>>(_, 5)", "b<<<3x1x1, 32x1x1, 0>>>()"],
        ),
        (  # names that are put together, texts that are none
            "#define RUN(tag) { say(#tag); copy_##tag##_kernel<<<1, 32>>>(p); }\n"
            "void f() { RUN(f4) }",
            ["copy_f4_kernel<<<1x1x1, 32x1x1, 0>>>(_)"],
        ),
        (  # functions that launch, defined by a macro or called by one
            "#define MAKE(name) void name(int n) { k<<<n, 32>>>(p); }\nMAKE(go)\n"
            "#define CALL(n) go(n)\nvoid f() { CALL(7); }",
            ["k<<<7x1x1, 32x1x1, 0>>>(_)"],
        ),
        (  # of what is called with a template's number, one of them its own
            "template <int N, int B = 64> void go() { k<<<N, B>>>(); }\n"
            "#define CALL(n) go<n>()\nvoid f() { CALL(7); }",
            ["k<<<7x1x1, 64x1x1, 0>>>()"],
        ),
    ],
)
def test_a_macro_launches_where_it_is_used(source: str, launches: list[str]) -> None:
    assert told(source) == launches


def test_the_line_is_that_of_the_use_also_of_a_macro_of_a_header() -> None:
    source = "\nvoid f() {\n  RUN(64)\n}\n"
    for found in (launches_in(RUN + source), launches_in(f"\n{source}", [RUN])):
        assert [one.said for one in found] == ["as it is launched at line 4"]


def test_macros_that_launch_and_grow_without_end_are_left_alone() -> None:
    macros = "".join(f"#define F{n}(x) F{n + 1}(x) F{n + 1}(x)\n" for n in range(40))
    source = f"{macros}#define F40(x) k<<<1, x>>>();\nvoid f() {{ F0(32) one<<<1, 64>>>(); }}"
    assert told(source) == ["one<<<1x1x1, 64x1x1, 0>>>()"]
