"""Conflicts as ranks, the exact joint search, families, and certificates with their judge."""
