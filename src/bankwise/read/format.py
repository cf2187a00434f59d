"""A format: one kind of file, as a record of the table."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from bankwise.identity import ByIdentity
from bankwise.read.signs import Sign


class Format(ByIdentity, frozen=True, eq=False):
    """One kind of file or folder.

    ``name``: what it is called, behind ``article`` in a sentence. ``sign``: the test on its
    content. ``family``: of the languages that its suffixes may stand for. ``verbs``: each verb that
    takes it and who answers; ``reader``: who reads emitted code; ``listing``: who finds the machine
    code in it; ``gpus``: who finds the GPUs that it names. These are ``module:function`` below
    ``bankwise``, loaded when they are wanted.
    ``options``: those of the verbs that not every format has a use for; ``ways_on``: by
    option that it has no use for, what to say instead; ``preferences``: what ``--prefer`` may say
    of it, empty for all. ``stage``: of what a compiler leaves in a
    folder the highest is checked, 0 is named only. ``binary``: it has no text. ``compiled``:
    reading it runs a compiler, which opens whatever its text includes: only for who may open that
    too. ``instead``: what to do; ``instead_of``: who says it of the path, the text,
    the verb, the GPU and the kernel.
    """

    name: str
    article: str = ""
    suffixes: tuple[str, ...] = ()
    sign: Sign | None = None
    family: str = ""
    verbs: Mapping[str, str] = field(default_factory=dict)
    reader: str = ""
    listing: str = ""
    gpus: str = ""
    options: frozenset[str] = frozenset()
    ways_on: Mapping[str, str] = field(default_factory=dict)
    preferences: frozenset[str] = frozenset()
    stage: int | None = None
    binary: bool = False
    compiled: bool = False
    instead: str = ""
    instead_of: str = ""

    def __str__(self) -> str:
        return f"{self.article} {self.name}".strip()


def known(
    name: str,
    article: str,
    suffixes: str,
    sign: Sign | None,
    instead: str,
    *,
    family: str = "",
    stage: int | None = None,
    instead_of: str = "",
) -> Format:
    """What bankwise knows and does not read."""
    return Format(
        *(name, article, tuple(suffixes.split()), sign, family),
        instead=instead,
        instead_of=instead_of,
        stage=stage,
    )


ANY_KERNEL = frozenset(
    ["--kernel", "--dim", "--workgroup-size", "--arg", "--launch", "--all", "--counters", "--worth"]
)
"""Of any kernel: one command line serves many files, also those that have no use for one."""
MACHINE_CODE = ANY_KERNEL - {"--dim"}
"""Of code whose kernels have arguments, and no sizes with a name."""
BY_ARGUMENT = {"--dim": "a number that its launch hands over is said by --arg NAME=NUMBER"}
OWN_LAUNCH = ANY_KERNEL - {"--launch"}
"""Of a text that says itself how it is launched."""
