"""``python -m poise`` is the command ``poise``."""

import sys

from poise.cli import main

if __name__ == "__main__":
    sys.exit(main())
