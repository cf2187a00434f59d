"""What is a constant of a function is found in steps that do not multiply with its declarations."""

from __future__ import annotations

from bankwise.read.cxx import pieces
from bankwise.read.cxx.tree import parse, walk

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
