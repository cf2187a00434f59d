"""What the tools' findings mean: one text for each rule, as data."""
