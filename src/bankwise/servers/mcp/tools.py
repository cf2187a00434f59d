"""The tools: what each is asked with, what it answers, what it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from bankwise.show.schema import json_schema

MOST_TEXT = 4 << 20
"""Characters of a kernel that is given as text."""
Texts = tuple[str, ...]


class FileArguments(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file below a root, or a text."""

    file: Annotated[str, Meta(description="path of a file or folder, from a root or absolute")] = ""
    text: Annotated[
        str, Meta(description="a kernel itself, instead of a file", max_length=MOST_TEXT)
    ] = ""
    name: Annotated[
        str, Meta(description="what the text is called, e.g. kernel.ptx; its content decides")
    ] = ""
    target: Annotated[str, Meta(description="the GPU, e.g. sm_90, gfx950, where none is said")] = ""
    kernel: Annotated[str, Meta(description="only kernels of this name, e.g. gemm*")] = ""
    launch: Annotated[
        Texts, Meta(description="how kernels are launched: 'gemm*<<<grid, block, shared>>>(args)'")
    ] = ()
    workgroup_size: Annotated[str, Meta(description="X,Y,Z where the text has none")] = ""
    arg: Annotated[Texts, Meta(description="values of kernel arguments: NAME=VALUE")] = ()
    dim: Annotated[Texts, Meta(description="values of dynamic sizes: NAME=SIZE")] = ()
    policy: Annotated[
        str, Meta(description="which instructions accesses become: iree, triton, ck")
    ] = ""
    prefer: Annotated[
        str,
        Meta(description="of plans: cheapest, fewest-passes, fewest-instructions, least-lds"),
    ] = ""


class CountArguments(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One instruction."""

    target: Annotated[str, Meta(description="the GPU, e.g. sm_90, gfx950")]
    instruction: Annotated[str, Meta(description="e.g. ld.shared.b128, ds_read_b64")]
    offsets: Annotated[
        str, Meta(description="byte offset, an expression of `lane`", max_length=4_000)
    ]
    active: Annotated[str, Meta(description="non-zero for active lanes, e.g. lane < 48")] = ""
    second: Annotated[str, Meta(description="second address of a read2 / write2 form")] = ""


class ExplainArguments(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A rule or a word."""

    name: Annotated[str, Meta(description="a finding's rule, e.g. bank-conflict, or a word: pass")]


class ShowArguments(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A layout."""

    layout: Annotated[
        str, Meta(description="in any notation, e.g. Swizzle<3,4,3>", max_length=20_000)
    ]
    tile: Annotated[str, Meta(description="ROWSxCOLUMNS; else as the text says")] = ""
    bits: Annotated[int, Meta(description="of an element; 0: 16", ge=0, le=128)] = 0
    notation: Annotated[str, Meta(description="its notation, where that cannot be seen")] = ""
    target: Annotated[str, Meta(description="the GPU, e.g. sm_90")] = ""


class MoreArguments(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A piece of an answer."""

    answer: Annotated[str, Meta(description="as the short answer names it, e.g. answer-1")]
    at: Annotated[
        str, Meta(description="a JSON pointer, e.g. /accesses, /kernels/0, /patch; empty: the top")
    ] = ""
    start: Annotated[int, Meta(description="of a list the first item", ge=0, le=1 << 40)] = 0
    many: Annotated[int, Meta(description="items of a list, or characters", ge=1, le=1 << 20)] = 20


class AgentTool(Struct, frozen=True):
    """One tool: ``arguments`` it takes, the ``document`` it answers, or one of several."""

    name: str
    arguments: type[Struct]
    document: str
    text: str

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, an object at its root."""
        return flat(msgspec.json.schema(self.arguments))

    @property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the document, as `bankwise schema` prints it, an object at its root."""
        every = [flat(json_schema(name)) for name in self.document.split()]
        return every[0] if len(every) == 1 else {"type": "object", "anyOf": every}


def flat(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose root is the object that its `$ref` names."""
    below = dict(schema.get("$defs", {}))
    root = below.pop(schema["$ref"].rpartition("/")[2])
    rest = {key: value for key, value in schema.items() if key not in ("$ref", "$defs")}
    return {**root, **rest, **({"$defs": below} if below else {})}


_KINDS = (
    "MLIR, TTGIR, PTX, SASS, AMD assembly, cubins, libraries, CK and CuTe headers, tile questions"
)
TOOLS: Mapping[str, AgentTool] = {
    tool.name: tool
    for tool in (
        AgentTool(
            *("check", FileArguments, "bankwise.brief/1"),
            "Predict the shared-memory bank conflicts of a kernel without a GPU: where, how many "
            f"ways, which lanes, why, and what to write instead. Takes {_KINDS}.",
        ),
        AgentTool(
            *("fix", FileArguments, "bankwise.brief/1"),
            "Find the best layout for a kernel's shared memory and return a patch that was proved, "
            "executed and compiled where that is possible. Writes no file: apply the patch.",
        ),
        AgentTool(
            *("solve", FileArguments, "bankwise.brief/1"),
            "Find the best layout of a tile for all accesses to it, with a proof, in the words of "
            "CuTe, Triton, IREE, Wave and CK. Takes a tile question in TOML (docs/notations.md).",
        ),
        AgentTool(
            *("count", CountArguments, "bankwise.count/1"),
            "Count the passes of one shared-memory instruction whose byte offsets are an "
            "expression of the lane, e.g. 'lane%16*128 + lane//16*16'.",
        ),
        AgentTool(
            *("explain", ExplainArguments, "bankwise.rule/1 bankwise.noun/1"),
            "What a rule that a finding names means, why it costs, and what to do instead; or what "
            "a word of an answer means (bank, pass, padding, swizzle, ..).",
        ),
        AgentTool(
            *("show", ShowArguments, "bankwise.brief/1"),
            "Draw a layout in text: the bank in which each piece of a tile lies.",
        ),
        AgentTool(
            *("more", MoreArguments, "bankwise.piece/1"),
            "Read more of an answer that check, fix or solve gave: page its lists by kernel, "
            "access or cause.",
        ),
    )
}
"""In the order in which they are listed."""
