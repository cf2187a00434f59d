"""Spec files: a memory layout and its writers and readers, each in the words of any framework."""
