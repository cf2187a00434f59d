"""Where a fixed TTGIR goes, so that Triton uses it: what is written, and what to set.

Source: triton 3.9, compiler/compiler.py and runtime/cache.py. With TRITON_KERNEL_OVERRIDE a file
``TRITON_OVERRIDE_DIR/HASH/NAME.ttgir`` takes the place of what the stage made; HASH is of the
source and its constants, and what TRITON_KERNEL_DUMP calls its folders. The folders of the cache
itself have other names, of the whole compilation; an entry there is used as it lies. NVIDIA's
backend also takes a file by the option ``ir_override``.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.ttgir_code import EmittedText
from bankwise.errors import InputError, Location
from bankwise.files import check_writable, read_bytes

_HASH = re.compile(r"[A-Z2-7]{52}")
_OPTIONS = (
    *("num_warps", "num_ctas", "num_stages", "maxnreg", "ptx_version", "ptx_options"),
    *("enable_fp_fusion", "sched4reg", "enable_reflect_ftz", "launch_cooperative_grid"),
    *("launch_pdl", "debug", "sanitize_overflow", "waves_per_eu", "matrix_instr_nonkdim", "kpack"),
    *("allow_flush_denorm", "schedule_hint", "wgp_cu_mode", "min_shared_mem"),
)


_WIDTH = 80
_ABSOLUTE = "(the entry names its files by absolute paths: leave it there)"

OutputFiles = tuple[tuple[str, bytes], ...]
"""Paths below a folder, and what they hold."""


class Destination(Struct, frozen=True):
    """Where a fixed kernel goes. ``folder``: that was asked for, empty for a file or none;
    ``key``: the name of the folder of the input, if it is a hash; ``entry``: whether the input is
    of the cache, and not of a dump."""

    file: Path
    output: str
    folder: str
    key: str
    entry: bool

    def delivery(self, code: EmittedText) -> tuple[OutputFiles, tuple[str, ...]]:
        """Files below the folder, and what to set."""
        if not self.folder:
            return (), tuple(self._file_settings(code))
        if self.entry:
            files = tuple(_entry_files(self.file, Path(self.folder) / self.key, code))
            return files, (f"run it with TRITON_CACHE_DIR={self.folder} {_ABSOLUTE}",)
        data = code.text.encode("utf-8")
        if self.key:
            return ((f"{self.key}/{self.file.name}", data),), (override(self.folder),)
        written = replace(self, output=f"{self.folder}/{self.file.name}", folder="")
        alone = (
            f"TRITON_OVERRIDE_DIR={self.folder} does not find it: "
            "Triton looks below the hash of the kernel"
        )
        return ((self.file.name, data),), (alone, *written._file_settings(code))

    def _file_settings(self, code: EmittedText) -> Iterator[str]:
        path = self.output if self.output not in ("", "-") else "FILE.ttgir"
        if "cubin" in code.made.binaries:
            yield f'run it with kernel[grid](.., ir_override="{path}")'
        yield (
            "in any program: fix what TRITON_KERNEL_DUMP=1 TRITON_ALWAYS_COMPILE=1 "
            "TRITON_DUMP_DIR=dump leaves: `bankwise fix dump/HASH -o override/`"
        )


def override_variables(folder: str) -> dict[str, str]:
    """What makes Triton take texts from a folder: it compiles anew, as its cache does not know; and
    into a cache apart, since later runs would find the replaced kernel under the name of the other.
    """
    return {
        "TRITON_KERNEL_OVERRIDE": "1",
        "TRITON_OVERRIDE_DIR": folder,
        "TRITON_ALWAYS_COMPILE": "1",
        "TRITON_CACHE_DIR": f"{folder}/cache",
    }


def override(folder: str) -> str:
    """The same in lines to be pasted into a shell, in front of the program."""
    said = [f"{k}={shlex.quote(v)}" for k, v in override_variables(folder).items()]
    lines = ["run it with"]
    for word in (*said, "python .."):
        fits = len(lines) > 1 and len(f"{lines[-1]} {word} \\") <= _WIDTH
        lines = [*lines[:-1], f"{lines[-1]} {word}"] if fits else [*lines, f"  {word}"]
    return "\n".join((lines[0], " \\\n".join(lines[1:])))


def destination(file: Path, output: str) -> Destination:
    """Where the answer for a file goes; a folder is one that exists, or ends in a slash, and, for
    the text of an entry, whatever is not named like a file.

    Raises :class:`InputError` for what cannot be written.
    """
    is_folder = output.endswith("/") or (output not in ("", "-") and _is_folder(file, Path(output)))
    if output not in ("", "-"):
        _check_outside(file.resolve(), Path(output), is_folder)
    if output not in ("", "-") and not is_folder:
        check_writable(Path(output))
    parent = file.resolve().parent.name
    key = parent if _HASH.fullmatch(parent) else ""
    if is_folder and (Path(output) / key / file.name).resolve() == file.resolve():
        hint = "name another folder"
        raise InputError("this would replace the input", location=Location(output), hint=hint)
    entry = bool(key) and file.with_suffix(".json").is_file()
    return Destination(file, output, output.rstrip("/") if is_folder else "", key, entry)


def _is_folder(file: Path, output: Path) -> bool:
    """Triton looks for the text of an entry below folders alone: there a name without a suffix is
    a folder that is still to be made."""
    keyed = _HASH.fullmatch(file.resolve().parent.name) is not None
    return output.is_dir() or (keyed and not output.suffix and not output.exists())


def _check_outside(file: Path, output: Path, is_folder: bool) -> None:
    """An entry is one kernel at every stage: what replaces one of its files leaves the others of
    another kernel, and none of its folders is where Triton looks for an entry."""
    beside = [p for p in file.parent.iterdir() if p.name.startswith(f"{file.stem}.") and p != file]
    keyed = _HASH.fullmatch(file.parent.name) is not None
    place = output.resolve()
    inside = file.parent in (place, *place.parents)
    own = not is_folder and place.parent == file.parent and place.name.startswith(f"{file.stem}.")
    if (keyed and inside) or (beside and (own or (is_folder and place == file.parent))):
        raise InputError(
            "this lies in the entry that is read: its machine code would be of another text",
            location=Location(str(output)),
            hint="name a folder outside: a whole entry is written there",
        )


def ttgir_options(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Options of Triton that matter behind TTGIR, of those that its metadata names."""
    return {k: metadata[k] for k in _OPTIONS if metadata.get(k) is not None}


def options_beside(file: Path) -> Mapping[str, Any]:
    """With which options Triton compiled a kernel, from the metadata beside it; {} without any."""
    return ttgir_options(_metadata(file))


def _metadata(file: Path) -> dict[str, Any]:
    beside = file.with_suffix(".json")
    if not beside.is_file():
        return {}
    try:
        said = json.loads(read_bytes(beside))
    except ValueError as error:
        raise InputError("no JSON metadata", location=Location(str(beside))) from error
    return said if isinstance(said, dict) else {}


def _entry_files(file: Path, folder: Path, code: EmittedText) -> Iterator[tuple[str, bytes]]:
    """A whole entry of the cache: what was there, with the stages from TTGIR on replaced. The file
    of the group says where the others lie, by absolute paths."""
    made = code.made
    said = {**_metadata(file), **{k: made.metadata[k] for k in _MADE if k in made.metadata}}
    texts = {stage: text.encode("utf-8") for stage, text in made.texts.items()}
    new = {**texts, **made.binaries, "ttgir": code.text.encode("utf-8")}
    new["json"] = json.dumps(said).encode("utf-8")
    names = sorted(p.name for p in file.parent.iterdir() if p.name.startswith(f"{file.stem}."))
    for name in names:
        stage = name.removeprefix(f"{file.stem}.")
        yield f"{folder.name}/{name}", new.get(stage) or read_bytes(file.parent / name)
    group = {"child_paths": {name: str(folder.resolve() / name) for name in names}}
    yield f"{folder.name}/__grp__{file.stem}.json", json.dumps(group).encode("utf-8")


_MADE = (
    *("shared", "tmem_size", "global_scratch_size", "global_scratch_align"),
    *("profile_scratch_size", "profile_scratch_align"),
)
"""What Triton says of a kernel behind TTGIR, in its metadata."""
