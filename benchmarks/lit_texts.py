"""Texts of IREE's tests, taken apart and adapted: what :mod:`iree_lit` compares stands in them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from bankwise.errors import InputError
from bankwise.read.mlir.module import open_text

_FUNCTION = re.compile(r"^( *)func\.func (?:private )?@(?P<name>[\w$.\-]+)", re.M)


def iree_opt(text: str, passes: str, *flags: str) -> tuple[str, str]:
    """The text after IREE's passes on every function, and its first error."""
    tool = shutil.which("iree-opt", path=str(Path(sys.executable).parent)) or "iree-opt"
    pipeline = (f"--pass-pipeline=builtin.module(func.func({passes}))",) if passes else ()
    command = (tool, "-", "--allow-unregistered-dialect", "--mlir-print-local-scope", *pipeline)
    done = subprocess.run((*command, *flags), input=text, capture_output=True, text=True)
    error = re.search(r"error: (.*)", done.stderr)
    if done.returncode and error is None:
        return done.stdout, f"iree-opt ended with {done.returncode}"
    return done.stdout, error[1] if error else ""


def functions(text: str) -> dict[str, tuple[int, int]]:
    """The first and last line of every function."""
    found = [(m["name"], text.count("\n", 0, m.start()) + 1) for m in _FUNCTION.finditer(text)]
    ends = [line - 1 for _, line in found[1:]] + [text.count("\n") + 1]
    return {name: (line, end) for (name, line), end in zip(found, ends, strict=True)}


def body(text: str, name: str) -> str:
    first, last = functions(text)[name]
    return "\n".join(text.splitlines()[first - 1 : last])


def modern(text: str) -> str:
    """The text in the syntax of the installed compiler."""
    try:
        return open_text(text, "part.mlir", isolated=False).source.parsed
    except InputError:
        return text


def alone(text: str, name: str) -> str:
    """A part with one function of several."""
    names = functions(text)
    lines = text.splitlines()
    for other, (first, last) in names.items():
        for number in range(first - 1, min(last, len(lines))) if other != name else ():
            lines[number] = lines[number] if lines[number].startswith("#") else ""
    return "\n".join(lines) + "\n"


def printed(text: str, clean: str) -> dict[str, str]:
    """The functions of a text as iree-opt prints them, one layout change of one value once."""
    again, _ = iree_opt(_without_repeats(iree_opt(text, clean)[0]), clean)
    starts = [(m["name"], m.start()) for m in _FUNCTION.finditer(again)]
    ends = [start for _, start in starts[1:]] + [len(again)] * bool(starts)
    pieces = zip(starts, ends, strict=True)
    found = {name: again[start:end] for (name, start), end in pieces}
    return {name: piece.partition("\n  }\n")[0].rstrip("}\n ") for name, piece in found.items()}


_LAYOUT = re.compile(
    r"^\s*(?P<new>%\w+) = iree_vector_ext\.to_layout (?P<old>%\w+) (?P<rest>.*)$", re.M
)


def _without_repeats(text: str) -> str:
    """The text without a to_layout of what has that layout already."""
    had: dict[str, str] = {}
    for found in _LAYOUT.finditer(text):
        if had.get(found["old"]) == found["rest"]:
            text = text.replace(found[0] + "\n", "")
            return _without_repeats(re.sub(rf"{found['new']}\b", found["old"], text))
        had[found["new"]] = found["rest"]
    return text


_DISPATCH = re.compile(r"!iree_tensor_ext\.dispatch\.tensor<\w+:tensor<([^>]*)>>")


def loaded(text: str) -> str:
    """The same bindings as memrefs, each with a load at its start, in a kernel with threads."""
    text = _DISPATCH.sub(r"memref<\1, #hal.descriptor_type<storage_buffer>>", text)
    result: list[str] = []
    for line in text.splitlines():
        result.append(line)
        made = re.search(r"(memref<(.*), #hal\.descriptor_type<storage_buffer>>)(\{.*\})?$", line)
        if made:
            rank = made[2].count("x")
            at = ", ".join(["%first"] * rank)
            element = made[2].rsplit("x", 1)[-1]
            result.append(f"  %seen = memref.load %bind[{at}] : {made[1]}")
            result.append(f'  "test.use"(%seen) : ({element}) -> ()')
        if line.startswith("func.func"):
            result.append("  %first = gpu.thread_id x upper_bound 1")
    return "\n".join(result)


def bound(types: list[str]) -> str:
    """A kernel that loads from one binding of each type."""
    uses = [", ".join(["#hal.pipeline.binding<storage_buffer>"] * len(types))]
    lines = ["func.func @k() attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {"]
    lines.append("  %t = gpu.thread_id x upper_bound 1")
    for number, of in enumerate(types):
        memref = f"memref<{of}, #hal.descriptor_type<storage_buffer>>"
        layout = f"#hal.pipeline.layout<bindings = [{uses[0]}]>"
        at = ", ".join(["%t"] * of.count("x"))
        lines += [
            f"  %b{number} = hal.interface.binding.subspan layout({layout}) binding({number})"
            f" : {memref}",
            f"  %v{number} = memref.load %b{number}[{at}] : {memref}",
            f'  "test.use"(%v{number}) : ({of.rsplit("x", 1)[-1]}) -> ()',
        ]
    return "\n".join([*lines, "  return", "}"]) + "\n"


HINT = re.compile(
    r"^ *(?P<new>%\w+) = iree_codegen\.swizzle_hint (?P<old>%\w+)\[(?P<swizzle>[^]]*)\]\s*: "
    r"(?P<type>memref<.*>)\n",
    re.M,
)


def hinted(lowered: str, hint: re.Match[str]) -> str:
    """The hint on the allocation of a lowered text: everything goes through it."""
    found = re.search(r"^ *(%\w+) = memref\.alloc\(\) : (memref<.*>)\n", lowered, re.M)
    assert found is not None, "the copies fill an allocation"
    line = f"    %hint = iree_codegen.swizzle_hint {found[1]}[{hint['swizzle']}] : {found[2]}\n"
    rest = re.sub(rf"{found[1]}\b", "%hint", lowered[found.end() :])
    return lowered[: found.end()] + line + rest


def threads(lowered: str) -> str:
    """Lanes of an scf.forall as threads."""
    text = re.sub(
        r"scf\.forall \((%\w+)\) in \(64\) \{", r"\1 = gpu.thread_id x upper_bound 64", lowered
    )
    return re.sub(r"^ *\} \{mapping = .*\}\n", "", text, flags=re.M)
