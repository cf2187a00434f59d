"""A kernel through the real compiler: what it becomes, and how two of them differ."""
