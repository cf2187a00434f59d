"""*buffer*: global loads and stores become accesses of a raw buffer.

    %g = stream.binding.subspan %arg0[%c0] : !stream.binding -> memref<64x4096xf16>
    %v = vector.load %g[%i, %j] : memref<64x4096xf16>, vector<8xf16>
      ->
    %g_bytes = arith.constant 524288 : i64
    %g_buffer = amdgpu.fat_raw_buffer_cast %g validBytes(%g_bytes) boundsCheck(true) resetOffset
    %v = vector.load %g_buffer[%i, %j] : memref<64x4096xf16, #amdgpu.address_space<fat_raw_buffer>>

With ``cacheSwizzleStride`` the L1 cache takes more address bits to choose a set. Which it takes is
not published. What the model can say is which row strides collide *without* it: set = address
div line mod sets, so that rows a multiple of line * sets bytes apart share one set. The stride is
given only there, in bytes, and only if all accesses of the binding go through this buffer.
``wave`` is the rule of IREE Wave instead: every row stride up to 8192 bytes.
"""

from __future__ import annotations

from typing import Literal

from iree.compiler import ir

from bankwise.change.passes.buffer_size import bits_of, most_bytes
from bankwise.change.passes.statements import Statements, statements, users
from bankwise.change.passes.values import Outcome, PassOptions, Remark
from bankwise.counting.coalesce import sets_of_stride
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.read.mlir.kernels import KernelFunction, kernels, operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.source import Edit, apply_edits

Rule = Literal["model", "wave"]

CAST = "amdgpu.fat_raw_buffer_cast"
LONGEST_STRIDE_BYTES = 8192
STRIDE_BITS = 14
"""Bits of cacheSwizzleStride: 16384 becomes 0, with the enable bit still set."""

_BUFFER_SPACE = "#amdgpu.address_space<fat_raw_buffer>"
_SPANS = ("hal.interface.binding.subspan", "stream.binding.subspan")
_ACCESSES = frozenset(
    {
        *("vector.load", "vector.store", "vector.maskedload", "vector.maskedstore"),
        *("vector.transfer_read", "vector.transfer_write", "memref.load", "memref.store"),
        "amdgpu.gather_to_lds",
    }
)
_GLOBAL = (
    None,
    "#gpu.address_space<global>",
    "1",
    "1 : i64",
    "#hal.descriptor_type<storage_buffer>",
)
_DYNAMIC = -(2**63)


class Binding(ByIdentity, frozen=True, eq=False):
    """One memref in global memory: the value whose users are to go through a buffer.

    ``shared``: another memref of the kernel is made of the same binding.
    """

    op: ir.Operation
    type: ir.MemRefType
    shared: bool


def buffer(opened: Opened, launch: PassOptions, *, rule: Rule = "model") -> Outcome:
    """Cast every global memref whose users are plain accesses."""
    text = statements(opened)
    edits: list[Edit] = []
    remarks: list[Remark] = []
    refusals: list[Refusal] = []
    for kernel in kernels(opened):
        target = launch.target or kernel.target
        gpu = machine(target) if target else None
        if gpu is not None and gpu.vendor != "amd":
            reason = f"raw buffers are an AMD instruction; the target is {gpu.name}"
            refusals.append(Refusal(reason, opened.location_of(kernel.op)))
            continue
        refusals += _arguments(kernel, opened)
        for binding in bindings(kernel):
            done = _cast(binding, gpu, rule, text)
            where, name = opened.location_of(binding.op), text.name(binding.op).removeprefix("%")
            if isinstance(done, str):
                refusals.append(Refusal(f"{name}: {done}", where))
                continue
            edits += done[0]
            remarks.append(Remark(name, where, True, done[1]))
    return Outcome(apply_edits(opened.source.text, edits), tuple(remarks), tuple(refusals))


def bindings(kernel: KernelFunction) -> list[Binding]:
    """The memrefs of the kernel's bindings that are not raw buffers already.

    An assumption about alignment stands for what it is made of.
    """
    found = []
    spans = [op for op in operations(kernel.op) if op.name in _SPANS]
    keys = [_key(op) for op in spans]
    for op in spans:
        if not isinstance(op.results[0].type, ir.MemRefType):
            continue
        end, own = op, users(op.results[0])
        if len(own) == 1 and own[0].name == "memref.assume_alignment":
            end, own = own[0], users(own[0].results[0])
        if own and not all(user.name == CAST for user in own):
            shared = keys.count(_key(op)) > 1
            found.append(Binding(end, ir.MemRefType(end.results[0].type), shared))
    return found


def _arguments(kernel: KernelFunction, opened: Opened) -> list[Refusal]:
    """Memrefs that are arguments stay as they are: whatever the caller passes, twice perhaps."""
    where = opened.location_of(kernel.op)
    return [
        Refusal(f"argument {value.arg_number} is a memref: it may alias another one", where)
        for value in map(ir.BlockArgument, kernel.op.regions[0].blocks[0].arguments)
        if isinstance(value.type, ir.MemRefType)
        and str(value.type.memory_space) in map(str, _GLOBAL)
        and users(value)
    ]


def sets_used(stride_bytes: int, gpu: Machine) -> int | None:
    """L1 sets that addresses ``stride_bytes`` apart use in all; None if the machine is unknown."""
    known = "l1_sets" in gpu.facts and "l1_line_bytes" in gpu.facts
    return sets_of_stride(gpu, stride_bytes) if known else None


def _key(op: ir.Operation) -> tuple[str, int]:
    if op.name == _SPANS[0]:
        return "binding", int(ir.IntegerAttr(op.attributes["binding"]).value)
    return "argument", int(ir.BlockArgument(op.operands[0]).arg_number)


def _cast(
    binding: Binding, gpu: Machine | None, rule: Rule, text: Statements
) -> tuple[list[Edit], str] | str:
    """The edits and what they do; or why the binding stays as it is."""
    old = binding.type
    if str(old.memory_space) not in map(str, _GLOBAL):
        return f"it is in {old.memory_space}, not in global memory"
    bits = bits_of(old.element_type)
    if bits is None:
        return f"how wide {old.element_type} is, is not known"
    most = 2**31 - 1 - max(1, bits // 8)
    size = most_bytes(binding.op, old, bits)
    if size is None and rule != "wave":
        return f"the size of {old} is not known: an offset could exceed validBytes"
    if size is not None and size > most:
        return f"{size} bytes: an offset could exceed validBytes, at most {most}"
    unfit = [user.name for user in users(binding.op.results[0]) if user.name not in _ACCESSES]
    if unfit:
        return f"{unfit[0]} uses it: a part of the accesses would go past the buffer"
    stride, why = _stride(binding, bits, gpu, rule)
    if stride and stride >= 1 << STRIDE_BITS:
        return f"a stride of {stride} bytes does not fit {STRIDE_BITS} bits"
    return _edits(binding, most if size is None else size, stride, text), why


def _stride(binding: Binding, bits: int, gpu: Machine | None, rule: Rule) -> tuple[int, str]:
    """The cacheSwizzleStride to give, in bytes, 0 for none; and why."""
    strides = binding.type.get_strides_and_offset()[0]
    if len(strides) < 2 or strides[-2] == _DYNAMIC:
        return 0, "plain cast: no row stride is known"
    row = strides[-2] * bits // 8
    if strides[-2] * bits % 8:
        return 0, f"plain cast: rows of {strides[-2] * bits} bits end inside a byte"
    if row > LONGEST_STRIDE_BYTES:
        return 0, f"plain cast: rows of {row} bytes, more than {LONGEST_STRIDE_BYTES}"
    if binding.shared or _casts_elsewhere(binding):
        return 0, "plain cast: another memref of the same binding would be accessed without swizzle"
    if rule == "wave":
        return row, f"cacheSwizzleStride {row}: every stride up to {LONGEST_STRIDE_BYTES} bytes"
    used = sets_used(row, gpu) if gpu else None
    if used is None or gpu is None:
        return 0, "plain cast: the L1 sets of the target are not known"
    sets = int(gpu.fact("l1_sets"))
    if used == sets:
        return 0, f"plain cast: rows of {row} bytes use all {sets} L1 sets"
    return row, (
        f"cacheSwizzleStride {row}: rows of {row} bytes use {used} of {sets} L1 sets today; which "
        "they use with it is not published"
    )


def _casts_elsewhere(binding: Binding) -> bool:
    """Whether the binding has accesses beside those of this value."""
    source = binding.op.operands[0] if binding.op.name == "memref.assume_alignment" else None
    around = users(source) if source is not None else []
    return len(around) > 1


def _edits(binding: Binding, size: int, stride: int, text: Statements) -> list[Edit]:
    op, old = binding.op, binding.type
    name, span = text.name(op), text.span(op)
    stem = name.removeprefix("%")
    bytes_name, made = text.fresh(f"{stem}_bytes"), text.fresh(f"{stem}_buffer")
    step = text.fresh(f"{stem}_row_bytes")
    spelled = _spelled(op, text)
    new = _buffer_type(old)
    swizzled = f" cacheSwizzleStride({step})" if stride else ""
    lines = [text.text[span.start : span.end], f"{bytes_name} = arith.constant {size} : i64"]
    if stride:
        value = stride if stride < 1 << STRIDE_BITS - 1 else stride - (1 << STRIDE_BITS)
        lines.append(f"{step} = arith.constant {value} : i14")
    lines.append(
        f"{made} = {CAST} {name} validBytes({bytes_name}){swizzled} boundsCheck(true) resetOffset"
        f" : {spelled} to {new}"
    )
    edits = [Edit(span.end, span.end, text.indent(op).join(["", *lines[1:]]))]
    for user in users(op.results[0]):
        edits += text.renamed(user, name, made)
        edits += [Edit(s.start, s.end, new) for s in text.types(user, old)[:1]]
    return edits


def _spelled(op: ir.Operation, text: Statements) -> str:
    """The type of the result as the text writes it."""
    span = text.body(op)
    statement = text.text[span.start : span.end]
    arrow = statement.rfind("-> ")
    start = arrow + 3 if arrow >= 0 else statement.rindex(" : ") + 3
    return statement[start:].partition("{")[0].rstrip()


def _buffer_type(of: ir.MemRefType) -> str:
    shape = "".join("?x" if size == _DYNAMIC else f"{size}x" for size in of.shape)
    layout = ""
    if isinstance(of.layout, ir.StridedLayoutAttr):
        strides = of.get_strides_and_offset()[0]
        spelled = ", ".join("?" if s == _DYNAMIC else str(s) for s in strides)
        layout = f"strided<[{spelled}]>, "
    return f"memref<{shape}{of.element_type}, {layout}{_BUFFER_SPACE}>"
