"""What stands around parts of a C++ text stands inside each other as they do."""

from __future__ import annotations

from bankwise.read.cxx.inserted import Around, with_insertions
from bankwise.read.cxx.tree import ByteSpan, parse


def test_what_stands_around_a_part_is_inside_what_stands_around_the_whole() -> None:
    """`s[a]`: around all of it, around a, twice, and at its end."""
    source = parse("x = s[a];", "k.cu")
    whole, index, end = ByteSpan(4, 8), ByteSpan(6, 7), ByteSpan(8, 8)
    every = [
        Around(index, "<", ">"),
        Around(whole, "(", ")"),
        Around(end, "!"),
        Around(index, "{", "}"),
        Around(ByteSpan(4, 4), "?"),
        Around(ByteSpan(4, 5), "'", "'"),
    ]
    assert with_insertions(source, every) == "x = ?('s'[<{a}>])!;"


def test_a_text_with_nothing_more_is_itself() -> None:
    text = "int ü[2];"
    assert with_insertions(parse(text, "k.cu"), []) == text
