"""Passes as a rank, floors, and certificates that an independent checker can re-derive."""
