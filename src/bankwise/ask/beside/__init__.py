"""A check beside the counters of a profile."""
