"""The functions and types of CuTe that are read, by the heads of their terms, and their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from operator import add, and_, eq, floordiv, ge, gt, le, lt, mod, mul, ne, or_, sub
from typing import Any

from msgspec.structs import replace

from bankwise.errors import InputError, Refusal
from bankwise.notation.cute import composition, hopper
from bankwise.notation.cute.strided import StridedLayout, join, layout
from bankwise.notation.cute.swizzle import ComposedLayout, CuteLayout, Swizzle, in_elements
from bankwise.notation.cute.tiling import blocked_product, tile_to_shape
from bankwise.notation.cute.tuples import Nested, congruent, flatten, modes, product
from bankwise.read.cute.copy_forms import COPY_FORMS, bits_of, is_nested
from bankwise.read.cute.evaluate import (
    CuteEvaluation,
    Form,
    OpenNameError,
    SharedTensor,
    TypeName,
    UnreadError,
    Value,
)
from bankwise.read.cute.terms import CuteTerm, Scope


def _shape(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    return ev.all((*term.types, *(term.arguments or ())), scope)


def _int(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    parts = term.types or term.arguments or ()
    if not parts:
        return TypeName(term.head)
    return ev.value(parts[-1], scope)


def _layout(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``Layout<S, D>`` and ``make_layout``: of a shape, a shape and strides, or several layouts."""
    given = ev.all((*term.types, *(term.arguments or ())), scope)
    if given and all(isinstance(one, StridedLayout) for one in given):
        return given[0] if len(given) == 1 else join(given)
    if not given or not is_nested(given[0]):
        raise UnreadError(f"{term.head} of no shape", term)
    if len(given) == 1:
        return layout(given[0])
    order = given[1]
    if isinstance(order, TypeName):
        if order.name in ("LayoutRight", "GenRowMajor"):
            return _row_major(given[0])
        if order.name in ("LayoutLeft", "GenColMajor"):
            return layout(given[0])
        raise UnreadError(f"strides {order.name}", term)
    if not is_nested(order) or not congruent(given[0], order):
        raise UnreadError("a shape and strides that are not nested alike", term)
    return layout(given[0], order)


def _row_major(shape: Nested) -> StridedLayout:
    """The last mode fastest, inside of modes as well."""
    strides, step = [], 1
    for part in reversed(modes(shape)):
        inner = layout(part) if isinstance(part, int) else _row_major(part)
        strides.append(_scaled(inner.stride, step))
        step *= product(part)
    kept = tuple(reversed(strides))
    return StridedLayout(shape, kept[0] if isinstance(shape, int) else kept)


def _scaled(stride: Nested, by: int) -> Nested:
    return stride * by if isinstance(stride, int) else tuple(_scaled(s, by) for s in stride)


def _ordered(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``make_ordered_layout(shape, order)``: modes of the top level by rising order."""
    shape, order = ev.all(term.arguments or (), scope)[:2]
    ranks, parts = flatten(order), modes(shape)
    if len(ranks) != len(parts):
        raise UnreadError("an order of modes inside of modes", term)
    strides: dict[int, Nested] = {}
    step = 1
    for place in sorted(range(len(parts)), key=lambda n: ranks[n]):
        strides[place] = _scaled(layout(parts[place]).stride, step)
        step *= product(parts[place])
    return StridedLayout(tuple(parts), tuple(strides[n] for n in range(len(parts))))


def _swizzle(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    given = ev.all((*term.types, *(term.arguments or ())), scope)
    if len(given) != 3 or not all(isinstance(one, int) for one in given):
        raise UnreadError("a swizzle of three numbers is wanted", term)
    return Swizzle(*given)


def _composition(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """Of a swizzle, an offset perhaps, and a layout; of a layout and one behind it."""
    first, *rest = ev.all(term.arguments or (), scope)
    inner = rest[-1] if rest else None
    if isinstance(first, Swizzle) and isinstance(inner, StridedLayout):
        offset = rest[0] if len(rest) == 2 else 0
        bits = offset.arguments[0] if isinstance(offset, TypeName) and offset.arguments else 0
        return ComposedLayout(first, 0 if bits else offset, inner, bits)
    if isinstance(first, ComposedLayout) and isinstance(inner, StridedLayout):
        return replace(first, layout=composition(first.layout, inner))
    if isinstance(first, StridedLayout) and isinstance(inner, StridedLayout):
        return composition(first, inner)
    raise UnreadError(f"{term.head} of these is not read", term)


def _tile_to_shape(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    atom, shape, *order = ev.all(term.arguments or (), scope)
    inner = atom.layout if isinstance(atom, ComposedLayout) else atom
    if not isinstance(inner, StridedLayout) or not is_nested(shape):
        raise UnreadError("tile_to_shape of these is not read", term)
    sizes = [product(part) for part in modes(shape)]
    modes_ = [*inner.modes(), *[layout(1, 0)] * (len(sizes) - inner.rank)]
    ranks = _ranks(flatten(order[0])) if order else ()
    tiled = tile_to_shape(join(modes_), sizes, ranks)
    return replace(atom, layout=tiled) if isinstance(atom, ComposedLayout) else tiled


def _ranks(steps: tuple[int, ...]) -> tuple[int, ...]:
    """``Step<_2,_1,_3>`` as places from 0."""
    order = sorted(range(len(steps)), key=lambda n: steps[n])
    return tuple(order.index(n) for n in range(len(steps)))


def _blocked(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    one, other = ev.all(term.arguments or (), scope)
    return blocked_product(one, other)


def _unswizzled(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    value = ev.value((term.arguments or ())[0], scope)
    return value.layout if isinstance(value, ComposedLayout) else value


def _same(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    return ev.value((*(term.arguments or ()), *term.types)[0], scope)


def _size(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``size(x)``, ``size<0>(x)``, of a shape or a layout; ``cosize``."""
    wanted = list(ev.all(term.types, scope)) if term.arguments else []
    (value,) = ev.all((term.arguments or term.types)[:1], scope)
    plain = value.layout if isinstance(value, ComposedLayout | SharedTensor) else value
    plain = plain.layout if isinstance(plain, ComposedLayout) else plain
    if isinstance(plain, StridedLayout):
        if term.head.startswith("cosize"):
            return plain.cosize
        plain = plain.shape
    for place in wanted:
        plain = modes(plain)[place]
    return product(plain)


def _get(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    (place, *_), (value, *_) = ev.all(term.types, scope), ev.all(term.arguments or (), scope)
    found: Value = modes(value)[place]
    return found


def _sizeof(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    bits = bits_of(ev.value((*(term.arguments or ()), *term.types)[0], scope))
    if not bits:
        raise UnreadError("the size of a type that is not known", term)
    return bits if "bits" in term.head else bits // 8


def _operator(work: Callable[[Any, Any], Any]) -> Form:
    def form(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
        values = ev.all(term.arguments or (), scope)
        if not all(isinstance(one, int) for one in values) or not 1 <= len(values) <= 2:
            raise UnreadError(f"{term.head} of no integers", term)
        if term.head in ("/", "%", "//", "ceil_div") and not values[-1]:
            raise UnreadError("a division by zero", term)
        return int(work(*values) if len(values) == 2 else work(0, values[0]))

    return form


def _choice(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``c ? a : b`` and ``conditional_t<c, a, b>``: one of both is evaluated."""
    asked, one, other = (*term.types, *(term.arguments or ()))
    condition = ev.value(asked, scope)
    if not isinstance(condition, int):
        raise UnreadError("a condition that is not known", term)
    return ev.value(one if condition else other, scope)


def _same_type(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    one, other = ev.all(term.types, scope)
    return int(one == other)


def _gmma_atom(mode: str, major: hopper.Major) -> Form:
    def form(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
        bits = bits_of(ev.value(term.types[0], scope)) if term.types else 0
        if not bits:
            raise UnreadError(f"{term.head} of a type that is not known", term)
        return hopper.atom(mode, major, bits)

    return form


def _allocated(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``smem.allocate_tensor(type, layout, ..)`` and ``storage.x.get_tensor(layout)``."""
    _, *given = term.arguments or ()
    typed = term.head == ".allocate_tensor"
    if len(given) < 1 + typed:
        raise UnreadError("a layout is wanted", term)
    where = ev.value(given[typed], scope)
    if not isinstance(where, StridedLayout | ComposedLayout):
        raise UnreadError("a tensor of no layout", term)
    bits = bits_of(ev.softly(given[0], scope)) if typed else 0
    return SharedTensor(where, given[typed], scope, bits)


def _width(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """``dtype.width``, the bits of a type."""
    bits = bits_of(ev.value((term.arguments or ())[0], scope))
    if not bits:
        raise UnreadError("the bits of a type that is not known", term)
    return bits


def _tensor(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """A tensor of shared memory; any other one is a name."""
    given = term.arguments or ()
    if len(given) != 2:
        return TypeName("tensor")
    pointer = given[0].head
    if pointer not in ("make_smem_ptr", ".data") and not pointer.startswith(".get_tensor"):
        return TypeName("tensor")
    if pointer == ".data" and not isinstance(
        ev.value((given[0].arguments or ())[0], scope), SharedTensor
    ):
        return TypeName("tensor")
    where = ev.value(given[1], scope)
    if not isinstance(where, StridedLayout | ComposedLayout):
        raise UnreadError("a tensor of no layout", term)
    begins = _begins(ev, given[0], scope)
    return SharedTensor(where, given[1], scope, _pointed(ev, given[0], scope), begins)


def _begins(ev: CuteEvaluation, pointer: CuteTerm, scope: Scope) -> tuple[Scope, str]:
    """What a tensor begins at: ``sA.data()`` is where ``sA`` does."""
    inside = (pointer.arguments or (pointer,))[0]
    if pointer.head == ".data":
        tensor = ev.value(inside, scope)
        if isinstance(tensor, SharedTensor) and tensor.pointer[1]:
            return tensor.pointer
    return scope, "".join(ev.text.of(inside.span).split())


def _pointed(ev: CuteEvaluation, pointer: CuteTerm, scope: Scope) -> int:
    """The bits of what a pointer to shared memory points to, of ``__shared__ T a[n]``; else 0."""
    inside = (pointer.arguments or (None,))[0]
    said = pointer.types[0] if pointer.types else inside
    if said is None:
        return 0
    try:
        return bits_of(ev.value(said, scope))
    except (UnreadError, InputError):
        return 0
    except OpenNameError as error:
        ev.wanted.add(error.name)
        return 0


def elements(where: CuteLayout) -> CuteLayout:
    """The layout with its swizzle in elements. Raises InputError where there is none."""
    plain = where if isinstance(where, StridedLayout) else in_elements(where)
    if isinstance(plain, Refusal):
        raise InputError(plain.reason)
    return plain


def _named(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    return TypeName(term.head, ev.all(term.types, scope, softly=True))


def _elsewhere(ev: CuteEvaluation, term: CuteTerm, scope: Scope) -> Value:
    """A tensor of global memory or of coordinates; a tile of shared memory stays what it is."""
    if term.head in ("flat_divide", "local_tile", "domain_offset"):
        found = ev.softly((term.arguments or ())[-1 if term.head == "domain_offset" else 0], scope)
        if isinstance(found, SharedTensor):
            raise UnreadError(f"{term.head} of shared memory", term)
    return TypeName("tensor")


_MODES = {"INTER": "none", "SW32": "32B", "SW64": "64B", "SW128": "128B"}
_GMMA = {
    f"{space}::Layout_{major}_{word}_Atom": _gmma_atom(mode, major)
    for space in ("GMMA", "SM90::GMMA", "UMMA")
    for major in ("K", "MN")
    for word, mode in _MODES.items()
}
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": floordiv,
    "//": floordiv,
    "%": mod,
    "min": min,
    "==": eq,
    "!=": ne,
    "<": lt,
    ">": gt,
    "<=": le,
    ">=": ge,
    "max": max,
    "<<": lambda a, b: a << min(b, 40),
    ">>": lambda a, b: a >> min(b, 40),
    "&": and_,
    "|": or_,
    "&&": lambda a, b: a and b,
    "||": lambda a, b: a or b,
    "!": lambda _, b: not b,
    "ceil_div": lambda a, b: -(-a // b),
}
FORMS: Mapping[str, Form] = {
    **COPY_FORMS,
    **dict.fromkeys(("Shape", "Stride", "Step", "Tile", "Coord", "tuple", "make_shape"), _shape),
    **dict.fromkeys(("make_stride", "make_step", "make_tile", "make_coord", "make_tuple"), _shape),
    **dict.fromkeys(("Int", "C", "Number", "integral_constant", "constant"), _int),
    **dict.fromkeys(("Layout", "make_layout", "ComposedLayoutOf"), _layout),
    "make_ordered_layout": _ordered,
    **dict.fromkeys(("Swizzle", "make_swizzle"), _swizzle),
    **dict.fromkeys(("composition", "make_composed_layout", "ComposedLayout"), _composition),
    **dict.fromkeys(("tile_to_shape",), _tile_to_shape),
    "blocked_product": _blocked,
    "get_nonswizzle_portion": _unswizzled,
    **dict.fromkeys(("as_position_independent_swizzle_layout", "remove_cvref_t"), _same),
    **dict.fromkeys(("as_position_independent_swizzle_tensor", "coalesce", "decay_t"), _same),
    **dict.fromkeys(("size", "cosize", "size_v", "cosize_v", "size_in_elements"), _size),
    "get": _get,
    **dict.fromkeys(("sizeof", "sizeof_bits_v", "sizeof_bits"), _sizeof),
    **{name: _operator(work) for name, work in _OPERATORS.items()},
    **dict.fromkeys(("?:", "conditional_t"), _choice),
    "is_same_v": _same_type,
    **_GMMA,
    **dict.fromkeys((".allocate_tensor", ".get_tensor"), _allocated),
    ".width": _width,
    "CopyG2SOp": lambda *_: TypeName("SM80_CP_ASYNC_CACHEGLOBAL"),
    "CopyUniversalOp": lambda *_: TypeName("UniversalCopy"),
    "make_tensor": _tensor,
    **dict.fromkeys(("local_tile", "make_identity_tensor", "make_counting_tensor"), _elsewhere),
    **dict.fromkeys(("flat_divide", "make_gmem_ptr", "make_fragment_like"), _elsewhere),
    **dict.fromkeys((".get_tma_tensor", "make_coord_tensor", "domain_offset"), _elsewhere),
    **dict.fromkeys(("UniversalFMA", "UniversalCopy"), _named),
    "true": lambda *_: 1,
    "false": lambda *_: 0,
}
"""What is known of the heads of terms."""


def sizes_of(where: CuteLayout) -> tuple[int, ...]:
    """Of the modes of a layout."""
    strided = where if isinstance(where, StridedLayout) else where.layout
    return tuple(prod(flatten(mode.shape)) for mode in strided.modes())
