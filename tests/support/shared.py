"""Where the collection of real and faulty files lies, when it is there: beside the checkout. Tests that need it skip without it."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the folder ../shared is not there")
