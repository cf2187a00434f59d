"""Rewriting a kernel in the user's own text: plan, then edit every access of an allocation or none.

plan        which allocations share a map, and which map is best for all their accesses
scope       what a kernel offers to new lines: its thread ids, values known on all threads
fold_index  loads and stores: a new last index
permute     direct-to-LDS copies: a new source index
emit        where new lines may stand, and never the same value twice
"""
