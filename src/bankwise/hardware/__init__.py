"""GPUs as data: one TOML file a machine, and what the numbers in it mean."""
