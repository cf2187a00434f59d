"""Names of kernels: mangled and spelled out, and which of them a pattern means.

    _Z6reduceIfLi256EEvPKfPf      void reduce<float, 256>(float const*, float*)
    'red*', 'reduce<float*', 'reduce', '_Z6*'      each of them means it

What a compiler mangled is spelled by the C++ runtime of this machine (``__cxa_demangle`` of the
Itanium ABI); where there is none, a mangled name is all that a kernel has.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache

from bankwise.regex import regex

_RUNTIMES = ("libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib", "libc++.1.dylib")
_LONGEST = 8_192
"""Characters of a name that is spelled; longer ones stay as they are."""
_SHORT = 60
_LISTED = 12
_CLOSES = {">": "<", ")": "(", "}": "{", "]": "["}
_MANGLED = regex(r"\b_Z\w+")
_HALF = regex(r"(?<!\d)DF16([_b])")
_OLDER = {"_": "Dh", "b": "De"}
"""The 16-bit types of clang, as codes that every runtime spells: half, and one that C++ has no
other use for. libstdc++ before GCC 13 refuses the first, and takes the second for a bool."""
_UNIT = regex(r"((?:_INTERNAL_|_GLOBAL__N__|__nv_static_\d+__))[0-9a-f]{8}_")
_SUFFIX = regex(r"\b(\d+)u?l{0,2}\b(?=[,>)])")
_SCALAR = regex(r"\((?:unsigned |signed )?(?:bool|char|short|int|long|long long)\)(?=[-\d])")


def steady(text: str) -> str:
    """A text with names that are the same for another text of the same file: nvcc puts a hash of
    the text into the names that no other file sees, as of what stands in ``namespace {``."""
    return _UNIT.sub(r"\g<1>00000000_", text)


@lru_cache(maxsize=16_384)
def demangled(name: str) -> str:
    """``name`` as its author wrote it, with template arguments and parameters; itself if it is not
    mangled, or if nothing here can spell it."""
    if not name.startswith("_Z") or len(name) > _LONGEST or "\0" in name:
        return name
    found = _demangler()(_HALF.sub(lambda m: _OLDER[m[1]], name).encode("utf-8", "replace"))
    return _literals(found).replace("decimal128", "__bf16") or name


def _literals(spelled: str) -> str:
    """Template arguments as an author writes them: ``256`` for ``(int)256`` and ``256u``."""
    return _SUFFIX.sub(r"\1", _SCALAR.sub("", spelled))


def spelled_alike(name: str) -> str:
    """A name that a profiler spelled, as a pattern of the kernel that it means."""
    return without_parameters(_literals(name).replace(" *", "*").replace(" &", "&"))


@cache
def _demangler() -> Callable[[bytes], str]:
    """``__cxa_demangle``; of a name that it does not take the result is empty."""
    for runtime in _RUNTIMES:
        try:
            library = ctypes.CDLL(runtime)
            function, free = library.__cxa_demangle, ctypes.CDLL(None).free
        except (OSError, AttributeError, TypeError):
            continue
        function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_char_p, *[_POINTER] * 3]
        free.restype, free.argtypes = None, [ctypes.c_void_p]
        return lambda name: _spelled(function, free, name)
    return lambda name: ""


_POINTER = ctypes.c_void_p


def _spelled(function: Callable[..., int | None], free: Callable[[int], None], name: bytes) -> str:
    place = function(name, None, None, None)
    if not place:
        return ""
    try:
        return (ctypes.string_at(place)).decode("utf-8", "replace")
    finally:
        free(place)


def without_parameters(spelled: str) -> str:
    """``void f<int (*)(int)>(float)`` without what it returns and takes: ``f<int (*)(int)>``."""
    text, start = spelled.replace("(anonymous namespace)", "{anonymous}"), 0
    for at, sign, depth in _nested(text):
        if depth == 0 and sign == " ":
            start = at + 1
        elif depth == 0 and sign == "(" and at > start:
            return text[start:at]
    return text[start:]


def parameters(spelled: str) -> tuple[str, ...]:
    """The types that a spelled function takes: ``("float*", "int")``; none of a bare name."""
    plain = without_parameters(spelled)
    _, _, inside = spelled.replace("(anonymous namespace)", "{anonymous}").partition(f"{plain}(")
    parts = [""]
    for _, sign, depth in _nested(inside.rpartition(")")[0]):
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return tuple(part.strip() for part in parts if part.strip())


def _nested(text: str) -> Iterator[tuple[int, str, int]]:
    """Every sign with its place and the brackets that it stands in; brackets stand outside."""
    open_ = ""
    for at, sign in enumerate(text):
        if sign in _CLOSES and open_.endswith(_CLOSES[sign]):
            open_ = open_[:-1]
        yield at, sign, len(open_)
        if sign in "<({[":
            open_ += sign


def own(spelled: str) -> str:
    """The function's own name: no namespace, no template arguments."""
    return without_templates(without_parameters(spelled), 0).rpartition("::")[2]


def without_templates(text: str, depth: int) -> str:
    """``text`` with ``..`` for all that stands in more than ``depth`` brackets; without even these
    where it is 0."""
    inside = "" if depth == 0 else ".."
    shown, hidden = [], False
    for _, sign, level in _nested(text):
        if level < depth or (level == depth and (depth or sign not in "<>")):
            shown.append(sign)
            hidden = False
        elif level > depth and not hidden:
            shown.append(inside)
            hidden = True
    return "".join(shown)


@lru_cache(maxsize=16_384)
def short(name: str) -> str:
    """A name for one line of a terminal: spelled, without parameters; the innermost template
    arguments go first. Of a name with its file behind it, ``k [a.ptx]``, the file stays; of
    several, ``j and k``, each one."""
    if " and " in name:
        return " and ".join(map(short, name.split(" and ")))
    plain, apart, file = name.rpartition(" [")
    if apart and file.endswith("]") and " " not in plain:
        return f"{short(plain)}{apart}{file}"
    spelled = without_parameters(demangled(name))
    tries = (without_templates(spelled, depth) for depth in (4, 3, 2, 1))
    return next((one for one in (spelled, *tries) if len(one) <= _SHORT), own(spelled))


def variable(symbol: str) -> str:
    """A variable as its author calls it: ``tile`` of ``_ZZ4gemmPKfE4tile``, the tile of ``gemm``;
    itself if it is not mangled."""
    return demangled(symbol).rpartition("::")[2] if symbol.startswith("_Z") else symbol


def variables(symbols: Iterable[str]) -> str:
    """Several variables as their author calls them, with commas between."""
    return ", ".join(map(variable, symbols))


def spelled_in(text: str) -> str:
    """A text in words with its kernels by their short names."""
    return _MANGLED.sub(lambda found: short(found[0]), text)


def short_each(names: str) -> str:
    """Several names, with commas between, each as :func:`short` has it."""
    return ", ".join(map(short, names.split(", ")))


def means(pattern: str, name: str) -> bool:
    """Whether ``pattern`` means the kernel ``name``: any kernel if it is empty; else one of its
    names, or a glob of one: mangled, spelled, without parameters, its own name alone."""
    if pattern in ("", "*", name):
        return True
    return any(pattern == one or fnmatchcase(one, pattern) for one in _names(name))


@lru_cache(maxsize=16_384)
def _names(name: str) -> tuple[str, ...]:
    spelled = demangled(name)
    return (name,) if spelled == name else (name, *spellings(spelled))


def spellings(spelled: str) -> tuple[str, ...]:
    """What a spelled kernel may be called: whole, without parameters, and of that without
    namespace, without template arguments, without both."""
    plain = without_parameters(spelled)
    signs = _nested(plain)
    at = max((at + 1 for at, sign, depth in signs if sign == ":" and not depth), default=0)
    return (spelled, plain, plain[at:], without_templates(plain, 0), own(spelled))


def listed(names: Sequence[str]) -> str:
    """The names of a file's kernels in a message, spelled; of many the first."""
    shown = ", ".join(without_parameters(demangled(name)) for name in names[:_LISTED])
    more = len(names) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown
