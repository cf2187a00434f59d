"""Questions about a tile in TOML: accesses and, where there is one, a layout, in any notation."""
