"""Which facts of a launch would decide what is open of a kernel, and how to give them."""

from __future__ import annotations

from collections.abc import Iterator

from bankwise.read.assembly import AssemblyKernel
from bankwise.read.names import demangled, own, parameters
from bankwise.read.options import argument_name

_PLACES = ("ctaid", "workgroup_id")
"""How the names of a block's own indices begin."""
_GRIDS = ("nctaid", "block_count")
"""And those of the grid's size."""


def launch_asked(found: AssemblyKernel) -> Iterator[str]:
    """What to say of the launch of a kernel that depends on it, in a note; nothing where nothing is
    open, or nothing of the launch decides it."""
    if not found.facts or not _is_open(found):
        return
    index = any(fact.startswith(_PLACES) for fact in found.facts)
    if found.launch.grid is None and (index or any(f.startswith(_GRIDS) for f in found.facts)):
        which = "a block's own index" if index else "the grid's size"
        told = "grid and arguments decide it for every block"
        yield f"what is open depends on {which}; {told}: --launch '{_call(found)}'"
        return
    named = [fact for fact in found.facts if not fact.startswith(_PLACES)]
    if named and not index and not found.openers:  # which say it, with numbers that were tried
        options = " ".join(f"--arg {argument_name(fact)}=N" for fact in named)
        yield f"what is open depends on arguments of the launch: {options}"


def _is_open(found: AssemblyKernel) -> bool:
    doubted = any(not a.counted or a.unknown or a.some_lanes for a in found.accesses)
    return doubted or bool(found.refusals)


def _call(found: AssemblyKernel) -> str:
    """A launch as ``--launch`` takes it, with words for what is to be given."""
    spelled = demangled(found.name)
    block = "BLOCK" if found.launch.assumed else "x".join(map(str, found.workgroup_size))
    types = parameters(spelled)
    values = ", ".join("_" if one.rstrip().endswith(("*", "&")) else "N" for one in types)
    return f"{own(spelled)}<<<GRID, {block}>>>({values or '..' * (spelled == found.name)})"
