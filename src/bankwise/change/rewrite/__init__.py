"""Rewriting a kernel in the user's own text: plan, then edit every access of an allocation or none.

group       allocations that share a map, and their accesses as a tile
unpadded    padded rows, and a group without its padding
plan        which map is best for all accesses of a group
scope       what a kernel offers to new lines: its thread ids, values known on all threads
fold_index  loads and stores: a new last index
permute     direct-to-LDS copies: a new source index
emit        where new lines may stand, and never the same value twice
"""
