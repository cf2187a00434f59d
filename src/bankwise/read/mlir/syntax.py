"""Older MLIR syntax and what the parser of iree-base-compiler 3.13 wants instead: a table.

MLIR's text changes between releases. An :class:`OlderForm` reads one of them; the comment above it
shows before and after. Most forms changed with LLVM's *strict properties* (IREE 3.12): an attribute
that belongs to an operation may no longer stand in ``{...}`` and got a spelling of its own.
docs/dumps.md says which compilers' dumps these rules were tried on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field

from bankwise.regex import regex


class OlderForm(Struct, frozen=True):
    """One older form.

    ``pattern`` finds it; comments and the inside of strings are blanks to it. ``changes`` replaces
    named groups (templates may name groups, ``\\g<value>``). ``words`` instead rewrites the list
    ``key = value, ..`` of group ``old`` word by word, in the order given: a key is ``name`` or
    ``name=value``, ``{}`` stands for the value. Words that are not listed stay behind in ``{..}``
    if ``rest``, otherwise the place is left alone; so it is if ``positional`` and a word before a
    given one is missing. ``around``: it adds what is printed apart, which no release reads alone.
    """

    says: str
    pattern: re.Pattern[str]
    changes: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    joint: str = " "
    frame: str = "{}"
    rest: bool = True
    positional: bool = False
    around: bool = False


def _rule(says: str, pattern: str, **changes: str) -> OlderForm:
    return OlderForm(says, regex(pattern), changes)


_BRACES = r"\{[^{}]*(?:\{[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\}[^{}]*)*\}"
"""A dictionary with dictionaries in it, at most four deep."""


def _dictionary(
    op: str, says: str, words: Mapping[str, str], frame: str = "{}", joint: str = " "
) -> OlderForm:
    """The attribute dictionary of operation ``op``, which has no colon and no brace before it."""
    pattern = regex(rf"\b{op}\b(?!\.)[^{{}}:=]*?(?P<old>{_BRACES})")
    return OlderForm(says, pattern, words=words, frame=frame, joint=joint)


_MASK_BITS = (
    *("non_mem_non_sideeffect", "valu", "salu", "mfma_wmma", "all_vmem", "vmem_read"),
    *("vmem_write", "all_ds", "ds_read", "ds_write", "transcendental"),
)
"""The bits of a scheduling mask, lowest first (the parser of 3.13.0 lists these names)."""

_MASKS = {
    str(mask): "|".join(name for bit, name in enumerate(_MASK_BITS) if mask >> bit & 1) or "none"
    for mask in range(1 << len(_MASK_BITS))
}

_VALUE = r"%[\w.$-]+"

RULES: tuple[OlderForm, ...] = (
    # xor_shuffle</*row_width=*/128, 4>  ->  xor_shuffle<128, 4>
    _rule("/* comment */ -> nothing", r"(?P<old>/\*[^*]*\*/)", old=""),
    # xor_shuffle<row_width=128, access_width=4, row_stride=128, per_phase=1>
    #   ->  xor_shuffle<128, 4, 128, 1>
    OlderForm(
        "xor_shuffle<row_width = .., ..> -> xor_shuffle<.., ..>",
        regex(r"\bxor_shuffle<(?P<old>[^<>]*=[^<>]*)>"),
        words=dict.fromkeys(("row_width", "access_width", "row_stride", "per_phase"), "{}"),
        joint=", ",
        rest=False,
        positional=True,
    ),
    # translation_info<pipeline = None workgroup_size = ..>
    #   ->  translation_info<pipeline = #iree_codegen.no_pipeline workgroup_size = ..>
    _rule(
        "pipeline = None -> #iree_codegen.no_pipeline",
        r"\bpipeline = (?P<old>None)\b",
        old="#iree_codegen.no_pipeline",
    ),
    # pipeline = LLVMGPUTileAndFuse  ->  pipeline = #iree_gpu.pipeline<TileAndFuse>
    _rule(
        "pipeline = LLVMGPU.. -> #iree_gpu.pipeline<..>",
        r"\bpipeline = (?P<old>LLVMGPU(?P<name>\w+))",
        old=r"#iree_gpu.pipeline<\g<name>>",
    ),
    # iree-org/iree#22818: 2 stages are what `true` meant, 0 and 1 switch it off.
    # prefetch_shared_memory = true  ->  prefetch_num_stages = 2
    _rule(
        "prefetch_shared_memory = true -> prefetch_num_stages = 2",
        r"\b(?P<old>prefetch_shared_memory = true)\b",
        old="prefetch_num_stages = 2",
    ),
    # prefetch_shared_memory = false  ->  prefetch_num_stages = 0
    _rule(
        "prefetch_shared_memory = false -> prefetch_num_stages = 0",
        r"\b(?P<old>prefetch_shared_memory = false)\b",
        old="prefetch_num_stages = 0",
    ),
    # rocdl.sched.barrier 0  ->  rocdl.sched.barrier none
    # rocdl.sched.group.barrier 6, 1, 0  ->  rocdl.sched.group.barrier valu|salu, 1, 0
    OlderForm(
        "rocdl.sched.barrier 0 -> none (mask by name)",
        regex(r"\brocdl\.sched\.(?:group\.)?barrier (?P<old>\d+)\b"),
        words=_MASKS,
        rest=False,
    ),
    # amdgpu.sched_barrier allow = <none>  ->  amdgpu.sched_barrier allow = none
    _rule(
        "sched_barrier allow = <..> -> allow = ..",
        r"\bamdgpu\.sched_barrier allow = (?P<open><)[^<>]*(?P<close>>)",
        open="",
        close="",
    ),
    # amdgpu.mfma .. blgp = none : ..  ->  amdgpu.mfma .. blgp(none) : ..
    _rule("blgp = .. -> blgp(..)", r"\b(?P<old>blgp =\s+(?P<value>\w+))", old=r"blgp(\g<value>)"),
    # amdgpu.mfma %a * %b + %c {blocks = 1 : i32, k = 16 : i32, m = 16 : i32, n = 16 : i32} ..
    #   ->  amdgpu.mfma 16x16x16 %a * %b + %c ..
    _rule(
        "mfma {k = .., m = .., n = ..} -> MxNxK",
        rf"\bamdgpu\.mfma(?P<shape>) {_VALUE} \* {_VALUE} \+ {_VALUE}(?P<old> \{{"
        r"(?:\s*abid = 0 : i32,)?\s*blocks = 1 : i32,(?:\s*cbsz = 0 : i32,)?"
        r"\s*k = (?P<k>\d+) : i32,\s*m = (?P<m>\d+) : i32,\s*n = (?P<n>\d+) : i32\s*\})",
        shape=r" \g<m>x\g<n>x\g<k>",
        old="",
    ),
    # amdgpu.mfma .. {abid = 0 : i32, cbsz = 0 : i32} ..  ->  amdgpu.mfma .. abid(0) cbsz(0) ..
    _dictionary(
        "amdgpu.mfma",
        "mfma {abid = .., cbsz = ..} -> abid(..) cbsz(..)",
        {"abid": "abid({})", "cbsz": "cbsz({})"}
        | {flag: flag for flag in ("reducePrecision", "negateA", "negateB", "negateC")},
    ),
    # amdgpu.fat_raw_buffer_cast %p bounds_check = true reset_offset = true valid_bytes = %n
    #   ->  amdgpu.fat_raw_buffer_cast %p validBytes(%n) resetOffset
    OlderForm(
        "fat_raw_buffer_cast valid_bytes = .. -> validBytes(..)",
        regex(
            rf"\bamdgpu\.fat_raw_buffer_cast {_VALUE}"
            rf"(?P<old>(?:\s+\w+ = (?:true|false|{_VALUE}))+)"
        ),
        words={
            "valid_bytes": "validBytes({})",
            "cache_swizzle_stride": "cacheSwizzleStride({})",
            "bounds_check=true": "",
            "bounds_check=false": "boundsCheck(false)",
            "reset_offset=true": "resetOffset",
            "reset_offset=false": "",
        },
        frame=" {}",
        rest=False,
    ),
    # amdgpu.raw_buffer_load {boundsCheck = true} %b[%i]
    #   ->  amdgpu.raw_buffer_load boundsCheck(true) %b[%i]
    _dictionary(
        r"amdgpu.raw_buffer_\w+",
        "raw_buffer {boundsCheck = ..} -> boundsCheck(..)",
        {"boundsCheck": "boundsCheck({})"},
    ),
    # vector.extract_strided_slice %v {offsets = .., sizes = .., strides = ..} : ..
    #   ->  vector.extract_strided_slice %v offsets = .., sizes = .., strides = .. : ..
    _rule(
        "strided_slice {offsets = ..} -> offsets = ..",
        r"\bvector\.(?:extract|insert)_strided_slice [^{}:=]*(?P<open>\{)[^{}]*(?P<close>\})",
        open="",
        close="",
    ),
    # vector.splat %x : vector<4xf16>  ->  vector.broadcast %x : f16 to vector<4xf16>
    _rule(
        "vector.splat -> vector.broadcast",
        rf"\bvector\.(?P<op>splat) {_VALUE} : (?P<type>vector<[\dx\[\]]+x(?P<element>[\w!.]+)>)",
        op="broadcast",
        type=r"\g<element> to \g<type>",
    ),
    # memref.alloc() {alignment = 64 : i64}  ->  memref.alloc() alignment = 64
    _dictionary(
        r"memref.alloca?",
        "alloc {alignment = ..} -> alignment = ..",
        {"alignment": "alignment = {}"},
    ),
    # memref.load %m[%i] {nontemporal = true}  ->  memref.load %m[%i] nontemporal(true)
    _dictionary(
        r"memref.(?:load|store)",
        "memref {nontemporal = ..} -> nontemporal(..)",
        {"alignment": "alignment({})", "nontemporal": "nontemporal({})"},
    ),
    # vector.load %m[%i] {nontemporal = true}  ->  vector.load %m[%i] nontemporal = true
    _dictionary(
        r"vector.(?:load|store)",
        "vector {nontemporal = ..} -> nontemporal = ..",
        {"alignment": "alignment = {}", "nontemporal": "nontemporal = {}"},
    ),
    # gpu.thread_id x {upper_bound = 64 : index}  ->  gpu.thread_id x upper_bound 64
    _dictionary(
        r"gpu.(?:thread_id|block_id|lane_id)",
        "{upper_bound = ..} -> upper_bound ..",
        {"upper_bound": "upper_bound {}"},
    ),
    # gpu.subgroup_mma_load_matrix %m[%i] {leadDimension = 64 : index, transpose}
    #   ->  gpu.subgroup_mma_load_matrix %m[%i] leadDimension 64 transpose
    _dictionary(
        r"gpu.subgroup_mma_(?:load|store)_matrix",
        "{leadDimension = ..} -> leadDimension ..",
        {"leadDimension": "leadDimension {}", "transpose": "transpose"},
    ),
    # nvgpu.ldmatrix %m[%i] {numTiles = 4 : i32, transpose = false}
    #   ->  nvgpu.ldmatrix %m[%i] numTiles = 4 transpose = false
    _dictionary(
        "nvgpu.ldmatrix",
        "ldmatrix {numTiles = ..} -> numTiles = ..",
        {"numTiles": "numTiles = {}", "transpose": "transpose = {}"},
    ),
    # nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]}
    #   ->  nvgpu.mma.sync(%a, %b, %c) mmaShape = [16, 8, 16]
    _dictionary(
        "nvgpu.mma.sync", "mma.sync {mmaShape = ..} -> mmaShape = ..", {"mmaShape": "mmaShape = {}"}
    ),
    # nvgpu.device_async_copy %a[%i], %b[%j], 8 {bypassL1}
    #   ->  nvgpu.device_async_copy %a[%i], %b[%j], 8 bypassL1
    _dictionary(
        "nvgpu.device_async_copy", "async_copy {bypassL1} -> bypassL1", {"bypassL1": "bypassL1"}
    ),
    # nvgpu.device_async_wait %t {numGroups = 1 : i32}  ->  nvgpu.device_async_wait %t numGroups = 1
    _dictionary(
        "nvgpu.device_async_wait",
        "async_wait {numGroups = ..} -> numGroups = ..",
        {"numGroups": "numGroups = {}"},
    ),
    # bufferization.alloc_tensor() {memory_space = ..}
    #   ->  bufferization.alloc_tensor() <{memory_space = ..}>
    _dictionary(
        "bufferization.alloc_tensor",
        "alloc_tensor {memory_space = ..} -> <{memory_space = ..}>",
        {"memory_space": "memory_space = {}"},
        frame="<{{{}}}>",
    ),
    # iree_vector_ext.to_layout %v to layout(#l) {shared_memory_conversion = ..}
    #   ->  iree_vector_ext.to_layout %v to layout(#l) <shared_memory_conversion = ..>
    OlderForm(
        "to_layout {shared_memory_conversion = ..} -> <shared_memory_conversion = ..>",
        regex(rf"\biree_vector_ext\.to_layout {_VALUE} to layout\([^()]*\)\s*(?P<old>{_BRACES})"),
        words={"shared_memory_conversion": "shared_memory_conversion = {}"},
        frame="<{}>",
    ),
    # transform.iree.reduce_shared_memory_bank_conflicts %f {padding_size_bits = 64}
    #   ->  transform.iree.reduce_shared_memory_bank_conflicts %f <padding_size_bits = 64>
    _dictionary(
        "transform.iree.reduce_shared_memory_bank_conflicts",
        "reduce_shared_memory_bank_conflicts {padding_size_bits = ..} -> <padding_size_bits = ..>",
        {"padding_size_bits": "padding_size_bits = {}"},
        frame="<{}>",
    ),
    # iree_linalg_ext.attention {indexing_maps = [..]} ins(..)
    #   ->  iree_linalg_ext.attention <indexing_maps = [..]> ins(..)
    _dictionary(
        r"iree_linalg_ext.(?:online_)?attention",
        "attention {indexing_maps = ..} -> <indexing_maps = ..>",
        {
            "indexing_maps": "indexing_maps = {}",
            "decomposition_config": "decomposition_config = {}",
        },
        joint=", ",
        frame="<{}>",
    ),
    # hal.executable.export .. attributes {subgroup_size = 64 : index, workgroup_size = [..]}
    #   ->  hal.executable.export .. <workgroup_size = [..], subgroup_size = 64>
    OlderForm(
        "export attributes {workgroup_size = ..} -> <workgroup_size = ..>",
        regex(
            r"\b(?P<old>attributes \{\s*(?:workgroup_size|subgroup_size|workgroup_local_memory) ="
            r"[^{}]*\})"
        ),
        words={
            "workgroup_size": "workgroup_size = {}",
            "subgroup_size": "subgroup_size = {}",
            "workgroup_local_memory": "workgroup_local_memory = {}",
        },
        joint=", ",
        frame="<{}>",
    ),
    # hal.executable.variant .. {..}  ->  hal.executable private @dump { hal.executable.variant .. }
    OlderForm(
        "hal.executable.variant -> the same inside of a hal.executable",
        regex(r"(?ms)^(?P<open>)hal\.executable\.variant\b.*(?P<close>)\Z"),
        {"open": "hal.executable private @dump {\n", "close": "\n}"},
        around=True,
    ),
)
