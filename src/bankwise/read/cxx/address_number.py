"""Assembly that makes an address of shared memory of a pointer, and does nothing else.

    unsigned at;
    asm("{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }" : "=r"(at) : "l"(&s[r][c]));

``at`` is then what ``__cvta_generic_to_shared`` gives.
"""

from __future__ import annotations

import re

from msgspec import Struct

from bankwise.read.cxx.tree import CxxSource, Node, block_of, named

_STRING = re.compile(r'"((?:\\.|[^"\\])*)"')
_BLANKS = re.compile(r"(?:\s|\\[nt])+")
_CVTA = r"cvta\.to\.shared\.u64 {to},%(?P<from>\d+);"
_WIDE = re.compile(_CVTA.format(to=r"%(?P<to>\d+)"))
_NARROW = re.compile(
    r"{?\.reg\.[ub]64 (?P<wide>%?\w+);"
    + _CVTA.format(to="(?P=wide)")
    + r"cvt\.u32\.u64 %(?P<to>\d+),(?P=wide);}?"
)


class AddressNumber(Struct, frozen=True):
    """A variable that holds an address. ``block``: where it is declared; ``written``: the mentions
    that declare it and give it the address."""

    variable: Node
    block: Node
    written: tuple[Node, Node]


def number_of(source: CxxSource, operand: Node, assembly: Node) -> AddressNumber | None:
    """What assembly gives the address to that is one of its operands; None where it does anything
    else with it, or the variable is none that is declared around it without a value."""
    said = _said(source.of(assembly.child_by_field_name("assembly_code")))
    lists = [assembly.child_by_field_name(f"{way}put_operands") for way in ("out", "in")]
    operands = [one for some in lists if some is not None for one in named(some)]
    if said is None or len(operands) != 2 or (said["to"], said["from"]) != ("0", "1"):
        return None
    target = operands[0].child_by_field_name("value")
    if operands[1] != operand or target is None or target.type != "identifier":
        return None
    block = block_of(assembly)
    while block.parent is not None:
        declared = _declared(source, block, source.of(target))
        if declared is not None:
            return AddressNumber(target, block, (declared, target))
        block = block_of(block)
    return None


def _said(code: str) -> re.Match[str] | None:
    """The operands that assembly names, where it is such code."""
    text = _BLANKS.sub(" ", " ".join(_STRING.findall(code)))
    text = re.sub(r" ?([,;{}]) ?", r"\1", text).replace(".reg .", ".reg.").strip()
    return _NARROW.fullmatch(text) or _WIDE.fullmatch(text)


def _declared(source: CxxSource, block: Node, name: str) -> Node | None:
    """Where a block declares a variable of this name, without a value."""
    for statement in named(block):
        if statement.type == "declaration":
            for one in statement.children_by_field_name("declarator"):
                if one.type == "identifier" and source.of(one) == name:
                    return one
    return None
