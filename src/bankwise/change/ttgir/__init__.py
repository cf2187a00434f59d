"""Edits of TTGIR text: other encodings for shared buffers, and the judge of such an edit."""
