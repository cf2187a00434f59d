"""The exact joint solver, the constructive two-access algorithm, and the family of optima."""
