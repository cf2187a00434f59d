"""What ``--arg`` says of a TTGIR kernel: its arguments by name, and which block is looked at.

A block's number has a name in each language that Triton makes of the text: blockIdx.x of CUDA, of
PTX and SASS, workgroup_id_x of AMD's assembly. Both are taken, so that the same ``--arg`` goes with
every stage; reports say the one of the machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bankwise.errors import InputError
from bankwise.read.options import not_a_number
from bankwise.read.ttgir.values import Op, TritonFunction
from bankwise.regex import regex

_AXES = "xyz"
_PLACES = {
    **{f"{word}.{axis}": f"block {axis}" for word in ("blockIdx", "ctaid") for axis in _AXES},
    **{f"workgroup_id_{axis}": f"block {axis}" for axis in _AXES},
    **{f"{word}.{axis}": f"grid {axis}" for word in ("gridDim", "nctaid") for axis in _AXES},
}
_EMITTED = {
    ("nvidia", "block"): "ctaid.",
    ("nvidia", "grid"): "nctaid.",
    ("amd", "block"): "workgroup_id_",
}
"""How readers of machine code are told; in AMD's code of Triton the grid has no name."""
_SAID = {("amd", "block"): "workgroup_id_", ("nvidia", "block"): "blockIdx."}
_READ = {"tt.get_program_id": "block", "tt.get_num_programs": "grid"}
_AXIS = regex(r"\s*([xyz])\b")


def numbers_of(texts: Iterable[str]) -> dict[str, int]:
    """Read the ``NAME=VALUE`` texts; InputError for a text that is none."""
    out: dict[str, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        key = name.strip().removeprefix("%")
        try:
            out[_PLACES.get(key, key)] = int(value, 0)
        except ValueError as error:
            raise not_a_number(text) from error
        if not (name and equals):
            raise not_a_number(text)
    return out


def check_numbers(kernel: TritonFunction, numbers: Mapping[str, int]) -> None:
    """Raises :class:`InputError` for a name that the kernel does not have."""
    for name in numbers:
        if f"%{name}" not in kernel.arguments and name not in _PLACES.values():
            names = ", ".join(a.removeprefix("%") for a in kernel.arguments)
            whole = [a.removeprefix("%") for a in kernel.arguments if a in kernel.integers]
            taken = f", of them integers {', '.join(whole) or 'none'}"
            hint = (
                f"it has {names}{taken}; and blockIdx.x, or workgroup_id_x, is the block's number"
            )
            raise InputError(f"kernel {kernel.name} has no argument {name!r}", hint=hint)


def place_of(op: Op) -> str:
    """The name among numbers of what a ``tt.get_program_id`` reads; empty for another operation."""
    what, axis = _READ.get(op.name), _AXIS.match(op.body)
    return f"{what} {axis[1]}" if what and axis else ""


def is_block(name: str) -> bool:
    """Whether a name as ``--arg`` takes it is a block's, and not of an argument."""
    return name in _PLACES


def block_names() -> Mapping[str, str]:
    """A block's numbers as ``--arg`` takes them, each with its name among numbers."""
    return _PLACES


def is_place(name: str) -> bool:
    """Whether a name among numbers is a block's, and not of an argument."""
    return name in _PLACES.values()


def emitted_name(name: str, vendor: str) -> str:
    """What the readers of machine code call a block's number; empty for what they do not take."""
    what, axis = name.split()
    word = _EMITTED.get((vendor, what), "")
    return f"{word}{axis}" if word else ""


def said_name(name: str, vendor: str) -> str:
    """A name among numbers as ``--arg`` takes it."""
    if not is_place(name):
        return name
    what, axis = name.split()
    return f"{_SAID.get((vendor, what), 'gridDim.')}{axis}"


def how_to_say(facts: Iterable[str], names: Sequence[str], vendor: str) -> str:
    """How one says what is open, in words. ``names``: of the kernel's arguments, in order."""
    open_ = {*facts}
    if not open_:
        return "the machine code alone leaves it open"
    said = [name for name in (*names, *dict.fromkeys(_PLACES.values())) if name in open_]
    other = sorted(open_ - {*said})
    if not said:
        return f"no argument decides it: {', '.join(other)}"
    listed = ", ".join(_told(name, vendor) for name in said)
    text = f"--arg NAME=VALUE, in Python numbers={{..}}, says it: {listed}"
    return f"{text}; but not {', '.join(other)}" if other else text


def _told(name: str, vendor: str) -> str:
    called = said_name(name, vendor)
    if not is_place(name):
        return called
    what, axis = name.split()
    function = "tl.program_id" if what == "block" else "tl.num_programs"
    return f"{called} ({function}({_AXES.index(axis)}))"
