"""One buffer and several owners: globals, helpers, arguments, kernels side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adversarial.kernel import AdversarialKernel, Launch
from adversarial.tiles import TILES, Copy, Tile, made

_CALLS = "a function that is called reads or writes the buffer by its own indices"
_ALIASES = "a caller may give one buffer for two arguments"


def _globals(tile: Tile) -> tuple[str, str]:
    head = f'memref.global "private" @tile : {tile.shared}\n'
    return head, f"%lds = memref.get_global @tile : {tile.shared}"


def _two_kernels(tile: Tile, other: Copy, one: Copy) -> str:
    """Both as functions of one text; only the first one has the head."""
    return one.text + replace(other, head="").text.replace("@k(", "@k2(")


def _global_in_two_kernels() -> Iterator[AdversarialKernel]:
    """Each launch starts with fresh memory: two kernels may have a global each their own way."""
    for n, tile in enumerate(TILES):
        head, allocation = _globals(tile)
        one = Copy(tile, head=head, allocation=allocation)
        lines = f"  %q = arith.xori %t, %c{(1, 2, 4)[n % 3]} : index\n"
        other = Copy(tile, lines, allocation=allocation, load="%q, %i")
        text = _two_kernels(tile, other, one)
        yield replace(made("global_two_kernels", str(n), one, True, entries=("k", "k2")), text=text)


def _loop(tile: Tile, name: str, parameters: str, allocation: str, inside: str) -> str:
    """A function that goes through the columns of one row, as the kernel does."""
    numbers = sorted({0, tile.columns, tile.width})
    constants = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in numbers)
    return f"""func.func private @{name}({parameters}) {{
{constants}  %t = gpu.thread_id x upper_bound {tile.rows}
  %u = affine.apply affine_map<()[s0] -> ((s0 * 5 + 3) mod {tile.rows})>()[%t]
  {allocation}
  scf.for %i = %c0 to %c{tile.columns} step %c{tile.width} {{
    {inside}
  }}
  return
}}
"""


def _parts(tile: Tile, buffer: str) -> tuple[str, str, str]:
    """The type of the global buffers, and the inside of the loops that write and that read."""
    outer = tile.globals(4 * tile.rows, tile.columns)
    write = (
        f"%v = vector.load %in[%g, %i] : {outer}, {tile.vector}\n"
        f"    vector.store %v, {buffer}[%t, %i] : {tile.shared}, {tile.vector}"
    )
    read = (
        f"%w = vector.load {buffer}[%u, %i] : {tile.shared}, {tile.vector}\n"
        f"    vector.store %w, %out[%g, %i] : {outer}, {tile.vector}"
    )
    return outer, write, read


def _split(copy: Copy, calls_first: str, calls_second: str) -> str:
    """The kernel with calls in the place of its first loop, of its second one, or of both."""
    text = copy.text
    first = text.index("  scf.for", text.index("@k("))
    barrier = text.index("  gpu.barrier\n", first)
    second, end = text.index("  scf.for", barrier), text.index("  return\n}", barrier)
    one = calls_first or text[first:barrier]
    two = calls_second or text[second:end]
    return text[:first] + one + text[barrier:second] + two + text[end:]


def _global_written_elsewhere() -> Iterator[AdversarialKernel]:
    """A kernel writes the global, the function that it calls reads it, or the other way round."""
    for n, tile in enumerate(TILES):
        head, allocation = _globals(tile)
        outer, write, read = _parts(tile, "%lds")
        name, inside = (("in", write), ("out", read))[n % 2]
        part = _loop(tile, "part", f"%{name}: {outer}, %g: index", allocation, inside)
        call = f"  func.call @part(%{name}, %g) : ({outer}, index) -> ()\n"
        copy = Copy(tile, head=head + part, allocation=allocation)
        text = _split(copy, "" if n % 2 else call, call if n % 2 else "")
        kernel = made("global_two_functions", str(n), copy, True)
        yield replace(kernel, text=text, workgroup_size=f"{tile.rows},1,1")


def _helpers() -> Iterator[AdversarialKernel]:
    """A helper stores, or loads, or one each, in the buffer that it gets as an argument."""
    for n, tile in enumerate(TILES):
        outer, write, read = _parts(tile, "%m")
        types = f"({tile.shared}, {outer}, index) -> ()"
        writes = _loop(tile, "writes", f"%m: {tile.shared}, %in: {outer}, %g: index", "", write)
        reads = _loop(tile, "reads", f"%m: {tile.shared}, %out: {outer}, %g: index", "", read)
        calls = (
            f"  func.call @writes(%lds, %in, %g) : {types}\n" * (n % 3 != 1),
            f"  func.call @reads(%lds, %out, %g) : {types}\n" * (n % 3 != 0),
        )
        head = writes * bool(calls[0]) + reads * bool(calls[1])
        copy = Copy(tile, head=head) if n % 2 else Copy(tile, more=head)
        kernel = made("helper_argument", str(n), copy, False, _CALLS)
        yield replace(kernel, text=_split(copy, *calls), workgroup_size=f"{tile.rows},1,1")


def _helper_of_two() -> Iterator[AdversarialKernel]:
    """The helper is called with one buffer and with another one; one of them is read plainly."""
    for n, tile in enumerate(TILES[:6]):
        outer, write, _ = _parts(tile, "%m")
        types = f"({tile.shared}, {outer}, index) -> ()"
        writes = _loop(tile, "writes", f"%m: {tile.shared}, %in: {outer}, %g: index", "", write)
        both = "".join(f"  func.call @writes({m}, %in, %g) : {types}\n" for m in ("%lds", "%other"))
        allocation = "\n  ".join(
            f"{m} = memref.alloc() : {tile.shared}" for m in ("%lds", "%other")
        )
        copy = Copy(tile, head=writes, allocation=allocation, buffer=("%lds", "%other")[n % 2])
        kernel = made("helper_two_buffers", str(n), copy, False, _CALLS)
        yield replace(kernel, text=_split(copy, both, ""), workgroup_size=f"{tile.rows},1,1")


def _arguments() -> Iterator[AdversarialKernel]:
    """Two workgroup arguments: one buffer in some launches. Written by one, read by the other."""
    for n, tile in enumerate(TILES):
        outer = tile.globals(4 * tile.rows, tile.columns)
        arguments = f", %lds: {tile.shared}, %other: {tile.shared}"
        read = f"vector.load %other[{{at}}] : {tile.shared}, {tile.vector}"
        reads = f"%w = {read.format(at='%u, %i')}"
        if n % 2:
            reads = (
                f"%plain = {read.format(at='%t, %i')}\n"
                f"    vector.store %plain, %out[%g, %i] : {outer}, {tile.vector}\n"
                f"    %w = vector.load %lds[%u, %i] : {tile.shared}, {tile.vector}"
            )
        copy = Copy(
            tile, arguments=arguments, reads=reads,
            allocation="%unused = arith.constant 0 : i32",
        )  # fmt: skip
        launches = (Launch((4, 1, 1), same=((2, 3),)),)
        yield made("two_arguments", str(n), copy, False, _ALIASES, launches=launches)


def _one_argument() -> Iterator[AdversarialKernel]:
    """One workgroup argument, and nobody else in the text knows it; its callers are unknown."""
    why = "whoever calls may have filled the argument, and may read it afterwards"
    for n, tile in enumerate(TILES[:5]):
        copy = Copy(
            tile,
            arguments=f", %lds: {tile.shared}",
            allocation="%unused = arith.constant 0 : i32",
        )
        yield made("argument_alone", str(n), copy, False, why)


def _called_kernel() -> Iterator[AdversarialKernel]:
    """The function with the conflicts is called, with one buffer, by one that fills it plainly."""
    for n, tile in enumerate(TILES[:6]):
        outer, _, read = _parts(tile, "%lds")
        inner = _loop(tile, "inner", f"%lds: {tile.shared}, %out: {outer}, %g: index", "", read)
        inner = inner.replace("func private", "func")
        call = f"  func.call @inner(%lds, %out, %g) : ({tile.shared}, {outer}, index) -> ()\n"
        plain = Copy(tile, head=inner) if n % 2 else Copy(tile, more=inner)
        kernel = made("called_kernel", str(n), plain, False, _CALLS)
        yield replace(kernel, text=_split(plain, "", call))


def _nothing_shared() -> Iterator[AdversarialKernel]:
    """Two kernels in a file, of different tiles and with the same names inside."""
    pairs = tuple(zip(TILES, (*TILES[2:], *TILES[:2]), strict=True))
    for n, (tile, second) in enumerate(pairs[:6]):
        if tile.target != second.target:
            second = replace(second, target=tile.target)
        one, other = Copy(tile), Copy(second, "  %q = arith.xori %t, %c1 : index\n", load="%q, %i")
        text = one.text + other.text.replace("@k(", "@k2(")
        yield replace(made("two_kernels", str(n), one, True, entries=("k", "k2")), text=text)


def _attributions() -> Iterator[AdversarialKernel]:
    """``gpu.func`` with workgroup attributions: buffers that nobody else has."""
    for n, tile in enumerate(TILES[:6]):
        copy = Copy(tile, allocation="%unused = arith.constant 0 : i32")
        lines = copy.text.splitlines(keepends=True)
        outer = tile.globals(4 * tile.rows, tile.columns)
        two = f", %other : {tile.shared}" * (n % 2)
        lines[0] = (
            f"gpu.module @m {{\ngpu.func @k(%in: {outer}, %out: {outer}) "
            f"workgroup(%lds : {tile.shared}{two}) kernel attributes "
            f"{{known_block_size = array<i32: {tile.rows}, 1, 1>, "
            f"known_grid_size = array<i32: 4, 1, 1>}} {{\n"
        )
        text = "".join(lines).replace("  return\n}\n", "  gpu.return\n}\n}\n")
        yield replace(made("attribution", str(n), copy, True), text=text)


def kernels() -> Iterator[AdversarialKernel]:
    yield from _global_in_two_kernels()
    yield from _global_written_elsewhere()
    yield from _helpers()
    yield from _helper_of_two()
    yield from _arguments()
    yield from _one_argument()
    yield from _called_kernel()
    yield from _nothing_shared()
    yield from _attributions()
