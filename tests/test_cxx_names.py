"""Names of a source: constants among many declarations, and macros with comments behind them."""

from __future__ import annotations

from bankwise.read.cxx import pieces
from bankwise.read.cxx.functions import macros_named
from bankwise.read.cxx.stable import acts
from bankwise.read.cxx.tree import macro_text, parse, span, walk

DECLARED = "".join(
    f"  const unsigned n{i} = threadIdx.x / {i + 2} + n{i - 1} * n{i - 2};\n" for i in range(2, 40)
)
KERNEL = f"""__global__ void k(const unsigned n0, const unsigned n1) {{
  const int step = 4 * 8;
  const int twice = step + step;
{DECLARED}  int moved = 3;
  f(twice, n39, moved);
}}
"""


def test_constants_among_forty_declarations(monkeypatch) -> None:
    """Each name is asked for itself: what other declarations are made of is nobody's question."""
    source, asked = parse(KERNEL, "k.cu"), list[str]()
    call = next(n for n in walk(source.root) if n.type == "argument_list")
    twice, last, moved = call.children[1:6:2]
    plain = pieces.constant

    def counted(source, expression, depth=8):
        asked.append(source.of(expression))
        return plain(source, expression, depth)

    monkeypatch.setattr(pieces, "constant", counted)
    assert counted(source, twice)
    assert not counted(source, last)
    assert not counted(source, moved)
    assert len(asked) < 20


COMMENTED = """#define ROWS 8      // rows of S, a "block
#define N 2048      /* keys */
#define SET(x) x = 1  // an assignment of rows
#define SAYS "// rows"
__global__ void k(float* rows) { rows[threadIdx.x * N + ROWS] = SET(N); }
"""


def test_a_comment_is_no_part_of_what_a_macro_stands_for() -> None:
    source = parse(COMMENTED, "k.cu")
    macros = [n for n in walk(source.root) if n.type.startswith("preproc_") and n.named_children]
    texts = {
        source.of(n.child_by_field_name("name")): macro_text(source, n)
        for n in macros
        if n.child_by_field_name("name") is not None
    }
    assert {name: " ".join(text.split()) for name, text in texts.items()} == {
        "ROWS": "8",
        "N": "2048",
        "SET": "x = 1",
        "SAYS": '"// rows"',
    }
    assert [source.of(one.child_by_field_name("name")) for one in macros_named(source, "rows")] == [
        "SAYS"
    ]
    index = next(
        n for n in walk(source.root) if n.type == "subscript_expression"
    ).child_by_field_name("indices")
    assert acts(source, span(index)) == ""
    call = next(n for n in walk(source.root) if n.type == "call_expression")
    assert acts(source, span(call)) == "SET(N)"
