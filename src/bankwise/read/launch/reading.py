"""What is known on the way through the host code of a source: names, functions, launches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from bankwise.read.launch.bodies import ClassBlock
from bankwise.read.launch.brackets import closing
from bankwise.read.launch.changes import changed
from bankwise.read.launch.constants import Constants
from bankwise.read.launch.facts import KernelLaunch
from bankwise.read.launch.launchers import Launcher
from bankwise.read.launch.records import Record
from bankwise.read.launch.tokens import SourceWord

_MOST_CALLS = 256
"""Of functions that launch kernels, which are followed."""
CONFIGURED = ("gridDim", "blockDim", "dynamicSmemBytes")
"""Members of a launch's configuration: its grid, block and bytes."""


class HostReading(Struct):
    """``scopes``: what names are, the innermost block last, each ``called`` as its structure or
    namespace, "" for others; ``changed``: names that something
    assigns; ``pointers``: names to what is assigned to them; ``steady``: those whose
    members are set in order; ``launchers``:
    functions that launch, of which so many more calls (``left``) are followed; ``bodies``: where
    such a body begins that is read where it is called, by where it ends; ``unused``: templates
    that nothing calls, by where their bodies begin; ``followed``: those that were;
    ``not_followed``: of which a call was not; ``within``: those that are followed now; ``calls``:
    the lines of the calls that are followed now, the outermost first; ``values``: the places of
    arguments that such functions leave as they are; ``blocks``: where the blocks of the scopes
    begin, -1 for none; ``inside``: names that something assigns in the block that begins at a
    place; ``classes``: by where their blocks begin; ``several``: macros that are
    defined in several ways; ``enumerated``: names of enumerations; ``records``: structures that
    hold sizes; ``initial``: variables that keep a first value which is not known, with their scope,
    the place where it begins, whether it is a size, and its type; ``narrowed``: by where blocks
    begin what is known there alone; ``members``: of variables that are structures."""

    words: Sequence[SourceWord]
    scopes: list[Constants] = field(default_factory=lambda: [{}])
    changed: frozenset[str] = frozenset()
    pointers: dict[str, set[str]] = field(default_factory=dict)
    found: list[KernelLaunch] = field(default_factory=list)
    steady: frozenset[str] = frozenset()
    launchers: Mapping[str, Launcher] = field(default_factory=dict)
    left: int = _MOST_CALLS
    called: list[str] = field(default_factory=lambda: [""])
    bodies: Mapping[int, int] = field(default_factory=dict)
    unused: Mapping[int, Launcher] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    not_followed: set[str] = field(default_factory=set)
    within: Mapping[str, Launcher] = field(default_factory=dict)
    calls: tuple[int, ...] = ()
    values: Mapping[str, frozenset[int]] = field(default_factory=dict)
    blocks: list[int] = field(default_factory=lambda: [-1])
    inside: dict[int, frozenset[str]] = field(default_factory=dict)
    classes: Mapping[int, ClassBlock] = field(default_factory=dict)
    several: frozenset[str] = frozenset()
    enumerated: set[str] = field(default_factory=set)
    records: Mapping[str, Record] = field(default_factory=dict)
    initial: dict[str, tuple[Constants, int, bool, str]] = field(default_factory=dict)
    narrowed: dict[int, set[str]] = field(default_factory=dict)
    members: dict[str, set[str]] = field(default_factory=dict)

    def may_change(self, name: str) -> bool:
        """Whether something may assign to a name that is declared in the innermost scope: a local
        variable of a function only in its own block, or where a macro names it."""
        if name not in self.changed or not self._in_function or self.called[-1]:
            return name in self.changed
        return name in self.changes_in(self.blocks[-1])

    def changes_in(self, block: int) -> frozenset[str]:
        """The names that something may assign in the block that begins at a place."""
        if block not in self.inside:
            mine = self.words[block : closing(self.words, block) + 1]
            self.inside[block] = frozenset(changed(mine, self.values)) | self._in_macros
        return self.inside[block]

    def may_be_called(self, at: int) -> bool:
        """Whether what stands at a place of a header is read for a call of its function."""
        within = (n for n, one in self.launchers.items() if one.start <= at < one.stop)
        return bool(self.calls) or any(name in self.not_followed for name in within)

    @property
    def function(self) -> int:
        """Where the body begins of the function that is read; -1 outside of one."""
        begins = (at for at in self.blocks if at > 0 and self.words[at - 1].text in _BEFORE_BODY)
        return next(begins, -1)

    @property
    def _in_function(self) -> bool:
        return self.blocks[-1] >= 0 and self.function >= 0

    @property
    def _in_macros(self) -> frozenset[str]:
        """All names in macros."""
        if -1 not in self.inside:
            self.inside[-1] = frozenset(macro_names(self.words))
        return self.inside[-1]


_BEFORE_BODY = (")", "const", "noexcept", "override", "final")


def macro_names(words: Sequence[SourceWord]) -> Iterator[str]:
    """All names in what macros are."""
    defines = False
    for word in words:
        defines = word.text == "#define" or (defines and word.text != "#end")
        if defines and word.is_name:
            yield word.text
