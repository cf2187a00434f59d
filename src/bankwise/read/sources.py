"""The languages of source that are compiled here: one line for each."""

from __future__ import annotations

from bankwise.files import read_text
from bankwise.hardware.machine import machine
from bankwise.hardware.toolchain import languages
from bankwise.read.cuda import CUDA
from bankwise.read.hip.language import HIP
from bankwise.read.recognise import recognise_text
from bankwise.read.source import Compilation, SourceLanguage


def language_of(what: Compilation) -> SourceLanguage:
    """In which language a source is compiled: HIP where it says so; a CUDA source, which HIP can
    read, where it is compiled for a GPU of AMD's."""
    text = read_text(what.path) if what.text is None else what.text
    if recognise_text(str(what.path), text).name == "HIP source":
        return HIP
    amd = bool(what.target) and "amd" in languages(machine(what.target).tools)
    return HIP if amd else CUDA
