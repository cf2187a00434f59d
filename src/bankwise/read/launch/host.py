"""What the host code of a CUDA or HIP source says about its launches: constants, and nothing else.

    #define TILE 32                                   a macro that is an expression of constants
    #define DIV(a, b) (((a) + (b) - 1) / (b))         what a call of it is; of a function, too
    const int rows = 8;                               a variable that is never assigned again
    dim3 threads(TILE, rows);                         likewise, its members set in order or not
    transpose<<<grid, threads>>>(out, in, 1024);      launched at line 9 with 32,8,1

What a parameter, a condition, a long loop or another file decides is not known; a short loop is
read round by round. A macro that is defined twice, and differs, is none, and so is the default of a
parameter. A launch through a pointer to a kernel counts for the kernels that are assigned to it, or
that a call hands over; one in a macro where that is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from bankwise.read.launch.arrays import declare_array, declared_array
from bankwise.read.launch.bodies import (
    ClassBlock,
    classes_in,
    hidden_at,
    hidden_by_call,
    scope_name,
)
from bankwise.read.launch.changes import EVERY_PLACE, changed, steady
from bankwise.read.launch.declared import (
    assign_member,
    declare,
    declare_parts,
    define,
    enumerate_names,
    is_enum,
    leave,
)
from bankwise.read.launch.facts import KernelLaunch
from bankwise.read.launch.functions import expanded
from bankwise.read.launch.handed import handed_kernels, handed_on
from bankwise.read.launch.headers import header_words
from bankwise.read.launch.launched import BY_CALL, LAUNCHES, named_kernels, read_call, read_launch
from bankwise.read.launch.launchers import (
    GivenWords,
    arguments_at,
    by_value,
    functions_in,
    given_in,
    is_called,
    kernel_lines,
    launchers_in,
    launching_macros,
    numbers_in,
)
from bankwise.read.launch.loops import loop_at
from bankwise.read.launch.members import declare_alias, declare_record, given_constants
from bankwise.read.launch.narrowed import narrow_block, narrow_case
from bankwise.read.launch.pointers import pointers_in
from bankwise.read.launch.reading import HostReading
from bankwise.read.launch.records import Record, kept_by_constructors, records_in
from bankwise.read.launch.settled import AskMacros, defined_differently, settled
from bankwise.read.launch.tokens import SourceWord, tokens
from bankwise.read.line_marks import MarkedLine, marked_lines

_MOST_TOKENS = 400_000


def launches_in(
    source: str, headers: Sequence[str] = (), ask: AskMacros | None = None
) -> tuple[KernelLaunch, ...]:
    """The launches ``kernel<<<..>>>`` of a CUDA or HIP source whose block size is constant, and
    those of the same kernels whose block, None, is not.

    ``headers``: texts that stand before it, for their constants; of what they launch that which the
    source calls. ``ask``: the compiler's word on macros that are defined in several ways.
    """
    own = _at_their_lines(tokens(source), source)
    every = (*header_words(headers, _MOST_TOKENS), *own)
    if len(own) > _MOST_TOKENS or not any(word.text in LAUNCHES for word in every):
        return ()
    kept = every if ask is None else settled(every, (source, *headers), ask)
    words = expanded(kept, launching_macros(kept, LAUNCHES))
    launchers = launchers_in(words, LAUNCHES)
    classes = classes_in(words)
    records = records_in(words, classes)
    values = _values(words, classes, records)
    names = frozenset(changed(words, values))
    reading = HostReading(words, changed=names, pointers=pointers_in(words), values=values)
    reading.steady, reading.launchers = steady(words), launchers
    reading.classes, reading.records = classes, records
    reading.several = frozenset(defined_differently(words))
    called = {name: one for name, one in launchers.items() if is_called(words, name, one)}
    theirs = {name: one for name, one in launchers.items() if not words[one.named].line}
    reading.bodies = {one.start: one.stop for one in (*called.values(), *theirs.values())}
    reading.unused = {one.start: one for name, one in launchers.items() if name not in called}
    _read_to(reading, 0, len(words))
    reading.not_followed |= handed_on(words, called)
    for name, one in called.items():
        unread = name not in reading.followed and name not in theirs
        if unread or name in reading.not_followed:
            _read_alone(reading, one.start, one.stop)
    reading.found = [*reading.found, *handed_kernels(reading)]
    return tuple(_told(reading))


def _values(
    words: Sequence[SourceWord], classes: Mapping[int, ClassBlock], records: Mapping[str, Record]
) -> Mapping[str, frozenset[int]]:
    """The places of arguments that calls leave as they are, by what they call."""
    functions = by_value(words, functions_in(words), classes)
    return {**functions, **kept_by_constructors(records), **dict.fromkeys(BY_CALL, EVERY_PLACE)}


def lines_of_kernels(source: str) -> frozenset[int]:
    """The lines, from 1, in which indices may change while :func:`launches_in` says the same of a
    source."""
    return kernel_lines(tokens(source), LAUNCHES)


def _read_alone(reading: HostReading, start: int, stop: int) -> None:
    """A function's body, for arguments that nobody knows."""
    hidden = hidden_by_call(reading.words, start, reading.classes)
    names = next((one.names for one in reading.launchers.values() if one.start == start), ())
    reading.scopes.append(dict.fromkeys((*hidden, *names)))
    reading.called.append("")
    reading.blocks.append(start)
    _read_to(reading, start + 1, stop)


def _told(reading: HostReading) -> Iterator[KernelLaunch]:
    """Launches whose block is known, and the others of the kernels that have one."""
    found = reading.found
    names = {one.kernel.split("<")[0] for one in found if one.block}
    return (one for one in found if one.block or one.kernel.split("<")[0] in names)


def _at_their_lines(words: Sequence[SourceWord], source: str) -> tuple[SourceWord, ...]:
    """The words of a source in which headers stand at the lines of its file; those of headers in
    line 0, as behind it."""
    marked = marked_lines(source)
    if not marked or marked[0] != MarkedLine("", 1) or len(marked) < 2 or marked[1].number != 1:
        return tuple(words)
    file = marked[1].file
    places = [one.number * (one.file == file) for one in marked]
    return tuple(replace(one, line=places[one.line - 1]) for one in words)


def _read_to(reading: HostReading, start: int, stop: int) -> None:
    at = start
    while at < stop:
        at = _read(reading, at)


def _read(reading: HostReading, at: int) -> int:
    """Read what begins at a place; the next place."""
    words, word = reading.words, reading.words[at]
    if word.text == "#define":
        return define(reading, at)
    if at in reading.bodies:
        return reading.bodies[at]
    if word.text == "{":
        unused = reading.unused.get(at)
        hidden = hidden_at(words, at, reading.classes)
        reading.scopes.append(dict.fromkeys((*hidden, *(unused.names if unused else ()))))
        reading.called.append(scope_name(words, at))
        reading.blocks.append(at)
        if is_enum(words, at):
            enumerate_names(reading, at)
        narrow_block(reading, at)
    elif word.text == "}" and len(reading.scopes) > 1:
        leave(reading)
    elif word.text in LAUNCHES and not word.line and not reading.may_be_called(at):
        return at + 1
    elif word.text == "<<<":
        read_launch(reading, at)
    elif word.text in BY_CALL:
        read_call(reading, at)
    elif word.text in reading.launchers or word.text in reading.within:
        _follow(reading, at)
    elif word.text == "for":
        return _repeat(reading, at)
    elif word.text in ("case", "default"):
        narrow_case(reading, at)
    elif (found := declared_array(words, at)) is not None:
        declare_array(words, found, reading.scopes)
    elif word.text == "auto" and at + 2 < len(words) and not words[at + 1].is_name:
        declare_parts(reading, at)
    elif word.text in ("&", "&&"):
        declare_alias(reading, at)
    elif at + 2 < len(words) and word.is_name:
        _declare(reading, at)
    return at + 1


def _declare(reading: HostReading, at: int) -> None:
    """``dim3 block`` or ``block.x =``, if that stands at a place."""
    if reading.words[at + 1].is_name:
        declare(reading, at)
        declare_record(reading, at)
    elif [one.text for one in reading.words[at + 1 : at + 4 : 2]] == [".", "="]:
        assign_member(reading, at)


def _repeat(reading: HostReading, at: int) -> int:
    """A loop around launches, round by round where constants decide these; the next place."""
    loop = loop_at(reading.words, at, reading.scopes)
    signs = {*LAUNCHES, *reading.launchers}
    if loop is None or signs.isdisjoint(w.text for w in reading.words[loop.start : loop.stop]):
        return at + 1
    before, reading.found = reading.found, []
    for number in loop.numbers:
        reading.scopes.append({loop.name: number})
        reading.called.append("")
        reading.blocks.append(-1)
        _read_to(reading, loop.start, loop.stop)
        leave(reading)
    reading.found = [*before, *_once(reading.found)]
    return loop.stop


def _once(found: Iterable[KernelLaunch]) -> Iterator[KernelLaunch]:
    """Launches that differ in what is known of them."""
    told: set[str] = set()
    for one in found:
        if f"{one} {one.said}" not in told:
            told.add(f"{one} {one.said}")
            yield one


def _follow(reading: HostReading, at: int) -> None:
    """The body of a function that launches, as it is called at a place; where it calls itself, once
    more, with values that nobody knows."""
    name, every, within = reading.words[at].text, reading.launchers, reading.within
    one = within.get(name) or every[name]
    numbers = numbers_in(reading.words, at, one, reading.scopes)
    given = given_in(reading.words, at, one)
    if numbers is None or given is None or not reading.left or at == one.named:
        if at != one.named and arguments_at(reading.words, at) is not None:
            reading.not_followed.add(name)
        return
    reading.left -= 1
    reading.followed.add(name)
    constant = {each.name for each in one.parameters if each.is_constant}
    mine = frozenset(changed(reading.words[one.start : one.stop], reading.values)) - constant
    known = numbers | given_constants(reading, given)
    mine |= set(one.names).difference(numbers) if name in within else set()
    known = {n: None if n.split(".")[0] in mine else value for n, value in known.items()}
    known = dict.fromkeys(hidden_by_call(reading.words, one.start, reading.classes)) | known
    held = {each.parameter.name: _held(reading, each) for each in given}
    scopes, called, calls, blocks = reading.scopes, reading.called, reading.calls, reading.blocks
    pointers, reading.pointers = reading.pointers, {**reading.pointers, **held}
    reading.scopes, reading.called = [scopes[0], known], ["", ""]
    reading.blocks = [-1, one.start]
    reading.launchers = {n: other for n, other in every.items() if n != name}
    reading.calls = (*calls, reading.words[at].line)
    others = {n: other for n, other in within.items() if n != name}
    reading.within = others if name in within else {**within, name: one}
    _read_to(reading, one.start + 1, one.stop - 1)
    reading.within = within
    reading.scopes, reading.called, reading.launchers = scopes, called, every
    reading.calls, reading.blocks, reading.pointers = calls, blocks, pointers


def _held(reading: HostReading, one: GivenWords) -> set[str]:
    """The kernels that an argument may be, as globs, and those that the parameter is assigned."""
    own = reading.pointers.get(one.parameter.name, set())
    return own.union(named_kernels(reading, one.words, len(one.words)))
