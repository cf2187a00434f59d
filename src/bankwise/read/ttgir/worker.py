"""The process that imports Triton: one question on stdin, one answer on stdout.

    python -m bankwise.read.ttgir.worker FOLDER < question.json

Questions: ``{"task": "verify", "text": ..}``, ``{"task": "lower", "text": .., "options": ..}`` and
``{"task": "compile", "path": .., "function": .., "signature": .., "constexprs": .., "divisible":
[..], "pointer_range": [names], "numbers": [names], "target": "cuda:90", "wave_size": 32,
"options": .., "paths": [..]}``.
The answer is a line of JSON behind ``bankwise:``. ``FOLDER`` takes what Triton writes.
"""

from __future__ import annotations

import json
import os
import re
import sys
from base64 import b32encode, b64encode
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from bankwise.read.ttgir.constants import decoded
from bankwise.read.ttgir.user_module import kernel_of, module_of

_SPECIALIZED = re.compile(r"\*|[iu](?:8|16|32|64)$")
"""Types of arguments of which launches tell more than the type."""


def main() -> None:
    """Answer the question on stdin."""
    folder = Path(sys.argv[1])
    os.environ["TRITON_CACHE_DIR"] = str(folder / "cache")
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    question = json.loads(sys.stdin.read())
    try:
        answer = _TASKS[question["task"]](question, folder)
    except ValueError as error:
        answer = {"error": str(error)}
    except Exception as error:  # whatever the wheel raises is the answer
        answer = {"error": f"{type(error).__name__}: {error}"}
    print("bankwise:" + json.dumps(answer), flush=True)


def verify(question: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Parse and verify a text, and print it again."""
    from triton._C.libtriton import amd, ir, nvidia

    context = ir.context()
    for dialects in (ir, amd, nvidia):
        dialects.load_dialects(context)
    path = folder / "kernel.ttgir"
    path.write_text(question["text"], encoding="utf-8")
    module = ir.parse_mlir_module(str(path), context)
    return {"text": module.str() if hasattr(module, "str") else str(module)}


def lower(question: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Compile a TTGIR text for the GPU that it names."""
    import triton

    text = question["text"]
    named = re.search(r'ttg\.target"? = "([\w:\-]+)"', text)
    lanes = re.search(r'ttg\.threads-per-warp"? = (\d+)', text)
    if named is None or lanes is None:
        raise ValueError("the module does not say its target and the threads of a warp")
    path = folder / "kernel.ttgir"
    path.write_text(text, encoding="utf-8")
    target = _target(named[1], int(lanes[1]))
    return _made(triton.compile(str(path), target=target, options=question["options"]))


def _made(made: Any) -> dict[str, Any]:
    """What was compiled: texts and binaries by stage, and what Triton says of the kernel."""
    import triton

    texts = {k: v for k, v in made.asm.items() if isinstance(v, str)}
    binaries = {k: b64encode(v).decode() for k, v in made.asm.items() if isinstance(v, bytes)}
    said = json.loads(json.dumps(made.metadata._asdict(), default=vars))
    version = triton.__version__
    return {
        "asm": texts,
        "binaries": binaries,
        "metadata": said,
        "shared": made.metadata.shared,
        "version": version,
    }


def compile_(question: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Compile one kernel for a GPU that need not be there; ``source_hash``: the name of its folder
    where texts take the place of what Triton makes."""
    import triton
    from triton.compiler import ASTSource

    sys.path[:] = [*question["paths"], *sys.path]
    kernel = kernel_of(module_of(question["path"]), question["function"])
    names = kernel.arg_names
    _check_names(names, question)
    signature = {name: question["signature"][name] for name in names}
    _check_types(signature)
    constants = {k: decoded(v) for k, v in question["constexprs"].items()}
    constexprs = {(names.index(k),): v for k, v in constants.items()}
    target = _target(question["target"], question["wave_size"])
    attrs = _attributes(kernel, question, target)
    source = ASTSource(fn=kernel, signature=signature, constexprs=constexprs, attrs=attrs)
    _check_options(question["options"], target)
    made = triton.compile(source, target=target, options=question["options"])
    return {
        **_made(made),
        "source_hash": b32encode(bytes.fromhex(source.hash())).decode().rstrip("="),
    }


def _attributes(kernel: Any, question: dict[str, Any], target: Any) -> dict[Any, Any]:
    """What a launch tells of its arguments: the hash of a kernel counts empty lists, too.

    Source: triton 3.9, ``JITFunction._pack_args``, ``native_specialize_impl``: constants, pointers
    and integers have a list, of what is not specialised only constants do.
    """
    from triton.compiler import make_backend

    backend = make_backend(target)
    said = {n: _letters(p, question, target) for n, p in enumerate(kernel.params)}
    return {(n,): backend.parse_attr(text) for n, text in said.items() if text is not None}


def _letters(parameter: Any, question: dict[str, Any], target: Any) -> str | None:
    """In a backend's letters: "D" is a multiple of 16, "S" a tensor below 2 GB, of which AMD's asks
    while buffer operations are on. None: it has no attributes."""
    from triton import knobs

    name, kind = parameter.name, question["signature"][parameter.name]
    if kind == "constexpr":
        return ""
    if parameter.do_not_specialize or not _SPECIALIZED.match(kind):
        return None
    aligned = name in question["divisible"] and not parameter.do_not_specialize_on_alignment
    buffers = target.backend == "hip" and knobs.amd.use_buffer_ops
    return "D" * aligned + "S" * (buffers and name in question["pointer_range"])


def _check_names(names: list[str], question: dict[str, Any]) -> None:
    missing = [name for name in names if name not in question["signature"]]
    keys = ("signature", "constexprs", "divisible", "pointer_range", "numbers")
    said = [name for key in keys for name in question[key]]
    strange = sorted({*said} - {*names})
    wrong = [f"the signature says nothing of {', '.join(missing)}"] * bool(missing)
    wrong += [f"the kernel has no argument {', '.join(strange)}"] * bool(strange)
    if wrong:
        raise ValueError(f"{'; '.join(wrong)}; its arguments are {', '.join(names)}")


def _check_types(signature: dict[str, str]) -> None:
    """Of a type that does not exist Triton says its name alone."""
    from triton._utils import type_canonicalisation_dict
    from triton.language import str_to_ty

    for name, kind in signature.items():
        try:
            str_to_ty(kind, None) if kind != "constexpr" else None
        except (KeyError, IndexError) as error:
            plain = kind.lstrip("*")
            known = dict.fromkeys(type_canonicalisation_dict.values())
            near = get_close_matches(plain, known, n=3, cutoff=0.5)
            also = f": {', '.join(kind.replace(plain, one) for one in near)}?" if near else ""
            raise ValueError(f"{name}: Triton has no type {kind!r}{also}") from error


def _check_options(options: dict[str, Any], target: Any) -> None:
    """Triton's launches refuse an option that does not exist; its compiler says nothing."""
    from triton.compiler import make_backend

    known = vars(make_backend(target).parse_options(dict(options)))
    for name in (name for name in options if name not in known):
        near = get_close_matches(name, known, n=1)
        hint = f"{near[0]}?" if near else "num_warps, num_stages, .. are keywords of their own"
        raise ValueError(f"Triton has no option {name!r} for {target.arch}: {hint}")


def _target(named: str, wave_size: int) -> Any:
    """``named``: as Triton names a GPU, "cuda:90" or "hip:gfx942"."""
    from triton.backends.compiler import GPUTarget

    vendor, _, name = named.partition(":")
    return GPUTarget(vendor, int(name) if vendor == "cuda" else name, wave_size)


_TASKS = {"verify": verify, "lower": lower, "compile": compile_}


if __name__ == "__main__":
    main()
