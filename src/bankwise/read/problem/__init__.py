"""Problem files: a tile, its accesses and what the solver may do, as TOML."""
