"""`python -m weightmap` is the `weightmap` command, for where scripts are not on the path."""

from __future__ import annotations

import sys

from weightmap.cli import main

if __name__ == "__main__":
    sys.exit(main())
