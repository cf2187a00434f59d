"""Emitted PTX run with values as terms: two texts that compute the same write the same terms."""
