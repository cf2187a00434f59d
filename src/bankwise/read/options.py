"""What a user may say about a kernel that its text does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct
from msgspec.structs import force_setattr

from bankwise.errors import InputError
from bankwise.hardware.machine import canonical, exact

MOST_THREADS = 1024
"""Of one workgroup, on every machine."""
FLAGS = "-- FLAGS"
DATABASE = "--compile-commands"
"""How a source is compiled."""
ACCESSOR = "--accessor"
"""How its layouts are written."""
TIMES = "--times"
"""How often a workgroup passes over its tiles."""
TARGETS = "a second --target"
"""Further GPUs that one answer has to serve."""
COMPILER = "--iree-compile"
"""Whose code is counted."""
FLAG_OF = {
    "kernel": "--kernel",
    "dims": "--dim",
    "workgroup_size": "--workgroup-size",
    "arguments": "--arg",
    "isa": "--isa",
    "keep": "--keep",
    "padding": "--padding",
    "direct_load": "--direct-load",
    "launches": "--launch",
    "prefer": "--prefer",
    "flags": FLAGS,
    "compile_commands": DATABASE,
    "accessor": ACCESSOR,
    "times": TIMES,
    "targets": TARGETS,
    "iree_compile": COMPILER,
}
"""What the command line calls a field of :class:`Options`, but for those that every verb takes."""
Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""
Phase = Callable[[str], None]
"""Called with what is done now, in words."""


@runtime_checkable
class Phased(Protocol):
    """A :data:`Progress` that is told as well in which phase the work is."""

    def phase(self, text: str) -> None:
        """What is done from now on, whatever that takes."""


def phase_of(progress: Progress | None) -> Phase:
    """Where to say in which phase the work is; nobody hears it where nobody asked."""
    return progress.phase if isinstance(progress, Phased) else lambda _: None


class Options(Struct, frozen=True):
    """What the user may say about a kernel that its text does not, and what is asked of it.

    ``dims``: ``NAME=SIZE`` texts; ``workgroup_size``: ``X,Y,Z``; ``policy``: a width policy, "" for
    what is usual with the kind of file; ``arguments``: ``NAME=VALUE`` texts; ``isa``: compare with
    what the compiler emits; ``keep``: a folder for the kernels that a model is lowered to,
    ``padding`` and ``direct_load``: how it is lowered, None for what the verb does unasked.
    ``prefer``: by what plans are ranked, ""
    for data and issue cycles. ``launches``: as ``--launch`` takes them.
    ``flags``: of the user's own, for the compiler of source; ``compile_commands``: the database of
    his build, or its folder, "" for what lies around the source; ``accessor``: write layouts as
    types of its arrays. ``times``: how often a workgroup passes over a tile of a CK header, ``N``
    or ``NAME=N`` texts. ``targets``: further GPUs that one answer has to serve.
    or ``NAME=N`` texts. ``iree_compile``: the program that compiles MLIR, "" for the usual one.
    Of machine code: ``openers``: try what would open the rest; ``shapes``: try several shapes where
    none is known; ``paired``: MLIR is planned as if the compiler joined its reads in pairs;
    ``work``: steps that following one launch of a kernel is worth, 0 for what its size is.
    ``exact``: the target as compilers call it where its machine has a shorter name, sm_90a; empty
    otherwise.
    """

    target: str = ""
    kernel: str = ""
    dims: tuple[str, ...] = ()
    workgroup_size: str = ""
    policy: str = ""
    arguments: tuple[str, ...] = ()
    isa: bool = False
    keep: str = ""
    padding: bool | None = None
    direct_load: bool | None = None
    launches: tuple[str, ...] = ()
    prefer: str = ""
    flags: tuple[str, ...] = ()
    compile_commands: str = ""
    accessor: bool = False
    times: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    iree_compile: str = ""
    openers: bool = True
    shapes: bool = True
    paired: bool = False
    work: int = 0
    exact: str = ""

    def __post_init__(self) -> None:
        # People say MI300X or sm_90a: from here on a machine has one name.
        force_setattr(self, "exact", exact(self.target) or self.exact)
        force_setattr(self, "target", canonical(self.target))
        force_setattr(self, "targets", tuple(map(canonical, self.targets)))

    @property
    def named(self) -> str:
        """The target, as compilers call it where that says more."""
        return self.exact if self.exact[:-1] == self.target else self.target

    @property
    def width_policy(self) -> str:
        """The policy for MLIR: IREE's where none is named."""
        return self.policy or "iree"

    @property
    def given(self) -> tuple[str, ...]:
        """The options that say more than their defaults, as the command line spells them."""
        return tuple(
            flag for name, flag in FLAG_OF.items() if getattr(self, name) != getattr(_UNSAID, name)
        )


_UNSAID = Options()


def command(verb: str, file: str, options: Options) -> str:
    """The command line that asks another verb about a file, with what was said of its kernels."""
    import shlex

    words = ["bankwise", verb, file]
    for flag, value in _said(options):
        for one in value if isinstance(value, tuple) else (value,):
            words += [flag, one] if isinstance(one, str) and one else _switch(flag, one)
    return shlex.join([*words, *(["--", *options.flags] if options.flags else [])])


def _switch(flag: str, on: bool | str | None) -> list[str]:
    """An option that is on or off, or not said."""
    return [flag] if on else [flag.replace("--", "--no-", 1)] if on is False else []


def _said(options: Options) -> Iterator[tuple[str, bool | str | tuple[str, ...] | None]]:
    yield from (("--target", options.named), ("--policy", options.policy))
    for name, flag in FLAG_OF.items():
        if flag in _FACTS:
            yield flag, getattr(options, name)


_FACTS = frozenset(
    (
        *("--kernel", "--dim", "--workgroup-size", "--arg", "--launch"),
        *("--padding", "--direct-load", DATABASE, COMPILER),
    )
)
"""What is said of kernels, whichever verb is asked."""


class Judges(Struct, frozen=True):
    """Who judges what ``fix`` writes, beside the proof.

    ``execute``: run the kernels before and after; ``isa``: compile them and compare the code;
    ``reference``: ``FILE.py:FUNCTION``, called with the input buffers, returns the expected ones;
    ``accept_sampled``: the proof alone will do where not all workgroups could be executed;
    ``prove``: an SMT solver judges, too; ``run``: a GPU does, on random inputs.
    """

    execute: bool = True
    isa: bool = True
    reference: str = ""
    accept_sampled: bool = False
    prove: bool = False
    run: bool = False

    @property
    def given(self) -> tuple[str, ...]:
        """The options that not every format has, as the command line spells them."""
        said = (("--reference", self.reference), ("--run", self.run))
        return tuple(flag for flag, value in said if value)


ALL_JUDGES = Judges()


def three(text: str) -> tuple[int, int, int]:
    """Read ``X,Y,Z``; InputError if it is not a workgroup size."""
    parts = text.replace("x", ",").split(",")
    if not 1 <= len(parts) <= 3 or not all(_is_number(p) and int(p) > 0 for p in parts):
        raise InputError(f"workgroup size {text!r} is not X,Y,Z", hint="for example 256,1,1")
    x, y, z = [int(p) for p in (*parts, "1", "1")[:3]]
    if x * y * z > MOST_THREADS:
        message = f"a workgroup of {x * y * z} threads; {MOST_THREADS} is the most a GPU takes"
        raise InputError(message)
    return x, y, z


Named = str | Sequence[str] | Mapping[str, int]
"""``NAME=NUMBER`` in Python: texts, one text, or numbers by name."""


def texts(name: str, given: Named) -> tuple[str, ...]:
    """What Python says of an option that may be given several times, as the command line has it.
    Raises :class:`InputError` for anything else than :data:`Named`."""
    if isinstance(given, str):
        return (given,) if given else ()
    if isinstance(given, Mapping):
        return tuple(f"{key}={value}" for key, value in given.items())
    if isinstance(given, Sequence) and all(isinstance(one, str) for one in given):
        return tuple(given)
    hint = f'{name}=("a=1", "b=2"), or {name}={{"a": 1, "b": 2}}'
    raise InputError(f"{name} {given!r}: neither texts nor numbers by name", hint=hint)


def words(flags: str | Sequence[str]) -> tuple[str, ...]:
    """Flags of a compiler that Python says as one text or as several."""
    import shlex

    try:
        return tuple(shlex.split(flags)) if isinstance(flags, str) else texts("flags", flags)
    except ValueError as error:
        raise InputError(f"flags {flags!r}: {error}") from error


def size_text(given: str | Sequence[int]) -> str:
    """A workgroup size that Python says as a text or as up to three numbers, as a text."""
    if isinstance(given, str):
        return given
    if isinstance(given, Sequence) and all(type(one) is int for one in given):
        return ",".join(map(str, given))
    message = f"workgroup size {given!r} is neither a text nor up to three numbers"
    raise InputError(message, hint='workgroup_size=(256, 1, 1), or "256,1,1"')


def _is_number(text: str) -> bool:
    """Whether a text is digits of ASCII, few enough for a size; `int` refuses others or hangs."""
    return re.fullmatch(r"\s*[0-9]{1,18}\s*", text) is not None


def dims_of(options: Options) -> dict[str, int]:
    """Read the ``NAME=SIZE`` texts; InputError for a text that is none."""
    out: dict[str, int] = {}
    for text in options.dims:
        name, equals, size = text.partition("=")
        if not (name and equals and _is_number(size)):
            raise InputError(f"--dim {text!r} is not NAME=SIZE", hint="for example --dim M=4096")
        out[name.strip().removeprefix("%")] = int(size)
    return out


def arguments_of(texts: tuple[str, ...]) -> dict[str | int, int]:
    """Read the ``--arg`` texts; InputError for a text that is none."""
    out: dict[str | int, int] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            out[argument_key(name)] = int(value, 0)
        except ValueError as error:
            raise not_a_number(text) from error
        if not (name and equals):
            raise not_a_number(text)
    return out


def not_a_number(text: str) -> InputError:
    """What is wrong with an ``--arg``."""
    name, _, value = text.partition("=")
    if not (name and value):
        hint = "for example --arg n=4096, or --arg 8=4096"
        return InputError(f"--arg {text!r} is not NAME=VALUE", hint=hint)
    return InputError(
        f"--arg {text!r}: no whole number",
        hint="only those are followed: leave arguments of other types out",
    )


def argument_key(name: str) -> str | int:
    """An argument by name, or by position or offset where it begins with a digit; of CUDA's
    ``blockIdx`` and ``gridDim`` what machine code calls them. ValueError if that is no number."""
    if name[:1].isdigit():
        return int(name, 0)
    word, dot, axis = name.partition(".")
    return f"{_WORDS.get(word, word)}{dot}{axis}"


def argument_name(key: str | int) -> str:
    """An argument as a person gives it: :func:`argument_key` backwards."""
    word, dot, axis = str(key).partition(".")
    said = {machine: own for own, machine in _WORDS.items()}
    return f"{said.get(word, word)}{dot}{axis}"


_WORDS = {"blockIdx": "ctaid", "gridDim": "nctaid"}
"""What CUDA calls a block's place, and PTX and SASS."""
