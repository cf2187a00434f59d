"""The languages of source that are compiled here: one line for each."""

from __future__ import annotations

from bankwise.read.cuda import CUDA
from bankwise.read.source import Compilation, SourceLanguage


def language_of(what: Compilation) -> SourceLanguage:
    """In which language a source is compiled."""
    return CUDA
