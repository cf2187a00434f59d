"""Functions of host code that launch kernels with what they are called with.

    template <typename T, int N> void run(T* p, int n) { k<T, N><<<n / N, N>>>(p, n); }
    run<float, 32>(p, 1024);                             k<float, 32> with 32 threads
    void go(float* p, int n = 64) { k<<<n / 32, 32>>>(p, n); }
    int main() { go(p, 4096); go(p); }                   128 blocks, and 2

Only what a call in the same file gives as constants is followed, also through several functions:
what a compiler deduces, or another file calls, is not known. A function that nothing in the file
calls is read where it stands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from bankwise.read.launch.bodies import ClassBlock
from bankwise.read.launch.brackets import closing
from bankwise.read.launch.constants import Constants, cut, evaluate
from bankwise.read.launch.pointers import name_before
from bankwise.read.launch.tokens import SourceWord

_MOST_PLACES = 256
"""Of arguments that are told apart."""
_CALLS = ("cudaLaunchKernelEx", "hipLaunchKernelEx", "hipLaunchKernelGGL")
"""What launches a kernel with the arguments behind its own."""
_NO_FUNCTIONS = ("if", "while", "for", "switch", "catch", "return", "sizeof", "else", "do")
_BESIDE = ("const", "noexcept", "override", "static", "inline")


class Parameter(Struct, frozen=True):
    """A parameter of a function: its ``name``, whether it is a dim3, whether it is handed over as a
    value, or a reference to what stays, its ``default``, empty without one, whether it is such a
    value that nothing may change, the last name of its type, and whether it is all that follow."""

    name: str
    is_size: bool
    by_value: bool
    default: Sequence[SourceWord] = ()
    is_constant: bool = False
    kind: str = ""
    is_pack: bool = False


class Launcher(Struct, frozen=True):
    """A function that launches, or calls one that does. ``numbers``: by place the parameters of its
    template that are integers, None for types; empty of a function that takes no number so;
    ``defaults``: of these numbers, empty without one;
    ``parameters``: by place; ``named``: where its name stands in its definition; ``start`` and
    ``stop``: its body, brackets included."""

    numbers: tuple[str | None, ...]
    defaults: tuple[Sequence[SourceWord], ...]
    parameters: tuple[Parameter, ...]
    named: int
    start: int
    stop: int

    @property
    def names(self) -> tuple[str, ...]:
        """Of its parameters, and of the numbers of its template."""
        return (*filter(None, self.numbers), *(one.name for one in self.parameters))


Launchers = Mapping[str, Launcher]


def launchers_in(words: Sequence[SourceWord], launches: Sequence[str]) -> dict[str, Launcher]:
    """Those that hold one of the words that launch, or call one of these; none that is defined
    twice, and of the source's functions without numbers of a template those alone that something
    calls."""
    every = functions_in(words)
    found, signs = dict[str, Launcher](), set(launches)
    while True:
        more = {
            name: one
            for name, one in every.items()
            if name not in found and _holds(words, one, signs)
        }
        if not more:
            break
        found |= more
        signs |= more.keys()
    return {
        n: one
        for n, one in found.items()
        if one.numbers or not words[one.named].line or is_called(words, n, one)
    }


def functions_in(words: Sequence[SourceWord]) -> dict[str, Launcher]:
    """Every function that is defined once, by its name."""
    every: dict[str, Launcher] = {}
    twice: set[str] = set()
    for name, one in _functions(words):
        twice |= {name} & every.keys()
        every[name] = one
    return {name: one for name, one in every.items() if name not in twice}


def kernel_lines(words: Sequence[SourceWord], launches: Sequence[str]) -> frozenset[int]:
    """The lines that hold nothing but what kernels, and functions of the device alone, do which
    launch nothing and define no macro. Of launches these say no more than which names they assign
    to."""
    found: set[int] = set()
    for _, one in _functions(words):
        begins = one.named
        while begins and words[begins - 1].text not in (";", "{", "}", "#end"):
            begins -= 1
        head, inside = (
            {word.text for word in words[start:stop]}
            for start, stop in ((begins, one.named), (one.start, one.stop))
        )
        alone = "__device__" in head and head.isdisjoint(("__host__", "constexpr"))
        device = alone or "__global__" in head
        if device and not inside & {*launches, "#define", "__global__", "__host__", "template"}:
            found.update(range(words[one.start].line + 1, words[one.stop - 1].line))
    return frozenset(found)


def launching_macros(words: Sequence[SourceWord], launches: Sequence[str]) -> frozenset[str]:
    """The macros with parameters that hold one of the words that launch, or call a function or a
    macro that does."""
    macros = dict(_macros(words))
    found, signs = set[str](), set(launches)
    while True:
        signs |= launchers_in(words, sorted(signs)).keys() if macros else set()
        more = {name for name, body in macros.items() if not signs.isdisjoint(body)} - found
        if not more:
            return frozenset(found)
        found |= more
        signs |= more


def _macros(words: Sequence[SourceWord]) -> Iterator[tuple[str, frozenset[str]]]:
    """The macros with parameters, each with the words that it is made of."""
    for at, word in enumerate(words[:-2]):
        if word.text == "#define" and words[at + 2].text == "(":
            end = next((n for n in range(at, len(words)) if words[n].text == "#end"), len(words))
            yield words[at + 1].text, frozenset(one.text for one in words[at + 3 : end])


def by_value(
    words: Sequence[SourceWord], found: Launchers, classes: Mapping[int, ClassBlock]
) -> Mapping[str, frozenset[int]]:
    """The places of arguments that functions take as values, and leave as they are: of those of
    classes also behind the sign that is before their names in ``a.f(n)`` and ``a->f(n)``."""
    places = {name: frozenset(_kept_places(words, one)) for name, one in found.items()}
    members = {
        name
        for name, one in found.items()
        if words[one.named - 1].text == "::"
        or any(begins < one.named < block.stop for begins, block in classes.items())
    }
    return places | {f"{sign}{name}": places[name] for name in members for sign in (".", "->")}


def _kept_places(words: Sequence[SourceWord], one: Launcher) -> Iterator[int]:
    """The places of values; of all that follow those behind as well where these are handed to a
    kernel alone: it gets copies."""
    for place, each in enumerate(one.parameters):
        if each.by_value:
            yield place
        elif each.is_pack and _handed_to_kernels(words, one, each.name):
            yield from range(place, _MOST_PLACES)


def _handed_to_kernels(words: Sequence[SourceWord], one: Launcher, name: str) -> bool:
    """Whether a parameter is named nowhere but among the arguments of a launch."""
    inside = set[int]()
    for at in range(one.start, one.stop - 1):
        if (words[at].text == ">>>" and words[at + 1].text == "(") or (
            words[at].text.startswith(_CALLS) and words[at + 1].text == "("
        ):
            inside.update(range(at, _closed(words, at + 1)))
    return all(at in inside for at in range(one.start, one.stop) if words[at].text == name)


def _holds(words: Sequence[SourceWord], one: Launcher, signs: Collection[str]) -> bool:
    return any(word.text in signs for word in words[one.start : one.stop])


def _functions(words: Sequence[SourceWord]) -> Iterator[tuple[str, Launcher]]:
    """Every function that is defined, by its name; of a template with the numbers of that."""
    for at, word in enumerate(words[:-1]):
        if not word.is_name or words[at + 1].text != "(" or word.text in _NO_FUNCTIONS:
            continue
        before = words[at - 1] if at else word
        typed = before.is_name or before.text in ("*", "&", ">", "::")
        typed |= before.text == ")" and _bounded(words, at - 1)
        if not at or not typed or before.text in _NO_FUNCTIONS:
            continue
        end = _closed(words, at + 1)
        start = end + 1
        while start < len(words) and words[start].text in _BESIDE:
            start += 1
        if [one.text for one in words[start : start + 1]] != ["{"]:
            continue
        parameters = tuple(parameter_of(part) for part in cut(words[at + 2 : end]) if part)
        template = _template(words, at)
        numbers, defaults = tuple(map(_number, template)), tuple(map(_default, template))
        if not any(numbers):
            numbers = ()
        stop = _closed(words, start) + 1
        yield word.text, Launcher(numbers, defaults, parameters, at, start, stop)


def _bounded(words: Sequence[SourceWord], end: int) -> bool:
    """Whether a parenthesis closes ``__launch_bounds__(..)``, which stands before a name, too."""
    begins = end
    while begins and words[begins].text not in (";", "{", "}", "#end", "__launch_bounds__"):
        begins -= 1
    return words[begins].text == "__launch_bounds__" and _closed(words, begins + 1) == end


def _template(words: Sequence[SourceWord], at: int) -> list[Sequence[SourceWord]]:
    """The parameters of the template whose function's name stands at a place."""
    begins = at
    while begins >= 0 and words[begins].text not in (";", "{", "}", "#end", "template"):
        begins -= 1
    if begins < 0 or words[begins].text != "template":
        return []
    return cut(words[begins + 2 : angle(words, begins + 1)])


def parameter_of(part: Sequence[SourceWord]) -> Parameter:
    """``const int n = 4``: a name, and what is said of it."""
    texts = [word.text for word in part]
    equals = texts.index("=") if "=" in texts else len(part)
    opens = texts.index("[") if "[" in texts and "(" not in texts else equals
    name = name_before(part, min(equals, opens))
    said = texts[:equals]
    to_constant = said[-2:-1] == ["&"] and "const" in (said[0], *said[-3:-2])
    value = not {"&", "&&", "*", "["} & set(said) or (to_constant and not {"*", "["} & set(said))
    constant = value and "const" in said
    types = [one for one in said[:-1] if one[0].isalpha() or one[0] == "_"]
    kind = next((one for one in reversed(types) if one not in ("const", "volatile")), "")
    pack = said[-4:-1] == ["."] * 3
    return Parameter(name, "dim3" in said, value, part[equals + 1 :], constant, kind, pack)


def _number(part: Sequence[SourceWord]) -> str | None:
    """The name of a template's parameter that is an integer; None for one that is none."""
    said = [word.text for word in part]
    before = said[: said.index("=")] if "=" in said else said
    typed = len(before) > 1 and not {"typename", "class", "template", "."} & set(before)
    return before[-1] if typed else None


def _default(part: Sequence[SourceWord]) -> Sequence[SourceWord]:
    """What a template's parameter is where nothing says it; empty without that."""
    equals = next((n for n, word in enumerate(part) if word.text == "="), len(part))
    return part[equals + 1 :]


def is_called(words: Sequence[SourceWord], name: str, one: Launcher) -> bool:
    """Whether something calls a function, beside itself."""
    named = [at for at, word in enumerate(words) if word.text == name and at != one.named]
    outside = [at for at in named if not one.start <= at < one.stop]
    return any(arguments_at(words, at) is not None for at in outside)


def arguments_at(words: Sequence[SourceWord], at: int) -> tuple[int, int] | None:
    """The brackets of the arguments of the call whose function's name stands at a place, perhaps
    with those of its template; None where it is no call, but a declaration. Where a template is
    instantiated, for calls from elsewhere, those of its parameters, which say nothing of them."""
    before = words[at - 1] if at else words[at]
    declares = before.is_name and before.text not in _NO_FUNCTIONS
    declares |= before.text in ("*", ">", "#define")
    if at + 1 >= len(words) or (declares and not _instantiates(words, at)):
        return None
    opens = at + 1
    if words[opens].text == "<":
        opens = angle(words, opens) + 1
    if opens >= len(words) or words[opens].text != "(":
        return None
    return opens, _closed(words, opens)


def _instantiates(words: Sequence[SourceWord], at: int) -> bool:
    """Whether ``template void run<64>(float*)`` instantiates the function whose name stands at a
    place."""
    place = at - 1
    while place > 0 and (words[place].is_name or words[place].text in ("::", "*", "&", "<", ">")):
        if words[place].text == "template":
            return words[place + 1].text != "<" and words[place - 1].text != "extern"
        place -= 1
    return place == 0 and words[0].text == "template" and words[1].text != "<"


class GivenWords(Struct, frozen=True):
    """What a call gives for a parameter: an expression, or the parameter's default; of one that is
    all that follow each of these."""

    parameter: Parameter
    words: Sequence[SourceWord]
    every: tuple[Sequence[SourceWord], ...] = ()


def given_in(words: Sequence[SourceWord], at: int, one: Launcher) -> tuple[GivenWords, ...] | None:
    """What the call at a place gives for each parameter; None for no such call."""
    brackets = arguments_at(words, at)
    if brackets is None:
        return None
    opens, closes = brackets
    parts = whole_arguments(words[opens + 1 : closes]) if closes > opens + 1 else []
    named = [each for each in one.parameters if not each.is_pack]
    if len(parts) > len(named) == len(one.parameters):
        return None
    rest = [each.default for each in named[len(parts) :]]
    pairs = zip(named, [*parts[: len(named)], *rest], strict=True)
    packs = [each for each in one.parameters if each.is_pack]
    more = (GivenWords(each, (), tuple(parts[len(named) :])) for each in packs)
    return (*(GivenWords(*pair) for pair in pairs), *more)


def whole_arguments(words: Sequence[SourceWord]) -> list[Sequence[SourceWord]]:
    """The arguments of a call; commas within ``kernel<float, 32>`` part none."""
    found: list[Sequence[SourceWord]] = []
    start = end = 0
    parts = cut(words)
    for number, part in enumerate(parts, 1):
        end += len(part)
        if number == len(parts) or _angles(words[start:end]) <= 0:
            found.append(words[start:end])
            start = end + 1
        end += 1
    return found


def _angles(words: Sequence[SourceWord]) -> int:
    """How many ``<`` behind names are open at the end; outside of brackets, where types stand."""
    depth = found = 0
    for at, word in enumerate(words):
        depth += (word.text in ("(", "[", "{")) - (word.text in (")", "]", "}"))
        opens = word.text == "<" and at > 0 and words[at - 1].is_name
        found += (opens - (word.text == ">")) * (depth == 0)
    return found


def numbers_in(
    words: Sequence[SourceWord], at: int, one: Launcher, scopes: Sequence[Constants]
) -> Constants | None:
    """What the numbers of a launcher's template are in the call at a place, None for those that are
    not known; None for no such call. Without such numbers there is nothing to know."""
    if not one.numbers:
        return {}
    if at + 1 >= len(words) or words[at + 1].text != "<":
        return None
    close = angle(words, at + 1)
    given = cut(words[at + 2 : close])
    said = [*given, *one.defaults[len(given) :]]
    pairs = zip(one.numbers, said, strict=False)
    return {n: evaluate(part, scopes) for n, part in pairs if n is not None} or None


def angle(words: Sequence[SourceWord], at: int) -> int:
    """The ``>`` that closes the ``<`` at a place; the place itself if none does."""
    depth = 0
    for place in range(at, min(len(words), at + 200)):
        depth += {"<": 1, ">": -1, ">>": -2}.get(words[place].text, 0)
        if words[place].text in (";", "{"):
            break
        if depth <= 0:
            return place
    return at


def _closed(words: Sequence[SourceWord], at: int) -> int:
    """The bracket that closes the one at a place; the last word if none does."""
    return min(closing(words, at), len(words) - 1)
