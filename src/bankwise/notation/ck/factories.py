"""The C++ functions that make CK's values, by name, with their arguments checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bankwise.errors import InputError
from bankwise.notation.ck.descriptor import (
    Indices,
    TensorDescriptor,
    aligned,
    naive,
    packed,
    transform,
)
from bankwise.notation.ck.encoding import Encoding
from bankwise.notation.ck.transforms import Kind, Transform

Value = int | tuple[Any, ...] | Transform | TensorDescriptor | Encoding


def describe(value: Value) -> str:
    """What kind of value it is, in words."""
    match value:
        case int():
            return f"the number {value}"
        case tuple():
            return "a tuple"
        case Transform():
            return "a transform"
        case TensorDescriptor():
            return "a tensor descriptor"
    return "a tile distribution"


def _numbers(value: Value, what: str) -> tuple[int, ...]:
    if not isinstance(value, tuple) or not all(isinstance(v, int) for v in value):
        raise InputError(f"{what}: a tuple of numbers expected, not {describe(value)}")
    return value


def _number(value: Value, what: str) -> int:
    if not isinstance(value, int):
        raise InputError(f"{what}: a number expected, not {describe(value)}")
    return value


def _indices(value: Value, what: str) -> Indices:
    if not isinstance(value, tuple):
        raise InputError(f"{what}: a tuple of sequences expected, not {describe(value)}")
    return tuple(_numbers(v, what) for v in value)


def _count(inside: list[Value], least: int, most: int, name: str) -> None:
    if not least <= len(inside) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        raise InputError(f"{name} takes {wanted} arguments, not {len(inside)}")


def make_encoding(inside: list[Value]) -> Encoding:
    """``tile_distribution_encoding`` from its six arguments."""
    _count(inside, 6, 6, "tile_distribution_encoding")
    names = ("factors", "majors of the parts", "minors of the parts")
    middle = [_indices(v, n) for v, n in zip(inside[1:4], names, strict=True)]
    last = [_numbers(v, "register dimensions") for v in inside[4:]]
    return Encoding(
        _numbers(inside[0], "replication"), middle[0], middle[1], middle[2], last[0], last[1]
    )


def _naive(inside: list[Value]) -> TensorDescriptor:
    _count(inside, 2, 4, "make_naive_tensor_descriptor")
    lengths, strides = (_numbers(v, "lengths and strides") for v in inside[:2])
    found = naive(lengths, strides)
    if len(inside) == 2:
        return found
    vector = (_number(inside[2], "vector length"), *(_number(v, "stride") for v in inside[3:]))
    return TensorDescriptor(lengths, strides, (vector[0], vector[1] if len(vector) > 1 else -1))


def _packed(inside: list[Value]) -> TensorDescriptor:
    _count(inside, 1, 2, "make_naive_tensor_descriptor_packed")
    lengths = _numbers(inside[0], "lengths")
    return packed(lengths, *(_number(v, "vector length") for v in inside[1:]))


def _aligned(inside: list[Value]) -> TensorDescriptor:
    _count(inside, 2, 2, "make_naive_tensor_descriptor_aligned")
    return aligned(_numbers(inside[0], "lengths"), _number(inside[1], "alignment"))


def _transformed(inside: list[Value]) -> TensorDescriptor:
    _count(inside, 4, 4, "transform_tensor_descriptor")
    below, transforms = inside[0], inside[1]
    if not isinstance(below, TensorDescriptor):
        raise InputError(f"a tensor descriptor expected, not {describe(below)}")
    if not isinstance(transforms, tuple) or not all(isinstance(t, Transform) for t in transforms):
        raise InputError("a tuple of transforms expected", hint="make_tuple(make_..._transform())")
    low, up = (_indices(v, "dimensions") for v in inside[2:])
    return transform(below, transforms, low, up)


def _of_lengths(kind: Kind, spelled: str) -> Callable[[list[Value]], Transform]:
    def make(inside: list[Value]) -> Transform:
        _count(inside, 1, 1, spelled)
        return Transform(kind, _numbers(inside[0], spelled))

    return make


def _of_numbers(kind: Kind, count: int) -> Callable[[list[Value]], Transform]:
    def make(inside: list[Value]) -> Transform:
        _count(inside, count, count, f"make_{kind}_transform")
        first, *rest = (_number(v, kind) for v in inside)
        if kind == "modulo":
            return Transform(kind, (rest[0],), (first,))
        return Transform(kind, (first,), tuple(rest))

    return make


def _embed(inside: list[Value]) -> Transform:
    _count(inside, 2, 2, "make_embed_transform")
    return Transform("embed", *(_numbers(v, "embed") for v in inside))


def _binary(name: str, fold: Callable[[int, int], int]) -> Callable[[list[Value]], int]:
    def make(inside: list[Value]) -> int:
        _count(inside, 2, 2, name)
        return fold(_number(inside[0], name), _number(inside[1], name))

    return make


def _only_argument(inside: list[Value]) -> Value:
    _count(inside, 1, 1, "make_static_tile_distribution")
    return inside[0]


FACTORIES: Mapping[str, Callable[[list[Value]], Value]] = {
    "make_tuple": tuple,
    "make_naive_tensor_descriptor": _naive,
    "make_naive_tensor_descriptor_packed": _packed,
    "make_naive_tensor_descriptor_aligned": _aligned,
    "transform_tensor_descriptor": _transformed,
    "make_static_tile_distribution": _only_argument,
    "make_embed_transform": _embed,
    "make_unmerge_transform": _of_lengths("unmerge", "make_unmerge_transform"),
    "make_merge_transform": _of_lengths("merge", "make_merge_transform"),
    "make_merge_transform_v2_magic_division": _of_lengths("merge", "make_merge_transform_v2"),
    "make_merge_transform_v3_division_mod": _of_lengths("merge", "make_merge_transform_v3"),
    "make_xor_transform": _of_lengths("xor", "make_xor_transform"),
    "make_replicate_transform": _of_lengths("replicate", "make_replicate_transform"),
    "make_pass_through_transform": _of_numbers("pass_through", 1),
    "make_pad_transform": _of_numbers("pad", 3),
    "make_left_pad_transform": _of_numbers("left_pad", 2),
    "make_right_pad_transform": _of_numbers("right_pad", 2),
    "make_offset_transform": _of_numbers("offset", 2),
    "make_modulo_transform": _of_numbers("modulo", 2),
    "max": _binary("max", max),
    "min": _binary("min", min),
}
