"""``python -m bankwise``."""

from bankwise.cli import main

if __name__ == "__main__":
    main()
