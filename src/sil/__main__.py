"""Run the command line as ``python -m sil``."""

from sil.cli import main

if __name__ == "__main__":
    main()
