"""Edits of PTX text: a fold spliced into the addresses of a shared variable, and its proof."""
