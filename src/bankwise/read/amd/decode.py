"""From AMD instructions to steps: what each reads, writes and does, and where control goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import is_not

from msgspec.structs import replace

from bankwise.read.amd.dpp import ENCODINGS
from bankwise.read.amd.exchange import exchange
from bankwise.read.amd.execution import whole_writes
from bankwise.read.amd.flat import (
    first_shared_byte,
    flat_access,
    in_shared,
    makes_shared_addresses,
)
from bankwise.read.amd.floats import rounds_to_nearest
from bankwise.read.amd.indexed import indexed, modes, set_index, vector_registers
from bankwise.read.amd.masks import EXEC, set_exec
from bankwise.read.amd.operands import FLOAT, Operand, bare, operand, unclear
from bankwise.read.amd.parse import AmdInstruction, AmdKernel
from bankwise.read.amd.private import PrivateAccess, cells, private_access, run_private
from bankwise.read.amd.scalar import any_bit, scalar
from bankwise.read.amd.shared import OTHERS, first_byte, registers, touch
from bankwise.read.amd.vector import vector
from bankwise.read.follow.choices import conjunction
from bankwise.read.follow.decoded import Decoded, DecodedAccess, Touches, decode
from bankwise.read.follow.functions import apply
from bankwise.read.follow.program import ProgramStep
from bankwise.read.follow.state import State, read, running, write
from bankwise.read.follow.values import Unknown, Value, because
from bankwise.regex import regex

_NO_RESULT = regex(
    r"s_(?:waitcnt|nop|barrier|sleep|setprio|endpgm|branch|cbranch|setreg|icache|dcache|inst_pref"
    r"|sethalt|trap|sendmsg|ttrace|incperf|decperf|cmp|bitcmp|version|wakeup|clause|delay_alu"
    r"|wait_)|ds_(?:write|store|nop)|(?:global|flat|buffer|tbuffer|scratch|s_buffer|s)_store"
    r"|buffer_(?:wbl2|inv|wbinvl1)|global_load_lds|v_nop|s_code_end|buffer_gl|global_wb|global_inv"
)
_LOST = regex(
    r"s_(?:setpc|swappc|call|cbranch_g_fork|cbranch_i_fork|cbranch_join|rfe|set_gpr_idx|movrel)"
    r"|v_movrel"
)
_TWO_RESULTS = regex(
    r"v_div_scale|v_(?:add|sub|subrev|addc|subb|subbrev)_co_|v_mad_u64_u32|v_mad_i64_i32"
)
_LANEWISE = regex(
    r"v_(?!readlane|readfirstlane|writelane|permlane|mfma|smfmac|wmma|movrel)"
    r"|ds_(?:read|write|load|store)|(?:global|flat|buffer)_"
)
"""What reads of a vector register only the lanes that run."""

_OTHER_WIDTHS = regex(r"[a-z](?:16|64)(?:_|$)|^v_pk_")
_BOTH = ("v_swap_b32", "v_permlane16_swap_b32", "v_permlane32_swap_b32")
_KEEP_SCC = regex(
    r"s_(?:load|mov|cselect|cmov|mul|bfm|pack|brev|sext|ff1|flbit|bitset|getreg|getpc|memtime"
    r"|buffer_load|memrealtime|bitreplicate)"
)
"""Scalar instructions that leave the condition code alone; all others are taken to change it."""

_CONDITIONS = ("scc0", "scc1", "vccz", "vccnz", "execz", "execnz")


def decode_kernel(kernel: AmdKernel) -> Decoded:
    """Decode all operations of ``kernel``."""
    operations, words = kernel.operations, cells(kernel)
    shared, floats = makes_shared_addresses(kernel), rounds_to_nearest(kernel)
    by_index = {id(operations[n]): mode for n, mode in modes(operations, kernel.labels).items()}
    every = vector_registers(operations) if by_index else ()

    def step(op: AmdInstruction, touched: Touches) -> ProgramStep:
        mode = by_index.get(id(op))
        plain = partial(_step, kernel.labels, touched, words, floats)
        if mode is not None and op.name.startswith("s_set_gpr_idx"):
            return _set_index(op)
        return indexed(plain, op, mode, every) if mode else plain(op)

    found = decode(
        operations,
        kernel.line,
        lambda op: _touch(op, shared),
        step,
        lambda op: op.name.startswith(("ds_", ".")) or bool(OTHERS.match(op.name)),
    )
    return replace(found, program=whole_writes(found.program, operations))


def _set_index(op: AmdInstruction) -> ProgramStep:
    run = set_index(op)
    reads = tuple(name for text in op.operands for name in operand(text).registers)
    writes = () if run is None else ("m0",)
    return ProgramStep(op.line, op.name, ("m0", *reads), writes, run)


def _touch(op: AmdInstruction, shared: bool) -> Touches:
    """``shared``: whether the kernel makes flat addresses of LDS."""
    flat = shared and op.name.startswith("flat_") and not unclear(op.operands)
    return flat_access(op) if flat else touch(op)


def _step(
    labels: Mapping[str, int],
    found: Touches,
    words: tuple[str, ...],
    floats: bool,
    op: AmdInstruction,
) -> ProgramStep:
    lost = _LOST.match(op.name) or unclear(op.operands)
    if lost or op.name.startswith(("s_branch", "s_cbranch", "s_endpgm", ".")):
        return _control(op, labels)
    writes = _results(op)
    run = _meaning(op, floats) if writes else None
    does = _unknown(op, writes) if run is None and writes else run
    step = ProgramStep(
        line=op.line,
        name=op.name,
        reads=_sources(op, writes) if run is not None else EXEC,
        writes=writes,
        run=does if does is None or EXEC[0] not in writes else _with_lanes(does, op),
        partial=bool(writes) and writes[0][0] in "va" and not writes[0].startswith("vcc"),
        followed=run is not None or not writes,
        lanewise=bool(_LANEWISE.match(op.name)) and "dpp" not in op.encoding,
        masks=EXEC[0] in writes,
        made_of=_sources(op, writes) if run is None else (),
        data=_data(op) if run is None else None,
    )
    private = private_access(op) if words else None
    if private is not None:
        step = _private(step, private, words)
    if not isinstance(found, DecodedAccess):
        return step
    reads = tuple(dict.fromkeys((*registers(found), *(step.reads if private is not None else ()))))
    return _touching(replace(step, reads=reads), found, flat=op.name.startswith("flat_"))


def _touching(step: ProgramStep, found: DecodedAccess, flat: bool) -> ProgramStep:
    if not flat:
        return replace(step, address=lambda state: first_byte(found, state))
    return replace(
        step,
        address=lambda state: first_shared_byte(found, state),
        guard=lambda state: in_shared(found, state),
    )


def _private(step: ProgramStep, access: PrivateAccess, words: tuple[str, ...]) -> ProgramStep:
    """``step`` with what it does to private memory: a store may leave any word as it was."""
    lost, touched = Unknown("a value loaded from memory", step.line), access.words(words)
    return replace(
        step,
        lanewise=False,
        reads=(*access.registers, *touched, *EXEC),
        writes=touched if access.stores else step.writes,
        run=lambda state: run_private(access, words, lost, state),
        partial=access.stores or step.partial,
        followed=True,
    )


def _control(op: AmdInstruction, labels: Mapping[str, int]) -> ProgramStep:
    if op.name.startswith("s_endpgm"):
        return ProgramStep(op.line, op.name, flow="end")
    target = labels.get(op.operands[0], -1) if op.operands else -1
    condition = op.name.removeprefix("s_cbranch_")
    if target < 0 or (op.name != "s_branch" and condition not in _CONDITIONS):
        return ProgramStep(op.line, op.name, flow="lost")
    if op.name == "s_branch":
        return ProgramStep(op.line, op.name, flow="jump", target=target)
    names = {"scc": ("scc",), "vcc": ("vcc_lo", "vcc_hi"), "exe": EXEC}[condition[:3]]
    return ProgramStep(
        op.line,
        op.name,
        reads=names,
        flow="branch",
        target=target,
        condition=_condition(condition, names),
    )


def _condition(condition: str, names: tuple[str, ...]) -> Callable[[State], Value]:
    wanted = condition in ("scc1", "vccnz", "execnz")

    def holds(state: State) -> Value:
        parts = tuple(read(state, name) for name in names)
        found = apply(lambda *words: any_bit(*words) == wanted, *parts)
        if isinstance(found, Unknown):
            return because(found, uniform=True)
        return found

    return holds


def _meaning(op: AmdInstruction, floats: bool) -> Callable[[State], None] | None:
    if op.name.startswith("s_load_dword"):
        return _load(op)
    if any("_base" in text for text in op.operands) and not op.name.endswith("64"):
        return None  # 32 bits of an aperture: which ones is not documented
    if _OTHER_WIDTHS.search(op.name) and any(map(FLOAT.fullmatch, op.operands)):
        return None  # 1.0 is a number of 16 or of 64 bits there
    if op.name.startswith("s_"):
        return scalar(op.name, tuple(operand(text) for text in op.operands), op.line)
    if op.name.startswith("ds_"):
        return exchange(op)
    if "_f32" in op.name and not floats:
        return None
    return vector(op) if op.name.startswith("v_") else None


def _load(op: AmdInstruction) -> Callable[[State], None]:
    to = operand(op.operands[0]) if op.operands else Operand("")
    lost = Unknown("a value loaded from memory", op.line, uniform=True)

    def run(state: State) -> None:
        found: tuple[Value, ...] | None = state.memory(state, op)
        for part, name in enumerate(to.registers):
            write(state, name, lost if found is None else found[part])

    return run


def _unknown(op: AmdInstruction, writes: tuple[str, ...]) -> Callable[[State], None]:
    """Destinations of an instruction that is not followed."""
    scalar_result = op.name.startswith("s_")
    why = Unknown(_cause(op.name), op.line, uniform=scalar_result)

    def run(state: State) -> None:
        for name in writes:
            whole = name[0] not in "va" or name.startswith("vcc")
            write(state, name, why, None if whole else running(state))

    return run


def _with_lanes(run: Callable[[State], None], op: AmdInstruction) -> Callable[[State], None]:
    """``run``, which writes the execution mask as any register: then other lanes run."""

    def both(state: State) -> None:
        lanes, old = state.lanes, tuple(read(state, name) for name in EXEC)
        run(state)
        new = tuple(read(state, name) for name in EXEC)
        if state.lanes is lanes and any(map(is_not, new, old)):
            if op.name.startswith("v_cmp"):  # a comparison has no bits of lanes that do not run
                new = tuple(map(conjunction, new, old))
            set_exec(state, *new)

    return both


def _data(op: AmdInstruction) -> Unknown | None:
    """What memory gives here."""
    cause = _cause(op.name)
    return None if cause.startswith("a result") else Unknown(cause, op.line)


def _cause(name: str) -> str:
    if name.startswith("ds_") and not name.startswith(("ds_bpermute", "ds_permute", "ds_swizzle")):
        return "a value read from LDS"
    if "_load" in name or "_atomic_" in name:
        return "a value loaded from memory"
    return f"a result of {name}"


def _results(op: AmdInstruction) -> tuple[str, ...]:
    """The registers that ``op`` writes."""
    if op.name.startswith(("s_cmp", "s_bitcmp")):
        return ("scc",)
    if _NO_RESULT.match(op.name) or not op.operands or "lds" in op.modifiers:
        return ()
    if "_atomic" in op.name and not {"glc", "sc0"} & set(op.modifiers):
        return ()
    if op.name.startswith("ds_") and "_rtn" not in op.name:
        found = touch(op)
        if isinstance(found, DecodedAccess) and found.direction == "write":
            return ()
    names = list(operand(op.operands[0]).registers)
    if (_TWO_RESULTS.match(op.name) or op.name in _BOTH) and len(op.operands) > 1:
        names += operand(op.operands[1]).registers
    if op.name.startswith("s_") and not _KEEP_SCC.match(op.name):
        names.append("scc")
    if "exec_b" in op.name or op.name.startswith("v_cmpx") or set(names) & set(EXEC):
        names += EXEC
    return tuple(dict.fromkeys(names))


def _sources(op: AmdInstruction, writes: tuple[str, ...]) -> tuple[str, ...]:
    """The registers that ``op`` reads: operands; SCC and the execution mask where they count."""
    names: list[str] = []
    first = 0 if not writes or op.name.startswith(("s_cmp", "s_bitcmp", *_BOTH)) else 1
    if op.name.startswith(("s_addk", "s_mulk", "s_bitset", "s_cmov", "v_writelane")):
        first = 0
    if op.name.startswith(("v_fmac", "v_mac_")):
        first = 0  # the result is added to
    if op.encoding in ENCODINGS:
        first = 0  # lanes without a source keep what they had
    for text in op.operands[first:]:
        names += operand(bare(text)).registers
    if op.name.startswith(("s_addc", "s_subb", "s_cselect", "s_cmov")):
        names.append("scc")
    if not op.name.startswith("s_") or "exec_b" in op.name or set(writes) & set(EXEC):
        names += EXEC
    return tuple(dict.fromkeys(names))
