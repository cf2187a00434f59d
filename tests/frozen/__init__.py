"""What every verb answers to every kind of input, recorded: see tests/test_frozen.py."""
