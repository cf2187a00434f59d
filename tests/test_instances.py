"""Kernels of a template whose argument became another number are found by the name they have then.

The names are mangled by hand, as the Itanium C++ ABI has it: ``L`` type number ``E``.
"""

from __future__ import annotations

import pytest

from bankwise.read.instances import ChangedArgument, back, instance, instances_in

FOURTH = ChangedArgument("k", 3, 0, 4)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("_Z1kILi32ELi32EfLi0EEvPfPKf", "_Z1kILi32ELi32EfLi4EEvPfPKf"),
        ("_Z1kILi32ELin1E6__halfLi0EEvPf", "_Z1kILi32ELin1E6__halfLi4EEvPf"),
        ("_ZN2ns1kILb1ELj32EPKfLm0EEEvPf", "_ZN2ns1kILb1ELj32EPKfLm4EEEvPf"),
        ("_ZZ1kILi0ELi0EfLi0EEvPfE1s", "_ZZ1kILi0ELi0EfLi4EEvPfE1s"),
    ],
)
def test_the_argument_of_a_name_is_the_other_number(before: str, after: str) -> None:
    assert instance(before, [FOURTH]) == after
    assert instance(after, back([FOURTH])) == before


@pytest.mark.parametrize(
    "name",
    [
        "_Z1kPf",  # no template
        "_Z1kILi0ELi0EfLi8EEvPf",  # another number there
        "_Z2kkILi0ELi0EfLi0EEvPf",  # another template
        "_Z11kILi0ELi0EfLi0EEvPf",  # its name is eleven letters long
        "_Z1kILi0ELi0E6VectorIfELi0EEvv",  # a type with arguments of its own is not read
        "_Z1kILi0EJLi0ELi0ELi0EEEvPf",  # nor is a pack
        "k",
    ],
)
def test_other_names_stay(name: str) -> None:
    assert instance(name, [FOURTH]) == name


def test_every_name_of_a_text_is_the_other_one() -> None:
    text = ".entry _Z1kILi0ELi0EfLi0EEvPf(.param _Z1kILi0ELi0EfLi0EEvPf_param_0) _Z1kILi0EEvPf"
    second = ChangedArgument("k", 1, 0, 16)
    assert instances_in(text, (FOURTH, second)) == text.replace("Li0EfLi0E", "Li16EfLi4E")
    assert instances_in(text, ()) == text
