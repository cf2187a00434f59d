"""Rewriting a kernel in the user's own text: plan, then edit every access of an allocation or none.

What is written is a proposal: values of one workgroup choose it. :mod:`bankwise.change.prove`
decides whether it stands, and shares no code with this.

group       allocations that share a map, and their accesses as a tile
unpadded    padded rows, and a group without its padding
plan        which map is best for all accesses of a group
scope       what a kernel offers to new lines: its thread ids, values known on all threads
apply       drafts of a plan: every access in one of its styles, and the next way if that is refused
fold_index  loads and stores: a new last index
permute     direct-to-LDS copies: a new source index
lanes       which lane of a wave fetches for which
clone       a source computed again for another lane
emit        where new lines may stand, and never the same value twice
"""
