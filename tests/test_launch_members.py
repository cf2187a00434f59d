"""Launches whose sizes host code hands on as members of a structure, and kernels with all that
follows."""

from __future__ import annotations

import pytest

from bankwise.read.launch.host import launches_in

_STRUCTURE = "struct Sizes { dim3 grid, block; size_t bytes; cudaStream_t stream; };\n"
_BUILT = """struct Sizes {
  dim3 grid; dim3 block; size_t bytes;
  Sizes(const dim3& g, const dim3& b, size_t n) : grid(g), block(b), bytes(n) {}
  Sizes(const dim3& g, const dim3& b, int n) : grid(g), block{b}, bytes((size_t)n) {}
  bool wide() const { return block.x > 32; }
};
"""
_START = """template <typename Kernel, typename... Args>
static inline void start(Kernel kernel, const Sizes& s, Args&&... args) {
  kernel<<<s.grid, s.block, s.bytes>>>(std::forward<Args>(args)...);
}
"""
_CONFIGURED = """struct Config {
  cudaLaunchAttribute attribute; cudaLaunchConfig_t config;
  Config(const Sizes& s) {
    attribute.id = overlap; config = {}; config.gridDim = s.grid; config.blockDim = s.block;
    config.dynamicSmemBytes = s.bytes; config.attrs = &attribute; config.numAttrs = 1;
  }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;
};
template <typename Kernel, typename... Args>
void start(Kernel kernel, const Sizes& s, Args&&... args) {
  auto c = Config(s);
  CHECK(cudaLaunchKernelEx(&c.config, kernel, std::forward<Args>(args)...));
}
"""
_TOLD = "k<<<4x1x1, 64x2x1, 256>>>(_, 7)"


def told(source: str) -> list[str]:
    """What is said of the kernel ``k``."""
    return [str(one) for one in launches_in(source) if one.kernel == "k"]


@pytest.mark.parametrize("start", [_START, _CONFIGURED])
@pytest.mark.parametrize("structure", [_STRUCTURE, _BUILT])
@pytest.mark.parametrize(
    "call",
    [
        "const Sizes s = {4, dim3(64, 2), 256}; start(k, s, p, 7);",
        "Sizes s{4, dim3(64, 2), 256}; start(k, s, p, 7);",
        "const Sizes s = Sizes{4, dim3(64, 2), 256}; start(k, s, p, 7);",
        "dim3 b(64, 2); auto s = Sizes{4, b, b.x * 4}; start(k, s, p, b.x == 64 ? 7 : 8);",
        "start(k, Sizes{4, dim3(64, 2), 256}, p, 7);",
        "start(k, {4, dim3(64, 2), 256}, p, 7);",
        "Sizes s{4, dim3(64, 2), 256}; const Sizes t = s; start(k, t, p, 7);",
    ],
)
def test_members_are_what_a_structure_was_made_of(structure: str, start: str, call: str) -> None:
    assert told(f"{structure}{start}void run(float* p) {{ {call} }}") == [_TOLD]


def test_names_may_say_which_member_is_meant() -> None:
    call = "Sizes s{.block = dim3(64, 2), .grid = 4, .bytes = 256}; start(k, s, p, 7);"
    assert told(f"{_STRUCTURE}{_START}void run(float* p) {{ {call} }}") == [_TOLD]


def test_a_constructor_may_be_called_in_round_brackets_and_leaves_what_it_is_given() -> None:
    call = "int n = 64; dim3 b(n, 2); Sizes s(4, b, 256); auto t = Sizes(4, b, n * 4); "
    for name in ("s", "t"):
        source = f"{_BUILT}{_START}void run(float* p) {{ {call} start(k, {name}, p, 7); }}"
        assert told(source) == [_TOLD]


@pytest.mark.parametrize(
    "changes",
    [
        "s.block.x = 32;",
        "s.block = 32;",
        "s = other;",
        "tune(s);",
        "tune(&s);",
        "tune(s.block);",
        "auto& b = s.block; b.x = 32;",
        "{ Sizes s = read(); start(k, s, p, 7); } if (0)",
        "[&](Sizes s) { start(k, s, p, 7); }(other); if (0)",
    ],
)
def test_members_that_something_may_change_are_not_known(changes: str) -> None:
    call = f"Sizes s{{4, dim3(64, 2), 256}}; {changes} start(k, s, p, 7);"
    known = told(f"{_STRUCTURE}{_START}void run(float* p) {{ {call} }}")
    assert not known or (len(known) > 1 and any("_, _" in one for one in known))


@pytest.mark.parametrize("kind", ["Sizes", "const Sizes&", "auto", "auto&", "Sizes&&"])
def test_members_of_another_variable_of_that_name_are_not_known(kind: str) -> None:
    loop = f"for ({kind} s : all) k<<<s.grid, s.block>>>(p);"
    call = "Sizes s{4, dim3(64, 2), 256};"
    assert told(f"{_STRUCTURE}void run(float* p) {{ {call} {loop} }}") == []
    handed = f"void go(Sizes s) {{ {loop} }} void run() {{ {call} go(s); }}"
    assert told(f"{_STRUCTURE}{handed}") == []


@pytest.mark.parametrize(
    "structure",
    [
        _STRUCTURE.replace("struct Sizes", "struct Sizes : Other"),
        _STRUCTURE.replace("dim3 grid", "void halve() { block.x /= 2; } dim3 grid"),
        _STRUCTURE.replace("dim3 grid", "Sizes(int, dim3, int); dim3 grid"),
        _BUILT.replace("(n) {}", "(n) { if (n > 64) block = 32; }"),
        _BUILT.replace("block(b), ", "block(b.y), "),
    ],
)
def test_a_structure_that_may_do_more_is_not_known(structure: str) -> None:
    call = "Sizes s(4, dim3(64, 2), 256); start(k, s, p, 7);"
    assert told(f"{structure}{_START}void run(float* p) {{ {call} }}") == []


def test_what_follows_is_handed_on_as_many_as_it_is() -> None:
    start = "template <class... A> void go(int n, A... rest) { k<<<n, 32>>>(n, rest..., 5); }\n"
    first, second = told(f"{start}void f() {{ go(2, p, 3); go(4); }}")
    assert first == "k<<<2x1x1, 32x1x1, 0>>>(2, _, 3, 5)"
    assert second == "k<<<4x1x1, 32x1x1, 0>>>(4, 5)"


def test_what_follows_may_be_changed_by_another_function() -> None:
    start = "template <class... A> void go(A&&... a) { %s k<<<1, 32>>>(a...); }\n"
    use = "void f() { int n = 64; go(n); h<<<1, n>>>(); k<<<1, 32>>>(); }"
    blocks = {
        change: [str(o) for o in launches_in(start % change + use) if o.kernel == "h"]
        for change in ("", "tune(a...);")
    }
    assert blocks == {"": ["h<<<1x1x1, 64x1x1, 0>>>()"], "tune(a...);": []}


_CASE = "template <int N> void run(float* p, int n) { k<<<n, N>>>(p); }\n"


@pytest.mark.parametrize(
    ("more", "launches"),
    [
        ("template void run<64>(float*, int);", ["k<<<_, 64x1x1, 0>>>(_)"]),
        ("extern template void run<64>(float*, int);", []),
        (
            "#define CASE(N) template void run<N>(float* p, int n)\nCASE(64);\nCASE(96);",
            ["k<<<_, 64x1x1, 0>>>(_)", "k<<<_, 96x1x1, 0>>>(_)"],
        ),
        ("template <> void run<64>(float* p, int n);", []),
    ],
)
def test_a_template_is_called_from_elsewhere_where_it_is_instantiated(
    more: str, launches: list[str]
) -> None:
    assert told(_CASE + more) == launches
